"""Times as text, spans, closing times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.campaign import clock
from pbem.campaign.folder import CampaignError

from ..helpers import HOUR, START, Campaign, joined_campaign

TIMES = st.datetimes(datetime(1990, 1, 1), datetime(2200, 1, 1)).map(lambda time: time.replace(microsecond=0, tzinfo=UTC))


@given(TIMES)
def test_times_round_trip(time: datetime) -> None:
    assert clock.parse(clock.text(time)) == time
    assert clock.parse_loose(clock.text(time)) == time


def test_other_zones_are_written_in_utc() -> None:
    paris = timezone(timedelta(hours=1))
    assert clock.text(datetime(2026, 12, 3, 20, 0, tzinfo=paris)) == "2026-12-03T19:00:00Z"
    assert clock.parse_loose("2026-12-03T20:00+01:00") == clock.parse_loose(" 2026-12-03T19:00 ") == datetime(2026, 12, 3, 19, tzinfo=UTC)


@pytest.mark.parametrize("written", ["", "2026-12-03", "2026-12-03T19:00:00", "2026-12-03T19:00:00+00:00", "2026-2-3T19:00:00Z",
                                     "2026-12-03T19:00:00Z ", "2026-13-03T19:00:00Z", "2026-12-03T19:00:60Z"])  # fmt: skip
def test_one_time_has_one_spelling(written: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        clock.parse(written)


@pytest.mark.parametrize("written", ["", "tomorrow", "2026-02-30", "12:00", "0001-01-01T00:00+14:00", "9999-12-31T23:00-14:00", "9" * 500])
def test_what_is_no_time_is_said(written: str) -> None:
    with pytest.raises(CampaignError) as caught:
        clock.parse_loose(written)
    assert caught.value.code == "bad-time"


@pytest.mark.parametrize(("written", "length"), [
    ("48h", timedelta(hours=48)), ("3d", timedelta(days=3)), ("90m", timedelta(minutes=90)), ("366d", timedelta(days=366)), ("none", None),
])  # fmt: skip
def test_spans(written: str, length: timedelta | None) -> None:
    assert clock.span(written) == length


@pytest.mark.parametrize("written", ["", "0h", "367d", "-1h", "48", "h", "1.5h", "48H", "48h ", "99999999h", "٤٨h", "48 h", "48h\n"])
def test_what_is_no_span_is_said(written: str) -> None:
    with pytest.raises(CampaignError) as caught:
        clock.span(written)
    assert caught.value.code == "bad-span"


def test_a_phase_closes_so_long_after_the_entry_that_opened_it(campaign: Campaign) -> None:
    assert campaign.course().closes() == START + timedelta(hours=48)
    campaign.now += 5 * HOUR
    campaign.file("an", "0.prince", [{"do": "prince", "district": "yunnan-b"}])
    campaign.process()
    assert campaign.course().closes() == START + timedelta(hours=48), "an entry within the phase does not move it"
    campaign.process(close="0.prince")
    assert campaign.course().closes() == campaign.now + timedelta(hours=48)


def test_a_late_run_closes_one_phase_and_the_next_begins_then(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path, spans={"outage": "none"})
    campaign.now += timedelta(days=30)
    assert len(campaign.process().entries) == 1
    assert campaign.phase() == "1.place"
    assert campaign.course().closes() == campaign.now + timedelta(hours=48)
    assert campaign.process().entries == []


def test_a_run_with_a_clock_behind_dates_its_entry_not_before_the_last(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    campaign.now -= timedelta(days=1)
    campaign.process(close="0.prince")
    chapters = campaign.course().chapters
    assert chapters[-1].time == chapters[-2].time == START
