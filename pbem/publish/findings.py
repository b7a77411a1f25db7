"""Findings of ``pbem.orders`` as sentences: where, what was found, what is allowed, the nearest valid word.

The codes and their facts are listed in ``pbem.orders.findings``; one macro per code stands in ``templates/text/findings.j2``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbem.orders.findings import Finding
from pbem.publish.columns import clean

if TYPE_CHECKING:
    from pbem.publish.words import Words

TEMPLATE = "text/findings.j2"
LONGEST_PLACE = 120


def finding_text(finding: Finding, words: Words) -> str:
    """One finding as one line; a code without a sentence of its own is told in plain facts."""
    facts = {key: clean(value, LONGEST_PLACE) if isinstance(value, str) else value for key, value in finding.facts.items()}
    sentence = words.macro(TEMPLATE, finding.code, facts) or words.plain(finding.code, facts)
    if facts.get("line") and facts.get("column"):
        place = words.macro(TEMPLATE, "at_line", facts)
        if facts.get("quoted"):
            sentence = words.macro(TEMPLATE, "reads", sentence, facts["quoted"])
    else:
        place = clean(finding.at, LONGEST_PLACE)
    return words.macro(TEMPLATE, "whole", place, sentence)
