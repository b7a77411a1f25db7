"""Discs: who lays the lowest plays first, and the Emperor goes as far as the disc says."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.engine.chance import Chance
from pbem.engine.refusals import Illegal, Malformed
from pbem.engine.title import Event, Order
from pbem.titles.carolus_magnus.sequence import CarolusPhase, round_of
from pbem.titles.carolus_magnus.vocabulary import DISCS, CarolusPosition, Disc, DiscLaid, OrderSet

_BITS = (0, *[1 << place for place in range(len(DISCS))])
"""Discs that are gone are a number of one bit for each; 0 is no disc."""
_LEFT = tuple([tuple([Disc(value=value) for value in DISCS if not gone & _BITS[value]]) for gone in range(1 << len(DISCS))])
"""The discs that are left when these are gone, lowest first."""


class LayDisc(CarolusPhase[Disc]):
    """Open and one after the other, each lays a disc whose value does not lie there yet, unless he has no other."""

    name = "disc"
    takes = Disc

    def choices(self, position: CarolusPosition, seat: str) -> Iterator[Order]:
        """See Phase: the allowed values, lowest first."""
        return iter(_allowed(position, seat))

    def fill_in(self, position: CarolusPosition, seat: str, order: Disc) -> Disc:
        """See Phase."""
        value = order.value
        if value not in DISCS:
            raise Malformed("out-of-range", "value", found=value, low=DISCS[0], high=DISCS[-1])
        if value in position.players[seat].used:
            raise Illegal("disc-used", "value", value=value, allowed=allowed_discs(position, seat))
        for other in position.order:
            if position.players[other].disc == value and value not in (allowed := allowed_discs(position, seat)):
                raise Illegal("disc-laid", "value", value=value, seat=other, allowed=allowed)
        return order

    def step(self, position: CarolusPosition, seat: str, order: Disc, chance: Chance) -> list[Event]:
        """See CarolusPhase: when all discs lie, the turns begin, lowest first; of equal ones the earlier counts as lower."""
        value, players = order.value, position.players
        laid = [players[each].disc for each in position.order]
        event = DiscLaid(seat=seat, value=value, again=value in laid)
        player = players[seat]
        player.disc = value
        player.used.append(value)
        laid[position.order.index(seat)] = value
        if 0 in laid:
            position.turn = position.order[laid.index(0)]
            return [event]
        position.order.sort(key=lambda each: players[each].disc)
        position.phase = f"{round_of(position.phase)}.turn"
        position.turn = position.order[0]
        return [event, OrderSet(order=tuple(position.order))]

    def default(self, position: CarolusPosition, seat: str) -> Order:
        """See Phase: the lowest that is allowed."""
        return _allowed(position, seat)[0]


def allowed_discs(position: CarolusPosition, seat: str) -> list[int]:
    """Values a seat may lay now, lowest first: those nobody laid this round, or any of his discs when he has no such one."""
    return [order.value for order in _allowed(position, seat)]


def _allowed(position: CarolusPosition, seat: str) -> tuple[Disc, ...]:
    used = 0
    for value in position.players[seat].used:
        used |= _BITS[value]
    gone = used
    for player in position.players.values():
        gone |= _BITS[player.disc]
    return _LEFT[gone] or _LEFT[used]
