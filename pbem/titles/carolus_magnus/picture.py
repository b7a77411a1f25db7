"""x"""
from typing import Any

from pbem.titles.carolus_magnus.vocabulary import CarolusPosition


def scene(position: CarolusPosition) -> dict[str, Any]:
    """x"""
    return {}
