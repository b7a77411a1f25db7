"""TOML in the one form that every mail path leaves alone."""

import re
import unicodedata
from typing import Any

import tomli_w

from pbem.orders.findings import refusal
from pbem.orders.signed import CAP
from pbem.orders.toml import read

LINE_CAP = 900   # bytes; SMTP allows 998 (RFC 5321, section 4.5.3.1.6), and quoting adds to it
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def dump(table: dict[str, Any]) -> bytes:
    """``table`` in normal form: UTF-8 without byte order mark, LF, NFC, no tabs, trailing blanks or comments.

    ``orders`` stands behind the other single values as an array of inline tables, one a line; where one would pass 900 bytes, all
    stand as ``[[orders]]``. Raises Unreadable ``line-too-long`` (facts ``line``, ``size``, ``cap``, ``quoted``) when a text alone passes
    900 bytes, ``key-twice`` when two keys differ only in how a letter is composed, and TypeError for what TOML cannot hold.
    """
    table = _composed(table)
    singles = {key: value for key, value in table.items() if key != "orders" and not _is_section(value)}
    sections = {key: value for key, value in table.items() if key != "orders" and _is_section(value)}
    orders = table.get("orders")
    parts = [tomli_w.dumps(singles)] if singles else []
    if "orders" in table:
        lines = _order_lines(orders) if isinstance(orders, list) and all(isinstance(each, dict) for each in orders) else None
        if lines is None or any(len(line.encode()) > LINE_CAP for line in lines):
            sections = {"orders": orders, **sections} if _is_section(orders) else sections
            parts += [] if _is_section(orders) else [tomli_w.dumps({"orders": orders})]
        else:
            parts.append("orders = [\n" + "".join(f"{line}\n" for line in lines) + "]\n" if lines else "orders = []\n")
    if sections:
        parts.append(("\n" if parts else "") + tomli_w.dumps(sections))
    text = "".join(parts)
    for number, line in enumerate(text.split("\n"), 1):
        if len(line.encode()) > LINE_CAP:
            raise refusal("line-too-long", f"line {number}", line=number, size=len(line.encode()), cap=LINE_CAP, quoted=line[:79] + "…")
    return text.encode()


def read_own(data: bytes) -> dict[str, Any]:
    """The table of a text from the player's own editor: as ``toml.read``, but a byte order mark is no fault, and nothing at all is one."""
    table = read(data.removeprefix(b"\xef\xbb\xbf"), cap=CAP)
    if not table:
        raise refusal("nothing-written")
    return table


def _composed(value: Any) -> Any:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, list | tuple):
        return [_composed(each) for each in value]
    if isinstance(value, dict):
        composed = {_composed(key): _composed(each) for key, each in value.items()}
        if len(composed) != len(value):
            raise refusal("key-twice")
        return composed
    return value


def _is_section(value: Any) -> bool:
    """Whether TOML writes it below a ``[header]``: only behind all single values."""
    return isinstance(value, dict) or (isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value))


def _order_lines(orders: list[dict[str, Any]]) -> list[str]:
    return [f"  {_inline(order)}," for order in orders]


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        pairs = ", ".join(f"{_key(key)} = {_inline(each)}" for key, each in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list):
        return f"[{', '.join(_inline(each) for each in value)}]"
    return tomli_w.dumps({"x": value}).removeprefix("x = ").removesuffix("\n")


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else tomli_w.dumps({key: 0}).removesuffix(" = 0\n")
