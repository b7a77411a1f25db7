"""A game of three as its players have it: keys, folder, order files; made once, copied for each test."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbem import cli

from ..helpers import environment
from .desk import GAME, SEATS, Desk


def _run(*args: str) -> str:
    done = CliRunner().invoke(cli.pbem, list(args), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="session")
def _began(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    base = tmp_path_factory.mktemp("desk")
    with environment("PBEM_SECRET", None), pytest.MonkeyPatch.context() as patch:
        patch.chdir(base)
        invites = dict(re.findall(r"--seat (\S+) --invite (\S+)", _run("new", GAME, "--title", "ming-dynasty", "--seats", ",".join(SEATS))))
        shutil.copytree(base / GAME, base / "fresh" / GAME)
        for seat, code in invites.items():
            _run("keygen", "-o", f"{seat}.key")
            _run("join", GAME, "--seat", seat, "--invite", code, "--key", f"{seat}.key", "--zone", "UTC")
        _run("receive", GAME, *(f"{seat}.join.toml" for seat in SEATS))
        _run("process", GAME)
        for seat in SEATS:
            _run("orders", GAME, "--seat", seat, "-o", f"{seat}.toml")
    return base, invites


@pytest.fixture
def invites(_began: tuple[Path, dict[str, str]]) -> dict[str, str]:
    """Seat → invite."""
    return _began[1]


@pytest.fixture
def desk(
    _began: tuple[Path, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Desk:
    """The game after its set-up, with a template of each seat."""
    shutil.copytree(_began[0], tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    for name in ("PBEM_SECRET", "PBEM_PASSPHRASE"):
        monkeypatch.delenv(name, raising=False)
    return Desk(tmp_path, capsys)
