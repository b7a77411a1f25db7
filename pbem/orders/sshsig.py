"""SSH signatures (OpenSSH ``PROTOCOL.sshsig``), only ed25519 with sha512, read strictly.

``ssh-keygen -Y sign -n NAMESPACE`` makes the same block from the same key, to the byte.
"""

import hashlib
import re
import textwrap

from pbem.orders.encoding import b64, joined, take, unb64
from pbem.orders.findings import Unreadable, refusal
from pbem.orders.keys import KEY_TYPE, PrivateKey, PublicKey

BEGIN, END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
BLOCK_CAP = 2048
_MAGIC = b"SSHSIG"
_HASH = "sha512"
_BLOCK = re.compile(re.escape(BEGIN) + r"\n((?:[A-Za-z0-9+/=]+\n)+)" + re.escape(END) + r"\n?")


def _message(namespace: str, message: bytes) -> bytes:
    return _MAGIC + joined(namespace, b"", _HASH, hashlib.sha512(message).digest())


def sign_blob(key: PrivateKey, namespace: str, message: bytes) -> bytes:
    """The binary signature, without armour."""
    signature = joined(KEY_TYPE, key.sign(_message(namespace, message)))
    return _MAGIC + (1).to_bytes(4, "big") + joined(key.public.blob, namespace, b"", _HASH, signature)


def sign(key: PrivateKey, namespace: str, message: bytes) -> str:
    """The armoured block over ``message``: BEGIN line, base64 in lines of 70, END line, each ended by LF."""
    return "\n".join([BEGIN, *textwrap.wrap(b64(sign_blob(key, namespace, message)), 70), END, ""])


def verify(block: str, namespace: str, message: bytes) -> PublicKey:
    """The key that signed ``message`` in this namespace.

    ``block`` is armoured; lines of any length are taken, blanks and anything around it are not. Raises Unreadable
    ``bad-signature`` with a reason: ``form``, ``base64``, or one of ``verify_blob``.
    """
    match = _BLOCK.fullmatch(block) if len(block) <= BLOCK_CAP else None
    if match is None:
        raise refusal("bad-signature", reason="form")
    try:
        blob = unb64(match[1].replace("\n", ""))
    except ValueError:
        raise refusal("bad-signature", reason="base64") from None
    return verify_blob(blob, namespace, message)


def verify_blob(blob: bytes, namespace: str, message: bytes) -> PublicKey:
    """As ``verify``, for the binary form.

    Reasons: ``form``, ``key`` (with what is wrong with it as ``key_reason``), ``namespace`` (facts ``found``, ``allowed``), ``hash``,
    ``does-not-verify`` (the text was changed after signing, or another key signed).
    """
    try:
        if blob[:10] != _MAGIC + (1).to_bytes(4, "big"):
            raise ValueError
        key_blob, rest = take(blob[10:])
        found, rest = take(rest)
        reserved, rest = take(rest)
        hashed_with, rest = take(rest)
        wrapped, rest = take(rest)
        kind, signature_rest = take(wrapped)
        signature, left_over = take(signature_rest)
        if rest or left_over or reserved or kind != KEY_TYPE.encode() or len(signature) != 64:
            raise ValueError
    except ValueError:
        raise refusal("bad-signature", reason="form") from None
    try:
        signer = PublicKey.from_blob(key_blob)
    except Unreadable as fault:
        raise refusal("bad-signature", reason="key", key_reason=fault.findings[0].facts["reason"]) from None
    if found != namespace.encode():
        raise refusal("bad-signature", reason="namespace", found=found[:80].decode("utf-8", "replace"), allowed=[namespace])
    if hashed_with != _HASH.encode():
        raise refusal("bad-signature", reason="hash", found=hashed_with[:80].decode("utf-8", "replace"), allowed=[_HASH])
    if not signer.verifies(signature, _message(namespace, message)):
        raise refusal("bad-signature", reason="does-not-verify")
    return signer
