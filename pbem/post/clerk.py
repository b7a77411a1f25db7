"""What one campaign does with one mail: files are received and answered, a request for the last report is granted, a stranger is helped.

In this order, so that a run may be killed anywhere: the mail is noted as being at work, its files are received, addresses registered,
the answer laid into the outbox, the mail noted as done. The next run does what is left, and nothing twice: a file has one receipt, an
answer one key, and the note of the mail at work tells which receipts are new.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from email.message import EmailMessage, Message

import msgspec

from pbem.campaign import clock
from pbem.campaign.course import Course
from pbem.campaign.folder import CampaignError
from pbem.campaign.intake import Answer, Incoming, answer, open_desk, still_open
from pbem.campaign.petitions import Profile, Resend
from pbem.campaign.privately import retell
from pbem.campaign.replay import replay
from pbem.orders.findings import Unreadable
from pbem.orders.join import read_join
from pbem.orders.signed import open_signed
from pbem.post import compose, contacts, outbox
from pbem.post.headers import bounced, is_automatic, returned_id, subject_words
from pbem.post.mailboxes import LARGEST
from pbem.post.notes import Doing, Fetched, FileTold, Notes
from pbem.post.notices import last_report
from pbem.post.settings import Settings
from pbem.post.turnmail import Desk
from pbem.post.whose import Address

MOST_WAITING = 20
"""Answers to one address that wait to be sent; beyond them files are still received, but not answered by mail."""
HELP_WITHIN = timedelta(days=3)
"""Help comes while it is of use, and not to who wrote long ago."""
_WORDS = frozenset((
    "resend", "renvoi", "renvoyer", "renvoie", "renvoyez", "повтор", "повторить", "повторно", "пришлите",
    "重发", "重发战报", "再发", "重新发送", "补发", "다시", "재전송", "다시보내기", "재발송",
))  # fmt: skip
"""Words in a subject that ask for the last report, in the five languages."""


@dataclass(frozen=True)
class Opened:
    """A mail taken apart. ``files``: those of the campaign at hand; ``sender`` "" when it has no good one; ``id``: see ``notes``."""

    id: str
    message: Message
    sender: str
    received: datetime
    size: int
    files: Sequence[Incoming] = ()
    rest: bool = True
    """Whether what is not a file in it is this campaign's, too."""
    secret: bool = False
    """Whether its sender has attached his secret key."""

    @property
    def message_id(self) -> str:
        return str(self.message.get("message-id", ""))[:300]


class Line(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What became of a mail. ``who``: the seat, else the address with most of it left out; ``seat``: only where it is known.

    ``what``: "files", "resend", "note" (a player wrote something else), "stranger", "automatic", "bounce", "own", "known" (it came twice),
    "elsewhere" (for another campaign), "gone", "ended", "too-large". ``answered``: whether an answer lies in the outbox.
    """

    game: str
    received: str
    who: str
    what: str
    seat: str = ""
    files: list[FileTold] = []
    answered: bool = False
    before: str = ""
    """What became of it when it came first ("known")."""
    addresses: list[str] = []
    """Seats whose address is new, or does not work ("bounce")."""


@dataclass
class Clerk:
    """One campaign at the counter. ``now``: the time of the run; ``look_only``: tell what would be done, and do nothing."""

    place: Address
    settings: Settings
    notes: Notes
    now: datetime
    look_only: bool = False
    _course: Course | None = field(default=None, init=False)

    @property
    def game(self) -> str:
        return self.place.game.name

    def take(self, mail: Opened) -> Line | None:
        """Deals with a mail; None when nothing in it is this campaign's."""
        if not mail.files and not mail.rest:
            return None
        if (known := self.notes.fetched(mail.id)) is not None:
            return msgspec.structs.replace(self._line(mail, "known", files=known.files), before=known.what)
        if mail.sender and mail.sender == self._own():
            return self._line(mail, "own")
        if is_automatic(mail.message):
            return self._automatic(mail)
        if not self._seats(mail):
            mail = replace(mail, files=[one for one in mail.files if not _anything(one)])
        if mail.files:
            return self._files(mail, quiet=False)
        if mail.size > LARGEST:
            return self._helped(mail, "too-large")
        if set(subject_words(mail.message)) & _WORDS and self._seats(mail):
            return self._resend(mail)
        return self._helped(mail, "note" if self._seats(mail) else "stranger")

    # -- files -----------------------------------------------------------------------------------------------------------

    def _files(self, mail: Opened, *, quiet: bool) -> Line:
        """Receives what came and answers it; ``quiet``: nobody is written to."""
        if self.look_only:
            return self._line(mail, "files", files=[FileTold(name=one.name, receipt=0, verdict="") for one in mail.files])
        try:
            answers, doing = self._receive(mail, quiet=quiet)
        except CampaignError as error:
            if error.code != "ended":
                raise
            return self._done(mail, "ended")
        if not answers:
            return self._done(mail, "stranger")
        fresh = [one for one in answers if one.receipt.number > doing.receipts and one.receipt.accepted]
        self._register(mail, fresh, doing)
        answered = "" if quiet else self._answer(mail, answers, fresh, doing.moved)
        for one in fresh:
            if isinstance(self._petition(one), Resend):
                self._again(one.receipt.seat, mail.id)
        files = [
            FileTold(name=one.name, receipt=one.receipt.number, verdict=one.receipt.verdict, reason=one.receipt.reason) for one in answers
        ]
        return self._done(mail, "files", files=files, answer=answered, addresses=list(doing.moved))

    def _receive(self, mail: Opened, *, quiet: bool) -> tuple[list[Answer], Doing]:
        """The answers to all files of a mail, and what was noted before it brought the first."""
        with self.place.folder.require().locked():
            course = self._course
            # Should an answer fail halfway, the course is read anew.
            self._course = None
            if course is None or not still_open(course):
                course, _ = open_desk(self.place.folder, self.now)
            files = list(mail.files)
            if not self._seats(mail):
                files = self._worth_it(course, mail, quiet=quiet)
            if not files:
                return [], Doing(receipts=0)
            doing = self.notes.begin(mail.id, len(course.archive.receipts))
            answers = [answer(course, one, self.now) for one in files]
            # A run that was killed before it could tell had received them already: those are new for their player.
            answers = [retell(course, one, repeated=one.receipt.number <= doing.receipts) if one.repeated else one for one in answers]
            self._course = course
        return answers, doing

    def _worth_it(self, course: Course, mail: Opened, *, quiet: bool) -> list[Incoming]:
        """What is received of an address that is nobody's: all files once a day, else those that count for a seat."""
        earnest = [one for one in mail.files if _earnest(course, one)]
        if len(earnest) == len(mail.files) or quiet or not mail.sender:
            return earnest
        return list(mail.files) if self.notes.may_help(mail.sender, mail.id, self.now) else earnest

    def _register(self, mail: Opened, fresh: list[Answer], doing: Doing) -> None:
        """Notes the addresses that a mail moves, then moves them.

        Only a file nobody has seen before moves an address: copies of it lie in the public folder, and anybody can mail those.
        """
        folder = self.place.folder
        if not mail.sender or contacts.checked(mail.sender) is None:
            return
        for one in fresh:
            seat = one.receipt.seat
            old = contacts.address_of(folder, seat) or ""
            if old and contacts.same(old, mail.sender):
                contacts.clear(folder, seat)
            elif self._asks_for_address(one):
                doing.moved[seat] = old
                self.notes.set_moved(mail.id, doing)
                contacts.register(folder, seat, mail.sender)

    def _asks_for_address(self, one: Answer) -> bool:
        return one.receipt.kind == "join" or isinstance(self._petition(one), Profile)

    def _petition(self, one: Answer) -> object:
        """What a request asks that was taken; None for any other file."""
        course = self._course
        asked = course.answered.get(one.receipt.file) if course is not None and one.receipt.kind == "request" else None
        return None if asked is None else asked.petition

    def _answer(self, mail: Opened, answers: list[Answer], fresh: list[Answer], moved: dict[str, str]) -> str:
        """Queues what is to be said: to the sender, and to the address of a seat for which a file came from elsewhere. Gives the key."""
        course, key, answered = self._course, f"receipt/{mail.id}", ""
        if course is None or not mail.sender:
            return answered
        if self._may_write(mail.sender, key):
            self._queue(compose.receipt_mail(course, answers, mail.sender, mail.message_id, now=self.now), key)
            answered = key
        for seat, old in moved.items():
            if old:
                self._tell_moved(course, mail, seat, old)
        for seat in dict.fromkeys(one.receipt.seat for one in fresh):
            address = contacts.address_of(self.place.folder, seat)
            if seat not in moved and address is not None and not contacts.same(address, mail.sender):
                # Signed with the seat's key, but sent from elsewhere: who gets the seat's mail shall know, and has the private part.
                his = [one for one in fresh if one.receipt.seat == seat]
                self._queue(compose.receipt_mail(course, his, address, "", elsewhere=True, now=self.now), f"{key}/{seat}")
        return answered

    def _queue(self, message: EmailMessage, key: str) -> bool:
        return outbox.queue(self.place.folder, message, key, now=self.now)

    def _tell_moved(self, course: Course, mail: Opened, seat: str, old: str) -> None:
        words = compose.words_to(course, seat)
        _ = words.gettext
        lines = [
            _("From now on the mail for %(who)s goes to another address: a join file or a request of %(who)s came from there."),
            _("If it was you, there is nothing to do. If not, somebody else has your key or your invite: write to the organiser."),
            _("A signed profile request, sent from this address, brings the mail back here."),
        ]
        said = [line % {"who": words.seat(seat)} for line in lines]
        key = f"receipt/{mail.id}/moved/{seat}"
        # It is the old address that is told, so the mail must not follow the seat to the new one.
        message = compose.note_mail(course, seat, old, _("your address has changed"), said, key, now=self.now)
        del message[outbox.SEAT_HEADER]
        self._queue(message, key)

    # -- everything else -------------------------------------------------------------------------------------------------

    def _automatic(self, mail: Opened) -> Line:
        """What a program sent is never answered. A delivery report may tell of an address; an order in a list's copy is an order."""
        reports = bounced(mail.message)
        if reports:
            seats = [] if self.look_only else self._mark_bounces(mail, [one.address for one in reports if one.permanent])
            return self._done(mail, "bounce", addresses=seats)
        course = None if self.look_only or not mail.files else self._look()
        files = [one for one in mail.files if course is None or _earnest(course, one)]
        if files:
            return self._files(replace(mail, files=files), quiet=True)
        return self._done(mail, "automatic")

    def _mark_bounces(self, mail: Opened, addresses: list[str]) -> list[str]:
        """Marks addresses to which a mail of ours went that has come back; a report of anything else may be forged."""
        back = returned_id(mail.message)
        gone = outbox.went_to(self.place.folder, back) if back else ""
        seats = []
        for address in addresses:
            if gone and contacts.same(gone, address):
                seats += contacts.mark_bouncing(self.place.folder, address, "a mail came back", self.now)
        return seats

    def _resend(self, mail: Opened) -> Line:
        """The last report once more, to the registered address, whoever asks."""
        if self.look_only:
            return self._line(mail, "resend")
        queued = [self._again(seat, mail.id) for seat in self._seats(mail)]
        return self._done(mail, "resend", answered=any(queued))

    def _again(self, seat: str, mail: str) -> bool:
        """Queues the last report to a seat's address; False where there is no report or address, or where enough went there today."""
        address = contacts.address_of(self.place.folder, seat)
        if address is None or not self.notes.may_resend(seat, mail, self.now):
            return False
        message = last_report(Desk(self.place.folder, self.settings, self.now), seat, address)
        if message is not None:
            self._queue(message, f"resend/{seat}/{mail}")
        return message is not None

    def _helped(self, mail: Opened, what: str) -> Line:
        """A help text where one may be sent: a person wrote, not long ago, and has had none today."""
        recent = self.now - mail.received < HELP_WITHIN
        if self.look_only or not mail.sender or not recent or not self._may_write(mail.sender, f"help/{mail.id}"):
            return self._done(mail, what)
        if not self.notes.may_help(mail.sender, mail.id, self.now):
            return self._done(mail, what)
        course = self._look()
        message = compose.help_mail(course, mail.sender, mail.message_id, secret=mail.secret, now=self.now)
        self._queue(message, f"help/{mail.id}")
        return self._done(mail, what, answer=f"help/{mail.id}")

    # -- small things ----------------------------------------------------------------------------------------------------

    def _look(self) -> Course:
        """The course as it stands, to be asked and not to be added to."""
        return self._course or replay(self.place.folder)

    def _own(self) -> str:
        return (contacts.checked(self.settings.address) or "").casefold() if self.settings.address else ""

    def _seats(self, mail: Opened) -> list[str]:
        return contacts.seats_of(self.place.folder, mail.sender) if mail.sender else []

    def _may_write(self, address: str, key: str) -> bool:
        """Whether one more answer may wait for that address."""
        if outbox.known(self.place.folder, key):
            return True
        waiting = [one for one in outbox.waiting(self.place.folder) if contacts.same(one.to, address) and one.kind in ("receipt", "help")]
        return contacts.checked(address) is not None and len(waiting) < MOST_WAITING

    def _done(
        self, mail: Opened, what: str, *, files: list[FileTold] | None = None, answer: str = "", answered: bool = False,
        addresses: list[str] | None = None,
    ) -> Line:  # fmt: skip
        """Notes the mail as done."""
        line = self._line(mail, what, files=files or [], answered=answered or bool(answer), addresses=addresses or [])
        if not self.look_only:
            told = Fetched(
                time=clock.text(self.now), received=line.received, sender=mail.sender, what=what, seat=line.seat, files=line.files,
                answer=answer,
            )  # fmt: skip
            self.notes.set_fetched(mail.id, told)
        return line

    def _line(
        self, mail: Opened, what: str, *, files: list[FileTold] | None = None, answered: bool = False, addresses: list[str] | None = None
    ) -> Line:
        seat = next(iter(self._seats(mail)), "")
        return Line(
            game=self.game, received=clock.text(mail.received), who=seat or masked(mail.sender), what=what, seat=seat, files=files or [],
            answered=answered, addresses=addresses or [],
        )  # fmt: skip


def _earnest(course: Course, file: Incoming) -> bool:
    """Whether a file is signed by a player of this campaign, or a join file for it while a seat is free."""
    if file.faults:
        return False
    for namespace in ("order@pbem", "request@pbem", "join@pbem"):
        try:
            _, key = open_signed(file.data, namespace, file.detached)
        except Unreadable:
            continue
        if namespace != "join@pbem":
            return any(one.key.raw == key.raw for one in course.members.values())
        try:
            join, _, _ = read_join(file.data, file.detached)
        except Unreadable:
            return False
        return join.id == course.archive.game.id and (bool(course.vacant) or not course.full)
    return False


def _anything(file: Incoming) -> bool:
    """Whether nothing shows that this was meant for a game: an archive that does not open, a mail too large to be taken apart."""
    return bool(file.faults) and all(fault.code.startswith(("zip-", "mail-")) for fault in file.faults)


def masked(address: str) -> str:
    """An address as it may stand in a log: enough of it to know it again."""
    local, at, domain = address.rpartition("@")
    return f"{local[:1]}…{at}{domain}" if at else "unknown"
