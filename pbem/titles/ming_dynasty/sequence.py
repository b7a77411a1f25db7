"""The order of phases: set-up, six rounds, and which of their phases come when.

A phase id is the round, a dot and the name of its phase ("3.move"); where each city has a phase of its own, the province follows
("2.return.yunnan").
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import ClassVar, cast, get_args

from pbem.engine.refusals import Illegal
from pbem.engine.title import OVER, Event, Order, Phase
from pbem.titles.ming_dynasty.board import PROVINCE_ID, load
from pbem.titles.ming_dynasty.pieces import left_of, turn_order
from pbem.titles.ming_dynasty.vocabulary import Bids, MingPosition, RoundBegan

ROUNDS = 6
MEMBERS_PER_ROUND = 5
NEUTRAL_LATER = 3
"""Neutral members each of two players puts into districts before rounds 3 and 5."""
SEATS = range(2, 5)
IN_TURN = {"neutral", "prince", "place", "draw", "move"}


@cache
def phase_ids(players: int, bids: Bids, provinces: tuple[str, ...]) -> tuple[str, ...]:
    """All phases of a game in order, and "over". ``provinces`` in board order: their cities may have phases of their own."""
    ids = ["0.neutral", "0.prince"] if players == 2 else ["0.prince"]
    for number in range(1, ROUNDS + 1):
        if players == 2 and number in (3, 5):
            ids.append(f"{number}.neutral")
        if players == 4 and number in (5, 6):
            ids.append(f"{number}.starter")
        ids += [f"{number}.place", f"{number}.draw", f"{number}.move"]
        if number % 2 == 0:
            ids += [f"{number}.{name}" for name in _scoring(players, bids, provinces)]
        ids.append(f"{number}.end")
    return (*ids, OVER)


def _scoring(players: int, bids: Bids, provinces: tuple[str, ...]) -> list[str]:
    """Phase 4. "score" without a province scores all cities not scored yet, and the monasteries."""
    together = bids == "together"
    if together and players > 2:
        return ["fill", "return", "score"]
    names = ["fill", "return"] if together else []
    for province in provinces:
        if not together:
            names += [f"fill.{province}", f"return.{province}"]
        if players == 2:
            # judged after the bids, so it comes between them and the scoring of the city
            names.append(f"neutral-return.{province}")
        names.append(f"score.{province}")
    return [*names, "score"]


def ids_of(position: MingPosition) -> tuple[str, ...]:
    """``phase_ids`` of the game that a position belongs to."""
    return phase_ids(len(position.seats), position.bids, load(position.board).provinces)


@cache
def _known_ids() -> frozenset[str]:
    games = [phase_ids(players, bids, ("",)) for players in SEATS for bids in get_args(Bids)]
    return frozenset(phase_id for ids in games for phase_id in ids) - {OVER}


def is_phase(phase_id: str) -> bool:
    """Whether some game has a phase of that id, with any number of players, bids either way, and whatever the provinces are called."""
    head, dot, province = phase_id.rpartition(".")
    if phase_id.count(".") == 2 and PROVINCE_ID.fullmatch(province):
        return head + dot in _known_ids()
    return phase_id in _known_ids() and not phase_id.endswith(".")


def round_of(phase_id: str) -> int:
    """0 for set-up, then 1 to 6; 7 once it is over."""
    return ROUNDS + 1 if phase_id == OVER else int(phase_id.partition(".")[0])


def name_of(phase_id: str) -> str:
    """The name of its phase: "return" for "2.return.yunnan"; "" once it is over."""
    return "" if phase_id == OVER else phase_id.split(".")[1]


def city_of(phase_id: str) -> str:
    """The province whose city a phase is about; "" when it is about no city in particular."""
    return phase_id.split(".")[2] if phase_id.count(".") == 2 else ""


def cities_of(position: MingPosition) -> dict[str, tuple[str, ...]]:
    """Province → its districts, for the cities that the present phase is about: one, or all in board order."""
    districts_of = load(position.board).districts_of
    province = city_of(position.phase)
    return {province: districts_of[province]} if province else dict(districts_of)


def go_on(position: MingPosition) -> list[Event]:
    """Ends the phase and enters the next; a round begins with its members taken from supply."""
    ids = ids_of(position)
    position.phase = ids[ids.index(position.phase) + 1]
    name = name_of(position.phase)
    position.turn = position.start if name in IN_TURN else None
    if name == "neutral":
        for player in position.players.values():
            player.neutral_to_place = NEUTRAL_LATER
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
