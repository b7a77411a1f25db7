"""Whether an order file may be taken at this point of the course: the checks between a good signature and the plan itself.

The same judgement is passed when the file comes in and when anybody audits its receipt.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pbem.campaign import clock
from pbem.campaign.corrections import read_rekey
from pbem.campaign.course import Course
from pbem.campaign.deadlines import out
from pbem.campaign.petitions import Absence, Concede, Rekey
from pbem.campaign.records import Receipt
from pbem.orders.file import OrderFile
from pbem.orders.findings import Unreadable
from pbem.orders.keys import PublicKey
from pbem.orders.request import RequestFile

MOST_ABSENCES = 20
"""Absences of one seat that are not over."""


class Refused(Exception):
    """A file that is not taken: a code for the public receipt, facts for the player."""

    def __init__(self, code: str, **facts: Any) -> None:
        super().__init__(code)
        self.code = code
        self.facts = facts


def judge(course: Course, file: OrderFile, signer: PublicKey, received: datetime, taken: datetime | None = None) -> None:
    """Raises Refused unless the file can lie on the desk. Nothing of a plan is looked at. ``taken``: when it is judged, if not at once."""
    _judge_author(course, file.game, file.player, signer)
    if file.after not in course.entries:
        raise Refused("other-history", after=file.after, head=course.archive.head())
    _judge_phase(course, file, received, taken or received)
    after_step = course.last_steps[course.entries[file.after]]
    if course.table.stale(file.player, file.phase, after_step):
        raise Refused("stale", after=file.after, head=course.archive.head(len(course.chapters)))
    _judge_revision(course, file)
    if file.sealed is None and course.must_seal(file.phase):
        raise Refused("must-be-sealed", phase=file.phase)


def justified(course: Course, receipt: Receipt) -> bool:
    """Whether the reason of a refusal holds, as far as the public can see it: a file that was refused is not public itself."""
    seat, phase = receipt.seat, receipt.phase
    on_desk = course.current(seat, phase)
    highest = on_desk.receipt.revision if on_desk is not None else 0
    grounds = {
        "not-joined": seat not in course.members,
        "seat-taken": (seat in course.members and seat not in course.vacant) or seat in course.joining,
        "not-started": course.table.position is None,
        "closed": phase in course.closed,
        "unknown-phase": phase not in course.keys,
        "late": phase == course.phase_id() and _late(course, clock.parse(receipt.received), clock.parse(receipt.taken)),
        "revision-taken": any(item.receipt.revision == receipt.revision for item in course.desk.get((seat, phase), [])),
        "older-revision": receipt.revision < highest,
        "must-be-sealed": course.must_seal(phase),
        "vacant": seat in course.vacant,
        "conceded": seat in course.conceded,
        "older-request": receipt.revision <= course.numbers.get(seat, 0),
        "no-absences": not course.timing.written,
        "many-absences": _absences(course, seat) >= MOST_ABSENCES,
    }
    return grounds.get(receipt.reason, True)


def judge_request(course: Course, file: RequestFile, signer: PublicKey) -> None:
    """Raises Refused unless a request can be taken."""
    _judge_author(course, file.game, file.player, signer)
    if file.after not in course.entries:
        raise Refused("other-history", after=file.after, head=course.archive.head())
    last = course.numbers.get(file.player, 0)
    if file.number <= last:
        raise Refused("older-request", number=file.number, next=last + 1)
    if isinstance(file.request, Concede) and course.table.position is None:
        raise Refused("not-started", seats=[seat for seat in course.seats if seat not in course.members])
    if isinstance(file.request, Absence):
        _judge_absence(course, file.request)
        if _absences(course, file.player) >= MOST_ABSENCES and file.request.start:
            raise Refused("many-absences", most=MOST_ABSENCES)
    if isinstance(file.request, Rekey):
        try:
            key, _ = read_rekey(file.request)
        except Unreadable:
            raise Refused("bad-new-key") from None
        if any(other.key.raw == key.raw for other in course.members.values()) and not course.archive.game.hotseat:
            raise Refused("key-taken", signer=key.fingerprint())


def _judge_absence(course: Course, petition: Absence) -> None:
    if not course.timing.written:
        raise Refused("no-absences")
    if not petition.start and not petition.end:
        return
    try:
        start, end = clock.parse(petition.start), clock.parse(petition.end)
    except ValueError:
        raise Refused("bad-absence", start=petition.start, end=petition.end) from None
    now = _surely(course)
    if end <= now:
        raise Refused("past-absence", start=petition.start, end=petition.end)
    if not start < end or end - start > clock.FARTHEST or start > now + 2 * clock.FARTHEST:
        raise Refused("bad-absence", start=petition.start, end=petition.end)


def _surely(course: Course) -> datetime:
    """A time that has come for certain: that of the last entry."""
    return course.chapters[-1].time if course.chapters else course.times()[0]


def _absences(course: Course, seat: str) -> int:
    """Absences of a seat that are not over."""
    return sum(each.seat == seat and each.end > _surely(course) for each in course.timing.away)


def _judge_author(course: Course, game: str, player: str, signer: PublicKey) -> None:
    if game != course.archive.game.name:
        raise Refused("wrong-game", found=game, expected=course.archive.game.name)
    if player not in course.seats:
        raise Refused("unknown-seat", found=player, allowed=course.seats)
    member = course.members.get(player)
    if member is None:
        raise Refused("not-joined", seat=player)
    if member.key.raw != signer.raw:
        owner = next((other.seat for other in course.members.values() if other.key.raw == signer.raw), "")
        raise Refused("wrong-key", seat=player, signer=signer.fingerprint(), owner=owner)
    if player in course.vacant:
        raise Refused("vacant", seat=player)
    if player in course.conceded:
        raise Refused("conceded", seat=player)


def _judge_phase(course: Course, file: OrderFile, received: datetime, taken: datetime) -> None:
    if course.table.position is None:
        raise Refused("not-started", seats=[seat for seat in course.seats if seat not in course.members])
    if file.phase not in course.keys or file.phase in course.closed:
        if file.phase in course.closed:
            raise Refused("closed", phase=file.phase, now=course.phase_id())
        raise Refused("unknown-phase", found=file.phase, allowed=list(course.ahead()))
    if file.phase == course.phase_id() and _late(course, received, taken):
        raise Refused("late", phase=file.phase, closes=course.closes(), received=received)


def _late(course: Course, received: datetime, taken: datetime) -> bool:
    """Whether the closing time, and the grace after it, had passed; after an outage the phase gets a new one, and nothing is late."""
    deadline = course.timing.deadline
    return deadline is not None and course.silence != "wait" and received > deadline and not out(course, taken)


def _judge_revision(course: Course, file: OrderFile) -> None:
    on_desk = course.current(file.player, file.phase)
    if on_desk is None:
        return
    highest = on_desk.receipt.revision
    if any(item.receipt.revision == file.revision for item in course.desk[(file.player, file.phase)]):
        raise Refused("revision-taken", revision=file.revision, next=highest + 1)
    if file.revision < highest:
        raise Refused("older-revision", revision=file.revision, next=highest + 1)
