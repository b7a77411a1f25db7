"""A disk that is full, broken or forbidden, at each of its calls in turn: one sentence, nothing lost, and the next run carries on."""

from __future__ import annotations

import builtins
import errno
import io
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pbem import cli
from pbem.campaign import clock
from pbem.campaign.archive import load
from pbem.campaign.audit import audit
from pbem.campaign.folder import Folder, numbered, write
from pbem.campaign.replay import processor_secret
from pbem.campaign.turn import correct
from pbem.orders.sshsig import sign as ssh_sign

from ..helpers import Campaign

WRITING = ("open", "fdopen", "fsync", "utime", "replace", "unlink", "mkdir")
READING = ("stat", "scandir", "listdir")
ERRORS = {"full": errno.ENOSPC, "broken": errno.EIO, "forbidden": errno.EACCES}
EVERY = 10_000


class _Disk:
    """Counts the calls of ``os`` that touch a folder and lets one of them fail. What had been written by then may be half there."""

    def __init__(self, root: Path, failing: int, code: int) -> None:
        self.count, self.failed, self.harmless = 0, "", False
        self._root, self._failing, self._code = str(root), failing, code
        self._handles: set[int] = set()

    def _touches(self, arguments: tuple[Any, ...]) -> bool:
        target = arguments[0] if arguments else ""
        return target in self._handles if isinstance(target, int) else os.fspath(target).startswith(self._root)

    def wrapped(self, name: str, true: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if not self._touches(args):
                return true(*args, **kwargs)
            self.count += 1
            if self.count == self._failing:
                self.failed = name
                self.harmless = name in ("unlink", *READING) or (name == "mkdir" and Path(args[0]).is_dir())
                if name != "fdopen":
                    raise OSError(self._code, os.strerror(self._code), None if isinstance(args[0], int) else os.fspath(args[0]))
                return _Choking(true(*args, **kwargs), self._code)
            made = true(*args, **kwargs)
            if name == "open" and isinstance(made, int):
                self._handles.add(made)
            return made

        return call


class _Choking:
    """A file that takes half of what is written to it."""

    def __init__(self, file: Any, code: int) -> None:
        self._file, self._code = file, code

    def __enter__(self) -> _Choking:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, data: bytes) -> None:
        self._file.write(data[: len(data) // 2])
        raise OSError(self._code, os.strerror(self._code))


@contextmanager
def _disk(root: Path, failing: int, code: int = errno.EIO, *, reading: bool = False) -> Iterator[_Disk]:
    disk = _Disk(root, failing, code)
    with pytest.MonkeyPatch.context() as patch:
        for name in WRITING + (READING if reading else ()):
            patch.setattr(os, name, disk.wrapped(name, getattr(os, name)))
        if reading:
            patch.setattr(io, "open", disk.wrapped("io.open", builtins.open))
        yield disk


def _run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stopped:
        cli.main(list(args))
    out, err = capsys.readouterr()
    return int(stopped.value.code or 0), out + err


def _sentence(told: str, root: Path) -> None:
    """One error in one sentence: what, why; no temporary names."""
    lines = re.findall(r"^error: .*", told, re.MULTILINE)
    assert len(lines) == 1, told
    reasons = "|".join(re.escape(os.strerror(code)) for code in ERRORS.values())
    assert re.search(rf"(cannot be written|cannot be read): ({reasons})", lines[0]), told
    assert str(root) in lines[0]
    assert ".pbem-tmp-" not in told
    assert "Traceback" not in told


def _state(folder: Folder) -> tuple[Any, ...]:
    """What counts of a campaign: receipts, entries and order files; letters and what is sealed in them differ in each run."""
    archive = load(folder, check=True)
    receipts = [
        (one.number, one.file, one.seat, one.phase, one.revision, one.verdict, one.reason, one.received, one.taken)
        for one in (kept.record for kept in archive.receipts)
    ]
    entries = [(kept.record.kind, kept.record.counted, kept.record.position, kept.record.played) for kept in archive.entries]
    orders = {folder.relative(path): path.read_bytes() for path in folder.orders.rglob("*") if path.is_file()}
    return receipts, entries, orders


def _fail_each(
    base: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: Callable[[Path], list[str]], *,
    at_most: int, codes: tuple[str, ...] = tuple(ERRORS), reading: bool = False,
) -> int:  # fmt: skip
    """Lets the calls of a command fail, one in each run (several errors: in turn), and then runs it again. The number of runs."""
    whole = base.copy(tmp_path / "whole")
    with _disk(whole.folder.root, 0, reading=reading) as counter:
        status, told = _run(capsys, *command(whole.folder.root))
    assert "error:" not in told
    wanted = _state(whole.folder)
    moments = sorted({1 + number * counter.count // at_most for number in range(at_most)})
    for number, moment in enumerate(moments):
        at = tmp_path / f"failing-{number}"
        copy = base.copy(at)
        root = copy.folder.root
        before = _state(copy.folder)
        with _disk(root, moment, ERRORS[codes[number % len(codes)]], reading=reading) as disk:
            failed, told = _run(capsys, *command(root))
        assert disk.failed
        if "error:" in told or failed != status:
            assert failed == 1, told
            _sentence(told, root)
        else:
            # A stray that cannot be swept, or a folder that cannot be made but is there, stops nothing.
            assert disk.harmless, (disk.failed, told)
        now = _state(copy.folder)
        assert now[0][: len(before[0])] == before[0]
        assert now[1][: len(before[1])] == before[1]
        assert audit(copy.folder).fault is None
        assert _run(capsys, *command(root))[0] == status
        assert _state(copy.folder) == wanted
        assert audit(copy.folder).fault is None
        assert not list(root.rglob(".pbem-tmp-*"))
    return len(moments)


def _mails(campaign: Campaign, tmp_path: Path) -> list[str]:
    """An order, one with its signature beside it, and one that nobody signed."""
    beside = campaign.text("bo", "0.prince", [{"do": "prince", "district": "zhili-b"}])
    files = {
        "an.order.toml": campaign.signed("an", "0.prince", [{"do": "prince", "district": "yunnan-b"}]),
        "bo.order.toml": beside,
        "bo.order.toml.sig": ssh_sign(campaign.players["bo"].key, "order@pbem", beside).encode(),
        "nobody.toml": b"nonsense\n",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    return [str(tmp_path / name) for name in files if not name.endswith(".sig")]


def _receive(campaign: Campaign, files: list[str]) -> Callable[[Path], list[str]]:
    return lambda root: ["receive", str(root), *files, "--now", clock.text(campaign.now)]


def _process(campaign: Campaign) -> Callable[[Path], list[str]]:
    return lambda root: ["process", str(root), "--now", clock.text(campaign.now)]


def test_receive_on_a_failing_disk(campaign: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _fail_each(campaign, tmp_path, capsys, _receive(campaign, _mails(campaign, tmp_path)), at_most=12) == 12


def test_process_on_a_failing_disk(bidding: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bidding.receive(*bidding.bids().values())
    assert _fail_each(bidding, tmp_path, capsys, _process(bidding), at_most=7) == 7


@pytest.mark.long
@pytest.mark.parametrize("error", ERRORS)
def test_receive_with_each_call_failing(campaign: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str], error: str) -> None:
    command = _receive(campaign, _mails(campaign, tmp_path))
    assert _fail_each(campaign, tmp_path, capsys, command, at_most=EVERY, codes=(error,)) > 50


@pytest.mark.long
@pytest.mark.parametrize("error", ERRORS)
def test_process_with_each_call_failing(bidding: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str], error: str) -> None:
    bidding.receive(*bidding.bids().values())
    assert _fail_each(bidding, tmp_path, capsys, _process(bidding), at_most=EVERY, codes=(error,)) > 10


@pytest.mark.long
@pytest.mark.parametrize("error", ["broken", "forbidden"])
def test_receive_and_process_with_reading_failing(
    bidding: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str], error: str
) -> None:
    """Now every stat, listing and opening counts too."""
    names = []
    for number, data in enumerate(bidding.bids().values()):
        path = tmp_path / f"{number}.order.toml"
        path.write_bytes(data)
        names.append(str(path))
    assert _fail_each(bidding, tmp_path / "r", capsys, _receive(bidding, names), at_most=100, codes=(error,), reading=True) == 100
    bidding.receive(*(Path(name).read_bytes() for name in names))
    assert _fail_each(bidding, tmp_path / "p", capsys, _process(bidding), at_most=100, codes=(error,), reading=True) == 100


# -- the bricks --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", ERRORS)
def test_a_file_that_could_not_be_written_is_named_and_what_was_there_stays(tmp_path: Path, error: str) -> None:
    path = tmp_path / "0001.toml"
    path.write_bytes(b"as it was")
    # Making the folder, which is there, may fail; then it is opened, written, synchronised and renamed.
    for failing in range(2, 6):
        with _disk(tmp_path, failing, ERRORS[error]), pytest.raises(OSError, match=os.strerror(ERRORS[error])) as caught:
            write(path, b"as it shall be")
        assert caught.value.filename == str(path)
        assert caught.value.errno == ERRORS[error]
        assert path.read_bytes() == b"as it was"
    assert [each.name for each in tmp_path.iterdir()] == ["0001.toml"]


def test_a_lock_that_cannot_be_made_is_a_sentence(campaign: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (campaign.folder.private / "lock").unlink(missing_ok=True)
    (campaign.folder.private / "lock").mkdir()
    status, told = _run(capsys, *_process(campaign)(campaign.folder.root))
    assert (status, told.count("error: ")) == (1, 1)
    assert "Traceback" not in told


# -- what an interrupted run leaves, and a correction after it ------------------------------------------------------------


def _letter_of_an_entry_never_written(campaign: Campaign) -> Path:
    stray = campaign.folder.letter("an", f"e{len(numbered(campaign.folder.ledger)) + 1:04}")
    stray.parent.mkdir(parents=True, exist_ok=True)
    stray.write_bytes(b"from a run that was killed")
    return stray


def test_a_correction_sweeps_what_an_interrupted_run_left(campaign: Campaign) -> None:
    stray = _letter_of_an_entry_never_written(campaign)
    correct(campaign.folder, campaign.now, "amend", settings={"close": "24h"})
    assert not stray.exists()
    assert audit(campaign.folder).fault is None


@pytest.mark.parametrize("kind", ["end", "substitute", "rollback"])
def test_a_correction_answers_a_file_that_an_interrupted_run_left(campaign: Campaign, kind: str) -> None:
    if kind == "rollback":
        campaign.process(close="0.prince")
    to = len(numbered(campaign.folder.ledger)) - 1
    [got] = campaign.receive(campaign.signed("an", campaign.phase(), [{"do": "prince", "district": "yunnan-b"}]))
    receipt = campaign.folder.receipt(got.receipt.number)
    receipt.unlink()
    correct(campaign.folder, campaign.now, kind, seat="bo" if kind == "substitute" else "", to=to if kind == "rollback" else 0)
    assert load(campaign.folder, check=True).receipt(got.receipt.number).file == got.receipt.file
    assert audit(campaign.folder).fault is None


def test_what_is_put_among_the_orders_after_the_end_gets_no_receipt(finished_copy: Campaign) -> None:
    stray = finished_copy.folder.orders / "0.prince" / "an.9-00000000.toml"
    stray.write_bytes(b"too late")
    receipts = numbered(finished_copy.folder.receipts)
    assert finished_copy.process().entries == []
    assert numbered(finished_copy.folder.receipts) == receipts
    fault = audit(finished_copy.folder).fault
    assert fault is not None
    assert (fault.code, fault.file) == ("unaccounted", "orders/0.prince/an.9-00000000.toml")
    stray.unlink()
    assert audit(finished_copy.folder).fault is None


def test_a_secret_that_cannot_be_read_is_no_missing_secret(campaign: Campaign) -> None:
    with _disk(campaign.folder.secret, 1, errno.EACCES, reading=True), pytest.raises(OSError, match=os.strerror(errno.EACCES)):
        processor_secret(campaign.folder.root)
    assert processor_secret(campaign.folder.root).raw == campaign.secret.raw
