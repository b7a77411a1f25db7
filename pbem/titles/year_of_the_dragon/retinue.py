"""Set-up: each takes two different young persons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import cast

from pbem.engine.chance import Chance
from pbem.engine.refusals import Illegal, Malformed
from pbem.engine.title import Below, Event, Order
from pbem.titles.year_of_the_dragon.pieces import advance, move_in, palace_named, palaces, take
from pbem.titles.year_of_the_dragon.refusal_codes import known
from pbem.titles.year_of_the_dragon.sequence import DragonPhase, next_in_turn
from pbem.titles.year_of_the_dragon.tables import PERSON_OF, PERSONS, TILES_OF, VALUE, YOUNG
from pbem.titles.year_of_the_dragon.vocabulary import DragonPosition, Player, Retinue, RetinueTaken

PERSONS_EACH = 2


class TakeRetinue(DragonPhase):
    """From the starting player in seat order, each takes two different young tiles at once; no pair is taken twice."""

    name = "retinue"
    takes = (Retinue,)

    def choices(self, position: DragonPosition, seat: str) -> Iterator[Order]:
        """See Phase: free pairs in table order, each in every way to place it."""
        ways = _ways_to_place(position.players[seat])
        for pair in _free_pairs(position):
            for where in ways:
                yield Retinue(persons=pair, palaces=where)

    def pick(self, position: DragonPosition, seat: str, below: Below) -> Order:
        """See Phase."""
        pairs, ways = _free_pairs(position), _ways_to_place(position.players[seat])
        pair, way = divmod(below(len(pairs) * len(ways)), len(ways))
        return Retinue(persons=pairs[pair], palaces=ways[way])

    def fill_in(self, position: DragonPosition, seat: str, order: Order) -> Order:
        """See Phase: the persons in table order."""
        order = cast(Retinue, order)
        for key, value in (("persons", order.persons), ("palaces", order.palaces)):
            if value is None:
                raise Malformed("missing-key", keys=[key])
            if len(value) != PERSONS_EACH:
                raise Malformed("list-length", key, needed=PERSONS_EACH, found=len(value))
        persons, where = cast(tuple[str, ...], order.persons), cast(tuple[int, ...], order.palaces)
        for number, person in enumerate(persons):
            known("unknown-person", person, PERSONS, f"persons[{number}]")
        if persons[0] == persons[1]:
            raise Malformed("same-person", "persons", person=persons[0])
        free = _free_floors(position.players[seat])
        for number, palace in enumerate(where):
            palace_named(position.players[seat], palace, f"palaces[{number}]")
            if free.get(palace, 0) < where[: number + 1].count(palace):
                raise Illegal("palace-full", f"palaces[{number}]", palace=palace, room=list(free))
        if PERSONS.index(persons[0]) > PERSONS.index(persons[1]):
            order = Retinue(persons=persons[::-1], palaces=where[::-1])
        pair = cast(tuple[str, ...], order.persons)
        if (other := _pairs(position).get(pair)) is not None:
            raise Illegal("pair-taken", "persons", persons=list(pair), seat=other)
        return order

    def play(self, position: DragonPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase. No card is spent."""
        seat = position.waiting[0]
        order = cast(Retinue, orders[seat])
        player = position.players[seat]
        tiles = [TILES_OF[person][YOUNG] for person in order.persons or ()]
        for tile, palace in zip(tiles, order.palaces or (), strict=True):
            take(position.display, tile)
            move_in(player, palace, tile)
        steps = sum(VALUE[tile] for tile in tiles)
        advance(position, seat, steps)
        next_in_turn(position)
        return [RetinueTaken(seat=seat, persons=tuple(tiles), palaces=order.palaces or (), steps=steps, space=player.space)]

    def default(self, position: DragonPosition, seat: str) -> Order:
        """See Phase: the first free pair, one per palace."""
        free = list(_free_floors(position.players[seat]))
        return Retinue(persons=_free_pairs(position)[0], palaces=(free[0], free[-1]))


def _free_floors(player: Player) -> dict[int, int]:
    """Palace → floors without a person, lowest number first."""
    return {number: palace.floors - len(palace.persons) for number, palace in palaces(player) if len(palace.persons) < palace.floors}


def _ways_to_place(player: Player) -> Sequence[tuple[int, ...]]:
    """Palaces of the first and the second person."""
    return _ways_among(tuple(_free_floors(player).items()))


@lru_cache(maxsize=64)
def _ways_among(free: tuple[tuple[int, int], ...]) -> Sequence[tuple[int, ...]]:
    """Everybody begins with the same palaces."""
    return [(first, second) for first, floors in free for second, _ in free if first != second or floors >= PERSONS_EACH]


def _free_pairs(position: DragonPosition) -> list[tuple[str, ...]]:
    """In table order."""
    pairs = _pairs_of(tuple(position.display))
    free = list(pairs)
    for at in sorted([pairs[taken] for taken in _pairs(position) if taken in pairs], reverse=True):
        del free[at]
    return free


@lru_cache(maxsize=64)
def _pairs_of(display: tuple[str, ...]) -> dict[tuple[str, ...], int]:
    """Pairs of young tiles, and their places in the list of all."""
    there = [person for person in PERSONS if TILES_OF[person][YOUNG] in display]
    return {pair: at for at, pair in enumerate(combinations(there, PERSONS_EACH))}


def _pairs(position: DragonPosition) -> dict[tuple[str, ...], str]:
    """The pairs taken, and by whom: in this phase a player has just those two persons."""
    found: dict[tuple[str, ...], str] = {}
    for seat in position.seats:
        tiles: tuple[str, ...] = ()
        for palace in position.players[seat].palaces.values():
            tiles += palace.persons
        if tiles:
            found[_types(tiles)] = seat
    return found


@lru_cache(maxsize=1024)
def _types(tiles: tuple[str, ...]) -> tuple[str, ...]:
    """In table order."""
    return tuple(sorted([PERSON_OF[tile] for tile in tiles], key=PERSONS.index))
