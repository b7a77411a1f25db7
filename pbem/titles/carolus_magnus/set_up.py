"""Set-up: paladins on the ring, the Emperor, the first reserves, the order of the first discs."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.chance import Chance
from pbem.engine.title import Event
from pbem.titles.carolus_magnus.crowns import ask_for_crowns
from pbem.titles.carolus_magnus.pieces import counted, move
from pbem.titles.carolus_magnus.sides import OF_EACH_CLAN, RESERVE
from pbem.titles.carolus_magnus.vocabulary import (
    CLANS,
    CROWN,
    FACES,
    TERRITORIES,
    CarolusPosition,
    EmperorSet,
    OrderDrawn,
    Player,
    Region,
    Rolled,
    Spread,
)

ON_THE_RING = 3
"""Paladins of each clan that begin on territories."""


def set_up(seats: Sequence[str], chance: Chance) -> tuple[CarolusPosition, list[Event]]:
    """The position before the first crowns are chosen, or if none was rolled before the first disc is laid."""
    position = CarolusPosition(
        phase="0.crowns",
        seats=list(seats),
        players={seat: Player() for seat in seats},
        supply=dict.fromkeys(CLANS, OF_EACH_CLAN - ON_THE_RING),
    )
    clans = chance.shuffle([clan for clan in CLANS for _ in range(ON_THE_RING)], "paladins on the territories")
    position.regions = [Region(lands=(number,), paladins={clan: 1}) for number, clan in enumerate(clans, start=1)]
    position.emperor = chance.roll(range(1, TERRITORIES + 1), "the Emperor's territory")
    events: list[Event] = [Spread(clans=tuple(clans)), EmperorSet(land=position.emperor)]
    for seat in seats:
        faces = [chance.roll(FACES, f"first reserve of {seat}") for _ in range(RESERVE[len(seats)])]
        player = position.players[seat]
        for face in faces:
            if face != CROWN:
                move(position.supply, player.reserve, face)
        player.crowns = faces.count(CROWN)
        events.append(Rolled(seat=seat, colours=counted(faces), crowns=player.crowns))
    position.order = chance.shuffle(list(seats), "order of the first discs")
    events.append(OrderDrawn(order=tuple(position.order)))
    return position, events + ask_for_crowns(position)
