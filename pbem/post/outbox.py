"""Mails on their way out, on disk: queued once, delivered once, whatever is killed in between.

``private/mail/queue/ID.mail``   a mail that waits: a line of JSON about it, then its bytes
``private/mail/tries/ID.json``   how often it was tried in vain, and when it is tried again
``private/mail/sent/ID.json``    a mail that has gone out; its key is never sent again
``private/mail/outbox/``         the Maildir into which mails go that no server takes

ID is the beginning of the SHA-256 of the mail's key, so that the same key is the same mail for ever.
"""

import contextlib
import hashlib
import os
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import EmailPolicy
from pathlib import Path

import msgspec

from pbem.campaign import clock
from pbem.campaign.folder import CampaignError, Folder, held, read, write
from pbem.post.contacts import private

LARGEST = 25 * 1024 * 1024
DAY = timedelta(days=1)
SEAT_HEADER = "X-Pbem-Seat"
"""In a mail to a player: its seat. If he gets another address while it waits, it goes there."""



class _Mail(EmailPolicy):
    """How mails are written: with CRLF, and ids on one line, for not every program finds one that was folded."""

    def fold(self, name: str, value: str) -> str:
        return f"{name}: {value}{self.linesep}" if name.lower() in _WHOLE else self._begun(super().fold(name, value))

    def fold_binary(self, name: str, value: str) -> bytes:
        if name.lower() in _WHOLE:
            return self.fold(name, value).encode("ascii")
        folded = super().fold_binary(name, value).decode("ascii", "surrogateescape")
        return self._begun(folded).encode("ascii", "surrogateescape")

    def _begun(self, folded: str) -> str:
        """A header whose words would all stand on the second line begins on the first: some programs show a blank before them."""
        name, empty, rest = folded.partition(f":{self.linesep} ")
        line = f"{name}: {rest}"
        cut = line.rfind(" ", 0, _LINE + 1)
        if not empty or " " in name or cut <= len(name) + 1:
            return folded
        return f"{line[:cut]}{self.linesep}{line[cut:]}"


_LINE = 78
_WHOLE = frozenset(("message-id", "in-reply-to"))
MAIL = _Mail(linesep="\r\n")
_STALE = 3600
_FIRST_WAIT, _LONGEST_WAIT = timedelta(minutes=10), timedelta(hours=12)
PATIENCE = timedelta(days=3)
"""After so long of temporary refusals an address counts as bouncing."""

_RANKS = {"report": 0, "receipt": 1, "invite": 2, "request": 3, "organiser": 4, "reminder": 5}


class Waiting(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What is known of a queued mail. ``to`` is one address; ``key`` begins with its kind: "report/an/41"."""

    key: str
    to: str
    queued: str
    seat: str = ""

    @property
    def id(self) -> str:
        return id_of(self.key)

    @property
    def kind(self) -> str:
        return self.key.partition("/")[0]


class Tries(msgspec.Struct, kw_only=True):
    """How a mail has fared so far: tries in vain, the first and the next time, what was said the last time."""

    count: int
    first: str
    again: str
    why: str


class Gone(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A mail that has gone out. ``into``: the mail its content went into, when it was not sent by itself."""

    key: str
    to: str
    time: str
    message_id: str = ""
    into: str = ""


def id_of(key: str) -> str:
    """The name of a mail's files."""
    return hashlib.sha256(key.encode()).hexdigest()[:32]


def home(folder: Folder) -> Path:
    """Where a campaign keeps its mail."""
    return folder.private / "mail"


def queue(folder: Folder, message: EmailMessage, key: str, *, now: datetime | None = None) -> bool:
    """Puts a mail where the next run of ``pbem mail send`` finds it; on disk when this returns.

    ``key`` says what the mail is: the same key is never sent twice. False when it was queued or sent before.
    """
    private(folder)
    if known(folder, key):
        return False
    addresses = [address.addr_spec for address in getattr(message["To"], "addresses", ())]
    if len(addresses) != 1:
        raise ValueError("a mail goes to one address")
    about = Waiting(key=key, to=addresses[0], queued=clock.text(now or clock.now()), seat=str(message[SEAT_HEADER] or "").strip())
    data = msgspec.json.encode(about) + b"\n" + message.as_bytes(policy=MAIL)
    if len(data) > LARGEST:
        raise CampaignError("mail-too-large", size=len(data), limit=LARGEST)
    write(_queued(folder, key), data, mode=0o600)
    return True


def known(folder: Folder, key: str) -> bool:
    """Whether a mail of that key is queued or has gone out."""
    return sent(folder, key) is not None or _queued(folder, key).exists()


def sent(folder: Folder, key: str) -> Gone | None:
    """What is kept of a mail that has gone out; None when it has not."""
    try:
        return msgspec.json.decode(_sent(folder, key).read_bytes(), type=Gone)
    except (OSError, msgspec.MsgspecError):
        return None


def went_to(folder: Folder, message_id: str) -> str:
    """The address to which the mail with that Message-ID went; "" when none of ours has it."""
    for path in (home(folder) / "sent").glob("*.json"):
        try:
            gone = msgspec.json.decode(path.read_bytes(), type=Gone)
        except (OSError, msgspec.MsgspecError):
            continue
        if gone.message_id == message_id:
            return gone.to
    return ""


def waiting(folder: Folder) -> list[Waiting]:
    """The mails that wait, the most important first: reports, receipts, invites, requests, what concerns the organiser, reminders."""
    found = []
    for path in sorted((home(folder) / "queue").glob("*.mail")):
        try:
            with path.open("rb") as file:
                about = msgspec.json.decode(file.readline(64 * 1024), type=Waiting)
        except (OSError, msgspec.MsgspecError):
            # Files are written whole; one that is not ours says nothing about the others.
            continue
        if sent(folder, about.key) is not None:
            # Gone out, and the run killed before it was taken away; a mail for the Maildir may still have to be put in its place.
            continue
        found.append(about)
    return sorted(found, key=lambda about: (_RANKS.get(about.kind, len(_RANKS)), about.queued, about.key))


def message_of(folder: Folder, key: str) -> EmailMessage:
    """A queued mail, read back."""
    data = read(_queued(folder, key), LARGEST + 64 * 1024).partition(b"\n")[2]
    message = message_from_bytes(data, policy=MAIL)
    if not isinstance(message, EmailMessage):
        raise TypeError("the policy makes EmailMessages")
    return message


def done(folder: Folder, about: Waiting, now: datetime, *, message_id: str = "", into: str = "") -> None:
    """Notes that a mail has gone out, then takes it out of the queue; with ``into``, that its content went into another mail."""
    gone = Gone(key=about.key, to=about.to, time=clock.text(now), message_id=message_id, into=into)
    write(_sent(folder, about.key), msgspec.json.encode(gone) + b"\n", mode=0o600)
    drop(folder, about.key)


def drop(folder: Folder, key: str) -> None:
    """Takes a mail out of the queue."""
    (home(folder) / "tries" / f"{id_of(key)}.json").unlink(missing_ok=True)
    _queued(folder, key).unlink(missing_ok=True)


def counts(folder: Folder, now: datetime) -> dict[str, int]:
    """Address in small letters → mails that went there in the last 24 hours."""
    found: dict[str, int] = {}
    since = now - DAY
    for path in (home(folder) / "sent").glob("*.json"):
        try:
            gone = msgspec.json.decode(path.read_bytes(), type=Gone)
        except (OSError, msgspec.MsgspecError):
            continue
        if not gone.into and clock.parse(gone.time) > since:
            found[gone.to.casefold()] = found.get(gone.to.casefold(), 0) + 1
    return found


# -- tries in vain ------------------------------------------------------------------------------------------------------


def tries(folder: Folder, key: str) -> Tries | None:
    """How often a mail was tried in vain; None when it was not."""
    try:
        return msgspec.json.decode((home(folder) / "tries" / f"{id_of(key)}.json").read_bytes(), type=Tries)
    except (OSError, msgspec.MsgspecError):
        return None


def put_off(folder: Folder, key: str, why: str, now: datetime) -> Tries:
    """Notes a temporary refusal: the mail is tried again after 10 minutes, then 20, 40, … up to every 12 hours."""
    before = tries(folder, key)
    count = before.count + 1 if before else 1
    wait = min(_FIRST_WAIT * 2 ** min(count - 1, 20), _LONGEST_WAIT)
    made = Tries(count=count, first=before.first if before else clock.text(now), again=clock.text(now + wait), why=why[:200])
    write(home(folder) / "tries" / f"{id_of(key)}.json", msgspec.json.encode(made) + b"\n", mode=0o600)
    return made


def try_again(folder: Folder, key: str) -> None:
    """Forgets what a mail has been through: it is tried with the next run."""
    (home(folder) / "tries" / f"{id_of(key)}.json").unlink(missing_ok=True)


# -- the Maildir ----------------------------------------------------------------------------------------------------------


def put_out(folder: Folder, maildir: Path, about: Waiting, data: bytes, now: datetime, *, message_id: str = "") -> None:
    """Delivers a mail into a Maildir, exactly once: written aside, noted as gone, then put in its place.

    A run killed before the note does it all again, one killed after it is completed by ``complete``.
    """
    for part in ("tmp", "new", "cur"):
        (maildir / part).mkdir(parents=True, exist_ok=True)
    write(maildir / "tmp" / _maildir_name(about.id), data, mode=0o600)
    gone = Gone(key=about.key, to=about.to, time=clock.text(now), message_id=message_id)
    write(_sent(folder, about.key), msgspec.json.encode(gone) + b"\n", mode=0o600)
    _finish(folder, maildir, about.id)


def complete(folder: Folder, maildir: Path) -> None:
    """Finishes what a killed run has left: mails noted as gone are put in their place in the Maildir and taken out of the queue."""
    for path in (home(folder) / "queue").glob("*.mail"):
        if (home(folder) / "sent" / f"{path.stem}.json").exists():
            _finish(folder, maildir, path.stem)


def _finish(folder: Folder, maildir: Path, name: str) -> None:
    aside = maildir / "tmp" / _maildir_name(name)
    if aside.exists():
        aside.replace(maildir / "new" / aside.name)
    (home(folder) / "tries" / f"{name}.json").unlink(missing_ok=True)
    (home(folder) / "queue" / f"{name}.mail").unlink(missing_ok=True)


def _maildir_name(name: str) -> str:
    # No clock and no process number in it: the same mail has the same name, so that it cannot come to lie there twice.
    return f"{name}.pbem"


# -- the lock -------------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def sending(folder: Folder, seconds: float = 10.0) -> Iterator[None]:
    """One run at a time sends a campaign's mail. It is not the campaign's lock: a slow mail server must hold up nobody's orders.

    CampaignError "busy" when another is at it for longer than ``seconds``.
    """
    private(folder)
    home(folder).mkdir(exist_ok=True)
    with held(home(folder) / "sending.lock", seconds, folder.root):
        _sweep(folder)
        yield


def _sweep(folder: Folder) -> None:
    """Temporary files of runs killed long ago; a fresh one may be another command's that is just being written."""
    for name in ("", "queue", "tries", "sent"):
        for path in (home(folder) / name).glob(".pbem-tmp-*"):
            with contextlib.suppress(OSError):
                if time.time() - os.stat(path).st_mtime > _STALE:  # noqa: PTH116 - one call, and the file may be gone
                    path.unlink()


def _queued(folder: Folder, key: str) -> Path:
    return home(folder) / "queue" / f"{id_of(key)}.mail"


def _sent(folder: Folder, key: str) -> Path:
    return home(folder) / "sent" / f"{id_of(key)}.json"
