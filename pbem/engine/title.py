"""The contract of a title and of a phase.

A title never knows about mails, files, plans or languages; a phase is one class per phase of the rulebook, in its words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, TypeVar

import msgspec

from pbem.engine.chance import Chance
from pbem.engine.position import Position

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

P = TypeVar("P", bound=Position)
Order: TypeAlias = msgspec.Struct
Event: TypeAlias = msgspec.Struct

Below: TypeAlias = Callable[[int], int]
"""Gives an integer from 0 that is below the one asked for, each equally likely: ``random.Random.randrange``, for one."""

OVER = "over"


class Standing(msgspec.Struct, frozen=True):
    """One line of the result: ``place`` counts from 1, tied winners share 1; ``why`` holds integers the table explains itself with."""

    seat: str
    points: int
    place: int
    why: dict[str, int] = {}


class Phase(Generic[P]):
    """One phase of the rulebook."""

    name: ClassVar[str]
    """The word in the phase id after the round: "move" in "3.move"."""
    simultaneous: ClassVar[bool] = False
    """Whether those asked decide at the same time, unseen by each other: then orders may have to be sealed."""

    uncertain: ClassVar[bool] = False
    """Whether chance falls right after an order, so that a stand-in player should think of several outcomes."""

    def asked(self, position: P) -> tuple[str, ...]:
        """Seats that must decide now, in seat order; several = simultaneous; none = the phase plays itself."""
        raise NotImplementedError

    def choices(self, position: P, seat: str) -> Iterator[Order]:
        """Legal orders of a seat that is asked, in normal form, one per different outcome, never none.

        May leave some out when ``sampled`` says so.
        """
        raise NotImplementedError

    def sampled(self, position: P, seat: str) -> bool:
        """Whether ``choices`` leaves legal outcomes out because there are too many."""
        return False

    def pick(self, position: P, seat: str, below: Below) -> Order:
        """One of the legal orders by chance, in normal form, each as likely as any other; also one of those that ``choices`` leaves out.

        Where nothing is left out, one number is drawn, and the order is the one of that index in ``choices``. A phase whose choices are
        sampled, or dear to list, overrides this.
        """
        found = list(self.choices(position, seat))
        return found[below(len(found))]

    def complete(self, position: P, seat: str, order: Order) -> Order:
        """The order in normal form: what was left out is filled in.

        Raises Malformed, Illegal or Ambiguous. Changes nothing. ``complete`` of a normal form gives it back.
        """
        raise NotImplementedError

    def play(self, position: P, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """Changes the position, all or nothing, and tells what happened.

        ``orders`` holds one order per asked seat, just as ``complete`` gives it for this position, and is not looked into again: orders
        from outside go through ``steps.play_step``.
        """
        raise NotImplementedError

    def default(self, position: P, seat: str) -> Order:
        """What silence means, in normal form."""
        raise NotImplementedError


class Title(Generic[P]):
    """One board game. An instance is what the entry-point group ``pbem.titles`` names."""

    slug: ClassVar[str]
    name: ClassVar[str]
    seats: ClassVar[range]
    rules: ClassVar[int]
    """Grows when a fix changes any result."""
    position: type[P]
    options: type[msgspec.Struct]
    orders: tuple[type[msgspec.Struct], ...]
    events: tuple[type[msgspec.Struct], ...]
    rulings: tuple[str, ...] = ()
    """Anchors of the rulings listed in the title's docs."""
    derived: tuple[str, ...] = ()
    """Keys of ``show_position`` that ``read_position`` does not know, because they follow from the others."""
    files: Traversable
    """Root of what the title brings: templates, locale, boards, docs."""

    def set_up(self, options: msgspec.Struct, seats: Sequence[str], chance: Chance) -> tuple[P, list[Event]]:
        """The first position and what happened in setting it up. ``seats`` in clockwise order."""
        raise NotImplementedError

    def phase(self, position: P) -> Phase[P] | None:
        """The phase being played; None when the game is over."""
        raise NotImplementedError

    def phase_named(self, phase_id: str) -> Phase[P] | None:
        """The phase class behind an id such as "3.move", whether or not it is being played; None if there is none of that name."""
        raise NotImplementedError

    def view(self, position: P, seat: str | None) -> P:
        """What a seat, or with None everybody, may see: built up from nothing."""
        raise NotImplementedError

    def ahead(self, position: P) -> tuple[str, ...]:
        """Ids of phases that ask somebody and may come until the next round ends, in order, the present one first."""
        raise NotImplementedError

    def result(self, position: P) -> list[Standing]:
        """Standings by place, then seat order; while the game runs, as things stand."""
        raise NotImplementedError

    hidden: ClassVar[bool] = False
    """Whether anything is ever known to one seat only. Titles that say so override the four methods below."""

    def secrets(self, position: P) -> dict[str, tuple[str, Any]]:
        """Name → (seat, fact) for what only that seat may know now; facts are plain values that TOML can hold. Empty for open games."""
        return {}

    def reveal(self, view: P, facts: Mapping[str, Any]) -> P:
        """What a seat sees: the public view with the facts (name → fact) from its own letters filled in."""
        return view

    def event_for(self, event: Event, seat: str | None) -> Event:
        """The event as that seat, or with None everybody, may know it."""
        return event

    def imagine(self, view: P, seat: str, chance: Chance) -> P:
        """A whole position that fits what a seat sees, what is unknown filled in at random: what stand-in players think with."""
        return view.copy()

    def side(self, position: P, seat: str) -> str:
        """The side a seat plays for: its own name, or one name for partners."""
        return seat

    def places(self, event: Event) -> frozenset[str]:
        """Ids on the board that an event touches, for ``watch``."""
        raise NotImplementedError

    def actor(self, event: Event) -> str | None:
        """The seat whose doing the event is; None for the game itself."""
        return getattr(event, "seat", None)

    def known_places(self, position: P) -> frozenset[str]:
        """Every id that ``watch`` may name."""
        raise NotImplementedError

    def read_position(self, table: Mapping[str, Any]) -> P:
        """A position from a case's table: keys not named take set-up values, places not named are empty. Malformed when it cannot be."""
        raise NotImplementedError

    def show_position(self, position: P) -> dict[str, Any]:
        """The position in a case's vocabulary, with derived facts (such as what a city holds) that a case may ask for."""
        raise NotImplementedError

    def in_turn(self, position: P, seat: str) -> P | None:
        """The position as if the present phase asked this seat next, for templates and dry runs of those who decide later.

        None when the seat has nothing (more) to decide in the phase, or when that cannot be said.
        """
        return None

    def worth(self, position: P, seat: str) -> int:
        """How well a seat stands, as a stand-in player judges it; only comparisons within one decision mean anything."""
        return next((line.points for line in self.result(position) if line.seat == seat), 0)

    def scene(self, position: P) -> dict[str, Any]:
        """Plain facts that the title's templates draw the board, hands and tables from (numbers, ids, coordinates; no sentences).

        ``position`` is what everybody, or one seat, may see. For a title that draws nothing: the position as a case shows it.
        """
        return self.show_position(position)

    def offers(self, position: P, seat: str, everything: bool = False) -> dict[str, Any]:
        """Plain facts that the title's order template is filled from: what the seat has and can do. ``everything`` = no shortening.

        The shared frame of all order templates looks for ``order_of_play``, a list of seats. None are needed without a template.
        """
        return {}
