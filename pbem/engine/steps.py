"""One step of a game: the orders asked for, and everything that plays itself until the game asks again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec

from pbem.engine.chance import Chance
from pbem.engine.position import Position
from pbem.engine.title import Event, Order, Phase, Title


def first_step(title: Title[Any], options: msgspec.Struct, seats: Sequence[str], chance: Chance) -> tuple[Any, list[Event]]:
    """Set-up and what plays itself after it. Gives the position and the events."""
    position, events = title.set_up(options, seats, chance)
    events += play_itself(title, position, chance)
    return position, events


def play_step(title: Title[Any], position: Any, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
    """Completes the orders of everyone asked and plays them, then whatever plays itself. Changes the position, or refuses and does not."""
    phase = title.phase(position)
    if phase is None:
        raise ValueError("the game is over")
    asked = phase.asked(position)
    if len(orders) != len(asked) or any(seat not in orders for seat in asked):
        raise ValueError(f"asked {asked}, orders of {sorted(orders)}")
    complete = {seat: phase.complete(position, seat, order) for seat, order in orders.items()}
    events = phase.play(position, complete, chance)
    events += play_itself(title, position, chance)
    return events


def play_itself(title: Title[Any], position: Any, chance: Chance) -> list[Event]:
    """Plays the phases that ask nobody, up to the next question or the end."""
    return to_question(title, position, chance)[0]


def to_question(title: Title[Any], position: Any, chance: Chance) -> tuple[list[Event], Phase[Any] | None, tuple[str, ...]]:
    """``play_itself``, with the phase that asks then, None at the end, and the seats asked."""
    events: list[Event] = []
    while (phase := title.phase(position)) is not None:
        if seats := phase.asked(position):
            return events, phase, seats
        events += phase.play(position, {}, chance)
    return events, None, ()


def asked(title: Title[Any], position: Position) -> tuple[str, ...]:
    """Who must decide now; nobody when the game is over."""
    phase = title.phase(position)
    return () if phase is None else phase.asked(position)


def only_choice(phase: Phase[Any], position: Any, seat: str) -> Order | None:
    """The single legal order of a seat, or None when there are several."""
    first = list(islice(phase.choices(position, seat), 2))
    return first[0] if len(first) == 1 else None
