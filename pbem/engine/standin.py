"""Stand-in players: they see only ``view(position, seat)`` and decide one step ahead by ``Title.worth``."""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

from pbem.engine import steps
from pbem.engine.chance import SeededChance
from pbem.engine.title import Order, Title

_MOST_TURNS = 40


class StandIn:
    """A player for one seat. The same seed gives the same orders."""

    def __init__(self, title: Title[Any], seat: str, seed: int | str, *, looks_at: int = 300) -> None:
        self._title, self._seat, self._looks_at = title, seat, looks_at
        self._random = random.Random(f"{seed}/{seat}")  # noqa: S311 — a player's whims need to be repeatable, not secret

    def world(self, view: Any) -> Any:
        """A copy to think with; what the seat cannot see is filled in by guessing."""
        return self._title.imagine(view, self._seat, SeededChance(self._random.random().hex())) if self._title.hidden else view.copy()

    def ranked(self, view: Any) -> list[Order]:
        """Orders for the present decision, the best first; at most three."""
        view = self.world(view)
        phase = self._title.phase(view)
        if phase is None:
            return []
        choices = list(islice(phase.choices(view, self._seat), 400))
        if len(choices) > self._looks_at:
            choices = self._random.sample(choices, self._looks_at)
        others = {seat: phase.default(view, seat) for seat in phase.asked(view) if seat != self._seat}
        scored = []
        for order in choices:
            probe = view.copy()
            phase.play(probe, {**others, self._seat: order}, SeededChance(0))
            scored.append((self._title.worth(probe, self._seat), self._random.random(), order))
        scored.sort(key=lambda item: (-item[0], item[1]))
        return [order for _, _, order in scored[:3]]

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
                    ranked = self.ranked(probe)
                    lines.append(ranked)
                    orders[seat] = ranked[0]
                else:
                    orders[seat] = phase.default(probe, seat)
            steps.play_step(self._title, probe, orders, chance)
        return lines
