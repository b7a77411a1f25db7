"""Players' and processors' keys: ed25519 in the files OpenSSH uses.

Formats: OpenSSH ``PROTOCOL.key`` (private files), RFC 4253 section 6.6 and RFC 8709 (public lines), RFC 8032 (ed25519).
"""

import base64
import binascii
import contextlib
import os
import secrets
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from pbem.orders.encoding import b64, joined, sha256, take, unb64
from pbem.orders.findings import refusal

KEY_TYPE = "ssh-ed25519"
LINE_CAP = 1024
FILE_CAP = 64 * 1024
KDF_ROUNDS = 24   # what ssh-keygen takes since OpenSSH 9.4
PEM_BEGIN, PEM_END = "-----BEGIN OPENSSH PRIVATE KEY-----", "-----END OPENSSH PRIVATE KEY-----"
MAGIC = b"openssh-key-v1\0"

_P = 2**255 - 19
_D = -121665 * pow(121666, -1, _P) % _P
_Y_OF_ORDER_8 = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
# Each of these heights, with either sign, and their spellings above p: 14 encodings under which anybody can "sign" anything.
_SMALL_ORDER_Y = frozenset({0, 1, _P - 1, _Y_OF_ORDER_8, _P - _Y_OF_ORDER_8})


@lru_cache(maxsize=256)
def _why_refused(raw: bytes) -> str | None:
    """Why these 32 bytes are no key to trust, as a reason word, or None."""
    if len(raw) != 32:
        return "length"
    y = int.from_bytes(raw, "little") & ((1 << 255) - 1)
    if y % _P in _SMALL_ORDER_Y:
        return "small-order"
    if y >= _P:
        return "not-canonical"
    x_squared = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    return None if pow(x_squared, (_P - 1) // 2, _P) == 1 else "not-on-curve"


@dataclass(frozen=True, slots=True)
class PublicKey:
    """An ed25519 public key, checked when made.

    ``raw`` is its 32 bytes. Raises Unreadable ``bad-key`` (reason ``length``, ``small-order``, ``not-canonical``, ``not-on-curve``).
    """

    raw: bytes

    def __post_init__(self) -> None:
        if reason := _why_refused(self.raw):
            raise refusal("bad-key", reason=reason)

    @property
    def blob(self) -> bytes:
        """The key as SSH sends it: type and key, each with its length."""
        return joined(KEY_TYPE, self.raw)

    def line(self) -> str:
        """``ssh-ed25519 AAAA…``, without a comment."""
        return f"{KEY_TYPE} {b64(self.blob)}"

    def fingerprint(self) -> str:
        """``SHA256:…`` as ``ssh-keygen -l`` prints it."""
        return "SHA256:" + b64(sha256(self.blob)).rstrip("=")

    def verifies(self, signature: bytes, message: bytes) -> bool:
        """Whether ``signature`` (64 bytes, RFC 8032) is this key's over ``message``."""
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except Exception:   # a malformed signature and a wrong one are the same to us
            return False
        return True

    @classmethod
    def from_blob(cls, blob: bytes) -> "PublicKey":
        """The key of an SSH wire blob. Raises Unreadable ``bad-key``."""
        head = joined(KEY_TYPE) + (32).to_bytes(4, "big")
        if not blob.startswith(head) or len(blob) != len(head) + 32:
            raise refusal("bad-key", reason="type" if not blob.startswith(joined(KEY_TYPE)) else "length")
        return cls(blob[len(head):])

    @classmethod
    def parse(cls, line: str) -> "PublicKey":
        """The key of a ``.pub`` line; a comment after it is dropped.

        Raises Unreadable ``bad-key`` with a reason: ``form`` (not one such line), ``private`` (somebody pasted the secret half),
        ``type`` (facts ``found``), ``base64``, or one of those of the class.
        """
        if "PRIVATE KEY" in line:
            raise refusal("bad-key", reason="private")
        words = line.split(None, 2)
        if len(line) > LINE_CAP or len(words) < 2 or len(line.strip().splitlines()) != 1:
            raise refusal("bad-key", reason="form")
        if words[0] != KEY_TYPE:
            raise refusal("bad-key", reason="type", found=words[0][:80], allowed=[KEY_TYPE])
        try:
            blob = unb64(words[1])
        except ValueError:
            raise refusal("bad-key", reason="base64") from None
        return cls.from_blob(blob)


@dataclass(frozen=True, slots=True)
class PrivateKey:
    """An ed25519 private key, by its 32-byte seed."""

    seed: bytes = field(repr=False)
    public: PublicKey = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "public", PublicKey(Ed25519PrivateKey.from_private_bytes(self.seed).public_key().public_bytes_raw()))

    @classmethod
    def from_seed(cls, seed: bytes) -> "PrivateKey":
        """The key of a 32-byte seed (RFC 8032). Raises ValueError for another length."""
        return cls(seed)

    def sign(self, message: bytes) -> bytes:
        """The plain 64-byte signature over ``message``."""
        return Ed25519PrivateKey.from_private_bytes(self.seed).sign(message)

    def openssh(self, passphrase: str | None = None, comment: str = "") -> bytes:
        """The private key file ``ssh-keygen`` would write, ASCII, LF.

        Raises Unreadable ``passphrase-unsupported`` where the ``bcrypt`` package is not installed.
        """
        check = sha256(b"check" + self.seed)[:4]
        inner = check + check + joined(KEY_TYPE, self.public.raw, self.seed + self.public.raw, comment)
        block = 16 if passphrase else 8
        inner += bytes(range(1, block - len(inner) % block + 1)) if len(inner) % block else b""
        cipher, kdf, options = ("none", "none", b"")
        if passphrase:
            salt = secrets.token_bytes(16)
            cipher, kdf, options = ("aes256-ctr", "bcrypt", joined(salt) + KDF_ROUNDS.to_bytes(4, "big"))
            inner = _encrypt(inner, passphrase, salt)
        data = MAGIC + joined(cipher, kdf, options) + (1).to_bytes(4, "big") + joined(self.public.blob, inner)
        return "\n".join([PEM_BEGIN, *textwrap.wrap(b64(data), 70), PEM_END, ""]).encode("ascii")


def _encrypt(inner: bytes, passphrase: str, salt: bytes) -> bytes:
    try:
        bcrypt = import_module("bcrypt")   # an extra of cryptography's, with which it reads such files too
    except ImportError:
        raise refusal("passphrase-unsupported") from None
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    stream = bcrypt.kdf(passphrase.encode(), salt, 48, KDF_ROUNDS, ignore_few_rounds=True)
    encryptor = Cipher(algorithms.AES256(stream[:32]), modes.CTR(stream[32:])).encryptor()
    return encryptor.update(inner) + encryptor.finalize()


def generate() -> PrivateKey:
    """A new key from the system's randomness."""
    return PrivateKey(secrets.token_bytes(32))


def load_private(path: Path, ask_passphrase: Callable[[], str] | None = None) -> PrivateKey:
    """The key in an OpenSSH private key file; ``ask_passphrase`` is called once, only where the file is protected.

    Raises Unreadable, ``at`` the path: ``key-file-missing``, ``key-file-unreadable``, ``not-a-private-key`` (fact ``found``),
    ``key-not-ed25519`` (fact ``found``), ``passphrase-needed`` (nobody to ask), ``passphrase-wrong``, ``passphrase-unsupported``.
    """
    at = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(FILE_CAP + 1)
    except FileNotFoundError:
        raise refusal("key-file-missing", at) from None
    except OSError as fault:
        raise refusal("key-file-unreadable", at, reason=fault.strerror or "") from None
    return read_private(data, ask_passphrase, at)


def read_private(data: bytes, ask_passphrase: Callable[[], str] | None = None, at: str = "") -> PrivateKey:
    """As ``load_private``, from the file's bytes."""
    cipher, kind = _look_inside(data, at)
    if kind != KEY_TYPE:
        raise refusal("key-not-ed25519", at, found=kind, allowed=[KEY_TYPE])
    passphrase = None
    if cipher != "none":
        if ask_passphrase is None:
            raise refusal("passphrase-needed", at)
        passphrase = ask_passphrase().encode() or b"\0"   # an empty answer is a wrong one, not "no passphrase"
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_ssh_private_key

    try:
        key = load_ssh_private_key(data, passphrase)
    except (ValueError, TypeError, UnsupportedAlgorithm) as fault:
        if not passphrase:
            raise refusal("not-a-private-key", at, found="damaged") from None
        raise refusal("passphrase-unsupported" if isinstance(fault, UnsupportedAlgorithm) else "passphrase-wrong", at) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise refusal("not-a-private-key", at, found="damaged")
    return PrivateKey(key.private_bytes_raw())


def _look_inside(data: bytes, at: str) -> tuple[str, str]:
    """Cipher and key type of an OpenSSH private key file, both readable without the passphrase."""
    text = data.decode("ascii", "replace") if len(data) <= FILE_CAP else ""
    begin, end = text.find(PEM_BEGIN), text.find(PEM_END)
    if begin < 0 or end < begin:
        raise refusal("not-a-private-key", at, found=_what_it_is(text))
    try:
        body = base64.b64decode("".join(text[begin + len(PEM_BEGIN):end].split()), validate=True)
        if not body.startswith(MAGIC):
            raise ValueError
        cipher, rest = take(body[len(MAGIC):])
        _, rest = take(rest)
        _, rest = take(rest)
        kind, _ = take(take(rest[4:])[0])
        return cipher.decode("ascii"), kind.decode("ascii")
    except (binascii.Error, ValueError):
        raise refusal("not-a-private-key", at, found="damaged") from None


def _what_it_is(text: str) -> str:
    if text.lstrip().startswith(("ssh-", "ecdsa-", "sk-")):
        return "public-key"
    if "PuTTY-User-Key-File" in text:
        return "putty"
    return "pem" if "PRIVATE KEY-----" in text else "other"


def write_new(path: Path, data: bytes, private: bool = True) -> None:
    """Write a file that must not exist yet; a private one is readable by its owner alone where the system has such modes.

    Raises Unreadable ``file-exists`` or ``file-not-written`` (fact ``reason``), ``at`` the path. A file half written is removed.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags, 0o600 if private else 0o644)
    except FileExistsError:
        raise refusal("file-exists", str(path)) from None
    except OSError as fault:
        raise refusal("file-not-written", str(path), reason=fault.strerror or "") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as fault:
        with contextlib.suppress(OSError):
            path.unlink()
        raise refusal("file-not-written", str(path), reason=fault.strerror or "") from None
