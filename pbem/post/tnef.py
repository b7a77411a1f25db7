"""``winmail.dat``: what Outlook sends when it takes the receiver for another Outlook (MS-OXTNEF). Only its attachments are read.

The stream is a chain of attributes, each with a length before it; nothing is copied but the content of files that are small enough.
"""

from __future__ import annotations

from collections.abc import Iterator

MAGIC = b"\x78\x9f\x3e\x22"
MOST_ATTRIBUTES = 2000
LARGEST_FILE = 1024 * 1024

_BEGINS, _TITLE, _DATA, _PROPERTIES = 0x9002, 0x8010, 0x800F, 0x9005
_BODY = 0x800C
_LONG_NAME, _NAME, _CONTENT = 0x3707, 0x3704, 0x3701
_MULTIPLE = 0x1000
_SIZES = {2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 0xA: 4, 0xB: 4, 0x14: 8, 0x40: 8, 0x48: 16}


def is_tnef(data: bytes) -> bool:
    return data.startswith(MAGIC)


def files(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Name and content of each attachment, and the plain body under the name "". Damage ends the reading; it never raises."""
    name, content = "", b""
    for kind, value in _attributes(data):
        if kind == _BEGINS:
            if content:
                yield name, content
            name, content = "", b""
        elif kind == _BODY and len(value) <= LARGEST_FILE:
            yield "", value.rstrip(b"\0")
        elif kind == _TITLE:
            name = name or _text(value)
        elif kind == _DATA:
            content = value if len(value) <= LARGEST_FILE else b""
        elif kind == _PROPERTIES:
            for tag, wide, inside in _properties(value):
                if tag == _LONG_NAME or (tag == _NAME and not name):
                    name = inside.decode("utf-16-le", "replace").rstrip("\0") if wide else _text(inside)
                elif tag == _CONTENT and not content and len(inside) <= LARGEST_FILE:
                    content = inside
    if content:
        yield name, content


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and value: a byte for the level, the id in 2 bytes, the type in 2, the length in 4, the value, a sum of 2 bytes."""
    at = 6   # behind the magic number and a key
    for _ in range(MOST_ATTRIBUTES):
        if at + 9 > len(data):
            return
        size = int.from_bytes(data[at + 5 : at + 9], "little")
        if at + 9 + size > len(data):
            return
        yield int.from_bytes(data[at + 1 : at + 3], "little"), data[at + 9 : at + 9 + size]
        at += 9 + size + 2


def _properties(data: bytes) -> Iterator[tuple[int, bool, bytes]]:
    """Id, whether the text is in UTF-16, and value of each property that has one of a single kind."""
    count, at = int.from_bytes(data[:4], "little"), 4
    for _ in range(min(count, MOST_ATTRIBUTES)):
        kind, tag = int.from_bytes(data[at : at + 2], "little"), int.from_bytes(data[at + 2 : at + 4], "little")
        at += 4
        if tag >= 0x8000:   # named: an id of 16 bytes, then a number or a name
            by_name = int.from_bytes(data[at + 16 : at + 20], "little")
            at += 20
            at += 4 if not by_name else 4 + _padded(int.from_bytes(data[at : at + 4], "little"))
        values = 1
        if kind & _MULTIPLE or kind in (0xD, 0x1E, 0x1F, 0x102):
            values, at = int.from_bytes(data[at : at + 4], "little"), at + 4
        for _ in range(min(values, MOST_ATTRIBUTES)):
            size = _SIZES.get(kind & ~_MULTIPLE)
            if size is None:
                size, at = int.from_bytes(data[at : at + 4], "little"), at + 4
            if at + size > len(data):
                return
            yield tag, kind & ~_MULTIPLE == 0x1F, data[at + (16 if kind == 0xD else 0) : at + size]
            at += _padded(size)


def _padded(size: int) -> int:
    return -(-size // 4) * 4


def _text(value: bytes) -> str:
    value = value.rstrip(b"\0")
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("cp1252", "replace")
