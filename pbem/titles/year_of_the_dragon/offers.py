"""What the order template of In the Year of the Dragon is filled from: what a seat has, and what it can do in the phase being played."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import msgspec

from pbem.engine.title import Order, Phase, Title
from pbem.titles.year_of_the_dragon.action import group_of, price_of, privilege_price
from pbem.titles.year_of_the_dragon.building import floors_to_build
from pbem.titles.year_of_the_dragon.pieces import inhabited, palaces, symbols, tiles_left, with_room
from pbem.titles.year_of_the_dragon.sequence import event_of
from pbem.titles.year_of_the_dragon.tables import (
    ACTIONS,
    CARDS,
    DRAGONS,
    LARGE,
    PERSON_OF,
    PERSONS,
    SMALL,
    SYMBOL_OF,
    SYMBOLS,
    TILES_OF,
    VALUE,
    WILD,
    YOUNG,
)
from pbem.titles.year_of_the_dragon.vocabulary import Action, DragonPosition, Pass, Player, Recruit, Release, Retinue

_EXAMPLES_OF_BUILDING = 4
_GROWS_WITH = {
    "taxes": "tax collector", "harvest": "farmer", "fireworks": "pyrotechnist", "parade": "warrior", "research": "scholar",
}  # fmt: skip


def offers(title: Title[DragonPosition], position: DragonPosition, seat: str, everything: bool = False) -> dict[str, Any]:
    """Facts for ``order.toml.j2``, counts and ids only; orders stand as tables.

    ``kind`` is the phase without its month; ``order_of_play``, what the seat ``has`` and its ``palaces`` are always there, as is what is
    ``coming``; the rest belongs to the phase. ``everything``: every choice as a line of its own.
    """
    player = position.players[seat]
    kind = position.phase.partition(".")[2]
    coming = position.year[max(1, int(position.phase.partition(".")[0])) - 1 :] if position.phase != "over" else ()
    facts: dict[str, Any] = {
        "kind": kind,
        "order_of_play": list(position.waiting or position.track),
        "spaces": {each: position.players[each].space for each in position.track},
        "points": {each: position.players[each].points for each in position.track},
        "has": {"yuan": player.yuan, "rice": player.rice, "fireworks": player.fireworks, "privileges": dict(player.privileges)},
        "hand": [[card, player.cards[card]] for card in CARDS if card in player.cards],
        "palaces": [_palace(number, palace.floors, palace.persons) for number, palace in palaces(player)],
        "coming": list(coming),
    }
    makers: dict[str, Callable[[], dict[str, Any]]] = {
        "retinue": lambda: _retinues(title, position, seat, everything),
        "action": lambda: _actions(title, position, seat, everything),
        "person": lambda: _persons(title, position, seat, everything),
        "event": lambda: _releases(title, position, seat, everything),
    }
    return facts | (makers[kind]() if kind in makers else {})


def _table(order: msgspec.Struct) -> dict[str, Any]:
    """An order as a table whose keys keep the order in which the rules name them."""
    table: dict[str, Any] = msgspec.to_builtins(order)
    return table


def _palace(number: int, floors: int, persons: tuple[str, ...]) -> dict[str, Any]:
    return {"number": number, "floors": floors, "persons": list(persons)}


def _phase(title: Title[DragonPosition], position: DragonPosition) -> Phase[DragonPosition]:
    phase = title.phase(position)
    if phase is None:
        raise ValueError("the game is over")
    return phase


def _tile(tile: str, position: DragonPosition) -> dict[str, Any]:
    symbol = SYMBOL_OF[PERSON_OF[tile]]
    return {
        "tile": tile, "person": PERSON_OF[tile], "steps": VALUE[tile], "symbol": symbol, "count": SYMBOLS[tile],
        "left": position.display.get(tile, 0),
    }  # fmt: skip


# -- retinue ----------------------------------------------------------------------------------------------------------


def _retinues(title: Title[DragonPosition], position: DragonPosition, seat: str, everything: bool) -> dict[str, Any]:
    """One line per free pair, one person in each palace; or every way to place each."""
    rows = []
    for order in _phase(title, position).choices(position, seat):
        if isinstance(order, Retinue) and order.persons and (everything or order.palaces == (1, 2)):
            tiles = [TILES_OF[person][YOUNG] for person in order.persons]
            rows.append({"order": _table(order), "steps": sum(VALUE[tile] for tile in tiles)})
    rows.sort(key=lambda row: -int(str(row["steps"])))
    return {
        "pairs": rows,
        "watch": PERSONS[-1],
        "table": [_tile(TILES_OF[person][YOUNG], position) for person in PERSONS],
        "year": list(position.year),
    }


# -- action -----------------------------------------------------------------------------------------------------------


def _actions(title: Title[DragonPosition], position: DragonPosition, seat: str, everything: bool) -> dict[str, Any]:
    """One line per action that can be paid, some examples of building; or every choice."""
    player = position.players[seat]
    rows, blocked, shown = [], list[str](), 0
    for order in _phase(title, position).choices(position, seat):
        if isinstance(order, Pass):
            continue
        if isinstance(order, Action):
            if order.action == "build":
                shown += 1
                if not everything and shown > _EXAMPLES_OF_BUILDING:
                    continue
            rows.append(_action(position, player, order, everything))
    offered = {row["action"] for row in rows}
    blocked = [action for action in ACTIONS if action not in offered]
    return {
        "actions": rows,
        "pass": {"order": _table(Pass()), "gains": max(0, 3 - player.yuan)},
        "blocked": blocked,
        "more_ways": max(0, shown - _EXAMPLES_OF_BUILDING) if not everything else 0,
        "floors": floors_to_build(player),
        "next_palace": player.next_palace,
        "groups": [
            {"number": number, "cards": list(cards), "dragons": [each for each in position.seats if position.dragons.get(each) == number]}
            for number, cards in enumerate(position.groups, start=1)
        ],
        "watch": rows[0]["action"] if rows else ACTIONS[0],
    }


def _action(position: DragonPosition, player: Player, order: Action, everything: bool) -> dict[str, Any]:
    group = group_of(position, order.action)
    # The action names its group; without the number the line stays right when it is filed for a month whose groups are not known.
    written = _table(order) if everything else {key: value for key, value in _table(order).items() if key != "group"}
    gains = {"build": floors_to_build(player), "privilege": DRAGONS.get(order.size or "", 0), "taxes": 2}.get(order.action, 1)
    if order.action in _GROWS_WITH:
        gains += symbols(player, _GROWS_WITH[order.action])
    costs = privilege_price(position, order.size) if order.size in (SMALL, LARGE) else 0
    return {
        "order": written, "action": order.action, "group": group, "gains": gains, "paid": price_of(position, group), "costs": costs,
    }  # fmt: skip


# -- person -----------------------------------------------------------------------------------------------------------


def _persons(title: Title[DragonPosition], position: DragonPosition, seat: str, everything: bool) -> dict[str, Any]:
    """One line per tile that can be had; when all palaces are full, with whom silence would release first, and one to decline."""
    player = position.players[seat]
    room = with_room(player)
    spent = [card for card in CARDS if card in player.cards and card != WILD and not tiles_left(position, card)]
    rows = [] if everything else [*_one_line_per_tile(position, player, room)]
    if everything:
        rows = [
            {"order": _table(order), **_tile(TILES_OF[order.person or order.card][order.age], position), "card": order.card}
            for order in _phase(title, position).choices(position, seat)
            if isinstance(order, Recruit) and order.age
        ]
    return {
        "persons": rows,
        "spent": [{"order": _table(Recruit(card=card)), "card": card} for card in spent],
        "room": room,
        "declined": {key: value for key, value in {**rows[0]["order"], "decline": True}.items() if key not in ("palace", "release")}
        if rows and not room
        else None,
        "watch": PERSON_OF[rows[0]["tile"]] if rows else PERSONS[0],
        "tiles": [_tile(tile, position) for tile in position.display],
    }


def _one_line_per_tile(position: DragonPosition, player: Player, room: list[int]) -> Iterator[dict[str, Any]]:
    for person in PERSONS:
        card = person if person in player.cards else WILD
        if card not in player.cards:
            continue
        for age in tiles_left(position, person):
            written = age if len(TILES_OF[person]) > 1 else None
            order = Recruit(card=card, person=person if card == WILD else None, age=written, palace=room[0] if room else None)
            if not room:
                order = _instead_of_somebody(player, order)
            yield {"order": _table(order), **_tile(TILES_OF[person][age], position), "card": card}


def _instead_of_somebody(player: Player, order: Recruit) -> Recruit:
    """With all palaces full: in place of the person who matters least, or declined when nobody is there."""
    living = [(SYMBOLS[tile], VALUE[tile], number, tile) for number, palace in palaces(player) for tile in palace.persons]
    if not living:
        return msgspec.structs.replace(order, decline=True)
    _, _, number, tile = min(living)
    return msgspec.structs.replace(order, palace=number, release=tile)


# -- event ------------------------------------------------------------------------------------------------------------


def _releases(title: Title[DragonPosition], position: DragonPosition, seat: str, everything: bool) -> dict[str, Any]:
    """What silence would do, then one line per person that may go first; or every choice."""
    player = position.players[seat]
    phase = _phase(title, position)
    by_silence: Order = phase.default(position, seat)
    rows = []
    for order in islice(phase.choices(position, seat), None if everything else 0):
        rows.append({"order": _table(order)})
    drought = event_of(position, position.phase) == "drought"
    key = "unsupplied" if drought else "persons"
    if not everything:
        singles = [
            {"do": "release", key: [{"palace": number, "person": tile}]}
            for number, palace in palaces(player)
            for tile in dict.fromkeys(palace.persons)
        ]  # fmt: skip
        rows = [{"order": order} for order in singles]
    return {
        "event": event_of(position, position.phase),
        "due": player.due,
        "silence": _table(by_silence) if isinstance(by_silence, Release) else None,
        "releases": rows,
        "inhabited": inhabited(player),
        "watch": "",
    }
