"""The first evening of a game of four, typed as a newcomer would: ``python -m pbem`` in an empty folder, with real keys."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from pbem.campaign.audit import audit
from pbem.campaign.folder import Folder

from .helpers import SEATS

GAME = "games/winter-court"


class Terminal:
    """A folder, and ``pbem`` typed in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def type(self, *words: str, status: int = 0) -> str:
        """What a command prints; it must end with that status, and never with a traceback."""
        variables = {name: value for name, value in os.environ.items() if name not in ("PBEM_SECRET", "PBEM_PASSPHRASE")}
        done = subprocess.run(
            [sys.executable, "-m", "pbem", *words], cwd=self.folder, env=variables | {"PYTHONUTF8": "1"}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, encoding="utf-8", timeout=120, check=False,
        )  # fmt: skip
        told = f"pbem {' '.join(words)}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in told, told
        assert done.returncode == status, told
        if status:
            return done.stdout + done.stderr
        assert done.stderr == "", told
        assert not re.search(r"\{[a-z_]+\}|None|<pbem\.|object at 0x", done.stdout), told
        return done.stdout

    def json(self, *words: str) -> Any:
        return json.loads(self.type(*words, "--json"))

    def at_once(self, *commands: list[str]) -> list[str]:
        """Several commands that have nothing to do with each other."""
        with ThreadPoolExecutor(4) as pool:
            return list(pool.map(lambda words: self.type(*words), commands))

    def choose(self, name: str, *wanted: str, then: str = "ask") -> None:
        """Takes the # off the lines that hold these words, as in an editor."""
        path = self.folder / name
        lines = path.read_text(encoding="utf-8").splitlines()
        found = [number for number, line in enumerate(lines) if line.startswith("# {") and any(word in line for word in wanted)]
        assert len(found) == len(wanted), f"{wanted} in\n{path.read_text(encoding='utf-8')}"
        for number in found:
            lines[number] = "  " + lines[number].removeprefix("# ")
        text = "\n".join(lines) + "\n"
        assert 'then = "ask"' in text
        path.write_text(text.replace('then = "ask"', f'then = "{then}"', 1), encoding="utf-8")


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path)


def test_the_first_evening_of_a_game_of_four(terminal: Terminal) -> None:
    type_, folder = terminal.type, terminal.folder

    # -- the organiser starts it
    assert any(title["slug"] == "ming-dynasty" for title in terminal.json("titles"))
    told = type_("new", GAME, "--title", "ming-dynasty", "--seats", ",".join(SEATS), "--organiser", "an")
    invites = dict(re.findall(r"--seat (\w+) --invite (\S+)", told))
    assert set(invites) == set(SEATS)
    assert len(re.findall(r"\b[bdfghjklmnprstvz][aiou][bdfghjklmnprstvz][aiou][bdfghjklmnprstvz]\b", told)) == 17, "the recovery sheet"
    assert "missing: an, bo, chen, dai" in type_("status", GAME)

    # -- four players take their seats, one with a code typed in capitals
    terminal.at_once(*(["keygen", "-o", f"{seat}.key"] for seat in SEATS))
    invites["bo"] = invites["bo"].upper()
    joins = [["join", GAME, "--seat", seat, "--invite", code, "--key", f"{seat}.key"] for seat, code in invites.items()]
    terminal.at_once(*([*words, "-o", f"{seat}.join.toml"] for words, seat in zip(joins, invites, strict=True)))
    assert "Welcome, chen" in type_("receive", GAME, *(f"{seat}.join.toml" for seat in SEATS))
    type_("status", GAME, status=3)
    told = type_("process", GAME)
    assert "An takes a seat." in told
    assert "starting player" in told
    status = terminal.json("status", GAME)
    assert (status["phase"], status["joined"], status["due"]) == ("0.prince", sorted(SEATS), False)
    order = [asked["seat"] for asked in status["waiting"]["asked"]]

    # -- the princes: one sends an attachment, one pastes a block into a mail that gets quoted, two write a plan for their turn
    terminal.at_once(*(["orders", GAME, "--seat", seat, "-o", f"{seat}.toml"] for seat in SEATS))
    for seat, district in zip(order, ("yunnan-b", "sichuan-b", "guangdong-c", "zhili-a"), strict=True):
        terminal.choose(f"{seat}.toml", f'"{district}" }}')
    first, second, *others = order
    assert "would be taken" in type_("check", GAME, f"{first}.toml")
    checked = terminal.json("check", GAME, f"{first}.toml")
    assert (checked["seat"], checked["phase"], checked["findings"]) == (first, "0.prince", [])
    told = terminal.at_once(*(["sign", f"{seat}.toml", "--key", f"{seat}.key"] for seat in SEATS))
    assert all("ready to send" in one for one in told)
    block = type_("armour", f"{second}.order.toml")
    quoted = "\n".join(f"> {line}" for line in ["Hello,", "", *block.splitlines(), "Bo"])
    (folder / "mail.txt").write_text(f"On Tuesday Bo wrote:\n{quoted}\n--\nThis mail was scanned.\n", encoding="utf-8")
    answers = terminal.json("receive", GAME, f"{first}.order.toml", "mail.txt", *(f"{seat}.order.toml" for seat in others))
    assert [(one["receipt"]["seat"], one["receipt"]["verdict"]) for one in answers] == [(seat, "complete") for seat in order]
    told = type_("process", GAME)
    assert "Yunnan B" in told or "yunnan-b" in told
    assert terminal.json("status", GAME)["phase"] == "1.place"
    assert type_("process", GAME).startswith("Nothing to play yet"), "a second run finds nothing to do"

    # -- the first round: one places, the organiser does not wait for the others
    type_("orders", GAME, "--seat", first, "-o", f"{first}.toml", "--force")
    terminal.choose(f"{first}.toml", 'province = "yunnan" }', 'province = "zhili" }', then="default")
    type_("sign", f"{first}.toml", "--key", f"{first}.key")
    assert "COMPLETE" in type_("receive", GAME, f"{first}.order.toml")
    processed = terminal.json("process", GAME, "--close", "1.place")
    assert (processed["phase"], processed["entries"]) == ("1.draw", [7])

    # -- what went wrong is said in one sentence
    told = type_("receive", GAME, f"{first}.toml", "nowhere.toml", status=1)
    assert "error: there is no order or join file nowhere.toml" in told
    told = type_("process", GAME, "--close", "1.place", status=1)
    assert "error: 1.place is not the phase being played" in told
    assert "hint: it is round 1, draw (1.draw)" in told
    assert "did you mean" in type_("proces", GAME, status=2)
    assert "error: there is no campaign" in type_("audit", "games/summer-court", status=1)

    # -- anybody looks, reports and proves
    position = terminal.json("show", GAME, "--seat", first)
    assert position["position"]["players"][first]["spaces"]
    assert type_("show", GAME, "--seat", first, "--key", f"{first}.key")
    text = type_("report", GAME, "--text", "-")
    assert "Round 1" in text
    type_("report", GAME, "--entry", "6", "--text", "r.txt", "--html", "r.html")
    assert (folder / "r.txt").read_text(encoding="utf-8").strip()
    _Page().feed((folder / "r.html").read_text(encoding="utf-8"))
    head = processed["head"]
    told = type_("audit", GAME, "--head", head)
    assert f"unfinished, head {head}" in told
    proven = terminal.json("audit", GAME)
    assert (proven["fault"], proven["proven"], proven["entries"], proven["receipts"]) == (None, 25, 7, 10)
    assert audit(Folder(folder / GAME)).notices == []

    # -- and a changed byte is found, by name
    entry = folder / GAME / "ledger" / "0006.toml"
    entry.write_bytes(entry.read_bytes().replace(b"yunnan-b", b"yunnan-c", 1))
    told = type_("audit", GAME, status=1)
    assert "FALSE: ledger/0006.toml" in told


class _Page(HTMLParser):
    """A page that is whole: every element that is opened is closed."""

    VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag != "script", "reports need no script"
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["-h"], ["receive", "--help"]])
def test_help_and_version_answer_at_once(terminal: Terminal, words: list[str]) -> None:
    assert terminal.type(*words)
