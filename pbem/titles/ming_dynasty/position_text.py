"""A position in the vocabulary of case files, read and shown.

The keys are those of ``vocabulary.MingPosition``. Not named in a case: ``start`` is the first seat; a hand is one dragon; supplies, deck,
dragon stack and province tiles are what is missing to the full number; in ``R.place`` everybody has five to place, in ``0.neutral`` nine
neutral members and in ``3.neutral`` and ``5.neutral`` three; after the set-up, princes stand in the first free districts; everything else
is empty.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec

from pbem.engine.position import to_table
from pbem.engine.refusals import Malformed
from pbem.titles.ming_dynasty.board import Board, load
from pbem.titles.ming_dynasty.neutral import MOST_IN_DISTRICT
from pbem.titles.ming_dynasty.pieces import FULL_HAND, hand_size, in_city, in_monasteries, owners, prince_in, turn_order
from pbem.titles.ming_dynasty.refusal_codes import known
from pbem.titles.ming_dynasty.round_end import standings
from pbem.titles.ming_dynasty.sequence import IN_TURN, MEMBERS_PER_ROUND, NEUTRAL_LATER, SEATS, ids_of, name_of, round_of
from pbem.titles.ming_dynasty.set_up import check_names
from pbem.titles.ming_dynasty.vocabulary import DRAGON, NEUTRAL, MingPosition, Options, Player

MEMBERS = 30
DERIVED = ("cities", "monasteries", "places", "order")


def show_position(position: MingPosition) -> dict[str, Any]:
    """The position as a table, and four derived keys.

    ``cities`` (province → owner → members in its houses), ``monasteries`` (seat → members in monasteries), ``places`` (seat → place in the
    result as things stand), ``order`` (seats from the starting player clockwise).
    """
    table = to_table(position)
    # what a case fills in when it is not named is shown even where it is empty, so that what is shown can be read again
    table |= {"deck": dict(position.deck), "dragons": position.dragons}
    table["tiles"] = {province: position.tiles.get(province, 0) for province in load(position.board).provinces}
    for seat, player in position.players.items():
        table["players"][seat] |= {"cards": dict(player.cards), "supply": player.supply, "to_place": player.to_place}
        if name_of(position.phase) == "neutral":
            table["players"][seat]["neutral_to_place"] = player.neutral_to_place
    cities = {province: in_city(position, districts) for province, districts in load(position.board).districts_of.items()}
    table["cities"] = {province: city for province, city in cities.items() if city}
    table["monasteries"] = {seat: number for seat, number in in_monasteries(position).items() if number}
    table["places"] = {line.seat: line.place for line in standings(position)}
    table["order"] = turn_order(position)
    return table


def read_position(table: Mapping[str, Any]) -> MingPosition:
    """A position from a case's table. Malformed when it cannot be."""
    raw = dict(table)
    seats = raw.get("seats")
    if not isinstance(seats, list) or len(seats) not in SEATS or not all(isinstance(seat, str) and seat for seat in seats):
        raise Malformed("position-unreadable", "seats", reason=f"seats: a list of {SEATS.start} to {SEATS.stop - 1} names is needed")
    check_names(seats)
    if len(set(seats)) < len(seats):
        raise Malformed("position-unreadable", "seats", reason="seats: a name twice")
    raw.setdefault("phase", "0.prince")
    raw.setdefault("start", seats[0])
    raw.setdefault("players", {})
    try:
        position = msgspec.convert(raw, MingPosition)
    except msgspec.ValidationError as error:
        raise Malformed("position-unreadable", reason=str(error)) from None
    board = load(position.board)
    if position.phase not in ids_of(position):
        raise Malformed("position-phase", "phase", found=position.phase)
    for seat in position.players:
        known("unknown-player", seat, seats, "players")
    position.players = {seat: position.players.get(seat, Player()) for seat in seats}
    named = {seat: set(raw["players"].get(seat, {})) for seat in seats}
    _clean(position)
    _check_words(position, board)
    _fill_in_players(position, board, named)
    _fill_in_stock(position, board, set(raw))
    return position


def _count_tables(position: MingPosition) -> Iterator[tuple[str, dict[str, int]]]:
    for name, it in position.districts.items():
        yield f"districts.{name}.members", it.members
        yield f"districts.{name}.houses", it.houses
    for seat, player in position.players.items():
        yield f"players.{seat}.cards", player.cards
        yield f"players.{seat}.spaces", player.spaces
        yield f"players.{seat}.tiles", player.tiles
        yield f"players.{seat}.returns", player.returns
    yield "deck", position.deck
    yield "discards", position.discards
    yield "tiles", position.tiles


def _clean(position: MingPosition) -> None:
    numbers = [("dragons", position.dragons)]
    for seat, player in position.players.items():
        numbers += [(f"players.{seat}.{key}", getattr(player, key)) for key in ("points", "supply", "to_place", "neutral_to_place")]
    for where, counts in _count_tables(position):
        numbers += [(f"{where}.{key}", number) for key, number in counts.items()]
    for where, number in numbers:
        if not 0 <= number <= 10_000:
            raise Malformed("position-unreadable", where, reason=f"{where} is {number}")


def _drop_noughts(position: MingPosition) -> None:
    for _, counts in _count_tables(position):
        for key in [key for key, number in counts.items() if not number]:
            del counts[key]
    for name in [name for name, it in position.districts.items() if not it.members and not it.houses and it.monastery is None]:
        del position.districts[name]


def _check_words(position: MingPosition, board: Board) -> None:
    def check(code: str, words: Collection[str], allowed: Collection[str], field: str) -> None:
        for word in words:
            known(code, word, allowed, field)

    seats, cards = position.seats, (*board.transports, DRAGON)
    check("unknown-player", [position.start], seats, "start")
    check("unknown-player", [position.turn] if position.turn is not None else [], seats, "turn")
    check("unknown-district", position.districts, board.districts, "districts")
    for name, it in position.districts.items():
        check("unknown-player", [*it.members, *it.houses], owners(position), f"districts.{name}")
        check("unknown-player", [] if it.monastery is None else [it.monastery], seats, f"districts.{name}")
        _limit(f"districts.{name}.houses", sum(it.houses.values()), 3)
    for seat, player in position.players.items():
        check("unknown-card", player.cards, cards, f"players.{seat}.cards")
        check("unknown-province", player.spaces, board.provinces, f"players.{seat}.spaces")
        check("unknown-province", player.tiles, board.provinces, f"players.{seat}.tiles")
        check("unknown-district", player.returns, board.districts, f"players.{seat}.returns")
        if player.prince is not None:
            check("unknown-district", [player.prince], board.districts, f"players.{seat}.prince")
            if prince_in(position, player.prince) != seat:
                raise Malformed("position-unreadable", f"players.{seat}.prince", reason=f"two princes in {player.prince}")
        for name, number in player.returns.items():
            there = position.districts[name].houses.get(seat, 0) if name in position.districts else 0
            _limit(f"players.{seat}.returns.{name}", number, there)
    check("unknown-province", position.display, board.provinces, "display")
    check("unknown-card", position.display.values(), board.transports, "display")
    check("unknown-card", position.deck, board.transports, "deck")
    check("unknown-card", position.discards, board.transports, "discards")
    check("unknown-province", position.tiles, board.provinces, "tiles")


def _limit(thing: str, found: int, high: int) -> None:
    if found > high:
        raise Malformed("position-too-many", thing, thing=thing, found=found, high=high)


def _fill_in_players(position: MingPosition, board: Board, named: Mapping[str, set[str]]) -> None:
    name = name_of(position.phase)
    if position.turn is None and name in IN_TURN:
        position.turn = position.start
    for seat, player in position.players.items():
        if "cards" not in named[seat]:
            player.cards = {DRAGON: 1}
        _limit(f"players.{seat}.cards", hand_size(player), FULL_HAND)
        if player.prince is None and round_of(position.phase) > 0:
            player.prince = next(district for district in board.districts if prince_in(position, district) is None)
        if "to_place" not in named[seat]:
            player.to_place = MEMBERS_PER_ROUND if name == "place" else 0
        _limit(f"players.{seat}.to_place", player.to_place, MEMBERS_PER_ROUND)
        out = player.to_place + sum(player.spaces.values()) + in_monasteries(position)[seat]
        out += sum(it.members.get(seat, 0) + it.houses.get(seat, 0) for it in position.districts.values())
        _limit(f"members of {seat}", out + (player.supply if "supply" in named[seat] else 0), MEMBERS)
        if "supply" not in named[seat]:
            player.supply = MEMBERS - out
    _fill_in_neutral(position, named)


def _fill_in_neutral(position: MingPosition, named: Mapping[str, set[str]]) -> None:
    most = 0
    if name_of(position.phase) == "neutral":
        most = NEUTRAL_LATER if round_of(position.phase) else Options().neutral_start
    for seat, player in position.players.items():
        if "neutral_to_place" not in named[seat]:
            player.neutral_to_place = most
        _limit(f"players.{seat}.neutral_to_place", player.neutral_to_place, most)
    out = sum(player.neutral_to_place for player in position.players.values())
    for name, it in position.districts.items():
        here = it.members.get(NEUTRAL, 0) + it.houses.get(NEUTRAL, 0)
        _limit(f"districts.{name}.members.{NEUTRAL}", here, MOST_IN_DISTRICT)
        out += here
    _limit(f"members of {NEUTRAL}", out, MEMBERS)


def _fill_in_stock(position: MingPosition, board: Board, named: set[str]) -> None:
    hands = [player.cards for player in position.players.values()]
    for card, total in board.movement_cards.items():
        out = sum(hand.get(card, 0) for hand in hands) + list(position.display.values()).count(card) + position.discards.get(card, 0)
        _limit(card, out + position.deck.get(card, 0), total)
        if "deck" not in named:
            position.deck[card] = total - out
    out = sum(hand.get(DRAGON, 0) for hand in hands)
    _limit(DRAGON, out + position.dragons, board.dragons)
    if "dragons" not in named:
        position.dragons = board.dragons - out
    for province in board.provinces:
        out = sum(player.tiles.get(province, 0) for player in position.players.values())
        _limit(f"tiles of {province}", out + position.tiles.get(province, 0), board.tiles_per_province)
        if province not in position.tiles:
            position.tiles[province] = board.tiles_per_province - out
    _drop_noughts(position)
