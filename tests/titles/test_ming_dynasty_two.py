"""Two players and the neutral colour, and cities bid for one by one: what cases cannot say."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.engine.chance import SeededChance
from pbem.engine.playout import playout
from pbem.engine.position import to_json
from pbem.engine.steps import play_step
from pbem.titles.ming_dynasty import title
from pbem.titles.ming_dynasty.board import load
from pbem.titles.ming_dynasty.filling import movers
from pbem.titles.ming_dynasty.neutral import left_after_bids, neutral_in_city
from pbem.titles.ming_dynasty.scoring import bonus
from pbem.titles.ming_dynasty.sequence import name_of, round_of
from pbem.titles.ming_dynasty.vocabulary import (
    NEUTRAL,
    Bids,
    CityScored,
    MingPosition,
    Neutral,
    NeutralPlaced,
    NeutralReturned,
    Options,
    Return,
    SetReturned,
)

SEATS = ["an", "bo", "chen", "dai"]
YUNNAN = load("standard").districts_of["yunnan"]


@pytest.mark.parametrize("number", [-1, 10, "nine", True, 2.5])
def test_neutral_start_is_0_to_9(number: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"neutral_start": number}, Options)


@pytest.mark.parametrize("start", [0, 4, 9])
def test_how_many_neutral_members_come(start: int) -> None:
    last, steps = playout(title, Options(neutral_start=start), SEATS[:2], 5)
    placed = [step for step in steps for event in step.events if isinstance(event, NeutralPlaced)]
    assert len(placed) == 2 * (start + 3 + 3)
    assert {round_of(step.phase) for step in placed} == ({0, 3, 5} if start else {3, 5})
    for phase in ("0.neutral", "3.neutral", "5.neutral"):
        order = [seat for step in placed if step.phase == phase for seat in step.orders]
        assert all(one != other for one, other in pairwise(order))
    assert last.phase == "over"


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("bids", ["together", "by-province"])
def test_more_players_never_meet_it(players: int, bids: Bids) -> None:
    for start in (0, 9):
        last, steps = playout(title, Options(neutral_start=start, bids=bids), SEATS[:players], 1)
        assert not any("neutral" in step.phase for step in steps)
        assert NEUTRAL.encode() not in to_json(last)


def test_never_more_than_three_in_a_district() -> None:
    first = load("standard").districts[:2]

    def crowding(dice: random.Random, phase: Any, seen: MingPosition, seat: str) -> Any:
        choices = list(phase.choices(seen, seat))
        wished = [order for order in choices if isinstance(order, Neutral) and order.district in first]
        return dice.choice(wished or choices)

    _, steps = playout(title, Options(), SEATS[:2], 2, crowding)
    there = [event.there for step in steps for event in step.events if isinstance(event, NeutralPlaced)]
    assert max(there) == 3
    assert there[:6] == [1, 2, 3, 1, 2, 3] or sorted(there[:6]) == [1, 1, 2, 2, 3, 3]


OWNERS = st.dictionaries(st.sampled_from(["an", "bo", NEUTRAL]), st.integers(1, 2), max_size=3)
HOUSES = st.lists(OWNERS.filter(lambda houses: sum(houses.values()) <= 3), min_size=3, max_size=3)


@given(HOUSES, st.data())
def test_what_stays_of_the_neutral_colour(houses: list[dict[str, int]], data: st.DataObject) -> None:
    returns: dict[str, dict[str, int]] = {"an": {}, "bo": {}}
    for seat, going in returns.items():
        for district, part in zip(YUNNAN, houses, strict=True):
            going[district] = data.draw(st.integers(0, part.get(seat, 0)))
    at = title.read_position({
        "phase": "2.neutral-return.yunnan", "seats": ["an", "bo"],
        "districts": {district: {"houses": part} for district, part in zip(YUNNAN, houses, strict=True)},
        "players": {seat: {"returns": going} for seat, going in returns.items()},
    })  # fmt: skip
    left = left_after_bids(at, YUNNAN)
    neutral, others = left.get(NEUTRAL, 0), [left.get("an", 0), left.get("bo", 0)]
    going, staying = neutral_in_city(at, YUNNAN)
    assert going + staying == neutral
    assert (staying > 0) == (neutral > max(others))
    assert staying == 0 or (staying > max(others) and staying - 1 <= max(others)), "the fewest that are still most"
    phase = title.phase(at)
    assert phase is not None
    assert phase.asked(at) == (("an",) if going and staying else ())
    if phase.asked(at):
        choices = list(phase.choices(at, "an"))
        assert phase.default(at, "an") in choices
        assert all(len(order.from_) == going for order in choices)  # type: ignore[attr-defined]
        for order in choices:
            after = at.copy()
            events = phase.play(after, {"an": order}, SeededChance(0))
            assert isinstance(events[0], NeutralReturned)
            assert (events[0].left, sum(events[0].districts.values()), events[0].seat) == (staying, going, "an")


def test_the_bonus_is_taken_away_only_by_who_has_most_alone() -> None:
    assert bonus({"an": 2, NEUTRAL: 3}, [{"an": 2}, {NEUTRAL: 3}]) == ({}, "neutral")
    assert bonus({NEUTRAL: 1}, [{NEUTRAL: 1}]) == ({}, "neutral")
    assert bonus({"an": 3, NEUTRAL: 2}, [{"an": 3}, {NEUTRAL: 2}]) == ({"an": 4}, "most")


@given(st.dictionaries(st.sampled_from(["an", "bo", NEUTRAL]), st.integers(1, 9), min_size=1))
def test_it_moves_in_as_a_third_player_would(members: dict[str, int]) -> None:
    names = {"an": "an", "bo": "bo", NEUTRAL: "chen"}
    moving, why = movers(members, ["an", "bo", NEUTRAL])
    third, same = movers({names[owner]: number for owner, number in members.items()}, ["an", "bo", "chen"])
    assert ({names[owner]: number for owner, number in moving.items()}, why) == (third, same)


def scored(position: MingPosition, bids: Bids, returns: Mapping[tuple[str, str], tuple[str, ...]]) -> MingPosition:
    """Plays the scoring of a round to its end, with the same members going home however bids are made."""
    position = position.copy()
    position.bids = bids
    ended, chance = round_of(position.phase), SeededChance(0)
    while round_of(position.phase) == ended and position.phase != "over":
        phase = title.phase(position)
        assert phase is not None
        orders = {}
        for seat in phase.asked(position):
            order: Any = phase.default(position, seat)
            if isinstance(order, Return):
                province = position.phase.split(".")[2] if bids == "by-province" else ""
                letters: Any = {name: each for (who, name), each in returns.items() if who == seat}
                if province:
                    order = Return(count=len(letters.get(province, ())), from_=letters.get(province, ()))
                else:
                    order = Return(counts={name: len(each) for name, each in letters.items()}, from_=letters)
            orders[seat] = phase.complete(position, seat, order)
        play_step(title, position, orders, chance)
    return position


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_only_what_bidders_know_differs(players: int, seed: int) -> None:
    """From the same position, with the same members going home, both ways to bid end alike: in every point, tile and member."""
    dice = random.Random(seed)  # noqa: S311 — the same games each time
    before: dict[int, MingPosition] = {}

    def watch(dice: random.Random, phase: Any, seen: MingPosition, seat: str) -> Any:
        if name_of(seen.phase) == "move":
            before[round_of(seen.phase)] = seen
        return dice.choice(list(phase.choices(seen, seat)))

    playout(title, Options(), SEATS[:players], seed, watch)
    for position in (before[2], before[4], before[6]):
        returns = {
            (seat, province): tuple(dice.choice("abc") for _ in range(dice.randrange(4)))
            for seat in position.seats
            for province in load(position.board).provinces
        }
        together, by_province = (scored(position, bids, returns) for bids in ("together", "by-province"))
        by_province.bids = "together"
        assert together == by_province


def test_sets_and_cities_are_told_in_the_order_of_the_table() -> None:
    for seed in range(6):
        _, steps = playout(title, Options(bids="by-province"), SEATS[:2], seed)
        for number in (2, 4, 6):
            events = [event for step in steps if round_of(step.phase or "0.") == number for event in step.events]
            cities = [event.province for event in events if isinstance(event, CityScored)]
            assert cities == [province for province in load("standard").provinces if province in cities]
        points = {event.points for step in steps for event in step.events if isinstance(event, SetReturned)}
        assert points <= {28, 24, 20}
