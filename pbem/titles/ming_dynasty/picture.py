"""What the pictures of Ming Dynasty are drawn from: places, pieces and counts as plain numbers and ids.

Layout of a board file (its head says the same): pointy-top hexagons in rows, odd rows shifted right by half a hexagon. Each is cut into
three districts by spokes from the city to the N, SE and SW corners. Lengths are SVG units; y grows downwards.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from pbem.titles.ming_dynasty.board import LETTERS, Board, Province, load
from pbem.titles.ming_dynasty.pieces import owners
from pbem.titles.ming_dynasty.vocabulary import DRAGON, District, MingPosition, Player

SIDE = 216
"""Side of a hexagon, which is also the side of the three rhombi it is cut into."""
HALF = SIDE * math.sqrt(3) / 2
CITY = 54
MARGIN = 14
SPACE_WIDTH, SPACE_HEIGHT, SPACE_GAP = 194, 94, 10
HOUSES = 3

# Corners in turn from N clockwise, relative to the city; a district is the city and the three corners from its first one on.
CORNERS = ((0, -SIDE), (HALF, -SIDE / 2), (HALF, SIDE / 2), (0, SIDE), (-HALF, SIDE / 2), (-HALF, -SIDE / 2))
FIRST_CORNER = {"a": 0, "b": 2, "c": 4}

# Where things stand in a district, relative to its city. East and west districts are tall, the south one is wide.
MEMBER_CELLS = {
    "a": ((69, -122), (69, -88), (69, -54), (69, -20)),
    "b": ((-134, 114), (-62, 114), (10, 114), (82, 114)),
    "c": ((-112, -122), (-112, -88), (-112, -54), (-112, -20)),
}
MONASTERY_CELL = {"a": (150, -54), "b": (-32, 161), "c": (-152, -54)}
PRINCE_CELL = {"a": (141, 12), "b": (31, 163), "c": (-146, 12)}
LETTER_CELL = {"a": (160, -95), "b": (0, 194), "c": (-164, -95)}
HOUSE_CELLS = {
    "a": ((14, -35), (35, -23), (38, 2)),
    "b": ((-25, 33), (0, 40), (25, 33)),
    "c": ((-14, -35), (-35, -23), (-38, 2)),
}


class Point(NamedTuple):
    """A point in SVG units."""

    x: float
    y: float


@lru_cache(maxsize=32)
def _drawing(name: str) -> dict[str, Any]:
    """The part of the scene that no move changes: hexagons, districts, borders, extent."""
    board = load(name)
    width = (max(province.column for province in board.layout) + 1.5) * 2 * HALF + 2 * MARGIN
    height = (max(province.row for province in board.layout) * 1.5 + 2) * SIDE + 2 * MARGIN
    hexagons, districts = [], {}
    for province in board.layout:
        city = _city(province)
        hexagons.append({"id": province.id, "city": _round(city), "corners": [_round(_add(city, corner)) for corner in CORNERS]})
        for letter, share in zip(LETTERS, (0.46, 0.38, 0.3), strict=True):
            district = _district(province.id, letter, city)
            districts[district["id"]] = district | {"tint": tint(province.colour, share)}
    spaces = _spaces_in_gaps(board.layout, width) or _spaces_below(board.layout, width, height)
    borders, closed = _borders(board.borders, districts)
    return {
        "width": math.ceil(width),
        "height": math.ceil(max(height, *(space["y"] + SPACE_HEIGHT + 2 for space in spaces))),
        "city_radius": CITY,
        "hexagons": hexagons,
        "districts": list(districts.values()),
        "borders": borders,
        "closed": closed,
        "spaces": spaces,
        "tints": {province.id: tint(province.colour, 0.5) for province in board.layout},
    }


def _city(province: Province) -> Point:
    return Point(MARGIN + HALF * (1 + 2 * province.column + province.row % 2), MARGIN + SIDE * (1 + 1.5 * province.row))


def _district(province: str, letter: str, city: Point) -> dict[str, Any]:
    first = FIRST_CORNER[letter]
    corners = [city, *(_add(city, CORNERS[(first + step) % 6]) for step in range(3))]
    middle = Point(sum(x for x, _ in corners) / 4, sum(y for _, y in corners) / 4)
    inner = [Point(middle.x + (x - middle.x) * 0.92, middle.y + (y - middle.y) * 0.92) for x, y in corners]
    return {
        "id": f"{province}-{letter}",
        "province": province,
        "letter": letter,
        "corners": [_round(corner) for corner in corners],
        "inner": [_round(corner) for corner in inner],
        "middle": _round(middle),
        "letter_at": _round(_add(city, LETTER_CELL[letter])),
        "member_cells": [_round(_add(city, cell)) for cell in MEMBER_CELLS[letter]],
        "monastery_at": _round(_add(city, MONASTERY_CELL[letter])),
        "prince_at": _round(_add(city, PRINCE_CELL[letter])),
        "house_cells": [_round(_add(city, cell)) for cell in HOUSE_CELLS[letter]],
    }


def _spaces_in_gaps(layout: Sequence[Province], width: float) -> list[dict[str, Any]]:
    """Province spaces in the gap that the shift leaves beside each row: right of even rows, left of odd ones; none when they do not fit."""
    rows = {province.row for province in layout}
    columns = {province.column for province in layout}
    if columns != {0, 1} or len(layout) != 2 * len(rows):
        return []
    step = SPACE_HEIGHT + SPACE_GAP
    spaces = []
    for province in layout:
        y = _city(province).y - step + SPACE_GAP / 2 + province.column * step
        # The first and the last row have room above and below, which keeps the spaces clear of the slanting neighbour.
        y += {min(rows): -SIDE / 4, max(rows): SIDE / 4}.get(province.row, 0)
        spaces.append(_space(province, 2 if province.row % 2 else width - SPACE_WIDTH - 2, y))
    return spaces


def _spaces_below(layout: Sequence[Province], width: float, height: float) -> list[dict[str, Any]]:
    across, down = SPACE_WIDTH + SPACE_GAP, SPACE_HEIGHT + SPACE_GAP
    side_by_side = max(1, int(width // across))
    return [
        _space(province, 2 + number % side_by_side * across, height + number // side_by_side * down)
        for number, province in enumerate(layout)
    ]


def _space(province: Province, x: float, y: float) -> dict[str, Any]:
    return {
        "id": province.id,
        "tint": tint(province.colour, 0.5),
        "x": round(x, 1),
        "y": round(y, 1),
        "width": SPACE_WIDTH,
        "height": SPACE_HEIGHT,
    }


def _borders(
    listed: Sequence[tuple[str, str, str]], districts: dict[str, dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Borders as segments. A listed pair whose outlines do not meet is a bridge; a pair that meets unlisted is closed."""
    shared = {frozenset(pair): edge for *pair, edge in _meeting(districts)}
    borders = []
    for first, second, transport in listed:
        edge = shared.pop(frozenset((first, second)), None)
        bridge = edge is None
        start, end = edge or _bridge(districts[first], districts[second])
        on_spoke = districts[first]["province"] == districts[second]["province"]
        # On a spoke the city hides the inner end, so the middle of what is seen lies further out.
        share = 0.66 if on_spoke else 0.5
        if start != districts[first]["corners"][0]:
            start, end = (end, start) if on_spoke else (start, end)
        borders.append(
            {
                "from": first,
                "to": second,
                "transport": transport,
                "bridge": bridge,
                "start": list(start),
                "end": list(end),
                "middle": _round(Point(start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share)),
            }
        )
    closed = [{"between": sorted(pair), "start": list(edge[0]), "end": list(edge[1])} for pair, edge in shared.items()]
    return borders, sorted(closed, key=lambda edge: edge["between"])


def _meeting(districts: dict[str, dict[str, Any]]) -> Iterator[tuple[str, str, tuple[list[float], list[float]]]]:
    seen: dict[frozenset[tuple[int, int]], tuple[str, list[list[float]]]] = {}
    for name, district in districts.items():
        corners = district["corners"]
        for start, end in zip(corners, corners[1:] + corners[:1], strict=True):
            # Corners of neighbours differ by rounding only; whole units tell them apart.
            key = frozenset({(round(start[0]), round(start[1])), (round(end[0]), round(end[1]))})
            if key in seen:
                other, edge = seen[key]
                yield other, name, (edge[0], edge[1])
            else:
                seen[key] = (name, [start, end])


def _bridge(first: dict[str, Any], second: dict[str, Any]) -> tuple[list[float], list[float]]:
    (x1, y1), (x2, y2) = first["middle"], second["middle"]
    return _round(Point(x1 + (x2 - x1) * 0.3, y1 + (y2 - y1) * 0.3)), _round(Point(x1 + (x2 - x1) * 0.7, y1 + (y2 - y1) * 0.7))


def scene(position: MingPosition) -> dict[str, Any]:
    """Everything the templates draw: JSON-like; coordinates in SVG units, the rest ids and counts.

    ``districts`` hold ``members`` ({seat, count, at}), ``monastery``, ``prince``, ``houses`` ({seat, at} per house); ``spaces`` hold
    ``card`` and ``members``; ``players`` one table per seat in seat order; ``borders`` and ``closed`` segments; ``stock`` what is left.
    ``owners`` are the seats and, with two players, "neutral", which then may stand for the seat in a district and a city.
    """
    drawing = _drawing(position.board)
    princes = {player.prince: seat for seat, player in position.players.items() if player.prince}
    districts = [_with_pieces(place, position, princes) for place in drawing["districts"]]
    spaces = [_with_members(place, position) for place in drawing["spaces"]]
    board = load(position.board)
    return {
        **drawing,
        "phase": position.phase,
        "seats": list(position.seats),
        "owners": owners(position),
        "start": position.start,
        "turn": position.turn,
        "transports": list(board.transports),
        "provinces": list(board.provinces),
        "districts": districts,
        "spaces": spaces,
        "cities": _cities(position),
        "players": [_player(position, seat) for seat in position.seats],
        "stock": {
            "deck": sum(position.deck.values()),
            "discards": _in_order(position.discards, board),
            "dragons": position.dragons,
            "tiles": [[province, position.tiles.get(province, 0)] for province in board.provinces],
        },
        "houses_in_use": any(district.houses for district in position.districts.values()),
    }


def _with_pieces(place: dict[str, Any], position: MingPosition, princes: dict[str, str]) -> dict[str, Any]:
    district = position.districts.get(place["id"]) or District()
    everybody = owners(position)
    here = [[owner, district.members[owner]] for owner in everybody if district.members.get(owner)]
    cells = _centred(place["member_cells"], len(here))
    indoors = [owner for owner in everybody for _ in range(district.houses.get(owner, 0))]
    indoors += [""] * (HOUSES - len(indoors))
    return {
        **place,
        "members": [{"seat": seat, "count": count, "at": at} for (seat, count), at in zip(here, cells, strict=False)],
        "monastery": district.monastery,
        "prince": princes.get(place["id"]),
        "houses": [{"seat": seat or None, "at": at} for seat, at in zip(indoors, place["house_cells"], strict=False)],
        "in_city": [[owner, district.houses[owner]] for owner in everybody if district.houses.get(owner)],
    }


def _centred(cells: list[list[float]], used: int) -> list[list[float]]:
    """The first cells of a row or column, moved so that those used stand in its middle."""
    (x1, y1), (x2, y2) = cells[:2]
    missing = (len(cells) - used) / 2
    return [[x + (x2 - x1) * missing, y + (y2 - y1) * missing] for x, y in cells[:used]]


def _with_members(place: dict[str, Any], position: MingPosition) -> dict[str, Any]:
    members = [[seat, _of(position, seat).spaces.get(place["id"], 0)] for seat in position.seats]
    return {
        **place,
        "card": position.display.get(place["id"]),
        "members": [{"seat": seat, "count": count} for seat, count in members if count],
    }


def _cities(position: MingPosition) -> dict[str, dict[str, int]]:
    cities: dict[str, dict[str, int]] = {}
    for name, district in position.districts.items():
        for seat, count in district.houses.items():
            city = cities.setdefault(name.rpartition("-")[0], {})
            city[seat] = city.get(seat, 0) + count
    return cities


def _player(position: MingPosition, seat: str) -> dict[str, Any]:
    player = _of(position, seat)
    board = load(position.board)
    return {
        "seat": seat,
        "points": player.points,
        "prince": player.prince,
        "cards": _in_order(player.cards, board),
        "hand": sum(player.cards.values()),
        "spaces": [[name, player.spaces[name]] for name in board.provinces if player.spaces.get(name)],
        "tiles": [[name, player.tiles[name]] for name in board.provinces if player.tiles.get(name)],
        "tile_kinds": sum(1 for count in player.tiles.values() if count),
        "supply": player.supply,
        "to_place": player.to_place,
        "neutral_to_place": player.neutral_to_place,
        "on_board": sum(district.members.get(seat, 0) for district in position.districts.values()),
        "monasteries": sum(district.monastery == seat for district in position.districts.values()),
        "passed": player.passed,
        "starts": seat == position.start,
    }


def _of(position: MingPosition, seat: str) -> Player:
    return position.players.get(seat) or Player()


def _in_order(cards: dict[str, int], board: Board) -> list[list[Any]]:
    return [[kind, cards[kind]] for kind in (*board.transports, DRAGON) if cards.get(kind)]


def tint(colour: str, share: float) -> str:
    """A colour "#rrggbb" thinned with white: ``share`` of it (0 to 1) is left. Dark print stays readable on half of any colour."""
    channels = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - channel) * share):02x}" for channel in channels)


def _add(point: Point, offset: tuple[float, float]) -> Point:
    return Point(point.x + offset[0], point.y + offset[1])


def _round(point: Point) -> list[float]:
    return [round(point.x, 1), round(point.y, 1)]
