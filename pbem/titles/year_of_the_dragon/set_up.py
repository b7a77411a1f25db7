"""Set-up: the starting player, the events of the year, palaces, money, cards and the display."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.chance import Chance
from pbem.engine.title import Event
from pbem.titles.year_of_the_dragon.pieces import take
from pbem.titles.year_of_the_dragon.sequence import phase_ids
from pbem.titles.year_of_the_dragon.tables import (
    DISPLAY,
    DRAWN_EVENTS,
    FIRST_PALACES,
    FIRST_YUAN,
    FULL_HAND,
    MONTHS,
    MONTHS_OF_PEACE,
    PEACE,
)
from pbem.titles.year_of_the_dragon.vocabulary import DragonPosition, Options, Palace, Player, Started, YearLaid


def set_up(options: Options, seats: Sequence[str], chance: Chance) -> tuple[DragonPosition, list[Event]]:
    """The position before the first retinue is taken."""
    start = chance.roll(list(seats), "starting player")
    year, swapped = lay_events(chance)
    position = DragonPosition(
        phase=phase_ids()[0],
        seats=list(seats),
        start=start,
        large_privilege=options.large_privilege,
        year=year,
        track=clockwise(seats, start),
        waiting=clockwise(seats, start),
        display=dict(DISPLAY[len(seats)]),
        players={seat: new_player() for seat in seats},
    )
    return position, [Started(player=start), YearLaid(year=year, swapped=swapped)]


def new_player() -> Player:
    """What each player begins with."""
    return Player(
        yuan=FIRST_YUAN,
        palaces={str(number): Palace(floors) for number, floors in enumerate(FIRST_PALACES, start=1)},
        next_palace=len(FIRST_PALACES) + 1,
        cards=dict(FULL_HAND),
    )


def clockwise(seats: Sequence[str], start: str) -> list[str]:
    """Seats from the starting player on."""
    at = seats.index(start)
    return [*seats[at:], *seats[:at]]


def lay_events(chance: Chance) -> tuple[tuple[str, ...], bool]:
    """The events of the twelve months, and whether months 10 and 11 had to swap."""
    months: list[str] = [PEACE] * MONTHS_OF_PEACE + [""] * (MONTHS - MONTHS_OF_PEACE)
    bag = dict(DRAWN_EVENTS)
    while bag:
        event = chance.draw(bag, f"event {MONTHS_OF_PEACE + sum(map(bool, months[MONTHS_OF_PEACE:])) + 1}")
        take(bag, event)
        free = [at for at, laid in enumerate(months) if not laid]
        # A tile like its left neighbour leaves a gap, which the next tile fills: both of its kind are laid by then.
        at = free[1] if months[free[0] - 1] == event and len(free) > 1 else free[0]
        months[at] = event
    swapped = months[-1] == months[-2]
    if swapped:
        months[-3], months[-2] = months[-2], months[-3]
    return tuple(months), swapped
