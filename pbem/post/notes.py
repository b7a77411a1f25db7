"""What the campaign remembers of the mail it has fetched, in ``private/mail``.

``looked/KEY.txt``       the mails of one mailbox that need not be looked at again, by their names there
``fetched/ID.toml``      one mail that is done: from whom, what was in it, what was said of it. ID comes from the mail itself, so that
                         the same mail is known when it comes twice, or when the mailbox names its mails anew
``doing/ID.toml``        a mail at work: a run that is killed in its middle leaves it, and the next one knows what is new in it
``looked/helped.toml``   who was sent a help text or the last report again today

Each is written whole before the next step is taken; see ``fetch`` for their order.
"""

import contextlib
import hashlib
import tomllib
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import tomli_w

from pbem.campaign import clock
from pbem.campaign.folder import Folder, held, read, write
from pbem.orders.encoding import joined
from pbem.post.outbox import home
from pbem.post.parsing import header_of

HELP_A_DAY = 30
"""Help texts to strangers in a day, to all of them together."""
T = TypeVar("T")
RESENDS_A_DAY = 3
_CAP = 16 * 1024 * 1024
_TOLD = ("message-id", "from", "date", "subject")


class FileTold(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A file that was in a mail: its name, the number of its receipt, and the verdict."""

    name: str
    receipt: int
    verdict: str
    reason: str = ""


class Fetched(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A mail that is done. ``what``: see ``fetch.Line``; ``answer``: the key of the answer in the outbox, "" for none."""

    time: str
    received: str
    sender: str
    what: str
    seat: str = ""
    files: list[FileTold] = []
    answer: str = ""


class Doing(msgspec.Struct, kw_only=True):
    """A mail at work: how many receipts there were before its files, and the addresses it moves: seat → the one before, "" for none."""

    receipts: int
    moved: dict[str, str] = {}


def identity(data: bytes) -> str:
    """What makes a mail the same mail, in 64 hex: what its author wrote, without what servers add on the way, whatever the line ends."""
    head, _, body = data.replace(b"\r\n", b"\n").lstrip(b"\n").partition(b"\n\n")
    header = header_of(head + b"\n\n")
    named = [str(header.get(name, ""))[:1000].encode("utf-8", "surrogateescape") for name in _TOLD]
    return hashlib.sha256(joined(*named, body.rstrip(b"\n"))).hexdigest()


class Notes:
    """The notes of one campaign. ``held`` keeps other runs away while they are used."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self._home = home(folder)

    @contextlib.contextmanager
    def held(self, seconds: float = 30.0) -> Iterator[None]:
        """One run at a time fetches a campaign's mail. CampaignError "busy" when another is at it for longer than ``seconds``."""
        self._home.mkdir(parents=True, exist_ok=True)
        with held(self._home / "fetching.lock", seconds, self.folder.root):
            for where in ("looked", "fetched", "doing"):
                for left in (self._home / where).glob(".pbem-tmp-*"):
                    left.unlink(missing_ok=True)
            yield

    # -- mails by their names in a mailbox -------------------------------------------------------------------------------

    def looked(self, mailbox: str) -> set[str]:
        """The mails of a mailbox that are done, or none of ours."""
        path = self._looked_path(mailbox)
        return set(read(path, _CAP).decode("utf-8", "replace").split("\n")[1:]) - {""} if path.exists() else set()

    def set_looked(self, mailbox: str, names: set[str]) -> None:
        """Notes them; the first line says of which mailbox."""
        write(self._looked_path(mailbox), "\n".join([mailbox.replace("\n", " "), *sorted(names), ""]).encode(), mode=0o600)

    def _looked_path(self, mailbox: str) -> Path:
        return self._home / "looked" / f"{hashlib.sha256(mailbox.encode()).hexdigest()[:16]}.txt"

    # -- mails by themselves ---------------------------------------------------------------------------------------------

    def fetched(self, mail: str) -> Fetched | None:
        """What was noted of a mail; None when it is not done."""
        done = _load(self._home / "fetched" / f"{mail[:32]}.toml", Fetched)
        if done is not None:
            self._doing(mail).unlink(missing_ok=True)
        return done

    def set_fetched(self, mail: str, fetched: Fetched) -> None:
        """Notes that a mail is done."""
        _save(self._home / "fetched" / f"{mail[:32]}.toml", fetched)
        self._doing(mail).unlink(missing_ok=True)

    def begin(self, mail: str, receipts: int) -> Doing:
        """Notes that a mail is at work, before its files are received; gives what was noted when this was done first."""
        before = _load(self._doing(mail), Doing)
        if before is None:
            before = Doing(receipts=receipts)
            _save(self._doing(mail), before)
        return before

    def set_moved(self, mail: str, doing: Doing) -> None:
        """Notes what a mail moves, before it does."""
        _save(self._doing(mail), doing)

    def _doing(self, mail: str) -> Path:
        return self._home / "doing" / f"{mail[:32]}.toml"

    # -- help texts ------------------------------------------------------------------------------------------------------

    def may_help(self, address: str, mail: str, now: datetime) -> bool:
        """Whether a help text may go to that address because of that mail: one a day, and not too many in all. It is noted."""
        return self._may([address], mail, now, HELP_A_DAY)

    def may_resend(self, seat: str, mail: str, now: datetime) -> bool:
        """Whether a seat's last report may be sent again because of that mail. It is noted."""
        return self._may([f"{seat}/{number}" for number in range(RESENDS_A_DAY)], mail, now)

    def _may(self, names: list[str], mail: str, now: datetime, most: int = 0) -> bool:
        """Takes the first of the names that is free today; True as well if that mail has one of them already."""
        path = self._home / "looked" / "helped.toml"
        days = _load(path, dict[str, dict[str, str]]) or {}
        today, yesterday = (clock.text(when)[:10] for when in (now, now - timedelta(days=1)))
        recent = {day: helped for day, helped in days.items() if day in (today, yesterday)}
        helped = recent.setdefault(today, {})
        if any(helped.get(name) == mail for name in names):
            return True
        free = next((name for name in names if name not in helped), None)
        if free is None or (most and sum("@" in name for name in helped) >= most):
            return False
        helped[free] = mail
        _save(path, recent)
        return True


def _load(path: Path, kind: type[T]) -> T | None:
    if not path.exists():
        return None
    try:
        return msgspec.convert(tomllib.loads(read(path, _CAP).decode()), kind)
    except (ValueError, RecursionError, msgspec.ValidationError):
        # Written whole by ourselves: whoever has changed it by hand shall not stop the mail.
        return None


def _save(path: Path, value: Any) -> None:
    write(path, tomli_w.dumps(msgspec.to_builtins(value)).encode(), mode=0o600)

