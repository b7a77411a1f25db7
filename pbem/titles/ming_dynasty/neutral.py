"""Two players: the neutral colour. It is put into districts by both, and the starting player says which of its members go home."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from pbem.engine.chance import Chance
from pbem.engine.refusals import Illegal
from pbem.engine.title import Event, Order
from pbem.titles.ming_dynasty.board import load
from pbem.titles.ming_dynasty.homes import chosen, different, houses_of
from pbem.titles.ming_dynasty.pieces import district, in_city, put, take
from pbem.titles.ming_dynasty.refusal_codes import known
from pbem.titles.ming_dynasty.sequence import MingPhase, cities_of, go_on, next_in_turn
from pbem.titles.ming_dynasty.vocabulary import NEUTRAL, MingPosition, Neutral, NeutralPlaced, NeutralReturn, NeutralReturned

MOST_IN_DISTRICT = 3


class PlaceNeutral(MingPhase):
    """Before the princes and before rounds 3 and 5: alternately, one at a time, the players put neutral members into districts."""

    name = "neutral"
    takes = (Neutral,)

    def asked(self, position: MingPosition) -> tuple[str, ...]:
        """See Phase: whoever is in turn and has a neutral member to place."""
        turn = position.turn
        return (turn,) if turn is not None and position.players[turn].neutral_to_place else ()

    def choices(self, position: MingPosition, seat: str) -> Iterator[Order]:
        """See Phase: districts with room in board order. There always is one: 30 members, and room for 54."""
        return (Neutral(district=name) for name in load(position.board).districts if _there(position, name) < MOST_IN_DISTRICT)

    def fill_in(self, position: MingPosition, seat: str, order: Order) -> Order:
        """See Phase."""
        name = cast(Neutral, order).district
        known("unknown-district", name, load(position.board).districts, "district")
        if _there(position, name) >= MOST_IN_DISTRICT:
            raise Illegal("district-full", "district", district=name, high=MOST_IN_DISTRICT)
        return order

    def play(self, position: MingPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        events: list[Event] = []
        for seat, written in orders.items():
            name = cast(Neutral, written).district
            position.players[seat].neutral_to_place -= 1
            put(district(position, name).members, NEUTRAL)
            events.append(NeutralPlaced(seat=seat, district=name, there=_there(position, name)))
        return events + next_in_turn(position, lambda seat: position.players[seat].neutral_to_place > 0)

    def default(self, position: MingPosition, seat: str) -> Order:
        """See Phase: the first district with room."""
        return next(self.choices(position, seat))


def _there(position: MingPosition, name: str) -> int:
    return position.districts[name].members.get(NEUTRAL, 0) if name in position.districts else 0


class ReturnNeutral(MingPhase):
    """After the bids for a city: neutral members go home, all of them unless they alone have most; then only those not needed for it."""

    name = "neutral-return"
    takes = (NeutralReturn,)

    def asked(self, position: MingPosition) -> tuple[str, ...]:
        """See Phase: the starting player, when some go home and some stay."""
        going, staying = neutral_in_city(position, self._districts(position))
        return (position.start,) if going and staying else ()

    def choices(self, position: MingPosition, seat: str) -> Iterator[Order]:
        """See Phase: every different set of members that may go."""
        districts = self._districts(position)
        going, _ = neutral_in_city(position, districts)
        return (NeutralReturn(from_=letters) for letters in different(houses_of(position, NEUTRAL, districts)) if len(letters) == going)

    def fill_in(self, position: MingPosition, seat: str, order: Order) -> Order:
        """See Phase: one letter for each that goes, those not named by a, b, c."""
        districts = self._districts(position)
        going, _ = neutral_in_city(position, districts)
        return NeutralReturn(from_=chosen(houses_of(position, NEUTRAL, districts), going, cast(NeutralReturn, order).from_))

    def play(self, position: MingPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        [(province, districts)] = cities_of(position).items()
        going, staying = neutral_in_city(position, districts)
        if not going:
            return go_on(position)
        letters = chosen(houses_of(position, NEUTRAL, districts), going, ())
        for written in orders.values():
            letters = cast(NeutralReturn, written).from_
        home: dict[str, int] = {}
        for letter in letters:
            put(home, f"{province}-{letter}")
        for name, number in home.items():
            take(position.districts[name].houses, NEUTRAL, number)
            put(position.districts[name].members, NEUTRAL, number)
        return [NeutralReturned(province=province, districts=home, left=staying, seat=next(iter(orders), None)), *go_on(position)]

    def default(self, position: MingPosition, seat: str) -> Order:
        """See Phase: by a, b, c."""
        return self.fill_in(position, seat, NeutralReturn())

    def _districts(self, position: MingPosition) -> tuple[str, ...]:
        [districts] = cities_of(position).values()
        return districts


def left_after_bids(position: MingPosition, districts: Sequence[str]) -> dict[str, int]:
    """Owner → members in a city once the revealed bids are carried out, noughts left out."""
    left = in_city(position, tuple(districts))
    for seat, player in position.players.items():
        if seat in left:
            take(left, seat, sum(player.returns.get(name, 0) for name in districts))
    return left


def neutral_in_city(position: MingPosition, districts: Sequence[str]) -> tuple[int, int]:
    """How many neutral members go home from a city, and how many stay: the fewest that have most alone, or none."""
    left = left_after_bids(position, districts)
    neutral = left.pop(NEUTRAL, 0)
    most = max(left.values(), default=0)
    staying = most + 1 if neutral > most else 0
    return neutral - staying, staying
