"""A title from outside: installed from a package of its own, found, tested, played, audited and published like ours.

The package is tests/added_title, the example of docs/adding-a-title.md.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.pofile import read_po

from pbem.engine import registry
from pbem.engine.chance import SeededChance
from pbem.engine.steps import first_step, play_step
from pbem.engine.title import Title
from pbem.orders.toml import read as read_toml
from pbem.publish import pdf
from pbem.publish.template import order_template
from pbem.publish.words import Words

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "tests" / "added_title"
PAGE = ROOT / "docs" / "adding-a-title.md"
SLUG = "herring-island"
CASES = sorted((PACKAGE / "cases").glob("*.toml"))
GAME = "games/winter-court"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package as pip installs it, its entry point included; nothing is fetched."""
    if importlib.util.find_spec("hatchling") is None and os.environ.get("CI") != "true":
        pytest.skip("hatchling is not installed")
    source = tmp_path_factory.mktemp("source") / "package"
    shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__"))
    home = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target", str(home)]
    subprocess.run([*pip, str(source)], check=True, capture_output=True, timeout=120)
    return home


def run(*words: str, path: Path, at: Path = ROOT) -> str:
    """What a command of Python's ``-m`` says, with ``path`` on the path before the checkout."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PBEM_", "PYTEST_", "PYTHONPATH"))} | {
        "PYTHONPATH": os.pathsep.join(map(str, (path, PACKAGE, ROOT))), "PYTHONIOENCODING": "utf-8",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-P", "-m", *words], cwd=at, env=environment, capture_output=True, check=False, encoding="utf-8", timeout=120
    )
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def played(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a whole campaign in it, played by stand-ins through signed and sealed files."""
    base = tmp_path_factory.mktemp("played")
    told = json.loads(run("pbem", "demo", str(base / "demo"), "--title", SLUG, "--seats", "an,bo,chen", "--json", path=installed))
    assert told["mails"] >= 6 * 3
    assert told["entries"] >= 6
    return base / "demo"


@pytest.fixture
def title(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Title[Any]:
    """The title within this process."""
    monkeypatch.syspath_prepend(str(installed))
    return registry.title(SLUG)


# -- found, and tested as ours are ----------------------------------------------------------------------------------------


def test_it_is_listed(installed: Path) -> None:
    listed = run("pbem", "titles", path=installed)
    assert re.search(rf"^{SLUG}\s+Herring Island, 2 to 4 players, rules version 1$", listed, re.MULTILINE)
    assert "ming-dynasty" in listed


def test_it_is_not_listed_where_it_is_not_installed(tmp_path: Path) -> None:
    assert SLUG not in run("pbem", "titles", path=tmp_path)


def test_its_cases_hold(installed: Path) -> None:
    assert len(CASES) >= 20
    assert run("pbem", "case", str(PACKAGE / "cases"), path=installed).strip() == f"{len(CASES)} of {len(CASES)} cases hold"


def test_a_position_to_start_from_can_be_read_back(installed: Path, tmp_path: Path) -> None:
    start = run("pbem", "case", "--position", SLUG, "--seats", "an,bo", path=installed)
    (tmp_path / "1.x.toml").write_text(f'rule = "1.x"\n{start}\n[then]\nphase = "1.sail"\n', encoding="utf-8")
    assert run("pbem", "case", str(tmp_path / "1.x.toml"), path=installed).strip() == "1 of 1 cases hold"


def test_what_holds_for_every_title_holds_for_it(installed: Path) -> None:
    tests = str(ROOT / "tests" / "test_every_title.py")
    said = run("pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", tests, "-k", SLUG, path=installed)
    count = re.search(r"^(\d+) passed", said, re.MULTILINE)
    marks = sum(line.count(".") for line in said.splitlines() if re.fullmatch(r"\.+\s+\[ *\d+%\]", line))
    assert (int(count[1]) if count else marks) >= 90, said


def test_every_refusal_and_every_event_has_a_case_and_a_sentence(title: Title[Any]) -> None:
    cases = [tomllib.loads(path.read_text(encoding="utf-8")) for path in CASES]
    assert [case["rule"] for case in cases] == [path.stem for path in CASES]
    source = "".join(path.read_text(encoding="utf-8") for path in sorted((PACKAGE / "herring_island").glob("*.py")))
    codes = set(re.findall(r'(?:Illegal|Malformed)\("([a-z-]+)"', source))
    assert len(codes) >= 6
    assert {case["then"]["refused"]["code"] for case in cases if "refused" in case["then"]} == codes
    tags = {str(kind.__struct_config__.tag) for kind in title.events}
    assert {event["event"] for case in cases for event in case["then"].get("events", [])} == tags
    assert macros("refusals.j2") >= {code.replace("-", "_") for code in codes}
    assert macros("events.j2") >= {tag.replace("-", "_") for tag in tags}


def macros(name: str) -> set[str]:
    text = (PACKAGE / "herring_island" / "templates" / name).read_text(encoding="utf-8")
    return set(re.findall(r"{% macro (\w+)\(", text))


# -- a whole campaign -----------------------------------------------------------------------------------------------------


def test_its_campaign_is_audited(played: Path, installed: Path) -> None:
    told = json.loads(run("pbem", "audit", str(played / GAME), "--json", path=installed))
    assert told["finished"]
    assert told["fault"] is None
    assert told["proven"] == 7   # the set-up and six rounds
    assert told["pending"] == {}


def report(played: Path, installed: Path, language: str, *also: str) -> str:
    return run(
        "pbem", "report", str(played / GAME), "--entry", "6", "--language", language, "--text", "-", *also, path=installed, at=played
    )


def test_its_reports_in_english(played: Path, installed: Path) -> None:
    text = report(played, installed, "en", "--html", "en.html")
    for words in ("Round 2, sailing out", "The boats sail out: An to", "A shoal of 5 herrings comes to", "Long Spit", "shoals to come"):
        assert words in " ".join(text.split()), words
    html = (played / "en.html").read_text(encoding="utf-8")
    assert "The boats sail out: An to" in html
    assert 'class="board" role="img"' in html
    assert ">Old Wreck</text>" in html
    assert ">Mill Cove</th>" in html


def test_its_reports_in_french(played: Path, installed: Path) -> None:
    text = " ".join(report(played, installed, "fr", "--html", "fr.html").split())
    for words in ("Manche 2, départ en mer", "Les bateaux prennent la mer : An vers", "Un banc de 5 harengs arrive à", "bancs à venir"):
        assert words in text, words
    html = (played / "fr.html").read_text(encoding="utf-8")
    assert '<html lang="fr">' in html
    for words in ("Les bateaux prennent la mer : An vers", ">Vieille Épave</text>", ">Anse du Moulin</th>", "Ce que chacun possède"):
        assert words in html, words
    for english in ("sail out", "shoal", "Old Wreck", "herrings", " nets"):
        assert english not in html.partition("</style>")[2], english


@pytest.mark.skipif(bool(pdf.available()), reason="WeasyPrint or Pango is missing")
def test_its_report_on_paper(played: Path, installed: Path) -> None:
    report(played, installed, "fr", "--pdf", "fr.pdf")
    data = (played / "fr.pdf").read_bytes()
    parts = [data]
    for piece in data.split(b"stream\n")[1:]:
        with suppress(zlib.error):
            parts.append(zlib.decompressobj().decompress(piece))
    unpacked = b"\n".join(parts)
    assert b"/Lang (fr)" in unpacked
    for field in (b"orders.0.ground", b"orders.0.nets"):
        assert field in unpacked, "the form has the title's own fields"
    if shutil.which("pdftotext"):
        reading = ["pdftotext", str(played / "fr.pdf"), "-"]
        words = subprocess.run(reading, check=True, capture_output=True, encoding="utf-8", timeout=60).stdout
        for said in ("Les bateaux prennent la mer", "Vieille Épave", "combien de filets posez-vous"):
            assert said in words, said


def test_its_pages_were_built(played: Path) -> None:
    pages = sorted((played / "_site" / "winter-court").glob("0*.html"))
    assert len(pages) >= 6
    assert "Herring Island" in pages[-1].read_text(encoding="utf-8")


def test_without_its_templates_the_facts_are_told(played: Path, installed: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(installed, bare, ignore=shutil.ignore_patterns("templates", "locale"))
    text = report(played, bare, "fr", "--html", "bare.html")
    assert "An: sailed (ground " in text
    html = (played / "bare.html").read_text(encoding="utf-8")
    assert "<dt>herrings</dt>" in html


# -- in words -------------------------------------------------------------------------------------------------------------


def after_set_up(title: Title[Any]) -> Any:
    return first_step(title, title.options(), ["an", "bo", "chen"], SeededChance(1))[0]


@pytest.mark.parametrize(("language", "heading"), [("en", "# -- sail to a ground"), ("fr", "# -- partir vers un lieu")])
def test_every_line_of_its_order_template_is_an_order(title: Title[Any], language: str, heading: str) -> None:
    position = after_set_up(title)
    for later in (False, True):
        phase = title.phase(position)
        assert phase is not None
        text = order_template(title, position, "bo", Words(title, language), campaign="isle", after="3-" + "0" * 32, foreseen=later)
        assert heading in text
        assert max(map(len, text.splitlines())) <= 140
        lines = re.findall(r"^# (\{ do = .*?\}),", text, re.MULTILINE)
        assert len(lines) == len(title.offers(position, "bo")["grounds"])
        for number in range(len(lines)):
            at = [match.start() for match in re.finditer(r"^# \{ do", text, re.MULTILINE)][number]
            filled: Mapping[str, Any] = read_toml((text[:at] + text[at + 2 :]).encode())
            [table] = filled["orders"]
            order = title.orders[0](**{key: value for key, value in table.items() if key != "do"})
            assert phase.complete(position, "bo", order) == order
        assert ("watch = " in text) == later
        play_step(title, position, {seat: phase.default(position, seat) for seat in position.seats}, SeededChance(2))


def test_its_refusals_say_what_to_do(title: Title[Any]) -> None:
    facts = {"from": "reef", "to": "kelp", "reach": ["spit", "reef", "wreck"]}
    assert Words(title).refusal("too-far", "ground", facts) == "Kelp Bed is too far from Seal Reef. In reach: spit, reef or wreck."
    said = Words(title, "fr").refusal("unknown-ground", "ground", {"found": "kalp", "allowed": ["kelp"], "nearest": "kelp"})
    assert said == 'Il n’y a pas de lieu de pêche "kalp". Vouliez-vous dire "kelp" ?'
    assert Words(title, "fr").order(title.orders[0](ground="reef", nets=2)) == "partir vers Récif aux Phoques avec 2 filets"


def test_its_french_is_whole() -> None:
    mapping, options = parse_mapping_cfg((PACKAGE / "babel.cfg").open(encoding="utf-8"))
    wanted = {found[2] for found in extract_from_dir(str(PACKAGE / "herring_island"), mapping, options)}
    catalogue = read_po((PACKAGE / "herring_island" / "locale" / "fr.po").open("rb"))
    have = {}
    for message in catalogue:
        strings = message.string if isinstance(message.string, tuple) else (message.string,)
        if message.id and all(strings) and not message.fuzzy:
            have[message.id] = strings
    assert wanted == set(have)
    assert len(wanted) >= 60
    for message_id, strings in have.items():
        texts = message_id if isinstance(message_id, tuple) else (message_id,)
        named = set(re.findall(r"%\((\w+)\)s", texts[-1]))
        assert set(re.findall(r"%\((\w+)\)s", strings[-1])) == named, message_id


# -- the page -------------------------------------------------------------------------------------------------------------


def test_what_the_page_shows_stands_in_the_package() -> None:
    shown = re.findall(r"<!-- from: (\S+) -->\n```\w+\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert len(shown) >= 8
    for name, block in shown:
        assert block in (PACKAGE / name).read_text(encoding="utf-8"), f"{name} has changed:\n{block}"


def test_the_page_says_how_long_it_is() -> None:
    kinds = (("herring_island/*.py", "*.py"), ("herring_island/templates/*",), ("cases/*",), ("herring_island/locale/*.po",))
    files = [[path for pattern in patterns for path in PACKAGE.glob(pattern)] for patterns in kinds]
    counted = [sum(len(path.read_text(encoding="utf-8").splitlines()) for path in found) for found in files]
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    said = re.search(r"It is (\d+) lines of Python, (\d+) of templates and (\d+) of cases, and (\d+) of French", page)
    assert said is not None
    assert [int(number) for number in said.groups()] == counted
