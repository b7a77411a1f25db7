"""Times as text: whole seconds in UTC, written 2026-12-03T19:00:00Z, and spans such as 48h."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from pbem.campaign.folder import CampaignError

FARTHEST = timedelta(days=366)
# Far from the ends of the calendar, so that zones and closing times never run out of it.
_FIRST, _LAST = 1970, 9000
_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
_WRITTEN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_UNITS = {"d": "days", "h": "hours", "m": "minutes"}


def now() -> datetime:
    """The machine's clock, whole seconds, UTC. Only the door (``cli``) and ``check_near`` call it; everything else is given the time."""
    return datetime.now(UTC).replace(microsecond=0)


def text(time: datetime) -> str:
    """2026-12-03T19:00:00Z"""
    return time.astimezone(UTC).strftime(_FORMAT)


def parse(written: str) -> datetime:
    """The inverse of ``text``. ValueError for anything else."""
    if not _WRITTEN.fullmatch(written):
        raise ValueError(written)
    time = datetime.fromisoformat(written)
    if not _FIRST < time.year < _LAST:
        raise ValueError(written)
    return time


def parse_loose(written: str) -> datetime:
    """A time as a person types it (ISO 8601; without a zone it is UTC). CampaignError "bad-time" otherwise."""
    try:
        time = datetime.fromisoformat(written.strip())
    except ValueError:
        raise CampaignError("bad-time", found=written) from None
    if not _FIRST < time.year < _LAST:
        raise CampaignError("bad-time", found=written)
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    return time.astimezone(UTC).replace(microsecond=0)


def check_near(when: datetime, known: list[datetime]) -> None:
    """CampaignError "far-time" beyond a year of the clock and of all known times: a mistyped year would put all later times wrong."""
    if all(abs(when - time) > FARTHEST for time in (now(), *known)):
        raise CampaignError("far-time", found=text(when))


def span(written: str, *, none: bool = True) -> timedelta | None:
    """48h, 3d, 90m, or none (unless that is not taken: ``none``). CampaignError "bad-span" otherwise; at most a year."""
    if written == "none" and none:
        return None
    match = re.fullmatch(r"([0-9]{1,5})([dhm])", written)
    length = timedelta(**{_UNITS[match[2]]: int(match[1])}) if match else timedelta(0)
    if not timedelta(0) < length <= timedelta(days=366):
        raise CampaignError("bad-span", found=written, allowed="48h, 3d, 90m, or none" if none else "48h, 3d or 90m")
    return length
