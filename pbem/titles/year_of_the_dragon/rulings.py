"""Anchors of the rulings in docs/rulings.md, in its order."""

RULINGS = (
    "months-10-and-11-swap",
    "track-is-read-at-the-start-of-a-phase",
    "hands-are-open",
    "three-yuan-before-the-income",
    "all-floors-are-placed",
    "privilege-after-the-three-yuan",
    "no-palace-at-all",
    "nobody-moves-house",
    "wild-names-a-tile",
    "fewer-persons-than-to-release",
    "ties-by-the-person-track",
)
