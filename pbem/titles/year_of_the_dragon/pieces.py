"""Handling pieces: counts without zeros, persons in palaces, markers on the person track."""

from __future__ import annotations

from collections.abc import Iterator

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


def palaces(player: Player) -> list[tuple[int, Palace]]:
    """Number and palace, lowest number first."""
    return sorted([(int(number), palace) for number, palace in player.palaces.items()])


def inhabited(player: Player) -> list[int]:
    """Numbers of palaces with a person, lowest first."""
    return [number for number, palace in palaces(player) if palace.persons]


def with_room(player: Player) -> list[int]:
    """Numbers of palaces with a floor to spare, lowest first: one person per floor."""
    return [number for number, palace in palaces(player) if len(palace.persons) < palace.floors]


def palace_named(player: Player, number: int, field: str) -> Palace:
    """An own palace. Illegal when there is none of that number."""
    palace = player.palaces.get(str(number))
    if palace is None:
        raise Illegal("no-such-palace", field, palace=number, allowed=[each for each, _ in palaces(player)])
    return palace


def move_in(player: Player, number: int, tile: str) -> None:
    """A person takes a floor."""
    palace = player.palaces[str(number)]
    player.palaces[str(number)] = Palace(palace.floors, tuple(sorted((*palace.persons, tile), key=PLACE_IN_TABLE.__getitem__)))


def move_out(player: Player, number: int, tile: str) -> None:
    """A person leaves its palace, and the game."""
    palace = player.palaces[str(number)]
    left = list(palace.persons)
    left.remove(tile)
    player.palaces[str(number)] = Palace(palace.floors, tuple(left))


def add_floors(player: Player, number: int, floors: int) -> None:
    """Floors on a palace, or a new one."""
    palace = player.palaces.get(str(number))
    player.palaces[str(number)] = Palace(palace.floors + floors, palace.persons) if palace else Palace(floors)
    player.next_palace = max(player.next_palace, number + 1)


# -- persons ----------------------------------------------------------------------------------------------------------


def residents(player: Player) -> Iterator[tuple[int, str]]:
    """Palace and tile of every person, by palace, then in table order."""
    return ((number, tile) for number, palace in palaces(player) for tile in palace.persons)


def count_persons(player: Player) -> int:
    """How many persons live in his palaces."""
    return sum(len(palace.persons) for palace in player.palaces.values())


def symbols(player: Player, person: str) -> int:
    """Symbols of all own persons of a type."""
    shown = SYMBOLS_OF[person]
    return sum([shown[tile] for palace in player.palaces.values() for tile in palace.persons if tile in shown])


def tiles_left(position: DragonPosition, person: str) -> dict[str, int]:
    """Age → tiles of a type on display, young first; ages of which none is left are left out."""
    display = position.display
    return {age: display[tile] for age, tile in TILES_OF[person].items() if tile in display}


def dragons(player: Player) -> int:
    """Dragons on his privileges."""
    return sum(DRAGONS[size] * number for size, number in player.privileges.items())


# -- the person track -------------------------------------------------------------------------------------------------


def advance(position: DragonPosition, seat: str, steps: int) -> None:
    """A marker goes forward; on its new space it lies on top, and so goes first there."""
    player = position.players[seat]
    player.space += steps
    others = [other for other in position.track if other != seat]
    passed = next((at for at, other in enumerate(others) if position.players[other].space <= player.space), len(others))
    position.track = [*others[:passed], seat, *others[passed:]]
