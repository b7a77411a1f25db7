"""The numbers of tables.toml as constants. A tile is called by age and type ("old monk"), one of an undivided type by its type alone."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

YOUNG, OLD, WILD, NEW = "young", "old", "wild", "new"
SMALL, LARGE = "small", "large"
PEACE = "peace"


def _read() -> dict[str, Any]:
    return tomllib.loads((files("pbem.titles.year_of_the_dragon") / "tables.toml").read_text(encoding="utf-8"))


def _tile(row: dict[str, Any], age: str) -> str:
    return f"{age} {row['id']}" if OLD in row else str(row["id"])


_TABLES = _read()
_ROWS: list[dict[str, Any]] = _TABLES["person"]
_FACES: list[tuple[str, str, dict[str, Any]]] = [
    (_tile(row, age), age, row) for row in _ROWS for age in (YOUNG, OLD) if age in row
]  # fmt: skip

PERSONS: tuple[str, ...] = tuple(row["id"] for row in _ROWS)
"""Types of persons in table order."""
TILES: tuple[str, ...] = tuple(tile for tile, _, _ in _FACES)
"""Person tiles in table order, young before old."""
PLACE_IN_TABLE: dict[str, int] = {tile: number for number, tile in enumerate(TILES)}
PERSON_OF: dict[str, str] = {tile: row["id"] for tile, _, row in _FACES}
AGE_OF: dict[str, str] = {tile: age for tile, age, _ in _FACES}
VALUE: dict[str, int] = {tile: row[age]["value"] for tile, age, row in _FACES}
"""Steps on the person track."""
SYMBOLS: dict[str, int] = {tile: row[age]["symbols"] for tile, age, row in _FACES}
SYMBOL_OF: dict[str, str] = {row["id"]: row["symbol"] for row in _ROWS}
TILES_OF: dict[str, dict[str, str]] = {
    person: {AGE_OF[tile]: tile for tile in TILES if PERSON_OF[tile] == person} for person in PERSONS
}  # fmt: skip
"""Type → age → tile."""
FACES_OF: dict[str, tuple[tuple[str, str, str], ...]] = {
    card: tuple((person, age, tile) for person in (PERSONS if card == WILD else (card,)) for age, tile in TILES_OF[person].items())
    for card in (*PERSONS, WILD)
}
"""Card → person, age and tile of all that it can recruit."""
SYMBOLS_OF: dict[str, dict[str, int]] = {person: {tile: SYMBOLS[tile] for tile in TILES_OF[person].values()} for person in PERSONS}
"""Type → tile → symbols."""
CARDS: tuple[str, ...] = (*PERSONS, WILD)
FULL_HAND: dict[str, int] = {**dict.fromkeys(PERSONS, 1), WILD: _TABLES["set-up"]["wild"]}

DISPLAY: dict[int, dict[str, int]] = {
    int(players): {tile: counts[age] if OLD in row else counts["undivided"] for tile, age, row in _FACES}
    for players, counts in _TABLES["display"].items()
}
"""Players → tile → how many are on display."""
ACTIONS: tuple[str, ...] = tuple(_TABLES["action"]["cards"])
GROUP_SIZES: dict[int, list[int]] = {int(players): sizes for players, sizes in _TABLES["action"]["groups"].items()}
PRICE_OF_OCCUPIED: int = _TABLES["action"]["occupied"]
PRICE_OF_SMALL: int = _TABLES["action"]["small"]
DRAGONS = {SMALL: 1, LARGE: 2}
"""Dragons on a privilege."""
MOST_FLOORS = 3

MONTHS: int = _TABLES["set-up"]["months"]
MONTHS_OF_PEACE: int = _TABLES["set-up"]["peace"]
DRAWN_EVENTS: dict[str, int] = _TABLES["set-up"]["drawn"]
EVENT_KINDS: tuple[str, ...] = (PEACE, *DRAWN_EVENTS)
FIRST_PALACES: list[int] = _TABLES["set-up"]["palaces"]
FIRST_YUAN: int = _TABLES["set-up"]["yuan"]
