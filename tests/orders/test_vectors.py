"""docs/test-vectors.md, every value of it computed anew."""

import re
import tomllib
from pathlib import Path

import pytest

from pbem.orders.armour import armour, find_armoured
from pbem.orders.encoding import derive, joined, sha256, unb64
from pbem.orders.findings import Unreadable
from pbem.orders.join import invite_bytes, invite_text, proof
from pbem.orders.keys import PrivateKey, PublicKey
from pbem.orders.seal import (
    Sealed,
    check_seal_to,
    commitment,
    letter_info,
    make_seal_to,
    open_box,
    open_letter,
    padded,
    phase_public,
    seal_info,
)
from pbem.orders.signed import sign_file
from pbem.orders.sshsig import sign, verify

from .test_keys import small_order_encodings

PAGE = (Path(__file__).parents[2] / "docs" / "test-vectors.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
VECTORS = tomllib.loads("\n".join(sorted(BLOCKS, key=lambda block: block.startswith("["))))   # loose values before the tables
hexed = bytes.fromhex


def fields(listed):
    return [hexed(each[4:]) if isinstance(each, str) and each.startswith("hex:") else each for each in listed]


def test_joined():
    assert len(VECTORS["joined"]) == 3
    for vector in VECTORS["joined"]:
        assert joined(*fields(vector["fields"])).hex() == vector["bytes"]


def test_derived():
    assert len(VECTORS["derive"]) == 2
    for vector in VECTORS["derive"]:
        assert derive(hexed(vector["secret"]), vector["purpose"], *fields(vector["fields"])).hex() == vector["bytes"]


def test_key_and_signature():
    vector = VECTORS["key"]
    key, message = PrivateKey.from_seed(hexed(vector["seed"])), vector["message"].encode()
    assert key.public.line() == vector["line"]
    assert key.public.fingerprint() == vector["fingerprint"]
    assert sign(key, vector["namespace"], message) == vector["signature"]
    assert verify(vector["signature"], vector["namespace"], message) == PublicKey.parse(vector["line"])
    assert sha256(message).hex() == vector["file_identity"]


def test_small_order():
    assert {hexed(each) for each in VECTORS["small_order"]} == small_order_encodings()
    for each in VECTORS["small_order"]:
        with pytest.raises(Unreadable):
            PublicKey(hexed(each))


def test_seal():
    vector = VECTORS["seal"]
    secret, plain = hexed(vector["secret"]), vector["plain"].encode()
    info = seal_info(hexed(vector["id"]), vector["seat"], vector["fingerprint"], vector["phase"], vector["revision"])
    assert vector["secret"] == VECTORS["derive"][1]["bytes"]
    assert phase_public(secret).hex() == vector["public"]
    assert info.hex() == vector["info"]
    assert len(padded(plain)) == vector["padded_size"]
    assert commitment(info, padded(plain)) == vector["commitment"]
    assert open_box(Sealed.from_table({"commitment": vector["commitment"], "box": vector["box"]}), secret, info) == plain


def test_seal_to():
    vector, seal = VECTORS["seal_to"], VECTORS["seal"]
    processor = PrivateKey.from_seed(hexed(vector["processor_seed"]))
    assert make_seal_to(processor, hexed(seal["id"]), vector["phase"], vector["entry"], hexed(seal["public"])) == vector["line"]
    expected = (hexed(seal["id"]), vector["entry"], hexed(seal["public"]))
    assert check_seal_to(vector["line"], vector["phase"], processor.public) == expected


def test_letter():
    vector, seal = VECTORS["letter"], VECTORS["seal"]
    info = letter_info(hexed(seal["id"]), seal["seat"], vector["file"])
    assert info.hex() == vector["info"]
    assert open_letter(unb64("".join(vector["box"])), hexed(seal["secret"]), info) == vector["plain"].encode()


def test_join():
    vector = VECTORS["join"]
    invite = hexed(vector["invite"])
    assert invite_text(invite) == vector["text"]
    assert invite_bytes(vector["text"]) == invite
    assert proof(invite, vector["fingerprint"], hexed(vector["id"])).hex() == vector["proof"]


def test_armour():
    key = VECTORS["key"]
    file = sign_file(PrivateKey.from_seed(hexed(key["seed"])), key["namespace"], key["message"].encode())
    assert armour(file) == VECTORS["armour"]["block"]
    assert find_armoured(PAGE) == [file]
