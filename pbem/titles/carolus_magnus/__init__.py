"""Carolus Magnus: the table of contents of its rulebook (docs/rules/carolus-magnus.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import msgspec

from pbem.engine.chance import Chance
from pbem.engine.title import Event, Phase, Standing, Title
from pbem.titles.carolus_magnus import position_text, set_up, sides, vocabulary
from pbem.titles.carolus_magnus.crowns import ChooseCrowns
from pbem.titles.carolus_magnus.discs import LayDisc
from pbem.titles.carolus_magnus.end import standings
from pbem.titles.carolus_magnus.places import PLACES, touched
from pbem.titles.carolus_magnus.rulings import RULINGS
from pbem.titles.carolus_magnus.sequence import CarolusPhase, is_phase_id, phases_ahead
from pbem.titles.carolus_magnus.turn import TakeTurn
from pbem.titles.carolus_magnus.view import view
from pbem.titles.carolus_magnus.vocabulary import CarolusPosition, Options
from pbem.titles.carolus_magnus.worth import worth

PHASES: tuple[CarolusPhase[Any], ...] = (
    ChooseCrowns(),  # 0.crowns; in round T after a refill: T.crowns
    LayDisc(),  # T.disc
    TakeTurn(),  # T.turn: paladins, control, the Emperor, castles, refill
)
BY_NAME = {phase.name: phase for phase in PHASES}


class CarolusMagnus(Title[CarolusPosition]):
    """Rounds of discs and turns until a side has built all its castles, or few regions are left."""

    slug = "carolus-magnus"
    name = "Carolus Magnus"
    seats = sides.SEATS
    rules = 1
    position = CarolusPosition
    options = Options
    orders = vocabulary.ORDERS
    events = vocabulary.EVENTS
    rulings = RULINGS
    derived = position_text.DERIVED
    files = files("pbem.titles.carolus_magnus")

    def set_up(self, options: msgspec.Struct, seats: Sequence[str], chance: Chance) -> tuple[CarolusPosition, list[Event]]:
        """See Title."""
        return set_up.set_up(seats, chance)

    def phase(self, position: CarolusPosition) -> Phase[CarolusPosition] | None:
        """See Title."""
        return BY_NAME.get(position.phase.partition(".")[2])

    def phase_named(self, phase_id: str) -> Phase[CarolusPosition] | None:
        """See Title. Rounds have no last number."""
        return BY_NAME[phase_id.partition(".")[2]] if is_phase_id(phase_id) else None

    def view(self, position: CarolusPosition, seat: str | None) -> CarolusPosition:
        """See Title: everything is open."""
        return view(position)

    def ahead(self, position: CarolusPosition) -> tuple[str, ...]:
        """See Title: to the end of the next round."""
        return phases_ahead(position)

    def result(self, position: CarolusPosition) -> list[Standing]:
        """See Title: points are castles in play; ``why`` holds clans controlled, which break ties, and castles left."""
        return standings(position)

    def places(self, event: Event) -> frozenset[str]:
        """See Title."""
        return touched(event)

    def known_places(self, position: CarolusPosition) -> frozenset[str]:
        """See Title: territories, and clans."""
        return PLACES

    def read_position(self, table: Mapping[str, Any]) -> CarolusPosition:
        """See Title and position_text."""
        return position_text.read_position(table)

    def show_position(self, position: CarolusPosition) -> dict[str, Any]:
        """See Title and position_text."""
        return position_text.show_position(position)

    def side(self, position: CarolusPosition, seat: str) -> str:
        """See Title: partners are named together."""
        return "+".join(sides.side_of(position, seat))

    def in_turn(self, position: CarolusPosition, seat: str) -> CarolusPosition | None:
        """See Title: whoever takes his turn later in this round."""
        if not position.phase.endswith(".turn") or position.turn is None:
            return None
        if seat not in position.order[position.order.index(position.turn) :]:
            return None
        probe = position.copy()
        probe.turn = seat
        return probe

    def worth(self, position: CarolusPosition, seat: str) -> int:
        """See Title."""
        return worth(position, seat)

    def scene(self, position: CarolusPosition) -> dict[str, Any]:
        """See Title."""
        from pbem.titles.carolus_magnus.picture import scene

        return scene(position)

    def offers(self, position: CarolusPosition, seat: str, everything: bool = False) -> dict[str, Any]:
        """See Title."""
        from pbem.titles.carolus_magnus.offers import offers

        return offers(position, seat, everything)


title = CarolusMagnus()
