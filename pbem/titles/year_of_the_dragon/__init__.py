"""In the Year of the Dragon: the table of contents of its rulebook (docs/rules/year-of-the-dragon.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, cast

import msgspec

from pbem.engine.chance import Chance
from pbem.engine.title import OVER, Event, Phase, Standing, Title
from pbem.titles.year_of_the_dragon import position_text, set_up, vocabulary
from pbem.titles.year_of_the_dragon.action import ChooseAction
from pbem.titles.year_of_the_dragon.event import EventHappens
from pbem.titles.year_of_the_dragon.groups import DealGroups
from pbem.titles.year_of_the_dragon.month_end import Decay, ScoreMonth
from pbem.titles.year_of_the_dragon.person import RecruitPerson
from pbem.titles.year_of_the_dragon.places import WATCHED, touched
from pbem.titles.year_of_the_dragon.retinue import TakeRetinue
from pbem.titles.year_of_the_dragon.rulings import RULINGS
from pbem.titles.year_of_the_dragon.sequence import DragonPhase, asks, month_of, phase_ids
from pbem.titles.year_of_the_dragon.view import view
from pbem.titles.year_of_the_dragon.vocabulary import DragonPosition, Options
from pbem.titles.year_of_the_dragon.worth import worth
from pbem.titles.year_of_the_dragon.year_end import EndYear, standings

PHASES: tuple[DragonPhase, ...] = (
    TakeRetinue(),  # 0.retinue
    DealGroups(),  # 1.groups to 12.groups
    ChooseAction(),  # 1.action to 12.action
    RecruitPerson(),  # 1.person to 11.person
    EventHappens(),  # 1.event to 12.event
    Decay(),  # 1.decay to 12.decay
    ScoreMonth(),  # 1.score to 12.score
    EndYear(),  # 12.end
)
BY_NAME = {phase.name: phase for phase in PHASES}
BY_ID = {phase_id: BY_NAME[phase_id.partition(".")[2]] for phase_id in phase_ids() if phase_id != OVER}


class YearOfTheDragon(Title[DragonPosition]):
    """Twelve months of an action, a person, an event that lies open from the start, and scoring."""

    slug = "year-of-the-dragon"
    name = "In the Year of the Dragon"
    seats = position_text.SEATS
    rules = 1
    position = DragonPosition
    options = Options
    orders = vocabulary.ORDERS
    events = vocabulary.EVENTS
    rulings = RULINGS
    derived = position_text.DERIVED
    files = files("pbem.titles.year_of_the_dragon")

    def set_up(self, options: msgspec.Struct, seats: Sequence[str], chance: Chance) -> tuple[DragonPosition, list[Event]]:
        """See Title."""
        return set_up.set_up(cast(Options, options), seats, chance)

    def phase(self, position: DragonPosition) -> Phase[DragonPosition] | None:
        """See Title."""
        return BY_ID.get(position.phase)

    def phase_named(self, phase_id: str) -> Phase[DragonPosition] | None:
        """See Title."""
        return BY_ID.get(phase_id)

    def view(self, position: DragonPosition, seat: str | None) -> DragonPosition:
        """See Title: everything is open."""
        return view(position)

    def ahead(self, position: DragonPosition) -> tuple[str, ...]:
        """See Title: to the end of the next month; events at which nobody is released ask nobody."""
        if position.phase == OVER:
            return ()
        ids = phase_ids()
        last = month_of(position.phase) + 1
        coming = ids[ids.index(position.phase) : -1]
        return tuple(phase_id for phase_id in coming if month_of(phase_id) <= last and asks(position, phase_id))

    def result(self, position: DragonPosition) -> list[Standing]:
        """See Title: ``why`` holds the space on the person track, which breaks ties, and persons."""
        return standings(position)

    def places(self, event: Event) -> frozenset[str]:
        """See Title."""
        return touched(event)

    def known_places(self, position: DragonPosition) -> frozenset[str]:
        """See Title: actions, and types of persons."""
        return WATCHED

    def read_position(self, table: Mapping[str, Any]) -> DragonPosition:
        """See Title and position_text."""
        return position_text.read_position(table)

    def show_position(self, position: DragonPosition) -> dict[str, Any]:
        """See Title and position_text."""
        return position_text.show_position(position)

    def in_turn(self, position: DragonPosition, seat: str) -> DragonPosition | None:
        """See Title: whoever still waits for his turn in an action or person phase."""
        if seat not in position.waiting or position.phase.endswith(".event"):
            return None
        probe = position.copy()
        probe.waiting = [seat, *(other for other in position.waiting if other != seat)]
        return probe

    def worth(self, position: DragonPosition, seat: str) -> int:
        """See Title."""
        return worth(position, seat)

    def scene(self, position: DragonPosition) -> dict[str, Any]:
        """See Title."""
        from pbem.titles.year_of_the_dragon.picture import scene

        return scene(position)

    def offers(self, position: DragonPosition, seat: str, everything: bool = False) -> dict[str, Any]:
        """See Title."""
        from pbem.titles.year_of_the_dragon.offers import offers

        return offers(self, position, seat, everything)


title = YearOfTheDragon()
