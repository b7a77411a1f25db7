"""Mails by hand: what is laid into the inbox is fetched and answered, what lies in the outbox is read, and slips are told in a sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pbem.campaign.folder import CampaignError
from pbem.cli import pbem
from pbem.cli.failing import explain


def typed(*words: str | Path) -> Result:
    return CliRunner().invoke(pbem, [str(word) for word in words])


def refused(*words: str | Path) -> str:
    """The code of what stops a command, which there is a sentence for."""
    stopped = typed(*words).exception
    assert isinstance(stopped, CampaignError), stopped
    assert explain(stopped)
    return stopped.code


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = Path("games/by-post")
    made = typed("new", folder, "--title", "ming-dynasty", "--seats", "an,bo", "--to", "an=an@example.org")
    assert made.exit_code == 0, made.output
    return folder


def test_a_seat_is_taken_by_mail_alone(game: Path) -> None:
    assert refused("mail", "read", game) == "no-mail-here"
    typed("mail", "send", game)
    invite = typed("mail", "read", game, "--seat", "an", "--save", "an")
    assert "To: an@example.org" in invite.output
    assert Path("an/game.toml").read_bytes() == (game / "game.toml").read_bytes()
    code = re.findall(r"--invite (\S+)", invite.output)[0]
    typed("keygen", "-o", "an/an.key")
    assert typed("join", "an/game.toml", "--seat", "an", "--invite", code, "--key", "an/an.key", "-o", "an/an.join.toml").exit_code == 0
    put = typed("mail", "put", game, "an/an.join.toml", "--from", "an@example.org")
    assert put.exit_code == 0, put.output
    assert "an.join.toml complete" in typed("mail", "fetch", game).output
    typed("mail", "send", game)
    assert "Welcome, an" in typed("mail", "read", game, "--seat", "an").output
    assert len(typed("mail", "read", game).output.splitlines()) == 2
    assert refused("mail", "read", game, "--seat", "bo") == "no-mail-here"


def test_slips_are_told(game: Path) -> None:
    typed("mail", "send", game)
    Path("order.toml").write_text("x", encoding="utf-8")
    assert refused("mail", "put", game, "nowhere.toml", "--from", "an@example.org") == "no-file"
    assert refused("mail", "put", game, "order.toml", "--from", "an\r\nBcc: x@example.org") == "bad-address"
    assert refused("mail", "read", game, "--seat", "am") == "unknown-seat-here"
    assert typed("mail", "read", game, "--save", "here").exit_code == 2
    Path("here").mkdir()
    Path("here/game.toml").write_text("mine", encoding="utf-8")
    assert refused("mail", "read", game, "--seat", "an", "--save", "here") == "there-already"
    assert Path("here/game.toml").read_text(encoding="utf-8") == "mine"
    assert typed("mail", "read", game, "--seat", "an", "--save", "here", "--force").exit_code == 0
    (game / "private" / "mail.toml").write_text('[imap]\nhost = "imap.example.org"\n', encoding="utf-8")
    assert refused("mail", "put", game, "order.toml", "--from", "an@example.org") == "inbox-elsewhere"


@pytest.mark.parametrize(("settings", "code"), [
    ('[maildir]\ninbox = "{}/Maidlir"\n', "there is no Maildir"), ('[mbox]\ninbox = "{}/nowhere/mbox"\n', "there is no mbox"),
])  # fmt: skip
def test_a_mailbox_that_is_not_there_is_not_taken_for_an_empty_one(game: Path, settings: str, code: str, tmp_path: Path) -> None:
    (game / "private" / "mail.toml").write_text(settings.format(tmp_path), encoding="utf-8")
    done = typed("mail", "fetch", game)
    assert (done.exit_code, code in done.output) == (1, True), done.output
    assert not (tmp_path / "Maidlir").exists()
