"""Phase 3: the event of the month, and who has to be released for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast

from pbem.engine.chance import Chance
from pbem.engine.refusals import Malformed
from pbem.engine.title import Below, Event, Order
from pbem.titles.year_of_the_dragon.pieces import count_persons, inhabited, move_out, palaces, residents, symbols
from pbem.titles.year_of_the_dragon.refusal_codes import known
from pbem.titles.year_of_the_dragon.selections import Selections, by_size
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
        for way in ways:
            yield _release(position, slots, way)

    def pick(self, position: DragonPosition, seat: str, below: Below) -> Order:
        """See Phase: all ways are counted, and only the one taken is made."""
        slots, ways = _ways_to_release(position, seat)
        return _release(position, slots, ways.selection(below(ways.count)))

    def sampled(self, position: DragonPosition, seat: str) -> bool:
        """See Phase."""
        return _ways_to_release(position, seat)[1].sampled

    def fill_in(self, position: DragonPosition, seat: str, order: Order) -> Order:
        """See Phase: of a list, the first that are there, as many as needed; the default fills up."""
        order = cast(Release, order)
        drought = _is_drought(position)
        for key, goes in (("persons", not drought), ("unsupplied", drought)):
            for number, each in enumerate(getattr(order, key)):
                if each.palace < 1:
                    high = max((palace for palace, _ in palaces(position.players[seat])), default=1)
                    raise Malformed("out-of-range", f"{key}[{number}].palace", found=each.palace, low=1, high=high)
                known("unknown-tile", each.person, TILES, f"{key}[{number}].person")
            if getattr(order, key) and not goes:
                raise Malformed("key-not-here", key, key=key, order=event_of(position, position.phase))
        player = position.players[seat]
        if drought:
            return Release(unsupplied=_unsupplied(player, order.unsupplied))
        return Release(persons=_released(player, order.persons))

    def play(self, position: DragonPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase: without orders it strikes."""
        if not orders:
            return self._strike(position)
        [(seat, written)] = orders.items()
        order = cast(Release, written)
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
    for seat, player in _in_track_order(position):
        paid = min(TRIBUTE, player.yuan)
        player.yuan -= paid
        player.due = _at_most_all(player, TRIBUTE - paid)
        events.append(TributePaid(seat=seat, paid=paid, short=TRIBUTE - paid, release=player.due))
    return events


def _drought(position: DragonPosition) -> list[Event]:
    events: list[Event] = []
    for seat, player in _in_track_order(position):
        mouths = len(inhabited(player))
        # Rice is used as far as it goes; which palaces it feeds is settled by the owner's order.
        paid = min(player.rice, mouths)
        player.rice -= paid
        player.due = mouths - paid
        events.append(RiceEaten(seat=seat, inhabited=mouths, paid=paid, release=player.due))
    return events


def _festival(position: DragonPosition) -> list[Event]:
    events: list[Event] = []
    shown = sorted({player.fireworks for player in position.players.values()} - {0}, reverse=True)
    for seat, player in _in_track_order(position):
        tiles = player.fireworks
        points = dict(zip(shown, (FOR_MOST, FOR_SECOND), strict=False)).get(tiles, 0)
        back = (tiles + 1) // 2 if points else 0
        player.points += points
        player.fireworks -= back
        events.append(FestivalHeld(seat=seat, tiles=tiles, points=points, back=back))
    return events


def _mongols(position: DragonPosition) -> list[Event]:
    events: list[Event] = []
    helmets = {seat: symbols(player, HELMETS_OF) for seat, player in position.players.items()}
    fewest = min(helmets.values())
    for seat, player in _in_track_order(position):
        player.points += helmets[seat]
        weakest = helmets[seat] == fewest
        player.due = _at_most_all(player, 1) if weakest else 0
        events.append(HelmetsCounted(seat=seat, helmets=helmets[seat], fewest=weakest, release=player.due))
    return events


def _contagion(position: DragonPosition) -> list[Event]:
    events: list[Event] = []
    for seat, player in _in_track_order(position):
        mortars = symbols(player, MORTARS_OF)
        player.due = _at_most_all(player, max(0, DEADLY - mortars))
        events.append(MortarsCounted(seat=seat, mortars=mortars, release=player.due))
    return events


STRIKES: Mapping[str, Callable[[DragonPosition], list[Event]]] = {
    "peace": _peace, "tribute": _tribute, "drought": _drought, "festival": _festival, "mongols": _mongols, "contagion": _contagion,
}  # fmt: skip


def _in_track_order(position: DragonPosition) -> Iterator[tuple[str, Player]]:
    return ((seat, position.players[seat]) for seat in position.track)


def _at_most_all(player: Player, number: int) -> int:
    return min(number, count_persons(player))


# -- who goes ---------------------------------------------------------------------------------------------------------


def _is_drought(position: DragonPosition) -> bool:
    return event_of(position, position.phase) == DROUGHT


Slots = list[list[tuple[tuple[int, str], ...]]]
"""Options of (palace, tile) pairs that may go together, from each of which one is taken."""


def _ways_to_release(position: DragonPosition, seat: str) -> tuple[Slots, Selections[int]]:
    """In a drought at most one person per palace goes, else any of each sort in a palace."""
    player = position.players[seat]
    slots: Slots
    if _is_drought(position):
        slots = [[(), *[((number, tile),) for tile in dict.fromkeys(palace.persons)]] for number, palace in palaces(player)]
    else:
        slots = [[(each,) * many for many in range(count + 1)] for each, count in Counter(residents(player)).items()]
    return slots, by_size(tuple([tuple([len(option) for option in slot]) for slot in slots]), player.due)


def _release(position: DragonPosition, slots: Slots, way: Sequence[int]) -> Release:
    gone = tuple([Resident(number, tile) for slot, at in zip(slots, way, strict=True) for number, tile in slot[at]])
    return Release(unsupplied=gone) if _is_drought(position) else Release(persons=gone)


def _by_default(living: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Least symbols, then least value, latest palace first, then table order."""
    return sorted(living, key=lambda each: (SYMBOLS[each[1]], VALUE[each[1]], -each[0], PLACE_IN_TABLE[each[1]]))


def _in_palace_order(gone: Sequence[tuple[int, str]]) -> Residents:
    return tuple(Resident(number, tile) for number, tile in sorted(gone, key=lambda each: (each[0], PLACE_IN_TABLE[each[1]])))


def _released(player: Player, wanted: Residents) -> Residents:
    left = list(residents(player))
    gone: list[tuple[int, str]] = []
    for each in [*((one.palace, one.person) for one in wanted), *_by_default(left)]:
        if len(gone) < player.due and each in left:
            left.remove(each)
            gone.append(each)
    return _in_palace_order(gone)


def _unsupplied(player: Player, wanted: Residents) -> Residents:
    """One person per palace; palaces not named go unsupplied from the highest number down."""
    living = {number: palace.persons for number, palace in palaces(player) if palace.persons}
    by_default = [_by_default([(number, tile) for tile in living[number]])[0] for number in sorted(living, reverse=True)]
    gone: dict[int, str] = {}
    for number, tile in [*((one.palace, one.person) for one in wanted), *by_default]:
        if len(gone) < player.due and number not in gone and tile in living.get(number, ()):
            gone[number] = tile
    return _in_palace_order(list(gone.items()))
