import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.orders.encoding import b64
from pbem.orders.findings import Unreadable
from pbem.orders.join import invite_bytes, invite_text, make_join, proof, proves, read_join
from pbem.orders.keys import PrivateKey
from pbem.orders.signed import sign_file, split

from .ssh import AN, BO

ID, INVITE = bytes(range(16)), bytes(range(100, 116))


def joined_by(key: PrivateKey = AN, **changes):
    return make_join(key, **({"game": "winter-court", "campaign_id": ID, "seat": "an", "invite": INVITE, "letter_public": bytes(32),
                              "nonce": bytes([7] * 32), "name": "An  Ü", "language": "fr", "zone": "Europe/Paris"} | changes))


def findings(data):
    with pytest.raises(Unreadable) as caught:
        read_join(data)
    return [(finding.code, finding.at) for finding in caught.value.findings]


def changed(old, new, key=AN):
    return sign_file(key, "join@pbem", split(joined_by()).signed.replace(old, new))


def test_a_join_file_reads_back():
    join, signed, signer = read_join(joined_by())
    assert (join.game, join.id, join.seat, join.name) == ("winter-court", ID.hex(), "an", "An  Ü")
    assert (join.language, join.zone) == ("fr", "Europe/Paris")
    assert (join.key, join.letter_key, join.nonce) == (AN.public.line(), b64(bytes(32)), b64(bytes([7] * 32)))
    assert signer == AN.public
    assert signed == split(joined_by())
    assert proves(join, INVITE)


def test_without_a_name_the_seat_is_the_name():
    assert read_join(joined_by(name=""))[0].name == "an"


def test_a_copied_code_or_file_takes_no_seat():
    join = read_join(joined_by())[0]
    assert not proves(join, bytes(16))
    stolen = read_join(changed(AN.public.line().encode(), BO.public.line().encode(), BO))[0]
    assert not proves(stolen, INVITE)
    elsewhere = read_join(changed(ID.hex().encode(), bytes(16).hex().encode()))[0]
    assert not proves(elsewhere, INVITE)
    assert findings(changed(b"x", b"x", BO)) == [("signer-not-the-key", "key")]


def test_proofs_differ_with_each_input():
    inputs = [(INVITE, "SHA256:a", ID), (ID, "SHA256:a", ID), (INVITE, "SHA256:b", ID), (INVITE, "SHA256:a", INVITE)]
    assert len({proof(*each) for each in inputs}) == 4


@pytest.mark.parametrize(("old", "new", "expected"), [
    (b'game = "winter-court"', b'game = "Winter Court"', [("bad-form", "game")]),
    (b'seat = "an"', b'seat = 3', [("wrong-type", "seat")]),
    (b'seat = "an"\n', b'', [("missing-key", "seat")]),
    (b'"fr"', b'"french!"', [("bad-form", "language")]),
    (b'Europe/Paris', b'../../etc/passwd', [("bad-form", "zone")]),
    (b'An  ', b'x' * 40, [("wrong-length", "name")]),
    (b'An  ', b'An\\n', [("not-one-line", "name")]),
    (b'"An  ', b'" An ', [("bad-form", "name")]),
    (b'name =', b'nmae =', [("unknown-key", "nmae")]),
    (b'name =', b'mail =', [("unknown-key", "mail")]),
    (AN.public.line().encode(), AN.public.line().encode() + b" an@example.org", [("bad-key", "key")]),
    (AN.public.line().encode(), b"ssh-rsa AAAA", [("bad-key", "key")]),
    (b64(bytes([7] * 32)).encode(), b"BwcH", [("bad-form", "nonce")]),
    (b'proof = "', b'proof = "A', [("bad-form", "proof")]),
    (b'zone = "Europe/Paris"\n', b'zone = ""\nseat = "an"\n', [("key-twice", "line 7, column 1")]),
])
def test_each_fault_is_named(old, new, expected):
    assert findings(changed(old, new)) == expected


def test_all_faults_are_named_at_once():
    assert findings(sign_file(AN, "join@pbem", b"x = 1\n")) == [("unknown-key", "x")] + [
        ("missing-key", key) for key in ("game", "id", "seat", "language", "zone", "key", "letter_key", "nonce", "proof")]


def test_a_bad_join_file_is_not_made():
    with pytest.raises(Unreadable):
        joined_by(seat="An")


@given(st.binary(min_size=16, max_size=16))
def test_invites_read_back_as_people_type_them(invite):
    text = invite_text(invite)
    assert [len(group) for group in text.split("-")] == [4, 4, 4, 4, 4, 4, 2]
    assert text == text.lower()
    assert not set(text) & set("ilou")
    for typed in (text, text.upper(), text.replace("-", " "), f"  {text.replace('-', '')}\n", text.replace("0", "O").replace("1", "l"),
                  text.replace("1", "I").replace("-", "\u2013")):
        assert invite_bytes(typed) == invite


@pytest.mark.parametrize(("text", "reason"), [
    ("", "length"), ("0000-0000", "length"), ("0" * 27, "length"), ("0" * 25 + "u", "character"), ("0" * 25 + "!", "character"),
    ("0" * 25 + "1", "ending"), ("0" * 25 + "é", "character"),
])
def test_a_mistyped_invite_is_refused(text, reason):
    with pytest.raises(Unreadable) as caught:
        invite_bytes(text)
    assert (caught.value.findings[0].code, caught.value.findings[0].facts["reason"]) == ("bad-invite", reason)


def test_an_invite_has_sixteen_bytes():
    with pytest.raises(ValueError, match="16"):
        invite_text(bytes(15))
