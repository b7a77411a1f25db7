"""TOML in the plain form in which records are written, read line by line.

A campaign holds hundreds of records, and ``tomllib`` looks at each of their characters. What is written in any other way, or is not TOML at
all, is left to ``tomllib``: what comes out does not differ.
"""

import re
import tomllib
from typing import Any

_TEXT = r'"[^"\\\x00-\x08\x0a-\x1f\x7f]*"'
_KEY = rf"(?:[A-Za-z0-9_-]+|{_TEXT})"
_VALUE = rf"(?:({_TEXT})|(0|-?[1-9][0-9]{{0,17}})|(true|false)|(\[|\{{ ))"
_LINE = re.compile(rf"({_KEY}) = {_VALUE}|\n?\[(?:\[({_KEY}(?:\.{_KEY})*)\]|({_KEY}(?:\.{_KEY})*))\]\n")
"""A key with its value, or how that begins; or the whole line that opens one more table of a list, or a table."""
_DEEPEST = 50
"""What lies in more lists and tables is read the long way: how deep that can go hangs on what has called it, and must not differ."""
_MOST_DOTS = 2000
"""On one line: a record's texts are shorter. Keys of many parts cost ``tomllib`` the square of their number: minutes for a megabyte."""
_KEYS, _ITEM, _PAIR, _BREAK = re.compile(_KEY), re.compile(_VALUE), re.compile(rf"({_KEY}) = "), re.compile(r"\n *")


class _NotPlain(Exception):
    """Something that is read the long way."""


def loads(text: str) -> dict[str, Any]:
    """The table in ``text``, as ``tomllib.loads`` gives it. Raises what that raises, and ValueError for keys of very many parts."""
    try:
        return _read(text)
    except _NotPlain:
        if any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
            raise ValueError("keys of too many parts") from None
        return tomllib.loads(text)


def _read(text: str) -> dict[str, Any]:
    root: dict[str, Any] = {}
    table, lists, at, end = root, set[int](), 0, len(text)
    while at < end:
        line = _LINE.match(text, at)
        if line is None:
            raise _NotPlain
        at = line.end()
        key, string, number, truth, opened, one_more, path = line.groups()
        if key is None:
            table = _one_more(root, one_more, lists) if one_more else _opened(root, path, lists)
            continue
        key = _bare(key)
        # A table behind its key would be closed to the lines that follow; records have none.
        if key in table or opened == "{ ":
            raise _NotPlain
        if string is not None:
            table[key] = string[1:-1]
        elif number is not None:
            table[key] = int(number)
        elif truth is not None:
            table[key] = truth == "true"
        else:
            table[key], at = _list(text, at, _DEEPEST)
        if not text.startswith("\n", at):
            raise _NotPlain
        at += 1
    return root


def _opened(root: dict[str, Any], path: str, lists: set[int]) -> dict[str, Any]:
    """The new table of a line ``[a.b]``. ``lists``: those begun by lines ``[[a]]``, by their ``id``."""
    table, last = _above(root, path, lists)
    # TOML lets a table be opened after the tables in it; nobody writes it so.
    if last in table:
        raise _NotPlain
    new: dict[str, Any] = {}
    table[last] = new
    return new


def _one_more(root: dict[str, Any], path: str, lists: set[int]) -> dict[str, Any]:
    """The new table of a line ``[[a.b]]``."""
    table, last = _above(root, path, lists)
    if last not in table:
        table[last] = []
        lists.add(id(table[last]))
    elif id(table[last]) not in lists:
        raise _NotPlain
    new: dict[str, Any] = {}
    table[last].append(new)
    return new


def _above(root: dict[str, Any], path: str, lists: set[int]) -> tuple[dict[str, Any], str]:
    table = root
    *above, last = map(_bare, _KEYS.findall(path))
    for key in above:
        inner = table.setdefault(key, {})
        if id(inner) in lists:
            inner = inner[-1]
        if not isinstance(inner, dict):
            raise _NotPlain
        table = inner
    return table, last


def _list(text: str, at: int, deeper: int) -> tuple[list[Any], int]:
    """A list behind its ``[``, each item on lines of its own, and where it ends. ``deeper``: how many more may lie in each other."""
    found: list[Any] = []
    if text.startswith("]", at):
        return found, at + 1
    at = _passed(_BREAK, text, at)
    while not text.startswith("]", at):
        item, at = _item(text, at, deeper)
        found.append(item)
        if not text.startswith(",", at):
            raise _NotPlain
        at = _passed(_BREAK, text, at + 1)
    return found, at + 1


def _item(text: str, at: int, deeper: int) -> tuple[Any, int]:
    item = _ITEM.match(text, at)
    if item is None:
        raise _NotPlain
    string, number, truth, opened = item.groups()
    if opened is not None:
        if not deeper:
            raise _NotPlain
        return _list(text, item.end(), deeper - 1) if opened == "[" else _table(text, item.end(), deeper - 1)
    return string[1:-1] if string is not None else int(number) if number is not None else truth == "true", item.end()


def _table(text: str, at: int, deeper: int) -> tuple[dict[str, Any], int]:
    """A table on one line behind its ``{ ``, and where it ends."""
    found: dict[str, Any] = {}
    while True:
        pair = _PAIR.match(text, at)
        if pair is None or (key := _bare(pair[1])) in found:
            raise _NotPlain
        found[key], at = _item(text, pair.end(), deeper)
        if text.startswith(" }", at):
            return found, at + 2
        if not text.startswith(", ", at):
            raise _NotPlain
        at += 2


def _passed(what: re.Pattern[str], text: str, at: int) -> int:
    found = what.match(text, at)
    if found is None:
        raise _NotPlain
    return found.end()


def _bare(key: str) -> str:
    return key[1:-1] if key[0] == '"' else key
