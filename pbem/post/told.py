"""What has been told to whom, and whether anything can be due: ``private/mail/told.json``. Light, because most runs find nothing."""

from datetime import datetime

import msgspec

from pbem.campaign import clock
from pbem.campaign.folder import CampaignError, Folder, numbered, read, write
from pbem.post import contacts, outbox
from pbem.post.settings import path_of


class Due(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A mail that is to be composed: "report", "request" or "reminder", to a seat, under a key that it alone has; or
    one to the organiser.

    ``first``, ``last``: the entries it tells; ``receipts``: keys of queued receipts that go into it.
    """

    kind: str
    seat: str
    key: str
    first: int = 0
    last: int = 0
    receipts: list[str] = []


class Told(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What a seat has been told: up to which entry, what it was last asked and when, reminders of the present closing time, the day of its
    last digest."""

    entry: int = 0
    asked: str = ""
    asked_at: str = ""
    reminded: list[str] = []
    digest: str = ""


class State(msgspec.Struct, kw_only=True, omit_defaults=True):
    """``private/mail/told.json``: what has been told, what is still to be composed, and what the organiser knows.

    ``looked_at``: which files the last run has seen, and ``until``: nothing is due before that time as long as they stay the same.
    """

    seats: dict[str, Told] = {}
    due: list[Due] = []
    organiser: list[str] = []
    looked_at: str = ""
    until: str = ""


def load(folder: Folder) -> State:
    """What has been told so far; nothing where the file is missing. CampaignError "bad-told" when it cannot be read."""
    path = outbox.home(folder) / "told.json"
    if not path.is_file():
        return State()
    try:
        return msgspec.json.decode(read(path), type=State)
    except msgspec.MsgspecError:
        raise CampaignError("bad-told", path=str(path)) from None


def keep(folder: Folder, state: State) -> None:
    """Writes down what has been told."""
    write(outbox.home(folder) / "told.json", msgspec.json.encode(state) + b"\n", mode=0o600)


def fingerprint(folder: Folder) -> str:
    """What of a campaign's files says that something may have to be told."""
    times = [path.stat().st_mtime_ns if path.exists() else 0 for path in (contacts.path_of(folder), path_of(folder))]
    return "/".join(str(each) for each in (len(numbered(folder.ledger)), len(numbered(folder.receipts)), *times))


def nothing_due(folder: Folder, state: State, now: datetime) -> bool:
    """Whether no file has changed since the last run, and no time has come since."""
    return not state.due and state.looked_at == fingerprint(folder) and now < clock.parse(state.until)


def idle(folder: Folder, now: datetime) -> bool:
    """Whether a run has nothing to do at all: nothing is due, and nothing waits to be sent."""
    if not contacts.path_of(folder).exists() and not outbox.home(folder).exists():
        # Nobody in this campaign gets mail.
        return True
    return not any((outbox.home(folder) / "queue").glob("*.mail")) and nothing_due(folder, load(folder), now)
