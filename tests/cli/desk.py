"""A folder to work in, and ``pbem`` typed in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem import cli

GAME = "games/winter-court"
SEATS = ("an", "bo", "chen")


class Desk:
    """``run`` gives what a command printed, also on standard error; its exit status must be the one expected."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys

    def run(self, *args: str, status: int = 0) -> str:
        with pytest.raises(SystemExit) as stopped:
            cli.main(list(args))
        out, err = self._capsys.readouterr()
        told = out + err
        assert int(stopped.value.code or 0) == status, told
        assert "Traceback" not in told
        return told

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8", newline="\n")

    def take_off(self, name: str, words: str) -> None:
        """Takes the # off the line that holds these words."""
        path = self.folder / name
        lines = path.read_text(encoding="utf-8").splitlines()
        found = [line for line in lines if line.startswith("# ") and words in line]
        assert found
        self.edit(name, found[0], found[0][2:])
