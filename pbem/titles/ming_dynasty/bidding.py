"""Phase 4, the sealed bids: how many members return from each city."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import gcd, prod
from typing import cast

from pbem.engine.chance import Chance
from pbem.engine.refusals import Malformed
from pbem.engine.title import Event, Order
from pbem.titles.ming_dynasty.board import LETTERS, load
from pbem.titles.ming_dynasty.pieces import put
from pbem.titles.ming_dynasty.refusal_codes import known
from pbem.titles.ming_dynasty.sequence import MingPhase, go_on
from pbem.titles.ming_dynasty.vocabulary import Bid, Letter, MingPosition, Return

MOST_RETURNED = 6
MOST_CHOICES = 500

Letters = tuple[Letter, ...]


class BidReturns(MingPhase):
    """Everybody with a member in a city lays his return cards for all cities; all are revealed together."""

    name = "return"
    simultaneous = True
    takes = (Return,)

    def asked(self, position: MingPosition) -> tuple[str, ...]:
        """See Phase: whoever has a member in any city."""
        return tuple(seat for seat in position.seats if any(seat in it.houses for it in position.districts.values()))

    def choices(self, position: MingPosition, seat: str) -> Iterator[Order]:
        """See Phase: which members return, over all cities; evenly spread ones when there are very many."""
        options = [(province, list(_different(houses))) for province, houses in _houses(position, seat).items()]
        total = prod(len(ways) for _, ways in options)
        stride = -(-total // MOST_CHOICES)
        while gcd(stride, total) > 1:
            stride += 1
        for number in range(0, total, stride):
            chosen: dict[str, Letters] = {}
            rest = number
            for province, ways in options:
                rest, way = divmod(rest, len(ways))
                if ways[way]:
                    chosen[province] = ways[way]
            yield Return(counts={province: len(letters) for province, letters in chosen.items()}, from_=chosen)

    def sampled(self, position: MingPosition, seat: str) -> bool:
        """See Phase."""
        return prod(sum(1 for _ in _different(houses)) for houses in _houses(position, seat).values()) > MOST_CHOICES

    def fill_in(self, position: MingPosition, seat: str, order: Order) -> Order:
        """See Phase: only what takes effect, and every member that goes by its district."""
        order = cast(Return, order)
        provinces = load(position.board).provinces
        for province, count in order.counts.items():
            known("unknown-province", province, provinces, f"counts.{province}")
            if not 0 <= count <= MOST_RETURNED:
                raise Malformed("out-of-range", f"counts.{province}", found=count, low=0, high=MOST_RETURNED)
        for province in order.from_:
            known("unknown-province", province, provinces, f"from.{province}")
        chosen: dict[str, Letters] = {}
        for province, houses in _houses(position, seat).items():
            if count := order.counts.get(province, 0):
                chosen[province] = _letters(houses, count, order.from_.get(province, ()))
        return Return(counts={province: len(letters) for province, letters in chosen.items()}, from_=chosen)

    def play(self, position: MingPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase: the bids are revealed; members go home when their city is scored."""
        events: list[Event] = []
        complete = {seat: self.complete(position, seat, order) for seat, order in orders.items()}
        for seat in position.seats:
            if seat not in complete:
                continue
            order = cast(Return, complete[seat])
            for province, letters in order.from_.items():
                for letter in letters:
                    put(position.players[seat].returns, f"{province}-{letter}")
            events.append(Bid(seat=seat, counts=dict(order.counts)))
        return events + go_on(position)

    def default(self, position: MingPosition, seat: str) -> Order:
        """See Phase: nobody returns."""
        return Return()


def _houses(position: MingPosition, seat: str) -> dict[str, dict[Letter, int]]:
    """Province → letter of the district → own members in its houses; cities without any are left out."""
    board = load(position.board)
    found: dict[str, dict[Letter, int]] = {}
    for province in board.provinces:
        houses: dict[Letter, int] = {}
        for letter, name in zip(LETTERS, board.districts_of[province], strict=True):
            it = position.districts.get(name)
            if it is not None and seat in it.houses:
                houses[letter] = it.houses[seat]
        if houses:
            found[province] = houses
    return found


def _different(houses: Mapping[Letter, int]) -> Iterator[Letters]:
    """Every different set of members that may return from a city, nobody first."""
    for numbers in product(*(range(number + 1) for number in houses.values())):
        yield tuple(letter for letter, number in zip(houses, numbers, strict=True) for _ in range(number))


def _letters(houses: Mapping[Letter, int], count: int, wanted: Letters) -> Letters:
    """Who goes: the wanted letters as far as members are there, the rest by a, b, c, at most all; in the order a, b, c."""
    left = dict(houses)
    chosen: list[Letter] = []
    by_default = [letter for letter in LETTERS for _ in range(houses.get(letter, 0))]
    for letter in (*wanted, *by_default):
        if len(chosen) < count and left.get(letter, 0):
            left[letter] -= 1
            chosen.append(letter)
    return tuple(sorted(chosen))
