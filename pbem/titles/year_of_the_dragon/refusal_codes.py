"""Every code an order or a case's position of In the Year of the Dragon can be refused with, and the facts it brings.

Everywhere: ``person`` is a type ("monk"), ``tile`` a person tile ("old monk"), ``palace`` and ``group`` are numbers, ``seat`` and ``seats``
seats; ``found`` is the word as written, ``allowed`` the words that would do, ``nearest`` the most similar of them or "". ``field`` of the
refusal names the key of the order ("persons[1]", "floors[0]", "palace", …) or is "" for the order as a whole.
"""

from __future__ import annotations

from pbem.engine.refusals import known, nearest

MALFORMED: dict[str, tuple[str, ...]] = {
    # code → facts
    "unknown-action": ("found", "allowed", "nearest"),
    "unknown-person": ("found", "allowed", "nearest"),  # a type
    "unknown-tile": ("found", "allowed", "nearest"),  # a person with its age
    "unknown-card": ("found", "allowed", "nearest"),
    "unknown-age": ("found", "allowed", "nearest"),
    "unknown-size": ("found", "allowed", "nearest"),
    "unknown-floor": ("found", "allowed", "nearest"),  # a word in floors other than "new"
    "unknown-player": ("found", "allowed", "nearest"),  # positions only
    "missing-key": ("keys",),  # none of the keys is there, one is needed
    "key-not-here": ("key", "order"),  # a key that does not go with this kind of order: an action, a card, "decline", "drought", …
    "list-length": ("needed", "found"),
    "out-of-range": ("found", "low", "high"),
    "same-person": ("person",),  # the retinue is two different persons
    # positions of cases
    "position-unreadable": ("reason",),
    "position-phase": ("found",),
    "position-too-many": ("thing", "found", "high"),  # more of a thing than there is
}

ILLEGAL: dict[str, tuple[str, ...]] = {
    # code → facts
    "not-asked": ("asked",),  # somebody else decides now: list of seats
    "not-now": ("found", "allowed", "phase"),  # an order of another phase: words behind do
    "pair-taken": ("persons", "seat"),  # this pair is another player's retinue
    "no-such-palace": ("palace", "allowed"),  # numbers that would do
    "other-group": ("action", "found", "group"),  # the action lies in another group this month
    "group-occupied": ("action", "group", "seats", "needed", "have"),  # 3 yuan, and there are not as many
    "privilege-too-dear": ("size", "needed", "have"),  # have: after paying for an occupied group
    "floor-count": ("needed", "found"),  # 1 + craftsmen floors, all to be placed
    "palace-too-high": ("palace", "high"),  # no more than 3 floors
    "card-not-in-hand": ("card", "hand"),
    "no-tile": ("person", "age", "left"),  # tiles of this type left on display, by age; age "" = none is left at all
    "palace-full": ("palace", "room"),  # there is room in these palaces
    "room-left": ("key", "room"),  # neither release nor decline while there is room
    "palaces-full": ("palaces",),  # release somebody or decline; palaces: those there are, perhaps none
    "not-in-palace": ("tile", "palace", "there"),
}

AMBIGUOUS: dict[str, tuple[str, ...]] = {
    "which-age": ("person", "meanings"),  # young and old are both left
}

CODES: dict[str, tuple[str, ...]] = MALFORMED | ILLEGAL | AMBIGUOUS

__all__ = ["AMBIGUOUS", "CODES", "ILLEGAL", "MALFORMED", "known", "nearest"]
