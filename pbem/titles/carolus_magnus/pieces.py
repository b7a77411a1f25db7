"""Handling pieces: counts without zeros, in the order of the clans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from pbem.titles.carolus_magnus.vocabulary import CLANS


def put(counts: dict[str, int], key: str, number: int = 1) -> None:
    """Adds to a count."""
    if number:
        counts[key] = counts.get(key, 0) + number


def take(counts: dict[str, int], key: str, number: int = 1) -> None:
    """Takes from a count; what comes to nought is forgotten. ValueError when there are not enough."""
    if not number:
        return
    left = counts.get(key, 0) - number
    if left < 0:
        raise ValueError(f"{number} of {counts.get(key, 0)} {key}")
    if left:
        counts[key] = left
    else:
        del counts[key]


def move(start: dict[str, int], goal: dict[str, int], clan: str) -> None:
    """One piece goes from where one is counted to where another is. KeyError when there is none."""
    left = start[clan] - 1
    if left:
        start[clan] = left
    else:
        del start[clan]
    goal[clan] = goal.get(clan, 0) + 1


def counted(clans: Iterable[str]) -> dict[str, int]:
    """How many of each clan, in the order of the clans; what is no clan is not counted."""
    return _counted(tuple(clans)).copy()


# Hardly ever are more than four counted, and so the same ones again and again.
@lru_cache(maxsize=4096)
def _counted(clans: tuple[str, ...]) -> dict[str, int]:
    return {clan: clans.count(clan) for clan in CLANS if clan in clans}


def in_order(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts in the order of the clans."""
    return {clan: counts[clan] for clan in CLANS if counts.get(clan)}


def listed(counts: Mapping[str, int]) -> list[str]:
    """Every single one by its clan, in the order of the clans."""
    return [clan for clan in CLANS for _ in range(counts.get(clan, 0))]


def in_clan_order(clans: Sequence[str]) -> tuple[str, ...]:
    """The same clans in their order."""
    return _in_clan_order(tuple(clans)) if len(clans) > 1 else tuple(clans)


@lru_cache(maxsize=4096)
def _in_clan_order(clans: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(clans, key=CLANS.index))


def by_court(position_court: Mapping[str, int]) -> list[str]:
    """Clans by how many of them are at a court, most first, ties in the order of the clans."""
    return sorted(CLANS, key=lambda clan: -position_court.get(clan, 0))
