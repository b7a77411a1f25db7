"""What a seat may see, what only it may know, and what it can imagine of the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pbem.engine.chance import Chance
from pbem.engine.title import OVER, Event
from pbem.titles.azure.bonds import can_place
from pbem.titles.azure.hands import put, take, untold
from pbem.titles.azure.vocabulary import AzurePosition, Dealt, Drew, Player

HAND = "hand."
MOST_TRIES = 20


def view(position: AzurePosition, seat: str | None) -> AzurePosition:
    """The position as a seat, or with None everybody, may see it. What is not put in here is not seen: no hidden deck, no secret hand."""
    return AzurePosition(
        phase=position.phase,
        seats=list(position.seats),
        start=position.start,
        turn=position.turn,
        realm=list(position.realm),
        gift=position.gift,
        stones=dict(position.stones),
        beasts=dict(position.beasts),
        players={each: _player(player, own=each == seat) for each, player in position.players.items()},
        decks=dict(position.decks),
        hidden_size=position.hidden_size,
        unseen=dict(position.unseen),
        winner=position.winner,
    )


def _player(player: Player, own: bool) -> Player:
    return Player(
        wisdom=player.wisdom,
        stones=player.stones,
        gifted=player.gifted,
        seen=dict(player.seen),
        secret=dict(player.secret) if own else {},
        secret_size=player.secret_size,
    )


def secrets(position: AzurePosition) -> dict[str, tuple[str, Any]]:
    """Per seat with secret cards one fact, "hand.SEAT": colour → how many."""
    return {f"{HAND}{seat}": (seat, dict(player.secret)) for seat, player in position.players.items() if player.secret}


def reveal(public: AzurePosition, facts: Mapping[str, Any]) -> AzurePosition:
    """The public view with secret hands filled in."""
    seen = view(public, None)
    for seat, player in seen.players.items():
        if fact := facts.get(f"{HAND}{seat}"):
            player.secret = {str(colour): int(number) for colour, number in fact.items()}
    return seen


def event_for(event: Event, seat: str | None) -> Event:
    """Cards dealt or drawn from the hidden deck are a number only to everybody but their owner."""
    if isinstance(event, Dealt | Drew) and event.seat != seat and event.cards:
        return msgspec.structs.replace(event, cards={})
    return event


def imagine(seen: AzurePosition, seat: str, chance: Chance) -> AzurePosition:
    """A whole position that fits what ``seat`` sees: hidden cards dealt at random, in a way in which the player in turn can place."""
    for _ in range(MOST_TRIES):
        whole = _deal_unknown(seen, seat, chance)
        if whole.phase == OVER or not whole.phase.endswith(".place") or not can_place(whole, whole.turn):
            break
    return whole


def _deal_unknown(seen: AzurePosition, seat: str, chance: Chance) -> AzurePosition:
    whole = view(seen, seat)
    bag = dict(seen.unseen)
    for player in whole.players.values():
        for colour, number in player.secret.items():
            take(bag, colour, min(number, bag.get(colour, 0)))
    for each, player in whole.players.items():
        for number in range(min(untold(player), sum(bag.values()))):
            card = chance.draw(bag, f"imagined card {number} of {each}")
            take(bag, card)
            put(player.secret, card)
    whole.hidden = bag
    return whole
