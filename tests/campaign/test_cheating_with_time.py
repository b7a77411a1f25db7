"""Cheating with time: a processor who signs anything about requests, closing times, pauses and absences, and what audit says of it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from pbem.campaign import clock, intake, turn
from pbem.campaign.archive import Fault
from pbem.campaign.audit import audit
from pbem.campaign.course import Course
from pbem.campaign.folder import numbered
from pbem.campaign.intake import Answer
from pbem.orders.encoding import b64
from pbem.orders.keys import PrivateKey
from pbem.orders.signed import sign_file
from pbem.orders.write import dump

from ..helpers import START, Campaign, as_of_before, fixed, joined_by_all, joined_campaign, new_campaign
from .forging import append_entry

DAY = timedelta(days=1)
CLOSES = START + 2 * DAY
AWAY = {"do": "absence", "from": clock.text(START + DAY), "to": clock.text(START + 9 * DAY)}


def ask(campaign: Campaign, seat: str, asked: dict[str, Any], number: int = 1) -> Answer:
    """A request is sent, and not yet processed."""
    text = {"game": campaign.made.game.name, "player": seat, "after": campaign.course().archive.head(), "number": number, "request": asked}
    return campaign.receive(sign_file(campaign.players[seat].key, "request@pbem", dump(text)))[0]


def taken(campaign: Campaign, seat: str, asked: dict[str, Any], number: int = 1) -> str:
    """The identity of a request that was taken."""
    answer = ask(campaign, seat, asked, number)
    assert answer.receipt.accepted, answer
    return answer.receipt.file


def found(campaign: Campaign) -> Fault | None:
    return audit(campaign.folder).fault


def fault(campaign: Campaign) -> tuple[str, str]:
    fault = found(campaign)
    assert fault is not None
    return fault.code, fault.file


def forge(campaign: Campaign, **facts: Any) -> tuple[str, str, str]:
    """One more entry, honestly chained. What audit finds: code and file, and the name of the entry."""
    name = append_entry(campaign, counted=len(numbered(campaign.folder.receipts)), **facts)
    return (*fault(campaign), name)


# -- requests ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "facts"), [
    ("vacate", {"grounds": ["{bo}"]}), ("vacate", {"grounds": ["{bo}"], "ground": "organiser"}),
    ("substitute", {"grounds": ["{bo}"], "hash": "ab" * 32}), ("amend", {"file": "{bo}"}),
    ("concede", {"file": "{an}", "grounds": ["{bo}"]}), ("concede", {"file": "{bo}"}), ("concede", {"file": "{an}"}),
    ("rekey", {"file": "{chen}", "grounds": ["{bo}"]}),
    ("amend", {"grounds": ["{bo}"], "seat": "", "ground": "organiser", "settings": {"silence": "wait"}}),
    ("amend", {"file": "{bo}", "seat": "", "ground": "organiser", "settings": {"silence": "wait"}}),
    ("vacate", {"grounds": ["{dai}", "{chen}"], "ground": "consent"}), ("absence", {"file": "{an}"}),
    ("absence", {"file": "{bo}", "seat": "an"}),
])  # fmt: skip
def test_what_a_player_asked_for_is_no_ground_for_something_else(tmp_path: Path, kind: str, facts: dict[str, Any]) -> None:
    campaign = joined_campaign(tmp_path)
    key = {"key": PrivateKey.from_seed(fixed("another")).public.line(), "letter_key": b64(fixed("letter"))}
    files = {
        "{an}": taken(campaign, "an", {"do": "concede"}), "{bo}": taken(campaign, "bo", AWAY),
        "{chen}": taken(campaign, "chen", {"do": "rekey", **key}),
        "{dai}": taken(campaign, "dai", {"do": "consent", "step": "vacate", "seat": "bo"}),
    }  # fmt: skip
    facts = {"seat": "bo", "ground": "request"} | facts
    facts |= {"file": files[facts["file"]]} if "file" in facts else {}
    facts |= {"grounds": [files[each] for each in facts["grounds"]]} if "grounds" in facts else {}
    code, file, name = forge(campaign, kind=kind, **facts)
    assert (code, file) == ("ground-missing", name)


@pytest.mark.parametrize("asked", [AWAY, {"do": "concede"}, {"do": "profile", "name": "Bonifaz"}])
def test_the_game_does_not_go_on_before_a_request_is_answered(tmp_path: Path, asked: dict[str, Any]) -> None:
    campaign = joined_campaign(tmp_path)
    taken(campaign, "bo", asked)
    taken(campaign, "an", {"do": "consent", "step": "end"})
    campaign.now = CLOSES
    honest = campaign.copy(tmp_path / "honest")
    honest.process()
    assert found(honest) is None
    with patch.object(turn, "waiting_requests", lambda _: []):
        campaign.process()
    assert fault(campaign) == ("request-unanswered", "ledger/0006.toml")


# -- campaigns of before -------------------------------------------------------------------------------------------------


def test_in_campaigns_of_before_a_used_invite_may_have_opened_a_seat_again(tmp_path: Path) -> None:
    """It was so when they were made; today nobody gets in with it any more."""
    campaign = joined_by_all(as_of_before(new_campaign(tmp_path)))
    turn.correct(campaign.folder, campaign.now, "vacate", seat="dai")
    again = campaign.join_file("dai", name="Dora")
    assert campaign.receive(again)[0].receipt.reason == "bad-invite"
    campaign.now += timedelta(minutes=1)
    with patch.object(intake, "_judge_join", as_it_was):
        assert campaign.receive(campaign.join_file("dai", name="Doris"))[0].receipt.accepted
    campaign.process()
    assert found(campaign) is None
    assert campaign.course().members["dai"].name == "Doris"


def as_it_was(course: Course, case: Any) -> None:
    case.seat, case.phase = "dai", "join"
