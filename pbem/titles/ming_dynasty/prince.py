"""Set-up 3: the princes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from pbem.engine.chance import Chance
from pbem.engine.refusals import Illegal, Malformed
from pbem.engine.title import Event, Order
from pbem.titles.ming_dynasty.board import load
from pbem.titles.ming_dynasty.pieces import left_of, prince_in, put, take
from pbem.titles.ming_dynasty.refusal_codes import known
from pbem.titles.ming_dynasty.sequence import MingPhase, go_on
from pbem.titles.ming_dynasty.vocabulary import MingPosition, Prince, PrinceSet


class SetPrinces(MingPhase):
    """From the starting player clockwise, each puts his prince into a district without one, and takes a tile of that province."""

    name = "prince"
    takes = (Prince,)

    def asked(self, position: MingPosition) -> tuple[str, ...]:
        """See Phase."""
        return () if position.turn is None else (position.turn,)

    def choices(self, position: MingPosition, seat: str) -> Iterator[Order]:
        """See Phase: free districts in board order."""
        return (Prince(district=name) for name in load(position.board).districts if prince_in(position, name) is None)

    def fill_in(self, position: MingPosition, seat: str, order: Order) -> Order:
        """See Phase: of a list, the first district that is free."""
        order = cast(Prince, order)
        districts = load(position.board).districts
        if isinstance(order.district, str):
            known("unknown-district", order.district, districts, "district")
            if (other := prince_in(position, order.district)) is not None:
                raise Illegal("district-taken", "district", district=order.district, seat=other)
            return order
        if not order.district:
            raise Malformed("empty-list", "district")
        for number, name in enumerate(order.district):
            known("unknown-district", name, districts, f"district[{number}]")
        for name in order.district:
            if prince_in(position, name) is None:
                return Prince(district=name)
        raise Illegal("all-districts-taken", "district", districts=list(order.district))

    def play(self, position: MingPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        [(seat, written)] = orders.items()
        district = cast(str, cast(Prince, written).district)
        province = load(position.board).province_of[district]
        player = position.players[seat]
        player.prince = district
        if position.tiles.get(province):
            take(position.tiles, province)
            put(player.tiles, province)
        events: list[Event] = [PrinceSet(seat=seat, district=district, province=province)]
        position.turn = left_of(position, seat)
        if position.turn == position.start:
            events += go_on(position)
        return events

    def default(self, position: MingPosition, seat: str) -> Order:
        """See Phase: the first free district."""
        return next(self.choices(position, seat))
