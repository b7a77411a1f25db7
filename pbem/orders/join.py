"""Taking a seat: the join file and the invite code that allows it."""

import hmac
from typing import Any

import msgspec

from pbem.orders.convert import unknown_keys
from pbem.orders.encoding import b64, fixed64, joined, unb64
from pbem.orders.findings import Finding, Unreadable, refusal
from pbem.orders.head import NAME_CAP, Reader, formed, missing, one_line
from pbem.orders.keys import PrivateKey, PublicKey
from pbem.orders.signed import Signed, open_signed, sign_file
from pbem.orders.toml import read
from pbem.orders.write import dump

NAMESPACE = "join@pbem"
KEYS = ("game", "id", "seat", "name", "language", "zone", "key", "letter_key", "nonce", "proof")
INVITE_BYTES = 16
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"   # Crockford's base32: no i, l, o, u
_MISREAD = str.maketrans({"o": "0", "i": "1", "l": "1", "-": "", "–": "", "—": "", "_": "", ".": ""})


class JoinFile(msgspec.Struct, frozen=True):
    """A join file as read.

    ``game``: campaign name. ``id``: campaign id, 32 hex digits. ``name``: display name, the seat's where none was given.
    ``key``: SSH public key line without comment. ``letter_key`` (X25519), ``nonce``, ``proof``: base64 of 32 bytes each.
    """

    game: str
    id: str
    seat: str
    name: str
    language: str
    zone: str
    key: str
    letter_key: str
    nonce: str
    proof: str


def proof(invite: bytes, fingerprint: str, campaign_id: bytes) -> bytes:
    """HMAC-SHA256 keyed by the invite over key fingerprint and campaign id: a copied file or code takes no seat."""
    return hmac.digest(invite, joined("pbem/1 join", fingerprint, campaign_id), "sha256")


def proves(join: JoinFile, invite: bytes) -> bool:
    """Whether a join file was made by who had this invite."""
    key = PublicKey.parse(join.key)
    return hmac.compare_digest(proof(invite, key.fingerprint(), bytes.fromhex(join.id)), unb64(join.proof))


def make_join(key: PrivateKey, *, game: str, campaign_id: bytes, seat: str, invite: bytes, letter_public: bytes, nonce: bytes,
              name: str = "", language: str = "en", zone: str = "UTC") -> bytes:
    """A signed join file. ``letter_public`` and ``nonce`` are 32 bytes each. Raises Unreadable where ``read_join`` would refuse it."""
    named = {"name": name} if name else {}
    table = {
        "game": game, "id": campaign_id.hex(), "seat": seat, **named, "language": language, "zone": zone,
        "key": key.public.line(), "letter_key": b64(letter_public), "nonce": b64(nonce),
        "proof": b64(proof(invite, key.public.fingerprint(), campaign_id)),
    }
    data = sign_file(key, NAMESPACE, dump(table))
    read_join(data)
    return data


def read_join(data: bytes, detached: str | None = None) -> tuple[JoinFile, Signed, PublicKey]:
    """A join file, its signed bytes, and the key in it, which has signed it.

    Whether the invite fits is ``proves``. Raises Unreadable with all faults; ``signer-not-the-key`` when another key signed.
    """
    signed, signer = open_signed(data, NAMESPACE, detached)
    table = read(signed.signed)
    reader = Reader()
    reader.found += unknown_keys(table, KEYS)
    game, campaign_id, seat, language, zone = (reader.take(formed(table, key)) for key in ("game", "id", "seat", "language", "zone"))
    name = reader.take(one_line(table, "name", NAME_CAP)) or seat
    if name != name.strip():
        reader.found.append(Finding("bad-form", "name", {"found": name, "expected": "trimmed"}))
    key = reader.take(_key(table))
    letter_key, nonce, proved = (reader.take(_bytes32(table, word)) for word in ("letter_key", "nonce", "proof"))
    if key is not None and key != signer:
        reader.found.append(Finding("signer-not-the-key", "key", {"found": key.fingerprint(), "expected": signer.fingerprint()}))
    if reader.found or key is None:
        raise Unreadable(reader.found)
    return JoinFile(game, campaign_id, seat, name, language, zone, key.line(), letter_key, nonce, proved), signed, signer


def _key(table: dict[str, Any]) -> tuple[PublicKey | None, list[Finding]]:
    line = table.get("key")
    if not isinstance(line, str):
        return None, [missing("key", "text")]
    try:
        key = PublicKey.parse(line)
    except Unreadable as fault:
        return None, [Finding(fault.findings[0].code, "key", fault.findings[0].facts)]
    if key.line() != line:   # a comment would put a name or a mail address into a public file
        return None, [Finding("bad-key", "key", {"reason": "comment"})]
    return key, []


def _bytes32(table: dict[str, Any], key: str) -> tuple[str, list[Finding]]:
    if key not in table:
        return "", [missing(key, "text")]
    if fixed64(table[key], 32) is None:
        return "", [Finding("bad-form", key, {"found": str(table[key])[:80], "expected": "base64-32"})]
    return str(table[key]), []


def invite_text(invite: bytes) -> str:
    """An invite (16 bytes) as people type it: 26 letters and digits in groups of four, ``0`` and ``1`` never meaning ``o`` and ``l``."""
    if len(invite) != INVITE_BYTES:
        raise ValueError("an invite has 16 bytes")
    number = int.from_bytes(invite, "big") << 2
    text = "".join(_ALPHABET[number >> 5 * place & 31] for place in reversed(range(26)))
    return "-".join(text[at:at + 4] for at in range(0, 26, 4))


def invite_bytes(text: str) -> bytes:
    """The invite in a text as typed: capitals, blanks and dashes do not matter, ``o`` is read as 0, ``i`` and ``l`` as 1.

    Raises Unreadable ``bad-invite`` with a reason: ``length`` (fact ``found``), ``character`` (fact ``found``), ``ending`` (mistyped).
    """
    letters = "".join(text[:200].casefold().split()).translate(_MISREAD)
    for letter in letters:
        if letter not in _ALPHABET:
            raise refusal("bad-invite", reason="character", found=letter)
    if len(letters) != 26:
        raise refusal("bad-invite", reason="length", found=len(letters))
    number = 0
    for letter in letters:
        number = number << 5 | _ALPHABET.index(letter)
    if number & 3:
        raise refusal("bad-invite", reason="ending")
    return (number >> 2).to_bytes(INVITE_BYTES, "big")
