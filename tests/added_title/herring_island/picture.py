"""Plain facts: what the picture is drawn from, and what the order template is filled from."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from herring_island.phases import reach
from herring_island.vocabulary import GROUNDS, MOST_LAID, IslandPosition, Sail

WIDTH, HEIGHT, RADIUS = 760, 620, 92


def scene(position: IslandPosition) -> dict[str, Any]:
    """The island: lengths are SVG units, y grows downwards; ``boats`` and ``harbour`` are seats."""
    grounds = []
    for number, name in enumerate(GROUNDS):
        angle = math.radians(60 * number - 90)
        x, y = WIDTH / 2 + 262 * math.cos(angle), HEIGHT / 2 + 208 * math.sin(angle)
        grounds.append({
            "id": name, "x": round(x, 1), "y": round(y, 1), "herrings": position.herrings.get(name, 0),
            "shoals": position.shoals.get(name, 0), "boats": _boats(position, name),
        })  # fmt: skip
    players = [{"seat": seat, "herrings": it.herrings, "nets": it.nets, "ground": it.ground} for seat, it in position.players.items()]
    return {
        "width": WIDTH, "height": HEIGHT, "radius": RADIUS, "grounds": grounds, "players": players, "harbour": _boats(position, ""),
    }  # fmt: skip


def _boats(position: IslandPosition, ground: str) -> list[str]:
    return [seat for seat, it in position.players.items() if it.ground == ground]


def offers(position: IslandPosition, seat: str) -> dict[str, Any]:
    """A line for each ground in reach, with the most nets that can be laid."""
    player = position.players[seat]
    most = min(MOST_LAID, player.nets)
    return {
        "nets": player.nets,
        "most": most,
        "ground": player.ground,
        "herrings": {each: it.herrings for each, it in position.players.items()},
        "grounds": [
            {
                "order": msgspec.to_builtins(Sail(ground=name, nets=most)),
                "name": name,
                "herrings": position.herrings.get(name, 0),
                "boats": _boats(position, name),
            }
            for name in reach(player.ground)
        ],
    }
