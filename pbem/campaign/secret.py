"""The one secret of 32 bytes, and everything derived from it: signing key, phase keys, beacon seed, private secret, invites.

It comes from ``PBEM_SECRET`` when that is set (64 hex digits, or the words of the recovery sheet), else from the campaign's own
``private/secret.toml``. It never appears in an exception or in anything that is printed, but for ``pbem new``'s recovery sheet.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pbem.campaign.folder import CampaignError, Folder, read, write
from pbem.orders.encoding import derive
from pbem.orders.keys import PrivateKey, PublicKey

_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aiou"
_WORD = re.compile(f"[{_CONSONANTS}][{_VOWELS}][{_CONSONANTS}][{_VOWELS}][{_CONSONANTS}]")


@dataclass(frozen=True)
class Secret:
    """The secret together with the campaign's id (16 bytes)."""

    raw: bytes = field(repr=False)
    id: bytes

    def derive(self, purpose: str, *fields: str | int | bytes) -> bytes:
        """32 bytes for one purpose: HKDF-SHA256 with info "pbem/1" ‖ purpose ‖ id ‖ fields."""
        return derive(self.raw, purpose, self.id, *fields)

    @cached_property
    def signing_key(self) -> PrivateKey:
        return PrivateKey.from_seed(self.derive("signing"))

    @cached_property
    def beacon_seed(self) -> bytes:
        return self.derive("beacon")

    @cached_property
    def private(self) -> bytes:
        """The secret that keys private chance and salts private facts; published in the ``end`` entry."""
        return self.derive("private")

    def phase(self, phase: str, entry: int) -> bytes:
        """The secret of a phase's key pair; ``entry`` is the number of the entry that publishes the public key."""
        return self.derive("phase", phase, entry)

    def invite(self, seat: str, issue: int = 1) -> bytes:
        """The 16 bytes of an invite; a resent one has the next ``issue``."""
        return self.derive("invite", seat, issue)[:16]


def new_raw() -> bytes:
    """A fresh secret."""
    return secrets.token_bytes(32)


def from_environment() -> bytes | None:
    """The secret in ``PBEM_SECRET``; None when unset or empty. CampaignError "bad-secret" when it is no secret."""
    written = os.environ.get("PBEM_SECRET", "").strip()
    return parse(written) if written else None


def parse(written: str) -> bytes:
    """64 hex digits, or the words of a recovery sheet. CampaignError "bad-secret", which does not repeat what was given."""
    if re.fullmatch(r"[0-9a-fA-F]{64}", written):
        return bytes.fromhex(written)
    words = re.findall(r"[a-z]+", written.lower())
    if len(words) == 17 and all(_WORD.fullmatch(word) for word in words):
        data = b"".join(_from_word(word) for word in words)
        if hashlib.sha256(data[:32]).digest()[:2] == data[32:]:
            return data[:32]
    raise CampaignError("bad-secret")


def parse_sheet(written: str) -> bytes:
    """As ``parse``, for what somebody copies from his recovery sheet. CampaignError says what is wrong, naming no word but its number.

    "sheet-count": not 17 words; "sheet-word": one that no sheet has; "sheet-check": the last word does not fit the others.
    """
    try:
        return parse(written.strip())
    except CampaignError:
        found = re.findall(r"[^\W\d_]+", written.lower())
        if len(found) != 17:
            raise CampaignError("sheet-count", found=len(found)) from None
        for number, word in enumerate(found, start=1):
            if not _WORD.fullmatch(word):
                raise CampaignError("sheet-word", number=number) from None
        raise CampaignError("sheet-check") from None


def words(raw: bytes) -> list[str]:
    """The secret as 17 pronounceable words (16 bits each: consonant, vowel, consonant, vowel, consonant); the last is a check word."""
    data = raw + hashlib.sha256(raw).digest()[:2]
    return [_to_word(data[at : at + 2]) for at in range(0, len(data), 2)]


def _to_word(pair: bytes) -> str:
    value = int.from_bytes(pair, "big")
    return (
        _CONSONANTS[value >> 12]
        + _VOWELS[value >> 10 & 3]
        + _CONSONANTS[value >> 6 & 15]
        + _VOWELS[value >> 4 & 3]
        + _CONSONANTS[value & 15]
    )


def _from_word(word: str) -> bytes:
    value = 0
    for letter, letters, bits in zip(word, (_CONSONANTS, _VOWELS) * 2 + (_CONSONANTS,), (4, 2, 4, 2, 4), strict=True):
        value = value << bits | letters.index(letter)
    return value.to_bytes(2, "big")


def keep(folder: Folder, raw: bytes, *, as_next: bool = False) -> None:
    """Writes ``private/secret.toml`` (or the one to follow it), readable by its owner only."""
    lines = f'# The secret of this campaign. Whoever has it is its processor. Never commit it.\nsecret = "{raw.hex()}"\n'
    write(folder.next_secret if as_next else folder.secret, lines.encode(), mode=0o600)


def load(folder: Folder, campaign_id: bytes) -> Secret | None:
    """The secret of a campaign; None when this machine has none. CampaignError "bad-secret" when the file is no secret."""
    raw = from_environment()
    if raw is None and folder.secret.is_file():
        raw = _read(folder.secret)
    return None if raw is None else Secret(raw, campaign_id)


def _read(path: Path) -> bytes:
    try:
        written = tomllib.loads(read(path, 4096).decode())["secret"]
    except (ValueError, KeyError):
        raise CampaignError("bad-secret") from None
    return parse(str(written))


def take_next(folder: Folder, campaign_id: bytes, key: PublicKey) -> Secret | None:
    """Puts a new secret in the place of the old one, if it is there and it is the one whose key the ledger names."""
    if not folder.next_secret.is_file():
        return None
    secret = Secret(_read(folder.next_secret), campaign_id)
    if secret.signing_key.public.raw != key.raw:
        return None
    folder.next_secret.replace(folder.secret)
    return secret
