"""A mail as a mail program saves it (``.eml``): the order and join files in its attachments and bodies.

Mails come from anybody. What is taken apart is capped before (bytes, boundaries) and while (depth, parts) it is; a mail beyond the caps,
or one that cannot be parsed, holds no files, and is answered as any file that is not one.
"""

from __future__ import annotations

import email
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from email.message import EmailMessage, Message
from email.policy import default as modern
from pathlib import Path

from pbem.campaign.folder import read
from pbem.campaign.intake import Incoming, collect, unpack
from pbem.orders.findings import Unreadable
from pbem.orders.signed import CAP, split

LARGEST = 25 * 1024 * 1024
DEEPEST = 10
MOST_PARTS = 50
MOST_LINES = 500_000
MOST_DASHES = 2000   # lines that begin with two dashes: each could begin a part

_HEADER = re.compile(rb"(?:From |[A-Za-z][A-Za-z0-9-]{0,60}:)")
_OF_MAILS = re.compile(rb"^(?:from|to|subject|date|received|mime-version|content-type|return-path):", re.IGNORECASE | re.MULTILINE)
_BOUNDARY = re.compile(rb"boundary", re.IGNORECASE)
_DASHES = re.compile(rb"[\r\n]--")
_NAME = re.compile(r"[^\w.() -]+")


def collect_mail(path: Path) -> list[Incoming]:
    """The files in one file on disk: a saved mail, or whatever ``campaign.intake.collect`` takes. CampaignError when it cannot be read."""
    data = read(path, LARGEST)
    return open_mail(Incoming(str(path), data)) if is_mail(data) else collect([path])


def is_mail(data: bytes) -> bool:
    """Whether these bytes begin with the header lines of a mail; no order file does."""
    head = data.lstrip()[:16 * 1024].partition(b"\n\n")[0].partition(b"\r\n\r\n")[0]
    return _HEADER.match(head) is not None and len({name.lower() for name in _OF_MAILS.findall(head)}) > 1


def open_mail(mail: Incoming) -> list[Incoming]:
    """The files in a mail, named ``mail.eml#an.order.toml``; the mail itself when there is none in it. One that came twice counts once."""
    if not _within_caps(mail.data):
        return [mail]
    try:
        message = email.message_from_bytes(mail.data.lstrip(), policy=modern)
        found = list(_Opened(mail).files(message, 0))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, AssertionError):
        # The parser of the standard library takes nearly everything, but not every mangled header.
        return [mail]
    whole = list({(one.data, one.detached): one for one in found if not one.faults}.values())
    damaged = [one for one in found if one.faults]
    # A block that is whole in one part of a mail and damaged in another has come.
    return [*whole, *({str(one.faults): one for one in damaged if not whole}.values())] or [mail]


def holds_nothing(mail: Incoming) -> bool:
    """Whether what came is a whole mail, because nothing was found in it."""
    return not mail.faults and is_mail(mail.data)


def _within_caps(data: bytes) -> bool:
    """Whether the parser can be let loose on a mail: its work grows with lines times open boundaries, its memory with parts."""
    return (
        len(data) <= LARGEST
        and data.count(b"\n") + data.count(b"\r") <= 2 * MOST_LINES
        and sum(1 for _ in _BOUNDARY.finditer(data)) <= MOST_PARTS
        and sum(1 for _ in _DASHES.finditer(data)) <= MOST_DASHES
    )


@dataclass
class _Opened:
    """A mail while it is taken apart; ``parts`` counts them."""

    mail: Incoming
    parts: int = 0

    def files(self, message: Message, depth: int) -> Iterator[Incoming]:
        """What lies in a message or part, inner messages too."""
        self.parts += 1
        if depth > DEEPEST or self.parts > MOST_PARTS:
            return
        if not message.is_multipart():
            yield from self._leaf(message)
            return
        inside = [part for part in message.get_payload() if isinstance(part, Message)]
        detached = {} if message.get_content_type() == "multipart/alternative" else _signatures(inside)
        for part in inside:
            name = _file_name(part)
            if name in detached:
                yield Incoming(self._called(name), _bytes(part), detached[name], self.mail.received)
            elif not name.endswith(".sig") or name.removesuffix(".sig") not in detached:
                yield from self.files(part, depth + 1)

    def _leaf(self, part: Message) -> Iterator[Incoming]:
        data, name = _bytes(part), _file_name(part)
        one = replace(self.mail, name=self._called(name), data=data)
        if _signed(data):
            yield one
            return
        found = unpack(replace(one, data=_text(part, data))) if part.get_content_maintype() == "text" or _looks_like_text(data) else []
        found = [each for each in found if each.faults or _signed(each.data)]
        yield from found
        if not found and name.lower().endswith(".toml"):
            # Somebody has sent the file he edits instead of the signed one: he shall be told so.
            yield one

    def _called(self, name: str) -> str:
        return f"{self.mail.name}#{name}" if name else self.mail.name


def _signatures(parts: list[Message]) -> dict[str, str]:
    """File name → the detached signature that came beside it, as ssh-keygen makes it."""
    names = {_file_name(part) for part in parts}
    return {
        name.removesuffix(".sig"): _bytes(part)[:CAP].decode("ascii", "replace")
        for part in parts if (name := _file_name(part)).endswith(".sig") and name.removesuffix(".sig") in names
    }  # fmt: skip


def _file_name(part: Message) -> str:
    """The name of an attachment, without folders and odd signs; "" for a part without one."""
    name = part.get_filename() if isinstance(part, EmailMessage) else None
    return _NAME.sub("_", (name or "").replace("\\", "/").rpartition("/")[2])[:60].strip(". ")


def _bytes(part: Message) -> bytes:
    """A part's content, base64 and quoted-printable undone; b"" for one that holds parts itself."""
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _text(part: Message, data: bytes) -> bytes:
    """A part's text as UTF-8, whatever it was written in."""
    try:
        return data.decode(part.get_content_charset("utf-8"), "replace").encode("utf-8", "replace")
    except LookupError:
        return data


def _signed(data: bytes) -> bool:
    """Whether these bytes are a file with a signature block, good or bad."""
    try:
        split(data)
    except Unreadable:
        return False
    return True


def _looks_like_text(data: bytes) -> bool:
    return len(data) <= 4 * CAP and b"\0" not in data
