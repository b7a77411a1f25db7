"""Every case under tests/cases: the rules as data."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from pbem.engine import registry
from pbem.engine.cases import run
from pbem.titles.ming_dynasty.refusal_codes import CODES

FOLDER = Path(__file__).parent / "cases"
FILES = sorted(FOLDER.glob("*/*.toml"))
CANNOT_BE_A_CASE = {"one-at-a-time"}  # a case takes provinces = […] apart before it is completed, as a plan does


def load(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_case(path: Path) -> None:
    case = load(path)
    assert case["title"] == path.parent.name
    assert case["rule"] == path.stem
    assert re.fullmatch(r"[a-z0-9]+\.[a-z0-9-]+", case["rule"])
    run(case, registry.title(case["title"]))


def test_there_are_many() -> None:
    assert len(list((FOLDER / "ming-dynasty").glob("*.toml"))) >= 110


def test_every_refusal_of_ming_dynasty_has_a_case() -> None:
    cases = [load(path) for path in (FOLDER / "ming-dynasty").glob("*.toml")]
    refused = {case["then"]["refused"]["code"] for case in cases if "refused" in case["then"]}
    assert sorted(set(CODES) - refused - CANNOT_BE_A_CASE) == []
    assert sorted(refused - set(CODES) - {"unreadable"}) == []


def test_every_event_of_ming_dynasty_has_a_case() -> None:
    title = registry.title("ming-dynasty")
    cases = [load(path) for path in (FOLDER / "ming-dynasty").glob("*.toml")]
    told: set[Any] = {event["event"] for case in cases for event in case["then"].get("events", [])}
    assert {event.__struct_config__.tag for event in title.events} - told == set()
