"""The order of phases: the retinues, then twelve months, and what all phases share."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, ClassVar

from pbem.engine.refusals import Illegal
from pbem.engine.title import OVER, Order, Phase
from pbem.titles.year_of_the_dragon.tables import MONTHS
from pbem.titles.year_of_the_dragon.vocabulary import DragonPosition

BY_THE_TRACK = {"action", "person"}
NOBODY_RELEASES = {"peace", "festival"}


@cache
def phase_ids() -> tuple[str, ...]:
    """All phases of a game in order, and "over". In month 12 no person card is played."""
    ids = ["0.retinue"]
    for month in range(1, MONTHS + 1):
        names = ["groups", "action", "person", "event", "decay", "score"]
        if month == MONTHS:
            names.remove("person")
            names.append("end")
        ids += [f"{month}.{name}" for name in names]
    return (*ids, OVER)


_FOLLOWING = {phase_id: (after, after.partition(".")[2] in BY_THE_TRACK) for phase_id, after in pairwise(phase_ids())}
"""Phase → the next one, and whether all have to decide in that."""


@lru_cache(maxsize=128)
def month_of(phase_id: str) -> int:
    """0 for the retinues, then 1 to 12; 13 once it is over."""
    return MONTHS + 1 if phase_id == OVER else int(phase_id.partition(".")[0])


def event_of(position: DragonPosition, phase_id: str) -> str:
    """The event of the month a phase belongs to."""
    return position.year[month_of(phase_id) - 1]


def asks(position: DragonPosition, phase_id: str) -> bool:
    """Whether a phase may ask somebody."""
    name = phase_id.partition(".")[2]
    return name in ("retinue", "action", "person") or (name == "event" and event_of(position, phase_id) not in NOBODY_RELEASES)


def go_on(position: DragonPosition) -> None:
    """Ends the phase and enters the next. The order of the track is read now and holds for the whole phase."""
    position.phase, all_decide = _FOLLOWING[position.phase]
    position.waiting = position.track.copy() if all_decide else []


def next_in_turn(position: DragonPosition) -> None:
    """Who was asked has decided; after the last one the phase ends."""
    waiting = position.waiting
    del waiting[0]
    if not waiting:
        go_on(position)


class DragonPhase(Phase[DragonPosition]):
    """What all phases of this title share: those who have to decide do so one after the other."""

    takes: ClassVar[tuple[type[Order], ...]] = ()
    """Orders this phase understands."""

    def asked(self, position: DragonPosition) -> tuple[str, ...]:
        """See Phase."""
        waiting = position.waiting
        return (waiting[0],) if waiting else ()

    def complete(self, position: DragonPosition, seat: str, order: Order) -> Order:
        """See Phase. Somebody not asked, and an order of another phase, are refused here."""
        waiting = position.waiting
        if not waiting or seat != waiting[0]:
            raise Illegal("not-asked", asked=list(self.asked(position)))
        if type(order) not in self.takes:
            allowed = [str(kind.__struct_config__.tag) for kind in self.takes]
            raise Illegal("not-now", "do", found=order.__struct_config__.tag, allowed=allowed, phase=position.phase)
        return self.fill_in(position, seat, order)

    def fill_in(self, position: DragonPosition, seat: str, order: Any) -> Order:
        """``complete`` for a seat that is asked and an order of the right kind."""
        raise NotImplementedError
