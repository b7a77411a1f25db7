"""What the order template of Azure is filled from: what a seat has, and what it can do in the phase being played."""

from __future__ import annotations

from typing import Any

import msgspec

from pbem.engine.title import OVER, Title
from pbem.titles.azure.beasts import check_beasts, guards
from pbem.titles.azure.bonds import cost, gift_left
from pbem.titles.azure.boons import QI, WISDOM, more_due, take_boons, take_more
from pbem.titles.azure.hands import hand, hand_size, in_order
from pbem.titles.azure.realm import realm
from pbem.titles.azure.sequence import DISCARD, PLACE, other
from pbem.titles.azure.vocabulary import BEASTS, COLOURS, AzurePosition, Discard, Favored, Place


def offers(title: Title[AzurePosition], position: AzurePosition, seat: str, everything: bool = False) -> dict[str, Any]:
    """Facts for ``order.toml.j2``, counts and ids only; orders stand as tables.

    ``kind`` is the phase without its turn. ``places`` and ``gifted`` (the same with the gifted stone): what can be paid for, cheapest
    first, and what it brings; ``returns``: cards that can go back, and what is then left. Nothing is shortened, so ``everything``
    changes nothing here.
    """
    kind = position.phase.partition(".")[2]
    player, opponent = position.players[seat], other(position, seat)
    phase = title.phase(position)
    choices = list(phase.choices(position, seat)) if phase is not None else []
    return {
        "kind": kind,
        "order_of_play": [position.start, other(position, position.start)],
        "opponent": opponent,
        "hand": hand(position, seat),
        "secret": in_order(player.secret),
        "theirs": {"seen": in_order(position.players[opponent].seen), "secret": position.players[opponent].secret_size},
        "decks": {colour: position.decks.get(colour, 0) for colour in COLOURS},
        "hidden": position.hidden_size,
        "wisdom": {each: position.players[each].wisdom for each in (seat, opponent)},
        "stones": {each: position.players[each].stones for each in (seat, opponent)},
        "beasts": [
            {
                "beast": beast,
                "holder": position.beasts.get(beast, ""),
                "guards": {each: guards(position, beast, each) for each in (seat, opponent)},
            }
            for beast in BEASTS
        ],
        "gift": position.gift,
        "gift_left": gift_left(position, seat),
        "places": _places(position, seat, choices, gifted=False) if kind == PLACE else [],
        "gifted": _places(position, seat, choices, gifted=True) if kind == PLACE else [],
        "returns": _returns(position, seat, choices) if kind == DISCARD else [],
        "to_return": min(2, hand_size(player)),
    }  # fmt: skip


def _table(order: msgspec.Struct) -> dict[str, Any]:
    table: dict[str, Any] = msgspec.to_builtins(order)
    return table


def _places(position: AzurePosition, seat: str, choices: list[msgspec.Struct], gifted: bool) -> list[dict[str, Any]]:
    rows = [_place(position, seat, order) for order in choices if isinstance(order, Place) and order.gifted == gifted]
    return sorted(rows, key=lambda row: row["pay"])


def _place(position: AzurePosition, seat: str, order: Place) -> dict[str, Any]:
    """What an order costs and brings: cards, wisdom, Beasts, the game."""
    price = cost(position, seat, order.space, order.gifted)
    laid = realm(*position.realm)
    here = laid.spaces[order.space]
    due = more_due(position, laid, seat, order.space, order.gifted)
    probe = position.copy()
    before = sum(probe.players[seat].seen.values())
    probe.stones[order.space] = seat
    if order.gifted:
        probe.players[seat].gifted = order.space
    else:
        probe.players[seat].stones -= 1
    take_boons(probe, laid, seat, order.space)
    if due and probe.phase != OVER:
        take_more(probe, laid, seat, order.space, order.boon or due[0])
    cards = sum(probe.players[seat].seen.values()) - before
    steps = here.wisdom + (WISDOM in (order.boon, *due[:1]) and order.boon != QI)
    events = check_beasts(probe, laid, seat, laid.sums.of(probe.stones)[0]) if probe.phase != OVER else []
    return {
        "order": _table(order),
        "pay": price.cards,
        "colour": price.colour,
        "bonds": price.bonds,
        "cards": cards,
        "qi": here.qi,
        "steps": steps,
        "snake": here.snake,
        "beasts": [event.beast for event in events if isinstance(event, Favored)],
        "wins": probe.winner == seat,
    }


def _returns(position: AzurePosition, seat: str, choices: list[msgspec.Struct]) -> list[dict[str, Any]]:
    rows = []
    for order in choices:
        if isinstance(order, Discard):
            left = hand(position, seat)
            for card in order.cards:
                left[card] -= 1
            rows.append({"order": _table(order), "left": in_order(left)})
    return rows
