"""Everything that can be played, and one signed entry for it. Writing the entry is the one moment a turn happens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import msgspec

from pbem import __version__
from pbem.campaign import beacon, clock, records
from pbem.campaign import secret as secrets
from pbem.campaign.archive import Fault, Kept, open_file
from pbem.campaign.corrections import (
    can_return_to,
    options_in_force,
    played_sealed,
    profile,
    read_rekey,
    set_up_settled,
    take_processor,
    turn_back,
    undone_phases,
)
from pbem.campaign.course import Course, OnRequest
from pbem.campaign.creation import playable_options
from pbem.campaign.deadlines import held_until, look_at_channels, out
from pbem.campaign.ending import end_facts
from pbem.campaign.folder import CampaignError, Folder, write
from pbem.campaign.grounds import DEPUTY, best_ground, confirmed, renewal, waiting_requests
from pbem.campaign.hidden import changed, commitments, letters_for, public_events, resealed
from pbem.campaign.history import Step
from pbem.campaign.intake import Answer, adopt_orphans, catch_up
from pbem.campaign.marks import keep_mark, links_of
from pbem.campaign.meant import check_meant, no_way_back, not_agreed
from pbem.campaign.petitions import Absence, Concede, Profile, Rekey
from pbem.campaign.phasekeys import gone_phases, open_keys, secrets_of
from pbem.campaign.records import PROTOCOL, Entry, Processor
from pbem.campaign.replay import chance_of, played_step, position_text, replay_as_processor, take_entry
from pbem.campaign.rescheduling import clock_settings, moved_to
from pbem.campaign.roster import Member, invite_hash, member
from pbem.campaign.secret import Secret
from pbem.campaign.segments import keep_snapshot, moved_position
from pbem.engine.position import digest, to_table
from pbem.orders.encoding import b64, sha256
from pbem.orders.join import invite_text, read_join
from pbem.orders.keys import PrivateKey
from pbem.orders.sshsig import sign_blob


@dataclass(frozen=True)
class Processed:
    """What a run did: the numbers of the entries it wrote, files of a killed run it answered, and the course after it."""

    entries: list[int]
    course: Course
    adopted: list[Answer] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    """Channels that have to be read once more before the phase, whose closing time has passed, is closed."""


def process(folder: Folder, now: datetime, *, close: str = "", unread: bool = False) -> Processed:
    """Writes what is due: joins, the set-up, a turn. Nothing to do: nothing written.

    ``close`` names a phase that the organiser closes early; ``unread``: whether a phase is closed although a channel has not been read
    since its closing time. CampaignError "not-open" when another phase (or none) is being played, "paused" in a pause, "no-secret" or
    "wrong-secret" when this machine is not the processor, Fault when the campaign's files do not fit together.
    """
    with folder.require().locked():
        course = replay_as_processor(folder)
        clock.check_near(now, course.times())
        moved = _move_rules(course, now)
        _guard(course, close)
        catch_up(course)
        # After the end there are no receipts any more: a file that lies there then is a stranger, and audit says so.
        adopted = [] if course.ended else adopt_orphans(course, now)
        entries = moved + play(course, now, close=close, unread=unread)
        if entries:
            keep_snapshot(course)
            keep_mark(course)
        return Processed(entries, course, adopted, look_at_channels(course, _time(course, now), unread)[1])


def _move_rules(course: Course, now: datetime) -> list[int]:
    """Moves a campaign that began under older rules over to those of the installed title."""
    if course.ended or not course.rules or course.rules == course.title.rules or not course.full:
        return []
    if not any(kept.record.position for kept in course.archive.entries):
        return []
    position = moved_position(course)
    course.table.position = position
    opened = open_keys(course, len(course.archive.entries) + 1)
    course.table.position = None
    # Its cut is that of the entry before: whatever came since is judged under the new rules.
    _append(course, now, kind="rules", view=to_table(position), position=digest(course.title.view(position, None)).hex(), opened=opened)
    return [len(course.archive.entries)]


def play(course: Course, now: datetime, *, close: str = "", unread: bool = False) -> list[int]:
    """As ``process``, on a processor's course that is up to date; whoever calls it holds the lock. The numbers of the entries written."""
    _guard(course, close)
    if close and course.timing.pausing(_time(course, now)):
        raise CampaignError("paused", until=course.timing.paused)
    if course.ended:
        return []
    first = len(course.archive.entries) + 1
    for seat in course.seats:
        if seat in course.joining:
            _write_join(course, now, seat)
    for request in waiting_requests(course):
        _write_petition(course, now, request)
    if course.full and not course.over and not course.abandoned:
        _write_turn(course, now, close, unread)
        time = _time(course, now)
        if not close and course.due(time) and out(course, time) and "seen" not in look_at_channels(course, time, unread)[0]:
            # Nobody could know that his orders would not be read for so long: the phase gets a new closing time.
            _append(course, now, kind="extend", ground="outage", position=position_text(course))
    if (course.over or course.abandoned) and not course.ended:
        _append(course, now, kind="end", position=position_text(course), **end_facts(course))
    return list(range(first, len(course.archive.entries) + 1))


def _guard(course: Course, close: str) -> None:
    if close and close != course.phase_id():
        raise CampaignError("not-open", found=close, now=course.phase_id(), phases_of=course.title.slug)


def _write_join(course: Course, now: datetime, seat: str) -> None:
    receipt = course.joining[seat]
    invite = _secret(course).invite(seat, course.issues.get(seat, 1))
    filed = open_file(course.archive, receipt)
    join, _, key = read_join(filed.data, filed.detached)
    _append(
        course, now, kind="join", seat=seat, file=receipt.file, invite=invite_text(invite), position=position_text(course),
        **_reseal(course, member(join, key)),
    )  # fmt: skip


def _reseal(course: Course, to: Member) -> dict[str, object]:
    """Hands what a seat knows alone over to its new letter key; the letter is written first."""
    facts, private, step = resealed(course, to.seat), _secret(course).private, course.table.step
    if not facts:
        return {}
    number = len(course.archive.entries) + 1
    trial = msgspec.structs.replace(course, members={**course.members, to.seat: to})
    letters = letters_for(trial, facts, private, step, number)
    for seat, data in letters.items():
        write(course.archive.folder.letter(seat, f"e{number:04}"), data)
    return {"facts": commitments(facts, private, step), "letters": {seat: sha256(data).hex() for seat, data in letters.items()}}


def _write_petition(course: Course, now: datetime, request: OnRequest) -> None:
    """What a player asked for himself is done without asking anybody else."""
    facts: dict[str, object] = {"seat": request.receipt.seat, "ground": "request", "file": request.receipt.file}
    if isinstance(request.petition, Concede):
        _append(course, now, kind="concede", position=position_text(course), **facts)
    elif isinstance(request.petition, Rekey):
        key, letter = read_rekey(request.petition)
        to = msgspec.structs.replace(course.members[request.receipt.seat], key=key, letter_key=letter)
        _append(course, now, kind="rekey", position=position_text(course), **facts, **_reseal(course, to))
    elif isinstance(request.petition, Profile):
        _append(course, now, kind="amend", position=position_text(course), settings=profile(request.petition), **facts)
    elif isinstance(request.petition, Absence):
        _append(course, now, kind="absence", position=position_text(course), **facts)


def correct(folder: Folder, now: datetime, kind: str, *, seat: str = "", to: int = 0, ground: str = "", text: str = "",
            settings: dict[str, str] | None = None, title: str = "", options: Mapping[str, Any] | None = None,
            until: datetime | None = None, by: timedelta | None = None) -> tuple[Course, str]:  # fmt: skip
    """Writes a correction of the organiser's: "invite", "substitute", "vacate", "rekey", "amend", "rollback", "pause", "extend" or "end".

    ``until`` is the end of a pause (None: it ends now), or the closing time that is put off to, or ``by`` how much. ``title`` and
    ``options`` amend what is to be played, until the last player has joined: options of the same title that are not named stay.
    Gives the course after it and, where one was made, the new invite. Without ``ground`` the best one there is is named. CampaignError
    says why it cannot be done; nothing is written then.
    """
    with folder.require().locked():
        course = replay_as_processor(folder)
        if course.ended:
            raise CampaignError("ended", path=str(folder.root))
        clock.check_near(now, course.times())
        check_meant(course, kind, seat, text)
        catch_up(course)
        # What an interrupted run has left was in before this step; and nothing of it may lie about when the ledger closes.
        adopt_orphans(course, now)
        facts: dict[str, object] = {"position": position_text(course), "text": text}
        named, grounds = best_ground(course, kind, seat, to, ground)
        facts |= {"ground": named, "grounds": grounds, "seat": seat, "settings": settings or {}}
        if title or options:
            facts |= _another_game(course, title, options or {})
        invite = ""
        if kind in ("invite", "substitute", "rekey"):
            raw = _secret(course).invite(seat, course.issues.get(seat, 1) + 1)
            invite, facts["hash"] = invite_text(raw), invite_hash(raw)
        if kind == "rollback":
            facts |= _rollback_facts(course, to)
        if kind == "end":
            facts |= end_facts(course)
        if kind in ("pause", "extend"):
            facts["until"] = moved_to(course, _time(course, now), kind, until, by)
        if kind == "amend":
            facts["settings"] = clock_settings(course, settings or {})
        try:
            _append(course, now, kind=kind, **facts)
        except Fault as fault:
            course.archive.entries.pop()
            code = {"seat-not-free": "seat-not-free" if kind == "invite" else "seat-not-so", "ground-missing": "no-such-ground"}
            raise CampaignError(code.get(fault.code, "cannot-correct"), kind=kind, why=fault.code, seat=seat, to=to) from None
        return course, invite


def _another_game(course: Course, title: str, options: Mapping[str, Any]) -> dict[str, object]:
    """Title and options of an amendment."""
    if set_up_settled(course):
        code = "amend-all-joined" if course.joining else "amend-late"
        raise CampaignError(code, path=str(course.archive.folder.root), seat=next(iter(course.joining), ""))
    stays = not title or title == course.title.slug
    chosen = {**(options_in_force(course) if stays else {}), **options}
    playable = playable_options(title or course.title.slug, course.seats, chosen)
    if stays and playable == options_in_force(course):
        raise CampaignError("amend-nothing", title=course.title.name)
    return {"title": title or course.title.slug, "options": playable}


def _rollback_facts(played: Course, to: int) -> dict[str, object]:
    if not can_return_to(played, to):
        raise no_way_back(played, to)
    closed = secrets_of(played, undone_phases(played, to))
    course = msgspec.structs.replace(
        played, table=played.table.copy(), keys=dict(played.keys), closed=set(played.closed), sealed=set(played.sealed),
        desk=dict(played.desk), void=set(played.void),
    )  # fmt: skip
    turn_back(course, to)
    facts = {"to": to, "closed": closed, "opened": open_keys(course, len(course.archive.entries) + 1), "position": position_text(course)}
    return facts | {key: value for key, value in _hidden(course, played, []).items() if key != "played"}


def renew(folder: Folder, now: datetime, *, deputy: PrivateKey | None = None) -> tuple[Course, list[str]]:
    """Takes a new secret for a campaign: written as a ``rekey`` entry that the old key signs and the deputy, or all seats, agree to.

    Gives the course and the words of the new recovery sheet. CampaignError when nobody has agreed, or it cannot be done here.
    """
    with folder.require().locked():
        course = replay_as_processor(folder)
        if course.ended or course.title.hidden or secrets.from_environment() is not None:
            code = "ended" if course.ended else "renew-hidden" if course.title.hidden else "renew-environment"
            raise CampaignError(code, path=str(folder.root))
        catch_up(course)
        new = Secret(secrets.new_raw(), course.archive.id)
        side = Processor(key=new.signing_key.public.line(), beacon=beacon.end(new.beacon_seed).hex(), private=sha256(new.private).hex())
        signature, ground, grounds = "", "deputy", list[str]()
        if deputy is not None:
            signature = b64(sign_blob(deputy, DEPUTY, renewal(course, side)))
        else:
            ground, grounds = best_ground(course, "rekey", "", 0, "")
        if ground not in ("deputy", "consent") or (deputy is not None and not confirmed(course, side, signature)):
            raise not_agreed(course, by_deputy=deputy is not None)
        closed = secrets_of(course, played_sealed(course))
        trial = msgspec.structs.replace(
            course, secret=new, keys=dict(course.keys), sealed=set(course.sealed), desk=dict(course.desk), void=set(course.void)
        )
        take_processor(trial, side, [*grounds, signature])
        opened = open_keys(trial, len(course.archive.entries) + 1)
        # The new secret is on the disk before the entry names it: a run killed in between loses nothing.
        secrets.keep(folder, new.raw, as_next=True)
        _append(
            course, now, kind="rekey", position=position_text(course), processor=side, deputy=signature, ground=ground, grounds=grounds,
            closed=closed, opened=opened,
        )  # fmt: skip
        secrets.take_next(folder, course.archive.id, new.signing_key.public)
        return course, secrets.words(new.raw)


def _write_turn(played: Course, now: datetime, close: str, unread: bool) -> None:
    time = _time(played, now)
    if not close and held_until(played, time) is not None:
        return
    # Played on a copy of the table; the entry is then replayed on the true one, as everybody will.
    course = msgspec.structs.replace(played, table=played.table.copy())
    table = course.table

    def link(step: int) -> bytes:
        # Asked for when something is played: most runs find nothing, and need not walk the beacon for it.
        return links_of(played)(step)

    chance = chance_of(course, link)
    looked, waiting = ({}, []) if close else look_at_channels(played, time, unread)
    silent = played.due(time) and not waiting and not (out(played, time) and "seen" not in looked)
    closing = course.phase_id() if close or silent else None
    steps: list[Step] = []
    if table.position is None:
        steps.append(table.set_up(course.options, course.seats, chance))
    steps += table.play_on(course.plan_of, chance, closing)
    if not steps:
        return
    hidden = _hidden(course, played, steps)
    gone = gone_phases(course)
    published = secrets_of(course, gone)
    _append(
        played, now, kind="turn", close=close, opened=open_keys(course, len(course.archive.entries) + 1), closed=published,
        link=link(table.step).hex(), position=position_text(course), **looked,
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
    path, written = archive.folder.entry(number), list[bytes]()

    def sign(entry: Entry) -> Kept:
        written.append(records.sign(entry, _secret(course).signing_key, records.LEDGER))
        signed = records.split(written[-1])
        return Kept(path=path, digest=signed.identity, record=records.parse(signed.signed, Entry))

    def finish(closes: str, tz: str) -> None:
        # When the phase that an entry has opened closes is known only once it has been played.
        archive.entries[-1] = sign(msgspec.structs.replace(entry, closes=closes, tz=tz))

    archive.entries.append(sign(entry))
    take_entry(course, archive.entries[-1], finish)
    write(path, written[-1])


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


__all__ = ["Processed", "correct", "play", "process", "take_entry"]
