"""The Emperor: he goes around the ring, and where he stops castles are built and regions merge."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.engine.title import Event
from pbem.titles.carolus_magnus.end import FEWEST_REGIONS, finish
from pbem.titles.carolus_magnus.pieces import put, take
from pbem.titles.carolus_magnus.ring import index_of, merge
from pbem.titles.carolus_magnus.sides import castles_left, side_of, sides
from pbem.titles.carolus_magnus.vocabulary import Built, CarolusPosition, EmperorMoved, Exchanged, Judged, Merged, Region, Strength


def move_emperor(position: CarolusPosition, seat: str, steps: int) -> Iterator[Event]:
    """He goes clockwise, a region is one step, and the region where he stops is evaluated. The game may be over then."""
    here = index_of(position, position.emperor)
    start, goal = position.regions[here], position.regions[(here + steps) % len(position.regions)]
    position.emperor = goal.lands[0]
    yield EmperorMoved(seat=seat, steps=steps, start=start.lands, lands=goal.lands)
    yield from _evaluate(position, seat, goal)


def strengths(position: CarolusPosition, region: Region) -> list[Strength]:
    """For every side: paladins in the region of clans it controls (of a team: either partner), and its castles there."""
    control = position.control
    return [
        Strength(
            side=side,
            paladins=sum([number for clan, number in region.paladins.items() if control.get(clan) in side]),
            castles=region.castles.get(side[0], 0),
        )
        for side in sides(position)
    ]


def majority(found: list[Strength]) -> tuple[tuple[str, ...], str]:
    """The side with strictly more than every other, or none and why: "tie", or "nobody" where nothing counts."""
    totals = [each.paladins + each.castles for each in found]
    most = max(totals)
    if not most:
        return (), "nobody"
    if totals.count(most) > 1:
        return (), "tie"
    return found[totals.index(most)].side, ""


def _evaluate(position: CarolusPosition, seat: str, region: Region) -> Iterator[Event]:
    found = strengths(position, region)
    side, why = majority(found)
    others = [owner for owner in region.castles if not side or owner != side[0]]
    if side:
        why = "takes" if others else "own" if region.castles else "builds"
    lands = region.lands
    yield Judged(seat=seat, lands=lands, strengths=tuple(found), why=why, majority=side)
    if why == "builds":
        put(region.castles, side[0])
        yield Built(seat=seat, side=side, lands=lands, left=castles_left(position, side))
        yield from _settle(position, seat, region, side)
    elif why == "takes":
        [other] = others
        wanted = region.castles[other]
        count = min(wanted, castles_left(position, side))
        take(region.castles, other, count)
        put(region.castles, side[0], count)
        yield Exchanged(
            seat=seat, side=side, other=side_of(position, other), lands=lands, count=count, left=castles_left(position, side),
            short=wanted - count,
        )  # fmt: skip
        if count < wanted:
            yield from finish(position, "limit")
        else:
            yield from _settle(position, seat, region, side)


def _settle(position: CarolusPosition, seat: str, region: Region, side: tuple[str, ...]) -> Iterator[Event]:
    """After a build or a takeover: the game ends at once with the last castle; else neighbours merge, which may end it too."""
    if not castles_left(position, side):
        yield from finish(position, "castles")
        return
    merged = merge(position, region, side[0])
    if merged is None:
        return
    position.emperor = merged.lands[0]
    yield Merged(seat=seat, side=side, lands=merged.lands, castles=merged.castles[side[0]], regions=len(position.regions))
    if len(position.regions) < FEWEST_REGIONS:
        yield from finish(position, "regions")
