"""Phase 1: in track order each chooses a group of actions and does one of them, or passes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NoReturn, cast

from pbem.engine.chance import Chance
from pbem.engine.refusals import Illegal, Malformed
from pbem.engine.title import Below, Event, Order
from pbem.titles.year_of_the_dragon.building import Building, build, checked_floors
from pbem.titles.year_of_the_dragon.pieces import advance, dragons, put, symbols
from pbem.titles.year_of_the_dragon.refusal_codes import known
from pbem.titles.year_of_the_dragon.sequence import DragonPhase, next_in_turn
from pbem.titles.year_of_the_dragon.tables import ACTIONS, DRAGONS, GROUP_SIZES, LARGE, PRICE_OF_OCCUPIED, PRICE_OF_SMALL, SMALL
from pbem.titles.year_of_the_dragon.vocabulary import Acted, Action, DragonPosition, Pass, Passed, Player

TOPPED_UP_TO = 3
PAID_BY, GROWN_BY, FIRED_BY, MARCHED_BY, STUDIED_BY = "tax collector", "farmer", "pyrotechnist", "warrior", "scholar"
PASS = Pass()
Groups = tuple[tuple[str, ...], ...]
_SIZES = (SMALL, LARGE)
_PLAIN = {(action, group): Action(action=action, group=group) for action in ACTIONS for group in range(1, max(GROUP_SIZES) + 1)}
"""Orders of actions that need nothing else are made once."""


class ChooseAction(DragonPhase):
    """A group with a dragon on it costs 3 yuan first. Who passes is topped up to 3 yuan and occupies nothing."""

    name = "action"
    takes = (Action, Pass)

    def choices(self, position: DragonPosition, seat: str) -> Iterator[Order]:
        """See Phase: actions in table order, then to pass."""
        player = position.players[seat]
        plain, build, build_at, privilege, privilege_at = _open_to(position, player)
        yield from plain[:build_at]
        if build:
            for floors in Building(player):
                yield Action(action="build", group=build, floors=floors)
        yield from plain[build_at:privilege_at]
        if privilege:
            for size in _within_means(position, player, privilege):
                yield Action(action="privilege", group=privilege, size=size)
        yield from plain[privilege_at:]

    def pick(self, position: DragonPosition, seat: str, below: Below) -> Order:
        """See Phase: all ways to build are counted, and only the one taken is made."""
        player = position.players[seat]
        plain, build, build_at, privilege, privilege_at = _open_to(position, player)
        building = Building(player) if build else None
        ways = building.count if building else 0
        sizes = _within_means(position, player, privilege) if privilege else ()
        number = below(len(plain) + ways + len(sizes))
        if building and number >= build_at:
            if number < build_at + ways:
                return Action(action="build", group=build, floors=building.way(number - build_at))
            number -= ways
        if number >= privilege_at:
            if number < privilege_at + len(sizes):
                return Action(action="privilege", group=privilege, size=sizes[number - privilege_at])
            number -= len(sizes)
        return plain[number]

    def sampled(self, position: DragonPosition, seat: str) -> bool:
        """See Phase: very many ways to build are not all listed."""
        return Building(position.players[seat]).sampled

    def fill_in(self, position: DragonPosition, seat: str, order: Action | Pass) -> Order:
        """See Phase: the group, and the floors palace by palace."""
        if isinstance(order, Pass):
            return order
        action = known("unknown-action", order.action, ACTIONS, "action")
        group = order.group if order.group is not None else group_of(position, action)
        if not 1 <= group <= len(position.groups):
            raise Malformed("out-of-range", "group", found=group, low=1, high=len(position.groups))
        if action not in position.groups[group - 1]:
            raise Illegal("other-group", "group", action=action, found=group, group=group_of(position, action))
        if (order.floors is None) is (action == "build") or (order.size is None) is (action == "privilege"):
            _refuse_keys(order)
        player, price = position.players[seat], price_of(position, group)
        if player.yuan < price:
            on_it = [other for other in position.seats if position.dragons.get(other) == group]
            raise Illegal("group-occupied", "action", action=action, group=group, seats=on_it, needed=price, have=player.yuan)
        floors = order.floors
        if floors is not None:
            floors = checked_floors(player, floors)
        elif order.size is not None:
            size = known("unknown-size", order.size, (SMALL, LARGE), "size")
            if (needed := privilege_price(position, size)) > (left := player.yuan - price):
                raise Illegal("privilege-too-dear", "size", size=size, needed=needed, have=left)
        if order.group is not None and floors == order.floors:
            return order
        return Action(action=action, group=group, floors=floors, size=order.size)

    def play(self, position: DragonPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        seat = position.waiting[0]
        order = orders[seat]
        event = self._act(position, seat, order) if isinstance(order, Action) else self._pass(position, seat)
        next_in_turn(position)
        return [event]

    def _pass(self, position: DragonPosition, seat: str) -> Event:
        player = position.players[seat]
        gained = TOPPED_UP_TO - player.yuan if player.yuan < TOPPED_UP_TO else 0
        player.yuan += gained
        return Passed(seat=seat, gained=gained, now=player.yuan)

    def _act(self, position: DragonPosition, seat: str, order: Action) -> Event:
        player, group = position.players[seat], cast(int, order.group)
        paid = price_of(position, group)
        player.yuan -= paid
        position.dragons[seat] = group
        size, price, founded = order.size or "", 0, tuple[int, ...]()
        floors: dict[str, int] = {}
        match order.action:
            case "taxes":
                gained = 2 + symbols(player, PAID_BY)
                player.yuan += gained
                now = player.yuan
            case "build":
                first_new = player.next_palace
                built = order.floors or ()
                floors = build(player, built)
                gained, now = len(built), _count_floors(player)
                founded = tuple(range(first_new, player.next_palace))
            case "harvest":
                gained = 1 + symbols(player, GROWN_BY)
                player.rice += gained
                now = player.rice
            case "fireworks":
                gained = 1 + symbols(player, FIRED_BY)
                player.fireworks += gained
                now = player.fireworks
            case "parade":
                gained = 1 + symbols(player, MARCHED_BY)
                advance(position, seat, gained)
                now = player.space
            case "research":
                gained = 1 + symbols(player, STUDIED_BY)
                player.points += gained
                now = player.points
            case _:
                price = privilege_price(position, size)
                player.yuan -= price
                put(player.privileges, size)
                gained, now = DRAGONS[size], dragons(player)
        return Acted(
            seat=seat, action=order.action, group=group, cards=position.groups[group - 1], paid=paid, gained=gained, now=now,
            floors=floors, founded=founded, size=size, price=price,
        )  # fmt: skip

    def default(self, position: DragonPosition, seat: str) -> Order:
        """See Phase: pass."""
        return PASS


@lru_cache(maxsize=4096)
def _group_numbers(groups: Groups) -> dict[str, int]:
    """Action → the number of its group, in table order. All of a month ask for the same."""
    found = {action: number for number, cards in enumerate(groups, start=1) for action in cards}
    return {action: found[action] for action in ACTIONS}


def group_of(position: DragonPosition, action: str) -> int:
    """The number of the group an action lies in, from 1."""
    return _group_numbers(position.groups)[action]


def price_of(position: DragonPosition, group: int) -> int:
    """Yuan to be paid before an action of this group."""
    return PRICE_OF_OCCUPIED if group in position.dragons.values() else 0


Open = tuple[tuple[Action | Pass, ...], int, int, int, int]
"""What is open to a player: the actions that need nothing else, in table order, and to pass; the number of the group of "build", 0 when
it is closed to him, and how many of those orders lie before it; the same of "privilege", which lies behind it."""


def _open_to(position: DragonPosition, player: Player) -> Open:
    """Groups he can pay the way to: 3 yuan where a dragon lies."""
    if player.yuan >= PRICE_OF_OCCUPIED or not position.dragons:
        return _all_open(position.groups)
    return _without(_group_numbers(position.groups), position.dragons.values())


@lru_cache(maxsize=4096)
def _all_open(groups: Groups) -> Open:
    return _without(_group_numbers(groups), ())


def _without(numbers: Mapping[str, int], occupied: Collection[int]) -> Open:
    plain: list[Action | Pass] = []
    build = build_at = privilege = privilege_at = 0
    for action, group in numbers.items():
        if action == "build":
            build, build_at = 0 if group in occupied else group, len(plain)
        elif action == "privilege":
            privilege, privilege_at = 0 if group in occupied else group, len(plain)
        elif group not in occupied:
            plain.append(_PLAIN[action, group])
    plain.append(PASS)
    return tuple(plain), build, build_at, privilege, privilege_at


def _within_means(position: DragonPosition, player: Player, group: int) -> Sequence[str]:
    """Sizes of privileges he can buy, once he has paid for the group. A large one is the dearer."""
    left = player.yuan - price_of(position, group)
    return _SIZES if left >= position.large_privilege else _SIZES[:1] if left >= PRICE_OF_SMALL else ()


def _count_floors(player: Player) -> int:
    number = 0
    for palace in player.palaces.values():
        number += palace.floors
    return number


def _refuse_keys(order: Action) -> NoReturn:
    """A key that goes with one action has to be there for that, and for no other."""
    for key, value, goes_with in (("floors", order.floors, "build"), ("size", order.size, "privilege")):
        if value is None and order.action == goes_with:
            raise Malformed("missing-key", keys=[key])
        if value is not None and order.action != goes_with:
            raise Malformed("key-not-here", key, key=key, order=order.action)
    raise AssertionError("unreachable")


def privilege_price(position: DragonPosition, size: str) -> int:
    """The price of a privilege in yuan."""
    return PRICE_OF_SMALL if size == SMALL else position.large_privilege
