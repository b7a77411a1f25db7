"""Many runs at once on one campaign, and two processors on two copies of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from pbem import cli
from pbem.campaign import clock
from pbem.campaign.archive import load
from pbem.campaign.audit import Report, audit
from pbem.campaign.folder import numbered
from pbem.orders.signed import split

from ..helpers import Campaign

git = shutil.which("git")
LIMIT = 120
"""Seconds after which a run that has not finished hangs."""


class Running:
    """Commands in processes of their own, which all begin at the same moment; ``finish`` gives status and words of each."""

    def __init__(self, commands: Sequence[Sequence[str]], at: Path) -> None:
        self._at, self._children = at, list[int]()
        at.mkdir()
        reading, self._starting = os.pipe()
        for number, command in enumerate(commands):
            child = os.fork()
            if not child:
                os.close(self._starting)
                self._become(command, number, reading)
            self._children.append(child)
        os.close(reading)

    def _become(self, command: Sequence[str], number: int, gate: int) -> None:
        status = 99
        try:
            with (self._at / f"{number}").open("w", encoding="utf-8") as told:
                sys.stdout = sys.stderr = told
                os.read(gate, 1)
                try:
                    cli.main(list(command))
                except SystemExit as stopped:
                    status = int(stopped.code or 0)
        finally:
            os._exit(status)

    def start(self) -> Running:
        os.close(self._starting)
        return self

    def finish(self) -> list[tuple[int, str]]:
        until = time.monotonic() + LIMIT
        done = []
        for number, child in enumerate(self._children):
            while not (ended := os.waitpid(child, os.WNOHANG))[0]:
                assert time.monotonic() < until, f"run {number} hangs"
                time.sleep(0.01)
            done.append((os.waitstatus_to_exitcode(ended[1]), (self._at / f"{number}").read_text(encoding="utf-8")))
        return done


def _twenty(campaign: Campaign, at: Path) -> tuple[list[Path], int]:
    """Bids, each twice (once wrapped otherwise), nonsense, files signed by another, files for a phase that is not announced; and how
    many different ones they are."""
    bids = campaign.bids()
    other = dict(zip(bids, (*list(bids)[1:], next(iter(bids))), strict=True))
    signed = {
        "bid": list(bids.values()),
        "again": [split(data).signed + data[len(split(data).signed) :].replace(b"\n", b"\r\n") for data in bids.values()],
        "nonsense": [f"nonsense {seat}\n".encode() for seat in bids],
        "forged": [campaign.signed(seat, "2.return", [], key=campaign.players[other[seat]].key) for seat in bids],
        "early": [campaign.signed(seat, "6.place", []) for seat in bids],
    }
    at.mkdir()
    paths = []
    for kind, files in signed.items():
        for number, data in enumerate(files):
            paths.append(at / f"{kind}.{number}.toml")
            paths[-1].write_bytes(data)
    return paths, 4 * len(bids)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_twenty_receive_and_five_process_at_once(bidding: Campaign, tmp_path: Path) -> None:
    game, now = str(bidding.folder.root), clock.text(bidding.now)
    paths, different = _twenty(bidding, tmp_path / "mails")
    assert len(paths) == 20
    before = load(bidding.folder, check=True)
    commands = [["receive", game, str(path), "--now", now] for path in paths]
    for number in range(5):
        commands.insert(1 + 5 * number, ["process", game, "--now", now])
    # Somebody who only looks meets no half-written turn either.
    commands += [["audit", game], ["audit", game], ["status", game, "--now", now]]
    done = Running(commands, tmp_path / "told").start().finish()
    bidding.process()
    after = load(bidding.folder, check=True)
    new = [kept.record for kept in after.receipts[len(before.receipts) :]]
    assert len({receipt.file for receipt in new}) == len(new) == different
    assert sorted(receipt.reason for receipt in new) == sorted(["", "no-signature", "wrong-key", "unknown-phase"] * (different // 4))
    assert len(after.entries) == len(before.entries) + 1
    report = audit(bidding.folder)
    assert (report.fault, report.notices) == (None, [])
    for command, (status, told) in zip(commands, done, strict=True):
        good = command[0] != "receive" or Path(command[2]).name.startswith(("bid", "again"))
        assert (status in (0, 3) if command[0] == "status" else status == int(not good)), (command, told)
        assert "error" not in told, (command, told)
    assert not list(bidding.folder.root.rglob(".pbem-tmp-*"))


# -- two processors ----------------------------------------------------------------------------------------------------


def _two(campaign: Campaign, tmp_path: Path) -> tuple[Campaign, Campaign]:
    """Two copies in which two machines, both with the secret, have processed different files."""
    copies = []
    for at, district in (("one", "yunnan-b"), ("two", "zhili-a")):
        copy = campaign.copy(tmp_path / at)
        assert copy.file("an", "0.prince", [{"do": "prince", "district": district}]).receipt.accepted
        assert len(copy.process().entries) == 1
        copies.append(copy)
    return copies[0], copies[1]


def _fault(report: Report) -> tuple[str, str]:
    assert report.fault is not None
    return report.fault.code, report.fault.file


def test_audit_names_the_first_file_in_which_two_copies_differ(campaign: Campaign, tmp_path: Path) -> None:
    one, two = _two(campaign, tmp_path)
    last = campaign.folder.entry(len(numbered(one.folder.ledger)))
    assert audit(one.folder).fault is audit(two.folder).fault is None
    assert _fault(audit(one.folder, against=two.folder.root)) == ("copies-differ", f"ledger/{last.name}")
    assert _fault(audit(two.folder, against=one.folder.root)) == ("copies-differ", f"ledger/{last.name}")
    # An older copy is no other copy.
    assert audit(one.folder, against=campaign.folder.root).fault is None
    assert _fault(audit(campaign.folder, against=one.folder.root)) == ("shorter-than-other", "ledger")


@pytest.mark.parametrize("taken", ["ledger", "receipts", "orders", "letters", "ledger receipts"])
def test_a_folder_mixed_from_two_copies_is_false(campaign: Campaign, tmp_path: Path, taken: str) -> None:
    one, two = _two(campaign, tmp_path)
    for name in taken.split():
        shutil.rmtree(one.folder.root / name)
        shutil.copytree(two.folder.root / name, one.folder.root / name)
    code, file = _fault(audit(one.folder))
    assert code
    assert (one.folder.root / file).parent.is_dir()


def test_the_next_run_on_a_mixed_folder_writes_nothing(campaign: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = _two(campaign, tmp_path)
    shutil.copytree(two.folder.receipts, one.folder.receipts, dirs_exist_ok=True)
    before = {path: path.read_bytes() for path in one.folder.ledger.iterdir()}
    with pytest.raises(SystemExit) as stopped:
        cli.main(["process", str(one.folder.root), "--now", clock.text(one.now)])
    told = capsys.readouterr().err
    assert stopped.value.code == 1
    assert "error: " in told
    assert "nothing was written" in told
    assert {path: path.read_bytes() for path in one.folder.ledger.iterdir()} == before


def _git(at: Path, *args: str, status: int = 0) -> str:
    assert git is not None
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(at), "PATH": os.environ["PATH"]}
    who = ("-c", "user.name=an", "-c", "user.email=an@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run([git, *who, *args], cwd=at, env=alone, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(git is None, reason="git is not installed")
def test_git_will_not_merge_what_two_processors_wrote(
    campaign: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = campaign.copy(tmp_path / "base")
    home = base.folder.root
    for args in (("init", "-q"), ("add", "."), ("commit", "-qm", "begun")):
        _git(home, *args)
    assert "private" not in _git(home, "ls-files")
    one, two = _two(base, tmp_path)
    for copy in (one, two):
        _git(copy.folder.root, "add", ".")
        _git(copy.folder.root, "commit", "-qm", "processed")
    _git(one.folder.root, "fetch", "-q", str(two.folder.root))
    _git(one.folder.root, "merge", "FETCH_HEAD", status=1)
    last = f"ledger/{len(numbered(one.folder.ledger)):04}.toml"
    conflicts = _git(one.folder.root, "diff", "--name-only", "--diff-filter=U").split()
    assert last in conflicts
    for command in (("process", "--now", clock.text(one.now)), ("audit",), ("status",)):
        with pytest.raises(SystemExit) as stopped:
            cli.main([command[0], str(one.folder.root), *command[1:]])
        told = "".join(capsys.readouterr())
        assert stopped.value.code == 1
        assert "holds two versions, as git leaves them when two machines have processed two copies" in told
        assert "keep one copy whole" in told
    # Where one of the two is taken, the other's order is a file without a receipt: the next run answers it, and nothing is lost.
    _git(one.folder.root, "checkout", "--ours", "--", *conflicts)
    report = audit(one.folder)
    assert report.fault is None
    [(code, facts)] = report.notices
    assert code == "unanswered"
    assert (one.folder.root / str(facts["file"])).read_bytes() in [path.read_bytes() for path in two.folder.orders.rglob("*.toml")]
    assert [got.receipt.reason for got in one.process().adopted] == ["stale"]
    report = audit(one.folder)
    assert (report.fault, report.notices) == (None, [])


@pytest.mark.skipif(git is None, reason="git is not installed")
def test_one_copy_is_kept_whole_and_the_files_of_the_other_are_answered(campaign: Campaign, tmp_path: Path) -> None:
    """As docs/organisers.md says. The other copy has gone further, so that taking "ours" file by file would leave half of it here."""
    base = campaign.copy(tmp_path / "base")
    for args in (("init", "-q"), ("add", "."), ("commit", "-qm", "begun")):
        _git(base.folder.root, *args)
    one, two = _two(base, tmp_path)
    two.silent_until("1.draw")
    for copy in (one, two):
        _git(copy.folder.root, "add", ".")
        _git(copy.folder.root, "commit", "-qm", "processed")
    kept = {path: path.read_bytes() for where in (one.folder.ledger, one.folder.receipts) for path in where.iterdir()}
    _git(one.folder.root, "fetch", "-q", str(two.folder.root))
    _git(one.folder.root, "merge", "FETCH_HEAD", status=1)
    fault = audit(one.folder).fault
    assert fault is not None and fault.code in ("two-copies", "chain-broken")
    _git(one.folder.root, "merge", "--abort")
    _git(one.folder.root, "merge", "-q", "-s", "ours", "--no-commit", "FETCH_HEAD")
    _git(one.folder.root, "checkout", "FETCH_HEAD", "--", "orders")
    theirs = {path.name: path.read_bytes() for path in two.folder.orders.rglob("*.toml")}
    known = {path.name for path in one.folder.orders.rglob("*.toml")}
    assert set(theirs) <= known
    answered = one.process().adopted
    assert answered
    assert kept.items() <= {path: path.read_bytes() for path in (*one.folder.ledger.iterdir(), *one.folder.receipts.iterdir())}.items()
    assert (audit(one.folder).fault, audit(one.folder).notices) == (None, [])
    refused = [path.read_bytes() for path in one.folder.refused.iterdir()]
    taken = [path.read_bytes() for path in one.folder.orders.rglob("*.toml")]
    assert all(data in taken + refused for data in theirs.values()), "no file is lost"
    _git(one.folder.root, "add", ".")
    _git(one.folder.root, "commit", "-qm", "one copy")
