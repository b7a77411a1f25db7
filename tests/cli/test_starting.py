"""What pbem new says and writes, and what it says of options that do not fit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .desk import Desk

NEW = ("new", "games/spring", "--title", "ming-dynasty", "--seats", "an,bo,chen")
ROOT = Path(__file__).parents[2]


def test_the_line_for_a_player_works_where_he_saved_the_game_file(desk: Desk) -> None:
    told = desk.run(*NEW)
    assert re.search(r"^  pbem join game\.toml --seat bo --invite \S+$", told, re.MULTILINE)
    assert "spring.zip" in told


def test_git_leaves_the_line_ends_alone(desk: Desk) -> None:
    desk.run(*NEW)
    assert (desk.folder / "games/spring/.gitattributes").read_bytes() == b"* -text\n"
    desk.run("audit", "games/spring")
    assert "games/** -text" in (ROOT / ".gitattributes").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("bids=by-provinc", "the option bids cannot be by-provinc; it is together or by-province; did you mean by-province?"),
        ("neutral_start=12", "the option neutral_start cannot be 12; it is a whole number from 0 to 9"),
        ("board=7", "the option board cannot be 7; it is a text"),
        ("board=standart", 'There is no board "standart"'),
        ("board=b.toml", "--option board=@b.toml"),
        ("board=@b.toml", "there is no board file b.toml"),
        ("board=@games", "games is a folder and no board file"),
    ],
)
def test_an_option_that_does_not_fit_is_told_in_a_sentence(desk: Desk, option: str, said: str) -> None:
    told = desk.run(*NEW, "--option", option, status=1)
    assert said in told
    assert "$" not in told
    assert "`" not in told
    assert not (desk.folder / "games/spring").exists()


def test_what_cannot_be_written_is_named_as_it_was_typed(desk: Desk) -> None:
    (desk.folder / "busy").write_text("here is a file", encoding="utf-8")
    told = desk.run("new", "busy/spring", *NEW[2:], status=1)
    assert f"error: {Path('busy/spring')} cannot be written" in told
