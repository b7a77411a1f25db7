"""Anchors of the rulings in docs/rulings.md, in its order."""

RULINGS = (
    "eighteen-of-each-transport",
    "return-cards-0-to-3",
    "start-by-chance",
    "hands-are-open",
    "dragon-costs-an-own-member",
    "no-dragon-left",
    "walk-back-to-the-start",
    "dragon-after-a-stay",
    "without-cards-passes-unasked",
    "provinces-in-board-order",
    "nobody-is-never-second",
    "tiles-run-short",
    "bid-larger-than-the-city",
    "owner-chooses-who-returns",
    "nobody-left-no-bonus",
    "leading-a-part-strictly",
    "monasteries-after-cities",
    "bids-together",
    "naming-tie-by-turn-order",
    "shared-win",
)
