"""Small things a command says: what is missing by name, what could not be written, plurals, progress."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from pbem.cli.publishing import pages_address

from .desk import GAME, Desk


def test_what_is_there_already_can_be_forced(desk: Desk) -> None:
    for command in (["orders", GAME, "--seat", "bo"], ["bot", GAME, "--seat", "bo", "--seconds", "0.01"], ["schema", "ming-dynasty"]):
        assert "hint: --force writes over it" in desk.run(*command, "-o", "bo.toml", status=1)
    assert "--force" not in desk.run("keygen", "-o", "bo.key", status=1)
    desk.run("orders", GAME, "--seat", "bo", "-o", "bo.toml", "--force")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["receive", GAME, "none.toml"], "there is no order or join file none.toml"),
        (["audit", GAME, "--mine", "none.toml"], "there is no plain copy of a plan none.toml"),
        (["case", "none.toml"], "there is no case file none.toml"),
    ],
)
def test_a_missing_file_is_named_by_what_it_is_for(desk: Desk, args: list[str], said: str) -> None:
    assert f"error: {said}" in desk.run(*args, status=1)


def test_what_cannot_be_written_is_named_as_the_user_named_it(desk: Desk) -> None:
    for command in (
        ["orders", GAME, "--seat", "bo", "-o", "an.key/x.toml"], ["sign", "bo.toml", "--key", "bo.key", "-o", "an.key/x.toml"],
        ["report", GAME, "--text", "an.key/x.toml"], ["request", GAME, "concede", "--seat", "bo", "--key", "bo.key", "-o", "an.key/x.toml"],
    ):  # fmt: skip
        told = desk.run(*command, status=1)
        assert f"error: {Path('an.key/x.toml')} cannot be written" in told
        assert ".pbem-tmp" not in told
    assert "error: an.key cannot be written" in desk.run("site", "--games", "games", "--no-pdf", "-o", "an.key", status=1)


def test_one_is_told_as_one(desk: Desk) -> None:
    assert "\n1 step proven" in desk.run("audit", GAME)
    assert "0 entries, 0 receipts" in desk.run("audit", f"fresh/{GAME}")


def test_progress_is_for_terminals_only(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\r" not in desk.run("site", "--games", "games", "--no-pdf")
    shutil.rmtree("_site")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    told = desk.run("site", "--games", "games", "--no-pdf")
    assert "reading winter-court" in told
    assert "1 of 1: the pages of winter-court" in told


def test_feeds_name_the_address_of_the_pages_where_it_is_known(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)

    def link() -> str:
        feed = Path("_site/winter-court/feed.atom").read_text(encoding="utf-8")
        return feed.partition('rel="self"')[2].partition('href="')[2].partition('"')[0]

    site = ("site", "--games", "games", "--no-pdf")
    desk.run(*site)
    assert link() == "feed.atom"
    settings = Path(GAME, "private/mail.toml")
    settings.write_text('site = "https://example.org/g/"\n', encoding="utf-8")
    settings.chmod(0o600)
    desk.run(*site)
    assert link() == "https://example.org/g/winter-court/feed.atom"
    desk.run(*site, "--address", "https://example.net")
    assert link() == "https://example.net/winter-court/feed.atom"
    settings.write_text("no settings", encoding="utf-8")
    desk.run(*site)
    assert link() == "feed.atom"
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.com")
    monkeypatch.setenv("GITHUB_REPOSITORY", "club/games")
    desk.run(*site)
    assert link() == "https://club.github.io/games/winter-court/feed.atom"
    assert "write it like https://example.org/games" in desk.run(*site, "--address", "example.org", status=2)


@pytest.mark.parametrize(
    ("server", "repository", "expected"),
    [
        ("https://github.com", "Club-Night/Games", "https://club-night.github.io/Games"),
        ("https://github.com", "Club/club.github.io", "https://club.github.io"),
        ("https://forge.example.org", "club/games", ""),
        ("https://github.com", "club", ""),
        ("https://github.com", "club/two words", ""),
        ("", "", ""),
    ],
)
def test_a_job_knows_where_its_pages_will_stand(server: str, repository: str, expected: str) -> None:
    assert pages_address({"GITHUB_SERVER_URL": server, "GITHUB_REPOSITORY": repository}) == expected


def test_a_report_is_written_over_a_report_and_over_nothing_else(desk: Desk) -> None:
    for _ in range(2):
        desk.run("report", GAME, "--text", "r.txt", "--html", "r.html")
    before = Path("bo.toml").read_bytes()
    for how in ("--text", "--html", "--pdf"):
        assert "bo.toml is there already, and it is no report" in desk.run("report", GAME, how, "bo.toml", status=1)
    assert "r.txt is there already" in desk.run("report", GAME, "--html", "r.txt", status=1)
    assert Path("bo.toml").read_bytes() == before
    Path("empty.txt").touch()
    desk.run("report", GAME, "--text", "empty.txt")


@pytest.mark.parametrize("language", ["Klingon", "", "\udcff", "zh_CN"])
def test_a_language_is_named_by_its_tag(desk: Desk, language: str) -> None:
    for command in (["report", GAME], ["site", "--games", "games", "--no-pdf"]):
        assert "write it like fr, ko or zh-Hans" in desk.run(*command, "--language", language, status=2)
