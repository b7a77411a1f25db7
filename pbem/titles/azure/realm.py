"""The realm: four domains laid 2 x 2, and what lies in line with what.

Columns a to f, rows 1 to 6 from the top left; the unturned boards stand in boards/domains.toml.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import compress
from operator import itemgetter
from typing import NamedTuple, TypeVar

from pbem.engine.refusals import Malformed
from pbem.titles.azure.vocabulary import COLOURS

COLUMNS = "abcdef"
SIDES = (1, 2)
TURNS = range(4)
QUADRANTS = ("top left", "top right", "bottom left", "bottom right")
SPACES = tuple(f"{column}{row}" for column in COLUMNS for row in range(1, 7))
"""All 36 in the order a1 to a6, b1 …; four of them are mountains."""


def _named(column: int, row: int) -> str:
    # The very string of SPACES, not one just like it: it is found faster where something is looked up by space.
    return SPACES[len(COLUMNS) * column + row]


_LETTERS = {"A": "azure", "W": "white", "V": "vermilion", "B": "black"}
QUADRANT_OF = tuple(
    tuple(_named(3 * (quadrant % 2) + column, 3 * (quadrant // 2) + row) for row in range(3) for column in range(3))
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
"""A small number for each space, below 128: a byte each, one after the other in the order of ``SPACES``.

So that two tallies are added in one stroke: to count bonds and prices space by space is what most of the time of a game went into.
"""
TALLY_BITS, TALLY_MASK = 8, 255
PLACE_IN_TALLY = {space: TALLY_BITS * number for number, space in enumerate(SPACES)}
ONE_FOR = {space: 1 << place for space, place in PLACE_IN_TALLY.items()}
"""The tally of one for a space and nought elsewhere."""


def tally_of(spaces: Iterable[str]) -> Tally:
    """One for each of these spaces, of which none comes twice."""
    return sum([ONE_FOR[space] for space in spaces])


ONES = tally_of(SPACES)
"""The tally of one for every space."""


def where_not_less(one: Tally, other: Tally) -> Tally:
    """One for each space where the first tally is not less than the second."""
    # Each byte borrows from its own highest bit, and has it left only where it need not.
    return (one + (ONES << 7) - other) >> 7 & ONES


def spaces_of(ones: Tally) -> list[str]:
    """The spaces that have one in a tally of ones and noughts, from a1 to f6."""
    return list(compress(SPACES, ones.to_bytes(len(SPACES), "little")))


class Realm(NamedTuple):
    """A realm as laid. Ways lead from a space outwards, nearest first, and end with the first mountain, which is still in them.

    ``in_line`` are all spaces on the straight ways. ``prices`` are space, domain and symbols of all that are no mountains, and where the
    space stands in ``Tally``, cheap ones first. The same in tallies: ``symbols``, ``domains`` with one for each of their spaces, ``land``
    with one for each space that is no mountain.
    """

    spaces: dict[str, Space]
    mountains: dict[str, str]
    prices: tuple[tuple[str, str, int, int], ...]
    symbols: Tally
    domains: dict[str, Tally]
    land: Tally
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


@cache
def space(text: str, domain: str) -> Space:
    """What a cell of a board says."""
    if text == "M":
        return Space("M", domain, "", 0, 0, True)
    plain = text.replace("*", "")
    wisdom = sum(int(part[1:]) for part in plain.split() if part.startswith("w"))
    qi = "".join(part for part in plain.split() if not part.startswith("w"))
    return Space(text, domain, _LETTERS[qi[0]] if qi else "", len(qi), wisdom, False)


@lru_cache(maxsize=256)
def realm(*laid: str) -> Realm:
    """The realm of four names such as "white-2-3", row by row from the top left. Malformed when it cannot be laid so."""
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
        prices=tuple(sorted([each for it in domains.values() for each in it.prices], key=itemgetter(2))),
        symbols=sum([it.symbols for it in domains.values()]),
        domains={colour: domains[colour].tally for colour in COLOURS},
        land=ONES - tally_of(blocked),
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
    prices: tuple[tuple[str, str, int, int], ...]
    symbols: Tally
    tally: Tally
    """One for each space."""
    snakes: tuple[str, ...]


@cache
def _domain(quadrant: int, board: str, quarter_turns: int) -> _Domain:
    colour = next(each for each in COLOURS if each == board[:-2])
    texts = [text for row in turned(boards()[board], quarter_turns) for text in row]
    spaces = sorted((name, space(text, colour)) for name, text in zip(QUADRANT_OF[quadrant], texts, strict=True))
    return _Domain(
        spaces=tuple(spaces),
        mountain=next(name for name, it in spaces if it.mountain),
        prices=tuple((name, it.domain, it.symbols, PLACE_IN_TALLY[name]) for name, it in spaces if not it.mountain),
        symbols=sum(it.symbols * ONE_FOR[name] for name, it in spaces),
        tally=tally_of(name for name, _ in spaces),
        snakes=tuple(name for name, it in spaces if it.snake),
    )


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
def _to_the_edge(start: str, along: str) -> Ways:
    return tuple(_way(start, step) for step in _STEPS[along])


def _ways(start: str, along: str, blocked: frozenset[str]) -> Ways:
    """Up to the first mountain on each."""
    return tuple(_up_to(way, blocked) for way in _to_the_edge(start, along))


def _tally(start: str, along: str, blocked: frozenset[str]) -> Tally:
    """One for each space on ``_ways``. Realms differ much, but what a mountain hides from a space does not."""
    seen, hidden = _seen_and_hidden(start, along)
    for mountain in blocked:
        if mountain in hidden:
            seen &= ~hidden[mountain]
    return seen


@cache
def _seen_and_hidden(start: str, along: str) -> tuple[Tally, dict[str, Tally]]:
    """One for each space on the ways where no mountain stands, and for each that a mountain on one of them would hide."""
    ways = _to_the_edge(start, along)
    return tally_of([name for way in ways for name in way]), {
        name: tally_of(way[number:]) for way in ways for number, name in enumerate(way, start=1)
    }


def _up_to(way: tuple[str, ...], blocked: frozenset[str]) -> tuple[str, ...]:
    for number, name in enumerate(way, start=1):
        if name in blocked:
            return way[:number]
    return way
