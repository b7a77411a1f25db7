"""The words of Herring Island: options, position, orders, events. Paragraphs are those of docs/rules.md."""

from __future__ import annotations

from typing import Annotated

import msgspec

from pbem.engine.position import Position

GROUNDS = ("spit", "reef", "wreck", "kelp", "bank", "cove")
"""Clockwise (paragraph 1)."""
SEATS = range(2, 5)
NETS = 6
MOST_LAID = 3
SHOALS_PER_GROUND = 3
MOST_ROUNDS = 12


class Options(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """``rounds``: how many are played."""

    rounds: Annotated[int, msgspec.Meta(ge=2, le=MOST_ROUNDS)] = 6


class Player(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """``ground`` is where the boat is, "" for the harbour; ``laid`` the nets laid there, until they are hauled."""

    ground: str = ""
    laid: int = 0
    nets: int = NETS
    herrings: int = 0


class IslandPosition(Position, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """``herrings`` and ``shoals`` by ground: in the sea, and still in the bag. No count of 0 is stored in either."""

    seats: list[str]
    rounds: int = 6
    herrings: dict[str, int] = {}
    shoals: dict[str, int] = {}
    players: dict[str, Player] = {}

    def copy(self) -> IslandPosition:
        """An independent copy."""
        return IslandPosition(
            phase=self.phase,
            seats=self.seats.copy(),
            rounds=self.rounds,
            herrings=self.herrings.copy(),
            shoals=self.shoals.copy(),
            players={
                seat: Player(ground=it.ground, laid=it.laid, nets=it.nets, herrings=it.herrings) for seat, it in self.players.items()
            },
        )


class Sail(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True, tag_field="do", tag="sail"):
    """Sail to a ground, or stay when it is left out, and lay nets there."""

    ground: str | None = None
    nets: int = 1


class _Event(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="event"):
    pass


class ShoalCame(_Event, frozen=True, kw_only=True, tag="shoal-came"):
    """``count`` herrings came, so that ``there`` are on the ground now."""

    ground: str
    count: int
    there: int


class Sailed(_Event, frozen=True, kw_only=True, tag="sailed"):
    """Where a boat is now, and the nets it laid."""

    seat: str
    ground: str
    nets: int


class Hauled(_Event, frozen=True, kw_only=True, tag="hauled"):
    """``catches``: seat → herrings, also 0; ``left`` herrings stay; ``tangled``: there were more nets than herrings."""

    ground: str
    catches: dict[str, int]
    left: int
    tangled: bool = False


class NetTorn(_Event, frozen=True, kw_only=True, tag="net-torn"):
    """A seat lost a net on that ground, and has so many left."""

    seat: str
    ground: str
    left: int


class GameOver(_Event, frozen=True, kw_only=True, tag="game-over"):
    """Herrings and nets by seat, and who won."""

    herrings: dict[str, int]
    nets: dict[str, int]
    winners: tuple[str, ...]


ORDERS = (Sail,)
EVENTS = (ShoalCame, Sailed, Hauled, NetTorn, GameOver)
