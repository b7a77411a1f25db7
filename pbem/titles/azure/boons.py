"""Turn 2: boons."""

from __future__ import annotations

from pbem.engine.title import Event
from pbem.titles.azure.hands import take_open
from pbem.titles.azure.realm import Realm
from pbem.titles.azure.sequence import advance, has_won, win
from pbem.titles.azure.vocabulary import LAST_WISDOM, AzurePosition, Boons, MoreBoon

WISDOM, QI = "wisdom", "qi"
KINDS = (WISDOM, QI)


def take_boons(position: AzurePosition, laid: Realm, seat: str, space: str) -> list[Event]:
    """A card per qi symbol, as many as are there, and the steps of wisdom; the end of the track ends the game."""
    _, _, colour, number, steps, _ = laid.spaces[space]
    cards = take_open(position, seat, colour, number) if number else 0
    wisdom = advance(position, seat, steps)
    boons = Boons(seat=seat, space=space, colour=colour, cards=cards, short=number - cards, steps=steps, wisdom=wisdom)
    return [boons, *win(position, seat, WISDOM)] if has_won(position, seat) else [boons]


def more_due(position: AzurePosition, laid: Realm, seat: str, space: str, gifted: bool) -> tuple[str, ...]:
    """Kinds of the one more boon that a bountiful stone around gives a common stone placed here; none when none is due.

    None is due either when the boons of the space itself end the game.
    """
    if gifted or position.gift != "bountiful":
        return ()
    stands, here = position.players[seat].gifted, laid.spaces[space]
    if stands is None or stands not in laid.around[space]:
        return ()
    if position.players[seat].wisdom + here.wisdom >= LAST_WISDOM:
        return ()
    return ((WISDOM,) if here.wisdom else ()) + ((QI,) if here.number else ())


def left_for_more(position: AzurePosition, laid: Realm, space: str) -> int:
    """Cards that will be left in the space's face-up deck once its own boons are taken."""
    here = laid.spaces[space]
    return max(0, position.decks.get(here.qi, 0) - here.number)


def take_more(position: AzurePosition, laid: Realm, seat: str, space: str, boon: str) -> list[Event]:
    """One more boon of the kind chosen."""
    here = laid.spaces[space]
    if boon == QI:
        cards = take_open(position, seat, here.qi, 1)
        return [MoreBoon(seat=seat, space=space, boon=QI, colour=here.qi, cards=cards, wisdom=position.players[seat].wisdom)]
    wisdom = advance(position, seat, 1)
    more = MoreBoon(seat=seat, space=space, boon=WISDOM, wisdom=wisdom)
    return [more, *win(position, seat, WISDOM)] if has_won(position, seat) else [more]
