"""The finished games that come with the project are proven for ever: a rule that changes a result must give its title a new number.

None is ever made anew or taken away. If one of them is not proven any more, the code is wrong, not the example.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.campaign import corrections
from pbem.campaign.archive import load
from pbem.campaign.audit import audit
from pbem.campaign.folder import Folder, read
from pbem.campaign.petitions import PETITIONS
from pbem.campaign.records import Clock, Entry, Game
from pbem.campaign.replay import replay
from pbem.engine import registry
from pbem.orders.signed import split
from pbem.orders.toml import read as read_toml

GAMES = Path(__file__).parent.parent / "games"
EXAMPLES = sorted(path for path in GAMES.iterdir() if (path / "game.toml").is_file())


def test_every_title_has_one() -> None:
    assert {path.name for path in EXAMPLES} >= {f"example-{slug}" for slug in registry.slugs()}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_it_is_proven(path: Path) -> None:
    report = audit(Folder(path))
    assert report.fault is None, str(report.fault)
    assert report.finished
    assert report.pending == {}
    game = load(Folder(path), check=False)
    if registry.title(game.game.title).rules == game.entries[-1].record.rules:
        assert report.proven > (10 if path.name.startswith("example-every-entry") else 20)
        assert report.unchecked == {}
    else:
        # Of rules that have been given a new number since: its chain, seals and signatures hold, its steps are for that version to check.
        assert sum(report.unchecked.values()) > 10


EVERY = [path for path in EXAMPLES if path.name.startswith("example-every-entry")]
NOT_YET = {"rules"}
"""Entries that no campaign can have yet: no title has had its rules corrected. The first to do so leaves an example."""


def _entries() -> list[Entry]:
    return [kept.record for path in EVERY for kept in load(Folder(path), check=False).entries]


def test_every_kind_of_entry_has_an_example() -> None:
    assert {entry.kind for entry in _entries()} | NOT_YET == {"join", "turn", "end", "rules", *corrections.KEYS}


def test_every_key_of_an_entry_has_an_example() -> None:
    empty = Entry(protocol=1, number=1, before="0" * 64, time="", kind="", program="", rules=1, counted=0)
    names = [name for name in Entry.__struct_fields__ if name not in ("protocol", "rules", "number", "before")]
    assert [name for name in names if all(getattr(entry, name) == getattr(empty, name) for entry in _entries())] == []
    grounds = {entry.ground for entry in _entries()}
    assert grounds >= {"organiser", "request", "consent", "silence", "deputy", "outage"}
    settings = {name for entry in _entries() for name in entry.settings}
    assert settings >= {"close", "close.turn", "grace", "cooling", "silence", "name", "zone"}


def test_every_request_has_an_example() -> None:
    asked = {str(read_toml(split(read(file)).signed)["request"]["do"]) for path in EVERY for file in (path / "orders/request").iterdir()}
    assert asked == {str(kind.__struct_config__.tag) for kind in PETITIONS}


def test_a_clock_with_everything_has_an_example() -> None:
    games: list[Game] = [load(Folder(path), check=False).game for path in EVERY]
    assert any(game.deputy for game in games)
    clocks = [game.clock for game in games if game.clock is not None]
    assert all(any(getattr(clock, name) not in ({}, "none") for clock in clocks) for name in Clock.__struct_fields__)
    assert any("Europe/Paris" in game.close for game in games) and any(game.close == "48h" for game in games)
    zones = {zone for entry in _entries() for zone in (entry.settings.get("close", ""), entry.settings.get("zone", "")) if "/" in zone}
    assert len(zones) == 2


def test_receipts_say_no_too() -> None:
    reasons = {kept.record.reason for path in EVERY for kept in load(Folder(path), check=False).receipts}
    assert reasons >= {"bad-invite", "bad-signature", "late"}


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.name)
def test_a_campaign_that_has_ended_early_asks_nobody(path: Path) -> None:
    course = replay(Folder(path))
    assert course.ended and not course.over
    assert course.waiting() is None and course.chapters[-1].waiting is None
