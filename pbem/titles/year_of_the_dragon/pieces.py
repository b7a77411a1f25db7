"""Handling pieces: counts without zeros, persons in palaces, markers on the person track."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from pbem.engine.refusals import Illegal
from pbem.titles.year_of_the_dragon.tables import DRAGONS, PLACE_IN_TABLE, SYMBOLS_OF, TILES_OF
from pbem.titles.year_of_the_dragon.vocabulary import DragonPosition, Palace, Player


def put(counts: dict[str, int], key: str, number: int = 1) -> None:
    """Adds to a count."""
    counts[key] = counts.get(key, 0) + number


def take(counts: dict[str, int], key: str) -> None:
    """Takes one; what comes to nought is forgotten. KeyError when there is none."""
    left = counts[key] - 1
    if left:
        counts[key] = left
    else:
        del counts[key]


# -- palaces ----------------------------------------------------------------------------------------------------------


class _Numbers(dict[str, int]):
    def __missing__(self, key: str) -> int:
        number = self[key] = int(key)
        return number


class _Keys(dict[int, str]):
    def __missing__(self, number: int) -> str:
        key = self[number] = str(number)
        return key


NUMBER, KEY = _Numbers(), _Keys()
"""Numbers of palaces as read and as written: keys of a table are text. For palaces there are, not for what an order may say."""


def palaces(player: Player) -> list[tuple[int, Palace]]:
    """Number and palace, lowest number first."""
    return [(NUMBER[number], palace) for number, palace in player.palaces.items()]


def inhabited(player: Player) -> list[int]:
    """Numbers of palaces with a person, lowest first."""
    return [NUMBER[number] for number, palace in player.palaces.items() if palace.persons]


def with_room(player: Player) -> list[int]:
    """Numbers of palaces with a floor to spare, lowest first: one person per floor."""
    room = []
    for number, palace in player.palaces.items():
        if len(palace.persons) < palace.floors:
            room.append(NUMBER[number])
    return room


def palace_named(player: Player, number: int, field: str) -> Palace:
    """An own palace. Illegal when there is none of that number."""
    palace = player.palaces.get(str(number))
    if palace is None:
        raise Illegal("no-such-palace", field, palace=number, allowed=[each for each, _ in palaces(player)])
    return palace


def move_in(player: Player, number: int, tile: str) -> None:
    """A person takes a floor."""
    key = KEY[number]
    palace = player.palaces[key]
    player.palaces[key] = Palace(palace.floors, _with(palace.persons, tile))


def move_out(player: Player, number: int, tile: str) -> None:
    """A person leaves its palace, and the game."""
    key = KEY[number]
    palace = player.palaces[key]
    at = palace.persons.index(tile)
    player.palaces[key] = Palace(palace.floors, palace.persons[:at] + palace.persons[at + 1 :])


@cache
def _with(persons: tuple[str, ...], tile: str) -> tuple[str, ...]:
    """In table order. Of the few companies that find room in a palace, each is sorted once."""
    return tuple(sorted((*persons, tile), key=PLACE_IN_TABLE.__getitem__))


# -- persons ----------------------------------------------------------------------------------------------------------


def residents(player: Player) -> Iterator[tuple[int, str]]:
    """Palace and tile of every person, by palace, then in table order."""
    living = []
    for number, palace in player.palaces.items():
        for tile in palace.persons:
            living.append((NUMBER[number], tile))
    return iter(living)


def count_persons(player: Player) -> int:
    """How many persons live in his palaces."""
    number = 0
    for palace in player.palaces.values():
        number += len(palace.persons)
    return number


def symbols(player: Player, person: str) -> int:
    """Symbols of all own persons of a type."""
    number, shown = 0, _SHOWN[person]
    for palace in player.palaces.values():
        number += shown[palace.persons]
    return number


class _Shown(dict[tuple[str, ...], int]):
    """Persons of a palace → symbols of one type: of the few companies that find room in a palace, each is counted once."""

    def __init__(self, person: str) -> None:
        super().__init__()
        self._symbols = SYMBOLS_OF[person]

    def __missing__(self, persons: tuple[str, ...]) -> int:
        number = self[persons] = sum([self._symbols.get(tile, 0) for tile in persons])
        return number


_SHOWN = {person: _Shown(person) for person in SYMBOLS_OF}


def tiles_left(position: DragonPosition, person: str) -> dict[str, int]:
    """Age → tiles of a type on display, young first; ages of which none is left are left out."""
    display = position.display
    return {age: display[tile] for age, tile in TILES_OF[person].items() if tile in display}


def dragons(player: Player) -> int:
    """Dragons on his privileges."""
    number = 0
    for size, many in player.privileges.items():
        number += DRAGONS[size] * many
    return number


# -- the person track -------------------------------------------------------------------------------------------------


def advance(position: DragonPosition, seat: str, steps: int) -> None:
    """A marker goes forward; on its new space it lies on top, and so goes first there."""
    players, track = position.players, position.track
    players[seat].space = space = players[seat].space + steps
    at = track.index(seat)
    while at and players[track[at - 1]].space <= space:
        track[at] = track[at - 1]
        at -= 1
    track[at] = seat
