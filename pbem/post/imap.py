"""A mailbox on an IMAP server, over TLS. What the server says is bounded: sizes, times, and what of it reaches a message to people.

A mail is named by its number there and the number of the numbering (UIDVALIDITY): when a server numbers anew, everything is looked at
anew. Whether somebody has looked at a mail with another program does not matter; our own mark is a keyword beside ``\\Seen``.
"""

from __future__ import annotations

import contextlib
import imaplib
import re
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from pbem.campaign.folder import CampaignError
from pbem.post.mailboxes import HEADERS, LARGEST, Gone, Lying
from pbem.post.settings import Imap as Server
from pbem.post.settings import password

KEYWORD = "$pbem"
_AT_ONCE = 200
_ROOM = 1024 * 1024   # what a server may send beside a mail
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_UID = re.compile(rb"\bUID ([0-9]{1,10})\b")
_SIZE = re.compile(rb"\bRFC822\.SIZE ([0-9]{1,12})\b")
_DATE = re.compile(rb'\bINTERNALDATE "([ 0-9][0-9])-([A-Za-z]{3})-([0-9]{4}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) ([+-])([0-9]{2})([0-9]{2})"')


class _Bounded(imaplib.IMAP4):
    """A connection on which no server can make us read without end."""

    def read(self, size: int) -> bytes:
        if size > LARGEST + _ROOM:
            raise self.abort("the server sends more than it was asked for")
        return super().read(size)


class _BoundedTls(_Bounded, imaplib.IMAP4_SSL):
    pass


class Imap:
    """A mailbox on the server that the settings name."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._connection: imaplib.IMAP4 | None = None
        self._validity = 0
        self._keyword = False
        self._abilities: set[str] = set()

    @property
    def key(self) -> str:
        return f"imap:{self.server.user}@{self.server.host}:{self.server.number}/{self.server.folder}"

    @contextlib.contextmanager
    def opened(self, *, look_only: bool) -> Iterator[None]:
        secret = password(self.server, "imap")
        with self._told():
            connection = self._connect()
        self._connection = connection
        try:
            with self._told():
                self._log_in(secret)
                self._select(look_only)
            yield
        finally:
            self._connection = None
            # Whatever is said at parting, the work is done.
            with contextlib.suppress(imaplib.IMAP4.error, OSError, ValueError):
                connection.logout()
            with contextlib.suppress(OSError, AttributeError):
                connection.shutdown()

    def lying(self, since: datetime) -> list[Lying]:
        # Servers compare days in a zone of their own.
        day = since - timedelta(days=2)
        written = f"{day.day:02}-{_MONTHS[day.month - 1].capitalize()}-{day.year:04}"
        with self._told():
            [answer, *_] = self._uid("SEARCH", "SINCE", written)
            numbers = sorted({int(word) for word in (answer or b"").split() if word.isdigit()})
            found: list[Lying] = []
            for at in range(0, len(numbers), _AT_ONCE):
                batch = numbers[at : at + _AT_ONCE]
                found += self._listed(batch)
        return sorted((mail for mail in found if mail.received >= since), key=lambda mail: (mail.received, _number(mail)))

    def read(self, mail: Lying) -> bytes:
        what = f"(UID BODY.PEEK[]<0.{LARGEST}>)" if mail.size <= LARGEST else f"(UID BODY.PEEK[HEADER]<0.{HEADERS}>)"
        with self._told():
            for part in self._uid("FETCH", str(_number(mail)), what):
                # What other programs change may be told in between; a mail's bytes come as a literal.
                if isinstance(part, tuple) and b"BODY[" in part[0].upper():
                    return bytes(part[1])
        raise Gone(mail.name)

    def mark(self, mail: Lying) -> None:
        flags = rf"(\Seen {KEYWORD})" if self._keyword else r"(\Seen)"
        with self._told():
            self._uid("STORE", str(_number(mail)), "+FLAGS.SILENT", flags)
            if self.server.done:
                self._move(str(_number(mail)))

    def _move(self, number: str) -> None:
        """Out of the way, into the folder for what is done, which is made when it is not there."""
        connection, folder = self._open(), _quoted(self.server.done)
        if "MOVE" not in self._abilities:
            return
        if connection.uid("MOVE", number, folder)[0] != "OK":
            connection.create(folder)
            self._uid("MOVE", number, folder)

    # -- talking to the server -------------------------------------------------------------------------------------------

    def _connect(self) -> imaplib.IMAP4:
        trusted = ssl.create_default_context()
        if self.server.security == "tls":
            return _BoundedTls(self.server.host, self.server.number, ssl_context=trusted, timeout=self.server.timeout)
        connection = _Bounded(self.server.host, self.server.number, timeout=self.server.timeout)
        if self.server.security == "starttls":
            connection.starttls(trusted)
        return connection

    def _log_in(self, password: str) -> None:
        connection = self._open()
        try:
            if "AUTH=PLAIN" in connection.capabilities:
                # LOGIN cannot say every character.
                connection.authenticate("PLAIN", lambda _challenge: f"\0{self.server.user}\0{password}".encode())
            else:
                connection.login(self.server.user, password)
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error as error:
            raise CampaignError("mail-login", host=self.server.host, user=self.server.user, reason=_plain(error, password)) from None

    def _select(self, look_only: bool) -> None:
        connection = self._open()
        # What a server can do it says anew to whoever has logged in.
        _, said = connection.capability()
        self._abilities = set(b" ".join(part for part in said if isinstance(part, bytes)).decode("ascii", "replace").upper().split())
        if "ID" in self._abilities:
            # 163.com and its kin let nobody look who has not said what he is (RFC 2971).
            connection.xatom("ID", '("name" "pbem")')
        status, answer = connection.select(_quoted(self.server.folder), readonly=look_only)
        if status != "OK":
            raise CampaignError("mail-folder", host=self.server.host, folder=self.server.folder, reason=_plain(answer[0]))
        _, [validity] = connection.response("UIDVALIDITY")
        self._validity = int(validity or 0)
        _, allowed = connection.response("PERMANENTFLAGS")
        text = b" ".join(part for part in allowed if isinstance(part, bytes))
        self._keyword = rb"\*" in text or KEYWORD.encode() in text

    def _uid(self, command: str, *words: str) -> list[Any]:
        status, answer = self._open().uid(command, *words)
        if status != "OK":
            raise CampaignError("mail-server", host=self.server.host, reason=_plain(answer[0] if answer else b""))
        return list(answer)

    def _listed(self, asked: list[int]) -> list[Lying]:
        found: dict[int, Lying] = {}
        for line in self._uid("FETCH", ",".join(map(str, asked)), "(UID RFC822.SIZE INTERNALDATE)"):
            text = line[0] if isinstance(line, tuple) else line
            if not isinstance(text, bytes):
                continue
            number, size, date = _UID.search(text), _SIZE.search(text), _DATE.search(text)
            if number and size and date and int(number[1]) in asked and (when := _time(date)) is not None:
                found[int(number[1])] = Lying(f"{self._validity}-{int(number[1])}", int(size[1]), when)
        missing = [str(number) for number in asked if number not in found]
        if missing and any(self._uid("SEARCH", "UID", ",".join(missing))):
            # Nothing may be passed over: if it is still there, its size and time must be known.
            raise CampaignError("mail-server", host=self.server.host, reason="it does not tell the size and the time of every mail")
        return list(found.values())

    def _open(self) -> imaplib.IMAP4:
        if self._connection is None:
            raise AssertionError("opened before it is read")
        return self._connection

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Turns what can go wrong on the way into one refusal that names the server and nothing secret."""
        try:
            yield
        except ssl.SSLCertVerificationError as error:
            raise CampaignError("mail-certificate", host=self.server.host, reason=_plain(error.verify_message)) from None
        except (imaplib.IMAP4.error, OSError, EOFError) as error:
            raise CampaignError("mail-connection", host=self.server.host, port=self.server.number, reason=_plain(error)) from None


def _number(mail: Lying) -> int:
    return int(mail.name.partition("-")[2])


def _quoted(folder: str) -> str:
    """The name of a folder as IMAP wants it. CampaignError for what it cannot say as it stands."""
    if not folder.isascii() or not folder.isprintable():
        raise CampaignError("mail-folder-name", folder=folder)
    return '"' + folder.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _time(date: re.Match[bytes]) -> datetime | None:
    """The server's own time of a mail, as UTC."""
    day, month, year, hour, minute, second, sign, off_hours, off_minutes = (part.decode("ascii") for part in date.groups())
    try:
        east = timedelta(hours=int(off_hours), minutes=int(off_minutes)) * (-1 if sign == "-" else 1)
        zone = timezone(east)
        there = datetime(int(year), _MONTHS.index(month.lower()) + 1, int(day), int(hour), int(minute), int(second), tzinfo=zone)
        return there.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _plain(reason: object, secret: str = "") -> str:
    """What a server said, short, in one line, and without what was said to it."""
    if isinstance(reason, OSError) and reason.strerror:
        reason = reason.strerror
    elif isinstance(reason, Exception) and reason.args:
        reason = reason.args[0]
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    if secret:
        text = text.replace(secret, "…")
    return "".join(char if char.isprintable() else " " for char in text)[:160].strip() or "no reason given"
