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
        self._top = 0
        self._kept: dict[int, bytes] = {}

    def __call__(self, step: int) -> bytes:
        step -= self._base
        if step not in self._kept:
            self._top = min(LENGTH, step + self._window)
            at = link(self._seed, self._top)
            self._kept = {self._top: at}
            for number in range(self._top - 1, step - 1, -1):
                at = hashlib.sha256(at).digest()
                self._kept[number] = at
        return self._kept[step]


def root(nonces: list[bytes]) -> bytes:
    """SHA-256 of the join nonces in seat order: after the joins nothing in chance can be varied."""
    return hashlib.sha256(b"".join(nonces)).digest()
