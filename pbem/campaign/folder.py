"""Where a campaign's files lie, how they are written, and the lock.

Writes are atomic: temporary file, fsync, rename. A leftover temporary file of a killed run is swept by the next one.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
"""What a campaign or a seat may be called."""

_NUMBERED = re.compile(r"(?:[0-9]{4}|[1-9][0-9]{4,8})\.toml")
_TEMPORARY = ".pbem-tmp-"
_LARGEST = 4 * 1024 * 1024


class CampaignError(Exception):
    """Something about a campaign that stops a command; ``code`` and facts become a sentence in ``publish``."""

    def __init__(self, code: str, **facts: object) -> None:
        super().__init__(code)
        self.code = code
        self.facts = facts

    def __str__(self) -> str:
        return f"{self.code} {self.facts}"


class Folder:
    """The paths of one campaign, and nothing of their content."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.game = root / "game.toml"
        self.orders = root / "orders"
        self.receipts = root / "receipts"
        self.ledger = root / "ledger"
        self.letters = root / "letters"
        self.private = root / "private"
        self.secret = self.private / "secret.toml"
        self.next_secret = self.private / "secret.next.toml"
        self.refused = self.private / "refused"

    def require(self) -> Folder:
        """This folder, or CampaignError when no campaign lies here."""
        if not self.game.is_file():
            raise self._elsewhere()
        return self

    def _elsewhere(self) -> CampaignError:
        """That no campaign lies here, and where one does, if it is near."""
        if self.root.name == "game.toml" and self.root.is_file():
            return CampaignError("campaign-is-folder", path=str(self.root), folder=str(self.root.parent))
        below = sorted(str(path.parent) for path in self.root.glob("*/game.toml")) if self.root.is_dir() else []
        if below:
            return CampaignError("campaign-below", path=str(self.root), found=below[:5])
        return CampaignError("no-campaign", path=str(self.root))

    def receipt(self, number: int) -> Path:
        return self.receipts / f"{number:04}.toml"

    def entry(self, number: int) -> Path:
        return self.ledger / f"{number:04}.toml"

    def order(self, phase: str, seat: str, revision: int, identity: bytes) -> Path:
        return self.orders / phase / f"{seat}.{revision}-{identity.hex()[:8]}.toml"

    def join(self, seat: str, identity: bytes) -> Path:
        return self.orders / "join" / f"{seat}-{identity.hex()[:8]}.toml"

    def request(self, seat: str, number: int, identity: bytes) -> Path:
        return self.orders / "request" / f"{seat}.{number}-{identity.hex()[:8]}.toml"

    def letter(self, seat: str, name: str) -> Path:
        return self.letters / seat / f"{name}.toml"

    def relative(self, path: Path) -> str:
        """A path as it is named in findings: from the campaign's folder, with forward slashes."""
        whole, root = str(path), f"{self.root}{os.sep}"
        return whole[len(root) :].replace(os.sep, "/") if whole.startswith(root) else path.relative_to(self.root).as_posix()

    @contextlib.contextmanager
    def locked(self, seconds: float = 30.0) -> Iterator[None]:
        """One writer at a time. CampaignError "busy" when another holds the lock for longer than ``seconds``."""
        self.private.mkdir(exist_ok=True)
        ignore = self.private / ".gitignore"
        if not ignore.exists():
            write(ignore, b"*\n")
        with held(self.private / "lock", seconds, self.root):
            self._sweep()
            yield

    def _sweep(self) -> None:
        for where in (self.root, self.receipts, self.ledger, self.private, self.refused):
            for left in where.glob(_TEMPORARY + "*"):
                left.unlink(missing_ok=True)
        for where in (self.orders, self.letters):
            for left in where.glob("*/" + _TEMPORARY + "*"):
                left.unlink(missing_ok=True)


@contextlib.contextmanager
def held(lock: Path, seconds: float, busy: Path) -> Iterator[None]:
    """One process at a time, by a file that is locked as long as it works, and made if need be.

    CampaignError "busy", with the path ``busy``, when another holds it for longer than ``seconds``.
    """
    # Knows every system, and takes longer to load than the commands that lock nothing should wait for.
    from filelock import FileLock, Timeout

    held_by_us = FileLock(str(lock), timeout=seconds)
    try:
        held_by_us.acquire()
    except Timeout:
        raise CampaignError("busy", path=str(busy)) from None
    try:
        yield
    finally:
        held_by_us.release()


def write(path: Path, data: bytes, *, mode: int = 0o644, modified: datetime | None = None) -> None:
    """Writes a file so that it is there whole or not at all; makes its folder. ``modified``: the time the file is to be dated.

    OSError names the file itself, not its temporary one.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, data, mode, modified)
        _sync_folder(path.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None


def _write(path: Path, data: bytes, mode: int, modified: datetime | None) -> None:
    temporary = path.parent / f"{_TEMPORARY}{os.urandom(6).hex()}"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        if modified is not None:
            os.utime(temporary, (modified.timestamp(), modified.timestamp()))
        temporary.replace(path)
    except BaseException:
        # A disk that failed once may fail again: what stays is swept by the next run.
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def _sync_folder(folder: Path) -> None:
    # A rename is only on the disk once its folder is; Windows cannot open folders and does not need it.
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read(path: Path, cap: int = _LARGEST) -> bytes:
    """The bytes of a file; CampaignError "too-large" beyond ``cap``, "not-a-file" for anything but a regular file."""
    try:
        if not path.is_file():
            raise CampaignError("not-a-file", path=str(path))
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123  # no detours: a campaign has a thousand small files
            data = _read(file, cap)
    except OSError as error:
        raise CampaignError("cannot-read", path=str(path), reason=error.strerror or str(error)) from None
    if len(data) > cap:
        raise CampaignError("too-large", path=str(path), limit=cap)
    return data


def _read(file: io.FileIO, cap: int) -> bytes:
    """All bytes of a file, and one more than ``cap`` at most."""
    # Asked for as much as there is: a buffer of the whole cap for each of a thousand small files would cost more than they do.
    data = file.read(min(os.fstat(file.fileno()).st_size, cap) + 1)
    while len(data) <= cap and (more := file.read(cap + 1 - len(data))):
        data += more
    return data


def numbered(folder: Path) -> list[Path]:
    """The files NNNN.toml of a folder in the order of their numbers; other names are not among them."""
    if not folder.is_dir():
        return []
    found = sorted((int(name[:-5]), name) for name in os.listdir(folder) if _NUMBERED.fullmatch(name))  # noqa: PTH208  # names are enough
    return [folder / name for _, name in found]
