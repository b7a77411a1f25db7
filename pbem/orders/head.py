"""The lines at the head of what a player signs, each with its form."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, TypeVar

from pbem.orders.convert import kind_of, shown, wrong_type
from pbem.orders.findings import Finding

T = TypeVar("T")
SLUG = re.compile(r"[a-z0-9-]{1,40}")
PHASE = re.compile(r"[a-z0-9.-]{1,40}")
AFTER = re.compile(r"(?:0|[1-9][0-9]{0,8})-[0-9a-f]{32}")
LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
ZONE = re.compile(r"[A-Za-z0-9_+-]{1,32}(?:/[A-Za-z0-9_+-]{1,32}){0,2}")
HEX_ID = re.compile(r"[0-9a-f]{32}")
REVISION_CAP = 999
NOTE_CAP = 280
NAME_CAP = 40
FORMS = {
    "game": (SLUG, "slug"), "player": (SLUG, "slug"), "seat": (SLUG, "slug"), "phase": (PHASE, "phase"), "after": (AFTER, "after"),
    "language": (LANGUAGE, "language"), "zone": (ZONE, "zone"), "id": (HEX_ID, "hex-32"),
}


def formed(table: Mapping[str, Any], key: str) -> tuple[str, list[Finding]]:
    """A required text of the head in its form, or "" and what is wrong: ``missing-key``, ``wrong-type``, ``bad-form``."""
    pattern, form = FORMS[key]
    if key not in table:
        return "", [missing(key, "text")]
    value = table[key]
    if not isinstance(value, str):
        return "", [wrong_type(value, key, "text")]
    if not pattern.fullmatch(value):
        return "", [Finding("bad-form", key, {"found": shown(value), "expected": form})]
    return value, []


def numbered(table: Mapping[str, Any], key: str, high: int) -> tuple[int, list[Finding]]:
    """A required number from 1 to ``high``, or 0 and what is wrong: ``missing-key``, ``wrong-type``, ``out-of-range``."""
    if key not in table:
        return 0, [missing(key, "whole-number")]
    value = table[key]
    if kind_of(value) != "whole-number":
        return 0, [wrong_type(value, key, "whole-number")]
    if not 1 <= value <= high:
        return 0, [Finding("out-of-range", key, {"found": shown(value), "low": 1, "high": high})]
    return int(value), []


def one_line(table: Mapping[str, Any], key: str, cap: int) -> tuple[str | None, list[Finding]]:
    """An optional text of one line, at most ``cap`` characters; faults ``wrong-type``, ``wrong-length``, ``not-one-line``."""
    value = table.get(key)
    if value is None:
        return None, []
    if not isinstance(value, str):
        return None, [wrong_type(value, key, "text")]
    if any(unicodedata.category(char) in ("Cc", "Zl", "Zp") for char in value):
        return None, [Finding("not-one-line", key, {})]
    if len(value) > cap:
        return None, [Finding("wrong-length", key, {"found": len(value), "low": None, "high": cap, "of": "text"})]
    return value, []


def missing(key: str, kind: str) -> Finding:
    return Finding("missing-key", key, {"key": key, "allowed": [kind]})


class Reader:
    """Gathers findings while a table is read line by line; ``take`` passes the value of a reading on."""

    def __init__(self) -> None:
        self.found: list[Finding] = []

    def take(self, reading: tuple[T, list[Finding]]) -> T:
        value, found = reading
        self.found += found
        return value
