"""Every way to take one option from each slot so that their sizes make a total: counted first, then listed or evenly sampled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Generic, TypeVar

T = TypeVar("T")

MOST_CHOICES = 400


class Selections(Generic[T]):
    """``slots`` hold options as (size, option), sizes from 0. The order of selections is that of the options, the first slot leading."""

    def __init__(self, slots: Sequence[Sequence[tuple[int, T]]], total: int) -> None:
        self._slots, self._total = slots, total
        # ways[n][k]: in how many ways the slots from n on make k
        self._ways: list[list[int]] = [[1] + [0] * total]
        for slot in reversed(slots):
            after = self._ways[0]
            self._ways.insert(0, [sum(after[k - size] for size, _ in slot if size <= k) for k in range(total + 1)])
        self.count = self._ways[0][total]

    @property
    def sampled(self) -> bool:
        """Whether iterating leaves some out."""
        return self.count > MOST_CHOICES

    def __iter__(self) -> Iterator[list[T]]:
        """All of them, or as many as are listed at most, evenly spread, the first one always."""
        return map(self.selection, self.numbers())

    def numbers(self) -> Iterator[int]:
        """Of those that iterating gives."""
        shown = min(self.count, MOST_CHOICES)
        return (number * self.count // shown for number in range(shown))

    def selection(self, number: int) -> list[T]:
        """The one of that number among all of them, from 0."""
        chosen, left = [], self._total
        for slot, after in zip(self._slots, self._ways[1:], strict=True):
            for size, option in slot:
                ways = after[left - size] if size <= left else 0
                if number < ways:
                    chosen.append(option)
                    left -= size
                    break
                number -= ways
        return chosen


@lru_cache(maxsize=4096)
def by_size(sizes: tuple[tuple[int, ...], ...], total: int) -> Selections[int]:
    """Selections that name the options of each slot by their index: players differ more in what they have than in how many of it."""
    return Selections([[(size, at) for at, size in enumerate(slot)] for slot in sizes], total)


@lru_cache(maxsize=8192)
def selected(selections: Selections[T], number: int) -> tuple[T, ...]:
    """The one of that number, for selections that are made once: the same come up again and again."""
    return tuple(selections.selection(number))
