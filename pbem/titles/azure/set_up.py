"""Set-up: the realm, the gift, the start player, and the first cards."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.chance import Chance
from pbem.engine.title import Event
from pbem.titles.azure.hands import deal, in_order
from pbem.titles.azure.lines import QUADRANTS
from pbem.titles.azure.realm import SIDES, TURNS
from pbem.titles.azure.sequence import PLACE, other
from pbem.titles.azure.vocabulary import (
    CARDS_OF_A_COLOUR,
    COLOURS,
    GIFTS,
    AzurePosition,
    Dealt,
    GiftNamed,
    Options,
    Player,
    RealmLaid,
    Started,
)  # fmt: skip

FACE_UP = 9
DEALT_TO_START, DEALT_TO_OTHER = 2, 3


def set_up(options: Options, seats: Sequence[str], chance: Chance) -> tuple[AzurePosition, list[Event]]:
    """The position before the first stone."""
    laid = [f"{colour}-{chance.roll(SIDES, f'side of {colour}')}" for colour in chance.shuffle(COLOURS, "quadrants")]
    laid = [f"{board}-{chance.roll(TURNS, f'turn of the {quadrant}')}" for board, quadrant in zip(laid, QUADRANTS, strict=True)]
    drawn = options.gifted == "random"
    gift = chance.roll(GIFTS, "gift") if drawn else options.gifted
    start = chance.roll(list(seats), "start player")
    hidden = CARDS_OF_A_COLOUR - FACE_UP
    position = AzurePosition(
        phase=f"1.{PLACE}",
        seats=list(seats),
        start=start,
        turn=start,
        realm=laid,
        gift=gift,
        players={seat: Player() for seat in seats},
        decks=dict.fromkeys(COLOURS, FACE_UP),
        hidden=dict.fromkeys(COLOURS, hidden),
        hidden_size=hidden * len(COLOURS),
        unseen=dict.fromkeys(COLOURS, hidden),
    )
    events: list[Event] = [RealmLaid(realm=tuple(laid))]
    if gift != "none":
        events.append(GiftNamed(gift=gift, drawn=drawn))
    events.append(Started(player=start))
    for seat, number in ((start, DEALT_TO_START), (other(position, start), DEALT_TO_OTHER)):
        events.append(Dealt(seat=seat, count=number, cards=in_order(deal(position, seat, number, chance))))
    return position, events
