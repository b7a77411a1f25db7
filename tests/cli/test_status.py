"""Status of several campaigns: who blocks each, since when, and which comes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from .desk import GAME, Desk


def test_what_is_due_comes_first_then_who_has_been_waited_for_longest(desk: Desk) -> None:
    for name, now in (("late", "2020-01-03T12:00"), ("early", "2020-01-01T12:00"), ("middle", "2020-01-02T12:00")):
        desk.run("new", name, "--title", "azure", "--seats", "li,wu", "--close", "none", "--now", now)
    told = desk.run("status", "late", "middle", "early", "--now", "2020-01-04T12:00")
    assert [line.split()[0] for line in told.splitlines()] == ["early", "middle", "late"]
    assert told.splitlines()[0].split("  ")[3:] == ["joining", "waits for li, wu", "since 3 d", "no closing time"]


def test_a_closing_time_that_has_passed_is_due_and_said_by_the_exit_status(desk: Desk) -> None:
    desk.run("new", "early", "--title", "azure", "--seats", "li,wu", "--now", "2020-01-01T12:00")
    assert desk.run("status", "early", GAME).splitlines()[0].startswith("    early")
    closes = desk.run("status", GAME, "--json")
    later = closes.split('"closes": "')[1][:4]
    told = desk.run("status", "early", GAME, "--now", f"{later}-12-31T23:00", status=3)
    first, second = told.splitlines()
    assert first.startswith(f"DUE {Path(GAME)}")
    assert "waits for an" in first or "waits for bo" in first or "waits for chen" in first
    assert "early" in second


def test_one_that_is_over_comes_last(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    desk.run("new", "early", "--title", "azure", "--seats", "li,wu", "--now", "2020-01-01T12:00")
    desk.run("end", GAME)
    assert [line.split()[1:] for line in desk.run("status", GAME, "early").splitlines()][-1] == ["over"]
