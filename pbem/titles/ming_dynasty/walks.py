"""The ways a prince can walk with the cards in hand: one per district reached and cards paid, cheapest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from pbem.titles.ming_dynasty.board import Board, load
from pbem.titles.ming_dynasty.vocabulary import DRAGON


class Way(NamedTuple):
    """A walk: the district it ends in, the districts entered, one card per step."""

    district: str
    path: tuple[str, ...]
    pay: tuple[str, ...]


Used = tuple[int, ...]
"""How many cards of each kind, the board's transports in order and then the dragon."""


def ways(board: str, start: str, cards: Mapping[str, int]) -> tuple[Way, ...]:
    """All ways by district in board order, cheapest first; where other princes stand is not looked at."""
    hand = _counted(board, cards)
    return tuple([way for district in _reached(board, start, hand) for way in _cheapest_first(board, start, hand, district)])


def reached(board: str, start: str, cards: Mapping[str, int]) -> Mapping[str, int]:
    """District, in board order → how many ways lead there."""
    return _reached(board, start, _counted(board, cards))


def ways_to(board: str, start: str, cards: Mapping[str, int], district: str) -> tuple[Way, ...]:
    """The ways to a district that is reached, cheapest first."""
    return _cheapest_first(board, start, _counted(board, cards), district)


def _counted(board: str, cards: Mapping[str, int]) -> Used:
    return tuple([cards.get(kind, 0) for kind in (*load(board).transports, DRAGON)])


def payment(needed: Sequence[str], cards: Mapping[str, int]) -> tuple[str, ...]:
    """One card per step: matching cards as long as there are some, then dragons, counted or not."""
    left = dict(cards)
    pay = []
    for transport in needed:
        if left.get(transport, 0):
            left[transport] -= 1
            pay.append(transport)
        else:
            pay.append(DRAGON)
    return tuple(pay)


# Where somebody gets with certain cards hangs on no other card in his hand, and the hands of a game are much alike: what is found for some
# cards serves every hand that holds them.


@lru_cache(maxsize=8192)
def _ends(board_name: str, start: str, used: Used) -> Mapping[str, tuple[tuple[int, ...], Way]]:
    """District → the way there that uses just these cards, its path in numbers first: of several, the first in board order."""
    board = load(board_name)
    kinds, order = board.transports, board.place_in_order
    if not any(used):
        return {start: ((), Way(start, (), ()))}
    found: dict[str, tuple[int, ...]] = {}
    for card, number in enumerate(used):
        if not number:
            continue
        # a path only ever grows from the best path with one card less
        for district, (path, _) in _ends(board_name, start, (*used[:card], number - 1, *used[card + 1 :])).items():
            for other, transport in board.neighbours[district]:
                if card == len(kinds) or transport == kinds[card]:
                    longer = (*path, order[other])
                    if other not in found or longer < found[other]:
                        found[other] = longer
    return {district: (path, _way(board, start, district, path, used)) for district, path in found.items()}


@lru_cache(maxsize=1024)
def _payments(hand: Used) -> tuple[Used, ...]:
    """All that can be paid with a hand, nothing at all left out."""
    return tuple([used for used in product(*[range(number + 1) for number in hand]) if any(used)])


@lru_cache(maxsize=4096)
def _reached(board_name: str, start: str, hand: Used) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for used in _payments(hand):
        for district in _ends(board_name, start, used):
            counts[district] = counts.get(district, 0) + 1
    return {district: counts[district] for district in load(board_name).districts if district in counts}


@lru_cache(maxsize=4096)
def _cheapest_first(board_name: str, start: str, hand: Used, district: str) -> tuple[Way, ...]:
    dragon = len(hand) - 1
    held = [number for number in range(dragon) if hand[number]]
    scarcest = min(held, key=lambda number: hand[number], default=0)
    found: list[tuple[tuple[object, ...], Way]] = []
    for used in _payments(hand):
        if (end := _ends(board_name, start, used).get(district)) is not None:
            path, way = end
            found.append(((len(path), used[dragon], used[scarcest], path, used), way))
    found.sort(key=lambda item: item[0])
    return tuple([way for _, way in found])


def _way(board: Board, start: str, district: str, path: tuple[int, ...], used: tuple[int, ...]) -> Way:
    names = tuple(board.districts[number] for number in path)
    return Way(district, names, payment(needed(board, start, names), dict(zip(board.transports, used, strict=False))))


def needed(board: Board, start: str, path: Sequence[str]) -> list[str]:
    """The transports of the borders along a path, which must all be there."""
    return [board.transport[a, b] for a, b in zip((start, *path), path, strict=False)]
