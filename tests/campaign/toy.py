"""A title made for testing plans: heaps to take from, a bid, and many decisions with one legal order only.

Two rounds. ``R.take``: in turn, three times each, everybody takes from a heap that is not empty; after each the chance adds to a heap.
``R.bid``: all together, a bid of at most what one has of heap x, so that who has none of it has no choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from pbem.engine.chance import Chance
from pbem.engine.position import Position
from pbem.engine.refusals import Illegal
from pbem.engine.title import Phase, Title

HEAPS = ("x", "y", "z")
ROUNDS, TURNS = 2, 3


class Take(msgspec.Struct, frozen=True, tag_field="do", tag="take"):
    heap: str


class Bid(msgspec.Struct, frozen=True, tag_field="do", tag="bid"):
    count: int


class Pass(msgspec.Struct, frozen=True, tag_field="do", tag="pass"):
    pass


class Took(msgspec.Struct, frozen=True, tag_field="event", tag="took"):
    seat: str
    heap: str


class Grew(msgspec.Struct, frozen=True, tag_field="event", tag="grew"):
    heap: str


class ToyPosition(Position, omit_defaults=True, kw_only=True):
    seats: list[str]
    turn: int = 0
    heaps: dict[str, int] = {}
    has: dict[str, dict[str, int]] = {}
    bids: list[dict[str, int]] = []

    def copy(self) -> ToyPosition:
        return ToyPosition(
            phase=self.phase, seats=list(self.seats), turn=self.turn, heaps=dict(self.heaps),
            has={seat: dict(of) for seat, of in self.has.items()}, bids=[dict(bid) for bid in self.bids],
        )  # fmt: skip


class TakePhase(Phase[ToyPosition]):
    name = "take"

    def asked(self, position: ToyPosition) -> tuple[str, ...]:
        return (position.seats[position.turn % len(position.seats)],)

    def choices(self, position: ToyPosition, seat: str) -> Iterator[Any]:
        full = [heap for heap in HEAPS if position.heaps.get(heap)]
        return iter([Take(heap) for heap in full] or [Pass()])

    def complete(self, position: ToyPosition, seat: str, order: Any) -> Any:
        if order not in list(self.choices(position, seat)):
            raise Illegal("not-there", "heap", found=str(order))
        return order

    def play(self, position: ToyPosition, orders: Mapping[str, Any], chance: Chance) -> list[Any]:
        [(seat, order)] = orders.items()
        events: list[Any] = []
        if isinstance(order, Take):
            position.heaps[order.heap] -= 1
            own = position.has.setdefault(seat, {})
            own[order.heap] = own.get(order.heap, 0) + 1
            events.append(Took(seat, order.heap))
        grown = chance.roll([*HEAPS, "none", "none"], "growth")
        if grown != "none":
            position.heaps[grown] = position.heaps.get(grown, 0) + 1
            events.append(Grew(grown))
        position.turn += 1
        if position.turn == TURNS * len(position.seats):
            position.turn, position.phase = 0, position.phase.replace("take", "bid")
        return events

    def default(self, position: ToyPosition, seat: str) -> Any:
        return next(self.choices(position, seat))


class BidPhase(Phase[ToyPosition]):
    name = "bid"
    simultaneous = True

    def asked(self, position: ToyPosition) -> tuple[str, ...]:
        return tuple(position.seats)

    def choices(self, position: ToyPosition, seat: str) -> Iterator[Any]:
        return iter([Bid(count) for count in range(position.has.get(seat, {}).get("x", 0) + 1)])

    def complete(self, position: ToyPosition, seat: str, order: Any) -> Any:
        if order not in list(self.choices(position, seat)):
            raise Illegal("too-much", "count", found=str(order))
        return order

    def play(self, position: ToyPosition, orders: Mapping[str, Any], chance: Chance) -> list[Any]:
        position.bids.append({seat: order.count for seat, order in orders.items()})
        number = int(position.phase[0])
        position.phase = f"{number + 1}.take" if number < ROUNDS else "over"
        return []

    def default(self, position: ToyPosition, seat: str) -> Any:
        return Bid(0)


class Toy(Title[ToyPosition]):
    slug, name, seats, rules = "toy", "Toy", range(2, 5), 1
    position, orders, events = ToyPosition, (Take, Bid, Pass), (Took, Grew)

    def set_up(self, options: Any, seats: Sequence[str], chance: Chance) -> tuple[ToyPosition, list[Any]]:
        return ToyPosition(phase="1.take", seats=list(seats), heaps=dict.fromkeys(HEAPS, 1)), []

    def phase(self, position: ToyPosition) -> Any:
        return {"take": TakePhase(), "bid": BidPhase()}.get(position.phase.partition(".")[2])

    def view(self, position: ToyPosition, seat: str | None) -> ToyPosition:
        return position

    def places(self, event: Any) -> frozenset[str]:
        return frozenset({event.heap})


PHASES = tuple(f"{number}.{name}" for number in range(1, ROUNDS + 1) for name in ("take", "bid"))
