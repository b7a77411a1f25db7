"""Every code an order or a case's position of Azure can be refused with, and the facts it brings.

Everywhere: ``space`` is an id such as "c4", ``card`` and ``domain`` a colour, ``seat`` a seat; ``found`` is the word as written,
``allowed`` the words that would do, ``nearest`` the most similar of them or "". ``field`` of the refusal names the key of the order.
"""

from __future__ import annotations

from pbem.engine.refusals import known, nearest

MALFORMED: dict[str, tuple[str, ...]] = {
    # code → facts
    "unknown-space": ("found", "allowed", "nearest"),
    "unknown-card": ("found", "allowed", "nearest"),
    "unknown-boon": ("found", "allowed", "nearest"),
    # positions of cases
    "unknown-player": ("found", "allowed", "nearest"),
    "unknown-beast": ("found", "allowed", "nearest"),
    "unknown-gift": ("found", "allowed", "nearest"),
    "realm-unknown": ("found", "colours"),  # not one side of each colour, turned 0 to 3
    "position-unreadable": ("reason",),
    "position-phase": ("found",),
    "position-too-many": ("thing", "found", "high"),  # more of a thing than there is
}

ILLEGAL: dict[str, tuple[str, ...]] = {
    # code → facts
    "not-asked": ("asked",),  # somebody else decides now: list of seats
    "not-now": ("found", "allowed", "phase"),  # an order of another phase: words behind do
    "mountain": ("space", "domain"),
    "space-taken": ("space", "seat"),
    "too-few-cards": ("space", "card", "needed", "have", "symbols", "surcharge", "bonds"),  # have: private
    "no-common-stone": ("space",),  # the common stones are used up, the gifted one is left
    "no-gift": (),  # gifted = true in a game without the module
    "gift-used": ("space",),  # where the gifted stone stands
    "boon-not-shown": ("space", "found", "allowed"),  # the space shows no such boon
    "deck-empty": ("card",),  # boon = "qi" of an empty face-up deck
    "wrong-number": ("needed", "given", "have"),  # of cards to return
    "not-in-hand": ("card", "needed", "have"),  # needed of it in the order, have in hand: private
}

CODES: dict[str, tuple[str, ...]] = MALFORMED | ILLEGAL
PRIVATE_FACTS = ("have",)
"""Facts that say what a player holds: nobody else may be told."""

__all__ = ["CODES", "ILLEGAL", "MALFORMED", "PRIVATE_FACTS", "known", "nearest"]
