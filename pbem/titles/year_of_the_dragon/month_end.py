"""The end of a month: palaces without a person decay, then everybody scores."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.chance import Chance
from pbem.engine.title import Event, Order
from pbem.titles.year_of_the_dragon.pieces import KEY, NUMBER, dragons, symbols
from pbem.titles.year_of_the_dragon.sequence import DragonPhase, go_on
from pbem.titles.year_of_the_dragon.tables import MOST_FLOORS
from pbem.titles.year_of_the_dragon.vocabulary import Decayed, DragonPosition, MonthScored, Palace, Player

_EMPTY = {floors: Palace(floors) for floors in range(1, MOST_FLOORS)}


class Decay(DragonPhase):
    """After every event, peace too: each palace without a person loses a floor; the last floor gone, it is gone."""

    name = "decay"

    def play(self, position: DragonPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        events: list[Event] = []
        for seat in position.seats:
            player = position.players[seat]
            empty: list[int] = []
            gone: list[int] = []
            for number, palace in player.palaces.items():
                if not palace.persons:
                    empty.append(NUMBER[number])
                    if palace.floors > 1:
                        player.palaces[number] = _EMPTY[palace.floors - 1]
                    else:
                        gone.append(NUMBER[number])
            for fallen in gone:
                del player.palaces[KEY[fallen]]
            if empty:
                events.append(Decayed(seat=seat, palaces=tuple(empty), gone=tuple(gone)))
        go_on(position)
        return events


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
    return len(player.palaces), symbols(player, "court lady"), dragons(player) if player.privileges else 0
