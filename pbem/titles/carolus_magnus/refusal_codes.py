"""Every code an order or a case's position of Carolus Magnus can be refused with, and the facts it brings.

Everywhere: ``seat`` is a seat, ``clan`` a clan; ``found`` is what was written, ``allowed`` what would do, ``nearest`` the most similar
allowed word or "". ``field`` of the refusal names the key of the order ("court[1]", "lands[0].to", "value", …) or is "" for the order as
a whole.
"""

from __future__ import annotations

from pbem.engine.refusals import known, nearest

MALFORMED: dict[str, tuple[str, ...]] = {
    # code → facts
    "unknown-clan": ("found", "allowed", "nearest"),
    "out-of-range": ("found", "low", "high"),  # a territory 1 to 15, a disc or the Emperor's steps 1 to 5
    # positions of cases
    "unknown-player": ("found", "allowed", "nearest"),
    "position-unreadable": ("reason",),
    "position-phase": ("found",),
    "position-too-many": ("thing", "found", "high"),  # more of a thing than there is
}

ILLEGAL: dict[str, tuple[str, ...]] = {
    # code → facts
    "not-asked": ("asked",),  # somebody else decides now: list of seats
    "not-now": ("found", "allowed", "phase"),  # an order of another phase: words behind do
    "crown-count": ("found", "needed"),  # as many colours as crowns
    "used-up": ("clan", "needed", "left", "allowed"),  # the supply has not so many; allowed = clans it has
    "disc-used": ("value", "allowed"),  # laid in an earlier round, and not yet back
    "disc-laid": ("value", "seat", "allowed"),  # its value lies there this round already: whose
    "emperor-too-far": ("steps", "disc"),
    "paladin-count": ("found", "needed"),  # court and lands together
    "not-in-reserve": ("clan", "needed", "have", "reserve"),  # reserve: list of clans, one for each paladin
    "too-many-crowns": ("found", "dice"),  # more wishes than dice
}

CODES: dict[str, tuple[str, ...]] = MALFORMED | ILLEGAL

__all__ = ["CODES", "ILLEGAL", "MALFORMED", "known", "nearest"]
