"""The files of a campaign, read once: chains checked, nothing judged yet. The first fault names its file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from pbem.campaign import records
from pbem.campaign.folder import CampaignError, Folder, numbered, read
from pbem.campaign.records import BadRecord, Entry, Game, Receipt
from pbem.orders.encoding import sha256
from pbem.orders.findings import Unreadable
from pbem.orders.keys import PublicKey
from pbem.orders.signed import CAP, Signed, split

_TRIES = 100
"""How often a campaign is read again because a run at work has added to it meanwhile."""


class Fault(Exception):
    """What is false in a campaign: a code, the file (relative to the campaign's folder) and facts."""

    def __init__(self, code: str, file: str, **facts: Any) -> None:
        super().__init__(f"{file}: {code}")
        self.code = code
        self.file = file
        self.facts = facts


class Filed(msgspec.Struct, frozen=True, kw_only=True):
    """A player's file as it lies in ``orders/``: where, its bytes (``detached``: the signature beside it), apart, and its identity."""

    path: Path
    data: bytes
    detached: str | None
    signed: Signed
    identity: str


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A receipt or an entry with the digest of its signed bytes."""

    path: Path
    digest: bytes
    record: Any


class Archive(msgspec.Struct, kw_only=True):
    """Everything public that lies in a campaign's folder."""

    folder: Folder
    game: Game
    game_digest: bytes
    keys: list[tuple[int, PublicKey]]
    """The processor's keys, each with the number of the entry from which on it signs."""
    receipts: list[Kept]
    entries: list[Kept]

    @property
    def key(self) -> PublicKey:
        """The processor's present key."""
        return self.keys[-1][1]

    def key_at(self, number: int) -> PublicKey:
        """The key that signs what follows the entry of that number."""
        return next(key for since, key in reversed(self.keys) if since <= number)

    @property
    def id(self) -> bytes:
        return bytes.fromhex(self.game.id)

    def receipt(self, number: int) -> Receipt:
        record: Receipt = self.receipts[number - 1].record
        return record

    def entry(self, number: int) -> Entry:
        record: Entry = self.entries[number - 1].record
        return record

    def head(self, number: int | None = None) -> str:
        """How the last (or that) entry is named; before the first one, entry 0 is the game file."""
        number = len(self.entries) if number is None else number
        return records.head_of(number, self.entries[number - 1].digest if number else self.game_digest)

    def file_of(self, receipt: Receipt) -> Path:
        """Where the file behind an accepted receipt lies."""
        identity = bytes.fromhex(receipt.file)
        if receipt.kind == "join":
            return self.folder.join(receipt.seat, identity)
        if receipt.kind == "request":
            return self.folder.request(receipt.seat, receipt.revision, identity)
        return self.folder.order(receipt.phase, receipt.seat, receipt.revision, identity)


def load(folder: Folder, *, check: bool) -> Archive:
    """Reads game file, receipts and ledger, and checks numbers and chains; with ``check`` the processor's signatures too.

    Raises Fault for the first that does not fit, CampaignError when there is no campaign or its protocol is newer.
    """
    archive = begin(folder, later_keys=check)
    for left in reversed(range(_TRIES)):
        reach = len(numbered(folder.receipts))
        try:
            archive.receipts = _chain(archive, folder.receipts, Receipt, records.RECEIPT, check)
            archive.entries = _chain(archive, folder.ledger, Entry, records.LEDGER, check)
        except Fault:
            if len(numbered(folder.receipts)) == reach or not left:
                _check_game(archive)
                raise
            continue
        # Who reads without the lock must not take an entry without the receipts it counts: a run at work writes these first.
        if len(numbered(folder.receipts)) == len(archive.receipts):
            break
    if not check:
        archive.keys += [key for kept in archive.entries if (key := _new_key(kept.record)) is not None]
    return archive


def begin(folder: Folder, *, later_keys: bool = True) -> Archive:
    """The game file alone, with the processor's keys unless these are not asked for; the chains are left empty. Raises as ``load``."""
    folder.require()
    data = read(folder.game, records.CAP)
    try:
        game = records.parse(data, Game)
        key = PublicKey.parse(game.processor.key)
    except (BadRecord, Unreadable) as error:
        _newer(data, str(folder.root))
        raise Fault("game-unreadable", "game.toml", why=str(getattr(error, "fact", ""))) from None
    if game.protocol != records.PROTOCOL:
        raise CampaignError("newer-protocol", path=str(folder.root), found=game.protocol, known=records.PROTOCOL)
    keys = [(0, key), *(_later_keys(folder) if later_keys else [])]
    return Archive(folder=folder, game=game, game_digest=sha256(data), keys=keys, receipts=[], entries=[])


def _later_keys(folder: Folder) -> list[tuple[int, PublicKey]]:
    """Keys that entries have put in the place of the first. Whether they could, their signatures tell when the chain is checked."""
    found = []
    for path in numbered(folder.ledger):
        try:
            data = read(path, records.CAP)
        except CampaignError as error:
            _no_forgery(error)
            continue
        if b"\n[processor]\n" in data:
            try:
                new = _new_key(records.parse(records.split(data).signed, Entry))
            except BadRecord:
                continue
            found += [new] if new is not None else []
    return found


def _new_key(entry: Entry) -> tuple[int, PublicKey] | None:
    try:
        return None if entry.processor is None else (entry.number, PublicKey.parse(entry.processor.key))
    except Unreadable:
        return None


def _check_game(archive: Archive) -> None:
    """When the first receipt and the first entry name the same game file and it is not this one, this one was changed."""
    named: set[str] = set()
    kinds: tuple[tuple[Path, Any], ...] = ((archive.folder.receipts, Receipt), (archive.folder.ledger, Entry))
    for where, kind in kinds:
        try:
            signed = records.split(read(where / "0001.toml", records.CAP))
            named.add(records.parse(signed.signed, kind).before)
        except (BadRecord, CampaignError) as error:
            _no_forgery(error)
            continue
    if len(named) == 1 and named != {archive.game_digest.hex()}:
        raise Fault("game-changed", "game.toml")


def _no_forgery(error: Exception) -> None:
    """Raises again what says that a disk could not be read, or that a newer version wrote a file."""
    if isinstance(error, CampaignError) and error.code in ("cannot-read", "newer-protocol"):
        raise error


def _newer(data: bytes, name: str) -> None:
    """CampaignError when a file says it is of a newer protocol, whose keys need not be ours."""
    try:
        protocol = records.parse(data, _AnyProtocol).protocol
    except BadRecord:
        return
    if protocol > records.PROTOCOL:
        raise CampaignError("newer-protocol", path=name, found=protocol, known=records.PROTOCOL)


class _AnyProtocol(msgspec.Struct):
    protocol: int


def _chain(archive: Archive, where: Path, kind: Any, namespace: str, check: bool) -> list[Kept]:
    kept: list[Kept] = []
    before = archive.game_digest
    for number, path in enumerate(numbered(where), start=1):
        name = archive.folder.relative(path)
        if int(path.stem) != number:
            missing = archive.folder.relative(where / f"{number:04}.toml")
            raise Fault("missing", missing, before=name)
        try:
            signed = records.split(read(path, records.CAP))
            record = _parsed(signed.signed, kind, name)
            if check:
                records.check_signer(signed, namespace, archive.key_at(number - 1 if kind is Entry else record.head_number))
        except (BadRecord, CampaignError) as error:
            _no_forgery(error)
            if _merged(path):
                raise Fault("two-copies", name) from None
            raise Fault("bad-" + error.code, name, why=str(getattr(error, "fact", ""))) from None
        if kind is Entry and record.protocol != archive.game.protocol:
            raise Fault("bad-unreadable", name, why="protocol")
        if record.number != number:
            raise Fault("wrong-number", name, found=record.number, expected=number)
        if record.before != before.hex():
            raise Fault("chain-broken", name)
        before = signed.identity
        kept.append(Kept(path=path, digest=before, record=record))
    return kept


def _parsed(signed: bytes, kind: Any, name: str) -> Any:
    """A record; CampaignError when it is an entry of a newer protocol, readable or not."""
    try:
        record = records.parse(signed, kind)
    except BadRecord:
        if kind is Entry:
            _newer(signed, name)
        raise
    if kind is Entry and record.protocol > records.PROTOCOL:
        raise CampaignError("newer-protocol", path=name, found=record.protocol, known=records.PROTOCOL)
    return record


def _merged(path: Path) -> bool:
    """Whether git has put two versions into one file: two processors have worked on two copies."""
    try:
        data = read(path)
    except CampaignError as error:
        _no_forgery(error)
        return False
    return all(re.search(rb"^" + mark + rb"( |\r?$)", data, re.MULTILINE) for mark in (b"<{7}", b"={7}", b">{7}"))


def open_file(archive: Archive, receipt: Receipt) -> Filed:
    """The file behind an accepted receipt. Fault when it is gone or has another identity."""
    path = archive.file_of(receipt)
    name = archive.folder.relative(path)
    detached = path.with_name(path.name + ".sig")
    try:
        sig = read(detached, CAP).decode("ascii", "replace") if detached.is_file() else None
        data = read(path, CAP)
        signed = split(data, sig)
    except CampaignError as error:
        _no_forgery(error)
        raise Fault("bad-too-large" if error.code == "too-large" else "missing", name, receipt=receipt.number) from None
    except Unreadable as error:
        if sig is not None and _whole(data, receipt):
            raise Fault("unaccounted", f"{name}.sig") from None
        raise Fault("bad-file", name, why=error.findings[0].code) from None
    if signed.identity.hex() != receipt.file:
        raise Fault("other-identity", name, receipt=receipt.number)
    return Filed(path=path, data=data, detached=sig, signed=signed, identity=receipt.file)


def _whole(data: bytes, receipt: Receipt) -> bool:
    """Whether a file is the one a receipt answers, with its signature in it."""
    try:
        return split(data).identity.hex() == receipt.file
    except Unreadable:
        return False
