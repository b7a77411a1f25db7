"""Counted action trees of Carolus Magnus, worked out on paper, and whole games: any change of a rule changes one of these numbers."""

from __future__ import annotations

import random
from math import comb
from typing import Any

import pytest

from pbem.engine.playout import count_tree, playout
from pbem.engine.title import Order, Phase
from pbem.titles.carolus_magnus import title
from pbem.titles.carolus_magnus.vocabulary import GameOver, Options

SEATS = ["an", "bo", "chen", "dai"]


def listed_choice(dice: random.Random, phase: Phase[Any], seen: Any, seat: str) -> Order:
    """One of those that are listed: so what is counted here hangs on the list, and on its order."""
    return dice.choice(list(phase.choices(seen, seat)))


def position(phase: str, seats: int = 2, **keys: Any) -> Any:
    return title.read_position({"phase": phase, "seats": SEATS[:seats], **keys})


def test_discs_five_four_three() -> None:
    assert count_tree(title, position("1.disc", 3), 3) == 5 * 4 * 3


def test_discs_that_lie_there_are_left_out_unless_there_is_no_other() -> None:
    # an lays 2 or 3. After the 2, bo has the 3 only, after the 3 the 2 only; chen has the 2 and nothing else
    players = {"an": {"used": [1, 4, 5]}, "bo": {"used": [1, 4, 5]}, "chen": {"used": [1, 3, 4, 5]}}
    assert count_tree(title, position("4.disc", 3, players=players), 3) == 2 * 1 * 1


def test_one_paladin_to_court_or_fifteen_territories_and_two_steps() -> None:
    players = {"an": {"disc": 2, "reserve": {"red": 1}}, "bo": {"disc": 3}}
    assert count_tree(title, position("1.turn", players=players), 1) == 16 * 2


def test_two_equal_paladins() -> None:
    players = {"an": {"disc": 1, "reserve": {"red": 2}}, "bo": {"disc": 3}}
    assert count_tree(title, position("1.turn", players=players), 1) == comb(17, 2)


def test_two_different_paladins() -> None:
    players = {"an": {"disc": 1, "reserve": {"red": 1, "pink": 1}}, "bo": {"disc": 3}}
    assert count_tree(title, position("1.turn", players=players), 1) == 16 * 16


def test_laps_that_lead_to_the_same_region_count_once() -> None:
    # four regions and a disc of five: the fifth step leads where the first does
    regions = [{"lands": [*range(first, first + 4)], "castles": {"bo": 1}} for first in (1, 5, 9)]
    regions.append({"lands": [13, 14, 15], "castles": {"bo": 1}})
    players = {"an": {"disc": 5}, "bo": {"disc": 4}}
    assert count_tree(title, position("7.turn", regions=regions, players=players), 1) == 4


def test_colours_for_two_crowns() -> None:
    assert count_tree(title, position("0.crowns", players={"an": {"crowns": 2}}), 1) == comb(6, 2)


def test_colours_for_two_crowns_with_a_single_red_left() -> None:
    supply = {"red": 1, "yellow": 5, "green": 5, "blue": 5, "pink": 5}
    assert count_tree(title, position("0.crowns", players={"an": {"crowns": 2}}, supply=supply), 1) == comb(6, 2) - 1


def test_crowns_then_discs() -> None:
    players = {"an": {"crowns": 1, "reserve": {"red": 6}}, "bo": {"crowns": 1, "reserve": {"red": 6}}}
    assert count_tree(title, position("0.crowns", players=players), 4) == 5 * 5 * 5 * 4


@pytest.mark.parametrize(
    ("seats", "seed", "steps", "why", "winners", "castles"),
    [
        (2, 1, 79, "limit", ("an",), (10, 1)),
        (2, 2, 31, "castles", ("bo",), (1, 10)),
        (2, 5, 106, "regions", ("an",), (8, 7)),
        (3, 1, 62, "castles", ("bo",), (3, 8, 3)),
        (3, 4, 95, "limit", ("bo",), (1, 8, 5)),
        (3, 18, 148, "reserves", ("chen",), (6, 1, 7)),
        (4, 1, 69, "castles", ("an", "chen"), (10, 2)),
        (4, 4, 79, "limit", ("bo", "dai"), (3, 10)),
        (4, 36, 109, "regions", ("an", "chen"), (9, 6)),
    ],
)
def test_random_games(seats: int, seed: int, steps: int, why: str, winners: tuple[str, ...], castles: tuple[int, ...]) -> None:
    _, played = playout(title, Options(), SEATS[:seats], seed, listed_choice)
    over = played[-1].events[-1]
    assert isinstance(over, GameOver)
    assert (len(played), over.why, over.winners, tuple(side.castles for side in over.sides)) == (steps, why, winners, castles)
