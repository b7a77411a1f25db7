"""The words of Azure: position, orders, events.

Orders are the table "Orders" of docs/rules/azure.md; the keys of the position are those of the case files (docs/positions.md).
"""

from typing import Literal

import msgspec

from pbem.engine.position import Position, shallow

COLOURS = ("azure", "white", "vermilion", "black")
"""Domains, qi cards and face-up decks, in the order in which ties are broken."""
BEASTS = ("tortoise", "dragon", "tiger", "bird")
"""In the order in which they choose whom they favor."""
GIFTS = ("mighty", "perceptive", "bountiful", "favored")
CARDS_OF_A_COLOUR = 12
STONES = 14
LAST_WISDOM = 25


class Options(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """Campaign options; the default is named first in the rules."""

    gifted: Literal["none", "mighty", "perceptive", "bountiful", "favored", "random"] = "none"


# -- position ---------------------------------------------------------------------------------------------------------


class Player(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """What a player has. ``stones`` are common ones in supply; ``gifted`` the space of his gifted stone, None while it is unused.

    ``seen`` are cards in hand that everybody has seen, ``secret`` those only he knows. Where ``secret`` holds fewer than
    ``secret_size`` cards, it is hidden from whoever looks at this position.
    """

    wisdom: int = 0
    stones: int = STONES
    gifted: str | None = None
    seen: dict[str, int] = {}
    secret: dict[str, int] = {}
    secret_size: int = 0


class AzurePosition(Position, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """Everything the rules need. Counts of zero are never stored.

    ``realm`` names board, side and clockwise quarter turns of the four quadrants ("white-2-3"), row by row from the top left. ``turn`` is
    whose turn it is, also while the other returns cards. ``stones`` holds every stone, space → seat, the one on the black mountain too.
    ``hidden`` is the hidden deck, which nobody sees; its size, and ``unseen`` (the hidden deck and all secret cards together), are open.
    """

    seats: list[str]
    start: str
    turn: str
    realm: list[str]
    gift: str = "none"
    stones: dict[str, str] = {}
    beasts: dict[str, str] = {}
    players: dict[str, Player] = {}
    decks: dict[str, int] = {}
    hidden: dict[str, int] = {}
    hidden_size: int = 0
    unseen: dict[str, int] = {}
    winner: str | None = None

    def copy(self) -> "AzurePosition":
        """An independent copy. What cannot be changed in place is shared."""
        other = shallow(self)
        other.seats = self.seats.copy()
        other.realm = self.realm.copy()
        other.stones = self.stones.copy()
        other.beasts = self.beasts.copy()
        other.decks = self.decks.copy()
        other.hidden = self.hidden.copy()
        other.unseen = self.unseen.copy()
        other.players = players = self.players.copy()
        for seat, player in self.players.items():
            players[seat] = mine = shallow(player)
            mine.seen = player.seen.copy()
            mine.secret = player.secret.copy()
        return other


# -- orders -----------------------------------------------------------------------------------------------------------


class _Order(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True, kw_only=True, tag_field="do"):
    pass


class Place(_Order, frozen=True, kw_only=True, tag="place"):
    """Put a stone on a space, perhaps the gifted one; ``boon`` answers which one more boon a bountiful stone gives."""

    space: str
    gifted: bool = False
    boon: str | None = None


class Discard(_Order, frozen=True, kw_only=True, tag="discard"):
    """Return cards after the Bird has left."""

    cards: tuple[str, ...]


ORDERS = (Place, Discard)


# -- events -----------------------------------------------------------------------------------------------------------


class _Event(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True, kw_only=True, tag_field="event"):
    pass


class RealmLaid(_Event, frozen=True, kw_only=True, tag="realm-laid"):
    """The four domains were laid, as ``AzurePosition.realm``."""

    realm: tuple[str, ...]


class GiftNamed(_Event, frozen=True, kw_only=True, tag="gift-named"):
    """The gift of both players; ``drawn`` when chance chose it."""

    gift: str
    drawn: bool = False


class Started(_Event, frozen=True, kw_only=True, tag="started"):
    """The start player was drawn."""

    player: str


class Dealt(_Event, frozen=True, kw_only=True, tag="dealt"):
    """Cards of the hidden deck were dealt; which, only the player himself is told."""

    seat: str
    count: int
    cards: dict[str, int] = {}


class Placed(_Event, frozen=True, kw_only=True, tag="placed"):
    """A stone was placed. ``symbols`` + ``surcharge`` - ``bonds``, not below 0, is what was paid in cards of ``colour``."""

    seat: str
    space: str
    colour: str
    symbols: int
    bonds: int
    paid: int
    surcharge: int = 0
    gift: str = ""


class Boons(_Event, frozen=True, kw_only=True, tag="boons"):
    """What the space gave: cards of ``colour``, ``short`` of them not there, and wisdom; ``wisdom`` is where the marker stands now."""

    seat: str
    space: str
    colour: str = ""
    cards: int = 0
    short: int = 0
    steps: int = 0
    wisdom: int = 0


class MoreBoon(_Event, frozen=True, kw_only=True, tag="more-boon"):
    """One more boon by a bountiful stone nearby: a card of ``colour``, or a step; neither when the deck was empty."""

    seat: str
    space: str
    boon: str
    colour: str = ""
    cards: int = 0
    wisdom: int = 0


class Favored(_Event, frozen=True, kw_only=True, tag="favored"):
    """A Beast came to a player, from its mountain or from ``loser``. ``even`` when a favored stone took it with an equal count."""

    seat: str
    beast: str
    mountain: str
    guards: int
    loser: str | None = None
    against: int = 0
    even: bool = False


class WisdomLost(_Event, frozen=True, kw_only=True, tag="wisdom-lost"):
    """A Beast left and took wisdom along; ``wisdom`` is where the marker stands now."""

    loser: str
    beast: str
    steps: int
    wisdom: int = 0


class WisdomGained(_Event, frozen=True, kw_only=True, tag="wisdom-gained"):
    """A Beast brought wisdom; ``wisdom`` is where the marker stands now."""

    seat: str
    beast: str
    steps: int
    wisdom: int


class StoneReturned(_Event, frozen=True, kw_only=True, tag="stone-returned"):
    """The stone on the black mountain went back to its owner's supply, now ``stones``."""

    loser: str
    mountain: str
    stones: int


class StoneSet(_Event, frozen=True, kw_only=True, tag="stone-set"):
    """A common stone went onto the black mountain; ``stones`` are left in supply."""

    seat: str
    mountain: str
    stones: int = 0


class NoStoneLeft(_Event, frozen=True, kw_only=True, tag="no-stone-left"):
    """The Tortoise came to a player without a common stone: the black mountain stays bare."""

    seat: str
    mountain: str


class Discarded(_Event, frozen=True, kw_only=True, tag="discarded"):
    """Cards went back face up, for the Bird has left."""

    seat: str
    cards: dict[str, int] = {}


class Refilled(_Event, frozen=True, kw_only=True, tag="refilled"):
    """The hidden deck was empty: these cards of the face-up decks were shuffled into it."""

    cards: dict[str, int]


class Drew(_Event, frozen=True, kw_only=True, tag="drew"):
    """Cards of the hidden deck were drawn for the Bird; which, only the player himself is told. ``short`` could not be had."""

    seat: str
    count: int
    short: int = 0
    cards: dict[str, int] = {}


class CannotPlace(_Event, frozen=True, kw_only=True, tag="cannot-place"):
    """At the start of his turn a player could not place: ``why`` is "stones" or "spaces"."""

    seat: str
    why: str


class GameOver(_Event, frozen=True, kw_only=True, tag="game-over"):
    """The end: ``why`` is "wisdom" or "cannot-place"; ``points`` the wisdom of both."""

    winner: str
    why: str
    points: dict[str, int]


EVENTS = (
    RealmLaid, GiftNamed, Started, Dealt, Placed, Boons, MoreBoon, Favored, WisdomLost, WisdomGained, StoneReturned, StoneSet, NoStoneLeft,
    Discarded, Refilled, Drew, CannotPlace, GameOver,
)  # fmt: skip
