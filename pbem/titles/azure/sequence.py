"""The order of phases: turns alternate; each is a placing, and perhaps the other player's return of cards."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

from pbem.engine.refusals import Illegal
from pbem.engine.title import OVER, Event, Order, Phase
from pbem.titles.azure.vocabulary import LAST_WISDOM, AzurePosition, GameOver

LAST_TURN = 30
"""Each turn takes one of the 14 stones and the gifted one that each player has."""
PLACE, DISCARD = "place", "discard"


def turn_of(phase_id: str) -> int:
    """The number of a turn, from 1; 0 when the id is none of a turn."""
    head, dot, name = phase_id.partition(".")
    if not dot or name not in (PLACE, DISCARD) or not head.isascii() or not head.isdecimal() or head != str(int(head[:4])):
        return 0
    number = int(head)
    return number if number <= LAST_TURN else 0


def phases_ahead(position: AzurePosition) -> tuple[str, ...]:
    """Ids of phases that may come until each player has had one more turn after this round, the present one first."""
    number = turn_of(position.phase)
    if not number:
        return ()
    last = min(LAST_TURN, number + number % 2 + 2)
    ids = [f"{turn}.{name}" for turn in range(number, last + 1) for name in (PLACE, DISCARD)]
    return tuple(ids[ids.index(position.phase) :])


def other(position: AzurePosition, seat: str) -> str:
    """The opponent of a seat."""
    first, second = position.seats
    return second if seat == first else first


def go_on(position: AzurePosition) -> None:
    """Ends the turn: the other player's begins. Whether he can place, the next phase looks at itself."""
    if position.phase != OVER:
        position.phase = _next_turn(position.phase)
        position.turn = other(position, position.turn)


@lru_cache(maxsize=256)
def _next_turn(phase_id: str) -> str:
    return f"{int(phase_id.partition('.')[0]) + 1}.{PLACE}"


def win(position: AzurePosition, winner: str, why: str) -> list[Event]:
    """The game is over at once."""
    position.phase, position.winner = OVER, winner
    return [GameOver(winner=winner, why=why, points={seat: position.players[seat].wisdom for seat in position.seats})]


def advance(position: AzurePosition, seat: str, steps: int) -> int:
    """Moves a wisdom marker, which stays between 0 and the end of the track; gives where it stands."""
    player = position.players[seat]
    wisdom = player.wisdom + steps
    player.wisdom = wisdom = 0 if wisdom < 0 else wisdom if wisdom < LAST_WISDOM else LAST_WISDOM
    return wisdom


def has_won(position: AzurePosition, seat: str) -> bool:
    """Whether a marker is at the end of the track."""
    return position.players[seat].wisdom >= LAST_WISDOM


class AzurePhase(Phase[AzurePosition]):
    """What both phases of this title share."""

    takes: ClassVar[tuple[type[Order], ...]] = ()
    """Orders this phase understands."""

    def complete(self, position: AzurePosition, seat: str, order: Order) -> Order:
        """See Phase. Somebody not asked, and an order of another phase, are refused here."""
        if not self.decides(position, seat):
            raise Illegal("not-asked", asked=list(self.asked(position)))
        if not isinstance(order, self.takes):
            allowed = [str(kind.__struct_config__.tag) for kind in self.takes]
            raise Illegal("not-now", "do", found=order.__struct_config__.tag, allowed=allowed, phase=position.phase)
        return self.fill_in(position, seat, order)

    def decides(self, position: AzurePosition, seat: str) -> bool:
        """Whether an order of this seat is looked at."""
        return seat in self.asked(position)

    def fill_in(self, position: AzurePosition, seat: str, order: Order) -> Order:
        """``complete`` for a seat that is asked and an order of the right kind."""
        raise NotImplementedError


def take_over(position: AzurePosition, played: AzurePosition) -> None:
    """Makes a position what a copy of it is: so a play that fails midway has changed nothing."""
    for name in position.__struct_fields__:
        setattr(position, name, getattr(played, name))
