"""The many turns a player can take: listed, sampled, or one of them by chance.

A way to play n paladins is a multiset of (destination, clan). Ways are numbered, so that any of them is made from its number alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import TypeAlias

from pbem.engine.title import Below
from pbem.titles.carolus_magnus.ring import ahead_of_emperor
from pbem.titles.carolus_magnus.sides import to_play
from pbem.titles.carolus_magnus.vocabulary import CLANS, PUTS, CarolusPosition, Turn

MOST_TURNS = 400
AT_COURT = 0
_NEAR = 3, 4
"""The share, at most, of those in which paladins go to court and to where the Emperor stops only."""

Way: TypeAlias = tuple[tuple[int, int], ...]
"""Destination and number of the clan of each paladin, sorted."""

Caps: TypeAlias = tuple[int, tuple[int, ...]]
"""How many paladins are played, and of each clan in a reserve the most that can be; of the last clans only, when others are done with."""

Fork: TypeAlias = tuple[int, list[int], list["Branch"]]
"""All ways to play some paladins: how many there are, and a branch for whatever is played of the first clan that is played at all, with
the number at which each branch ends. Reserves are much alike when it does not matter which clans are in them, and none counts for more
than can be played: few forks are different, and each is made once."""

Branch: TypeAlias = tuple[int, Sequence[tuple[int, ...]], int, "Fork"]
"""The clan, counted from the last in the reserve, which is -1; every spread of its paladins over the places; and how the paladins of the
clans behind it can be played with each of these: in how many ways, and the fork."""


def some_turns(position: CarolusPosition, seat: str) -> Iterator[Turn]:
    """Turns by the Emperor's steps, then by what goes to court and where: all of them, or up to MOST_TURNS evenly chosen ones."""
    reserve, number = position.players[seat].reserve, to_play(position, seat)
    steps = range(1, _most_steps(position, seat) + 1)
    everywhere = _everywhere(position)
    most = MOST_TURNS // len(steps)
    total = ways_to_play(reserve, number, len(everywhere))
    for step in steps:
        if total <= most:
            found = [way(reserve, number, everywhere, index) for index in range(total)]
        else:
            near = _spread(reserve, number, [AT_COURT, ahead_of_emperor(position, step).lands[0]], most * _NEAR[0] // _NEAR[1])
            # the same way may come from both, and counts once
            found = list(dict.fromkeys([*near, *_spread(reserve, number, everywhere, most - len(near))]))
        yield from (_turn(each, step) for each in sorted(found, key=_sorting))


def any_turn(position: CarolusPosition, seat: str, below: Below) -> Turn:
    """One of all turns, none of them listed."""
    regions = position.regions
    fork, clans = _start(position.players[seat].reserve, to_play(position, seat), len(regions) + 1)
    steps, index = divmod(below(_most_steps(position, seat) * fork[0]), fork[0])
    court, lands = [], []
    for cell in _cells(fork, clans, index):
        place, clan = divmod(cell, len(CLANS))
        if place == AT_COURT:
            court.append(CLANS[clan])
        else:
            lands.append(PUTS[regions[place - 1].lands[0]][clan])
    return Turn(court=tuple(court), lands=tuple(lands), emperor=steps + 1)


def _most_steps(position: CarolusPosition, seat: str) -> int:
    """How far the Emperor can go; steps that lead to the same region after a lap are left out."""
    return min(position.players[seat].disc, len(position.regions))


def _everywhere(position: CarolusPosition) -> list[int]:
    return [AT_COURT, *[region.lands[0] for region in position.regions]]


def ways_to_play(reserve: Mapping[str, int], number: int, places: int) -> int:
    """In how many ways so many paladins of a reserve go to so many places."""
    return _start(reserve, number, places)[0][0]


def way(reserve: Mapping[str, int], number: int, places: Sequence[int], index: int) -> Way:
    """The way of that index, from 0: those that play few of the first clan before those that play many, and so on clan by clan."""
    cells = [divmod(cell, len(CLANS)) for cell in _cells(*_start(reserve, number, len(places)), index)]
    return tuple(sorted([(places[place], clan) for place, clan in cells]))


def _spread(reserve: Mapping[str, int], number: int, places: Sequence[int], most: int) -> list[Way]:
    total = ways_to_play(reserve, number, len(places))
    taken = min(total, most)
    return [way(reserve, number, places, index * total // taken) for index in range(taken)]


def _start(reserve: Mapping[str, int], number: int, places: int) -> tuple[Fork, list[int]]:
    """The first fork, and the clans in the reserve by their numbers."""
    clans, most = [], []
    for clan, name in enumerate(CLANS):
        if have := reserve.get(name, 0):
            clans.append(clan)
            most.append(have if have < number else number)
    return _fork((number, tuple(most)), places), clans


def _cells(fork: Fork, clans: Sequence[int], index: int) -> list[int]:
    """A way by its number: place * 5 + clan of each paladin, sorted; the place by its index."""
    cells: list[int] = []
    _, ends, branches = fork
    while branches:
        at = bisect_right(ends, index)
        if at:
            index -= ends[at - 1]
        back, spreads, others, (_, ends, branches) = branches[at]
        clan = clans[back]
        spread, index = divmod(index, others)
        for place in spreads[spread]:
            cells.append(place * len(CLANS) + clan)
    cells.sort()
    return cells


@lru_cache(maxsize=4096)
def _fork(caps: Caps, places: int) -> Fork:
    # with no paladins there is one way, and nothing to say of it
    total, ends, branches = int(caps[0] == 0), list[int](), list[Branch]()
    for back, played, rest in _first_played(caps):
        spreads, others = _spreads(played, places), _fork(rest, places)
        total += len(spreads) * others[0]
        ends.append(total)
        branches.append((back, spreads, others[0], others))
    return total, ends, branches


@lru_cache(maxsize=2048)
def _first_played(caps: Caps) -> list[tuple[int, int, Caps]]:
    """The first clan of which any are played, how many of it, and what is left for the clans behind it: whatever is possible."""
    number, most = caps
    return [
        (back, played, (left, tuple([min(each, left) for each in most[len(most) + back + 1 :]]) if left else ()))
        # ways that play none of a clan come before those that do, so the last clan is the first to begin with
        for back in range(-1, -len(most) - 1, -1)
        for played in range(1, most[back] + 1)
        if sum(most[len(most) + back + 1 :]) >= (left := number - played)
    ]


@lru_cache(maxsize=128)
def _spreads(number: int, places: int) -> tuple[tuple[int, ...], ...]:
    """Every spread of so many paladins of one clan over the places, which are numbered from 0: a few thousand at most."""
    return tuple(combinations_with_replacement(range(places), number))


def _sorting(each: Way) -> tuple[list[int], list[tuple[int, int]]]:
    court = [clan for place, clan in each if place == AT_COURT]
    return court, [one for one in each if one[0] != AT_COURT]


def _turn(each: Way, steps: int) -> Turn:
    return Turn(
        court=tuple([CLANS[clan] for place, clan in each if place == AT_COURT]),
        lands=tuple([PUTS[place][clan] for place, clan in each if place != AT_COURT]),
        emperor=steps,
    )
