"""Stand-in players: they see only ``view(position, seat)`` and decide one step ahead by ``Title.worth``.

What a seat cannot see is filled in by guessing (``Title.imagine``), several times when there is time to think, as are chance and what
others decide at the same moment. Time to think is counted in thoughts, not read from a clock: the same seed gives the same orders on any
machine.
"""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

from pbem.engine import steps
from pbem.engine.chance import SeededChance
from pbem.engine.title import Order, Phase, Title

THOUGHTS_PER_SECOND = 4000
"""Positions judged per second of thinking time, on an ordinary machine."""

_MOST_TURNS = 40
_MOST_CHOICES = 400
_MOST_GUESSES = 64


class StandIn:
    """A player for one seat. ``seconds`` is its thinking time per decision."""

    def __init__(self, title: Title[Any], seat: str, seed: int | str, *, seconds: float = 0.05) -> None:
        self._title, self._seat = title, seat
        self._thoughts = max(1, int(seconds * THOUGHTS_PER_SECOND))
        self._random = random.Random(f"{seed}/{seat}")  # noqa: S311 — a player's whims need to be repeatable, not secret

    def world(self, view: Any) -> Any:
        """A copy to think with; what the seat cannot see is filled in by guessing."""
        return self._title.imagine(view, self._seat, self._chance()) if self._title.hidden else view.copy()

    def ranked(self, view: Any) -> list[Order]:
        """Orders for the present decision, the best first; at most three."""
        phase = self._title.phase(view)
        if phase is None:
            return []
        choices = list(islice(phase.choices(view, self._seat), _MOST_CHOICES))
        totals = [0] * len(choices)
        guesses = min(_MOST_GUESSES, max(1, self._thoughts // len(choices))) if self._guesses(phase, view) else 1
        for number in range(guesses):
            world = self.world(view)
            others = self._others(phase, world, by_default=number == 0)
            seed = self._random.random()
            for at, order in enumerate(choices):
                probe = world.copy()
                phase.play(probe, {**others, self._seat: order}, SeededChance(str(seed)))
                totals[at] += self._title.worth(probe, self._seat)
        # Equals are told apart by a whim, so that stand-ins do not all do the same.
        best = sorted(range(len(choices)), key=lambda at: (-totals[at], self._random.random()))
        return [choices[at] for at in best[:3]]

    def plan(self, view: Any) -> list[list[Order]]:
        """Lines for every decision of the present phase if the others take the default: per line the orders in the order of preference."""
        probe, chance = self.world(view), SeededChance(0)
        phase_id, lines = probe.phase, list[list[Order]]()
        for _ in range(400):
            phase = self._title.phase(probe)
            if phase is None or probe.phase != phase_id or len(lines) >= _MOST_TURNS:
                break
            orders = {}
            for seat in phase.asked(probe):
                if seat == self._seat:
                    ranked = self.ranked(self._title.view(probe, seat))
                    lines.append(ranked)
                    orders[seat] = ranked[0]
                else:
                    orders[seat] = phase.default(probe, seat)
            steps.play_step(self._title, probe, orders, chance)
        return lines

    def _guesses(self, phase: Phase[Any], view: Any) -> bool:
        """Whether anything has to be guessed: hidden facts, what others decide at the same time, or chance."""
        return self._title.hidden or phase.uncertain or len(phase.asked(view)) > 1

    def _others(self, phase: Phase[Any], world: Any, *, by_default: bool) -> dict[str, Order]:
        others = [seat for seat in phase.asked(world) if seat != self._seat]
        if by_default:
            return {seat: phase.default(world, seat) for seat in others}
        return {seat: self._random.choice(list(islice(phase.choices(world, seat), 60))) for seat in others}

    def _chance(self) -> SeededChance:
        return SeededChance(self._random.random().hex())
