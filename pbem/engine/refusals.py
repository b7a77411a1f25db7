"""The three refusals: not readable, not allowed now, more than one meaning.

They carry codes and facts, never sentences: those are made in the reader's language by ``publish``.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any


class Refusal(Exception):
    """Why an order is not taken.

    ``code`` is a kebab-case word; ``field`` the key of the order it is about ("" for the order as a whole), possibly with an
    index (``path[1]``); ``facts`` are plain values (strings, integers, lists of them) for the sentence.
    """

    def __init__(self, code: str, field: str = "", **facts: Any) -> None:
        super().__init__(code)
        self.code = code
        self.field = field
        self.facts = facts

    def __str__(self) -> str:
        return f"{self.code} {self.field} {self.facts}".strip()


class Malformed(Refusal):
    """The order cannot be read: a word or a value that no position would allow (an unknown district, say)."""


class Illegal(Refusal):
    """The order can be read, but is not allowed in this position."""


class Ambiguous(Refusal):
    """The order has more than one meaning in this position; ``facts["meanings"]`` lists them."""


def nearest(word: str, allowed: Collection[str]) -> str:
    """The allowed word most like ``word``, capitals and blanks around it aside; "" when none is like it. Long words are cut first."""
    from difflib import get_close_matches

    by_folded = {each.casefold(): each for each in allowed}
    return next((by_folded[found] for found in get_close_matches(word[:100].strip().casefold(), by_folded, 1)), "")


def known(code: str, word: str, allowed: Collection[str], field: str) -> str:
    """The word itself; Malformed with that code when it is not among the allowed ones."""
    if word not in allowed:
        raise Malformed(code, field, found=word, allowed=list(allowed), nearest=nearest(word, allowed))
    return word
