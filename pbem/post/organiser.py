"""What needs the organiser, and the mail that tells him: once each, as long as it lasts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from email.message import EmailMessage
from typing import TYPE_CHECKING

import msgspec

from pbem.campaign import clock
from pbem.post import contacts, outbox
from pbem.post.compose import kicker
from pbem.post.envelope import Envelope, make
from pbem.publish.sheet import Section, Sheet, sheet_html, sheet_text
from pbem.publish.words import Words

if TYPE_CHECKING:
    from pbem.post.turnmail import Desk

LATE = timedelta(hours=6)
STUBBORN = 3
"""So often a mail is tried in vain before the organiser hears of it."""


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """Something only the organiser can do. ``id``: the same as long as it is the same thing."""

    id: str
    text: str
    command: str = ""


def needs(desk: Desk) -> list[Need]:
    """What needs the organiser now."""
    return [*_unreached(desk), *_seats(desk), *_standing_still(desk), *_stuck(desk)]


def mail(desk: Desk, to: str, found: Sequence[Need], key: str) -> EmailMessage:
    """The mail that tells him, with the command that helps for each."""
    words = Words(desk.story, "en")
    game = desk.course.archive.game
    sections = []
    for need in found:
        sections.append(Section(lines=[need.text]))
        if need.command:
            sections.append(Section(kind="pre", lines=[f"  {need.command}"]))
    title = words.ngettext("%(count)s thing needs you", "%(count)s things need you", len(found)) % {"count": len(found)}
    foot = words.gettext("Sent by pbem mail send to the organiser of %(game)s. Each of these is told once.") % {"game": game.name}
    sheet = Sheet(kicker=kicker(desk.course), title=title, sections=sections, foot=[foot])
    envelope = Envelope(to=to, to_name="", subject=f"[{game.name}] {words.gettext('organiser')}: {title}", key=key)
    return make(game, desk.settings, envelope, desk.now, text=sheet_text(sheet), html=sheet_html(sheet, words))


def _unreached(desk: Desk) -> Iterator[Need]:
    known = contacts.load(desk.folder)
    for seat, contact in known.items():
        if contact.bouncing:
            yield Need(
                id=f"bouncing/{seat}/{contact.bouncing}",
                text=f"Mail to {seat} does not arrive ({contact.address}: {contact.why}). What there is for {seat} waits.",
                command=f"pbem contacts {desk.folder.root} --set {seat}=NEW-ADDRESS   (or --clear {seat} to try again)",
            )
    for seat in desk.course.members if known else ():
        if seat not in known and seat not in desk.course.vacant:
            yield Need(
                id=f"no-address/{seat}", text=f"There is no address for {seat}, so nothing is sent to that player.",
                command=f"pbem contacts {desk.folder.root} --set {seat}=ADDRESS",
            )  # fmt: skip


def _seats(desk: Desk) -> Iterator[Need]:
    course = desk.course
    if course.ended:
        return
    for seat in course.vacant:
        command = f"pbem invite {desk.folder.root} --seat {seat} --to ADDRESS"
        yield Need(id=f"vacant/{seat}", text=f"The seat {seat} is free.", command=command)
    for seat, count in course.missed.items():
        if count >= course.archive.game.missed and seat not in course.vacant and seat not in course.conceded:
            yield Need(
                id=f"missed/{seat}", text=f"{seat} has missed {count} closing times in a row; the seat may be given to somebody else.",
                command=f"pbem substitute {desk.folder.root} --seat {seat}",
            )  # fmt: skip


def _standing_still(desk: Desk) -> Iterator[Need]:
    waiting = desk.waiting
    if waiting is None or waiting.closes is None or desk.now < waiting.closes + LATE:
        return
    who = ", ".join(one.seat for one in waiting.asked if one.now)
    phase = Words(desk.story, "en").phase(waiting.phase)
    told = f"{phase[:1].upper()}{phase[1:]} was to close at {clock.text(waiting.closes)}, and the game waits for {who}."
    yield Need(id=f"late/{waiting.phase}/{clock.text(waiting.closes)}", text=told, command=f"pbem process {desk.folder.root}")


def _stuck(desk: Desk) -> Iterator[Need]:
    for about in outbox.waiting(desk.folder):
        tries = outbox.tries(desk.folder, about.key)
        if tries is not None and tries.count >= STUBBORN:
            whose = about.seat or "somebody without a seat"
            told = f"A mail to {whose} was tried {tries.count} times in vain; the server says: {tries.why}"
            yield Need(id=f"stuck/{about.id}", text=told)
