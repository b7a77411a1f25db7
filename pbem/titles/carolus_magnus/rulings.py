"""Anchors of the rulings in docs/rulings.md, in its order."""

RULINGS = (
    "earlier-equal-disc-is-lower",
    "fewer-paladins-than-a-turn-plays",
    "laps-are-allowed",
    "limit-of-castles-wins",
    "used-up-and-none-at-court",
    "nothing-left-to-take",
    "shared-win",
    "all-reserves-empty",
)
