"""What an organiser may do about time: whether it can be done, and to when it comes. Said before an entry is written."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from pbem.campaign import clock
from pbem.campaign.course import Course
from pbem.campaign.deadlines import LONGEST_PAUSE
from pbem.campaign.folder import CampaignError
from pbem.campaign.timing import check_settings, phase_names


def moved_to(course: Course, time: datetime, kind: str, until: datetime | None, by: timedelta | None) -> str:
    """To when a pause or an extension goes, as an entry tells it. CampaignError says why it cannot be."""
    if not course.timing.written:
        raise CampaignError("old-clock", path=str(course.archive.folder.root))
    if not course.phase_id():
        raise CampaignError("nothing-open", path=str(course.archive.folder.root))
    return clock.text(_pause(course, time, until) if kind == "pause" else _extension(course, time, until, by))


def _pause(course: Course, time: datetime, until: datetime | None) -> datetime:
    if until is None:
        if not course.timing.pausing(time):
            raise CampaignError("not-paused", path=str(course.archive.folder.root))
        return time
    if not time < until <= time + LONGEST_PAUSE:
        raise CampaignError("bad-pause-end", found=until, now=time)
    return until


def _extension(course: Course, time: datetime, until: datetime | None, by: timedelta | None) -> datetime:
    timing = course.timing
    if timing.closes is None:
        raise CampaignError("no-closing-time", phase=course.phase_id(), phases_of=course.title.slug)
    to = until if until is not None else timing.closes + (by or timedelta(0))
    if to <= max(timing.closes, time):
        raise CampaignError("extends-nothing", found=to, closes=timing.closes, now=time)
    most = timing.closes + timing.extensions - timing.extended
    if to > most:
        raise CampaignError("extends-too-far", found=to, most=most, bound=timing.extensions)
    return to


def clock_settings(course: Course, settings: Mapping[str, str]) -> dict[str, str]:
    """What an amendment says of the clock, in normal form."""
    known = phase_names(course.title)
    for name in settings:
        head, dot, phase = name.partition(".")
        if dot and head == "close" and not known(phase):
            raise CampaignError("no-such-phase", found=phase)
    try:
        return check_settings(settings, written=course.timing.written)
    except ValueError:
        raise CampaignError("old-clock", path=str(course.archive.folder.root)) from None
