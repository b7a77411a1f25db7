"""The 36 spaces, what lies in line with what, and small numbers for all spaces at once.

Columns a to f, rows 1 to 6 from the top left. Of the boards only their mountains are known here: a look ends at one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import compress
from operator import add, itemgetter
from typing import Any, TypeVar

T = TypeVar("T")

COLUMNS = "abcdef"
SPACES = tuple(f"{column}{row}" for column in COLUMNS for row in range(1, 7))
"""All 36 in the order a1 to a6, b1 …; four of them are mountains."""


def _named(column: int, row: int) -> str:
    # The very string of SPACES, not one just like it: it is found faster where something is looked up by space.
    return SPACES[len(COLUMNS) * column + row]


QUADRANTS = ("top left", "top right", "bottom left", "bottom right")
QUADRANT_OF = tuple(
    tuple(_named(3 * (quadrant % 2) + column, 3 * (quadrant // 2) + row) for row in range(3) for column in range(3))
    for quadrant in range(len(QUADRANTS))
)
"""The nine spaces of each quadrant, row by row."""
SPACES_IN = tuple(tuple(sorted(names)) for names in QUADRANT_OF)
"""The same in the order of ``SPACES``."""
BY_QUADRANT = tuple(name for names in SPACES_IN for name in names)
_all_in_order: Callable[[Any], tuple[Any, ...]] = itemgetter(*[BY_QUADRANT.index(space) for space in SPACES])


def in_order(by_quadrant: Sequence[T]) -> tuple[T, ...]:
    """What was listed for each of ``BY_QUADRANT``, in the order of ``SPACES``."""
    return _all_in_order(by_quadrant)


# -- a number for each space --------------------------------------------------------------------------------------------

Tally = int
"""A small number for each space, below 128: a byte each, one after the other in the order of ``SPACES``; perhaps more behind them.

So that two tallies are added in one stroke: to count bonds and prices space by space is what most of the time of a game went into.
"""
TALLY_BITS, TALLY_MASK = 8, 255
PLACE_IN_TALLY = {space: TALLY_BITS * number for number, space in enumerate(SPACES)}
AFTER_SPACES = TALLY_BITS * len(SPACES)
"""Where in a tally there is room for what is no space."""
ONE_FOR = {space: 1 << place for space, place in PLACE_IN_TALLY.items()}
"""The tally of one for a space and nought elsewhere."""


def tally_of(spaces: Iterable[str]) -> Tally:
    """One for each of these spaces, of which none comes twice."""
    return sum([ONE_FOR[space] for space in spaces])


ONES = tally_of(SPACES)
"""The tally of one for every space."""
TOP_BIT = 7
"""The highest bit of a byte: numbers in a tally are too small to have it, so that it can tell which of two is the greater."""
TOP_BITS = ONES << TOP_BIT


def where(ones: Tally, things: Sequence[T]) -> list[T]:
    """Of 36 things in the order of ``SPACES`` those whose space has one in a tally of ones and noughts; ``SPACES`` themselves, for one."""
    return list(compress(things, ones.to_bytes(len(SPACES), "little")))


# -- lines ----------------------------------------------------------------------------------------------------------------

Steps = tuple[tuple[int, int], ...]
STRAIGHT: Steps = ((0, -1), (1, 0), (0, 1), (-1, 0))
UPRIGHT, ACROSS = STRAIGHT[::2], STRAIGHT[1::2]
SLANTING: Steps = ((1, -1), (1, 1), (-1, 1), (-1, -1))


def _way(start: str, step: tuple[int, int]) -> tuple[str, ...]:
    """To the edge of the realm."""
    column, row = COLUMNS.index(start[0]) + step[0], int(start[1]) - 1 + step[1]
    way: list[str] = []
    while 0 <= column < len(COLUMNS) and 0 <= row < len(COLUMNS):
        way.append(_named(column, row))
        column, row = column + step[0], row + step[1]
    return tuple(way)


Ways = tuple[tuple[str, ...], ...]


@cache
def _to_the_edge(start: str, steps: Steps) -> Ways:
    return tuple(_way(start, step) for step in steps)


def ways(start: str, steps: Steps, mountains: Iterable[str]) -> Ways:
    """From a space outwards, nearest first, each up to the first mountain, which is still in it."""
    return tuple(_up_to(way, mountains) for way in _to_the_edge(start, steps))


def on_ways(start: str, steps: Steps, mountains: Iterable[str]) -> tuple[str, ...]:
    """All spaces on ``ways``."""
    return tuple([each for way in ways(start, steps, mountains) for each in way])


def _up_to(way: tuple[str, ...], mountains: Iterable[str]) -> tuple[str, ...]:
    for number, name in enumerate(way, start=1):
        if name in mountains:
            return way[:number]
    return way


def in_line_with(mountains: Sequence[str]) -> Iterator[Tally]:
    """For each of ``BY_QUADRANT`` the tally of what is in line with it. ``mountains``: the one of each quadrant.

    There are thousands of ways in which four mountains can stand, but few for the two that a row, or a column, can look at.
    """
    top_left, top_right, bottom_left, bottom_right = mountains
    across = _of_two(0, 1, ACROSS, top_left, top_right) + _of_two(2, 3, ACROSS, bottom_left, bottom_right)
    left, right = _of_two(0, 2, UPRIGHT, top_left, bottom_left), _of_two(1, 3, UPRIGHT, top_right, bottom_right)
    return map(add, across, left[:9] + right[:9] + left[9:] + right[9:])


@cache
def _of_two(quadrant: int, beside: int, steps: Steps, *mountains: str) -> tuple[Tally, ...]:
    found = []
    for name in SPACES_IN[quadrant] + SPACES_IN[beside]:
        seen, hidden_by = _seen_and_hidden(name, steps)
        for mountain in mountains:
            seen &= ~hidden_by.get(mountain, 0)
        found.append(seen)
    return tuple(found)


@cache
def _seen_and_hidden(start: str, steps: Steps) -> tuple[Tally, dict[str, Tally]]:
    """The tally of what is in line where no mountain stands, and for each space in line of what a mountain there would hide."""
    ways = _to_the_edge(start, steps)
    return tally_of([name for way in ways for name in way]), {
        name: tally_of(way[number:]) for way in ways for number, name in enumerate(way, start=1)
    }
