"""Many campaigns in one folder: which lie there, which of them a part of the work is about, which are over."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from pbem.campaign import archive
from pbem.campaign.folder import CampaignError, Folder, numbered, read
from pbem.orders.encoding import sha256

_HEAD = 1024
"""What an entry says of itself before anything that can be long stands within so many bytes."""


def campaigns_in(where: Path) -> list[Path]:
    """The campaigns of a folder, by name: its folders with a ``game.toml``. What is only linked to is not among them.

    CampaignError "cannot-read" when the folder is none or cannot be read.
    """
    found = []
    try:
        with os.scandir(where) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) and _holds_one(where / entry.name):
                    found.append(where / entry.name)
    except OSError as error:
        raise CampaignError("cannot-read", path=str(where), reason=error.strerror or str(error)) from None
    return sorted(found)


def _holds_one(folder: Path) -> bool:
    """Whether a folder is a campaign; one that may not be looked into is taken for one, so that this is told where it is opened."""
    game = folder / "game.toml"
    try:
        return game.is_file() and not game.is_symlink()
    except OSError:
        return True


def part(games: Iterable[Path], number: int, of: int) -> list[Path]:
    """Those of part ``number`` (from 1) of ``of``. Each is placed by its own name alone, so that a new one moves no other."""
    return [game for game in games if int.from_bytes(sha256(game.name.encode())[:8]) % of == number - 1]


def finished(game: Path) -> bool:
    """Whether the last entry of a campaign is its end: known without reading anything else.

    False also where something looks odd, and for an unfinished write: then the campaign has to be looked at.
    """
    entries = numbered(game / "ledger")
    if not entries or int(entries[-1].stem) != len(entries):
        return False
    try:
        with entries[-1].open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    # The program writes an entry's fields in one order, and every text on one line.
    lines = head.split(b"\n")[:5]
    return len(lines) == 5 and lines[1] == b"number = %d" % len(entries) and lines[4] == b'kind = "end"'


def name_of(game: Path) -> str:
    """The name of a campaign, from its game file. Raises as ``archive.load``."""
    return archive.begin(Folder(game), later_keys=False).game.name


def state(folder: Folder) -> str:
    """64 hex that change with whatever happens in a campaign, at the cost of three files read.

    The last entry and the last receipt stand for their chains, which stand for what players sent; whether a file has been tampered with is
    for audit to say.
    """
    known = sha256(read(folder.game))
    for chain in (numbered(folder.ledger), numbered(folder.receipts)):
        known = sha256(known + len(chain).to_bytes(4) + (sha256(read(chain[-1])) if chain else b""))
    for where in (folder.orders, folder.letters):
        known = sha256(known + "\n".join(_names(where)).encode())
    return known.hex()


def _names(where: Path) -> list[str]:
    """The files in the folders of a folder, sorted."""
    return sorted(f"{path.parent.name}/{path.name}" for path in where.glob("*/*"))
