"""Who plays together, and the numbers that depend on how many play."""

from __future__ import annotations

from functools import lru_cache

from pbem.titles.carolus_magnus.vocabulary import CarolusPosition

SEATS = range(2, 5)
CASTLES = {2: 10, 3: 8, 4: 10}
"""Castles of a side, and to win."""
PLAYED = {2: 3, 3: 4, 4: 3}
"""Paladins played in a turn."""
RESERVE = {2: 7, 3: 9, 4: 7}
"""Paladins of a reserve at the start, and after a refill."""
OF_EACH_CLAN = 40


def sides(position: CarolusPosition) -> list[tuple[str, ...]]:
    """The sides in the order of their first seats: seats 1 and 3 against 2 and 4, with fewer players everybody alone."""
    return list(sides_of(tuple(position.seats)))


@lru_cache(maxsize=64)
def sides_of(seats: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The sides of these seats. Of n sides, the seat of index i belongs to that of index i modulo n."""
    if len(seats) == 4:
        return (seats[0], seats[2]), (seats[1], seats[3])
    return tuple([(seat,) for seat in seats])


def side_of(position: CarolusPosition, seat: str) -> tuple[str, ...]:
    """The side a seat belongs to."""
    seats = position.seats
    if len(seats) == 4:
        first = seats.index(seat) % 2
        return seats[first], seats[first + 2]
    return (seat,)


def castles_in_play(position: CarolusPosition, side: tuple[str, ...]) -> int:
    """How many castles of a side stand on the board."""
    owner = side[0]
    return sum([region.castles[owner] for region in position.regions if owner in region.castles])


def castles_left(position: CarolusPosition, side: tuple[str, ...]) -> int:
    """How many castles a side can still build."""
    return CASTLES[len(position.seats)] - castles_in_play(position, side)


def clans_controlled(position: CarolusPosition, side: tuple[str, ...]) -> int:
    """How many clans a side controls."""
    return sum(seat in side for seat in position.control.values())


def to_play(position: CarolusPosition, seat: str) -> int:
    """How many paladins a turn of this seat plays now: all he has, if fewer."""
    return min(PLAYED[len(position.seats)], sum(position.players[seat].reserve.values()))
