"""An SMTP server for tests, with a certificate of its own, that can be told to refuse; and a wire in front of it that can be cut."""

from __future__ import annotations

import datetime
import email
import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

USER, PASSWORD = "games", "correct horse"


@dataclass
class Post:
    """What has arrived, and what is refused: address → answer at RCPT, at DATA, at MAIL for all."""

    mails: list[EmailMessage] = field(default_factory=list)
    rcpt: dict[str, str] = field(default_factory=dict)
    data: dict[str, str] = field(default_factory=dict)
    sender: str = ""
    port: int = 0
    logins: list[bool] = field(default_factory=list)
    secure: list[bool] = field(default_factory=list)

    async def handle_MAIL(  # noqa: N802 - aiosmtpd's names
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.sender:
            return self.sender
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if answer := self.rcpt.get(address):
            return answer
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        if answer := self.data.get(envelope.rcpt_tos[0]):
            return answer
        data = envelope.content
        assert isinstance(data, bytes)
        message = email.message_from_bytes(data, policy=default)
        assert isinstance(message, EmailMessage)
        self.mails.append(message)
        self.secure.append(server.transport.get_extra_info("sslcontext") is not None)
        return "250 taken"

    def ids(self) -> list[str]:
        return [str(mail["Message-ID"]) for mail in self.mails]

    def to(self, address: str) -> list[EmailMessage]:
        return [mail for mail in self.mails if address in str(mail["To"])]


@contextmanager
def smtp_server(*, tls: Certificate | None = None, mode: str = "plain", auth: bool = False) -> Iterator[Post]:
    """A running server on this machine. ``mode``: "plain", "starttls" or "tls"."""
    post = Post()

    def login(server: SMTP, session: Session, envelope: Envelope, mechanism: str, words: Any) -> AuthResult:
        assert isinstance(words, LoginPassword)
        right = (words.login.decode(), words.password.decode()) == (USER, PASSWORD)
        post.logins.append(right)
        return AuthResult(success=right, handled=right)

    facts: dict[str, Any] = {"authenticator": login, "auth_required": auth, "auth_require_tls": mode == "starttls", "timeout": 10}
    if mode == "starttls":
        assert tls is not None
        facts |= {"tls_context": tls.server(), "require_starttls": True}
    around = tls.server() if tls is not None and mode == "tls" else None
    controller = Controller(post, hostname="127.0.0.1", port=free_port(), ssl_context=around, **facts)
    controller.start()
    post.port = controller.port
    try:
        yield post
    finally:
        controller.stop()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


# -- a wire that can be cut ------------------------------------------------------------------------------------------------------


class Wire:
    """Stands between client and server and cuts the connection before the Nth piece (either way) is passed on. 0: never."""

    def __init__(self, port: int, cut: int = 0) -> None:
        self._to, self._cut, self.pieces = port, cut, 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._to))
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(one, other), daemon=True).start()

    def _pump(self, one: socket.socket, other: socket.socket) -> None:
        try:
            while piece := one.recv(65536):
                with self._lock:
                    self.pieces += 1
                    cut = self.pieces == self._cut
                if cut:
                    break
                other.sendall(piece)
        except OSError:
            pass
        for each in (one, other):
            try:
                each.shutdown(socket.SHUT_RDWR)
                each.close()
            except OSError:
                pass


def chatterbox(answers: Callable[[int], bytes]) -> tuple[int, Callable[[], None]]:
    """A server that speaks no SMTP: to the Nth line it hears it says what ``answers`` gives. Its port, and what stops it."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            with client:
                try:
                    for number in range(50):
                        said = answers(number)
                        client.sendall(said)
                        if not said or not client.recv(65536):
                            break
                except OSError:
                    pass

    threading.Thread(target=serve, daemon=True).start()
    return int(listening.getsockname()[1]), listening.close


# -- a certificate ---------------------------------------------------------------------------------------------------------------


@dataclass
class Certificate:
    """A certificate for 127.0.0.1 that only who is given its file trusts."""

    path: Path
    key: Path

    def server(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path, self.key)
        return context


def certificate(where: Path, *, name: str = "127.0.0.1") -> Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.UTC)
    alternative = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(name))])
    made = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(alternative, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    found = Certificate(where / f"{name}.pem", where / f"{name}.key")
    found.path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    found.key.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return found
