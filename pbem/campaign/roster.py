"""Who sits where: filled by join entries."""

from __future__ import annotations

import hashlib
import zoneinfo

import msgspec

from pbem.campaign.history import Seat
from pbem.orders.encoding import unb64
from pbem.orders.join import JoinFile
from pbem.orders.keys import PublicKey


class Member(msgspec.Struct, kw_only=True, frozen=True):
    """A seat that somebody has taken. ``letter_key`` and ``nonce`` are 32 raw bytes each."""

    seat: str
    name: str
    language: str
    zone: str
    key: PublicKey
    letter_key: bytes
    nonce: bytes

    def public(self) -> Seat:
        """What a report may say of the seat."""
        return Seat(seat=self.seat, name=self.name, language=self.language, zone=self.zone, key=self.key.line())


def member(join: JoinFile, key: PublicKey) -> Member:
    """The member a verified join file makes."""
    return Member(
        seat=join.seat, name=join.name or join.seat, language=join.language, zone=zone_or_utc(join.zone), key=key,
        letter_key=unb64(join.letter_key), nonce=unb64(join.nonce),
    )  # fmt: skip


def invite_hash(invite: bytes) -> str:
    """What the game file holds of an invite: its SHA-256 in hex."""
    return hashlib.sha256(invite).hexdigest()


def zone_or_utc(name: str) -> str:
    """The zone if this machine knows it, else UTC: a player may live in a zone newer than the organiser's machine."""
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return "UTC"
    return name
