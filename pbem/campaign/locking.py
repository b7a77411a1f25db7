"""One process at a time, by a file that is locked as long as it works."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows locks in a way of its own
    fcntl = None  # type: ignore[assignment]

_PAUSE = 0.05
_TAKEN = {errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK}


class Busy(Exception):
    """Another process has held the lock for too long."""


@contextlib.contextmanager
def held(path: Path, seconds: float) -> Iterator[None]:
    """Holds the lock of that file, which is made if need be and stays. Busy when it cannot be had within ``seconds``; OSError."""
    try:
        handle = None if fcntl is None else _locked(path, time.monotonic() + seconds)
    except OSError as error:
        if error.errno != errno.ENOSYS:
            raise
        handle = None  # a file system without such locks
    if handle is None:
        with _held_elsewhere(path, seconds):
            yield
        return
    try:
        yield
    finally:
        os.close(handle)


def _locked(path: Path, until: float) -> int:
    while True:
        handle, made = _opened(path)
        try:
            if _taken(handle):
                return handle
        except BaseException:
            os.close(handle)
            if made:
                # Where such locks are unknown, the file itself would be taken for one.
                path.unlink(missing_ok=True)
            raise
        os.close(handle)
        if time.monotonic() >= until:
            raise Busy(str(path))
        time.sleep(_PAUSE)


def _opened(path: Path) -> tuple[int, bool]:
    """The file's handle, and whether it had to be made."""
    how = os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_NOFOLLOW
    try:
        return os.open(path, how | os.O_EXCL, 0o644), True
    except FileExistsError:
        return os.open(path, how, 0o644), False


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in _TAKEN:
            raise
        return False
    # Whoever cleared the folder meanwhile has left us the lock of a file that nobody else finds.
    return os.fstat(handle).st_nlink > 0


@contextlib.contextmanager
def _held_elsewhere(path: Path, seconds: float) -> Iterator[None]:
    # Knows every system, and takes longer to load than many a command runs.
    from filelock import FileLock, Timeout

    try:
        lock = FileLock(str(path), timeout=seconds)
        lock.acquire()
    except Timeout:
        raise Busy(str(path)) from None
    try:
        yield
    finally:
        lock.release()
