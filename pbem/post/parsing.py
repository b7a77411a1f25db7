"""The bytes of a mail as the standard library's message, within bounds that nobody's mail can break.

The parser's work grows with lines times open boundaries, its memory with parts and headers, and its reading of a header's parameters with
their square: all are capped. Of a mail beyond the caps only the header is read.
"""

from __future__ import annotations

import quopri
import re
from base64 import b64decode
from email.message import Message
from email.parser import BytesHeaderParser, BytesParser
from email.policy import Compat32
from typing import Any

LARGEST = 25 * 1024 * 1024
MOST_BOUNDARIES = 300       # each may be open while every line is compared with it
MOST_LINES = 450_000        # 25 MB of base64 have 340,000
MOST_DASHES = 5000          # lines that begin with two dashes: each could begin a part
MOST_PARTS = 500
MOST_HEADERS = 10_000       # of all parts together
LONGEST_HEADER = 8 * 1024   # what is read of one header line, folded lines and all
LARGEST_PART = 6 * 1024 * 1024   # bytes of an encoded part: an order file has a thousand, a packed one not many more
_LONGEST_HEAD = 256 * 1024

_BOUNDARY = re.compile(rb"boundary", re.IGNORECASE)
_DASHES = re.compile(rb"[\r\n]--")
_BULK = re.compile(rb"^(?:[A-Za-z0-9+/=]{60,80}\r?\n)++", re.MULTILINE)
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/=]+")
_MOST_PIECES = 1000
_HEAD_END = re.compile(rb"\r?\n\r?\n|\r\r")


class _Bounded(Compat32):
    """Takes headers as they are, and of each no more than is read of it."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, _, value = sourcelines[0].partition(":")
        kept, size = [value.lstrip(" \t\r\n")], len(value)
        for line in sourcelines[1:]:
            if size > LONGEST_HEADER:
                break
            kept.append(line)
            size += len(line)
        return name[:LONGEST_HEADER], "".join(kept)[:LONGEST_HEADER].rstrip("\r\n")


_POLICY = _Bounded()
BROKEN = (ValueError, LookupError, TypeError, AttributeError, RecursionError, AssertionError)
"""The parser takes nearly everything, but not every mangled header."""


def _counted() -> type[Message]:
    """A kind of message of which no more can be made than a mail may have parts, with no more headers in all. ValueError beyond."""
    parts = headers = 0

    class Counted(Message):
        def __init__(self, policy: Compat32 = _POLICY) -> None:
            nonlocal parts
            parts += 1
            if parts > MOST_PARTS:
                raise ValueError("too many parts")
            super().__init__(policy)

        def set_raw(self, name: str, value: str) -> None:
            nonlocal headers
            headers += 1
            if headers > MOST_HEADERS:
                raise ValueError("too many headers")
            super().set_raw(name, value)

        def set_payload(self, payload: Any, charset: Any = None) -> None:
            # What get_payload gives back has been through a character set of the mail's own choice.
            self.raw = payload if isinstance(payload, str) else ""
            super().set_payload(payload, charset)

    return Counted


def within_caps(data: bytes) -> bool:
    """Whether the parser can be let loose on a mail."""
    return (
        len(data) <= LARGEST
        and max(data.count(b"\n"), data.count(b"\r")) <= MOST_LINES
        and sum(1 for _ in _BOUNDARY.finditer(data)) <= MOST_BOUNDARIES
        and sum(1 for _ in _DASHES.finditer(data)) <= MOST_DASHES
    )


def raw(part: Message) -> str:
    """What stands in a part, its encoding not undone, bytes beyond ASCII as surrogates; "" for one that holds parts itself."""
    found = getattr(part, "raw", None)
    if isinstance(found, str) or part.is_multipart():
        return found or ""
    try:
        payload = part.get_payload()
    except BROKEN:
        return ""
    return payload if isinstance(payload, str) else ""


def content(part: Message) -> bytes:
    """What a part holds, base64 and quoted-printable undone as far as they can be; b"" for one that holds parts itself."""
    text = raw(part)
    try:
        data = text.encode("ascii", "surrogateescape")
    except UnicodeEncodeError:
        data = text.encode("utf-8", "surrogateescape")
    encoding = str(part.get("content-transfer-encoding", "")).partition(";")[0].strip().lower()
    if encoding == "base64":
        return from_base64(data)
    if encoding == "quoted-printable":
        return quopri.decodestring(data)
    if encoding in ("x-uuencode", "uuencode", "uue", "x-uue"):
        try:
            decoded = part.get_payload(decode=True)
        except BROKEN:
            return data
        return decoded if isinstance(decoded, bytes) else data
    return data


def from_base64(data: bytes) -> bytes:
    """Base64 with anything between its letters, cut off anywhere, or put together of several pieces."""
    data = _NOT_BASE64.sub(b"", data)
    pieces = data.split(b"=") if data.count(b"=") <= _MOST_PIECES else [data.replace(b"=", b"")]
    return b"".join(b64decode(piece[:-1] if len(piece) % 4 == 1 else piece + b"=" * (-len(piece) % 4)) for piece in pieces if piece)


def lightened(data: bytes) -> tuple[bytes, bool]:
    """A large mail without its large attachments, and whether any was taken out: they need not be parsed to be left closed."""
    if len(data) <= LARGEST_PART:
        return data, False
    kept, at = [], 0
    for run in _BULK.finditer(data):
        if run.end() - run.start() > LARGEST_PART:
            kept.append(data[at : run.start()])
            at = run.end()
    return b"".join([*kept, data[at:]]) if kept else data, bool(kept)


def parse_whole(data: bytes) -> Message | None:
    """A mail taken apart; None for one beyond the caps, or that cannot be parsed. Never raises."""
    data = data.lstrip()
    try:
        return BytesParser(_counted(), policy=_POLICY).parsebytes(data) if within_caps(data) else None
    except BROKEN:
        return None


def parse(data: bytes) -> Message:
    """A mail taken apart; of one beyond the caps, or that cannot be parsed, the header alone. Never raises."""
    whole = parse_whole(data)
    return whole if whole is not None else header_of(data)


def header_of(data: bytes) -> Message:
    """The header of a mail, whatever follows it. Never raises."""
    head = data.lstrip()[:_LONGEST_HEAD]
    end = _HEAD_END.search(head)
    try:
        return BytesHeaderParser(_counted(), policy=_POLICY).parsebytes(head[: end.end()] if end else head)
    except BROKEN:
        return Message(policy=_POLICY)
