"""What a player may ask or grant outside of the phases (``request@pbem``), as structs."""

from typing import Literal

import msgspec


class _Petition(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True, tag_field="do"):
    pass


class Consent(_Petition, frozen=True, kw_only=True, tag="consent"):
    """I agree that the organiser takes this step: a rollback to entry ``to``, or what is done about the seat ``seat``."""

    step: Literal["rollback", "substitute", "rekey", "vacate", "end"]
    to: int = 0
    seat: str = ""


class Concede(_Petition, frozen=True, kw_only=True, tag="concede"):
    """I give up; from now on the default is played for me at once."""


class Rekey(_Petition, frozen=True, kw_only=True, tag="rekey"):
    """From now on I sign with another key. ``key`` is its public line, ``letter_key`` base64 of 32 bytes."""

    key: str
    letter_key: str


class Profile(_Petition, frozen=True, kw_only=True, tag="profile"):
    """How I want to be called and written to; what is left out stays."""

    name: str = ""
    language: str = ""
    zone: str = ""


class Absence(_Petition, frozen=True, kw_only=True, tag="absence"):
    """I am away: closing times that fall into it are put off to its end. Times in UTC, 2026-12-20T23:00:00Z; without them, I am back."""

    start: str = msgspec.field(default="", name="from")
    end: str = msgspec.field(default="", name="to")


class Resend(_Petition, frozen=True, kw_only=True, tag="resend"):
    """Send me the last report once more, at the address you know. No entry answers it: it changes nothing in the game."""


PETITIONS = (Consent, Concede, Rekey, Profile, Absence, Resend)
