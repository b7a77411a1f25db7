"""What the pictures of In the Year of the Dragon are drawn from: places, pieces and counts as plain numbers and ids.

Everything lies in one drawing, from top to bottom: the year, this month's action groups, the person track, the display, and a field for
each player with his palaces. Lengths are SVG units; y grows downwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from pbem.engine.title import OVER
from pbem.titles.year_of_the_dragon.pieces import count_persons, dragons, palaces, symbols
from pbem.titles.year_of_the_dragon.sequence import month_of
from pbem.titles.year_of_the_dragon.tables import (
    AGE_OF,
    CARDS,
    MONTHS,
    OLD,
    PERSON_OF,
    PERSONS,
    SYMBOL_OF,
    SYMBOLS,
    TILES_OF,
    VALUE,
)
from pbem.titles.year_of_the_dragon.vocabulary import DragonPosition, Palace, Player

WIDTH = 1000
MARGIN = 12
GAP = 8
HEADING = 34
INNER = WIDTH - 2 * MARGIN

MONTHS_IN_A_ROW, MONTH_HEIGHT = 6, 80
CARD_WIDTH, CARD_HEIGHT, GROUP_HEIGHT = 124, 82, 134
MARK_STEP, TRACK_HEIGHT, NEIGHBOURS_APART, STACKED_APART, MOST_PER_STEP = 34, 96, 84, 30, 40
DISPLAY_COLUMNS, DISPLAY_HEIGHT = 3, 46
FIELDS_IN_A_ROW, FIELD_HEAD = 2, 84
PALACE_WIDTH, FLOOR_HEIGHT, ROOF_HEIGHT, LABEL_HEIGHT = 84, 36, 24, 26
PALACES_IN_A_ROW = 5


def scene(position: DragonPosition) -> dict[str, Any]:
    """Everything the templates draw: JSON-like; coordinates in SVG units, the rest ids and counts.

    ``year`` holds a table per month (``state``: past, now, coming), ``groups`` the action cards and the dragons on them, ``markers`` the
    person track from the least advanced to the first, ``display`` the tiles left, ``fields`` the palaces; ``players`` what tables show.
    ``headings`` are the y of each part's title, 0 where the part is left out.
    """
    month = 0 if position.phase == OVER else month_of(position.phase)
    headings: dict[str, float] = {}
    y = float(MARGIN)

    def part(name: str, height: float) -> float:
        nonlocal y
        headings[name] = y + HEADING - 10
        top = y + HEADING
        y = top + height + GAP
        return top

    year = _year(position, month, part("year", -(-MONTHS // MONTHS_IN_A_ROW) * (MONTH_HEIGHT + GAP) - GAP))
    groups = _groups(position, part("groups", GROUP_HEIGHT)) if position.groups and position.phase != OVER else []
    markers = _markers(position, part("track", TRACK_HEIGHT))
    display = _display(position, part("display", -(-len(PERSONS) // DISPLAY_COLUMNS) * (DISPLAY_HEIGHT + GAP) - GAP))
    fields, y = _fields(position, y + GAP)
    return {
        "width": WIDTH,
        "height": round(y + MARGIN),
        "margin": MARGIN,
        "inner": INNER,
        "headings": {name: headings.get(name, 0) for name in ("year", "groups", "track", "display")},
        "phase": position.phase,
        "month": month,
        "seats": list(position.seats),
        "track": list(position.track),
        "waiting": list(position.waiting),
        "year": year,
        "groups": groups,
        "markers": markers,
        "display": display,
        "fields": fields,
        "players": [_player(position, seat) for seat in position.seats],
        "large_privilege": position.large_privilege,
    }


# -- the year and its month ---------------------------------------------------------------------------------------------


def _year(position: DragonPosition, month: int, top: float) -> list[dict[str, Any]]:
    width = (INNER - (MONTHS_IN_A_ROW - 1) * GAP) / MONTHS_IN_A_ROW
    months = []
    for at, event in enumerate(position.year):
        row, column = divmod(at, MONTHS_IN_A_ROW)
        over = position.phase == OVER or at + 1 < month
        months.append(
            {
                "month": at + 1,
                "event": event,
                "state": "past" if over else "now" if at + 1 == month else "coming",
                "x": round(MARGIN + column * (width + GAP), 1),
                "y": top + row * (MONTH_HEIGHT + GAP),
                "width": round(width, 1),
                "height": MONTH_HEIGHT,
            }
        )
    return months


def _groups(position: DragonPosition, top: float) -> list[dict[str, Any]]:
    spare = INNER - sum(len(cards) for cards in position.groups) * CARD_WIDTH
    gap = min(40.0, spare / len(position.groups))
    groups, x = [], float(MARGIN)
    for number, cards in enumerate(position.groups, start=1):
        # The frame stands around the cards by a quarter of the gap, and is half of it away from the next one.
        width = len(cards) * CARD_WIDTH + gap / 2
        there = [seat for seat in position.seats if position.dragons.get(seat) == number]
        step = min(MARK_STEP, (width - 58) / max(1, len(there)))
        groups.append(
            {
                "number": number,
                "x": round(x, 1),
                "y": top,
                "width": round(width, 1),
                "height": GROUP_HEIGHT,
                "cards": [{"id": card, "x": round(x + gap / 4 + at * CARD_WIDTH, 1), "y": top + 6} for at, card in enumerate(cards)],
                "dragons": [
                    {"seat": seat, "x": round(x + 52 + at * step, 1), "y": top + GROUP_HEIGHT - 23, "r": round(min(14, step * 0.55), 1)}
                    for at, seat in enumerate(there)
                ],
            }
        )
        x += width + gap / 2
    return groups


def _markers(position: DragonPosition, top: float) -> list[dict[str, Any]]:
    """Markers from left to right, the first one last; gaps in proportion, yet neighbours never too near."""
    order = list(reversed(position.track))
    spaces = [position.players[seat].space for seat in order]
    gaps = [after - before for before, after in pairwise(spaces)]
    least = [NEIGHBOURS_APART if gap else STACKED_APART for gap in gaps]
    spare = INNER - 2 * 50 - sum(least)
    share = min(float(MOST_PER_STEP), spare / sum(gaps)) if sum(gaps) else 0.0
    # The first one stands at the right end.
    x, level, markers = MARGIN + 50 + spare - share * sum(gaps), 0, list[dict[str, Any]]()
    for at, seat in enumerate(order):
        if at:
            x += least[at - 1] + share * gaps[at - 1]
            level = level + 1 if not gaps[at - 1] else 0
        shown = at + 1 == len(order) or spaces[at + 1] != spaces[at]
        markers.append(
            {
                "seat": seat,
                "space": spaces[at],
                "x": round(x, 1),
                "y": top + 54 - 9 * level,
                "line": top + 72,
                "label": shown,
                "ahead": gaps[at - 1] if at else 0,
                "between": round((x + markers[-1]["x"]) / 2, 1) if at else 0,
            }
        )
    return markers


def _display(position: DragonPosition, top: float) -> list[dict[str, Any]]:
    width = (INNER - (DISPLAY_COLUMNS - 1) * GAP) / DISPLAY_COLUMNS
    rows = -(-len(PERSONS) // DISPLAY_COLUMNS)
    cells = []
    for at, person in enumerate(PERSONS):
        column, row = divmod(at, rows)
        tiles = [_tile(tile) | {"left": position.display.get(tile, 0)} for tile in TILES_OF[person].values()]
        cells.append(
            {
                "id": person,
                "symbol": SYMBOL_OF[person],
                "x": round(MARGIN + column * (width + GAP), 1),
                "y": top + row * (DISPLAY_HEIGHT + GAP),
                "width": round(width, 1),
                "height": DISPLAY_HEIGHT,
                "tiles": tiles,
            }
        )
    return cells


def _tile(tile: str) -> dict[str, Any]:
    return {
        "tile": tile, "person": PERSON_OF[tile], "old": AGE_OF[tile] == OLD, "age": AGE_OF[tile], "steps": VALUE[tile],
        "symbols": SYMBOLS[tile],
    }  # fmt: skip


# -- players ------------------------------------------------------------------------------------------------------------


def _fields(position: DragonPosition, top: float) -> tuple[list[dict[str, Any]], float]:
    width = (INNER - GAP) / FIELDS_IN_A_ROW
    fields: list[dict[str, Any]] = []
    for start in range(0, len(position.seats), FIELDS_IN_A_ROW):
        row = position.seats[start : start + FIELDS_IN_A_ROW]
        lines = _lines_of_palaces([palaces(position.players[seat]) for seat in row])
        height = FIELD_HEAD + sum(ROOF_HEIGHT + floors * FLOOR_HEIGHT + LABEL_HEIGHT for floors in lines) + 6
        for column, seat in enumerate(row):
            player, x = position.players[seat], round(MARGIN + column * (width + GAP), 1)
            field = _field(player, seat, x, top, round(width, 1), height)
            fields.append(field | {"palaces": _row(player, x, top + FIELD_HEAD, lines)})
        top += height + GAP
    return fields, top - GAP


def _lines_of_palaces(owned: Sequence[Sequence[tuple[int, Palace]]]) -> list[int]:
    """Floors of the highest palace in each line that neighbours share; at least one line of one floor."""
    lines = [1]
    for those in owned:
        for at, (_, palace) in enumerate(those):
            line = at // PALACES_IN_A_ROW
            lines += [1] * (line + 1 - len(lines))
            lines[line] = max(lines[line], palace.floors)
    return lines


def _row(player: Player, x: float, y: float, lines: Sequence[int]) -> list[dict[str, Any]]:
    drawn = []
    for at, (number, palace) in enumerate(palaces(player)):
        line, column = divmod(at, PALACES_IN_A_ROW)
        above = sum(ROOF_HEIGHT + floors * FLOOR_HEIGHT + LABEL_HEIGHT for floors in lines[:line])
        ground = y + above + ROOF_HEIGHT + lines[line] * FLOOR_HEIGHT
        drawn.append(_palace(number, palace, x + 14 + column * (PALACE_WIDTH + GAP + 2), ground))
    return drawn


def _field(player: Player, seat: str, x: float, y: float, width: float, height: float) -> dict[str, Any]:
    goods = [("points", player.points), ("yuan", player.yuan), ("rice", player.rice), ("fireworks", player.fireworks)]
    goods.append(("privilege", dragons(player)))
    step = (width - 24) / len(goods)
    return {
        "seat": seat,
        "x": x,
        "y": y,
        "width": width,
        "height": height,
        "goods": [{"kind": kind, "count": count, "x": round(x + 12 + at * step, 1), "y": y + 44} for at, (kind, count) in enumerate(goods)],
    }


def _palace(number: int, palace: Palace, left: float, ground: float) -> dict[str, Any]:
    persons: list[dict[str, Any] | None] = [_tile(tile) for tile in palace.persons]
    persons += [None] * (palace.floors - len(persons))
    floors = [{"y": ground - (level + 1) * FLOOR_HEIGHT, "person": person} for level, person in enumerate(persons)]
    return {
        "number": number,
        "x": left,
        "width": PALACE_WIDTH,
        "ground": ground,
        "top": ground - palace.floors * FLOOR_HEIGHT,
        "floors": floors,
        "persons": list(palace.persons),
        "height": palace.floors,
    }


def _player(position: DragonPosition, seat: str) -> dict[str, Any]:
    player = position.players[seat]
    return {
        "seat": seat,
        "points": player.points,
        "space": player.space,
        "place_on_track": position.track.index(seat) + 1,
        "yuan": player.yuan,
        "rice": player.rice,
        "fireworks": player.fireworks,
        "privileges": [[size, player.privileges[size]] for size in ("small", "large") if size in player.privileges],
        "dragons": dragons(player),
        "cards": [[card, player.cards[card]] for card in CARDS if card in player.cards],
        "persons": count_persons(player),
        "symbols": {SYMBOL_OF[person]: symbols(player, person) for person in PERSONS},
        "palaces": [
            {"number": number, "floors": palace.floors, "persons": list(palace.persons)} for number, palace in palaces(player)
        ],
        "due": player.due,
        "group": position.dragons.get(seat, 0),
    }
