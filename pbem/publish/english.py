"""Lists and dates in English as Babel forms them, without it: to load what it knows of a language takes longer than to play a turn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov", "Dec")
PATTERNS = ("EEE d MMM, HH:mm", "EEE d MMM y, HH:mm", "EEE d MMM", "EEE HH:mm", "HH:mm")
"""Patterns of Unicode TR 35 that ``dated`` knows."""
_FORMS = {pattern: re.sub("[A-Za-z]+", lambda part: f"{{{part[0]}}}", pattern) for pattern in PATTERNS}


def listed(items: Sequence[str], style: Literal["standard", "or"]) -> str:
    """"a, b and c", or "a, b or c"."""
    last = " or " if style == "or" else " and "
    return last.join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def dated(moment: datetime, pattern: str) -> str:
    """A time by one of ``PATTERNS``."""
    return _FORMS[pattern].format(
        EEE=_DAYS[moment.weekday()], d=moment.day, MMM=_MONTHS[moment.month - 1], y=moment.year,
        HH=f"{moment.hour:02}", mm=f"{moment.minute:02}",
    )  # fmt: skip
