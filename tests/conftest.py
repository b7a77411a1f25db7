"""Campaigns that are costly to make: made once per run, shared by all workers, copied by the tests that change them."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest
from filelock import FileLock

from pbem.campaign.intake import Incoming
from pbem.orders.sshsig import sign as ssh_sign

from .helpers import NAME, SEATS, Campaign, environment, joined_campaign
from .helpers import Folder as _Folder


@pytest.fixture(scope="session", autouse=True)
def _no_power_cut():
    """No file of a test has to outlive a power cut: waiting for the disk is left out. Who tests the waiting puts his own in its place."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield


@pytest.fixture(autouse=True)
def _no_secret_in_the_environment():
    """A developer's own PBEM_SECRET must not meet a test."""
    with environment("PBEM_SECRET", None):
        yield


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder that all workers of this run see."""
    base = tmp_path_factory.getbasetemp()
    return base if worker_id == "master" else base.parent


def _made_once(shared: Path, name: str, make) -> Campaign:
    base, done = shared / name, shared / f"{name}.pickle"
    with FileLock(shared / f"{name}.lock"), environment("PBEM_SECRET", None):
        if not done.exists():
            base.mkdir()
            campaign = make(base)
            done.write_bytes(pickle.dumps((campaign.made, campaign.players, campaign.now, campaign.plains)))
    made, players, now, plains = pickle.loads(done.read_bytes())  # noqa: S301 — written by this very run
    return Campaign(_Folder(base / NAME), made, players, now, plains)


def _played(base: Path, seats: tuple[str, ...]) -> Campaign:
    campaign = joined_campaign(base, seats)
    campaign.play_on(note="Sorry, Bo.")
    return campaign


@pytest.fixture(scope="session")
def finished(shared: Path) -> Campaign:
    """A finished game of four. Not to be changed: take ``finished_copy`` for that."""
    return _made_once(shared, "finished", lambda base: _played(base, SEATS))


@pytest.fixture(scope="session")
def finished_three(shared: Path) -> Campaign:
    """A finished game of three. Not to be changed."""
    return _made_once(shared, "finished-three", lambda base: _played(base, SEATS[:3]))


@pytest.fixture
def finished_copy(finished: Campaign, tmp_path: Path) -> Campaign:
    """A copy of the finished game of four."""
    return finished.copy(tmp_path)


@pytest.fixture(scope="session")
def _fresh(shared: Path) -> Campaign:
    return _made_once(shared, "fresh", joined_campaign)


def _at_the_bids(base: Path) -> Campaign:
    campaign = joined_campaign(base)
    campaign.play_on(until="2.return")
    return campaign


@pytest.fixture(scope="session")
def _bidding(shared: Path) -> Campaign:
    return _made_once(shared, "bidding", _at_the_bids)


@pytest.fixture
def bidding(_bidding: Campaign, tmp_path: Path) -> Campaign:
    """Four players at 2.return, where they decide together and sealed: a copy of its own for each test."""
    return _bidding.copy(tmp_path)


def _with_everything(base: Path) -> Campaign:
    """Two rounds and a bit, with everything that can lie in a campaign's folder."""
    campaign = joined_campaign(base)
    campaign.receive(b"not an order\n", campaign.signed("an", "0.prince", [], key=campaign.players["bo"].key))
    princes = {seat: [{"do": "prince", "district": "yunnan-b", "or": {"do": "prince", "district": "zhili-c"}}] for seat in ("an", "bo")}
    for seat, orders in princes.items():
        campaign.file(seat, "0.prince", orders)
    campaign.process()
    # chen signs with a tool of his own: the signature lies beside the file; dai is silent.
    text = campaign.text("chen", "0.prince", [{"do": "prince", "district": "sichuan-a"}])
    campaign.receive(Incoming("chen.toml", text, ssh_sign(campaign.players["chen"].key, "order@pbem", text)))
    campaign.process()
    campaign.process(close="0.prince")
    campaign.play_on(until="2.return", note="Sorry, Bo.")
    bids = campaign.bids()
    campaign.receive(*bids.values())
    campaign.receive(campaign.signed(next(iter(bids)), "2.return", [{"do": "return", "counts": {"yunnan": 1}}], revision=2))
    campaign.process()
    first = campaign.asked()[0]
    campaign.file(first, "3.place", [{"do": "place", "provinces": ["yunnan", "zhili"]}])
    campaign.process()
    campaign.file(campaign.asked()[0], "3.place", [{"do": "place", "province": "zhili"}])
    return campaign


@pytest.fixture(scope="session")
def _short(shared: Path) -> Campaign:
    return _made_once(shared, "short", _with_everything)


@pytest.fixture
def short(_short: Campaign, tmp_path: Path) -> Campaign:
    """A campaign in round 3 with every kind of file in it and one that is not played yet: a copy of its own for each test."""
    return _short.copy(tmp_path)


@pytest.fixture
def campaign(_fresh: Campaign, tmp_path: Path) -> Campaign:
    """Four players at their first decision, 0.prince: a copy of its own for each test."""
    return _fresh.copy(tmp_path)
