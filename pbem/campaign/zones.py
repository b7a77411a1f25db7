"""Time zones: a wall-clock time as a moment in UTC, and which edition of the time zone data this machine computes with."""

from __future__ import annotations

import functools
import re
import zoneinfo
from datetime import UTC, date, datetime, time, tzinfo
from pathlib import Path

from pbem.campaign.folder import CampaignError
from pbem.orders.findings import nearest

_MEANT = {
    "Asia/Shanghai": "beijing peking china guangzhou shenzhen cst",
    "Asia/Kolkata": "india mumbai bombay delhi new_delhi bangalore chennai",
    "America/New_York": "est edt et eastern washington boston philadelphia miami atlanta nyc",
    "America/Chicago": "ct central houston dallas",
    "America/Denver": "mst mdt mt mountain",
    "America/Los_Angeles": "pst pdt pt pacific san_francisco seattle la san_diego",
    "Europe/London": "bst uk england",
    "Europe/Berlin": "germany munich hamburg frankfurt cologne",
    "Europe/Paris": "france lyon marseille",
    "Europe/Madrid": "spain barcelona",
    "Europe/Rome": "italy milan",
    "Europe/Moscow": "msk russia st_petersburg saint_petersburg petersburg",
    "Europe/Kyiv": "ukraine",
    "Asia/Seoul": "kst korea busan",
    "Asia/Tokyo": "jst osaka kyoto",
    "Europe/Zurich": "switzerland geneva basel",
    "Europe/Vienna": "austria",
    "Europe/Amsterdam": "netherlands holland rotterdam",
    "America/Sao_Paulo": "brazil rio",
    "Asia/Taipei": "taiwan",
}
"""What people write instead of a zone: big cities that give no zone its name, countries of one zone, letters that are no zone's name."""
_BY_WORD = {word: zone for zone, words in _MEANT.items() for word in words.split()}
_OFFSET = re.compile(r"(?:utc|gmt)?[+-][0-9:]{1,5}", re.IGNORECASE)
_EDITION = re.compile(r"\b(20[0-9]{2}[a-z]{1,2})\b")


def known(name: str) -> str:
    """That zone. CampaignError "unknown-zone", with the nearest name, for one this machine has never heard of."""
    zones = zoneinfo.available_timezones()
    if zones and name not in zones:
        raise CampaignError("unknown-zone", found=name, nearest=near(name))
    return name


def meant(name: str) -> str | None:
    """The zone that a word surely means: its name or city in other capitals, or what people commonly write for it."""
    word = name.strip().replace(" ", "_").casefold()
    zones = sorted(zoneinfo.available_timezones())
    # "Asia/Beijing" is meant like "Beijing".
    if (found := _BY_WORD.get(word.rpartition("/")[2])) is not None and found in zones:
        return found
    exact = {zone.rpartition("/")[2].casefold(): zone for zone in zones} | {zone.casefold(): zone for zone in zones}
    return exact.get(word)


def near(name: str) -> str | None:
    """The zone whose name, or whose city, is nearest to what somebody wrote. None for an offset: zones of that offset are many."""
    if (found := meant(name)) is not None:
        return found
    if _OFFSET.fullmatch(name):
        return None
    zones = sorted(zoneinfo.available_timezones())
    cities = {zone.rpartition("/")[2]: zone for zone in zones}
    return nearest(name, zones) or cities.get(nearest(name, cities) or "")


def moment(zone: tzinfo, day: date, at: time) -> datetime:
    """When the clocks of a zone show that time on that day, in UTC.

    A time that the clocks jump over means the first moment after the jump; one that they show twice means the second, so that nobody who
    took it for the other is late.
    """
    wall = datetime.combine(day, at)
    sooner, later = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    if sooner <= later:
        return later
    # In a gap the two readings lie around the jump, the wrong way about.
    before, after = int(later.timestamp()), int(sooner.timestamp())
    while after - before > 1:
        middle = (before + after) // 2
        if datetime.fromtimestamp(middle, zone).replace(tzinfo=None) > wall:
            after = middle
        else:
            before = middle
    return datetime.fromtimestamp(after, UTC)


@functools.cache
def edition() -> str:
    """The edition of this machine's time zone data, such as "2026b"; "" when it does not say."""
    for folder in zoneinfo.TZPATH:
        for name in ("tzdata.zi", "+VERSION", "version"):
            path = Path(folder) / name
            if path.is_file():
                with path.open(encoding="ascii", errors="replace") as file:
                    if found := _EDITION.search(file.read(100)):
                        return found[1]
    try:
        from importlib.metadata import version

        # Machines without zone files of their own use the package: 2026.2 is edition 2026b.
        year, _, letter = version("tzdata").partition(".")
        return f"{year}{chr(ord('a') + int(letter.partition('.')[0]) - 1)}"
    except (ImportError, ValueError):
        return ""
