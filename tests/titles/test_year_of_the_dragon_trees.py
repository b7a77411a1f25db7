"""Counted action trees: any change of a rule about what may be done changes one of these numbers.

The first ones can be worked out on paper (see each); the others pin what the rules give today.
"""

from __future__ import annotations

from typing import Any

import pytest

from pbem.engine.playout import count_tree, playout
from pbem.titles.year_of_the_dragon import title
from pbem.titles.year_of_the_dragon.vocabulary import Options
from tests.picking import views

SEATS = ["an", "bo", "chen", "dai", "emil"]


def position(phase: str, seats: int = 2, **keys: Any) -> Any:
    return title.read_position({"phase": phase, "seats": SEATS[:seats], **keys})


def test_retinues_36_pairs_in_4_ways_then_35() -> None:
    assert count_tree(title, position("0.retinue"), 2) == (36 * 4) * (35 * 4)


def test_actions_of_the_first_month() -> None:
    # pass; taxes, harvest, fireworks, parade, research; a floor onto 1, 2 or a new palace; two privileges
    assert count_tree(title, position("1.action"), 1) == 1 + 5 + 3 + 2


def test_actions_in_an_occupied_group() -> None:
    # taxes, build, harvest and fireworks are occupied, 2 yuan do not pay for them: pass, parade, research, a small privilege
    at = position("1.action", dragons={"bo": 1}, waiting=["an"], players={"an": {"yuan": 2}})
    assert count_tree(title, at, 1) == 4


def test_three_floors() -> None:
    # one palace of 2 floors and one of 1: 0 or 1 onto the first, 0 to 2 onto the second, the rest r into new palaces, in p(r) ways
    # p(0), p(1), p(2), p(3) = 1, 1, 2, 3:  0,0 → 3; 0,1 → 2; 0,2 → 1; 1,0 → 2; 1,1 → 1; 1,2 → 1
    owned = {"1": {"floors": 2, "persons": ["craftsman", "craftsman"]}, "2": {"floors": 1}}
    at = position("1.action", players={"an": {"yuan": 0, "palaces": owned}})
    assert count_tree(title, at, 1) == 1 + 5 + (3 + 2 + 1 + 2 + 1 + 1)


def test_persons_with_one_card_and_a_wild_one() -> None:
    # monk: young or old into 2 palaces; wild: 15 tiles into 2 palaces
    assert count_tree(title, position("1.person", players={"an": {"cards": {"monk": 1, "wild": 1}}}), 1) == 4 + 30


def test_persons_with_full_palaces() -> None:
    # young or old, each for one of three different persons (two court ladies are the same), or declined; a card without tiles besides
    owned = {"1": {"floors": 3, "persons": ["court lady", "court lady", "craftsman"]}, "4": {"floors": 1, "persons": ["craftsman"]}}
    players = {"an": {"cards": {"monk": 1, "healer": 1}, "palaces": owned}}
    at = position("1.person", display={"young monk": 1, "old monk": 1}, players=players)
    assert count_tree(title, at, 1) == 2 * (3 + 1) + 1


def test_releases_of_two() -> None:
    # of court lady ×2 in palace 1, craftsman in 1, craftsman in 2: aa, ab, ac, bc
    owned = {"1": {"floors": 3, "persons": ["court lady", "court lady", "craftsman"]}, "2": {"floors": 1, "persons": ["craftsman"]}}
    assert count_tree(title, position("3.event", players={"an": {"palaces": owned, "due": 2}}, waiting=["an"]), 1) == 4


def test_two_palaces_of_three_go_unsupplied() -> None:
    # two different persons in palace 1, one in palace 2, one in palace 3: 2 × 1 + 2 × 1 + 1
    owned = {
        "1": {"floors": 2, "persons": ["court lady", "craftsman"]}, "2": {"floors": 2, "persons": ["craftsman", "craftsman"]},
        "3": {"floors": 1, "persons": ["young monk"]},
    }  # fmt: skip
    assert count_tree(title, position("4.event", players={"an": {"palaces": owned, "due": 2}}, waiting=["an"]), 1) == 5


PINNED = [
    (2, 1, 27, "6.event", 2, 165),
    (3, 2, 33, "5.action", 2, 79),
    (4, 3, 46, "5.person", 1, 22),
    (5, 4, 48, "4.event", 3, 36),
]


@pytest.mark.parametrize(("players", "seed", "step", "phase", "depth", "count"), PINNED)
def test_trees_in_random_games(players: int, seed: int, step: int, phase: str, depth: int, count: int) -> None:
    seen = views(title, Options(), SEATS[:players], seed)
    assert seen[step].phase == phase
    assert count_tree(title, seen[step], depth) == count


PLAYED = [
    (2, 1, 59, [51, 31]),
    (3, 2, 92, [40, 57, 19]),
    (4, 3, 121, [54, 41, 57, 42]),
    (5, 4, 147, [24, 38, 43, 62, 40]),
]


@pytest.mark.parametrize(("players", "seed", "steps", "points"), PLAYED)
def test_playouts(players: int, seed: int, steps: int, points: list[int]) -> None:
    last, played = playout(title, Options(), SEATS[:players], seed)
    assert last.phase == "over"
    assert len(played) == steps
    assert [last.players[seat].points for seat in SEATS[:players]] == points
