"""A position in the vocabulary of case files, read and shown.

The keys are those of ``vocabulary.CarolusPosition``; docs/positions.md describes each, and what it holds when it is not named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import msgspec

from pbem.engine.position import to_table
from pbem.engine.refusals import Malformed
from pbem.engine.title import OVER
from pbem.titles.carolus_magnus.court import first_at_court
from pbem.titles.carolus_magnus.end import standings
from pbem.titles.carolus_magnus.pieces import in_order, put
from pbem.titles.carolus_magnus.refusal_codes import known
from pbem.titles.carolus_magnus.ring import region_of
from pbem.titles.carolus_magnus.sequence import is_phase_id
from pbem.titles.carolus_magnus.sides import CASTLES, OF_EACH_CLAN, SEATS, castles_in_play, side_of, sides
from pbem.titles.carolus_magnus.vocabulary import CLANS, DISCS, TERRITORIES, CarolusPosition, Player, Region

DERIVED = ("territories", "castles", "places")
_MOST = 10_000


def show_position(position: CarolusPosition) -> dict[str, Any]:
    """The position as a table, and three derived keys.

    ``territories`` (number → the region that holds it), ``castles`` (first seat of a side → castles in play), ``places`` (seat → place in
    the result as things stand).
    """
    table = to_table(position)
    # what a case fills in when it is not named is shown even where it is empty, so that what is shown can be read again
    table |= {"control": in_order_of_clans(position.control), "supply": {clan: position.supply.get(clan, 0) for clan in CLANS}}
    table |= {"emperor": position.emperor, "order": list(position.order)}
    for seat, player in position.players.items():
        table["players"][seat] |= {"disc": player.disc, "used": list(player.used)}
    table["territories"] = {
        str(land): {"lands": list(region.lands), "paladins": in_order(region.paladins), "castles": dict(region.castles)}
        for region in position.regions
        for land in region.lands
    }
    table["castles"] = {side[0]: castles_in_play(position, side) for side in sides(position)}
    table["places"] = {line.seat: line.place for line in standings(position)}
    return table


def in_order_of_clans(control: Mapping[str, str]) -> dict[str, str]:
    """Who controls which clan, in the order of the clans."""
    return {clan: control[clan] for clan in CLANS if clan in control}


def read_position(table: Mapping[str, Any]) -> CarolusPosition:
    """A position from a case's table. Malformed when it cannot be."""
    raw = dict(table)
    seats = raw.get("seats")
    if not isinstance(seats, list) or len(seats) not in SEATS or not all(isinstance(seat, str) and seat for seat in seats):
        raise _unreadable("seats", f"a list of {SEATS.start} to {SEATS.stop - 1} names is needed")
    if len(set(seats)) < len(seats):
        raise _unreadable("seats", "a name twice")
    raw.setdefault("phase", "1.disc")
    named = set(raw)
    try:
        position = msgspec.convert(raw, CarolusPosition)
    except msgspec.ValidationError as error:
        raise Malformed("position-unreadable", reason=str(error)) from None
    if position.phase != OVER and not is_phase_id(position.phase):
        raise Malformed("position-phase", "phase", found=position.phase)
    _check_players(position)
    _check_counts(position)
    _fill_in_ring(position)
    _fill_in_turns(position, raw)
    _fill_in_stock(position, named)
    return position


def _unreadable(where: str, reason: str) -> Malformed:
    return Malformed("position-unreadable", where, reason=f"{where}: {reason}")


def _check_players(position: CarolusPosition) -> None:
    seats = position.seats
    for where, words in (("players", position.players), ("control", position.control.values()), ("order", position.order)):
        for seat in words:
            known("unknown-player", seat, seats, where)
    if position.turn is not None:
        known("unknown-player", position.turn, seats, "turn")
    position.players = {seat: position.players.get(seat, Player()) for seat in seats}
    position.order = position.order or list(seats)
    if sorted(position.order) != sorted(seats):
        raise _unreadable("order", "every seat once")
    for seat, player in position.players.items():
        where = f"players.{seat}"
        for key, discs in (("disc", [player.disc] if player.disc else []), ("used", player.used)):
            if not set(discs) <= set(DISCS) or len(set(discs)) < len(discs):
                raise _unreadable(f"{where}.{key}", f"discs are {DISCS[0]} to {DISCS[-1]}, each once")


def _count_tables(position: CarolusPosition) -> Iterator[tuple[str, dict[str, int]]]:
    yield "supply", position.supply
    for seat, player in position.players.items():
        yield f"players.{seat}.court", player.court
        yield f"players.{seat}.reserve", player.reserve
    for number, region in enumerate(position.regions):
        yield f"regions[{number}].paladins", region.paladins


def _check_counts(position: CarolusPosition) -> None:
    for clan in position.control:
        known("unknown-clan", clan, CLANS, "control")
    for where, counts in _count_tables(position):
        for clan in counts:
            known("unknown-clan", clan, CLANS, where)
    numbers = [(f"players.{seat}.crowns", player.crowns) for seat, player in position.players.items()]
    castles = [(f"regions[{at}].castles", region.castles) for at, region in enumerate(position.regions)]
    for where, counts in [*_count_tables(position), *castles]:
        numbers += [(f"{where}.{key}", number) for key, number in counts.items()]
        for key in [key for key, number in counts.items() if not number]:
            del counts[key]
    for where, number in numbers:
        if not 0 <= number <= _MOST:
            raise _unreadable(where, f"is {number}")


def _fill_in_ring(position: CarolusPosition) -> None:
    """Territories that are not named are empty regions of their own; castles of a team are counted by its first seat."""
    free = set(range(1, TERRITORIES + 1))
    for number, region in enumerate(position.regions):
        where, lands = f"regions[{number}]", region.lands
        gaps = any(following != land % TERRITORIES + 1 for land, following in pairwise(lands))
        if not lands or gaps or len(set(lands)) < len(lands) or not set(lands) <= free:
            raise _unreadable(f"{where}.lands", f"territories 1 to {TERRITORIES}, one after the other clockwise, each in one region")
        free -= set(lands)
        owners: dict[str, int] = {}
        for seat, count in region.castles.items():
            known("unknown-player", seat, position.seats, f"{where}.castles")
            put(owners, side_of(position, seat)[0], count)
        region.castles = owners
    position.regions = sorted([*position.regions, *(Region(lands=(land,)) for land in free)], key=lambda each: each.lands[0])
    if not 1 <= position.emperor <= TERRITORIES:
        raise _unreadable("emperor", f"a territory, 1 to {TERRITORIES}")
    position.emperor = region_of(position, position.emperor).lands[0]
    for side in sides(position):
        _limit(f"castles of {side[0]}", castles_in_play(position, side), CASTLES[len(position.seats)])


def _fill_in_turns(position: CarolusPosition, raw: Mapping[str, Any]) -> None:
    name, players = position.phase.partition(".")[2], position.players
    playing = name in ("turn", "crowns") and position.phase != "0.crowns"
    for number, seat in enumerate(position.order, start=1):
        if playing and "disc" not in raw.get("players", {}).get(seat, {}):
            players[seat].disc = number
        if players[seat].disc and players[seat].disc not in players[seat].used:
            players[seat].used.append(players[seat].disc)
    crowned = [seat for seat in position.seats if players[seat].crowns]
    unlaid = [seat for seat in position.order if not players[seat].disc]
    waiting = {"crowns": crowned, "disc": unlaid, "turn": position.order}.get(name, [])
    if position.phase == OVER:
        position.turn = None
    elif position.turn is None and waiting:
        position.turn = waiting[0]
    if position.phase != OVER and position.turn not in waiting:
        raise _unreadable("turn", f"nobody can decide in {position.phase}")


def _fill_in_stock(position: CarolusPosition, named: set[str]) -> None:
    for clan in CLANS:
        out = sum(counts.get(clan, 0) for where, counts in _count_tables(position) if where != "supply")
        _limit(clan, out + position.supply.get(clan, 0), OF_EACH_CLAN)
        if "supply" not in named and out < OF_EACH_CLAN:
            position.supply[clan] = OF_EACH_CLAN - out
    if position.phase.endswith(".crowns") and position.turn is not None:
        _limit("crowns", position.players[position.turn].crowns, sum(position.supply.values()))
    if "control" not in named:
        for clan in CLANS:
            if (seat := first_at_court(position, clan)[0]) is not None:
                position.control[clan] = seat


def _limit(thing: str, found: int, high: int) -> None:
    if found > high:
        raise Malformed("position-too-many", thing, thing=thing, found=found, high=high)
