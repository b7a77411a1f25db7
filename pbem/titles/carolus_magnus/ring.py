"""The ring of territories, and the regions it is divided into."""

from __future__ import annotations

from pbem.titles.carolus_magnus.pieces import put
from pbem.titles.carolus_magnus.vocabulary import CarolusPosition, Region


def index_of(position: CarolusPosition, land: int) -> int:
    """Which region, by its index, holds a territory."""
    for index, region in enumerate(position.regions):
        if land in region.lands:
            return index
    raise LookupError(land)


def region_of(position: CarolusPosition, land: int) -> Region:
    """The region that holds a territory."""
    return position.regions[index_of(position, land)]


def ahead_of_emperor(position: CarolusPosition, steps: int) -> Region:
    """The region so many steps clockwise of the Emperor; a region is one step, and laps are allowed."""
    return position.regions[(index_of(position, position.emperor) + steps) % len(position.regions)]


def merge(position: CarolusPosition, region: Region, side: str) -> Region | None:
    """Merges the neighbours of a region that have castles of the same side. The new region; None when there is no such neighbour."""
    count = len(position.regions)
    at = position.regions.index(region)
    parts = [region]
    before, after = position.regions[(at - 1) % count], position.regions[(at + 1) % count]
    if count > 1 and side in before.castles:
        parts.insert(0, before)
    if count > 2 and side in after.castles:
        parts.append(after)
    if len(parts) == 1:
        return None
    merged = Region(lands=tuple(land for part in parts for land in part.lands))
    for part in parts:
        for clan, number in part.paladins.items():
            put(merged.paladins, clan, number)
        for owner, number in part.castles.items():
            put(merged.castles, owner, number)
    others = [each for each in position.regions if not any(each is part for part in parts)]
    position.regions = sorted([*others, merged], key=lambda each: each.lands[0])
    return merged
