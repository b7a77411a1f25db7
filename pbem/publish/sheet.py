"""What a mail says, once as plain text of at most 76 columns and once as HTML: the same facts in the same order.

A sheet has a title, a box that says what its reader has to do (and until when, and how), sections, and small print.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from pbem.publish import assets
from pbem.publish.columns import pad, width, wrap
from pbem.publish.words import Words

WIDTH = 76
COMMAND = "pbem "
LONGEST_LINE = 400
"""No line of the plain text is longer, whatever a section brings."""


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a mail. ``kind``: "text" (each line a paragraph), "list" (numbered sentences), "pre" (lines to be left as they are).

    A heading begins with a capital, unless it is ``named``: it may begin with the name of a file or of a player then.
    """

    heading: str = ""
    kind: Literal["text", "list", "pre"] = "text"
    lines: Sequence[str] = ()
    named: bool = False

    @property
    def head(self) -> str:
        """The heading as it is shown."""
        return self.heading if self.named else self.heading[:1].upper() + self.heading[1:]


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """What the reader has to do: a sentence, and what belongs to it as (name, text), such as ("until", "Thu 3 Dec …").

    A row without a name goes on with the one above; a text that begins with "pbem " is a command, and never broken.
    ``urgent`` False: he has nothing to do, and that is said.
    """

    what: str
    rows: Sequence[tuple[str, str]] = ()
    urgent: bool = True


class Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """A whole mail but for its envelope."""

    kicker: str
    title: str
    task: Task | None = None
    sections: Sequence[Section] = ()
    foot: Sequence[str] = ()


def sheet_text(sheet: Sheet) -> str:
    """The sheet as plain text."""
    parts = [_head(sheet), _task(sheet.task)]
    for section in sheet.sections:
        lines = _section(section)
        if lines:
            parts.append(lines)
    foot = [line for text in sheet.foot for line in wrap(text, WIDTH)]
    # The mark that mail programs know: what follows is no part of what is said, and a reply leaves it out.
    parts.append(["-- ", *foot] if foot else [])
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def sheet_html(sheet: Sheet, words: Words) -> str:
    """The sheet as one HTML file that fetches nothing."""
    environment = assets.environment("html", words.title, words)
    context: dict[str, Any] = {"sheet": sheet, "language": words.language}
    return environment.get_template("mail/sheet.html.j2").render(context)


def heading(text: str) -> list[str]:
    """A heading of the plain text, underlined."""
    lines = wrap(text, WIDTH)
    return [*lines, "-" * max(map(width, lines), default=0)]


def _head(sheet: Sheet) -> list[str]:
    lines = wrap(sheet.kicker, WIDTH) if sheet.kicker else []
    lines += wrap(sheet.title, WIDTH)
    return [*lines, "=" * min(WIDTH, max(map(width, lines), default=0))]


def _task(task: Task | None) -> list[str]:
    if task is None:
        return []
    mark = ">>> " if task.urgent else ""
    lines = wrap(task.what, WIDTH, first=mark, rest=" " * len(mark))
    column = max((width(name) for name, _ in task.rows), default=0) + 2
    for name, text in task.rows:
        first = " " * len(mark) + pad(name, column)
        lines += [f"{first}  {text}"] if text.startswith(COMMAND) else wrap(text, WIDTH, first=first)
    return lines


def _section(section: Section) -> list[str]:
    lines = heading(section.head) if section.heading else []
    if section.kind == "pre":
        body = [line.rstrip()[:LONGEST_LINE] for line in section.lines]
    elif section.kind == "list":
        figures = len(str(len(section.lines)))
        body = []
        for number, text in enumerate(section.lines, start=1):
            body += wrap(text, WIDTH, first=f"{number:>{figures + 1}}  ")
    else:
        body = []
        for text in section.lines:
            body += [*([""] if body else []), *wrap(text, WIDTH)]
    return [*lines, *body] if body else []
