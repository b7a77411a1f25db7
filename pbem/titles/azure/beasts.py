"""Turn 3: the Auspicious Beasts."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.title import OVER, Event
from pbem.titles.azure.lines import TALLY_MASK, Tally
from pbem.titles.azure.realm import Realm, realm
from pbem.titles.azure.sequence import advance, has_won, other, win
from pbem.titles.azure.vocabulary import (
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


def guards(position: AzurePosition, beast: str, seat: str) -> int:
    """Stones with which a seat guards the mountain of a Beast."""
    return [position.stones.get(space) for space in guarded_from(realm(*position.realm), beast)].count(seat)


def check_beasts(position: AzurePosition, laid: Realm, seat: str, sums: Mapping[str, Tally]) -> list[Event]:
    """Each Beast once, in order. The cards that the Bird brings are drawn afterwards. ``sums``: what the stones of each seat add up to."""
    events: list[Event] = []
    own, beasts = sums.get(seat, 0), position.beasts
    for beast, place in laid.guards_at.items():
        mine, holder = own >> place & TALLY_MASK, beasts.get(beast)
        if mine < LEAST_GUARDS or holder == seat:
            continue
        against = 0 if holder is None else sums.get(holder, 0) >> place & TALLY_MASK
        even = mine == against
        if mine < against or (even and not _takes_even(position, laid, beast, seat)):
            continue
        mountain = laid.mountains[HOMES[beast]]
        events.append(Favored(seat=seat, beast=beast, mountain=mountain, guards=mine, loser=holder, against=against, even=even))
        if holder is not None:
            events += _lose(position, beast, holder, mountain)
        beasts[beast] = seat
        events += _gain(position, beast, seat, mountain)
        if position.phase == OVER:
            break
        if beast == "tortoise":
            # it sets a stone, which may guard other mountains
            sums, _ = laid.sums.of(position.stones)
            own = sums.get(seat, 0)
    return events


def _takes_even(position: AzurePosition, laid: Realm, beast: str, seat: str) -> bool:
    """Whether an equal count is enough: a favored stone guards that mountain, and the opponent's does not."""
    return _favored(position, laid, beast, seat) and not _favored(position, laid, beast, other(position, seat))


def _favored(position: AzurePosition, laid: Realm, beast: str, seat: str) -> bool:
    stands = position.players[seat].gifted
    return position.gift == "favored" and stands is not None and stands in guarded_from(laid, beast)


def bird_may_come(position: AzurePosition, laid: Realm, seat: str, sums: Mapping[str, Tally]) -> bool:
    """Whether a seat may have guards enough for the Bird where the stones of each add up to this, and the Bird is not with him."""
    holder, place = position.beasts.get("bird"), laid.guards_at["bird"]
    if holder == seat:
        return False
    against = LEAST_GUARDS if holder is None else max(LEAST_GUARDS, sums.get(holder, 0) >> place & TALLY_MASK)
    return sums.get(seat, 0) >> place & TALLY_MASK >= against


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
        return [gained, *win(position, seat, "wisdom")] if has_won(position, seat) else [gained]
    if beast == "tortoise":
        if not player.stones:
            return [NoStoneLeft(seat=seat, mountain=mountain)]
        player.stones -= 1
        position.stones[mountain] = seat
        return [StoneSet(seat=seat, mountain=mountain, stones=player.stones)]
    return []
