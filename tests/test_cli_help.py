"""What the command line says of itself, and that every code a person can meet has a sentence."""

import ast
import importlib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pbem import __version__, cli
from pbem.cli.stops import STOPS
from pbem.publish.complaints import REFUSALS
from pbem.publish.faults import FAULTS

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "pbem").rglob("*.py"))
# Refusals that reach a player as a finding of the file itself have their sentence in publish.words.
NAMED = {"CampaignError": STOPS, "Fault": FAULTS, "Refused": REFUSALS}


def run(*args: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        cli.main(list(args))
    out, err = capsys.readouterr()
    return int(stopped.value.code or 0), out, err


def command(name: str) -> click.Command:
    module, _ = cli.COMMANDS[name]
    found = getattr(importlib.import_module(f"pbem.cli.{module}"), name)
    assert isinstance(found, click.Command)
    return found


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_the_one_line_help_is_the_first_line_of_the_command(name: str) -> None:
    text = command(name).help
    assert text, f"{name} has no help"
    assert text.splitlines()[0] == cli.COMMANDS[name][1]


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_option_is_explained(name: str) -> None:
    silent = [option.name for option in command(name).params if isinstance(option, click.Option) and not option.help]
    assert not silent


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_help_works_before_anything_else_is_given(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(name, "--help", capsys=capsys)
    assert (status, err) == (0, "")
    assert out.startswith(f"Usage: pbem {name}")


def test_every_command_stands_in_one_group() -> None:
    grouped = [name for _, names in cli.GROUPS for name in names]
    assert sorted(grouped) == sorted(cli.COMMANDS)
    assert len(grouped) == len(set(grouped))


def test_the_overview_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run("--help", capsys=capsys)
    assert status == 0
    told = " ".join(out.split())
    for name, (_, text) in cli.COMMANDS.items():
        assert f" {name} {text}" in told


def test_without_a_command_the_overview_is_shown() -> None:
    shown = CliRunner().invoke(cli.pbem, [])
    assert "Usage: pbem" in shown.output


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run("--version", capsys=capsys)
    assert (status, out) == (0, f"pbem {__version__}, protocol 1\n")


@pytest.mark.parametrize(("typed", "meant"), [("proces", "process"), ("stats", "status"), ("order", "orders"), ("recieve", "receive")])
def test_a_mistyped_command_is_told_the_nearest(typed: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(typed, capsys=capsys)
    assert status == 2
    assert repr(meant) in err


@pytest.mark.parametrize(
    "args",
    [
        ("xyzzy",),
        ("--nonsense",),
        ("status",),
        ("receive", "games/none"),
        ("new", "games/x", "--title", "ming-dynasty"),
        ("status", "games/x", "--nonsense"),
        ("serve", "--port", "many"),
        ("case",),
    ],
)
def test_wrong_usage_exits_with_2_and_says_why_in_a_line(args: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(*args, capsys=capsys)
    assert (status, out) == (2, "")
    assert "error: " in err
    assert "Error" not in err
    assert "Traceback" not in err


@pytest.mark.parametrize("args", [("status", "none"), ("audit", "none"), ("check", "none", "an.toml"), ("sign", "none.toml")])
def test_what_cannot_be_done_exits_with_1_and_an_error(
    args: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    status, out, err = run(*args, capsys=capsys)
    assert (status, out) == (1, "")
    assert err.startswith("error: ")


def raised(kind: str) -> dict[str, set[str]]:
    """Code → where ``kind("code", …)`` is made, from the source itself; conditional codes count with both branches."""
    found: dict[str, set[str]] = {}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == kind and node.args:
                for code in _texts(node.args[0]):
                    found.setdefault(code, set()).add(f"{path.relative_to(ROOT)}:{node.lineno}")
    return found


def _texts(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return [*_texts(node.body), *_texts(node.orelse)]
    return []


@pytest.mark.parametrize("kind", NAMED)
def test_every_code_has_a_sentence(kind: str) -> None:
    codes = raised(kind)
    assert codes, f"nothing in pbem raises {kind}: is the scan right?"
    silent = {code: sorted(places) for code, places in codes.items() if code not in NAMED[kind]}
    assert not silent


@pytest.mark.parametrize("table", [STOPS, REFUSALS, FAULTS])
def test_sentences_are_whole(table: dict[str, tuple[str, str]]) -> None:
    for code, (sentence, _) in table.items():
        assert sentence, code
        # What stops a command follows "error:"; what a receipt says stands alone.
        assert sentence.endswith((".", "!", "?")) == (table is REFUSALS), code
