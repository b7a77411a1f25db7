"""What can be picked, all of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from pbem.engine.playout import playout
from pbem.engine.title import Order, Phase, Title


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


def views(title: Title[Any], options: msgspec.Struct, seats: Sequence[str], seed: int) -> list[Any]:
    """What was seen by whoever had to decide in a game by chance, in which every choice was as likely."""
    seen: list[Any] = []

    def choose(dice: Any, phase: Any, view: Any, seat: str) -> Any:
        seen.append(view)
        return dice.choice(list(phase.choices(view, seat)))

    playout(title, options, seats, seed, choose)
    return seen
