"""Every argument and option of every command is given what nobody should type: a sentence and an exit status, never a traceback."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from pbem import cli

from .desk import GAME

NASTY = (  # nothing that would be written to outside of the folder of the test
    "", " ", "Bo", "x" * 5000, "../none/passwd", "\u202ebo", "大明", "a\nb", "-1", "0", "9" * 21, "1e9", "NaN", "*", "@/dev/null",
    "@nofile", "%s{}{{x}}", "bo,bo,bo", os.fsdecode(b"\xff"), "2026-13-45T99:99:99Z", "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z", ".", "mon 25:00 Nowhere/City", "1/0", "key=value", "=", "é" * 40,
)  # fmt: skip
STEP = 15
"""In the short run each word of a command is given every so many-th of these, each word others."""
GOOD = {
    "game": GAME, "games": GAME, "file": "bo.toml", "files": "bo.toml", "key": "bo.key", "seat": "bo", "title": "ming-dynasty",
    "slug": "ming-dynasty", "entry": "4", "sentence": "1", "text": "why", "ground": "organiser", "folder": "new", "seats": "an,bo,chen",
    "invite": "aa72-5ppr-e41b-eg7s-wk96-jnet-9r", "to": "3", "by": "24h",
}  # fmt: skip
"""What the other words are that a command cannot do without."""
NOT_TRIED = {"serve", "demo", "bench"}
"""They run until they are stopped, or for long."""


def _commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(command, click.Group):
        yield path, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        if below is not None and name not in NOT_TRIED:
            yield from _commands(below, (*path, name))


COMMANDS = dict(_commands(cli.pbem))


def _typed(path: tuple[str, ...], which: click.Parameter, word: str) -> list[str]:
    """A command with one nasty word, and beside it only what it cannot do without."""
    args = list(path)
    for one in COMMANDS[path].params:
        value = word if one is which else _good(one) if isinstance(one, click.Argument) or one.required else None
        if value is not None:
            args += [value] if isinstance(one, click.Argument) else [one.opts[-1], value]
    return args


def _good(one: click.Parameter) -> str:
    return str(one.type.choices[0]) if isinstance(one.type, click.Choice) else GOOD.get(one.name or "", "x")


def _words(path: tuple[str, ...]) -> list[click.Parameter]:
    return [one for one in COMMANDS[path].params if isinstance(one, click.Argument) or (isinstance(one, click.Option) and not one.is_flag)]


def _try(folder: Path, path: tuple[str, ...], begin: int, step: int, capsys: pytest.CaptureFixture[str]) -> int:
    """Tries each word of a command with every ``step``-th of NASTY from ``begin`` on; how often."""
    as_it_was, here, tried = folder / "as-it-was", folder / "here", 0
    shutil.copytree(folder, as_it_was, ignore=shutil.ignore_patterns("as-it-was"))
    for number, one in enumerate(_words(path)):
        for word in NASTY[(begin + number) % step :: step]:
            os.chdir(folder)
            shutil.rmtree(here, ignore_errors=True)
            shutil.copytree(as_it_was, here)
            os.chdir(here)
            args = _typed(path, one, word)
            with pytest.raises(SystemExit) as stopped:
                cli.main(args)
            said = "".join(capsys.readouterr())
            assert stopped.value.code in (0, 1, 2, 3, 130), args
            assert "Traceback" not in said, args
            assert stopped.value.code in (0, 130) or said.strip(), f"{args}: nothing is said"
            tried += 1
    return tried


@pytest.fixture
def folder(_began: tuple[Path, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which a game of three has been begun."""
    shutil.copytree(_began[0], tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("getpass.getpass", lambda *_, **__: "")
    for name in ("PBEM_SECRET", "PBEM_PASSPHRASE", "GITHUB_REPOSITORY", "GITHUB_EVENT_PATH", "GITHUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_the_commands_were_found() -> None:
    assert len(COMMANDS) > 35 and ("mail", "fetch") in COMMANDS and ("undo",) in COMMANDS


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_some_nasty_words(path: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begin = list(COMMANDS).index(path)
    assert _try(folder, path, begin, STEP, capsys) >= len(_words(path))


@pytest.mark.long
@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_all_nasty_words(path: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _try(folder, path, 0, 1, capsys) == len(NASTY) * len(_words(path))
