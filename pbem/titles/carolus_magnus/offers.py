"""What the order template of Carolus Magnus is filled from: what a seat has, and what it can do in the phase being played."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from pbem.titles.carolus_magnus.crowns import ChooseCrowns
from pbem.titles.carolus_magnus.discs import allowed_discs
from pbem.titles.carolus_magnus.emperor import strengths
from pbem.titles.carolus_magnus.picture import short_name
from pbem.titles.carolus_magnus.pieces import by_court, counted, in_order, listed
from pbem.titles.carolus_magnus.ring import ahead_of_emperor, index_of
from pbem.titles.carolus_magnus.sides import castles_left, side_of, sides, to_play
from pbem.titles.carolus_magnus.vocabulary import CLANS, CarolusPosition, Crowns, Disc, Put, Region, Turn

MOST_TO_LANDS = 2
"""Paladins that the lines of the template send to where the Emperor stops; more would make them too long to read."""
_FEW_CROWNS = 12


def offers(position: CarolusPosition, seat: str, everything: bool = False) -> dict[str, Any]:
    """Facts for ``order.toml.j2``, counts and ids only; orders stand as tables.

    ``kind`` is the phase without its round; reserve, courts, discs and the ring are always there, the rest belongs to the phase.
    ``everything``: every set of colours that crowns can bring.
    """
    kind, player = position.phase.partition(".")[2], position.players[seat]
    facts: dict[str, Any] = {
        "kind": kind,
        # in the set-up crowns are chosen in seat order
        "order_of_play": [] if position.phase == "0.crowns" else list(position.order),
        "reserve": in_order(player.reserve),
        "supply": in_order(position.supply),
        "discs": [value for value in (1, 2, 3, 4, 5) if value not in player.used],
        "laid": {each: position.players[each].disc for each in position.order if position.players[each].disc},
        "courts": [
            {"clan": clan, "counts": {each: position.players[each].court.get(clan, 0) for each in position.seats},
             "control": position.control.get(clan, "")}
            for clan in CLANS
        ],
        "castles_left": [["+".join(side), castles_left(position, side)] for side in sides(position)],
        "partner": next((each for each in side_of(position, seat) if each != seat), ""),
        "ring": _ring(position),
    }  # fmt: skip
    makers: dict[str, Callable[[], dict[str, Any]]] = {
        "crowns": lambda: _crowns(position, seat, everything),
        "disc": lambda: {"lines": [_table(Disc(value=value)) for value in allowed_discs(position, seat)]},
        "turn": lambda: _turns(position, seat),
    }
    return facts | (makers[kind]() if kind in makers else {})


def _table(order: msgspec.Struct) -> dict[str, Any]:
    table: dict[str, Any] = msgspec.to_builtins(order)
    return table


def _ring(position: CarolusPosition) -> list[dict[str, Any]]:
    """Regions clockwise from the Emperor's."""
    at = index_of(position, position.emperor)
    return [_facts(position, region) for region in position.regions[at:] + position.regions[:at]]


def _facts(position: CarolusPosition, region: Region) -> dict[str, Any]:
    return {
        "name": short_name(region.lands),
        "paladins": in_order(region.paladins),
        "castles": [["+".join(side), region.castles[side[0]]] for side in sides(position) if side[0] in region.castles],
        "strengths": [["+".join(each.side), each.paladins + each.castles] for each in strengths(position, region)],
    }


def _crowns(position: CarolusPosition, seat: str, everything: bool) -> dict[str, Any]:
    """All sets of colours if they are few; else one of a single colour each, and one of several to be changed."""
    crowns = position.players[seat].crowns
    if not crowns:
        return {"crowns": 0, "lines": []}
    phase = ChooseCrowns()
    found = [order for order in phase.choices(position, seat) if isinstance(order, Crowns)]
    if not everything and len(found) > _FEW_CROWNS:
        plain = [order for order in found if len(set(order.colours)) == 1]
        found = [*plain, *[order for order in found if order not in plain][:1]]
    return {"crowns": crowns, "lines": [_table(order) for order in found]}


def _turns(position: CarolusPosition, seat: str) -> dict[str, Any]:
    """For every step of the Emperor two lines, all to court and some to where he stops; and a line for each clan to court."""
    player, number = position.players[seat], to_play(position, seat)
    favourite = _first(by_court(player.court), player.reserve, number)
    mine = side_of(position, seat)
    useful = sorted(CLANS, key=lambda clan: position.control.get(clan) not in mine)
    steps = []
    for step in range(1, min(player.disc, len(position.regions)) + 1):
        region = ahead_of_emperor(position, step)
        sent = _first(useful, player.reserve, min(MOST_TO_LANDS, number))
        left = {clan: player.reserve.get(clan, 0) - sent.count(clan) for clan in CLANS}
        to_lands = Turn(
            court=tuple(_first(by_court(player.court), left, number - len(sent))),
            lands=tuple(Put(to=region.lands[0], clan=clan) for clan in sent),
            emperor=step,
        )
        steps.append({"step": step, "court": _line(Turn(court=tuple(favourite), emperor=step)), "lands": _line(to_lands) if sent else None}
                     | _facts(position, region))  # fmt: skip
    courts = [
        tuple(_first([clan, *(each for each in by_court(player.court) if each != clan)], player.reserve, number))
        for clan in CLANS
        if player.reserve.get(clan) and number
    ]
    return {
        "to_play": number,
        "disc": player.disc,
        "steps": steps,
        "courts_to": [[_line(Turn(court=court, emperor=1))] for court in dict.fromkeys(courts) if court != tuple(favourite)],
        "watch": str(steps[0]["name"]).partition("–")[0] if steps else "",
    }


def _first(clans: list[str], reserve: dict[str, int], number: int) -> list[str]:
    """The first so many paladins of a reserve, clan by clan, in the order of the clans."""
    return listed(counted([clan for clan in clans for _ in range(reserve.get(clan, 0))][:number]))


def _line(order: Turn) -> dict[str, Any]:
    """An order as a table in the order of the rules' table; ``court`` stands there even when it is empty, to be filled in."""
    table = {"court": [], **_table(order)}
    return {key: table[key] for key in ("do", "court", "lands", "emperor") if key in table}
