"""Refill: a die per paladin played, and a paladin per die."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.engine.chance import Chance
from pbem.engine.title import Event
from pbem.titles.carolus_magnus.crowns import as_said_beforehand, give_for_crowns
from pbem.titles.carolus_magnus.pieces import counted, put, take
from pbem.titles.carolus_magnus.sequence import next_turn, round_of
from pbem.titles.carolus_magnus.vocabulary import CROWN, FACES, CarolusPosition, CountsAsCrown, NothingLeft, Refilled, Returned


def refill(position: CarolusPosition, seat: str, dice: int, wishes: Sequence[str], chance: Chance) -> Iterator[Event]:
    """Colours before crowns; crowns as said beforehand, and where nothing was said the player is asked. Then the next turn."""
    player = position.players[seat]
    label = f"refill of {seat}"
    faces = [chance.roll(FACES, label) for _ in range(dice)]
    player.crowns = faces.count(CROWN)
    if dice:
        yield Refilled(seat=seat, colours=counted(faces), crowns=player.crowns)
    supply = position.supply
    for clan in faces:
        if clan == CROWN:
            continue
        if clan not in supply:
            yield _used_up(position, seat, clan)
        if clan in supply:
            take(supply, clan)
            put(player.reserve, clan)
        else:
            player.crowns += 1
    if wishes and (said := as_said_beforehand(position, seat, wishes)):
        yield give_for_crowns(position, seat, said, beforehand=True)
    if player.crowns > (left := sum(position.supply.values())):
        yield NothingLeft(seat=seat, dice=player.crowns - left)
        player.crowns = left
    if player.crowns:
        position.phase = f"{round_of(position.phase)}.crowns"
    else:
        yield from next_turn(position)


def _used_up(position: CarolusPosition, seat: str, clan: str) -> Event:
    """Every court gives back as many of the clan as the one with fewest has; when that is none, the die counts as a crown."""
    count = min(player.court.get(clan, 0) for player in position.players.values())
    if not count:
        return CountsAsCrown(seat=seat, clan=clan)
    for player in position.players.values():
        take(player.court, clan, count)
        put(position.supply, clan, count)
    return Returned(seat=seat, clan=clan, count=count)
