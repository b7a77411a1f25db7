"""What goes where on the first page of a printed report: reckoned from the length of what it tells, so that no half of it stays empty.

A picture is never cut. Where it does not fit below the telling it gets smaller, and where it would get too small to be read, the points
come before it. All lengths in millimetres, measured on reports as they are printed (``site/style.css``, A4).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

BOTTOM = 279.0
BOARD, LEAST_BOARD = 150.0, 98.0
"""Width of the picture, and the least at which its letters can be read."""

_TOP, _ASKED, _TITLE_LINE, _LEAD_LINE, _ROW = 56.5, 11.0, 7.2, 4.9, 7.2
_SENTENCE, _LINE, _HEADING = 6.0, 4.7, 9.0
_HAPPENED, _BOARD_HEADING, _LEGEND, _POINTS, _CHART = 10.8, 15.0, 24.0, 25.0, 49.0
_IN_TITLE, _IN_LEAD, _IN_SENTENCE = 52, 88, 82   # characters a line


class FirstPage(msgspec.Struct, frozen=True):
    """``board``: width of the picture, 0 for what the style sheet says; ``points_first``: whether the points stand before it."""

    board: float = BOARD
    points_first: bool = False


def first_page(
    headline: str, lead: str, rows: int, telling: Iterable[Sequence[str]], shape: float, seats: int, chart: bool = True
) -> FirstPage:
    """The layout. ``rows``: how many are asked; ``telling``: the sentences by group; ``shape``: height of the picture by its width;
    ``chart``: whether the points are drawn too."""
    groups = list(telling)
    end = _TOP + _TITLE_LINE * _lines(headline, _IN_TITLE) + _LEAD_LINE * _lines(lead, _IN_LEAD) + _HAPPENED
    end += _ASKED + _ROW * rows if rows else 0
    end += _HEADING * (len(groups) if len(groups) > 1 else 0)
    end += sum(_SENTENCE + _LINE * (_lines(text, _IN_SENTENCE) - 1) for group in groups for text in group)
    board = (BOTTOM - end - _BOARD_HEADING - _LEGEND) / shape if shape else 0.0
    if board >= LEAST_BOARD or board < 0:
        return FirstPage(board=round(min(BOARD, board), 1) if board > 0 else BOARD)
    return FirstPage(points_first=end + _POINTS + (_CHART if chart else 0) + _ROW * seats <= BOTTOM)


def _lines(text: str, width: int) -> int:
    return -(-len(text) // width) or 1
