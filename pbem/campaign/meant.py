"""Whether a correction can have been meant as it was typed; told before anything is written, with what would be right."""

from __future__ import annotations

from pbem.campaign.corrections import can_return_to
from pbem.campaign.course import Course
from pbem.campaign.folder import CampaignError
from pbem.campaign.grounds import agrees
from pbem.campaign.records import LONGEST_TEXT
from pbem.orders.findings import nearest


def check_meant(course: Course, kind: str, seat: str, text: str) -> None:
    """CampaignError for a seat that is none or not as it must be, and for a sentence that no entry can hold."""
    path = str(course.archive.folder.root)
    if seat and seat not in course.seats:
        raise CampaignError("unknown-seat-here", found=seat, allowed=course.seats, nearest=nearest(seat, course.seats))
    if len(text) > LONGEST_TEXT:
        raise CampaignError("text-long", found=len(text), most=LONGEST_TEXT)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise CampaignError("text-unreadable") from None
    if kind not in ("substitute", "vacate", "rekey"):
        return
    if seat not in course.members:
        raise CampaignError("seat-not-joined", seat=seat, path=path)
    if seat in course.conceded:
        raise CampaignError("seat-conceded", seat=seat)
    if kind == "vacate" and seat in course.vacant:
        raise CampaignError("seat-is-free", seat=seat, path=path)


def no_way_back(course: Course, to: int) -> CampaignError:
    """Why the game cannot go back to an entry, and to which it can."""
    path, known = str(course.archive.folder.root), len(course.chapters)
    ways = [number for number in range(1, known + 1) if can_return_to(course, number)]
    if not ways:
        return CampaignError("no-way-back-unset" if course.table.position is None else "no-way-back-yet", path=path)
    code = "no-way-back-there" if min(ways) < to <= known else "no-way-back"
    return CampaignError(code, found=to, ways=_in_ranges(ways))


def not_agreed(course: Course, *, by_deputy: bool) -> CampaignError:
    """Why no new secret can be taken: whose consent is missing, or that the key is no deputy's."""
    path, seats = str(course.archive.folder.root), course.playing() or course.seats
    if by_deputy:
        return CampaignError("renew-alone-deputy" if course.archive.game.deputy else "renew-alone-no-deputy", path=path, seats=seats)
    agreed = {request.receipt.seat for request in course.requests if agrees(request.petition, "rekey", 0, "")}
    if agreed.isdisjoint(seats):
        return CampaignError("renew-alone", path=path, seats=seats)
    return CampaignError("renew-alone-some", path=path, seats=[seat for seat in seats if seat not in agreed])


def _in_ranges(numbers: list[int]) -> str:
    """Ascending numbers, those in a row as "4 to 8": "4 to 8 or 11"."""
    rows: list[list[int]] = []
    for number in numbers:
        if rows and rows[-1][-1] == number - 1:
            rows[-1].append(number)
        else:
            rows.append([number])
    return " or ".join(f"{row[0]} to {row[-1]}" if len(row) > 1 else str(row[0]) for row in rows)
