import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.orders.encoding import b64, joined, sha256
from pbem.orders.findings import Unreadable
from pbem.orders.seal import (
    OVERHEAD,
    SIZES,
    Sealed,
    check_seal_to,
    commitment,
    letter_info,
    make_plain,
    make_seal_to,
    open_box,
    open_letter,
    padded,
    phase_public,
    read_plain,
    seal,
    seal_info,
    seal_letter,
)

from .ssh import AN, BO
from .words import TYPES, Rest

SECRET, ID = bytes([5] * 32), bytes(range(16))
PUBLIC = phase_public(SECRET)
INFO = seal_info(ID, "an", AN.public.fingerprint(), "3.return", 1)
SUITE = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)


def refused(call, *arguments):
    with pytest.raises(Unreadable) as caught:
        call(*arguments)
    return caught.value.findings[0]


def sealed_raw(text, committed_to=None, info=INFO):
    """A box made by hand around exactly these bytes."""
    box = b64(SUITE.encrypt(text, X25519PrivateKey.from_private_bytes(SECRET).public_key(), info))
    return Sealed(commitment(info, text if committed_to is None else committed_to), tuple(box[at:at + 76] for at in range(0, len(box), 76)))


@given(st.binary(max_size=3000).filter(lambda plain: b"\0" not in plain))
@settings(max_examples=30)
def test_what_is_sealed_opens(plain):
    assert open_box(seal(plain, PUBLIC, INFO), SECRET, INFO) == plain


@pytest.mark.parametrize(("size", "box"), [(0, 2048), (1, 2048), (2048, 2048), (2049, 8192), (8192, 8192), (8193, 20480), (20480, 20480)])
def test_a_box_tells_one_of_three_sizes(size, box):
    sealed = seal(b"x" * size, PUBLIC, INFO)
    assert len(sealed.ciphertext) - OVERHEAD == box
    assert open_box(sealed, SECRET, INFO) == b"x" * size
    assert Sealed.from_table(sealed.table()) == sealed


def test_what_does_not_fit_is_refused():
    assert refused(seal, b"x" * 20481, PUBLIC, INFO).code == "too-large"
    assert refused(seal, b"x\0y", PUBLIC, INFO).code == "bad-padding"
    assert refused(seal, b"x", bytes(32), INFO).code == "bad-key"
    assert refused(seal, b"x", bytes(31), INFO).code == "bad-key"


def test_two_boxes_of_the_same_text_differ():
    assert seal(b"x", PUBLIC, INFO).box != seal(b"x", PUBLIC, INFO).box


@pytest.mark.parametrize("other", [
    seal_info(bytes(16), "an", AN.public.fingerprint(), "3.return", 1), seal_info(ID, "bo", AN.public.fingerprint(), "3.return", 1),
    seal_info(ID, "an", BO.public.fingerprint(), "3.return", 1), seal_info(ID, "an", AN.public.fingerprint(), "4.return", 1),
    seal_info(ID, "an", AN.public.fingerprint(), "3.return", 2), letter_info(ID, "an", "3.return"), b"",
], ids=["campaign", "seat", "key", "phase", "revision", "letter", "none"])
def test_a_copied_box_opens_for_nobody_else(other):
    assert refused(open_box, seal(b"x", PUBLIC, INFO), SECRET, other).code == "box-does-not-open"


def test_another_phases_secret_opens_nothing():
    assert refused(open_box, seal(b"x", PUBLIC, INFO), bytes([6] * 32), INFO).code == "box-does-not-open"


@given(st.data())
@settings(max_examples=40)
def test_no_changed_byte_opens(data):
    box = bytearray(seal(b"x", PUBLIC, INFO).ciphertext)
    box[data.draw(st.integers(0, len(box) - 1))] ^= data.draw(st.integers(1, 127))   # not the top bit: X25519 ignores that of its last byte
    assert refused(open_box, Sealed("0" * 64, (b64(bytes(box)),)), SECRET, INFO).code == "box-does-not-open"


def test_what_was_committed_to_is_what_must_be_inside():
    # A box that opens, to another text than the signed commitment: AES-GCM itself would not notice.
    assert refused(open_box, sealed_raw(padded(b"bid = 9"), padded(b"bid = 1")), SECRET, INFO).code == "commitment-mismatch"
    good = seal(b"x", PUBLIC, INFO)
    assert refused(open_box, Sealed(good.commitment[:-1] + ("0" if good.commitment[-1] != "0" else "1"), good.box), SECRET, INFO).code \
        == "commitment-mismatch"
    assert good.commitment == sha256(joined("pbem/1 commitment", INFO, b"x" + bytes(2047))).hex()


@pytest.mark.parametrize("text", [b"x\0y".ljust(2048, b"\0"), bytes(2047) + b"x", b"x" + bytes(2046), b"x" + bytes(8191), b""])
def test_padding_holds_nothing(text):
    assert refused(open_box, sealed_raw(text), SECRET, INFO).code == "bad-padding"


def test_a_sealed_table_is_read_strictly():
    good = seal(b"x", PUBLIC, INFO)

    def reason(**changes):
        return refused(Sealed.from_table, good.table() | changes).facts["reason"]
    assert reason(extra=1) == "form"
    assert reason(box="x") == "form"
    assert reason(box=[1]) == "form"
    assert reason(box=[""]) == "form"
    assert reason(box=["".join(good.box)]) == "form"
    assert reason(box=[*good.box, "AA=="]) == "base64"
    assert reason(box=[good.box[0] + " ", *good.box[1:]]) == "form"
    assert reason(box=list(good.box[1:])) == "size"
    assert reason(box=[]) == "size"
    assert reason(commitment=good.commitment.upper() + "0") == "commitment"
    assert reason(commitment=1) == "commitment"
    assert refused(Sealed.from_table, {"box": []}).facts["reason"] == "form"


def test_a_box_that_is_no_base64_does_not_open():
    assert refused(open_box, Sealed("0" * 64, ("?",)), SECRET, INFO).code == "box-does-not-open"
    assert refused(open_box, Sealed("0" * 64, ()), SECRET, INFO).code == "box-does-not-open"


def test_the_plain_text_reads_back():
    plain = make_plain([{"do": "rest", "watch": ["a"]}], "pass", bytes(32))
    plans, then = read_plain(plain, TYPES)
    assert ([plan.orders for plan in plans], plans[0].watch, then) == ([(Rest(),)], ("a",), "pass")
    assert make_plain([], "ask", bytes(32)) != make_plain([], "ask", bytes([1] * 32))


@pytest.mark.parametrize(("plain", "expected"), [
    (b"then = 'x'\norders = [{do = 'rset'}]\nmore = 1", [("unknown-key", "more"), ("bad-form", "nonce"), ("unknown-word", "then"),
                                                        ("unknown-order", "orders[0].do")]),
    (b"nonce = 'AA=='\n", [("bad-form", "nonce"), ("missing-key", "orders")]),
    (b"\xff", [("not-utf8", "line 1, column 1")]),
])
def test_what_is_wrong_inside_a_box(plain, expected):
    with pytest.raises(Unreadable) as caught:
        read_plain(plain, TYPES)
    assert [(finding.code, finding.at) for finding in caught.value.findings] == expected


@given(st.binary(max_size=5000).filter(lambda plain: b"\0" not in plain))
@settings(max_examples=20)
def test_letters_open_for_their_reader_alone(plain):
    info = letter_info(ID, "an", "e0007.toml")
    box = seal_letter(plain, PUBLIC, info)
    assert (len(box) - OVERHEAD) % 2048 == 0
    assert open_letter(box, SECRET, info) == plain
    others = letter_info(ID, "an", "e0008.toml"), letter_info(ID, "bo", "e0007.toml")
    for secret, other in ((bytes([6] * 32), info), *((SECRET, each) for each in others)):
        assert refused(open_letter, box, secret, other).code == "letter-does-not-open"
    assert refused(open_letter, box[:-1], SECRET, info).code == "letter-does-not-open"
    assert refused(open_letter, b"", SECRET, info).code == "letter-does-not-open"


def test_letters_hold_no_zero_bytes():
    info = letter_info(ID, "an", "e0007.toml")
    assert refused(seal_letter, b"a\0b", PUBLIC, info).code == "bad-padding"
    public = X25519PrivateKey.from_private_bytes(SECRET).public_key()
    for text in (b"a\0b".ljust(2048, b"\0"), b"a", bytes(2048)):
        assert refused(open_letter, SUITE.encrypt(text, public, info), SECRET, info).code == "bad-padding"


LINE = make_seal_to(BO, ID, "3.return", 7, PUBLIC)


def test_a_seal_line_is_the_processors():
    assert check_seal_to(LINE, "3.return", BO.public) == (ID, 7, PUBLIC)
    assert len(LINE) < 500
    assert refused(check_seal_to, LINE, "3.return", AN.public).facts["reason"] == "signer"
    assert refused(check_seal_to, LINE, "4.return", BO.public).facts["reason"] == "does-not-verify"


@pytest.mark.parametrize(("index", "word", "reason"), [
    (0, bytes(16).hex(), "does-not-verify"), (0, ID.hex().upper(), "form"), (0, ID.hex()[:-2], "form"), (0, "x" * 32, "form"),
    (1, "8", "does-not-verify"), (1, "07", "form"), (1, "-7", "form"), (1, "٧", "form"), (1, "", "form"), (1, "9" * 5000, "form"),
    (2, b64(bytes(32)), "does-not-verify"), (2, b64(bytes(31)), "form"), (2, "x", "form"),
    (3, "AAAA", "form"), (3, "x", "form"), (3, "", "form"),
])
def test_a_changed_seal_line_is_refused(index, word, reason):
    words = LINE.split(" ")
    words[index] = word
    finding = refused(check_seal_to, " ".join(words), "3.return", BO.public)
    assert (finding.code, finding.at, finding.facts["reason"]) == ("bad-seal-to", "seal_to", reason)


def test_another_number_of_words_is_refused():
    for line in ("", LINE + " x", LINE.replace(" ", "  "), " " + LINE):
        assert refused(check_seal_to, line, "3.return", BO.public).facts["reason"] == "form"


def test_the_largest_sealed_file_is_within_the_cap():
    from pbem.orders.signed import CAP, sign_file
    from pbem.orders.write import dump
    table = {"game": "x" * 40, "player": "x" * 40, "phase": "x" * 40, "revision": 999, "after": "999999999-" + "0" * 32, "note": "明" * 280,
             "sealed": seal(b"x" * SIZES[-1], PUBLIC, INFO).table()}
    assert len(sign_file(AN, "order@pbem", dump(table))) <= CAP
