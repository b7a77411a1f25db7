"""The order file: what a player sends for one phase."""

from typing import Any

import msgspec

from pbem.orders.convert import unknown_keys
from pbem.orders.findings import Finding, Unreadable
from pbem.orders.head import NOTE_CAP, REVISION_CAP, Reader, formed, missing, numbered, one_line
from pbem.orders.plans import HEADER_WORDS, Planned, read_plans, read_then
from pbem.orders.seal import Sealed
from pbem.orders.toml import read

NAMESPACE = "order@pbem"
KEYS = ("game", "player", "phase", "revision", "after", "note", "then", "orders", "sealed")


class OrderFile(msgspec.Struct, frozen=True):
    """A file as read.

    ``plans``: the orders in sequence (empty: withdrawn), or None when sealed; then ``sealed`` holds the box and ``then`` is ``ask``,
    the true one being inside. ``after``: number and 32 hex digits of the ledger entry its author saw. ``raw``: the table itself.
    """

    game: str
    player: str
    phase: str
    revision: int
    after: str
    note: str | None
    then: str
    plans: tuple[Planned, ...] | None
    sealed: Sealed | None
    raw: dict[str, Any]


def read_order(signed: bytes, order_types: tuple[type[msgspec.Struct], ...]) -> OrderFile:
    """The order file in signed bytes that have been verified.

    ``order_types``: the order structs of the title, tag field ``do``. Raises Unreadable with the one fault of its TOML, or with all
    faults of head and orders at once.
    """
    table = read(signed)
    reader = Reader()
    reader.found += _strays(table)
    game, player = reader.take(formed(table, "game")), reader.take(formed(table, "player"))
    phase, revision = reader.take(formed(table, "phase")), reader.take(numbered(table, "revision", REVISION_CAP))
    after, note = reader.take(formed(table, "after")), reader.take(one_line(table, "note", NOTE_CAP))
    then = reader.take(read_then(table))
    plans, sealed = None, None
    if "sealed" in table:
        sealed = reader.take(_sealed(table))
    elif "orders" in table:
        plans = reader.take(read_plans(table["orders"], order_types))
    else:
        reader.found.append(missing("orders", "list"))
    if found := _without_echoes(reader.found):
        raise Unreadable(found)
    return OrderFile(game, player, phase, revision, after, note, then, plans, sealed, table)


def _strays(table: dict[str, Any]) -> list[Finding]:
    found = unknown_keys({key: None for key in table if key != "seal_to"}, KEYS)
    if "seal_to" in table:   # signed by hand: the tool drops it, and seals
        found.append(Finding("seal-to-left", "seal_to", {}))
    return found


def _sealed(table: dict[str, Any]) -> tuple[Sealed | None, list[Finding]]:
    found = [Finding("open-beside-sealed", key, {"key": key}) for key in ("orders", "then") if key in table]
    try:
        return Sealed.from_table(table["sealed"]), found
    except Unreadable as fault:
        return None, found + fault.findings


def _without_echoes(found: list[Finding]) -> list[Finding]:
    """A head line that slipped below the orders is one fault: it is not missing as well."""
    slipped = {finding.facts["key"] for finding in found if finding.code == "key-below-orders"}
    return [finding for finding in found if not (finding.code == "missing-key" and finding.at in slipped & HEADER_WORDS)]
