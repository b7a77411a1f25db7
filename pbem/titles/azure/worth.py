"""How a stand-in player judges a position: wisdom, Beasts, cards, and the lines of bonds that make later stones cheap."""

from __future__ import annotations

from pbem.engine.title import OVER
from pbem.titles.azure.beasts import WISDOM, guarded_from
from pbem.titles.azure.bonds import all_bonds, can_place, gift_left
from pbem.titles.azure.hands import holds
from pbem.titles.azure.lines import TALLY_MASK
from pbem.titles.azure.realm import Realm, realm
from pbem.titles.azure.sequence import other
from pbem.titles.azure.vocabulary import BEASTS, COLOURS, LAST_WISDOM, AzurePosition

STEP = 100
CARDS = (60, 50, 42, 36, 30, 24, 18, 12)
"""What the first, second … card in hand is worth; the rest is worth next to nothing."""
NEXT = {True: (1.0, 0.45, 0.25), False: (0.75, 0.5, 0.3)}
"""How much of the best, second best and third best next space is already in the bag, for who is in turn and who is not."""
ALMOST_WON = 3000
UNUSED_GIFT = 30
BOUNTY = 16
"""What a bountiful stone promises for each free space around it."""
WON = 1_000_000


def worth(position: AzurePosition, seat: str) -> int:
    """A number to compare positions of one decision by, in hundredths of a step of wisdom: mine less the opponent's."""
    opponent = other(position, seat)
    if position.phase == OVER:
        return WON if position.winner == seat else -WON
    if position.phase.endswith(".place") and can_place(position, position.turn):
        return -WON if position.turn == seat else WON
    laid = realm(*position.realm)
    return round(_of(position, laid, seat) - 0.9 * _of(position, laid, opponent) + _beasts(position, laid, seat))


def _of(position: AzurePosition, laid: Realm, seat: str) -> float:
    player = position.players[seat]
    held = {colour: holds(position, seat, colour) for colour in COLOURS}
    size = sum(player.seen.values()) + player.secret_size
    total = STEP * player.wisdom + sum(CARDS[:size]) + 2.0 * size
    # the closer to the end of the track, the more every step is worth
    total += 4 * max(0, player.wisdom - LAST_WISDOM + 10) ** 2
    total += _gift(position, laid, seat)
    bound_to = all_bonds(position, laid, seat)
    gains: list[float] = []
    in_turn = position.turn == seat and position.phase.endswith(".place")
    step = 0
    for space, _, symbols, place in laid.prices:
        if space in position.stones:
            continue
        it = laid.spaces[space]
        bound = min(bound_to >> place & TALLY_MASK, symbols)
        total += 14 * bound
        cards = symbols - bound
        gain = STEP * it.wisdom + 40.0 * min(it.number, position.decks.get(it.qi, 0)) - 40.0 * cards
        affordable = cards <= held[it.domain]
        gains.append(gain if affordable else 0.4 * gain)
        step = max(step, it.wisdom if affordable else 0)
    gains.sort(reverse=True)
    if in_turn and player.wisdom + step >= LAST_WISDOM:
        total += ALMOST_WON
    return total + sum(share * max(0.0, gain) for share, gain in zip(NEXT[in_turn], gains, strict=False))


def _gift(position: AzurePosition, laid: Realm, seat: str) -> float:
    if gift_left(position, seat):
        return UNUSED_GIFT
    gifted = position.players[seat].gifted
    if gifted is None:
        return 0
    if position.gift == "bountiful":
        free = [space for space in laid.around[gifted] if space not in position.stones and not laid.spaces[space].mountain]
        return BOUNTY * len(free) if position.players[seat].stones else 0
    if position.gift == "favored":
        return 25.0 * sum(gifted in guarded_from(laid, beast) for beast in BEASTS)
    return 0


def _beasts(position: AzurePosition, laid: Realm, seat: str) -> float:
    """What a lead in guards promises, and what it protects."""
    total = 0.0
    opponent = other(position, seat)
    sums, _ = laid.sums.of(position.stones)
    for beast in BEASTS:
        place = laid.guards_at[beast]
        mine, theirs = sums.get(seat, 0) >> place & TALLY_MASK, sums.get(opponent, 0) >> place & TALLY_MASK
        stake = 60.0 * WISDOM.get(beast, 1.6)
        lead = max(-2, min(2, mine - theirs))
        holder = position.beasts.get(beast)
        if holder is None:
            total += 0.2 * stake * lead + 0.15 * stake * (min(mine, 2) - min(theirs, 2))
        else:
            total += (0.35 if holder == seat else -0.35) * stake + 0.25 * stake * lead
    return total
