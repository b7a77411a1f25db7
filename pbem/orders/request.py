"""A request: what a player asks or grants outside of the phases, signed as an order file is."""

from typing import Any

import msgspec

from pbem.orders.convert import unknown_keys
from pbem.orders.findings import Unreadable
from pbem.orders.head import Reader, formed, missing, numbered
from pbem.orders.plans import read_one
from pbem.orders.toml import read

NAMESPACE = "request@pbem"
KEYS = ("game", "player", "after", "number", "request")
NUMBER_CAP = 9999


class RequestFile(msgspec.Struct, frozen=True):
    """A request as read. ``number``: the player's own count, from 1. ``request``: one of the structs handed in. ``raw``: the table."""

    game: str
    player: str
    after: str
    number: int
    request: Any
    raw: dict[str, Any]


def read_request(signed: bytes, request_types: tuple[type[msgspec.Struct], ...]) -> RequestFile:
    """The request in signed bytes that have been verified; ``request_types``: structs with tag field ``do``.

    Raises Unreadable with all faults at once.
    """
    table = read(signed)
    reader = Reader()
    reader.found += unknown_keys(table, KEYS)
    game, player, after = (reader.take(formed(table, key)) for key in ("game", "player", "after"))
    number = reader.take(numbered(table, "number", NUMBER_CAP))
    request = None
    if "request" in table:
        request = reader.take(read_one(table["request"], request_types, "request"))
    else:
        reader.found.append(missing("request", "table"))
    if reader.found:
        raise Unreadable(reader.found)
    return RequestFile(game, player, after, number, request, table)
