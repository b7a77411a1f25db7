"""Phase 2: in track order each plays a person card and takes a tile of that type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from pbem.engine.chance import Chance
from pbem.engine.refusals import Ambiguous, Illegal, Malformed
from pbem.engine.title import Below, Event, Order
from pbem.titles.year_of_the_dragon.pieces import advance, move_in, move_out, palace_named, palaces, take, tiles_left, with_room
from pbem.titles.year_of_the_dragon.refusal_codes import known
from pbem.titles.year_of_the_dragon.sequence import DragonPhase, next_in_turn
from pbem.titles.year_of_the_dragon.tables import CARDS, FACES_OF, OLD, PERSONS, TILES, TILES_OF, VALUE, WILD, YOUNG
from pbem.titles.year_of_the_dragon.vocabulary import CardSpent, Declined, DragonPosition, Player, Recruit, Recruited


class RecruitPerson(DragonPhase):
    """A person moves in where there is room, and the marker advances by its value. No tile left: the card is spent."""

    name = "person"
    takes = (Recruit,)

    def choices(self, position: DragonPosition, seat: str) -> Iterator[Order]:
        """See Phase: cards in table order, wild last; young before old; palaces from the lowest number."""
        for card, person, age, places in _plays(position, seat):
            for place in places:
                yield _recruit(card, person, age, place)

    def pick(self, position: DragonPosition, seat: str, below: Below) -> Order:
        """See Phase."""
        plays = list(_plays(position, seat))
        number = below(sum([len(places) for _, _, _, places in plays]))
        for card, person, age, places in plays:
            if number < len(places):
                return _recruit(card, person, age, places[number])
            number -= len(places)
        raise AssertionError("unreachable")

    def fill_in(self, position: DragonPosition, seat: str, order: Order) -> Order:
        """See Phase: the age when only one is left."""
        order = cast(Recruit, order)
        player = position.players[seat]
        card = known("unknown-card", order.card, CARDS, "card")
        _check_words(order)
        if card not in player.cards:
            raise Illegal("card-not-in-hand", "card", card=card, hand=[each for each in CARDS if each in player.cards])
        if order == Recruit(card=card) and not any(tiles_left(position, person) for person in _persons_of(card)):
            return order
        if card == WILD and order.person is None:
            raise Malformed("missing-key", keys=["person"])
        if card != WILD and order.person is not None:
            raise Malformed("key-not-here", "person", key="person", order=card)
        age = _age(position, order)
        if room := with_room(player):
            palace = self._with_room(player, order, room)
            return Recruit(card=card, person=order.person, age=age, palace=palace)
        if order.decline:
            if order.release is not None:
                raise Malformed("key-not-here", "release", key="release", order="decline")
            return Recruit(card=card, person=order.person, age=age, decline=True)
        return self._instead_of(player, order, age)

    def _with_room(self, player: Player, order: Recruit, room: list[int]) -> int:
        if order.release is not None or order.decline:
            key = "decline" if order.decline else "release"
            raise Illegal("room-left", key, key=key, room=room)
        if order.palace is None:
            raise Malformed("missing-key", keys=["palace"])
        palace_named(player, order.palace, "palace")
        if order.palace not in room:
            raise Illegal("palace-full", "palace", palace=order.palace, room=room)
        return order.palace

    def _instead_of(self, player: Player, order: Recruit, age: str) -> Recruit:
        if order.release is None:
            raise Illegal("palaces-full", palaces=[number for number, _ in palaces(player)])
        if order.palace is None:
            raise Malformed("missing-key", keys=["palace"])
        there = palace_named(player, order.palace, "palace").persons
        if order.release not in there:
            raise Illegal("not-in-palace", "release", tile=order.release, palace=order.palace, there=list(there))
        return Recruit(card=order.card, person=order.person, age=age, palace=order.palace, release=order.release)

    def play(self, position: DragonPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        [(seat, written)] = orders.items()
        order = cast(Recruit, written)
        player = position.players[seat]
        take(player.cards, order.card)
        event = self._recruit(position, seat, order)
        next_in_turn(position)
        return [event]

    def _recruit(self, position: DragonPosition, seat: str, order: Recruit) -> Event:
        if order.age is None:
            return CardSpent(seat=seat, card=order.card)
        player = position.players[seat]
        tile = TILES_OF[order.person or order.card][order.age]
        take(position.display, tile)
        if order.palace is None:
            return Declined(seat=seat, card=order.card, person=tile)
        if order.release is not None:
            move_out(player, order.palace, order.release)
        move_in(player, order.palace, tile)
        advance(position, seat, VALUE[tile])
        return Recruited(
            seat=seat, card=order.card, person=tile, palace=order.palace, steps=VALUE[tile], space=player.space,
            released=order.release or "",
        )  # fmt: skip

    def default(self, position: DragonPosition, seat: str) -> Order:
        """See Phase: the first card that has a tile, young if there is one, into the lowest palace with room, else declined.

        ``choices`` lists them in this order; of full palaces it lists the releases first.
        """
        orders = [cast(Recruit, order) for order in self.choices(position, seat)]
        with_tile = [order for order in orders if order.age is not None]
        full = not with_room(position.players[seat])
        return next((order for order in with_tile if order.decline or not full), orders[0])


Spot = tuple[int | None, str | None]
"""A palace and whom to release there, if anybody; (None, None) for no palace."""


def _plays(position: DragonPosition, seat: str) -> Iterator[tuple[str, str, str | None, Sequence[Spot]]]:
    """Card, person, age, and where a tile of these can go; without an age, the card is spent."""
    player, display = position.players[seat], position.display
    places = _places(player)
    leaving = [tile for _, tile in places if tile is not None]
    twice = len(set(leaving)) < len(leaving)
    for card in CARDS:
        if card in player.cards:
            faces = [face for face in FACES_OF[card] if face[2] in display]
            if not faces:
                yield card, card, None, _NOWHERE
            for person, age, tile in faces:
                yield card, person, age, _different(places, tile) if twice else places


_NOWHERE: Sequence[Spot] = ((None, None),)


def _different(places: Sequence[Spot], tile: str) -> Sequence[Spot]:
    """To put a tile where the same one lived comes to the same in every palace: only the first of these counts."""
    alike = [place for place in places if place[1] == tile]
    return [place for place in places if place not in alike[1:]] if len(alike) > 1 else places


def _recruit(card: str, person: str, age: str | None, place: Spot) -> Recruit:
    if age is None:
        return Recruit(card=card)
    palace, release = place
    return Recruit(card=card, person=person if card == WILD else None, age=age, palace=palace, release=release, decline=palace is None)


def _persons_of(card: str) -> tuple[str, ...]:
    return PERSONS if card == WILD else (card,)


def _places(player: Player) -> list[Spot]:
    """Palaces with room; when all are full, whom to release in each, and last to decline."""
    if room := with_room(player):
        return [(number, None) for number in room]
    return [*[(number, tile) for number, palace in palaces(player) for tile in dict.fromkeys(palace.persons)], (None, None)]


def _check_words(order: Recruit) -> None:
    if order.person is not None:
        known("unknown-person", order.person, PERSONS, "person")
    if order.age is not None:
        known("unknown-age", order.age, (YOUNG, OLD), "age")
    if order.release is not None:
        known("unknown-tile", order.release, TILES, "release")


def _age(position: DragonPosition, order: Recruit) -> str:
    person = order.person or order.card
    left = tiles_left(position, person)
    if not left:
        field = "person" if order.card == WILD else "card"
        raise Illegal("no-tile", field, person=person, age="", left={})
    if order.age is None:
        if len(left) > 1:
            raise Ambiguous("which-age", "age", person=person, meanings=list(left))
        return next(iter(left))
    if order.age not in left:
        raise Illegal("no-tile", "age", person=person, age=order.age, left=left)
    return order.age
