"""Anybody's proof that a campaign is right, from its public files alone.

Per step: *proven* (it follows from signed files), *pending* (a sealed plan behind it cannot be opened yet), or *false*; the first thing
that is false is named with its file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from pbem.campaign import clock
from pbem.campaign.archive import Archive, Fault, load, open_file
from pbem.campaign.course import Course
from pbem.campaign.ending import accounted, check_files, public_files
from pbem.campaign.folder import CampaignError, Folder, numbered, read
from pbem.campaign.replay import begin, check_receipt, take_entry
from pbem.orders.encoding import sha256
from pbem.orders.file import read_order
from pbem.orders.findings import Unreadable
from pbem.orders.seal import commitment, padded

_TRIES = 20
_SKEW = timedelta(minutes=10)


class Report(msgspec.Struct, kw_only=True):
    """What an audit found. ``fault`` None: nothing false. ``pending``: phase → steps that wait for its secret."""

    head: str
    finished: bool
    entries: int
    receipts: int
    proven: int
    pending: dict[str, int]
    mine: list[str] = []
    """Per plain text handed in: the order file whose box holds it, "" for none."""
    unchecked: dict[str, int] = {}
    """Version that can check them → steps played under other rules."""
    notices: list[tuple[str, dict[str, object]]]
    fault: Fault | None = None


def audit(
    folder: Folder, *, head: str | None = None, against: Path | None = None, mine: Sequence[bytes] = (), now: datetime | None = None
) -> Report:
    """Checks everything public. ``now``: what is dated after it is mentioned.

    CampaignError when there is no campaign here or its protocol is newer.
    """
    for _ in range(_TRIES):
        reach = _reach(folder)
        report = _audit(folder, head, against, mine)
        if now is not None and report.fault is None and not report.finished:
            _dated_ahead(folder, report, now)
        # What a run at work has added meanwhile is no forgery: then everything is looked at again.
        if report.fault is None or _reach(folder) == reach:
            break
    return report


def _dated_ahead(folder: Folder, report: Report, now: datetime) -> None:
    """What is dated in the future: who holds the key could let a closing time pass before it has come. Later nobody can see it any more."""
    archive = load(folder, check=False)
    for chain, field in ((archive.entries, "time"), (archive.receipts, "taken")):
        for kept in chain[-1:]:
            told = clock.parse(getattr(kept.record, field))
            if told > now + _SKEW:
                facts: dict[str, object] = {"file": folder.relative(kept.path), "told": clock.text(told), "now": clock.text(now)}
                report.notices.append(("dated-ahead", facts))


def _reach(folder: Folder) -> tuple[int, int]:
    return len(numbered(folder.receipts)), len(numbered(folder.ledger))


def _audit(folder: Folder, head: str | None, against: Path | None, mine: Sequence[bytes]) -> Report:
    report = Report(head="", finished=False, entries=0, receipts=0, proven=0, pending={}, notices=[])
    try:
        archive = load(folder, check=True)
        report.head = archive.head()
        report.entries, report.receipts = len(archive.entries), len(archive.receipts)
        check_files(archive)
        course = begin(archive, None)
        course.check = course.brief = True
        course.mine = list(mine)
        for kept in archive.entries:
            take_entry(course, kept)
            _count_steps(report, course)
        for number in range(course.counted + 1, len(archive.receipts) + 1):
            check_receipt(course, number)
            course.take_receipt(number)
        report.finished = course.ended
        report.notices += course.notices
        report.mine = [_box_with(course, plain) for plain in mine]
        _letters(archive)
        _strangers(archive, report)
        _organiser_first(report, course)
        if head is not None and not _has_head(archive, head):
            raise Fault("head-not-found", "ledger", head=head, found=report.head)
        if against is not None:
            _compare(archive, _other(against))
    except Fault as fault:
        report.fault = fault
    return report


def _box_with(course: Course, plain: bytes) -> str:
    """The order file whose box was made of a plain text; "" when there is none."""
    for kept in course.archive.receipts:
        receipt = kept.record
        if receipt.kind == "order" and receipt.accepted and receipt.seat in course.members:
            try:
                file = read_order(open_file(course.archive, receipt).signed.signed, course.title.orders)
                info = course.box_info(receipt.seat, receipt.phase, receipt.revision)
                if file.sealed is not None and commitment(info, padded(plain)) == file.sealed.commitment:
                    return course.archive.folder.relative(course.archive.file_of(receipt))
            except Unreadable:
                continue
    return ""


def _has_head(archive: Archive, head: str) -> bool:
    """Whether an entry goes by that name, or begins with it: receipts and subjects shorten it to 4 digits."""
    match = re.fullmatch(r"([0-9]{1,9})-([0-9a-f]{4,32})", head)
    if match is None:
        raise CampaignError("bad-head", found=head)
    return int(match[1]) <= len(archive.entries) and archive.head(int(match[1])).startswith(head)


def _count_steps(report: Report, course: Course) -> None:
    for step in course.chapters[-1].steps:
        if course.rules != course.title.rules:
            program = course.archive.entries[len(course.chapters) - 1].record.program
            report.unchecked[program] = report.unchecked.get(program, 0) + 1
            continue
        if not course.knows_all:
            report.pending["end"] = report.pending.get("end", 0) + 1
            continue
        sealed = [decision for decision in step.decisions if _closed_book(course, decision.seat, step.phase)]
        if sealed:
            report.pending[step.phase] = report.pending.get(step.phase, 0) + 1
        else:
            report.proven += 1


def _closed_book(course: Course, seat: str, phase: str) -> bool:
    plan = course.plan_of(seat, phase)
    return plan is not None and plan.plans is None


def _letters(archive: Archive) -> None:
    folder = archive.folder
    receipts = [kept.record for kept in archive.receipts if kept.record.letter]
    named = [(folder.letter(receipt.seat, f"r{receipt.number:04}"), receipt.letter) for receipt in receipts]
    for kept in archive.entries:
        named += [(folder.letter(seat, f"e{kept.record.number:04}"), digest) for seat, digest in kept.record.letters.items()]
    for path, digest in named:
        name = folder.relative(path)
        try:
            data = read(path)
        except CampaignError as error:
            if error.code == "cannot-read":
                raise
            raise Fault("bad-too-large" if error.code == "too-large" else "missing", name) from None
        if sha256(data).hex() != digest:
            raise Fault("letter-differs", name)


def _strangers(archive: Archive, report: Report) -> None:
    """Files in the public folders that no receipt and no number accounts for."""
    known = accounted(archive)
    for name in public_files(archive.folder):
        if name in known:
            continue
        if not _unanswered(archive, name):
            raise Fault("unaccounted", name)
        report.notices.append(("unanswered", {"file": name}))


def _unanswered(archive: Archive, name: str) -> bool:
    """Whether a file may be what an interrupted or running ``receive`` has written before its receipt: the next run answers it."""
    if archive.entries and archive.entries[-1].record.kind == "end":
        return False
    parts = name.split("/")
    if parts[0] == "letters":
        return parts[-1] in (f"r{len(archive.receipts) + 1:04}.toml", f"e{len(archive.entries) + 1:04}.toml")
    named = re.fullmatch(r"[a-z0-9.-]+-[0-9a-f]{8}\.toml(\.sig)?", parts[-1]) is not None
    return parts[0] == "orders" and len(parts) == 3 and named


def _organiser_first(report: Report, course: Course) -> None:
    organiser = course.archive.game.organiser
    joins = [chapter.facts["seat"] for chapter in course.chapters if chapter.kind == "join"]
    if organiser and joins and joins[0] != organiser:
        report.notices.append(("organiser-joined-late", {"seat": organiser, "first": joins[0]}))


def _other(against: Path) -> Archive:
    """The copy to compare with. What is false in it is no fault of this one, and is named with the folder it lies in."""
    try:
        return load(Folder(against).require(), check=True)
    except Fault as fault:
        raise Fault("other-copy-false", str(against / fault.file), path=str(against)) from None


def _compare(ours: Archive, theirs: Archive) -> None:
    """Two copies must agree as far as both reach; the shorter one is unfinished, and that is said."""
    if ours.game_digest != theirs.game_digest:
        raise Fault("copies-differ", "game.toml")
    for mine, other in ((ours.entries, theirs.entries), (ours.receipts, theirs.receipts)):
        for one, two in zip(mine, other, strict=False):
            if one.digest != two.digest:
                raise Fault("copies-differ", ours.folder.relative(one.path))
        if len(mine) < len(other):
            raise Fault("shorter-than-other", "ledger" if other is theirs.entries else "receipts", found=len(mine), other=len(other))


