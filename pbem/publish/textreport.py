"""The report of one ledger entry as plain text for a mail: at most 76 columns, the same facts as the HTML report.

First what is asked and until when, then what happened, the position, standings, notes, and the ledger head.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import tomli_w

from pbem.campaign.history import Chapter, Story, Waiting
from pbem.campaign.standings import gave_up, standings
from pbem.publish.columns import aligned, clean, width, wrap
from pbem.publish.telling import Sentence, organiser_alone
from pbem.publish.words import Words

WIDTH = 76
BOARD = "board.txt.j2"


def report_text(story: Story, number: int, words: Words, *, zone: str | None = None) -> str:
    """The report of entry ``number`` (from 1), times also in ``zone``. KeyError when there is no such entry."""
    chapter = next((each for each in story.chapters if each.number == number), None)
    if chapter is None:
        raise KeyError(number)
    sentences = words.chapter(chapter)
    sections = [
        _head(story, chapter, words),
        _asked(chapter, words, zone),
        *_happened([sentence for sentence in sentences if sentence.kind != "note"], words),
        _notes([sentence for sentence in sentences if sentence.kind == "note"], words),
        _position(story, chapter, words),
        _standings(story, chapter, words),
        _foot(story, chapter, words),
    ]
    return "\n\n".join("\n".join(section) for section in sections if section) + "\n"


def report_subject(story: Story, chapter: Chapter, words: Words) -> str:
    """The subject line of a report's mail: "[winter-court] Round 3, move: …"."""
    return f"[{clean(story.name, 40)}] {words.headline(chapter)}"


def request_subject(story: Story, chapter: Chapter, seat: str, words: Words, *, zone: str | None = None) -> str:
    """The subject line of a mail that asks a seat: "[winter-court] An, round 3, move: please by Thu 3 Dec, 20:00 Paris (19:00 UTC)"."""
    waiting = chapter.waiting
    facts = {"who": words.seat(seat), "phase": words.phase(waiting.phase if waiting else "")}
    if waiting is None or waiting.closes is None:
        said = words.gettext("%(who)s, %(phase)s: please file your plan") % facts
    else:
        said = words.gettext("%(who)s, %(phase)s: please by %(when)s") % (facts | {"when": words.when(waiting.closes, zone, short=True)})
    return f"[{clean(story.name, 40)}] {said}"


def _head(story: Story, chapter: Chapter, words: Words) -> list[str]:
    name = clean(story.name, 40).replace("-", " ").upper()
    told = words.gettext("%(campaign)s, report %(number)s of %(when)s")
    line = told % {"campaign": name, "number": chapter.number, "when": words.when(chapter.time)}
    lines = wrap(line, WIDTH)
    return [*lines, *wrap(words.headline(chapter), WIDTH), "=" * min(WIDTH, max(width(each) for each in lines))]


def _asked(chapter: Chapter, words: Words, zone: str | None) -> list[str]:
    if chapter.waiting is None:
        return []
    return wrap(words.asked(chapter.waiting, zone), WIDTH)


def _happened(sentences: Sequence[Sentence], words: Words) -> Iterable[list[str]]:
    """A section per heading, each sentence with its number, by which a dispute can name it."""
    figures = len(str(len(sentences)))
    for heading, told in groupby(sentences, key=lambda sentence: sentence.group):
        lines = _title(heading or words.gettext("this entry"))
        for sentence in told:
            head = f"{sentence.anchor.removeprefix('s'):>{figures + 1}}  "
            lines += wrap(sentence.text, WIDTH, first=head)
        yield lines


def _notes(sentences: Sequence[Sentence], words: Words) -> list[str]:
    if not sentences:
        return []
    return _title(words.gettext("players write")) + [line for each in sentences for line in wrap(each.text, WIDTH, first="   ")]


def position_text(story: Story, view: Any, words: Words, *, waiting: Waiting | None, zone: str | None = None) -> str:
    """A position as one seat sees it: what is asked, the board, the points. ``view`` is what that seat may see."""
    name = clean(story.name, 40).replace("-", " ").upper()
    head = f"{name} · {words.phase(view.phase)}"
    asked = wrap(words.asked(waiting, zone), WIDTH) if waiting is not None else []
    sections = [[head, "=" * min(WIDTH, width(head))], asked, _board(story, view, words), _points(story, view, words, over=story.over)]
    sections.append(wrap(words.gettext("Ledger head %(head)s") % {"head": story.head}, WIDTH))
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _position(story: Story, chapter: Chapter, words: Words) -> list[str]:
    if chapter.after is None:
        return []
    return _board(story, story.title.view(chapter.after, None), words)


def _board(story: Story, view: Any, words: Words) -> list[str]:
    return _title(words.gettext("the board now")) + board_lines(story, view, words)


def board_lines(story: Story, public: Any, words: Words) -> list[str]:
    """The board as tables of the title's own, or the position as a table of ids and counts."""
    title = story.title
    if words.has_own(BOARD):
        template = words.template(f"title/{BOARD}")
        text = template.render(position=public, scene=title.scene(public), table=_table, words=words)
        lines = [line.rstrip() for line in text.splitlines()]
        lines = [line for at, line in enumerate(lines) if line or (at and lines[at - 1])]
    else:
        lines = [line for row in tomli_w.dumps(title.show_position(public)).splitlines() for line in wrap(row, WIDTH, rest="    ")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _standings(story: Story, chapter: Chapter, words: Words) -> list[str]:
    if chapter.after is None:
        return []
    over = chapter.waiting is None and chapter.number == len(story.chapters) and story.over
    return _points(story, chapter.after, words, over=over, until=chapter.number)


def _points(story: Story, position: Any, words: Words, *, over: bool, until: int | None = None) -> list[str]:
    return _title(points_heading(words, over=over)) + points_lines(story, position, words, until)


def points_heading(words: Words, *, over: bool) -> str:
    """What the points of a position are called."""
    return words.gettext("the result") if over else words.gettext("points now")


def points_lines(story: Story, position: Any, words: Words, until: int | None = None) -> list[str]:
    """The points of a position, that after entry ``until`` or of the newest, a line per seat."""
    lines = standings(story.title, position, gave_up(story.chapters, until))
    rows: list[Sequence[Any]] = [(f"{line.place}.", words.seat(line.seat), line.points) for line in lines]
    return [f"  {line}" for line in aligned(rows, right=(2,))]


def _foot(story: Story, chapter: Chapter, words: Words) -> list[str]:
    facts = {"number": chapter.number, "head": chapter.head, "campaign": clean(story.name, 40)}
    lines = wrap(words.gettext("Ledger of %(campaign)s, entry %(number)s, head %(head)s") % facts, WIDTH)
    for line in organiser_alone(story, chapter.number, words):
        lines += wrap(line, WIDTH)
    if chapter.waiting is not None and chapter.waiting.closes is not None:
        # A mail that was forwarded or kept is read without its date.
        lines += wrap(words.gettext("If the closing time is moved, a newer report says so."), WIDTH)
    return lines


def _title(text: str) -> list[str]:
    shown = text[:1].upper() + text[1:]
    lines = wrap(shown, WIDTH)
    return [*lines, "-" * max(map(width, lines), default=0)]


def _table(rows: Sequence[Sequence[Any]], right: Sequence[int] = (), indent: int = 2) -> str:
    """Rows in columns, for a title's template; a line too long goes on in the next, further in."""
    blanks = " " * indent
    lines: list[str] = []
    for row in aligned(rows, right=right):
        lines += [blanks + row] if width(row) + indent <= WIDTH else wrap(row, WIDTH, first=blanks, rest=blanks + "    ")
    return "\n".join(lines)
