"""The words of Carolus Magnus: position, orders, events.

Orders are the table "Orders" of docs/rules/carolus-magnus.md; the keys of the position are those of the case files.
A side is what wins together: a player, or with four players a team. In a position it goes by the first of its seats.
"""

import msgspec

from pbem.engine.position import Position, shallow

CLANS = ("red", "yellow", "green", "blue", "pink")
CROWN = "crown"
FACES = (*CLANS, CROWN)
DISCS = (1, 2, 3, 4, 5)
TERRITORIES = 15

# Nothing that has gc=False can hold what holds it, so that the search for such circles need not look at it.


class Options(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """Campaign options: there are none."""


# -- position ---------------------------------------------------------------------------------------------------------


class Region(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """Territories that go together, ``lands``, clockwise. ``castles`` are counted by side; of two sides only where a game has ended."""

    lands: tuple[int, ...]
    paladins: dict[str, int] = {}
    castles: dict[str, int] = {}


class Player(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """What lies in front of a player. ``disc`` is the one laid this round, 0 for none yet; ``used`` all laid since they last came back.

    ``crowns`` were rolled, and their colours are still to be chosen.
    """

    court: dict[str, int] = {}
    reserve: dict[str, int] = {}
    disc: int = 0
    used: list[int] = []
    crowns: int = 0


class CarolusPosition(Position, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """Everything the rules need. Counts of zero are never stored.

    ``regions`` stand in the order of their first territories; the Emperor stands in the region that begins with ``emperor``. ``order`` is
    the playing order of this round, while discs are laid that of the last one. ``turn`` is the seat asked.
    """

    seats: list[str]
    regions: list[Region] = []
    emperor: int = 1
    control: dict[str, str] = {}
    players: dict[str, Player] = {}
    order: list[str] = []
    turn: str | None = None
    supply: dict[str, int] = {}

    def copy(self) -> "CarolusPosition":
        """An independent copy. What cannot be changed in place is shared."""
        other = shallow(self)
        other.seats = self.seats.copy()
        other.regions = [Region(it.lands, it.paladins.copy(), it.castles.copy()) for it in self.regions]
        other.control = self.control.copy()
        other.players = {
            seat: Player(it.court.copy(), it.reserve.copy(), it.disc, it.used.copy(), it.crowns) for seat, it in self.players.items()
        }
        other.order = self.order.copy()
        other.supply = self.supply.copy()
        return other


# -- orders -----------------------------------------------------------------------------------------------------------


class _Order(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True, gc=False, tag_field="do"):
    pass


class Crowns(_Order, frozen=True, kw_only=True, tag="crowns"):
    """Choose a colour for each crown that was rolled."""

    colours: tuple[str, ...]


class Disc(_Order, frozen=True, kw_only=True, tag="disc"):
    """Lay a disc."""

    value: int


class Put(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, kw_only=True):
    """One paladin to the region that holds the territory ``to``."""

    to: int
    clan: str


PUTS = tuple([tuple([Put(to=land, clan=clan) for clan in CLANS]) for land in range(TERRITORIES + 1)])
"""Every one of them, by territory and number of the clan; none is ever changed, so that all orders can share them."""


class Turn(_Order, frozen=True, kw_only=True, tag="turn"):
    """A whole turn: paladins to the own court and to territories, the Emperor's steps, and the colours wished for if crowns are rolled."""

    court: tuple[str, ...] = ()
    lands: tuple[Put, ...] = ()
    emperor: int
    crowns: tuple[str, ...] = ()


ORDERS = (Crowns, Disc, Turn)


# -- events -----------------------------------------------------------------------------------------------------------
# Sides are told as the tuple of their seats, regions as the tuple of their territories, clockwise.


class _Event(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True, gc=False, tag_field="event"):
    pass


class Spread(_Event, frozen=True, kw_only=True, tag="spread"):
    """Set-up: the clan of the paladin on each territory, from 1 to 15."""

    clans: tuple[str, ...]


class EmperorSet(_Event, frozen=True, kw_only=True, tag="emperor-set"):
    """Set-up: the territory on which the Emperor begins."""

    land: int


class Rolled(_Event, frozen=True, kw_only=True, tag="rolled"):
    """Set-up: a player's first reserve; crowns are still to be chosen."""

    seat: str
    colours: dict[str, int]
    crowns: int = 0


class OrderDrawn(_Event, frozen=True, kw_only=True, tag="order-drawn"):
    """Set-up: the order in which the first discs are laid."""

    order: tuple[str, ...]


class CrownsChosen(_Event, frozen=True, kw_only=True, tag="crowns-chosen"):
    """Paladins taken for crowns; ``beforehand`` when they were named with the turn."""

    seat: str
    colours: dict[str, int]
    beforehand: bool = False


class RoundBegan(_Event, frozen=True, kw_only=True, tag="round-began"):
    """A round began; discs are laid in this order."""

    round: int
    order: tuple[str, ...]


class DiscLaid(_Event, frozen=True, kw_only=True, tag="disc-laid"):
    """A disc was laid; ``again`` when its value lay there already."""

    seat: str
    value: int
    again: bool = False


class OrderSet(_Event, frozen=True, kw_only=True, tag="order-set"):
    """All discs lie: the order of the turns."""

    order: tuple[str, ...]


class Placed(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, kw_only=True):
    """Paladins of one clan that were placed in a region."""

    lands: tuple[int, ...]
    clan: str
    count: int


class Played(_Event, frozen=True, kw_only=True, tag="played"):
    """Paladins went from a reserve to the own court and to regions."""

    seat: str
    court: dict[str, int] = {}
    lands: tuple[Placed, ...] = ()


class ControlTaken(_Event, frozen=True, kw_only=True, tag="control-taken"):
    """A clan came under a player's control: ``most`` of it at his court, ``next`` at the fullest other one. ``before``: who had it."""

    seat: str
    clan: str
    most: int
    next: int
    before: str | None = None


class EmperorMoved(_Event, frozen=True, kw_only=True, tag="emperor-moved"):
    """The Emperor went clockwise from region to region."""

    seat: str
    steps: int
    start: tuple[int, ...]
    lands: tuple[int, ...]


class Strength(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, kw_only=True):
    """What counts for a side in a region."""

    side: tuple[str, ...]
    paladins: int
    castles: int


class Judged(_Event, frozen=True, kw_only=True, tag="judged"):
    """The Emperor's region was evaluated. ``why``: "builds", "takes", "own" (the majority has the castles), "tie", "nobody"."""

    seat: str
    lands: tuple[int, ...]
    strengths: tuple[Strength, ...]
    why: str
    majority: tuple[str, ...] = ()


class Built(_Event, frozen=True, kw_only=True, tag="built"):
    """A side built a castle; ``left`` are those it can still build."""

    seat: str
    side: tuple[str, ...]
    lands: tuple[int, ...]
    left: int


class Exchanged(_Event, frozen=True, kw_only=True, tag="exchanged"):
    """A side exchanged castles of another for its own; ``short`` castles it would have needed and did not have."""

    seat: str
    side: tuple[str, ...]
    other: tuple[str, ...]
    lands: tuple[int, ...]
    count: int
    left: int
    short: int = 0


class Merged(_Event, frozen=True, kw_only=True, tag="merged"):
    """Regions became one, with that many castles of the side; so many regions are left."""

    seat: str
    side: tuple[str, ...]
    lands: tuple[int, ...]
    castles: int
    regions: int


class Refilled(_Event, frozen=True, kw_only=True, tag="refilled"):
    """The dice of a refill: paladins by colour, and crowns."""

    seat: str
    colours: dict[str, int]
    crowns: int = 0


class Returned(_Event, frozen=True, kw_only=True, tag="returned"):
    """A colour was used up: every court gave back that many of the clan."""

    seat: str
    clan: str
    count: int


class CountsAsCrown(_Event, frozen=True, kw_only=True, tag="counts-as-crown"):
    """A colour was used up and some court had none of it: its die counts as a crown."""

    seat: str
    clan: str


class NothingLeft(_Event, frozen=True, kw_only=True, tag="nothing-left"):
    """No paladin of any colour was left: that many dice bring nothing."""

    seat: str
    dice: int


class DiscsBack(_Event, frozen=True, kw_only=True, tag="discs-back"):
    """A fifth round ended, and everybody has all five discs again."""

    round: int


class Final(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A side at the end: castles in play, clans controlled."""

    side: tuple[str, ...]
    castles: int
    clans: int


class GameOver(_Event, frozen=True, kw_only=True, tag="game-over"):
    """The end. ``why``: "castles" (a side has all in play), "limit" (a takeover needs more than it has), "regions", "reserves".

    ``winners`` are seats; with ``shared`` sides that are equal in castles and clans win together.
    """

    why: str
    sides: tuple[Final, ...]
    winners: tuple[str, ...]
    shared: bool = False


EVENTS = (
    Spread, EmperorSet, Rolled, OrderDrawn, CrownsChosen, RoundBegan, DiscLaid, OrderSet, Played, ControlTaken, EmperorMoved, Judged,
    Built, Exchanged, Merged, Refilled, Returned, CountsAsCrown, NothingLeft, DiscsBack, GameOver,
)  # fmt: skip
