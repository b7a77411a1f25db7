"""Counts the pieces of Ming Dynasty: in every position of a game the numbers must be the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pbem.engine.title import Event
from pbem.titles.ming_dynasty.vocabulary import DRAGON, CityScored, MingPosition, TookDragon


def pieces(position: MingPosition, events: Sequence[Event]) -> dict[str, int]:
    """Name of a piece → how many there are. The box is what events say has gone into it."""
    counts: Counter[str] = Counter()
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
