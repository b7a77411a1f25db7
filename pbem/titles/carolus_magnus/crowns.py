"""Crowns: a free choice among the colours that are in the supply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement

from pbem.engine.chance import Chance
from pbem.engine.refusals import Illegal
from pbem.engine.title import Event, Order
from pbem.titles.carolus_magnus.pieces import by_court, counted, in_clan_order, listed, move, take
from pbem.titles.carolus_magnus.refusal_codes import known
from pbem.titles.carolus_magnus.sequence import CarolusPhase, begin_round, next_turn
from pbem.titles.carolus_magnus.vocabulary import CLANS, CarolusPosition, Crowns, CrownsChosen


class ChooseCrowns(CarolusPhase[Crowns]):
    """Whoever rolled crowns takes a paladin of a colour of his choice for each: in 0.crowns in seat order, later within his turn."""

    name = "crowns"
    takes = Crowns

    def choices(self, position: CarolusPosition, seat: str) -> Iterator[Order]:
        """See Phase: every different set of colours that the supply can give."""
        return iter(_to_be_had(position, seat))

    def fill_in(self, position: CarolusPosition, seat: str, order: Crowns) -> Crowns:
        """See Phase: the colours in the order of the clans."""
        colours = order.colours
        for number, clan in enumerate(colours):
            if clan not in CLANS:
                known("unknown-clan", clan, CLANS, f"colours[{number}]")
        needed = position.players[seat].crowns
        if len(colours) != needed:
            raise Illegal("crown-count", "colours", found=len(colours), needed=needed)
        for clan, number in counted(colours).items():
            if number > (left := position.supply.get(clan, 0)):
                raise Illegal("used-up", "colours", clan=clan, needed=number, left=left, allowed=_in_supply(position))
        ordered = in_clan_order(colours)
        return order if ordered == colours else Crowns(colours=ordered)

    def step(self, position: CarolusPosition, seat: str, order: Crowns, chance: Chance) -> list[Event]:
        """See CarolusPhase."""
        given = give_for_crowns(position, seat, order.colours)
        return [given, *(ask_for_crowns(position) if position.phase == "0.crowns" else next_turn(position))]

    def default(self, position: CarolusPosition, seat: str) -> Order:
        """See Phase: the clan with most of his at court, as far as the supply has it."""
        player = position.players[seat]
        supply = [clan for clan in by_court(player.court) for _ in range(position.supply.get(clan, 0))]
        return Crowns(colours=tuple(listed(counted(supply[: player.crowns]))))


def give_for_crowns(position: CarolusPosition, seat: str, colours: Sequence[str], *, beforehand: bool = False) -> Event:
    """Paladins of these colours go from the supply into a reserve, one for each of as many crowns."""
    player = position.players[seat]
    for clan in colours:
        move(position.supply, player.reserve, clan)
    player.crowns -= len(colours)
    return CrownsChosen(seat=seat, colours=counted(colours), beforehand=beforehand)


def ask_for_crowns(position: CarolusPosition) -> list[Event]:
    """Set-up: the next in seat order who rolled crowns is asked; when there is nobody left, the first round begins."""
    for seat in position.seats:
        if position.players[seat].crowns:
            position.turn = seat
            return []
    return begin_round(position, 1)


def as_said_beforehand(position: CarolusPosition, seat: str, wishes: Sequence[str]) -> list[str]:
    """The colours for a player's crowns out of what he named with his turn: in that order, passing over what the supply has not."""
    left, chosen = dict(position.supply), list[str]()
    for clan in wishes:
        if len(chosen) < position.players[seat].crowns and left.get(clan, 0):
            take(left, clan)
            chosen.append(clan)
    return chosen


def _to_be_had(position: CarolusPosition, seat: str) -> tuple[Crowns, ...]:
    """The sets of colours that the supply can give; only a clan that is nearly used up makes a difference."""
    number, left = position.players[seat].crowns, position.supply.get
    return _sets(number, tuple([have if (have := left(clan, 0)) < number else number for clan in CLANS]))


@lru_cache(maxsize=1024)
def _sets(number: int, most: tuple[int, ...]) -> tuple[Crowns, ...]:
    """``most``: so many of each clan at most."""
    return tuple(
        [
            Crowns(colours=colours)
            for colours in combinations_with_replacement(CLANS, number)
            if all(colours.count(clan) <= high for clan, high in zip(CLANS, most, strict=True))
        ]
    )


def _in_supply(position: CarolusPosition) -> list[str]:
    return [clan for clan in CLANS if position.supply.get(clan)]
