"""Segments of a ledger that were played under other rules of the title.

A fix of a rule gives the title a higher ``rules``. A running campaign moves over by an entry that holds the whole position; what lies
before it can be checked for chain, signatures, seals and links, but its steps only by the version that played them: "not checked", never
"proven".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pbem.campaign.archive import Fault
from pbem.campaign.corrections import KEYS, correct
from pbem.campaign.folder import CampaignError, Folder, read, write
from pbem.campaign.history import Step
from pbem.campaign.phasekeys import publish_secrets, read_keys
from pbem.campaign.records import Entry
from pbem.engine.position import digest, to_table
from pbem.orders.encoding import sha256

if TYPE_CHECKING:
    from pbem.campaign.course import Course


class Snapshot(msgspec.Struct, kw_only=True):
    """The position after the last entry, kept in ``private/`` so that a later version can take it over."""

    head: str
    position: dict[str, Any]


def keep_snapshot(course: Course) -> None:
    """Writes the position after the last entry; it can be computed again at any time, but not by a version with other rules."""
    if course.table.position is not None and not course.ended:
        snapshot = Snapshot(head=course.archive.head(), position=to_table(course.table.position))
        write(_path(course.archive.folder), msgspec.json.encode(snapshot), mode=0o600)


def _path(folder: Folder) -> Any:
    return folder.private / "position.json"


def moved_position(course: Course) -> Any:
    """The position to go on with under the new rules. CampaignError says why there is none."""
    path = _path(course.archive.folder)
    entry: Entry = course.archive.entries[-1].record
    root = str(course.archive.folder.root)
    refused = CampaignError("rules-moved", path=root, found=entry.rules, known=course.title.rules, program=entry.program)
    if course.title.hidden or not path.is_file():
        raise refused
    try:
        snapshot = msgspec.json.decode(read(path), type=Snapshot)
        position = msgspec.convert(snapshot.position, course.title.position)
    except msgspec.MsgspecError:
        raise refused from None
    if snapshot.head != course.archive.head() or digest(course.title.view(position, None)).hex() != entry.position:
        raise refused
    return position


def take_unchecked(course: Course, entry: Entry, name: str) -> tuple[list[Step], dict[str, Any]]:
    """Follows an entry of other rules without playing it. Gives its steps as told, without events, and its facts."""
    table = course.table
    steps = []
    for told in entry.played:
        if told.step != table.step + 1:
            raise Fault("steps-missing", name, found=told.step, expected=table.step + 1)
        table.step = told.step
        table.decided += [(told.step, played.seat, told.phase, played.forced) for played in told.orders]
        steps.append(Step(number=told.step, phase=told.phase, decisions=tuple(course.decisions(told)), events=()))
    facts: dict[str, Any] = {}
    if entry.kind in KEYS and entry.kind != "rollback":
        facts = correct(course, entry, name)
    elif entry.kind == "rollback":
        course.entries = {head: number for head, number in course.entries.items() if number <= entry.to}
        course.keys = {phase: key for phase, key in course.keys.items() if phase not in entry.opened}
        facts = {"to": entry.to, "ground": entry.ground}
    elif entry.kind == "end":
        if sha256(bytes.fromhex(entry.private)).hex() != course.private_hash:
            raise Fault("wrong-private", name)
        course.ended = True
    publish_secrets(course, entry, name)
    course.closed |= set(entry.closed)
    read_keys(course, entry, name, list(entry.opened))
    return steps, facts


def take_over(course: Course, entry: Entry, before: int, name: str) -> dict[str, Any]:
    """A ``rules`` entry: the position it holds is where the game goes on; files not yet played are void."""
    try:
        course.table.position = msgspec.convert(entry.view, course.title.position)
    except msgspec.ValidationError:
        raise Fault("bad-unreadable", name, why="view") from None
    if not before or entry.rules <= before or course.title.hidden:
        raise Fault("wrong-rules", name, found=entry.rules, before=before)
    known = [kept.record.position for kept in course.archive.entries[: entry.number - 1] if kept.record.position]
    if not known or known[-1] != entry.position:
        raise Fault("position-differs", name)
    open_files = [kept.record for kept in course.archive.receipts[: course.cut] if kept.record.accepted and kept.record.kind == "order"]
    course.void |= {receipt.file for receipt in open_files if receipt.phase not in course.closed}
    course.desk = {}
    course.table.cursors, course.table.remarks = {}, []
    return {"from": before, "to": entry.rules}
