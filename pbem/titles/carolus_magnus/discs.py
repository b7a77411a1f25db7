"""Discs: who lays the lowest plays first, and the Emperor goes as far as the disc says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from pbem.engine.chance import Chance
from pbem.engine.refusals import Illegal, Malformed
from pbem.engine.title import Event, Order
from pbem.titles.carolus_magnus.sequence import CarolusPhase, round_of
from pbem.titles.carolus_magnus.vocabulary import DISCS, CarolusPosition, Disc, DiscLaid, OrderSet


class LayDisc(CarolusPhase):
    """Open and one after the other, each lays a disc whose value does not lie there yet, unless he has no other."""

    name = "disc"
    takes = Disc

    def choices(self, position: CarolusPosition, seat: str) -> Iterator[Order]:
        """See Phase: the allowed values, lowest first."""
        return (Disc(value=value) for value in allowed_discs(position, seat))

    def fill_in(self, position: CarolusPosition, seat: str, order: Order) -> Order:
        """See Phase."""
        value = cast(Disc, order).value
        if value not in DISCS:
            raise Malformed("out-of-range", "value", found=value, low=DISCS[0], high=DISCS[-1])
        allowed = allowed_discs(position, seat)
        if value in position.players[seat].used:
            raise Illegal("disc-used", "value", value=value, allowed=allowed)
        if value not in allowed:
            other = next(each for each in position.order if position.players[each].disc == value)
            raise Illegal("disc-laid", "value", value=value, seat=other, allowed=allowed)
        return order

    def step(self, position: CarolusPosition, seat: str, order: Order, chance: Chance) -> Iterator[Event]:
        """See CarolusPhase: when all discs lie, the turns begin, lowest first; of equal ones the earlier counts as lower."""
        value = cast(Disc, order).value
        again = value in _laid(position)
        player = position.players[seat]
        player.disc = value
        player.used.append(value)
        yield DiscLaid(seat=seat, value=value, again=again)
        position.turn = next((each for each in position.order if not position.players[each].disc), None)
        if position.turn is None:
            position.order.sort(key=lambda each: position.players[each].disc)
            position.phase = f"{round_of(position.phase)}.turn"
            position.turn = position.order[0]
            yield OrderSet(order=tuple(position.order))

    def default(self, position: CarolusPosition, seat: str) -> Order:
        """See Phase: the lowest that is allowed."""
        return Disc(value=allowed_discs(position, seat)[0])


def allowed_discs(position: CarolusPosition, seat: str) -> list[int]:
    """Values a seat may lay now, lowest first: those nobody laid this round, or any of his discs when he has no such one."""
    mine = [value for value in DISCS if value not in position.players[seat].used]
    laid = _laid(position)
    return [value for value in mine if value not in laid] or mine


def _laid(position: CarolusPosition) -> set[int]:
    return {player.disc for player in position.players.values()}
