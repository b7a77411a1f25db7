"""The result: who has won, or is ahead."""

from __future__ import annotations

from pbem.engine.title import Standing
from pbem.titles.azure.vocabulary import AzurePosition


def standings(position: AzurePosition) -> list[Standing]:
    """By place, then seat order. Once the game is over the winner is first, whatever the wisdom; before, by wisdom, ties sharing."""
    points = {seat: position.players[seat].wisdom for seat in position.seats}
    places = {
        seat: (1 if seat == position.winner else 2) if position.winner is not None else 1 + sum(other > mine for other in points.values())
        for seat, mine in points.items()
    }
    lines = [
        Standing(
            seat=seat,
            points=points[seat],
            place=places[seat],
            why={"beasts": list(position.beasts.values()).count(seat), "stones": position.players[seat].stones},
        )
        for seat in position.seats
    ]
    return sorted(lines, key=lambda line: line.place)
