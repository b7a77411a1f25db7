from __future__ import annotations

import re
from typing import Any

import pytest

from pbem.engine import registry
from pbem.orders import findings as table
from pbem.orders.file import read_order
from pbem.orders.findings import Finding, Unreadable
from pbem.publish.findings import finding_text
from pbem.publish.words import Words
from tests.publish.tales import HEAD, StrictWords

TITLE = registry.title("ming-dynasty")
WORDS = StrictWords(TITLE)
CODES = sorted(set(re.findall(r"^([a-z0-9]+(?:-[a-z0-9]+)*) {2,}\S", table.__doc__ or "", re.MULTILINE)))

FACTS: dict[str, Any] = {
    "size": 40000, "cap": 32768, "guess": "utf-16", "found": "depoly", "nearest": "deploy", "key": "deploy", "first": 2, "opened": 3,
    "expected": "slug", "limit": 16, "low": 0, "high": 3, "of": "text", "reason": "form", "allowed": ["deploy", "whole-number"],
    "quoted": "deploy: 3", "number": 1, "also": ["text"], "line": 3, "column": 7, "key_reason": "type",
}  # fmt: skip
# Facts that choose between sentences, as the table of codes lists them.
VARIANTS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "bad-signature": ("reason", ("form", "base64", "key", "namespace", "hash", "does-not-verify")),
    "bad-key": (
        "reason", ("form", "private", "type", "base64", "length", "small-order", "not-canonical", "not-on-curve", "comment", "x25519"),
    ),
    "not-a-private-key": ("found", ("public-key", "putty", "pem", "damaged", "other")),
    "bad-seal-to": ("reason", ("form", "signer", "does-not-verify")),
    "bad-invite": ("reason", ("length", "character", "ending")),
    "bad-form": ("expected", ("slug", "phase", "after", "language", "zone", "hex-32", "base64-32", "trimmed", "[a-z]+")),
    "not-toml-1-0": ("found", ("\\e", "\\x", "seconds")),
    "not-utf8": ("guess", ("utf-16", None)),
    "wrong-length": ("of", ("text", "list", "table")),
    "wrong-type": ("found", ("true-false", "whole-number", "fraction", "text", "list", "table", "other")),
    "key-twice": ("key", ("deploy", None)),
    "bracket-not-closed": ("key", ("deploy", None)),
}  # fmt: skip


def test_the_table_of_codes_was_found() -> None:
    assert len(CODES) > 70 and {"missing-comma", "unknown-key", "bad-signature"} <= set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_every_finding_has_its_sentence(code: str) -> None:
    fact, values = VARIANTS.get(code, ("", (None,)))
    said = set()
    for value in values:
        text = WORDS.finding(Finding(code, "orders[1].deploy", {**FACTS, fact: value}))
        assert text.startswith("line 3, column 7: ") and "  " not in text and "None" not in text and "{{" not in text
        assert "The line: deploy: 3" in text
        said.add(text)
    assert len(said) >= min(2, len(values))


@pytest.mark.parametrize("code", CODES)
def test_optional_facts_may_be_missing(code: str) -> None:
    optional = {"guess", "nearest", "key", "first", "low", "high", "also", "quoted", "line", "column", "allowed"}
    text = WORDS.finding(Finding(code, "", {name: value for name, value in FACTS.items() if name not in optional} | needed(code)))
    assert text and "None" not in text


def needed(code: str) -> dict[str, Any]:
    """Facts that the table lists without a question mark."""
    [row] = re.findall(rf"^{code} {{2,}}(.*(?:\n {{20,}}.*)*)", table.__doc__ or "", re.MULTILINE)
    plain = re.sub(r"\(.*?\)|``.*?``", "", row, flags=re.DOTALL)
    words = set(re.findall(r"\b([a-z_]+)\b(?!\?)", plain))
    return {name: value for name, value in FACTS.items() if name in words}


def test_a_file_with_many_faults_names_each() -> None:
    text = f'''game = "winter-court"
player = "an"
phase = "3.move"
revision = 1
after = "41-{HEAD}"
orders = [
  {{ do = "mvoe", to = "yunnan-a" }},
  {{ do = "stay", depoly = 2 }},
  {{ do = "move", to = "yunnan-a", deploy = "lots" }},
]
'''
    with pytest.raises(Unreadable) as caught:
        read_order(text.encode(), TITLE.orders)
    said = [finding_text(one, WORDS) for one in caught.value.findings]
    assert len(said) == 3
    assert said[0].startswith('orders[0].do: There is no order "mvoe". Did you mean "move"?')
    assert said[1].startswith('orders[1].depoly: Nothing is called "depoly" here. Did you mean "deploy"?')
    assert said[2].startswith("orders[2].deploy: ") and '"all"' in said[2]


def test_a_slip_is_told_with_its_line() -> None:
    with pytest.raises(Unreadable) as caught:
        read_order(b'game = "x"\norders = [ { do = "pass" } { do = "pass" } ]\n', TITLE.orders)
    [finding] = caught.value.findings
    said = finding_text(finding, WORDS)
    assert said.startswith("line 2, column ") and "A comma is missing" in said and "The line: orders = [" in said


def test_a_code_without_a_sentence_is_told_plainly_and_safely() -> None:
    said = Words(TITLE).finding(Finding("quite-new", "orders[0]", {"found": "a\u202eb\nc"}))
    assert said == "orders[0]: quite new (found ab c)"
