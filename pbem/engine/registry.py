"""The titles that are installed, found through the entry-point group ``pbem.titles``."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Any

from pbem.engine.title import Title


def slugs() -> list[str]:
    """Slugs of all installed titles, sorted."""
    return sorted(point.name for point in entry_points(group="pbem.titles"))


@cache
def title(slug: str) -> Title[Any]:
    """The title of that slug. KeyError when none of that name is installed."""
    for point in entry_points(group="pbem.titles", name=slug):
        found = point.load()
        if isinstance(found, Title):
            return found
    raise KeyError(slug)
