"""Counts the pieces of Azure: in every position of a game the numbers must be the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pbem.engine.title import Event
from pbem.titles.azure.vocabulary import BEASTS, AzurePosition


def pieces(position: AzurePosition, events: Sequence[Event]) -> dict[str, int]:
    """Name of a piece → how many there are; cards nobody may look at are counted too."""
    counts: Counter[str] = Counter(BEASTS)
    for stack in (position.decks, position.hidden):
        counts.update(stack)
    unseen = Counter(position.hidden)
    for seat, player in position.players.items():
        counts.update(player.seen)
        counts.update(player.secret)
        unseen.update(player.secret)
        on_board = list(position.stones.values()).count(seat)
        counts[f"stones of {seat}"] = player.stones + on_board - (player.gifted is not None)
        assert sum(player.secret.values()) == player.secret_size
        assert 0 <= player.wisdom <= 25
    assert dict(unseen) == position.unseen
    assert sum(position.hidden.values()) == position.hidden_size
    return dict(counts)
