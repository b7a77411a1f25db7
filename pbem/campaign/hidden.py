"""What only one seat may know of an entry (titles with ``hidden`` facts).

The entry holds the public view, the events as everybody may know them, and a commitment to each fact: SHA-256 of "pbem/1 fact" ‖ salt ‖
fact. Salt and fact are in the owner's letter. Whoever has the private secret replays the whole position; everybody else follows what the
entries tell, until the ``end`` entry publishes that secret and everything told can be proven.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

import msgspec
import tomli_w

from pbem.campaign.archive import Fault
from pbem.campaign.folder import CampaignError, Folder, read
from pbem.campaign.history import Step
from pbem.campaign.letters import open_file, seal_file
from pbem.campaign.plans import touches
from pbem.campaign.records import Entry, HiddenFact
from pbem.engine.position import digest, to_table
from pbem.engine.title import Title
from pbem.orders.encoding import b64, derive, joined, sha256, unb64

if TYPE_CHECKING:
    from pbem.campaign.course import Course

Facts = dict[str, dict[str, Any]]
"""Seat → name → fact."""


class EntryLetter(msgspec.Struct, kw_only=True):
    """All facts a seat knows alone after an entry: name → [salt in base64, fact as JSON]."""

    facts: dict[str, tuple[str, str]] = {}


def by_seat(title: Title[Any], position: Any) -> Facts:
    """The hidden facts of a position, per seat."""
    found: Facts = {}
    if position is not None:
        for name, (seat, fact) in title.secrets(position).items():
            found.setdefault(seat, {})[name] = fact
    return found


def changed(title: Title[Any], before: Any, after: Any) -> Facts:
    """The seats whose facts an entry changed, with all they know alone afterwards."""
    old, new = by_seat(title, before), by_seat(title, after)
    return {seat: new.get(seat, {}) for seat in sorted(old.keys() | new.keys()) if old.get(seat) != new.get(seat)}


def _salt(private: bytes, step: int, seat: str, name: str) -> bytes:
    return derive(private, "salt", step, seat, name)


def _written(fact: Any) -> bytes:
    return msgspec.json.encode(fact, order="sorted")


def commitment(salt: bytes, written: bytes) -> str:
    """What stands in the entry of a fact (its JSON)."""
    return sha256(joined("pbem/1 fact", salt, written)).hex()


def commitments(facts: Facts, private: bytes, step: int) -> dict[str, HiddenFact]:
    """What an entry says of the facts it changed."""
    return {
        name: HiddenFact(seat=seat, commitment=commitment(_salt(private, step, seat, name), _written(fact)))
        for seat, names in facts.items()
        for name, fact in sorted(names.items())
    }


def letters_for(course: Course, facts: Facts, private: bytes, step: int, number: int) -> dict[str, bytes]:
    """Seat → letter file of an entry."""
    letters = {}
    for seat, names in facts.items():
        letter = EntryLetter(
            facts={name: (b64(_salt(private, step, seat, name)), _written(fact).decode()) for name, fact in sorted(names.items())}
        )
        plain = tomli_w.dumps({"facts": {name: list(pair) for name, pair in letter.facts.items()}}).encode()
        letters[seat] = seal_file(plain, course.archive.id, course.members[seat], f"e{number:04}")
    return letters


def resealed(course: Course, seat: str) -> Facts:
    """What has to be sealed again when a seat gets another letter key: all it knows alone. Empty for open games and before set-up."""
    if not course.title.hidden or course.table.position is None:
        return {}
    return {seat: by_seat(course.title, course.table.position).get(seat, {})}


def check_resealed(course: Course, entry: Entry, name: str) -> None:
    """Whether an entry that gives a seat another letter key hands its facts over; by whoever knows them."""
    facts = resealed(course, entry.seat)
    if not course.knows_all or course.private_secret is None:
        return
    if entry.facts != commitments(facts, course.private_secret, course.table.step):
        raise Fault("facts-differ", name)
    if sorted(entry.letters) != sorted(facts):
        raise Fault("letters-differ", name)


def own_facts(folder: Folder, course: Course, seat: str, secret: bytes) -> dict[str, Any]:
    """What a seat knows alone at present, from the latest letter to it, checked against the entry's commitments.

    CampaignError "letter-closed" when the letter key does not fit, Fault when a letter says something else than was committed to.
    """
    for kept in reversed(course.archive.entries):
        entry: Entry = kept.record
        if seat not in entry.letters:
            continue
        path = folder.letter(seat, f"e{entry.number:04}")
        name = folder.relative(path)
        if sha256(read(path)).hex() != entry.letters[seat]:
            raise Fault("letter-differs", name, receipt=entry.number)
        plain = open_file(path, course.archive.id, seat, secret)
        try:
            letter = msgspec.convert(tomllib.loads(plain.decode()), EntryLetter)
            return {what: _fact(entry, what, unb64(salt), written) for what, (salt, written) in letter.facts.items()}
        except (ValueError, KeyError, msgspec.MsgspecError):
            raise Fault("bad-letter", name) from None
    return {}


def _fact(entry: Entry, name: str, salt: bytes, written: str) -> Any:
    if entry.facts[name].commitment != commitment(salt, written.encode()):
        raise ValueError(name)
    return msgspec.json.decode(written.encode())


def seat_view(course: Course, seat: str | None, facts: Mapping[str, Any] | None = None) -> Any:
    """The position as a seat (None: everybody) sees it. CampaignError "need-key" when that takes letters and none were opened."""
    position = course.table.position
    if seat is None or not course.title.hidden or course.knows_all:
        return course.title.view(position, seat)
    if facts is None:
        raise CampaignError("need-key", seat=seat)
    return course.title.reveal(position, facts)


def take_told(course: Course, entry: Entry, name: str) -> list[Step]:
    """Follows an entry without knowing what is hidden: the table then holds the public view. Fault when it contradicts itself."""
    title, table = course.title, course.table
    events_kind: Any = reduce(or_, title.events)
    steps = []
    try:
        for told in entry.played:
            if told.step != table.step + 1:
                raise Fault("steps-missing", name, found=told.step, expected=table.step + 1)
            events = tuple(msgspec.convert(event, events_kind) for event in told.events)
            steps.append(Step(number=told.step, phase=told.phase, decisions=tuple(course.decisions(told)), events=events))
            table.step = told.step
            table.touched += touches(title, told.step, events)
            table.decided += [(told.step, played.seat, told.phase, played.forced) for played in told.orders]
        table.position = msgspec.convert(entry.view, title.position)
    except msgspec.ValidationError as error:
        raise Fault("bad-unreadable", name, why=str(error)) from None
    if digest(table.position).hex() != entry.position:
        raise Fault("position-differs", name)
    return steps


def check_told(course: Course, entry: Entry, steps: list[Step], before: Any, name: str) -> None:
    """Whether an entry tells of what is hidden what it must, no more and no less; by whoever has replayed everything."""
    title, position = course.title, course.table.position
    if not title.hidden:
        if entry.view or entry.facts or entry.letters or any(told.events for told in entry.played):
            raise Fault("bad-unreadable", name, why="view")
        return
    if entry.view != to_table(title.view(position, None)):
        raise Fault("position-differs", name)
    for step, told in zip(steps, entry.played, strict=True):
        if told.events != public_events(title, step):
            raise Fault("step-differs", name, step=told.step, phase=told.phase)
    facts = changed(title, before, position)
    private = course.private_secret
    if private is None or entry.facts != commitments(facts, private, course.table.step):
        raise Fault("facts-differ", name)
    if sorted(entry.letters) != sorted(facts):
        raise Fault("letters-differ", name)


def public_events(title: Title[Any], step: Step) -> list[dict[str, Any]]:
    """The events of a step as everybody may know them."""
    return [to_table(title.event_for(event, None)) for event in step.events]
