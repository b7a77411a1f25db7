"""Counts the pieces of In the Year of the Dragon: in every position of a game the numbers must be the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pbem.engine.title import Event
from pbem.titles.year_of_the_dragon.vocabulary import CardSpent, Declined, DragonPosition, Recruited, Released


def pieces(position: DragonPosition, events: Sequence[Event]) -> dict[str, int]:
    """Name of a piece → how many there are. What has left the game is what events say. Money, floors and the like are not limited."""
    counts: Counter[str] = Counter(position.display)
    for seat, player in position.players.items():
        for palace in player.palaces.values():
            counts.update(palace.persons)
        for card, number in player.cards.items():
            counts[f"card {card} of {seat}"] += number
    for event in events:
        if isinstance(event, Recruited | Declined | CardSpent):
            counts[f"card {event.card} of {event.seat}"] += 1
        if isinstance(event, Declined):
            counts[event.person] += 1
        if isinstance(event, Recruited) and event.released:
            counts[event.released] += 1
        if isinstance(event, Released):
            counts.update(each.person for each in event.persons)
    return dict(counts)
