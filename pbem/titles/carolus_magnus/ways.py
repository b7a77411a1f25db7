"""The many turns a player can take, listed or sampled.

A way to play n paladins is a multiset of (clan, destination). Ways are numbered, so that any of them is made from its number alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import comb

from pbem.titles.carolus_magnus.ring import ahead_of_emperor
from pbem.titles.carolus_magnus.sides import to_play
from pbem.titles.carolus_magnus.vocabulary import CLANS, CarolusPosition, Put, Turn

MOST_TURNS = 400
AT_COURT = 0
_NEAR = 3, 4
"""The share, at most, of those in which paladins go to court and to where the Emperor stops only."""

Way = tuple[tuple[str, int], ...]


def some_turns(position: CarolusPosition, seat: str) -> Iterator[Turn]:
    """Turns by the Emperor's steps, then by what goes to court and where: all of them, or up to MOST_TURNS evenly chosen ones.

    Steps that lead to the same region after a lap are left out.
    """
    reserve, number = position.players[seat].reserve, to_play(position, seat)
    steps = range(1, min(position.players[seat].disc, len(position.regions)) + 1)
    everywhere = [AT_COURT, *(region.lands[0] for region in position.regions)]
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


def ways_to_play(reserve: Mapping[str, int], number: int, places: int) -> int:
    """In how many ways so many paladins of a reserve go to so many places."""
    return _counts(_caps(reserve), number, places)[0][number]


def way(reserve: Mapping[str, int], number: int, places: Sequence[int], index: int) -> Way:
    """The way of that index, from 0; clan by clan, few before many."""
    caps = _caps(reserve)
    counts = _counts(caps, number, len(places))
    found: list[tuple[str, int]] = []
    for at, clan in enumerate(CLANS):
        for played in range(min(caps[at], number) + 1):
            block = _spreads(played, len(places)) * counts[at + 1][number - played]
            if index < block:
                inner, index = divmod(index, counts[at + 1][number - played])
                found += [(clan, place) for place in _multiset(played, places, inner)]
                number -= played
                break
            index -= block
    return tuple(sorted(found, key=lambda each: (each[1], CLANS.index(each[0]))))


def _spread(reserve: Mapping[str, int], number: int, places: Sequence[int], most: int) -> list[Way]:
    total = ways_to_play(reserve, number, len(places))
    taken = min(total, most)
    return [way(reserve, number, places, index * total // taken) for index in range(taken)]


def _caps(reserve: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(reserve.get(clan, 0) for clan in CLANS)


@lru_cache(maxsize=256)
def _counts(caps: tuple[int, ...], number: int, places: int) -> tuple[tuple[int, ...], ...]:
    """[at][n]: in how many ways n paladins of the clans from ``at`` on are played."""
    counts = [(1, *(0 for _ in range(number)))]
    for have in reversed(caps):
        after = counts[0]
        ways = (sum(_spreads(played, places) * after[n - played] for played in range(min(have, n) + 1)) for n in range(number + 1))
        counts.insert(0, tuple(ways))
    return tuple(counts)


def _spreads(number: int, places: int) -> int:
    return comb(number + places - 1, number)


def _multiset(number: int, places: Sequence[int], index: int) -> list[int]:
    """The multiset of places of that index."""
    if not number:
        return []
    for at in range(len(places)):
        block = _spreads(number - 1, len(places) - at)
        if index < block:
            return [places[at], *_multiset(number - 1, places[at:], index)]
        index -= block
    raise IndexError(index)


def _sorting(each: Way) -> tuple[list[int], list[tuple[int, int]]]:
    court = [CLANS.index(clan) for clan, place in each if place == AT_COURT]
    return court, [(place, CLANS.index(clan)) for clan, place in each if place != AT_COURT]


def _turn(each: Way, steps: int) -> Turn:
    return Turn(
        court=tuple(clan for clan, place in each if place == AT_COURT),
        lands=tuple(Put(to=place, clan=clan) for clan, place in each if place != AT_COURT),
        emperor=steps,
    )
