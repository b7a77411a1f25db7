"""``pbem init``: a repository in which a campaign starts at once, and whose run finds nothing amiss."""

from __future__ import annotations

import json
import re

import pytest

from pbem.cli import starting
from pbem.post.github.repository import Repository
from pbem.post.github.turn import Job, run
from tests.cli.desk import Desk

from .conftest import Club, Plain
from .forge import git

COMMIT = "0123456789abcdef0123456789abcdef01234567"
PBEM = f"someone/pbem@{COMMIT}"


def test_a_campaign_starts_at_once_and_everything_is_sealed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    told = desk.run("init", "club", "--game", "winter-court", "--pbem", PBEM)
    assert "with a first commit" in told and "ORGANISING.md" in told
    club = desk.folder / "club"
    assert git(club, "rev-parse", "--abbrev-ref", "HEAD").strip() == "main"
    monkeypatch.chdir(club)
    desk.run("new", "games/winter-court", "--title", "ming-dynasty", "--seats", "an,bo,chen")
    assert 'seal = "all"' in (club / "games" / "winter-court" / "game.toml").read_text(encoding="utf-8")
    desk.run("new", "games/open-court", "--title", "ming-dynasty", "--seats", "an,bo,chen", "--seal", "bids")
    assert 'seal = "bids"' in (club / "games" / "open-court" / "game.toml").read_text(encoding="utf-8")
    # What players make beside the campaigns stays out as well.
    desk.run("keygen", "-o", "an.key")
    (club / "an.2.return.plain.toml").write_text("mine\n", encoding="utf-8")
    git(club, "add", "--all")
    staged = git(club, "diff", "--cached", "--name-only").split()
    assert "games/winter-court/game.toml" in staged and "an.key.pub" in staged
    assert not [name for name in staged if "private" in name or name.endswith((".key", ".plain.toml"))]


def test_what_players_read_names_the_game_and_the_pbem_that_runs(desk: Desk) -> None:
    desk.run("init", "club", "--game", "winter-court", "--pbem", PBEM, "--branch", "trunk", "--no-git")
    club = desk.folder / "club"
    assert not (club / ".git").exists()
    text = (club / "README.md").read_text(encoding="utf-8")
    assert "**winter-court**" in text and f"git+https://github.com/someone/pbem@{COMMIT}" in text
    assert text.count("games/winter-court ") >= 4 and "GAME" not in text
    workflow = (club / ".github" / "workflows" / "turn.yml").read_text(encoding="utf-8")
    assert "branches: [trunk]" in workflow and workflow.count(COMMIT) == 2
    for page in club.glob("*.md"):
        for target in re.findall(r"\]\((?!https)([^)\s]+)\)", page.read_text(encoding="utf-8")):
            assert (club / target).exists(), target


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("club", "--pbem", "someone/pbem@main"), "write OWNER/NAME@COMMIT"),
        (("club", "--pbem", f"https://example.org/x@{COMMIT}"), "does not name a commit"),
        (("club", "--pbem", PBEM, "--game", "../up"), "error:"),
        (("club", "--pbem", PBEM, "--branch", "a b"), "is no branch"),
        (("full", "--pbem", PBEM), "full is not empty"),
    ],
)
def test_what_cannot_be_made_is_refused_and_nothing_is_written(desk: Desk, args: tuple[str, ...], said: str) -> None:
    (desk.folder / "full").mkdir()
    (desk.folder / "full" / "mine.txt").write_text("x", encoding="utf-8")
    assert said in desk.run("init", *args, status=1)
    assert not (desk.folder / "club").exists() and len(list((desk.folder / "full").iterdir())) == 1


def test_the_pbem_that_runs_is_known_from_where_it_was_installed(monkeypatch: pytest.MonkeyPatch, desk: Desk) -> None:
    class Installed:
        def __init__(self, told: object) -> None:
            self.told = told

        def read_text(self, _name: str) -> str:
            return json.dumps(self.told)

    def installed(url: str) -> None:
        told = {"url": url, "vcs_info": {"vcs": "git", "commit_id": COMMIT}}
        monkeypatch.setattr(starting, "distribution", lambda _name: Installed(told))

    for url in ("https://github.com/someone/pbem", "https://github.com/someone/pbem.git", "git@github.com:someone/pbem.git"):
        installed(url)
        assert starting._source("") == ("someone/pbem", COMMIT)
    # An address with a login in it is understood, and the login goes nowhere.
    installed("https://user:token@github.com/someone/pbem.git")
    assert starting._source("") == ("someone/pbem", COMMIT)
    installed("https://example.org/someone/pbem")
    monkeypatch.setattr(starting, "_checked_out", lambda: None)
    assert "OWNER/NAME@COMMIT" in desk.run("init", "club", status=1)


def test_defaults_that_cannot_be_read_are_refused(desk: Desk) -> None:
    (desk.folder / "games").mkdir()
    for text in ('seal = "none"\n', "seal = \n"):
        (desk.folder / "games" / "pbem.toml").write_text(text, encoding="utf-8")
        told = desk.run("new", "games/a", "--title", "ming-dynasty", "--seats", "an,bo,chen", status=1)
        assert "pbem.toml cannot be read" in told and not (desk.folder / "games" / "a").exists()


def test_a_fresh_repository_has_nothing_to_do(desk: Desk, club: Club) -> None:
    desk.run("init", "club", "--pbem", PBEM)
    git(club.root, "clone", "--quiet", "--bare", str(desk.folder / "club"), str(club.root / "new.git"))
    git(club.root, "clone", "--quiet", str(club.root / "new.git"), str(club.root / "new"))
    where = club.root / "new"
    done = run(Job(where / "games", club.client(), Plain(), lambda: club.forge.now), Repository(where, "main"))
    assert not done.committed and done.replies == []


def test_what_is_typed_wrongly_ends_in_a_sentence(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    told = desk.run("github", status=2)
    assert "Commands:" in told and "error:" not in told
    assert "no campaign in games" in desk.run("github", "turn", "--out", "out", status=1)
    (desk.folder / "games").mkdir()
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    assert "GITHUB_REPOSITORY is missing" in desk.run("github", "turn", "--out", "out", status=1)
    for name, value in (("REPOSITORY", "a/b"), ("TOKEN", "t"), ("REF_NAME", "main"), ("EVENT_PATH", ""), ("OUTPUT", "")):
        monkeypatch.setenv(f"GITHUB_{name}", value)
    assert "no copy of a git repository" in desk.run("github", "turn", "--out", "out", status=1)
    monkeypatch.setenv("GITHUB_REF_TYPE", "tag")
    assert "GITHUB_REF_NAME" in desk.run("github", "turn", "--out", "out", status=1)
    (desk.folder / "event.json").write_text("[1, 2", encoding="utf-8")
    monkeypatch.setenv("GITHUB_EVENT_PATH", "event.json")
    assert "not the file of an event" in desk.run("github", "event", "--out", "out", status=1)
    assert "0 issues" in desk.run("github", "answer", "nowhere")
    assert not (desk.folder / "out").exists()
