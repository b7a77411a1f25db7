"""One process at a time, by a file that is locked as long as it works."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path


class Busy(Exception):
    """Another process has held the lock for too long."""


@contextlib.contextmanager
def held(path: Path, seconds: float) -> Iterator[None]:
    """Holds the lock of that file, which is made if need be. Busy when it cannot be had within ``seconds``; OSError."""
    # Knows every system, and takes longer to load than the commands that lock nothing should wait for.
    from filelock import FileLock, Timeout

    lock = FileLock(str(path), timeout=seconds)
    try:
        lock.acquire()
    except Timeout:
        raise Busy(str(path)) from None
    try:
        yield
    finally:
        lock.release()
