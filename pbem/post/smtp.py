"""Mails handed to an SMTP server, one by one, each with its own end: gone, put off, refused, or the connection lost.

Where SMTP leaves it open whether a mail has arrived (everything was said, the answer did not come) it counts as not gone: it is sent once
more, with the same Message-ID.
"""

from __future__ import annotations

import contextlib
import re
import smtplib
import ssl
from typing import Literal

import msgspec

from pbem.campaign.folder import CampaignError
from pbem.post.settings import Smtp, password

_ENHANCED = re.compile(r"^\s*([245])\.([0-9]{1,3})\.([0-9]{1,3})\b")
_ADDRESS = re.compile(r"<?[^\s<>\"',;()]+@[^\s<>\"',;()]+>?")
_LONGEST = 200
TOO_LARGE = 552

NO_TLS = 'it does not begin with TLS; security = "starttls" under [smtp] is for servers that change to it (most do at port 587)'
"""By far the commonest slip: the port of the one way, with the other way's setting."""

End = Literal["gone", "later", "refused", "blocked", "lost"]


class Outcome(msgspec.Struct, frozen=True):
    """What became of a mail: ``end`` and what the server said.

    "gone"; "later": a temporary refusal; "refused": the address, or what was sent to it, for good; "blocked": the server does not take
    mails from us, which is no fault of the address; "lost": the connection broke, and whether the mail has arrived is not known.
    """

    end: End
    said: str = ""


class Carrier:
    """A connection to an SMTP server, made when the first mail is handed over, and again after it was lost.

    A context manager. CampaignError "smtp" (with a sentence) when the server cannot be reached, its certificate is not good, or it does not
    let us in: then no mail can go at all.
    """

    def __init__(self, server: Smtp, sender: str) -> None:
        self._server = server
        self._sender = sender
        self._line: smtplib.SMTP | None = None

    def __enter__(self) -> Carrier:
        return self

    def __exit__(self, *_: object) -> None:
        self._hang_up()

    def send(self, to: str, data: bytes) -> Outcome:
        """Hands a mail over. ``data`` are its bytes with CRLF line ends."""
        line = self._connected()
        try:
            line.sendmail(self._sender, [to], data)
        except smtplib.SMTPRecipientsRefused as error:
            code, said = next(iter(error.recipients.values()))
            return self._refused(code, said)
        except smtplib.SMTPSenderRefused as error:
            if error.smtp_code in (421, -1):
                return self._broken(error.smtp_code, error.smtp_error)
            told = _told(error.smtp_code, error.smtp_error)
            if error.smtp_code == TOO_LARGE:
                return Outcome("blocked", told)
            if error.smtp_code < 500:
                return Outcome("later", told)
            self._hang_up()
            raise _stopped(self._server, f"it does not take mail from {self._sender}: {told}") from None
        except smtplib.SMTPDataError as error:
            return self._refused(error.smtp_code, error.smtp_error)
        except smtplib.SMTPNotSupportedError as error:
            return Outcome("refused", _clean(str(error)))
        except (smtplib.SMTPServerDisconnected, OSError, ValueError) as error:
            # ValueError: an answer that is no SMTP.
            self._hang_up(politely=False)
            return Outcome("lost", _clean(str(error)) or type(error).__name__)
        except smtplib.SMTPException as error:
            self._hang_up(politely=False)
            return Outcome("lost", _clean(str(error)))
        return Outcome("gone")

    def _refused(self, code: int, said: bytes | str) -> Outcome:
        if code in (421, -1):
            return self._broken(code, said)
        told = _told(code, said)
        if code < 500:
            return Outcome("later", told)
        found = _ENHANCED.match(_text(said))
        # 5.7: not let through by a rule, of theirs or of our own server; 5.2.2: the mailbox is full, which passes.
        if found and found[2] == "7":
            return Outcome("blocked", told)
        if found and (found[2], found[3]) == ("2", "2"):
            return Outcome("later", told)
        return Outcome("refused", told)

    def _broken(self, code: int, said: bytes | str) -> Outcome:
        self._hang_up(politely=False)
        return Outcome("lost", _told(code, said))

    def _connected(self) -> smtplib.SMTP:
        if self._line is not None and self._line.sock is not None:
            return self._line
        server = self._server
        word = password(server, "smtp")
        try:
            self._line = self._open()
            if server.user:
                self._line.login(server.user, word)
        except smtplib.SMTPAuthenticationError as error:
            self._hang_up()
            raise _stopped(server, f"it does not accept the user {server.user} and the password: {error.smtp_code}") from None
        except ssl.SSLCertVerificationError as error:
            self._hang_up(politely=False)
            raise _stopped(server, f"its certificate is not good: {_clean(error.verify_message or str(error))}") from None
        except smtplib.SMTPNotSupportedError as error:
            self._hang_up()
            raise _stopped(server, _clean(str(error))) from None
        except (smtplib.SMTPException, OSError, ValueError) as error:
            self._hang_up(politely=False)
            raise _stopped(server, _reason(error)) from None
        return self._line

    def _open(self) -> smtplib.SMTP:
        server = self._server
        if server.security == "tls":
            line: smtplib.SMTP = smtplib.SMTP_SSL(server.host, server.number, timeout=server.timeout, context=ssl.create_default_context())
            self._line = line
            line.ehlo_or_helo_if_needed()
            return line
        line = self._line = smtplib.SMTP(server.host, server.number, timeout=server.timeout)
        line.ehlo_or_helo_if_needed()
        if server.security == "starttls":
            # Raises when the server does not offer it: nothing is ever said in the clear instead.
            line.starttls(context=ssl.create_default_context())
            line.ehlo_or_helo_if_needed()
        return line

    def _hang_up(self, *, politely: bool = True) -> None:
        line, self._line = self._line, None
        if line is None:
            return
        with contextlib.suppress(smtplib.SMTPException, OSError, ValueError):
            if politely:
                line.quit()
        with contextlib.suppress(OSError):
            line.close()


def _stopped(server: Smtp, why: str) -> CampaignError:
    return CampaignError("smtp", host=server.host, port=server.number, why=why)


def _reason(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        return _told(error.smtp_code, error.smtp_error)
    if isinstance(error, ssl.SSLError) and error.reason in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST"):
        return NO_TLS
    if isinstance(error, OSError) and error.strerror:
        return _clean(error.strerror)
    return _clean(str(error)) or type(error).__name__


def _told(code: int, said: bytes | str) -> str:
    return _clean(f"{code} {_text(said)}" if code > 0 else _text(said))


def _text(said: bytes | str) -> str:
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else said


def _clean(text: str) -> str:
    """What a server says, on one line, without controls and without addresses: it is shown on terminals, and in logs that others read."""
    shown = " ".join("".join(mark if mark.isprintable() else " " for mark in text[: 4 * _LONGEST]).split())
    return _ADDRESS.sub("(address)", shown)[:_LONGEST]
