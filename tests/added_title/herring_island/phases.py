"""The three phases of a round (paragraph 3), and the standings (paragraph 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import cast

from herring_island.vocabulary import (
    GROUNDS,
    MOST_LAID,
    GameOver,
    Hauled,
    IslandPosition,
    NetTorn,
    Sail,
    Sailed,
    ShoalCame,
)
from pbem.engine.chance import Chance
from pbem.engine.refusals import Illegal, Malformed
from pbem.engine.title import OVER, Event, Order, Phase, Standing


def round_of(phase_id: str) -> int:
    """The number before the dot."""
    return int(phase_id.partition(".")[0])


def reach(ground: str) -> tuple[str, ...]:
    """Where a boat can sail: everywhere from the harbour, else its own ground and the two neighbours, clockwise from the spit."""
    if not ground:
        return GROUNDS
    at = GROUNDS.index(ground)
    near = {GROUNDS[(at + step) % len(GROUNDS)] for step in (-1, 0, 1)}
    return tuple(name for name in GROUNDS if name in near)


class _Unasked(Phase[IslandPosition]):
    """A phase that plays itself."""

    def asked(self, position: IslandPosition) -> tuple[str, ...]:
        """See Phase."""
        return ()

    def complete(self, position: IslandPosition, seat: str, order: Order) -> Order:
        """See Phase: nobody is asked."""
        raise Illegal("not-asked", asked=[])


class Shoal(_Unasked):
    """3.1: a shoal comes."""

    name = "shoal"

    def play(self, position: IslandPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase. A phase looks before it draws: from an empty bag nothing comes."""
        number = round_of(position.phase)
        if not position.shoals:
            position.phase = f"{number}.sail"
            return []
        ground = chance.draw(position.shoals, "shoal")
        position.shoals[ground] -= 1
        if not position.shoals[ground]:
            del position.shoals[ground]
        count = 2 + len(position.seats)
        position.herrings[ground] = position.herrings.get(ground, 0) + count
        position.phase = f"{number}.sail"
        return [ShoalCame(ground=ground, count=count, there=position.herrings[ground])]


class SailOut(Phase[IslandPosition]):
    """3.2: all decide at the same time."""

    name = "sail"
    simultaneous = True

    def asked(self, position: IslandPosition) -> tuple[str, ...]:
        """See Phase."""
        return tuple(position.seats)

    def choices(self, position: IslandPosition, seat: str) -> Iterator[Order]:
        """See Phase: grounds clockwise from the spit, few nets before many."""
        player = position.players[seat]
        for ground in reach(player.ground):
            for nets in range(1, min(MOST_LAID, player.nets) + 1):
                yield Sail(ground=ground, nets=nets)

    def complete(self, position: IslandPosition, seat: str, order: Order) -> Order:
        """See Phase: the ground is filled in where it was left out."""
        order = cast(Sail, order)
        if seat not in position.seats:
            raise Illegal("not-asked", asked=list(position.seats))
        if order.ground is not None and order.ground not in GROUNDS:
            nearest = next(iter(get_close_matches(order.ground[:40], GROUNDS, 1)), "")
            raise Malformed("unknown-ground", "ground", found=order.ground, allowed=list(GROUNDS), nearest=nearest)
        if not 1 <= order.nets <= MOST_LAID:
            raise Malformed("nets-out-of-range", "nets", found=order.nets, low=1, high=MOST_LAID)
        player = position.players[seat]
        ground = player.ground if order.ground is None else order.ground
        if not ground:
            raise Illegal("still-in-harbour", "ground", grounds=list(GROUNDS))
        if ground not in reach(player.ground):
            raise Illegal("too-far", "ground", **{"from": player.ground, "to": ground, "reach": list(reach(player.ground))})
        if order.nets > player.nets:
            raise Illegal("too-few-nets", "nets", needed=order.nets, have=player.nets)
        return Sail(ground=ground, nets=order.nets)

    def play(self, position: IslandPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        events: list[Event] = []
        for seat in position.seats:
            player, order = position.players[seat], cast(Sail, orders[seat])
            player.ground, player.laid = cast(str, order.ground), order.nets
            events.append(Sailed(seat=seat, ground=player.ground, nets=player.laid))
        position.phase = f"{round_of(position.phase)}.haul"
        return events

    def default(self, position: IslandPosition, seat: str) -> Order:
        """See Phase: stay with one net; from the harbour to the spit."""
        return Sail(ground=position.players[seat].ground or GROUNDS[0])


def catch(herrings: int, laid: Mapping[str, int]) -> tuple[dict[str, int], bool]:
    """Herrings for each seat that laid nets on a ground, and whether the nets tangle (3.3)."""
    if herrings >= sum(laid.values()):
        return dict(laid), False
    share = herrings // len(laid)
    return {seat: min(nets, share) for seat, nets in laid.items()}, True


def laid_on(position: IslandPosition, ground: str) -> dict[str, int]:
    """Seat → nets laid on a ground and not hauled yet."""
    players = position.players
    return {seat: players[seat].laid for seat in position.seats if players[seat].ground == ground and players[seat].laid}


class Haul(_Unasked):
    """3.3: the catch, and the next round or the end."""

    name = "haul"

    def play(self, position: IslandPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        events: list[Event] = []
        for ground in GROUNDS:
            if laid := laid_on(position, ground):
                events += self._haul(position, ground, laid)
        number = round_of(position.phase)
        if number < position.rounds:
            position.phase = f"{number + 1}.shoal"
            return events
        position.phase = OVER
        herrings = {seat: position.players[seat].herrings for seat in position.seats}
        nets = {seat: position.players[seat].nets for seat in position.seats}
        winners = tuple(line.seat for line in standings(position) if line.place == 1)
        return [*events, GameOver(herrings=herrings, nets=nets, winners=winners)]

    def _haul(self, position: IslandPosition, ground: str, laid: dict[str, int]) -> list[Event]:
        there = position.herrings.pop(ground, 0)
        catches, tangled = catch(there, laid)
        left = there - sum(catches.values())
        if left:
            position.herrings[ground] = left
        events: list[Event] = [Hauled(ground=ground, catches=catches, left=left, tangled=tangled)]
        for seat, nets in laid.items():
            player = position.players[seat]
            player.herrings += catches[seat]
            player.laid = 0
            if tangled and nets > 1:
                player.nets -= 1
                events.append(NetTorn(seat=seat, ground=ground, left=player.nets))
        return events


def standings(position: IslandPosition) -> list[Standing]:
    """Most herrings first, then most nets; equals share a place (paragraph 4)."""
    merit = {seat: (position.players[seat].herrings, position.players[seat].nets) for seat in position.seats}
    lines = []
    for seat, (herrings, nets) in merit.items():
        place = 1 + sum(other > (herrings, nets) for other in merit.values())
        lines.append(Standing(seat=seat, points=herrings, place=place, why={"nets": nets}))
    return sorted(lines, key=lambda line: line.place)


PHASES: tuple[Phase[IslandPosition], ...] = (
    Shoal(),  # 1.shoal to 6.shoal
    SailOut(),  # 1.sail to 6.sail
    Haul(),  # 1.haul to 6.haul
)
BY_NAME = {phase.name: phase for phase in PHASES}
