"""The beginning of a month: the action cards are shuffled into groups."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from pbem.engine.chance import Chance
from pbem.engine.title import Event, Order
from pbem.titles.year_of_the_dragon.sequence import DragonPhase, event_of, go_on, month_of
from pbem.titles.year_of_the_dragon.tables import ACTIONS, GROUP_SIZES
from pbem.titles.year_of_the_dragon.vocabulary import DragonPosition, MonthBegan


class DealGroups(DragonPhase):
    """As many groups as players, as even as possible; the dragons go back to their owners."""

    name = "groups"

    def play(self, position: DragonPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        month, coming = month_of(position.phase), event_of(position, position.phase)
        position.groups = cut(chance.shuffle(ACTIONS, f"actions {month}"), len(position.seats))
        position.dragons = {}
        go_on(position)
        return [MonthBegan(month=month, coming=coming, groups=position.groups, order=tuple(position.track))]


def cut(cards: list[str], players: int) -> tuple[tuple[str, ...], ...]:
    """Cards cut into groups; within a group they lie in table order."""
    groups, at = [], 0
    for size in GROUP_SIZES[players]:
        groups.append(in_table_order(tuple(cards[at : at + size])))
        at += size
    return tuple(groups)


@cache
def in_table_order(cards: tuple[str, ...]) -> tuple[str, ...]:
    """Action cards as they lie within a group."""
    return tuple(sorted(cards, key=ACTIONS.index))
