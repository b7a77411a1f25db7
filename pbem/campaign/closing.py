"""Closing rules: how long a phase stays open ("48h", "none"), or at which wall-clock times phases close.

``mon,thu 20:00 Europe/Berlin least 24h``: the first Monday or Thursday at 20:00 in Berlin that is at least 24 hours away. The wall time
is kept, not a moment in UTC: when Berlin changes its clocks, players still find 20:00.
"""

from __future__ import annotations

import re
import zoneinfo
from datetime import UTC, datetime, time, timedelta

import msgspec

from pbem.campaign import clock, zones
from pbem.campaign.folder import CampaignError
from pbem.orders.findings import nearest

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
LEAST = "12h"
"""How long a phase is open at the least when a rule does not say: a phase opened at five to eight does not close at eight."""
_LONG = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_KNOWN = (*DAYS, *_LONG, "daily", "none", "least")
_SETS = {"weekdays": range(5), "workdays": range(5), "weekend": (5, 6), "weekends": (5, 6)}
_FILLING = frozenset(("at", "in", "on", "and"))
_AT = re.compile(r"([01]?[0-9]|2[0-3])[:.]([0-5][0-9])")


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A closing rule. Either ``span`` ("48h" or "none"), or ``days`` (0 is Monday), ``at``, ``zone`` and ``least``."""

    span: str = ""
    days: tuple[int, ...] = ()
    at: str = ""
    zone: str = ""
    least: str = LEAST

    def __str__(self) -> str:
        if self.span:
            return self.span
        days = "daily" if len(self.days) == len(DAYS) else ",".join(DAYS[day] for day in self.days)
        return f"{days} {self.at} {self.zone} least {self.least}"

    def next(self, since: datetime, shift: timedelta = timedelta(0)) -> datetime | None:
        """When a phase opened at ``since`` closes; None for never. ``shift``: as if the zone's clocks were that much slow."""
        start = self.earliest(since)
        return None if start is None else self.first(start, shift)

    def earliest(self, since: datetime) -> datetime | None:
        """What a phase opened at ``since`` cannot close before; None for one that never closes."""
        length = clock.span(self.span or self.least)
        return None if length is None else since + length

    def first(self, start: datetime, shift: timedelta = timedelta(0)) -> datetime:
        """The first closing time at or after ``start``; for a span ``start`` itself. ZoneInfoNotFoundError for a zone unknown here."""
        if self.span:
            return start
        # UTC is known even where there is no zone data at all.
        zone, at = UTC if self.zone == "UTC" else zoneinfo.ZoneInfo(self.zone), time.fromisoformat(self.at)
        day = start.astimezone(zone).date() - timedelta(days=3)
        # A weekday comes within a week; three days on either side are for shifted clocks and days that a zone has skipped.
        while True:
            if day.weekday() in self.days:
                found = zones.moment(zone, day, at) + shift
                if found >= start:
                    return found.astimezone(UTC)
            day += timedelta(days=1)


def parse(written: str, *, check: bool = True) -> Rule:
    """A rule as somebody writes it, in any order: "48h", "none", "mon thu 20:00 Europe/Berlin", "daily 21:30 Asia/Seoul least 24h".

    CampaignError "close-…" says what is wrong with which word; "unknown-zone" has the nearest name. Without ``check`` a zone that this
    machine has never heard of is taken.
    """
    words = written.replace(",", " ").split()
    if not any(":" in word or "/" in word or _AT.fullmatch(word) or _day(word) is not None for word in words):
        if not words:
            raise CampaignError("close-empty", found=written)
        clock.span(written.strip())
        return Rule(span=written.strip())
    if len(written) > 100:
        raise CampaignError("close-empty", found=written)
    days: set[int] = set()
    named: list[str] = []
    at = ""
    least = LEAST
    for number, word in enumerate(words):
        if number and words[number - 1] == "least":
            clock.span(word, none=False)
            least = word
        elif word == "least" and number + 1 == len(words):
            raise CampaignError("close-least", found=written)
        elif word == "least" or word.lower() in _FILLING:
            continue
        elif (day := _day(word)) is not None:
            days |= day
        elif found := _AT.fullmatch(word):
            at = _once(at, f"{int(found[1]):02}:{found[2]}", written)
        elif ":" in word or word[0].isdigit():
            raise CampaignError("close-bad-time", found=written, word=word)
        elif check and "/" not in word and not zones.meant(word) and (meant := nearest(word.lower(), _KNOWN)):
            raise CampaignError("close-word", found=written, word=word, nearest=meant)
        else:
            named.append(word)
    zone = _zones_named(named, check, written)
    if not at or not zone:
        raise CampaignError("close-no-zone" if at else "close-no-time", found=written)
    return Rule(days=tuple(sorted(days)) or tuple(range(len(DAYS))), at=at, zone=zone, least=least)


def _day(word: str) -> set[int] | None:
    """The days a word names, None for a word that names none."""
    low = word.lower()
    if low in _SETS:
        return set(_SETS[low])
    first, dash, last = low.partition("-")
    if dash and (begins := _day(first)) and (ends := _day(last)) and len(begins) == len(ends) == 1:
        [one], [other] = begins, ends
        return {(one + day) % len(DAYS) for day in range((other - one) % len(DAYS) + 1)}
    if low in ("daily", "every", "day"):
        return set(range(len(DAYS))) if low == "daily" else set()
    return next(({at} for at, names in enumerate(zip(DAYS, _LONG, strict=True)) if low in names), None)


def _zones_named(words: list[str], check: bool, written: str) -> str:
    """The zone of a rule; its words are one name ("America/New York"), unless two of them are zones by themselves."""
    if len([word for word in words if "/" in word or (check and word in zoneinfo.available_timezones())]) > 1:
        raise CampaignError("close-twice", found=written, word=words[-1])
    return _zone("_".join(words), check) if words else ""


def _zone(word: str, check: bool) -> str:
    if check:
        return zones.known(word)
    if not re.fullmatch(r"[A-Za-z0-9_+-]{1,20}(/[A-Za-z0-9_+-]{1,30}){0,2}", word):
        raise CampaignError("unknown-zone", found=word, nearest=None)
    return word


def _once(known: str, new: str, written: str) -> str:
    if known:
        raise CampaignError("close-twice", found=written, word=new)
    return new


def length(written: str) -> timedelta:
    """A span or "none" for no time at all."""
    return clock.span(written) or timedelta(0)
