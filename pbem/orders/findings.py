"""What is wrong with a file, as codes and facts; the sentences are made in the reader's language elsewhere."""

import difflib
from collections.abc import Iterable
from typing import Any

import msgspec


class Finding(msgspec.Struct, frozen=True):
    """One fault. ``at``: ``line 3, column 7``, ``orders[1].deploy``, a path, or "" for the whole file. ``facts``: plain values."""

    code: str
    at: str = ""
    facts: dict[str, Any] = {}


class Unreadable(Exception):
    """A file that cannot be taken as it is. ``findings`` holds at least one fault, in the order of the file."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__("; ".join(f"{finding.at}: {finding.code}" if finding.at else finding.code for finding in findings))
        self.findings = findings


def refusal(code: str, at: str = "", **facts: Any) -> Unreadable:
    """The exception for a single finding, to be raised."""
    return Unreadable([Finding(code, at, facts)])


def nearest(word: str, allowed: Iterable[str]) -> str | None:
    """The allowed word most like ``word``, capitals aside, or None when none is like it. Long words are cut first."""
    by_folded = {each.casefold(): each for each in allowed}
    found = difflib.get_close_matches(word[:80].casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None


def shortened(text: str, limit: int = 80) -> str:
    """``text`` in at most ``limit`` characters, to be quoted."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
