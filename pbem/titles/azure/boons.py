"""Turn 2: boons."""

from __future__ import annotations

from pbem.engine.title import Event
from pbem.titles.azure.hands import take_open
from pbem.titles.azure.realm import realm
from pbem.titles.azure.sequence import advance, has_won, win
from pbem.titles.azure.vocabulary import LAST_WISDOM, AzurePosition, Boons, MoreBoon

WISDOM, QI = "wisdom", "qi"
KINDS = (WISDOM, QI)


def take_boons(position: AzurePosition, seat: str, space: str) -> list[Event]:
    """A card per qi symbol, as many as are there, and the steps of wisdom; the end of the track ends the game."""
    here = realm(*position.realm).spaces[space]
    cards = take_open(position, seat, here.qi, here.number) if here.qi else 0
    wisdom = advance(position, seat, here.wisdom)
    boons = Boons(
        seat=seat, space=space, colour=here.qi, cards=cards, short=here.number - cards, steps=here.wisdom, wisdom=wisdom
    )  # fmt: skip
    return [boons, *(win(position, seat, WISDOM) if has_won(position, seat) else [])]


def more_due(position: AzurePosition, seat: str, space: str, gifted: bool) -> tuple[str, ...]:
    """Kinds of the one more boon that a bountiful stone around gives a common stone placed here; none when none is due.

    None is due either when the boons of the space itself end the game.
    """
    stands = position.players[seat].gifted
    if gifted or position.gift != "bountiful" or stands is None:
        return ()
    laid = realm(*position.realm)
    here = laid.spaces[space]
    if stands not in laid.around[space]:
        return ()
    if position.players[seat].wisdom + here.wisdom >= LAST_WISDOM:
        return ()
    return ((WISDOM,) if here.wisdom else ()) + ((QI,) if here.number else ())


def left_for_more(position: AzurePosition, space: str) -> int:
    """Cards that will be left in the space's face-up deck once its own boons are taken."""
    here = realm(*position.realm).spaces[space]
    return max(0, position.decks.get(here.qi, 0) - here.number)


def take_more(position: AzurePosition, seat: str, space: str, boon: str) -> list[Event]:
    """One more boon of the kind chosen."""
    here = realm(*position.realm).spaces[space]
    if boon == QI:
        cards = take_open(position, seat, here.qi, 1)
        return [MoreBoon(seat=seat, space=space, boon=QI, colour=here.qi, cards=cards, wisdom=position.players[seat].wisdom)]
    wisdom = advance(position, seat, 1)
    more = MoreBoon(seat=seat, space=space, boon=WISDOM, wisdom=wisdom)
    return [more, *(win(position, seat, WISDOM) if has_won(position, seat) else [])]
