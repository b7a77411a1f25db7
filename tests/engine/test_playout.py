"""Random games and counted trees."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from pbem.engine.chance import SeededChance
from pbem.engine.playout import any_choice, count_tree, playout
from pbem.engine.position import to_json
from pbem.engine.steps import first_step, only_choice, play_step
from pbem.engine.title import Order, Phase
from pbem.titles.ming_dynasty import title
from pbem.titles.ming_dynasty.vocabulary import Options, Pass, Place

SEATS = ["an", "bo", "chen"]


def test_playout_can_be_played_again_from_its_orders() -> None:
    last, steps = playout(title, Options(), SEATS, 5)
    chance = SeededChance("5 chance")
    position, events = first_step(title, Options(), SEATS, chance)
    assert events == steps[0].events
    for step in steps[1:]:
        assert position.phase == step.phase
        assert play_step(title, position, step.orders, chance) == step.events
    assert to_json(position) == to_json(last)


def test_who_chooses_sees_what_the_seat_may_see() -> None:
    seen: list[Any] = []

    def choose(dice: random.Random, phase: Phase[Any], view: Any, seat: str) -> Order:
        seen.append(view)
        return any_choice(dice, phase, view, seat)

    last, steps = playout(title, Options(), SEATS, 5, choose)
    assert to_json(last) == to_json(playout(title, Options(), SEATS, 5)[0])
    assert len(seen) == sum(len(step.orders) for step in steps)
    assert all(view is not last for view in seen)


def test_choose_may_prefer() -> None:
    def first(dice: random.Random, phase: Phase[Any], view: Any, seat: str) -> Order:
        return next(iter(phase.choices(view, seat)))

    _, steps = playout(title, Options(), SEATS, 5, first)
    moves = [order for step in steps if step.phase.endswith(".move") for order in step.orders.values()]
    assert moves
    assert all(isinstance(order, Pass) for order in moves)


def test_what_is_picked_is_spread_evenly() -> None:
    position = title.read_position({"phase": "0.prince", "seats": SEATS})
    phase = title.phase(position)
    assert phase is not None
    choices, times = list(phase.choices(position, "an")), 200
    dice = random.Random(7)  # noqa: S311 — repeatable
    found = Counter(phase.pick(position, "an", dice.randrange) for _ in range(times * len(choices)))
    assert set(found) == set(choices)
    # chi-square of 17 degrees of freedom is above 40.8 once in a thousand seeds
    assert len(choices) == 18
    assert sum((number - times) ** 2 / times for number in found.values()) < 40.8


def test_tree_of_places_is_a_power_of_six() -> None:
    position = title.read_position({"phase": "1.place", "seats": SEATS})
    before = to_json(position)
    assert [count_tree(title, position, depth) for depth in range(4)] == [1, 6, 36, 216]
    assert to_json(position) == before


def test_tree_of_bids_multiplies_the_seats() -> None:
    houses = {"yunnan-a": {"houses": {"an": 2, "bo": 1}}, "yunnan-b": {"houses": {"an": 1}}}
    position = title.read_position({"phase": "2.return", "seats": SEATS, "districts": houses})
    assert count_tree(title, position, 1) == (3 * 2) * 2
    assert count_tree(title, position, 2) == (3 * 2) * 2 * 6


def test_a_game_that_is_over_counts_once() -> None:
    position = title.read_position({"phase": "over", "seats": SEATS})
    assert count_tree(title, position, 3) == 1


def test_only_choice() -> None:
    position = title.read_position({"phase": "1.draw", "seats": SEATS, "display": {"yunnan": "horse"}, "dragons": 0,
                                    "players": {"an": {"spaces": {"yunnan": 1}}}})  # fmt: skip
    phase = title.phase(position)
    assert phase is not None
    only = only_choice(phase, position, "an")
    assert only == next(iter(phase.choices(position, "an")))
    position.dragons = 1
    assert only_choice(phase, position, "an") is None


def test_play_step_wants_everybody_asked() -> None:
    position = title.read_position({"phase": "1.place", "seats": SEATS})
    order = Place(province="yunnan")
    with pytest.raises(ValueError, match="asked"):
        play_step(title, position, {"bo": order}, SeededChance(1))
    with pytest.raises(ValueError, match="asked"):
        play_step(title, position, {}, SeededChance(1))
    over = title.read_position({"phase": "over", "seats": SEATS})
    with pytest.raises(ValueError, match="over"):
        play_step(title, over, {}, SeededChance(1))
