"""A whole run over a campaign full of secrets: nothing private is in the repository, on the pages, in a comment or in a log."""

from __future__ import annotations

import base64
import subprocess
from pathlib import Path

from pbem.campaign.secret import Secret
from pbem.orders.join import invite_bytes
from tests.helpers import NAME, RAW_ID, RAW_SECRET, fixed
from tests.test_leaks import assert_clean, secrets_of

from .conftest import Club
from .forge import TOKEN
from .runner import OURS_WORKFLOWS, Runner, load, run_workflow
from .test_turn import asked
from .test_workflows import made_in

CONTACT, NOTE = fixed("an address of a player"), fixed("a private note of the organiser")


def plant(workspace: Path) -> None:
    """What an organiser's own machine has beside the public files."""
    for game in (workspace / "games").glob("*"):
        if not (game / "game.toml").is_file():
            continue
        private = game / "private"
        private.mkdir(exist_ok=True)
        (private / ".gitignore").write_text("*\n", encoding="utf-8")
        (private / "secret.toml").write_text(f'secret = "{RAW_SECRET.hex()}"\n', encoding="utf-8")
        (private / "contacts.toml").write_text(f'[seats.an]\naddress = "{CONTACT.hex()}@example.org"\n', encoding="utf-8")
        (private / "notes.txt").write_bytes(b"raw " + NOTE + b" hex " + NOTE.hex().encode())


def everything_in(bare: Path) -> bytes:
    """All that was ever committed, messages and names too."""
    listed = subprocess.run(["git", "-C", str(bare), "rev-list", "--objects", "--all"], capture_output=True, check=True).stdout
    names = b"\n".join(line.split(b" ")[0] for line in listed.splitlines())
    return listed + subprocess.run(["git", "-C", str(bare), "cat-file", "--batch"], input=names, capture_output=True, check=True).stdout


def test_nothing_private_gets_out(club: Club, tmp_path: Path) -> None:
    seat, other = asked(club)
    kept = {
        **secrets_of(club.campaign), "a contact": CONTACT, "a note": NOTE, "the token of the job": TOKEN.encode(),
        "an unused invite": Secret(RAW_SECRET, RAW_ID).invite("dai", 2),
    }  # fmt: skip
    assert all(len(raw) >= 16 for raw in kept.values())
    used = [invite_bytes(code) for code in club.campaign.made.invites.values()]
    assert used, "invites that were used stand in their entries"
    club.forge.open(club.text(club.orders(seat)))
    club.forge.open(club.text(club.orders(other, district="zhili-a")))
    club.forge.open(club.text(club.orders(other, key=club.campaign.players[seat].key)), author="mallory")
    club.forge.open(club.text(b"game = 'x'\n") + f"\n@everybody {NAME}", author="mallory")
    sealed = {f"what {name[0]} sealed": plain for name, plain in club.campaign.plains.items()}
    assert len(sealed) == 2

    caller, called = load(made_in(tmp_path / "club") / ".github" / "workflows" / "turn.yml"), load(OURS_WORKFLOWS / "publish.yml")
    runner = Runner(tmp_path / "run", club.bare, club.forge.address, "schedule", {}, RAW_SECRET.hex(), planted=plant)
    ran = run_workflow(runner, caller, called)
    assert set(ran) == {"turn", "answer", "pages", "deploy"} and not any(one.failed for one in ran.values())
    club.look()
    course = club.campaign.course()
    published = set(course.closed)
    for (who, phase, _), plain in club.campaign.plains.items():
        if phase not in published:
            # The nonce makes it unguessable; the lines themselves are words of the rules that stand everywhere.
            nonce = plain.split(b'nonce = "', 1)[1].split(b'"', 1)[0]
            kept[f"the nonce that {who} sealed"] = base64.b64decode(nonce)
    assert len(kept) > 12

    site = runner.artifacts["github-pages-1"]
    pages = [path for path in site.rglob("*") if path.is_file()]
    assert len(pages) > 10
    assert not any("private" in path.parts for path in pages)
    for path in pages:
        assert_clean(path.read_bytes(), f"page {path.relative_to(site)}", kept)
    assert_clean(everything_in(club.bare), "the repository", kept)
    said = [body for number in club.forge.issues for body in club.forge.said(number)]
    assert len(said) == 4
    for body in said:
        assert_clean(body.encode(), "a comment", kept)
    for name, one in ran.items():
        assert_clean(one.log.encode(), f"the log of {name}", kept)
    for path in runner.artifacts["answers"].iterdir():
        assert_clean(path.read_bytes(), "the answers between the jobs", kept)
    # A check that finds nothing must be able to find something.
    found = False
    try:
        assert_clean(b"x" + RAW_SECRET.hex().encode(), "a made-up file", kept)
    except AssertionError:
        found = True
    assert found
