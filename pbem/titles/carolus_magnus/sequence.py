"""The order of phases: crowns of the set-up, then rounds of discs and turns, with crowns wherever a refill leaves them open."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Generic, TypeVar

from pbem.engine.chance import Chance
from pbem.engine.refusals import Illegal
from pbem.engine.title import OVER, Event, Order, Phase
from pbem.titles.carolus_magnus.end import finish
from pbem.titles.carolus_magnus.vocabulary import CarolusPosition, DiscsBack, RoundBegan

Takes = TypeVar("Takes", bound=Order)

ROUNDS_OF_DISCS = 5
_LONGEST_NUMBER = 5


@lru_cache(maxsize=256)
def round_of(phase_id: str) -> int:
    """The round of a phase; 0 for the crowns of the set-up."""
    return int(phase_id.partition(".")[0])


def is_phase_id(phase_id: str) -> bool:
    """Whether a game can come to a phase of this id."""
    number, _, name = phase_id.partition(".")
    if not (number.isascii() and number.isdigit() and len(number) <= _LONGEST_NUMBER and number == str(int(number))):
        return False
    return name == "crowns" or (name in ("disc", "turn") and number != "0")


def phases_ahead(position: CarolusPosition) -> tuple[str, ...]:
    """Phases that may come until the next round ends, the present one first. The end may come before any of them."""
    if position.phase == OVER:
        return ()
    number, name = round_of(position.phase), position.phase.partition(".")[2]
    coming = {
        "disc": [f"{number}.disc", f"{number}.turn", f"{number}.crowns"],
        "turn": [f"{number}.turn", f"{number}.crowns"],
        "crowns": [f"{number}.crowns"] + ([f"{number}.turn"] if number and _others_follow(position) else []),
    }[name]
    return (*coming, *(f"{number + 1}.{each}" for each in ("disc", "turn", "crowns")))


def _others_follow(position: CarolusPosition) -> bool:
    return position.turn != position.order[-1]


def begin_round(position: CarolusPosition, number: int) -> list[Event]:
    """Discs are laid in last round's playing order. With every reserve empty the game ends instead."""
    if not any(player.reserve for player in position.players.values()):
        return finish(position, "reserves")
    position.phase = f"{number}.disc"
    position.turn = position.order[0]
    return [RoundBegan(round=number, order=tuple(position.order))]


def next_turn(position: CarolusPosition) -> list[Event]:
    """The turn goes to the next in order; after the last the round ends, and every fifth time the discs come back."""
    number = round_of(position.phase)
    at = position.order.index(position.turn) + 1  # type: ignore[arg-type]  # it is somebody's turn
    if at < len(position.order):
        position.phase = f"{number}.turn"
        position.turn = position.order[at]
        return []
    events: list[Event] = []
    for player in position.players.values():
        player.disc = 0
    if number % ROUNDS_OF_DISCS == 0:
        for player in position.players.values():
            player.used = []
        events.append(DiscsBack(round=number))
    return events + begin_round(position, number + 1)


class CarolusPhase(Phase[CarolusPosition], Generic[Takes]):
    """What all phases of this title share: one seat decides, by one kind of order."""

    takes: type[Takes]
    """The order this phase understands."""

    def asked(self, position: CarolusPosition) -> tuple[str, ...]:
        """See Phase."""
        return () if position.turn is None else (position.turn,)

    def complete(self, position: CarolusPosition, seat: str, order: Order) -> Order:
        """See Phase. Somebody not asked, and an order of another phase, are refused here."""
        if seat != position.turn:
            raise Illegal("not-asked", asked=list(self.asked(position)))
        if not isinstance(order, self.takes):
            allowed = [str(self.takes.__struct_config__.tag)]
            raise Illegal("not-now", "do", found=order.__struct_config__.tag, allowed=allowed, phase=position.phase)
        return self.fill_in(position, seat, order)

    def play(self, position: CarolusPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        [(seat, order)] = orders.items()
        return self.step(position, seat, order, chance)  # type: ignore[arg-type]  # it is one that ``complete`` has seen

    def fill_in(self, position: CarolusPosition, seat: str, order: Takes) -> Takes:
        """``complete`` for a seat that is asked and an order of the right kind."""
        raise NotImplementedError

    def step(self, position: CarolusPosition, seat: str, order: Takes, chance: Chance) -> list[Event]:
        """``play`` for one order in normal form. Only chance can fail, since the order is known to be legal."""
        raise NotImplementedError
