"""A position in the vocabulary of case files, read and shown.

The keys are those of ``vocabulary.DragonPosition``. Not named in a case: ``start`` is the first seat; ``year`` is YEAR; players have
what set-up gives them; the display is what is missing to the full number; ``track`` follows the spaces, on one space seat order;
``waiting`` are all, in the retinue clockwise, in the action and the person phase in track order, and nobody in an event, which strikes
first; in the action phase ``groups`` are the cards in table order. Everything else is empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from pbem.engine.position import to_table
from pbem.engine.refusals import Malformed
from pbem.titles.year_of_the_dragon.groups import cut
from pbem.titles.year_of_the_dragon.pieces import count_persons, inhabited, residents
from pbem.titles.year_of_the_dragon.refusal_codes import known
from pbem.titles.year_of_the_dragon.sequence import BY_THE_TRACK, event_of, phase_ids
from pbem.titles.year_of_the_dragon.set_up import clockwise, new_player
from pbem.titles.year_of_the_dragon.tables import (
    ACTIONS,
    CARDS,
    DISPLAY,
    DRAGONS,
    EVENT_KINDS,
    FULL_HAND,
    MONTHS,
    MOST_FLOORS,
    PLACE_IN_TABLE,
    TILES,
)
from pbem.titles.year_of_the_dragon.vocabulary import DragonPosition, Player
from pbem.titles.year_of_the_dragon.year_end import standings

SEATS = range(2, 6)
DERIVED = ("places", "turn")
YEAR = (
    "peace", "peace", "tribute", "drought", "festival", "mongols", "contagion", "tribute", "drought", "festival", "mongols", "contagion",
)  # fmt: skip
_SMALLEST, _LARGEST = -10_000, 10_000


def show_position(position: DragonPosition) -> dict[str, Any]:
    """The position as a table, and two derived keys: ``places`` (seat → place as things stand), ``turn`` (who decides now, or "")."""
    table = to_table(position)
    # what a case fills in when it is not named is shown even where it is empty, so that what is shown can be read again
    table |= {"display": dict(position.display), "year": list(position.year), "groups": [list(cards) for cards in position.groups]}
    table |= {"waiting": list(position.waiting), "large_privilege": position.large_privilege}
    for seat, player in position.players.items():
        shown = table["players"].setdefault(seat, {})
        shown |= {"yuan": player.yuan, "cards": dict(player.cards), "next_palace": player.next_palace}
        # a palace of one floor without persons is all defaults
        shown["palaces"] = {
            number: {"floors": palace.floors, "persons": list(palace.persons)} for number, palace in player.palaces.items()
        }  # fmt: skip
    table["places"] = {line.seat: line.place for line in standings(position)}
    table["turn"] = next(iter(position.waiting), "")
    return table


def read_position(table: Mapping[str, Any]) -> DragonPosition:
    """A position from a case's table. Malformed when it cannot be."""
    raw = dict(table)
    seats = raw.get("seats")
    if not isinstance(seats, list) or len(seats) not in SEATS or not all(isinstance(seat, str) and seat for seat in seats):
        raise _unreadable("seats", f"a list of {SEATS.start} to {SEATS.stop - 1} names is needed")
    if len(set(seats)) < len(seats):
        raise _unreadable("seats", "a name twice")
    raw.setdefault("phase", "0.retinue")
    raw.setdefault("start", seats[0])
    raw.setdefault("year", YEAR)
    raw.setdefault("players", {})
    try:
        position = msgspec.convert(raw, DragonPosition)
    except msgspec.ValidationError as error:
        raise Malformed("position-unreadable", reason=str(error)) from None
    if position.phase not in phase_ids():
        raise Malformed("position-phase", "phase", found=position.phase)
    for seat in position.players:
        known("unknown-player", seat, seats, "players")
    named = {seat: set(raw["players"].get(seat, {})) for seat in seats}
    position.players = {seat: _filled(position.players.get(seat, Player()), named[seat]) for seat in seats}
    _check_table(position)
    for seat, player in position.players.items():
        _check_player(player, f"players.{seat}")
    _fill_in_display(position, "display" in raw)
    _fill_in_order(position, set(raw))
    return position


def _unreadable(where: str, reason: str) -> Malformed:
    return Malformed("position-unreadable", where, reason=f"{where}: {reason}")


def _limit(thing: str, found: int, high: int) -> None:
    if found > high:
        raise Malformed("position-too-many", thing, thing=thing, found=found, high=high)


def _filled(player: Player, named: set[str]) -> Player:
    new = new_player()
    for key in ("yuan", "palaces", "cards"):
        if key not in named:
            setattr(player, key, getattr(new, key))
    numbers = [int(number) for number in player.palaces if number.isascii() and number.isdecimal()]
    if "next_palace" not in named:
        player.next_palace = max([new.next_palace - 1, *numbers]) + 1
    return player


def _check_table(position: DragonPosition) -> None:
    seats = position.seats
    known("unknown-player", position.start, seats, "start")
    for where, these in (("track", position.track), ("waiting", position.waiting), ("dragons", list(position.dragons))):
        for seat in these:
            known("unknown-player", seat, seats, where)
        if len(set(these)) < len(these):
            raise _unreadable(where, "a name twice")
    if len(position.year) != MONTHS or not set(position.year) <= set(EVENT_KINDS):
        raise _unreadable("year", f"{MONTHS} events are needed, each one of {', '.join(EVENT_KINDS)}")
    if position.large_privilege not in (6, 7):
        raise _unreadable("large_privilege", "6 or 7")
    if position.groups and sorted(card for cards in position.groups for card in cards) != sorted(ACTIONS):
        raise _unreadable("groups", f"each of {', '.join(ACTIONS)} once")
    for number in position.dragons.values():
        if not 1 <= number <= len(seats):
            raise _unreadable("dragons", f"there are groups 1 to {len(seats)}")


def _check_player(player: Player, where: str) -> None:
    counts = {key: getattr(player, key) for key in ("yuan", "rice", "fireworks", "points", "space", "due", "next_palace")}
    counts |= {f"privileges.{size}": number for size, number in player.privileges.items()}
    for key, number in counts.items():
        if not (_SMALLEST if key == "points" else 0) <= number <= _LARGEST:
            raise _unreadable(f"{where}.{key}", str(number))
    for size in player.privileges:
        known("unknown-size", size, DRAGONS, f"{where}.privileges")
    for card, number in player.cards.items():
        known("unknown-card", card, CARDS, f"{where}.cards")
        _limit(f"{where}.cards.{card}", number, FULL_HAND[card])
        if number < 0:
            raise _unreadable(f"{where}.cards.{card}", str(number))
    for number, palace in player.palaces.items():
        if not (number.isascii() and number.isdecimal() and str(int(number[:9])) == number and 0 < int(number) < player.next_palace):
            raise _unreadable(f"{where}.palaces", f"{number[:20]} is no number below next_palace")
        if not 1 <= palace.floors <= MOST_FLOORS:
            raise _unreadable(f"{where}.palaces.{number}.floors", str(palace.floors))
        _limit(f"{where}.palaces.{number}.persons", len(palace.persons), palace.floors)
        for tile in palace.persons:
            known("unknown-tile", tile, TILES, f"{where}.palaces.{number}.persons")
    for number, palace in player.palaces.items():
        ordered = tuple(sorted(palace.persons, key=PLACE_IN_TABLE.__getitem__))
        player.palaces[number] = msgspec.structs.replace(palace, persons=ordered)
    for counted in (player.cards, player.privileges):
        for key in [key for key, number in counted.items() if not number]:
            del counted[key]


def _housed(position: DragonPosition) -> Iterator[str]:
    return (tile for player in position.players.values() for _, tile in residents(player))


def _fill_in_display(position: DragonPosition, named: bool) -> None:
    out, full = Counter(_housed(position)), DISPLAY[len(position.seats)]
    for tile, number in position.display.items():
        known("unknown-tile", tile, TILES, "display")
        if number < 0:
            raise _unreadable(f"display.{tile}", str(number))
    for tile in TILES:
        _limit(tile, out[tile] + position.display.get(tile, 0), full[tile])
    if not named:
        position.display = {tile: full[tile] - out[tile] for tile in TILES}
    position.display = {tile: position.display[tile] for tile in TILES if position.display.get(tile)}


def _fill_in_order(position: DragonPosition, named: set[str]) -> None:
    players, name = position.players, position.phase.partition(".")[2]
    by_space = sorted(position.track or position.seats, key=lambda seat: -players[seat].space)
    if position.track and position.track != by_space:
        raise _unreadable("track", "the most advanced first")
    if len(by_space) != len(position.seats):
        raise _unreadable("track", "all seats")
    position.track = by_space
    if "waiting" not in named:
        if name == "retinue":
            position.waiting = clockwise(position.seats, position.start)
        elif name in BY_THE_TRACK:
            position.waiting = list(position.track)
    if not position.groups and name == "action":
        position.groups = cut(list(ACTIONS), len(position.seats))
    if [len(cards) for cards in position.groups] not in ([], [len(cards) for cards in cut(list(ACTIONS), len(position.seats))]):
        raise _unreadable("groups", "of the sizes for so many players, the largest first")
    position.groups = tuple(tuple(sorted(cards, key=ACTIONS.index)) for cards in position.groups)
    if position.waiting and name not in ("retinue", "event", *BY_THE_TRACK):
        raise _unreadable("waiting", "nobody decides in this phase")
    if not position.waiting and name in ("retinue", *BY_THE_TRACK):
        raise _unreadable("waiting", "somebody has to decide in this phase")
    for seat, player in players.items():
        _check_waiting(position, seat, player, name)


def _check_waiting(position: DragonPosition, seat: str, player: Player, name: str) -> None:
    where, waits = f"players.{seat}", seat in position.waiting
    if name == "person" and waits and not player.cards:
        raise _unreadable(f"{where}.cards", "a card is needed")
    if bool(player.due) != (name == "event" and waits):
        raise _unreadable(f"{where}.due", "goes with waiting in an event")
    if player.due:
        drought = event_of(position, position.phase) == "drought"
        _limit(f"{where}.due", player.due, len(inhabited(player)) if drought else count_persons(player))
    if name == "retinue" and waits != (count_persons(player) == 0):
        raise _unreadable(f"{where}.palaces", "who has no persons waits for a retinue")
    if name == "retinue" and waits and sum(palace.floors for palace in player.palaces.values()) < 2:
        raise _unreadable(f"{where}.palaces", "a retinue needs two floors")
