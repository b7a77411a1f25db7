"""A mail as it goes out: its headers, its text as plain text and HTML, what is attached.

Nothing of what is put into a header can begin another one: names and subjects are cleaned, addresses and message ids are checked. The same
mail has the same Message-ID whenever and however often it is made, so that whoever gets it twice can tell.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime

from pbem.campaign.folder import CampaignError
from pbem.campaign.records import Game
from pbem.post.contacts import checked
from pbem.post.outbox import MAIL, SEAT_HEADER
from pbem.post.settings import Settings
from pbem.publish.columns import clean

NOWHERE = "pbem.invalid"
"""The domain of a campaign without an address: no mail can ever arrive there."""

LONGEST_SUBJECT = 160
_LONGEST_NAME = 60
_MESSAGE_ID = re.compile(r"<[!-;=?A-~]{1,200}@[!-;=?A-~]{1,200}>")


@dataclass(frozen=True)
class Attachment:
    """A file that goes with a mail."""

    name: str
    data: bytes
    kind: str = "application/octet-stream"


@dataclass(frozen=True, kw_only=True)
class Envelope:
    """Everything about a mail but its content. ``key``: what it is, and what its Message-ID is made from; ``seat``: whose mail it is.

    ``answers``: the Message-ID of the mail it answers, "" for one that nobody has asked for.
    """

    to: str
    to_name: str
    subject: str
    key: str
    seat: str = ""
    answers: str = ""
    asked_for: bool = False


def sender(game: Game, settings: Settings) -> Address:
    """Who a campaign's mails are from."""
    spec = checked(settings.address) if settings.address else f"{game.name}@{NOWHERE}"
    if spec is None:
        raise CampaignError("bad-address", found=settings.address, where="address")
    return Address(display_name=_headed(settings.name, _LONGEST_NAME) or game.name, addr_spec=spec)


def message_id(game: Game, settings: Settings, key: str) -> str:
    """The Message-ID of a mail: the same for the same campaign and key."""
    digest = hashlib.sha256(f"pbem/1 mail {game.id} {key}".encode()).hexdigest()[:32]
    # The name is there so that a mailbox of several campaigns can tell whose thread an answer belongs to.
    return f"<{game.name}.{digest}@{sender(game, settings).domain}>"


def thread(game: Game, settings: Settings, seat: str) -> str:
    """The Message-ID that all mails of one game to one player refer to, so that mail programs keep them together."""
    return message_id(game, settings, f"thread/{seat}")


def known_id(written: str) -> str:
    """A Message-ID as it may stand in a header of ours; "" for what is none."""
    found = _MESSAGE_ID.search(written.strip()[:500])
    return found[0] if found else ""


def _headed(text: str, longest: int) -> str:
    """Somebody's own words as they may stand in a header; what looks encoded there would be decoded, line breaks and all."""
    return clean(text, longest).replace("=?", "= ?")


def make(
    game: Game, settings: Settings, envelope: Envelope, now: datetime, *, text: str, html: str = "", attached: Sequence[Attachment] = ()
) -> EmailMessage:
    """The mail. CampaignError "bad-address" when it cannot be sent to its address."""
    to = checked(envelope.to)
    if to is None:
        raise CampaignError("bad-address", found=envelope.to, where=envelope.seat or "to")
    message = EmailMessage(policy=MAIL)
    message["From"] = sender(game, settings)
    message["To"] = Address(display_name=_headed(envelope.to_name, _LONGEST_NAME), addr_spec=to)
    message["Subject"] = _headed(envelope.subject, LONGEST_SUBJECT)
    message["Date"] = format_datetime(now)
    message["Message-ID"] = message_id(game, settings, envelope.key)
    answers = known_id(envelope.answers)
    references = [thread(game, settings, envelope.seat)] if envelope.seat else []
    if answers:
        message["In-Reply-To"] = answers
        references.append(answers)
    elif references:
        message["In-Reply-To"] = references[0]
    if references:
        message["References"] = " ".join(references)
    # So that holiday notes and other programs do not answer (RFC 3834; the second one is Outlook's).
    message["Auto-Submitted"] = "auto-replied" if answers or envelope.asked_for else "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    message["X-Pbem-Game"] = game.name
    if envelope.seat:
        message[SEAT_HEADER] = envelope.seat
    message.set_content(text, subtype="plain", charset="utf-8", cte="quoted-printable")
    if html:
        message.add_alternative(html, subtype="html", charset="utf-8", cte="quoted-printable")
    for file in attached:
        main, _, sub = file.kind.partition("/")
        message.add_attachment(file.data, maintype=main, subtype=sub, filename=file.name)
    return message
