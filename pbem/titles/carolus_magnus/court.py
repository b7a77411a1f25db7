"""Courts: who controls a clan."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.engine.title import Event
from pbem.titles.carolus_magnus.vocabulary import CLANS, CarolusPosition, ControlTaken


def first_at_court(position: CarolusPosition, clan: str) -> tuple[str | None, int, int]:
    """The player with strictly more of a clan at court than every other player, if any; the most and the next most at any court."""
    courts = [position.players[seat].court.get(clan, 0) for seat in position.seats]
    *_, following, most = sorted(courts)
    return (position.seats[courts.index(most)] if most > following else None), most, following


def settle_control(position: CarolusPosition) -> Iterator[Event]:
    """After court placements control goes to whoever has strictly most; at equality it stays where it is."""
    for clan in CLANS:
        seat, most, following = first_at_court(position, clan)
        before = position.control.get(clan)
        if seat is not None and seat != before:
            position.control[clan] = seat
            yield ControlTaken(seat=seat, clan=clan, most=most, next=following, before=before)
