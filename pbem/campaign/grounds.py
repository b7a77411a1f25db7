"""Grounds: why an entry may change something otherwise than by playing, and the requests that are behind it.

"request" (the seat asked for just that), "consent" (all other seats agreed), "silence" (closing times missed as written in ``game.toml``),
"deputy" (a new secret), "outage", "organiser" (his own decision, shown on every later report).
"""

from __future__ import annotations

from typing import Any

from pbem.campaign.archive import Fault
from pbem.campaign.course import Course, OnRequest
from pbem.campaign.petitions import Absence, Concede, Consent, Profile, Rekey
from pbem.campaign.records import Entry, Processor
from pbem.orders.encoding import joined, unb64
from pbem.orders.findings import Unreadable
from pbem.orders.keys import PublicKey
from pbem.orders.sshsig import verify_blob

DEPUTY = "ledger@pbem"
_ASKED: dict[str, type] = {"concede": Concede, "rekey": Rekey, "amend": Profile, "absence": Absence}
"""Kind of an entry → what its seat must have asked for."""


def check_ground(course: Course, entry: Entry, name: str) -> None:
    """Whether the ground an entry names is there. The requests behind it are answered by it, and no others."""
    pending = {request.receipt.file: request for request in course.requests}
    named = {file: pending.get(file) for file in (*filter(None, [entry.file]), *entry.grounds)}
    if not _is_there(course, entry, named):
        raise Fault("ground-missing", name, ground=entry.ground)
    course.requests = [request for request in course.requests if request.receipt.file not in named]


def _is_there(course: Course, entry: Entry, named: dict[str, OnRequest | None]) -> bool:
    if entry.ground == "request":
        # Its file is the one request; what else its seat or another has asked for is no ground, and waits for its own answer.
        asked = named.get(entry.file)
        kind = _ASKED.get(entry.kind)
        return kind is not None and asked is not None and not entry.grounds and _is_of(asked, entry.seat, kind)
    if entry.file or (entry.grounds and entry.ground != "consent"):
        return False
    if entry.ground == "consent":
        agreed = {one.receipt.seat for one in named.values() if one and agrees(one.petition, entry.kind, entry.to, entry.seat)}
        all_agree = all(one and agrees(one.petition, entry.kind, entry.to, entry.seat) for one in named.values())
        return all_agree and len(named) == len(entry.grounds) and agreed >= {seat for seat in course.playing() if seat != entry.seat}
    if entry.ground == "deputy":
        return entry.processor is not None and confirmed(course, entry.processor, entry.deputy)
    if entry.ground == "silence":
        return course.missed.get(entry.seat, 0) >= course.archive.game.missed
    return entry.ground == "organiser" or (entry.kind, entry.ground) == ("extend", "outage")


def _is_of(request: OnRequest, seat: str, kind: type) -> bool:
    return request.receipt.seat == seat and isinstance(request.petition, kind)


def best_ground(course: Course, kind: str, seat: str, to: int, wanted: str) -> tuple[str, list[str]]:
    """The ground for a step and the requests behind it: the one wanted, else consents if all others gave theirs, silence, the organiser."""
    agreed = [request for request in course.requests if agrees(request.petition, kind, to, seat)]
    others = {one for one in course.playing() if one != seat}
    if wanted in ("", "consent") and others and {request.receipt.seat for request in agreed} >= others:
        return "consent", [request.receipt.file for request in agreed]
    if wanted in ("", "silence") and kind in ("vacate", "substitute") and course.missed.get(seat, 0) >= course.archive.game.missed:
        return "silence", []
    return wanted or "organiser", []


def agrees(petition: Any, kind: str, to: int, seat: str) -> bool:
    """Whether a petition consents to this step."""
    return isinstance(petition, Consent) and (petition.step, petition.to, petition.seat) == (kind, to, seat)


def confirmed(course: Course, processor: Processor, signature: str) -> bool:
    """Whether the deputy named in the game file has signed the processor's new public side."""
    try:
        signer = verify_blob(unb64(signature), DEPUTY, renewal(course, processor))
        return bool(course.archive.game.deputy) and signer == PublicKey.parse(course.archive.game.deputy)
    except (Unreadable, ValueError):
        return False


def renewal(course: Course, processor: Processor) -> bytes:
    """What a deputy signs."""
    return joined("pbem/1 rekey", course.archive.id, processor.key, processor.beacon, processor.private)


def waiting_requests(course: Course) -> list[OnRequest]:
    """Requests that processing answers by itself: all but consents, which wait for the step they agree to."""
    return [request for request in course.requests if not isinstance(request.petition, Consent)]


def check_answered(course: Course, name: str) -> None:
    """Whether all that players asked for has been done before the game goes on: an absence that nobody heeds is none. Fault when not."""
    for request in waiting_requests(course):
        raise Fault("request-unanswered", name, seat=request.receipt.seat, receipt=request.receipt.number)
