"""A byte of any public file is changed: audit finds it, wherever it is.

After the end that holds for every byte of every file but the last entry; before it, and of the last entry, for everything but how a
signature block is wrapped.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pbem.campaign import records
from pbem.campaign.audit import audit
from pbem.campaign.ending import public_files
from pbem.campaign.folder import CampaignError
from pbem.orders.findings import Unreadable
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


def _only_wrapped(path: Path, before: bytes, after: bytes) -> bool:
    """Whether two versions of a file differ only in how their signature is wrapped."""
    if path.name.endswith(".sig"):
        return before.split() == after.split()
    try:
        one, other = split(before, cap=records.CAP), split(after, cap=records.CAP)
    except Unreadable:
        return False
    return one.identity == other.identity and one.block.split() == other.block.split()


def _flips(campaign: Campaign, seed: int, count: int) -> None:
    dice = random.Random(seed)  # noqa: S311 — repeatable
    names = public_files(campaign.folder)
    archive = campaign.course().archive
    listed = archive.entries[-1].record.files
    for _ in range(count):
        name = dice.choice(names)
        path = campaign.folder.root / name
        before = path.read_bytes()
        at, bits = dice.randrange(len(before)), dice.randrange(1, 256)
        after = before[:at] + bytes([before[at] ^ bits]) + before[at + 1 :]
        path.write_bytes(after)
        if not _finding(campaign):
            assert name not in listed and _only_wrapped(path, before, after), f"{name}: byte {at} changed by {bits:#x} and not found"
        path.write_bytes(before)
    assert _finding(campaign) == ""


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_changed_byte_of_a_finished_game_is_found(finished_copy: Campaign, chunk: int) -> None:
    _flips(finished_copy, chunk, 150 // CHUNKS)


def test_a_changed_byte_of_a_game_that_goes_on_is_found(short: Campaign) -> None:
    _flips(short, 0, 40)


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_many_changed_bytes_of_a_finished_game_are_found(finished_copy: Campaign, chunk: int) -> None:
    _flips(finished_copy, 1000 + chunk, 2000 // CHUNKS)


@pytest.mark.long
def test_many_changed_bytes_of_a_game_that_goes_on_are_found(short: Campaign) -> None:
    _flips(short, 1, 1000)
