"""A new campaign: what its game file says, computed independently, and what is refused before anything is written."""

from __future__ import annotations

import hashlib
import hmac
import tomllib
from pathlib import Path
from typing import Any

import pytest

from pbem.campaign.archive import Fault, load
from pbem.campaign.creation import create
from pbem.campaign.folder import CampaignError, Folder
from pbem.campaign.secret import parse
from pbem.orders.join import invite_bytes

from ..helpers import RAW_ID, RAW_SECRET, SEATS, START, Campaign, environment, new_campaign


def derived(raw: bytes, purpose: str, *fields: str) -> bytes:
    """HKDF-SHA256 by hand (RFC 5869): one block."""
    info = b"".join(
        len(part).to_bytes(4, "big") + part for part in [b"pbem/1", purpose.encode(), RAW_ID, *(field.encode() for field in fields)]
    )
    return hmac.digest(hmac.digest(bytes(32), raw, "sha256"), info + b"\x01", "sha256")


@pytest.fixture
def empty(tmp_path: Path) -> Campaign:
    """A campaign nobody has joined."""
    return new_campaign(tmp_path)


def test_what_the_game_file_says(empty: Campaign) -> None:
    game = tomllib.loads(empty.folder.game.read_text())
    end = derived(RAW_SECRET, "beacon")
    for _ in range(65536):
        end = hashlib.sha256(end).digest()
    assert game["protocol"] == 1
    assert game["id"] == RAW_ID.hex()
    assert (game["name"], game["title"], game["rules"]) == ("winter-court", "ming-dynasty", 1)
    assert game["created"] == "2026-11-01T19:00:00Z"
    assert (game["close"], game["seal"], game["silence"]) == ("48h", "bids", "default")
    assert game["options"] == {"board": "standard", "bids": "together"} | {key: game["options"][key] for key in game["options"]}
    assert [seat["name"] for seat in game["seats"]] == list(SEATS)
    assert [seat["invite"] for seat in game["seats"]] == [
        hashlib.sha256(derived(RAW_SECRET, "invite", seat, "1")[:16]).hexdigest() for seat in SEATS
    ]
    assert game["processor"]["beacon"] == end.hex()
    assert game["processor"]["private"] == hashlib.sha256(derived(RAW_SECRET, "private")).hexdigest()


def test_every_seat_gets_the_invite_whose_digest_is_published(empty: Campaign) -> None:
    game = tomllib.loads(empty.folder.game.read_text())
    for seat in game["seats"]:
        assert hashlib.sha256(invite_bytes(empty.made.invites[seat["name"]])).hexdigest() == seat["invite"]


def test_no_invite_and_no_secret_stands_in_the_game_file(empty: Campaign) -> None:
    text = empty.folder.game.read_text()
    for told in (RAW_SECRET.hex(), *(invite_bytes(code).hex() for code in empty.made.invites.values()), *empty.made.invites.values()):
        assert told not in text


def test_the_private_folder_is_never_committed(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "spring-court")
    create(folder, START, title="ming-dynasty", seats=SEATS)
    assert (folder.private / ".gitignore").read_text() == "*\n"


def test_the_recovery_sheet_is_the_secret(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "spring-court")
    made = create(folder, START, title="ming-dynasty", seats=SEATS)
    assert made.recovery is not None
    written = tomllib.loads(folder.secret.read_text())["secret"]
    assert parse(" ".join(made.recovery)).hex() == written


def test_with_a_secret_in_the_environment_none_is_written(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "spring-court")
    with environment("PBEM_SECRET", RAW_SECRET.hex()):
        made = create(folder, START, title="ming-dynasty", seats=SEATS, raw_id=RAW_ID)
    assert made.recovery is None
    assert not folder.secret.exists()
    assert made.game.processor.beacon == new_campaign(tmp_path).made.game.processor.beacon


def test_two_campaigns_are_never_alike(tmp_path: Path) -> None:
    one, two = (create(Folder(tmp_path / name), START, title="ming-dynasty", seats=SEATS) for name in ("one", "two"))
    assert one.game.id != two.game.id
    assert one.game.processor.key != two.game.processor.key
    assert set(one.invites.values()).isdisjoint(two.invites.values())


REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "a name with capitals": ({}, "Winter", "bad-name"),
    "a name too long": ({}, "a" * 41, "bad-name"),
    "a title nobody has": ({"title": "ming-dinasty"}, "spring", "unknown-title"),
    "a seat with capitals": ({"seats": ("An", "bo")}, "spring", "bad-seat"),
    "a seat that is a path": ({"seats": ("../an", "bo")}, "spring", "bad-seat"),
    "a seat twice": ({"seats": ("an", "bo", "an")}, "spring", "seat-twice"),
    "too many seats": ({"seats": tuple("abcdefg")}, "spring", "wrong-seats"),
    "one seat": ({"seats": ("an",)}, "spring", "wrong-seats"),
    "an organiser without a seat": ({"organiser": "emil"}, "spring", "unknown-seat"),
    "an option nobody knows": ({"options": {"bord": "standard"}}, "spring", "unknown-option"),
    "an option of another kind": ({"options": {"board": 7}}, "spring", "bad-option-value"),
    "a board nobody has": ({"options": {"board": "standart"}}, "spring", "bad-option"),
    "no span of time": ({"close": "two days"}, "spring", "bad-span"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_wrong_is_said_before_anything_is_written(tmp_path: Path, what: str) -> None:
    given, name, code = REFUSED[what]
    with pytest.raises(CampaignError) as caught:
        create(Folder(tmp_path / name), START, **{"title": "ming-dynasty", "seats": SEATS, **given})
    assert caught.value.code == code
    assert list(tmp_path.iterdir()) == []


def test_a_campaign_is_never_overwritten(empty: Campaign) -> None:
    before = empty.folder.game.read_bytes()
    with pytest.raises(CampaignError) as caught:
        create(empty.folder, START, title="ming-dynasty", seats=SEATS)
    assert caught.value.code == "exists"
    assert empty.folder.game.read_bytes() == before


@pytest.mark.parametrize(("old", "new"), [
    ("protocol = 1", "protocol = 2"), ("protocol = 1", "protocol = 2\nfuture = true"),
])  # fmt: skip
def test_a_newer_protocol_is_said_to_be_one(empty: Campaign, old: str, new: str) -> None:
    empty.folder.game.write_text(empty.folder.game.read_text().replace(old, new))
    with pytest.raises(CampaignError) as caught:
        load(empty.folder, check=True)
    assert (caught.value.code, caught.value.facts["found"]) == ("newer-protocol", 2)


@pytest.mark.parametrize(("old", "new"), [
    ("protocol = 1", "protocol = 0"), ('seal = "bids"', 'seal = "maybe"'), ('name = "an"', 'name = "../an"'), ("protocol = 1\n", ""),
    ("protocol = 1", 'protocol = "1"'), ('title = ', 'titel = '), ("[processor]", "[[processor]]"),
])  # fmt: skip
def test_a_game_file_that_is_none(empty: Campaign, old: str, new: str) -> None:
    text = empty.folder.game.read_text()
    assert old in text
    empty.folder.game.write_text(text.replace(old, new, 1))
    with pytest.raises((Fault, CampaignError)) as caught:
        load(empty.folder, check=True)
    assert caught.value.code in ("game-unreadable", "newer-protocol")


def test_where_there_is_no_campaign(tmp_path: Path) -> None:
    with pytest.raises(CampaignError) as caught:
        load(Folder(tmp_path), check=True)
    assert caught.value.code == "no-campaign"
