"""Refill: a die per paladin played, and a paladin per die."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.chance import Chance
from pbem.engine.title import Event
from pbem.titles.carolus_magnus.crowns import as_said_beforehand, give_for_crowns
from pbem.titles.carolus_magnus.pieces import counted, move, put, take
from pbem.titles.carolus_magnus.sequence import next_turn, round_of
from pbem.titles.carolus_magnus.vocabulary import CROWN, FACES, CarolusPosition, CountsAsCrown, NothingLeft, Refilled, Returned


def roll(seat: str, dice: int, chance: Chance) -> list[str]:
    """The faces of that many dice."""
    label = f"refill of {seat}"
    return [chance.roll(FACES, label) for _ in range(dice)]


def refill(position: CarolusPosition, seat: str, faces: Sequence[str], wishes: Sequence[str]) -> list[Event]:
    """Colours before crowns; crowns as said beforehand, and where nothing was said the player is asked. Then the next turn."""
    events: list[Event] = []
    player, supply = position.players[seat], position.supply
    crowns = faces.count(CROWN)
    if faces:
        events.append(Refilled(seat=seat, colours=counted(faces), crowns=crowns))
    for clan in faces:
        if clan == CROWN:
            continue
        if clan not in supply:
            events.append(_used_up(position, seat, clan))
        if clan in supply:
            move(supply, player.reserve, clan)
        else:
            crowns += 1
    player.crowns = crowns
    if not crowns:
        return events + next_turn(position)
    if wishes and (said := as_said_beforehand(position, seat, wishes)):
        events.append(give_for_crowns(position, seat, said, beforehand=True))
    if player.crowns > (left := sum(supply.values())):
        events.append(NothingLeft(seat=seat, dice=player.crowns - left))
        player.crowns = left
    if not player.crowns:
        return events + next_turn(position)
    position.phase = f"{round_of(position.phase)}.crowns"
    return events


def _used_up(position: CarolusPosition, seat: str, clan: str) -> Event:
    """Every court gives back as many of the clan as the one with fewest has; when that is none, the die counts as a crown."""
    count = min(player.court.get(clan, 0) for player in position.players.values())
    if not count:
        return CountsAsCrown(seat=seat, clan=clan)
    for player in position.players.values():
        take(player.court, clan, count)
        put(position.supply, clan, count)
    return Returned(seat=seat, clan=clan, count=count)
