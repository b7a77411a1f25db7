"""What pbem join finds out before anything is signed: the game file, the invite, the time zone."""

from __future__ import annotations

import os
import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pbem.campaign.folder import CampaignError
from pbem.campaign.zones import known
from pbem.cli.joining import zone_here
from pbem.orders.join import read_join

from .desk import GAME, Desk


@pytest.fixture
def fresh(desk: Desk) -> Desk:
    """The campaign before anybody has joined, and one key."""
    shutil.rmtree(desk.folder / GAME)
    shutil.move(desk.folder / "fresh" / GAME, desk.folder / GAME)
    for left in desk.folder.glob("*.join.toml"):
        left.unlink()
    return desk


def join(desk: Desk, game: str, seat: str, code: str, *more: str, status: int = 0) -> str:
    return desk.run("join", game, "--seat", seat, "--invite", code, "--key", "an.key", *more, status=status)


@pytest.mark.parametrize("name", ["game.toml", "game (1).toml", "winter.txt"])
def test_the_game_file_may_have_any_name(fresh: Desk, invites: dict[str, str], name: str) -> None:
    shutil.copy(fresh.folder / GAME / "game.toml", fresh.folder / name)
    assert "is ready" in join(fresh, name, "an", invites["an"])
    assert "is ready" in join(fresh, GAME, "an", invites["an"])


@pytest.mark.parametrize("name", ["game.toml", "nowhere", "games"])
def test_without_a_game_file_a_player_is_told_where_it_comes_from(fresh: Desk, invites: dict[str, str], name: str) -> None:
    told = join(fresh, name, "an", invites["an"], status=1)
    assert "the organiser sends it" in told
    assert "pbem new" not in told


def test_a_file_that_is_no_game_file(fresh: Desk, invites: dict[str, str]) -> None:
    assert "bo.toml is not the game file" in join(fresh, "bo.toml", "an", invites["an"], status=1)


def test_an_invite_is_checked_at_once(fresh: Desk, invites: dict[str, str]) -> None:
    assert "for the seat bo, not for an" in join(fresh, GAME, "an", invites["bo"], status=1)
    other = ("z" if invites["an"][0] != "z" else "y") + invites["an"][1:]
    assert "does not open the seat an of winter-court" in join(fresh, GAME, "an", other, status=1)
    assert "did you mean bo" in join(fresh, GAME, "boo", invites["bo"], status=1)
    assert not (fresh.folder / "an.join.toml").exists()


def test_an_invite_made_later_stands_in_the_ledger(desk: Desk) -> None:
    shutil.copy(desk.folder / GAME / "game.toml", desk.folder / "saved.toml")
    told = desk.run("rekey", GAME, "--seat", "an")
    line = next(line.split() for line in told.splitlines() if line.startswith("  pbem join"))
    assert line[-1] == "--later"
    code = line[line.index("--invite") + 1]
    assert "is ready" in join(desk, GAME, "an", code)
    assert "--later" in join(desk, "saved.toml", "an", code, status=1)
    assert "is ready" in join(desk, "saved.toml", "an", code, "--later")


def test_an_invite_that_is_void_or_used_is_told_where_the_ledger_is_at_hand(desk: Desk, invites: dict[str, str]) -> None:
    for more in ((), ("--later",)):
        assert "has been used" in join(desk, GAME, "an", invites["an"], *more, status=1)
    codes = []
    for _ in range(2):
        told = desk.run("substitute" if not codes else "invite", GAME, "--seat", "an")
        codes.append(re.findall(r"--invite (\S+)", told)[0])
    for more in ((), ("--later",)):
        assert "is void: a newer one has been made" in join(desk, GAME, "an", codes[0], *more, status=1)
    assert "is ready" in join(desk, GAME, "an", codes[1])


def test_a_request_knows_the_zones_too(desk: Desk) -> None:
    told = desk.run("request", GAME, "profile", "--seat", "an", "--key", "an.key", "--zone", "Asia/Soul", status=1)
    assert "did you mean Asia/Seoul?" in told
    desk.run("request", GAME, "profile", "--seat", "an", "--key", "an.key", "--zone", "Asia/Seoul")


def test_the_game_file_is_enough_for_requests(desk: Desk) -> None:
    saved = desk.folder / "mail" / "game.toml"
    saved.parent.mkdir()
    shutil.copy(desk.folder / GAME / "game.toml", saved)
    start, end = (f"{datetime.now(UTC) + timedelta(days):%Y-%m-%d}" for days in (20, 25))
    for file in (saved, desk.folder / GAME, saved):
        told = desk.run("request", str(file), "absence", "--seat", "an", "--key", "an.key", "--from", start, "--to", end)
        assert "away from" in told
        assert "NOT TAKEN" not in desk.run("receive", GAME, "an.request.toml")
    assert "its seats are an, bo" in desk.run("request", str(saved), "resend", "--seat", "am", "--key", "an.key", status=1)
    desk.run("keygen", "-o", "other.key")
    told = desk.run("request", str(saved), "resend", "--seat", "an", "--key", "other.key", status=1)
    assert "other.key.pbem does not know the seat an" in told


@pytest.mark.parametrize(("typed", "meant"), [("Europe/Pariss", "Europe/Paris"), ("europe/paris", "Europe/Paris"), ("Seoul", "Asia/Seoul")])
def test_an_unknown_zone_is_told_the_nearest(fresh: Desk, invites: dict[str, str], typed: str, meant: str) -> None:
    told = join(fresh, GAME, "an", invites["an"], "--zone", typed, status=1)
    assert f"did you mean {meant}?" in told
    with pytest.raises(CampaignError):
        known("Nowhere/At All")


def test_the_zone_is_that_of_the_machine(fresh: Desk, invites: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", ":Asia/Seoul")
    assert "time zone Asia/Seoul (that of this machine" in join(fresh, GAME, "an", invites["an"])
    assert read_join((fresh.folder / "an.join.toml").read_bytes())[0].zone == "Asia/Seoul"
    monkeypatch.setenv("TZ", "CET-1CEST")
    assert zone_here() == "UTC"
    assert "time zone Asia/Tokyo\n" in join(fresh, GAME, "an", invites["an"], "--zone", "Asia/Tokyo")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no /etc/localtime")
def test_without_tz_the_link_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TZ", raising=False)
    monkeypatch.setattr(Path, "resolve", lambda self: Path("/usr/share/zoneinfo/Europe/Paris"))
    assert zone_here() == "Europe/Paris"
    monkeypatch.setattr(Path, "resolve", lambda self: Path("/etc/localtime"))
    assert zone_here() == "UTC"


def test_an_invite_for_a_taken_seat_says_what_there_is_instead(desk: Desk) -> None:
    told = desk.run("invite", GAME, "--seat", "an", status=1)
    assert "the seat an is taken" in told
    assert "pbem rekey" in told
