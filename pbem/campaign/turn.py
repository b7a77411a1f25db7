"""Everything that can be played, and one signed entry for it. Writing the entry is the one moment a turn happens."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from pbem import __version__
from pbem.campaign import beacon, clock, records
from pbem.campaign.archive import Kept
from pbem.campaign.course import Course
from pbem.campaign.ending import end_facts
from pbem.campaign.folder import CampaignError, Folder, write
from pbem.campaign.hidden import changed, commitments, letters_for, public_events
from pbem.campaign.history import Step
from pbem.campaign.intake import Answer, adopt_orphans, catch_up
from pbem.campaign.phasekeys import gone_phases, open_keys, secrets_of
from pbem.campaign.records import PROTOCOL, Entry
from pbem.campaign.replay import chance_of, played_step, position_text, replay_as_processor, take_entry
from pbem.campaign.secret import Secret
from pbem.engine.position import to_table
from pbem.orders.encoding import sha256
from pbem.orders.join import invite_text


@dataclass(frozen=True)
class Processed:
    """What a run did: the numbers of the entries it wrote, files of a killed run it answered, and the course after it."""

    entries: list[int]
    course: Course
    adopted: list[Answer] = field(default_factory=list)


def process(folder: Folder, now: datetime, *, close: str = "") -> Processed:
    """Writes what is due: joins, the set-up, a turn. Nothing to do: nothing written.

    ``close`` names a phase that the organiser closes early. CampaignError "not-open" when another (or none) is being played,
    "no-secret" or "wrong-secret" when this machine is not the processor, Fault when the campaign's files do not fit together.
    """
    with folder.require().locked():
        course = replay_as_processor(folder)
        _guard(course, close)
        catch_up(course)
        adopted = adopt_orphans(course, now)
        return Processed(play(course, now, close=close), course, adopted)


def play(course: Course, now: datetime, *, close: str = "") -> list[int]:
    """As ``process``, on a processor's course that is up to date; whoever calls it holds the lock. The numbers of the entries written."""
    _guard(course, close)
    first = len(course.archive.entries) + 1
    for seat in course.seats:
        if seat in course.joining:
            _write_join(course, now, seat)
    if course.full and not course.over:
        _write_turn(course, now, close)
    if course.over and not course.ended:
        _append(course, now, kind="end", position=position_text(course), **end_facts(course))
    return list(range(first, len(course.archive.entries) + 1))


def _guard(course: Course, close: str) -> None:
    if close and close != course.phase_id():
        raise CampaignError("not-open", found=close, now=course.phase_id())


def _write_join(course: Course, now: datetime, seat: str) -> None:
    receipt = course.joining[seat]
    invite = _secret(course).invite(seat)
    _append(course, now, kind="join", seat=seat, file=receipt.file, invite=invite_text(invite))


def _write_turn(played: Course, now: datetime, close: str) -> None:
    # Played on a copy of the table; the entry is then replayed on the true one, as everybody will.
    course = msgspec.structs.replace(played, table=played.table.copy())
    table, secret = course.table, _secret(course)
    links = played.links = played.links or beacon.Links(secret.beacon_seed)
    chance = chance_of(course, links)
    time = _time(course, now)
    closing = course.phase_id() if close or course.due(time) else None
    steps: list[Step] = []
    if table.position is None:
        steps.append(table.set_up(course.options, course.seats, chance))
    steps += table.play_on(course.plan_of, chance, closing)
    if not steps:
        return
    hidden = _hidden(course, played, steps)
    gone = gone_phases(course)
    secrets = secrets_of(course, gone)
    _append(
        played, now, kind="turn", close=close, opened=open_keys(course, len(course.archive.entries) + 1), closed=secrets,
        link=links(table.step).hex(), position=position_text(course),
        **(hidden or {"played": [played_step(step) for step in steps]}),
    )  # fmt: skip


def _hidden(course: Course, before: Course, steps: list[Step]) -> dict[str, object]:
    """What an entry says of a title with hidden facts; its letters are written first."""
    title, private = course.title, _secret(course).private
    if not title.hidden:
        return {}
    number, step = len(course.archive.entries) + 1, course.table.step
    facts = changed(title, before.table.position, course.table.position)
    letters = letters_for(course, facts, private, step, number)
    for seat, data in letters.items():
        write(course.archive.folder.letter(seat, f"e{number:04}"), data)
    return {
        "played": [msgspec.structs.replace(played_step(one), events=public_events(title, one)) for one in steps],
        "view": to_table(title.view(course.table.position, None)),
        "facts": commitments(facts, private, step),
        "letters": {seat: sha256(data).hex() for seat, data in letters.items()},
    }


def _append(course: Course, now: datetime, **facts: object) -> None:
    """Makes an entry, replays it, and writes it: one that does not replay never goes out."""
    archive = course.archive
    number = len(archive.entries) + 1
    before = archive.entries[-1].digest if archive.entries else archive.game_digest
    entry = Entry(
        protocol=PROTOCOL, number=number, before=before.hex(), time=clock.text(_time(course, now)), program=__version__,
        rules=course.title.rules, counted=len(archive.receipts), **facts,  # type: ignore[arg-type]  # the caller names fields of Entry
    )  # fmt: skip
    data = records.sign(entry, _secret(course).signing_key, records.LEDGER)
    path, signed = archive.folder.entry(number), records.split(data)
    kept = Kept(path=path, digest=signed.identity, record=records.parse(signed.signed, Entry))
    archive.entries.append(kept)
    take_entry(course, kept)
    write(path, data)


def _time(course: Course, now: datetime) -> datetime:
    """The entry's time: the clock, but never before what it counts."""
    times = [now]
    if course.archive.entries:
        times.append(clock.parse(course.archive.entries[-1].record.time))
    if course.archive.receipts:
        times.append(clock.parse(course.archive.receipts[-1].record.taken))
    return max(times)


def _secret(course: Course) -> Secret:
    if course.secret is None:
        raise CampaignError("no-secret", path=str(course.archive.folder.root))
    return course.secret


__all__ = ["Processed", "play", "process", "take_entry"]
