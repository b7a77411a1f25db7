"""Absences, pauses and jumping clocks, at random: closing times stay within their bounds, and every campaign can be audited."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbem.campaign import clock
from pbem.campaign.audit import audit
from pbem.campaign.channels import mark_read
from pbem.campaign.folder import CampaignError
from pbem.campaign.history import Away
from pbem.campaign.timing import NONE, Timing
from pbem.campaign.turn import correct, process
from pbem.orders.signed import sign_file
from pbem.orders.write import dump

from ..helpers import START, Campaign, joined_campaign

DAY = timedelta(days=1)
SEATS = ("an", "bo", "chen")
MOMENTS = st.integers(0, 60 * 24).map(lambda hours: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=hours))
AWAY = st.builds(
    lambda seat, start, hours: Away(seat=seat, start=start, end=start + timedelta(hours=hours)),
    st.sampled_from((*SEATS, "dai")), MOMENTS, st.integers(1, 500),
)  # fmt: skip
RULES = ("48h", "none", "mon,thu 20:00 Europe/Berlin least 12h", "daily 02:30 America/New_York least 24h")


def timing(**facts: Any) -> Timing:
    return Timing(silence="default", written=True, phases={}, **{"close": "48h", **facts})


@given(st.lists(AWAY, max_size=8), MOMENTS, st.integers(0, 40), st.dictionaries(st.sampled_from(SEATS), st.integers(0, 50)))
def test_absences_put_off_no_further_than_they_may(away: list[Away], at: datetime, days: int, waited: dict[str, int]) -> None:
    before = {seat: timedelta(days=count) for seat, count in waited.items()}
    found = timing(away=away, absences=days * DAY, waited=before).moved(at, lambda: SEATS)
    assert found.at is not None
    assert found.at - at == sum(found.put_off.values(), NONE)
    for seat, by in found.put_off.items():
        assert seat in SEATS, "dai is not waited for"
        assert NONE < by <= days * DAY - before.get(seat, NONE)
    for each in away:
        if each.seat in SEATS and each.start <= found.at < each.end:
            assert before.get(each.seat, NONE) + found.put_off.get(each.seat, NONE) >= days * DAY, "he has time left"


@given(st.sampled_from(RULES), MOMENTS, st.integers(1, 900), st.integers(0, 400))
def test_a_pause_takes_nothing_of_what_was_left(rule: str, since: datetime, pause: int, into: int) -> None:
    time = timing(close=rule)
    time.closes = time.opening("1.move", since, lambda: ()).at
    now = since + timedelta(hours=into)
    until = now + timedelta(hours=pause)
    found = time.resumed("1.move", now, until, lambda: ()).at
    if time.closes is None:
        assert found is None
    else:
        assert found is not None
        assert found - until >= max(time.closes - now, NONE)


@given(st.sampled_from(RULES), MOMENTS, st.lists(AWAY, max_size=3))
def test_the_same_time_comes_out_again(rule: str, since: datetime, away: list[Away]) -> None:
    one, two = (timing(close=rule, away=away, absences=9 * DAY).opening("1.move", since, lambda: SEATS) for _ in range(2))
    assert one == two


STEPS = st.lists(
    st.tuples(st.sampled_from(("process", "process", "close", "read", "extend", "pause", "over", "away", "amend")), st.integers(-40, 90)),
    min_size=3, max_size=7,
)  # fmt: skip


def act(campaign: Campaign, what: str, number: int) -> None:
    """One thing that somebody does at the campaign's present time."""
    folder, now = campaign.folder, campaign.now
    if what == "read":
        mark_read(folder, "mail", now)
    elif what == "away":
        asked = {"do": "absence", "from": clock.text(now), "to": clock.text(now + 5 * DAY)}
        head = campaign.course().archive.head()
        table = {"game": campaign.made.game.name, "player": "bo", "after": head, "number": number, "request": asked}
        campaign.receive(sign_file(campaign.players["bo"].key, "request@pbem", dump(table)))
        campaign.process()
    elif what in ("process", "close"):
        process(folder, now, close=campaign.phase() if what == "close" else "")
    else:
        facts: dict[str, Any] = {
            "extend": {"by": 2 * DAY}, "pause": {"until": now + 3 * DAY}, "over": {}, "amend": {"settings": {"close": RULES[number % 4]}},
        }[what]  # fmt: skip
        correct(folder, now, "pause" if what == "over" else what, **facts)


def walk(rule: str, steps: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as base:
        campaign = joined_campaign(Path(base), ("an", "bo"), close=rule, spans={"extensions": "5d", "absences": "9d"})
        for number, (what, hours) in enumerate(steps, start=1):
            # Clocks run on, and jump: ahead by days, and back behind the last entry.
            campaign.now = max(START, campaign.now + timedelta(hours=hours))
            before = campaign.course().timing.closes
            try:
                act(campaign, what, number)
            except CampaignError as error:
                assert error.code in ("paused", "not-paused", "no-closing-time", "extends-too-far", "extends-nothing", "nothing-open",
                                      "bad-pause-end", "not-open", "ended")  # fmt: skip
                assert campaign.course().timing.closes == before
        report = audit(campaign.folder)
        assert report.fault is None, report.fault
        assert report.notices == []
        times = [chapter.time for chapter in campaign.course().chapters]
        assert times == sorted(times)


HEALTH = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=HEALTH)
@given(st.sampled_from(RULES), STEPS)
def test_whatever_clocks_do_a_campaign_can_be_audited(rule: str, steps: list[tuple[str, int]]) -> None:
    walk(rule, steps)


@pytest.mark.long
@settings(max_examples=150, deadline=None, suppress_health_check=HEALTH)
@given(st.sampled_from(RULES), STEPS)
def test_for_a_long_time(rule: str, steps: list[tuple[str, int]]) -> None:
    walk(rule, steps)
