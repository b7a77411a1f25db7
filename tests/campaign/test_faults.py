"""The machine goes dark in the middle of ``receive``, ``process``, joins or ``undo``, and the command is run again.

A child process counts the system calls by which it changes the disk and kills itself before the Nth. No order may be lost, nothing done
twice, and the game must be the one that would have been played without.
"""

from __future__ import annotations

import gc
import os
import random
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pbem.campaign.archive import load
from pbem.campaign.audit import audit
from pbem.campaign.folder import numbered
from pbem.campaign.intake import Incoming
from pbem.campaign.turn import correct
from pbem.orders.sshsig import sign as ssh_sign

from ..helpers import HOUR, Campaign, new_campaign

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked child")

CALLS = ("open", "fsync", "utime", "replace", "rename", "unlink", "mkdir", "close")
LOOKING = ("stat", "scandir", "listdir", "fspath")
"""Calls that change nothing: between them lie most moments of a run."""
EVERY = 1000
"""More kills than there are calls."""
MOMENTS = 300
Work = Callable[[Campaign], Any]


class _Countdown:
    """Stands in for the calls of ``os``; at the Nth the process kills itself instead."""

    def __init__(self, deadly: int) -> None:
        self.count, self._deadly, self._main = 0, deadly, threading.get_ident()

    def wrapped(self, name: str, true: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if threading.get_ident() == self._main:
                self.count += 1
                if self.count == self._deadly:
                    if name == "fsync":
                        self._tear(args[0])
                    os.kill(os.getpid(), signal.SIGKILL)
            return true(*args, **kwargs)

        return call

    def _tear(self, handle: int) -> None:
        """What had not been synced may be half there."""
        size = os.fstat(handle).st_size
        if os.path.isfile(f"/proc/self/fd/{handle}") or sys.platform == "darwin":  # noqa: PTH113 — a folder cannot be cut
            os.ftruncate(handle, size // 2)


def _in_child(campaign: Campaign, work: Work, deadly: int, calls: tuple[str, ...] = CALLS) -> int:
    """Runs ``work`` in a child that dies before its Nth call; gives the number of calls of one that was not killed, else 0."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        status = 1
        try:
            # What other tests have left behind must not be cleared away, and counted, in one child and not in the next.
            gc.disable()
            countdown = _Countdown(deadly)
            for name in calls:
                setattr(os, name, countdown.wrapped(name, getattr(os, name)))
            work(campaign)
            os.write(writing, str(countdown.count).encode())
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    os.set_blocking(reading, False)
    try:
        told = os.read(reading, 100)
    except BlockingIOError:
        told = b""
    os.close(reading)
    os.close(writing)
    if deadly:
        assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, "the child was to be killed"
        return 0
    assert status == 0
    return int(told)


def _spread(base: Campaign, at: Path, work: Work, kills: int, calls: tuple[str, ...] = CALLS) -> Iterator[Campaign]:
    """Copies of a campaign, in each of which ``work`` was killed before another call and then run again."""
    at.mkdir(parents=True)
    total = _in_child(base.copy(at), work, 0, calls)
    assert total > 10
    shutil.rmtree(at)
    assert kills != MOMENTS or total >= MOMENTS
    for deadly in sorted({1 + number * total // kills for number in range(kills)}):
        at.mkdir()
        campaign = base.copy(at)
        _in_child(campaign, work, deadly, calls)
        work(campaign)
        yield campaign
        shutil.rmtree(at)


def _receipts(campaign: Campaign) -> list[tuple[Any, ...]]:
    records = [kept.record for kept in load(campaign.folder, check=True).receipts]
    return [(one.number, one.file, one.seat, one.phase, one.revision, one.verdict, one.reason, one.received, one.taken) for one in records]


def _ledger(campaign: Campaign) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in numbered(campaign.folder.ledger)}


def _orders(campaign: Campaign) -> dict[str, bytes]:
    files = [path for path in campaign.folder.orders.rglob("*") if path.is_file()]
    return {campaign.folder.relative(path): path.read_bytes() for path in files}


# -- receive -----------------------------------------------------------------------------------------------------------


def _mails(campaign: Campaign) -> list[Incoming]:
    """Good and bad files, a revision, a signature beside its file."""
    text = campaign.text("bo", "0.prince", [{"do": "prince", "district": "zhili-b"}])
    return [
        Incoming("an", campaign.signed("an", "0.prince", [{"do": "prince", "district": "yunnan-b"}])),
        Incoming("nobody", b"nonsense"),
        Incoming("bo", text, ssh_sign(campaign.players["bo"].key, "order@pbem", text)),
        Incoming("chen", campaign.signed("chen", "0.prince", [{"do": "prince", "district": "yunnan-a"}], key=campaign.players["bo"].key)),
        Incoming("an", campaign.signed("an", "0.prince", [{"do": "prince", "district": "sichuan-b"}], revision=2)),
        Incoming("dai", campaign.signed("dai", "0.prince", [{"do": "prince", "district": "guangdong-a"}])),
    ]


def _kill_receive(campaign: Campaign, tmp_path: Path, kills: int, calls: tuple[str, ...] = CALLS) -> None:
    mails = _mails(campaign)
    reference = campaign.copy(tmp_path / "reference")
    reference.receive(*mails)
    orders, receipts = _orders(reference), _receipts(reference)
    reference.process()
    played = load(reference.folder, check=True).entries[-1].record.played
    for copy in _spread(campaign, tmp_path / "killed", lambda one: one.receive(*mails), kills, calls):
        assert _receipts(copy) == receipts
        assert _orders(copy) == orders
        copy.process()
        assert load(copy.folder, check=True).entries[-1].record.played == played
        assert audit(copy.folder).fault is None
        assert not list(copy.folder.root.rglob(".pbem-tmp-*"))


def test_receive_killed_fifty_times(campaign: Campaign, tmp_path: Path) -> None:
    _kill_receive(campaign, tmp_path, 50)


@pytest.mark.long
def test_receive_killed_at_every_call(campaign: Campaign, tmp_path: Path) -> None:
    _kill_receive(campaign, tmp_path, EVERY)


# -- process -----------------------------------------------------------------------------------------------------------


def _kill_process(campaign: Campaign, tmp_path: Path, kills: int, calls: tuple[str, ...] = CALLS) -> None:
    reference = campaign.copy(tmp_path / "reference")
    reference.process()
    ledger = _ledger(reference)
    assert len(ledger) > len(_ledger(campaign))
    for copy in _spread(campaign, tmp_path / "killed", lambda one: one.process(), kills, calls):
        assert _ledger(copy) == ledger, "the same game, to the byte"
        assert copy.process().entries == []
        assert audit(copy.folder).fault is None
        assert not list(copy.folder.root.rglob(".pbem-tmp-*"))


@pytest.fixture
def joining(tmp_path: Path) -> Campaign:
    """Four join files are receipted; processing writes four joins and the set-up."""
    campaign = new_campaign(tmp_path / "joining")
    campaign.receive(*(campaign.join_file(seat) for seat in campaign.seats))
    return campaign


def test_process_killed_while_seats_are_taken(joining: Campaign, tmp_path: Path) -> None:
    _kill_process(joining, tmp_path, 39)


def test_process_killed_while_bids_are_opened(bidding: Campaign, tmp_path: Path) -> None:
    bidding.receive(*bidding.bids().values())
    _kill_process(bidding, tmp_path, EVERY)


@pytest.mark.long
def test_process_killed_at_every_call(joining: Campaign, tmp_path: Path) -> None:
    _kill_process(joining, tmp_path, EVERY)


@pytest.mark.long
def test_receive_killed_at_three_hundred_moments(campaign: Campaign, tmp_path: Path) -> None:
    _kill_receive(campaign, tmp_path, MOMENTS, CALLS + LOOKING)


@pytest.mark.long
def test_process_killed_at_three_hundred_moments(bidding: Campaign, tmp_path: Path) -> None:
    bidding.receive(*bidding.bids().values())
    _kill_process(bidding, tmp_path, MOMENTS, CALLS + LOOKING)


# -- joins -------------------------------------------------------------------------------------------------------------


def _kill_joins(tmp_path: Path, kills: int, calls: tuple[str, ...] = CALLS) -> None:
    """Four join files come in and are processed, in one run."""
    base = new_campaign(tmp_path / "base")
    joins = [base.join_file(seat) for seat in base.seats]

    def work(one: Campaign) -> None:
        one.receive(*joins)
        one.process()

    reference = base.copy(tmp_path / "reference")
    work(reference)
    ledger, receipts, orders = _ledger(reference), _receipts(reference), _orders(reference)
    assert len(ledger) == 5
    for copy in _spread(base, tmp_path / "killed", work, kills, calls):
        assert _ledger(copy) == ledger, "the same seats, the same nonces, the same set-up, to the byte"
        assert (_receipts(copy), _orders(copy)) == (receipts, orders)
        assert copy.process().entries == []
        assert audit(copy.folder).fault is None


def test_joins_killed_a_few_times(tmp_path: Path) -> None:
    _kill_joins(tmp_path, 6)


@pytest.mark.long
def test_joins_killed_at_three_hundred_moments(tmp_path: Path) -> None:
    _kill_joins(tmp_path, MOMENTS, CALLS + LOOKING)


# -- undo --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def regretted(campaign: Campaign) -> Campaign:
    """A prince is placed and a file lies on the desk; it shall all be taken back."""
    campaign.file("an", "0.prince", [{"do": "prince", "district": "yunnan-b"}])
    campaign.process()
    campaign.file("bo", "0.prince", [{"do": "prince", "district": "zhili-b"}])
    return campaign


def _kill_undo(regretted: Campaign, tmp_path: Path, kills: int, calls: tuple[str, ...] = CALLS) -> None:
    to = len(_ledger(regretted)) - 1

    def work(one: Campaign) -> None:
        """Whoever is interrupted looks whether it was done, and if not does it again."""
        if load(one.folder, check=True).entries[-1].record.kind != "rollback":
            correct(one.folder, one.now, "rollback", to=to)

    reference = regretted.copy(tmp_path / "reference")
    work(reference)
    ledger, receipts = _ledger(reference), _receipts(reference)
    assert len(ledger) == to + 2
    for copy in _spread(regretted, tmp_path / "killed", work, kills, calls):
        assert (_ledger(copy), _receipts(copy)) == (ledger, receipts), "taken back once, to the byte"
        assert copy.process().entries == []
        again = {"do": "prince", "district": "yunnan-a"} if copy.phase() == "0.prince" else {"do": "place", "province": "zhili"}
        assert copy.file(copy.asked()[0], copy.phase(), [again], revision=9).receipt.accepted
        assert audit(copy.folder).fault is None
        assert not list(copy.folder.root.rglob(".pbem-tmp-*"))


def test_undo_killed_at_every_call(regretted: Campaign, tmp_path: Path) -> None:
    _kill_undo(regretted, tmp_path, EVERY)


@pytest.mark.long
def test_undo_killed_at_three_hundred_moments(short: Campaign, tmp_path: Path) -> None:
    _kill_undo(short, tmp_path, MOMENTS, CALLS + LOOKING)


# -- a clock that jumps --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_a_clock_that_jumps_by_days(campaign: Campaign, seed: int) -> None:
    """Every run has another idea of the time; the channel knows when a file came. Times never decrease, and what was in time counts."""
    dice = random.Random(seed)  # noqa: S311 — repeatable
    true = campaign.now
    for seat, district in {"an": "yunnan-b", "bo": "zhili-b", "chen": "sichuan-a", "dai": "nanjing-a"}.items():
        true += HOUR
        campaign.now = true + timedelta(days=dice.randrange(-9, 2))
        assert campaign.asked() == (seat,)
        assert campaign.file(seat, "0.prince", [{"do": "prince", "district": district}], received=true).receipt.accepted
        campaign.now = true + timedelta(days=dice.randrange(-9, 2))
        campaign.process()
        assert [decision.why for decision in campaign.course().chapters[-1].steps[0].decisions] == ["plan"]
    archive = load(campaign.folder, check=True)
    taken = [kept.record.taken for kept in archive.receipts]
    times = [kept.record.time for kept in archive.entries]
    assert taken == sorted(taken)
    assert times == sorted(times)
    assert all(kept.record.received <= kept.record.taken for kept in archive.receipts)
    assert not [kept for kept in archive.receipts if kept.record.reason == "late"]
    assert audit(campaign.folder).fault is None


def test_a_file_in_time_counts_although_the_clock_of_the_run_is_days_ahead_and_then_back(campaign: Campaign) -> None:
    start, closes = campaign.now, campaign.course().closes()
    assert closes is not None
    an = campaign.signed("an", "0.prince", [{"do": "prince", "district": "yunnan-b"}])
    bo = campaign.signed("bo", "0.prince", [{"do": "prince", "district": "zhili-b"}])
    campaign.now = start + timedelta(days=30)
    [one] = campaign.receive(an, received=start + HOUR)
    campaign.now = start - timedelta(days=30)
    [two] = campaign.receive(bo, received=start + 2 * HOUR)
    assert one.receipt.accepted and two.receipt.accepted
    assert one.receipt.taken == two.receipt.taken == "2026-12-01T19:00:00Z"
    assert [one.receipt.received, two.receipt.received] == ["2026-11-01T20:00:00Z", "2026-11-01T21:00:00Z"]
    campaign.process()
    turn, extended = campaign.course().chapters[-2:]
    played = [(decision.seat, decision.why) for step in turn.steps for decision in step.decisions]
    assert played == [("an", "plan"), ("bo", "plan")]
    # For all that can be known there was an outage of a month: nobody's silence is held against him.
    assert (extended.kind, extended.facts["ground"]) == ("extend", "outage")
    assert audit(campaign.folder).fault is None
