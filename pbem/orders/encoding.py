"""How values become bytes before they are hashed, signed or derived from (protocol 1).

Published vectors for every function here: ``docs/test-vectors.md``.
"""

import base64
import binascii
import hashlib
import hmac

PROTOCOL = "pbem/1"


def joined(*fields: str | int | bytes) -> bytes:
    """The ``‖`` of the protocol: each field preceded by its length in bytes, 4 bytes big-endian.

    Text becomes UTF-8, an integer its decimal text, bytes stay raw. Two different lists of texts never join to the same bytes.
    Raises TypeError for anything else, truth values included.
    """
    parts: list[bytes] = []
    for field in fields:
        if isinstance(field, bool) or not isinstance(field, str | int | bytes):
            raise TypeError(f"a field is text, an integer or bytes, not {type(field).__name__}")
        raw = field if isinstance(field, bytes) else str(field).encode()
        parts += (len(raw).to_bytes(4, "big"), raw)
    return b"".join(parts)


def take(data: bytes) -> tuple[bytes, bytes]:
    """The first length-prefixed field of what ``joined`` made, and what follows it. Raises ValueError when it is cut short."""
    size = int.from_bytes(data[:4], "big")
    if len(data) < 4 or len(data) - 4 < size:
        raise ValueError("cut short")
    return data[4:4 + size], data[4 + size:]


def sha256(data: bytes) -> bytes:
    """The 32-byte SHA-256 of ``data``."""
    return hashlib.sha256(data).digest()


def derive(secret: bytes, purpose: str, *fields: str | int | bytes) -> bytes:
    """32 bytes for one purpose: HKDF-SHA256 (RFC 5869) of ``secret``, empty salt, info = ``joined("pbem/1", purpose, *fields)``."""
    extracted = hmac.digest(bytes(32), secret, "sha256")
    return hmac.digest(extracted, joined(PROTOCOL, purpose, *fields) + b"\x01", "sha256")


def b64(data: bytes) -> str:
    """``data`` in base64 with padding (RFC 4648, section 4), on one line."""
    return base64.b64encode(data).decode("ascii")


def unb64(text: str) -> bytes:
    """The bytes that ``b64`` wrote as exactly this text.

    Raises ValueError for blanks, another alphabet, missing padding or bits left over: one value has one spelling.
    """
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError) as fault:
        raise ValueError("not base64") from fault
    if b64(data) != text:
        raise ValueError("not the canonical base64 of its bytes")
    return data


def fixed64(value: object, size: int) -> bytes | None:
    """The ``size`` bytes that a value from a file spells in base64, or None when it is anything else."""
    try:
        data = unb64(value) if isinstance(value, str) else b""
    except ValueError:
        return None
    return data if len(data) == size else None
