"""The one secret: what is derived from it, how it is written down, where it comes from, and that it never shows."""

from __future__ import annotations

import hashlib
import stat
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given
from hypothesis import strategies as st

from pbem.campaign import secret
from pbem.campaign.audit import audit
from pbem.campaign.folder import CampaignError, Folder
from pbem.campaign.secret import Secret

from ..helpers import RAW_SECRET, Campaign, environment, fixed, joined_campaign

RAW, ID = bytes(range(32)), bytes(range(100, 116))


def hkdf(*fields: str) -> bytes:
    """What the protocol says, by another implementation: HKDF-SHA256, empty salt, info = the fields, each behind its length."""
    parts = [b"pbem/1", fields[0].encode(), ID, *(field.encode() for field in fields[1:])]
    info = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return HKDF(SHA256(), 32, None, info).derive(RAW)


def test_everything_is_derived_as_the_protocol_says() -> None:
    derived = Secret(RAW, ID)
    assert derived.signing_key.seed == hkdf("signing")
    assert derived.signing_key.public.raw == Ed25519PrivateKey.from_private_bytes(hkdf("signing")).public_key().public_bytes_raw()
    assert derived.beacon_seed == hkdf("beacon")
    assert derived.private == hkdf("private")
    assert derived.phase("2.return", 7) == hkdf("phase", "2.return", "7")
    assert derived.invite("an") == hkdf("invite", "an", "1")[:16]
    assert derived.invite("an", 2) == hkdf("invite", "an", "2")[:16]


def test_fixed_values() -> None:
    """Were one of these to change, every campaign in the world would break."""
    derived = Secret(RAW, ID)
    assert derived.beacon_seed.hex() == "63affd3ededfe220d5909e85d645c381ffde725eb4e5ff7dbedf614ab2da1f79"
    assert derived.phase("2.return", 7).hex() == "cb061c56b06b12048e1bb4c324e64efba64a8790356faaef4e330f3ae5deb06f"
    assert derived.invite("an").hex() == "facc6eae9ec4bc03355dd7ac3a84f0d3"


def test_two_campaigns_of_one_secret_share_nothing() -> None:
    one, two = Secret(RAW, ID), Secret(RAW, bytes(16))
    assert one.signing_key.seed != two.signing_key.seed
    assert one.beacon_seed != two.beacon_seed
    assert one.invite("an") != two.invite("an")


# -- words -------------------------------------------------------------------------------------------------------------


@given(st.binary(min_size=32, max_size=32))
def test_words_round_trip(raw: bytes) -> None:
    written = secret.words(raw)
    assert len(written) == 17
    assert secret.parse(" ".join(written)) == raw
    assert secret.parse("\n".join(word.upper() + "," for word in written)) == raw
    assert secret.parse(raw.hex()) == secret.parse(raw.hex().upper()) == raw


@given(st.binary(min_size=32, max_size=32), st.integers(0, 16), st.integers(0, 16))
def test_the_check_word_finds_words_exchanged(raw: bytes, one: int, other: int) -> None:
    written = secret.words(raw)
    written[one], written[other] = written[other], written[one]
    if written == secret.words(raw):
        assert secret.parse(" ".join(written)) == raw
        return
    with pytest.raises(CampaignError) as caught:
        secret.parse(" ".join(written))
    assert caught.value.code == "bad-secret"


def test_words_are_proquints_of_the_secret_and_a_check() -> None:
    """As in the paper by D. S. Wilkerson: consonant, vowel, consonant, vowel, consonant for 16 bits."""
    written = secret.words(bytes.fromhex("7f000001" + "0" * 56))
    assert written[:2] == ["lusab", "babad"]
    check = hashlib.sha256(bytes.fromhex("7f000001" + "0" * 56)).digest()[:2]
    assert secret.words(check + bytes(30))[0] == written[16]


@pytest.mark.parametrize("written", [
    "", "lusab", "00" * 31, "zz" * 32, " ".join(["lusab"] * 17), " ".join(["lusab"] * 16), " ".join(["lusax"] * 17), "é" * 64,
    "a" * 100_000,
])  # fmt: skip
def test_what_is_no_secret_is_refused_and_not_repeated(written: str) -> None:
    with pytest.raises(CampaignError) as caught:
        secret.parse(written)
    assert caught.value.code == "bad-secret"
    assert caught.value.facts == {}
    assert len(written) < 5 or written not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "code", "facts"),
    [
        (lambda words: words[:-1], "sheet-count", {"found": 16}),
        (lambda words: [], "sheet-count", {"found": 0}),
        (lambda words: [*words[:4], "winter", *words[5:]], "sheet-word", {"number": 5}),
        (lambda words: [words[1], words[0], *words[2:]], "sheet-check", {}),
        (lambda words: ["lusab", *words[1:]], "sheet-check", {}),
    ],
)
def test_what_is_wrong_with_the_words_of_a_sheet(change: Callable[[list[str]], list[str]], code: str, facts: dict[str, int]) -> None:
    with pytest.raises(CampaignError) as caught:
        secret.parse_sheet(" ".join(change(secret.words(bytes(range(32))))))
    assert (caught.value.code, caught.value.facts) == (code, facts)


# -- where it comes from -----------------------------------------------------------------------------------------------


def test_a_campaign_has_its_own_secret_in_a_file_for_its_owner_only(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    secret.keep(folder, RAW)
    assert secret.load(folder, ID) == Secret(RAW, ID)
    if sys.platform != "win32":
        assert stat.S_IMODE(folder.secret.stat().st_mode) == 0o600


def test_without_one_there_is_none(tmp_path: Path) -> None:
    assert secret.load(Folder(tmp_path), ID) is None


def test_the_environment_wins(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    secret.keep(folder, RAW)
    with environment("PBEM_SECRET", " ".join(secret.words(fixed("another")))):
        assert secret.load(folder, ID) == Secret(fixed("another"), ID)
    with environment("PBEM_SECRET", "  "):
        assert secret.load(folder, ID) == Secret(RAW, ID)


@pytest.mark.parametrize("content", [
    b"", b"secret = 1\n", b'secret = "ab"\n', b"\xff\xfe", b"other = 1\n", b"[secret]\n", b'secret = ["a"]\n',
])  # fmt: skip
def test_a_damaged_secret_file_is_said_to_be_one(tmp_path: Path, content: bytes) -> None:
    folder = Folder(tmp_path)
    folder.private.mkdir()
    folder.secret.write_bytes(content)
    with pytest.raises(CampaignError) as caught:
        secret.load(folder, ID)
    assert caught.value.code == "bad-secret"


def test_with_the_environment_set_everything_works_without_a_file(tmp_path: Path) -> None:
    raw = fixed("the secret of a whole repository")
    campaign = joined_campaign(tmp_path)
    campaign.folder.secret.unlink()
    with environment("PBEM_SECRET", RAW_SECRET.hex()):
        assert campaign.file("an", "0.prince", [{"do": "prince", "district": "yunnan-b"}]).receipt.accepted
        assert len(campaign.process().entries) == 1
    assert audit(campaign.folder).fault is None
    with environment("PBEM_SECRET", raw.hex()), pytest.raises(CampaignError) as caught:
        campaign.process()
    assert caught.value.code == "wrong-secret"


def test_another_campaigns_secret_is_refused_before_anything_is_written(campaign: Campaign) -> None:
    before = {path: path.read_bytes() for path in campaign.folder.root.rglob("*") if path.is_file() and path.name != "lock"}
    data = campaign.signed("an", "0.prince", [{"do": "prince", "district": "yunnan-b"}])
    secret.keep(campaign.folder, fixed("another"))
    for work in (lambda: campaign.receive(data), lambda: campaign.process(close="0.prince")):
        with pytest.raises(CampaignError) as caught:
            work()
        assert caught.value.code == "wrong-secret"
    secret.keep(campaign.folder, RAW_SECRET)
    assert {path: path.read_bytes() for path in campaign.folder.root.rglob("*") if path.is_file() and path.name != "lock"} == before


# -- that it never shows -----------------------------------------------------------------------------------------------


def test_it_is_in_no_representation_and_no_traceback() -> None:
    held = Secret(RAW, ID)
    shown = [repr(held), str(held), repr(held.signing_key), f"{held}"]
    try:
        held.derive("x", True)
    except TypeError:
        shown.append(traceback.format_exc())
    assert len(shown) == 5
    for text in shown:
        assert RAW.hex() not in text
        assert repr(RAW) not in text
        assert repr(held.signing_key.seed) not in text
