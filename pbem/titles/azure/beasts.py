"""Turn 3: the Auspicious Beasts."""

from __future__ import annotations

from typing import NamedTuple

from pbem.engine.title import OVER, Event
from pbem.titles.azure.realm import Realm, realm
from pbem.titles.azure.sequence import advance, has_won, win
from pbem.titles.azure.vocabulary import (
    BEASTS,
    AzurePosition,
    Favored,
    NoStoneLeft,
    StoneReturned,
    StoneSet,
    WisdomGained,
    WisdomLost,
)  # fmt: skip

HOMES = {"tortoise": "black", "dragon": "azure", "tiger": "white", "bird": "vermilion"}
WISDOM = {"dragon": 3, "tiger": 2}
LEAST_GUARDS = 2


def guarded_from(laid: Realm, beast: str) -> tuple[str, ...]:
    """Spaces on which a stone guards the mountain of a Beast; of mountains only the black one can carry a stone."""
    if beast == "bird":
        return laid.in_domain["vermilion"]
    if beast == "tortoise":
        return laid.snakes
    return laid.in_line[laid.mountains[HOMES[beast]]]


def guardians(position: AzurePosition, laid: Realm, beast: str) -> list[str | None]:
    """Whose stone is on each space that guards the mountain of a Beast."""
    stones = position.stones
    return [stones.get(space) for space in guarded_from(laid, beast)]


def guards(position: AzurePosition, beast: str, seat: str) -> int:
    """Stones with which a seat guards the mountain of a Beast."""
    return guardians(position, realm(position.realm), beast).count(seat)


class Claim(NamedTuple):
    """A Beast that comes to the player in turn; ``even`` with an equal count, by a favored stone."""

    guards: int
    loser: str | None
    against: int
    even: bool


def _stones_of(position: AzurePosition, seat: str) -> set[str]:
    return {space for space, owner in position.stones.items() if owner == seat}


def claim(position: AzurePosition, laid: Realm, beast: str, seat: str, stones: set[str]) -> Claim | None:
    """Whether a Beast comes to the player in turn, who has these stones, and from whom."""
    holder = position.beasts.get(beast)
    if holder == seat:
        return None
    guarded = guarded_from(laid, beast)
    mine = len(stones.intersection(guarded))
    if mine < LEAST_GUARDS:
        return None
    against = len(_stones_of(position, holder).intersection(guarded)) if holder is not None else 0
    if mine > against:
        return Claim(mine, holder, against, False)
    if mine == against and holder is not None and _favored(position, laid, beast, seat) and not _favored(position, laid, beast, holder):
        return Claim(mine, holder, against, True)
    return None


def _favored(position: AzurePosition, laid: Realm, beast: str, seat: str) -> bool:
    stands = position.players[seat].gifted
    return position.gift == "favored" and stands is not None and stands in guarded_from(laid, beast)


def check_beasts(position: AzurePosition, seat: str) -> tuple[list[Event], bool]:
    """Each Beast once, in order. Gives the events, and whether the Bird has come: its cards are drawn afterwards."""
    events: list[Event] = []
    bird, laid, stones = False, realm(position.realm), _stones_of(position, seat)
    for beast in BEASTS:
        found = claim(position, laid, beast, seat, stones)
        if found is None:
            continue
        mountain = laid.mountains[HOMES[beast]]
        events.append(
            Favored(
                seat=seat, beast=beast, mountain=mountain, guards=found.guards, loser=found.loser, against=found.against, even=found.even
            )
        )  # fmt: skip
        if found.loser is not None:
            events += _lose(position, beast, found.loser, mountain)
        position.beasts[beast] = seat
        events += _gain(position, beast, seat, mountain)
        bird = bird or beast == "bird"
        # the Tortoise sets a stone, which may guard other mountains
        stones = _stones_of(position, seat)
        if position.phase == OVER:
            break
    return events, bird and position.phase != OVER


def _lose(position: AzurePosition, beast: str, loser: str, mountain: str) -> list[Event]:
    if beast in WISDOM:
        before = position.players[loser].wisdom
        wisdom = advance(position, loser, -WISDOM[beast])
        return [WisdomLost(loser=loser, beast=beast, steps=before - wisdom, wisdom=wisdom)]
    if beast == "tortoise" and position.stones.get(mountain) == loser:
        del position.stones[mountain]
        position.players[loser].stones += 1
        return [StoneReturned(loser=loser, mountain=mountain, stones=position.players[loser].stones)]
    return []


def _gain(position: AzurePosition, beast: str, seat: str, mountain: str) -> list[Event]:
    player = position.players[seat]
    if beast in WISDOM:
        before = player.wisdom
        wisdom = advance(position, seat, WISDOM[beast])
        gained = WisdomGained(seat=seat, beast=beast, steps=wisdom - before, wisdom=wisdom)
        return [gained, *(win(position, seat, "wisdom") if has_won(position, seat) else [])]
    if beast == "tortoise":
        if not player.stones:
            return [NoStoneLeft(seat=seat, mountain=mountain)]
        player.stones -= 1
        position.stones[mountain] = seat
        return [StoneSet(seat=seat, mountain=mountain, stones=player.stones)]
    return []


