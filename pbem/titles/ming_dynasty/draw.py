"""Phase 2: draw cards up to a hand of five."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from pbem.engine.chance import Chance
from pbem.engine.refusals import Illegal, Malformed
from pbem.engine.title import Event, Order
from pbem.titles.ming_dynasty.board import Board, load
from pbem.titles.ming_dynasty.pieces import FULL_HAND, hand_size, put, take
from pbem.titles.ming_dynasty.refusal_codes import known
from pbem.titles.ming_dynasty.sequence import MingPhase, next_in_turn
from pbem.titles.ming_dynasty.vocabulary import DRAGON, Dragon, Draw, Drew, MingPosition, Reshuffled, Revealed, TookDragon


class DrawCards(MingPhase):
    """In turn each takes one card, from the display beside a space where he has a member, or a dragon for a member."""

    name = "draw"
    takes = (Draw, Dragon)

    def asked(self, position: MingPosition) -> tuple[str, ...]:
        """See Phase: whoever is in turn, unless his hand is full."""
        turn = position.turn
        return (turn,) if turn is not None and self._needs_card(position, turn) else ()

    def _needs_card(self, position: MingPosition, seat: str) -> bool:
        player = position.players[seat]
        if hand_size(player) >= FULL_HAND or not player.spaces:
            return False
        return position.dragons > 0 or any(name in position.display for name in player.spaces)

    def choices(self, position: MingPosition, seat: str) -> Iterator[Order]:
        """See Phase: display cards, then dragons, each in board order."""
        spaces = [name for name in load(position.board).provinces if name in position.players[seat].spaces]
        for name in spaces:
            if name in position.display:
                yield Draw(province=name, card=position.display[name])
        if position.dragons:
            for name in spaces:
                yield Dragon(from_=name)

    def fill_in(self, position: MingPosition, seat: str, order: Order) -> Order:
        """See Phase: the slot, and the card it shows."""
        board = load(position.board)
        if isinstance(order, Dragon):
            known("unknown-province", order.from_, board.provinces, "from")
            self._check_member(position, seat, board, order.from_, "from")
            if not position.dragons:
                raise Illegal("no-dragons")
            return order
        order = cast(Draw, order)
        wanted = self._wanted(board, order)
        if order.province is None:
            if not wanted:
                raise Malformed("missing-key", keys=["province", "card"])
            return self._find(position, seat, wanted)
        known("unknown-province", order.province, board.provinces, "province")
        self._check_member(position, seat, board, order.province, "province")
        shown = position.display.get(order.province)
        if shown is None:
            raise Illegal("slot-empty", "province", province=order.province)
        if wanted and shown not in wanted:
            raise Illegal("other-card", "card", province=order.province, shown=shown, wanted=list(wanted))
        return Draw(province=order.province, card=shown)

    def _wanted(self, board: Board, order: Draw) -> tuple[str, ...]:
        if order.card is None:
            return ()
        if isinstance(order.card, tuple) and not order.card:
            raise Malformed("empty-list", "card")
        wanted = (order.card,) if isinstance(order.card, str) else order.card
        for number, card in enumerate(wanted):
            field = "card" if isinstance(order.card, str) else f"card[{number}]"
            if card == DRAGON:
                raise Malformed("dragon-not-on-display", field)
            known("unknown-card", card, board.transports, field)
        return wanted

    def _check_member(self, position: MingPosition, seat: str, board: Board, province: str, field: str) -> None:
        spaces = position.players[seat].spaces
        if province not in spaces:
            raise Illegal("space-empty", field, province=province, allowed=[name for name in board.provinces if name in spaces])

    def _find(self, position: MingPosition, seat: str, wanted: tuple[str, ...]) -> Order:
        offered = [order for order in self.choices(position, seat) if isinstance(order, Draw)]
        for card in wanted:
            for order in offered:
                if order.card == card:
                    return order
        raise Illegal("no-such-card", "card", wanted=list(wanted), offered={str(order.province): str(order.card) for order in offered})

    def play(self, position: MingPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        events: list[Event] = []
        for seat, order in orders.items():
            if isinstance(order, Dragon):
                events += self._take_dragon(position, seat, order.from_)
            else:
                events += self._take_card(position, seat, cast(str, cast(Draw, order).province), chance)
        return events + self._next_turn(position)

    def _take_dragon(self, position: MingPosition, seat: str, province: str) -> list[Event]:
        player = position.players[seat]
        take(player.spaces, province)
        position.dragons -= 1
        put(player.cards, DRAGON)
        return [TookDragon(seat=seat, province=province)]

    def _take_card(self, position: MingPosition, seat: str, province: str, chance: Chance) -> list[Event]:
        card = position.display[province]
        events: list[Event] = [Drew(seat=seat, province=province, card=card)]
        deck, discards = position.deck, position.discards
        if not deck and discards:
            deck, discards = discards, {}
            events.append(Reshuffled(cards=sum(deck.values())))
        # drawn before anything changes: a draw that fails leaves the position as it was
        turned = chance.draw(deck, f"display {province}") if deck else None
        put(position.players[seat].cards, card)
        position.deck, position.discards = deck, discards
        if turned is None:
            del position.display[province]
            return events
        take(deck, turned)
        position.display[province] = turned
        return [*events, Revealed(province=province, card=turned)]

    def _next_turn(self, position: MingPosition) -> list[Event]:
        return next_in_turn(position, lambda seat: self._needs_card(position, seat))

    def default(self, position: MingPosition, seat: str) -> Order:
        """See Phase: the first card he may take, else a dragon from the space where he has most members."""
        spaces = position.players[seat].spaces
        choices = list(self.choices(position, seat))
        if isinstance(choices[0], Draw):
            return choices[0]
        return max(choices, key=lambda order: spaces[cast(Dragon, order).from_])
