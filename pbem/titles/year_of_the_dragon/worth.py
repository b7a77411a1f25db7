"""How a stand-in player judges a position."""

from __future__ import annotations

from pbem.titles.year_of_the_dragon.vocabulary import DragonPosition


def worth(position: DragonPosition, seat: str) -> int:
    """A number to compare positions of one decision by, in hundredths of a point."""
    return 100 * position.players[seat].points
