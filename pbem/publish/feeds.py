"""What programs of players read by themselves: the closing times of a game as a calendar (RFC 5545), its reports as a feed (RFC 4287).

Both are made from the story alone, so they hold nothing that is not on the pages, and the same entries give the same bytes.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from xml.etree import ElementTree

from pbem.campaign.history import Chapter, Story, Waiting
from pbem.publish.pages import report_name
from pbem.publish.words import Words

CALENDAR, FEED = "calendar.ics", "feed.atom"
MOST_EVENTS = 200
MOST_REPORTS = 30
LONGEST_SUMMARY = 4000
_ATOM = "http://www.w3.org/2005/Atom"
# What XML 1.0 cannot hold.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LONGEST_LINE = 75


@dataclass
class _Closing:
    """The closing of a phase as an event: ``entry`` is the one that changed it last, ``state`` "open", "closed" or "off"."""

    phase: str
    at: datetime
    entry: int
    changed: datetime
    waiting: Waiting
    state: str = "open"


def calendar(story: Story, words: Words, base: str = "") -> bytes:
    """The closing times of a game, one event a phase. An event keeps its name when its time moves, and its SEQUENCE grows.

    ``base``: the address below which the pages of the game stand, with a slash at its end; with it, events lead there.
    """
    lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//pbem//closing times//EN", "CALSCALE:GREGORIAN", "METHOD:PUBLISH",
        f"X-WR-CALNAME:{_escaped(story.name)}", "REFRESH-INTERVAL;VALUE=DURATION:PT1H", "X-PUBLISHED-TTL:PT1H",
    ]  # fmt: skip
    for closing in _closings(story)[-MOST_EVENTS:]:
        lines += _event(closing, story, words, base)
    lines.append("END:VCALENDAR")
    return "".join(_folded(line) for line in lines).encode("utf-8")


def _closings(story: Story) -> list[_Closing]:
    """The closings of all phases that had a time, in the order in which they were announced first."""
    found: dict[str, _Closing] = {}
    before = ""
    for chapter in story.chapters:
        waiting = chapter.waiting
        phase = waiting.phase if waiting is not None else ""
        if before != phase and before in found:
            _over(found[before], chapter)
        if waiting is not None and waiting.closes is not None:
            known = found.get(phase)
            # Who has filed changes what an event says; it is told, too.
            if known is None or (known.at, known.waiting, known.state) != (waiting.closes, waiting, "open"):
                found[phase] = _Closing(phase, waiting.closes, chapter.number, chapter.time, waiting)
        elif phase in found and found[phase].state == "open":
            known = found[phase]
            known.entry, known.changed, known.state = chapter.number, chapter.time, "untimed" if waiting is not None else "off"
            known.waiting = waiting or known.waiting
        before = phase
    return list(found.values())


def _over(closing: _Closing, chapter: Chapter) -> None:
    """A phase is over: at its closing time, or before, and then nobody need keep the time free."""
    if closing.state in ("open", "untimed"):
        timed = closing.state == "open"
        closing.entry, closing.changed = chapter.number, chapter.time
        closing.state = "closed" if timed and chapter.time >= closing.at else "off"


def _event(closing: _Closing, story: Story, words: Words, base: str) -> Iterator[str]:
    who = words.listing(words.seat(one.seat) for one in closing.waiting.asked)
    facts = {"game": story.name, "phase": words.phase(closing.phase), "who": who}
    if closing.state == "open":
        summary = words.gettext("%(game)s: %(phase)s closes, waits for %(who)s") % facts
        about = words.asked(closing.waiting)
    elif closing.state == "untimed":
        summary = words.gettext("%(game)s: %(phase)s has no closing time now, waits for %(who)s") % facts
        about = words.asked(closing.waiting)
    else:
        summary = words.gettext("%(game)s: %(phase)s is over") % facts
        about = words.gettext("Nothing more is asked for this phase.")
    yield from (
        "BEGIN:VEVENT", f"UID:{closing.phase}@{story.id}.pbem", f"SEQUENCE:{closing.entry}", f"DTSTAMP:{_utc(closing.changed)}",
        f"LAST-MODIFIED:{_utc(closing.changed)}", f"DTSTART:{_utc(closing.at)}", f"DTEND:{_utc(closing.at)}",
        f"SUMMARY:{_escaped(summary)}", f"DESCRIPTION:{_escaped(about)}",
        f"STATUS:{'CANCELLED' if closing.state in ('off', 'untimed') else 'CONFIRMED'}", "TRANSP:TRANSPARENT",
        *([f"URL:{base}{report_name(closing.entry)}"] if base else []), "END:VEVENT",
    )  # fmt: skip


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def _escaped(text: str) -> str:
    text = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", text)
    for old, new in (("\\", "\\\\"), (";", "\\;"), (",", "\\,"), ("\n", "\\n")):
        text = text.replace(old, new)
    return text


def _folded(line: str) -> str:
    """A content line, cut so that none is longer than 75 bytes, never within a letter."""
    if len(line.encode("utf-8")) <= _LONGEST_LINE:
        return f"{line}\r\n"
    parts, room = [""], _LONGEST_LINE
    for letter in line:
        size = len(letter.encode("utf-8"))
        if size > room:
            parts.append(" ")
            room = _LONGEST_LINE - 1
        parts[-1] += letter
        room -= size
    return "\r\n".join(parts) + "\r\n"


def feed(story: Story, words: Words, tell: Callable[[Chapter], tuple[str, str]] | None = None, base: str = "") -> bytes:
    """The reports of a game, the newest first.

    ``tell`` gives headline and ``summary`` of a report, where they are known already. ``base``: the address below which the
    pages of the game stand, with a slash at its end; without it links are relative to the feed's own address, which not every reader
    understands.
    """
    tell = tell or (lambda chapter: (words.headline(chapter), summary(chapter, words)))
    ElementTree.register_namespace("", _ATOM)
    root = ElementTree.Element(f"{{{_ATOM}}}feed", {"{http://www.w3.org/XML/1998/namespace}lang": words.language})
    name = uuid.UUID(story.id)
    _child(root, "id", name.urn)
    _child(root, "title", f"{story.name} · {story.title.name}")
    _child(root, "updated", _rfc3339(story.chapters[-1].time) if story.chapters else "1970-01-01T00:00:00Z")
    _child(_child(root, "author", ""), "name", story.name)
    _child(root, "generator", "pbem")
    _child(root, "link", "", rel="alternate", type="text/html", href=base or "index.html")
    _child(root, "link", "", rel="self", type="application/atom+xml", href=base + FEED)
    for chapter in reversed(story.chapters[-MOST_REPORTS:]):
        headline, said = tell(chapter)
        entry = _child(root, "entry", "")
        _child(entry, "id", uuid.uuid5(name, f"entry {chapter.number}").urn)
        _child(entry, "title", headline)
        _child(entry, "updated", _rfc3339(chapter.time))
        _child(entry, "link", "", rel="alternate", type="text/html", href=base + report_name(chapter.number))
        _child(entry, "summary", said, type="text")
    body: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return body


def summary(chapter: Chapter, words: Words) -> str:
    """What a report tells, as short text."""
    said = " ".join(sentence.text for sentence in words.chapter(chapter))
    asked = words.asked(chapter.waiting) if chapter.waiting is not None else ""
    return f"{said} {asked}".strip()[:LONGEST_SUMMARY]


def _child(parent: ElementTree.Element, tag: str, text: str, **attributes: str) -> ElementTree.Element:
    made = ElementTree.SubElement(parent, f"{{{_ATOM}}}{tag}", attributes)
    made.text = _NO_XML.sub("", text) or None
    return made


def _rfc3339(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
