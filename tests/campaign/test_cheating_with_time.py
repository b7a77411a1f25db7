"""Cheating with time: a processor who signs anything about requests, closing times, pauses and absences, and what audit says of it."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from pbem.campaign import clock, intake, turn
from pbem.campaign.archive import Fault
from pbem.campaign.audit import audit
from pbem.campaign.channels import mark_read
from pbem.campaign.course import Course
from pbem.campaign.folder import numbered
from pbem.campaign.intake import Answer
from pbem.campaign.judge import Refused
from pbem.orders.encoding import b64
from pbem.orders.keys import PrivateKey
from pbem.orders.signed import sign_file
from pbem.orders.write import dump

from ..helpers import HOUR, SEATS, START, Campaign, as_of_before, fixed, joined_by_all, joined_campaign, new_campaign
from .forging import append_entry, change_entry, change_receipt, refuses_with, replace_in

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
CLOSES = START + 2 * DAY
PRINCE = [{"do": "prince", "district": "yunnan-b"}]
AWAY = {"do": "absence", "from": clock.text(START + DAY), "to": clock.text(START + 9 * DAY)}


def ask(campaign: Campaign, seat: str, asked: dict[str, Any], number: int = 1) -> Answer:
    """A request is sent, and not yet processed."""
    text = {"game": campaign.made.game.name, "player": seat, "after": campaign.course().archive.head(), "number": number, "request": asked}
    return campaign.receive(sign_file(campaign.players[seat].key, "request@pbem", dump(text)))[0]


def taken(campaign: Campaign, seat: str, asked: dict[str, Any], number: int = 1) -> str:
    """The identity of a request that was taken."""
    answer = ask(campaign, seat, asked, number)
    assert answer.receipt.accepted, answer
    return answer.receipt.file


def found(campaign: Campaign) -> Fault | None:
    return audit(campaign.folder).fault


def fault(campaign: Campaign) -> tuple[str, str]:
    fault = found(campaign)
    assert fault is not None
    return fault.code, fault.file


def forge(campaign: Campaign, **facts: Any) -> tuple[str, str, str]:
    """One more entry, honestly chained. What audit finds: code and file, and the name of the entry."""
    name = append_entry(campaign, counted=len(numbered(campaign.folder.receipts)), **facts)
    return (*fault(campaign), name)


# -- requests ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "facts"), [
    ("vacate", {"grounds": ["{bo}"]}), ("vacate", {"grounds": ["{bo}"], "ground": "organiser"}),
    ("substitute", {"grounds": ["{bo}"], "hash": "ab" * 32}), ("amend", {"file": "{bo}"}),
    ("concede", {"file": "{an}", "grounds": ["{bo}"]}), ("concede", {"file": "{bo}"}), ("concede", {"file": "{an}"}),
    ("rekey", {"file": "{chen}", "grounds": ["{bo}"]}),
    ("amend", {"grounds": ["{bo}"], "seat": "", "ground": "organiser", "settings": {"silence": "wait"}}),
    ("amend", {"file": "{bo}", "seat": "", "ground": "organiser", "settings": {"silence": "wait"}}),
    ("vacate", {"grounds": ["{dai}", "{chen}"], "ground": "consent"}), ("absence", {"file": "{an}"}),
    ("absence", {"file": "{bo}", "seat": "an"}),
])  # fmt: skip
def test_what_a_player_asked_for_is_no_ground_for_something_else(tmp_path: Path, kind: str, facts: dict[str, Any]) -> None:
    campaign = joined_campaign(tmp_path)
    key = {"key": PrivateKey.from_seed(fixed("another")).public.line(), "letter_key": b64(fixed("letter"))}
    files = {
        "{an}": taken(campaign, "an", {"do": "concede"}), "{bo}": taken(campaign, "bo", AWAY),
        "{chen}": taken(campaign, "chen", {"do": "rekey", **key}),
        "{dai}": taken(campaign, "dai", {"do": "consent", "step": "vacate", "seat": "bo"}),
    }  # fmt: skip
    facts = {"seat": "bo", "ground": "request"} | facts
    facts |= {"file": files[facts["file"]]} if "file" in facts else {}
    facts |= {"grounds": [files[each] for each in facts["grounds"]]} if "grounds" in facts else {}
    code, file, name = forge(campaign, kind=kind, **facts)
    assert (code, file) == ("ground-missing", name)


@pytest.mark.parametrize("asked", [AWAY, {"do": "concede"}, {"do": "profile", "name": "Bonifaz"}])
def test_the_game_does_not_go_on_before_a_request_is_answered(tmp_path: Path, asked: dict[str, Any]) -> None:
    campaign = joined_campaign(tmp_path)
    taken(campaign, "bo", asked)
    taken(campaign, "an", {"do": "consent", "step": "end"})
    campaign.now = CLOSES
    honest = campaign.copy(tmp_path / "honest")
    honest.process()
    assert found(honest) is None
    with patch.object(turn, "waiting_requests", lambda _: []):
        campaign.process()
    assert fault(campaign) == ("request-unanswered", "ledger/0006.toml")


# -- closing times that come nearer --------------------------------------------------------------------------------------


def closes(campaign: Campaign) -> datetime | None:
    assert found(campaign) is None
    return campaign.course().closes()


def fix(campaign: Campaign, kind: str, **facts: Any) -> None:
    turn.correct(campaign.folder, campaign.now, kind, **facts)


def test_a_pause_that_ends_early_leaves_a_day(tmp_path: Path) -> None:
    """Else who pauses in the last minute and goes on at night closes before anybody has seen it."""
    campaign = joined_campaign(tmp_path)
    campaign.now = CLOSES - MINUTE
    fix(campaign, "pause", until=CLOSES + 9 * DAY)
    campaign.now += HOUR
    fix(campaign, "pause")
    assert closes(campaign) == campaign.now + DAY


def test_a_pause_does_not_grow_when_it_is_changed(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path, close="sun 19:00 UTC", spans={"extensions": "30d"})
    assert closes(campaign) == START + 7 * DAY
    fix(campaign, "pause", until=START + 6 * DAY)
    assert closes(campaign) == START + 14 * DAY, "seven days were left"
    fix(campaign, "pause", until=START + 7 * DAY)
    assert closes(campaign) == START + 14 * DAY
    fix(campaign, "extend", by=7 * DAY)
    fix(campaign, "pause", until=START + 8 * DAY)
    assert closes(campaign) == START + 28 * DAY, "what was put off stays put off"
    fix(campaign, "pause")
    assert closes(campaign) == START + 14 * DAY


@pytest.mark.parametrize(("before", "amended", "after"), [
    ({}, {"close": "1m"}, DAY), ({"close": "none"}, {"close": "1m"}, DAY), ({"close": "2h"}, {"close": "1m"}, 2 * HOUR),
    ({"silence": "wait"}, {"silence": "default"}, 2 * DAY), ({}, {"close": "daily 20:00 UTC least 1m"}, DAY + HOUR),
    ({"silence": "wait", "close": "2h"}, {"silence": "default"}, DAY), ({}, {"silence": "wait"}, 2 * DAY),
])  # fmt: skip
def test_no_amendment_closes_from_one_minute_to_the_next(
    tmp_path: Path, before: dict[str, str], amended: dict[str, str], after: timedelta
) -> None:
    campaign = joined_campaign(tmp_path, **before)
    fix(campaign, "amend", settings=amended)
    assert closes(campaign) == START + after


def test_where_silence_waited_it_is_not_applied_all_of_a_sudden(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path, silence="wait")
    campaign.now = CLOSES + HOUR
    assert campaign.file("an", "0.prince", PRINCE).receipt.accepted
    fix(campaign, "amend", settings={"silence": "default"})
    campaign.process()
    assert campaign.phase() == "0.prince"
    assert closes(campaign) == campaign.now + 2 * DAY


def test_a_file_refused_as_late_although_the_game_waits_is_found(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path, silence="wait")
    campaign.now = CLOSES + HOUR
    with refuses_with("late"):
        campaign.file("an", "0.prince", PRINCE)
    assert fault(campaign)[0] == "wrongly-refused"


@pytest.mark.parametrize("reason", ["older-request", "many-absences", "no-absences", "conceded", "vacant"])
def test_a_request_refused_for_a_reason_that_anybody_can_see_is_none_is_found(tmp_path: Path, reason: str) -> None:
    def refuse(*_: Any) -> None:
        raise Refused(reason)

    campaign = joined_campaign(tmp_path)
    with patch.object(intake, "judge_request", refuse):
        assert ask(campaign, "bo", AWAY).receipt.reason == reason
    assert fault(campaign) == ("wrongly-refused", "receipts/0005.toml")


# -- closings that were missed -------------------------------------------------------------------------------------------


def test_who_could_not_be_heard_has_missed_nothing(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    mark_read(campaign.folder, "mail", START)
    campaign.now = CLOSES
    outage, word, unread, silence = (campaign.copy(tmp_path / name) for name in ("outage", "word", "unread", "silence"))
    outage.now = CLOSES + 9 * DAY
    outage.process(close="0.prince")
    word.process(close="0.prince")
    turn.process(unread.folder, unread.now, unread=True)
    mark_read(silence.folder, "mail", silence.now + MINUTE)
    silence.now += MINUTE
    silence.process()
    assert [each.course().missed for each in (outage, word, unread)] == [{}, {}, {}]
    assert silence.course().missed == dict.fromkeys(SEATS, 1)
    for each in (outage, word, unread, silence):
        assert found(each) is None
        assert each.phase() == "1.place"


def test_a_seat_freed_for_closings_that_were_none_is_found(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    for _ in range(3):
        campaign.now += 3 * DAY + HOUR
        campaign.process(close=campaign.phase())
    code, file, name = forge(campaign, kind="vacate", seat="bo", ground="silence")
    assert (code, file) == ("ground-missing", name)


@pytest.mark.parametrize("said", [{"read": {"mail": "never"}}, {"unread": True}, {"seen": clock.text(CLOSES)}])
def test_readings_are_not_told_where_nothing_hangs_on_them(tmp_path: Path, said: dict[str, Any]) -> None:
    campaign = joined_campaign(tmp_path)
    campaign.now = CLOSES
    campaign.process(close="0.prince")
    name = change_entry(campaign, 6, lambda entry: entry.update(said))
    assert fault(campaign) == ("bad-unreadable", name)


# -- absences ------------------------------------------------------------------------------------------------------------


def test_who_goes_away_after_the_closing_time_has_missed_it(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    campaign.now = CLOSES + HOUR
    taken(campaign, "bo", AWAY)
    campaign.process()
    assert campaign.phase() == "1.place"
    assert closes(campaign) == START + 9 * DAY, "the next one waits for him"


def test_an_absence_announced_in_time_counts_when_processing_is_late(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    taken(campaign, "bo", AWAY)
    campaign.now = CLOSES + HOUR
    campaign.process()
    assert closes(campaign) == START + 9 * DAY
    assert campaign.phase() == "0.prince"


@pytest.mark.parametrize(("start", "end", "reason"), [
    ("0001-01-01T00:00:00Z", "0001-01-02T00:00:00Z", "bad-absence"), ("9998-01-01T00:00:00Z", "9998-01-02T00:00:00Z", "bad-absence"),
    ("2026-10-01T00:00:00Z", "2026-11-01T18:59:59Z", "past-absence"), ("2029-01-01T00:00:00Z", "2029-01-02T00:00:00Z", "bad-absence"),
    ("2026-11-31T00:00:00Z", "2026-12-02T00:00:00Z", "bad-absence"), ("2026-11-03T00:00:00Z", "2027-11-05T00:00:00Z", "bad-absence"),
])  # fmt: skip
def test_absences_that_cannot_be_are_not_taken(tmp_path: Path, start: str, end: str, reason: str) -> None:
    campaign = joined_campaign(tmp_path)
    assert ask(campaign, "bo", {"do": "absence", "from": start, "to": end}).receipt.reason == reason
    assert found(campaign) is None


def test_absences_that_are_over_make_room_for_others(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path, close="none")
    for number in range(1, 21):
        soon = {"do": "absence", "from": clock.text(START), "to": clock.text(START + number * MINUTE)}
        taken(campaign, "bo", soon, number)
    campaign.process()
    assert ask(campaign, "bo", AWAY, 21).receipt.reason == "many-absences"
    campaign.now += HOUR
    taken(campaign, "an", {"do": "profile", "name": "Anna"})
    campaign.process()
    taken(campaign, "bo", AWAY, 22)
    assert found(campaign) is None


def test_who_takes_a_seat_is_not_away_when_his_predecessor_would_have_been(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    taken(campaign, "bo", AWAY)
    campaign.process()
    fix(campaign, "substitute", seat="bo")
    timing = campaign.course().timing
    assert (timing.away, timing.waited) == ([], {})
    assert closes(campaign) == START + 9 * DAY, "what was put off stays put off"


# -- stalling ------------------------------------------------------------------------------------------------------------


def test_one_revision_after_the_other_does_not_hold_up_the_game_for_ever(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path, close="none", spans={"cooling": "2h"})
    runs = []
    for revision in range(1, 9):
        campaign.now += HOUR
        campaign.file("an", "0.prince", PRINCE, revision=revision)
        runs.append(campaign.process().entries)
        if runs[-1]:
            break
    assert len(runs) == 7 and campaign.course().table.position.players["an"].prince == "yunnan-b"
    assert found(campaign) is None


# -- times that are none -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("after", "believed"), [
    (MINUTE, False), (-HOUR, False), (11 * HOUR, True), (12 * HOUR + 15 * MINUTE, True), (13 * HOUR + 7 * MINUTE, False), (4 * DAY, False),
])  # fmt: skip
def test_a_zone_nobody_knows_does_not_excuse_everything(tmp_path: Path, after: timedelta, believed: bool) -> None:
    campaign = joined_campaign(tmp_path)
    campaign.process(close="0.prince")
    fix(campaign, "amend", settings={"close": "daily 20:00 Europe/Berlin"})
    told = {"settings": {"close": "daily 20:00 Mars/Olympus least 12h"}, "tz": "2099z", "closes": clock.text(START + DAY + after)}
    name = change_entry(campaign, 7, lambda entry: entry.update(told))
    if believed:
        assert [code for code, _ in audit(campaign.folder).notices] == ["zone-data"]
        assert closes(campaign) == START + DAY + after
    else:
        assert fault(campaign) == ("closing-differs", name)


@pytest.mark.parametrize("zone", ["leapseconds", "Europe", "Mars/Olympus"])
def test_a_zone_that_is_none_is_named_and_nothing_breaks(tmp_path: Path, zone: str) -> None:
    campaign = joined_campaign(tmp_path)
    fix(campaign, "amend", settings={"close": "daily 20:00 Europe/Berlin"})
    name = change_entry(campaign, 6, lambda entry: entry.update(settings={"close": f"daily 20:00 {zone} least 12h"}))
    assert fault(campaign) == ("closing-differs", name), "the edition is that of this machine"


@pytest.mark.parametrize(("old", "new"), [
    ('close = "48h"', 'close = "soon"'), ('grace = "none"', 'grace = "soon"'), ("[clock.phases]", '[clock.phases]\nmove = "soon"'),
    ("created = ", 'created = "yesterday" # '),
])  # fmt: skip
def test_a_game_file_whose_times_are_none_is_named(tmp_path: Path, old: str, new: str) -> None:
    campaign = new_campaign(tmp_path)
    replace_in(campaign.folder.game, old, new)
    assert fault(campaign) == ("game-unreadable", "game.toml")


@pytest.mark.parametrize("time", ["9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"])
def test_times_at_the_ends_of_the_calendar_are_none(tmp_path: Path, time: str) -> None:
    campaign = joined_campaign(tmp_path)
    name = change_entry(campaign, 5, lambda entry: entry.update(time=time))
    assert fault(campaign) == ("bad-time", name)


def test_a_receipt_dated_before_the_entry_it_names_is_found(tmp_path: Path) -> None:
    """Say, so that a friend's late file was in time."""
    campaign = joined_campaign(tmp_path)
    campaign.now += DAY
    campaign.process(close="0.prince")
    campaign.file("an", "1.place", [])
    early = clock.text(START)
    name = change_receipt(campaign, 5, lambda receipt: receipt.update(taken=early, received=early))
    assert fault(campaign) == ("time-goes-back", name)


def test_what_is_dated_ahead_is_mentioned(tmp_path: Path) -> None:
    """An entry from the future may have closed a phase that is open yet."""
    campaign = joined_campaign(tmp_path)
    campaign.now = CLOSES
    campaign.process()
    report = audit(campaign.folder, now=CLOSES - HOUR)
    assert report.fault is None
    assert [(code, facts["file"]) for code, facts in report.notices] == [("dated-ahead", "ledger/0006.toml")]
    assert audit(campaign.folder, now=CLOSES - MINUTE).notices == [], "clocks are never quite the same"


# -- campaigns of before -------------------------------------------------------------------------------------------------


def test_in_campaigns_of_before_a_used_invite_may_have_opened_a_seat_again(tmp_path: Path) -> None:
    """It was so when they were made; today nobody gets in with it any more."""
    campaign = joined_by_all(as_of_before(new_campaign(tmp_path)))
    turn.correct(campaign.folder, campaign.now, "vacate", seat="dai")
    again = campaign.join_file("dai", name="Dora")
    assert campaign.receive(again)[0].receipt.reason == "bad-invite"
    campaign.now += timedelta(minutes=1)
    with patch.object(intake, "_judge_join", as_it_was):
        assert campaign.receive(campaign.join_file("dai", name="Doris"))[0].receipt.accepted
    campaign.process()
    assert found(campaign) is None
    assert campaign.course().members["dai"].name == "Doris"


def as_it_was(course: Course, case: Any) -> None:
    case.seat, case.phase = "dai", "join"
