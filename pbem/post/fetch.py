"""Mail is fetched: every mailbox is looked through once, each mail goes to the campaign it is for, and what is done is noted, then marked.

Campaigns that read the same mailboxes are done together. For each mail, in the order of the times at which they were received: the
campaign deals with it (see ``clerk``), the mail is marked in the mailbox, and its name there is noted as looked at. Killed between any
two of these, the next run finds the mail again, finds in the notes what was done with it, and does the rest.

A mail for a campaign that is not fetched is left as it is, unmarked.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

from pbem.campaign import clock
from pbem.campaign.archive import Fault
from pbem.campaign.channels import mark_read
from pbem.campaign.folder import CampaignError, Folder
from pbem.campaign.intake import Incoming
from pbem.post import contacts, outbox, settings
from pbem.post.clerk import Clerk, Line, Opened, masked
from pbem.post.headers import bounced, holds_secret_key, sender
from pbem.post.imap import Imap
from pbem.post.mailboxes import LARGEST, MOST, Gone, Lying, Mailbox, Maildir, Mbox
from pbem.post.mime import holds_nothing, open_mail
from pbem.post.notes import Notes, identity
from pbem.post.parsing import header_of, parse
from pbem.post.whose import ELSEWHERE, Address, of_file, of_mail

CHANNEL = "mail"
_BEFORE = timedelta(days=1)
"""A mailbox may be older than the campaign: mail from before this is none of its business."""
_SHOWN = frozenset(("files", "resend", "bounce"))
"""What is marked in the mailbox; everything else stays as unread as it is, for a person to read."""


@dataclass
class Fetching:
    """What a run has done for one campaign: a line per mail, the mails left for the next run, what went wrong."""

    game: Path
    lines: list[Line] = field(default_factory=list)
    left: int = 0
    errors: list[Exception] = field(default_factory=list)


@dataclass
class _Reader:
    """A campaign in a run."""

    clerk: Clerk
    told: Fetching
    looked: set[str] = field(default_factory=set)
    broken: bool = False
    """Whether something is wrong with it, so that its mails wait for the next run."""
    clean: bool = True
    """Whether everything has been dealt with that lay in its mailboxes."""

    @property
    def place(self) -> Address:
        return self.clerk.place


def fetch(games: Sequence[Path], now: datetime, *, look_only: bool = False) -> list[Fetching]:
    """Fetches the mail of campaigns, in their order. Nothing is raised for one of them: it stands in its ``errors``."""
    told = {game: Fetching(game) for game in games}
    groups: dict[tuple[str, ...], list[tuple[_Reader, list[Mailbox]]]] = {}
    for game in games:
        try:
            reader, boxes = _reader(told[game], now, look_only)
        except Exception as error:
            told[game].errors.append(error)
            continue
        groups.setdefault(tuple(sorted(box.key for box in boxes)), []).append((reader, boxes))
    for group in groups.values():
        _Run([reader for reader, _ in group], group[0][1], now, look_only).go()
    return list(told.values())


def mailboxes(folder: Folder, known: settings.Settings) -> list[Mailbox]:
    """Where a campaign's mail comes in, as the settings say; without any: the Maildir ``private/mail/inbox``."""
    home = outbox.home(folder)
    found: list[Mailbox] = []
    if known.imap is not None:
        found.append(Imap(known.imap))
    if known.maildir.inbox:
        path = home / Path(known.maildir.inbox).expanduser()
        found.append(Maildir(path, ours=path.is_relative_to(home)))
    if known.mbox.inbox:
        found.append(Mbox(home / Path(known.mbox.inbox).expanduser()))
    return found or [Maildir(home / "inbox")]


def _reader(told: Fetching, now: datetime, look_only: bool) -> tuple[_Reader, list[Mailbox]]:
    folder = Folder(told.game).require()
    known = settings.load(folder)
    contacts.load(folder)
    clerk = Clerk(Address(folder), known, Notes(folder), now, look_only)
    return _Reader(clerk, told), mailboxes(folder, known)


class _Run:
    """One way through the mailboxes that some campaigns share."""

    def __init__(self, readers: list[_Reader], boxes: list[Mailbox], now: datetime, look_only: bool) -> None:
        self.readers, self._boxes, self._now, self._look_only = readers, boxes, now, look_only

    def go(self) -> None:
        began = self._now
        with contextlib.ExitStack() as stack:
            # Always in the same order, so that two runs cannot wait for each other.
            for reader in sorted(self.readers, key=lambda one: str(one.place.folder.root.resolve())):
                try:
                    if not self._look_only:
                        stack.enter_context(reader.clerk.notes.held())
                except (CampaignError, OSError) as error:
                    self._fails(reader, error)
            for box in self._boxes:
                try:
                    with box.opened(look_only=self._look_only):
                        self._look_through(box)
                except (CampaignError, OSError) as error:
                    for reader in self._well():
                        reader.told.errors.append(error)
                        reader.clean = False
            for reader in self._well():
                if reader.clean and not self._look_only:
                    try:
                        mark_read(reader.place.folder, CHANNEL, began)
                    except (CampaignError, OSError) as error:
                        self._fails(reader, error)

    def _well(self) -> list[_Reader]:
        return [reader for reader in self.readers if not reader.broken]

    def _fails(self, reader: _Reader, error: Exception) -> None:
        reader.told.errors.append(error)
        reader.broken = True

    def _look_through(self, box: Mailbox) -> None:
        if not self._well():
            return
        since = min(clock.parse(reader.place.game.created) for reader in self._well()) - _BEFORE
        lying = box.lying(since)
        there = {mail.name for mail in lying}
        for reader in self._well():
            # Names that are gone from the mailbox need not be remembered.
            reader.looked = reader.clerk.notes.looked(box.key) & there
        new = [mail for mail in lying if any(mail.name not in reader.looked for reader in self._well())]
        for reader in self._well():
            left = sum(mail.name not in reader.looked for mail in new[MOST:])
            reader.told.left += left
            reader.clean = reader.clean and not left
        for mail in new[:MOST]:
            self._deal_with(box, mail)

    def _deal_with(self, box: Mailbox, mail: Lying) -> None:
        waiting = [reader for reader in self._well() if mail.name not in reader.looked]
        if not waiting:
            return
        try:
            data = box.read(mail)
        except Gone:
            # Whoever moved it has seen it; there is nothing here that could be done.
            for reader in waiting:
                reader.told.lines.append(_line(reader, mail, "", "gone"))
            return
        try:
            sorted_out = self._sort(mail, data)
        except Exception as error:
            # No mail may stop those behind it; this one waits until whatever is wrong here has been put right.
            for reader in waiting:
                reader.told.errors.append(error)
                reader.clean = False
            return
        lines = []
        for reader in waiting:
            opened = sorted_out.of(reader.place)
            try:
                line = reader.clerk.take(opened) if opened is not None else None
            except Exception as error:
                # Whatever is wrong with one campaign or one mail, the others are answered; this mail waits.
                reader.told.errors.append(error)
                reader.clean, reader.broken = False, isinstance(error, CampaignError | Fault | OSError)
                continue
            if line is not None:
                lines.append(line)
                reader.told.lines.append(line)
            elif sorted_out.elsewhere and len(self.readers) == 1:
                reader.told.lines.append(_line(reader, mail, sorted_out.sender, "elsewhere"))
            reader.looked.add(mail.name)
        if self._look_only:
            return
        if all(mail.name in reader.looked for reader in self.readers) and not sorted_out.elsewhere and any(map(_marked, lines)):
            box.mark(mail)
        for reader in waiting:
            if mail.name in reader.looked:
                reader.clerk.notes.set_looked(box.key, reader.looked)

    def _sort(self, mail: Lying, data: bytes) -> _Sorted:
        whole = mail.size <= LARGEST
        message = parse(data) if whole else header_of(data)
        found = open_mail(Incoming("pasted text", data, None, mail.received)) if whole and not bounced(message) else []
        files = [replace(one, name=one.name.partition("#")[2] or one.name) for one in found if not holds_nothing(one)]
        places = [reader.place for reader in self.readers]
        base = Opened(identity(data), message, sender(message), mail.received, mail.size, secret=holds_secret_key(data))
        return _Sorted(base, files, places)


class _Sorted:
    """A mail with its files given to the campaigns that they are for."""

    def __init__(self, mail: Opened, files: list[Incoming], places: list[Address]) -> None:
        self._mail = mail
        self.sender = mail.sender
        owners = [of_file(one, places) for one in files]
        named = [owner for owner in owners if isinstance(owner, Address)]
        rest: Address | str = named[0] if named else ELSEWHERE if ELSEWHERE in owners else of_mail(mail.message, mail.sender, places)
        self._rest = rest
        given = [(one, owner if owner is not None else rest) for one, owner in zip(files, owners, strict=True)]
        self.elsewhere = rest == ELSEWHERE or any(owner == ELSEWHERE for _, owner in given)
        self._given = given

    def of(self, place: Address) -> Opened | None:
        """The mail as it is for one campaign; None when nothing in it is."""
        files = [one for one, owner in self._given if owner is place]
        rest = self._rest is place
        return replace(self._mail, files=files, rest=rest) if files or rest else None


def _marked(line: Line) -> bool:
    return line.what in _SHOWN or line.before in _SHOWN


def _line(reader: _Reader, mail: Lying, address: str, what: str) -> Line:
    return Line(game=reader.clerk.game, received=clock.text(mail.received), who=masked(address), what=what)
