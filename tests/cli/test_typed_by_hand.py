"""What organisers and players type and write by hand at the places where nobody expects it: one clear sentence each."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .desk import GAME, Desk

NEW = ("new", "games/spring", "--title", "ming-dynasty", "--seats", "an,bo,chen")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the board file b.toml is empty"),
        ("name = “standard”\n".encode(), "line 1, column 8"),
        (b'\xef\xbb\xbfname = "x"\n', "line 1, column 1"),
        ('name = "x"\n'.encode("utf-16"), "UTF-8"),
        (b"borders = [\n", "is not closed"),
    ],
)
def test_a_board_file_that_cannot_be_read(desk: Desk, data: bytes, said: str) -> None:
    Path("b.toml").write_bytes(data)
    assert said in desk.run(*NEW, "--option", "board=@b.toml", status=1)
    assert not Path("games/spring").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name here")
def test_a_pipe_is_no_file(desk: Desk) -> None:
    os.mkfifo("pipe")
    assert "pipe is no board file" in desk.run(*NEW, "--option", "board=@pipe", status=1)
    assert "pipe is no case file" in desk.run("case", "pipe", status=1)
    assert "pipe is no order or join file" in desk.run("receive", GAME, "pipe", status=1)


def test_the_folder_above_and_the_game_file_are_no_campaign_and_where_it_is_is_said(desk: Desk) -> None:
    assert str(Path(GAME)) in desk.run("status", "games", status=1)
    assert f"name it: {Path(GAME)}" in desk.run("process", f"{GAME}/game.toml", status=1)
    assert "pbem new" in desk.run("process", "elsewhere", status=1)


def test_a_game_file_edited_by_hand(desk: Desk) -> None:
    desk.edit(f"{GAME}/game.toml", 'silence = "default"', 'silence = "never"')
    told = desk.run("status", GAME, status=1)
    assert "game.toml is not a game file as pbem writes it" in told
    assert "never" in told
    assert "take it from another copy" in told


def test_a_secret_key_is_known_for_what_it_is(desk: Desk) -> None:
    told = desk.run("receive", GAME, "an.key", status=1)
    assert "an.key holds a secret key" in told
    assert "PRIVATE" not in told


def test_cases_that_are_none(desk: Desk) -> None:
    Path("empty").mkdir()
    assert "there are no case files in empty" in desk.run("case", "empty", status=1)
    Path("c.toml").write_text('rule = "x"\n', encoding="utf-8")
    assert "the case has no title" in desk.run("case", "c.toml", status=1)


def test_counts_and_lists_of_one_and_none(desk: Desk) -> None:
    assert "it is for 2\n" in desk.run("new", "games/a", "--title", "azure", "--seats", "an,bo,chen", status=1)
    assert "it has none at all" in desk.run("new", "games/a", "--title", "carolus-magnus", "--seats", "an,bo", "--option", "x=1", status=1)
    desk.run(*NEW)
    assert "(an, bo, chen)" in desk.run("secret", "renew", "games/spring", status=1)
    assert "The public file there is is listed" in desk.run("end", "games/spring")


def test_a_secret_that_is_there_is_not_written_over(desk: Desk) -> None:
    words = desk.run("secret", "show", GAME)
    told = desk.run("secret", "restore", GAME, "--words", words, status=1)
    assert "pbem secret check" in told
    assert "-o" not in told.replace("pbem secret check", "")
