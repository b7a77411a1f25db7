"""Mails for tests, and a campaign whose mail is fetched."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP, default
from pathlib import Path

from pbem.post import contacts, outbox
from pbem.post.fetch import Fetching, fetch

from ..helpers import Campaign

ADDRESSES = {"an": "an@example.org", "bo": "bo@example.org", "chen": "chen@example.org", "dai": "dai@example.org"}


def mail(
    sender: str, *files: bytes, subject: str = "my orders", text: str = "Hello!\n", id: str = "", names: Sequence[str] = (), **headers: str
) -> EmailMessage:
    """A mail from an address with files attached."""
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = sender, "court@example.org", subject
    made["Date"] = "Tue, 01 Jan 2030 00:00:00 +0000"
    made["Message-ID"] = id or f"<{abs(hash((sender, subject, text, files)))}@example.org>"
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    made.set_content(text)
    for at, data in enumerate(files):
        name = names[at] if at < len(names) else f"file{at}.order.toml"
        made.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return made


def as_bytes(message: EmailMessage | bytes, *, crlf: bool = False) -> bytes:
    return message if isinstance(message, bytes) else message.as_bytes(policy=SMTP if crlf else default)


def inbox(campaign: Campaign) -> Path:
    return outbox.home(campaign.folder) / "inbox"


def drop(campaign: Campaign, message: EmailMessage | bytes, received: datetime | None = None, name: str = "") -> Path:
    """Delivers a mail into the campaign's Maildir."""
    folder = inbox(campaign) / "new"
    folder.mkdir(parents=True, exist_ok=True)
    seconds = (received or campaign.now).timestamp()
    path = folder / (name or f"{int(seconds)}.M{len(list(folder.parent.rglob('*')))}.host")
    path.write_bytes(as_bytes(message))
    os.utime(path, (seconds, seconds))
    return path


def run(campaign: Campaign, *, look_only: bool = False) -> Fetching:
    """Fetches, and lets nothing go wrong unseen."""
    [done] = fetch([campaign.folder.root], campaign.now, look_only=look_only)
    if done.errors:
        raise done.errors[0]
    return done


def said(done: Fetching) -> list[tuple[str, str, list[str]]]:
    """Who, what, and the verdicts."""
    return [(line.who, line.what, [one.reason or one.verdict for one in line.files]) for line in done.lines]


def register(campaign: Campaign, *seats: str) -> None:
    for seat in seats or campaign.seats:
        contacts.register(campaign.folder, seat, ADDRESSES[seat])


def write_settings(campaign: Campaign, text: str) -> None:
    path = campaign.folder.private / "mail.toml"
    path.write_text(text)
    path.chmod(0o600)


def answers(campaign: Campaign) -> list[EmailMessage]:
    """What lies in the outbox."""
    return [outbox.message_of(campaign.folder, one.key) for one in outbox.waiting(campaign.folder)]


def text_of(message: EmailMessage) -> str:
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content())
