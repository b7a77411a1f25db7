"""Chance as a parameter: every draw has a label, and none has a hidden order.

A deck is a multiset; a card is drawn from it at the moment it is turned. There are three makers: a keyed stream (campaigns: the
beacon gives the key, see "Chance" in the protocol), a seed (playouts) and a list of outcomes (cases).
"""

from __future__ import annotations

import hashlib
import hmac
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

_WIDTH = 2**256


class Chance:
    """Labelled draws. A maker gives ``number``; everything else is built on it."""

    def number(self, below: int, label: str, seat: str | None = None) -> int:
        """An unbiased integer in ``range(below)``; with ``seat`` it is private chance, known to that seat alone."""
        raise NotImplementedError(label)

    def draw(self, bag: Mapping[str, int], label: str, seat: str | None = None) -> str:
        """One thing out of a multiset (name → how many); the bag itself is left as it is.

        Raises ValueError when the bag is empty: a rule must look before it draws.
        """
        total = sum(bag.values())
        if total <= 0:
            raise ValueError(f"nothing to draw for {label}")
        at = self.number(total, label, seat)
        for name in sorted(bag):
            if at < bag[name]:
                return name
            at -= bag[name]
        raise AssertionError("unreachable")

    def roll(self, faces: Sequence[T], label: str) -> T:
        """One of equally likely faces."""
        return faces[self.number(len(faces), label)]

    def shuffle(self, items: Sequence[T], label: str) -> list[T]:
        """All items in an unbiased random order (Fisher and Yates, from the end)."""
        out = list(items)
        for last in range(len(out) - 1, 0, -1):
            other = self.number(last + 1, label)
            out[last], out[other] = out[other], out[last]
        return out


class KeyedChance(Chance):
    """The stream of one step of a campaign.

    Number ``counter`` is HMAC-SHA256 under ``key`` over root ‖ digest of the public position before the step ‖ label ‖ counter, read as
    a big-endian integer; values in the incomplete last interval are thrown away. ``‖`` puts the length of each field in front of it
    (4 bytes, big-endian). Private draws use ``private_key`` and put the link in front. ``before`` may be a function that gives the digest:
    it is asked at the first draw, for in most steps nothing is drawn.
    """

    def __init__(self, key: bytes, root: bytes, before: bytes | Callable[[], bytes], private_key: bytes | None = None) -> None:
        self._key, self._root, self._before, self._private = key, root, before, private_key
        self._counter = 0

    def number(self, below: int, label: str, seat: str | None = None) -> int:
        if below < 1:
            raise ValueError(f"no outcome for {label}")
        if callable(self._before):
            self._before = self._before()
        limit = _WIDTH - _WIDTH % below
        while True:
            fields = [self._root, self._before, label.encode(), str(self._counter).encode()]
            key = self._key
            if seat is not None:
                if self._private is None:
                    raise PermissionError("private chance without the private secret")
                fields, key = [self._key, *fields], self._private
            self._counter += 1
            message = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
            value = int.from_bytes(hmac.digest(key, message, hashlib.sha256), "big")
            if value < limit:
                return value % below


def evenly(dice: random.Random) -> Callable[[int], int]:
    """The numbers of ``dice.randrange(below)``, one after the other, in half the time: it does not ask how it was called.

    Raises ValueError where there is no number below.
    """
    bits = dice.getrandbits

    def number(below: int) -> int:
        if below < 1:
            raise ValueError(f"no number from 0 is below {below}")
        width = below.bit_length()
        value = bits(width)
        while value >= below:
            value = bits(width)
        return value

    return number


class SeededChance(Chance):
    """For playouts: the same seed gives the same game, whatever else runs in the process."""

    def __init__(self, seed: int | str) -> None:
        self._below = evenly(random.Random(seed))  # noqa: S311 — playouts need repeatable numbers, not secret ones

    def number(self, below: int, label: str, seat: str | None = None) -> int:
        return self._below(below)


class UnusedOutcomes(Exception):
    """A case listed outcomes that no rule drew."""


class ScriptedChance(Chance):
    """For cases: outcomes in the order they are drawn. What cannot come up is a ValueError that names the draw."""

    def __init__(self, outcomes: Sequence[Any]) -> None:
        self._left = list(outcomes)

    def _next(self, label: str) -> Any:
        if not self._left:
            raise ValueError(f"the script has no outcome left for {label}")
        return self._left.pop(0)

    def number(self, below: int, label: str, seat: str | None = None) -> int:
        value = self._next(label)
        if not isinstance(value, int) or not 0 <= value < below:
            raise ValueError(f"{value!r} cannot come up for {label}: 0 to {below - 1}")
        return value

    def draw(self, bag: Mapping[str, int], label: str, seat: str | None = None) -> str:
        value = self._next(label)
        if not isinstance(value, str) or bag.get(value, 0) < 1:
            raise ValueError(f"{value!r} cannot be drawn for {label}: {dict(bag)}")
        return value

    def roll(self, faces: Sequence[T], label: str) -> T:
        value = self._next(label)
        if value not in faces:
            raise ValueError(f"{value!r} cannot be rolled for {label}: {list(faces)}")
        return faces[list(faces).index(value)]

    def shuffle(self, items: Sequence[T], label: str) -> list[T]:
        value = self._next(label)
        if not isinstance(value, list) or sorted(map(repr, value)) != sorted(map(repr, items)):
            raise ValueError(f"{value!r} is no order of {list(items)} for {label}")
        return list(value)

    def finish(self) -> None:
        """Raises UnusedOutcomes when something is left over."""
        if self._left:
            raise UnusedOutcomes(f"outcomes left over: {self._left}")
