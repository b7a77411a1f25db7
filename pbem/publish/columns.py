"""Plain text in columns: how wide a text is on screen, wrapping and aligning it, Chinese and Korean included.

Widths follow Unicode Standard Annex 11 (East Asian Width): wide and fullwidth characters take two columns, combining marks none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

# Closing marks may hang over the edge, for a line never begins with one; opening marks never end a line.
_NOT_FIRST = frozenset("、。，．：；！？）］｝」』】〕》〉”’%)]},.:;!?")
_NOT_LAST = frozenset("（［｛「『【〔《〈“‘([{")
_PHRASE = re.compile("[^、。，．：；！？]*[、。，．：；！？]+[）］｝」』】〕》〉”’%)\\]}.,:;!?]*|[^、。，．：；！？]+")
_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff\uffa0-\uffdc]")
_LONGEST_WHOLE = 24
"""Columns up to which Chinese without blanks and marks may be a name, and stays whole."""


def width(text: str) -> int:
    """Columns the text takes on a terminal or in a mail read in a fixed font."""
    return sum(_columns(mark) for mark in text)


def _columns(mark: str) -> int:
    if unicodedata.combining(mark) or unicodedata.category(mark) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(mark) in "WF" else 1


def _pieces(text: str) -> list[str]:
    """The text cut wherever a line may end: after blanks, and in long Chinese or Japanese words."""
    pieces: list[str] = []
    for word in text.split(" "):
        if pieces:
            pieces[-1] += " "
        pieces += _parts(word) if not word.isascii() else [word]
    return pieces


def _parts(word: str) -> Iterator[str]:
    """What stands between two blanks, cut after Chinese marks, and where that leaves more than a name, beside characters.

    Names stay whole so, and so do Korean words: only a blank ends a line there.
    """
    for phrase in _PHRASE.findall(word) or [word]:
        if width(phrase) <= _LONGEST_WHOLE:
            yield phrase
            continue
        part = phrase[0]
        for last, mark in pairwise(phrase):
            wide = _columns(mark) == 2 or _columns(last) == 2
            if wide and mark not in _NOT_FIRST and last not in _NOT_LAST and not _HANGUL.match(mark) and not _HANGUL.match(last):
                yield part
                part = ""
            part += mark
        yield part


def wrap(text: str, limit: int, first: str = "", rest: str | None = None) -> list[str]:
    """Lines of at most ``limit`` columns, the first after ``first``, the others after ``rest`` (blanks of the same width if None).

    A single word longer than a line is cut, so the limit always holds for more than a few columns of room.
    """
    rest = " " * width(first) if rest is None else rest
    lines: list[str] = []
    line, empty = first, True
    for piece in _pieces(" ".join(text.split())):
        while width(line + piece.rstrip()) > limit:
            if not empty:
                lines.append(line.rstrip())
                line, empty = rest, True
                continue
            head = _fitting(piece, limit - width(line))
            lines.append(line + head)
            piece = piece[len(head) :]  # noqa: PLW2901
            line = rest
        line += piece
        empty = empty and not piece
    if not empty or not lines:
        lines.append(line.rstrip())
    return lines


def _fitting(piece: str, room: int) -> str:
    """The longest beginning of at most ``room`` columns, at least one character."""
    end = 1
    while end < len(piece) and width(piece[: end + 1]) <= room:
        end += 1
    return piece[:end]


def pad(text: str, columns: int, right: bool = False) -> str:
    """The text filled up with blanks to a width; longer texts stay as they are."""
    blanks = " " * max(0, columns - width(text))
    return blanks + text if right else text + blanks


def aligned(rows: Iterable[Sequence[object]], gap: int = 2, right: Sequence[int] = ()) -> list[str]:
    """One line per row, cells in columns ``gap`` blanks apart; columns whose index is in ``right`` are flush right."""
    table = [[str(cell) for cell in row] for row in rows]
    widths = [max((width(row[i]) for row in table if i < len(row)), default=0) for i in range(max(map(len, table), default=0))]
    return [(" " * gap).join(pad(cell, widths[i], i in right) for i, cell in enumerate(row)).rstrip() for row in table]


def clean(text: str, longest: int) -> str:
    """Somebody's own words made safe to print on one line: no controls, no direction overrides, no more than ``longest`` characters.

    Accents piled up on one letter are cut after two.
    """
    kept: list[str] = []
    piled = 0
    for mark in unicodedata.normalize("NFC", text):
        category = unicodedata.category(mark)
        piled = piled + 1 if category in ("Mn", "Me") else 0
        if piled > 2:
            continue
        if category in ("Zl", "Zp", "Zs", "Cc"):
            kept.append(" ")
        elif category == "Cs":
            # A byte of a file's name that is no UTF-8: left out, it would name another file.
            kept.append("\ufffd")
        elif not category.startswith("C"):
            kept.append(mark)
    short = " ".join("".join(kept).split())
    return short if len(short) <= longest else short[: longest - 1].rstrip() + "…"


def few(words: Sequence[str], nearest: str | None, most: int) -> list[str]:
    """The first words of a long list, at most ``most``; the nearest one to what was written is always among them."""
    shown = list(words[:most])
    if nearest in words and nearest not in shown:
        shown[-1:] = [str(nearest)]
    return shown
