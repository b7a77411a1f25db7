"""A walk over TOML text that finds what is wrong with it and says so in a way a player can use.

It refuses what TOML 1.0 refuses (also on a Python whose parser knows 1.1), names the common slips, and keeps nesting and numbers
within bounds, in time linear in the text. It builds no values: ``toml.read`` hands what passed to the parser of the standard library.
"""

import math
import re
from dataclasses import dataclass, field

from pbem.orders.findings import Unreadable, refusal, shortened

NESTING = 16
NUMBER_LENGTH = 64

_BLANKS = re.compile(r"[ \t]*")
_BETWEEN = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_TOKEN = re.compile(r"[^\s,;\[\]{}#=\"'“”„‟«»‘’‚‛`´「」\uff01-\uff5e]+")
_QUOTES = "“”„‟«»‘’‚‛`´＂＇「」"
_ODD_SPACE = re.compile(r"[^\S \t\r\n]|[\u200b\u2060\ufeff]")
_DATE_SPACE = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:[^\s,\]}#]*)")
_DATE = re.compile(
    r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[Tt ](?P<time>\d\d:\d\d(?P<seconds>:\d\d(?:\.\d+)?)?)(?:[Zz]|[+-]\d\d:\d\d)?)?"
    r"|(?P<alone>\d\d:\d\d(?P<alone_seconds>:\d\d(?:\.\d+)?)?)", re.ASCII)
_INTEGER = re.compile(r"[+-]?(?:0|[1-9](?:_?\d)*)|0x[0-9A-Fa-f](?:_?[0-9A-Fa-f])*|0o[0-7](?:_?[0-7])*|0b[01](?:_?[01])*", re.ASCII)
_FLOAT = re.compile(r"[+-]?(?:0|[1-9](?:_?\d)*)(?:\.\d(?:_?\d)*)?(?:[eE][+-]?\d(?:_?\d)*)?", re.ASCII)
_NUMBERISH = re.compile(r"[+-]?\.?\d")
_HEX = re.compile(r"[0-9A-Fa-f]+")
_BASIC_STOP = re.compile(r'["\\\r\n]')
_LITERAL_STOP = re.compile(r"['\r\n]")
_LONG_STOP = re.compile(r'"""|\\')
_LONG_LITERAL_STOP = re.compile(r"'''")
_LINE_CONTINUED = re.compile(r"\\[ \t]*\r?\n[ \t\r\n]*")
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)|[\u202a-\u202e\u2066-\u2069]|[\ud800-\udfff]")


def place(text: str, position: int) -> tuple[str, dict[str, object]]:
    """Where a character stands, for a finding: ``line 3, column 7``, and the facts line, column (both from 1) and quoted."""
    start = text.rfind("\n", 0, position) + 1
    line, column = text.count("\n", 0, position) + 1, position - start + 1
    quoted = text[start:start + 4096].split("\n", 1)[0].strip()
    return f"line {line}, column {column}", {"line": line, "column": column, "quoted": shortened(quoted)}


def check_characters(text: str) -> None:
    """Refuse control characters (``control-character``) and direction overrides (``direction-override``), fact ``found`` = U+XXXX."""
    if match := _FORBIDDEN.search(text):
        raise _character_fault(text, match.start(), ord(match[0][0]))


def _character_fault(text: str, position: int, number: int) -> Unreadable:
    at, facts = place(text, position)
    code = "direction-override" if 0x2029 < number < 0x206A else "control-character"
    return refusal(code, at, found=f"U+{number:04X}", **facts)


@dataclass
class Scan:
    """One walk over one text; ``document`` does it. ``dates``: whether dates and times may stand as values."""

    text: str
    dates: bool = False
    _seen: dict[tuple[str, ...], int] = field(default_factory=dict)   # full key → where it stood first
    _headers: dict[tuple[str, ...], int] = field(default_factory=dict)
    _counts: dict[tuple[str, ...], int] = field(default_factory=dict)   # how many [[key]] so far
    _scope: tuple[str, ...] = ()

    def fault(self, code: str, position: int, **facts: object) -> Unreadable:
        at, found = place(self.text, position)
        return refusal(code, at, **facts, **found)

    def line_of(self, position: int) -> int:
        return self.text.count("\n", 0, position) + 1

    def document(self) -> None:
        """Walk the whole text. Raises Unreadable with the first fault."""
        position = 0
        while True:
            position = self._between(position)
            if position >= len(self.text):
                return
            if self.text[position] == "[":
                position = self._header(position)
            else:
                self._no_slip(position, statement=True)
                position = self._pair(position, 0, None)
            position = self._line_end(position)

    # -- statements

    def _header(self, position: int) -> int:
        start, double = position, self.text.startswith("[[", position)
        position = self._blanks(position + 1 + double)
        key, position = self._key(position)
        position = self._blanks(position)
        closing = "]]" if double else "]"
        if not self.text.startswith(closing, position):
            self._no_slip(position)
            raise self.fault("header-not-closed", start, expected=closing)
        full = self._instance(key[:-1]) + key[-1:]
        first = self._headers.get(full, self._seen.get(full))
        if first is not None and not (double and self.text.startswith("[[", first)):
            raise self._twice(key, position, first)
        self._headers.setdefault(full, start)
        if double:
            self._counts[full] = self._counts.get(full, 0) + 1
        self._scope = self._instance(key)
        return position + len(closing)

    def _instance(self, key: tuple[str, ...]) -> tuple[str, ...]:
        """The key with the number of the [[table]] it lies in put behind each of them: below a new one, everything starts anew."""
        full: tuple[str, ...] = ()
        for part in key:
            full += (part,)
            if full in self._counts:
                full += (f"\0{self._counts[full]}",)
        return full

    def _named(self) -> tuple[str, ...]:
        return tuple(part for part in self._scope if not part.startswith("\0"))

    def _twice(self, key: tuple[str, ...], position: int, first: int) -> Unreadable:
        code = "orders-twice" if key == ("orders",) else "key-twice"
        return self.fault(code, position, key=shortened(".".join(key)), first=self.line_of(first))

    def _pair(self, position: int, depth: int, inline: dict[tuple[str, ...], int] | None) -> int:
        start = position
        key, position = self._key(position)
        position = self._blanks(position)
        if not self.text.startswith("=", position):
            if self.text.startswith(":", position):
                raise self.fault("colon-for-equals", position, key=shortened(".".join(key)))
            self._no_slip(position)
            raise self.fault("missing-equals", position, key=shortened(".".join(key)))
        if inline is None:
            full = self._scope + key
            first = self._seen.get(full, self._headers.get(full))
            seen = self._seen
        else:
            full, first, seen = key, inline.get(key), inline
        if first is not None:
            raise self._twice(key if full == key or inline is not None else (*self._named(), *key), start, first)
        seen[full] = start
        return self._value(self._blanks(position + 1), depth)

    def _line_end(self, position: int) -> int:
        position = self._blanks(position)
        rest = self.text[position:position + 2]
        if not rest or rest[0] in "#\n" or rest == "\r\n":
            return position
        self._no_slip(position)
        raise self.fault("comma-at-line-end" if rest[0] == "," else "text-after-value", position, found=self._word_at(position))

    # -- keys

    def _key(self, position: int) -> tuple[tuple[str, ...], int]:
        parts: list[str] = []
        while True:
            part, position = self._key_part(position)
            parts.append(part)
            if len(parts) > NESTING:
                raise self.fault("dotted-too-deep", position, limit=NESTING)
            after = self._blanks(position)
            if not self.text.startswith(".", after):
                return tuple(parts), position
            position = self._blanks(after + 1)

    def _key_part(self, position: int) -> tuple[str, int]:
        if match := _BARE_KEY.match(self.text, position):
            follows = self.text[match.end():match.end() + 1]
            if follows and (follows.isalpha() or follows.isdigit()):
                raise self.fault("bad-key-character", match.end(), found=follows)
            return match[0], match.end()
        if self.text[position:position + 1] in ('"', "'"):
            if self.text[position:position + 3] in ('"""', "'''"):
                raise self.fault("bad-key-character", position, found=self.text[position:position + 3])
            end = self._string(position)
            return self.text[position + 1:end - 1], end
        self._no_slip(position)
        if position >= len(self.text) or self.text[position] in "\r\n":
            raise self.fault("missing-key-name", position)
        raise self.fault("bad-key-character", position, found=self.text[position])

    # -- values

    def _value(self, position: int, depth: int) -> int:
        char = self.text[position:position + 1]
        if char in ('"', "'"):
            return self._string(position)
        if char in ("[", "{"):
            if depth >= NESTING:
                raise self.fault("nested-too-deep", position, limit=NESTING)
            return self._array(position, depth + 1) if char == "[" else self._inline(position, depth + 1)
        self._no_slip(position)
        match = _DATE_SPACE.match(self.text, position) or _TOKEN.match(self.text, position)
        if match is None:
            if char and char in "}=":
                raise self.fault("stray-character", position, found=char)
            raise self.fault("missing-value", position)
        self._bare(match[0], position)
        return match.end()

    def _bare(self, token: str, position: int) -> None:
        shown = shortened(token)
        if token in ("true", "false"):
            return
        if len(token) > NUMBER_LENGTH and _NUMBERISH.match(token):
            raise self.fault("number-too-long", position, limit=NUMBER_LENGTH)
        if _INTEGER.fullmatch(token):
            if not -(2**63) <= int(token.replace("_", ""), 0) < 2**63:
                raise self.fault("number-too-long", position, limit=NUMBER_LENGTH)
            return
        if _FLOAT.fullmatch(token):
            if math.isinf(float(token.replace("_", ""))):
                raise self.fault("number-not-finite", position, found=shown)
            return
        if token.lstrip("+-").casefold() in ("nan", "inf"):
            raise self.fault("number-not-finite", position, found=shown)
        if date := _DATE.fullmatch(token):
            if (date["time"] and not date["seconds"]) or (date["alone"] and not date["alone_seconds"]):
                raise self.fault("not-toml-1-0", position, found="seconds")
            if not self.dates:
                raise self.fault("date-not-allowed", position, found=shown)
            return
        if token.casefold() in ("true", "false"):
            raise self.fault("capital-boolean", position, found=token, nearest=token.casefold())
        if _NUMBERISH.match(token):
            raise self.fault("bad-number", position, found=shown)
        if token[0].isalpha() or token[0] == "_":
            raise self.fault("unquoted-word", position, found=shown)
        raise self.fault("bad-value", position, found=shown)

    def _array(self, position: int, depth: int) -> int:
        start, position = position, position + 1
        while True:
            position = self._between(position)
            self._still_open(position, start)
            if self.text.startswith("]", position):
                return position + 1
            self._no_pair_here(position, start)
            value_end = self._value(position, depth)
            position = self._between(value_end)
            self._still_open(position, start)
            if self.text.startswith(",", position):
                position += 1
            elif not self.text.startswith("]", position):
                self._no_slip(position)
                self._no_pair_here(position, start)
                if self.text[position] in "}=.:;":
                    raise self.fault("stray-character", position, found=self.text[position])
                raise self.fault("missing-comma", value_end, opened=self.line_of(start))

    def _no_pair_here(self, position: int, start: int) -> None:
        """A ``key =`` inside [ ] means that the bracket was never closed, or that an order lacks its braces."""
        match = _BARE_KEY.match(self.text, position)
        if match and self.text.startswith("=", self._blanks(match.end())):
            first_on_line = not self.text[self.text.rfind("\n", 0, position) + 1:position].strip()
            code = "bracket-not-closed" if first_on_line else "braces-missing"
            raise self.fault(code, start if first_on_line else position, key=shortened(match[0]), found="[", opened=self.line_of(start))

    def _still_open(self, position: int, start: int) -> None:
        if position >= len(self.text):
            raise self.fault("bracket-not-closed", start, found=self.text[start], opened=self.line_of(start))

    def _inline(self, position: int, depth: int) -> int:
        start, position = position, self._blanks(position + 1)
        keys: dict[tuple[str, ...], int] = {}
        if self.text.startswith("}", position):
            return position + 1
        while True:
            self._same_line(position, start)
            if self.text.startswith(",", position):
                raise self.fault("stray-character", position, found=",")
            self._no_slip(position)
            position = self._pair(position, depth, keys)
            value_end, position = position, self._blanks(position)
            self._same_line(position, start)
            char = self.text[position]
            if char == "}":
                return position + 1
            if char != ",":
                self._no_slip(position)
                if char in "]=.:;":
                    raise self.fault("stray-character", position, found=char)
                raise self.fault("missing-comma", value_end, opened=self.line_of(start))
            comma, position = position, self._blanks(position + 1)
            if self.text.startswith("}", position):
                raise self.fault("trailing-comma-in-braces", comma)

    def _same_line(self, position: int, start: int) -> None:
        self._still_open(position, start)
        if self.text[position] in "\r\n#":
            follows = self.text[self._between(position):][:1]
            if follows in ("", "{", "[", "]"):
                raise self.fault("bracket-not-closed", start, found="{", opened=self.line_of(start))
            if follows == "}" and self.text[:position].rstrip(" \t").endswith(","):
                raise self.fault("trailing-comma-in-braces", position)
            raise self.fault("line-break-in-braces", position, opened=self.line_of(start))

    # -- strings

    def _string(self, position: int) -> int:
        quote = self.text[position]
        if self.text.startswith(quote * 3, position):
            return self._long_string(position, quote)
        pattern = _BASIC_STOP if quote == '"' else _LITERAL_STOP
        start, position = position, position + 1
        while True:
            match = pattern.search(self.text, position)
            if match is None or match[0] in "\r\n":
                raise self.fault("string-not-closed", start, found=quote)
            position = match.end()
            if match[0] == quote:
                return position
            position = self._escape(position)

    def _long_string(self, position: int, quote: str) -> int:
        start, position = position, position + 3
        while True:
            stop = (_LONG_STOP if quote == '"' else _LONG_LITERAL_STOP).search(self.text, position)
            if stop is None:
                raise self.fault("string-not-closed", start, found=quote * 3)
            if stop[0] != "\\":
                end = stop.end()
                while end < stop.start() + 5 and self.text.startswith(quote, end):   # two quotes may stand before the closing three
                    end += 1
                return end
            match = _LINE_CONTINUED.match(self.text, stop.start())
            position = match.end() if match else self._escape(stop.end())

    def _escape(self, position: int) -> int:
        """Check what follows a backslash; the position behind it."""
        char = self.text[position:position + 1]
        if char in ("b", "t", "n", "f", "r", '"', "\\"):
            return position + 1
        size = {"u": 4, "U": 8}.get(char)
        if size is None:
            if char in ("e", "x"):
                raise self.fault("not-toml-1-0", position - 1, found="\\" + char)
            raise self.fault("bad-escape", position - 1, found="\\" + char)
        digits = self.text[position + 1:position + 1 + size]
        if len(digits) < size or not _HEX.fullmatch(digits):
            raise self.fault("bad-escape", position - 1, found="\\" + char + digits.split("\n", 1)[0])
        number = int(digits, 16)
        if number > 0x10FFFF:
            raise self.fault("bad-escape", position - 1, found="\\" + char + digits)
        if number not in (0x9, 0xA, 0xD) and _FORBIDDEN.match(chr(number)):
            raise _character_fault(self.text, position - 1, number)
        return position + 1 + size

    # -- between things

    def _blanks(self, position: int) -> int:
        return _end(_BLANKS, self.text, position)

    def _between(self, position: int) -> int:
        return _end(_BETWEEN, self.text, position)

    def _word_at(self, position: int) -> str:
        match = _TOKEN.match(self.text, position)
        return shortened(match[0]) if match else self.text[position]

    def _no_slip(self, position: int, statement: bool = False) -> None:
        """Refuse characters that look like blanks or quotes and are neither."""
        char = self.text[position:position + 1]
        if char and char in _QUOTES:
            raise self.fault("typographic-quotes", position, found=char)
        if _ODD_SPACE.match(self.text, position):
            raise self.fault("no-break-space", position, found=f"U+{ord(char):04X}")
        if "\uff01" <= char <= "\uff5e":
            raise self.fault("full-width-character", position, found=char, nearest=chr(ord(char) - 0xFEE0))
        if statement and char and char in "{}],=.:;":
            raise self.fault("stray-character", position, found=char)


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position
