"""Who gets mail where: ``private/contacts.toml``. Addresses stand nowhere else, and in no public file.

An address is marked as bouncing when a server has refused it for good, or when a bounce came back; nothing is sent there until the
organiser clears it or another address is registered.
"""

import contextlib
import re
import tomllib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import msgspec
import tomli_w

from pbem.campaign import clock
from pbem.campaign.folder import CampaignError, Folder, held, read, write

_CAP = 256 * 1024
_LONGEST = 254
_LONGEST_WHY = 200
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_DOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*", re.IGNORECASE)


class Contact(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Where a seat's player gets his mail. ``bouncing``: since when nothing arrives there ("" if it does), ``why``: what was said."""

    address: str
    bouncing: str = ""
    why: str = ""


class _Book(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    seats: dict[str, Contact] = {}


def checked(address: str) -> str | None:
    """An address as it is kept, its domain in ASCII and small letters; None for what cannot be one (or could do harm in a header)."""
    local, at, domain = address.strip().rpartition("@")
    try:
        domain = domain.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return None
    if not at or len(local) > 64 or len(address) > _LONGEST or not _LOCAL.fullmatch(local) or not _DOMAIN.fullmatch(domain):
        return None
    return f"{local}@{domain}"


def same(one: str, other: str) -> bool:
    """Whether two addresses are the same mailbox; hardly any server tells large letters from small ones."""
    return (checked(one) or one).casefold() == (checked(other) or other).casefold()


def path_of(folder: Folder) -> Path:
    return folder.private / "contacts.toml"


def load(folder: Folder) -> dict[str, Contact]:
    """Seat → contact. CampaignError "bad-contacts" when the file cannot be read."""
    path = path_of(folder)
    if not path.exists():
        return {}
    try:
        book = msgspec.convert(tomllib.loads(read(path, _CAP).decode()), _Book)
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        raise CampaignError("bad-contacts", path=str(path), why=str(error)) from None
    for seat, contact in book.seats.items():
        known = checked(contact.address)
        if known is None:
            raise CampaignError("bad-address", found=contact.address, where=f"seats.{seat} in {path}")
        contact.address = known
    return book.seats


def address_of(folder: Folder, seat: str) -> str | None:
    """The registered address of a seat; None when there is none."""
    contact = load(folder).get(seat)
    return None if contact is None else contact.address


def seats_of(folder: Folder, address: str) -> list[str]:
    """The seats whose mail goes to an address."""
    return [seat for seat, contact in load(folder).items() if same(contact.address, address)]


def seat_of(folder: Folder, address: str) -> str | None:
    """The seat whose mail goes to an address, the first where several do; None for a stranger's."""
    return next(iter(seats_of(folder, address)), None)


def register(folder: Folder, seat: str, address: str) -> None:
    """Sends a seat's mail to an address from now on. CampaignError "bad-address". Another address is not marked as bouncing any more."""
    known = checked(address)
    if known is None:
        raise CampaignError("bad-address", found=address, where=seat)
    with _changing(folder) as seats:
        if seat not in seats or not same(seats[seat].address, known):
            seats[seat] = Contact(address=known)


def forget(folder: Folder, seat: str) -> None:
    """Drops a seat's address: nothing is sent to it any more."""
    with _changing(folder) as seats:
        seats.pop(seat, None)


def mark_bouncing(folder: Folder, address: str, why: str, now: datetime) -> list[str]:
    """Marks an address for which a mail was refused for good; gives the seats it belongs to. ``why`` may come from anywhere."""
    said = " ".join("".join(mark if mark.isprintable() else " " for mark in why).split())[:_LONGEST_WHY]
    with _changing(folder) as seats:
        found = [seat for seat, contact in seats.items() if same(contact.address, address)]
        for seat in found:
            if not seats[seat].bouncing:
                seats[seat].bouncing, seats[seat].why = clock.text(now), said
    return found


def clear(folder: Folder, seat: str) -> bool:
    """Takes the mark off a seat's address, so that mails are sent to it again; False when there was none."""
    with _changing(folder) as seats:
        contact = seats.get(seat)
        if contact is None or not contact.bouncing:
            return False
        contact.bouncing = contact.why = ""
        return True


@contextlib.contextmanager
def _changing(folder: Folder) -> Iterator[dict[str, Contact]]:
    """The contacts to be changed, written when they have been; one at a time."""
    private(folder)
    with held(folder.private / "contacts.lock", 30, path_of(folder)):
        seats = load(folder)
        before = msgspec.json.encode(seats)
        yield seats
        if msgspec.json.encode(seats) != before:
            write(path_of(folder), tomli_w.dumps(msgspec.to_builtins(_Book(seats=seats))).encode(), mode=0o600)


def private(folder: Folder) -> Path:
    """The campaign's private folder, made with the file that keeps it out of git."""
    folder.private.mkdir(parents=True, exist_ok=True)
    ignore = folder.private / ".gitignore"
    if not ignore.exists():
        write(ignore, b"*\n")
    return folder.private
