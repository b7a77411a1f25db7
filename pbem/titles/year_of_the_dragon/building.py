"""The floors that the action "build" brings: onto palaces there are, and into new ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache

from pbem.engine.refusals import Illegal, Malformed
from pbem.titles.year_of_the_dragon.pieces import KEY, NUMBER, palaces, symbols
from pbem.titles.year_of_the_dragon.refusal_codes import nearest
from pbem.titles.year_of_the_dragon.selections import Selections
from pbem.titles.year_of_the_dragon.tables import MOST_FLOORS, NEW
from pbem.titles.year_of_the_dragon.vocabulary import Palace, Player

BUILT_BY = "craftsman"
Floors = tuple[int | str, ...]


def floors_to_build(player: Player) -> int:
    """Floors a build brings: 1 and 1 per craftsman."""
    return 1 + symbols(player, BUILT_BY)


# -- all ways ---------------------------------------------------------------------------------------------------------


class Building:
    """Each way a player can place all floors of a build. They have numbers, from 0 to below ``count``."""

    def __init__(self, player: Player) -> None:
        self._player = player
        rooms: list[int] = []
        for palace in player.palaces.values():
            if palace.floors < MOST_FLOORS:
                rooms.append(MOST_FLOORS - palace.floors)
        self._spreads = _spreads(tuple(rooms), floors_to_build(player))
        self.count = self._spreads.count

    @property
    def sampled(self) -> bool:
        """Whether iterating leaves some out."""
        return self._spreads.sampled

    def __iter__(self) -> Iterator[Floors]:
        """In the order of their numbers; evenly spread ones when there are very many."""
        return map(self.way, self._spreads.numbers())

    def way(self, number: int) -> Floors:
        """In normal form: palace by palace, a new one as "new" and then its number."""
        added, heights = _spread(self._spreads, number)
        with_room = [number for number, palace in self._player.palaces.items() if palace.floors < MOST_FLOORS]
        floors: list[int | str] = []
        for at, more in added:
            floors += [NUMBER[with_room[at]]] * more
        new = self._player.next_palace
        for height in heights:
            floors += [NEW] if height == 1 else [NEW, *[new] * (height - 1)]
            new += 1
        return tuple(floors)


@lru_cache(maxsize=4096)
def _spreads(rooms: tuple[int, ...], total: int) -> Selections[tuple[int, ...]]:
    """Per palace with so much room how many floors, and last the heights of new palaces, the highest of them first."""
    slots = [[(floors, (floors,)) for floors in range(min(room, total), -1, -1)] for room in rooms]
    new = [(floors, heights) for floors in range(total + 1) for heights in _new_palaces(floors)]
    return Selections([*slots, new], total)


@lru_cache(maxsize=8192)
def _spread(spreads: Selections[tuple[int, ...]], number: int) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...]]:
    """One of them: (place among the palaces with room, floors) where there are any, and the heights of new palaces.

    Players have few different rooms, so that the same ways come up again and again.
    """
    *onto, heights = spreads.selection(number)
    return tuple([(at, more) for at, (more,) in enumerate(onto) if more]), heights


@cache
def _new_palaces(floors: int) -> tuple[tuple[int, ...], ...]:
    """Heights of new palaces that take so many floors, the highest first."""
    if floors == 0:
        return ((),)
    return tuple(
        (height, *rest)
        for height in range(min(floors, MOST_FLOORS), 0, -1)
        for rest in _new_palaces(floors - height)
        if not rest or rest[0] <= height
    )


# -- an order's floors ------------------------------------------------------------------------------------------------


def checked_floors(player: Player, floors: Floors) -> Floors:
    """The floors in normal form. Malformed or Illegal when they cannot be built."""
    for at, where in enumerate(floors):
        if isinstance(where, str) and where != NEW:
            raise Malformed("unknown-floor", f"floors[{at}]", found=where, allowed=[NEW], nearest=nearest(where, [NEW]))
    if len(floors) != (needed := floors_to_build(player)):
        raise Illegal("floor-count", "floors", needed=needed, found=len(floors))
    heights: dict[int, int] = {}
    numbers: list[int] = []
    new = player.next_palace
    for at, where in enumerate(floors):
        if isinstance(where, str):
            number, heights[new] = new, 1
            new += 1
        else:
            number = where
            if number not in heights:
                if (palace := player.palaces.get(str(number))) is None:
                    there = [each for each, _ in palaces(player)] + list(range(player.next_palace, new))
                    raise Illegal("no-such-palace", f"floors[{at}]", palace=number, allowed=there)
                heights[number] = palace.floors
            if heights[number] == MOST_FLOORS:
                raise Illegal("palace-too-high", f"floors[{at}]", palace=number, high=MOST_FLOORS)
            heights[number] += 1
        numbers.append(number)
    ordered = sorted(numbers)
    return floors if numbers == ordered else _written(ordered, player.next_palace)


def _written(numbers: list[int], next_palace: int) -> Floors:
    """Palace by palace; where a new one's number comes first, it is founded."""
    return tuple([NEW if number >= next_palace and number not in numbers[:at] else number for at, number in enumerate(numbers)])


def build(player: Player, floors: Floors) -> dict[str, int]:
    """Builds floors in normal form. Gives palace → its floors now, for those built on, lowest number first."""
    built: dict[str, int] = {}
    for where in floors:
        if isinstance(where, str):
            key, palace = KEY[player.next_palace], Palace()
            player.next_palace += 1
        else:
            key = KEY[where]
            before = player.palaces[key]
            palace = Palace(before.floors + 1, before.persons)
        player.palaces[key] = palace
        built[key] = palace.floors
    return built
