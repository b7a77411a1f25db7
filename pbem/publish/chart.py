"""Points over the rounds of a game, as numbers for a table and as coordinates for a chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from pbem.engine.title import OVER, Title

if TYPE_CHECKING:
    from pbem.campaign.history import Chapter
    from pbem.publish.words import Words

WIDTH, HEIGHT = 720, 280
LEFT, RIGHT, TOP, BOTTOM = 48, 620, 18, 244
LABEL_GAP = 25
MOST_ROUNDS = 12
HEADING_GAP = 34


class Rounds(msgspec.Struct, frozen=True):
    """Points by round: the numbers of the rounds, a heading for each, and per seat the points of each."""

    numbers: list[int]
    labels: list[str]
    points: dict[str, list[int]]


def points_by_round(title: Title[Any], chapters: Sequence[Chapter], words: Words) -> Rounds:
    """Points in each round: those after the last entry that played in it.

    ``chapters`` are the entries, oldest first. Their points belong to the round of the last step they played, not to the phase that comes
    next. Set-up is no round; one that passed within an entry is left out; the last of a game that is over is labelled "End".
    """
    ends: dict[int, Any] = {}
    known: dict[int, dict[int, Any]] = {}
    taken_back = any(chapter.kind == "rollback" for chapter in chapters)
    over = False
    for chapter in chapters:
        if chapter.kind == "rollback":
            # What was taken back no longer counts.
            ends = dict(known.get(_whole(chapter.facts.get("to")), ends))
        number = _round(chapter.steps[-1].phase) if chapter.steps else None
        if chapter.after is not None:
            over = chapter.after.phase == OVER
        if number is not None and chapter.after is not None:
            ends[number] = chapter.after
        if taken_back:
            known[chapter.number] = dict(ends)
    rounds = {number: {line.seat: line.points for line in title.result(title.view(after, None))} for number, after in ends.items()}
    labels = [words.gettext("R%(number)s") % {"number": number} for number in rounds]
    if labels and over:
        labels[-1] = words.gettext("End")
    points = {seat: [line.get(seat, 0) for line in rounds.values()] for seat in next(iter(rounds.values()), {})}
    return _thinned(Rounds(list(rounds), labels, points))


def _thinned(by_round: Rounds) -> Rounds:
    """At most as many rounds as a page has room for, evenly spread; the first and the last are always among them."""
    count = len(by_round.numbers)
    if count <= MOST_ROUNDS:
        return by_round
    kept = sorted({round(at * (count - 1) / (MOST_ROUNDS - 1)) for at in range(MOST_ROUNDS)})
    points = {seat: [line[at] for at in kept] for seat, line in by_round.points.items()}
    return Rounds([by_round.numbers[at] for at in kept], [by_round.labels[at] for at in kept], points)


def points_chart(by_round: Rounds) -> dict[str, Any] | None:
    """Coordinates of a line per seat, in SVG units; None while there is nothing to draw."""
    rounds, points = by_round.numbers, by_round.points
    top = max((value for line in points.values() for value in line), default=0)
    if len(rounds) < 2 or top <= 0:
        return None
    step = _level(top)
    top = -(-top // step) * step
    bottom = min(0, *(value for line in points.values() for value in line))
    bottom = bottom // step * step

    def x(number: int) -> float:
        return round(LEFT + (RIGHT - LEFT) * (number - rounds[0]) / (rounds[-1] - rounds[0]), 1)

    def y(value: int) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (value - bottom) / (top - bottom), 1)

    lines: list[dict[str, Any]] = [
        {"seat": seat, "points": [[x(number), y(value)] for number, value in zip(rounds, line, strict=True)], "last": line[-1]}
        for seat, line in points.items()
    ]
    for line, label_y in zip(sorted(lines, key=_end), _spread(sorted(map(_end, lines))), strict=True):
        line["label_y"] = label_y
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "right": RIGHT,
        "levels": [[y(value), value] for value in range(bottom, top + 1, step)],
        "columns": _apart([[x(number), label] for number, label in zip(rounds, by_round.labels, strict=True)]),
        "lines": lines,
    }


def _apart(columns: list[list[Any]]) -> list[list[Any]]:
    """Headings that have room beside each other; the last one always stands."""
    kept: list[list[Any]] = []
    for column in reversed(columns):
        if not kept or kept[-1][0] - column[0] >= HEADING_GAP:
            kept.append(column)
    return kept[::-1]


def _round(phase: str) -> int | None:
    """The number before the dot of a phase id; None for set-up."""
    head = phase.partition(".")[0]
    return int(head) if head.isascii() and head.isdecimal() and int(head) else None


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0


def _level(top: int) -> int:
    """The distance of level lines: 1, 2 or 5 times a power of ten, so that there are at most six of them."""
    steps = (digit * int("1" + "0" * power) for power in range(12) for digit in (1, 2, 5))
    return next(step for step in steps if top <= 6 * step)


def _end(line: dict[str, Any]) -> float:
    height: float = line["points"][-1][1]
    return height


def _spread(heights: list[float]) -> list[float]:
    """Heights for the labels at the ends of lines, top to bottom, none closer than LABEL_GAP to the next and none below the chart."""
    for number in range(1, len(heights)):
        heights[number] = max(heights[number], heights[number - 1] + LABEL_GAP)
    overhang = max(0.0, heights[-1] - BOTTOM)
    return [round(height - overhang, 1) for height in heights]
