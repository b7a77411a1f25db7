"""Phase 4, the sealed bids: how many members return from a city, or from each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import gcd, prod
from typing import cast

from pbem.engine.chance import Chance
from pbem.engine.refusals import Illegal, Malformed
from pbem.engine.title import Below, Event, Order
from pbem.titles.ming_dynasty.board import load
from pbem.titles.ming_dynasty.homes import Letters, chosen, different, houses_of
from pbem.titles.ming_dynasty.pieces import put
from pbem.titles.ming_dynasty.refusal_codes import known
from pbem.titles.ming_dynasty.sequence import MingPhase, cities_of, city_of, go_on
from pbem.titles.ming_dynasty.vocabulary import Bid, Letter, MingPosition, Return

MOST_RETURNED = 6
MOST_CHOICES = 500


class BidReturns(MingPhase):
    """Everybody with a member in the city, or in any city, lays his return cards; all are revealed together."""

    name = "return"
    simultaneous = True
    takes = (Return,)

    def asked(self, position: MingPosition) -> tuple[str, ...]:
        """See Phase: whoever has a member in a city that is bid for."""
        return tuple(seat for seat in position.seats if _houses(position, seat))

    def choices(self, position: MingPosition, seat: str) -> Iterator[Order]:
        """See Phase: which members return, over all cities; evenly spread ones when there are very many."""
        options = _options(position, seat)
        total = prod(len(ways) for _, ways in options)
        stride = -(-total // MOST_CHOICES)
        while gcd(stride, total) > 1:
            stride += 1
        for number in range(0, total, stride):
            yield _bid(position, options, number)

    def pick(self, position: MingPosition, seat: str, below: Below) -> Order:
        """See Phase."""
        options = _options(position, seat)
        return _bid(position, options, below(prod([len(ways) for _, ways in options])))

    def sampled(self, position: MingPosition, seat: str) -> bool:
        """See Phase."""
        return prod(sum(1 for _ in different(houses)) for houses in _houses(position, seat).values()) > MOST_CHOICES

    def fill_in(self, position: MingPosition, seat: str, order: Order) -> Order:
        """See Phase: only what takes effect, and every member that goes by its district."""
        bids = _read(position, cast(Return, order))
        going: dict[str, Letters] = {}
        for province, houses in _houses(position, seat).items():
            count, wanted = bids.get(province, (0, ()))
            if count:
                going[province] = chosen(houses, count, wanted)
        return _written(position, going)

    def play(self, position: MingPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase: the bids are revealed; members go home when their city is scored."""
        events: list[Event] = []
        for seat in position.seats:
            if seat not in orders:
                continue
            bids = _read(position, cast(Return, orders[seat]))
            for province, (_, letters) in bids.items():
                for letter in letters:
                    put(position.players[seat].returns, f"{province}-{letter}")
            counts = {province: count for province, (count, _) in bids.items() if count}
            events.append(Bid(seat=seat, counts=counts, province=city_of(position.phase)))
        return events + go_on(position)

    def default(self, position: MingPosition, seat: str) -> Order:
        """See Phase: nobody returns."""
        return Return()


def _houses(position: MingPosition, seat: str) -> dict[str, dict[Letter, int]]:
    """Province → letter of the district → own members in its houses; cities without any are left out."""
    found = {province: houses_of(position, seat, districts) for province, districts in cities_of(position).items()}
    return {province: houses for province, houses in found.items() if houses}


Options = list[tuple[str, list[Letters]]]


def _options(position: MingPosition, seat: str) -> Options:
    """Province → every different set of own members that may go home from its city."""
    return [(province, list(different(houses))) for province, houses in _houses(position, seat).items()]


def _bid(position: MingPosition, options: Options, number: int) -> Return:
    """The bid of that number: what goes home from the first city changes fastest."""
    going: dict[str, Letters] = {}
    for province, ways in options:
        number, way = divmod(number, len(ways))
        if ways[way]:
            going[province] = ways[way]
    return _written(position, going)


def _read(position: MingPosition, order: Return) -> dict[str, tuple[int, Letters]]:
    """Province → number and letters of an order, in the form that belongs to the phase; Malformed or Illegal."""
    province = city_of(position.phase)
    by_province, listed = (order.from_, ()) if isinstance(order.from_, dict) else ({}, order.from_)
    if province:
        _none_of_these(province, counts=order.counts, **{"from": by_province})
        _in_range(order.count, "count")
        return {province: (order.count, listed)}
    _none_of_these("", count=order.count, **{"from": listed})
    provinces = load(position.board).provinces
    for name, count in order.counts.items():
        known("unknown-province", name, provinces, f"counts.{name}")
        _in_range(count, f"counts.{name}")
    for name in by_province:
        known("unknown-province", name, provinces, f"from.{name}")
    return {name: (count, by_province.get(name, ())) for name, count in order.counts.items()}


def _none_of_these(province: str, **keys: object) -> None:
    for key, value in keys.items():
        if value:
            raise Illegal("other-bids", key, key=key, province=province)


def _in_range(count: int, field: str) -> None:
    if not 0 <= count <= MOST_RETURNED:
        raise Malformed("out-of-range", field, found=count, low=0, high=MOST_RETURNED)


def _written(position: MingPosition, going: Mapping[str, Letters]) -> Return:
    """The normal form: letters by province, or of the city that the phase is about."""
    if not city_of(position.phase):
        return Return(counts={province: len(letters) for province, letters in going.items()}, from_=dict(going))
    letters = next(iter(going.values()), ())
    return Return(count=len(letters), from_=letters) if letters else Return()
