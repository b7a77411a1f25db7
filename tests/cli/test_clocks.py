"""Closing times as an organiser and a player type them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from pbem.campaign import clock
from pbem.campaign.channels import mark_read
from pbem.campaign.closing import parse
from pbem.campaign.folder import Folder
from pbem.campaign.replay import replay
from pbem.cli.clocks import typed_time

from .desk import GAME, Desk


def now() -> datetime:
    return clock.now()


def typed(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M")


def closes() -> datetime:
    at = replay(Folder(Path(GAME))).closes()
    assert at is not None
    return at


@pytest.mark.parametrize(("written", "zone", "end", "utc"), [
    ("2026-12-20", "Asia/Seoul", False, "2026-12-19T15:00:00Z"), ("2026-12-20", "Asia/Seoul", True, "2026-12-20T15:00:00Z"),
    ("2026-12-20 18:00", "Europe/Berlin", True, "2026-12-20T17:00:00Z"), ("2026-12-20T18:00Z", "Asia/Seoul", False, "2026-12-20T18:00:00Z"),
    ("2026-12-20T18:00-05:00", "Asia/Seoul", False, "2026-12-20T23:00:00Z"),
    ("2026-03-29T02:30", "Europe/Berlin", False, "2026-03-29T01:00:00Z"),
    ("2026-12-31", "UTC", True, "2027-01-01T00:00:00Z"),
])  # fmt: skip
def test_days_and_times_are_those_of_who_types_them(written: str, zone: str, end: bool, utc: str) -> None:
    assert clock.text(typed_time(written, zone, end_of_day=end)) == utc


@pytest.mark.parametrize(("options", "said"), [
    (("--close", "mon 20:00 Europe/Berln"), "did you mean Europe/Berlin?"), (("--close", "mon 20:00"), "add it: mon 20:00 Europe/Berlin"),
    (("--close", "mon 8pm UTC"), "8pm is not a time of the day"), (("--close", "mon UTC"), "at what time"),
    (("--grace", "soon"), "length of time"),
    (("--close-phase", "walk=24h"), "no phase called walk"), (("--close", "mon 20:00 21:00 UTC"), "one too many"),
    (("--close", "mondy 20:00 UTC"), "did you mean monday?"),
    (("--close", "mon 20:00 Beijing"), "did you mean Asia/Shanghai?"),
    (("--close", "mon 20:00 new york"), "did you mean America/New_York?"),
    (("--close", "mon 20:00 MSK"), "did you mean Europe/Moscow?"), (("--close", "mon 20:00 Asia/Beijing"), "did you mean Asia/Shanghai?"),
    (("--close", "mon 20:00 UTC+8"), "no time zone UTC+8\nhint: a zone is named after a city"),
    (("--close", "mon 20:00 Asia/Seoul least"), "least has to say how long"), (("--close", ""), "this is not when a phase closes"),
    (("--close", "mon 20:00 Asia/Seoul UTC"), "two times or two zones"),
])  # fmt: skip
def test_what_is_no_clock_is_said_and_nothing_is_made(desk: Desk, options: tuple[str, ...], said: str) -> None:
    assert said in desk.run("new", "games/late", "--title", "ming-dynasty", "--seats", "an,bo", *options, status=1)
    assert not Path("games/late").exists()


def test_a_clock_with_everything(desk: Desk) -> None:
    desk.run(
        "new", "games/late", "--title", "ming-dynasty", "--seats", "an,bo", "--close", "thu mon 20:00 Europe/Berlin least 24h",
        "--missed", "2", "--close-phase", "return=3d", "--grace", "15m",
        "--cooling", "1h", "--outage", "2d", "--extensions", "7d", "--absences", "none",
    )  # fmt: skip
    text = Path("games/late/game.toml").read_text(encoding="utf-8")
    for line in ('close = "mon,thu 20:00 Europe/Berlin least 24h"', 'return = "3d"', 'grace = "15m"', 'absences = "none"', "missed = 2"):
        assert line in text


@pytest.mark.parametrize(("written", "kept"), [
    ("mon-thu 20:00 Europe/Paris", "mon,tue,wed,thu 20:00 Europe/Paris least 12h"), ("sat-mon 9:00 UTC", "mon,sat,sun 09:00 UTC least 12h"),
    ("weekdays at 20:00 in Asia/Seoul", "mon,tue,wed,thu,fri 20:00 Asia/Seoul least 12h"),
    ("every monday at 20:00 America/New York least 2d", "mon 20:00 America/New_York least 2d"),
])  # fmt: skip
def test_rules_as_people_say_them_are_kept_in_one_form(written: str, kept: str) -> None:
    assert str(parse(written)) == kept == str(parse(kept))


def test_status_tells_the_closing_time_by_everybodys_clock(desk: Desk) -> None:
    assert "closes " not in desk.run("status", GAME)
    for seat, zone in (("an", "Asia/Shanghai"), ("bo", "America/New_York"), ("chen", "Asia/Shanghai")):
        desk.run("request", GAME, "profile", "--seat", seat, "--key", f"{seat}.key", "--zone", zone)
        desk.run("receive", GAME, f"{seat}.request.toml")
    desk.run("process", GAME)
    [line] = [line for line in desk.run("status", GAME).splitlines() if line.startswith("closes ")]
    assert line.count("Shanghai") == 1
    assert line.index(f"{closes().astimezone(ZoneInfo('Asia/Shanghai')):%H:%M} Shanghai") < line.index(" · ") < line.index(" New York")


def test_an_amended_grace_is_told_without_its_length(desk: Desk) -> None:
    told = desk.run("amend", GAME, "--grace", "17m")
    assert "How strictly closing times are kept is changed" in told and "17" not in told.partition("\n")[2].partition("Next:")[0]
    assert "does not wait after a file came in" in desk.run("amend", GAME, "--cooling", "none")


def test_an_absence_that_cannot_be_meant_is_found_before_it_is_sent(desk: Desk) -> None:
    away = ("request", GAME, "absence", "--seat", "bo", "--key", "bo.key")
    past, day = now() - timedelta(days=300), now() + timedelta(days=1)
    assert "is the year right?" in desk.run(*away, "--from", f"{past:%Y-%m-%d}", "--to", f"{past:%Y-%m-%d}", status=1)
    assert "at most a year long" in desk.run(*away, "--from", f"{day:%Y-%m-%d}", "--to", f"{day.year + 2}-01-01", status=1)
    assert "write a day like 2026-12-20" in desk.run(*away, "--from", "tomorrow", "--to", "2026-12-20", status=1)
    assert not Path("bo.request.toml").exists()
    told = desk.run(*away, "--from", f"{day:%Y-%m-%d}", "--to", f"{day + timedelta(days=60):%Y-%m-%d}")
    assert "only so long in all: for you by 28 d more" in told
    assert "in all" not in desk.run(*away, "--from", f"{day:%Y-%m-%d}", "--to", f"{day + timedelta(days=20):%Y-%m-%d}")


def test_the_answer_to_a_join_file_knows_its_zone(desk: Desk) -> None:
    told = desk.run("new", "games/late", "--title", "ming-dynasty", "--seats", "an,bo")
    code = re.search(r"--seat bo --invite (\S+)", told)
    assert code is not None
    desk.run("join", "games/late", "--seat", "bo", "--invite", code[1], "--key", "bo.key", "--zone", "Asia/Seoul", "-o", "b.join.toml")
    assert " Seoul (" in desk.run("receive", "games/late", "b.join.toml")


def test_a_closing_time_is_put_off(desk: Desk) -> None:
    before = closes()
    told = desk.run("extend", GAME, "--by", "2d", "--reason", "Snow.")
    assert closes() == before + timedelta(days=2)
    assert f"is moved to {closes():%a} {closes().day} {closes():%b %Y, %H:%M} UTC." in told
    assert "The organiser writes: “Snow.”" in told
    assert "can be put off until" in desk.run("extend", GAME, "--by", "30d", status=1)
    assert "puts nothing off" in desk.run("extend", GAME, "--until", typed(before), status=1)
    for found in ("none", "3x", "9999d"):
        told = desk.run("extend", GAME, "--by", found, status=1)
        assert f"{found} is not a length of time" in told
        # Only what is taken is offered.
        assert "hint: write 48h, 3d or 90m; a year is the longest" in told
    assert "or none" in desk.run("amend", GAME, "--grace", "3x", status=1)
    assert "name --until TIME or --by SPAN" in desk.run("extend", GAME, status=2)


def test_a_game_pauses_and_goes_on(desk: Desk) -> None:
    assert "The game pauses until" in desk.run("pause", GAME, "--until", typed(now() + timedelta(days=10)))
    assert "The game pauses until" in desk.run("status", GAME)
    assert "pbem pause GAME --over" in desk.run("process", GAME, "--close", "0.prince", status=1)
    assert "The pause is over." in desk.run("pause", GAME, "--over")
    assert "does not pause" in desk.run("pause", GAME, "--over", status=1)
    assert "within a year" in desk.run("pause", GAME, "--until", "2020-01-01", status=1)
    assert "name --until TIME, or --over" in desk.run("pause", GAME, status=2)


def test_a_player_goes_away_and_comes_back(desk: Desk) -> None:
    start, end = (now() + timedelta(days=days) for days in (1, 8))
    told = desk.run("request", GAME, "absence", "--seat", "bo", "--key", "bo.key", "--from", f"{start:%Y-%m-%d}", "--to", f"{end:%Y-%m-%d}")
    assert "Everybody will see it" in told
    desk.run("receive", GAME, "bo.request.toml")
    assert "Bo is away from" in desk.run("process", GAME)
    assert closes() == datetime(end.year, end.month, end.day, tzinfo=UTC) + timedelta(days=1)
    assert "Away: Bo (from" in desk.run("status", GAME)
    desk.run("request", GAME, "absence", "--seat", "bo", "--key", "bo.key", "--back")
    desk.run("receive", GAME, "bo.request.toml")
    assert "Bo is back." in desk.run("process", GAME)
    backwards = desk.run(
        "request", GAME, "absence", "--seat", "bo", "--key", "bo.key", "--from", f"{end:%Y-%m-%d}", "--to", f"{start:%Y-%m-%d}", status=1
    )
    assert "ends before it begins" in backwards
    assert "--from and --to" in desk.run("request", GAME, "absence", "--seat", "bo", "--key", "bo.key", status=2)
    consent = ("consent", "--step", "rollback", "--to", "x", "--seat", "bo", "--key", "bo.key")
    assert "number of an entry" in desk.run("request", GAME, *consent, status=2)


def test_what_has_to_be_read_first_is_said(desk: Desk) -> None:
    mark_read(Folder(Path(GAME)), "mail", now())
    late = typed(closes() + timedelta(hours=1))
    told = desk.run("process", GAME, "--now", late)
    assert "Nothing to play yet" in told and "what came by mail has to be read once more" in told
    assert "what came by mail has to be read once more" in desk.run("status", GAME, "--now", late, status=3)
    assert "waiting to be read: mail" in desk.run("process", "--all", "games", "--now", late)
    told = desk.run("process", GAME, "--now", late, "--unread")
    assert "although not everything that may have been sent was read" in told


def test_amended_rules_are_told_in_words(desk: Desk) -> None:
    told = desk.run("amend", GAME, "--close", "daily 21:00 Asia/Seoul", "--close-phase", "return=none", "--cooling", "30m")
    assert "closes daily, 21:00 Asia/Seoul, from now on" in told
    assert "The phase return closes no closing time" not in told
    assert "return has no closing time from now on" in told
    assert "is 30m from now on" in told
    assert "like the others" in desk.run("amend", GAME, "--close-phase", "return=same")
