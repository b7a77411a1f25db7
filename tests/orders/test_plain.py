"""Records read line by line: the same as ``tomllib`` gives, for what the program writes, and for whatever has been made of it."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbem.orders import plain
from pbem.orders.signed import split

GAMES = Path(__file__).resolve().parents[2] / "games"

WORDS = st.sampled_from(["a", "b", "played", "5.starter", "", "é", 'q"q', "tab\t", "line\n", "back\\slash", "\x7f", "'"])
SCALARS = st.one_of(WORDS, st.integers(-(2**63), 2**63 - 1), st.booleans(), st.floats(allow_nan=False), st.text(max_size=4))
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=12)
TABLES = st.dictionaries(WORDS, VALUES, max_size=6)
LINES = ["[[a]]\n", "[a]\n", "[a.b]\n", "a = 1\n", '"a" = 1\n', "a.b = 1\n", "a = []\n", "a = [\n    1,\n]\n", "a = {}\n"]
PIECES = [*LINES, "a = [\n    { b = 1, b = 2 },\n]\n", *'\n[],"\r# 0_.-=\ufeff\x00', "{ ", " }", "true"]

SLOW_MACHINE = settings(suppress_health_check=[HealthCheck.too_slow])


def outcome(text: str, read: Any) -> Any:
    """What is read, keys in their order and with the type of each value; or what is raised."""
    try:
        return repr(read(text))
    except (ValueError, RecursionError) as error:
        return type(error), str(error)


def same(text: str) -> None:
    assert outcome(text, plain.loads) == outcome(text, tomllib.loads)


@SLOW_MACHINE
@given(TABLES)
def test_what_is_written_is_read_as_it_was(table: dict[str, Any]) -> None:
    same(tomli_w.dumps(table))


@SLOW_MACHINE
@given(TABLES, st.lists(st.tuples(st.integers(0, 400), st.integers(0, 12), st.sampled_from(PIECES)), min_size=1, max_size=4))
def test_what_was_made_of_it_is_read_or_refused_alike(table: dict[str, Any], changes: list[tuple[int, int, str]]) -> None:
    text = tomli_w.dumps(table)
    for at, less, more in changes:
        text = text[: at % (len(text) + 1)] + more + text[at % (len(text) + 1) + less :]
    same(text)


@SLOW_MACHINE
@given(st.lists(st.sampled_from(PIECES), max_size=8))
def test_any_lines_are_read_or_refused_alike(pieces: list[str]) -> None:
    same("".join(pieces))


@pytest.mark.parametrize(
    "text",
    [
        "[a]\nb = 1\n\n[[a]]\nb = 2\n",
        "[[a]]\nb = 1\n\n[a.c]\nd = 1\n\n[[a]]\n\n[a.c]\nd = 2\n",
        "[a.b]\nc = 1\n\n[a]\nd = 1\n",
        "[a.b]\nc = 1\n\n[a]\nb = 1\n",
        "[a.b]\nc = 1\n\n[[a]]\n",
        "a = [\n    { b = 1 },\n]\n\n[[a]]\nb = 2\n",
        "a = [\n    { b = 1 },\n]\n\n[a.c]\n",
        "a = [\n    [\n        1,\n    ],\n    [],\n]\n",
        "a = [\n    1.5,\n    1979-05-27,\n]\n",
        "a = -0\nb = 01\n",
        "a = 1",
        "a = " + "[\n" * 3000,
    ],
)
def test_odd_files_too(text: str) -> None:
    same(text)


@pytest.mark.parametrize("depth", [10, 51, 52, 60, 300])
def test_what_lies_deep_in_lists_and_tables_is_left_to_tomllib(depth: int) -> None:
    """How deep that can go hangs on the stack: where one way ends before the other, a file would be good for one version alone."""
    lists = "a = " + "[\n" * depth + "1,\n" + "],\n" * (depth - 1) + "]\n"
    tables = "a = [\n    " + "{ b = " * (depth - 1) + "1" + " }" * (depth - 1) + ",\n]\n"
    for text in (lists, tables):
        same(text)
        if depth > 51:
            with pytest.raises(plain._NotPlain):
                plain._read(text)
        else:
            assert plain._read(text)


def test_every_record_of_the_archived_games_is_plain() -> None:
    """Else they would be read the long way, and nobody would notice."""
    records = sorted(path for kind in ("receipts", "ledger") for path in GAMES.glob(f"*/{kind}/*.toml"))
    assert records
    for path in records:
        text = split(path.read_bytes(), cap=2**21).signed.decode()
        assert repr(plain._read(text)) == repr(tomllib.loads(text)), path


@pytest.mark.parametrize("form", ["{} = 1\n", "x = {{ {} = 1 }}\n", "[ {} ]\n"])
def test_keys_of_thousands_of_parts_are_refused_at_once(form: str) -> None:
    """They would keep ``tomllib`` busy for minutes."""
    with pytest.raises(ValueError, match="too many parts"):
        plain.loads(form.format(".".join("a" * 5000)))
