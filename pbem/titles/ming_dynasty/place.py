"""Phase 1: place members on the province spaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from pbem.engine.chance import Chance
from pbem.engine.refusals import Malformed
from pbem.engine.title import Event, Order
from pbem.titles.ming_dynasty.board import load
from pbem.titles.ming_dynasty.pieces import put
from pbem.titles.ming_dynasty.refusal_codes import known
from pbem.titles.ming_dynasty.sequence import MingPhase, next_in_turn
from pbem.titles.ming_dynasty.vocabulary import MingPosition, Place, Placed


class PlaceMembers(MingPhase):
    """From the starting player on, one member at a time in turn, until all five of everybody are placed."""

    name = "place"
    takes = (Place,)

    def asked(self, position: MingPosition) -> tuple[str, ...]:
        """See Phase: whoever is in turn and has a member to place."""
        turn = position.turn
        return (turn,) if turn is not None and position.players[turn].to_place else ()

    def choices(self, position: MingPosition, seat: str) -> Iterator[Order]:
        """See Phase: the spaces in board order."""
        return (Place(province=name) for name in load(position.board).provinces)

    def fill_in(self, position: MingPosition, seat: str, order: Order) -> Order:
        """See Phase: ``provinces`` of one is the same as ``province``."""
        order = cast(Place, order)
        provinces = load(position.board).provinces
        if order.province is not None and order.provinces is not None:
            raise Malformed("too-many-keys", keys=["province", "provinces"])
        if order.province is not None:
            known("unknown-province", order.province, provinces, "province")
            return order
        if order.provinces is None:
            raise Malformed("missing-key", keys=["province", "provinces"])
        if not order.provinces:
            raise Malformed("empty-list", "provinces")
        for number, name in enumerate(order.provinces):
            known("unknown-province", name, provinces, f"provinces[{number}]")
        if len(order.provinces) > 1:
            raise Malformed("one-at-a-time", "provinces", count=len(order.provinces))
        return Place(province=order.provinces[0])

    def play(self, position: MingPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        events: list[Event] = []
        for seat, written in orders.items():
            province = cast(str, cast(Place, written).province)
            player = position.players[seat]
            player.to_place -= 1
            put(player.spaces, province)
            events.append(Placed(seat=seat, province=province, there=player.spaces[province]))
        return events + next_in_turn(position, lambda seat: position.players[seat].to_place > 0)

    def default(self, position: MingPosition, seat: str) -> Order:
        """See Phase: the space where he has most members, ties in board order."""
        spaces = position.players[seat].spaces
        return Place(province=max(load(position.board).provinces, key=lambda name: spaces.get(name, 0)))
