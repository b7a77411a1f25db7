"""Anchors of the rulings in docs/rulings.md, in its order."""

RULINGS = (
    "hands-are-open",
    "no-palace-at-all",
    "wild-names-a-tile",
)
