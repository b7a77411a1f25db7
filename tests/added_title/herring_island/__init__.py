"""Herring Island: the table of contents of its rules (docs/rules.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, cast

import msgspec

from herring_island import picture, positions, vocabulary
from herring_island.phases import BY_NAME, catch, laid_on, round_of, standings
from herring_island.vocabulary import GROUNDS, SHOALS_PER_GROUND, IslandPosition, Options, Player, Sailed
from pbem.engine.chance import Chance
from pbem.engine.title import OVER, Event, Phase, Standing, Title


class HerringIsland(Title[IslandPosition]):
    """Six rounds of sailing out, all at the same time, to where the herrings are and the others, perhaps, are not."""

    slug = "herring-island"
    name = "Herring Island"
    seats = vocabulary.SEATS
    rules = 1
    position = IslandPosition
    options = Options
    orders = vocabulary.ORDERS
    events = vocabulary.EVENTS
    rulings = ("rest-stays-on-the-ground", "one-boat-tangles-too")
    derived = positions.DERIVED
    files = files("herring_island")

    def set_up(self, options: msgspec.Struct, seats: Sequence[str], chance: Chance) -> tuple[IslandPosition, list[Event]]:
        """See Title (paragraph 2)."""
        position = IslandPosition(
            phase="1.shoal",
            seats=list(seats),
            rounds=cast(Options, options).rounds,
            herrings=dict.fromkeys(GROUNDS, 2),
            shoals=dict.fromkeys(GROUNDS, SHOALS_PER_GROUND),
            players={seat: Player() for seat in seats},
        )
        return position, []

    def phase(self, position: IslandPosition) -> Phase[IslandPosition] | None:
        """See Title."""
        return None if position.phase == OVER else BY_NAME[position.phase.partition(".")[2]]

    def phase_named(self, phase_id: str) -> Phase[IslandPosition] | None:
        """See Title."""
        return BY_NAME[phase_id.partition(".")[2]] if positions.is_phase(phase_id) else None

    def view(self, position: IslandPosition, seat: str | None) -> IslandPosition:
        """See Title: everything is open."""
        return position.copy()

    def ahead(self, position: IslandPosition) -> tuple[str, ...]:
        """See Title."""
        if position.phase == OVER:
            return ()
        first = round_of(position.phase) + (position.phase.endswith(".haul"))
        return tuple(f"{number}.sail" for number in (first, first + 1) if number <= position.rounds)

    def result(self, position: IslandPosition) -> list[Standing]:
        """See Title: ``why`` holds the nets, which break ties."""
        return standings(position)

    def places(self, event: Event) -> frozenset[str]:
        """See Title."""
        ground = getattr(event, "ground", "")
        return frozenset([ground]) if ground else frozenset()

    def known_places(self, position: IslandPosition) -> frozenset[str]:
        """See Title."""
        return frozenset(GROUNDS)

    def actor(self, event: Event) -> str | None:
        """See Title: a net tears by itself."""
        return event.seat if isinstance(event, Sailed) else None

    def read_position(self, table: Mapping[str, Any]) -> IslandPosition:
        """See Title and positions."""
        return positions.read_position(table)

    def show_position(self, position: IslandPosition) -> dict[str, Any]:
        """See Title and positions."""
        return positions.show_position(position)

    def worth(self, position: IslandPosition, seat: str) -> int:
        """See Title: herrings, those in the nets too, and a little for nets."""
        player = position.players[seat]
        total = 10 * player.herrings + 6 * player.nets
        if player.laid:
            catches, tangled = catch(position.herrings.get(player.ground, 0), laid_on(position, player.ground))
            total += 10 * catches[seat] - (6 if tangled and player.laid > 1 else 0)
        return total

    def scene(self, position: IslandPosition) -> dict[str, Any]:
        """See Title and picture."""
        return picture.scene(position)

    def offers(self, position: IslandPosition, seat: str, everything: bool = False) -> dict[str, Any]:
        """See Title and picture."""
        return picture.offers(position, seat)


title = HerringIsland()
