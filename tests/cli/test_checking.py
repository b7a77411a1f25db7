"""What pbem check says of files before they are sent: signatures, seals, and what a sealed plan would do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..helpers import Campaign
from .desk import GAME, Desk


def test_a_signed_file_is_proven_against_the_key_of_its_seat(desk: Desk) -> None:
    desk.take_off("bo.toml", 'district = "zhili-b"')
    desk.run("sign", "bo.toml", "--key", "bo.key")
    assert "would be taken" in desk.run("check", GAME, "bo.order.toml")
    desk.edit("bo.order.toml", "zhili-b", "zhili-c")
    told = desk.run("check", GAME, "bo.order.toml", status=1)
    assert "changed after signing" in told
    findings = json.loads(desk.run("check", GAME, "bo.order.toml", "--json", status=1))["findings"]
    assert [finding["code"] for finding in findings] == ["bad-signature"]


def test_a_file_signed_with_the_key_of_another_is_found(desk: Desk) -> None:
    (desk.folder / "an.key.pbem").unlink()
    desk.run("sign", "bo.toml", "--key", "an.key")
    assert "signed with another key" in desk.run("check", GAME, "bo.order.toml", status=1)


def test_a_missing_file_is_named_by_what_it_is_for(desk: Desk) -> None:
    assert "there is no order file none.toml" in desk.run("check", GAME, "none.toml", status=1)
    assert "there is no order file none.toml" in desk.run("sign", "none.toml", "--key", "bo.key", status=1)
    assert "there is no order or join file none.toml" in desk.run("armour", "none.toml", status=1)
    assert "games is a folder and no order file" in desk.run("check", GAME, "games", status=1)


@pytest.fixture
def bidder(bidding: Campaign) -> str:
    return bidding.asked()[0]


def checked(bidding: Campaign, desk: Desk, seat: str, orders: list[dict[str, object]], status: int, **changed: object) -> str:
    Path("plan.toml").write_bytes(bidding.text(seat, "2.return", orders, **changed))
    return " ".join(desk.run("check", str(bidding.folder.root), "plan.toml", status=status).split())


def test_a_sealed_plan_is_never_said_to_be_asked_about_again(bidding: Campaign, desk: Desk, bidder: str) -> None:
    for orders, status in (([], 0), ([{"do": "return", "counts": {"yunnan": 9}}], 1)):
        told = checked(bidding, desk, bidder, orders, status)
        assert "played as silence" in told
        assert "ask you" not in told
    assert "to the end of the phase" in checked(bidding, desk, bidder, [{"do": "return"}], 0)


@pytest.mark.parametrize("damage", [lambda line: line[:-4] + "AAA=", lambda line: "nonsense", lambda line: 7])
def test_a_damaged_seal_to_is_a_finding(bidding: Campaign, desk: Desk, bidder: str, damage: object) -> None:
    line = bidding.course().keys["2.return"].seal_to
    told = checked(bidding, desk, bidder, [{"do": "return"}], 1, seal_to=damage(line))  # type: ignore[operator]
    assert "seal_to" in told
    assert "would not be taken" in told


def test_the_line_of_another_phase_is_a_finding(bidding: Campaign, desk: Desk, bidder: str) -> None:
    course = bidding.course()
    text = bidding.text(bidder, "2.return", [{"do": "return"}], seal_to=course.keys["3.place"].seal_to)
    Path("plan.toml").write_bytes(text)
    assert "seal_to is damaged" in desk.run("check", str(bidding.folder.root), "plan.toml", status=1)


def test_open_orders_where_a_seal_is_asked(bidding: Campaign, desk: Desk, bidder: str) -> None:
    assert "must be sealed" in checked(bidding, desk, bidder, [{"do": "return"}], 1, seal_to=None)
