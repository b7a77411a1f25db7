"""A folder of a newer protocol is refused in a sentence that says what to do, never taken for a forgery, and never written to."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.campaign.folder import Folder
from pbem.cli import main

from ..helpers import joined_campaign
from .forging import append_entry

EXAMPLE = Path(__file__).parents[2] / "games" / "example-every-entry-hidden"


def _game(root: Path) -> str:
    """All of it is newer: keys that nobody knows yet."""
    path = root / "game.toml"
    path.write_bytes(path.read_bytes().replace(b"protocol = 1\n", b'protocol = 2\nweather = "rain"\n', 1))
    return root.name


def _entry(root: Path) -> str:
    """A newer version has gone on with it."""
    path = max((root / "ledger").iterdir())
    path.write_bytes(path.read_bytes().replace(b"protocol = 1\n", b'protocol = 2\nweather = "rain"\n', 1))
    return f"ledger/{path.name}"


@pytest.mark.parametrize("change", [_game, _entry])
@pytest.mark.parametrize("command", ["audit", "status", "process", "show", "report"])
def test_it_is_refused_in_a_sentence(
    change: Callable[[Path], str], command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / EXAMPLE.name
    shutil.copytree(EXAMPLE, root)
    where = change(root)
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    with pytest.raises(SystemExit) as stopped:
        main([command, str(root)])
    told = capsys.readouterr()
    assert stopped.value.code == 1
    assert f"{where} was made by a newer pbem (protocol 2; this one knows 1)\nhint: install the newest pbem" in told.err
    assert "FALSE" not in told.out
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and "private" not in path.parts} == before


@pytest.mark.parametrize("protocol", [0, -1])
def test_an_entry_of_no_protocol_there_was_is_false(protocol: int, tmp_path: Path) -> None:
    from pbem.campaign.audit import audit

    campaign = joined_campaign(tmp_path)
    name = append_entry(campaign, kind="pause", until="2026-12-01T00:00:00Z", ground="organiser", protocol=protocol)
    fault = audit(Folder(campaign.folder.root)).fault
    assert fault is not None
    assert (fault.code, fault.file, fault.facts["why"]) == ("bad-unreadable", name, "protocol")
