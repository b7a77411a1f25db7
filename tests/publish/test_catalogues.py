"""No sentence bypasses the catalogues: with every message turned into marked letters, only names, ids and quoted orders stay plain."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from gettext import NullTranslations
from pathlib import Path
from typing import Any

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_mapping_cfg

from pbem.engine import registry
from pbem.orders.findings import Finding
from pbem.publish import catalogues
from pbem.publish.receipts import receipt_subject, receipt_text
from pbem.publish.template import order_template
from pbem.publish.textreport import report_subject, report_text, request_subject
from pbem.publish.words import Words
from pbem.titles.ming_dynasty import board
from pbem.titles.ming_dynasty.refusal_codes import CODES
from tests.publish import test_findings, test_receipts, test_words
from tests.publish.tales import HEAD, tale

ROOT = Path(__file__).parents[2]
TITLE = registry.title("ming-dynasty")
PLACEHOLDER = re.compile(r"(%\(\w+\)s|\{\w+\})")
# A ring above each letter: the width stays what it is, and an unmarked letter shows that it never went through a catalogue.
MARK = "\u030a"


class Marked(NullTranslations):
    """Every message with a mark on each of its letters; remembers what was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def gettext(self, message: str) -> str:
        self.asked.add(message)
        return marked(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        self.asked |= {msgid1}
        return marked(msgid1 if n == 1 else msgid2)

    def pgettext(self, context: str, message: str) -> str:
        assert context == "date pattern"
        return message


def marked(message: str) -> str:
    parts = PLACEHOLDER.split(message)
    return "".join(part if PLACEHOLDER.fullmatch(part) else re.sub(r"([A-Za-z])", rf"\1{MARK}", part) for part in parts)


def plain_words(text: str) -> set[str]:
    """Words of two letters or more without a single mark, orders and values of the file left out."""
    for quoted in (
        r"\{ do = .*\}", r"watch = \[.*?\]", r'^[a-z_]+ = ("[^"]*"|\d+)', r"^orders = \[",
        r"\borders\[\d\][.a-z]*", r"\b\d\.[a-z]+", r"\b[0-9a-f]{4}\b", r"^#:schema \S+$",
    ):  # fmt: skip
        text = re.sub(quoted, "", text, flags=re.MULTILINE)
    return {word for word in re.findall(r"[A-Za-z]{2,}(?![A-Za-z]*\u030a)", unicodedata.normalize("NFD", text)) if len(word) > 1}


def allowed() -> set[str]:
    map_ = board.load("standard")
    names = {"winter", "court", "WINTER", "COURT", "an", "bo", "chen", "dai", "An", "Bo", "Chen", "Dai", "Sorry", "and", "or", "Paris"}
    dates = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Dec", "Jan", "Feb", "Mar", "Apr"}
    return names | dates | set(map_.provinces) | {"order", "toml"}


@cache
def extracted() -> frozenset[str]:
    with (ROOT / "babel.cfg").open() as file:
        methods, options = parse_mapping_cfg(file)
    found: set[str] = set()
    for folder in ("pbem", "templates"):
        for _name, _line, message, _comments, _context in extract_from_dir(ROOT / folder, methods, options):
            found.add(message if isinstance(message, str) else message[0])
    return frozenset(found)


@pytest.fixture(scope="module")
def spoken() -> tuple[Marked, list[str]]:
    """Everything that can be said, in marked letters."""
    catalogue = Marked()
    return catalogue, list(everything(catalogue))


def everything(catalogue: Marked) -> Iterator[str]:
    for seats, seed, step in ((3, 1, 3), (4, 2, 2)):
        story = tale(seats, seed)
        words = Words(story, catalogue=catalogue)
        for chapter in (*story.chapters[::step], story.chapters[-1]):
            yield report_text(story, chapter.number, words, zone="Europe/Paris")
            yield report_subject(story, chapter, words)
            yield request_subject(story, chapter, "an", words, zone="Europe/Paris")
            phase = TITLE.phase(chapter.after)
            for seat in phase.asked(chapter.after) if phase else ():
                yield order_template(
                    TITLE, chapter.after, seat, words, campaign="winter-court", after=f"3-{HEAD}", closes=test_words.CLOSES,
                    zone="Europe/Paris", sealed=True, since=chapter.steps[0].events, waiting=chapter.waiting, ahead=("4.place",),
                )  # fmt: skip
    words = Words(TITLE, seats=test_words.NAMES, catalogue=catalogue)
    for facts in (test_receipts.PARTIAL, test_receipts.replace(test_receipts.PARTIAL, verdict="refused", reasons=())):
        yield receipt_text(facts, words)
        yield receipt_subject(facts, words)
    silent: dict[str, Any] = dict.fromkeys(test_findings.FACTS, "") | {"line": None, "column": None, "allowed": []}
    for code in test_findings.CODES:
        yield words.finding(Finding(code, "", silent))
    for code in CODES:
        yield words.because(code, "", test_words.facts_of(code) | dict.fromkeys(("reason", "key", "found", "nearest"), "") | {"keys": []})


def test_no_english_bypasses_the_catalogue(spoken: tuple[Marked, list[str]]) -> None:
    leaked: dict[str, str] = {}
    for text in spoken[1]:
        for word in plain_words(text) - allowed():
            leaked.setdefault(word, next(line for line in text.splitlines() if word in line))
    assert not leaked


def test_everything_said_is_found_for_translation(spoken: tuple[Marked, list[str]]) -> None:
    assert len(spoken[0].asked) > 200
    assert spoken[0].asked <= extracted()


def test_a_language_without_a_catalogue_is_english_but_for_its_dates() -> None:
    words = Words(TITLE, "ko", seats=test_words.NAMES)
    assert words.order({"do": "pass"}) == "pass"
    assert words.listing(["a", "b"]) != "a and b" and words.locale.language == "ko"
    assert Words(TITLE, "xx-yy").listing(["a", "b"]) == "a and b"
    assert Words(TITLE, "../../etc/passwd").order({"do": "pass"}) == "pass"


def test_a_catalogue_is_used_and_gaps_stay_english(tmp_path: Path) -> None:
    (tmp_path / "fr.po").write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        'msgid "%(who)s passes."\nmsgstr "%(who)s passe."\n\n'
        '#, fuzzy\nmsgid "pass"\nmsgstr "faux"\n\n'
        'msgctxt "date pattern"\nmsgid "EEE d MMM y, HH:mm"\nmsgstr "EEE d MMM y, HH\'h\'mm"\n',
        encoding="utf-8",
    )
    words = Words(TITLE, "fr", seats=test_words.NAMES, catalogue=catalogues.load("fr", (tmp_path,)))
    assert words.event(test_words.ming.Passed(seat="an")) == "An passe."
    assert words.event(test_words.ming.Passed(seat="an"), you="an") == "You pass."
    assert words.order({"do": "pass"}) == "pass"
    assert words.when(test_words.CLOSES) == "jeu. 3 déc. 2026, 19h00 UTC"


def test_a_titles_own_catalogue_goes_before_the_shared_one(tmp_path: Path) -> None:
    for name, text in (("own", "eigen"), ("shared", "gemeinsam")):
        (tmp_path / name).mkdir()
        head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        (tmp_path / name / "de.po").write_text(f'{head}msgid "both"\nmsgstr "{text}"\n\nmsgid "only {name}"\nmsgstr "{text}"\n', "utf-8")
    loaded = catalogues.load("de", (tmp_path / "own", tmp_path / "shared"))
    assert [loaded.gettext(each) for each in ("both", "only own", "only shared")] == ["eigen", "eigen", "gemeinsam"]


def test_a_damaged_catalogue_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "fr.po").write_bytes(b'msgid "a"\nmsgstr "\xff\xfe')
    assert catalogues.load("fr", (tmp_path,)).gettext("a") == "a"
