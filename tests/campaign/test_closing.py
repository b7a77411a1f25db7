"""Closing rules against zoneinfo: wall times, gaps and overlaps, leap days, zones that change their rules."""

from __future__ import annotations

import zoneinfo
from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.campaign import closing, zones
from pbem.campaign.closing import DAYS, Rule, parse
from pbem.campaign.folder import CampaignError

SOME = (
    "Europe/Berlin", "America/New_York", "Asia/Seoul", "Australia/Lord_Howe", "America/St_Johns", "Pacific/Apia", "Africa/Casablanca",
    "Asia/Kathmandu", "America/Sao_Paulo", "Europe/Dublin", "Pacific/Chatham", "Asia/Pyongyang", "UTC",
)  # fmt: skip
ZONES = st.sampled_from(SOME)
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2036, 1, 1)).map(lambda at: at.replace(microsecond=0, tzinfo=UTC))
TIMES = st.times().map(lambda at: at.replace(second=0, microsecond=0))
SPANS = st.one_of(
    st.integers(1, 366).map("{}d".format), st.integers(1, 8784).map("{}h".format), st.integers(1, 99999).map("{}m".format)
)
RULES = st.builds(
    Rule, days=st.sets(st.integers(0, 6), min_size=1).map(lambda days: tuple(sorted(days))), at=TIMES.map("{:%H:%M}".format), zone=ZONES,
    least=st.sampled_from(("1m", "12h", "24h", "3d")),
)  # fmt: skip


def shown(moment: datetime, zone: zoneinfo.ZoneInfo) -> datetime:
    """What the clocks of a zone show."""
    return moment.astimezone(zone).replace(tzinfo=None)


@given(ZONES.map(zoneinfo.ZoneInfo), st.dates(date(1990, 1, 1), date(2036, 12, 31)), TIMES)
def test_a_wall_time_is_shown_then_or_was_jumped_over(zone: zoneinfo.ZoneInfo, day: date, at: time) -> None:
    moment, wall, second = zones.moment(zone, day, at), datetime.combine(day, at), timedelta(seconds=1)
    if shown(moment, zone) == wall:
        # Of two moments at which the clocks show it, it is the later one.
        later = [moment + timedelta(minutes=minutes) for minutes in range(15, 26 * 60, 15)]
        assert all(shown(each, zone) != wall for each in later)
    else:
        assert shown(moment - second, zone) < wall < shown(moment, zone), "the first moment after the jump"


@pytest.mark.parametrize(("zone", "day", "at", "utc"), [
    ("Europe/Berlin", "2026-03-29", "02:30", "2026-03-29T01:00"),      # a gap: 02:00 becomes 03:00
    ("Europe/Berlin", "2026-10-25", "02:30", "2026-10-25T01:30"),      # an overlap: the second time
    ("America/New_York", "2026-03-08", "02:00", "2026-03-08T07:00"),
    ("America/New_York", "2026-11-01", "01:59", "2026-11-01T06:59"),
    ("Australia/Lord_Howe", "2026-10-04", "02:15", "2026-10-03T15:30"),  # half an hour
    ("Pacific/Apia", "2011-12-30", "20:00", "2011-12-30T10:00"),       # a day that never was: the beginning of the next
    ("America/Sao_Paulo", "2018-11-04", "00:00", "2018-11-04T03:00"),  # midnight jumped over
    ("Europe/Berlin", "2028-02-29", "20:00", "2028-02-29T19:00"),
])  # fmt: skip
def test_known_jumps(zone: str, day: str, at: str, utc: str) -> None:
    found = zones.moment(zoneinfo.ZoneInfo(zone), date.fromisoformat(day), time.fromisoformat(at))
    assert found == datetime.fromisoformat(utc).replace(tzinfo=UTC)


@given(RULES, MOMENTS)
def test_a_phase_closes_at_the_first_such_time_that_is_far_enough_away(rule: Rule, since: datetime) -> None:
    found, zone = rule.next(since), zoneinfo.ZoneInfo(rule.zone)
    assert found is not None
    start = since + closing.length(rule.least)
    assert start <= found
    # Day by day: none of the earlier days of the rule has a moment that would have done.
    day = start.astimezone(zone).date() - timedelta(days=2)
    while day <= found.astimezone(zone).date() + timedelta(days=2):
        if day.weekday() in rule.days:
            moment = zones.moment(zone, day, time.fromisoformat(rule.at))
            assert moment < start or moment >= found
        day += timedelta(days=1)
    assert found - start <= timedelta(days=8, hours=2)


@given(RULES, MOMENTS, st.timedeltas(timedelta(0), timedelta(days=9)))
def test_who_opens_later_never_closes_sooner(rule: Rule, since: datetime, later: timedelta) -> None:
    one, two = rule.next(since), rule.next(since + later)
    assert one is not None and two is not None and one <= two


@given(RULES, MOMENTS)
def test_it_does_not_matter_in_which_zone_a_time_is_given(rule: Rule, since: datetime) -> None:
    assert rule.next(since) == rule.next(since.astimezone(zoneinfo.ZoneInfo("Asia/Tokyo")))


@given(st.one_of(RULES, SPANS.map(lambda span: Rule(span=span)), st.just(Rule(span="none"))))
def test_rules_are_read_as_they_are_written(rule: Rule) -> None:
    try:
        assert parse(str(rule)) == rule
    except CampaignError as error:
        assert error.code == "bad-span"  # longer than a year


@pytest.mark.parametrize(("written", "normal"), [
    ("48h", "48h"), ("none", "none"), ("mon thu 20:00 Europe/Berlin", "mon,thu 20:00 Europe/Berlin least 12h"),
    ("Thursday, Monday 20:00 Europe/Berlin least 24h", "mon,thu 20:00 Europe/Berlin least 24h"),
    ("20:00 Europe/Berlin", "daily 20:00 Europe/Berlin least 12h"), ("daily 9.30 UTC least 1d", "daily 09:30 UTC least 1d"),
    ("Asia/Seoul 21:00 every sun", "sun 21:00 Asia/Seoul least 12h"),
    ("mon,tue,wed,thu,fri,sat,sun 00:00 America/Argentina/ComodRivadavia", "daily 00:00 America/Argentina/ComodRivadavia least 12h"),
])  # fmt: skip
def test_rules_have_one_normal_form(written: str, normal: str) -> None:
    assert str(parse(written)) == normal
    assert str(parse(normal)) == normal


@pytest.mark.parametrize(("written", "code", "facts"), [
    ("", "close-empty", {}), (" , ", "close-empty", {}), ("mon 20:00 UTC least", "close-least", {}),
    ("two days", "bad-span", {"found": "two days"}), ("tomorrow", "bad-span", {}),
    ("48", "bad-span", {}), ("0h", "bad-span", {}),
    ("9999d", "bad-span", {}),
    ("mondy 20:00 Europe/Berlin", "close-word", {"word": "mondy", "nearest": "monday"}),
    ("mon 20:00", "close-no-zone", {}), ("mon Europe/Berlin", "close-no-time", {}),
    ("mon 20:00 Europe/Berln", "unknown-zone", {"nearest": "Europe/Berlin"}),
    ("mon 20:00 Berlin", "unknown-zone", {"nearest": "Europe/Berlin"}),
    ("20:00 seoul", "unknown-zone", {"nearest": "Asia/Seoul"}), ("mon 20:00 ../../etc/passwd", "unknown-zone", {}),
    ("mon 20:00 21:00 UTC", "close-twice", {"word": "21:00"}), ("mon 25:00 UTC", "close-bad-time", {"word": "25:00"}),
    ("mon 20:00 UTC least soon", "bad-span", {}), ("mon 20:00 UTC least none", "bad-span", {}), ("mon " * 100, "close-empty", {}),
])  # fmt: skip
def test_what_is_no_rule_is_said_by_the_word(written: str, code: str, facts: dict[str, str]) -> None:
    with pytest.raises(CampaignError) as caught:
        parse(written)
    assert caught.value.code == code
    assert facts.items() <= caught.value.facts.items()


@given(st.text(max_size=60), st.booleans())
def test_anything_else_ends_in_a_sentence(written: str, check: bool) -> None:
    try:
        rule = parse(written, check=check)
    except CampaignError as error:
        assert error.code in ("bad-span", "unknown-zone") or error.code.startswith("close-")
    else:
        assert str(parse(str(rule), check=check)) == str(rule)


def test_the_edition_of_the_zone_data_is_known_here() -> None:
    assert zones.edition()[:2] == "20" and zones.edition()[4:].isalpha()
    assert len(DAYS) == 7
