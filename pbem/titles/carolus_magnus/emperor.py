"""The Emperor: he goes around the ring, and where he stops castles are built and regions merge."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from pbem.engine.title import Event
from pbem.titles.carolus_magnus.end import FEWEST_REGIONS, finish
from pbem.titles.carolus_magnus.pieces import put, take
from pbem.titles.carolus_magnus.ring import merge
from pbem.titles.carolus_magnus.sides import castles_left, side_of, sides_of
from pbem.titles.carolus_magnus.vocabulary import Built, CarolusPosition, EmperorMoved, Exchanged, Judged, Merged, Region, Strength

Comparison: TypeAlias = tuple[tuple[Strength, ...], tuple[str, ...], str]
"""Strengths in a region, and what ``majority`` says of them."""


def move_emperor(position: CarolusPosition, seat: str, steps: int, start: Region, goal: Region) -> list[Event]:
    """He goes clockwise from region to region, so many steps, and where he stops is evaluated. The game may be over then."""
    position.emperor = goal.lands[0]
    return [EmperorMoved(seat=seat, steps=steps, start=start.lands, lands=goal.lands), *_evaluate(position, seat, goal)]


def strengths(position: CarolusPosition, region: Region) -> tuple[Strength, ...]:
    """For every side: paladins in the region of clans it controls (of a team: either partner), and its castles there."""
    return _compare(position, region)[0]


def _compare(position: CarolusPosition, region: Region) -> Comparison:
    seats, control = position.seats, position.control
    sides = sides_of(tuple(seats))
    number_of_sides = len(sides)
    paladins, castles = [0] * number_of_sides, [0] * number_of_sides
    for clan, number in region.paladins.items():
        if clan in control:
            paladins[seats.index(control[clan]) % number_of_sides] += number
    for owner, number in region.castles.items():
        castles[seats.index(owner) % number_of_sides] = number
    return _compared(sides, tuple(paladins), tuple(castles))


# Small numbers, and few of them: most regions are like one that was judged before.
@lru_cache(maxsize=4096)
def _compared(sides: Sequence[tuple[str, ...]], paladins: Sequence[int], castles: Sequence[int]) -> Comparison:
    """``paladins`` and ``castles`` are counted for each of the sides."""
    found = tuple([Strength(side=side, paladins=own, castles=built) for side, own, built in zip(sides, paladins, castles, strict=True)])
    return found, *majority(found)


def majority(found: Sequence[Strength]) -> tuple[tuple[str, ...], str]:
    """The side with strictly more than every other, or none and why: "tie", or "nobody" where nothing counts."""
    totals = [each.paladins + each.castles for each in found]
    most = max(totals)
    if not most:
        return (), "nobody"
    if totals.count(most) > 1:
        return (), "tie"
    return found[totals.index(most)].side, ""


def _evaluate(position: CarolusPosition, seat: str, region: Region) -> list[Event]:
    found, side, why = _compare(position, region)
    lands, castles = region.lands, region.castles
    others = [owner for owner in castles if owner != side[0]] if side and castles else []
    if side:
        why = "takes" if others else "own" if castles else "builds"
    events: list[Event] = [Judged(seat=seat, lands=lands, strengths=found, why=why, majority=side)]
    if why == "builds":
        castles[side[0]] = 1
        left = castles_left(position, side)
        events.append(Built(seat=seat, side=side, lands=lands, left=left))
        events += _settle(position, seat, region, side, left)
    elif why == "takes":
        [other] = others
        wanted, left = castles[other], castles_left(position, side)
        count = min(wanted, left)
        take(castles, other, count)
        put(castles, side[0], count)
        left -= count
        events.append(
            Exchanged(
                seat=seat, side=side, other=side_of(position, other), lands=lands, count=count, left=left, short=wanted - count,
            )
        )  # fmt: skip
        events += finish(position, "limit") if count < wanted else _settle(position, seat, region, side, left)
    return events


def _settle(position: CarolusPosition, seat: str, region: Region, side: tuple[str, ...], left: int) -> list[Event]:
    """After a build or a takeover: the game ends at once with the last castle; else neighbours merge, which may end it too."""
    if not left:
        return finish(position, "castles")
    merged = merge(position, region, side[0])
    if merged is None:
        return []
    position.emperor = merged.lands[0]
    count = len(position.regions)
    event = Merged(seat=seat, side=side, lands=merged.lands, castles=merged.castles[side[0]], regions=count)
    return [event, *finish(position, "regions")] if count < FEWEST_REGIONS else [event]
