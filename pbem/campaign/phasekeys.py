"""The keys that orders are sealed to: opened by an entry, their secrets published when a phase has closed."""

from __future__ import annotations

from pbem.campaign.archive import Archive, Fault
from pbem.campaign.course import Course, PhaseKey
from pbem.campaign.folder import CampaignError
from pbem.campaign.records import Entry
from pbem.orders.encoding import b64, fixed64, unb64
from pbem.orders.findings import Unreadable
from pbem.orders.seal import check_seal_to, make_seal_to, phase_public


def published(archive: Archive) -> dict[tuple[str, int], bytes]:
    """(Phase, number of the entry that opened its key) → secret, from all entries.

    One that does not fit its key opens nothing; its own entry is found false when it comes.
    """
    lines: dict[str, tuple[int, str]] = {}
    found = {}
    for kept in archive.entries:
        for phase, written in kept.record.closed.items():
            number, line = lines.get(phase, (0, ""))
            raw, words = fixed64(written, 32), line.split(" ")
            if raw is not None and len(words) == 4 and words[2] == b64(phase_public(raw)):
                found[phase, number] = raw
        lines |= {phase: (kept.record.number, line) for phase, line in kept.record.opened.items()}
    return found


def gone_phases(course: Course) -> tuple[str, ...]:
    """Phases whose keys are open and that are over: in the order they were opened."""
    ahead = set(course.ahead())
    return tuple(phase for phase in course.keys if phase not in ahead and phase not in course.closed)


def close_phases(course: Course, entry: Entry, name: str) -> tuple[str, ...]:
    gone = gone_phases(course)
    check_closings(course, entry, name, gone)
    course.closed |= set(gone)
    return gone


def check_closings(course: Course, entry: Entry, name: str, gone: tuple[str, ...]) -> None:
    """Whether an entry publishes the secrets of these phases, and no others. Fault when not."""
    if tuple(sorted(entry.closed)) != tuple(sorted(gone)):
        raise Fault("wrong-closings", name, found=sorted(entry.closed), expected=sorted(gone))
    for phase in gone:
        written = entry.closed[phase]
        if phase not in course.settled and bool(written) != (phase in course.sealed):
            raise Fault("secret-missing" if not written else "secret-unasked", name, phase=phase)
    publish_secrets(course, entry, name)


def publish_secrets(course: Course, entry: Entry, name: str) -> None:
    """Keeps the secrets an entry publishes. Fault when one does not belong to its phase's key."""
    for phase, written in entry.closed.items():
        if phase not in course.keys:
            raise Fault("wrong-closings", name, found=[phase], expected=list(course.keys))
        if written:
            raw = fixed64(written, 32)
            if raw is None:
                raise Fault("bad-key", name, phase=phase)
            if phase_public(raw) != course.keys[phase].public:
                raise Fault("wrong-secret", name, phase=phase)
            course.published[phase, course.keys[phase].entry] = raw

def phases_to_open(course: Course) -> list[str]:
    """Phases that are announced and have no key yet."""
    return [phase for phase in course.ahead() if phase not in course.keys]


def open_phases(course: Course, entry: Entry, name: str) -> None:
    expected = phases_to_open(course)
    if sorted(entry.opened) != sorted(expected):
        raise Fault("wrong-openings", name, found=sorted(entry.opened), expected=sorted(expected))
    read_keys(course, entry, name, expected)


def read_keys(course: Course, entry: Entry, name: str, phases: list[str]) -> None:
    """Keeps the keys an entry opens for these phases. Fault when one is none, or not signed for this entry."""
    for phase in phases:
        line = entry.opened[phase]
        try:
            campaign_id, number, public = _read_seal_to(course, phase, line)
        except (Unreadable, ValueError, IndexError):
            raise Fault("bad-key", name, phase=phase) from None
        if (campaign_id, number, len(public)) != (course.archive.id, entry.number, 32):
            raise Fault("bad-key", name, phase=phase)
        course.keys[phase] = PhaseKey(entry.number, public, line)


def _read_seal_to(course: Course, phase: str, line: str) -> tuple[bytes, int, bytes]:
    if course.check:
        return check_seal_to(line, phase, course.archive.key_at(len(course.chapters) + 1))
    words = line.split(" ")
    return bytes.fromhex(words[0]), int(words[1]), unb64(words[2])


def secrets_of(course: Course, phases: tuple[str, ...]) -> dict[str, str]:
    """What an entry publishes of phases that have closed: their secret in base64, "" where nothing was sealed."""
    secret = course.secret
    if secret is None:
        raise CampaignError("no-secret", path=str(course.archive.folder.root))
    return {phase: b64(secret.phase(phase, course.keys[phase].entry)) if phase in course.sealed else "" for phase in phases}


def open_keys(course: Course, number: int) -> dict[str, str]:
    """Public keys that an entry of that number publishes: each as a line signed for templates (``seal_to``)."""
    secret = course.secret
    if secret is None:
        raise CampaignError("no-secret", path=str(course.archive.folder.root))
    return {
        phase: make_seal_to(secret.signing_key, course.archive.id, phase, number, phase_public(secret.phase(phase, number)))
        for phase in phases_to_open(course)
    }


