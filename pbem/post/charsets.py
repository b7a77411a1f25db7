"""Bytes of a mail as text, whatever they were written in and whatever the mail says they were."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

MOST_GUESSED = 256 * 1024   # bytes of a text for which more than the likely is tried

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe\0\0", "utf-32"), (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"),
)  # fmt: skip
_ALIASES = {
    # Narrow sets that programs name while they write the wide ones; a wide one reads the narrow one too.
    "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "ks_c_5601-1987": "cp949", "euc-kr": "cp949", "ks_c_5601": "cp949",
    "x-windows-949": "cp949", "big5": "cp950", "x-x-big5": "cp950", "shift_jis": "cp932", "x-sjis": "cp932", "iso-8859-1": "cp1252",
    "us-ascii": "utf-8", "ascii": "utf-8", "ansi": "cp1252", "unicode-1-1-utf-7": "utf-7", "iso-8859-8-i": "iso-8859-8", "utf8mb4": "utf-8",
    "unicode": "utf-16", "x-mac-roman": "mac_roman",
}  # fmt: skip
_GUESSES = (
    "cp1252", "gb18030", "cp949", "cp950", "cp932", "euc_jp", "koi8-r", "cp1251", "iso-8859-5", "iso2022_kr", "iso2022_jp", "hz", "latin-1",
)
_NOT_TEXT = {"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "mbcs", "oem"}


def texts(data: bytes, declared: str, *, guess: bool = False) -> Iterator[str]:
    """What the bytes may say, the likeliest first, each once. With ``guess`` also what no header speaks for."""
    said: set[str] = set()
    for charset in _charsets(data, declared, guess=guess and len(data) <= MOST_GUESSED):
        text = _read(data, charset)
        for form in (text, text.replace("\0", "")) if text is not None else ():
            if form not in said:
                said.add(form)
                yield form


def _charsets(data: bytes, declared: str, *, guess: bool) -> Iterator[str]:
    yield from (charset for mark, charset in _MARKS if data.startswith(mark))
    if (wide := _wide(data)) is not None:
        yield wide
    name = declared.strip().strip("'\"").lower()[:40]
    if name:
        yield _ALIASES.get(name, name)
    yield "utf-8"
    if guess and (not data.isascii() or b"\x1b" in data or b"\x0e" in data or b"~{" in data):
        yield from _GUESSES
    yield "utf-8, or not"


def _wide(data: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of mostly Latin text is zero."""
    sample = data[:2000]
    if len(sample) < 20 or sample.count(b"\0") * 3 < len(sample):
        return None
    return "utf-16-le" if sample[1::2].count(b"\0") > sample[::2].count(b"\0") else "utf-16-be"


def _read(data: bytes, charset: str) -> str | None:
    if charset == "utf-8, or not":
        return data.decode("utf-8", "replace")
    try:
        found = codecs.lookup(charset)
        if found.name in _NOT_TEXT:
            return None
        if found.name.startswith("utf-16"):
            data = data[: len(data) // 2 * 2]   # a line end cut in two
        return data.decode(found.name).removeprefix("\ufeff")
    except (LookupError, ValueError):
        return None
