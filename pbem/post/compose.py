"""Answers to mails: receipts, help for who has sent something else, a word about a seat.

What is for a player alone stands only in mails to the address that is registered for his seat; any other address gets what is public.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from email.message import EmailMessage
from typing import TYPE_CHECKING

from pbem.campaign import clock
from pbem.campaign.stories import story
from pbem.post import contacts
from pbem.post.envelope import Attachment, Envelope, known_id, make
from pbem.post.outbox import id_of
from pbem.post.settings import Settings, load
from pbem.publish.answering import answer_facts
from pbem.publish.columns import clean
from pbem.publish.receipts import receipt_subject, receipt_text
from pbem.publish.sheet import WIDTH, Section, Sheet, sheet_html, sheet_text
from pbem.publish.words import Words

if TYPE_CHECKING:
    from pbem.campaign.course import Course
    from pbem.campaign.intake import Answer

RECEIPTS_HEADER = "X-Pbem-Receipts"
"""In a mail that answers files: the numbers of its receipts, so that a report may take it along."""

MOST_ANSWERS = 20
LONGEST_INSTALL = 400


def receipt_mail(
    course: Course, answers: Sequence[Answer], to: str, in_reply_to: str = "", *, elsewhere: bool = False, now: datetime | None = None
) -> EmailMessage:
    """The answer to a mail: the receipts of the files in it, in one mail. ``elsewhere``: they came from another address.

    What a sealed plan says, its dry run and what is wrong with it are told only of seats whose registered address ``to`` is.
    """
    game = course.archive.game
    mine = contacts.seats_of(course.archive.folder, to)
    seats = list(dict.fromkeys(one.receipt.seat for one in answers if one.receipt.seat))
    seat = next((one for one in seats if one in mine), "") or (seats[0] if len(seats) == 1 else "")
    if not seats and len(mine) == 1:
        seat = mine[0]   # nothing in it says whose it is, but who has sent it is known
    words = words_to(course, seat)
    facts = [answer_facts(course, one, words, private=one.receipt.seat in mine, columns=WIDTH) for one in answers]
    sections = [section for one in facts[:MOST_ANSWERS] for section in receipt_sections(receipt_text(one, words))]
    if elsewhere:
        said = words.gettext("This came from another address than yours. If it was not you, somebody has your key: tell the organiser.")
        sections.insert(0, Section(lines=[said]))
    if len(facts) > MOST_ANSWERS:
        more = len(facts) - MOST_ANSWERS
        said = words.ngettext("%(count)s more file was answered.", "%(count)s more files were answered.", more)
        sections.append(Section(lines=[said % {"count": more}]))
    if len(facts) == 1:
        subject = receipt_subject(facts[0], words)
    else:
        refused = sum(one.verdict == "refused" for one in facts)
        said = words.gettext("%(count)s files received, %(refused)s not taken") if refused else words.gettext("%(count)s files received")
        who = words.seat(seat) if seat else game.name
        subject = f"[{game.name}] {who}: {said % {'count': len(facts), 'refused': refused}}"
    numbers = " ".join(str(one.receipt.number) for one in answers)
    envelope = Envelope(
        to=to, to_name=words.seat(seat) if seat else "", subject=subject, key=f"receipt/{id_of(f'{to} {known_id(in_reply_to)} {numbers}')}",
        seat=seat if seat in mine else "", answers=in_reply_to, asked_for=True,
    )  # fmt: skip
    title = subject.removeprefix(f"[{game.name}] ")
    message = _mail(course, envelope, title, sections, words, now)
    message[RECEIPTS_HEADER] = numbers
    return message


def help_mail(
    course: Course, to: str, in_reply_to: str = "", *, secret: bool = False, now: datetime | None = None
) -> EmailMessage:
    """What to do, for who has written something that holds no file; it tells nothing about the game. ``secret``: it held his key."""
    seat = contacts.seat_of(course.archive.folder, to) or ""
    words = words_to(course, seat)
    _ = words.gettext
    file = {"file": f"{seat or 'an'}.order.toml"}
    play = [
        _("Attach the signed file, such as %(file)s, to a mail to this address. pbem sign makes it from the file you have filled in."),
        _("Where attachments get lost, paste what pbem armour %(file)s prints into the mail."),
        _("A mail with the one word resend as its subject brings you the last report again, at the address you play from."),
    ]
    sections = [
        Section(lines=[_("Your mail has arrived, but there was no order file, join file or request in it. Nothing was done with it.")]),
        Section(heading=_("if you play"), lines=[text % file for text in play]),
        Section(heading=_("if you would like to play"), lines=[
            _("Seats are given by invite. Ask the organiser of the game for one; pbem join makes a join file from it, to be sent here."),
        ]),
        Section(lines=[_("What people write to each other is not read here, and not passed on.")]),
    ]  # fmt: skip
    if secret:
        sections.insert(1, Section(heading=_("you have sent your secret key"), lines=[
            _("The key file is never sent to anybody: whoever reads it can play for you. Delete that mail, and make a new key, "
              "with pbem keygen -o new.key."),
            _("If you have not joined yet, join with the new one. If you have: pbem request game.toml rekey, with --seat, --key (the old "
              "key) and --new-key, makes a file to send here. Such files end in .join.toml, .order.toml or .request.toml."),
        ]))  # fmt: skip
    envelope = Envelope(
        to=to, to_name=words.seat(seat) if seat else "", subject=_subject(course, _("this mailbox is read by a program")),
        key=f"help/{id_of(f'{to} {known_id(in_reply_to)}')}", seat=seat, answers=in_reply_to, asked_for=True,
    )  # fmt: skip
    return _mail(course, envelope, _("This mailbox is read by a program"), sections, words, now)


def note_mail(
    course: Course, seat: str, to: str, title: str, lines: Sequence[str], key: str, *, in_reply_to: str = "", now: datetime | None = None
) -> EmailMessage:
    """A few sentences to a player about his seat, such as that its address has changed. They are to be in his language already."""
    words = words_to(course, seat)
    envelope = Envelope(
        to=to, to_name=words.seat(seat), subject=_subject(course, f"{words.seat(seat)}: {title}"), key=key, seat=seat,
        answers=in_reply_to, asked_for=bool(in_reply_to),
    )  # fmt: skip
    return _mail(course, envelope, title[:1].upper() + title[1:], [Section(lines=list(lines))], words, now)


def invite_mail(
    course: Course, seat: str, to: str, code: str, *, later: bool = False, install: str = "", now: datetime | None = None
) -> EmailMessage:
    """An invite to a seat, with the game file that goes with it. ``later``: the game file does not know this invite.

    ``install``: how a player gets pbem; "": as the mail settings say.
    """
    game = course.archive.game
    words = words_to(course, seat)
    _ = words.gettext
    facts = {
        "title": course.title.name, "game": game.name, "seat": seat, "seats": words.listing(course.seats), "file": f"{seat}.join.toml",
        "how": clean(install or load(course.archive.folder).install, LONGEST_INSTALL),
    }  # fmt: skip
    said = [
        _("You are invited to a game of %(title)s by mail. It is called %(game)s; the seats are %(seats)s, and yours is %(seat)s."),
        _("You say what you want to do in a small text file and mail it here, whenever it suits you before the closing time. After every "
          "turn a report comes, and what is asked of you next."),
    ]  # fmt: skip
    steps = [
        _("Install pbem, the program that signs your files and shows you the game. It runs in a terminal, and needs Python 3.11 or newer."),
        _("Save the attached game.toml, and open a terminal in its folder."),
        _("Type the two lines below. The first makes a key, by which the game knows you; the second makes the file %(file)s."),
        _("Reply to this mail with %(file)s attached. Everything else comes to the address you send it from."),
    ]
    steps[0] += " " + (
        _("Where it is and how: %(how)s") if facts["how"] else
        _("Whoever invited you tells you where to get it; how it is installed stands in it, in docs/players.md.")
    )
    typed = [f"  pbem keygen -o {seat}.key", f"  pbem join game.toml --seat {seat} --key {seat}.key --invite {code}"]
    if later:
        typed[1] += " --later"
    sections = [
        Section(lines=[text % facts for text in said]),
        Section(heading=_("how to take your seat"), kind="list", lines=[text % facts for text in steps]),
        Section(kind="pre", lines=typed),
        Section(lines=[_("Keep this mail to yourself until you have joined: whoever types that line first has the seat.")]),
    ]
    envelope = Envelope(
        to=to, to_name="", subject=_subject(course, _("your invite to the seat %(seat)s") % facts), key=f"invite/{seat}/{id_of(code)}",
        seat=seat,
    )  # fmt: skip
    file = Attachment("game.toml", course.archive.folder.game.read_bytes(), "application/toml")
    return _mail(course, envelope, _("Your seat in %(game)s: %(seat)s") % facts, sections, words, now, attached=[file])


def _mail(
    course: Course, envelope: Envelope, title: str, sections: Sequence[Section], words: Words, now: datetime | None,
    attached: Sequence[Attachment] = (),
) -> EmailMessage:  # fmt: skip
    game, settings = course.archive.game, load(course.archive.folder)
    small = foot(course, settings, words, envelope.seat)
    sheet = Sheet(kicker=kicker(course), title=title, sections=sections, foot=small)
    text, html = sheet_text(sheet), sheet_html(sheet, words)
    return make(game, settings, envelope, now or clock.now(), text=text, html=html, attached=attached)


def _subject(course: Course, said: str) -> str:
    return f"[{course.archive.game.name}] {said}"


def receipt_sections(text: str) -> list[Section]:
    """A receipt as parts of a mail: what is set in columns stays so, what is a paragraph is wrapped anew."""
    first, *rest = text.strip("\n").split("\n\n")
    head, *lines = first.split("\n")
    found = [_section(lines, head)] if lines else [_section([head])]
    return found + [_section(part.split("\n")) for part in rest]


def _section(lines: list[str], heading: str = "") -> Section:
    if any(line.startswith("  ") for line in lines):
        return Section(heading=heading, kind="pre", lines=lines, named=True)
    return Section(heading=heading, lines=[" ".join(lines)], named=True)


def words_to(course: Course, seat: str) -> Words:
    """The words in which a seat is written to."""
    member = course.members.get(seat)
    return Words(story(course), member.language if member else "en")


def foot(course: Course, settings: Settings, words: Words, seat: str) -> list[str]:
    """The small print of every mail: what this is, and where the rest stands."""
    _ = words.gettext
    game = course.archive.game
    facts = {"game": game.name, "who": words.seat(seat) if seat else "", "where": clean(settings.site, 200).rstrip("/")}
    sent = _("Sent by a program for the organiser of %(game)s.") % facts
    if seat in course.members:
        sent = _("You get this because you play %(who)s in %(game)s. A program sent it for the organiser.") % facts
    said = [f"{sent} {_('Reply with a signed file attached; what else is written is not read.')}"]
    if settings.site:
        said.append(_("All reports and files: %(where)s/%(game)s/") % facts)
    return said


def kicker(course: Course) -> str:
    """What stands above the title of every mail: which game it is about."""
    return f"{course.archive.game.name.replace('-', ' ')} · {course.title.name}"
