"""Positions in the vocabulary of case files.

The keys are those of ``vocabulary.IslandPosition``. Not named: ``phase`` is 1.sail, ``rounds`` 6; no herrings are in the sea; three shoals
for each ground are in the bag; a player has six nets and no herrings, and the boat lies in the harbour.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from herring_island.phases import BY_NAME, standings
from herring_island.vocabulary import GROUNDS, MOST_LAID, MOST_ROUNDS, NETS, SEATS, SHOALS_PER_GROUND, IslandPosition, Player
from pbem.engine.position import to_table
from pbem.engine.refusals import Malformed
from pbem.engine.title import OVER

DERIVED = ("places",)
MOST_HERRINGS = 1000


def is_phase(phase_id: str) -> bool:
    """Whether some game has a phase of that id."""
    number, _, name = phase_id.partition(".")
    return name in BY_NAME and number in map(str, range(1, MOST_ROUNDS + 1))


def show_position(position: IslandPosition) -> dict[str, Any]:
    """The position as a table, and ``places``: seat → place as things stand."""
    table = to_table(position)
    # What means something else than nought where it is not named, is always shown: an empty bag, nets, rounds.
    table |= {"rounds": position.rounds, "shoals": dict(position.shoals)}
    for seat, player in position.players.items():
        table["players"][seat]["nets"] = player.nets
    table["places"] = {line.seat: line.place for line in standings(position)}
    return table


def read_position(table: Mapping[str, Any]) -> IslandPosition:
    """A position from a case's table. Malformed "position-unreadable" when it cannot be."""
    bag = dict.fromkeys(GROUNDS, SHOALS_PER_GROUND)
    try:
        position = msgspec.convert({"phase": "1.sail", "shoals": bag, **table}, IslandPosition)
    except msgspec.ValidationError as error:
        raise Malformed("position-unreadable", reason=str(error)) from None
    seats = position.seats
    _must(len(seats) in SEATS and len(set(seats)) == len(seats) and all(seats), "seats", seats)
    _must(set(position.players) <= set(seats), "players", sorted(position.players))
    position.players = {seat: position.players.get(seat, Player()) for seat in seats}
    _must(2 <= position.rounds <= MOST_ROUNDS, "rounds", position.rounds)
    known = position.phase == OVER or (is_phase(position.phase) and int(position.phase.partition(".")[0]) <= position.rounds)
    _must(known, "phase", position.phase)
    for key, counts, most in (("herrings", position.herrings, MOST_HERRINGS), ("shoals", position.shoals, SHOALS_PER_GROUND)):
        for ground, count in counts.items():
            _must(ground in GROUNDS and 0 <= count <= most, f"{key}.{ground}", count)
        for ground in [ground for ground, count in counts.items() if not count]:
            del counts[ground]
    for seat, player in position.players.items():
        _must(player.ground in ("", *GROUNDS), f"players.{seat}.ground", player.ground)
        _must(1 <= player.nets <= NETS, f"players.{seat}.nets", player.nets)
        _must(0 <= player.laid <= min(MOST_LAID, player.nets), f"players.{seat}.laid", player.laid)
        _must(0 <= player.herrings <= MOST_HERRINGS, f"players.{seat}.herrings", player.herrings)
    return position


def _must(holds: bool, key: str, found: object) -> None:
    if not holds:
        raise Malformed("position-unreadable", key, reason=f"{key} is {str(found)[:80]}")
