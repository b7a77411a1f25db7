"""What an accepted file must be, worked out without the code that accepted it: its own reading of signature, TOML and plan."""

from __future__ import annotations

import base64
import hashlib
import hmac
import tomllib
from collections.abc import Sequence
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

BEGIN, END = b"-----BEGIN SSH SIGNATURE-----", b"-----END SSH SIGNATURE-----"
PLAN_WORDS = ("or", "otherwise", "watch")


def field(*parts: bytes) -> bytes:
    """Parts with their lengths before them, as SSH writes them."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def opened(data: bytes, detached: str | None, namespace: bytes) -> tuple[bytes, bytes]:
    """Signed bytes and the raw key that signed them in this namespace. AssertionError or InvalidSignature when that is not so."""
    data = data.replace(b"\r\n", b"\n")
    if detached is None:
        lines = data.split(b"\n")
        first = next(at for at, line in enumerate(lines) if line[:1] == b"#" and line[1:].strip(b" \t").startswith(BEGIN))
        signed = b"".join(line + b"\n" for line in lines[:first])
        block = [line.removeprefix(b"#").strip(b" \t") for line in lines[first:]]
        assert block[-1] == b"" or block[-1] == END
    else:
        signed, block = data, detached.encode().replace(b"\r\n", b"\n").strip().split(b"\n")
    block = [line for line in block if line]
    assert (block[0], block[-1]) == (BEGIN, END)
    blob = base64.b64decode(b"".join(block[1:-1]), validate=True)
    raw = blob[len(b"SSHSIG") + 4 + 4 :][4 + 11 + 4 :][:32]
    signature = blob[-64:]
    key = field(b"ssh-ed25519", raw)
    wanted = b"SSHSIG" + (1).to_bytes(4, "big") + field(key, namespace, b"", b"sha512", field(b"ssh-ed25519", signature))
    assert blob == wanted
    message = b"SSHSIG" + field(namespace, b"", b"sha512", hashlib.sha512(signed).digest())
    Ed25519PublicKey.from_public_bytes(raw).verify(signature, message)
    return signed, raw


def plan(orders: list[dict[str, Any]], kinds: Sequence[type[msgspec.Struct]]) -> list[tuple[tuple[Any, ...], str, tuple[str, ...]]]:
    """Per decision: the order and its alternatives, ``otherwise``, ``watch``."""
    by_word = {str(kind.__struct_config__.tag): kind for kind in kinds}

    def flat(table: dict[str, Any]) -> list[Any]:
        assert isinstance(table, dict)
        kind = by_word[table["do"]]
        assert not table.keys() - {"do", *(each.encode_name for each in msgspec.structs.fields(kind))}
        order = msgspec.convert(table, kind, strict=True)
        return list(order.each()) if hasattr(order, "each") else [order]

    found = []
    for line in orders:
        several = flat({key: value for key, value in line.items() if key not in PLAN_WORDS})
        other = line.get("or", [])
        alternatives = [one for table in ([other] if isinstance(other, dict) else other) for one in flat(table)]
        assert line.get("otherwise", "ask") in ("ask", "skip", "default")
        assert len(alternatives) <= 8 and len(line.get("watch", [])) <= 32
        assert all(isinstance(place, str) for place in line.get("watch", []))
        found += [((one, *alternatives), line.get("otherwise", "ask"), tuple(line.get("watch", ()))) for one in several]
    assert len(found) <= 64
    return found


def head(table: dict[str, Any], keys: set[str]) -> None:
    """The lines of the head of an order file are what they may be."""
    assert table.keys() <= keys
    for key in ("game", "player", "phase", "after"):
        assert isinstance(table[key], str) and 0 < len(table[key]) <= 45 and table[key].isascii() and table[key].isprintable()
    assert type(table["revision"]) is int and 1 <= table["revision"] <= 999
    note = table.get("note", "")
    assert isinstance(note, str) and len(note) <= 280 and note.splitlines() in ([], [note]) and "\x00" not in note
    assert table.get("then", "ask") in ("ask", "pass", "default")


def told(signed: bytes) -> dict[str, Any]:
    """The table in signed bytes."""
    assert len(signed) <= 32 * 1024
    return tomllib.loads(signed.decode())


def proof(invite: bytes, raw_key: bytes, campaign_id: bytes) -> str:
    """The proof in a join file, base64."""
    fingerprint = "SHA256:" + base64.b64encode(hashlib.sha256(field(b"ssh-ed25519", raw_key)).digest()).decode().rstrip("=")
    message = field(b"pbem/1 join", fingerprint.encode(), campaign_id)
    return base64.b64encode(hmac.digest(invite, message, "sha256")).decode()
