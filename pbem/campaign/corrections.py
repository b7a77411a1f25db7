"""When things go wrong: entries that change something otherwise than by playing, each with its ground (``grounds``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from pbem.campaign import clock
from pbem.campaign.archive import Fault
from pbem.campaign.course import Course
from pbem.campaign.deadlines import absence_facts, take_absence, take_extend, take_pause
from pbem.campaign.folder import CampaignError
from pbem.campaign.grounds import check_ground
from pbem.campaign.hidden import check_resealed, check_told
from pbem.campaign.petitions import Profile, Rekey
from pbem.campaign.phasekeys import check_closings
from pbem.campaign.records import Entry, Processor
from pbem.campaign.roster import zone_or_utc
from pbem.campaign.table import Table
from pbem.campaign.timing import check_settings
from pbem.engine import registry
from pbem.engine.title import Title
from pbem.orders.encoding import fixed64, joined, sha256
from pbem.orders.findings import Unreadable
from pbem.orders.keys import PublicKey

# Which keys an entry of each kind may have besides those that all have.
KEYS = {
    "invite": {"seat", "hash", "ground"},
    "substitute": {"seat", "hash", "ground", "grounds", "text"},
    "vacate": {"seat", "ground", "grounds", "text"},
    "rekey": {"seat", "hash", "ground", "grounds", "text", "file", "processor", "deputy", "opened", "closed", "facts", "letters"},
    "amend": {"seat", "settings", "title", "options", "ground", "grounds", "text", "file"},
    "concede": {"seat", "ground", "grounds", "file"},
    "rollback": {"to", "opened", "closed", "ground", "grounds", "text", "view", "facts", "letters"},
    "pause": {"until", "ground", "text"},
    "extend": {"until", "ground", "text"},
    "absence": {"seat", "file", "ground"},
}
HARMLESS = frozenset(("amend", "pause", "extend", "absence"))
"""Kinds that make no file void and take nothing back."""
PROFILE = {"name", "language", "zone"}


def correct(course: Course, entry: Entry, name: str) -> dict[str, Any]:
    """Applies a correction. Gives the facts for its chapter; Fault when it may not be."""
    check_ground(course, entry, name)
    known = changes(course, entry)
    _APPLY[entry.kind](course, entry, name)
    facts = {"seat": entry.seat, "ground": entry.ground, "text": entry.text, "to": entry.to, **entry.settings, **known}
    if entry.kind in ("pause", "extend"):
        until = clock.parse(entry.until) if entry.until else None
        facts |= {"phase": course.phase_id(), "until": until, "resumed": entry.until == entry.time}
    elif entry.kind == "absence":
        facts |= absence_facts(course, entry)
    return {key: value for key, value in facts.items() if value}


def _invite(course: Course, entry: Entry, name: str) -> None:
    if entry.seat not in course.seats or (entry.seat in course.members and entry.seat not in course.vacant):
        raise Fault("seat-not-free", name, seat=entry.seat)
    course.invites[entry.seat] = entry.hash
    course.spent.discard(entry.seat)
    course.issues[entry.seat] = course.issues.get(entry.seat, 1) + 1
    # A join that waits for its entry was made with the old invite, which is void now.
    if (joining := course.joining.pop(entry.seat, None)) is not None:
        course.void.add(joining.file)


def _vacate(course: Course, entry: Entry, name: str) -> None:
    if entry.seat not in course.members or entry.seat in course.conceded:
        raise Fault("seat-not-free", name, seat=entry.seat)
    void_files(course, lambda seat, phase: seat == entry.seat)
    course.vacant.add(entry.seat)
    course.missed.pop(entry.seat, None)
    if entry.kind != "rekey":
        course.timing.leave(entry.seat)
    # What the player who is gone had asked for must not happen to the one who comes.
    course.requests = [request for request in course.requests if request.receipt.seat != entry.seat]


def _substitute(course: Course, entry: Entry, name: str) -> None:
    if entry.seat not in course.vacant:
        _vacate(course, entry, name)
    _invite(course, entry, name)


def _rekey(course: Course, entry: Entry, name: str) -> None:
    """A lost key needs a new invite; who still has the old one names the new one himself; without a seat it is the processor's."""
    if entry.processor is not None:
        _renew(course, entry, name)
        return
    if entry.ground != "request":
        _substitute(course, entry, name)
        return
    request = course.answered.get(entry.file)
    if request is None or not isinstance(request.petition, Rekey):
        raise Fault("ground-missing", name, ground=entry.ground)
    void_files(course, lambda seat, phase: seat == entry.seat)
    key, letter = read_rekey(request.petition)
    member = course.members[entry.seat]
    course.members[entry.seat] = msgspec.structs.replace(member, key=key, letter_key=letter)
    check_resealed(course, entry, name)


def read_rekey(petition: Rekey) -> tuple[PublicKey, bytes]:
    """The keys in a request. Unreadable when they are none."""
    letter = fixed64(petition.letter_key, 32)
    if letter is None:
        raise Unreadable([])
    return PublicKey.parse(petition.key), letter


def played_sealed(course: Course) -> tuple[str, ...]:
    """Phases still open in which steps were played although something was sealed to them: their secrets prove those steps."""
    played = {phase for _, _, phase, _ in course.table.decided}
    return tuple(phase for phase in course.keys if phase in played and phase in course.sealed and phase not in course.closed)


def _renew(course: Course, entry: Entry, name: str) -> None:
    """A new secret: the old key has signed it, and the deputy or all seats have agreed; files sealed to open phases are void."""
    if entry.processor is None or entry.seat or entry.ground not in ("consent", "deputy") or course.title.hidden:
        raise Fault("ground-missing", name, ground=entry.ground)
    try:
        key = PublicKey.parse(entry.processor.key)
    except Unreadable:
        raise Fault("bad-key", name) from None
    check_closings(course, entry, name, played_sealed(course))
    take_processor(course, entry.processor, [*entry.grounds, entry.deputy])
    if entry.number not in [since for since, _ in course.archive.keys]:
        course.archive.keys.append((entry.number, key))


def take_processor(course: Course, processor: Processor, mixed: list[str]) -> None:
    """Takes the processor's new public side: new keys for all open phases, a new beacon, chance mixed anew from what was agreed."""
    ahead = set(course.ahead())
    void_files(course, lambda seat, phase: phase in ahead)
    course.keys = {phase: key for phase, key in course.keys.items() if phase not in ahead}
    course.sealed -= ahead
    course.beacon_base, course.private_hash, course.links = course.table.step, processor.private, None
    course.beacon_end = bytes.fromhex(processor.beacon)
    if course.fixed_root is not None:
        course.fixed_root = sha256(joined(course.fixed_root, *mixed))
    # Invites came from the old secret; free seats need new ones.
    course.invites = dict.fromkeys(course.seats, "")


def installed(slug: str) -> Title[Any]:
    """The title of a campaign. CampaignError "unknown-title" when it is not installed here."""
    try:
        return registry.title(slug)
    except KeyError:
        raise CampaignError("unknown-title", found=slug, known=registry.slugs()) from None


def changes(course: Course, entry: Entry) -> dict[str, Any]:
    """What an amendment changes, for its chapter: the name a seat had before; title and options that were others before."""
    if entry.seat in course.members and "name" in entry.settings:
        return {"was": course.members[entry.seat].name}
    if not entry.title:
        return {}
    if entry.title != course.title.slug:
        title = installed(entry.title)
        before = {name: getattr(title.options(), name) for name in title.options.__struct_fields__}
        return {"title": entry.title, "title_name": title.name, "options": _differing(entry.options, before)}
    return {"options": _differing(entry.options, options_in_force(course))}


def _differing(options: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if before.get(name) != value}


def options_in_force(course: Course) -> dict[str, Any]:
    """All options of the title that is played, those left at their default included."""
    return {name: getattr(course.options, name) for name in course.options.__struct_fields__}


def set_up_settled(course: Course) -> bool:
    """Whether everything is in on which the set-up hangs: who holds the secret could choose it by changing options from then on."""
    return course.table.position is not None or {*course.members, *course.joining} >= set(course.seats)


def play_another(course: Course, entry: Entry, name: str) -> None:
    """Another title or other options in the place of those of the game file. Who has joined stays joined."""
    if entry.ground != "organiser" or set_up_settled(course):
        raise Fault("set-up-settled", name)
    title = installed(entry.title)
    try:
        options = msgspec.convert(entry.options, title.options)
    except msgspec.ValidationError as error:
        raise Fault("bad-unreadable", name, why=str(error)) from None
    if len(course.seats) not in title.seats:
        raise Fault("bad-unreadable", name, why="seats")
    course.title, course.options = title, options
    course.table = Table(title=title, stand_in=course.table.stand_in)
    # Nothing has been played: the rules of the title that was to be played bind nobody.
    course.rules = 0


def _amend(course: Course, entry: Entry, name: str) -> None:
    if entry.seat:
        request = course.answered.get(entry.file)
        if entry.ground == "request" and (request is None or entry.settings != profile(request.petition)):
            raise Fault("ground-missing", name, ground=entry.ground)
        if entry.seat not in course.members or not entry.settings.keys() <= PROFILE:
            raise Fault("bad-unreadable", name, why="settings")
        settings = dict(entry.settings)
        if "zone" in settings:
            settings["zone"] = zone_or_utc(settings["zone"])
        course.members[entry.seat] = msgspec.structs.replace(course.members[entry.seat], **settings)
        return
    try:
        same = check_settings(entry.settings, written=course.timing.written, check=False) == entry.settings
    except (ValueError, CampaignError):
        same = False
    if not same or not (entry.settings or entry.title):
        raise Fault("bad-unreadable", name, why="settings")
    if entry.title or entry.options:
        play_another(course, entry, name)
    course.timing.amend(entry.settings)
    course.table.stand_in = course.archive.game.id if course.silence == "bot" else ""


def profile(petition: Any) -> dict[str, str]:
    """What a profile request changes."""
    if not isinstance(petition, Profile):
        return {}
    found: dict[str, str] = {key: value for key, value in msgspec.to_builtins(petition).items() if key != "do"}
    return found


def _concede(course: Course, entry: Entry, name: str) -> None:
    if entry.seat not in course.members or course.table.position is None:
        raise Fault("seat-not-free", name, seat=entry.seat)
    void_files(course, lambda seat, phase: seat == entry.seat)
    course.conceded.add(entry.seat)
    course.table.absent = sorted(course.conceded)


def undone_phases(course: Course, to: int) -> tuple[str, ...]:
    """Phases still open in which steps would be undone although something was sealed to them: their secrets prove those steps."""
    first = course.last_steps[to]
    played = {phase for step, _, phase, _ in course.table.decided if step > first}
    return tuple(phase for phase in course.keys if phase in played and phase in course.sealed and phase not in course.closed)


def _rollback(course: Course, entry: Entry, name: str) -> None:
    """Back to where the game stood after an entry. Files are void, keys are new; steps and chance are never counted back."""
    if not can_return_to(course, entry.to):
        raise Fault("no-way-back", name, to=entry.to)
    before = course.table.position
    check_closings(course, entry, name, undone_phases(course, entry.to))
    turn_back(course, entry.to)
    if course.knows_all:
        check_told(course, entry, [], before, name)


def can_return_to(course: Course, to: int) -> bool:
    """Whether the game can go back to where it stood after an entry: it was set up then, and the entry is still on the line."""
    if not 1 <= to < len(course.chapters) or to not in course.entries.values() or course.ended:
        return False
    return course.chapters[to - 1].after is not None


def turn_back(course: Course, to: int) -> None:
    """Puts the table back. See ``_rollback``."""
    table, last = course.table, course.last_steps[to]
    table.position = course.chapters[to - 1].after.copy()
    table.decided = [each for each in table.decided if each[0] <= last]
    table.touched = [touch for touch in table.touched if touch.step <= last]
    table.cursors, table.remarks = {}, []
    ahead = set(course.ahead())
    course.closed -= ahead
    void_files(course, lambda seat, phase: phase in ahead)
    course.keys = {phase: key for phase, key in course.keys.items() if phase not in ahead}
    course.sealed -= ahead
    course.entries = {head: number for head, number in course.entries.items() if number <= to}
    course.missed = {}


def void_files(course: Course, which: Callable[[str, str], bool]) -> None:
    """Takes files off the desk; they are never played again, nor taken when they are sent again."""
    for (seat, phase), items in list(course.desk.items()):
        if phase not in course.closed and which(seat, phase):
            course.void |= {item.receipt.file for item in items}
            del course.desk[seat, phase]


_APPLY: dict[str, Callable[[Course, Entry, str], None]] = {
    "invite": _invite,
    "substitute": _substitute,
    "vacate": _vacate,
    "rekey": _rekey,
    "amend": _amend,
    "concede": _concede,
    "rollback": _rollback,
    "pause": take_pause,
    "extend": take_extend,
    "absence": take_absence,
}
