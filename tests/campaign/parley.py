"""A title made for walking through campaigns: who is asked never hangs on chance, and nobody is ever without a choice.

Two rounds. ``R.talk``: in turn, twice each, everybody says a word, another than the last one said, or passes. ``R.vote``: all together
vote for a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from pbem.engine.chance import Chance
from pbem.engine.position import Position
from pbem.engine.refusals import Illegal
from pbem.engine.title import Phase, Standing, Title

WORDS = ("aye", "nay", "hum")
ROUNDS, TALKS = 2, 2
PHASES = tuple(f"{number}.{name}" for number in range(1, ROUNDS + 1) for name in ("talk", "vote"))


class _Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do"):
    pass


class Say(_Order, frozen=True, tag="say"):
    word: str


class Vote(_Order, frozen=True, tag="vote"):
    word: str


class Pass(_Order, frozen=True, tag="pass"):
    pass


class Said(msgspec.Struct, frozen=True, tag_field="event", tag="said"):
    seat: str
    word: str


class Echoed(msgspec.Struct, frozen=True, tag_field="event", tag="echoed"):
    word: str


class ParleyPosition(Position, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    seats: list[str]
    turn: int = 0
    last: str = ""
    said: list[str] = []
    echoes: list[str] = []

    def copy(self) -> ParleyPosition:
        return ParleyPosition(
            phase=self.phase, seats=self.seats, turn=self.turn, last=self.last, said=list(self.said), echoes=list(self.echoes)
        )


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


def _after(phase_id: str) -> str:
    at = PHASES.index(phase_id) + 1
    return PHASES[at] if at < len(PHASES) else "over"


class Talk(Phase[ParleyPosition]):
    name = "talk"

    def asked(self, position: ParleyPosition) -> tuple[str, ...]:
        return (position.seats[position.turn % len(position.seats)],)

    def choices(self, position: ParleyPosition, seat: str) -> Iterator[Any]:
        yield from (Say(word) for word in WORDS if word != position.last)
        yield Pass()

    def complete(self, position: ParleyPosition, seat: str, order: Any) -> Any:
        if order not in list(self.choices(position, seat)):
            raise Illegal("not-that-word", "word", found=str(order))
        return order

    def play(self, position: ParleyPosition, orders: Mapping[str, Any], chance: Chance) -> list[Any]:
        [(seat, order)] = orders.items()
        events: list[Any] = []
        if isinstance(order, Say):
            position.last = order.word
            position.said.append(f"{seat} {order.word}")
            events.append(Said(seat, order.word))
        echo = chance.roll(WORDS, "echo")
        position.echoes.append(echo)
        events.append(Echoed(echo))
        position.turn += 1
        if position.turn == TALKS * len(position.seats):
            position.turn, position.phase = 0, _after(position.phase)
        return events

    def default(self, position: ParleyPosition, seat: str) -> Any:
        return Pass()


class Ballot(Phase[ParleyPosition]):
    name = "vote"
    simultaneous = True

    def asked(self, position: ParleyPosition) -> tuple[str, ...]:
        return tuple(position.seats)

    def choices(self, position: ParleyPosition, seat: str) -> Iterator[Any]:
        return (Vote(word) for word in WORDS)

    def complete(self, position: ParleyPosition, seat: str, order: Any) -> Any:
        if order not in list(self.choices(position, seat)):
            raise Illegal("not-that-word", "word", found=str(order))
        return order

    def play(self, position: ParleyPosition, orders: Mapping[str, Any], chance: Chance) -> list[Any]:
        position.said += [f"{seat} votes {order.word}" for seat, order in sorted(orders.items())]
        position.last, position.phase = "", _after(position.phase)
        return []

    def default(self, position: ParleyPosition, seat: str) -> Any:
        return Vote(WORDS[0])


class Parley(Title[ParleyPosition]):
    slug, name, seats, rules = "parley", "Parley", range(2, 5), 1
    position, options, orders, events = ParleyPosition, Options, (Say, Vote, Pass), (Said, Echoed)

    def set_up(self, options: Any, seats: Sequence[str], chance: Chance) -> tuple[ParleyPosition, list[Any]]:
        return ParleyPosition(phase=PHASES[0], seats=list(seats)), []

    def phase(self, position: ParleyPosition) -> Phase[ParleyPosition] | None:
        return self.phase_named(position.phase)

    def phase_named(self, phase_id: str) -> Phase[ParleyPosition] | None:
        return {"talk": Talk(), "vote": Ballot()}.get(phase_id.partition(".")[2])

    def view(self, position: ParleyPosition, seat: str | None) -> ParleyPosition:
        return position.copy()

    def ahead(self, position: ParleyPosition) -> tuple[str, ...]:
        return PHASES[PHASES.index(position.phase) :] if position.phase in PHASES else ()

    def result(self, position: ParleyPosition) -> list[Standing]:
        points = {seat: sum(line.startswith(f"{seat} ") for line in position.said) for seat in position.seats}
        best = sorted(points.values(), reverse=True)
        lines = [Standing(seat, count, 1 + best.index(count)) for seat, count in points.items()]
        return sorted(lines, key=lambda line: line.place)

    def places(self, event: Any) -> frozenset[str]:
        return frozenset({event.word})

    def known_places(self, position: ParleyPosition) -> frozenset[str]:
        return frozenset(WORDS)
