"""The board: districts, borders, provinces in scoring order; read from TOML, checked, and with its tables built once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import msgspec

from pbem.engine.refusals import Malformed
from pbem.titles.ming_dynasty.refusal_codes import known, nearest
from pbem.titles.ming_dynasty.vocabulary import TRANSPORTS, Letter

LETTERS: tuple[Letter, ...] = ("a", "b", "c")
PROVINCES = 6
PROVINCE_ID = re.compile(r"[a-z]{1,20}")
LARGEST_FILE = 32 * 1024


class Province(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A province and where its hexagon lies: row and column from 0, colour as #RRGGBB."""

    id: str
    row: int
    column: int
    colour: str


class BoardFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A board file as written."""

    name: str
    transports: dict[str, int]
    dragons: int
    tiles_per_province: int
    houses_per_district: int
    provinces: tuple[Province, ...]
    borders: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, eq=False, slots=True)
class Board:
    """A checked board. ``provinces`` and ``districts`` are in board order, the order in which everything is scored."""

    name: str
    transports: tuple[str, ...]
    movement_cards: Mapping[str, int]
    dragons: int
    tiles_per_province: int
    layout: tuple[Province, ...]
    borders: tuple[tuple[str, str, str], ...]
    provinces: tuple[str, ...]
    districts: tuple[str, ...]
    place_in_order: Mapping[str, int]
    """District → its number in board order, from 0."""
    province_of: Mapping[str, str]
    districts_of: Mapping[str, tuple[str, ...]]
    neighbours: Mapping[str, tuple[tuple[str, str], ...]]
    """District → (neighbour, transport of the border) in board order."""
    transport: Mapping[tuple[str, str], str]
    """(from, to) → transport, both ways."""


def names() -> list[str]:
    """Boards that come with the title, sorted."""
    return sorted(entry.name.removesuffix(".toml") for entry in _folder().iterdir() if entry.name.endswith(".toml"))


@lru_cache(maxsize=32)
def load(board: str) -> Board:
    """The board of that name or, when the text holds a line break, the board file that the text is. Malformed with the reason when bad."""
    if "\n" in board:
        return parse(board)
    known("board-unknown", board, names(), "board")
    return parse((_folder() / f"{board}.toml").read_text(encoding="utf-8"))


def parse(text: str) -> Board:
    """A board file, checked. Malformed with the reason when bad."""
    raw = _read(text)
    _check_numbers(raw)
    _check_provinces(raw)
    _check_borders(raw)
    provinces = tuple(province.id for province in raw.provinces)
    districts_of = {province: tuple(f"{province}-{letter}" for letter in LETTERS) for province in provinces}
    districts = tuple(district for province in provinces for district in districts_of[province])
    order = {district: number for number, district in enumerate(districts)}
    transport = {(a, b): kind for a, b, kind in raw.borders} | {(b, a): kind for a, b, kind in raw.borders}
    neighbours = {
        district: tuple((other, transport[district, other]) for other in districts if (district, other) in transport)
        for district in districts
    }
    board = Board(
        name=raw.name,
        transports=tuple(raw.transports),
        movement_cards=raw.transports,
        dragons=raw.dragons,
        tiles_per_province=raw.tiles_per_province,
        layout=raw.provinces,
        borders=raw.borders,
        provinces=provinces,
        districts=districts,
        place_in_order=order,
        province_of={district: province for province in provinces for district in districts_of[province]},
        districts_of=districts_of,
        neighbours=neighbours,
        transport=transport,
    )
    _check_connected(board)
    return board


def check_seats(board: Board, players: int) -> None:
    """Hands of five, six slots and one card to turn must be there; Malformed when they are not."""
    needed = 5 * players + PROVINCES + 1
    found = sum(board.movement_cards.values())
    if found < needed:
        raise Malformed("board-too-few-cards", "board", found=found, needed=needed, players=players)


def _folder() -> Any:
    return files("pbem.titles.ming_dynasty") / "boards"


def _read(text: str) -> BoardFile:
    if len(text) > LARGEST_FILE:
        raise Malformed("board-unreadable", "board", reason=f"longer than {LARGEST_FILE} characters")
    try:
        return msgspec.convert(tomllib.loads(text), BoardFile)
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        raise Malformed("board-unreadable", "board", reason=str(error)[:200]) from None


def _check_numbers(raw: BoardFile) -> None:
    for card, count in raw.transports.items():
        known("board-unknown-transport", card, TRANSPORTS, "board")
        if count < 1:
            raise Malformed("board-card-count", "board", card=card, found=count)
    for card in TRANSPORTS:
        if card not in raw.transports:
            raise Malformed("board-card-count", "board", card=card, found=0)
    limits = [
        *((f"transports.{card}", count, 1, 200) for card, count in raw.transports.items()),
        ("dragons", raw.dragons, 4, 200),
        ("tiles_per_province", raw.tiles_per_province, 3, 200),
        ("houses_per_district", raw.houses_per_district, 3, 3),
        *((f"{province.id}.{key}", value, 0, 20) for province in raw.provinces
          for key, value in (("row", province.row), ("column", province.column))),
    ]  # fmt: skip
    for key, found, low, high in limits:
        if not low <= found <= high:
            raise Malformed("board-number", "board", key=key, found=found, low=low, high=high)


def _check_provinces(raw: BoardFile) -> None:
    if len(raw.provinces) != PROVINCES:
        raise Malformed("board-provinces", "board", found=len(raw.provinces), needed=PROVINCES)
    seen: set[object] = set()
    for province in raw.provinces:
        if not PROVINCE_ID.fullmatch(province.id):
            raise Malformed("board-unreadable", "board", reason=f"province id {province.id[:40]!r}: 1 to 20 letters a to z")
        if not re.fullmatch(r"#[0-9A-Fa-f]{6}", province.colour):
            raise Malformed("board-unreadable", "board", reason=f"colour of {province.id}: # and six hex digits")
        place = (province.row, province.column)
        if province.id in seen or place in seen:
            raise Malformed("board-province-twice", "board", province=province.id)
        seen |= {province.id, place}


def _check_borders(raw: BoardFile) -> None:
    districts = [f"{province.id}-{letter}" for province in raw.provinces for letter in LETTERS]
    seen: set[frozenset[str]] = set()
    for a, b, transport in raw.borders:
        for word in (a, b):
            if word not in districts:
                raise Malformed("board-unknown-district", "board", found=word, allowed=districts, nearest=nearest(word, districts))
        known("board-unknown-transport", transport, tuple(raw.transports), "board")
        if a == b:
            raise Malformed("board-border-to-itself", "board", district=a)
        if frozenset((a, b)) in seen:
            raise Malformed("board-border-twice", "board", **{"from": a, "to": b})
        seen.add(frozenset((a, b)))


def _check_connected(board: Board) -> None:
    reached = {board.districts[0]}
    edge = [board.districts[0]]
    while edge:
        for other, _ in board.neighbours[edge.pop()]:
            if other not in reached:
                reached.add(other)
                edge.append(other)
    for district in board.districts:
        if district not in reached:
            raise Malformed("board-unconnected", "board", district=district)
