"""The ledger played again, entry by entry. Every entry must follow from what is public (and, for its processor, from the secret).

The first thing that does not fit is raised as a Fault that names its file.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from pbem.campaign import archive as archives
from pbem.campaign import clock, timing
from pbem.campaign.archive import Archive, Fault, Kept, load, open_file
from pbem.campaign.corrections import HARMLESS, KEYS, correct, installed
from pbem.campaign.course import Course
from pbem.campaign.deadlines import Finish, check_moment, count_missed, keep_time, missable, remember_channels, silence_applies
from pbem.campaign.ending import check_end
from pbem.campaign.folder import CampaignError, Folder
from pbem.campaign.grounds import check_answered, check_ground
from pbem.campaign.hidden import check_resealed, check_told, take_told
from pbem.campaign.history import Chapter, Decision, Step
from pbem.campaign.phasekeys import close_phases, open_phases, published
from pbem.campaign.records import Entry, PlayedOrder, PlayedStep
from pbem.campaign.roster import invite_hash, member
from pbem.campaign.secret import Secret, take_next
from pbem.campaign.secret import load as load_secret
from pbem.campaign.segments import take_over, take_unchecked
from pbem.campaign.stories import notes
from pbem.campaign.table import Table
from pbem.engine.chance import Chance, KeyedChance
from pbem.engine.position import to_table
from pbem.engine.refusals import Refusal
from pbem.engine.title import Title
from pbem.orders.encoding import sha256
from pbem.orders.findings import Unreadable
from pbem.orders.join import invite_bytes, proves, read_join


def replay(folder: Folder, *, secret: Secret | None = None, check: bool = False) -> Course:
    """The course at the end of the ledger. Raises Fault, CampaignError."""
    course = begin(load(folder, check=check), secret)
    course.check = check
    for kept in course.archive.entries:
        take_entry(course, kept)
    return course


def replay_as_processor(folder: Folder) -> Course:
    """The same with this machine's secret. CampaignError "no-secret", or "wrong-secret" when it is another campaign's."""
    archive = load(folder, check=False)
    course = begin(archive, _own(archive))
    # After a correction files may be void and phases may have been played twice: then everything is looked at again.
    if not any(kept.record.kind in KEYS.keys() - HARMLESS for kept in archive.entries):
        course.settled = frozenset(phase for kept in archive.entries for phase in kept.record.closed)
    course.brief = True
    for kept in archive.entries:
        take_entry(course, kept)
    course.brief = False
    return course


def processor_secret(root: Path) -> Secret:
    """The secret of the campaign in a folder. CampaignError "no-secret" or "wrong-secret"."""
    return _own(archives.begin(Folder(root)))


def _own(archive: Archive) -> Secret:
    folder = archive.folder
    secret = load_secret(folder, archive.id)
    if secret is not None and secret.signing_key.public.raw != archive.key.raw:
        # A run that took a new secret may have been killed before it put it in its place.
        secret = take_next(folder, archive.id, archive.key) or secret
    if secret is None:
        raise CampaignError("no-secret", path=str(folder.root))
    if secret.signing_key.public.raw != archive.key.raw:
        raise CampaignError("wrong-secret", path=str(folder.root))
    return secret


def fits(folder: Folder, raw: bytes) -> bool:
    """Whether 32 bytes are the secret of the campaign in a folder."""
    archive = archives.begin(folder)
    return Secret(raw, archive.id).signing_key.public.raw == archive.key.raw


def begin(archive: Archive, secret: Secret | None) -> Course:
    """The course before the first entry."""
    title = installed(archive.game.title)
    try:
        options = msgspec.convert(archive.game.options, title.options)
    except msgspec.ValidationError as error:
        raise Fault("game-unreadable", "game.toml", why=str(error)) from None
    table, secrets = _table(archive, title), published(archive)
    course = Course(archive=archive, title=title, options=options, secret=secret, published=secrets, table=table, timing=_timing(archive))
    course.entries[archive.head(0)] = 0
    course.private_hash, course.beacon_end = archive.game.processor.private, bytes.fromhex(archive.game.processor.beacon)
    course.invites = {seat.name: seat.invite for seat in archive.game.seats}
    course.private_secret = secret.private if secret is not None else _private(archive)
    return course


def _timing(archive: Archive) -> timing.Timing:
    try:
        clock.parse(archive.game.created)
        return timing.begin(archive.game)
    except (CampaignError, ValueError) as error:
        raise Fault("game-unreadable", "game.toml", why=str(error)) from None


def _table(archive: Archive, title: Title[Any]) -> Table:
    return Table(title=title, stand_in=archive.game.id if archive.game.silence == "bot" else "")


def _private(archive: Archive) -> bytes | None:
    """The private secret, once the game has ended. One that does not fit opens nothing; its entry is found false when it comes."""
    committed = {archive.game.processor.private} | {kept.record.processor.private for kept in archive.entries if kept.record.processor}
    for kept in archive.entries:
        raw = bytes.fromhex(kept.record.private)
        if raw and sha256(raw).hex() in committed:
            return raw
    return None


def take_entry(course: Course, kept: Kept, finish: Finish | None = None) -> None:
    """Plays one entry. Fault when it does not follow. One that is being written learns from ``finish`` which closing time it sets."""
    entry: Entry = kept.record
    name = course.archive.folder.relative(kept.path)
    before = None if course.table.position is None else course.table.position.copy()
    first_new = course.cut + 1
    time = _count(course, entry, name)
    if entry.rules > course.title.rules:
        raise Fault("other-rules", name, found=entry.rules, known=course.title.rules)
    played_under, course.rules = course.rules, entry.rules
    unchecked = entry.rules != course.title.rules
    steps: list[Step] = []
    facts: dict[str, Any] = {}
    closed: tuple[str, ...] = ()
    remarks: tuple[Any, ...] = ()
    _check_shape(course, entry, name)
    if entry.kind == "join":
        facts = _join(course, entry, name)
    elif entry.kind == "rules":
        facts = take_over(course, entry, played_under, name)
    elif unchecked:
        _links(course, entry, name)
        steps, facts = take_unchecked(course, entry, name)
        closed = tuple(entry.closed)
    elif entry.kind == "turn":
        steps = _timely_turn(course, entry, name, time)
        facts = {name: getattr(entry, name) for name in ("close", "unread") if getattr(entry, name)}
        closed = close_phases(course, entry, name)
        remarks = tuple(course.table.close(closed, course.plans_for(closed)))
        if course.knows_all:
            check_told(course, entry, steps, before, name)
        if course.title.hidden:
            # Why a plan's line could not be played would tell what its player holds: that waits for the end.
            course.withheld += remarks
            steps, remarks = [_public(course, step) for step in steps], ()
    elif entry.kind in KEYS:
        facts = correct(course, entry, name)
    elif entry.kind == "end":
        facts = _end(course, entry, name)
        remarks = tuple(course.withheld) if course.knows_all else ()
    if not unchecked:
        if entry.position != position_text(course):
            raise Fault("position-differs", name)
        open_phases(course, entry, name)
    keep_time(course, entry, time, before, name, finish)
    course.last_steps.append(course.table.step)
    head = course.archive.head(entry.number)
    course.entries[head] = entry.number
    course.chapters.append(
        Chapter(
            number=entry.number, head=head, time=time, kind=entry.kind, facts=facts,
            opened=tuple(entry.opened), closed=closed, steps=tuple(steps), remarks=remarks, notes=notes(course, first_new),
            before=before, after=None if course.table.position is None else course.table.position.copy(),
            waiting=None if course.brief else course.waiting(time),
        )
    )  # fmt: skip


def _end(course: Course, entry: Entry, name: str) -> dict[str, Any]:
    if entry.ground:
        check_ground(course, entry, name)
    check_end(course, entry, name)
    course.ended = True
    first = [line for line in entry.result if line.place == 1]
    return {
        "ground": entry.ground, "files": len(entry.files), "winners": [line.seat for line in first],
        "points": first[0].points if first else 0, "conceded": sorted(course.conceded),
    }  # fmt: skip


_OF_ALL = {"protocol", "number", "before", "time", "kind", "program", "rules", "counted", "position", "closes", "tz"}
_OF_KIND = {
    "join": {"seat", "file", "invite", "facts", "letters"},
    "turn": {"close", "read", "unread", "seen", "opened", "closed", "link", "played", "view", "facts", "letters"},
    "end": {"private", "files", "result", "ground", "grounds", "text"},
    "rules": {"view", "opened"},
    **KEYS,
}


def _public(course: Course, step: Step) -> Step:
    """A step with its events as everybody may know them."""
    return msgspec.structs.replace(step, events=tuple(course.title.event_for(event, None) for event in step.events))


def _check_shape(course: Course, entry: Entry, name: str) -> None:
    """An entry holds only what belongs to its kind: a link in a join, say, would let its processor choose the chance of the set-up."""
    if course.ended and entry.kind != "end":
        raise Fault("after-the-end", name)
    if entry.kind not in _OF_KIND:
        raise Fault("unknown-kind", name, found=entry.kind)
    for field in entry.__struct_fields__:
        if field not in _OF_ALL | _OF_KIND[entry.kind] and getattr(entry, field):
            raise Fault("bad-unreadable", name, why=field)
    if entry.kind == "turn" and not entry.played:
        raise Fault("empty-entry", name)


def position_text(course: Course) -> str:
    """What an entry says of the position: the digest of its public view in hex, "" before set-up."""
    return "" if course.table.position is None else course.table.public_digest().hex()


def _count(course: Course, entry: Entry, name: str) -> datetime:
    """Checks time and cut, and lays the files counted on the desk."""
    archive = course.archive
    try:
        time = clock.parse(entry.time)
    except ValueError:
        raise Fault("bad-time", name) from None
    if course.chapters and time < course.chapters[-1].time:
        raise Fault("time-goes-back", name)
    # What is out of its order here is found when its own turn comes: each receipt is looked at once.
    last = course.counted
    while last < len(archive.receipts) and archive.receipt(last + 1).head_number < entry.number:
        last += 1
    if entry.counted != last:
        raise Fault("wrong-cut", name, found=entry.counted, expected=last)
    for number in range(course.counted + 1, last + 1):
        check_receipt(course, number)
        course.take_receipt(number)
    course.counted = course.cut = last
    if last and clock.parse(archive.receipt(last).taken) > time:
        raise Fault("time-goes-back", name)
    return time


def check_receipt(course: Course, number: int) -> None:
    """Whether a receipt fits this point of the ledger: its head and its times."""
    archive, receipt = course.archive, course.archive.receipt(number)
    name = archive.folder.relative(archive.folder.receipt(number))
    if receipt.head != archive.head(len(course.chapters)):
        raise Fault("receipt-other-head", name, found=receipt.head)
    try:
        taken, received = clock.parse(receipt.taken), clock.parse(receipt.received)
    except ValueError:
        raise Fault("bad-time", name) from None
    earlier = clock.parse(archive.receipt(number - 1).taken) if number > 1 else taken
    # No processor takes a file before he has written the entry that the receipt names as the last one.
    if taken < max([earlier, *(chapter.time for chapter in course.chapters[-1:])]) or received > taken:
        raise Fault("time-goes-back", name)
    foreign = bool(course.rules) and course.rules != course.title.rules
    if not foreign and receipt.closes != closing_text(course, receipt.phase):
        raise Fault("receipt-differs", name)


def closing_text(course: Course, phase: str) -> str:
    """What a receipt for a file of that phase says of its closing time: "" when there is none, or the phase is not being played."""
    closes = course.closes() if phase == course.phase_id() else None
    return clock.text(closes) if closes else ""


def _join(course: Course, entry: Entry, name: str) -> dict[str, Any]:
    receipt = course.joining.pop(entry.seat, None)
    if receipt is None or receipt.file != entry.file or (entry.seat in course.members and entry.seat not in course.vacant):
        raise Fault("join-without-file", name, seat=entry.seat)
    filed = open_file(course.archive, receipt)
    where = course.archive.folder.relative(filed.path)
    try:
        join, _, key = read_join(filed.data, filed.detached)
        invite = invite_bytes(entry.invite)
    except (Unreadable, ValueError):
        raise Fault("bad-file", where) from None
    ours = join.seat == entry.seat and join.id == course.archive.game.id
    if not ours or invite_hash(invite) != course.invites.get(entry.seat) or not proves(join, invite):
        raise Fault("bad-invite", where, seat=entry.seat)
    course.members[entry.seat] = member(join, key)
    course.vacant.discard(entry.seat)
    # Its entry publishes the invite: it must not take the seat again when that is vacated. In campaigns of before it may have done so.
    course.spent.add(entry.seat)
    if course.timing.written:
        course.invites[entry.seat] = ""
    check_resealed(course, entry, name)
    return {"seat": entry.seat, "name": course.members[entry.seat].name}


def _timely_turn(course: Course, entry: Entry, name: str, time: datetime) -> list[Step]:
    """A turn with its time: whether it may be played then, whether silence counts, and who missed the closing time."""
    if course.check:
        check_answered(course, name)
    due, silent = course.due(time), silence_applies(course, entry, time, name)
    check_moment(course, entry, time, name)
    steps = _turn(course, entry, name, silent)
    count_missed(course, steps, missable(course, entry, due, silent))
    if silent:
        remember_channels(course, entry)
    return steps


def _turn(course: Course, entry: Entry, name: str, silent: bool) -> list[Step]:
    """Derives the steps of a turn and compares them with what the entry says. ``silent``: its closing time has passed."""
    if not course.full:
        raise Fault("seats-empty", name)
    if entry.close and entry.close != course.phase_id():
        raise Fault("closed-another", name, found=entry.close, expected=course.phase_id())
    closing = course.phase_id() if entry.close or silent else None
    links = _links(course, entry, name)
    if not course.knows_all:
        return take_told(course, entry, name)
    given = [{decision.seat: decision for decision in course.decisions(step)} for step in entry.played if step.step > 1]
    steps: list[Step] = []
    try:
        if course.table.position is None:
            course.fixed_root = course.root()
            steps.append(course.table.set_up(course.options, course.seats, chance_of(course, links)))
        steps += course.table.play_on(course.plan_of, chance_of(course, links), closing, given)
    except _NoLink:
        raise Fault("steps-missing", name, found=len(entry.played), expected=len(entry.played) + 1) from None
    except (Refusal, KeyError, ValueError) as error:
        raise Fault("illegal-step", name, step=course.table.step + 1, why=str(error)) from None
    for derived, told in zip(steps, entry.played, strict=False):
        if played_step(derived) != msgspec.structs.replace(told, events=[]):
            raise Fault("step-differs", name, step=told.step, phase=told.phase)
    if len(steps) != len(entry.played):
        code = "steps-missing" if len(steps) > len(entry.played) else "steps-invented"
        raise Fault(code, name, found=len(entry.played), expected=len(steps))
    return steps


def _links(course: Course, entry: Entry, name: str) -> dict[int, bytes]:
    """The links of the steps of an entry, checked against the last one known."""
    if not entry.played:
        return {}
    first, last = course.table.step + 1, course.table.step + len(entry.played)
    link = bytes.fromhex(entry.link)
    links = {}
    for number in range(last, first - 1, -1):
        links[number] = link
        link = sha256(link)
    if link != last_link(course):
        raise Fault("bad-link", name)
    return links


def last_link(course: Course) -> bytes:
    """The link of the last step played; before set-up the end of the beacon."""
    for kept in reversed(course.archive.entries[: len(course.chapters)]):
        if kept.record.processor is not None:
            break
        if kept.record.link:
            return bytes.fromhex(kept.record.link)
    return course.beacon_end


class _NoLink(Exception):
    """A step that the entry does not tell."""


def chance_of(course: Course, links: dict[int, bytes] | Callable[[int], bytes]) -> Any:
    """Step, what gives the digest of the public position before it → the chance of that step."""
    root = course.root()
    private = course.private_secret

    def of(step: int, before: Callable[[], bytes]) -> Chance:
        if isinstance(links, dict) and step not in links:
            raise _NoLink
        key = links[step] if isinstance(links, dict) else links(step)
        return KeyedChance(key, root, before, private)

    return of


def played_step(step: Step) -> PlayedStep:
    """A step as it stands in an entry: neither line nor alternative is told."""
    return PlayedStep(step=step.number, phase=step.phase, orders=[_played(decision) for decision in step.decisions])


def _played(decision: Decision) -> PlayedOrder:
    order = to_table(decision.order)
    if decision.why == "forced":
        return PlayedOrder(seat=decision.seat, order=order, forced=True)
    if decision.why in ("silence", "stopped"):
        return PlayedOrder(seat=decision.seat, order=order, default=decision.why)
    return PlayedOrder(seat=decision.seat, order=order, file=decision.file)
