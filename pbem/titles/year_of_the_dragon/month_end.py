"""The end of a month: palaces without a person decay, then everybody scores."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.chance import Chance
from pbem.engine.title import Event, Order
from pbem.titles.year_of_the_dragon.pieces import dragons, palaces, symbols
from pbem.titles.year_of_the_dragon.sequence import DragonPhase, go_on
from pbem.titles.year_of_the_dragon.vocabulary import Decayed, DragonPosition, MonthScored, Palace, Player


class Decay(DragonPhase):
    """After every event, peace too: each palace without a person loses a floor; the last floor gone, it is gone."""

    name = "decay"

    def play(self, position: DragonPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        events: list[Event] = []
        for seat in position.seats:
            player = position.players[seat]
            empty = [number for number, palace in palaces(player) if not palace.persons]
            gone = [number for number in empty if not _lose_floor(player, number)]
            if empty:
                events.append(Decayed(seat=seat, palaces=tuple(empty), gone=tuple(gone)))
        go_on(position)
        return events


def _lose_floor(player: Player, number: int) -> int:
    """Floors left."""
    floors = player.palaces.pop(str(number)).floors - 1
    if floors:
        player.palaces[str(number)] = Palace(floors)
    return floors


class ScoreMonth(DragonPhase):
    """1 point per palace, the empty ones too, per court lady, and per dragon on a privilege."""

    name = "score"

    def play(self, position: DragonPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        events: list[Event] = []
        for seat in position.seats:
            player = position.players[seat]
            owned, ladies, held = month_points(player)
            points = owned + ladies + held
            player.points += points
            events.append(MonthScored(seat=seat, palaces=owned, ladies=ladies, dragons=held, points=points, now=player.points))
        go_on(position)
        return events


def month_points(player: Player) -> tuple[int, int, int]:
    """Points of a month for palaces, court ladies and dragons on privileges."""
    return len(player.palaces), symbols(player, "court lady"), dragons(player)
