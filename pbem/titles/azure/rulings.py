"""Anchors of the rulings in docs/rulings.md, in its order."""

RULINGS = (
    "realm-by-chance",
    "wisdom-symbols-cost",
    "seen-cards-first",
    "as-many-as-are-there",
    "the-track-comes-first",
    "one-more-boon",
    "tortoise-without-a-stone",
    "hidden-deck-short",
    "bird-without-cards",
    "cards-returned-by-default",
    "the-last-gifted-stone",
)
