"""Which members go home from a city: each house belongs to a district, and members go back to the district of their house."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from pbem.titles.ming_dynasty.board import LETTERS
from pbem.titles.ming_dynasty.vocabulary import Letter, MingPosition

Letters = tuple[Letter, ...]


def houses_of(position: MingPosition, owner: str, districts: Sequence[str]) -> dict[Letter, int]:
    """Letter of the district → his members in its houses, noughts left out. ``districts`` are those of one province."""
    found = {}
    for letter, name in zip(LETTERS, districts, strict=True):
        it = position.districts.get(name)
        if it is not None and owner in it.houses:
            found[letter] = it.houses[owner]
    return found


def different(houses: Mapping[Letter, int]) -> Iterator[Letters]:
    """Every different set of members that may go home from a city, nobody first; members as letters of their districts."""
    for numbers in product(*(range(number + 1) for number in houses.values())):
        yield tuple(letter for letter, number in zip(houses, numbers, strict=True) for _ in range(number))


def chosen(houses: Mapping[Letter, int], count: int, wanted: Letters) -> Letters:
    """Who goes: the wanted letters as far as members are there, the rest by a, b, c, at most all; in the order a, b, c."""
    left = dict(houses)
    going: list[Letter] = []
    by_default = [letter for letter in LETTERS for _ in range(houses.get(letter, 0))]
    for letter in (*wanted, *by_default):
        if len(going) < count and left.get(letter, 0):
            left[letter] -= 1
            going.append(letter)
    return tuple(sorted(going))
