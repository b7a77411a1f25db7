"""The guide's quarter of an hour, as an organiser and three players would go through it: from an empty folder to the first turn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem.campaign import clock
from pbem.campaign.audit import audit
from pbem.campaign.folder import Folder
from tests.cli.desk import Desk

from .forge import Forge, clone, git, serve
from .runner import OURS_WORKFLOWS, Ran, Runner, load, run_workflow
from .test_workflows import COMMIT

SEATS = ("an", "bo", "chen")


def test_from_nothing_to_the_first_turn(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The organiser.
    desk.run("init", "club", "--game", "winter-court", "--pbem", f"someone/pbem@{COMMIT}")
    club = tmp_path / "club"
    monkeypatch.chdir(club)
    told = desk.run("new", "games/winter-court", "--title", "ming-dynasty", "--seats", ",".join(SEATS))
    invites = dict(re.findall(r"--seat (\S+) --invite (\S+)", told))
    sheet = " ".join(re.findall(r"^  ((?:[a-z]{5} ?)+)$", told, re.MULTILINE))
    assert len(sheet.split()) == 17 and set(invites) == set(SEATS)
    git(club, "add", "--all")
    git(club, "commit", "--quiet", "-m", "winter-court")
    bare = tmp_path / "github.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(club), str(bare))

    # The players, each in a copy of his own.
    with serve(Forge(clock.now())) as forge:
        def turn(number: int) -> dict[str, Ran]:
            forge.now = clock.now()
            caller, called = load(club / ".github" / "workflows" / "turn.yml"), load(OURS_WORKFLOWS / "publish.yml")
            called["jobs"] |= {"pages": {"if": "inputs.never"}, "deploy": {"if": "inputs.never"}}
            ran = run_workflow(Runner(tmp_path / f"run-{number}", bare, forge.address, "schedule", {}, sheet), caller, called)
            assert not any(one.failed for one in ran.values()), {name: one.log for name, one in ran.items()}
            return ran

        def paste(name: str) -> None:
            forge.now = clock.now()
            forge.open(f"### File\r\n\r\n```text\r\n{desk.run('armour', name)}\r\n```\r\n")

        for seat in SEATS:
            monkeypatch.chdir(clone(bare, tmp_path / seat))
            desk.run("keygen", "-o", f"{seat}.key")
            key = ("--key", f"{seat}.key")
            desk.run("join", "games/winter-court", "--seat", seat, "--invite", invites[seat], *key, "-o", f"{seat}.join.toml")
            paste(f"{seat}.join.toml")
        assert "winter-court: 3 files answered" in turn(1)["turn"].log
        assert all(forge.issues[number]["state"] == "closed" and "your file is in" in forge.said(number)[0] for number in (1, 2, 3))

        for number, seat in enumerate(SEATS, start=4):
            monkeypatch.chdir(tmp_path / seat)
            git(tmp_path / seat, "pull", "--quiet")
            desk.run("bot", "games/winter-court", "--seat", seat, "-o", f"{seat}.toml")
            assert "seal_to" in (tmp_path / seat / f"{seat}.toml").read_text(encoding="utf-8")
            desk.run("sign", f"{seat}.toml", "--key", f"{seat}.key")
            assert "[sealed]" in (tmp_path / seat / f"{seat}.order.toml").read_text(encoding="utf-8")
            paste(f"{seat}.order.toml")
            if seat == "an":
                turn(2)
                assert f"receipt {number}" in forge.said(number)[0]
                git(tmp_path / seat, "pull", "--quiet")
                # What the plan would do is in the letter alone.
                assert "prince" in desk.run("show", "games/winter-court", "--seat", "an", "--key", "an.key").lower()
        assert "winter-court: entry" in turn(3)["turn"].log
        git(tmp_path / "an", "pull", "--quiet")
        report = audit(Folder(tmp_path / "an" / "games" / "winter-court"))
        assert report.fault is None and report.proven > 1
