"""The end of the game, and how things stand."""

from __future__ import annotations

from pbem.engine.title import OVER, Event, Standing
from pbem.titles.carolus_magnus.sides import castles_in_play, castles_left, clans_controlled, side_of, sides
from pbem.titles.carolus_magnus.vocabulary import CarolusPosition, Final, GameOver

FEWEST_REGIONS = 4


def finish(position: CarolusPosition, why: str) -> list[Event]:
    """The game is over. A side with all its castles in play has most, so that one way of counting serves every end."""
    position.phase, position.turn = OVER, None
    winners = tuple(line.seat for line in standings(position) if line.place == 1)
    return [
        GameOver(
            why=why,
            sides=tuple(
                Final(side=side, castles=castles_in_play(position, side), clans=clans_controlled(position, side))
                for side in sides(position)
            ),
            winners=winners,
            shared=any(seat not in side_of(position, winners[0]) for seat in winners),
        )
    ]


def standings(position: CarolusPosition) -> list[Standing]:
    """By castles in play, then clans controlled; partners share their side's place, and sides still tied share one too."""
    worth = {side: (castles_in_play(position, side), clans_controlled(position, side)) for side in sides(position)}
    lines = []
    for seat in position.seats:
        side = side_of(position, seat)
        place = 1 + sum(other > worth[side] for other in worth.values())
        why = {"clans": worth[side][1], "castles-left": castles_left(position, side)}
        lines.append(Standing(seat=seat, points=worth[side][0], place=place, why=why))
    return sorted(lines, key=lambda line: line.place)
