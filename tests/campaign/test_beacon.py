"""The chain that chance hangs on, against a plain computation of its own."""

from __future__ import annotations

import hashlib
import hmac
import os
from pathlib import Path

import pytest

from pbem.campaign import beacon
from pbem.campaign.archive import load
from pbem.campaign.replay import replay
from pbem.engine.chance import KeyedChance

from ..helpers import SEATS, Campaign, Player, environment

SEED = bytes(range(32))


def naive(times: int) -> bytes:
    link = SEED
    for _ in range(times):
        link = hashlib.sha256(link).digest()
    return link


def test_the_end_is_65536_steps_away() -> None:
    assert beacon.LENGTH == 65536
    assert beacon.end(SEED) == naive(65536)
    assert beacon.end(SEED).hex() == "beb82821ef49b96d977db0cb47004e58bcea8d5a49ac6603ace0bd25af61e4be"


@pytest.mark.parametrize("step", [1, 2, 1000, 65535, 65536])
def test_step_n_uses_the_link_n_back_from_the_end(step: int) -> None:
    assert beacon.link(SEED, step) == naive(65536 - step)


def test_each_link_hashes_to_the_one_before() -> None:
    links = beacon.Links(SEED, window=4)
    assert hashlib.sha256(links(1)).digest() == beacon.end(SEED)
    for step in (2, 3, 9, 4, 65536, 65533):
        assert hashlib.sha256(links(step)).digest() == beacon.link(SEED, step - 1)
        assert links(step) == beacon.link(SEED, step)


@pytest.mark.parametrize("step", [0, -1, 65537])
def test_outside_the_chain_there_is_nothing(step: int) -> None:
    with pytest.raises(ValueError, match="outside"):
        beacon.link(SEED, step)


def test_the_root_is_the_digest_of_the_nonces_in_seat_order(campaign: Campaign) -> None:
    nonces = b"".join(Player.of(seat).nonce for seat in SEATS)
    assert replay(campaign.folder).root() == hashlib.sha256(nonces).digest()


def test_an_entry_publishes_the_link_of_its_last_step(campaign: Campaign) -> None:
    campaign.process(close="0.prince")
    entry = load(campaign.folder, check=True).entries[-1].record
    assert entry.link == beacon.link(campaign.secret.beacon_seed, entry.played[-1].step).hex()


def test_the_first_draw_of_a_campaign_computed_by_hand(campaign: Campaign) -> None:
    """The starting player: link 1 keys HMAC-SHA256 over root ‖ 32 zero bytes ‖ label ‖ counter, each behind its length."""
    root = hashlib.sha256(b"".join(Player.of(seat).nonce for seat in SEATS)).digest()
    key = beacon.link(campaign.secret.beacon_seed, 1)
    drawn: list[tuple[str, int, int]] = []

    class Spy(KeyedChance):
        def number(self, below: int, label: str, seat: str | None = None) -> int:
            value = super().number(below, label, seat)
            drawn.append((label, below, value))
            return value

    course = replay(campaign.folder)
    position, _ = course.title.set_up(course.options, list(SEATS), Spy(key, root, bytes(32)))
    assert position.start == course.table.position.start
    label, below, value = drawn[0]
    fields = [root, bytes(32), label.encode(), b"0"]
    message = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
    assert int.from_bytes(hmac.digest(key, message, "sha256"), "big") % below == value


def test_links_begin_at_a_mark_only_if_it_is_one_of_theirs() -> None:
    first = beacon.Links(SEED, window=100)
    assert first.mark is None
    first(7)
    assert first.walked
    top, link = first.mark or (0, b"")
    assert (top, link) == (107, beacon.link(SEED, 107))
    end = beacon.end(SEED)
    for near, told in ((top, bytes(32)), (top - 1, link), (0, link), (65537, link)):
        links = beacon.Links(SEED, window=100)
        links.begin_at(near, told, end)
        assert links.mark is None
        assert links(7) == beacon.link(SEED, 7)
    links = beacon.Links(SEED, window=100)
    links.begin_at(top, link, end)
    assert [links(step) for step in (9, 8, 107)] == [beacon.link(SEED, step) for step in (9, 8, 107)]
    assert not links.walked
    assert links(108) == beacon.link(SEED, 108)
    assert links.walked


def test_the_mark_changes_nothing_and_may_be_lost_or_forged(campaign: Campaign, tmp_path: Path) -> None:
    mark = campaign.folder.private / "beacon"
    assert os.name == "nt" or mark.stat().st_mode & 0o777 == 0o600
    true = mark.read_bytes()
    for number, state in enumerate((true, None, b"", b"1025 " + b"00" * 32 + b"\n", b"7 nonsense\n", true + b"\n")):
        copy = campaign.copy(tmp_path / str(number))
        kept = copy.folder.private / "beacon"
        kept.unlink() if state is None else kept.write_bytes(state)
        copy.process(close="0.prince")
        entry = load(copy.folder, check=True).entries[-1].record
        assert entry.link == beacon.link(copy.secret.beacon_seed, entry.played[-1].step).hex()
        top, link = kept.read_text().split()
        assert link == beacon.link(copy.secret.beacon_seed, int(top)).hex()


def test_a_machine_that_is_lent_the_secret_keeps_no_mark(campaign: Campaign) -> None:
    (campaign.folder.private / "beacon").unlink()
    with environment("PBEM_SECRET", campaign.secret.raw.hex()):
        campaign.process(close="0.prince")
    assert not (campaign.folder.private / "beacon").exists()
