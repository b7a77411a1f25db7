"""Where mail lies: what every kind of mailbox can do, and the two kinds that lie on this disk, a Maildir and an mbox.

A mailbox is looked through once a run. It gives each mail a name that stays the same from run to run, the time its own server received
it (never the date its sender wrote), and its size before anything is read. A mail that is done is marked, never deleted.
"""

from __future__ import annotations

import contextlib
import hashlib
import mailbox
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Protocol

from pbem.campaign.folder import CampaignError

LARGEST = 25 * 1024 * 1024
"""A mail beyond this many bytes is not read."""
MOST = 500
"""Mails read from one mailbox in one run; the others wait for the next."""
HEADERS = 64 * 1024
"""As much of a mail that is too large is read, to see whose it is."""


@dataclass(frozen=True)
class Lying:
    """A mail as the mailbox lists it: its name there, its bytes, and when it was received."""

    name: str
    size: int
    received: datetime


class Gone(Exception):
    """A mail that was listed has been moved or deleted by somebody since."""


class Mailbox(Protocol):
    """What is asked of a mailbox. All of it may raise CampaignError when the mailbox cannot be reached or read."""

    @property
    def key(self) -> str:
        """What it is called in the campaign's notes: the same from run to run, and another for another mailbox."""
        ...

    def opened(self, *, look_only: bool) -> contextlib.AbstractContextManager[None]:
        """Keeps it open; with ``look_only`` nothing in it can be changed."""
        ...

    def lying(self, since: datetime) -> list[Lying]:
        """What lies in it, but for mails that came before ``since``."""
        ...

    def read(self, mail: Lying) -> bytes:
        """A mail's bytes, of one above LARGEST only the first HEADERS. Gone when it is not there any more."""
        ...

    def mark(self, mail: Lying) -> None:
        """Shows whoever looks at the mailbox that this mail is done."""
        ...


# -- Maildir -----------------------------------------------------------------------------------------------------------

_DELIVERED = re.compile(r"([0-9]{9,11})\.")
_COLON = ";" if os.name == "nt" else ":"   # Windows takes no colon in a name
_INFO = re.compile(r"[:;!]2,[A-Za-z]*\Z")


class Maildir:
    """A folder with ``new`` and ``cur``. Done is what lies in ``cur`` as seen.

    Received: the earlier of the file's own time and the time that programs which deliver mail write into its name; a copy or a backup
    that was put back makes the one later, a program that collects mail from elsewhere the other.
    """

    def __init__(self, root: Path, *, ours: bool = True) -> None:
        """``ours``: it is made where there is none. Somebody else's has to be there: a slip in its name is no empty mailbox."""
        self.root = root
        self._ours = ours

    @property
    def key(self) -> str:
        return f"maildir:{self.root.resolve()}"

    @contextlib.contextmanager
    def opened(self, *, look_only: bool) -> Iterator[None]:
        if not self._ours and not self.root.is_dir():
            raise CampaignError("no-maildir", path=str(self.root))
        if not look_only:
            for name in ("new", "cur", "tmp"):
                (self.root / name).mkdir(parents=True, exist_ok=True)
        yield

    def lying(self, since: datetime) -> list[Lying]:
        found = []
        for path in self._files():
            with contextlib.suppress(FileNotFoundError):
                stat = path.stat()
                # The size is part of the name: somebody may copy a file into it by hand, and it is seen before it is whole.
                mail = Lying(f"{_base(path.name)}/{stat.st_size}", stat.st_size, _received(path.name, stat.st_mtime))
                found += [mail] if mail.received >= since and mail.size else []
        return sorted(found, key=lambda mail: (mail.received, mail.name))

    def read(self, mail: Lying) -> bytes:
        try:
            return _beginning(self._where(mail), mail.size)
        except FileNotFoundError:
            raise Gone(mail.name) from None
        except OSError as error:
            raise CampaignError("cannot-read", path=str(self.root), reason=error.strerror or str(error)) from None

    def mark(self, mail: Lying) -> None:
        try:
            path = self._where(mail)
        except FileNotFoundError:
            return
        info = _INFO.search(path.name)
        if path.parent.name == "cur" and info is not None and "S" in info[0]:
            return
        flags = sorted({*(info[0][3:] if info is not None else ""), "S"})
        path.replace(self.root / "cur" / f"{_base(path.name)}{_COLON}2,{''.join(flags)}")

    def _files(self) -> list[Path]:
        folders = [folder for folder in (self.root / "new", self.root / "cur") if folder.is_dir()]
        try:
            return [path for folder in folders for path in folder.iterdir() if not path.name.startswith(".") and path.is_file()]
        except OSError as error:
            raise CampaignError("cannot-read", path=str(self.root), reason=error.strerror or str(error)) from None

    def _where(self, mail: Lying) -> Path:
        """Another program may have moved it from ``new`` to ``cur`` meanwhile, or changed its flags."""
        for path in self._files():
            if _base(path.name) == mail.name.rpartition("/")[0]:
                return path
        raise FileNotFoundError(mail.name)


def _base(name: str) -> str:
    return _INFO.sub("", name)


def _received(name: str, modified: float) -> datetime:
    delivered = _DELIVERED.match(name)
    seconds = min(modified, float(delivered[1])) if delivered else modified
    return datetime.fromtimestamp(max(seconds, 0), UTC).replace(microsecond=0)


def _beginning(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST if size <= LARGEST else HEADERS)


# -- mbox --------------------------------------------------------------------------------------------------------------

_RECEIVED = re.compile(rb"^Received:((?:[^\r\n]|\r?\n[ \t])*)", re.IGNORECASE | re.MULTILINE)


class Mbox:
    """One file with mails one after the other. It is only read: what is done stands in the campaign's notes.

    Received: the date of the topmost Received line, which our own server wrote when it took the mail; the sender's stand below it.
    Without one, or if it lies behind the file's own time, that.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._offsets: dict[str, tuple[int, int]] = {}

    @property
    def key(self) -> str:
        return f"mbox:{self.path.resolve()}"

    @contextlib.contextmanager
    def opened(self, *, look_only: bool) -> Iterator[None]:
        yield

    def lying(self, since: datetime) -> list[Lying]:
        if not self.path.exists():
            # Programs that deliver mail take an empty mbox away; what they would put it into is there.
            if self.path.parent.is_dir():
                return []
            raise CampaignError("no-mbox", path=str(self.path))
        self._offsets.clear()
        try:
            changed = datetime.fromtimestamp(self.path.stat().st_mtime, UTC).replace(microsecond=0)
            with self._held():
                found = [self._listed(begin, data, size, changed) for begin, data, size in _mails(self.path)]
        except OSError as error:
            raise CampaignError("cannot-read", path=str(self.path), reason=error.strerror or str(error)) from None
        return sorted((mail for mail in found if mail.received >= since), key=lambda mail: mail.received)

    def _listed(self, begin: int, data: bytes, size: int, changed: datetime) -> Lying:
        name = hashlib.sha256(data).hexdigest()
        self._offsets[name] = (begin, len(data))
        return Lying(name, size, _top_received(data, changed))

    def read(self, mail: Lying) -> bytes:
        begin, length = self._offsets[mail.name]
        try:
            with self._held(), self.path.open("rb") as file:
                file.seek(begin)
                data = file.read(length)
        except OSError as error:
            raise CampaignError("cannot-read", path=str(self.path), reason=error.strerror or str(error)) from None
        if hashlib.sha256(data).hexdigest() != mail.name:
            raise Gone(mail.name)
        return data if mail.size <= LARGEST else data[:HEADERS]

    def mark(self, mail: Lying) -> None:
        """Nothing: rewriting an mbox that a server adds to loses mail sooner or later."""

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        """The lock that mail programs take, so that no half-written mail is read."""
        box = mailbox.mbox(self.path, create=False)
        try:
            box.lock()
        except mailbox.ExternalClashError:
            raise CampaignError("mbox-busy", path=str(self.path)) from None
        try:
            yield
        finally:
            box.unlock()
            box.close()


def _mails(path: Path) -> Iterator[tuple[int, bytes, int]]:
    """Where each mail begins, its bytes (of one above LARGEST the first LARGEST) and its true size; the "From " line is not of it."""
    with path.open("rb") as file:
        begin, size, kept, blank = -1, 0, list[bytes](), True
        while line := file.readline(LARGEST):
            if blank and line.startswith(b"From "):
                if begin >= 0:
                    yield begin, b"".join(kept), size
                begin, size, kept = file.tell(), 0, []
            elif begin >= 0:
                if size + len(line) <= LARGEST:
                    kept.append(line)
                size += len(line)
            blank = line in (b"\n", b"\r\n")
        if begin >= 0:
            yield begin, b"".join(kept), size


def _top_received(data: bytes, changed: datetime) -> datetime:
    head = data[:HEADERS].partition(b"\n\n")[0].partition(b"\r\n\r\n")[0]
    line = _RECEIVED.search(head)
    if line is None:
        return changed
    written = line[1].decode("ascii", "replace").rpartition(";")[2]
    try:
        when = parsedate_to_datetime(" ".join(written.split())).astimezone(UTC).replace(microsecond=0)
    except (ValueError, TypeError, OverflowError, IndexError):
        return changed
    return min(when, changed) if when > changed - timedelta(days=3660) else changed
