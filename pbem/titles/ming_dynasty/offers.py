"""What the order template of Ming Dynasty is filled from: what a seat has, and what it can do in the phase being played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from pbem.engine.title import Title
from pbem.titles.ming_dynasty.board import Board, load
from pbem.titles.ming_dynasty.neutral import left_after_bids, neutral_in_city
from pbem.titles.ming_dynasty.pieces import FULL_HAND, hand_size, in_city, owners, prince_in, turn_order
from pbem.titles.ming_dynasty.scoring import POINTS_FOR_MEMBER
from pbem.titles.ming_dynasty.sequence import cities_of, city_of, name_of, round_of
from pbem.titles.ming_dynasty.vocabulary import (
    DRAGON,
    NEUTRAL,
    Dragon,
    Draw,
    MingPosition,
    Move,
    Neutral,
    NeutralReturn,
    Place,
    Prince,
    Return,
    Starter,
    Stay,
)

MOST_DEPLOYED = 3


def offers(title: Title[MingPosition], position: MingPosition, seat: str, everything: bool = False) -> dict[str, Any]:
    """Facts for ``order.toml.j2``, counts and ids only; orders stand as tables.

    ``kind`` is the name of the phase and ``city`` its province, if it has one; ``order_of_play``, ``hand``, ``spaces``, ``princes``
    (seat → district) are always there, the rest belongs to the phase. ``everything``: each way to pay for a walk as a line of its own.
    """
    board = load(position.board)
    player = position.players[seat]
    kind = name_of(position.phase)
    facts: dict[str, Any] = {
        "kind": kind,
        "city": city_of(position.phase),
        "order_of_play": turn_order(position),
        "hand": {card: player.cards[card] for card in (*board.transports, DRAGON) if card in player.cards},
        "spaces": {name: player.spaces[name] for name in board.provinces if name in player.spaces},
        "princes": {each: position.players[each].prince for each in turn_order(position) if position.players[each].prince},
        "points": {each: position.players[each].points for each in turn_order(position)},
    }
    makers: dict[str, Callable[[], dict[str, Any]]] = {
        "neutral": lambda: _neutral_members(title, position, board, seat),
        "prince": lambda: _princes(position, board),
        "place": lambda: _spaces(position, board, seat),
        "draw": lambda: _cards(title, position, board, seat),
        "move": lambda: _walks(title, position, board, seat, everything),
        "return": lambda: _cities(position, seat),
        "neutral-return": lambda: _neutral_in_city(title, position, seat),
        "starter": lambda: {"starters": [{"order": _table(Starter(player=each)), "seat": each} for each in position.seats]},
    }
    return facts | (makers[kind]() if kind in makers else {})


def _table(order: msgspec.Struct) -> dict[str, Any]:
    """An order as a table whose keys keep the order in which the rules name them."""
    table: dict[str, Any] = msgspec.to_builtins(order)
    return table


def _neutral_members(title: Title[MingPosition], position: MingPosition, board: Board, seat: str) -> dict[str, Any]:
    """Districts with room, with who is there already."""
    phase = title.phase(position)
    choices = [order for order in phase.choices(position, seat) if isinstance(order, Neutral)] if phase else []
    return {
        "to_place": position.players[seat].neutral_to_place,
        "districts": [{"order": _table(order), "members": _who(position, order.district)["members"]} for order in choices],
        "watch": board.districts[0],
    }


def _princes(position: MingPosition, board: Board) -> dict[str, Any]:
    """Free districts with what their borders carry."""
    free = [name for name in board.districts if prince_in(position, name) is None]
    return {
        "districts": [
            {"order": _table(Prince(district=name)), "borders": [[transport, other] for other, transport in board.neighbours[name]]}
            for name in free
        ],
        "free": free,
    }


def _spaces(position: MingPosition, board: Board, seat: str) -> dict[str, Any]:
    to_place = position.players[seat].to_place
    example = [board.provinces[number % len(board.provinces)] for number in range(to_place)]
    return {
        "to_place": to_place,
        "watch": board.provinces[0],
        "at_once": _table(Place(provinces=tuple(example))) if to_place > 1 else None,
        "places": [
            {
                "order": _table(Place(province=name)),
                "members": {each: position.players[each].spaces[name] for each in position.seats if name in position.players[each].spaces},
                "card": position.display.get(name, ""),
            }
            for name in board.provinces
        ],
    }


def _cards(title: Title[MingPosition], position: MingPosition, board: Board, seat: str) -> dict[str, Any]:
    """Cards beside spaces with an own member, and dragons for a member."""
    phase = title.phase(position)
    spaces = position.players[seat].spaces
    choices = list(phase.choices(position, seat)) if phase else []
    cards = [order for order in choices if isinstance(order, Draw)]
    kinds = sorted({str(order.card) for order in cards}, key=board.transports.index)
    return {
        "to_draw": FULL_HAND - hand_size(position.players[seat]),
        "watch": str(cards[0].province) if cards else "",
        "dragons_left": position.dragons,
        "cards": [{"order": _table(order), "card": order.card, "mine": spaces[str(order.province)]} for order in cards],
        "preference": _table(Draw(card=tuple(kinds))) if len(kinds) > 1 else None,
        "dragons": [
            {"order": _table(order), "mine": spaces[order.from_]} for order in choices if isinstance(order, Dragon)
        ],
        "display": {name: position.display[name] for name in board.provinces if name in position.display},
    }


def _walks(title: Title[MingPosition], position: MingPosition, board: Board, seat: str, everything: bool) -> dict[str, Any]:
    """One line per district, cheapest way; or all ways. ``most`` is how many may be put down there."""
    phase = title.phase(position)
    walks: dict[str, dict[tuple[tuple[str, ...], tuple[str, ...]], int]] = {}
    stays: dict[str, int] = {}
    for order in phase.choices(position, seat) if phase else ():
        if isinstance(order, Move) and order.path and order.pay and isinstance(order.deploy, int):
            ways = walks.setdefault(order.path[-1], {})
            ways[order.path, order.pay] = max(order.deploy, ways.get((order.path, order.pay), 0))
        elif isinstance(order, Stay) and order.pay and isinstance(order.deploy, int):
            stays[order.pay] = max(order.deploy, stays.get(order.pay, 0))
    rows = []
    for goal, ways in walks.items():
        cheapest = next(iter(ways))
        for way, most in ways.items():
            path, pay = way
            if not everything and way != cheapest:
                break
            order = Move(path=path, pay=pay, deploy=most) if everything else Move(to=goal, deploy=most)
            row = {"order": _with_deploy(order, most), "pay": Counter(pay), "most": most, "others": len(ways) - 1}
            rows.append(row | _who(position, goal))
    prince = position.players[seat].prince or ""
    return {
        "walks": rows,
        "stays": [
            {"order": _with_deploy(Stay(pay=pay, deploy=most), most), "pay": pay, "most": most} for pay, most in stays.items()
        ],
        "prince": prince,
        "watch": next(iter(walks), prince),
        "here": _who(position, prince),
        "waiting": position.players[seat].spaces.get(board.province_of.get(prince, ""), 0),
        "blocked": [name for name in board.districts if prince_in(position, name) not in (None, seat)],
    }


def _with_deploy(order: Move | Stay, most: int) -> dict[str, Any]:
    # Left out it would mean 0; written down it can be changed.
    return {**_table(order), "deploy": most}


def _who(position: MingPosition, name: str) -> dict[str, Any]:
    district = position.districts.get(name)
    members = {each: district.members[each] for each in owners(position) if each in district.members} if district else {}
    return {"members": members, "monastery": (district.monastery or "") if district else ""}


def _parts(position: MingPosition, districts: Sequence[str]) -> dict[str, dict[str, int]]:
    """Letter of a district → owner → members in its houses; parts of a city without anybody are left out."""
    parts = {}
    for name in districts:
        district = position.districts.get(name)
        if district is not None and district.houses:
            parts[name.rpartition("-")[2]] = {each: district.houses[each] for each in owners(position) if each in district.houses}
    return parts


def _cities(position: MingPosition, seat: str) -> dict[str, Any]:
    """What stands in every city that is bid for; one line per city, and an example for the first two with own members."""
    cities = []
    example: dict[str, tuple[Any, ...]] = {}
    for province, districts in cities_of(position).items():
        parts = _parts(position, districts)
        if not parts:
            continue
        total = in_city(position, districts)
        mine: list[Any] = [letter for letter, houses in parts.items() if seat in houses]
        order = None
        if mine:
            example[province] = (mine[0],)
            order = _table(Return(count=1, from_=(mine[0],))) if city_of(position.phase) else _home({province: (mine[0],)})
        cities.append({"province": province, "parts": parts, "mine": total.get(seat, 0), "members": total, "order": order})
    return {
        "cities": cities,
        "each": POINTS_FOR_MEMBER.get(round_of(position.phase), 0),
        "nobody": _table(Return()),
        "example": _home(dict(list(example.items())[:2])) if len(example) > 1 else None,
    }


def _neutral_in_city(title: Title[MingPosition], position: MingPosition, seat: str) -> dict[str, Any]:
    """Who is left in the city after the bids, where the neutral members are, how many of them go and stay, and the ways to choose."""
    phase = title.phase(position)
    [districts] = cities_of(position).values()
    going, staying = neutral_in_city(position, districts)
    return {
        "left": left_after_bids(position, districts),
        "parts": {letter: houses[NEUTRAL] for letter, houses in _parts(position, districts).items() if NEUTRAL in houses},
        "going": going,
        "staying": staying,
        "ways": [{"order": _table(order)} for order in phase.choices(position, seat) if isinstance(order, NeutralReturn)] if phase else [],
    }


def _home(letters: dict[str, tuple[Any, ...]]) -> dict[str, Any]:
    return _table(Return(counts={province: len(each) for province, each in letters.items()}, from_=letters))
