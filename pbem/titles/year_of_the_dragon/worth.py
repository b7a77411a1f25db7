"""How a stand-in player judges a position: points in hand, what the coming months bring, and what their events will cost."""

from __future__ import annotations

from pbem.engine.title import OVER
from pbem.titles.year_of_the_dragon.event import DEADLY, FOR_MOST, FOR_SECOND, TRIBUTE
from pbem.titles.year_of_the_dragon.pieces import count_persons, dragons, inhabited, palaces, symbols
from pbem.titles.year_of_the_dragon.sequence import month_of
from pbem.titles.year_of_the_dragon.tables import MONTHS, PERSON_OF, SYMBOL_OF, SYMBOLS, TILES_OF, WILD
from pbem.titles.year_of_the_dragon.vocabulary import DragonPosition, Player
from pbem.titles.year_of_the_dragon.year_end import FOR_PERSON, YUAN_PER_POINT, YUAN_PER_TILE, monk_points

POINT = 100
PERSON_LOST = 280
"""What a person is worth who need not be released."""
AFTER_EVENT = {"decay", "score", "end"}
NEARER = (100, 96, 84, 72, 60, 52, 46, 40, 36, 32, 30, 28, 26)
"""How much an event counts that is so many months away, in hundredths."""


def worth(position: DragonPosition, seat: str) -> int:
    """A number to compare positions of one decision by, in hundredths of a point."""
    player = position.players[seat]
    total = POINT * player.points
    if position.phase == OVER:
        return total
    month, name = max(1, month_of(position.phase)), position.phase.partition(".")[2]
    scorings = MONTHS - month + (name != "end")
    total += _months_to_come(player, scorings) + _end_of_year(player, scorings)
    total += _events_to_come(position, seat, month, struck=name in AFTER_EVENT or (name == "event" and bool(position.waiting)))
    total += _what_persons_will_do(player, scorings) + _track(position, seat, scorings) + _room_and_hand(position, player)
    return total


def _months_to_come(player: Player, scorings: int) -> int:
    """Palaces, court ladies and privileges, month after month; an empty palace stands no longer than it has floors."""
    standing = sum(scorings * 82 if palace.persons else 82 * min(scorings, palace.floors - 1) for _, palace in palaces(player))
    return standing + scorings * (80 * symbols(player, "court lady") + POINT * dragons(player))


def _end_of_year(player: Player, scorings: int) -> int:
    surviving = max(40, POINT - 5 * scorings)
    kept = (FOR_PERSON * count_persons(player) + monk_points(player)) * surviving
    return kept + (player.yuan + YUAN_PER_TILE * (player.rice + player.fireworks)) * POINT // YUAN_PER_POINT


def _events_to_come(position: DragonPosition, seat: str, month: int, *, struck: bool) -> int:
    player = position.players[seat]
    total, yuan, rice, fireworks = 0, player.yuan, player.rice, player.fireworks
    for away, event in enumerate(position.year[month - 1 + struck :]):
        worth_now, near = 0, NEARER[away]
        if event == "tribute":
            worth_now = PERSON_LOST * min(TRIBUTE, yuan)
            yuan = max(0, yuan - TRIBUTE)
        elif event == "drought":
            mouths = max(1, len(inhabited(player)))
            worth_now = PERSON_LOST * (min(mouths, rice) - mouths)
            rice = max(0, rice - mouths)
        elif event == "contagion":
            worth_now = PERSON_LOST * min(DEADLY, symbols(player, "healer"))
        elif event == "mongols":
            helmets = {each: symbols(it, "warrior") for each, it in position.players.items()}
            safe = helmets[seat] > min(helmets.values())
            worth_now = POINT * helmets[seat] + PERSON_LOST * safe
        elif event == "festival" and fireworks:
            others = sorted({it.fireworks for each, it in position.players.items() if each != seat} | {fireworks}, reverse=True)
            place = others.index(fireworks)
            worth_now = POINT * (FOR_MOST, FOR_SECOND, 0, 0, 0)[place] + 35 * min(fireworks, 6)
            fireworks //= 2
        total += worth_now * near // 100
    return total


def _what_persons_will_do(player: Player, scorings: int) -> int:
    """Symbols by what an action with them brings more, as often as it may still be taken."""
    each = {"hammer": 22, "coin": 9, "rocket": 9, "helmet": 12, "rice": 13, "book": 20, "mortar": 4}
    total = 0
    for _, palace in palaces(player):
        for tile in palace.persons:
            total += SYMBOLS[tile] * each.get(SYMBOL_OF[PERSON_OF[tile]], 0) * scorings // 2
    return total


def _track(position: DragonPosition, seat: str, scorings: int) -> int:
    """To go first is worth the more, the more months are left; each step is worth a little."""
    behind_me = len(position.seats) - 1 - position.track.index(seat)
    return behind_me * 9 * scorings + position.players[seat].space * (4 + scorings // 2)


def _room_and_hand(position: DragonPosition, player: Player) -> int:
    """A free floor for each of the next persons; cards that still find a tile, wild ones above all."""
    free = sum(palace.floors - len(palace.persons) for _, palace in palaces(player))
    to_come = sum(player.cards.values())
    room = sum((190, 90, 40, 15)[: min(free, to_come, 4)])
    useful = sum(1 for card in player.cards if any(tile in position.display for tile in TILES_OF.get(card, {}).values()))
    return room + 12 * useful + 45 * player.cards.get(WILD, 0)
