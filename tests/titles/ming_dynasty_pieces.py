"""Counts the pieces of Ming Dynasty: in every position of a game the numbers must be the same. And which of its options to play with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pbem.engine.title import Event
from pbem.titles.ming_dynasty.vocabulary import DRAGON, NEUTRAL, CityScored, MingPosition, NeutralPlaced, Options, TookDragon

OTHER_OPTIONS = (Options(bids="by-province"),)
MEMBERS = 30


def pieces(position: MingPosition, events: Sequence[Event]) -> dict[str, int]:
    """Name of a piece → how many there are. The box is what events say has gone into it, as is what left the neutral supply."""
    counts: Counter[str] = Counter()
    if len(position.seats) == 2:
        counts[f"members of {NEUTRAL}"] = MEMBERS - sum(isinstance(event, NeutralPlaced) for event in events)
    for stack in (position.deck, position.discards, Counter(position.display.values())):
        for card, number in stack.items():
            counts[card] += number
    counts[DRAGON] = position.dragons
    for province, number in position.tiles.items():
        counts[f"tiles of {province}"] += number
    for seat, player in position.players.items():
        for card, number in player.cards.items():
            counts[card] += number
        for province, number in player.tiles.items():
            counts[f"tiles of {province}"] += number
        counts[f"members of {seat}"] += player.supply + player.to_place + sum(player.spaces.values())
    for district in position.districts.values():
        for seat, number in [*district.members.items(), *district.houses.items()]:
            counts[f"members of {seat}"] += number
        if district.monastery is not None:
            counts[f"members of {district.monastery}"] += 1
    for event in events:
        if isinstance(event, TookDragon):
            counts[f"members of {event.seat}"] += 1
        if isinstance(event, CityScored):
            for seat, number in event.left.items():
                counts[f"members of {seat}"] += number
    return dict(counts)
