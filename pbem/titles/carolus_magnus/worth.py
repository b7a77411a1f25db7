"""placeholder"""
from pbem.titles.carolus_magnus.vocabulary import CarolusPosition


def worth(position: CarolusPosition, seat: str) -> int:
    return 0
