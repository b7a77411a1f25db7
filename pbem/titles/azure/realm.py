"""The realm: four domains laid 2 x 2, and what lies in line with what.

Columns a to f, rows 1 to 6 from the top left; the unturned boards stand in boards/domains.toml.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple, TypeVar

from pbem.engine.refusals import Malformed
from pbem.titles.azure.vocabulary import COLOURS

COLUMNS = "abcdef"
SIDES = (1, 2)
TURNS = range(4)
QUADRANTS = ("top left", "top right", "bottom left", "bottom right")
SPACES = tuple(f"{column}{row}" for column in COLUMNS for row in range(1, 7))
"""All 36 in the order a1 to a6, b1 …; four of them are mountains."""
_LETTERS = {"A": "azure", "W": "white", "V": "vermilion", "B": "black"}
QUADRANT_OF = tuple(
    tuple(f"{COLUMNS[3 * (quadrant % 2) + column]}{3 * (quadrant // 2) + row + 1}" for row in range(3) for column in range(3))
    for quadrant in range(len(QUADRANTS))
)
"""The nine spaces of each quadrant, row by row."""
_STRAIGHT, _SLANTING, _BOTH = "straight", "slanting", "both"
_STEPS: dict[str, tuple[tuple[int, int], ...]] = {
    _STRAIGHT: ((0, -1), (1, 0), (0, 1), (-1, 0)),
    _SLANTING: ((1, -1), (1, 1), (-1, 1), (-1, -1)),
}
_STEPS[_BOTH] = _STEPS[_STRAIGHT] + _STEPS[_SLANTING]


class Space(NamedTuple):
    """What is printed on a space: ``number`` qi symbols of the colour ``qi`` ("" for none) and ``wisdom`` wisdom symbols."""

    text: str
    domain: str
    qi: str
    number: int
    wisdom: int
    mountain: bool

    @property
    def symbols(self) -> int:
        """Its cost before bonds; each step of wisdom is one symbol."""
        return self.number + self.wisdom

    @property
    def snake(self) -> bool:
        """Whether stones on it guard the black mountain."""
        return self.number == 1 and self.wisdom == 0


T = TypeVar("T")


class BySpace(dict[str, T]):
    """Something of each space that is worked out when it is first asked for: a game looks at few spaces of its realm in most ways."""

    def __init__(self, work_out: Callable[[str], T]) -> None:
        super().__init__()
        self._work_out = work_out

    def __missing__(self, space: str) -> T:
        self[space] = found = self._work_out(space)
        return found


Tally = int
"""A small number for each space, below 16, four bits one after the other in the order of ``SPACES``.

So that two tallies are added in one stroke: to count bonds stone by stone and space by space is what most of the time of a game went into.
"""
TALLY_BITS, TALLY_MASK = 4, 15
PLACE_IN_TALLY = {space: TALLY_BITS * number for number, space in enumerate(SPACES)}


def tally_of(spaces: Iterable[str]) -> Tally:
    """One for each of these spaces."""
    return sum(1 << PLACE_IN_TALLY[space] for space in spaces)


class Realm(NamedTuple):
    """A realm as laid. Ways lead from a space outwards, nearest first, and end with the first mountain, which is still in them.

    ``in_line`` are all spaces on the straight ways. ``prices`` are space, domain and symbols of all that are no mountains, and where the
    space stands in ``Tally``.
    """

    spaces: dict[str, Space]
    mountains: dict[str, str]
    prices: tuple[tuple[str, str, int, int], ...]
    straight: dict[str, tuple[tuple[str, ...], ...]]
    in_line: dict[str, tuple[str, ...]]
    diagonal: dict[str, frozenset[str]]
    tally: dict[str, Tally]
    """One for each space that is in line with a space."""
    slanting_tally: dict[str, Tally]
    around: dict[str, frozenset[str]]
    in_domain: dict[str, tuple[str, ...]]
    snakes: tuple[str, ...]


@cache
def boards() -> dict[str, tuple[tuple[str, ...], ...]]:
    """Name of a side ("azure-1") → its three rows, each of three texts such as "VV w1"."""
    raw = tomllib.loads((files("pbem.titles.azure") / "boards" / "domains.toml").read_text(encoding="utf-8"))
    return {
        f"{colour}-{side}": tuple(tuple(cell.strip() for cell in row.split("|")) for row in raw[colour][str(side)])
        for colour in COLOURS
        for side in SIDES
    }


def turned(rows: Sequence[Sequence[str]], quarter_turns: int) -> tuple[tuple[str, ...], ...]:
    """A board turned clockwise."""
    now = tuple(tuple(row) for row in rows)
    for _ in range(quarter_turns):
        now = tuple(zip(*now[::-1], strict=True))
    return now


def space(text: str, domain: str) -> Space:
    """What a cell of a board says."""
    if text == "M":
        return Space("M", domain, "", 0, 0, True)
    plain = text.replace("*", "")
    wisdom = sum(int(part[1:]) for part in plain.split() if part.startswith("w"))
    qi = "".join(part for part in plain.split() if not part.startswith("w"))
    return Space(text, domain, _LETTERS[qi[0]] if qi else "", len(qi), wisdom, False)


def realm(laid: Sequence[str]) -> Realm:
    """The realm of four names such as "white-2-3", row by row from the top left. Malformed when it cannot be laid so."""
    return _realm(*laid)


@lru_cache(maxsize=256)
def _realm(*laid: str) -> Realm:
    known = boards()
    named = [name.rpartition("-") for name in laid]
    fits = all(board in known and turns in ("0", "1", "2", "3") for board, _, turns in named)
    if not fits or sorted(board[:-2] for board, _, _ in named) != sorted(COLOURS):
        raise Malformed("realm-unknown", "realm", found=list(laid), colours=list(COLOURS))
    domains = {board[:-2]: _domain(number, board, int(turns)) for number, (board, _, turns) in enumerate(named)}
    mountains = {colour: domains[colour].mountain for colour in COLOURS}
    blocked = frozenset(mountains.values())
    return Realm(
        spaces=dict(_in_order([each for it in domains.values() for each in it.spaces])),
        mountains=mountains,
        prices=tuple([each for each in _in_order([each for it in domains.values() for each in it.prices]) if each is not None]),
        straight=BySpace(lambda name: _ways(name, _STRAIGHT, blocked)),
        in_line=BySpace(lambda name: tuple([each for way in _ways(name, _STRAIGHT, blocked) for each in way])),
        diagonal=BySpace(lambda name: frozenset(each for way in _ways(name, _SLANTING, blocked) for each in way)),
        tally=BySpace(lambda name: _tally(name, _STRAIGHT, blocked)),
        slanting_tally=BySpace(lambda name: _tally(name, _SLANTING, blocked)),
        around=BySpace(lambda name: frozenset(each for way in _ways(name, _BOTH, blocked) for each in way[:1])),
        in_domain={colour: tuple([name for name, _ in domains[colour].spaces]) for colour in COLOURS},
        snakes=tuple(sorted([each for it in domains.values() for each in it.snakes])),
    )


_FROM_QUADRANTS = [[name for names in QUADRANT_OF for name in sorted(names)].index(space) for space in SPACES]


def _in_order(by_quadrant: Sequence[T]) -> list[T]:
    """What was listed quadrant by quadrant, in the order of ``SPACES``."""
    return [by_quadrant[at] for at in _FROM_QUADRANTS]


class _Domain(NamedTuple):
    """What a domain brings to a realm in which it lies; each in the order of the spaces' names."""

    spaces: tuple[tuple[str, Space], ...]
    mountain: str
    prices: tuple[tuple[str, str, int, int] | None, ...]
    """None for the mountain."""
    snakes: tuple[str, ...]


@cache
def _domain(quadrant: int, board: str, quarter_turns: int) -> _Domain:
    texts = [text for row in turned(boards()[board], quarter_turns) for text in row]
    spaces = sorted((name, space(text, board[:-2])) for name, text in zip(QUADRANT_OF[quadrant], texts, strict=True))
    return _Domain(
        spaces=tuple(spaces),
        mountain=next(name for name, it in spaces if it.mountain),
        prices=tuple(None if it.mountain else (name, it.domain, it.symbols, PLACE_IN_TALLY[name]) for name, it in spaces),
        snakes=tuple(name for name, it in spaces if it.snake),
    )


@cache
def _way(start: str, step: tuple[int, int]) -> tuple[str, ...]:
    """To the edge of the realm."""
    column, row = COLUMNS.index(start[0]) + step[0], int(start[1]) + step[1]
    way: list[str] = []
    while 0 <= column < len(COLUMNS) and 1 <= row <= len(COLUMNS):
        way.append(f"{COLUMNS[column]}{row}")
        column, row = column + step[0], row + step[1]
    return tuple(way)


Ways = tuple[tuple[str, ...], ...]


def _ways(start: str, along: str, blocked: frozenset[str]) -> Ways:
    """Up to the first mountain on each. Realms differ much, but what can be seen of mountains from one space does not."""
    return _ways_up_to(start, along, blocked & _to_the_edge(start, along))


@cache
def _to_the_edge(start: str, along: str) -> frozenset[str]:
    return frozenset(each for step in _STEPS[along] for each in _way(start, step))


@cache
def _ways_up_to(start: str, along: str, blocked: frozenset[str]) -> Ways:
    return tuple(_up_to(_way(start, step), blocked) for step in _STEPS[along])


def _tally(start: str, along: str, blocked: frozenset[str]) -> Tally:
    return _tally_up_to(start, along, blocked & _to_the_edge(start, along))


@cache
def _tally_up_to(start: str, along: str, blocked: frozenset[str]) -> Tally:
    return tally_of(each for way in _ways_up_to(start, along, blocked) for each in way)


def _up_to(way: tuple[str, ...], blocked: frozenset[str]) -> tuple[str, ...]:
    for number, name in enumerate(way, start=1):
        if name in blocked:
            return way[:number]
    return way
