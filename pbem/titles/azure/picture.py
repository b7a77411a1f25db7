"""What the pictures of Azure are drawn from: spaces, stones, Beasts, hands and decks as plain numbers and ids.

The realm is a square of 6 x 6 fields; lengths are SVG units, y grows downwards. What stands beside it is laid out by the template.
"""

from __future__ import annotations

from typing import Any

from pbem.titles.azure.beasts import HOMES, guarded_from, guards
from pbem.titles.azure.hands import hand_size, in_order, untold
from pbem.titles.azure.lines import COLUMNS
from pbem.titles.azure.realm import realm
from pbem.titles.azure.sequence import turn_of
from pbem.titles.azure.vocabulary import BEASTS, COLOURS, LAST_WISDOM, AzurePosition

CELL = 100
LEFT, TOP = 64, 44
RIGHT = 76
TRACK = 100
PANEL_WIDTH, PANEL_HEIGHT = 380, 610
BEAST_OF = {colour: beast for beast, colour in HOMES.items()}


def scene(position: AzurePosition) -> dict[str, Any]:
    """Facts for ``board.svg.j2``, ``scene.html.j2`` and ``board.txt.j2``; of hands only what the position itself shows."""
    laid = realm(*position.realm)
    side = 6 * CELL
    gifted = {player.gifted: seat for seat, player in position.players.items() if player.gifted is not None}
    return {
        "width": LEFT + side + RIGHT,
        "height": TOP + side + TRACK,
        "left": LEFT,
        "top": TOP,
        "cell": CELL,
        "panel_width": PANEL_WIDTH,
        "panel_height": PANEL_HEIGHT,
        "seats": list(position.seats),
        "letters": _letters(position.seats),
        "turn_number": turn_of(position.phase),
        "turn": position.turn,
        "start": position.start,
        "winner": position.winner,
        "gift": position.gift,
        "last_wisdom": LAST_WISDOM,
        "columns": [[name, LEFT + CELL * number + CELL // 2] for number, name in enumerate(COLUMNS)],
        "rows": [[number + 1, TOP + CELL * number + CELL // 2] for number in range(6)],
        "domains": [
            {
                "colour": colour,
                "x": LEFT + 3 * CELL * (COLUMNS.index(names[0][0]) // 3),
                "y": TOP + 3 * CELL * ((int(names[0][1]) - 1) // 3),
                "size": 3 * CELL,
                "on_left": names[0][0] == "a",
                "board": next(name for name in position.realm if name.startswith(colour)),
            }
            for colour, names in laid.in_domain.items()
        ],
        "spaces": [
            {
                "id": name,
                "x": LEFT + CELL * COLUMNS.index(name[0]),
                "y": TOP + CELL * (int(name[1]) - 1),
                "domain": it.domain,
                "text": it.text,
                "qi": it.qi,
                "count": it.number,
                "wisdom": it.wisdom,
                "snake": it.snake,
                "mountain": it.mountain,
                "beast": BEAST_OF[it.domain] if it.mountain else "",
                "at_home": it.mountain and BEAST_OF[it.domain] not in position.beasts,
                "stone": position.stones.get(name),
                "gifted": name in gifted,
            }
            for name, it in laid.spaces.items()
        ],
        "beasts": [
            {
                "id": beast,
                "domain": HOMES[beast],
                "mountain": laid.mountains[HOMES[beast]],
                "holder": position.beasts.get(beast),
                "guards": [[seat, guards(position, beast, seat)] for seat in position.seats],
                "spaces": sorted(set(guarded_from(laid, beast)) - set(laid.mountains.values())),
            }
            for beast in BEASTS
        ],
        "players": [_player(position, seat) for seat in position.seats],
        "decks": [[colour, position.decks.get(colour, 0)] for colour in COLOURS],
        "hidden": position.hidden_size,
        "unseen": [[colour, position.unseen.get(colour, 0)] for colour in COLOURS],
    }


def _player(position: AzurePosition, seat: str) -> dict[str, Any]:
    player = position.players[seat]
    return {
        "seat": seat,
        "wisdom": player.wisdom,
        "stones": player.stones,
        "gifted": player.gifted,
        "gift_left": position.gift != "none" and player.gifted is None,
        "hand": hand_size(player),
        "seen": _pairs(player.seen),
        "secret": _pairs(player.secret),
        "untold": untold(player),
        "beasts": [beast for beast in BEASTS if position.beasts.get(beast) == seat],
    }


def _pairs(counts: dict[str, int]) -> list[list[Any]]:
    return [[colour, number] for colour, number in in_order(counts).items()]


def _letters(seats: list[str]) -> dict[str, str]:
    """One sign per seat for plain text: initials, or numbers where they would be the same."""
    initials = [seat[:1].upper() for seat in seats]
    signs = initials if len(set(initials)) == len(initials) else [str(number) for number in range(1, len(seats) + 1)]
    return dict(zip(seats, signs, strict=True))
