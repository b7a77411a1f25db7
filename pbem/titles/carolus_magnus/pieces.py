"""Handling pieces: counts without zeros, in the order of the clans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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


def counted(clans: Iterable[str]) -> dict[str, int]:
    """How many of each clan, in the order of the clans."""
    found = tuple(clans)
    return {clan: found.count(clan) for clan in CLANS if clan in found}


def in_order(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts in the order of the clans."""
    return {clan: counts[clan] for clan in CLANS if counts.get(clan)}


def listed(counts: Mapping[str, int]) -> list[str]:
    """Every single one by its clan, in the order of the clans."""
    return [clan for clan in CLANS for _ in range(counts.get(clan, 0))]


def in_clan_order(clans: Sequence[str]) -> tuple[str, ...]:
    """The same clans in their order."""
    return tuple(sorted(clans, key=CLANS.index)) if len(clans) > 1 else tuple(clans)


def by_court(position_court: Mapping[str, int]) -> list[str]:
    """Clans by how many of them are at a court, most first, ties in the order of the clans."""
    return sorted(CLANS, key=lambda clan: -position_court.get(clan, 0))
