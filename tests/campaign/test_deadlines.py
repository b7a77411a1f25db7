"""Closing times in a campaign: rules, grace, cooling, absences, pauses, extensions, channels, outages — played, and audited."""

from __future__ import annotations

import zoneinfo
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from pbem.campaign import clock, zones
from pbem.campaign.audit import audit
from pbem.campaign.channels import mark_read
from pbem.campaign.creation import create
from pbem.campaign.folder import CampaignError, Folder
from pbem.campaign.turn import correct, process
from pbem.orders.signed import sign_file
from pbem.orders.write import dump

from ..helpers import HOUR, SEATS, START, Campaign, as_of_before, joined_by_all, joined_campaign, new_campaign
from .forging import append_entry, change_entry, table

DAY = timedelta(days=1)
PRINCE = [{"do": "prince", "district": "yunnan-b"}]
NONE = {"outage": "none"}


def ask(campaign: Campaign, seat: str, asked: dict[str, Any], number: int = 1) -> None:
    """A request is sent and processed."""
    text = {"game": campaign.made.game.name, "player": seat, "after": campaign.course().archive.head(), "number": number, "request": asked}
    [answer] = campaign.receive(sign_file(campaign.players[seat].key, "request@pbem", dump(text)))
    assert answer.receipt.accepted, answer
    campaign.process()


def away(campaign: Campaign, seat: str, start: datetime, end: datetime, number: int = 1) -> None:
    ask(campaign, seat, {"do": "absence", "from": clock.text(start), "to": clock.text(end)}, number)


def closes(campaign: Campaign) -> datetime | None:
    """The closing time; the whole campaign is audited on the way."""
    report = audit(campaign.folder)
    assert report.fault is None, report.fault
    return campaign.course().closes()


def told(campaign: Campaign, number: int = 0) -> dict[str, Any]:
    """An entry as it stands on the disk, the last one without a number."""
    return table(campaign.folder.entry(number or len(campaign.course().chapters)))


def kinds(campaign: Campaign) -> list[str]:
    return [chapter.kind for chapter in campaign.course().chapters][len(SEATS) :]


def fix(campaign: Campaign, kind: str, **facts: Any) -> None:
    correct(campaign.folder, campaign.now, kind, **facts)


# -- rules -------------------------------------------------------------------------------------------------------------


def test_wall_times_are_kept_where_the_clocks_change(tmp_path: Path) -> None:
    # The set-up is played on Sunday 25 October 2026, after the clocks of Berlin have gone back.
    start = datetime(2026, 10, 23, 17, tzinfo=UTC)
    campaign = joined_campaign(tmp_path, start=start, close="mon,sat 20:00 Europe/Berlin", spans=NONE)
    assert closes(campaign) == datetime(2026, 10, 24, 18, tzinfo=UTC)
    assert told(campaign)["tz"] == zones.edition()
    campaign.now += 3 * DAY
    campaign.process()
    assert closes(campaign) == datetime(2026, 10, 31, 19, tzinfo=UTC), "20:00 in Berlin, an hour later in UTC"


def test_a_kind_of_phase_can_have_a_rule_of_its_own(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path, close="3d", phases={"prince": "24h"})
    assert closes(campaign) == START + DAY
    campaign.process(close="0.prince")
    assert closes(campaign) == START + 3 * DAY


def test_an_amendment_changes_rules_and_the_present_phase_begins_anew(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    campaign.now += HOUR
    fix(campaign, "amend", settings={"close": "tue 18:00 Asia/Seoul", "close.prince": "5d"})
    assert closes(campaign) == campaign.now + 5 * DAY
    assert told(campaign)["settings"]["close"] == "tue 18:00 Asia/Seoul least 12h"
    fix(campaign, "amend", settings={"close.prince": "same"})
    assert closes(campaign) == datetime(2026, 11, 3, 9, tzinfo=UTC)
    fix(campaign, "amend", settings={"cooling": "2h"})
    fix(campaign, "amend", settings={"close.move": "1d"})
    assert closes(campaign) == datetime(2026, 11, 3, 9, tzinfo=UTC), "what is not the rule of this phase moves nothing"


@pytest.mark.parametrize(("given", "code"), [
    ({"close": "mon 20:00 Europe/Berln"}, "unknown-zone"), ({"phases": {"walk": "24h"}}, "no-such-phase"),
    ({"phases": {"move": "soon"}}, "bad-span"), ({"spans": {"grace": "15"}}, "bad-span"), ({"close": "mon 20:00"}, "close-no-zone"),
])  # fmt: skip
def test_what_cannot_be_is_said_before_there_is_a_campaign(tmp_path: Path, given: dict[str, Any], code: str) -> None:
    with pytest.raises(CampaignError) as caught:
        create(Folder(tmp_path / "spring"), START, title="ming-dynasty", seats=SEATS, **given)
    assert caught.value.code == code
    assert not (tmp_path / "spring").exists()


@pytest.mark.parametrize(("settings", "code"), [
    ({"close": "fri 20:00 Paris"}, "unknown-zone"), ({"close.walk": "24h"}, "no-such-phase"), ({"cooling": "soon"}, "bad-span"),
])  # fmt: skip
def test_an_amendment_that_cannot_be_changes_nothing(tmp_path: Path, settings: dict[str, str], code: str) -> None:
    campaign = joined_campaign(tmp_path)
    with pytest.raises(CampaignError) as caught:
        fix(campaign, "amend", settings=settings)
    assert caught.value.code == code
    assert kinds(campaign) == ["turn"]


# -- grace and cooling -------------------------------------------------------------------------------------------------


def test_grace_counts_and_is_not_spoken_of(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path, spans={"grace": "15m"})
    campaign.now = START + 2 * DAY + timedelta(minutes=14)
    assert campaign.process().entries == []
    answer = campaign.file("an", "0.prince", PRINCE)
    assert answer.receipt.accepted
    assert answer.receipt.closes == clock.text(START + 2 * DAY)
    campaign.process()
    campaign.now += timedelta(minutes=2)
    assert campaign.file("bo", "0.prince", PRINCE).receipt.reason == "late"
    campaign.process()
    assert campaign.phase() == "1.place"
    assert closes(campaign) == campaign.now + 2 * DAY


def test_cooling_gives_time_to_put_a_file_right(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path, spans={"cooling": "2h"})
    campaign.now += HOUR
    campaign.file("an", "0.prince", PRINCE)
    campaign.now += HOUR
    campaign.file("an", "0.prince", [{"do": "prince", "district": "zhili-b"}], revision=2)
    campaign.now += HOUR
    assert campaign.process().entries == []
    campaign.now += HOUR
    campaign.process()
    assert campaign.course().table.position.players["an"].prince == "zhili-b"
    assert closes(campaign) == START + 2 * DAY


def test_no_file_holds_up_the_closing_time(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path, spans={"cooling": "2h"})
    campaign.now = START + 2 * DAY - timedelta(minutes=1)
    campaign.file("an", "0.prince", PRINCE)
    campaign.now += timedelta(minutes=2)
    campaign.process()
    assert campaign.phase() == "1.place"
    assert closes(campaign) is not None


# -- absences ----------------------------------------------------------------------------------------------------------


def test_a_closing_time_in_an_absence_comes_at_its_end(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    away(campaign, "bo", START + DAY, START + 5 * DAY)
    assert closes(campaign) == START + 5 * DAY
    assert told(campaign)["kind"] == "absence"
    assert told(campaign)["closes"] == clock.text(START + 5 * DAY)
    course = campaign.course()
    assert course.absent("bo", START + 2 * DAY) == START + 5 * DAY
    assert course.absent("bo", START) is None and course.absent("an", START + 2 * DAY) is None


def test_absences_hand_over_to_each_other(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    away(campaign, "bo", START + DAY, START + 4 * DAY)
    away(campaign, "an", START + 3 * DAY, START + 6 * DAY)
    assert closes(campaign) == START + 6 * DAY


def test_a_phase_opened_later_knows_of_an_absence(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    away(campaign, "bo", START + 3 * DAY, START + 9 * DAY)
    assert closes(campaign) == START + 2 * DAY, "it does not fall into it"
    campaign.now = START + 2 * DAY
    campaign.process()
    assert closes(campaign) == START + 9 * DAY


def test_nobody_stalls_a_game_for_ever(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path, spans={"absences": "5d", **NONE})
    away(campaign, "bo", START + DAY, START + 300 * DAY)
    assert closes(campaign) == START + 7 * DAY, "2 days, and the 5 that he has"
    away(campaign, "bo", START + DAY, START + 300 * DAY, number=2)
    assert closes(campaign) == START + 7 * DAY
    campaign.now = START + 7 * DAY
    campaign.process()
    assert campaign.phase() == "1.place"
    assert closes(campaign) == campaign.now + 2 * DAY, "nothing is left"


def test_who_is_back_is_waited_for_no_more(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    away(campaign, "bo", START + 3 * DAY, START + 9 * DAY)
    ask(campaign, "bo", {"do": "absence"}, number=2)
    assert campaign.course().timing.away == []
    campaign.now = START + 2 * DAY
    campaign.process()
    assert closes(campaign) == START + 4 * DAY


def test_who_is_not_asked_any_more_holds_up_nothing(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    campaign.file("an", "0.prince", PRINCE)
    campaign.process()
    away(campaign, "an", START + DAY, START + 5 * DAY)
    assert closes(campaign) == START + 2 * DAY


# -- pauses and extensions -----------------------------------------------------------------------------------------------


def test_a_pause_keeps_what_was_left_and_plays_nothing(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    campaign.now += DAY
    fix(campaign, "pause", until=START + 10 * DAY, text="We ski.")
    assert closes(campaign) == START + 11 * DAY
    assert campaign.file("an", "0.prince", PRINCE).receipt.accepted
    assert campaign.process().entries == []
    with pytest.raises(CampaignError) as caught:
        campaign.process(close="0.prince")
    assert caught.value.code == "paused"
    campaign.now = START + 10 * DAY
    campaign.process()
    assert campaign.course().table.position.players["an"].prince == "yunnan-b"
    assert closes(campaign) == START + 11 * DAY


def test_a_pause_can_be_over_early_or_go_on(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    campaign.now += DAY
    fix(campaign, "pause", until=START + 10 * DAY)
    campaign.now += DAY
    fix(campaign, "pause", until=START + 20 * DAY)
    assert closes(campaign) == START + 21 * DAY
    campaign.now += DAY
    fix(campaign, "pause")
    assert closes(campaign) == campaign.now + DAY
    with pytest.raises(CampaignError) as caught:
        fix(campaign, "pause")
    assert caught.value.code == "not-paused"


def test_after_a_pause_wall_times_are_wall_times_again(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path, close="daily 20:00 Europe/Berlin")
    fix(campaign, "pause", until=START + 30 * DAY + 5 * HOUR)
    at = closes(campaign)
    assert at is not None and at.hour == 19 and at >= START + 30 * DAY + 5 * HOUR


def test_an_extension_is_bounded_by_the_game_file(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path, spans={"extensions": "3d"})
    fix(campaign, "extend", by=DAY, text="Bo has the flu.")
    fix(campaign, "extend", until=START + 5 * DAY)
    assert closes(campaign) == START + 5 * DAY
    assert campaign.course().chapters[-1].facts["ground"] == "organiser"
    nothing = "extends-nothing"
    for how, code in (({"by": HOUR}, "extends-too-far"), ({"until": START + 4 * DAY}, nothing), ({"by": -DAY}, nothing)):
        with pytest.raises(CampaignError) as caught:
            fix(campaign, "extend", **how)
        assert caught.value.code == code
    campaign.now = START + 5 * DAY
    campaign.process()
    fix(campaign, "extend", by=3 * DAY)
    assert closes(campaign) == campaign.now + 5 * DAY, "each phase anew"


def test_late_mercy(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    campaign.now = START + 2 * DAY + HOUR
    fix(campaign, "extend", by=DAY)
    assert campaign.file("an", "0.prince", PRINCE).receipt.accepted
    assert closes(campaign) == START + 3 * DAY


def test_what_never_closes_cannot_be_put_off(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path, close="none")
    away(campaign, "bo", START, START + DAY)
    assert closes(campaign) is None
    with pytest.raises(CampaignError) as caught:
        fix(campaign, "extend", by=DAY)
    assert caught.value.code == "no-closing-time"


@pytest.mark.parametrize("kind", ["pause", "extend"])
def test_before_the_set_up_there_is_nothing_to_move(tmp_path: Path, kind: str) -> None:
    campaign = new_campaign(tmp_path)
    with pytest.raises(CampaignError) as caught:
        fix(campaign, kind, until=START + DAY)
    assert caught.value.code == "nothing-open"


# -- channels ----------------------------------------------------------------------------------------------------------


def test_silence_waits_until_every_channel_was_read_once_more(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    at = START + 2 * DAY
    mark_read(campaign.folder, "mail", at - HOUR)
    mark_read(campaign.folder, "github", at + timedelta(minutes=1))
    campaign.now = at + timedelta(minutes=5)
    done = campaign.process()
    assert (done.entries, done.unread) == ([], ["mail"])
    campaign.receive(campaign.signed("an", "0.prince", PRINCE), received=at - timedelta(minutes=3))
    done = campaign.process()
    assert len(done.entries) == 1 and done.unread == ["mail"] and campaign.phase() == "0.prince", "what needs no silence is played"
    mark_read(campaign.folder, "mail", at + timedelta(minutes=5))
    assert campaign.process().unread == []
    assert campaign.phase() == "1.place"
    assert told(campaign)["read"] == {"github": clock.text(at + timedelta(minutes=1)), "mail": clock.text(at + timedelta(minutes=5))}
    assert closes(campaign) is not None


def test_the_organiser_can_close_unread_and_the_entry_says_so(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    mark_read(campaign.folder, "mail", START)
    campaign.now = START + 2 * DAY
    process(campaign.folder, campaign.now, unread=True)
    assert campaign.phase() == "1.place"
    assert told(campaign)["unread"] is True
    assert closes(campaign) is not None


def test_a_channel_that_the_ledger_knows_is_not_forgotten(tmp_path: Path) -> None:
    """Where every run begins with fresh files, nothing private is left to remember it."""
    campaign = joined_campaign(tmp_path)
    campaign.now = START + 2 * DAY + HOUR
    mark_read(campaign.folder, "github", campaign.now)
    campaign.process()
    (campaign.folder.private / "channels.toml").unlink()
    campaign.now += 2 * DAY + HOUR
    assert campaign.process().unread == ["github"]
    mark_read(campaign.folder, "github", campaign.now)
    assert len(campaign.process().entries) == 1
    assert closes(campaign) is not None


def test_a_reading_that_lies_ahead_is_not_believed(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    mark_read(campaign.folder, "mail", START + 400 * DAY)
    campaign.now = START + 2 * DAY + HOUR
    assert campaign.process().unread == ["mail"]
    mark_read(campaign.folder, "mail", campaign.now)
    campaign.process()
    assert campaign.phase() == "1.place"


def test_a_file_received_in_time_counts_when_processing_is_late_by_days(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path, spans=NONE)
    campaign.now = START + 6 * DAY
    campaign.receive(campaign.signed("an", "0.prince", PRINCE), received=START + 2 * DAY - HOUR)
    campaign.process()
    assert campaign.phase() == "1.place"
    assert campaign.course().table.position.players["an"].prince == "yunnan-b"
    assert closes(campaign) == campaign.now + 2 * DAY


# -- outages -----------------------------------------------------------------------------------------------------------


def test_after_an_outage_silence_is_not_held_against_anybody(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    campaign.now = START + 3 * DAY + HOUR
    late = campaign.receive(campaign.signed("an", "0.prince", PRINCE), received=START + 2 * DAY + 3 * HOUR)
    assert late[0].receipt.accepted, "nobody could know"
    campaign.process()
    assert kinds(campaign) == ["turn", "turn", "extend"]
    assert campaign.phase() == "0.prince"
    assert campaign.course().chapters[-1].facts["ground"] == "outage"
    assert closes(campaign) == campaign.now + 2 * DAY
    campaign.now += 2 * DAY
    campaign.process()
    assert campaign.phase() == "1.place"


def test_a_run_in_between_shows_that_there_was_none(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    campaign.now = START + 2 * DAY + HOUR
    assert campaign.file("an", "0.prince", PRINCE).receipt.reason == "late"
    campaign.now = START + 4 * DAY
    campaign.process()
    assert campaign.phase() == "1.place"
    assert closes(campaign) is not None


def test_so_does_a_reading(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    mark_read(campaign.folder, "mail", START + 2 * DAY + HOUR)
    mark_read(campaign.folder, "mail", START + 5 * DAY)
    campaign.now = START + 5 * DAY
    campaign.process()
    assert campaign.phase() == "1.place"
    assert told(campaign)["seen"] == clock.text(START + 2 * DAY + HOUR)
    assert closes(campaign) is not None


def test_a_clock_that_jumps_ahead_looks_like_an_outage_and_costs_nobody_his_turn(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    campaign.now = START + 90 * DAY
    campaign.process()
    assert campaign.phase() == "0.prince"
    campaign.now = START + HOUR
    campaign.process(close="0.prince")
    assert closes(campaign) == START + 92 * DAY, "entries are never dated before the last one"


# -- what audit finds ----------------------------------------------------------------------------------------------------


def fault(campaign: Campaign) -> tuple[str, str]:
    found = audit(campaign.folder).fault
    assert found is not None
    return found.code, found.file


def test_a_forged_closing_time_is_found(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    name = change_entry(campaign, 5, lambda entry: entry.update(closes=clock.text(START + DAY)))
    assert fault(campaign) == ("closing-differs", name)


def test_a_closing_time_left_out_is_found(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    name = change_entry(campaign, 5, lambda entry: entry.pop("closes"))
    assert fault(campaign) == ("closing-differs", name)


@pytest.mark.parametrize("by", [HOUR, -HOUR, 5 * HOUR, -3 * DAY])
def test_one_by_a_zone_is_found_with_the_same_zone_data(tmp_path: Path, by: timedelta) -> None:
    campaign = joined_campaign(tmp_path, close="daily 20:00 Europe/Berlin")
    at = campaign.course().closes()
    assert at is not None
    name = change_entry(campaign, 5, lambda entry: entry.update(closes=clock.text(at + by)))
    assert fault(campaign) == ("closing-differs", name)


@pytest.mark.parametrize(("by", "believed"), [
    (HOUR, True), (-HOUR, True), (timedelta(minutes=30), True), (timedelta(minutes=7), False), (5 * HOUR, False), (DAY, False),
    (9 * DAY, False),
])  # fmt: skip
def test_what_other_zone_data_can_explain_is_a_notice(tmp_path: Path, by: timedelta, believed: bool) -> None:
    campaign = joined_campaign(tmp_path, close="daily 20:00 Europe/Berlin")
    at = campaign.course().closes()
    assert at is not None
    name = change_entry(campaign, 5, lambda entry: entry.update(closes=clock.text(at + by), tz="2099z"))
    report = audit(campaign.folder)
    if believed:
        assert report.fault is None
        [(code, facts)] = report.notices
        assert (code, facts["file"], facts["edition"], facts["here"]) == ("zone-data", name, "2099z", zones.edition())
        assert campaign.course().closes() == at + by, "the ledger is what counts"
    else:
        assert fault(campaign) == ("closing-differs", name)


def test_a_zone_that_only_the_processor_knew_is_a_notice(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path, close="daily 20:00 Europe/Berlin")
    gone = zoneinfo.ZoneInfoNotFoundError("Europe/Berlin")
    with patch.object(zones, "edition", lambda: "2001a"), patch.object(zoneinfo, "ZoneInfo", side_effect=gone):
        report = audit(campaign.folder)
    assert report.fault is None
    assert [code for code, _ in report.notices] == ["zone-data"]


def test_no_entry_is_written_by_a_zone_that_is_not_known_here(tmp_path: Path) -> None:
    with patch.object(zones, "known", lambda name: name):
        campaign = new_campaign(tmp_path, close="daily 20:00 Asia/Shangri_La")
    for one in campaign.receive(*(campaign.join_file(seat) for seat in SEATS)):
        assert one.receipt.accepted
    with pytest.raises(CampaignError) as caught:
        campaign.process()
    assert caught.value.code == "unknown-zone"


def test_silence_before_closing_time_is_found(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    campaign.now = START + 2 * DAY
    campaign.process()
    name = change_entry(campaign, 6, lambda entry: entry.update(time=clock.text(START + DAY)))
    assert fault(campaign) == ("steps-invented", name)


@pytest.mark.parametrize(("change", "code"), [
    (lambda entry: entry.update(until=clock.text(START + 30 * DAY), closes=clock.text(START + 30 * DAY)), "extension-too-far"),
    (lambda entry: entry.update(until=clock.text(START + DAY), closes=clock.text(START + DAY)), "bad-extension"),
    (lambda entry: entry.update(closes=clock.text(START + 9 * DAY)), "closing-differs"),
    (lambda entry: (entry.pop("until"), entry.update(ground="outage")), "no-outage"),
    (lambda entry: entry.update(ground="consent"), "ground-missing"),
])  # fmt: skip
def test_a_forged_extension_is_found(tmp_path: Path, change: Any, code: str) -> None:
    campaign = joined_campaign(tmp_path)
    fix(campaign, "extend", by=DAY)
    name = change_entry(campaign, 6, change)
    assert fault(campaign) == (code, name)


@pytest.mark.parametrize(("until", "code"), [
    (START, "bad-pause"), (START + 3000 * DAY, "bad-pause"), (START + 9 * DAY, "closing-differs"),
])  # fmt: skip
def test_a_forged_pause_is_found(tmp_path: Path, until: datetime, code: str) -> None:
    campaign = joined_campaign(tmp_path)
    fix(campaign, "pause", until=START + 5 * DAY)
    name = change_entry(campaign, 6, lambda entry: entry.update(until=clock.text(until)))
    assert fault(campaign) == (code, name)


def test_a_turn_in_a_pause_is_found(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    fix(campaign, "pause", until=START + 5 * DAY)
    campaign.file("an", "0.prince", PRINCE)
    campaign.now = START + 5 * DAY
    campaign.process()
    name = change_entry(campaign, 7, lambda entry: entry.update(time=clock.text(START + 4 * DAY)))
    assert fault(campaign) == ("played-in-pause", name)


def test_a_turn_before_a_file_has_cooled_is_found(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path, spans={"cooling": "2h"})
    campaign.file("an", "0.prince", PRINCE)
    campaign.now += 2 * HOUR
    campaign.process()
    name = change_entry(campaign, 6, lambda entry: entry.update(time=clock.text(START + HOUR)))
    assert fault(campaign) == ("played-too-soon", name)


def test_an_absence_nobody_asked_for_is_found(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    for facts in ({"file": "ab" * 32, "ground": "request"}, {"ground": "organiser"}):
        copy = campaign.copy(tmp_path / facts["ground"])
        name = append_entry(copy, kind="absence", seat="bo", **facts)
        assert fault(copy) == ("ground-missing", name)


@pytest.mark.parametrize(("change", "code"), [
    (lambda entry: entry.pop("read"), "steps-invented"),
    (lambda entry: entry["read"].update(mail=clock.text(START + 30 * DAY)), "read-ahead"),
    (lambda entry: entry["read"].update(mail=clock.text(START + DAY)), "steps-invented"),
])  # fmt: skip
def test_silence_without_having_looked_is_found(tmp_path: Path, change: Any, code: str) -> None:
    campaign = joined_campaign(tmp_path)
    for _ in range(2):
        campaign.now += 2 * DAY + HOUR
        mark_read(campaign.folder, "mail", campaign.now)
        campaign.process()
    name = change_entry(campaign, 7, change)
    assert fault(campaign) == (code, name)


def test_silence_after_an_outage_is_found(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path)
    mark_read(campaign.folder, "mail", START + 2 * DAY + HOUR)
    mark_read(campaign.folder, "mail", START + 5 * DAY)
    campaign.now = START + 5 * DAY
    campaign.process()
    name = change_entry(campaign, 6, lambda entry: entry.pop("seen"))
    assert fault(campaign) == ("steps-invented", name)


# -- campaigns of before -----------------------------------------------------------------------------------------------


def test_campaigns_of_before_go_on_as_they_were(tmp_path: Path) -> None:
    campaign = joined_by_all(as_of_before(new_campaign(tmp_path)))
    assert closes(campaign) == START + 2 * DAY
    assert "closes" not in told(campaign)
    mark_read(campaign.folder, "mail", START)
    campaign.now += 30 * DAY
    campaign.process()
    assert campaign.phase() == "1.place"
    assert closes(campaign) == campaign.now + 2 * DAY
    fix(campaign, "amend", settings={"close": "24h"})
    assert closes(campaign) == campaign.now + DAY
    for kind, facts in (("pause", {"until": campaign.now + DAY}), ("extend", {"by": DAY}), ("amend", {"settings": {"cooling": "2h"}})):
        with pytest.raises(CampaignError) as caught:
            fix(campaign, kind, **facts)
        assert caught.value.code == "old-clock"
