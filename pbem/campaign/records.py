"""Game file, receipts and ledger entries: typed, signed TOML.

Reading is strict: unknown keys, wrong types and anything behind the signature are refused as ``BadRecord``.
"""

import re
from typing import Annotated, Any, TypeVar

import msgspec
import tomli_w

from pbem.orders import plain
from pbem.orders.findings import Unreadable
from pbem.orders.keys import PrivateKey, PublicKey
from pbem.orders.signed import Signed, sign_file
from pbem.orders.signed import split as split_signed
from pbem.orders.sshsig import verify

LONGEST_TEXT = 280
"""Characters of the organiser's sentence in a correction."""

PROTOCOL = 1
CAP = 2 * 1024 * 1024
"""No record is larger."""

RECEIPT, LEDGER = "receipt@pbem", "ledger@pbem"

# What may stand in a record. Names become paths, and the processor who signs them need not be honest.
Digest = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]
DigestOrNone = Annotated[str, msgspec.Meta(pattern=r"\A(?:[0-9a-f]{64})?\Z")]
Name = Annotated[str, msgspec.Meta(pattern=r"\A[a-z0-9][a-z0-9-]{0,39}\Z")]
NameOrNone = Annotated[str, msgspec.Meta(pattern=r"\A(?:[a-z0-9-]{1,40})?\Z")]
Head = Annotated[str, msgspec.Meta(pattern=r"\A(?:0|[1-9][0-9]{0,8})-[0-9a-f]{32}\Z")]
Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]
_FILED_PHASE = re.compile(r"[a-z0-9][a-z0-9.-]{0,39}")

R = TypeVar("R", bound=msgspec.Struct)


class BadRecord(Exception):
    """A record that is not what it should be: ``code`` ("unreadable", "signature", "signer") and a short fact."""

    def __init__(self, code: str, fact: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.fact = fact


class _Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    pass


class SeatEntry(_Record, frozen=True, kw_only=True):
    """A seat of the game file: its name and the SHA-256 (hex) of its first invite."""

    name: Name
    invite: Digest


class Processor(_Record, frozen=True, kw_only=True):
    """The processor's public side: signing key (line), end of the beacon (hex), SHA-256 of the private secret (hex)."""

    key: str
    beacon: Digest
    private: Digest


class Clock(_Record, frozen=True, kw_only=True):
    """How a campaign keeps time, besides ``close``: spans or "none". All are written down, so that a later default changes nothing."""

    phases: dict[Name, str]
    """Name of a phase, such as "move" → its own closing rule."""
    grace: str
    """What is received so long after a closing time still counts; never shown as the closing time."""
    cooling: str
    """Nothing is played until so long after the last file, so that its player can put it right."""
    outage: str
    """When no run was made for so long after a closing time, silence is not applied."""
    extensions: str
    """By how much the organiser can put off the closing time of one phase, in all."""
    absences: str
    """By how much closing times are put off for one player's absences, in all."""


class Game(_Record, frozen=True, kw_only=True):
    """``game.toml``, written once. ``id`` is 32 hex; ``close`` a closing rule such as "48h"; ``seal`` "bids" or "all"."""

    protocol: int
    id: Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{32}\Z")]
    name: Name
    title: str
    rules: int
    created: str
    close: str
    seal: Annotated[str, msgspec.Meta(pattern=r"\A(?:bids|all)\Z")]
    silence: Annotated[str, msgspec.Meta(pattern=r"\A(?:default|wait|bot)\Z")]
    options: dict[str, Any]
    seats: list[SeatEntry]
    processor: Processor
    deputy: str = ""
    """Public key line of whoever may confirm, in the players' stead, that the processor takes a new secret."""
    missed: Count = 3
    """Closing times missed in a row that free a seat, if the organiser says so."""
    organiser: NameOrNone = ""
    hotseat: bool = False
    clock: Clock | None = None
    """None in campaigns whose entries do not carry closing times yet: those run by ``close`` alone."""


class Receipt(_Record, frozen=True, kw_only=True):
    """The signed answer to a file. ``file`` and ``before`` are 64 hex; ``reason`` a code, "" when the file was taken."""

    number: Count
    before: Digest
    kind: Annotated[str, msgspec.Meta(pattern=r"\A(?:order|join|request)\Z")]
    file: Digest
    size: Count
    received: str
    taken: str
    head: Head
    verdict: Annotated[str, msgspec.Meta(pattern=r"\A(?:complete|partial|taken|refused)\Z")]
    seat: NameOrNone = ""
    phase: str = ""
    revision: Count = 0
    closes: str = ""
    reason: str = ""
    letter: DigestOrNone = ""

    def __post_init__(self) -> None:
        # A refused file may have called its phase anything; of a taken one seat and phase are the path where it lies.
        if self.accepted and not (self.seat and _FILED_PHASE.fullmatch(self.phase)):
            raise ValueError("seat or phase")
        if self.letter and not self.seat:
            raise ValueError("a letter to nobody")

    @property
    def head_number(self) -> int:
        """Number of the last entry when it was written."""
        return int(self.head.split("-", 1)[0])

    @property
    def accepted(self) -> bool:
        return self.verdict != "refused"


class PlayedOrder(_Record, frozen=True, kw_only=True):
    """An order as played: by file (64 hex), as default ("silence", "stopped"), or because nothing else was possible."""

    seat: str
    order: dict[str, Any]
    file: str = ""
    default: str = ""
    forced: bool = False


class PlayedStep(_Record, frozen=True, kw_only=True):
    """A step: one order per seat that was asked; none in step 1, the set-up."""

    step: int
    phase: str
    orders: list[PlayedOrder] = []
    events: list[dict[str, Any]] = []
    """Titles with hidden facts: what happened, as everybody may know it."""


class HiddenFact(_Record, frozen=True, kw_only=True):
    """A fact that one seat alone knows: whose, and the commitment to it."""

    seat: Name
    commitment: Digest


class Ranked(_Record, frozen=True, kw_only=True):
    """A line of the result."""

    seat: Name
    points: int
    place: int


class Entry(_Record, frozen=True, kw_only=True):
    """A ledger entry; which keys are used depends on ``kind`` ("join", "turn", "end")."""

    protocol: int
    number: Count
    before: Digest
    time: str
    kind: str
    program: str
    rules: int
    counted: Count
    seat: NameOrNone = ""
    file: DigestOrNone = ""
    invite: str = ""
    close: str = ""
    opened: dict[str, str] = {}
    closed: dict[str, str] = {}
    link: DigestOrNone = ""
    position: DigestOrNone = ""
    played: list[PlayedStep] = []
    view: dict[str, Any] = {}
    """Titles with hidden facts: the public position after the entry."""
    facts: dict[str, HiddenFact] = {}
    letters: dict[str, Digest] = {}
    """Seat → digest of its letter to this entry."""
    hash: DigestOrNone = ""
    """SHA-256 of a new invite."""
    to: Count = 0
    """The entry a rollback goes back to."""
    ground: Annotated[str, msgspec.Meta(pattern=r"\A(?:organiser|request|consent|silence|deputy|outage)?\Z")] = ""
    grounds: list[Digest] = []
    """The requests behind it."""
    text: Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)] = ""
    settings: dict[str, Annotated[str, msgspec.Meta(max_length=100)]] = {}
    title: NameOrNone = ""
    """An amendment before the set-up: the title that is played, and all its options, in the place of those of the game file."""
    options: dict[str, Any] = {}
    processor: Processor | None = None
    """A new secret: the processor's new public side."""
    deputy: str = ""
    """The deputy's signature over it (base64)."""
    closes: str = ""
    """The closing time of the present phase, when this entry opened it or moved the time: "" for none."""
    tz: Annotated[str, msgspec.Meta(max_length=10)] = ""
    """The edition of the time zone data it was computed with, where a zone was needed."""
    until: str = ""
    """The end of a pause, or the closing time that the organiser puts off to."""
    read: dict[Name, str] = {}
    """Channel → until when it had been read, when a closing time had passed."""
    unread: bool = False
    """The organiser closed although not every channel had been read."""
    seen: str = ""
    """A reading soon after the closing time, which shows that there was no outage."""
    private: DigestOrNone = ""
    files: dict[str, Digest] = {}
    result: list[Ranked] = []


def dump(record: msgspec.Struct) -> bytes:
    """A record as TOML, keys in the order of its fields."""
    return tomli_w.dumps(msgspec.to_builtins(record)).encode()


def sign(record: msgspec.Struct, key: PrivateKey, namespace: str) -> bytes:
    """A record as a signed file."""
    return sign_file(key, namespace, dump(record))


def parse(data: bytes, kind: type[R]) -> R:
    """A record from bytes whose signature, if it has one, has been checked. BadRecord "unreadable" otherwise."""
    if len(data) > CAP:
        raise BadRecord("unreadable", "too large")
    try:
        return msgspec.convert(plain.loads(data.decode()), kind)
    except msgspec.ValidationError as error:
        raise BadRecord("unreadable", str(error)) from None
    except (ValueError, RecursionError) as error:
        raise BadRecord("unreadable", type(error).__name__) from None


def split(data: bytes) -> Signed:
    """The signed part of a record and its block. BadRecord when there is none."""
    if len(data) > CAP:
        raise BadRecord("unreadable", "too large")
    try:
        return split_signed(data, cap=CAP)
    except Unreadable as error:
        raise BadRecord("signature", error.findings[0].code if error.findings else "") from None


def check_signer(signed: Signed, namespace: str, key: PublicKey) -> None:
    """BadRecord unless the block is a signature of that key in that namespace."""
    try:
        signer = verify(signed.block, namespace, signed.signed)
    except Unreadable as error:
        raise BadRecord("signature", error.findings[0].code if error.findings else "") from None
    if signer.raw != key.raw:
        raise BadRecord("signer", signer.fingerprint())


def head_of(number: int, digest: bytes) -> str:
    """How an entry is named on receipts, reports and in ``after``: number and 32 hex of its digest."""
    return f"{number}-{digest.hex()[:32]}"
