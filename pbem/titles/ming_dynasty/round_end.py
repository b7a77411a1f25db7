"""Phase 5: the start marker, the starter named by a player (4 players), and the end of the game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from pbem.engine.chance import Chance
from pbem.engine.title import Event, Order, Standing
from pbem.titles.ming_dynasty.pieces import in_monasteries, left_of, turn_order
from pbem.titles.ming_dynasty.refusal_codes import known
from pbem.titles.ming_dynasty.sequence import ROUNDS, MingPhase, go_on, ids_of, round_of
from pbem.titles.ming_dynasty.vocabulary import GameOver, MingPosition, Starter, StarterNamed, StarterPassed, TilesScored

TILES_IN_LAST_SETS = 5
POINTS_FOR_LAST_SET = 10


class EndRound(MingPhase):
    """The start marker passes to the left, unless a player names the starter; after round 6 tiles score and the game is over."""

    name = "end"

    def asked(self, position: MingPosition) -> tuple[str, ...]:
        """See Phase: it plays itself."""
        return ()

    def play(self, position: MingPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        ended = round_of(position.phase)
        if ended == ROUNDS:
            return [*_score_tiles(position), _end(position), *go_on(position)]
        if f"{ended + 1}.starter" in ids_of(position):
            return go_on(position)
        position.start = left_of(position, position.start)
        return [StarterPassed(player=position.start), *go_on(position)]


class NameStarter(MingPhase):
    """With four players, one who is behind names the starting player of rounds 5 and 6."""

    name = "starter"
    takes = (Starter,)

    def asked(self, position: MingPosition) -> tuple[str, ...]:
        """See Phase."""
        return (namer(position),)

    def choices(self, position: MingPosition, seat: str) -> Iterator[Order]:
        """See Phase: every player, himself too, in seat order."""
        return (Starter(player=player) for player in position.seats)

    def fill_in(self, position: MingPosition, seat: str, order: Order) -> Order:
        """See Phase."""
        known("unknown-player", cast(Starter, order).player, position.seats, "player")
        return order

    def play(self, position: MingPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        [(seat, written)] = orders.items()
        order = cast(Starter, written)
        position.start = order.player
        return [StarterNamed(seat=seat, player=order.player), *go_on(position)]

    def default(self, position: MingPosition, seat: str) -> Order:
        """See Phase: himself."""
        return Starter(player=seat)


def namer(position: MingPosition) -> str:
    """Who names the starter: the second in line by points before round 5, the first before round 6, fewest first.

    Of all who have the points of that place in line, the one with most members in monasteries, then the one earlier in turn order.
    """
    place = 1 if round_of(position.phase) == 5 else 0
    wanted = sorted(player.points for player in position.players.values())[place]
    monasteries = in_monasteries(position)
    return max((seat for seat in turn_order(position) if position.players[seat].points == wanted), key=lambda seat: monasteries[seat])


def last_sets(tiles: Mapping[str, int]) -> tuple[int, int]:
    """The most sets of five different tiles, and the tiles left over."""
    total = sum(tiles.values())
    sets = 0
    # so many sets are possible exactly when tiles beyond that many of a province, which no set can use, do not make it short
    while sum(min(number, sets + 1) for number in tiles.values()) >= TILES_IN_LAST_SETS * (sets + 1):
        sets += 1
    return sets, total - TILES_IN_LAST_SETS * sets


def _score_tiles(position: MingPosition) -> list[Event]:
    events: list[Event] = []
    for seat in position.seats:
        player = position.players[seat]
        sets, singles = last_sets(player.tiles)
        points = POINTS_FOR_LAST_SET * sets + singles
        if points:
            player.points += points
            events.append(TilesScored(seat=seat, sets=sets, singles=singles, points=points))
    return events


def _end(position: MingPosition) -> GameOver:
    return GameOver(
        points={seat: position.players[seat].points for seat in position.seats},
        monasteries=in_monasteries(position),
        winners=tuple(line.seat for line in standings(position) if line.place == 1),
    )


def standings(position: MingPosition) -> list[Standing]:
    """By points, then members in monasteries; those still tied share a place."""
    monasteries = in_monasteries(position)
    worth = {seat: (position.players[seat].points, monasteries[seat]) for seat in position.seats}
    return [
        Standing(
            seat=seat,
            points=worth[seat][0],
            place=1 + sum(other > worth[seat] for other in worth.values()),
            why={"monasteries": monasteries[seat], "tiles": sum(position.players[seat].tiles.values())},
        )
        for seat in sorted(position.seats, key=lambda seat: worth[seat], reverse=True)
    ]
