"""Closing times as an organiser and a player type them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pbem.campaign import clock
from pbem.campaign.channels import mark_read
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


def test_a_closing_time_is_put_off(desk: Desk) -> None:
    before = closes()
    told = desk.run("extend", GAME, "--by", "2d", "--reason", "Snow.")
    assert closes() == before + timedelta(days=2)
    assert f"is moved to {closes():%a} {closes().day} {closes():%b %Y, %H:%M} UTC." in told
    assert "The organiser writes: “Snow.”" in told
    assert "can be put off until" in desk.run("extend", GAME, "--by", "30d", status=1)
    assert "puts nothing off" in desk.run("extend", GAME, "--until", typed(before), status=1)
    assert "is not a length of time" in desk.run("extend", GAME, "--by", "none", status=1)
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
