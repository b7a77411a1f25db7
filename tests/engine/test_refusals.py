from __future__ import annotations

import pytest

from pbem.engine.refusals import Malformed, known, nearest

WORDS = ["yunnan-a", "yunnan-b", "zhili-a"]


@pytest.mark.parametrize("word", ["yunnan-B", " YUNNAN-B ", "yunan-b", "yunnan-b"])
def test_the_nearest_word_capitals_aside(word: str) -> None:
    assert nearest(word, WORDS) == "yunnan-b"


def test_nothing_is_near() -> None:
    assert nearest("horse", WORDS) == nearest("x" * 100_000, WORDS) == nearest("", WORDS) == nearest("x", []) == ""


def test_a_word_that_is_not_known_is_refused_with_the_nearest() -> None:
    assert known("unknown-district", "zhili-a", WORDS, "to") == "zhili-a"
    with pytest.raises(Malformed) as refused:
        known("unknown-district", "Zhili-A", WORDS, "to")
    assert refused.value.code == "unknown-district" and refused.value.field == "to"
    assert refused.value.facts == {"found": "Zhili-A", "allowed": WORDS, "nearest": "zhili-a"}
