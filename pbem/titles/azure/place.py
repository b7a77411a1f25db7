"""A turn: place a stone, take its boons, look at the Beasts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from pbem.engine.chance import Chance
from pbem.engine.refusals import Illegal
from pbem.engine.title import OVER, Below, Event, Order
from pbem.titles.azure.beasts import bird_may_come, check_beasts
from pbem.titles.azure.bonds import can_pay, can_place, cost, gift_left, means, open_to, price, surcharge_of, with_gift, within
from pbem.titles.azure.boons import KINDS, QI, WISDOM, left_for_more, more_due, take_boons, take_more
from pbem.titles.azure.discard import bird_comes
from pbem.titles.azure.hands import give, holds
from pbem.titles.azure.lines import ONE_FOR, SPACES, Tally, where
from pbem.titles.azure.realm import Realm, Sums, realm
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
        return iter(_ways(position, seat))

    def pick(self, position: AzurePosition, seat: str, below: Below) -> Order:
        """See Phase."""
        ways = _ways(position, seat)
        return ways[below(len(ways))]

    def fill_in(self, position: AzurePosition, seat: str, order: Order) -> Order:
        """See Phase: the boon, where there is one to choose; it is dropped where there is none."""
        order = cast(Place, order)
        laid, space = realm(*position.realm), order.space
        if space not in laid.spaces:
            known("unknown-space", space, SPACES, "space")
        if order.boon is not None:
            known("unknown-boon", order.boon, KINDS, "boon")
        if laid.spaces[space].mountain:
            raise Illegal("mountain", "space", space=space, domain=laid.spaces[space].domain)
        if space in position.stones:
            raise Illegal("space-taken", "space", space=space, seat=position.stones[space])
        if order.gifted or not position.players[seat].stones:
            self._check_stone(position, seat, order)
        if not can_pay(position, laid, seat, space, order.gifted):
            price = cost(position, seat, space, order.gifted)
            raise Illegal(
                "too-few-cards", "space", space=space, card=price.colour, needed=price.cards,
                have=holds(position, seat, price.colour), symbols=price.symbols, surcharge=price.surcharge, bonds=price.bonds,
            )  # fmt: skip
        if order.boon is None and position.gift != "bountiful":
            return order
        boon = self._boon(position, laid, seat, order)
        return order if boon == order.boon else Place(space=space, gifted=order.gifted, boon=boon)

    def _check_stone(self, position: AzurePosition, seat: str, order: Place) -> None:
        player = position.players[seat]
        if not order.gifted:
            if not player.stones:
                raise Illegal("no-common-stone", "gifted", space=order.space)
        elif position.gift == "none":
            raise Illegal("no-gift", "gifted")
        elif player.gifted is not None:
            raise Illegal("gift-used", "gifted", space=player.gifted)

    def _boon(self, position: AzurePosition, laid: Realm, seat: str, order: Place) -> str | None:
        due = more_due(position, laid, seat, order.space, order.gifted)
        if not due:
            return None
        if order.boon is not None and order.boon not in due:
            raise Illegal("boon-not-shown", "boon", space=order.space, found=order.boon, allowed=list(due))
        if order.boon == QI and not left_for_more(position, laid, order.space):
            raise Illegal("deck-empty", "boon", card=laid.spaces[order.space].qi)
        return (order.boon or WISDOM) if len(due) == len(KINDS) else None

    def play(self, position: AzurePosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        if not orders:
            loser = position.turn
            lost = CannotPlace(seat=loser, why=can_place(position, loser))
            return [lost, *win(position, other(position, loser), "cannot-place")]
        [(seat, written)] = orders.items()
        order, laid = cast(Place, written), realm(*position.realm)
        sums, free = laid.sums.of(position.stones)
        after = {**sums, seat: sums.get(seat, 0) + laid.tally[order.space]}, free - ONE_FOR[order.space]
        if not bird_may_come(position, laid, seat, after[0]):
            return self._turn(position, laid, seat, order, after, chance)
        # The Bird brings cards by chance, the only thing of a turn that can fail.
        saved = position.copy()
        try:
            return self._turn(position, laid, seat, order, after, chance)
        except BaseException:
            take_over(position, saved)
            raise

    def _turn(self, position: AzurePosition, laid: Realm, seat: str, order: Place, after: Sums, chance: Chance) -> list[Event]:
        """``after``: the sums of the stones once this one stands too."""
        had_bird, due = position.beasts.get("bird"), more_due(position, laid, seat, order.space, order.gifted)
        # Bonds are the same before and after: no stone is in line with its own space.
        events: list[Event] = [self._pay_and_place(position, laid, seat, order, with_gift(position, laid, seat, after[0][seat]))]
        laid.sums.remember(position.stones, after)
        events += take_boons(position, laid, seat, order.space)
        if due and position.phase != OVER:
            events += take_more(position, laid, seat, order.space, order.boon or due[0])
        if position.phase != OVER:
            events += check_beasts(position, laid, seat, after[0])
        if position.phase == OVER:
            return events
        if position.beasts.get("bird") != had_bird:
            return events + bird_comes(position, had_bird, chance)
        go_on(position)
        return events

    def _pay_and_place(self, position: AzurePosition, laid: Realm, seat: str, order: Place, all_bonds: Tally) -> Placed:
        space, gifted, player = order.space, order.gifted, position.players[seat]
        colour, symbols, surcharge, bonds, paid = price(position, laid, space, gifted, all_bonds)
        give(position, seat, colour, paid)
        position.stones[space] = seat
        if gifted:
            player.gifted = space
        else:
            player.stones -= 1
        return Placed(
            seat=seat, space=space, colour=colour, symbols=symbols, bonds=bonds, paid=paid,
            surcharge=surcharge, gift=position.gift if gifted else "",
        )  # fmt: skip

    def default(self, position: AzurePosition, seat: str) -> Order:
        """See Phase: the space with the fewest cards to pay, then the first; the gifted stone only where it is the last one."""
        gifted = not position.players[seat].stones
        cheapest = min(open_to(position, seat, gifted), key=lambda space: cost(position, seat, space, gifted).cards)
        return self.fill_in(position, seat, Place(space=cheapest, gifted=gifted))


_COMMON = [Place(space=space) for space in SPACES]
_GIFTED = [Place(space=space, gifted=True) for space in SPACES]


def _ways(position: AzurePosition, seat: str) -> list[Place]:
    laid = realm(*position.realm)
    sums, free = laid.sums.of(position.stones)
    can = means(position, laid, seat, with_gift(position, laid, seat, sums.get(seat, 0)))
    ways = where(within(laid, can) & free, _COMMON) if position.players[seat].stones else []
    if gift_left(position, seat):
        ways += where(within(laid, can, surcharge_of(position)) & free, _GIFTED)
        ways.sort(key=lambda way: way.space)  # of two on the same space the common stone is still the first
    if position.gift != "bountiful":
        return ways
    return [each for way in ways for each in _boons_of(position, laid, seat, way)]


def _boons_of(position: AzurePosition, laid: Realm, seat: str, way: Place) -> list[Place]:
    if len(more_due(position, laid, seat, way.space, way.gifted)) < len(KINDS):
        return [way]
    boons = KINDS if left_for_more(position, laid, way.space) else (WISDOM,)
    return [Place(space=way.space, boon=boon) for boon in boons]
