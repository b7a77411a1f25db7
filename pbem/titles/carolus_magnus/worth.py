"""How a stand-in player judges a position: castles in play, what the Emperor may soon find, and who leads at the courts."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.title import OVER
from pbem.titles.carolus_magnus.end import standings
from pbem.titles.carolus_magnus.ring import index_of
from pbem.titles.carolus_magnus.sides import castles_in_play, side_of, sides, to_play
from pbem.titles.carolus_magnus.vocabulary import CLANS, DISCS, CarolusPosition, Region

CASTLE = 1000
WIN = 10**6
# How likely the Emperor is to stop so many steps ahead before this player's next turn, in hundredths.
_STOPS = (40, 90, 90, 75, 60, 45, 30, 25, 20, 15)


def worth(position: CarolusPosition, seat: str) -> int:
    """A number to compare positions of one decision by; about a thousand for a castle."""
    mine = side_of(position, seat)
    if position.phase == OVER:
        places = {line.seat: line.place for line in standings(position)}
        return WIN if places[seat] == 1 else -WIN
    values = {side: _of_side(position, side) for side in sides(position)}
    best_other = max(value for side, value in values.items() if side != mine)
    total = 2 * values[mine] - best_other - sum(value for side, value in values.items() if side != mine) // (len(values) - 1)
    if position.phase.endswith(".disc") and position.players[seat].disc:
        total += _disc(position, seat, mine)
    return total


def _of_side(position: CarolusPosition, side: tuple[str, ...]) -> int:
    total = CASTLE * castles_in_play(position, side)
    count, here = len(position.regions), index_of(position, position.emperor)
    for at, region in enumerate(position.regions):
        stops = _STOPS[min((at - here) % count, len(_STOPS) - 1)]
        total += stops * _promise(position, region, side) // 100
    for clan in CLANS:
        courts = {each: player.court.get(clan, 0) for each, player in position.players.items()}
        on_board = sum(region.paladins.get(clan, 0) for region in position.regions)
        holder = position.control.get(clan)
        if holder in side:
            others = max(number for each, number in courts.items() if each != holder)
            total += 120 + 12 * on_board + 30 * min(courts[holder] - others, 4)
        else:
            needed = (courts[holder] if holder is not None else 0) - max(courts[each] for each in side)
            total += 10 * max(0, 3 - needed)
    return total


def _promise(position: CarolusPosition, region: Region, side: tuple[str, ...]) -> int:
    """What a stop of the Emperor here would bring or cost a side, as things stand."""
    totals = strengths_by_side(position.control, sides(position), region)
    mine = totals[side]
    lead = mine - max(total for other, total in totals.items() if other != side)
    own, others = region.castles.get(side[0], 0), sum(number for owner, number in region.castles.items() if owner != side[0])
    if own:
        return CASTLE // 3 * own * max(-2, min(lead, 2)) // 2
    if lead > 0:
        return CASTLE // 2 * max(1, others) + 20 * min(lead, 4)
    return 40 * max(0, 3 + lead)


def strengths_by_side(control: Mapping[str, str], of: list[tuple[str, ...]], region: Region) -> dict[tuple[str, ...], int]:
    """Strength of every side in a region, paladins and castles together."""
    owner = {seat: side for side in of for seat in side}
    totals = {side: region.castles.get(side[0], 0) for side in of}
    for clan, number in region.paladins.items():
        if (seat := control.get(clan)) is not None:
            totals[owner[seat]] += number
    return totals


def _disc(position: CarolusPosition, seat: str, side: tuple[str, ...]) -> int:
    """A low disc goes first, a high one goes far: what the best region in reach would bring now, less for every pip."""
    disc, here, count = position.players[seat].disc, index_of(position, position.emperor), len(position.regions)
    help_in_hand = min(2, to_play(position, seat))
    gains = [0]
    for steps in range(1, disc + 1):
        region = position.regions[(here + steps) % count]
        totals = strengths_by_side(position.control, sides(position), region)
        lead = totals[side] - max(total for other, total in totals.items() if other != side)
        if side[0] not in region.castles and lead + help_in_hand > 0:
            gains.append((CASTLE // 4 + 30 * min(lead, 3)) * max(1, sum(region.castles.values())))
    return max(gains) - 60 * DISCS.index(disc)
