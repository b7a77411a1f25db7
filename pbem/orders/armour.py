"""Order files in the body of a mail or an issue: base64 between two marker lines, found again whatever the way did to it."""

import base64
import html
import quopri
import re
from itertools import zip_longest

import msgspec

from pbem.orders.encoding import b64
from pbem.orders.findings import Finding, refusal
from pbem.orders.pasted import DASHES, GAP, NOISE, Budget, find_pasted, verified
from pbem.orders.signed import CAP

BEGIN, END = "-----BEGIN PBEM ORDER-----", "-----END PBEM ORDER-----"
WIDTH = 64
TEXT_CAP = 4 * 1024 * 1024   # characters of a mail body looked through
FILE_COUNT = 32              # files taken from one text

_MARK = re.compile(rf"{DASHES}(?P<which>BEGIN|END){GAP}PBEM{GAP}ORDER[*_]{{0,2}}{DASHES}")
_TAG = re.compile(r"<[^<>]{0,1000}>")


class Found(msgspec.Struct, frozen=True):
    """``files``: the different files found, in order. ``faults``: blocks and files that were there but damaged; ``pieces``: their texts."""

    files: list[bytes]
    faults: list[Finding]
    pieces: list[str] = []


def armour(data: bytes) -> str:
    """``data`` as a block to paste into a mail: BEGIN line, base64 in lines of 64, END line."""
    text = b64(data)
    return "\n".join([BEGIN, *(text[at:at + WIDTH] for at in range(0, len(text), WIDTH)), END, ""])


def find_armoured(text: str) -> list[bytes]:
    """The order files in a text: armoured blocks, or without any, signed TOML that stands in it as it is. Not verified."""
    return search(text).files


def search(text: str, budget: Budget | None = None) -> Found:
    """As ``find_armoured``, with the blocks and files that could not be read as faults.

    Codes: ``armour-damaged`` and ``armour-not-closed`` (fact ``number``: which block, from 1), ``pasted-damaged``, ``too-large``,
    ``too-many-files``. ``budget`` bounds what is tried to mend pasted files, over several texts when they share it.
    Raises Unreadable ``too-large`` for a text of more than 4 Mi characters.
    """
    if len(text) > TEXT_CAP:
        raise refusal("too-large", size=len(text), cap=TEXT_CAP)
    if "BEGIN" not in text:
        return Found([], [])
    marks = list(_MARK.finditer(text))
    files: dict[bytes, None] = {}
    faults: list[Finding] = []
    pieces: list[str] = []
    number = 0
    for mark, following in zip_longest(marks, marks[1:]):
        if mark["which"] == "END":
            continue
        number += 1
        closed = following is not None and following["which"] == "END"
        body = text[mark.end():following.start() if following else mark.end() + 8 * CAP]
        data = _decoded(body) if closed else None
        if data is not None and len(data) <= CAP and (len(files) < FILE_COUNT or data in files):
            files[data] = None
            continue
        if not closed:
            faults.append(Finding("armour-not-closed", "", {"number": number}))
        elif data is None:
            faults.append(Finding("armour-damaged", "", {"number": number}))
        elif len(data) > CAP:
            faults.append(Finding("too-large", "", {"size": len(data), "cap": CAP}))
        else:
            faults.append(Finding("too-many-files", "", {"cap": FILE_COUNT}))
            pieces.append("")
            break
        pieces.append(body[:8 * CAP])
        if len(faults) > FILE_COUNT:
            break
    pasted = find_pasted(text, FILE_COUNT - min(len(files), FILE_COUNT), budget)
    files |= dict.fromkeys(pasted.files)
    faults += [Finding("pasted-damaged") for _ in pasted.broken]
    return Found(list(files), faults, [*pieces, *pasted.broken])


def _decoded(body: str) -> bytes | None:
    """The bytes of a block's inside, or None where something other than base64 is in it."""
    if len(body) > 8 * CAP:
        return None
    data = _from_base64(body)
    if data is None and re.search(r"=(?:3D|[ \t]*\r?\n)", body):
        # Quoted-printable that nobody undid. An equals sign belongs to base64 too, so only a signature that holds shows it was that.
        data = _from_base64(quopri.decodestring(body.encode("utf-8", "replace")).decode("utf-8", "replace"))
        return data if data is not None and verified(data) else None
    return data


def _from_base64(body: str) -> bytes | None:
    try:
        # What is left behind the last line is the escaped dash of a PGP signature around it (RFC 9580, section 7.2).
        text = NOISE.sub("", html.unescape(_TAG.sub("", body))).removesuffix("-")
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except ValueError:   # a number in an entity may be beyond what Python reads
        return None
    return data if data and b64(data) == text else None
