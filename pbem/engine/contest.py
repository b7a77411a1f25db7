"""How strong a stand-in player is: many games against random play, the seats rotated, with a confidence interval."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import msgspec

from pbem.engine.playout import any_choice, playout
from pbem.engine.standin import StandIn
from pbem.engine.title import Order, Phase, Title


class Contest(msgspec.Struct, frozen=True):
    """``chance``: the share of wins that chance alone would give. ``won`` counts a shared win as its share; ``low`` and ``high`` bound the
    true share of wins at 95 % (Wilson).
    """

    title: str
    seats: int
    games: int
    chance: float
    won: float
    low: float
    high: float


def wilson(won: float, games: int, z: float = 1.96) -> tuple[float, float]:
    """The interval of a share (E. B. Wilson, 1927); ``z`` 1.96 is 95 %."""
    share, spread = won / games, z * z / games
    middle = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / games + spread / (4 * games)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def contest(
    title: Title[Any], options: msgspec.Struct, seats: Sequence[str], *, games: int, seed: str, seconds: float = 0.05
) -> Contest:
    """A stand-in in one seat against random play in all others; it sits in each seat as often as in another."""
    won, sides = 0.0, len(seats)
    for number in range(games):
        mine = seats[number % len(seats)]
        mind = StandIn(title, mine, f"{seed}/{number}", seconds=seconds)

        def choose(dice: random.Random, phase: Phase[Any], seen: Any, seat: str, mine: str = mine, mind: StandIn = mind) -> Order:
            return mind.ranked(seen)[0] if seat == mine else any_choice(dice, phase, seen, seat)

        last, _ = playout(title, options, seats, f"{seed}/{number}", choose)
        first = {title.side(last, line.seat) for line in title.result(last) if line.place == 1}
        won += (title.side(last, mine) in first) / len(first)
        sides = len({title.side(last, seat) for seat in seats})
    low, high = wilson(won, games)
    return Contest(title.slug, len(seats), games, 1 / sides, won, low, high)
