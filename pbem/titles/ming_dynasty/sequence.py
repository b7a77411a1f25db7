"""The order of phases: set-up, six rounds, and which of their phases come when."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import ClassVar, cast

from pbem.engine.refusals import Illegal
from pbem.engine.title import OVER, Event, Order, Phase
from pbem.titles.ming_dynasty.pieces import left_of, turn_order
from pbem.titles.ming_dynasty.vocabulary import MingPosition, RoundBegan

ROUNDS = 6
MEMBERS_PER_ROUND = 5
IN_TURN = {"prince", "place", "draw", "move"}


@cache
def phase_ids(players: int) -> tuple[str, ...]:
    """All phases of a game in order, and "over"."""
    ids = ["0.prince"]
    for number in range(1, ROUNDS + 1):
        if players == 4 and number in (5, 6):
            ids.append(f"{number}.starter")
        ids += [f"{number}.place", f"{number}.draw", f"{number}.move"]
        if number % 2 == 0:
            ids += [f"{number}.fill", f"{number}.return", f"{number}.score"]
        ids.append(f"{number}.end")
    return (*ids, OVER)


def round_of(phase_id: str) -> int:
    """0 for the princes, then 1 to 6; 7 once it is over."""
    return ROUNDS + 1 if phase_id == OVER else int(phase_id.partition(".")[0])


def go_on(position: MingPosition) -> list[Event]:
    """Ends the phase and enters the next; a round begins with its members taken from supply."""
    ids = phase_ids(len(position.seats))
    position.phase = ids[ids.index(position.phase) + 1]
    name = position.phase.partition(".")[2]
    position.turn = position.start if name in IN_TURN else None
    if name != "place":
        return []
    for player in position.players.values():
        player.to_place = min(MEMBERS_PER_ROUND, player.supply)
        player.supply -= player.to_place
    return [RoundBegan(round=round_of(position.phase), order=tuple(turn_order(position)))]


def next_in_turn(position: MingPosition, has_turn: Callable[[str], bool]) -> list[Event]:
    """Gives the turn to the next clockwise who has one, perhaps the same player again; when nobody has, the phase ends."""
    for _ in position.seats:
        position.turn = left_of(position, cast(str, position.turn))
        if has_turn(position.turn):
            return []
    return go_on(position)


class MingPhase(Phase[MingPosition]):
    """What all phases of this title share."""

    takes: ClassVar[tuple[type[Order], ...]] = ()
    """Orders this phase understands."""

    def complete(self, position: MingPosition, seat: str, order: Order) -> Order:
        """See Phase. Somebody not asked, and an order of another phase, are refused here."""
        asked = self.asked(position)
        if seat not in asked:
            raise Illegal("not-asked", asked=list(asked))
        if not isinstance(order, self.takes):
            allowed = [str(kind.__struct_config__.tag) for kind in self.takes]
            raise Illegal("not-now", "do", found=order.__struct_config__.tag, allowed=allowed, phase=position.phase)
        return self.fill_in(position, seat, order)

    def fill_in(self, position: MingPosition, seat: str, order: Order) -> Order:
        """``complete`` for a seat that is asked and an order of the right kind."""
        raise NotImplementedError
