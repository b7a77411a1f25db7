"""Handling pieces: counts without zeros, districts without emptiness, seats around the table."""

from __future__ import annotations

from pbem.titles.ming_dynasty.vocabulary import NEUTRAL, District, MingPosition, Player

FULL_HAND = 5


def put(counts: dict[str, int], key: str, number: int = 1) -> None:
    """Adds to a count."""
    if number:
        counts[key] = counts.get(key, 0) + number


def take(counts: dict[str, int], key: str, number: int = 1) -> None:
    """Takes from a count; what comes to nought is forgotten. KeyError or ValueError when there are not enough."""
    if not number:
        return
    left = counts[key] - number
    if left < 0:
        raise ValueError(f"{number} of {counts[key]} {key}")
    if left:
        counts[key] = left
    else:
        del counts[key]


def district(position: MingPosition, name: str) -> District:
    """A district to change; call ``tidy`` when members may have left it."""
    return position.districts.setdefault(name, District())


def tidy(position: MingPosition, name: str) -> None:
    """Forgets a district with nobody in it: the same position has one form only."""
    it = position.districts.get(name)
    if it is not None and not it.members and it.monastery is None and not it.houses:
        del position.districts[name]


def hand_size(player: Player) -> int:
    """Movement cards and dragons."""
    return sum(player.cards.values())


def turn_order(position: MingPosition) -> list[str]:
    """Seats from the starting player clockwise."""
    at = position.seats.index(position.start)
    return position.seats[at:] + position.seats[:at]


def owners(position: MingPosition) -> list[str]:
    """Who can have members in a district or in a city: the seats and, with two players, the neutral colour."""
    return [*position.seats, *_neutral(position)]


def owners_in_turn(position: MingPosition) -> list[str]:
    """The same from the starting player clockwise, the neutral colour last."""
    return [*turn_order(position), *_neutral(position)]


def _neutral(position: MingPosition) -> tuple[str, ...]:
    return (NEUTRAL,) if len(position.seats) == 2 else ()


def left_of(position: MingPosition, seat: str) -> str:
    """The next seat clockwise."""
    return position.seats[(position.seats.index(seat) + 1) % len(position.seats)]


def prince_in(position: MingPosition, name: str) -> str | None:
    """Whose prince stands in a district."""
    for seat, player in position.players.items():
        if player.prince == name:
            return seat
    return None


def in_monasteries(position: MingPosition) -> dict[str, int]:
    """Seat → members in monasteries, in seat order, noughts included."""
    counts = dict.fromkeys(position.seats, 0)
    for it in position.districts.values():
        if it.monastery is not None:
            counts[it.monastery] += 1
    return counts


def in_city(position: MingPosition, districts: tuple[str, ...]) -> dict[str, int]:
    """Owner → members in the houses of these districts, in the order of ``owners``, noughts left out."""
    counts = dict.fromkeys(owners(position), 0)
    for name in districts:
        if (it := position.districts.get(name)) is not None:
            for seat, number in it.houses.items():
                counts[seat] += number
    return {seat: number for seat, number in counts.items() if number}


def still_to_decide(phase: str, player: Player) -> bool:
    """Whether a player has a turn left in a phase that is played in turn."""
    match phase:
        case "prince":
            return player.prince is None
        case "place":
            return player.to_place > 0
        case "draw":
            return hand_size(player) < FULL_HAND
        case "move":
            return not player.passed and bool(player.cards)
        case _:
            return False
