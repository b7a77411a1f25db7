"""A file in, a signed receipt out: good or bad, every file is answered once, and nothing is ever lost.

The receipt is written last; a file without one (the machine went dark in between) is found in ``orders/`` and answered by the next run.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from pbem.campaign import clock, letters, records
from pbem.campaign.archive import Kept, open_file
from pbem.campaign.course import Course
from pbem.campaign.dryrun import DryRun
from pbem.campaign.folder import CampaignError, Folder, numbered, read, write
from pbem.campaign.judge import Refused, judge, judge_request
from pbem.campaign.petitions import PETITIONS
from pbem.campaign.privately import foreseen, inside, secret_of
from pbem.campaign.records import Receipt
from pbem.campaign.replay import check_receipt, closing_text, replay_as_processor
from pbem.campaign.roster import invite_hash, member
from pbem.orders.encoding import sha256
from pbem.orders.file import OrderFile, read_order
from pbem.orders.findings import Finding, Unreadable
from pbem.orders.join import JoinFile, proves, read_join
from pbem.orders.keys import PublicKey
from pbem.orders.request import read_request
from pbem.orders.signed import CAP, Signed, open_signed, split
from pbem.orders.sshsig import verify

ORDER, JOIN, REQUEST = "order@pbem", "join@pbem", "request@pbem"
_LARGEST_TEXT = 25 * 1024 * 1024


@dataclass(frozen=True)
class Incoming:
    """A file as it came: a name for messages, its bytes, a detached signature, the channel's time (None: now, by hand)."""

    name: str
    data: bytes
    detached: str | None = None
    received: datetime | None = None
    faults: tuple[Finding, ...] = ()
    """What was wrong with the block it came in: then there is nothing to open."""


@dataclass(frozen=True)
class Answer:
    """What is said of one file. ``findings`` and ``dry`` are for the player alone; ``repeated``: the receipt was there already."""

    name: str
    receipt: Receipt
    findings: list[Finding] = field(default_factory=list)
    dry: DryRun | None = None
    repeated: bool = False
    replaces: Receipt | None = None
    played_of_old: int = 0


@dataclass
class _Case:
    """What is known of a file while it is judged."""

    incoming: Incoming
    identity: str
    size: int
    received: datetime
    taken: datetime
    signed: Signed | None = None
    kind: str = "order"
    seat: str = ""
    phase: str = ""
    revision: int = 0
    order: OrderFile | None = None
    join: JoinFile | None = None
    key: PublicKey | None = None


def collect(paths: list[Path]) -> list[Incoming]:
    """Files from a disk: order and join files, or text with armoured blocks in it. CampaignError when one cannot be read."""
    found: list[Incoming] = []
    for path in paths:
        data = read(path, _LARGEST_TEXT)
        beside = path.with_name(path.name + ".sig")
        detached = read(beside, CAP).decode("ascii", "replace") if beside.is_file() else None
        found += unpack(Incoming(str(path), data, detached))
    return found


def unpack(incoming: Incoming) -> list[Incoming]:
    """The files in a text: its armoured blocks, a signed file pasted into it, or the text itself when it has neither."""
    if incoming.detached is not None or _is_signed(incoming.data):
        return [incoming]
    # Knows what mail programs make of a text, and takes long to load: a run that only plays has no text to look into.
    from pbem.orders.armour import search

    try:
        found = search(incoming.data.decode("utf-8", "replace"))
    except Unreadable as error:
        return [replace(incoming, faults=tuple(error.findings))]
    files = [replace(incoming, data=data, name=_nth(incoming.name, at, len(found.files))) for at, data in enumerate(found.files)]
    if found.faults:
        # A damaged block is answered too: its sender must learn that it did not arrive.
        files.append(replace(incoming, faults=tuple(found.faults)))
    return files or [incoming]


def _is_signed(data: bytes) -> bool:
    """Whether these bytes are a signed file, be it one that is too large: what may be pasted into that is not looked for."""
    try:
        split(data, cap=max(CAP, len(data)))
    except Unreadable as error:
        return error.findings[0].code not in ("no-signature", "text-after-signature", "second-signature", "bad-signature")
    return True


def _nth(name: str, at: int, of: int) -> str:
    return name if of == 1 else f"{name}#{at + 1}"


def receive(folder: Folder, incoming: list[Incoming], now: datetime) -> list[Answer]:
    """Answers every file, in order. CampaignError when this machine is not the processor."""
    with folder.require().locked():
        course, answers = open_desk(folder, now)
        answers += [answer(course, item, now) for item in incoming]
    return answers


def open_desk(folder: Folder, now: datetime) -> tuple[Course, list[Answer]]:
    """The course as files can be answered on it, and the answers to what a killed run had left. To be called, and used, under the lock.

    CampaignError when this machine is not the processor, or the campaign has ended.
    """
    course = replay_as_processor(folder)
    if course.ended:
        raise CampaignError("ended", path=str(folder.root))
    clock.check_near(now, course.times())
    catch_up(course)
    return course, adopt_orphans(course, now)


def still_open(course: Course) -> bool:
    """Whether nobody has written a receipt or an entry since; under the lock."""
    archive = course.archive
    return (len(numbered(archive.folder.receipts)), len(numbered(archive.folder.ledger))) == (len(archive.receipts), len(archive.entries))


def catch_up(course: Course) -> None:
    """Lays what was receipted since the last entry on the desk."""
    for number in range(course.counted + 1, len(course.archive.receipts) + 1):
        check_receipt(course, number)
        course.take_receipt(number)


def adopt_orphans(course: Course, now: datetime) -> list[Answer]:
    """Answers files that a killed run had written but not receipted; what it left besides is swept away."""
    folder = course.archive.folder
    _sweep(folder, len(course.archive.receipts))
    known = {str(course.archive.file_of(kept.record)) for kept in course.archive.receipts if kept.record.accepted}
    answers = []
    for path in sorted(path for path in folder.orders.glob("*/*.toml") if str(path) not in known and not path.name.startswith(".")):
        beside = path.with_name(path.name + ".sig")
        detached = read(beside, CAP).decode("ascii", "replace") if beside.is_file() else None
        # The file is dated with the time it was received: it must not become late because a machine went dark.
        received = datetime.fromtimestamp(path.stat().st_mtime, UTC).replace(microsecond=0)
        got = answer(course, Incoming(path.name, read(path, CAP + 1), detached, received), now)
        answers.append(got)
        if got.repeated or not got.receipt.accepted:
            path.unlink(missing_ok=True)
            beside.unlink(missing_ok=True)
    return answers


def _sweep(folder: Folder, last: int) -> None:
    """Removes detached signatures without their file, and letters to receipts behind the last one: both are written before it is."""
    for path in folder.orders.glob("*/*.toml.sig"):
        if not path.with_name(path.name.removesuffix(".sig")).exists():
            path.unlink()
    for path in folder.letters.glob("*/r*.toml"):
        number = path.stem.removeprefix("r")
        if number.isdecimal() and int(number) > last:
            path.unlink()
    entries = len(list(folder.ledger.glob("*.toml")))
    for path in folder.letters.glob("*/e*.toml"):
        number = path.stem.removeprefix("e")
        if number.isdecimal() and int(number) > entries:
            path.unlink()


def answer(course: Course, incoming: Incoming, now: datetime) -> Answer:
    """Judges one file and writes what has to be kept of it, the receipt last."""
    taken = _taken(course, now)
    # A channel whose clock runs ahead must not date a file after its own receipt.
    received = min(incoming.received or taken, taken)
    case = _Case(incoming, sha256(incoming.data).hex(), len(incoming.data), received, taken)
    try:
        _open(case, incoming)
        if (old := _known(course, case)) is not None:
            return Answer(incoming.name, old, repeated=True)
        if case.kind == "request":
            return _accept_request(course, case)
        if case.kind == "join":
            _judge_join(course, case)
            return _accept_join(course, case)
        return _accept_order(course, case)
    except Unreadable as error:
        return _refuse(course, case, _public_code(error), error.findings)
    except Refused as refused:
        return _refuse(course, case, refused.code, [Finding(refused.code, "", refused.facts)])


def _taken(course: Course, now: datetime) -> datetime:
    """The processor's clock, never decreasing."""
    times = [now]
    if course.archive.receipts:
        times.append(clock.parse(course.archive.receipts[-1].record.taken))
    if course.chapters:
        times.append(course.chapters[-1].time)
    return max(times)


def _known(course: Course, case: _Case) -> Receipt | None:
    """The receipt that this file, signed by this key, has got already.

    The signature is no part of the identity: a copy without one, or signed by somebody else, has the identity of the true file and must
    not have taken its place. A taken file was signed by its seat's key; of refused ones only those have a letter that were.
    """
    for kept in course.archive.receipts:
        old: Receipt = kept.record
        if old.file == case.identity and old.kind == case.kind and old.file not in course.void:
            owner = course.members.get(old.seat)
            his = owner is not None and case.key is not None and owner.key.raw == case.key.raw
            if (old.accepted and (case.kind == "join" or his or _signed_it(course, old, case))) or (old.letter and his):
                return old
    return None


def _signed_it(course: Course, old: Receipt, case: _Case) -> bool:
    """Whether the file that was taken then was signed by this key, though its seat may have another by now."""
    filed = open_file(course.archive, old)
    signer = verify(filed.signed.block, REQUEST if old.kind == "request" else ORDER, filed.signed.signed)
    return case.key is not None and signer.raw == case.key.raw


def _public_code(error: Unreadable) -> str:
    codes = {finding.code for finding in error.findings}
    for public in ("too-large", "no-signature", "bad-signature", "box-does-not-open", "commitment-mismatch"):
        if public in codes:
            return public
    return "unreadable"


def _open(case: _Case, incoming: Incoming) -> None:
    """Signature first; only what verified is parsed. A file with a bad signature keeps the identity of all its bytes:
    otherwise a mangled copy would take the place of the true file."""
    if incoming.faults:
        raise Unreadable(list(incoming.faults))
    if len(incoming.data) > CAP:
        raise Unreadable([Finding("too-large", "", {"size": len(incoming.data), "cap": CAP})])
    try:
        signed, case.key = open_signed(incoming.data, ORDER, incoming.detached)
    except Unreadable as error:
        namespace = error.findings[0].facts.get("found")
        if namespace not in (JOIN, REQUEST):
            raise
        case.kind = "join" if namespace == JOIN else "request"
        signed, case.key = open_signed(incoming.data, namespace, incoming.detached)
    case.signed, case.identity = signed, signed.identity.hex()
    if case.kind == "join":
        case.join, _, case.key = read_join(incoming.data, incoming.detached)


# -- joins --------------------------------------------------------------------------------------------------------------


def _judge_join(course: Course, case: _Case) -> None:
    join, key, game = case.join, case.key, course.archive.game
    if join is None or key is None:
        raise AssertionError("opened before it is judged")
    case.seat, case.phase = join.seat if join.seat in course.seats else "", "join"
    if join.id != game.id:
        raise Refused("wrong-campaign", found=join.game, expected=game.name)
    if join.seat not in course.seats:
        raise Refused("unknown-seat", found=join.seat, allowed=course.seats)
    if (join.seat in course.members and join.seat not in course.vacant) or join.seat in course.joining:
        raise Refused("seat-taken", seat=join.seat)
    invite = secret_of(course).invite(join.seat, course.issues.get(join.seat, 1))
    if join.seat in course.spent or invite_hash(invite) != course.invites[join.seat] or not proves(join, invite):
        raise Refused("bad-invite", seat=join.seat)
    keys = [one.key.raw for one in course.members.values() if one.seat != join.seat]
    keys += [_joining_key(course, receipt) for receipt in course.joining.values()]
    if key.raw in keys and not game.hotseat:
        raise Refused("key-taken", signer=key.fingerprint())
    member(join, key)


def _joining_key(course: Course, receipt: Receipt) -> bytes:
    filed = open_file(course.archive, receipt)
    _, _, key = read_join(filed.data, filed.detached)
    return key.raw


def _accept_join(course: Course, case: _Case) -> Answer:
    _keep(course.archive.folder.join(case.seat, bytes.fromhex(case.identity)), case)
    receipt = _write_receipt(course, case, verdict="complete")
    course.joining[case.seat] = receipt
    return Answer(case.incoming.name, receipt)


# -- requests ---------------------------------------------------------------------------------------------------------


def _accept_request(course: Course, case: _Case) -> Answer:
    if case.signed is None or case.key is None:
        raise AssertionError("opened before it is judged")
    case.seat = next((one.seat for one in course.members.values() if case.key is not None and one.key.raw == case.key.raw), "")
    case.phase = "request"
    file = read_request(case.signed.signed, PETITIONS)
    case.seat, case.revision = file.player if file.player in course.seats else case.seat, file.number
    judge_request(course, file, case.key)
    _keep(course.archive.folder.request(case.seat, case.revision, bytes.fromhex(case.identity)), case)
    receipt = _write_receipt(course, case, verdict="complete")
    course.put_request(receipt, file.request)
    return Answer(case.incoming.name, receipt)


# -- orders -------------------------------------------------------------------------------------------------------------


def _accept_order(course: Course, case: _Case) -> Answer:
    if case.signed is None or case.key is None:
        raise AssertionError("opened before it is judged")
    owner = next((one.seat for one in course.members.values() if case.key is not None and one.key.raw == case.key.raw), "")
    case.seat = owner
    case.order = order = read_order(case.signed.signed, course.title.orders)
    case.seat, case.phase, case.revision = order.player if order.player in course.seats else owner, order.phase, order.revision
    if case.identity in course.void:
        raise Refused("void")
    judge(course, order, case.key, case.received, case.taken)
    findings: list[Finding] = []
    if order.sealed is not None:
        findings = inside(course, case.seat, case.phase, case.revision, order)
    old = course.current(case.seat, case.phase)
    provisional = _receipt(course, case, verdict="taken")
    plan = course.plan(provisional, order)
    dry = foreseen(course, plan) if plan.plans is not None else None
    verdict = "taken" if order.sealed is not None or course.title.hidden else "complete" if dry is not None and dry.complete else "partial"
    path = course.archive.folder.order(case.phase, case.seat, case.revision, bytes.fromhex(case.identity))
    _keep(path, case)
    receipt = _write_receipt(course, case, verdict=verdict, findings=findings, dry=dry)
    course.put_down(receipt, order)
    played = course.table.cursor(old.plan).line if old is not None else 0
    return Answer(case.incoming.name, receipt, findings, dry, replaces=old.receipt if old else None, played_of_old=played)


def _keep(path: Path, case: _Case) -> None:
    """Writes an accepted file as it came, the signature beside it first."""
    if case.incoming.detached is not None:
        write(path.with_name(path.name + ".sig"), case.incoming.detached.encode(), modified=case.received)
    write(path, case.incoming.data, modified=case.received)


# -- receipts -----------------------------------------------------------------------------------------------------------


def _refuse(course: Course, case: _Case, reason: str, findings: list[Finding]) -> Answer:
    for old in course.archive.receipts:
        if (old.record.file, old.record.reason, old.record.kind) == (case.identity, reason, case.kind):
            return Answer(case.incoming.name, old.record, findings, repeated=True)
    number = len(course.archive.receipts) + 1
    if case.incoming.detached is not None:
        write(course.archive.folder.refused / f"{number:04}.toml.sig", case.incoming.detached.encode(), mode=0o600)
    write(course.archive.folder.refused / f"{number:04}.toml", case.incoming.data, mode=0o600)
    receipt = _write_receipt(course, case, verdict="refused", reason=reason, findings=findings)
    kept = course.archive.receipts[-1].path
    write(course.archive.folder.refused / f"{number:04}.receipt.toml", read(kept), mode=0o600)
    return Answer(case.incoming.name, receipt, findings)


def _receipt(
    course: Course, case: _Case, *, verdict: str, reason: str = "", letter: str = ""
) -> Receipt:
    archive = course.archive
    return Receipt(
        number=len(archive.receipts) + 1, before=(archive.receipts[-1].digest if archive.receipts else archive.game_digest).hex(),
        kind=case.kind, file=case.identity, size=case.size, seat=case.seat, phase=case.phase, revision=case.revision,
        received=clock.text(case.received), taken=clock.text(case.taken), closes=closing_text(course, case.phase),
        head=archive.head(), verdict=verdict, reason=reason, letter=letter,
    )  # fmt: skip


def _write_receipt(
    course: Course, case: _Case, *, verdict: str,
    reason: str = "", findings: list[Finding] | None = None, dry: DryRun | None = None,
) -> Receipt:  # fmt: skip
    archive = course.archive
    letter = ""
    known = course.members.get(case.seat)
    if case.kind == "order" and known is not None and case.key is not None and known.key.raw == case.key.raw:
        name = f"r{len(archive.receipts) + 1:04}"
        data = letters.for_receipt(archive.id, known, name, findings or [], dry)
        write(archive.folder.letter(case.seat, name), data)
        letter = sha256(data).hex()
    receipt = _receipt(course, case, verdict=verdict, reason=reason, letter=letter)
    data = records.sign(receipt, secret_of(course).signing_key, records.RECEIPT)
    path = archive.folder.receipt(receipt.number)
    write(path, data)
    archive.receipts.append(Kept(path=path, digest=records.split(data).identity, record=receipt))
    return receipt
