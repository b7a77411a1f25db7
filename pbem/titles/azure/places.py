"""Which places of the realm an event touches, for the plan word ``watch``."""

from __future__ import annotations

from pbem.engine.title import Event


def touched(event: Event) -> frozenset[str]:
    """The space where a stone was placed; the mountain whose Beast came or went, or on which a stone was set."""
    return frozenset({place} if (place := getattr(event, "space", None) or getattr(event, "mountain", None)) else ())
