"""Random games, and counted action trees."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple, TypeAlias

import msgspec

from pbem.engine.chance import SeededChance, evenly
from pbem.engine.steps import play_step, to_question
from pbem.engine.title import Event, Order, Phase, Title

LONGEST_GAME = 100_000


class PlayedStep(NamedTuple):
    """One step of a playout: the phase that asked ("" for set-up), the orders by seat, and all events until the game asked again."""

    phase: str
    orders: Mapping[str, Order]
    events: list[Event]


Choose: TypeAlias = Callable[[random.Random, Phase[Any], Any, str], Order]
"""(random, phase, what the seat may see, seat) → order."""


def any_choice(dice: random.Random, phase: Phase[Any], seen: Any, seat: str) -> Order:
    """One of all legal orders, each equally likely."""
    return phase.pick(seen, seat, dice.randrange)


def playout(
    title: Title[Any], options: msgspec.Struct, seats: Sequence[str], seed: int | str, choose: Choose | None = None
) -> tuple[Any, list[PlayedStep]]:
    """A whole game by chance: the last position and all steps. The same seed gives the same game.

    ``choose`` picks an order of a seat from what that seat may see; without it, any legal order, which nothing needs to be shown for.
    """
    chance = SeededChance(f"{seed} chance")
    dice = random.Random(f"{seed} choices")  # noqa: S311 — playouts need repeatable numbers, not secret ones
    below = evenly(dice)
    position, events = title.set_up(options, seats, chance)
    # Who is asked is carried along from where it is found out: some titles have to look at the whole board for it.
    more, phase, asked = to_question(title, position, chance)
    steps = [PlayedStep("", {}, events + more)]
    while phase is not None:
        if len(steps) > LONGEST_GAME:
            raise RuntimeError(f"{title.slug} with seed {seed!r} does not end")
        phase_id: str = position.phase
        orders = {}
        for seat in asked:
            order = phase.pick(position, seat, below) if choose is None else choose(dice, phase, title.view(position, seat), seat)
            orders[seat] = phase.complete(position, seat, order)
        events = phase.play(position, orders, chance)
        more, phase, asked = to_question(title, position, chance)
        steps.append(PlayedStep(phase_id, orders, events + more))
    return position, steps


def count_tree(title: Title[Any], position: Any, depth: int) -> int:
    """In how many ways the next ``depth`` steps can be decided; a game that ends earlier counts once.

    Every step's chance is the stream of seed 0, so that the number is a fixed one. The position is left as it is.
    """
    phase = title.phase(position)
    if phase is None or depth == 0:
        return 1
    asked = phase.asked(position)
    choices = [list(phase.choices(position, seat)) for seat in asked]
    if depth == 1:
        return prod(len(of_seat) for of_seat in choices)
    total = 0
    for orders in product(*choices):
        after = position.copy()
        play_step(title, after, dict(zip(asked, orders, strict=True)), SeededChance(0))
        total += count_tree(title, after, depth - 1)
    return total
