"""The beacon: a hash chain whose end is published before anybody has joined.

``end = SHA-256^65536(seed)``; step n of a campaign uses link n = SHA-256^(65536−n)(seed), so each link hashes to the one before it, and
link 0 is the end. Nobody can choose a link afterwards; everybody can check one.
"""

from __future__ import annotations

import hashlib

LENGTH = 65536


def advance(link: bytes, times: int) -> bytes:
    """SHA-256 applied ``times`` times."""
    sha256 = hashlib.sha256  # 65536 look-ups less
    for _ in range(times):
        link = sha256(link).digest()
    return link


def end(seed: bytes) -> bytes:
    """What ``game.toml`` holds."""
    return advance(seed, LENGTH)


def link(seed: bytes, step: int) -> bytes:
    """The link of a step (from 1). ValueError outside the chain."""
    if not 1 <= step <= LENGTH:
        raise ValueError(f"step {step} is outside the beacon")
    return advance(seed, LENGTH - step)


class Links:
    """The links of consecutive steps from the seed, at the cost of one walk: a window is kept."""

    def __init__(self, seed: bytes, window: int = 1024, *, base: int = 0) -> None:
        """``base``: the last step before this beacon was taken (0 for a campaign's first)."""
        self._seed, self._window, self._base = seed, window, base
        self.walked = False
        """Whether the seed had to be asked."""
        self._top = 0
        self._kept: dict[int, bytes] = {}

    def __call__(self, step: int) -> bytes:
        step -= self._base
        if step not in self._kept:
            if not 1 <= step <= self._top:
                top = min(LENGTH, step + self._window)
                self._begin(top, link(self._seed, top))
                self.walked = True
            lowest = min(self._kept)
            at = self._kept[lowest]
            for number in range(lowest - 1, step - 1, -1):
                at = hashlib.sha256(at).digest()
                self._kept[number] = at
        return self._kept[step]

    @property
    def mark(self) -> tuple[int, bytes] | None:
        """A link ahead of all that were asked for: where the next run may begin instead of at the seed. As secret as the seed."""
        return (self._top, self._kept[self._top]) if self._top else None

    def begin_at(self, top: int, link: bytes, end: bytes) -> None:
        """Begins at the ``mark`` of an earlier run, if it is a link of this beacon: hashed ``top`` times it must give the ``end``."""
        if 1 <= top <= LENGTH and advance(link, top) == end:
            self._begin(top, link)

    def _begin(self, top: int, at: bytes) -> None:
        self._top, self._kept = top, {top: at}


def root(nonces: list[bytes]) -> bytes:
    """SHA-256 of the join nonces in seat order: after the joins nothing in chance can be varied."""
    return hashlib.sha256(b"".join(nonces)).digest()
