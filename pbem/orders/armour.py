"""Order files in the body of a mail or an issue: base64 between two marker lines, found again whatever the way did to it."""

import base64
import binascii
import html
import re
from itertools import zip_longest

import msgspec

from pbem.orders.encoding import b64
from pbem.orders.findings import Finding, refusal
from pbem.orders.signed import CAP
from pbem.orders.sshsig import BEGIN as SIGNATURE_BEGIN
from pbem.orders.sshsig import END as SIGNATURE_END

BEGIN, END = "-----BEGIN PBEM ORDER-----", "-----END PBEM ORDER-----"
WIDTH = 64
TEXT_CAP = 4 * 1024 * 1024   # characters of a mail body looked through
FILE_COUNT = 32              # files taken from one text

# What may come between two words of a marker after quoting and wrapping, or in HTML.
_GAP = r"(?:[\s>|\u200b\u2060\ufeff]|&nbsp;|&gt;|<[^<>]{0,400}>){1,60}"
_MARK = re.compile(rf"-----(?P<which>BEGIN|END){_GAP}PBEM{_GAP}ORDER-----")
_TAG = re.compile(r"<[^<>]{0,1000}>")
_NOISE = re.compile(r"[\s>|\u200b\u2060\ufeff]+")
_QUOTING = re.compile(r"^[ \t]*(?:[>|][ \t]?)+", re.MULTILINE)
_SIGNATURE_BEGIN = re.compile(rf"^#[ \t]*{re.escape(SIGNATURE_BEGIN)}[ \t]*$", re.MULTILINE)
_SIGNATURE_END = re.compile(rf"^#[ \t]*{re.escape(SIGNATURE_END)}[ \t]*$", re.MULTILINE)
_FIRST_LINE = re.compile(r"(?:\A|\n[ \t]*\n)(?=(?:#[^\n]*\n)*[A-Za-z_-]+[ \t]*=)")


class Found(msgspec.Struct, frozen=True):
    """``files``: the different files found, in order. ``faults``: blocks that were there but damaged."""

    files: list[bytes]
    faults: list[Finding]


def armour(data: bytes) -> str:
    """``data`` as a block to paste into a mail: BEGIN line, base64 in lines of 64, END line."""
    text = b64(data)
    return "\n".join([BEGIN, *(text[at:at + WIDTH] for at in range(0, len(text), WIDTH)), END, ""])


def looks_armoured(data: bytes) -> bool:
    """Whether these bytes hold a block rather than being the order file itself."""
    return _MARK.search(data[:TEXT_CAP].decode("utf-8", "replace")) is not None


def find_armoured(text: str) -> list[bytes]:
    """The order files in a text: armoured blocks, or without any, signed TOML that stands in it as it is. Not verified."""
    return search(text).files


def search(text: str) -> Found:
    """As ``find_armoured``, with the blocks that could not be read as faults.

    Codes: ``armour-damaged`` and ``armour-not-closed`` (fact ``number``: which block, from 1), ``too-large``, ``too-many-files``.
    Raises Unreadable ``too-large`` for a text of more than 4 Mi characters.
    """
    if len(text) > TEXT_CAP:
        raise refusal("too-large", size=len(text), cap=TEXT_CAP)
    marks = list(_MARK.finditer(text))
    files: dict[bytes, None] = {}
    faults: list[Finding] = []
    number = 0
    for mark, following in zip_longest(marks, marks[1:]):
        if mark["which"] == "END":
            continue
        number += 1
        if following is None or following["which"] != "END":
            faults.append(Finding("armour-not-closed", "", {"number": number}))
            continue
        data = _decoded(text[mark.end():following.start()])
        if data is None:
            faults.append(Finding("armour-damaged", "", {"number": number}))
        elif len(data) > CAP:
            faults.append(Finding("too-large", "", {"size": len(data), "cap": CAP}))
        elif len(files) < FILE_COUNT:
            files[data] = None
        elif data not in files:
            faults.append(Finding("too-many-files", "", {"cap": FILE_COUNT}))
            break
    if not number:
        files = dict.fromkeys(_bare(text))
    return Found(list(files), faults)


def _decoded(body: str) -> bytes | None:
    """The bytes of a block's inside, or None where something other than base64 is in it."""
    if len(body) > 8 * CAP:
        return None
    text = _NOISE.sub("", html.unescape(_TAG.sub("", body)))
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        return None
    return data if data and b64(data) == text else None


def _bare(text: str) -> list[bytes]:
    """Signed TOML pasted as it is; a quoted mail is unquoted first. Ways that wrap or indent lines break it: armour does not."""
    text = text.replace("\r\n", "\n").removeprefix("\ufeff")
    if not _SIGNATURE_BEGIN.search(text):
        text = _QUOTING.sub("", text)
    files: list[bytes] = []
    start = 0
    for end in _SIGNATURE_END.finditer(text):
        piece = text[start:end.end()].lstrip("\n") + "\n"
        start = end.end() + 1
        first = _FIRST_LINE.search(piece)
        if first and _SIGNATURE_BEGIN.search(piece) and len(files) < FILE_COUNT:
            files.append(piece[first.end():].encode("utf-8", "replace"))
    return files
