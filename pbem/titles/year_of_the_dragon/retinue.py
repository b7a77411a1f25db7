"""Set-up: each takes two different young persons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import cast

from pbem.engine.chance import Chance
from pbem.engine.refusals import Illegal, Malformed
from pbem.engine.title import Event, Order
from pbem.titles.year_of_the_dragon.pieces import advance, move_in, palace_named, palaces, residents, take
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
        free = _free_floors(position.players[seat])
        for pair in self._free_pairs(position):
            for first in free:
                for second in free:
                    if first != second or free[first] >= PERSONS_EACH:
                        yield Retinue(persons=pair, palaces=(first, second))

    def _free_pairs(self, position: DragonPosition) -> Iterator[tuple[str, ...]]:
        taken = _pairs(position)
        there = [person for person in PERSONS if TILES_OF[person][YOUNG] in position.display]
        return (pair for pair in combinations(there, PERSONS_EACH) if pair not in taken)

    def fill_in(self, position: DragonPosition, seat: str, order: Order) -> Order:
        """See Phase: the persons in table order."""
        order = cast(Retinue, order)
        for key in ("persons", "palaces"):
            value = getattr(order, key)
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
        placed = sorted(zip(persons, where, strict=True), key=lambda each: PERSONS.index(each[0]))
        pair = tuple(person for person, _ in placed)
        if (other := _pairs(position).get(pair)) is not None:
            raise Illegal("pair-taken", "persons", persons=list(pair), seat=other)
        return Retinue(persons=pair, palaces=tuple(palace for _, palace in placed))

    def play(self, position: DragonPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase. No card is spent."""
        [(seat, written)] = orders.items()
        order = cast(Retinue, written)
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
        return Retinue(persons=next(self._free_pairs(position)), palaces=(free[0], free[-1]))


def _free_floors(player: Player) -> dict[int, int]:
    """Palace → floors without a person, lowest number first."""
    return {number: palace.floors - len(palace.persons) for number, palace in palaces(player) if len(palace.persons) < palace.floors}


def _pairs(position: DragonPosition) -> dict[tuple[str, ...], str]:
    """The pairs taken, and by whom: in this phase a player has just those two persons."""
    found: dict[tuple[str, ...], str] = {}
    for seat in position.seats:
        pair = sorted((PERSON_OF[tile] for _, tile in residents(position.players[seat])), key=PERSONS.index)
        if pair:
            found[tuple(pair)] = seat
    return found
