"""Counts the pieces of Herring Island for tests/test_every_title.py of pbem: in every position of a game the numbers are the same."""

from __future__ import annotations

from collections.abc import Sequence

from herring_island.vocabulary import IslandPosition, NetTorn, Options, ShoalCame

from pbem.engine.title import Event

OTHER_OPTIONS = (Options(rounds=12),)


def pieces(position: IslandPosition, events: Sequence[Event]) -> dict[str, int]:
    """Name of a piece → how many there are, given all events up to this position."""
    came = [event for event in events if isinstance(event, ShoalCame)]
    torn = [event.seat for event in events if isinstance(event, NetTorn)]
    caught = sum(player.herrings for player in position.players.values())
    return {
        "shoals": sum(position.shoals.values()) + len(came),
        "herrings that did not come with a shoal": sum(position.herrings.values()) + caught - sum(event.count for event in came),
        **{f"nets of {seat}": player.nets + torn.count(seat) for seat, player in position.players.items()},
    }
