"""How a stand-in player judges a position."""

from __future__ import annotations

from pbem.titles.azure.vocabulary import AzurePosition


def worth(position: AzurePosition, seat: str) -> int:
    """A number to compare positions of one decision by, in hundredths of a step of wisdom."""
    return 100 * position.players[seat].wisdom
