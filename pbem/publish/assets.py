"""Where templates and browser files are found, and the Jinja environments that fill them.

Both lie at the repository root in a checkout and in ``pbem/_shared`` of an installed wheel. What belongs to a title is reached through
``Title.files`` only, under the template name ``title/…``, so that shared templates name no title.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterator
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pbem.engine.title import Title

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment
    from markupsafe import Markup

TITLE_PREFIX = "title/"


class Speaker(Protocol):
    """What an environment needs of ``Words``: the two functions every sentence goes through."""

    @property
    def gettext(self) -> Callable[[str], str]: ...
    @property
    def ngettext(self) -> Callable[[str, str, int], str]: ...


@cache
def shared(folder: Literal["templates", "site"]) -> Traversable:
    """The folder shared by all titles. FileNotFoundError when the installation is incomplete."""
    package = files("pbem")
    # A checkout goes first: an editable install has no _shared, and a stale one must not hide what is being worked on.
    checkout = Path(str(package)).parent
    candidates: list[Traversable] = [package / "_shared" / folder]
    if (checkout / "pyproject.toml").is_file():
        candidates.insert(0, checkout / folder)
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"the folder {folder} of pbem is missing; installing pbem again brings it back")


def text(folder: Literal["templates", "site"], name: str) -> str:
    """The text of a shared file, such as ``text("site", "style.css")``."""
    return _inside(shared(folder), name).read_text(encoding="utf-8")


def has_template(title: Title[Any], name: str) -> bool:
    """Whether a title brings a template of this name."""
    return _inside(title.files / "templates", name).is_file()


@lru_cache(maxsize=32)
def environment(kind: Literal["html", "text"], title: Title[Any] | None, words: Speaker) -> Environment:
    """A Jinja environment that speaks through ``words``.

    ``html`` (also for SVG) escapes everything that is not marked safe; ``text`` escapes nothing and must never make HTML. Names that
    begin with ``title/`` are looked up in the title's own templates.
    """
    import jinja2

    def load(name: str) -> str | None:
        if name.startswith(TITLE_PREFIX):
            found = None if title is None else _inside(title.files / "templates", name.removeprefix(TITLE_PREFIX))
        else:
            found = _inside(shared("templates"), name)
        return found.read_text(encoding="utf-8") if found is not None and found.is_file() else None

    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(load),
        autoescape=kind == "html",  # noqa: S701 - plain text is never sent as HTML
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=kind == "text",
        auto_reload=False,
        bytecode_cache=_compiled(kind, title),
        extensions=["jinja2.ext.i18n", "jinja2.ext.do"],
    )
    made.filters["unbroken"] = unbroken
    made.install_gettext_callables(words.gettext, words.ngettext, newstyle=True)  # type: ignore[attr-defined]
    return made


@lru_cache(maxsize=32)
def _compiled(kind: str, title: Title[Any] | None) -> BytecodeCache | None:
    """Compiled templates, kept for the next run in a folder of this user's alone: compiling takes far longer than filling."""
    from jinja2 import FileSystemBytecodeCache

    # Two installations beside each other must not throw each other's templates out.
    here = hashlib.sha256(str(shared("templates")).encode()).hexdigest()[:8]
    try:
        return FileSystemBytecodeCache(pattern=f"pbem_{here}_{kind}_{title.slug if title else 'shared'}_%s.cache")
    except (OSError, RuntimeError):
        # No folder that is safe from others: then each run compiles for itself.
        return None


def unbroken(text: str, names: Collection[str]) -> Markup:
    """Text as HTML in which no line breaks inside one of ``names`` (ids such as yunnan-b, which are typed as they stand)."""
    from markupsafe import Markup, escape

    held = [name for name in names if "-" in name]
    if not held:
        return escape(text)
    pieces = re.split(rf"(?<![\w-])({'|'.join(map(re.escape, sorted(held)))})(?![\w-])", text)
    return Markup("").join(
        Markup('<span class="thing">{}</span>').format(piece) if number % 2 else escape(piece) for number, piece in enumerate(pieces)
    )


def fingerprint(title: Title[Any]) -> str:
    """64 hex that change whenever a template, a translation or a browser file changes that pages of this title are made from."""
    total = hashlib.sha256()
    for root in (shared("templates"), shared("site"), title.files / "templates", title.files / "locale"):
        for name, content in sorted(_walk(root)):
            total.update(f"{name} {len(content)}\n".encode() + content)
    return total.hexdigest()


def _inside(root: Traversable, name: str) -> Traversable:
    found = root
    for part in name.split("/"):
        if part in ("", ".", ".."):
            raise ValueError(f"not the name of a file of ours: {name!r}")
        found = found / part
    return found


def _walk(root: Traversable, before: str = "") -> Iterator[tuple[str, bytes]]:
    if not root.is_dir():
        return
    for entry in root.iterdir():
        if entry.is_dir():
            yield from _walk(entry, f"{before}{entry.name}/")
        elif not entry.name.endswith((".mo", ".pyc")):
            yield before + entry.name, entry.read_bytes()
