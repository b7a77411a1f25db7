"""Closing rules in the reader's words."""

from __future__ import annotations

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
