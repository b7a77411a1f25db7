"""A turn: paladins, control, the Emperor, castles, refill; each complete before the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.engine.chance import Chance
from pbem.engine.refusals import Illegal, Malformed
from pbem.engine.title import OVER, Below, Event, Order
from pbem.titles.carolus_magnus.court import settle_control
from pbem.titles.carolus_magnus.emperor import move_emperor
from pbem.titles.carolus_magnus.pieces import by_court, counted, in_clan_order, listed, move
from pbem.titles.carolus_magnus.refill import refill, roll
from pbem.titles.carolus_magnus.refusal_codes import known
from pbem.titles.carolus_magnus.ring import index_of, region_of
from pbem.titles.carolus_magnus.sequence import CarolusPhase
from pbem.titles.carolus_magnus.sides import to_play
from pbem.titles.carolus_magnus.vocabulary import (
    CLANS,
    DISCS,
    PUTS,
    TERRITORIES,
    CarolusPosition,
    Placed,
    Played,
    Put,
    Turn,
)
from pbem.titles.carolus_magnus.ways import any_turn, some_turns


class TakeTurn(CarolusPhase[Turn]):
    """Lowest disc first, each plays paladins, moves the Emperor and refills the reserve."""

    name = "turn"
    takes = Turn

    def choices(self, position: CarolusPosition, seat: str) -> Iterator[Order]:
        """See Phase: by the Emperor's steps, then what goes to court and where; without wishes for crowns."""
        return some_turns(position, seat)

    def pick(self, position: CarolusPosition, seat: str, below: Below) -> Order:
        """See Phase: of all turns without wishes for crowns."""
        return any_turn(position, seat, below)

    def sampled(self, position: CarolusPosition, seat: str) -> bool:
        """See Phase: whenever paladins are played, for wishes for crowns are left out."""
        return to_play(position, seat) > 0

    def fill_in(self, position: CarolusPosition, seat: str, order: Turn) -> Turn:
        """See Phase: regions by their first territories, paladins in the order of regions and clans."""
        _check_words(order)
        court, lands, player = order.court, order.lands, position.players[seat]
        if order.emperor > player.disc:
            raise Illegal("emperor-too-far", "emperor", steps=order.emperor, disc=player.disc)
        needed = to_play(position, seat)
        if len(court) + len(lands) != needed:
            raise Illegal("paladin-count", found=len(court) + len(lands), needed=needed)
        for clan, number in counted([*court, *[each.clan for each in lands]]).items():
            if number > (have := player.reserve.get(clan, 0)):
                raise Illegal("not-in-reserve", clan=clan, needed=number, have=have, reserve=listed(player.reserve))
        if len(order.crowns) > needed:
            raise Illegal("too-many-crowns", "crowns", found=len(order.crowns), dice=needed)
        if in_clan_order(court) == court and _are_in_order(position, lands):
            return order
        return Turn(court=in_clan_order(court), lands=_in_order(position, lands), emperor=order.emperor, crowns=order.crowns)

    def step(self, position: CarolusPosition, seat: str, order: Turn, chance: Chance) -> list[Event]:
        """See CarolusPhase. Where the dice cannot be had, everything is put back as it was."""
        regions, emperor = position.regions, position.emperor
        here = index_of(position, emperor)
        start, goal = regions[here], regions[(here + order.emperor) % len(regions)]
        control, castles = position.control.copy(), goal.castles.copy()

        played = len(order.court) + len(order.lands)
        events = [_place(position, seat, order)] if played else []
        if order.court:
            events += settle_control(position, order.court)
        events += move_emperor(position, seat, order.emperor, start, goal)
        if position.phase == OVER:
            return events
        try:
            faces = roll(seat, played, chance)
        except BaseException:
            position.regions, position.emperor, position.control, goal.castles = regions, emperor, control, castles
            _take_back(position, seat, order)
            raise
        return events + refill(position, seat, faces, order.crowns)

    def default(self, position: CarolusPosition, seat: str) -> Order:
        """See Phase: paladins of the clans he has most of at court go there, the Emperor one step; crowns by the same measure."""
        player = position.players[seat]
        number = to_play(position, seat)
        court = counted([clan for clan in by_court(player.court) for _ in range(player.reserve.get(clan, 0))][:number])
        after = {clan: player.court.get(clan, 0) + court.get(clan, 0) for clan in CLANS}
        crowns = [clan for clan in by_court(after) for _ in range(position.supply.get(clan, 0))][:number]
        return Turn(court=tuple(listed(court)), emperor=1, crowns=tuple(crowns))


def _check_words(order: Turn) -> None:
    if order.court or order.crowns:
        for field, clans in (("court", order.court), ("crowns", order.crowns)):
            for number, clan in enumerate(clans):
                if clan not in CLANS:
                    known("unknown-clan", clan, CLANS, f"{field}[{number}]")
    for number, each in enumerate(order.lands):
        if each.clan not in CLANS:
            known("unknown-clan", each.clan, CLANS, f"lands[{number}].clan")
        if not 1 <= each.to <= TERRITORIES:
            raise Malformed("out-of-range", f"lands[{number}].to", found=each.to, low=1, high=TERRITORIES)
    if order.emperor not in DISCS:
        raise Malformed("out-of-range", "emperor", found=order.emperor, low=DISCS[0], high=DISCS[-1])


def _are_in_order(position: CarolusPosition, lands: Sequence[Put]) -> bool:
    """Whether each names its region by the first territory, and they stand in the order of regions and clans."""
    firsts, before = {region.lands[0] for region in position.regions}, 0
    for each in lands:
        place = each.to * len(CLANS) + CLANS.index(each.clan)
        if place < before or each.to not in firsts:
            return False
        before = place
    return True


def _in_order(position: CarolusPosition, lands: Sequence[Put]) -> tuple[Put, ...]:
    found = sorted([(region_of(position, each.to).lands[0], CLANS.index(each.clan)) for each in lands])
    return tuple([PUTS[to][clan] for to, clan in found])


def _place(position: CarolusPosition, seat: str, order: Turn) -> Event:
    player, regions = position.players[seat], position.regions
    reserve = player.reserve
    for clan in order.court:
        move(reserve, player.court, clan)
    placed: list[Placed] = []
    last = 0, ""
    for each in order.lands:
        to, clan = each.to, each.clan
        region = regions[index_of(position, to)]
        move(reserve, region.paladins, clan)
        # equal ones stand side by side
        count = placed.pop().count + 1 if last == (to, clan) else 1
        placed.append(Placed(lands=region.lands, clan=clan, count=count))
        last = to, clan
    return Played(seat=seat, court=counted(order.court), lands=tuple(placed))


def _take_back(position: CarolusPosition, seat: str, order: Turn) -> None:
    """Undoes ``_place``; the regions have to be those of before."""
    player = position.players[seat]
    for clan in order.court:
        move(player.court, player.reserve, clan)
    for each in order.lands:
        move(region_of(position, each.to).paladins, player.reserve, each.clan)
