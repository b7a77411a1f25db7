"""The titles that are installed: those of the program, and those found through the entry-point group ``pbem.titles``."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import Any

from pbem.engine.title import Title

_SLUG = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_HOME = "pbem.titles"


def slugs() -> list[str]:
    """Slugs of all installed titles, sorted."""
    from importlib.metadata import entry_points

    return sorted(point.name for point in entry_points(group=_HOME))


@cache
def title(slug: str) -> Title[Any]:
    """The title of that slug. KeyError when none of that name is installed."""
    return _own(slug) or _installed(slug)


def _own(slug: str) -> Title[Any] | None:
    """A title that comes with the program: its folder has its name. To ask the installed packages would take longer than a turn."""
    if not _SLUG.fullmatch(slug):
        return None
    name = f"{_HOME}.{slug.replace('-', '_')}"
    try:
        found = import_module(name).title
    except (ModuleNotFoundError, AttributeError) as error:
        if getattr(error, "name", "") not in (name, "title"):
            raise
        return None
    return found if isinstance(found, Title) and found.slug == slug else None


def _installed(slug: str) -> Title[Any]:
    from importlib.metadata import entry_points

    for point in entry_points(group=_HOME, name=slug):
        found = point.load()
        if isinstance(found, Title):
            return found
    raise KeyError(slug)
