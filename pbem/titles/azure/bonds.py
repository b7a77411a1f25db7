"""What a stone costs: the symbols of the space, the surcharge of a gifted stone, and the bonds that reduce both."""

from __future__ import annotations

from typing import NamedTuple

from pbem.titles.azure.hands import held, holds
from pbem.titles.azure.realm import ONES, PLACE_IN_TALLY, TALLY_MASK, Realm, Tally, realm, spaces_of, where_not_less
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
    """Own stones in line, up to the first mountain in each direction; what stands on the black mountain counts.

    A mighty stone counts twice along its lines, a perceptive one on its diagonals too.
    """
    return all_bonds(position, laid, seat) >> PLACE_IN_TALLY[space] & TALLY_MASK


def all_bonds(position: AzurePosition, laid: Realm, seat: str) -> Tally:
    """``bonds`` of every space at once: each stone bonds with all that is in line with it."""
    of, gifted = laid.tally, position.players[seat].gifted
    tally = sum([of[stone] for stone, owner in position.stones.items() if owner == seat])
    if gifted is not None and position.gift == "mighty":
        return tally + laid.tally[gifted]
    if gifted is not None and position.gift == "perceptive":
        return tally + laid.slanting_tally[gifted]
    return tally


def cost(position: AzurePosition, seat: str, space: str, gifted: bool = False) -> Cost:
    """What it would cost a seat to place a stone on a space."""
    laid = realm(*position.realm)
    here = laid.spaces[space]
    surcharge = SURCHARGES.get(position.gift, 0) if gifted else 0
    bound = bonds(position, laid, seat, space)
    return Cost(here.domain, here.symbols, surcharge, bound, max(0, here.symbols + surcharge - bound))


def can_pay(position: AzurePosition, seat: str, space: str, gifted: bool = False) -> bool:
    """Whether a seat has the cards for a stone on a space. Bonds are counted only where the hand alone does not do."""
    laid = realm(*position.realm)
    here = laid.spaces[space]
    needed = here.symbols + (SURCHARGES.get(position.gift, 0) if gifted else 0)
    have = holds(position, seat, here.domain)
    return needed <= have or needed - bonds(position, laid, seat, space) <= have


def open_to(position: AzurePosition, seat: str, gifted: bool = False) -> list[str]:
    """Spaces onto which a stone could go, from a1 to f6: empty, no mountain, and he can pay for them."""
    laid, stones = realm(*position.realm), position.stones
    means = all_bonds(position, laid, seat)
    for domain, cards in held(position, seat).items():
        means += cards * laid.domains[domain]
    price = laid.symbols
    if gifted:
        price += SURCHARGES.get(position.gift, 0) * ONES
    return [space for space in spaces_of(where_not_less(means, price) & laid.land) if space not in stones]


def gift_left(position: AzurePosition, seat: str) -> bool:
    """Whether a seat still has his gifted stone."""
    return position.gift != "none" and position.players[seat].gifted is None


def can_place(position: AzurePosition, seat: str) -> str:
    """"" when a seat can place a stone, else what he lacks: "stones" or "spaces"."""
    common = position.players[seat].stones > 0
    if not common and not gift_left(position, seat):
        return "stones"
    # With a common stone at hand the gifted one, which never costs less, opens no further space.
    laid, stones, cards = realm(*position.realm), position.stones, held(position, seat)
    for space, domain, symbols, _ in laid.prices if common else ():
        # bonds are counted only where the hand alone does not do, which is seldom
        if symbols <= cards[domain] and space not in stones:
            return ""
    return "" if open_to(position, seat, not common) else "spaces"
