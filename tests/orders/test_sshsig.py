import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.orders.encoding import b64, joined
from pbem.orders.findings import Unreadable
from pbem.orders.sshsig import BEGIN, END, sign, sign_blob, verify, verify_blob

from .ssh import AN, BO, key_file, ssh_keygen

MESSAGE = "game = \"winter-court\"\n# 明\n".encode()


def reason(block, namespace="order@pbem", message=MESSAGE):
    with pytest.raises(Unreadable) as caught:
        verify(block, namespace, message)
    [finding] = caught.value.findings
    assert finding.code == "bad-signature"
    return finding.facts["reason"]


def armoured(blob, width=70):
    text = b64(blob)
    return "\n".join([BEGIN, *(text[at:at + width] for at in range(0, len(text), width)), END, ""])


@given(st.binary(max_size=200))
@settings(max_examples=30)
def test_what_is_signed_verifies(message):
    assert verify(sign(AN, "order@pbem", message), "order@pbem", message) == AN.public


def test_ssh_keygen_makes_the_same_block(tmp_path):
    made = ssh_keygen("-Y", "sign", "-n", "order@pbem", "-f", key_file(tmp_path, AN), stdin=MESSAGE)
    assert made.stdout.decode() == sign(AN, "order@pbem", MESSAGE)
    assert verify(made.stdout.decode(), "order@pbem", MESSAGE) == AN.public


def test_ssh_keygen_takes_our_block(tmp_path):
    (tmp_path / "sig").write_text(sign(AN, "join@pbem", MESSAGE))
    (tmp_path / "allowed").write_text(f"an {AN.public.line()}\n")

    def check(namespace):
        arguments = ("-f", tmp_path / "allowed", "-I", "an", "-n", namespace, "-s", tmp_path / "sig")
        return ssh_keygen("-Y", "verify", *arguments, stdin=MESSAGE).returncode
    assert check("join@pbem") == 0
    assert check("order@pbem") != 0


@pytest.mark.parametrize("width", [1, 20, 64, 76, 1000])
def test_rewrapped_blocks_are_taken(width):
    assert verify(armoured(sign_blob(AN, "order@pbem", MESSAGE), width), "order@pbem", MESSAGE) == AN.public


def test_each_wrong_thing_has_its_reason():
    good = sign_blob(AN, "order@pbem", MESSAGE)
    assert reason(sign(AN, "join@pbem", MESSAGE)) == "namespace"
    assert reason(armoured(good), message=MESSAGE + b"\n") == "does-not-verify"
    assert reason(armoured(good.replace(b"sha512", b"sha256"))) == "hash"
    assert reason(armoured(good.replace(AN.public.raw, BO.public.raw))) == "does-not-verify"
    assert reason(armoured(good.replace(AN.public.raw, b"\x01" + bytes(31)))) == "key"
    assert reason(armoured(good.replace(b"ssh-ed25519", b"ssh-ed25510"))) in {"form", "key"}
    assert reason(armoured(good + b"\0")) == "form"
    assert reason(armoured(good[:-1])) == "form"
    assert reason(armoured(good.replace(joined("order@pbem", b""), joined("order@pbem", b"x")))) == "form"
    assert reason(armoured(good)[:-1] + "\n\n") == "form"
    assert reason("x" + armoured(good)) == "form"
    assert reason(armoured(good).replace("\n", " \n")) == "form"
    assert reason(armoured(good).replace("=", "") + "=") == "form"
    assert reason(armoured(good).replace("\nU1NI", "\nU1NI=")) == "base64"
    assert reason(armoured(good) * 2) == "form"
    assert reason("") == "form"
    assert reason(BEGIN + "\n" + "A" * 3000 + "\n" + END) == "form"


@given(st.data())
@settings(max_examples=60)
def test_no_changed_byte_verifies(data):
    blob = bytearray(sign_blob(AN, "order@pbem", MESSAGE))
    at = data.draw(st.integers(0, len(blob) - 1))
    blob[at] ^= data.draw(st.integers(1, 255))
    with pytest.raises(Unreadable):
        verify_blob(bytes(blob), "order@pbem", MESSAGE)
