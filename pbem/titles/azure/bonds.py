"""What a stone costs: the symbols of the space, the surcharge of a gifted stone, and the bonds that reduce both."""

from __future__ import annotations

from typing import NamedTuple

from pbem.titles.azure.hands import held, holds, untold
from pbem.titles.azure.lines import ONES, PLACE_IN_TALLY, SPACES, TALLY_MASK, TOP_BIT, Tally, where
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


def all_bonds(position: AzurePosition, laid: Realm, seat: str) -> Tally:
    """``bonds`` of every space at once: each stone bonds with all that is in line with it."""
    sums, _ = laid.sums.of(position.stones)
    return with_gift(position, laid, seat, sums.get(seat, 0))


def with_gift(position: AzurePosition, laid: Realm, seat: str, bonds: Tally) -> Tally:
    """Bonds with all stones of a seat counted as common ones, and what its gifted stone gives beyond."""
    if position.gift == "mighty" and (gifted := position.players[seat].gifted) is not None:
        return bonds + laid.tally[gifted]
    if position.gift == "perceptive" and (gifted := position.players[seat].gifted) is not None:
        return bonds + laid.slanting_tally[gifted]
    return bonds


def bonds(position: AzurePosition, laid: Realm, seat: str, space: str) -> int:
    """Own stones in line, up to the first mountain in each direction; what stands on the black mountain counts.

    A mighty stone counts twice along its lines, a perceptive one on its diagonals too.
    """
    return all_bonds(position, laid, seat) >> PLACE_IN_TALLY[space] & TALLY_MASK


def surcharge_of(position: AzurePosition) -> int:
    """Cards a gifted stone costs beyond the symbols."""
    return SURCHARGES.get(position.gift, 0)


def cost(position: AzurePosition, seat: str, space: str, gifted: bool = False) -> Cost:
    """What it would cost a seat to place a stone on a space."""
    laid = realm(*position.realm)
    return Cost(*price(position, laid, space, gifted, all_bonds(position, laid, seat)))


def price(position: AzurePosition, laid: Realm, space: str, gifted: bool, all_bonds: Tally) -> tuple[str, int, int, int, int]:
    """``cost`` where the bonds of all spaces are known."""
    _, colour, _, number, wisdom, _ = laid.spaces[space]
    symbols, surcharge = number + wisdom, surcharge_of(position) if gifted else 0
    bound = all_bonds >> PLACE_IN_TALLY[space] & TALLY_MASK
    cards = symbols + surcharge - bound
    return colour, symbols, surcharge, bound, cards if cards > 0 else 0


def can_pay(position: AzurePosition, laid: Realm, seat: str, space: str, gifted: bool = False) -> bool:
    """Whether a seat has the cards for a stone on a space. Bonds are counted only where the hand alone does not do."""
    _, domain, _, number, wisdom, _ = laid.spaces[space]
    needed, have = number + wisdom + (surcharge_of(position) if gifted else 0), holds(position, seat, domain)
    return needed <= have or needed - bonds(position, laid, seat, space) <= have


def means(position: AzurePosition, laid: Realm, seat: str, bonds: Tally) -> Tally:
    """Of every space bonds and cards together: the highest price a seat can meet there."""
    found, domains, player = bonds, laid.domains, position.players[seat]
    if untold(player):
        for colour, cards in held(position, seat).items():
            found += cards * domains[colour]
        return found
    for colour, cards in player.seen.items():
        found += cards * domains[colour]
    for colour, cards in player.secret.items():
        found += cards * domains[colour]
    return found


def within(laid: Realm, means: Tally, surcharge: int = 0) -> Tally:
    """Of each space a bit, to be taken out with a tally of ones: whether these means meet its price."""
    left = means + laid.top_bits_less_symbols
    if surcharge:
        left -= surcharge * ONES
    # A space's highest bit is left where the means are not less than the price: then nothing had to be borrowed from it.
    return left >> TOP_BIT


def open_to(position: AzurePosition, seat: str, gifted: bool = False) -> list[str]:
    """Spaces onto which a stone could go, from a1 to f6: empty, no mountain, and he can pay for them."""
    laid = realm(*position.realm)
    sums, free = laid.sums.of(position.stones)
    can = means(position, laid, seat, with_gift(position, laid, seat, sums.get(seat, 0)))
    return where(within(laid, can, surcharge_of(position) if gifted else 0) & free, SPACES)


def gift_left(position: AzurePosition, seat: str) -> bool:
    """Whether a seat still has his gifted stone."""
    return position.gift != "none" and position.players[seat].gifted is None


def can_place(position: AzurePosition, seat: str) -> str:
    """"" when a seat can place a stone, else what he lacks: "stones" or "spaces"."""
    player = position.players[seat]
    if not player.stones:
        return "stones" if not gift_left(position, seat) else "" if open_to(position, seat, gifted=True) else "spaces"
    # With a common stone at hand the gifted one, which never costs less, opens no further space. All spaces are looked at, with their
    # bonds, only where the cards he is known to have are not enough for a space by themselves, which is seldom.
    affordable, stones, secret = realm(*position.realm).affordable, position.stones, player.secret
    for colour, seen in player.seen.items():
        for space in affordable[colour][seen + secret.get(colour, 0)]:
            if space not in stones:
                return ""
    for colour, cards in secret.items():
        for space in affordable[colour][cards]:
            if space not in stones:
                return ""
    return "" if open_to(position, seat) else "spaces"
