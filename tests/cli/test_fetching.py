"""``pbem mail fetch`` as an organiser has it on his screen."""

from __future__ import annotations

import json
from email.message import EmailMessage
from pathlib import Path

from pbem.cli import fetching
from pbem.post.clerk import Line
from pbem.post.notes import FileTold

from .desk import GAME, Desk


def put(sender: str, *files: str, subject: str = "hello", name: str = "") -> None:
    """Lays a mail into the campaign's Maildir."""
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = sender, "court@example.org", subject
    made["Message-ID"] = f"<{subject}{len(files)}@example.org>"
    made.set_content("Hello!\n")
    for file in files:
        made.add_attachment(Path(file).read_bytes(), maintype="application", subtype="octet-stream", filename=file)
    folder = Path(GAME) / "private/mail/inbox/new"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / (name or f"{subject}.eml")).write_bytes(made.as_bytes())


def test_from_the_mailbox_to_the_answer(desk: Desk) -> None:
    desk.run("contacts", GAME, "--set", "an=an@example.org")
    desk.run("sign", "an.toml", "--key", "an.key")
    put("An <an@example.org>", "an.order.toml")
    put("eve@example.net", subject="money")
    look = desk.run("mail", "fetch", GAME, "--dry-run")
    assert "an: an.order.toml would be received" in look and "receipt" not in look
    said = desk.run("mail", "fetch", GAME)
    assert "an: an.order.toml partial, receipt" in said and "; answered" in said
    assert "e…@example.net: no file of a player in it" in said
    assert "example.org" not in said and "eve@" not in said, "addresses are private, and output is read by others"
    assert desk.run("mail", "fetch", GAME).strip() == "No new mail."
    sent = desk.run("mail", "send", GAME)
    assert "an: sent" in sent


def test_for_programs(desk: Desk) -> None:
    put("eve@example.net")
    [told] = json.loads(desk.run("mail", "fetch", GAME, "--json"))
    assert [line["what"] for line in told["mails"]] == ["stranger"]
    assert (told["left"], told["errors"]) == (0, 0)


def test_what_goes_wrong_in_one_campaign_stops_no_other(desk: Desk) -> None:
    put("eve@example.net")
    said = desk.run("mail", "fetch", "nowhere", GAME, status=1)
    assert "error: nowhere: there is no campaign in nowhere" in said
    assert "no file of a player in it" in said


def test_a_server_that_is_not_there_is_told_in_a_sentence(desk: Desk) -> None:
    settings = Path(GAME) / "private/mail.toml"
    settings.write_text('[imap]\nhost = "localhost"\nport = 1\nsecurity = "plain"\nuser = "court"\n')
    settings.chmod(0o600)
    said = desk.run("mail", "fetch", GAME, status=1)
    assert said.startswith("error: the mail server localhost (port 1) cannot be reached: ") and "hint:" in said


def test_no_sign_of_a_terminal_comes_through() -> None:
    file = FileTold(name="\x1b[31man\r\n.toml", receipt=1, verdict="refused", reason="no-signature")
    said = fetching._said(Line(game="g", received="2026-11-01T19:00:00Z", who="x", what="files", files=[file]), dry_run=False)
    assert said.isprintable() and "refused (no signature), receipt 1" in said
