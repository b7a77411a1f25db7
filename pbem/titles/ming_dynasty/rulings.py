"""Anchors of the rulings in docs/rulings.md, in its order."""

RULINGS: tuple[str, ...] = ()
