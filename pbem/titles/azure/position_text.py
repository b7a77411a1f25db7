"""A position in the vocabulary of case files, read and shown.

The keys are those of ``vocabulary.AzurePosition`` and stand, with what is taken when one is not named, in docs/positions.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec

from pbem.engine.position import to_table
from pbem.engine.refusals import Malformed
from pbem.engine.title import OVER
from pbem.titles.azure.beasts import guards
from pbem.titles.azure.bonds import cost
from pbem.titles.azure.hands import hand, in_order, put, untold
from pbem.titles.azure.lines import SPACES
from pbem.titles.azure.realm import realm
from pbem.titles.azure.refusal_codes import known
from pbem.titles.azure.sequence import turn_of
from pbem.titles.azure.set_up import FACE_UP
from pbem.titles.azure.standings import standings
from pbem.titles.azure.vocabulary import BEASTS, CARDS_OF_A_COLOUR, COLOURS, GIFTS, LAST_WISDOM, STONES, AzurePosition, Player

DERIVED = ("hands", "at_most", "costs", "guards", "places", "spaces")
SEATS = range(2, 3)
REALM = tuple(f"{colour}-1-0" for colour in COLOURS)


def show_position(position: AzurePosition) -> dict[str, Any]:
    """The position as a table, and six derived keys.

    ``hands`` (seat → colour → cards), ``at_most`` (the same for a hand that is hidden here: as many as there can be of each colour),
    ``costs`` (seat → empty space → cards to pay for a common stone there), ``guards`` (Beast → seat → guarding stones), ``places``
    (seat → place in the result as things stand), ``spaces`` (space → what is printed on it).
    """
    table = to_table(position)
    # what a case fills in when it is not named is shown even where it is empty, so that what is shown can be read again
    table |= {"decks": dict(position.decks), "hidden": dict(position.hidden), "unseen": dict(position.unseen)}
    table |= {"gift": position.gift, "hidden_size": position.hidden_size, "stones": dict(position.stones), "beasts": dict(position.beasts)}
    for seat, player in position.players.items():
        table["players"][seat] |= {"stones": player.stones, "secret_size": player.secret_size, "wisdom": player.wisdom}
    laid = realm(*position.realm)
    free = [name for name, it in laid.spaces.items() if not it.mountain and name not in position.stones]
    known_hands = [seat for seat in position.seats if not untold(position.players[seat])]
    table["hands"] = {seat: hand(position, seat) for seat in known_hands}
    table["at_most"] = {seat: hand(position, seat) for seat in position.seats if seat not in known_hands}
    table["costs"] = {seat: {name: cost(position, seat, name).cards for name in free} for seat in position.seats}
    table["guards"] = {beast: {seat: guards(position, beast, seat) for seat in position.seats} for beast in BEASTS}
    table["places"] = {line.seat: line.place for line in standings(position)}
    table["spaces"] = {name: it.text for name, it in laid.spaces.items()}
    return table


def read_position(table: Mapping[str, Any]) -> AzurePosition:
    """A position from a case's table. Malformed when it cannot be."""
    raw = dict(table)
    seats = raw.get("seats")
    if not isinstance(seats, list) or len(seats) not in SEATS or not all(isinstance(seat, str) and seat for seat in seats):
        raise Malformed("position-unreadable", "seats", reason="seats: a list of 2 names is needed")
    if len(set(seats)) < len(seats):
        raise Malformed("position-unreadable", "seats", reason="seats: a name twice")
    defaults = {"phase": "1.place", "start": seats[0], "realm": list(REALM), "players": {}, "turn": ""}
    try:
        position = msgspec.convert(defaults | raw, AzurePosition)
    except msgspec.ValidationError as error:
        raise Malformed("position-unreadable", reason=str(error)) from None
    number = turn_of(position.phase)
    if not number and position.phase != OVER:
        raise Malformed("position-phase", "phase", found=position.phase)
    for seat in (position.start, *position.players, *([position.turn] if "turn" in raw else [])):
        known("unknown-player", seat, seats, "players")
    if "turn" not in raw:
        position.turn = seats[(seats.index(position.start) + max(0, number - 1)) % 2]
    position.players = {seat: position.players.get(seat, Player()) for seat in seats}
    _check_words(position)
    _check_counts(position)
    _fill_in_players(position, {seat: set(raw.get("players", {}).get(seat, {})) for seat in seats})
    _fill_in_cards(position, set(raw))
    return position


def _check_words(position: AzurePosition) -> None:
    def check(code: str, words: Collection[str], allowed: Collection[str], field: str) -> None:
        for word in words:
            known(code, word, allowed, field)

    laid = realm(*position.realm)
    check("unknown-gift", [position.gift], ("none", *GIFTS), "gift")
    check("unknown-space", position.stones, SPACES, "stones")
    check("unknown-player", position.stones.values(), position.seats, "stones")
    check("unknown-beast", position.beasts, BEASTS, "beasts")
    check("unknown-player", position.beasts.values(), position.seats, "beasts")
    check("unknown-player", [position.winner] if position.winner is not None else [], position.seats, "winner")
    for mountain in (laid.mountains[colour] for colour in COLOURS if colour != "black"):
        if mountain in position.stones:
            raise Malformed("position-unreadable", "stones", reason=f"a stone on the mountain {mountain}")
    black = position.stones.get(laid.mountains["black"])
    if black is not None and position.beasts.get("tortoise") != black:
        raise Malformed("position-unreadable", "stones", reason=f"{black} has a stone on the black mountain without the tortoise")
    for seat, player in position.players.items():
        if player.gifted is not None and (position.gift == "none" or position.stones.get(player.gifted) != seat or player.gifted == black):
            raise Malformed("position-unreadable", f"players.{seat}.gifted", reason=f"no gifted stone of {seat} in {player.gifted}")


def _count_tables(position: AzurePosition) -> Iterator[tuple[str, dict[str, int]]]:
    for seat, player in position.players.items():
        yield f"players.{seat}.seen", player.seen
        yield f"players.{seat}.secret", player.secret
    for name in ("decks", "hidden", "unseen"):
        yield name, getattr(position, name)


def _check_counts(position: AzurePosition) -> None:
    for where, counts in _count_tables(position):
        for colour, number in counts.items():
            known("unknown-card", colour, COLOURS, where)
            _limit(f"{where}.{colour}", number, CARDS_OF_A_COLOUR)
        for colour in [colour for colour, number in counts.items() if not number]:
            del counts[colour]
    _limit("hidden_size", position.hidden_size, CARDS_OF_A_COLOUR * len(COLOURS))
    for seat, player in position.players.items():
        _limit(f"players.{seat}.wisdom", player.wisdom, LAST_WISDOM)
        _limit(f"players.{seat}.stones", player.stones, STONES)
        _limit(f"players.{seat}.secret_size", player.secret_size, CARDS_OF_A_COLOUR * len(COLOURS))


def _limit(thing: str, found: int, high: int) -> None:
    if not 0 <= found <= high:
        raise Malformed("position-too-many", thing, thing=thing, found=found, high=high)


def _fill_in_players(position: AzurePosition, named: Mapping[str, set[str]]) -> None:
    for seat, player in position.players.items():
        out = list(position.stones.values()).count(seat) - (player.gifted is not None)
        _limit(f"stones of {seat}", out + (player.stones if "stones" in named[seat] else 0), STONES)
        if "stones" not in named[seat]:
            player.stones = STONES - out
        held = sum(player.secret.values())
        if "secret_size" not in named[seat]:
            player.secret_size = held
        _limit(f"players.{seat}.secret", held, player.secret_size)


def _fill_in_cards(position: AzurePosition, named: set[str]) -> None:
    """Decks and hidden deck: what is nowhere else, three of each colour at most in the hidden deck where neither is named."""
    secret: dict[str, int] = {}
    for player in position.players.values():
        for colour, number in player.secret.items():
            put(secret, colour, number)
    for colour in COLOURS:
        hands = secret.get(colour, 0) + sum(player.seen.get(colour, 0) for player in position.players.values())
        _limit(f"cards.{colour}", hands + position.decks.get(colour, 0) + position.hidden.get(colour, 0), CARDS_OF_A_COLOUR)
        left = CARDS_OF_A_COLOUR - hands
        if "hidden" not in named:
            most = left - position.decks.get(colour, 0) if "decks" in named else CARDS_OF_A_COLOUR - FACE_UP - secret.get(colour, 0)
            put(position.hidden, colour, min(left, max(0, most)))
        if "decks" not in named:
            put(position.decks, colour, left - position.hidden.get(colour, 0))
    if "hidden_size" not in named:
        position.hidden_size = sum(position.hidden.values())
    _limit("hidden", sum(position.hidden.values()), position.hidden_size)
    if "unseen" not in named:
        for colour in COLOURS:
            put(position.unseen, colour, secret.get(colour, 0) + position.hidden.get(colour, 0))
    position.decks, position.hidden, position.unseen = map(in_order, (position.decks, position.hidden, position.unseen))
