"""The ways a prince can walk with the cards in hand: one per district reached and cards paid, cheapest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from pbem.titles.ming_dynasty.board import Board, load
from pbem.titles.ming_dynasty.vocabulary import DRAGON


class Way(NamedTuple):
    """A walk: the district it ends in, the districts entered, one card per step."""

    district: str
    path: tuple[str, ...]
    pay: tuple[str, ...]


def ways(board: str, start: str, cards: Mapping[str, int]) -> tuple[Way, ...]:
    """All ways by district in board order, cheapest first; where other princes stand is not looked at."""
    kinds = load(board).transports
    return _ways(board, start, tuple(cards.get(kind, 0) for kind in (*kinds, DRAGON)))


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


@lru_cache(maxsize=4096)
def _ways(board_name: str, start: str, hand: tuple[int, ...]) -> tuple[Way, ...]:
    board = load(board_name)
    kinds = board.transports
    dragon = len(kinds)
    held = [number for number in range(dragon) if hand[number]]
    scarcest = min(held, key=lambda number: hand[number], default=0)
    found: list[tuple[tuple[object, ...], Way]] = []
    # (district, cards used) → the first such path in board order; a state's path only ever grows from the best path of the state before
    level: dict[tuple[str, tuple[int, ...]], tuple[int, ...]] = {(start, (0,) * (dragon + 1)): ()}
    while level:
        deeper: dict[tuple[str, tuple[int, ...]], tuple[int, ...]] = {}
        for (district, used), path in level.items():
            for other, transport in board.neighbours[district]:
                for card in (kinds.index(transport), dragon):
                    if used[card] == hand[card]:
                        continue
                    state = (other, (*used[:card], used[card] + 1, *used[card + 1 :]))
                    longer = (*path, board.place_in_order[other])
                    if state not in deeper or longer < deeper[state]:
                        deeper[state] = longer
        level = deeper
        for (district, used), path in level.items():
            cheapness = (board.place_in_order[district], len(path), used[dragon], used[scarcest], path, used)
            found.append((cheapness, _way(board, start, district, path, used)))
    found.sort(key=lambda item: item[0])
    return tuple(way for _, way in found)


def _way(board: Board, start: str, district: str, path: tuple[int, ...], used: tuple[int, ...]) -> Way:
    names = tuple(board.districts[number] for number in path)
    return Way(district, names, payment(needed(board, start, names), dict(zip(board.transports, used, strict=False))))


def needed(board: Board, start: str, path: Sequence[str]) -> list[str]:
    """The transports of the borders along a path, which must all be there."""
    return [board.transport[a, b] for a, b in zip((start, *path), path, strict=False)]
