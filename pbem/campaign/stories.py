"""The course as a story for ``publish``."""

from __future__ import annotations

from pbem.campaign.course import Course
from pbem.campaign.history import Note, Seat, Story


def notes(course: Course, first: int) -> tuple[Note, ...]:
    latest: dict[tuple[str, str], Note] = {}
    for items in course.desk.values():
        for item in items:
            if item.receipt.number >= first and item.file.note:
                latest[(item.receipt.seat, item.receipt.phase)] = Note(seat=item.receipt.seat, text=item.file.note)
    return tuple(latest.values())


def story(course: Course) -> Story:
    """The whole course as a story for ``publish``."""
    seats = [
        course.members[seat].public() if seat in course.members else Seat(seat=seat, name=seat, language="en", zone="UTC", key="")
        for seat in course.seats
    ]
    game = course.archive.game
    return Story(
        name=game.name, id=game.id, title=course.title, seats=tuple(seats), chapters=tuple(course.chapters),
        over=course.over or course.ended,
        head=course.archive.head(), processor_key=course.archive.key.line(),
    )  # fmt: skip
