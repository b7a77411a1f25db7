"""One process at a time."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from pbem.campaign.folder import CampaignError, held

HOLDS = """
import sys, pathlib
from pbem.campaign.folder import held
with held(pathlib.Path(sys.argv[1]), 0, pathlib.Path()):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_another_process_waits_or_gives_up(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin is not None and other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(CampaignError, match="busy"), held(lock, 0.1, lock):
            pass
        other.stdin.write("\n")
        other.stdin.flush()
        with held(lock, 20, lock):
            pass
    assert other.returncode == 0


def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        other.kill()
    with held(lock, 5, lock):
        pass


def test_it_is_free_again_whatever_happens_within(tmp_path: Path) -> None:
    with pytest.raises(KeyError), held(tmp_path / "lock", 0, tmp_path):
        raise KeyError
    with held(tmp_path / "lock", 0, tmp_path):
        pass


@pytest.mark.skipif(os.name == "nt", reason="a file in use cannot be removed there")
def test_a_lock_that_was_cleared_away_meanwhile_is_none(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    entered = threading.Event()

    def wait() -> None:
        with held(lock, 20, lock):
            entered.set()

    with held(lock, 0, lock):
        other = threading.Thread(target=wait)
        other.start()
        time.sleep(0.1)
        lock.unlink()
    other.join(20)
    assert entered.is_set() and lock.exists()
