"""What was found in a mail, sorted out: one file once, joins first, revisions in their order, and no damage told of what came whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pbem.campaign.intake import Incoming
from pbem.orders.encoding import b64
from pbem.orders.findings import Unreadable
from pbem.orders.pasted import NOISE, verified
from pbem.orders.signed import Signed
from pbem.orders.toml import read


@dataclass(frozen=True)
class Thing:
    """A file from a mail, or a fault. ``piece``: the text of what was damaged."""

    incoming: Incoming
    piece: str = ""


def sorted_out(things: list[Thing]) -> list[Incoming]:
    """Each file once: the copy whose signature holds, else as it came; then the faults that are not of a file that came whole."""
    whole: dict[object, tuple[Incoming, Signed | None]] = {}
    doubtful: list[Thing] = []
    for one in things:
        if one.incoming.faults:
            doubtful.append(one)
            continue
        parts = verified(one.incoming.data, one.incoming.detached)
        if parts is None and one.piece:
            doubtful.append(one)
        else:
            key = (parts.signed, _signer(parts)) if parts is not None else (one.incoming.data, one.incoming.detached)
            whole.setdefault(key, (one.incoming, parts))
    tables = [_table(parts.signed) for _, parts in whole.values() if parts is not None]
    whole = {key: (one, parts) for key, (one, parts) in whole.items() if parts is not None or not _readable_twin(one, tables)}
    signatures = [_signer(parts) for _, parts in whole.values() if parts is not None]
    left = [one.incoming for one in doubtful if not any(_shows(one.piece, each) for each in signatures)]
    return [*_in_order(list(whole.values())), *{(each.data, str(each.faults)): each for each in left}.values()]


def _readable_twin(one: Incoming, tables: list[dict[str, Any]]) -> bool:
    """Whether a file without a signature is what a player edits, sent along with what ``pbem sign`` made of it."""
    twin = _table(one.data.removeprefix(b"\xef\xbb\xbf"))
    return bool(twin) and any(
        all(twin.get(key) == table.get(key) for key in ("game", "player", "phase"))
        and ("sealed" in table or all(twin.get(key) == table.get(key) for key in ("orders", "then", "note")))
        for table in tables
    )


def _signer(parts: Signed) -> str:
    """The letters of a signature, without its wrapping."""
    return "".join(parts.block.split("\n")[1:-2])


def _shows(piece: str, signature: str) -> bool:
    """Whether a damaged text carries the signature of a file that came whole, or enough of it: no other file has the same.

    The last letters are the signature itself; before them stands the key, which all files of a player share.
    """
    letters = NOISE.sub("", piece)
    own = signature[-84:]
    runs = [own[at : at + 24] for at in range(0, 60, 12)]
    if any(run in letters for run in runs):
        return True
    # In a block the signature is in base64 a second time, at one of three alignments.
    return any(b64(run.encode())[4:-4] in letters for at in range(0, 40) if (run := own[at : at + 36]))


def _in_order(files: list[tuple[Incoming, Signed | None]]) -> list[Incoming]:
    """Joins before orders, and the revisions of one plan from the lowest on, at the places where any of them stood."""
    tables = [_table(parts.signed) if parts is not None else {} for _, parts in files]
    order = sorted(range(len(files)), key=lambda at: 0 if "seat" in tables[at] else 1)
    plans: dict[object, list[int]] = {}
    for at in order:
        table = tables[at]
        if isinstance(table.get("revision"), int):
            plans.setdefault(tuple(str(table.get(key)) for key in ("game", "player", "phase")), []).append(at)
    for places in plans.values():
        slots = sorted(order.index(at) for at in places)
        for slot, at in zip(slots, sorted(places, key=lambda at: tables[at]["revision"]), strict=True):
            order[slot] = at
    return [files[at][0] for at in order]


def _table(data: bytes) -> dict[str, Any]:
    """What a file says; nothing, if it cannot be read. Only files whose signature holds are put in order by it."""
    try:
        return read(data)
    except Unreadable:
        return {}
