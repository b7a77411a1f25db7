"""A signed text file: its bytes, and an SSH signature block below them as comment lines (or beside them, detached).

Only bytes that verified are ever parsed. The one repair before verifying is CRLF to LF, over the whole file.
"""

import re

import msgspec

from pbem.orders.encoding import sha256
from pbem.orders.findings import refusal
from pbem.orders.keys import PrivateKey, PublicKey
from pbem.orders.sshsig import BEGIN, END, sign, verify

CAP = 32 * 1024
_BEGIN_LINE = re.compile(rb"^#[ \t]*" + re.escape(BEGIN.encode()), re.MULTILINE)
_END_LINE = re.compile(rb"^#[ \t]*" + re.escape(END.encode()) + rb"[ \t]*$", re.MULTILINE)
_COMMENT = re.compile(r"^#[ \t]*(.*?)[ \t]*$")
_AS_WRITTEN = re.compile(rb"# [^ \t\n](?:[^\n]*[^ \t\n])?(?:\n# [^ \t\n](?:[^\n]*[^ \t\n])?)*")
"""Comment lines as ``attach`` writes them."""


class Signed(msgspec.Struct, frozen=True):
    """``signed``: the exact bytes the signature is over. ``block``: the armoured signature. ``identity``: SHA-256 of ``signed``."""

    signed: bytes
    block: str

    @property
    def identity(self) -> bytes:
        return sha256(self.signed)


def attach(signed: bytes, block: str) -> bytes:
    """One file of both. Raises ValueError unless ``signed`` ends with a line end: a comment needs a line of its own."""
    if not signed.endswith(b"\n"):
        raise ValueError("signed bytes must end with a line end")
    return signed + "".join(f"# {line}\n" for line in block.splitlines()).encode("ascii")


def split(data: bytes, detached: str | None = None, cap: int = CAP) -> Signed:
    """Take a file apart, or join a file with its detached ``.sig``; nothing is verified yet.

    Raises Unreadable: ``too-large`` (facts ``size``, ``cap``), ``no-signature``, ``second-signature``, ``text-after-signature``,
    ``bad-signature`` (reason ``form``).
    """
    if len(data) > cap:
        raise refusal("too-large", size=len(data), cap=cap)
    data = data.replace(b"\r\n", b"\n")
    begins = [match.start() for match in _BEGIN_LINE.finditer(data)]
    if len(begins) > (0 if detached is not None else 1):
        raise refusal("second-signature")
    if detached is not None:
        return Signed(data, detached.replace("\r\n", "\n").strip() + "\n")
    if not begins:
        raise refusal("no-signature")
    tail = data[begins[0]:]
    end = _END_LINE.search(tail)
    if end is None:
        raise refusal("bad-signature", reason="form")
    if tail[end.end():] not in (b"", b"\n"):
        raise refusal("second-signature" if BEGIN.encode() in tail[end.end():] else "text-after-signature")
    return Signed(data[:begins[0]], _uncomment(tail[:end.end()]))


def _uncomment(lines: bytes) -> str:
    if lines.isascii() and _AS_WRITTEN.fullmatch(lines):
        return lines[2:].replace(b"\n# ", b"\n").decode("ascii") + "\n"
    try:
        matches = [_COMMENT.match(line) for line in lines.decode("ascii").split("\n")]
    except UnicodeDecodeError:
        raise refusal("bad-signature", reason="form") from None
    if not all(matches):
        raise refusal("bad-signature", reason="form")
    return "".join(f"{match[1]}\n" for match in matches if match)


def sign_file(key: PrivateKey, namespace: str, signed: bytes) -> bytes:
    """``signed`` with its signature attached; a missing last line end is added before signing."""
    if not signed.endswith(b"\n"):
        signed += b"\n"
    return attach(signed, sign(key, namespace, signed))


def open_signed(data: bytes, namespace: str, detached: str | None = None, cap: int = CAP) -> tuple[Signed, PublicKey]:
    """Split and verify: the file's parts and the key that signed it. Raises Unreadable as ``split`` and ``sshsig.verify`` do."""
    parts = split(data, detached, cap)
    return parts, verify(parts.block, namespace, parts.signed)
