"""Walks: every way by brute force, and which of them is the cheapest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.engine.refusals import Refusal
from pbem.titles.ming_dynasty import title
from pbem.titles.ming_dynasty.board import load
from pbem.titles.ming_dynasty.vocabulary import DRAGON, Move
from pbem.titles.ming_dynasty.walks import ways


def position(prince: str, hand: Counter[str]) -> Any:
    an = {"prince": prince, "cards": dict(hand)}
    return title.read_position({"phase": "1.move", "seats": ["an", "bo", "chen"], "players": {"an": an}})


BOARD = load("standard")
KINDS = (*BOARD.transports, DRAGON)

Walk = tuple[tuple[str, ...], tuple[str, ...]]


def walks(start: str, hand: Counter[str]) -> Iterator[Walk]:
    """Every walk and every way to pay it: path and pay, step by step."""
    for other, transport in BOARD.neighbours[start]:
        for card in (transport, DRAGON):
            if hand[card]:
                yield (other,), (card,)
                for path, pay in walks(other, hand - Counter([card])):
                    yield (other, *path), (card, *pay)


def cost(walk: Walk, hand: Counter[str]) -> tuple[object, ...]:
    """The words of the order table: fewest cards, then dragons, then of the kind he holds least of, then board order."""
    path, pay = walk
    held = [kind for kind in BOARD.transports if hand[kind]]
    scarcest = min(held, key=lambda kind: hand[kind]) if held else ""
    return len(pay), pay.count(DRAGON), pay.count(scarcest), [BOARD.districts.index(name) for name in path]


hands = st.lists(st.sampled_from(KINDS), min_size=1, max_size=4).map(Counter)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(BOARD.districts), hands)
def test_ways_are_all_outcomes_cheapest_first(start: str, hand: Counter[str]) -> None:
    every = list(walks(start, hand))
    found = ways("standard", start, hand)
    outcomes = {(path[-1], tuple(sorted(pay))) for path, pay in every}
    assert {(way.district, tuple(sorted(way.pay))) for way in found} == outcomes
    assert len(found) == len(outcomes)
    assert {(way.path, way.pay) for way in found} <= set(every)
    districts = [BOARD.districts.index(way.district) for way in found]
    assert districts == sorted(districts)
    costs = [(way.district, cost((way.path, way.pay), hand)) for way in found]
    for (district, first), (other, second) in pairwise(costs):
        assert district != other or first <= second
    for district in {way.district for way in found}:
        cheapest = next(way for way in found if way.district == district)
        best = min((walk for walk in every if walk[0][-1] == district), key=lambda walk: cost(walk, hand))
        assert cost((cheapest.path, cheapest.pay), hand) == cost(best, hand)
        assert cheapest.path == best[0]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(BOARD.districts), hands)
def test_any_walk_may_be_ordered_and_no_other(start: str, hand: Counter[str]) -> None:
    at = position(start, hand)
    phase = title.phase(at)
    assert phase is not None
    taken = {at.players["bo"].prince, at.players["chen"].prince}
    every = set(walks(start, hand))
    for path, pay in sorted(every)[:40]:
        order = Move(path=path, pay=pay)
        if path[-1] in taken:
            with pytest.raises(Refusal):
                phase.complete(at, "an", order)
        else:
            assert phase.complete(at, "an", order) == order
        for card in KINDS:
            other = (*pay[:-1], card)
            if (path, other) not in every:
                with pytest.raises(Refusal):
                    phase.complete(at, "an", Move(path=path, pay=other))
    ends = {path[-1] for path, _ in every} - taken
    for district in BOARD.districts:
        if district not in ends:
            with pytest.raises(Refusal):
                phase.complete(at, "an", Move(to=district))


def test_pay_left_out_pays_the_fewest_dragons() -> None:
    hand = Counter({"junk": 2, DRAGON: 2, "horse": 1})
    at = position("yunnan-b", hand)
    phase = title.phase(at)
    assert phase is not None
    payable: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for path, pay in walks("yunnan-b", hand):
        payable.setdefault(path, []).append(pay)
    for path, pays in payable.items():
        if path[-1] in (at.players["bo"].prince, at.players["chen"].prince):
            continue
        order = phase.complete(at, "an", Move(path=path))
        assert isinstance(order, Move)
        assert order.pay in pays
        assert order.pay.count(DRAGON) == min(pay.count(DRAGON) for pay in pays)
