"""The words of In the Year of the Dragon: position, orders, events.

Orders are the table "Orders" of docs/rules/year-of-the-dragon.md; the keys of the position are those of the case files.
"""

from typing import Literal

import msgspec

from pbem.engine.position import Position, shallow


class Options(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """Campaign options; the default is named first in the rules. ``large_privilege`` is its price in yuan."""

    large_privilege: Literal[6, 7] = 6


# -- position ---------------------------------------------------------------------------------------------------------


class Palace(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Floors (1 to 3) and the tiles living there, in table order. Never changed: another one takes its place."""

    floors: int = 1
    persons: tuple[str, ...] = ()


class Player(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """What lies in front of a player. ``space`` is that of his marker on the person track; ``next_palace`` the number of the next new one.

    ``due`` is what he still has to release in this event: persons, or in a drought palaces not supplied. ``palaces`` always lie by number.
    """

    yuan: int = 0
    rice: int = 0
    fireworks: int = 0
    privileges: dict[str, int] = {}
    points: int = 0
    space: int = 0
    palaces: dict[str, Palace] = {}
    next_palace: int = 1
    cards: dict[str, int] = {}
    due: int = 0

    def __post_init__(self) -> None:
        """Sorted keys are not sorted numbers ("10" before "2"): what was read is put in order once, and stays so."""
        numbers = list(self.palaces)
        if numbers != (ordered := sorted(numbers, key=lambda number: (len(number), number))):
            self.palaces = {number: self.palaces[number] for number in ordered}


class DragonPosition(Position, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """Everything the rules need. Counts of zero are never stored.

    ``year`` holds the events of the twelve months; ``track`` lists all seats, the most advanced first, of those on one space the marker on
    top; ``waiting`` those who have still to decide in this phase, in turn; ``groups`` the action cards, ``dragons`` seat → number of the
    group (from 1) his dragon is on.
    """

    seats: list[str]
    start: str
    large_privilege: int = 6
    year: tuple[str, ...] = ()
    track: list[str] = []
    waiting: list[str] = []
    groups: tuple[tuple[str, ...], ...] = ()
    dragons: dict[str, int] = {}
    display: dict[str, int] = {}
    players: dict[str, Player] = {}

    def copy(self) -> "DragonPosition":
        """An independent copy. Tuples and palaces never change, so that they are shared."""
        other = shallow(self)
        other.seats = self.seats.copy()
        other.track = self.track.copy()
        other.waiting = self.waiting.copy()
        other.dragons = self.dragons.copy()
        other.display = self.display.copy()
        other.players = players = self.players.copy()
        for seat, player in self.players.items():
            players[seat] = mine = shallow(player)
            mine.privileges = player.privileges.copy()
            mine.palaces = player.palaces.copy()
            mine.cards = player.cards.copy()
        return other


# -- orders -----------------------------------------------------------------------------------------------------------


class _Order(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True, tag_field="do"):
    pass


class Retinue(_Order, frozen=True, kw_only=True, tag="retinue"):
    """Take two different young persons and place them."""

    persons: tuple[str, ...] | None = None
    palaces: tuple[int, ...] | None = None


class Action(_Order, frozen=True, kw_only=True, tag="action"):
    """Put my dragon on a group and do one of its actions. ``floors`` belongs to build, ``size`` to privilege."""

    action: str
    group: int | None = None
    floors: tuple[int | str, ...] | None = None
    size: str | None = None


class Pass(_Order, frozen=True, kw_only=True, tag="pass"):
    """No action: my money is topped up to 3."""


class Recruit(_Order, frozen=True, kw_only=True, tag="recruit"):
    """Play a person card and take a tile. ``person`` goes with a wild card; ``release`` and ``decline`` with palaces that are all full."""

    card: str
    person: str | None = None
    age: str | None = None
    palace: int | None = None
    release: str | None = None
    decline: bool = False


class Resident(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person in a palace."""

    palace: int
    person: str


class Release(_Order, frozen=True, kw_only=True, tag="release"):
    """Who goes, the first choice first; in a drought by palaces that are not supplied. What is missing follows the default."""

    persons: tuple[Resident, ...] = ()
    unsupplied: tuple[Resident, ...] = ()


ORDERS = (Retinue, Action, Pass, Recruit, Release)


# -- events -----------------------------------------------------------------------------------------------------------


class _Event(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True, tag_field="event"):
    pass


class Started(_Event, frozen=True, kw_only=True, tag="started"):
    """The starting player was drawn."""

    player: str


class YearLaid(_Event, frozen=True, kw_only=True, tag="year-laid"):
    """The events of the twelve months lie open. ``swapped``: months 10 and 11 had to swap."""

    year: tuple[str, ...]
    swapped: bool = False


class RetinueTaken(_Event, frozen=True, kw_only=True, tag="retinue-taken"):
    """Two persons moved in; the marker advanced by ``steps`` to ``space``."""

    seat: str
    persons: tuple[str, ...]
    palaces: tuple[int, ...]
    steps: int
    space: int


class MonthBegan(_Event, frozen=True, kw_only=True, tag="month-began"):
    """The action cards lie in groups; ``order`` is that of the person track, ``coming`` the event of this month."""

    month: int
    coming: str
    groups: tuple[tuple[str, ...], ...]
    order: tuple[str, ...]


class Acted(_Event, frozen=True, kw_only=True, tag="acted"):
    """An action was chosen out of a group whose cards are ``cards``, for ``paid`` yuan when it was occupied (a privilege's price apart).

    ``gained`` is what it brought: yuan, rice or fireworks tiles, steps, points, floors, dragons; ``now`` what the seat has of that then,
    for steps the space. ``floors`` are the palaces built on (number → floors now), ``founded`` the new ones.
    """

    seat: str
    action: str
    group: int
    cards: tuple[str, ...]
    paid: int = 0
    gained: int
    now: int
    floors: dict[str, int] = {}
    founded: tuple[int, ...] = ()
    size: str = ""
    price: int = 0


class Passed(_Event, frozen=True, kw_only=True, tag="passed"):
    """No action: ``gained`` yuan, ``now`` so many."""

    seat: str
    gained: int = 0
    now: int


class Recruited(_Event, frozen=True, kw_only=True, tag="recruited"):
    """A person moved in, perhaps for another that left the game; the marker advanced by ``steps`` to ``space``."""

    seat: str
    card: str
    person: str
    palace: int
    steps: int
    space: int
    released: str = ""


class Declined(_Event, frozen=True, kw_only=True, tag="declined"):
    """All palaces are full, and the new tile left the game; no step was taken."""

    seat: str
    card: str
    person: str


class CardSpent(_Event, frozen=True, kw_only=True, tag="card-spent"):
    """A card was played whose tiles are gone."""

    seat: str
    card: str


class PeaceReigned(_Event, frozen=True, kw_only=True, tag="peace-reigned"):
    """A month of peace."""


class TributePaid(_Event, frozen=True, kw_only=True, tag="tribute-paid"):
    """Yuan paid, ``short`` of what was asked, and persons to release for that."""

    seat: str
    paid: int
    short: int = 0
    release: int = 0


class RiceEaten(_Event, frozen=True, kw_only=True, tag="rice-eaten"):
    """A drought: rice tiles paid for as many of the ``inhabited`` palaces; ``release`` palaces are not supplied."""

    seat: str
    inhabited: int = 0
    paid: int = 0
    release: int = 0


class FestivalHeld(_Event, frozen=True, kw_only=True, tag="festival-held"):
    """Fireworks tiles shown, points for them, and tiles given back."""

    seat: str
    tiles: int = 0
    points: int = 0
    back: int = 0


class HelmetsCounted(_Event, frozen=True, kw_only=True, tag="helmets-counted"):
    """The Mongols come: points for helmets; ``fewest``: nobody has fewer."""

    seat: str
    helmets: int = 0
    fewest: bool = False
    release: int = 0


class MortarsCounted(_Event, frozen=True, kw_only=True, tag="mortars-counted"):
    """A contagion: mortars, and persons to release."""

    seat: str
    mortars: int = 0
    release: int = 0


class Released(_Event, frozen=True, kw_only=True, tag="released"):
    """Persons left the game."""

    seat: str
    persons: tuple[Resident, ...]


class Decayed(_Event, frozen=True, kw_only=True, tag="decayed"):
    """Palaces without a person lost a floor; ``gone`` those that lost their last one."""

    seat: str
    palaces: tuple[int, ...]
    gone: tuple[int, ...] = ()


class MonthScored(_Event, frozen=True, kw_only=True, tag="month-scored"):
    """Points for palaces, court ladies and dragons on privileges; ``now`` all points."""

    seat: str
    palaces: int = 0
    ladies: int = 0
    dragons: int = 0
    points: int = 0
    now: int = 0


class YearScored(_Event, frozen=True, kw_only=True, tag="year-scored"):
    """The end: points for persons, monks and money; ``sold`` tiles of rice and fireworks, ``yuan`` all money after the sale."""

    seat: str
    persons: int = 0
    for_persons: int = 0
    for_monks: int = 0
    sold: int = 0
    yuan: int = 0
    for_yuan: int = 0
    points: int = 0


class GameOver(_Event, frozen=True, kw_only=True, tag="game-over"):
    """The end: points, the winner; ``tie_broken`` when somebody had as many points."""

    points: dict[str, int]
    winner: str
    tie_broken: bool = False


EVENTS = (
    Started, YearLaid, RetinueTaken, MonthBegan, Acted, Passed, Recruited, Declined, CardSpent, PeaceReigned, TributePaid, RiceEaten,
    FestivalHeld, HelmetsCounted, MortarsCounted, Released, Decayed, MonthScored, YearScored, GameOver,
)  # fmt: skip
