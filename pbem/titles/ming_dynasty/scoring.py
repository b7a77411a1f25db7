"""Phase 4, last part: members return, cities and monasteries score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.engine.chance import Chance
from pbem.engine.title import Event, Order
from pbem.titles.ming_dynasty.pieces import in_city, in_monasteries, put, take, tidy
from pbem.titles.ming_dynasty.sequence import MingPhase, cities_of, city_of, go_on, round_of
from pbem.titles.ming_dynasty.vocabulary import NEUTRAL, CityScored, MingPosition, MonasteriesScored, Returned

POINTS_FOR_MEMBER = {2: 4, 4: 3, 6: 0}
BONUS = 4
POINTS_FOR_MONASTERY = 4


class ScoreCities(MingPhase):
    """City by city: members go home, those left score and go to the box; then every member in a monastery scores."""

    name = "score"

    def asked(self, position: MingPosition) -> tuple[str, ...]:
        """See Phase: it plays itself."""
        return ()

    def play(self, position: MingPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        events: list[Event] = []
        for province, districts in cities_of(position).items():
            if in_city(position, districts):
                events += _return_members(position, province, districts)
                events.append(_score_city(position, province, districts))
        if not city_of(position.phase):
            events += _score_monasteries(position)
        return events + go_on(position)


def _return_members(position: MingPosition, province: str, districts: Sequence[str]) -> list[Event]:
    events: list[Event] = []
    for seat in position.seats:
        returns = position.players[seat].returns
        going = {name: returns.pop(name) for name in districts if name in returns}
        for name, number in going.items():
            take(position.districts[name].houses, seat, number)
            put(position.districts[name].members, seat, number)
        if going:
            events.append(Returned(seat=seat, province=province, districts=going))
    return events


def _score_monasteries(position: MingPosition) -> list[Event]:
    events: list[Event] = []
    for seat, count in in_monasteries(position).items():
        if count:
            points = POINTS_FOR_MONASTERY * count
            position.players[seat].points += points
            events.append(MonasteriesScored(seat=seat, count=count, points=points))
    return events


def _score_city(position: MingPosition, province: str, districts: tuple[str, ...]) -> CityScored:
    each = POINTS_FOR_MEMBER[round_of(position.phase)]
    left = in_city(position, districts)
    parts = [position.districts[name].houses for name in districts if name in position.districts]
    extra, why = bonus(left, parts)
    points = {seat: each * number + extra.get(seat, 0) for seat, number in left.items() if seat in position.players}
    for seat, number in points.items():
        position.players[seat].points += number
    for name in districts:
        if name in position.districts:
            # members left in the city go to the box
            position.districts[name].houses = {}
            tidy(position, name)
    return CityScored(province=province, left=left, each=each, points=points, bonus=extra, why=why)


def bonus(left: Mapping[str, int], parts: Sequence[Mapping[str, int]]) -> tuple[dict[str, int], str]:
    """Who gets the points for most members in a city (seat → points), and why: "most", "parts", "shared", "neutral", "nobody".

    ``left`` holds members per owner, ``parts`` the same for each district's houses.
    """
    if not left:
        return {}, "nobody"
    tied = [owner for owner, number in left.items() if number == max(left.values())]
    if tied == [NEUTRAL]:
        return {}, "neutral"
    tied = [seat for seat in tied if seat != NEUTRAL]
    if len(tied) == 1:
        return {tied[0]: BONUS}, "most"
    leaders = [_leader(part) for part in parts]
    most_parts = max(leaders.count(seat) for seat in tied)
    tied = [seat for seat in tied if leaders.count(seat) == most_parts]
    if len(tied) == 1:
        return {tied[0]: BONUS}, "parts"
    return dict.fromkeys(tied, BONUS // len(tied)), "shared"


def _leader(part: Mapping[str, int]) -> str | None:
    """Who has more than every other in a part of the city, whether or not he is tied for the bonus."""
    most = [seat for seat, number in part.items() if number == max(part.values())]
    return most[0] if len(most) == 1 else None
