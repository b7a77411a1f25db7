"""What the pictures of Carolus Magnus are drawn from: places, pieces and counts as plain numbers and ids.

Territory 1 is at the top of the ring, the others follow clockwise; the courts stand in its middle, reserves and discs in the corners.
Lengths are SVG units; y grows downwards.
"""

from __future__ import annotations

import math
from typing import Any

from pbem.engine.title import OVER
from pbem.titles.carolus_magnus.emperor import strengths
from pbem.titles.carolus_magnus.pieces import in_order
from pbem.titles.carolus_magnus.ring import index_of
from pbem.titles.carolus_magnus.sides import CASTLES, castles_in_play, clans_controlled, side_of, sides
from pbem.titles.carolus_magnus.vocabulary import CLANS, DISCS, TERRITORIES, CarolusPosition, Region

SIZE = 1240
CENTRE = SIZE / 2
OUTER, INNER = 560, 322
NUMBERS = 586
"""Radius at which the numbers of the territories stand."""
EMPEROR = 271
PIECES = 449
"""Radius around which the pieces of a region stand: a little outwards, where it is wider."""
INSET = 9
ANGLE = 360 / TERRITORIES

# A region's pieces: castles above, then paladins in two columns.
CELL_WIDTH, ROW_HEIGHT, CASTLE_HEIGHT = 76, 37, 46

COURT_ROW, COURT_COLUMN, COURT_HEAD = 50, 70, 50
CORNER = 180
CORNERS = ((8, 8), (SIZE - 8 - CORNER, 8), (SIZE - 8 - CORNER, SIZE - 8 - CORNER), (8, SIZE - 8 - CORNER))


def scene(position: CarolusPosition) -> dict[str, Any]:
    """Everything the templates draw: JSON-like; coordinates in SVG units, the rest ids and counts.

    ``regions`` in the order of first territories, each with paths and pieces; ``courts`` rows of the middle; ``players`` one table per
    seat. A side is the list of its seats.
    """
    return {
        "width": SIZE,
        "height": SIZE,
        "centre": CENTRE,
        "inner": INNER,
        "outer": OUTER,
        "phase": position.phase,
        "seats": list(position.seats),
        "order": list(position.order),
        "turn": position.turn,
        "clans": list(CLANS),
        "sides": [list(side) for side in sides(position)],
        "regions": [_region(position, region) for region in position.regions],
        "numbers": [{"land": land, "at": _point(NUMBERS, _middle((land,)))} for land in range(1, TERRITORIES + 1)],
        "emperor": _emperor(position),
        "courts": _courts(position),
        "players": [_player(position, seat, number) for number, seat in enumerate(position.seats)],
        "supply": [[clan, position.supply.get(clan, 0)] for clan in CLANS],
    }


def _region(position: CarolusPosition, region: Region) -> dict[str, Any]:
    start, end = _angles(region.lands)
    castles = [[list(side), region.castles[side[0]]] for side in sides(position) if region.castles.get(side[0])]
    paladins = in_order(region.paladins)
    x, y = _point(PIECES, _middle(region.lands))
    rows = (len(paladins) + 1) // 2
    top = y - (rows * ROW_HEIGHT + len(castles) * CASTLE_HEIGHT) / 2
    tokens = []
    for number, (clan, count) in enumerate(paladins.items()):
        last_alone = number % 2 == 0 and number == len(paladins) - 1
        column = 0.5 if last_alone else number % 2
        at = [round(x + (column - 0.5) * CELL_WIDTH, 1), round(top + len(castles) * CASTLE_HEIGHT + (number // 2 + 0.5) * ROW_HEIGHT, 1)]
        tokens.append({"clan": clan, "count": count, "at": at})
    count, here = len(position.regions), index_of(position, position.emperor)
    return {
        "name": short_name(region.lands),
        "lands": list(region.lands),
        "path": _sector(start, end, 0),
        "inset": _sector(start, end, INSET),
        "dividers": [[_point(INNER, at), _point(OUTER, at)] for at in (start + ANGLE * step for step in range(1, len(region.lands)))],
        "castles": [
            {"side": side, "count": number, "at": [round(x, 1), round(top + (row + 0.5) * CASTLE_HEIGHT, 1)]}
            for row, (side, number) in enumerate(castles)
        ],
        "tokens": tokens,
        "emperor": position.emperor == region.lands[0],
        "steps": (position.regions.index(region) - here) % count or count,
        "strengths": [[list(each.side), each.paladins + each.castles] for each in strengths(position, region)],
    }


def short_name(lands: tuple[int, ...]) -> str:
    """ "4" for a single territory, "4–6" for territories 4 to 6."""
    return str(lands[0]) if len(lands) == 1 else f"{lands[0]}–{lands[-1]}"


def _emperor(position: CarolusPosition) -> dict[str, Any]:
    lands = position.regions[index_of(position, position.emperor)].lands
    return {"lands": list(lands), "at": _point(EMPEROR, _middle(lands)), "angle": round(_middle(lands), 1)}


def _courts(position: CarolusPosition) -> dict[str, Any]:
    seats = position.seats
    left = CENTRE - (len(seats) * COURT_COLUMN) / 2
    top = CENTRE - (COURT_HEAD + len(CLANS) * COURT_ROW) / 2
    columns = [round(left + (number + 1) * COURT_COLUMN - 18, 1) for number in range(len(seats))]
    rows = []
    for number, clan in enumerate(CLANS):
        y = round(top + COURT_HEAD + (number + 0.5) * COURT_ROW, 1)
        cells = [
            {
                "seat": seat,
                "count": position.players[seat].court.get(clan, 0),
                "controls": position.control.get(clan) == seat,
                "at": [x, y],
            }
            for seat, x in zip(seats, columns, strict=True)
        ]
        rows.append({"clan": clan, "at": [round(left - 18, 1), y], "cells": cells, "control": position.control.get(clan)})
    heads = [{"seat": seat, "at": [x, round(top + COURT_HEAD / 2, 1)]} for seat, x in zip(seats, columns, strict=True)]
    return {"heads": heads, "rows": rows}


def _player(position: CarolusPosition, seat: str, number: int) -> dict[str, Any]:
    player, side = position.players[seat], side_of(position, seat)
    x, y = CORNERS[number]
    return {
        "seat": seat,
        "side": list(side),
        "x": x,
        "y": y,
        "size": CORNER,
        "decides": position.turn == seat and position.phase != OVER,
        "disc": player.disc,
        "discs": [value for value in DISCS if value not in player.used],
        "castles": castles_in_play(position, side),
        "castles_all": CASTLES[len(position.seats)],
        "clans": clans_controlled(position, (seat,)),
        "court": [[clan, count] for clan, count in in_order(player.court).items()],
        "reserve": [[clan, count] for clan, count in in_order(player.reserve).items()],
        "crowns": player.crowns,
    }


def _angles(lands: tuple[int, ...]) -> tuple[float, float]:
    """Where a region begins and ends, in degrees clockwise from the right."""
    start = -90 - ANGLE / 2 + ANGLE * (lands[0] - 1)
    return start, start + ANGLE * len(lands)


def _middle(lands: tuple[int, ...]) -> float:
    start, end = _angles(lands)
    return (start + end) / 2


def _sector(start: float, end: float, inset: float) -> str:
    """The outline of a sector of the ring as SVG path data, drawn in by ``inset`` on all sides."""
    outer, inner = OUTER - inset, INNER + inset
    # a whole ring has no two ends to draw an arc between
    end = min(end, start + 359.9)
    outer_turn, inner_turn = math.degrees(inset / outer), math.degrees(inset / inner)
    large = int(end - start > 180)
    (ax, ay), (bx, by) = _point(outer, start + outer_turn), _point(outer, end - outer_turn)
    (cx, cy), (dx, dy) = _point(inner, end - inner_turn), _point(inner, start + inner_turn)
    return f"M{ax} {ay}A{outer} {outer} 0 {large} 1 {bx} {by}L{cx} {cy}A{inner} {inner} 0 {large} 0 {dx} {dy}Z"


def _point(radius: float, angle: float) -> list[float]:
    turn = math.radians(angle)
    return [round(CENTRE + radius * math.cos(turn), 1), round(CENTRE + radius * math.sin(turn), 1)]
