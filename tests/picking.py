"""What can be picked, all of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pbem.engine.title import Order, Phase


def rigged(number: int, drawn: list[int]) -> Callable[[int], int]:
    """Always draws that number; notes below which it had to be."""

    def below(count: int) -> int:
        drawn.append(count)
        return number

    return below


def every_pick(phase: Phase[Any], position: Any, seat: str) -> list[Order]:
    """What is picked for each number that can be drawn, in their order; each pick draws one number, out of as many."""
    drawn: list[int] = []
    picks = [phase.pick(position, seat, rigged(0, drawn))]
    picks += [phase.pick(position, seat, rigged(number, drawn)) for number in range(1, drawn[0])]
    assert drawn == [drawn[0]] * len(picks)
    return picks
