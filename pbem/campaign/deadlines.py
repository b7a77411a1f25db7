"""Closing times in the ledger: where each entry puts them, whether silence may be applied, pauses, absences, outages.

Processing and audit ask the same functions; what the processor alone can know (until when it has read its channels) stands in the entry.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from pbem.campaign import clock, zones
from pbem.campaign.archive import Fault
from pbem.campaign.channels import readings
from pbem.campaign.course import Course
from pbem.campaign.folder import CampaignError
from pbem.campaign.history import Away, Step
from pbem.campaign.petitions import Absence
from pbem.campaign.records import Entry
from pbem.campaign.table import seats_until_phase_ends
from pbem.campaign.timing import NONE, Closing, zone_notice

LONGEST_PAUSE = timedelta(days=366)
MOST_COOLED = 5
"""Revisions of one plan that hold up the game."""
Finish = Callable[[str, str], None]
"""Takes the closing time and the edition of the zone data that belong into an entry that is being written."""


def awaited(course: Course) -> list[str]:
    """Seats that the present phase may wait for."""
    # Where something is hidden, who will be asked is not foreseen.
    if course.title.hidden or course.table.position is None:
        return course.playing()
    found, over = seats_until_phase_ends(course.title, course.table.position)
    if over:
        # Silence would end the game before everybody has come; those who are there need not let it.
        return course.playing()
    return [seat for seat in course.playing() if seat in found]


# -- may anything be played? -------------------------------------------------------------------------------------------------


def held_until(course: Course, now: datetime) -> datetime | None:
    """Until when nothing is played although it could be: a pause, or the time to put right what was filed last."""
    if course.timing.pausing(now):
        return course.timing.paused
    return cools_until(course, now)


def cools_until(course: Course, now: datetime) -> datetime | None:
    """Until when nothing is played because a file came in just now; None when the closing time has passed or nothing is fresh."""
    if not course.timing.cooling or course.due(now):
        return None
    # Whoever sends one revision after the other must not hold up the others for ever.
    open_files = [items[:MOST_COOLED] for (_, phase), items in course.desk.items() if phase not in course.closed]
    fresh = [item.receipt for items in open_files for item in items]
    cool = max((clock.parse(receipt.received) for receipt in fresh), default=None)
    return cool + course.timing.cooling if cool is not None and now < cool + course.timing.cooling else None


def missable(course: Course, entry: Entry, due: bool, silent: bool) -> bool:
    """Whether who has sent nothing has missed a closing time: not when the organiser closed by his word, or without having looked."""
    if not course.timing.written:
        return due
    return silent and not entry.unread


def count_missed(course: Course, steps: list[Step], due: bool) -> None:
    """Counts closing times missed in a row: who sent nothing when one had passed; who filed anything begins anew."""
    silent = {decision.seat for step in steps for decision in step.decisions if decision.why == "silence"}
    # A plan that stopped was filed: the ledger tells its default without the file.
    filed = {decision.seat for step in steps for decision in step.decisions if decision.file or decision.why == "stopped"}
    for seat in filed:
        course.missed.pop(seat, None)
    if due:
        for seat in silent - filed - course.conceded:
            course.missed[seat] = course.missed.get(seat, 0) + 1


# -- may silence be applied? -----------------------------------------------------------------------------------------------


def out(course: Course, now: datetime) -> bool:
    """Whether a closing time has passed in an outage: too long ago, and since then, for that long, nothing shows that a run was made."""
    timing = course.timing
    if timing.outage is None or timing.deadline is None or timing.closes is None or not course.phase_id():
        return False
    limit = timing.deadline + timing.outage
    if now <= limit:
        return False
    signs = [chapter.time for chapter in course.chapters[-1:]]
    for kept in reversed(course.archive.receipts[: course.counted]):
        signs.append(clock.parse(kept.record.taken))
        if signs[-1] <= timing.closes:
            break
    signs += [chapter.time for chapter in reversed(course.chapters) if timing.closes < chapter.time]
    return not any(timing.closes < sign <= limit for sign in signs)


def look_at_channels(course: Course, time: datetime, unread: bool) -> tuple[dict[str, object], list[str]]:
    """What an entry says about the channels once a closing time has passed, and those that have to be read first."""
    timing = course.timing
    if not timing.written or not course.due(time) or timing.deadline is None or timing.closes is None:
        return {}, []
    # A reading that lies ahead was dated by a wrong clock.
    known = {name: [at for at in times if at <= time] for name, times in readings(course.archive.folder).items()}
    last = {name: times[-1] for name, times in known.items() if times}
    waiting = sorted(name for name in {*known, *timing.channels} if name not in last or last[name] <= timing.deadline)
    # One that was never read by any clock that can be right has not been read since the campaign began.
    never = clock.parse(course.archive.game.created)
    facts: dict[str, object] = {"read": {name: clock.text(last.get(name, never)) for name in sorted(known)}}
    if unread and waiting:
        facts["unread"] = True
    if out(course, time):
        soon = [at for times in known.values() for at in times if timing.closes < at <= timing.deadline + (timing.outage or NONE)]
        if soon:
            facts["seen"] = clock.text(min(soon))
    return facts, [] if unread else waiting


def silence_applies(course: Course, entry: Entry, time: datetime, name: str) -> bool:
    """Whether a turn closes its phase because the closing time has passed. Fault when what it says about its channels cannot be."""
    timing = course.timing
    said = bool(entry.read or entry.unread or entry.seen)
    if not course.due(time) or not timing.written:
        if said:
            raise Fault("bad-unreadable", name, why="read")
        return course.due(time)
    if entry.close:
        if said:
            raise Fault("bad-unreadable", name, why="read")
        return False
    if timing.deadline is None or timing.closes is None:
        raise AssertionError("due without a closing time")
    read = {channel: _time(at, name) for channel, at in entry.read.items()}
    if any(at > time for at in read.values()):
        raise Fault("read-ahead", name)
    if entry.seen:
        seen = _time(entry.seen, name)
        if not timing.closes < seen <= min(time, timing.deadline + (timing.outage or NONE)):
            raise Fault("read-ahead", name)
    elif out(course, time):
        return False
    return entry.unread or all(channel in read and read[channel] > timing.deadline for channel in {*read, *timing.channels})


def remember_channels(course: Course, entry: Entry) -> None:
    """The channels an entry has closed by have to be read again at the next closing time."""
    deadline = course.timing.deadline
    if deadline is not None:
        course.timing.channels = {channel for channel, at in entry.read.items() if clock.parse(at) > deadline}


def check_moment(course: Course, entry: Entry, time: datetime, name: str) -> None:
    """Whether a turn may be played at that time. Fault in a pause, and so soon after a file that its player could not put it right."""
    if course.table.position is None:
        return
    if course.timing.pausing(time):
        raise Fault("played-in-pause", name)
    # Processing looks only at files of open phases and knows by itself when it may play.
    if course.check and not entry.close and (cool := cools_until(course, time)) is not None:
        raise Fault("played-too-soon", name, until=clock.text(cool))


def _time(written: str, name: str) -> datetime:
    try:
        return clock.parse(written)
    except ValueError:
        raise Fault("bad-time", name) from None


# -- entries that are about time -----------------------------------------------------------------------------------------------


def take_pause(course: Course, entry: Entry, name: str) -> None:
    until, time = _time(entry.until, name), _time(entry.time, name)
    sound = time < until <= time + LONGEST_PAUSE or (until == time and course.timing.pausing(time))
    if entry.ground != "organiser" or not course.timing.written or not course.phase_id() or not sound:
        raise Fault("bad-pause", name, until=entry.until)


def take_extend(course: Course, entry: Entry, name: str) -> None:
    timing, time = course.timing, _time(entry.time, name)
    if entry.ground == "outage":
        if entry.until or not out(course, time) or not course.due(time):
            raise Fault("no-outage", name)
        return
    until = _time(entry.until, name)
    if entry.ground != "organiser" or timing.closes is None or not course.phase_id() or until <= max(timing.closes, time):
        raise Fault("bad-extension", name, until=entry.until)
    by = until - timing.closes
    if timing.extended + by > timing.extensions:
        raise Fault("extension-too-far", name, until=entry.until, most=timing.extensions)


def take_absence(course: Course, entry: Entry, name: str) -> None:
    request = course.answered.get(entry.file)
    if entry.ground != "request" or request is None or not isinstance(request.petition, Absence) or not course.timing.written:
        raise Fault("ground-missing", name, ground=entry.ground)
    time = _time(entry.time, name)
    timing, petition = course.timing, request.petition
    timing.away = [each for each in timing.away if each.end > time and (petition.start or each.seat != entry.seat)]
    if petition.start:
        timing.away.append(Away(seat=entry.seat, start=clock.parse(petition.start), end=clock.parse(petition.end)))


def announced_in_time(course: Course, entry: Entry) -> bool:
    """Whether a player said that he is away before the closing time had passed that would fall into it."""
    request, deadline = course.answered.get(entry.file), course.timing.deadline
    return request is not None and deadline is not None and clock.parse(request.receipt.received) <= deadline


def absence_facts(course: Course, entry: Entry) -> dict[str, Any]:
    """What a chapter tells of an absence."""
    request = course.answered.get(entry.file)
    if request is None or not isinstance(request.petition, Absence) or not request.petition.start:
        return {}
    return {"start": clock.parse(request.petition.start), "end": clock.parse(request.petition.end)}


# -- the closing time after an entry -----------------------------------------------------------------------------------------


def keep_time(course: Course, entry: Entry, time: datetime, before: Any, name: str, finish: Finish | None = None) -> None:
    """Puts the clock where an entry has put it. Fault when its closing time does not follow; ``finish`` writes it in instead."""
    timing, phase = course.timing, course.phase_id()
    opened = _opens(course, entry, before)
    if opened:
        timing.since, timing.counted = time, str(timing.rule(phase))
    if not timing.written:
        if entry.closes or entry.tz:
            raise Fault("bad-unreadable", name, why="closes")
        if opened and timing.since is not None:
            timing.closes = timing.rule(phase).next(timing.since)
        return
    if entry.rules != course.title.rules:
        timing.closes = _told(entry, name) or timing.closes
        return
    found: Closing | None = None
    if phase and not course.ended:
        found = _found(course, entry, time, opened, name)
        if finish is not None and found is not None and found.unknown:
            raise CampaignError("unknown-zone", found=timing.rule(phase).zone, nearest=None)
    else:
        timing.closes = None
    if finish is None:
        found = _compare(course, entry, found, name)
    elif found is not None and found.at is not None:
        finish(clock.text(found.at), zones.edition() if found.zoned else "")
    if found is not None:
        timing.closes = found.at
        for seat, by in found.put_off.items():
            timing.waited = {**timing.waited, seat: timing.waited.get(seat, NONE) + by}
    timing.dozed = timing.silence == "wait"


def _opens(course: Course, entry: Entry, before: Any) -> bool:
    """Whether a phase begins with an entry: played to, gone back to, or with another closing rule."""
    if course.table.position is None:
        return False
    timing = course.timing
    # What is amended of another phase leaves this one its time.
    changed = str(timing.rule(course.phase_id())) != timing.counted if timing.written else "close" in entry.settings
    # A closing time that meant nothing while silence waited does not come from one moment to the next.
    woken = timing.written and timing.dozed and timing.silence != "wait"
    amended = entry.kind == "amend" and (changed or woken)
    anew = entry.kind in ("rollback", "rules") or entry.processor is not None or amended
    return anew or before is None or bool(before.phase != course.table.position.phase)


def _found(course: Course, entry: Entry, time: datetime, opened: bool, name: str) -> Closing | None:
    """The closing time that an entry gives the present phase; None when it leaves it alone."""
    timing, phase = course.timing, course.phase_id()
    if opened or (entry.kind == "extend" and entry.ground == "outage"):
        timing.extended = NONE
        since = max(time, timing.paused) if timing.paused is not None else time
        spare = timing.notice(time) if entry.kind == "amend" else None
        return timing.opening(phase, since, lambda: awaited(course), spare)
    if entry.kind == "pause":
        until = _time(entry.until, name)
        found = timing.resumed(phase, time, until, lambda: awaited(course))
        timing.paused = until
        return found
    if entry.kind == "extend" and timing.closes is not None:
        until = _time(entry.until, name)
        timing.extended += until - timing.closes
        return timing.moved(until, lambda: awaited(course))
    if entry.kind == "absence" and announced_in_time(course, entry):
        return timing.moved(timing.closes, lambda: awaited(course))
    return None


def _compare(course: Course, entry: Entry, found: Closing | None, name: str) -> Closing | None:
    """The closing time an entry names, if it can be."""
    told, at = _told(entry, name), found.at if found is not None else None
    if told == at and (not entry.tz or (found is not None and found.zoned)):
        return found
    here = zones.edition()
    same = entry.tz == here and bool(here)
    if found is None or not found.zoned or same or not course.timing.explains(told, found, course.phase_id(), lambda: awaited(course)):
        raise Fault("closing-differs", name, found=entry.closes or "none", expected=clock.text(at) if at else "none")
    course.notices.append(("zone-data", {"file": name, **zone_notice(told, at, entry.tz)}))
    return Closing(at=told, put_off=found.put_off, zoned=True)


def _told(entry: Entry, name: str) -> datetime | None:
    return _time(entry.closes, name) if entry.closes else None
