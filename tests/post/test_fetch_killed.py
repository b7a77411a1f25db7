"""The machine goes dark in the middle of a fetch, and it is run again: the same receipts, the same answers, each once, nothing lost."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pbem.campaign.archive import load
from pbem.post import contacts, outbox
from pbem.post.fetch import fetch

from ..campaign.test_faults import CALLS, EVERY, LOOKING, _spread
from ..helpers import Campaign, new_campaign, read_until
from .postbox import ADDRESSES, answers, drop, inbox, mail, register, run, text_of, write_settings
from .test_fetch import bounce, order, sent_to_bo, signed_request

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked child")


def _outcome(campaign: Campaign) -> dict[str, Any]:
    """Everything that a fetch leaves behind, but for what tells how often it was run."""
    receipts = [kept.record for kept in load(campaign.folder, check=True).receipts]
    home = outbox.home(campaign.folder)
    # What lies in the queue is swept by pbem mail send, what lies beside it by whoever next takes the campaign's lock.
    left = [path for path in campaign.folder.root.rglob(".pbem-tmp-*") if path.parent.name not in ("queue", "private")]
    assert not left
    assert not list(home.glob("doing/*"))
    return {
        "receipts": [(one.number, one.file, one.seat, one.verdict, one.reason, one.received, one.taken) for one in receipts],
        "orders": sorted(campaign.folder.relative(path) for path in campaign.folder.orders.rglob("*.toml")),
        "answers": sorted((str(one["To"]), str(one["Message-ID"]), text_of(one)) for one in answers(campaign)),
        "contacts": contacts.load(campaign.folder),
        "fetched": {path.name: path.read_bytes() for path in home.glob("fetched/*")},
        "mailbox": sorted((path.parent.name, path.name) for path in inbox(campaign).rglob("*host*")),
        "read": read_until(campaign.folder),
    }


@pytest.fixture
def full(campaign: Campaign) -> Campaign:
    """A campaign with a mail of every kind in its mailbox."""
    register(campaign)
    write_settings(campaign, "pdf = false\n")
    drop(campaign, mail("an@example.org", order(campaign), order(campaign, revision=2), id="<1@x>"))
    drop(campaign, mail("new@example.net", signed_request(campaign, "bo", language="fr"), id="<2@x>"))
    drop(campaign, mail("elsewhere@example.net", order(campaign, "chen"), id="<3@x>"))
    drop(campaign, mail("dai@example.org", order(campaign, "dai", key=campaign.players["an"].key), id="<4@x>"))
    drop(campaign, mail("x@spam.example", id="<5@x>"))
    drop(campaign, mail("chen@example.org", subject="resend", id="<6@x>"))
    drop(campaign, bounce(sent_to_bo(campaign), "dai@example.org"))
    return campaign


def _kill(base: Campaign, tmp_path: Path, kills: int, work: Callable[[Campaign], Any], calls: tuple[str, ...] = CALLS) -> None:
    (tmp_path / "reference").mkdir()
    reference = base.copy(tmp_path / "reference")
    work(reference)
    expected = _outcome(reference)
    assert len(expected["answers"]) >= 4
    for copy in _spread(base, tmp_path / "killed", work, kills, calls):
        assert _outcome(copy) == expected


def test_killed_a_few_times(full: Campaign, tmp_path: Path) -> None:
    _kill(full, tmp_path, 12, run)


@pytest.mark.long
def test_killed_at_every_call(full: Campaign, tmp_path: Path) -> None:
    _kill(full, tmp_path, EVERY, run)


@pytest.mark.long
def test_killed_at_a_thousand_moments(full: Campaign, tmp_path: Path) -> None:
    _kill(full, tmp_path, EVERY, run, CALLS + LOOKING)


def _joining(tmp_path: Path) -> Campaign:
    base = new_campaign(tmp_path / "base")
    contacts.register(base.folder, "an", "invited@example.net")
    for seat in base.seats:
        drop(base, mail(ADDRESSES[seat], base.join_file(seat), id=f"<{seat}@x>"))
    return base


def test_joins_killed_a_few_times(tmp_path: Path) -> None:
    """Also the address to which the invite had gone hears of it, once."""
    _kill(_joining(tmp_path), tmp_path, 6, run)


@pytest.mark.long
def test_joins_killed_at_every_call(tmp_path: Path) -> None:
    _kill(_joining(tmp_path), tmp_path, EVERY, run)


def test_two_at_once_answer_every_mail_once(full: Campaign, tmp_path: Path) -> None:
    (tmp_path / "reference").mkdir()
    reference = full.copy(tmp_path / "reference")
    run(reference)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.extend(fetch([full.folder.root], full.now))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.errors for one in found] == [[], [], []]
    assert sorted(len(one.lines) for one in found) == [0, 0, 7]
    assert _outcome(full) == _outcome(reference)
