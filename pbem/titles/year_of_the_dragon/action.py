"""Phase 1: in track order each chooses a group of actions and does one of them, or passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import cast

from pbem.engine.chance import Chance
from pbem.engine.refusals import Illegal, Malformed
from pbem.engine.title import Below, Event, Order
from pbem.titles.year_of_the_dragon.pieces import add_floors, advance, dragons, palaces, put, symbols
from pbem.titles.year_of_the_dragon.refusal_codes import known, nearest
from pbem.titles.year_of_the_dragon.selections import Selections
from pbem.titles.year_of_the_dragon.sequence import DragonPhase, next_in_turn
from pbem.titles.year_of_the_dragon.tables import (
    ACTIONS,
    DRAGONS,
    LARGE,
    MOST_FLOORS,
    NEW,
    PRICE_OF_OCCUPIED,
    PRICE_OF_SMALL,
    SMALL,
)
from pbem.titles.year_of_the_dragon.vocabulary import Acted, Action, DragonPosition, Pass, Passed, Player

TOPPED_UP_TO = 3
BUILT_BY, PAID_BY, GROWN_BY, FIRED_BY, MARCHED_BY, STUDIED_BY = (
    "craftsman", "tax collector", "farmer", "pyrotechnist", "warrior", "scholar",
)  # fmt: skip
Floors = tuple[int | str, ...]


class ChooseAction(DragonPhase):
    """A group with a dragon on it costs 3 yuan first. Who passes is topped up to 3 yuan and occupies nothing."""

    name = "action"
    takes = (Action, Pass)

    def choices(self, position: DragonPosition, seat: str) -> Iterator[Order]:
        """See Phase: actions in table order, then to pass."""
        player = position.players[seat]
        for action, group in _open_to(position, player):
            if action == "build":
                for spread in _ways_to_build(player):
                    yield Action(action=action, group=group, floors=_in_order(player, spread))
            elif action == "privilege":
                for size in _within_means(position, player, group):
                    yield Action(action=action, group=group, size=size)
            else:
                yield Action(action=action, group=group)
        yield Pass()

    def pick(self, position: DragonPosition, seat: str, below: Below) -> Order:
        """See Phase: all ways to build are counted, and only the one taken is made."""
        player = position.players[seat]
        building = _ways_to_build(player)
        ways: list[tuple[int, str, int]] = []
        for action, group in _open_to(position, player):
            many = building.count if action == "build" else len(_within_means(position, player, group)) if action == "privilege" else 1
            ways.append((many, action, group))
        number = below(sum([many for many, _, _ in ways]) + 1)
        for many, action, group in ways:
            if number < many:
                if action == "build":
                    return Action(action=action, group=group, floors=_in_order(player, building.selection(number)))
                if action == "privilege":
                    return Action(action=action, group=group, size=_within_means(position, player, group)[number])
                return Action(action=action, group=group)
            number -= many
        return Pass()

    def sampled(self, position: DragonPosition, seat: str) -> bool:
        """See Phase: very many ways to build are not all listed."""
        return _ways_to_build(position.players[seat]).sampled

    def fill_in(self, position: DragonPosition, seat: str, order: Order) -> Order:
        """See Phase: the group, and the floors palace by palace."""
        if isinstance(order, Pass):
            return order
        order = cast(Action, order)
        action = known("unknown-action", order.action, ACTIONS, "action")
        group = group_of(position, action)
        if order.group is not None:
            if not 1 <= order.group <= len(position.groups):
                raise Malformed("out-of-range", "group", found=order.group, low=1, high=len(position.groups))
            if order.group != group:
                raise Illegal("other-group", "group", action=action, found=order.group, group=group)
        for key, goes_with in (("floors", "build"), ("size", "privilege")):
            if getattr(order, key) is None and action == goes_with:
                raise Malformed("missing-key", keys=[key])
            if getattr(order, key) is not None and action != goes_with:
                raise Malformed("key-not-here", key, key=key, order=action)
        player, price = position.players[seat], price_of(position, group)
        if player.yuan < price:
            on_it = [other for other in position.seats if position.dragons.get(other) == group]
            raise Illegal("group-occupied", "action", action=action, group=group, seats=on_it, needed=price, have=player.yuan)
        if action == "build":
            return Action(action=action, group=group, floors=_checked_floors(player, order.floors or ()))
        if action == "privilege":
            size = known("unknown-size", order.size or "", (SMALL, LARGE), "size")
            if (needed := privilege_price(position, size)) > (left := player.yuan - price):
                raise Illegal("privilege-too-dear", "size", size=size, needed=needed, have=left)
            return Action(action=action, group=group, size=size)
        return Action(action=action, group=group)

    def play(self, position: DragonPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        [(seat, order)] = orders.items()
        event = self._act(position, seat, order) if isinstance(order, Action) else self._pass(position, seat)
        next_in_turn(position)
        return [event]

    def _pass(self, position: DragonPosition, seat: str) -> Event:
        player = position.players[seat]
        gained = max(0, TOPPED_UP_TO - player.yuan)
        player.yuan += gained
        return Passed(seat=seat, gained=gained, now=player.yuan)

    def _act(self, position: DragonPosition, seat: str, order: Action) -> Event:
        player, group = position.players[seat], cast(int, order.group)
        paid = price_of(position, group)
        player.yuan -= paid
        position.dragons[seat] = group
        gained, now, founded, price = 0, 0, tuple[int, ...](), 0
        floors: dict[str, int] = {}
        match order.action:
            case "taxes":
                gained = 2 + symbols(player, PAID_BY)
                player.yuan += gained
                now = player.yuan
            case "build":
                first_new = player.next_palace
                added = _by_palace(player, order.floors or ())
                for number, more in added.items():
                    add_floors(player, number, more)
                gained, now = sum(added.values()), sum(palace.floors for palace in player.palaces.values())
                floors = {str(number): player.palaces[str(number)].floors for number in added}
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
                size = order.size or ""
                price = privilege_price(position, size)
                player.yuan -= price
                put(player.privileges, size)
                gained, now = DRAGONS[size], dragons(player)
        return Acted(
            seat=seat, action=order.action, group=group, cards=position.groups[group - 1], paid=paid, gained=gained, now=now,
            floors=floors, founded=founded, size=order.size or "", price=price,
        )  # fmt: skip

    def default(self, position: DragonPosition, seat: str) -> Order:
        """See Phase: pass."""
        return Pass()


def group_of(position: DragonPosition, action: str) -> int:
    """The number of the group an action lies in, from 1."""
    return next(number for number, cards in enumerate(position.groups, start=1) if action in cards)


def price_of(position: DragonPosition, group: int) -> int:
    """Yuan to be paid before an action of this group."""
    return PRICE_OF_OCCUPIED if group in position.dragons.values() else 0


def _open_to(position: DragonPosition, player: Player) -> list[tuple[str, int]]:
    """Actions in table order, with their groups, for which he can pay what lies in the way: a dragon on the group."""
    occupied = () if player.yuan >= PRICE_OF_OCCUPIED else position.dragons.values()
    group = {action: number for number, cards in enumerate(position.groups, start=1) for action in cards}
    return [(action, group[action]) for action in ACTIONS if group[action] not in occupied]


def _within_means(position: DragonPosition, player: Player, group: int) -> list[str]:
    """Sizes of privileges he can buy, once he has paid for the group."""
    left = player.yuan - price_of(position, group)
    return [size for size in (SMALL, LARGE) if privilege_price(position, size) <= left]


def privilege_price(position: DragonPosition, size: str) -> int:
    """The price of a privilege in yuan."""
    return PRICE_OF_SMALL if size == SMALL else position.large_privilege


def floors_to_build(player: Player) -> int:
    """Floors a build brings: 1 and 1 per craftsman."""
    return 1 + symbols(player, BUILT_BY)


# -- building ---------------------------------------------------------------------------------------------------------


@cache
def _new_palaces(floors: int) -> tuple[tuple[int, ...], ...]:
    """Heights of new palaces that take so many floors, the highest first."""
    if floors == 0:
        return ((),)
    return tuple(
        (height, *rest)
        for height in range(min(floors, MOST_FLOORS), 0, -1)
        for rest in _new_palaces(floors - height)
        if not rest or rest[0] <= height
    )


def _ways_to_build(player: Player) -> Selections[tuple[int, ...]]:
    """Each way to place all floors: per palace how many, and last the heights of new palaces, the highest of them first."""
    return _spreads(tuple([MOST_FLOORS - palace.floors for _, palace in palaces(player)]), floors_to_build(player))


@lru_cache(maxsize=4096)
def _spreads(rooms: tuple[int, ...], total: int) -> Selections[tuple[int, ...]]:
    """``_ways_to_build`` for palaces with so much room each: players have few different ones, so that each is counted once."""
    slots = [[(floors, (floors,)) for floors in range(min(room, total), -1, -1)] for room in rooms]
    new = [(floors, heights) for floors in range(total + 1) for heights in _new_palaces(floors)]
    return Selections([*slots, new], total)


def _in_order(player: Player, spread: list[tuple[int, ...]]) -> Floors:
    *old, new = spread
    floors: list[int | str] = []
    for (number, _), (more,) in zip(palaces(player), old, strict=True):
        floors += [number] * more
    for number, height in enumerate(new, start=player.next_palace):
        floors += [NEW, *[number] * (height - 1)]
    return tuple(floors)


def _written(player: Player, added: Mapping[int, int]) -> Floors:
    """Palace by palace, a new one as "new" and then its number."""
    floors: list[int | str] = []
    for number, more in sorted(added.items()):
        floors += [number] * more if number < player.next_palace else [NEW, *[number] * (more - 1)]
    return tuple(floors)


def _by_palace(player: Player, floors: Floors) -> dict[int, int]:
    """Palace → floors added, lowest number first; new palaces are numbered as they are founded."""
    added: dict[int, int] = {}
    founded = 0
    for where in floors:
        number = player.next_palace + founded if isinstance(where, str) else where
        founded += isinstance(where, str)
        added[number] = added.get(number, 0) + 1
    return dict(sorted(added.items()))


def _checked_floors(player: Player, floors: Floors) -> Floors:
    for at, where in enumerate(floors):
        if isinstance(where, str) and where != NEW:
            raise Malformed("unknown-floor", f"floors[{at}]", found=where, allowed=[NEW], nearest=nearest(where, [NEW]))
    if len(floors) != (needed := floors_to_build(player)):
        raise Illegal("floor-count", "floors", needed=needed, found=len(floors))
    heights = {number: palace.floors for number, palace in palaces(player)}
    number = player.next_palace
    for at, where in enumerate(floors):
        if isinstance(where, str):
            heights[number] = 1
            number += 1
            continue
        if where not in heights:
            raise Illegal("no-such-palace", f"floors[{at}]", palace=where, allowed=sorted(heights))
        if heights[where] == MOST_FLOORS:
            raise Illegal("palace-too-high", f"floors[{at}]", palace=where, high=MOST_FLOORS)
        heights[where] += 1
    return _written(player, _by_palace(player, floors))
