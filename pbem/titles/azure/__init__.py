"""Azure: the table of contents of its rulebook (docs/rules/azure.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, cast

import msgspec

from pbem.engine.chance import Chance
from pbem.engine.title import Event, Phase, Standing, Title
from pbem.titles.azure import position_text, set_up, view, vocabulary
from pbem.titles.azure.discard import ReturnCards
from pbem.titles.azure.lines import SPACES
from pbem.titles.azure.place import PlaceStone
from pbem.titles.azure.places import touched
from pbem.titles.azure.rulings import RULINGS
from pbem.titles.azure.sequence import AzurePhase, phases_ahead, turn_of
from pbem.titles.azure.standings import standings
from pbem.titles.azure.vocabulary import AzurePosition, Options
from pbem.titles.azure.worth import worth

PHASES: tuple[AzurePhase, ...] = (
    PlaceStone(),  # 1.place, 2.place, …: place a stone, take its boons, look at the Beasts
    ReturnCards(),  # T.discard: the Bird has left somebody in turn T
)
BY_NAME = {phase.name: phase for phase in PHASES}


class Azure(Title[AzurePosition]):
    """Two players place stones in turn, for qi and wisdom, and for the favor of four Auspicious Beasts."""

    slug = "azure"
    name = "Azure"
    seats = position_text.SEATS
    rules = 1
    hidden = True
    position = AzurePosition
    options = Options
    orders = vocabulary.ORDERS
    events = vocabulary.EVENTS
    rulings = RULINGS
    derived = position_text.DERIVED
    files = files("pbem.titles.azure")

    def set_up(self, options: msgspec.Struct, seats: Sequence[str], chance: Chance) -> tuple[AzurePosition, list[Event]]:
        """See Title."""
        return set_up.set_up(cast(Options, options), seats, chance)

    def phase(self, position: AzurePosition) -> Phase[AzurePosition] | None:
        """See Title."""
        return BY_NAME.get(position.phase.partition(".")[2])

    def phase_named(self, phase_id: str) -> Phase[AzurePosition] | None:
        """See Title."""
        return BY_NAME[phase_id.partition(".")[2]] if turn_of(phase_id) else None

    def view(self, position: AzurePosition, seat: str | None) -> AzurePosition:
        """See Title: no hidden deck, and no secret cards but one's own."""
        return view.view(position, seat)

    def ahead(self, position: AzurePosition) -> tuple[str, ...]:
        """See Title: a round is one turn of each player."""
        return phases_ahead(position)

    def result(self, position: AzurePosition) -> list[Standing]:
        """See Title: points are wisdom; ``why`` holds Beasts and common stones in supply."""
        return standings(position)

    def secrets(self, position: AzurePosition) -> dict[str, tuple[str, Any]]:
        """See Title: what a player holds of the hidden deck."""
        return view.secrets(position)

    def reveal(self, view_: AzurePosition, facts: Mapping[str, Any]) -> AzurePosition:
        """See Title."""
        return view.reveal(view_, facts)

    def event_for(self, event: Event, seat: str | None) -> Event:
        """See Title."""
        return view.event_for(event, seat)

    def imagine(self, view_: AzurePosition, seat: str, chance: Chance) -> AzurePosition:
        """See Title."""
        return view.imagine(view_, seat, chance)

    def places(self, event: Event) -> frozenset[str]:
        """See Title."""
        return touched(event)

    def known_places(self, position: AzurePosition) -> frozenset[str]:
        """See Title: all 36 spaces, mountains too."""
        return frozenset(SPACES)

    def read_position(self, table: Mapping[str, Any]) -> AzurePosition:
        """See Title and position_text."""
        return position_text.read_position(table)

    def show_position(self, position: AzurePosition) -> dict[str, Any]:
        """See Title and position_text."""
        return position_text.show_position(position)

    def worth(self, position: AzurePosition, seat: str) -> int:
        """See Title."""
        return worth(position, seat)

    def scene(self, position: AzurePosition) -> dict[str, Any]:
        """See Title."""
        from pbem.titles.azure.picture import scene

        return scene(position)

    def offers(self, position: AzurePosition, seat: str, everything: bool = False) -> dict[str, Any]:
        """See Title."""
        from pbem.titles.azure.offers import offers

        return offers(self, position, seat, everything)


title = Azure()
