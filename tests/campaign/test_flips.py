"""A byte of any public file of a finished game is changed: audit finds it, wherever it is."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pbem.campaign.audit import audit
from pbem.campaign.ending import public_files
from pbem.campaign.folder import CampaignError
from pbem.orders.signed import split

from ..helpers import Campaign

CHUNKS = 6


def _finding(campaign: Campaign) -> str:
    """What audit finds; "" for nothing. A changed protocol number is a newer protocol, which is no fault but said."""
    try:
        fault = audit(campaign.folder).fault
    except CampaignError as error:
        return error.code
    return fault.code if fault else ""


def _flip_and_audit(campaign: Campaign, dice: random.Random, names: list[str], end: Path) -> None:
    path = campaign.folder.root / dice.choice(names)
    before = path.read_bytes()
    at, bits = dice.randrange(len(before)), dice.randrange(1, 256)
    path.write_bytes(before[:at] + bytes([before[at] ^ bits]) + before[at + 1 :])
    found = _finding(campaign)
    if not found:
        # Nothing names the bytes of the last entry but its own signature: there the wrapping may change, and nothing else.
        assert path == end, f"{path.name}: byte {at} changed by {bits:#x} and not found"
        one, other = split(before, cap=1 << 20), split(path.read_bytes(), cap=1 << 20)
        assert one.identity == other.identity, f"{path.name}: byte {at} changed by {bits:#x} and not found"
        assert one.block.split() == other.block.split()
    path.write_bytes(before)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_changed_byte_is_found(finished_copy: Campaign, chunk: int) -> None:
    _flips(finished_copy, chunk, 150 // CHUNKS)


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_many_changed_bytes_are_found(finished_copy: Campaign, chunk: int) -> None:
    _flips(finished_copy, 1000 + chunk, 2000 // CHUNKS)


def _flips(campaign: Campaign, seed: int, count: int) -> None:
    dice = random.Random(seed)  # noqa: S311 — repeatable
    names = public_files(campaign.folder)
    end = campaign.folder.entry(len(campaign.course().archive.entries))
    for _ in range(count):
        _flip_and_audit(campaign, dice, names, end)
    assert _finding(campaign) == ""
