"""Every code an order, a board or a case's position of Ming Dynasty can be refused with, and the facts it brings.

Everywhere: ``district`` and ``province`` are ids, ``seat`` and ``player`` seats, ``card`` a transport or "dragon"; ``found`` is the word as
written, ``allowed`` the words that would do, ``nearest`` the most similar of them or "". ``field`` of the refusal names the key of the
order ("path[1]", "pay", "deploy", "counts.yunnan", …) or is "" for the order as a whole.
"""

from __future__ import annotations

from pbem.engine.refusals import known, nearest

MALFORMED: dict[str, tuple[str, ...]] = {
    # code → facts
    "unknown-district": ("found", "allowed", "nearest"),
    "unknown-province": ("found", "allowed", "nearest"),
    "unknown-card": ("found", "allowed", "nearest"),
    "unknown-player": ("found", "allowed", "nearest"),
    "dragon-not-on-display": (),  # { do = "draw", card = "dragon" }: a dragon costs a member, { do = "dragon", from = … }
    "missing-key": ("keys",),  # none of the keys is there, one is needed
    "too-many-keys": ("keys",),  # only one of the keys may be there
    "empty-list": (),  # a list without anything in it
    "one-at-a-time": ("count",),  # provinces = […] of several where one decision is asked
    "out-of-range": ("found", "low", "high"),  # deploy 0 to 3, a bid 0 to 6
    "seat-reserved": ("seat",),  # at set-up: a seat may not be called as the neutral colour is
    # boards, at set-up; ``key`` and ``reason`` as in the board file
    "board-unknown": ("found", "allowed", "nearest"),
    "board-unreadable": ("reason",),  # no TOML, a key missing, unknown or of the wrong type: reason in English
    "board-number": ("key", "found", "low", "high"),
    "board-provinces": ("found", "needed"),  # number of provinces
    "board-province-twice": ("province",),  # the same id, or the same row and column
    "board-unknown-transport": ("found", "allowed", "nearest"),
    "board-card-count": ("card", "found"),  # a kind of movement card of which there is none
    "board-unknown-district": ("found", "allowed", "nearest"),
    "board-border-twice": ("from", "to"),
    "board-border-to-itself": ("district",),
    "board-unconnected": ("district",),  # cannot be reached from the first district
    "board-too-few-cards": ("found", "needed", "players"),
    # positions of cases
    "position-unreadable": ("reason",),
    "position-phase": ("found",),
    "position-too-many": ("thing", "found", "high"),  # more of a thing than there is
}

ILLEGAL: dict[str, tuple[str, ...]] = {
    # code → facts
    "not-asked": ("asked",),  # somebody else decides now: list of seats
    "not-now": ("found", "allowed", "phase"),  # an order of another phase: words behind do
    "district-taken": ("district", "seat"),  # a prince is there: whose (0.prince)
    "all-districts-taken": ("districts",),  # every district of the list (0.prince)
    "district-full": ("district", "high"),  # neutral members: high is how many a district may hold
    "space-empty": ("province", "allowed"),  # no own member on this space; allowed = where there are some
    "slot-empty": ("province",),  # no card beside this space
    "other-card": ("province", "shown", "wanted"),  # the slot shows another kind; wanted is a list
    "no-such-card": ("wanted", "offered"),  # none of the wanted kinds where I have a member; offered = {province: card} I may take
    "no-dragons": (),  # the dragon stack is empty
    "path-names-start": ("district",),  # path begins with the district the prince stands in
    "no-such-border": ("from", "to", "neighbours"),  # neighbours of "from": list of districts
    "wrong-card": ("step", "needed", "given", "from", "to"),  # step counts from 1; a dragon always fits
    "pay-length": ("steps", "cards"),  # one card per step
    "not-in-hand": ("card", "needed", "have"),
    "too-few-cards": ("needed", "have"),  # pay left out: {card: how many} the way costs, {card: how many} in hand, dragons included
    "no-way": ("from", "to", "pay"),  # no way with the cards in hand, or with exactly these cards; pay is a list, empty when left out
    "prince-stands-there": ("district", "seat"),  # a walk may not end there
    "too-many": ("deploy", "there", "province"),  # fewer members on the province's space
    "own-monastery": ("district",),  # nothing may be deployed while the own member holds the monastery
    "nothing-deployed-for-monastery": ("district",),
    "other-bids": ("key", "province"),  # a key for all cities in the phase of one, which is province; or for one where all are bid for: ""
}

CODES: dict[str, tuple[str, ...]] = MALFORMED | ILLEGAL

__all__ = ["CODES", "ILLEGAL", "MALFORMED", "known", "nearest"]
