"""Arrows run one way: cli → post → publish → campaign → orders, titles → engine; and no title is named outside its own folder."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import pbem
from pbem.engine import registry

ROOT = Path(pbem.__file__).parent
SOURCES = sorted(ROOT.rglob("*.py"))

MAY_IMPORT: dict[str, set[str]] = {
    "engine": set(),
    "orders": set(),
    "titles": {"engine"},
    "campaign": {"engine", "orders"},  # titles only through the registry
    "publish": {"engine", "orders", "campaign"},
    "post": {"engine", "orders", "campaign", "publish"},  # what publish has written goes out
    "cli": {"engine", "orders", "campaign", "publish", "post"},
    "__main__": {"cli"},
    "__init__": set(),
}
UNCLEAN = {
    "os", "sys", "io", "socket", "http", "urllib", "time", "datetime", "subprocess", "secrets", "gettext", "locale", "babel", "tempfile",
}  # fmt: skip
"""What the pure rooms have no use for: files, clock, network, language."""


def module(path: Path) -> tuple[str, ...]:
    """The dotted parts of a module's name below ``pbem``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Line and dotted parts of everything a module imports, also inside functions and for type checkers only."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, tuple(name.name.split("."))) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are written in full"
            base = tuple((node.module or "").split("."))
            yield node.lineno, base
            yield from ((node.lineno, (*base, name.name)) for name in node.names)


def test_every_room_is_known() -> None:
    assert {module(path)[0] for path in SOURCES} <= set(MAY_IMPORT)
    assert len(SOURCES) > 80


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_a_room_imports_only_what_lies_below_it(room: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {'.'.join(parts)}"
        for path in SOURCES
        if module(path)[0] == room
        for line, parts in imported(path)
        if parts[0] == "pbem" and len(parts) > 1 and parts[1] not in MAY_IMPORT[room] | {room, "__version__"}
    ]
    assert wrong == []


def test_a_title_imports_no_other_title() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {'.'.join(parts)}"
        for path in SOURCES
        if module(path)[0] == "titles" and len(module(path)) > 1
        for line, parts in imported(path)
        if parts[:2] == ("pbem", "titles") and len(parts) > 2 and parts[2] != module(path)[1]
    ]
    assert wrong == []


@pytest.mark.parametrize("room", ["engine", "titles"])
def test_the_pure_rooms_know_neither_files_nor_clock_nor_network_nor_language(room: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {'.'.join(parts)}"
        for path in SOURCES
        if module(path)[0] == room
        for line, parts in imported(path)
        if parts[0] in UNCLEAN
    ]
    assert wrong == []


# -- titles ------------------------------------------------------------------------------------------------------------

TITLES = [path.name for path in sorted((ROOT / "titles").iterdir()) if (path / "__init__.py").is_file()]
NAMED_ON_PURPOSE = {
    # What a newcomer's first command plays; it must be some title, and he did not name one.
    ("cli/trying.py", "ming-dynasty"),
}


def words_of(title: str) -> set[str]:
    """The ways a title could be named: its folder, its slug, its name."""
    slug = title.replace("_", "-")
    return {title, slug, registry.title(slug).name.casefold()}


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """The names and texts in a module; what is prose for its readers, docstrings, may give a title as an example."""
    prose = {
        id(node.body[0].value)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.lineno, node.value
        elif isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute):
            yield node.lineno, node.attr


def test_there_are_titles() -> None:
    assert TITLES
    assert {title.replace("_", "-") for title in TITLES} == set(registry.slugs())


@pytest.mark.parametrize("title", TITLES)
def test_no_title_is_named_outside_its_folder(title: str) -> None:
    words = words_of(title)
    found = {
        (path.relative_to(ROOT).as_posix(), text)
        for path in SOURCES
        if module(path)[:2] != ("titles", title)
        for _, text in texts(path)
        if any(word in text.casefold() for word in words)
    }
    assert found <= NAMED_ON_PURPOSE


@pytest.mark.parametrize("title", TITLES)
def test_no_shared_template_names_a_title(title: str) -> None:
    checkout = ROOT.parent
    shared = [path for where in ("templates", "site") for path in (checkout / where).rglob("*") if path.is_file()]
    assert shared, "templates and site lie beside the package in a checkout"
    # Catalogues may translate a title's name where it is told as an example.
    found = [
        path.relative_to(checkout).as_posix()
        for path in shared
        if path.suffix not in (".po", ".pot", ".mo", ".woff2", ".png")
        and any(word in path.read_text(encoding="utf-8").casefold() for word in words_of(title))
    ]
    assert found == []


def test_what_is_named_on_purpose_is_still_there() -> None:
    for name, word in NAMED_ON_PURPOSE:
        assert word in {text for _, text in texts(ROOT / name)}


def test_files_stay_short() -> None:
    """A file that passes about 400 lines is probably two things."""
    lines = {path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert {name: count for name, count in lines.items() if count > 440} == {}
