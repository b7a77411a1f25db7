"""What the order template of Azure is filled from."""

from __future__ import annotations

from typing import Any

from pbem.engine.title import Title
from pbem.titles.azure.vocabulary import AzurePosition


def offers(title: Title[AzurePosition], position: AzurePosition, seat: str, everything: bool = False) -> dict[str, Any]:
    """Facts for ``order.toml.j2``."""
    return {"order_of_play": list(position.seats)}
