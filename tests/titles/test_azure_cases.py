"""The cases of Azure cover its rules: enough of them, every refusal, every event, every order form."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from pbem.engine.cases import run
from pbem.titles.azure import title
from pbem.titles.azure.refusal_codes import CODES

FOLDER = Path(__file__).parents[1] / "cases" / "azure"
FILES = sorted(FOLDER.glob("*.toml"))


def load(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    case = load(path)
    assert case["rule"] == path.stem
    run(case, title)


def test_there_are_many() -> None:
    assert len(FILES) >= 150


def test_every_refusal_has_a_case() -> None:
    refused = {case["then"]["refused"]["code"] for case in map(load, FILES) if "refused" in case["then"]}
    assert set(CODES) - refused == set()
    assert refused - set(CODES) - {"unreadable"} == set()


def test_every_fact_of_a_refusal_is_announced() -> None:
    for case in map(load, FILES):
        refused = case["then"].get("refused", {})
        if refused.get("code") in CODES:
            assert set(refused.get("facts", {})) <= set(CODES[refused["code"]]), case["rule"]


def test_every_event_has_a_case() -> None:
    told = {event["event"] for case in map(load, FILES) for event in case["then"].get("events", [])}
    assert {str(event.__struct_config__.tag) for event in title.events} - told == set()


def test_every_key_of_an_order_is_used() -> None:
    used = {(order["do"], key) for case in map(load, FILES) for order in case.get("orders", []) for key in order}
    for kind in title.orders:
        for field in kind.__struct_encode_fields__:
            assert (str(kind.__struct_config__.tag), field) in used


def test_every_way_to_end_has_a_case() -> None:
    ends = {event.get("why") for case in map(load, FILES) for event in case["then"].get("events", []) if event["event"] == "game-over"}
    assert {"wisdom", "cannot-place"} <= ends
