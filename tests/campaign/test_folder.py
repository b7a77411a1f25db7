"""Files are written whole or not at all, and only one run works at a time."""

from __future__ import annotations

import os
import stat
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pbem.campaign.folder import CampaignError, Folder, numbered, read, write


def _watch(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which calls that matter to the disk come in which order."""
    calls: list[str] = []
    true_fsync, true_replace = os.fsync, os.replace

    def fsync(handle: int) -> None:
        calls.append("fsync folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "fsync file")
        true_fsync(handle)

    def replace(source: Any, target: Any) -> None:
        calls.append("rename")
        true_replace(source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    return calls


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot open folders")
def test_a_file_is_on_the_disk_before_its_name_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = _watch(monkeypatch)
    write(tmp_path / "deep" / "file.toml", b"content")
    assert calls == ["fsync file", "rename", "fsync folder"]
    assert (tmp_path / "deep" / "file.toml").read_bytes() == b"content"


def test_what_cannot_be_written_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.toml"
    write(path, b"old")

    def full(handle: int) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        write(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_mode_and_date(tmp_path: Path) -> None:
    received = datetime(2026, 11, 1, 19, 0, tzinfo=UTC)
    write(tmp_path / "file.toml", b"x", mode=0o600, modified=received)
    told = (tmp_path / "file.toml").stat()
    assert told.st_mtime == received.timestamp()
    if sys.platform != "win32":
        assert stat.S_IMODE(told.st_mode) == 0o600


def test_reading_is_capped(tmp_path: Path) -> None:
    path = tmp_path / "file.toml"
    path.write_bytes(b"a" * 100)
    assert read(path, 100) == b"a" * 100
    for wrong, code in ((path, "too-large"), (tmp_path, "not-a-file"), (tmp_path / "gone", "not-a-file")):
        with pytest.raises(CampaignError) as caught:
            read(wrong, 99)
        assert caught.value.code == code


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_what_may_not_be_read_is_said(tmp_path: Path) -> None:
    path = tmp_path / "file.toml"
    path.write_bytes(b"x")
    path.chmod(0)
    with pytest.raises(CampaignError) as caught:
        read(path)
    assert caught.value.code == "cannot-read"


def test_records_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("0010.toml", "0009.toml", "10000.toml", "0001.toml.bak", "1.toml", ".pbem-tmp-1", "0002.txt"):
        (tmp_path / name).write_bytes(b"")
    assert [path.name for path in numbered(tmp_path)] == ["0009.toml", "0010.toml", "10000.toml"]
    assert numbered(tmp_path / "gone") == []


def test_the_lock_sweeps_what_a_killed_run_left(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "winter-court")
    folder.root.mkdir()
    left = [where / ".pbem-tmp-1" for where in (folder.root, folder.ledger, folder.orders / "1.place", folder.letters / "an")]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"half")
    with folder.locked():
        assert not any(path.exists() for path in left)
    assert (folder.private / ".gitignore").read_text() == "*\n"


def test_a_path_is_named_from_the_campaigns_folder(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert folder.relative(folder.letter("an", "r0007")) == "letters/an/r0007.toml"
    assert folder.relative(folder.entry(12345)) == "ledger/12345.toml"
    assert folder.relative(folder.order("3.move", "an", 2, bytes.fromhex("9f3c07aa" * 8))) == "orders/3.move/an.2-9f3c07aa.toml"
