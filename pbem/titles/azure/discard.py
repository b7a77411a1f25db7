"""The Bird leaves and comes: the loser returns cards of his choice, then the gainer draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import cast

from pbem.engine.chance import Chance
from pbem.engine.refusals import Illegal
from pbem.engine.title import Event, Order
from pbem.titles.azure.hands import draw_hidden, give, hand, hand_size, holds, in_order, returnable
from pbem.titles.azure.refusal_codes import known
from pbem.titles.azure.sequence import DISCARD, AzurePhase, go_on, other, take_over, turn_of
from pbem.titles.azure.vocabulary import COLOURS, AzurePosition, Discard, Discarded

BIRD_CARDS = 2


def bird_comes(position: AzurePosition, loser: str | None, chance: Chance) -> list[Event]:
    """What follows when the Bird has come to the player in turn: the loser is asked for his cards, or the gainer draws at once."""
    if loser is not None and hand_size(position.players[loser]):
        position.phase = f"{turn_of(position.phase)}.{DISCARD}"
        return []
    events: list[Event] = [Discarded(seat=loser)] if loser is not None else []
    events += draw_hidden(position, position.turn, BIRD_CARDS, chance)
    go_on(position)
    return events


class ReturnCards(AzurePhase):
    """Who has lost the Bird returns two cards face up, or all he has."""

    name = DISCARD
    takes = (Discard,)

    def asked(self, position: AzurePosition) -> tuple[str, ...]:
        """See Phase: the player who is not in turn, unless he has no cards."""
        loser = other(position, position.turn)
        return (loser,) if hand_size(position.players[loser]) else ()

    def _count(self, position: AzurePosition, seat: str) -> int:
        return min(BIRD_CARDS, hand_size(position.players[seat]))

    def choices(self, position: AzurePosition, seat: str) -> Iterator[Order]:
        """See Phase: every different pair."""
        return (Discard(cards=cards) for cards in returnable(position, seat, self._count(position, seat)))

    def fill_in(self, position: AzurePosition, seat: str, order: Order) -> Order:
        """See Phase: the cards in the order of the colours."""
        cards = cast(Discard, order).cards
        for number, card in enumerate(cards):
            known("unknown-card", card, COLOURS, f"cards[{number}]")
        count = self._count(position, seat)
        if len(cards) != count:
            raise Illegal("wrong-number", "cards", needed=count, given=len(cards), have=hand_size(position.players[seat]))
        for card, number in Counter(cards).items():
            if number > holds(position, seat, card):
                raise Illegal("not-in-hand", "cards", card=card, needed=number, have=holds(position, seat, card))
        return Discard(cards=tuple(sorted(cards, key=COLOURS.index)))

    def play(self, position: AzurePosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        played = position.copy()
        events: list[Event] = []
        for seat, written in orders.items():
            cards = Counter(cast(Discard, written).cards)
            for colour, number in cards.items():
                give(played, seat, colour, number)
            events.append(Discarded(seat=seat, cards=in_order(cards)))
        events += draw_hidden(played, played.turn, BIRD_CARDS, chance)
        go_on(played)
        take_over(position, played)
        return events

    def default(self, position: AzurePosition, seat: str) -> Order:
        """See Phase: one card after the other, each of the colour of which most are left in hand."""
        has = hand(position, seat)
        allowed = set(returnable(position, seat, self._count(position, seat)))
        cards: list[str] = []
        for _ in range(self._count(position, seat)):
            cards.append(max(COLOURS, key=lambda colour: (has.get(colour, 0), -COLOURS.index(colour))))
            has[cards[-1]] -= 1
        chosen = tuple(sorted(cards, key=COLOURS.index))
        # Where the hand is hidden the guess may not fit together; any pair that does will do.
        return Discard(cards=chosen if chosen in allowed else min(allowed))
