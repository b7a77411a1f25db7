"""S/MIME mails whose content is wrapped (``smime.p7m``, RFC 8551): what was only signed is taken out, and nothing is verified.

Just enough of BER is read to walk from ContentInfo through SignedData to the content (RFC 5652, sections 3 and 5).
"""

from __future__ import annotations

import zlib

LARGEST = 4 * 1024 * 1024
DEEPEST = 12
MOST_PIECES = 20_000

_SIGNED = bytes.fromhex("2a864886f70d010702")
_DATA = bytes.fromhex("2a864886f70d010701")
_COMPRESSED = bytes.fromhex("2a864886f70d0109100109")
_ENCRYPTED = {bytes.fromhex("2a864886f70d010703"), bytes.fromhex("2a864886f70d0109100117")}
_SEQUENCE, _OCTETS, _OBJECT, _SET, _EXPLICIT = 0x30, 0x04, 0x06, 0x31, 0xA0


class Encrypted(Exception):
    """The content can be read by whoever has the key alone."""


def content(data: bytes) -> bytes | None:
    """The mail inside, or None when there is none to be found. Raises Encrypted."""
    try:
        return _inside(data[:LARGEST], 0)
    except (ValueError, IndexError, RecursionError, zlib.error):
        return None


def _inside(data: bytes, depth: int) -> bytes | None:
    """The content of a ContentInfo; wrapped in each other they may be, within reason."""
    if depth > DEEPEST:
        raise ValueError("too deep")
    kind, explicit = _kind_and_content(_value(data, _SEQUENCE))
    if kind in _ENCRYPTED:
        raise Encrypted
    if kind == _DATA:
        return _octets(explicit)
    if kind not in (_SIGNED, _COMPRESSED):
        return None
    # SignedData: version, digest algorithms (a set), content; CompressedData: version, algorithm, content
    fields = _fields(_value(explicit, _SEQUENCE))
    inner, octets = _kind_and_content(fields[2][1])
    found = _octets(octets)
    if kind == _COMPRESSED:
        found = zlib.decompressobj().decompress(found, LARGEST)
    return found if inner == _DATA else _inside(found, depth + 1)


def _kind_and_content(info: bytes) -> tuple[bytes, bytes]:
    """The object identifier, and what its explicit tag holds (b"" where there is nothing: a detached signature)."""
    fields = _fields(info)
    if fields[0][0] != _OBJECT:
        raise ValueError("no content type")
    return fields[0][1], fields[1][1] if len(fields) > 1 and fields[1][0] == _EXPLICIT else b""


def _octets(data: bytes) -> bytes:
    """An OCTET STRING, also one made of many."""
    fields = _fields(data)
    if not fields:
        raise ValueError("no content")
    tag, value = fields[0]
    if tag == _OCTETS:
        return value
    if tag != _OCTETS | 0x20:
        raise ValueError("no octets")
    return b"".join(inside for each, inside in _fields(value) if each == _OCTETS)


def _value(data: bytes, tag: int) -> bytes:
    found, value, _ = _read(data, 0, 0)
    if found != tag:
        raise ValueError("another tag")
    return value


def _fields(data: bytes) -> list[tuple[int, bytes]]:
    """Tag and value of each field."""
    fields: list[tuple[int, bytes]] = []
    at = 0
    while at < len(data) and len(fields) < MOST_PIECES:
        tag, value, at = _read(data, at, 0)
        fields.append((tag, value))
    return fields


def _read(data: bytes, at: int, depth: int) -> tuple[int, bytes, int]:
    """The field at ``at``: tag, value, and where the next one begins."""
    tag, length = data[at], data[at + 1]
    if tag & 0x1F == 0x1F or depth > DEEPEST:
        raise ValueError("not BER as mails have it")
    at += 2
    if length == 0x80:
        end = _end(data, at, depth)
        return tag, data[at:end], end + 2
    if length & 0x80:
        size = length & 0x7F
        if size > 8:
            raise ValueError("too long")
        length, at = int.from_bytes(data[at : at + size], "big"), at + size
    if at + length > len(data):
        raise ValueError("cut short")
    return tag, data[at : at + length], at + length


def _end(data: bytes, at: int, depth: int) -> int:
    """Where a field without a length ends: at two zero bytes that are no part of a field in it."""
    while data[at : at + 2] != b"\0\0":
        _, _, at = _read(data, at, depth + 1)
    return at
