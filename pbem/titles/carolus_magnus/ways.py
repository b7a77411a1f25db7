"""The many turns a player can take: listed, sampled, or one of them by chance.

A way to play n paladins is a multiset of (destination, clan). Ways are numbered, so that any of them is made from its number alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb

from pbem.engine.title import Below
from pbem.titles.carolus_magnus.ring import ahead_of_emperor
from pbem.titles.carolus_magnus.sides import to_play
from pbem.titles.carolus_magnus.vocabulary import CLANS, CarolusPosition, Put, Turn

MOST_TURNS = 400
AT_COURT = 0
_NEAR = 3, 4
"""The share, at most, of those in which paladins go to court and to where the Emperor stops only."""

Way = tuple[tuple[int, int], ...]
"""Destination and number of the clan of each paladin, sorted."""


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
    reserve, number = position.players[seat].reserve, to_play(position, seat)
    everywhere = _everywhere(position)
    total = ways_to_play(reserve, number, len(everywhere))
    steps, index = divmod(below(_most_steps(position, seat) * total), total)
    return _turn(way(reserve, number, everywhere, index), steps + 1)


def _most_steps(position: CarolusPosition, seat: str) -> int:
    """How far the Emperor can go; steps that lead to the same region after a lap are left out."""
    return min(position.players[seat].disc, len(position.regions))


def _everywhere(position: CarolusPosition) -> list[int]:
    return [AT_COURT, *[region.lands[0] for region in position.regions]]


def ways_to_play(reserve: Mapping[str, int], number: int, places: int) -> int:
    """In how many ways so many paladins of a reserve go to so many places."""
    return _counts(_caps(reserve, number), number, places)[0][number]


def way(reserve: Mapping[str, int], number: int, places: Sequence[int], index: int) -> Way:
    """The way of that index, from 0; clan by clan, few before many."""
    caps = _caps(reserve, number)
    counts, spreads = _counts(caps, number, len(places)), _spreads(number, len(places))
    found: list[tuple[int, int]] = []
    for clan, have in enumerate(caps):
        for played in range(min(have, number) + 1):
            after = counts[clan + 1][number - played]
            if index < spreads[played] * after:
                inner, index = divmod(index, after)
                found += [(places[at], clan) for at in _multisets(played, len(places))[inner]]
                number -= played
                break
            index -= spreads[played] * after
        if not number:
            break
    found.sort()
    return tuple(found)


def _spread(reserve: Mapping[str, int], number: int, places: Sequence[int], most: int) -> list[Way]:
    total = ways_to_play(reserve, number, len(places))
    taken = min(total, most)
    return [way(reserve, number, places, index * total // taken) for index in range(taken)]


def _caps(reserve: Mapping[str, int], number: int) -> tuple[int, ...]:
    return tuple([min(reserve.get(clan, 0), number) for clan in CLANS])


# Reserves are much alike once no clan counts for more than can be played, and those of the last clans even more so: what is counted once is
# wanted again and again.
@lru_cache(maxsize=16384)
def _counts(caps: tuple[int, ...], number: int, places: int) -> tuple[tuple[int, ...], ...]:
    """[at][n]: in how many ways n paladins of the clans from ``at`` on are played."""
    if not caps:
        return ((1, *[0] * number),)
    rest = _counts(caps[1:], number, places)
    spreads, after = _spreads(number, places), rest[0]
    first = tuple([sum([spreads[played] * after[n - played] for played in range(min(caps[0], n) + 1)]) for n in range(number + 1)])
    return (first, *rest)


@lru_cache(maxsize=128)
def _spreads(number: int, places: int) -> tuple[int, ...]:
    """[n]: in how many ways n paladins of one clan go to so many places, for all n up to that number."""
    return tuple([comb(n + places - 1, n) for n in range(number + 1)])


@lru_cache(maxsize=128)
def _multisets(number: int, places: int) -> tuple[tuple[int, ...], ...]:
    """Every spread of so many paladins of one clan over the places, which are numbered from 0: a few thousand at most."""
    return tuple(combinations_with_replacement(range(places), number))


def _sorting(each: Way) -> tuple[list[int], list[tuple[int, int]]]:
    court = [clan for place, clan in each if place == AT_COURT]
    return court, [one for one in each if one[0] != AT_COURT]


def _turn(each: Way, steps: int) -> Turn:
    return Turn(
        court=tuple([CLANS[clan] for place, clan in each if place == AT_COURT]),
        lands=tuple([Put(to=place, clan=CLANS[clan]) for place, clan in each if place != AT_COURT]),
        emperor=steps,
    )
