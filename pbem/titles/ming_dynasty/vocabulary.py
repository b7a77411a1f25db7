"""The words of Ming Dynasty: position, orders, events.

Orders are the table "Orders" of docs/rules/ming-dynasty.md; the keys of the position are those of the case files.
"""

from typing import Annotated, ClassVar, Literal, TypeAlias

import msgspec

from pbem.engine.position import Position

DRAGON = "dragon"
TRANSPORTS = ("horse", "junk", "rickshaw")
NEUTRAL = "neutral"
"""The colour that plays along with two players: an owner of members, but no seat."""
Letter = Literal["a", "b", "c"]
Bids: TypeAlias = Literal["together", "by-province"]


class Options(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """Campaign options; the default is named first in the rules.

    ``board`` is the name of a board or the text of a board file; ``neutral_start`` how many neutral members each of two players sets up.
    """

    board: str = "standard"
    bids: Bids = "together"
    neutral_start: Annotated[int, msgspec.Meta(ge=0, le=9)] = 9


# -- position ---------------------------------------------------------------------------------------------------------


class District(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """Members in the open area, the member in the monastery, and after filling those in its three houses of the city.

    With two players NEUTRAL is among the owners, but never in a monastery.
    """

    members: dict[str, int] = {}
    monastery: str | None = None
    houses: dict[str, int] = {}


class Player(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """What lies in front of a player. ``spaces`` are his members on province spaces, ``to_place`` those he took to be placed this round.

    ``returns`` are his revealed bids until the cities are scored: district → members that go home to it. ``neutral_to_place`` are the
    neutral members he still has to put into districts.
    """

    prince: str | None = None
    cards: dict[str, int] = {}
    spaces: dict[str, int] = {}
    tiles: dict[str, int] = {}
    points: int = 0
    supply: int = 30
    to_place: int = 0
    passed: bool = False
    returns: dict[str, int] = {}
    neutral_to_place: int = 0


class MingPosition(Position, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """Everything the rules need. Counts of zero are never stored. ``turn`` is the seat asked in phases played in turn."""

    board: str = "standard"
    bids: Bids = "together"
    seats: list[str]
    start: str
    turn: str | None = None
    districts: dict[str, District] = {}
    players: dict[str, Player] = {}
    display: dict[str, str] = {}
    deck: dict[str, int] = {}
    discards: dict[str, int] = {}
    dragons: int = 0
    tiles: dict[str, int] = {}

    def copy(self) -> "MingPosition":
        """An independent copy."""
        return MingPosition(
            phase=self.phase,
            board=self.board,
            bids=self.bids,
            seats=self.seats.copy(),
            start=self.start,
            turn=self.turn,
            districts={
                name: District(members=it.members.copy(), monastery=it.monastery, houses=it.houses.copy())
                for name, it in self.districts.items()
            },
            players={
                seat: Player(
                    prince=it.prince,
                    cards=it.cards.copy(),
                    spaces=it.spaces.copy(),
                    tiles=it.tiles.copy(),
                    points=it.points,
                    supply=it.supply,
                    to_place=it.to_place,
                    passed=it.passed,
                    returns=it.returns.copy(),
                    neutral_to_place=it.neutral_to_place,
                )
                for seat, it in self.players.items()
            },
            display=self.display.copy(),
            deck=self.deck.copy(),
            discards=self.discards.copy(),
            dragons=self.dragons,
            tiles=self.tiles.copy(),
        )


# -- orders -----------------------------------------------------------------------------------------------------------


class _Order(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True, tag_field="do"):
    pass


class Neutral(_Order, frozen=True, kw_only=True, tag="neutral"):
    """Put a neutral member into a district."""

    district: str


class Prince(_Order, frozen=True, kw_only=True, tag="prince"):
    """Put my prince into a district; of a list, the first that is free."""

    district: str | tuple[str, ...]


class Place(_Order, frozen=True, kw_only=True, tag="place"):
    """Put one member on a province space; ``provinces`` stands for as many orders."""

    each_field: ClassVar[str] = "provinces"
    province: str | None = None
    provinces: tuple[str, ...] | None = None

    def each(self) -> "tuple[Place, ...]":
        """One order per step."""
        if self.province is not None or not self.provinces:
            return (self,)
        return tuple(Place(province=province) for province in self.provinces)


class Draw(_Order, frozen=True, kw_only=True, tag="draw"):
    """Take a movement card of the display: by slot, by kind (a list is an order of preference), or both."""

    province: str | None = None
    card: str | tuple[str, ...] | None = None


class Dragon(_Order, frozen=True, kw_only=True, tag="dragon", rename={"from_": "from"}):
    """Give a member on a space for a dragon card."""

    from_: str


class Move(_Order, frozen=True, kw_only=True, tag="move"):
    """Walk and deploy. ``path`` lists the districts entered; ``to`` takes the cheapest way."""

    path: tuple[str, ...] | None = None
    to: str | None = None
    pay: tuple[str, ...] | None = None
    deploy: int | Literal["all"] = 0
    monastery: bool = False


class Stay(_Order, frozen=True, kw_only=True, tag="stay"):
    """Play any card, remain, and deploy."""

    pay: str | None = None
    deploy: int | Literal["all"] = 0
    monastery: bool = False


class Pass(_Order, frozen=True, kw_only=True, tag="pass"):
    """Out of the phase."""


class Return(_Order, frozen=True, kw_only=True, tag="return", rename={"from_": "from"}):
    """The sealed bid: how many members go home, and from which districts.

    When all cities are bid for together, ``counts`` and ``from`` are tables by province; in the phase of one city ``count`` and ``from``,
    then a list, are of that city.
    """

    counts: dict[str, int] = {}
    count: int = 0
    from_: dict[str, tuple[Letter, ...]] | tuple[Letter, ...] = {}


class NeutralReturn(_Order, frozen=True, kw_only=True, tag="neutral-return", rename={"from_": "from"}):
    """Which of the neutral members in a city go home."""

    from_: tuple[Letter, ...] = ()


class Starter(_Order, frozen=True, kw_only=True, tag="starter"):
    """Name the starting player of the next round."""

    player: str


ORDERS = (Neutral, Prince, Place, Draw, Dragon, Move, Stay, Pass, Return, NeutralReturn, Starter)


# -- events -----------------------------------------------------------------------------------------------------------


class _Event(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True, tag_field="event"):
    pass


class Started(_Event, frozen=True, kw_only=True, tag="started"):
    """The starting player was drawn."""

    player: str


class Revealed(_Event, frozen=True, kw_only=True, tag="revealed"):
    """A movement card was turned up beside a province space."""

    province: str
    card: str


class Reshuffled(_Event, frozen=True, kw_only=True, tag="reshuffled"):
    """The deck was empty: the discards became the deck."""

    cards: int


class NeutralPlaced(_Event, frozen=True, kw_only=True, tag="neutral-placed"):
    """A player put a neutral member into a district, where there are now ``there`` of them."""

    seat: str
    district: str
    there: int


class PrinceSet(_Event, frozen=True, kw_only=True, tag="prince-set"):
    """A prince took his first district and his player a tile of the province."""

    seat: str
    district: str
    province: str


class RoundBegan(_Event, frozen=True, kw_only=True, tag="round-began"):
    """A round began; ``order`` is its order of play."""

    round: int
    order: tuple[str, ...]


class Placed(_Event, frozen=True, kw_only=True, tag="placed"):
    """A member was put on a province space, where its owner now has ``there``."""

    seat: str
    province: str
    there: int


class Drew(_Event, frozen=True, kw_only=True, tag="drew"):
    """A movement card was taken from the display."""

    seat: str
    province: str
    card: str


class TookDragon(_Event, frozen=True, kw_only=True, tag="took-dragon"):
    """A member on a space went to the box for a dragon card."""

    seat: str
    province: str


class Moved(_Event, frozen=True, kw_only=True, tag="moved"):
    """A prince walked; ``path`` lists the districts entered, ``pay`` one card per step."""

    seat: str
    start: str
    path: tuple[str, ...]
    pay: tuple[str, ...]


class Stayed(_Event, frozen=True, kw_only=True, tag="stayed"):
    """A card was played to remain."""

    seat: str
    district: str
    pay: str


class Deployed(_Event, frozen=True, kw_only=True, tag="deployed"):
    """Members went from a space into a district, one of them perhaps into its monastery, pushing out ``pushed``.

    ``members`` is the open area of the district afterwards.
    """

    seat: str
    district: str
    count: int
    monastery: bool = False
    pushed: str | None = None
    members: dict[str, int] = {}


class Passed(_Event, frozen=True, kw_only=True, tag="passed"):
    """Out of the phase; ``unasked`` when no card was left."""

    seat: str
    unasked: bool = False


class Filled(_Event, frozen=True, kw_only=True, tag="filled"):
    """Members went from a district into its houses of the city.

    ``members`` is the open area before; ``why`` the line of the table: "ranks", "alone", "second-tied", "two-tie", "three-tie", "four-tie".
    """

    district: str
    members: dict[str, int]
    entered: dict[str, int]
    why: str


class TileTaken(_Event, frozen=True, kw_only=True, tag="tile-taken"):
    """Tiles of a province were taken for members that entered its city; ``short`` = entitled to but not there."""

    seat: str
    province: str
    count: int
    short: int = 0


class SetReturned(_Event, frozen=True, kw_only=True, tag="set-returned"):
    """Six different tiles went back for points."""

    seat: str
    points: int


class Bid(_Event, frozen=True, kw_only=True, tag="bid"):
    """Return cards were revealed: number per province (nought left out). ``province`` is the city when they were for one alone."""

    seat: str
    counts: dict[str, int]
    province: str = ""


class Returned(_Event, frozen=True, kw_only=True, tag="returned"):
    """Members went home from a city to districts (district → how many)."""

    seat: str
    province: str
    districts: dict[str, int]


class NeutralReturned(_Event, frozen=True, kw_only=True, tag="neutral-returned"):
    """Neutral members went home from a city to districts (district → how many), ``left`` stayed.

    ``seat`` is the starting player who chose them; None when all had to go because the neutral colour alone did not have most.
    """

    province: str
    districts: dict[str, int]
    left: int
    seat: str | None = None


class CityScored(_Event, frozen=True, kw_only=True, tag="city-scored"):
    """A city was scored. ``left`` members per owner, ``each`` points per member, ``points`` all told per seat, ``bonus`` per seat;
    ``why`` of the bonus: "most", "parts" (tie broken by parts led), "shared", "neutral" (nobody: the neutral colour has most), "nobody"."""

    province: str
    left: dict[str, int]
    each: int
    points: dict[str, int]
    bonus: dict[str, int]
    why: str


class MonasteriesScored(_Event, frozen=True, kw_only=True, tag="monasteries-scored"):
    """Members in monasteries scored."""

    seat: str
    count: int
    points: int


class StarterNamed(_Event, frozen=True, kw_only=True, tag="starter-named"):
    """A player named the starting player of the next round."""

    seat: str
    player: str


class StarterPassed(_Event, frozen=True, kw_only=True, tag="starter-passed"):
    """The start marker went to the left."""

    player: str


class TilesScored(_Event, frozen=True, kw_only=True, tag="tiles-scored"):
    """End of the game: sets of five different tiles, and single tiles."""

    seat: str
    sets: int
    singles: int
    points: int


class GameOver(_Event, frozen=True, kw_only=True, tag="game-over"):
    """The end: points, members in monasteries, winners."""

    points: dict[str, int]
    monasteries: dict[str, int]
    winners: tuple[str, ...]


EVENTS = (
    Started, Revealed, Reshuffled, NeutralPlaced, PrinceSet, RoundBegan, Placed, Drew, TookDragon, Moved, Stayed, Deployed, Passed,
    Filled, TileTaken, SetReturned, Bid, Returned, NeutralReturned, CityScored, MonasteriesScored, StarterNamed, StarterPassed,
    TilesScored, GameOver,
)  # fmt: skip
