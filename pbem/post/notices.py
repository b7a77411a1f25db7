"""Who gets a mail when. What is due is decided once, written down, then composed and queued: a run killed anywhere is completed by the next
with the same mails, never with others.

A player is written to when a phase is over (the report), when the game asks him anew (a request), before the closing time (reminders), and
when he has sent something (a receipt; it goes into the report if his file made the turn run). Everything else stands on the pages.
"""

from datetime import datetime, timedelta, tzinfo
from email.message import EmailMessage
from zoneinfo import ZoneInfo

from pbem.campaign import clock
from pbem.campaign.folder import Folder
from pbem.campaign.history import Chapter, Waiting
from pbem.campaign.roster import zone_or_utc
from pbem.post import contacts, organiser, outbox
from pbem.post.compose import RECEIPTS_HEADER
from pbem.post.settings import Settings
from pbem.post.told import Due, State, Told, fingerprint, keep, load, nothing_due
from pbem.post.turnmail import WANTING, Desk, reminder_mail, turn_mail

FOR_ALL = frozenset(("rollback", "substitute", "vacate", "concede", "pause", "extend", "rules", "end"))
"""Kinds of entries that concern everybody, even when no phase is over."""

LOOK_AGAIN, SOON = timedelta(hours=6), timedelta(minutes=10)


def compose(folder: Folder, settings: Settings, now: datetime, *, dry: bool = False) -> list[Due]:
    """Queues everything that is due; gives what was. Whoever calls it holds ``outbox.sending``. ``dry``: only says what would be."""
    state, looked_at = load(folder), fingerprint(folder)
    if nothing_due(folder, state, now):
        return []
    desk = Desk(folder, settings, now)
    found = [due for due in state.due if due.kind != "organiser"] + decide(desk, state)
    needs = organiser.needs(desk)
    fresh = [need for need in needs if need.id not in state.organiser]
    if fresh and settings.organiser:
        found.append(Due(kind="organiser", seat="", key=f"organiser/{outbox.id_of(' '.join(need.id for need in fresh))}"))
    if dry:
        return found
    # Written down before anything is queued: from here on the same mails are made, whatever happens to this run.
    state.due = found
    keep(folder, state)
    for due in found:
        if due.kind != "organiser":
            _queue(desk, due)
        else:
            outbox.queue(folder, organiser.mail(desk, settings.organiser, fresh, due.key), due.key, now=now)
    state.due = []
    state.organiser = [need.id for need in needs]
    state.looked_at, state.until = looked_at, clock.text(_quiet_until(desk))
    keep(folder, state)
    return found


def _quiet_until(desk: Desk) -> datetime:
    """When something may have to be told although no file has changed: a reminder, a digest, the return of somebody who is away."""
    later = [desk.now + LOOK_AGAIN]
    for seat in desk.course.members:
        if desk.settings.digest_of(seat):
            return desk.now + SOON
        if (back := desk.course.absent(seat, desk.now)) is not None:
            later.append(back)
        if desk.waiting is not None and desk.waiting.closes is not None:
            spans = [clock.span(span) or timedelta(0) for span in desk.settings.reminders_of(seat)]
            later += [time for span in (*spans, timedelta(0)) if (time := desk.waiting.closes - span) > desk.now]
    return min(later)


def decide(desk: Desk, state: State) -> list[Due]:
    """What is due to whom, noted in ``state`` as told."""
    found: list[Due] = []
    known = contacts.load(desk.folder)
    receipts = _queued_receipts(desk.folder)
    for seat in desk.course.seats:
        if seat not in desk.course.members or seat in desk.course.vacant or seat not in known:
            continue
        if _away(desk, seat):
            continue
        told = state.seats.get(seat) or _newcomer(desk)
        mine = [key for key, to in receipts.get(seat, []) if contacts.same(to, known[seat].address)]
        due = _about_entries(desk, seat, told, sure=seat not in state.seats or _ran(desk, told, mine))
        if due is not None:
            due.receipts = mine
            found.append(due)
        reminder = _reminder(desk, seat, told, written=due is not None)
        if reminder is not None:
            found.append(reminder)
        state.seats[seat] = told
    return found


def _newcomer(desk: Desk) -> Told:
    """Who was never written to is told the last entry, and not the whole past."""
    return Told(entry=max(0, len(desk.course.chapters) - 1))


def _ran(desk: Desk, told: Told, receipts: list[str]) -> bool:
    """Whether a file that is answered by one of these queued receipts has been played already."""
    new = [chapter for chapter in desk.course.chapters if chapter.number > told.entry]
    played = {decision.file for chapter in new for step in chapter.steps for decision in step.decisions if decision.file}
    if not played:
        return False
    numbers = [int(number) for key in receipts for number in str(outbox.message_of(desk.folder, key)[RECEIPTS_HEADER] or "").split()]
    kept = desk.course.archive.receipts
    return any(kept[number - 1].record.file in played for number in numbers if 0 < number <= len(kept))


def _about_entries(desk: Desk, seat: str, told: Told, *, sure: bool) -> Due | None:
    """``sure``: the seat is told in any case, as long as the game goes on."""
    chapters = desk.course.chapters
    new = [chapter for chapter in chapters if chapter.number > told.entry]
    ask = _asked_anew(desk, seat)
    report = any(_concerns(chapter, before, seat) for chapter, before in _with_before(chapters, new))
    report = report or (sure and desk.waiting is not None)
    if not report and (not ask or ask == told.asked):
        return None
    digest = desk.settings.digest_of(seat)
    today = _digest_day(desk, seat, digest) if digest else ""
    if digest and (not today or today == told.digest):
        return None
    first, last = told.entry + 1, len(chapters)
    told.entry = last
    if ask:
        told.asked, told.asked_at = ask, clock.text(desk.now)
    if today:
        told.digest = today
    if report:
        return Due(kind="report", seat=seat, key=f"report/{seat}/{last}", first=first, last=last)
    return Due(kind="request", seat=seat, key=f"request/{seat}/{ask}", first=min(first, last), last=last)


def _asked_anew(desk: Desk, seat: str) -> str:
    """What the game asks a seat now that has nothing (more) filed, by a name of its own; "" when it asks nothing."""
    asked, waiting = desk.asked(seat), desk.waiting
    if asked is None or waiting is None or not asked.now or asked.filed not in ("nothing", "stopped"):
        return ""
    # A decision is known by the step it will be: steps are never counted back, not by a rollback either.
    return f"{waiting.phase}@{desk.course.table.step + 1}" + (f"-{_file(desk, seat)}" if asked.filed == "stopped" else "")


def _file(desk: Desk, seat: str) -> str:
    on_desk = desk.course.current(seat, desk.course.phase_id())
    return on_desk.receipt.file[:8] if on_desk else ""


def _with_before(chapters: list[Chapter], new: list[Chapter]) -> list[tuple[Chapter, Chapter | None]]:
    return [(chapter, chapters[chapter.number - 2] if chapter.number > 1 else None) for chapter in new]


def _concerns(chapter: Chapter, before: Chapter | None, seat: str) -> bool:
    """Whether an entry is told to a seat even if nothing is asked of it: a phase is over, or the game itself has changed."""
    if chapter.kind in FOR_ALL:
        return True
    if chapter.kind == "join":
        return chapter.facts.get("seat") == seat and chapter.after is not None
    if chapter.kind == "amend":
        return not chapter.facts.get("seat")
    if chapter.kind == "rekey":
        return chapter.facts.get("seat") in (seat, "", None)
    old, new = before.waiting if before is not None else None, chapter.waiting
    over = chapter.kind == "turn" and bool(chapter.closed)
    # Every mail names the closing time, so one that has moved is told to all.
    moved = old is not None and new is not None and old.closes != new.closes
    return over or moved or (old.phase if old else "") != (new.phase if new else "")


def last_report(desk: Desk, seat: str, address: str) -> EmailMessage | None:
    """The last report to a seat once more, with what is asked now; under the Message-ID it had. None before anything has happened."""
    chapters = desk.course.chapters
    told = [chapter.number for chapter, before in _with_before(chapters, chapters) if _concerns(chapter, before, seat)]
    if not chapters or seat not in desk.course.members:
        return None
    *_, before, last = [0, 0, *told] if told else [0, len(chapters) - 1, len(chapters)]
    return turn_mail(desk, seat, address, f"report/{seat}/{last}", first=before + 1, last=last, report=True)


# -- reminders ---------------------------------------------------------------------------------------------------------------


def _reminder(desk: Desk, seat: str, told: Told, *, written: bool) -> Due | None:
    asked, waiting = desk.asked(seat), desk.waiting
    if asked is None or waiting is None or waiting.closes is None or waiting.paused or asked.filed not in WANTING:
        return None
    passed = _passed(desk, waiting, seat)
    fresh = [name for name, _ in passed if name not in told.reminded]
    if not fresh:
        return None
    # Only those of the present closing time are remembered; one that was moved begins anew.
    told.reminded = [name for name, _ in passed]
    asked_at = clock.parse(told.asked_at) if told.asked_at else None
    nearest = max(since for _, since in passed)
    if written or (asked_at is not None and asked_at >= nearest):
        return None
    return Due(kind="reminder", seat=seat, key=f"reminder/{seat}/{fresh[-1]}")


def _passed(desk: Desk, waiting: Waiting, seat: str) -> list[tuple[str, datetime]]:
    """The reminders whose time has come before a closing time that has not, the nearest to it last: name and time."""
    closes = waiting.closes
    if closes is None or desk.now >= closes:
        return []
    spans = sorted({clock.span(span) or timedelta(0) for span in desk.settings.reminders_of(seat)}, reverse=True)
    times = [(closes - span, span) for span in spans if span]
    return [(f"{waiting.phase}@{clock.text(closes)}-{int(span.total_seconds())}", time) for time, span in times if time <= desk.now]


def _away(desk: Desk, seat: str) -> bool:
    """Whether a player has said that he is away: he is written to when he is back."""
    return desk.course.absent(seat, desk.now) is not None


def _digest_day(desk: Desk, seat: str, at: str) -> str:
    """The day whose digest may be written, by the seat's own calendar; "" before its time has come."""
    zone: tzinfo = ZoneInfo(zone_or_utc(desk.zone(seat) or "UTC"))
    local = desk.now.astimezone(zone)
    return local.date().isoformat() if local.strftime("%H:%M") >= at else ""


# -- into the queue --------------------------------------------------------------------------------------------------------------


def _queued_receipts(folder: Folder) -> dict[str, list[tuple[str, str]]]:
    """Seat → keys and addresses of the receipts that wait to be sent to it."""
    found: dict[str, list[tuple[str, str]]] = {}
    for about in outbox.waiting(folder):
        if about.seat and about.kind == "receipt":
            found.setdefault(about.seat, []).append((about.key, about.to))
    return found


def _queue(desk: Desk, due: Due) -> None:
    folder = desk.folder
    address = contacts.address_of(folder, due.seat)
    if not outbox.known(folder, due.key) and address is not None:
        outbox.queue(folder, _composed(desk, due, address), due.key, now=desk.now)
    if not outbox.known(folder, due.key):
        return
    # The receipts stand in it now; only then they need not be sent by themselves.
    for about in outbox.waiting(folder) if due.receipts else []:
        if about.key in due.receipts:
            outbox.done(folder, about, desk.now, into=due.key)


def _composed(desk: Desk, due: Due, address: str) -> EmailMessage:
    if due.kind == "reminder":
        return reminder_mail(desk, due.seat, address, due.key)
    waiting = {about.key for about in outbox.waiting(desk.folder)}
    receipts = [outbox.message_of(desk.folder, key) for key in due.receipts if key in waiting]
    return turn_mail(
        desk, due.seat, address, due.key, first=due.first, last=due.last, report=due.kind == "report",
        receipts=[receipt for receipt in receipts if receipt[RECEIPTS_HEADER]],
    )  # fmt: skip
