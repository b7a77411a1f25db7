"""How mail is fetched and sent: ``private/mail.toml``, and the environment, which goes first.

No password stands in a file: it comes from the environment or from a command that prints it.
"""

import os
import re
import shlex
import subprocess
import tomllib
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from pbem.campaign import clock
from pbem.campaign.folder import CampaignError, Folder, read
from pbem.orders.findings import nearest
from pbem.post.contacts import checked

SHARED = "PBEM_MAIL_SETTINGS"
"""Names a settings file for all campaigns that have none of their own."""

_CAP = 64 * 1024
_PORTS = {"tls": 465, "starttls": 587, "plain": 25}
_ADDRESSES = ("address", "organiser")

Security = Literal["tls", "starttls", "plain"]
Port = Annotated[int, msgspec.Meta(ge=0, le=65535)]
Clock = Annotated[str, msgspec.Meta(pattern=r"\A(?:(?:[01][0-9]|2[0-3]):[0-5][0-9])?\Z")]


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Server(_Table, frozen=True, kw_only=True):
    """A mail server. ``password_command`` is run without a shell, and the first line it prints is the password; ``unsafe`` allows
    ``security = "plain"`` to another machine than this one."""

    host: str
    port: Port = 0
    security: Security = "tls"
    user: str = ""
    password_command: str = ""
    unsafe: bool = False
    timeout: Annotated[int, msgspec.Meta(ge=1, le=600)] = 60

    @property
    def local(self) -> bool:
        """Whether it runs on this machine, so that nothing said to it passes a wire."""
        return self.host in ("localhost", "127.0.0.1", "::1")


class Imap(Server, frozen=True, kw_only=True):
    """The mailbox that orders come to; ``done``: the folder that handled mails are moved to, "" to leave them where they are."""

    folder: str = "INBOX"
    done: str = ""

    @property
    def number(self) -> int:
        """The port: the one named, else the usual one."""
        return self.port or {"tls": 993, "starttls": 143, "plain": 143}[self.security]


class Smtp(Server, frozen=True, kw_only=True):
    """The server that takes mails out."""

    @property
    def number(self) -> int:
        """The port: the one named, else the usual one."""
        return self.port or _PORTS[self.security]


class Maildir(_Table, frozen=True, kw_only=True):
    """Folders to read from and to put mails into; relative ones lie in ``private/mail``."""

    inbox: str = ""
    outbox: str = ""


class Mbox(_Table, frozen=True, kw_only=True):
    """A file to read mails from."""

    inbox: str = ""


class SeatSettings(_Table, frozen=True, kw_only=True):
    """What one player wants otherwise than the campaign; None: as the campaign."""

    digest: Clock | None = None
    reminders: list[str] | None = None


class Settings(_Table, frozen=True, kw_only=True):
    """See ``docs/formats.md``. ``digest``: a time of day, such as "07:00", at which what happened is told once a day; "": at once.
    ``install``: how players get pbem, for invites.
    """

    address: str = ""
    name: str = ""
    organiser: str = ""
    site: str = ""
    install: str = ""
    digest: Clock = ""
    reminders: list[str] = msgspec.field(default_factory=lambda: ["24h", "3h"])
    most_a_day: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 20
    pdf: bool = True
    imap: Imap | None = None
    smtp: Smtp | None = None
    maildir: Maildir = Maildir()
    mbox: Mbox = Mbox()
    seats: dict[str, SeatSettings] = {}

    def digest_of(self, seat: str) -> str:
        """The time of day at which a seat is told what happened; "" for at once."""
        own = self.seats.get(seat)
        return self.digest if own is None or own.digest is None else own.digest

    def reminders_of(self, seat: str) -> list[str]:
        """How long before a closing time a seat is reminded."""
        own = self.seats.get(seat)
        return self.reminders if own is None or own.reminders is None else own.reminders


def path_of(folder: Folder) -> Path:
    """Where a campaign's own settings stand."""
    return folder.private / "mail.toml"


def load(folder: Folder) -> Settings:
    """The settings of a campaign. Without a file: a Maildir in ``private/mail``. CampaignError "bad-mail-settings" and the like."""
    path = path_of(folder)
    shared = os.environ.get(SHARED, "").strip()
    if not path.exists() and shared:
        path = Path(shared)
        if not path.is_file():
            raise CampaignError("no-mail-settings", path=shared, variable=SHARED)
    table = _table(path) if path.exists() else {}
    settings = _convert(_with_environment(table), path)
    for name in _ADDRESSES:
        if (written := getattr(settings, name)) and checked(written) is None:
            raise CampaignError("bad-address", found=written, where=f"{name} in {path}")
    for span in (*settings.reminders, *(each for seat in settings.seats.values() for each in seat.reminders or ())):
        clock.span(span, none=False)
    for server in (settings.imap, settings.smtp):
        if server is not None and server.security == "plain" and not server.local and not server.unsafe:
            raise CampaignError("plain-mail", host=server.host)
    return settings


def password(server: Server, kind: str) -> str:
    """The password for a server ("imap" or "smtp"): from ``PBEM_IMAP_PASSWORD`` / ``PBEM_SMTP_PASSWORD``, ``PBEM_MAIL_PASSWORD``, or
    what its ``password_command`` prints. "" where none is named. CampaignError "password-command", which repeats nothing of it."""
    for name in (f"PBEM_{kind.upper()}_PASSWORD", "PBEM_MAIL_PASSWORD"):
        if given := os.environ.get(name):
            return given
    if not server.password_command:
        return ""
    try:
        argv = shlex.split(server.password_command)
        done = subprocess.run(argv, capture_output=True, timeout=60, check=True, stdin=subprocess.DEVNULL)  # noqa: S603 - the organiser's own
    except (OSError, ValueError, IndexError, subprocess.SubprocessError):
        raise CampaignError("password-command", server=kind) from None
    return done.stdout.decode("utf-8", "replace").partition("\n")[0].rstrip("\r")


def _table(path: Path) -> dict[str, object]:
    if os.name == "posix":
        mode = path.stat().st_mode
        # It names a command that is run: whoever could write it could run anything.
        if mode & 0o022:
            raise CampaignError("open-mail-settings", path=str(path))
        if mode & 0o055:
            path.chmod(mode & 0o700)
    try:
        return tomllib.loads(read(path, _CAP).decode())
    except (ValueError, RecursionError) as error:
        raise CampaignError("bad-mail-settings", path=str(path), why=str(error)) from None


def _with_environment(table: dict[str, object]) -> dict[str, object]:
    """``PBEM_MAIL_ADDRESS``, ``PBEM_MAIL_ORGANISER``, and ``PBEM_SMTP_HOST``, ``…_PORT``, ``…_USER``, ``…_SECURITY``; the same for IMAP."""
    made = dict(table)
    for key in _ADDRESSES:
        if given := os.environ.get(f"PBEM_MAIL_{key.upper()}"):
            made[key] = given
    for kind in ("imap", "smtp"):
        named = {key: os.environ.get(f"PBEM_{kind.upper()}_{key.upper()}") for key in ("host", "port", "user", "security")}
        changed = {key: int(value) if key == "port" and value.isdigit() else value for key, value in named.items() if value}
        old = made.get(kind)
        before = old if isinstance(old, dict) else {}
        if changed and (before or "host" in changed):
            made[kind] = before | changed
    return made


def _convert(table: dict[str, object], path: Path) -> Settings:
    try:
        return msgspec.convert(table, Settings)
    except msgspec.ValidationError as error:
        raise CampaignError("bad-mail-settings", path=str(path), **_facts(str(error))) from None


def _facts(why: str) -> dict[str, object]:
    """What a setting is called that does not fit, and the nearest name there is."""
    unknown = re.match(r"Object contains unknown field `([^`]*)`", why)
    where = re.search(r" - at `\$\.?([^`]*)`", why)
    if unknown:
        kinds: dict[str, type[msgspec.Struct]] = {"imap": Imap, "smtp": Smtp, "maildir": Maildir, "mbox": Mbox, "": Settings}
        known = kinds.get(where[1] if where else "", SeatSettings).__struct_fields__
        near = nearest(unknown[1], known)
        place = f" in [{where[1]}]" if where else ""
        instead = f"did you mean {near}?" if near else f"there are {', '.join(known)}"
        return {"why": f"there is no setting {unknown[1]}{place}; {instead}"}
    return {"why": f"{where[1]}: {why[: where.start()]}" if where else why}
