"""A real IMAP server for tests: Dovecot, as whoever runs them, on this machine only, with nothing outside of its folder."""

from __future__ import annotations

import contextlib
import datetime
import getpass
import grp
import imaplib
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

PASSWORD = "correct-horse"  # noqa: S105 — of a server that lives for a few tests
PROGRAM = shutil.which("dovecot") or next((path for path in ("/usr/sbin/dovecot", "/usr/local/sbin/dovecot") if Path(path).exists()), "")


@dataclass(frozen=True)
class Dovecot:
    """A server at work. Any user may log in with PASSWORD, and has a mailbox of his own."""

    port: int
    tls_port: int
    certificate: Path
    mails: Path

    @contextlib.contextmanager
    def client(self, user: str, folder: str = "INBOX") -> Iterator[imaplib.IMAP4]:
        """What another mail program does with the mailbox."""
        with imaplib.IMAP4("127.0.0.1", self.port, timeout=10) as connection:
            connection.login(user, PASSWORD)
            assert connection.select(folder)[0] == "OK"
            yield connection

    def deliver(self, user: str, data: bytes, received: datetime.datetime) -> None:
        """A mail comes in."""
        with self.client(user) as connection:
            assert connection.append("INBOX", "", received.strftime('"%d-%b-%Y %H:%M:%S +0000"'), data)[0] == "OK"

    def flags(self, user: str, folder: str = "INBOX") -> list[set[str]]:
        """The flags of each mail, in the order in which they came."""
        with self.client(user, folder) as connection:
            _, [count] = connection.search(None, "ALL")
            _, lines = connection.fetch("1:*", "(FLAGS)") if count else ("", [])
        found = [re.search(rb"FLAGS \(([^)]*)\)", line) for line in lines if isinstance(line, bytes)]
        return [set(one[1].decode().split()) - {r"\Recent"} for one in found if one is not None]

    def number_anew(self, user: str) -> None:
        """The server loses its numbering: the same mails get other numbers, and another UIDVALIDITY."""
        for path in (self.mails / user).glob("dovecot*"):
            path.unlink()
        time.sleep(1.1)   # UIDVALIDITY is the second in which the numbering was begun


def version() -> tuple[int, ...]:
    said = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in re.findall(r"[0-9]+", said)[:2])


@contextlib.contextmanager
def running() -> Iterator[Dovecot]:
    """Starts a server and stops it. Its folder is none of pytest's, which nobody but their owner may enter."""
    with tempfile.TemporaryDirectory(prefix="pbem-dovecot-") as made:
        yield from _running(Path(made))


def _running(folder: Path) -> Iterator[Dovecot]:
    folder.chmod(0o755)
    mails, run = folder / "mails", folder / "run"
    mails.mkdir()
    run.mkdir()
    if os.geteuid() == 0:
        shutil.chown(mails, "mail", "mail")
    certificate, key = _certificate(folder)
    made = Dovecot(_free_port(), _free_port(), certificate, mails)
    config = folder / "dovecot.conf"
    config.write_text(_config(folder, made, key))
    server = subprocess.Popen([PROGRAM, "-F", "-c", str(config)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        _wait(made.port, server, folder)
        yield made
    finally:
        server.terminate()
        server.wait(20)
        assert server.stdout is not None
        server.stdout.close()
        for line in (folder / "dovecot.log").read_text().splitlines():
            if "Error" in line or "Fatal" in line or "Panic" in line:
                print(line)


def _wait(port: int, server: subprocess.Popen[bytes], folder: Path) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as connection:
            if connection.recv(100).startswith(b"* OK"):
                return
        if server.poll() is not None:
            break
        time.sleep(0.05)
    log = (folder / "dovecot.log").read_text() if (folder / "dovecot.log").exists() else ""
    server.kill()
    said = server.stdout.read().decode() if server.stdout else ""
    raise AssertionError(f"Dovecot {version()} does not start: {said}{log}")


def _config(folder: Path, made: Dovecot, key: Path) -> str:
    new = version() >= (2, 4)
    name = getpass.getuser()
    rootless = os.geteuid() != 0
    user, group = (name, grp.getgrgid(os.getegid()).gr_name) if rootless else ("mail", "mail")
    head = f"dovecot_config_version = {'.'.join(map(str, version()))}.0\ndovecot_storage_version = 2.3.0\n" if new else ""
    tls = (
        f"ssl = yes\nssl_server_cert_file = {made.certificate}\nssl_server_key_file = {key}\nauth_allow_cleartext = yes\n"
        if new else f"ssl = yes\nssl_cert = <{made.certificate}\nssl_key = <{key}\ndisable_plaintext_auth = no\n"
    )  # fmt: skip
    mails = (
        f"mail_driver = maildir\nmail_path = {folder}/mails/%{{user}}\nprotocols {{\n  imap = yes\n}}\n"
        f"passdb static {{\n  passdb_static_password = {PASSWORD}\n}}\nuserdb static {{\n"
        f"  fields {{\n    uid = {user}\n    gid = {group}\n    home = {folder}/mails/%{{user}}\n  }}\n}}\n"
        if new else f"mail_location = maildir:{folder}/mails/%u\nprotocols = imap\n"
        f"passdb {{\n  driver = static\n  args = password={PASSWORD}\n}}\n"
        f"userdb {{\n  driver = static\n  args = uid={user} gid={group} home={folder}/mails/%u\n}}\n"
    )  # fmt: skip
    alone = f"default_internal_user = {name}\ndefault_login_user = {name}\ndefault_internal_group = {group}\n" if rootless else ""
    outside = "  chroot =\n" if rootless else ""
    services = f"service anvil {{\n{outside}}}\n" if rootless else ""
    return f"""{head}base_dir = {folder}/run
state_dir = {folder}/run
log_path = {folder}/dovecot.log
listen = 127.0.0.1
first_valid_uid = 1
mail_uid = {user}
mail_gid = {group}
{alone}{tls}{mails}{services}service imap-login {{
{outside}  inet_listener imap {{
    port = {made.port}
  }}
  inet_listener imaps {{
    port = {made.tls_port}
    ssl = yes
  }}
}}
"""


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost that nobody trusts who is not told to."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True).sign(key, hashes.SHA256())
    )  # fmt: skip
    paths = folder / "localhost.pem", folder / "localhost.key"
    paths[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ))  # fmt: skip
    paths[1].chmod(0o600)
    return paths
