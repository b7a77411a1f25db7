"""What the pictures of Azure are drawn from."""

from __future__ import annotations

from typing import Any

from pbem.titles.azure.vocabulary import AzurePosition


def scene(position: AzurePosition) -> dict[str, Any]:
    """Facts for the templates."""
    return {"seats": list(position.seats)}
