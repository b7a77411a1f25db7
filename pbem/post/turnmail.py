"""Mails about the game itself: what happened, what is asked, until when; and a reminder before the closing time.

Everything that is told is taken from the public files. Only in games with hidden hands the processor's own course is looked at too, for
what the seat that is written to sees, and nobody else's.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from email.message import EmailMessage
from functools import cached_property
from itertools import groupby
from typing import Any

import msgspec

from pbem.campaign.course import Course
from pbem.campaign.folder import CampaignError, Folder
from pbem.campaign.hidden import seat_view
from pbem.campaign.history import Asked, Chapter, Story, Waiting
from pbem.campaign.intake import catch_up
from pbem.campaign.replay import replay, replay_as_processor
from pbem.campaign.stories import story
from pbem.engine import steps
from pbem.post.compose import foot, kicker
from pbem.post.envelope import Attachment, Envelope, make
from pbem.post.settings import Settings
from pbem.publish.offering import template_for
from pbem.publish.sheet import Section, Sheet, Task, sheet_html, sheet_text
from pbem.publish.textreport import board_lines, points_heading, points_lines, report_subject, request_subject
from pbem.publish.words import Words

MOST_CHAPTERS = 8
MOST_SENTENCES = 120
LARGEST_PAPER = 4 * 1024 * 1024
WANTING = ("nothing", "stopped", "partial")
"""What may be said of a seat's plan when the game may still come to ask it."""


class Desk:
    """What the mails of one campaign are made from, read once; PDFs are made once per language."""

    def __init__(self, folder: Folder, settings: Settings, now: datetime) -> None:
        self.folder, self.settings, self.now = folder, settings, now
        self.course: Course = replay(folder)
        catch_up(self.course)
        self._words: dict[str, Words] = {}
        self._papers: dict[tuple[int, str], Attachment] = {}

    @cached_property
    def story(self) -> Story:
        return story(self.course)

    @cached_property
    def waiting(self) -> Waiting | None:
        """Whom the game waits for, as everybody may know it."""
        return None if self.course.ended else self.course.waiting(self.now)

    @cached_property
    def knowing(self) -> Course:
        """The course in which one seat's view can be looked up: the processor's where something is hidden."""
        if not self.course.title.hidden:
            return self.course
        course = replay_as_processor(self.folder)
        catch_up(course)
        return course

    def words(self, seat: str) -> Words:
        member = self.course.members.get(seat)
        language = member.language if member else "en"
        if language not in self._words:
            self._words[language] = Words(self.story, language)
        return self._words[language]

    def zone(self, seat: str) -> str | None:
        member = self.course.members.get(seat)
        return member.zone if member else None

    def asked(self, seat: str) -> Asked | None:
        """How a seat stands in the present phase; None when it has nothing to decide in it."""
        return next((one for one in self.waiting.asked if one.seat == seat), None) if self.waiting else None

    def view(self, seat: str) -> Any:
        """The position as the seat sees it."""
        return seat_view(self.knowing, seat)

    def paper(self, number: int, words: Words) -> Attachment | None:
        """The report of an entry to be attached: as PDF where one can be made, else as a page. None when it would be too large."""
        key = (number, words.language)
        if key not in self._papers:
            self._papers[key] = self._made_paper(number, words)
        paper = self._papers[key]
        return paper if len(paper.data) <= LARGEST_PAPER else None

    def _made_paper(self, number: int, words: Words) -> Attachment:
        from pbem.publish.pages import report_html
        from pbem.publish.pdf import available, report_pdf

        name = f"{self.story.name}-{number:04}"
        if self.settings.pdf and not available():
            return Attachment(f"{name}.pdf", report_pdf(self.story, number, words), "application/pdf")
        return Attachment(f"{name}.html", report_html(self.story, number, words, links=False).encode(), "text/html")


def turn_mail(
    desk: Desk, seat: str, to: str, key: str, *, first: int, last: int, report: bool, receipts: Sequence[EmailMessage] = ()
) -> EmailMessage:
    """What happened in the entries ``first`` to ``last``, and what is asked of the seat now.

    ``report``: a phase is over, so the board, the points and the printable report go along; else it is a request, told shortly.
    ``receipts``: the answers to the seat's own files, which come in the same mail.
    """
    words, told = desk.words(seat), desk.story
    chapters = list(told.chapters[max(0, first - 1) : last])
    chapter = msgspec.structs.replace(told.chapters[last - 1], waiting=desk.waiting)
    asked = desk.asked(seat)
    wanted = asked is not None and asked.filed in WANTING
    sections = [section for receipt in receipts for section in _receipt_sections(receipt, words)]
    sections += _happened(desk, seat, chapters, words)
    if report:
        sections += _standing(desk, seat, words)
    sheet = Sheet(
        kicker=kicker(desk.course), title=words.headline(chapter), task=task(desk, seat, words), sections=sections,
        foot=[*foot(desk.course, desk.settings, words, seat), words.gettext("Ledger head %(head)s") % {"head": told.head}],
    )  # fmt: skip
    attached: list[Attachment] = []
    if wanted and (template := _template(desk, seat, words)) is not None:
        attached.append(template)
    if report and (paper := desk.paper(last, words)) is not None:
        attached.append(paper)
    subject = report_subject(told, chapter, words) if report else request_subject(told, chapter, seat, words, zone=desk.zone(seat))
    answers = next((str(one["In-Reply-To"] or "") for one in receipts), "")
    envelope = Envelope(to=to, to_name=words.seat(seat), subject=subject, key=key, seat=seat, answers=answers)
    game = desk.course.archive.game
    return make(game, desk.settings, envelope, desk.now, text=sheet_text(sheet), html=sheet_html(sheet, words), attached=attached)


def reminder_mail(desk: Desk, seat: str, to: str, key: str) -> EmailMessage:
    """That a closing time comes near and nothing, or not enough, is in."""
    words = desk.words(seat)
    waiting = desk.waiting
    left = words.span(waiting.closes - desk.now) if waiting and waiting.closes else ""
    phase = words.phase(waiting.phase) if waiting else ""
    title = words.gettext("%(phase)s closes in %(span)s") % {"phase": phase[:1].upper() + phase[1:], "span": left}
    game = desk.course.archive.game
    who = words.seat(seat)
    subject = f"[{game.name}] {words.gettext('%(who)s: reminder: %(what)s') % {'who': who, 'what': title[:1].lower() + title[1:]}}"
    sheet = Sheet(kicker=kicker(desk.course), title=title, task=task(desk, seat, words), foot=foot(desk.course, desk.settings, words, seat))
    template = _template(desk, seat, words)
    envelope = Envelope(to=to, to_name=who, subject=subject, key=key, seat=seat)
    return make(
        game, desk.settings, envelope, desk.now, text=sheet_text(sheet), html=sheet_html(sheet, words),
        attached=[template] if template else [],
    )  # fmt: skip


# -- what the reader has to do ---------------------------------------------------------------------------------------------


def task(desk: Desk, seat: str, words: Words) -> Task | None:
    """What a seat has to do now, until when, and how; or that it has nothing to do."""
    _ = words.gettext
    waiting, asked, who = desk.waiting, desk.asked(seat), words.seat(seat)
    if waiting is None:
        return Task(what=_("The game has ended; you have nothing more to do."), urgent=False) if desk.course.ended else None
    if asked is None or asked.filed not in WANTING:
        return _idle(desk, waiting, asked, words, seat)
    ask = words.ask(waiting.phase)
    rows = _times(desk, waiting, seat, words)
    if asked.filed == "partial":
        what = _("%(who)s, your plan does not reach to the end of the phase: %(ask)s.") % {"who": who, "ask": ask}
    elif asked.filed == "stopped":
        what = _("%(who)s, your plan has stopped, and the game asks you again: %(ask)s.") % {"who": who, "ask": ask}
    elif asked.now:
        what = _("%(who)s, it is your turn: %(ask)s.") % {"who": who, "ask": ask}
    else:
        what = _("%(who)s, please file your plan: %(ask)s.") % {"who": who, "ask": ask}
    others = [words.seat(one.seat) for one in waiting.asked if one.now and one.seat != seat]
    if not asked.now and others:
        said = _("%(others)s first; you can send your plan now, and it is played when your turn comes.")
        rows.append((_("order"), said % {"others": words.listing(others)}))
    elif asked.now and others:
        rows.append((_("with you"), _("%(others)s too; all are played together.") % {"others": words.listing(others)}))
    rows += [
        (_("how"), _("Save the attached %(file)s and take the # off the lines you want. Then type") % {"file": f"{seat}.toml"}),
        ("", f"pbem sign {seat}.toml --key {seat}.key"),
        ("", _("and reply with %(file)s attached.") % {"file": f"{seat}.order.toml"}),
        (_("otherwise"), _silence(desk, seat, words)),
    ]
    if waiting.sealed:
        rows.append((_("sealed"), _("Nobody but the processor can read your plan before the phase has closed; pbem sign sees to that.")))
    return Task(what=what, rows=rows)


def _idle(desk: Desk, waiting: Waiting, asked: Asked | None, words: Words, seat: str) -> Task:
    _ = words.gettext
    others = [words.seat(one.seat) for one in waiting.asked if one.seat != seat and one.filed in WANTING and one.now]
    if asked is not None:
        said = _("Your plan for %(phase)s is in; you have nothing to do.") % {"phase": words.phase(waiting.phase)}
    else:
        said = _("You have nothing to do now.")
    if others:
        said += " " + _("The game waits for %(others)s.") % {"others": words.listing(others)}
    return Task(what=said, rows=_times(desk, waiting, seat, words), urgent=False)


def _times(desk: Desk, waiting: Waiting, seat: str, words: Words) -> list[tuple[str, str]]:
    """Until when; whether the game pauses; who is away."""
    _ = words.gettext
    rows = [(_("until"), _until(desk, waiting, seat, words))]
    if waiting.paused is not None:
        when = words.when(waiting.paused, desk.zone(seat))
        rows.append((_("pause"), _("The game pauses until %(when)s; nothing is played before.") % {"when": when}))
    away = [
        _("%(who)s until %(when)s") % {"who": words.seat(one.seat), "when": words.when(one.end, desk.zone(seat), short=True)}
        for one in waiting.away if one.start <= desk.now
    ]  # fmt: skip
    return rows + ([(_("away"), words.listing(away))] if away else [])


def _until(desk: Desk, waiting: Waiting, seat: str, words: Words) -> str:
    _ = words.gettext
    if waiting.closes is None:
        return _("there is no closing time; the others wait for you") if desk.asked(seat) else _("there is no closing time")
    when = words.when(waiting.closes, desk.zone(seat))
    left = waiting.closes - desk.now
    if left.total_seconds() <= 0:
        return _("%(when)s; that has passed, but the phase is not closed yet") % {"when": when}
    return _("%(when)s; in %(span)s") % {"when": when, "span": words.span(left)}


def _silence(desk: Desk, seat: str, words: Words) -> str:
    """What happens when nothing comes."""
    _ = words.gettext
    silence, waiting = desk.course.silence, desk.waiting
    if waiting is None or waiting.closes is None or silence == "wait":
        return _("Nothing is played for you; the game waits.")
    if silence == "bot":
        return _("If nothing comes by then, a stand-in decides for you.")
    phase, position = desk.course.table.phase(), desk.course.table.position
    if phase is not None and seat in steps.asked(desk.course.title, position):
        order = words.order(phase.default(desk.view(seat), seat))
        return _("If nothing comes by then, this is played for you: %(order)s.") % {"order": order}
    return _("If nothing comes by then, a default is played for you.")


def _template(desk: Desk, seat: str, words: Words) -> Attachment | None:
    if desk.waiting is None:
        return None
    try:
        text = template_for(desk.knowing, seat, desk.waiting.phase, words=words)
    except CampaignError:
        # The phase may be over for the seat in whatever way it goes on.
        return None
    return Attachment(f"{seat}.toml", text.encode(), "application/toml")


# -- what happened -------------------------------------------------------------------------------------------------------------


def _happened(desk: Desk, seat: str, chapters: Sequence[Chapter], words: Words) -> list[Section]:
    _ = words.gettext
    sections: list[Section] = []
    shown = [chapter for chapter in chapters if chapter.steps or chapter.kind != "join"][-MOST_CHAPTERS:]
    left_out = len([chapter for chapter in chapters if chapter.kind != "join"]) - len(shown)
    if left_out > 0:
        said = words.ngettext("One more report lies before these.", "%(count)s more reports lie before these.", left_out)
        sections.append(Section(lines=[said % {"count": left_out}]))
    room = MOST_SENTENCES
    for chapter in shown:
        sentences = words.chapter(_as_seen(desk, seat, chapter))
        when = _("entry %(number)s, %(when)s") % {"number": chapter.number, "when": words.when(chapter.time, desk.zone(seat), short=True)}
        for group, found in groupby([one for one in sentences if one.kind != "note"], key=lambda one: one.group):
            lines = [sentence.text for sentence in found]
            head = group or _("what happened")
            if len(shown) > 1:
                head = f"{head} ({when})"
            sections.append(Section(heading=head, kind="list", lines=lines[:room]))
            room = max(0, room - len(lines))
        notes = [one.text for one in sentences if one.kind == "note"]
        if notes:
            sections.append(Section(heading=_("players write"), lines=notes))
    if room == 0:
        sections.append(Section(lines=[_("That is not all; the page of the report has the rest.")]))
    return sections


def _as_seen(desk: Desk, seat: str, chapter: Chapter) -> Chapter:
    """An entry as the seat saw it happen: the public one, with its own events told in full."""
    title = desk.course.title
    if not title.hidden:
        return chapter
    known = desk.knowing.chapters[chapter.number - 1]
    events = {step.number: tuple(title.event_for(event, seat) for event in step.events) for step in known.steps}
    seen = tuple(msgspec.structs.replace(step, events=events.get(step.number, step.events)) for step in chapter.steps)
    return msgspec.structs.replace(chapter, steps=seen)


def _standing(desk: Desk, seat: str, words: Words) -> list[Section]:
    """The board and the points as they are now."""
    position = desk.course.table.position
    if position is None:
        return []
    _ = words.gettext
    head = _("the board as you see it; nobody else sees your hand") if desk.course.title.hidden else _("the board now")
    over = desk.course.over
    return [
        Section(heading=head, kind="pre", lines=board_lines(desk.story, desk.view(seat), words)),
        Section(heading=points_heading(words, over=over), kind="pre", lines=points_lines(desk.story, position, words)),
    ]


def _receipt_sections(receipt: EmailMessage, words: Words) -> list[Section]:
    """The receipt that comes along, as it would have come by itself: between its title and its small print."""
    body = receipt.get_body(("plain",))
    if body is None:
        return []
    parts = str(body.get_content()).replace("\r\n", "\n").split("\n\n")[1:]
    lines = "\n\n".join(part for part in parts if not part.startswith("-- \n")).split("\n")
    return [Section(heading=words.gettext("your file, as it was answered when it came"), kind="pre", lines=lines)]
