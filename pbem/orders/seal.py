"""Sealed orders and letters: HPKE (RFC 9180) in base mode, X25519 / HKDF-SHA256 / AES-256-GCM, with a commitment beside it.

AES-GCM commits to nothing: one ciphertext can be made to open under two keys to two texts. Therefore the SHA-256 of what is inside
stands in the signed file, and opening checks it.
"""

from typing import Any

import msgspec

from pbem.orders.convert import unknown_keys
from pbem.orders.encoding import b64, fixed64, joined, sha256, unb64
from pbem.orders.findings import Finding, Unreadable, refusal
from pbem.orders.keys import PrivateKey, PublicKey
from pbem.orders.plans import Planned, read_plans, read_then
from pbem.orders.sshsig import sign_blob, verify_blob
from pbem.orders.toml import read
from pbem.orders.write import dump

SIZES = (2 * 1024, 8 * 1024, 20 * 1024)   # bytes of the padded plain text: its length tells nothing finer
LETTER_STEP = 2 * 1024
OVERHEAD = 32 + 16                        # the ephemeral key before, the tag behind
BOX_LINE = 76
NAMESPACE = "seal@pbem"
SEAL_TO_CAP = 900


class Sealed(msgspec.Struct, frozen=True):
    """``commitment``: 64 hex digits. ``box``: base64 in lines of at most 76 characters."""

    commitment: str
    box: tuple[str, ...]

    def table(self) -> dict[str, Any]:
        """As the ``[sealed]`` table of an order file."""
        return {"commitment": self.commitment, "box": list(self.box)}

    @property
    def ciphertext(self) -> bytes:
        return unb64("".join(self.box))

    @classmethod
    def from_table(cls, table: Any, at: str = "sealed") -> "Sealed":
        """Read strictly. Raises Unreadable ``bad-sealed`` with a reason: ``form``, ``commitment``, ``base64``, ``size``."""
        if not isinstance(table, dict) or set(table) != {"commitment", "box"}:
            raise refusal("bad-sealed", at, reason="form")
        commitment, box = table["commitment"], table["box"]
        if not isinstance(box, list) or not all(isinstance(line, str) and 0 < len(line) <= BOX_LINE for line in box):
            raise refusal("bad-sealed", f"{at}.box", reason="form")
        if not isinstance(commitment, str) or len(commitment) != 64 or commitment.strip("0123456789abcdef"):
            raise refusal("bad-sealed", f"{at}.commitment", reason="commitment")
        sealed = cls(commitment, tuple(box))
        try:
            size = len(sealed.ciphertext) - OVERHEAD
        except ValueError:
            raise refusal("bad-sealed", f"{at}.box", reason="base64") from None
        if size not in SIZES:
            raise refusal("bad-sealed", f"{at}.box", reason="size")
        return sealed


def phase_public(secret: bytes) -> bytes:
    """The X25519 public key (32 bytes) of a phase's or letter box's secret (32 bytes)."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def seal_info(campaign_id: bytes, seat: str, fingerprint: str, phase: str, revision: int) -> bytes:
    """What a box is bound to: it opens with exactly these."""
    return joined("pbem/1 seal", campaign_id, seat, fingerprint, phase, revision)


def letter_info(campaign_id: bytes, seat: str, file_name: str) -> bytes:
    """What a letter is bound to; ``file_name`` as in ``e0007.toml``."""
    return joined("pbem/1 letter", campaign_id, seat, file_name)


def commitment(info: bytes, padded: bytes) -> str:
    """The commitment to a padded plain text, 64 hex digits."""
    return sha256(joined("pbem/1 commitment", info, padded)).hex()


def padded(plain: bytes) -> bytes:
    """``plain`` with zero bytes up to 2, 8 or 20 KiB.

    Raises Unreadable ``too-large`` (facts ``size``, ``cap``), and ``bad-padding`` when ``plain`` itself holds a zero byte.
    """
    if b"\0" in plain:
        raise refusal("bad-padding")
    for size in SIZES:
        if len(plain) <= size:
            return plain.ljust(size, b"\0")
    raise refusal("too-large", size=len(plain), cap=SIZES[-1])


def _unpadded(data: bytes) -> bytes:
    plain = data.rstrip(b"\0")
    if b"\0" in plain or len(data) not in SIZES or padded(plain) != data:
        raise refusal("bad-padding")
    return plain


def seal(plain: bytes, public: bytes, info: bytes) -> Sealed:
    """Seal a plain text without zero bytes, at most 20 KiB, to a phase's public key. Raises Unreadable as ``padded``, and ``bad-key``."""
    text = padded(plain)
    box = b64(_encrypt(text, public, info))
    return Sealed(commitment(info, text), tuple(box[at:at + BOX_LINE] for at in range(0, len(box), BOX_LINE)))


def open_box(sealed: Sealed, secret: bytes, info: bytes) -> bytes:
    """The plain text in a box. Raises Unreadable ``box-does-not-open``, ``commitment-mismatch`` or ``bad-padding``."""
    try:
        box = sealed.ciphertext
    except ValueError:
        raise refusal("box-does-not-open") from None
    text = _decrypt(box, secret, info, "box-does-not-open")
    if commitment(info, text) != sealed.commitment:
        raise refusal("commitment-mismatch")
    return _unpadded(text)


def seal_letter(plain: bytes, public: bytes, info: bytes) -> bytes:
    """A letter for one player's letter key (info from ``letter_info``), padded with zero bytes to a multiple of 2 KiB.

    ``plain`` must hold no zero byte: Unreadable ``bad-padding``.
    """
    if b"\0" in plain:
        raise refusal("bad-padding")
    return _encrypt(plain + bytes(-len(plain) % LETTER_STEP), public, info)


def open_letter(box: bytes, secret: bytes, info: bytes) -> bytes:
    """The plain text of a letter. Raises Unreadable ``letter-does-not-open`` or ``bad-padding``."""
    text = _decrypt(box, secret, info, "letter-does-not-open")
    plain = text.rstrip(b"\0")
    if b"\0" in plain or len(text) != len(plain) + -len(plain) % LETTER_STEP:
        raise refusal("bad-padding")
    return plain


def _suite() -> Any:
    from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

    return Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)


def _encrypt(plain: bytes, public: bytes, info: bytes) -> bytes:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

    try:
        return bytes(_suite().encrypt(plain, X25519PublicKey.from_public_bytes(public), info))
    except ValueError:   # another length than 32, or a point of small order
        raise refusal("bad-key", reason="x25519") from None


def _decrypt(box: bytes, secret: bytes, info: bytes, code: str) -> bytes:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    try:
        return bytes(_suite().decrypt(box, X25519PrivateKey.from_private_bytes(secret), info))
    except (InvalidTag, ValueError):
        raise refusal(code) from None


def make_plain(orders: list[Any], then: str, nonce: bytes) -> bytes:
    """The plain text of a sealed file, in normal form: raw order tables, ``then``, and 32 random bytes against guessing."""
    return dump({"nonce": b64(nonce), "then": then, "orders": orders})


def read_plain(plain: bytes, order_types: tuple[type[msgspec.Struct], ...]) -> tuple[tuple[Planned, ...], str]:
    """The plans in an opened plain text, and what follows the last. Raises Unreadable with all findings, places as in ``orders[0]``."""
    table = read(plain)
    found = unknown_keys(table, ["nonce", "then", "orders"])
    if fixed64(table.get("nonce"), 32) is None:
        found.append(Finding("bad-form", "nonce", {"found": str(table.get("nonce"))[:80], "expected": "base64-32"}))
    then, faults = read_then(table)
    plans, more = read_plans(table.get("orders", []), order_types)
    found += faults + more
    if "orders" not in table:
        found.append(Finding("missing-key", "orders", {"key": "orders", "allowed": ["list"]}))
    if found:
        raise Unreadable(found)
    return plans, then


def make_seal_to(key: PrivateKey, campaign_id: bytes, phase: str, entry: int, public: bytes) -> str:
    """The ``seal_to`` line of a template: ``ID ENTRY KEY SIGNATURE``, signed by the processor.

    ``ID`` is the campaign id (16 bytes) in hex, ``ENTRY`` the number of the entry that publishes the phase's key, ``KEY`` that key
    and ``SIGNATURE`` the binary SSH signature in base64.
    """
    signature = sign_blob(key, NAMESPACE, joined(campaign_id, phase, entry, public))
    return f"{campaign_id.hex()} {entry} {b64(public)} {b64(signature)}"


def check_seal_to(text: str, phase: str, processor: PublicKey) -> tuple[bytes, int, bytes]:
    """Campaign id, entry and public key of a ``seal_to`` line, once the processor's signature is proven.

    Raises Unreadable ``bad-seal-to`` with a reason: ``form``; ``signer`` (facts ``found``, ``expected``: fingerprints); or one of
    ``verify_blob`` (``does-not-verify`` also when the line belongs to another phase).
    """
    words = text.split(" ") if len(text) <= SEAL_TO_CAP else []
    if len(words) != 4:
        raise refusal("bad-seal-to", "seal_to", reason="form")
    public, entry = fixed64(words[2], 32), words[1]
    try:
        campaign_id, signature = bytes.fromhex(words[0]), unb64(words[3])
    except ValueError:
        raise refusal("bad-seal-to", "seal_to", reason="form") from None
    plain_number = entry.isascii() and entry.isdigit() and len(entry) <= 9 and str(int(entry)) == entry
    if public is None or not plain_number or len(campaign_id) != 16 or campaign_id.hex() != words[0]:
        raise refusal("bad-seal-to", "seal_to", reason="form")
    try:
        signer = verify_blob(signature, NAMESPACE, joined(campaign_id, phase, int(entry), public))
    except Unreadable as fault:
        raise refusal("bad-seal-to", "seal_to", **fault.findings[0].facts) from None
    if signer != processor:
        raise refusal("bad-seal-to", "seal_to", reason="signer", found=signer.fingerprint(), expected=processor.fingerprint())
    return campaign_id, int(entry), public
