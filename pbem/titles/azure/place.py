"""A turn: place a stone, take its boons, look at the Beasts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from pbem.engine.chance import Chance
from pbem.engine.refusals import Illegal
from pbem.engine.title import OVER, Below, Event, Order
from pbem.titles.azure.beasts import check_beasts
from pbem.titles.azure.bonds import can_pay, can_place, cost, gift_left, open_to
from pbem.titles.azure.boons import KINDS, QI, WISDOM, left_for_more, more_due, take_boons, take_more
from pbem.titles.azure.discard import bird_comes
from pbem.titles.azure.hands import give, holds
from pbem.titles.azure.realm import SPACES, realm
from pbem.titles.azure.refusal_codes import known
from pbem.titles.azure.sequence import PLACE, AzurePhase, go_on, other, take_over, win
from pbem.titles.azure.vocabulary import AzurePosition, CannotPlace, Place, Placed


class PlaceStone(AzurePhase):
    """Whoever is in turn places a stone on an empty space; who cannot, has lost."""

    name = PLACE
    takes = (Place,)

    def asked(self, position: AzurePosition) -> tuple[str, ...]:
        """See Phase: the player in turn, or nobody when he cannot place."""
        return () if can_place(position, position.turn) else (position.turn,)

    def decides(self, position: AzurePosition, seat: str) -> bool:
        """See AzurePhase. Somebody in turn who cannot place need not be told so before it is found out by his order."""
        return seat == position.turn

    def choices(self, position: AzurePosition, seat: str) -> Iterator[Order]:
        """See Phase: spaces from a1 to f6, each with the common and the gifted stone; a boon to choose makes two orders of one."""
        return (_order(*way) for way in _ways(position, seat))

    def pick(self, position: AzurePosition, seat: str, below: Below) -> Order:
        """See Phase."""
        ways = _ways(position, seat)
        return _order(*ways[below(len(ways))])

    def fill_in(self, position: AzurePosition, seat: str, order: Order) -> Order:
        """See Phase: the boon, where there is one to choose; it is dropped where there is none."""
        order = cast(Place, order)
        known("unknown-space", order.space, SPACES, "space")
        if order.boon is not None:
            known("unknown-boon", order.boon, KINDS, "boon")
        self._check_space(position, order.space)
        self._check_stone(position, seat, order)
        if not can_pay(position, seat, order.space, order.gifted):
            price = cost(position, seat, order.space, order.gifted)
            raise Illegal(
                "too-few-cards", "space", space=order.space, card=price.colour, needed=price.cards,
                have=holds(position, seat, price.colour), symbols=price.symbols, surcharge=price.surcharge, bonds=price.bonds,
            )  # fmt: skip
        boon = self._boon(position, seat, order)
        return order if boon == order.boon else Place(space=order.space, gifted=order.gifted, boon=boon)

    def _check_space(self, position: AzurePosition, space: str) -> None:
        here = realm(*position.realm).spaces[space]
        if here.mountain:
            raise Illegal("mountain", "space", space=space, domain=here.domain)
        if space in position.stones:
            raise Illegal("space-taken", "space", space=space, seat=position.stones[space])

    def _check_stone(self, position: AzurePosition, seat: str, order: Place) -> None:
        player = position.players[seat]
        if order.gifted and position.gift == "none":
            raise Illegal("no-gift", "gifted")
        if order.gifted and player.gifted is not None:
            raise Illegal("gift-used", "gifted", space=player.gifted)
        if not order.gifted and not player.stones:
            raise Illegal("no-common-stone", "gifted", space=order.space)

    def _boon(self, position: AzurePosition, seat: str, order: Place) -> str | None:
        due = more_due(position, seat, order.space, order.gifted)
        if not due:
            return None
        if order.boon is not None and order.boon not in due:
            raise Illegal("boon-not-shown", "boon", space=order.space, found=order.boon, allowed=list(due))
        if order.boon == QI and not left_for_more(position, order.space):
            raise Illegal("deck-empty", "boon", card=realm(*position.realm).spaces[order.space].qi)
        return (order.boon or WISDOM) if len(due) == len(KINDS) else None

    def play(self, position: AzurePosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        if not orders:
            loser = position.turn
            lost = CannotPlace(seat=loser, why=can_place(position, loser))
            return [lost, *win(position, other(position, loser), "cannot-place")]
        [(seat, written)] = orders.items()
        order = cast(Place, written)
        before = position.copy()
        try:
            return self._turn(position, seat, order, chance)
        except BaseException:
            take_over(position, before)
            raise

    def _turn(self, position: AzurePosition, seat: str, order: Place, chance: Chance) -> list[Event]:
        had_bird = position.beasts.get("bird")
        events = self._place(position, seat, order)
        due = more_due(position, seat, order.space, order.gifted)
        events += take_boons(position, seat, order.space)
        if due and position.phase != OVER:
            events += take_more(position, seat, order.space, order.boon or due[0])
        if position.phase != OVER:
            told, bird = check_beasts(position, seat)
            events += told
            events += bird_comes(position, had_bird, chance) if bird else go_on(position)
        return events

    def _place(self, position: AzurePosition, seat: str, order: Place) -> list[Event]:
        player = position.players[seat]
        price = cost(position, seat, order.space, order.gifted)
        give(position, seat, price.colour, price.cards)
        position.stones[order.space] = seat
        if order.gifted:
            player.gifted = order.space
        else:
            player.stones -= 1
        return [
            Placed(
                seat=seat, space=order.space, colour=price.colour, symbols=price.symbols, bonds=price.bonds, paid=price.cards,
                surcharge=price.surcharge, gift=position.gift if order.gifted else "",
            )
        ]  # fmt: skip

    def default(self, position: AzurePosition, seat: str) -> Order:
        """See Phase: the space with the fewest cards to pay, then the first; the gifted stone only where it is the last one."""
        gifted = not position.players[seat].stones
        cheapest = min(open_to(position, seat, gifted), key=lambda space: cost(position, seat, space, gifted).cards)
        return self.fill_in(position, seat, Place(space=cheapest, gifted=gifted))


Way = tuple[str, bool, str | None]
"""Space, whether with the gifted stone, and the boon where there is one to choose."""


def _ways(position: AzurePosition, seat: str) -> list[Way]:
    common = open_to(position, seat) if position.players[seat].stones else []
    if not gift_left(position, seat):
        ways: list[Way] = [(space, False, None) for space in common]
    else:
        both = [*[(space, False) for space in common], *[(space, True) for space in open_to(position, seat, True)]]
        ways = [(space, gifted, None) for space, gifted in sorted(both)]
    if position.gift != "bountiful":
        return ways
    return [each for way in ways for each in _boons_of(position, seat, way)]


def _boons_of(position: AzurePosition, seat: str, way: Way) -> list[Way]:
    space, gifted, _ = way
    if len(more_due(position, seat, space, gifted)) < len(KINDS):
        return [way]
    return [(space, gifted, boon) for boon in (WISDOM, QI) if boon == WISDOM or left_for_more(position, space)]


def _order(space: str, gifted: bool, boon: str | None) -> Place:
    return Place(space=space, gifted=gifted, boon=boon)
