import base64

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given
from hypothesis import strategies as st

from pbem.orders.encoding import b64, derive, joined, take, unb64

fields = st.lists(st.one_of(st.text(max_size=8), st.binary(max_size=8), st.integers()), max_size=5)


def test_each_field_carries_its_length():
    assert joined("an", 12, b"\x00") == b"\0\0\0\x02an\0\0\0\x0212\0\0\0\x01\0"


@given(st.lists(st.binary(max_size=8), max_size=5))
def test_joined_fields_come_apart_again(parts):
    rest, found = joined(*parts), []
    while rest:
        part, rest = take(rest)
        found.append(part)
    assert found == parts


@pytest.mark.parametrize("cut", [b"", b"\0\0\0", b"\0\0\0\x02a", b"\xff\xff\xff\xffaaaa"])
def test_a_field_cut_short_is_refused(cut):
    with pytest.raises(ValueError, match="short"):
        take(cut)


def test_only_texts_numbers_and_bytes_are_fields():
    with pytest.raises(TypeError):
        joined(True)
    with pytest.raises(TypeError):
        joined(1.5)  # type: ignore[arg-type]


@given(st.binary(min_size=1, max_size=64), st.text(max_size=8), fields)
def test_derive_is_hkdf(secret, purpose, rest):
    expected = HKDF(SHA256(), 32, salt=b"", info=joined("pbem/1", purpose, *rest)).derive(secret)
    assert derive(secret, purpose, *rest) == expected


@given(st.binary(max_size=100))
def test_base64_round_trip(data):
    assert unb64(b64(data)) == data


@given(st.text(alphabet="AQg/+-_= \n", max_size=9))
def test_one_value_has_one_spelling(text):
    try:
        data = unb64(text)
    except ValueError:
        return
    assert base64.b64encode(data).decode() == text


@pytest.mark.parametrize("text", ["QQ", "QQ=", "QR==", "QQ==\n", " QQ==", "QQ==QQ==", "-_8=", "ÄA=="])
def test_other_spellings_are_refused(text):
    with pytest.raises(ValueError, match="base64"):
        unb64(text)
