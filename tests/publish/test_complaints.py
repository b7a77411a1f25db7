from __future__ import annotations

from datetime import UTC, datetime
from string import Formatter
from typing import Any

import pytest

from pbem.engine import registry
from pbem.publish.complaints import REFUSALS, SHORTER, complaint, with_phases
from pbem.publish.words import Words

OF_RECEIPT: dict[str, Any] = {
    "phase": "3.move", "seat": "an", "revision": 2,
    "received": datetime(2026, 12, 3, 19, 5, tzinfo=UTC), "closes": datetime(2026, 12, 3, 19, tzinfo=UTC),
}  # fmt: skip


def said(code: str, **facts: Any) -> str:
    return " ".join(complaint(REFUSALS, code, facts, str))


@pytest.mark.parametrize("code", REFUSALS)
@pytest.mark.parametrize("facts", [OF_RECEIPT, {}, OF_RECEIPT | {"phase": "", "seat": "", "closes": None}])
def test_a_refusal_reads_well_with_the_facts_of_its_receipt_and_with_none(code: str, facts: dict[str, Any]) -> None:
    sentence = said(code, **facts).strip()
    assert sentence.endswith(".") and "…" not in sentence and "{" not in sentence and "  " not in sentence and "None" not in sentence


@pytest.mark.parametrize("code", REFUSALS)
def test_a_refusal_uses_its_facts_where_it_has_them(code: str) -> None:
    names = {name for text in REFUSALS[code] for _text, name, _spec, _conversion in Formatter().parse(text) if name}
    sentence = said(code, **{name: f"<{name}>" for name in names})
    assert all(f"<{name}>" in sentence for name in names)


def test_what_is_said_shorter_is_a_refusal() -> None:
    assert SHORTER.keys() <= REFUSALS.keys()


def test_a_late_file() -> None:
    counts = "What you had sent in time counts; if nothing had come, silence is played."
    times = "The file came at 2026-12-03 19:05 UTC, after the phase had closed at 2026-12-03 19:00 UTC."
    assert said("late", **OF_RECEIPT).strip() == f"{times} {counts}"
    assert said("late").strip() == f"The file came after the phase had closed. {counts}"


def test_what_nobody_wrote_a_sentence_about_is_told_plainly() -> None:
    assert complaint(REFUSALS, "no-such-code", {"found": ["a", "b"]}, str) == ("no such code (found a, b)", "")


def test_phases_are_told_by_name_with_what_has_to_be_typed_behind() -> None:
    words = Words(registry.title("ming-dynasty"))
    facts = with_phases("unknown-phase", {"found": "no.such", "allowed": ["0.prince", "2.draw"]}, words.phase_typed)
    told = "Orders for no.such are not taken now. They are taken for set-up, princes (0.prince), round 2, draw (2.draw)."
    assert said("unknown-phase", **facts) == told
    assert with_phases("wrong-key", {"seat": "2.draw"}, words.phase_typed) == {"seat": "2.draw"}
    assert words.phase_typed("no.such") == "no.such"
    assert words.phase_typed("") == "set-up"
