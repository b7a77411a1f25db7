"""x"""
from typing import Any

from pbem.titles.carolus_magnus.vocabulary import CarolusPosition


def offers(position: CarolusPosition, seat: str) -> dict[str, Any]:
    """x"""
    return {}
