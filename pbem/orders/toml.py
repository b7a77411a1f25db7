"""TOML 1.0, read strictly and within bounds, from people one does not know."""

import re
import tomllib
from typing import Any

from pbem.orders.findings import Unreadable, refusal
from pbem.orders.signed import CAP
from pbem.orders.tomlscan import Scan, check_characters, place


def read(data: bytes, *, cap: int = CAP, dates: bool = False) -> dict[str, Any]:
    """The table in ``data`` (UTF-8 without byte order mark).

    ``cap`` is the most bytes, checked before anything is parsed; ``dates`` allows dates and times as values. Raises Unreadable,
    ``at`` line and column, with the codes of group TOML in ``findings``; never anything else.
    """
    text = decoded(data, cap)
    check_characters(text)
    Scan(text, dates).document()
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as fault:   # what the walk cannot see: tables that contradict each other
        raise _refusal_of(text, fault) from None


def decoded(data: bytes, cap: int = CAP) -> str:
    """``data`` as text. Raises Unreadable ``too-large``, ``byte-order-mark`` or ``not-utf8`` (fact ``guess``: ``utf-16`` or None)."""
    if len(data) > cap:
        raise refusal("too-large", size=len(data), cap=cap)
    if data.startswith(b"\xef\xbb\xbf"):
        raise refusal("byte-order-mark", "line 1, column 1", line=1, column=1, quoted="")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as fault:
        utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        at, facts = place(data[:fault.start].decode("utf-8"), fault.start)
        raise refusal("not-utf8", "" if utf16 else at, guess="utf-16" if utf16 else None, **facts) from None


def _refusal_of(text: str, fault: Exception) -> Unreadable:
    message = str(fault)
    where = re.search(r"at line (\d+), column (\d+)", message)
    position = len(text)
    if where:
        lines = text.replace("\r\n", "\n").split("\n")
        line = min(int(where[1]), len(lines))
        at, facts = f"line {line}, column {where[2]}", place(lines[line - 1], 0)[1] | {"line": line, "column": int(where[2])}
    else:
        at, facts = place(text, position)
    twice = any(word in message for word in ("overwrite", "twice", "redefine", "mutate", "uplicate"))
    return refusal("key-twice" if twice else "syntax", at, **facts)
