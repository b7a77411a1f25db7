"""Hands and decks: what is seen and what is secret, paying, taking, drawing.

Cards of a colour are all alike; a hand keeps apart those that everybody has seen and those only its owner knows. Whatever leaves a hand is
taken from the seen ones first (ruling "seen-cards-first"), so a secret card becomes known only where it must. Everything here also works
on a position as one seat sees it, where the other hand and the hidden deck are numbers only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pbem.engine.chance import Chance
from pbem.engine.title import Event
from pbem.titles.azure.vocabulary import COLOURS, AzurePosition, Drew, Player, Refilled

MOST_REFILLED = 2


def put(counts: dict[str, int], key: str, number: int = 1) -> None:
    """Adds to a count."""
    if number:
        counts[key] = counts.get(key, 0) + number


def take(counts: dict[str, int], key: str, number: int = 1) -> None:
    """Takes from a count; what comes to nought is forgotten. ValueError when there are not enough."""
    left = counts.get(key, 0) - number
    if left < 0:
        raise ValueError(f"{number} of {counts.get(key, 0)} {key}")
    if left:
        counts[key] = left
    else:
        counts.pop(key, None)


def in_order(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts in the order of the colours, noughts left out."""
    return {colour: counts[colour] for colour in COLOURS if counts.get(colour)}


def hand_size(player: Player) -> int:
    """All cards in hand."""
    return sum(player.seen.values()) + player.secret_size


def untold(player: Player) -> int:
    """How many of his cards are hidden from whoever looks; 0 where the whole hand is known."""
    return player.secret_size - sum(player.secret.values())


def holds(position: AzurePosition, seat: str, colour: str) -> int:
    """Cards of a colour in hand; where the hand is hidden, the most there can be."""
    player = position.players[seat]
    sure = player.seen.get(colour, 0) + player.secret.get(colour, 0)
    if not (hidden := untold(player)):
        return sure
    return sure + min(hidden, max(0, position.unseen.get(colour, 0) - player.secret.get(colour, 0)))


def hand(position: AzurePosition, seat: str) -> dict[str, int]:
    """Colour → ``holds``, in order, noughts left out."""
    return in_order(held(position, seat))


def held(position: AzurePosition, seat: str) -> dict[str, int]:
    """Colour → ``holds``, noughts included."""
    player = position.players[seat]
    if untold(player):
        return {colour: holds(position, seat, colour) for colour in COLOURS}
    seen, secret = player.seen.get, player.secret.get
    return {colour: seen(colour, 0) + secret(colour, 0) for colour in COLOURS}


def give(position: AzurePosition, seat: str, colour: str, number: int) -> None:
    """Cards go from a hand to their face-up deck."""
    if not number:
        return
    player, decks = position.players[seat], position.decks
    decks[colour] = decks.get(colour, 0) + number
    seen = player.seen.get(colour, 0)
    if number < seen:
        player.seen[colour] = seen - number
        return
    if seen:
        del player.seen[colour]
    if secret := number - seen:
        player.secret_size -= secret
        take(player.secret, colour, min(secret, player.secret.get(colour, 0)))
        take(position.unseen, colour, min(secret, position.unseen.get(colour, 0)))


def take_open(position: AzurePosition, seat: str, colour: str, number: int) -> int:
    """Takes cards from a face-up deck, as many as are there; gives how many."""
    decks, seen = position.decks, position.players[seat].seen
    there = decks.get(colour, 0)
    if number < there:
        decks[colour] = there - number
    elif there:
        number = there
        del decks[colour]
    else:
        return 0
    seen[colour] = seen.get(colour, 0) + number
    return number


def deal(position: AzurePosition, seat: str, number: int, chance: Chance) -> dict[str, int]:
    """The next cards of the hidden deck, which has so many, go to a hand. Gives them, colour → how many; none when the hand is hidden."""
    player, cards = position.players[seat], dict[str, int]()
    told = not untold(player)
    for _ in range(number):
        if told:
            known = sum(position.hidden.values()) == position.hidden_size
            card = chance.draw(position.hidden if known else _may_come(position), f"hidden deck {position.hidden_size}", seat)
            put(player.secret, card)
            put(cards, card)
            if known:
                take(position.hidden, card)
        position.hidden_size -= 1
        player.secret_size += 1
    return cards


def _may_come(position: AzurePosition) -> dict[str, int]:
    """What the hidden deck can hold, as far as one seat knows."""
    bag = dict(position.unseen)
    for player in position.players.values():
        for colour, number in player.secret.items():
            take(bag, colour, min(number, bag.get(colour, 0)))
    return bag or dict(position.unseen)


def draw_hidden(position: AzurePosition, seat: str, number: int, chance: Chance) -> list[Event]:
    """Draws from the hidden deck; where it runs out, it is filled once from the face-up decks."""
    events: list[Event] = []
    at_once = min(number, position.hidden_size)
    cards = deal(position, seat, at_once, chance)
    left = number - at_once
    if left:
        filled = {colour: min(MOST_REFILLED, position.decks.get(colour, 0)) for colour in COLOURS}
        for colour, count in filled.items():
            take(position.decks, colour, count)
            put(position.hidden, colour, count)
            put(position.unseen, colour, count)
            position.hidden_size += count
        if position.hidden_size:
            events.append(Refilled(cards=in_order(filled)))
        then = min(left, position.hidden_size)
        for colour, count in deal(position, seat, then, chance).items():
            put(cards, colour, count)
        left -= then
    return [*events, Drew(seat=seat, count=number - left, short=left, cards=in_order(cards))]


def returnable(position: AzurePosition, seat: str, count: int) -> Iterator[tuple[str, ...]]:
    """All ways to return ``count`` cards, each in the order of the colours; sorted."""
    has = hand(position, seat)
    seen, hidden = position.players[seat].seen, position.players[seat].secret_size

    def ways(colours: tuple[str, ...], left: int, secret: int) -> Iterator[tuple[str, ...]]:
        if not left:
            yield ()
        if not left or not colours:
            return
        first = colours[0]
        for number in range(min(left, has.get(first, 0)), -1, -1):
            beyond = max(0, number - seen.get(first, 0))
            if beyond <= secret:
                for rest in ways(colours[1:], left - number, secret - beyond):
                    yield (first,) * number + rest

    yield from ways(COLOURS, count, hidden)
