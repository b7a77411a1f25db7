"""Courts: who controls a clan."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.engine.title import Event
from pbem.titles.carolus_magnus.vocabulary import CLANS, CarolusPosition, ControlTaken


def first_at_court(position: CarolusPosition, clan: str) -> tuple[str | None, int, int]:
    """The player with strictly more of a clan at court than every other player, if any; the most and the next most at any court."""
    courts = [position.players[seat].court.get(clan, 0) for seat in position.seats]
    *_, following, most = sorted(courts)
    return (position.seats[courts.index(most)] if most > following else None), most, following


def settle_control(position: CarolusPosition, placed: Iterable[str]) -> list[Event]:
    """After court placements control goes to whoever has strictly most; at equality it stays where it is. ``placed``: the clans of them."""
    events: list[Event] = []
    # Of no other clan has anything changed: when courts give back paladins, each gives as many.
    for clan in [clan for clan in CLANS if clan in placed]:
        seat, most, following = first_at_court(position, clan)
        before = position.control.get(clan)
        if seat is not None and seat != before:
            position.control[clan] = seat
            events.append(ControlTaken(seat=seat, clan=clan, most=most, next=following, before=before))
    return events
