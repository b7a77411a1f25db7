"""What a stone costs: the symbols of the space, the surcharge of a gifted stone, and the bonds that reduce both."""

from __future__ import annotations

from typing import NamedTuple

from pbem.titles.azure.hands import holds
from pbem.titles.azure.realm import Realm, realm
from pbem.titles.azure.vocabulary import AzurePosition

SURCHARGES = {"mighty": 2, "perceptive": 2, "bountiful": 1, "favored": 1}


class Cost(NamedTuple):
    """``cards`` of the domain's ``colour`` = ``symbols`` + ``surcharge`` - ``bonds``, never below 0."""

    colour: str
    symbols: int
    surcharge: int
    bonds: int
    cards: int


def bonds(position: AzurePosition, laid: Realm, seat: str, space: str) -> int:
    """Own stones in line, up to the first mountain in each direction; what stands on the black mountain counts."""
    stones = position.stones
    count = sum(stones.get(each) == seat for way in laid.straight[space] for each in way)
    return count + _by_gift(position, laid, position.players[seat].gifted, space)


def _by_gift(position: AzurePosition, laid: Realm, gifted: str | None, space: str) -> int:
    """A mighty stone counts twice along its lines, a perceptive one on its diagonals too."""
    if gifted is None:
        return 0
    if position.gift == "mighty":
        return int(any(gifted in way for way in laid.straight[space]))
    return int(position.gift == "perceptive" and gifted in laid.diagonal[space])


def cost(position: AzurePosition, seat: str, space: str, gifted: bool = False) -> Cost:
    """What it would cost a seat to place a stone on a space."""
    laid = realm(position.realm)
    here = laid.spaces[space]
    surcharge = SURCHARGES.get(position.gift, 0) if gifted else 0
    bound = bonds(position, laid, seat, space)
    return Cost(here.domain, here.symbols, surcharge, bound, max(0, here.symbols + surcharge - bound))


def can_pay(position: AzurePosition, seat: str, space: str, gifted: bool = False) -> bool:
    """Whether a stone could go onto a space: it is empty, no mountain, and can be paid for."""
    if space in position.stones or realm(position.realm).spaces[space].mountain:
        return False
    price = cost(position, seat, space, gifted)
    return price.cards <= holds(position, seat, price.colour)


def gift_left(position: AzurePosition, seat: str) -> bool:
    """Whether a seat still has his gifted stone."""
    return position.gift != "none" and position.players[seat].gifted is None


def can_place(position: AzurePosition, seat: str) -> str:
    """"" when a seat can place a stone, else what he lacks: "stones" or "spaces"."""
    common, gifted = position.players[seat].stones > 0, gift_left(position, seat)
    if not common and not gifted:
        return "stones"
    # With a common stone at hand the gifted one, which never costs less, opens no further space.
    return "" if any(can_pay(position, seat, space, not common) for space in realm(position.realm).spaces) else "spaces"
