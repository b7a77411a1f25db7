"""The end of the game: persons, monks and money score."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.chance import Chance
from pbem.engine.title import Event, Order, Standing
from pbem.titles.year_of_the_dragon.pieces import count_persons
from pbem.titles.year_of_the_dragon.sequence import DragonPhase, go_on
from pbem.titles.year_of_the_dragon.tables import PERSON_OF, SYMBOLS
from pbem.titles.year_of_the_dragon.vocabulary import DragonPosition, GameOver, Player, YearScored

FOR_PERSON = 2
YUAN_PER_TILE = 2
YUAN_PER_POINT = 3


class EndYear(DragonPhase):
    """2 points per person; each monk Buddhas times floors; rice and fireworks are sold, and 3 yuan are a point."""

    name = "end"

    def play(self, position: DragonPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        events: list[Event] = [self._score(position, seat) for seat in position.seats]
        go_on(position)
        lines = standings(position)
        points = {seat: position.players[seat].points for seat in position.seats}
        events.append(GameOver(points=points, winner=lines[0].seat, tie_broken=lines[0].points == lines[1].points))
        return events

    def _score(self, position: DragonPosition, seat: str) -> Event:
        player = position.players[seat]
        persons, sold = count_persons(player), player.rice + player.fireworks
        player.yuan += YUAN_PER_TILE * sold
        player.rice = player.fireworks = 0
        for_persons, for_monks, for_yuan = FOR_PERSON * persons, monk_points(player), player.yuan // YUAN_PER_POINT
        player.points += for_persons + for_monks + for_yuan
        return YearScored(
            seat=seat, persons=persons, for_persons=for_persons, for_monks=for_monks, sold=sold, yuan=player.yuan, for_yuan=for_yuan,
            points=for_persons + for_monks + for_yuan,
        )  # fmt: skip


def monk_points(player: Player) -> int:
    """Each monk: its Buddhas times the floors of its palace."""
    return sum(
        SYMBOLS[tile] * palace.floors for palace in player.palaces.values() for tile in palace.persons if PERSON_OF[tile] == "monk"
    )


def standings(position: DragonPosition) -> list[Standing]:
    """By points; of those tied, who is further on the person track, then whose marker is on top."""
    order = sorted(position.track, key=lambda seat: -position.players[seat].points)
    return [
        Standing(
            seat=seat,
            points=position.players[seat].points,
            place=place,
            why={"track": position.players[seat].space, "persons": count_persons(position.players[seat])},
        )
        for place, seat in enumerate(order, start=1)
    ]
