"""The ring of territories, and the regions it is divided into."""

from __future__ import annotations

from pbem.titles.carolus_magnus.pieces import put
from pbem.titles.carolus_magnus.vocabulary import CarolusPosition, Region


def index_of(position: CarolusPosition, land: int) -> int:
    """Which region, by its index, holds a territory."""
    # Regions stand in the order of their first territories: it is the last that begins with the territory or before it, and where all
    # begin behind it, the last of all, which reaches over the end of the numbers.
    regions = position.regions
    index = min(land, len(regions)) - 1
    while index >= 0 and regions[index].lands[0] > land:
        index -= 1
    return index if index >= 0 else len(regions) - 1


def region_of(position: CarolusPosition, land: int) -> Region:
    """The region that holds a territory."""
    return position.regions[index_of(position, land)]


def ahead_of_emperor(position: CarolusPosition, steps: int) -> Region:
    """The region so many steps clockwise of the Emperor; a region is one step, and laps are allowed."""
    return position.regions[(index_of(position, position.emperor) + steps) % len(position.regions)]


def merge(position: CarolusPosition, region: Region, side: str) -> Region | None:
    """Merges the neighbours of a region that have castles of the same side. The new region; None when there is no such neighbour."""
    count = len(position.regions)
    at = index_of(position, region.lands[0])
    parts = [region]
    before, after = position.regions[at - 1], position.regions[(at + 1) % count]
    if count > 1 and side in before.castles:
        parts.insert(0, before)
    if count > 2 and side in after.castles:
        parts.append(after)
    if len(parts) == 1:
        return None
    first, *others = parts
    lands = tuple([land for part in parts for land in part.lands])
    merged = Region(lands=lands, paladins=first.paladins.copy(), castles=first.castles.copy())
    for part in others:
        for clan, number in part.paladins.items():
            put(merged.paladins, clan, number)
        for owner, number in part.castles.items():
            put(merged.castles, owner, number)
    # it begins where the first of its parts began, so that is its place
    gone = [part.lands for part in others]
    position.regions = [merged if each is first else each for each in position.regions if each.lands not in gone]
    return merged
