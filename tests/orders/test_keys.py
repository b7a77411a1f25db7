import os
import stat
import sys

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as generate_ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.orders import keys
from pbem.orders.encoding import b64, joined
from pbem.orders.findings import Unreadable
from pbem.orders.keys import PrivateKey, PublicKey, generate, load_private, read_private, write_new

from .ssh import AN, key_file, needs_bcrypt, ssh_keygen

P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P


def refused(call, *arguments):
    with pytest.raises(Unreadable) as caught:
        call(*arguments)
    [finding] = caught.value.findings
    return finding


def add(one, other):
    """Edwards addition of RFC 8032, affine."""
    (x1, y1), (x2, y2) = one, other
    k = D * x1 * x2 * y1 * y2 % P
    return (x1 * y2 + x2 * y1) * pow(1 + k, -1, P) % P, (y1 * y2 + x1 * x2) * pow(1 - k, -1, P) % P


def small_order_encodings():
    """All spellings of the eight points of order 1, 2, 4 and 8, found by multiplying points of the curve by the large prime order."""
    order, y = 2**252 + 27742317777372353535851937790883648493, 2
    while True:
        x2 = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
        x = pow(x2, (P + 3) // 8, P)
        if x * x % P != x2:
            x = x * pow(2, (P - 1) // 4, P) % P
        y += 1
        if x * x % P != x2:
            continue
        point, power, bits = (0, 1), (x, y - 1), order
        while bits:
            point = add(point, power) if bits & 1 else point
            power, bits = add(power, power), bits >> 1
        torsion, each = {(0, 1)}, point
        while each not in torsion:
            torsion.add(each)
            each = add(each, point)
        if len(torsion) == 8:
            break
    spellings = set()
    for _, height in torsion:
        for value in (height, height + P):
            if value < 2**255:
                spellings |= {value.to_bytes(32, "little"), (value | 1 << 255).to_bytes(32, "little")}
    return spellings


def test_the_fourteen_small_order_encodings_are_refused():
    encodings = small_order_encodings()
    assert len(encodings) == 14
    for raw in encodings:
        finding = refused(PublicKey, raw)
        assert (finding.code, finding.facts["reason"]) == ("bad-key", "small-order")


def test_heights_above_the_prime_are_refused():
    for extra in range(2, 19):
        assert refused(PublicKey, (P + extra).to_bytes(32, "little")).facts["reason"] == "not-canonical"


def test_a_height_of_no_point_is_refused():
    assert refused(PublicKey, (2).to_bytes(32, "little")).facts["reason"] == "not-on-curve"


@given(st.binary(min_size=32, max_size=32))
@settings(max_examples=30)
def test_every_real_key_is_taken(seed):
    public = PrivateKey.from_seed(seed).public
    assert PublicKey.parse(public.line() + " comment of any kind") == public
    assert PublicKey.parse(f"  {public.line()}\r\n") == public


@pytest.mark.parametrize(("line", "reason"), [
    ("", "form"),
    ("ssh-ed25519", "form"),
    ("x" * 2000, "form"),
    (AN.public.line() + "\n" + AN.public.line(), "form"),
    ("ssh-rsa AAAA", "type"),
    ("sk-ssh-ed25519@openssh.com AAAA", "type"),
    ("ssh-ed25519-cert-v01@openssh.com AAAA", "type"),
    ('command="x" ' + AN.public.line(), "type"),
    ("ssh-ed25519 AAA", "base64"),
    ("ssh-ed25519 " + b64(AN.public.blob + b"\0"), "length"),
    ("ssh-ed25519 " + b64(joined("ssh-ed25519", AN.public.raw[:31])), "length"),
    ("ssh-ed25519 " + b64(joined("ssh-rsa", AN.public.raw)), "type"),
    ("-----BEGIN OPENSSH PRIVATE KEY----- AAAA", "private"),
])
def test_other_lines_are_refused(line, reason):
    finding = refused(PublicKey.parse, line)
    assert (finding.code, finding.facts["reason"]) == ("bad-key", reason)


def test_ssh_keygen_reads_our_file_and_agrees_on_key_and_fingerprint(tmp_path):
    path = key_file(tmp_path, AN)
    assert ssh_keygen("-y", "-f", path).stdout.decode().split()[:2] == AN.public.line().split()
    assert AN.public.fingerprint() in ssh_keygen("-l", "-f", path).stdout.decode().split()


def test_we_read_the_file_of_ssh_keygen(tmp_path):
    ssh_keygen("-q", "-t", "ed25519", "-N", "", "-C", "bo", "-f", tmp_path / "id")
    key = load_private(tmp_path / "id", None)
    assert key.public == PublicKey.parse((tmp_path / "id.pub").read_text())


def test_protected_files_go_both_ways(tmp_path):
    needs_bcrypt()
    ssh_keygen("-q", "-t", "ed25519", "-N", "three cards", "-f", tmp_path / "id")
    key = load_private(tmp_path / "id", lambda: "three cards")
    assert key.public == PublicKey.parse((tmp_path / "id.pub").read_text())
    assert refused(load_private, tmp_path / "id", lambda: "four cards").code == "passphrase-wrong"
    assert refused(load_private, tmp_path / "id", lambda: "").code == "passphrase-wrong"

    path = tmp_path / "ours"
    write_new(path, AN.openssh("döner", "an"))
    assert load_private(path, lambda: "döner") == AN
    assert ssh_keygen("-y", "-P", "döner", "-f", path).stdout.decode().split()[:2] == AN.public.line().split()


def test_a_protected_file_says_what_is_missing(tmp_path, monkeypatch):
    ssh_keygen("-q", "-t", "ed25519", "-N", "three cards", "-f", tmp_path / "id")
    assert refused(load_private, tmp_path / "id", None).code == "passphrase-needed"
    monkeypatch.setitem(sys.modules, "bcrypt", None)
    assert refused(AN.openssh, "three cards").code == "passphrase-unsupported"


def test_other_files_are_refused_each_with_its_reason(tmp_path):
    assert refused(load_private, tmp_path / "none").code == "key-file-missing"
    assert refused(load_private, tmp_path).code == "key-file-unreadable"
    ec = generate_ec(SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    assert refused(read_private, ec).facts["found"] == "ecdsa-sha2-nistp256"
    pem = generate_ec(SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    ours = AN.openssh()
    for data, found in [
        (pem, "pem"), (AN.public.line().encode(), "public-key"), (b"PuTTY-User-Key-File-3: x", "putty"), (b"\xff\0", "other"),
        (b"x" * 100_000, "other"), (ours.replace(b"\nb3", b"\n*3"), "damaged"), (ours[:90] + ours[-37:], "damaged"),
    ]:
        finding = refused(read_private, data)
        assert (finding.code, finding.facts["found"]) == ("not-a-private-key", found)


@given(st.integers(0, 380), st.integers(0, 255))
@settings(max_examples=60)
def test_a_damaged_file_is_refused_or_still_a_key(position, byte):
    data = bytearray(AN.openssh())
    data[position % len(data)] = byte
    try:
        assert len(read_private(bytes(data)).seed) == 32
    except Unreadable as refusal:
        assert refusal.findings[0].code in {"not-a-private-key", "key-not-ed25519", "passphrase-needed"}


def test_the_secret_half_does_not_show():
    assert AN.seed.hex() not in repr(AN)
    assert repr(AN.seed) not in repr(AN)


def test_two_new_keys_differ():
    assert generate() != generate()


def test_a_key_file_is_private_and_never_overwritten(tmp_path):
    path = tmp_path / "key"
    write_new(path, b"first")
    assert refused(write_new, path, b"second").code == "file-exists"
    assert path.read_bytes() == b"first"
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert refused(write_new, tmp_path / "no" / "key", b"").code == "file-not-written"


def test_a_file_half_written_is_removed(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")
    monkeypatch.setattr(keys.os, "fsync", full)
    assert refused(write_new, tmp_path / "key", b"first").code == "file-not-written"
    assert not (tmp_path / "key").exists()
