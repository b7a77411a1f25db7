"""What never changes in a game of Carolus Magnus: how many paladins of each clan there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pbem.engine.title import Event
from pbem.titles.carolus_magnus.vocabulary import CarolusPosition


def pieces(position: CarolusPosition, events: Sequence[Event]) -> dict[str, int]:
    """Name of a piece → how many there are. Nothing ever goes into the box."""
    counts: Counter[str] = Counter(position.supply)
    for region in position.regions:
        counts.update(region.paladins)
    for player in position.players.values():
        counts.update(player.court)
        counts.update(player.reserve)
    counts["territories"] = sum(len(region.lands) for region in position.regions)
    return dict(counts)
