"""Counted action trees: any change of a rule about what may be done changes one of these numbers.

The first five can be worked out on paper (see each); the others pin what the rules give today.
"""

from __future__ import annotations

from typing import Any

import pytest

from pbem.engine.playout import count_tree
from pbem.titles.ming_dynasty import title
from pbem.titles.ming_dynasty.vocabulary import Options
from tests.picking import views

SEATS = ["an", "bo", "chen", "dai"]


def position(phase: str, **keys: Any) -> Any:
    return title.read_position({"phase": phase, "seats": SEATS[:3], **keys})


def test_princes_18_17_16() -> None:
    assert count_tree(title, position("0.prince"), 3) == 18 * 17 * 16


def test_places_six_each() -> None:
    assert count_tree(title, position("1.place"), 4) == 6**4


def test_stay_or_walk_with_one_card() -> None:
    # pass 1; stay with 0 to 2 members, 1 and 2 also into the monastery: 5; the junk leads to yunnan-a only: 5 more
    an = {"prince": "yunnan-b", "cards": {"junk": 1}, "spaces": {"yunnan": 2}}
    assert count_tree(title, position("1.move", players={"an": an}), 1) == 1 + 5 + 5


def test_stay_or_walk_with_a_dragon() -> None:
    # the dragon leads to all four neighbours of yunnan-a, of which bo holds yunnan-b and the own member the monastery of yunnan-c
    an = {"prince": "yunnan-a", "cards": {"dragon": 1}, "spaces": {"yunnan": 1, "guangdong": 3}}
    players = {"an": an, "bo": {"prince": "yunnan-b"}}
    tree = position("1.move", players=players, districts={"yunnan-c": {"monastery": "an"}})
    # pass; stay 3; yunnan-c 1; sichuan-b 1 (nobody waits there); guangdong-c 1 + 2 × 3
    assert count_tree(title, tree, 1) == 1 + 3 + 1 + 1 + 7


def test_draw_or_give() -> None:
    an = {"cards": {"horse": 4}, "spaces": {"yunnan": 1, "zhili": 1}}
    tree = position("1.draw", players={"an": an}, display={"yunnan": "junk", "zhili": "junk", "sichuan": "horse"})
    assert count_tree(title, tree, 1) == 2 + 2


@pytest.mark.parametrize(
    ("players", "seed", "step", "phase", "depth", "count"),
    [
        (3, 1, 18, "1.draw", 4, 1152),
        (3, 2, 30, "1.move", 2, 46768),
        (4, 3, 141, "3.move", 1, 499),
        (4, 4, 192, "4.return", 1, 108),
    ],
)
def test_trees_in_random_games(players: int, seed: int, step: int, phase: str, depth: int, count: int) -> None:
    seen = views(title, Options(), SEATS[:players], seed)
    assert seen[step].phase == phase
    assert count_tree(title, seen[step], depth) == count
