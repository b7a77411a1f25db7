"""Phase 2: in track order each plays a person card and takes a tile of that type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import cast

from msgspec import structs

from pbem.engine.chance import Chance
from pbem.engine.refusals import Ambiguous, Illegal, Malformed
from pbem.engine.title import Below, Event, Order
from pbem.titles.year_of_the_dragon.pieces import NUMBER, advance, move_in, move_out, palace_named, palaces, take, tiles_left, with_room
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
        for card, face, places in _plays(position, seat):
            for place in places:
                yield _recruit(card, face, place)

    def pick(self, position: DragonPosition, seat: str, below: Below) -> Order:
        """See Phase."""
        player = position.players[seat]
        places = _places(player)
        if _twice(places):
            return self._pick_of(list(_plays(position, seat)), below)
        # Everything can go everywhere: it is enough to count.
        faces_of, how_many = _faces_of(position.display)
        hand, room, total = player.cards, len(places), 0
        ways: dict[str, int] = {}
        for card in CARDS:
            if card in hand:
                ways[card] = many = how_many[card] * room or 1
                total += many
        number = below(total)
        for card, many in ways.items():
            if number < many:
                faces = faces_of[card]
                return _recruit(card, faces[number // room], places[number % room]) if faces else Recruit(card=card)
            number -= many
        raise AssertionError("unreachable")

    def _pick_of(self, plays: Sequence[Play], below: Below) -> Order:
        number = below(sum([len(places) for _, _, places in plays]))
        for card, face, places in plays:
            if number < len(places):
                return _recruit(card, face, places[number])
            number -= len(places)
        raise AssertionError("unreachable")

    def fill_in(self, position: DragonPosition, seat: str, order: Recruit) -> Order:
        """See Phase: the age when only one is left."""
        player = position.players[seat]
        card = known("unknown-card", order.card, CARDS, "card")
        _check_words(order)
        if card not in player.cards:
            raise Illegal("card-not-in-hand", "card", card=card, hand=[each for each in CARDS if each in player.cards])
        if order.age is None and order == Recruit(card=card) and not _faces_of(position.display)[0][card]:
            return order
        if card == WILD and order.person is None:
            raise Malformed("missing-key", keys=["person"])
        if card != WILD and order.person is not None:
            raise Malformed("key-not-here", "person", key="person", order=card)
        age = _age(position, order)
        if _finds_room(player, order):
            pass
        elif room := with_room(player):
            self._check_room(player, order, room)
        elif not order.decline:
            self._check_instead_of(player, order)
        elif order.release is not None:
            raise Malformed("key-not-here", "release", key="release", order="decline")
        elif order.palace is not None:
            return Recruit(card=card, person=order.person, age=age, decline=True)
        return order if order.age is not None else structs.replace(order, age=age)

    def _check_room(self, player: Player, order: Recruit, room: list[int]) -> None:
        if order.release is not None or order.decline:
            key = "decline" if order.decline else "release"
            raise Illegal("room-left", key, key=key, room=room)
        if order.palace is None:
            raise Malformed("missing-key", keys=["palace"])
        if order.palace not in room:
            palace_named(player, order.palace, "palace")
            raise Illegal("palace-full", "palace", palace=order.palace, room=room)

    def _check_instead_of(self, player: Player, order: Recruit) -> None:
        if order.release is None:
            raise Illegal("palaces-full", palaces=[number for number, _ in palaces(player)])
        if order.palace is None:
            raise Malformed("missing-key", keys=["palace"])
        there = palace_named(player, order.palace, "palace").persons
        if order.release not in there:
            raise Illegal("not-in-palace", "release", tile=order.release, palace=order.palace, there=list(there))

    def play(self, position: DragonPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        seat = position.waiting[0]
        order = cast(Recruit, orders[seat])
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
Face = tuple[str, str, str]
"""Person, age and tile."""
Play = tuple[str, Face | None, Sequence[Spot]]
"""Card, face, and where such a tile can go; without a face, the card is spent."""
_NOWHERE: Sequence[Spot] = ((None, None),)


def _plays(position: DragonPosition, seat: str) -> Iterator[Play]:
    player = position.players[seat]
    faces_of, _ = _faces_of(position.display)
    places = _places(player)
    twice = _twice(places)
    for card in CARDS:
        if card in player.cards:
            for face in faces_of[card]:
                yield card, face, _different(places, face[2]) if twice else places
            if not faces_of[card]:
                yield card, None, _NOWHERE


Faces = tuple[Mapping[str, Sequence[Face]], Mapping[str, int]]


def _faces_of(display: Mapping[str, int]) -> Faces:
    """Card → person, age and tile of all that it can recruit of what is on display; card → how many these are."""
    return _ALL_FACES if len(display) == len(TILES) else _faces_among(tuple(display))


@lru_cache(maxsize=4096)
def _faces_among(tiles: tuple[str, ...]) -> Faces:
    """Seldom the last tile of a sort goes: until then, all find the same."""
    found = {card: [face for face in faces if face[2] in tiles] for card, faces in FACES_OF.items()}
    return found, {card: len(faces) for card, faces in found.items()}


_ALL_FACES = _faces_among(TILES)


def _twice(places: Sequence[Spot]) -> bool:
    """Whether the same tile could leave in two places."""
    if places[0][1] is None:
        return False
    leaving = [tile for _, tile in places if tile is not None]
    return len(set(leaving)) < len(leaving)


def _different(places: Sequence[Spot], tile: str) -> Sequence[Spot]:
    """To put a tile where the same one lived comes to the same in every palace: only the first of these counts."""
    alike = [place for place in places if place[1] == tile]
    return [place for place in places if place not in alike[1:]] if len(alike) > 1 else places


def _recruit(card: str, face: Face | None, place: Spot) -> Recruit:
    if face is None:
        return Recruit(card=card)
    person, age, _ = face
    palace, release = place
    return Recruit(card=card, person=person if card == WILD else None, age=age, palace=palace, release=release, decline=palace is None)


def _places(player: Player) -> list[Spot]:
    """Palaces with room; when all are full, whom to release in each, and last to decline."""
    places: list[Spot] = []
    for number, palace in player.palaces.items():
        if len(palace.persons) < palace.floors:
            places.append((NUMBER[number], None))
    if places:
        return places
    return [*[(number, tile) for number, palace in palaces(player) for tile in dict.fromkeys(palace.persons)], (None, None)]


def _finds_room(player: Player, order: Recruit) -> bool:
    """Whether the order names a palace with room and asks for nothing else: most do, so that no other palace is looked at."""
    if order.palace is None or order.release is not None or order.decline:
        return False
    palace = player.palaces.get(str(order.palace))
    return palace is not None and len(palace.persons) < palace.floors


def _check_words(order: Recruit) -> None:
    if order.person is not None:
        known("unknown-person", order.person, PERSONS, "person")
    if order.age is not None:
        known("unknown-age", order.age, (YOUNG, OLD), "age")
    if order.release is not None:
        known("unknown-tile", order.release, TILES, "release")


def _age(position: DragonPosition, order: Recruit) -> str:
    person = order.person or order.card
    if order.age is not None and TILES_OF[person].get(order.age) in position.display:
        return order.age
    left = tiles_left(position, person)
    if not left:
        field = "person" if order.card == WILD else "card"
        raise Illegal("no-tile", field, person=person, age="", left={})
    if order.age is not None:
        raise Illegal("no-tile", "age", person=person, age=order.age, left=left)
    if len(left) > 1:
        raise Ambiguous("which-age", "age", person=person, meanings=list(left))
    return next(iter(left))
