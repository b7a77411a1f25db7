"""The realm: four domains laid 2 x 2, what is printed on their spaces, and what lies in line with what.

The unturned boards stand in boards/domains.toml.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from operator import add, itemgetter
from typing import NamedTuple, TypeVar

from pbem.engine.refusals import Malformed
from pbem.titles.azure.lines import (
    AFTER_SPACES,
    BY_QUADRANT,
    ONE_FOR,
    PLACE_IN_TALLY,
    QUADRANT_OF,
    SLANTING,
    SPACES,
    STRAIGHT,
    TALLY_BITS,
    TOP_BITS,
    Tally,
    Ways,
    in_line_with,
    in_order,
    on_ways,
    tally_of,
    ways,
)  # fmt: skip
from pbem.titles.azure.vocabulary import CARDS_OF_A_COLOUR, COLOURS

SIDES = (1, 2)
TURNS = range(4)
_LETTERS = {"A": "azure", "W": "white", "V": "vermilion", "B": "black"}


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
    """Something of each space that is worked out when it is first asked for."""

    def __init__(self, work_out: Callable[[str], T]) -> None:
        super().__init__()
        self._work_out = work_out

    def __missing__(self, space: str) -> T:
        self[space] = found = self._work_out(space)
        return found


Sums = tuple[Mapping[str, Tally], Tally]
"""What stones come to: seat → sum of ``Realm.tally`` of its stones, if it has any; and one for each space that is land and free."""


class LastSums:
    """The sums of the stones looked at last: between two orders they stay as they are, and so they are added up only once.

    To add them up again and again was what most of the time of a game went into. What stands where is compared each time.
    """

    def __init__(self, tally: Mapping[str, Tally], land: Tally) -> None:
        self._tally, self._land = tally, land
        self._last: tuple[Mapping[str, str], Sums] = {}, ({}, land)

    def of(self, stones: Mapping[str, str]) -> Sums:
        """The sums of these stones, space → seat."""
        last, sums = self._last
        if last == stones:
            return sums
        found: dict[str, Tally] = {}
        for space, seat in stones.items():
            found[seat] = found.get(seat, 0) + self._tally[space]
        sums = found, self._land & ~tally_of(stones)
        self.remember(stones, sums)
        return sums

    def remember(self, stones: Mapping[str, str], sums: Sums) -> None:
        """Tells what ``of`` these stones would give."""
        self._last = dict(stones), sums


_ON_SNAKES, _IN_VERMILION = AFTER_SPACES, AFTER_SPACES + TALLY_BITS
"""Behind the spaces ``Realm.tally`` has these two places more."""


@dataclass(frozen=True, eq=False)
class Realm:
    """A realm as laid. What a game seldom asks for is worked out when it is first asked for: every game has a realm of its own."""

    spaces: dict[str, Space]
    mountains: dict[str, str]
    """Colour of the domain → space."""
    affordable: dict[str, tuple[tuple[str, ...], ...]]
    """Domain → for so many cards of it, from none to all, the spaces that cost no more before bonds, dear ones first."""
    top_bits_less_symbols: Tally
    """Of each space its highest bit less its symbols: see ``bonds.within``."""
    domains: dict[str, Tally]
    """Domain → one for each of its spaces."""
    land: Tally
    """One for each space that is no mountain."""
    tally: dict[str, Tally]
    """Space → what a stone there adds to: one for each space in line with it, and for each Beast whose mountain it guards."""
    guards_at: dict[str, int]
    """Beast → where in ``tally`` it has its one. Guards of the Dragon and the Tiger are the stones in line with their mountains."""
    sums: LastSums
    """What the stones of a position come to."""

    @cached_property
    def prices(self) -> tuple[tuple[str, str, int, int], ...]:
        """Space, domain, symbols and place in ``Tally`` of all that are no mountains, cheap ones first."""
        every = [(space, domain) for domain in self.domains for space in self.in_domain[domain] if not self.spaces[space].mountain]
        priced = [(space, domain, self.spaces[space].symbols, PLACE_IN_TALLY[space]) for space, domain in every]
        return tuple(sorted(priced, key=itemgetter(2)))

    @cached_property
    def in_domain(self) -> dict[str, tuple[str, ...]]:
        """Colour of the domain → its nine spaces."""
        return {colour: tuple([name for name, it in self.spaces.items() if it.domain == colour]) for colour in COLOURS}

    @cached_property
    def snakes(self) -> tuple[str, ...]:
        """The Snake spaces."""
        return tuple([name for name, it in self.spaces.items() if it.snake])

    @cached_property
    def straight(self) -> dict[str, Ways]:
        """Space → its four ways outwards, nearest first; each ends with the first mountain, which is still in it."""
        mountains = self.mountains.values()
        return BySpace(lambda name: ways(name, STRAIGHT, mountains))

    @cached_property
    def in_line(self) -> dict[str, tuple[str, ...]]:
        """Space → all that are on its straight ways."""
        mountains = self.mountains.values()
        return BySpace(lambda name: on_ways(name, STRAIGHT, mountains))

    @cached_property
    def diagonal(self) -> dict[str, frozenset[str]]:
        """Space → all that are on its slanting ways."""
        mountains = self.mountains.values()
        return BySpace(lambda name: frozenset(on_ways(name, SLANTING, mountains)))

    @cached_property
    def slanting_tally(self) -> dict[str, Tally]:
        """Space → one for each that is on its slanting ways."""
        diagonal = self.diagonal
        return BySpace(lambda name: tally_of(diagonal[name]))

    @cached_property
    def around(self) -> dict[str, frozenset[str]]:
        """Space → the up to eight next to it."""
        return BySpace(lambda name: frozenset([way[0] for way in ways(name, STRAIGHT + SLANTING, ()) if way]))


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


_COLOUR_OF = {f"{colour}-{side}-{turn}": colour for colour in COLOURS for side in SIDES for turn in TURNS}
"""Of every domain as it can be laid, such as "white-2-3"."""


@lru_cache(maxsize=256)
def realm(*laid: str) -> Realm:
    """The realm of four names such as "white-2-3", row by row from the top left. Malformed when it cannot be laid so."""
    if len(laid) != len(COLOURS) or {_COLOUR_OF.get(name) for name in laid} != set(COLOURS):
        raise Malformed("realm-unknown", "realm", found=list(laid), colours=list(COLOURS))
    parts = [_domain(quadrant, name) for quadrant, name in enumerate(laid)]
    mountains = dict.fromkeys(COLOURS, "") | {part.colour: part.mountain for part in parts}
    in_line = in_line_with([part.mountain for part in parts])
    top_left, top_right, bottom_left, bottom_right = parts
    spaces = in_order(top_left.spaces + top_right.spaces + bottom_left.spaces + bottom_right.spaces)
    marks = top_left.marks + top_right.marks + bottom_left.marks + bottom_right.marks
    tally = dict(zip(BY_QUADRANT, map(add, in_line, marks), strict=True))
    land = top_left.land + top_right.land + bottom_left.land + bottom_right.land
    return Realm(
        spaces=dict(zip(SPACES, spaces, strict=True)),
        mountains=mountains,
        affordable={part.colour: part.affordable for part in parts},
        top_bits_less_symbols=TOP_BITS - top_left.symbols - top_right.symbols - bottom_left.symbols - bottom_right.symbols,
        domains={part.colour: part.tally for part in parts},
        land=land,
        tally=tally,
        guards_at={
            "tortoise": _ON_SNAKES,
            "dragon": PLACE_IN_TALLY[mountains["azure"]],
            "tiger": PLACE_IN_TALLY[mountains["white"]],
            "bird": _IN_VERMILION,
        },
        sums=LastSums(tally, land),
    )


class _Domain(NamedTuple):
    """What a domain brings to a realm in which it lies; each in the order of the spaces' names."""

    colour: str
    spaces: tuple[Space, ...]
    mountain: str
    affordable: tuple[tuple[str, ...], ...]
    symbols: Tally
    tally: Tally
    """One for each space."""
    land: Tally
    marks: tuple[Tally, ...]
    """For each space one on Snake spaces, and one in the vermilion domain."""


@cache
def _domain(quadrant: int, laid: str) -> _Domain:
    board, _, quarter_turns = laid.rpartition("-")
    colour = _COLOUR_OF[laid]
    texts = [text for row in turned(boards()[board], int(quarter_turns)) for text in row]
    spaces = dict(sorted((name, space(text, colour)) for name, text in zip(QUADRANT_OF[quadrant], texts, strict=True)))
    land = {name: it for name, it in spaces.items() if not it.mountain}
    dear_first = sorted(land, key=lambda name: -land[name].symbols)
    vermilion = (colour == "vermilion") << _IN_VERMILION
    return _Domain(
        colour=colour,
        spaces=tuple(spaces.values()),
        mountain=next(name for name, it in spaces.items() if it.mountain),
        affordable=tuple(tuple(name for name in dear_first if land[name].symbols <= cards) for cards in range(CARDS_OF_A_COLOUR + 1)),
        symbols=sum(it.symbols * ONE_FOR[name] for name, it in spaces.items()),
        tally=tally_of(spaces),
        land=tally_of(land),
        marks=tuple((it.snake << _ON_SNAKES) + vermilion for it in spaces.values()),
    )
