"""Closing rules in the reader's words."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from pbem.campaign import clock
from pbem.campaign.closing import DAYS, Rule
from pbem.publish.words import Words


def rule_words(rule: Rule, words: Words) -> str:
    """When phases close: "48 h after it begins", "Mon and Thu, 20:00 Europe/Berlin", "no closing time"."""
    if rule.span:
        length = clock.span(rule.span)
        if length is None:
            return words.gettext("no closing time")
        return words.gettext("%(span)s after it begins") % {"span": words.span(length)}
    from babel.dates import get_day_names

    names = get_day_names("abbreviated", locale=words.locale)
    days = words.gettext("daily") if len(rule.days) == len(DAYS) else words.listing(names[day] for day in rule.days)
    return words.gettext("%(days)s, %(time)s %(zone)s") % {"days": days, "time": rule.at, "zone": rule.zone}


def by_clocks(moment: datetime | None, zones: Iterable[str], words: Words) -> str:
    """A time by the clocks of several zones, each once, from east to west: "Sat 5 Dec, 03:00 Shanghai · Fri 4 Dec, 20:00 Paris"."""
    from zoneinfo import ZoneInfo

    if moment is None:
        return ""

    def east(zone: str) -> float:
        return -(moment.astimezone(ZoneInfo(zone)).utcoffset() or timedelta(0)).total_seconds()

    ordered = sorted(set(zones) - {"UTC"}, key=lambda zone: (east(zone), zone))
    return " · ".join(words.when(moment, zone, short=True, alone=True) for zone in ordered)
