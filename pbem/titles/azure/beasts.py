"""Turn 3: the Auspicious Beasts."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from pbem.engine.title import OVER, Event
from pbem.titles.azure.realm import SPACES, Realm, realm
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
    return guardians(position, realm(*position.realm), beast).count(seat)


class Claim(NamedTuple):
    """A Beast that comes to the player in turn; ``even`` with an equal count, by a favored stone."""

    guards: int
    loser: str | None
    against: int
    even: bool


_BITS, _MASK = 6, 63
_PLACES = {beast: _BITS * number for number, beast in enumerate(BEASTS)}
"""Guards of all Beasts are counted at once: six bits of a number for each, one after the other in their order."""


@lru_cache(maxsize=256)
def _guarding(*laid: str) -> dict[str, int]:
    """Space → one for each Beast whose mountain a stone on it guards."""
    found = dict.fromkeys(SPACES, 0)
    for beast, place in _PLACES.items():
        for space in guarded_from(realm(*laid), beast):
            found[space] += 1 << place
    return found


def _all_guards(position: AzurePosition, seat: str) -> int:
    """``guards`` of each Beast."""
    guarding = _guarding(*position.realm)
    return sum([guarding[space] for space, owner in position.stones.items() if owner == seat])


def claim(position: AzurePosition, laid: Realm, beast: str, seat: str, mine: int) -> Claim | None:
    """Whether a Beast comes to the player in turn, who has so many guards and they are enough, and from whom."""
    holder = position.beasts.get(beast)
    if holder == seat:
        return None
    against = guardians(position, laid, beast).count(holder) if holder is not None else 0
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
    bird, laid, counts = False, realm(*position.realm), _all_guards(position, seat)
    for beast, place in _PLACES.items():
        mine = counts >> place & _MASK
        if mine < LEAST_GUARDS or (found := claim(position, laid, beast, seat, mine)) is None:
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
        counts = _all_guards(position, seat)
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


