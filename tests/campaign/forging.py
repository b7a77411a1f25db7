"""A processor, or anybody with the files, who cheats: public files changed, chains signed anew with the processor's own key."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import tomli_w

from pbem.campaign import intake, records
from pbem.campaign.folder import numbered
from pbem.orders.encoding import sha256
from pbem.orders.signed import sign_file, split

from ..helpers import Campaign

Change = Callable[[dict[str, Any]], None]


def table(path: Path) -> dict[str, Any]:
    """What a signed record says."""
    return tomllib.loads(split(path.read_bytes(), cap=records.CAP).signed.decode())


def entry(campaign: Campaign, number: int) -> Path:
    return campaign.folder.entry(number)


def last(folder: Path) -> Path:
    """The last record of a chain."""
    return numbered(folder)[-1]


def change_entry(campaign: Campaign, number: int, change: Change) -> str:
    """Changes an entry and signs it and all after it anew. Gives its name."""
    return _change(campaign, campaign.folder.ledger, number, change, records.LEDGER)


def change_receipt(campaign: Campaign, number: int, change: Change) -> str:
    """The same with a receipt."""
    return _change(campaign, campaign.folder.receipts, number, change, records.RECEIPT)


def _change(campaign: Campaign, where: Path, number: int, change: Change, namespace: str) -> str:
    paths = numbered(where)
    tables = [table(path) for path in paths]
    change(tables[number - 1])
    before = sha256(campaign.folder.game.read_bytes()) if number == 1 else split(paths[number - 2].read_bytes(), cap=records.CAP).identity
    for path, told in list(zip(paths, tables, strict=True))[number - 1 :]:
        told["before"] = before.hex()
        before = sign(campaign, path, told, namespace)
    return campaign.folder.relative(paths[number - 1])


def sign(campaign: Campaign, path: Path, told: dict[str, Any], namespace: str) -> bytes:
    """Writes a record signed by the processor; gives its digest."""
    data = sign_file(campaign.secret.signing_key, namespace, tomli_w.dumps(told).encode())
    path.write_bytes(data)
    return split(data, cap=records.CAP).identity


def append_entry(campaign: Campaign, **facts: Any) -> str:
    """One more entry, honestly chained; gives its name."""
    paths = numbered(campaign.folder.ledger)
    told = table(paths[-1])
    head = {key: told[key] for key in ("protocol", "time", "program", "rules", "counted", "position") if key in told}
    told = head | {"number": len(paths) + 1, "before": split(paths[-1].read_bytes(), cap=records.CAP).identity.hex()} | facts
    path = entry(campaign, len(paths) + 1)
    sign(campaign, path, told, records.LEDGER)
    return campaign.folder.relative(path)


def flip(path: Path, at: int, bits: int = 1) -> None:
    """Changes one byte of a file."""
    data = bytearray(path.read_bytes())
    data[at] ^= bits
    path.write_bytes(bytes(data))


def replace_in(path: Path, old: str, new: str) -> None:
    """Changes a text in a file, once."""
    text = path.read_bytes()
    assert text.count(old.encode()) >= 1, old
    path.write_bytes(text.replace(old.encode(), new.encode(), 1))


def rewrap(path: Path, width: int = 60) -> None:
    """The signature block of a file in lines of another length: the same signature."""
    signed = split(path.read_bytes())
    begin, *lines, end = signed.block.splitlines()
    text = "".join(lines)
    block = [begin, *(text[at : at + width] for at in range(0, len(text), width)), end]
    path.write_bytes(signed.signed + "".join(f"# {line}\n" for line in block).encode())


@contextmanager
def takes_everything() -> Iterator[None]:
    """The processor judges nothing."""
    with patch.object(intake, "judge", lambda *_: None):
        yield


@contextmanager
def refuses_with(code: str) -> Iterator[None]:
    """The processor refuses every order for a reason of his choosing."""

    def judge(*_: Any) -> None:
        raise intake.Refused(code)

    with patch.object(intake, "judge", judge):
        yield
