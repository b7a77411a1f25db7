"""Phase 3: the event of the month, and who has to be released for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import cast

from pbem.engine.chance import Chance
from pbem.engine.refusals import Malformed
from pbem.engine.title import Below, Event, Order
from pbem.titles.year_of_the_dragon.pieces import count_persons, inhabited, move_out, palaces, residents, symbols
from pbem.titles.year_of_the_dragon.refusal_codes import known
from pbem.titles.year_of_the_dragon.selections import Selections, by_size, selected
from pbem.titles.year_of_the_dragon.sequence import DragonPhase, event_of, go_on, next_in_turn
from pbem.titles.year_of_the_dragon.tables import PLACE_IN_TABLE, SYMBOLS, TILES, VALUE
from pbem.titles.year_of_the_dragon.vocabulary import (
    DragonPosition,
    FestivalHeld,
    HelmetsCounted,
    MortarsCounted,
    PeaceReigned,
    Player,
    Release,
    Released,
    Resident,
    RiceEaten,
    TributePaid,
)

TRIBUTE = 4
FOR_MOST, FOR_SECOND = 6, 3
DEADLY = 3
DROUGHT = "drought"
HELMETS_OF, MORTARS_OF = "warrior", "healer"
Residents = tuple[Resident, ...]


class EventHappens(DragonPhase):
    """It strikes all at once; then, in track order, those who have to release persons do so by their own choice."""

    name = "event"
    takes = (Release,)

    def choices(self, position: DragonPosition, seat: str) -> Iterator[Order]:
        """See Phase: whom to release, by palace and in table order; evenly spread ones when there are very many."""
        slots, ways = _ways_to_release(position, seat)
        drought = _is_drought(position)
        for way in ways:
            yield _release(slots, way, drought)

    def pick(self, position: DragonPosition, seat: str, below: Below) -> Order:
        """See Phase: all ways are counted, and only the one taken is made."""
        slots, ways = _ways_to_release(position, seat)
        return _release(slots, selected(ways, below(ways.count)), _is_drought(position))

    def sampled(self, position: DragonPosition, seat: str) -> bool:
        """See Phase."""
        return _ways_to_release(position, seat)[1].sampled

    def fill_in(self, position: DragonPosition, seat: str, order: Release) -> Order:
        """See Phase: of a list, the first that are there, as many as needed; the default fills up."""
        drought = _is_drought(position)
        if order.persons:
            self._check_words(position, seat, "persons", order.persons, goes=not drought)
        if order.unsupplied:
            self._check_words(position, seat, "unsupplied", order.unsupplied, goes=drought)
        player = position.players[seat]
        if _is_complete(player, order.unsupplied if drought else order.persons, drought):
            return order
        if drought:
            return Release(unsupplied=_unsupplied(player, order.unsupplied))
        return Release(persons=_released(player, order.persons))

    def _check_words(self, position: DragonPosition, seat: str, key: str, these: Residents, *, goes: bool) -> None:
        for number, each in enumerate(these):
            if each.palace < 1:
                high = max((palace for palace, _ in palaces(position.players[seat])), default=1)
                raise Malformed("out-of-range", f"{key}[{number}].palace", found=each.palace, low=1, high=high)
            if each.person not in PLACE_IN_TABLE:
                known("unknown-tile", each.person, TILES, f"{key}[{number}].person")
        if not goes:
            raise Malformed("key-not-here", key, key=key, order=event_of(position, position.phase))

    def play(self, position: DragonPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase: without orders it strikes."""
        if not orders:
            return self._strike(position)
        seat = position.waiting[0]
        order = cast(Release, orders[seat])
        gone = order.unsupplied or order.persons
        player = position.players[seat]
        for each in gone:
            move_out(player, each.palace, each.person)
        player.due = 0
        next_in_turn(position)
        return [Released(seat=seat, persons=gone)]

    def _strike(self, position: DragonPosition) -> list[Event]:
        events = STRIKES[event_of(position, position.phase)](position)
        position.waiting = [seat for seat in position.track if position.players[seat].due]
        if not position.waiting:
            go_on(position)
        return events

    def default(self, position: DragonPosition, seat: str) -> Order:
        """See Phase."""
        return self.fill_in(position, seat, Release())


# -- the events, each told in track order -------------------------------------------------------------------------------


def _peace(position: DragonPosition) -> list[Event]:
    return [PeaceReigned()]


def _tribute(position: DragonPosition) -> list[Event]:
    events: list[Event] = []
    for seat in position.track:
        player = position.players[seat]
        paid = TRIBUTE if player.yuan >= TRIBUTE else player.yuan
        player.yuan -= paid
        player.due = _at_most_all(player, TRIBUTE - paid)
        events.append(TributePaid(seat=seat, paid=paid, short=TRIBUTE - paid, release=player.due))
    return events


def _drought(position: DragonPosition) -> list[Event]:
    events: list[Event] = []
    for seat in position.track:
        player = position.players[seat]
        mouths = len(inhabited(player))
        # Rice is used as far as it goes; which palaces it feeds is settled by the owner's order.
        paid = mouths if player.rice >= mouths else player.rice
        player.rice -= paid
        player.due = mouths - paid
        events.append(RiceEaten(seat=seat, inhabited=mouths, paid=paid, release=player.due))
    return events


def _festival(position: DragonPosition) -> list[Event]:
    events: list[Event] = []
    shown = sorted({player.fireworks for player in position.players.values()} - {0}, reverse=True)
    points_for = dict(zip(shown, (FOR_MOST, FOR_SECOND), strict=False))
    for seat in position.track:
        player = position.players[seat]
        tiles = player.fireworks
        points = points_for.get(tiles, 0)
        back = (tiles + 1) // 2 if points else 0
        player.points += points
        player.fireworks -= back
        events.append(FestivalHeld(seat=seat, tiles=tiles, points=points, back=back))
    return events


def _mongols(position: DragonPosition) -> list[Event]:
    events: list[Event] = []
    helmets = {seat: symbols(player, HELMETS_OF) for seat, player in position.players.items()}
    fewest = min(helmets.values())
    for seat in position.track:
        player = position.players[seat]
        player.points += helmets[seat]
        weakest = helmets[seat] == fewest
        player.due = _at_most_all(player, 1) if weakest else 0
        events.append(HelmetsCounted(seat=seat, helmets=helmets[seat], fewest=weakest, release=player.due))
    return events


def _contagion(position: DragonPosition) -> list[Event]:
    events: list[Event] = []
    for seat in position.track:
        player = position.players[seat]
        mortars = symbols(player, MORTARS_OF)
        player.due = _at_most_all(player, DEADLY - mortars) if mortars < DEADLY else 0
        events.append(MortarsCounted(seat=seat, mortars=mortars, release=player.due))
    return events


STRIKES: Mapping[str, Callable[[DragonPosition], list[Event]]] = {
    "peace": _peace, "tribute": _tribute, "drought": _drought, "festival": _festival, "mongols": _mongols, "contagion": _contagion,
}  # fmt: skip


def _at_most_all(player: Player, number: int) -> int:
    return min(number, count_persons(player)) if number else 0


# -- who goes ---------------------------------------------------------------------------------------------------------


def _is_drought(position: DragonPosition) -> bool:
    return event_of(position, position.phase) == DROUGHT


Slot = tuple[Residents, ...]
"""Persons that may go together, from each of which one is taken."""


def _ways_to_release(position: DragonPosition, seat: str) -> tuple[list[Slot], Selections[int]]:
    """In a drought at most one person per palace goes, else any of each sort in a palace."""
    player, drought = position.players[seat], _is_drought(position)
    slots: list[Slot] = []
    sizes: list[tuple[int, ...]] = []
    for number, palace in player.palaces.items():
        if palace.persons:
            of_palace, how_many = _slots_of(number, palace.persons, drought)
            slots += of_palace
            sizes += how_many
    return slots, by_size(tuple(sizes), player.due)


@lru_cache(maxsize=4096)
def _slots_of(number: str, persons: tuple[str, ...], drought: bool) -> tuple[tuple[Slot, ...], tuple[tuple[int, ...], ...]]:
    """Those of one palace, and how many persons each of their options is: asked for time and again while nobody moves there."""
    each = {tile: Resident(int(number), tile) for tile in persons}
    slots: tuple[Slot, ...]
    if drought:
        slots = (((), *[(one,) for one in each.values()]),)
    else:
        slots = tuple([tuple([(one,) * many for many in range(persons.count(tile) + 1)]) for tile, one in each.items()])
    return slots, tuple([tuple(map(len, slot)) for slot in slots])


def _release(slots: list[Slot], way: Sequence[int], drought: bool) -> Release:
    gone: list[Resident] = []
    for slot, at in zip(slots, way, strict=True):
        gone += slot[at]
    return Release(unsupplied=tuple(gone)) if drought else Release(persons=tuple(gone))


def _is_complete(player: Player, gone: Residents, drought: bool) -> bool:
    """Whether they live there, are as many as needed, and lie in palace order: such an order needs nothing more."""
    if len(gone) != player.due or (drought and len({each.palace for each in gone}) < len(gone)):
        return False
    living = residents(player)
    return all((each.palace, each.person) in living for each in gone)  # each is looked for behind the one before


def _by_default(living: Iterable[Resident]) -> list[Resident]:
    """Least symbols, then least value, latest palace first, then table order."""
    return sorted(living, key=lambda each: (SYMBOLS[each.person], VALUE[each.person], -each.palace, PLACE_IN_TABLE[each.person]))


def _in_palace_order(gone: Iterable[Resident]) -> Residents:
    return tuple(sorted(gone, key=lambda each: (each.palace, PLACE_IN_TABLE[each.person])))


def _released(player: Player, wanted: Residents) -> Residents:
    left = {number: list(palace.persons) for number, palace in palaces(player)}
    gone: list[Resident] = []

    def go(these: Iterable[Resident]) -> None:
        for each in these:
            if len(gone) < player.due and each.person in left.get(each.palace, ()):
                left[each.palace].remove(each.person)
                gone.append(each)

    go(wanted)
    if len(gone) < player.due:
        go(_by_default([Resident(number, tile) for number, persons in left.items() for tile in persons]))
    return _in_palace_order(gone)


def _unsupplied(player: Player, wanted: Residents) -> Residents:
    """One person per palace; palaces not named go unsupplied from the highest number down."""
    living = {number: palace.persons for number, palace in palaces(player) if palace.persons}
    gone: dict[int, Resident] = {}

    def go(these: Iterable[Resident]) -> None:
        for each in these:
            if len(gone) < player.due and each.palace not in gone and each.person in living.get(each.palace, ()):
                gone[each.palace] = each

    go(wanted)
    if len(gone) < player.due:
        go([_by_default([Resident(number, tile) for tile in living[number]])[0] for number in sorted(living, reverse=True)])
    return _in_palace_order(gone.values())
