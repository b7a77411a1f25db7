"""Who stands where: the title's own result, with those who gave up behind all others."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import msgspec

from pbem.campaign.history import Chapter
from pbem.engine.title import Standing, Title


def gave_up(chapters: Sequence[Chapter], until: int | None = None) -> set[str]:
    """The seats that conceded in these entries; with ``until`` in those up to that number."""
    told = (chapter for chapter in chapters if chapter.kind == "concede" and (until is None or chapter.number <= until))
    return {str(chapter.facts.get("seat", "")) for chapter in told}


def standings(title: Title[Any], position: Any, conceded: Collection[str]) -> list[Standing]:
    """The lines of the result in order, best first."""
    lines = title.result(position)
    stayed = [line for line in lines if line.seat not in conceded]
    places = [1 + sum(other.place < line.place for other in stayed) for line in stayed]
    behind = [msgspec.structs.replace(line, place=len(stayed) + 1) for line in lines if line.seat in conceded]
    return [msgspec.structs.replace(line, place=place) for line, place in zip(stayed, places, strict=True)] + behind
