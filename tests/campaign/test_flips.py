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
MANY = 10_000
"""Changes to a finished game, for the long run."""
KINDS = ("game.toml", "orders/", "receipts/", "ledger/", "letters/")


def _finding(campaign: Campaign) -> tuple[str, str]:
    """What audit finds, and the file it names; "" for nothing. A changed protocol number is no fault, but said."""
    try:
        fault = audit(campaign.folder).fault
    except CampaignError as error:
        return error.code, "game.toml"
    return (fault.code, fault.file) if fault else ("", "")


def _only_wrapped(path: Path, before: bytes, after: bytes) -> bool:
    """Whether two versions of a file differ only in how their signature is wrapped."""
    if path.name.endswith(".sig"):
        return before.split() == after.split()
    try:
        one, other = split(before, cap=records.CAP), split(after, cap=records.CAP)
    except Unreadable:
        return False
    return one.identity == other.identity and one.block.split() == other.block.split()


def _kind(name: str) -> str:
    """What lies there: the folder, apart from signatures beside a file."""
    return "a signature beside its file" if name.endswith(".sig") else next(kind for kind in KINDS if name.startswith(kind))


def _flips(campaign: Campaign, seed: int, count: int) -> set[str]:
    """Changes single bytes; every kind of file has its turn, as seldom as it may be. The kinds that were there."""
    dice = random.Random(seed)  # noqa: S311 — repeatable
    kinds: dict[str, list[str]] = {}
    for name in public_files(campaign.folder):
        kinds.setdefault(_kind(name), []).append(name)
    archive = campaign.course().archive
    listed = archive.entries[-1].record.files
    for number in range(count):
        name = dice.choice(list(kinds.values())[number % len(kinds)])
        path = campaign.folder.root / name
        before = path.read_bytes()
        at, bits = dice.randrange(len(before)), dice.randrange(1, 256)
        after = before[:at] + bytes([before[at] ^ bits]) + before[at + 1 :]
        path.write_bytes(after)
        code, file = _finding(campaign)
        where = f"{name}: byte {at} changed by {bits:#x}"
        if not code:
            assert name not in listed and _only_wrapped(path, before, after), f"{where} and not found"
        elif name in listed:
            assert file == name, f"{where}, but {file} is named ({code})"
        path.write_bytes(before)
    assert _finding(campaign) == ("", "")
    return set(kinds)


@pytest.mark.parametrize("chunk", range(2))
def test_a_changed_byte_of_a_finished_game_is_found(finished_copy: Campaign, chunk: int) -> None:
    assert _flips(finished_copy, chunk, 30) == {"game.toml", "orders/", "receipts/", "ledger/", "letters/"}


def test_a_changed_byte_of_a_game_that_goes_on_is_found(short: Campaign) -> None:
    assert "a signature beside its file" in _flips(short, 0, 40)


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_many_changed_bytes_of_a_finished_game_are_found(finished_copy: Campaign, chunk: int) -> None:
    _flips(finished_copy, 1000 + chunk, MANY // CHUNKS + 1)


@pytest.mark.long
def test_many_changed_bytes_of_a_game_that_goes_on_are_found(short: Campaign) -> None:
    _flips(short, 1, 1000)
