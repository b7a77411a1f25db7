"""A turn: paladins, control, the Emperor, castles, refill; each complete before the next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from pbem.engine.chance import Chance
from pbem.engine.refusals import Illegal, Malformed
from pbem.engine.title import OVER, Below, Event, Order
from pbem.titles.carolus_magnus.court import settle_control
from pbem.titles.carolus_magnus.emperor import move_emperor
from pbem.titles.carolus_magnus.pieces import by_court, counted, in_clan_order, listed, put, take
from pbem.titles.carolus_magnus.refill import refill
from pbem.titles.carolus_magnus.refusal_codes import known
from pbem.titles.carolus_magnus.ring import region_of
from pbem.titles.carolus_magnus.sequence import CarolusPhase
from pbem.titles.carolus_magnus.sides import to_play
from pbem.titles.carolus_magnus.vocabulary import (
    CLANS,
    DISCS,
    TERRITORIES,
    CarolusPosition,
    Placed,
    Played,
    Put,
    Turn,
)
from pbem.titles.carolus_magnus.ways import any_turn, some_turns


class TakeTurn(CarolusPhase):
    """Lowest disc first, each plays paladins, moves the Emperor and refills the reserve."""

    name = "turn"
    takes = Turn
    draws = True

    def choices(self, position: CarolusPosition, seat: str) -> Iterator[Order]:
        """See Phase: by the Emperor's steps, then what goes to court and where; without wishes for crowns."""
        return some_turns(position, seat)

    def pick(self, position: CarolusPosition, seat: str, below: Below) -> Order:
        """See Phase: of all turns without wishes for crowns."""
        return any_turn(position, seat, below)

    def sampled(self, position: CarolusPosition, seat: str) -> bool:
        """See Phase: whenever paladins are played, for wishes for crowns are left out."""
        return to_play(position, seat) > 0

    def fill_in(self, position: CarolusPosition, seat: str, order: Order) -> Order:
        """See Phase: regions by their first territories, paladins in the order of regions and clans."""
        order = cast(Turn, order)
        _check_words(order)
        player = position.players[seat]
        if order.emperor > player.disc:
            raise Illegal("emperor-too-far", "emperor", steps=order.emperor, disc=player.disc)
        paladins = [*order.court, *[each.clan for each in order.lands]]
        needed = to_play(position, seat)
        if len(paladins) != needed:
            raise Illegal("paladin-count", found=len(paladins), needed=needed)
        for clan, number in counted(paladins).items():
            if number > (have := player.reserve.get(clan, 0)):
                raise Illegal("not-in-reserve", clan=clan, needed=number, have=have, reserve=listed(player.reserve))
        if len(order.crowns) > needed:
            raise Illegal("too-many-crowns", "crowns", found=len(order.crowns), dice=needed)
        lands = [Put(to=region_of(position, each.to).lands[0], clan=each.clan) for each in order.lands]
        return Turn(
            court=in_clan_order(order.court),
            lands=tuple(sorted(lands, key=lambda each: (each.to, CLANS.index(each.clan)))) if len(lands) > 1 else tuple(lands),
            emperor=order.emperor,
            crowns=order.crowns,
        )

    def step(self, position: CarolusPosition, seat: str, order: Order, chance: Chance) -> Iterator[Event]:
        """See CarolusPhase."""
        order = cast(Turn, order)
        played = len(order.court) + len(order.lands)
        if played:
            yield _place(position, seat, order)
        yield from settle_control(position)
        yield from move_emperor(position, seat, order.emperor)
        if position.phase != OVER:
            yield from refill(position, seat, played, order.crowns, chance)

    def default(self, position: CarolusPosition, seat: str) -> Order:
        """See Phase: paladins of the clans he has most of at court go there, the Emperor one step; crowns by the same measure."""
        player = position.players[seat]
        number = to_play(position, seat)
        court = counted([clan for clan in by_court(player.court) for _ in range(player.reserve.get(clan, 0))][:number])
        after = {clan: player.court.get(clan, 0) + court.get(clan, 0) for clan in CLANS}
        crowns = [clan for clan in by_court(after) for _ in range(position.supply.get(clan, 0))][:number]
        return Turn(court=tuple(listed(court)), emperor=1, crowns=tuple(crowns))


def _check_words(order: Turn) -> None:
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


def _place(position: CarolusPosition, seat: str, order: Turn) -> Event:
    player = position.players[seat]
    for clan in order.court:
        take(player.reserve, clan)
        put(player.court, clan)
    placed: list[Placed] = []
    for each in order.lands:
        region = region_of(position, each.to)
        take(player.reserve, each.clan)
        put(region.paladins, each.clan)
        lands = region.lands
        if placed and (placed[-1].lands, placed[-1].clan) == (lands, each.clan):
            placed[-1] = Placed(lands=lands, clan=each.clan, count=placed[-1].count + 1)
        else:
            placed.append(Placed(lands=lands, clan=each.clan, count=1))
    return Played(seat=seat, court=counted(order.court), lands=tuple(placed))
