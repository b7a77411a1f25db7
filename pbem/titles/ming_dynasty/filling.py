"""Phase 4, first part: members move from the districts into the cities."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.chance import Chance
from pbem.engine.title import Event, Order
from pbem.titles.ming_dynasty.board import load
from pbem.titles.ming_dynasty.pieces import owners_in_turn, put, take
from pbem.titles.ming_dynasty.sequence import MingPhase, cities_of, go_on, round_of
from pbem.titles.ming_dynasty.vocabulary import Filled, MingPosition, SetReturned, TileTaken

POINTS_FOR_SET = {2: 28, 4: 24, 6: 20}


class FillCities(MingPhase):
    """Province by province and district by district, the leading players' members move into the houses of the city."""

    name = "fill"

    def asked(self, position: MingPosition) -> tuple[str, ...]:
        """See Phase: it plays itself."""
        return ()

    def play(self, position: MingPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        events: list[Event] = []
        for province, districts in cities_of(position).items():
            for name in districts:
                if name in position.districts and position.districts[name].members:
                    events += _fill(position, province, name)
        return events + go_on(position)


def _fill(position: MingPosition, province: str, name: str) -> list[Event]:
    it = position.districts[name]
    before = dict(it.members)
    moving, why = movers(before, owners_in_turn(position))
    for owner, number in moving.items():
        take(it.members, owner, number)
        put(it.houses, owner, number)
    events: list[Event] = [Filled(district=name, members=before, entered=moving, why=why)]
    for owner, number in moving.items():
        # the neutral colour takes no tiles
        if owner in position.players:
            events += _take_tiles(position, owner, province, number)
    return events


def movers(members: Mapping[str, int], order: list[str]) -> tuple[dict[str, int], str]:
    """Who moves how many from a district into its houses, most before second and ties in turn order, and by which line of the table."""
    ranked = sorted((seat for seat in order if members.get(seat)), key=lambda seat: -members[seat])
    most = [seat for seat in ranked if members[seat] == members[ranked[0]]]
    if len(ranked) == 1:
        return {ranked[0]: min(members[ranked[0]], 2)}, "alone"
    if len(most) == 4:
        return {}, "four-tie"
    if len(most) > 1:
        return dict.fromkeys(most, 1), "two-tie" if len(most) == 2 else "three-tie"
    second = [seat for seat in ranked if members[seat] == members[ranked[1]]]
    if len(second) > 1:
        return {most[0]: 2}, "second-tied"
    return {most[0]: 2, second[0]: 1}, "ranks"


def _take_tiles(position: MingPosition, seat: str, province: str, number: int) -> list[Event]:
    """One tile per member; a set of six goes back at once, so that its tiles can be taken again."""
    events: list[Event] = []
    player = position.players[seat]
    taken = 0
    for _ in range(number):
        if not position.tiles.get(province):
            continue
        take(position.tiles, province)
        put(player.tiles, province)
        taken += 1
        if len(player.tiles) == len(load(position.board).provinces):
            events.append(TileTaken(seat=seat, province=province, count=taken))
            events.append(_return_set(position, seat))
            number, taken = number - taken, 0
    if number:
        events.append(TileTaken(seat=seat, province=province, count=taken, short=number - taken))
    return events


def _return_set(position: MingPosition, seat: str) -> SetReturned:
    player = position.players[seat]
    for province in load(position.board).provinces:
        take(player.tiles, province)
        put(position.tiles, province)
    points = POINTS_FOR_SET[round_of(position.phase)]
    player.points += points
    return SetReturned(seat=seat, points=points)
