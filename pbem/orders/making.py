"""From a player's text to the file he sends: normalised, sealed where that is asked, numbered and signed. Bytes in, bytes out."""

import re
import secrets
from typing import Any

import msgspec

from pbem.orders.convert import inside, unknown_keys, wrong_type
from pbem.orders.encoding import fixed64
from pbem.orders.file import KEYS, NAMESPACE
from pbem.orders.findings import Finding, Unreadable, refusal
from pbem.orders.head import NOTE_CAP, REVISION_CAP, Reader, formed, missing, numbered, one_line
from pbem.orders.keys import PrivateKey, PublicKey
from pbem.orders.plans import read_plans, read_then
from pbem.orders.seal import Sealed, check_seal_to, commitment, make_plain, padded, seal, seal_info
from pbem.orders.signed import sign_file, split
from pbem.orders.toml import read
from pbem.orders.write import dump, read_own

_REVISION = re.compile(rb"^([ \t]*revision[ \t]*=[ \t]*)\d+", re.MULTILINE)
_INSIDE = ("then", "orders")   # what a sealed file keeps in its box


class SignedOrder(msgspec.Struct, frozen=True):
    """What signing makes.

    ``data``: the signed file to send (``an.order.toml``). ``text``: the readable text with its new revision, None where it is
    unchanged. ``plain``: when sealed, the plain text to keep (``an.PHASE.plain.toml``). ``unchanged``: ``data`` is what was there before.
    """

    data: bytes
    text: bytes | None
    plain: bytes | None
    revision: int
    game: str
    player: str
    phase: str
    unchanged: bool


def sign_order(text: bytes, key: PrivateKey, *, processor: PublicKey | None = None, existing: bytes | None = None,
               existing_plain: bytes | None = None, order_types: tuple[type[msgspec.Struct], ...] | None = None,
               nonce: bytes | None = None) -> SignedOrder:
    """Sign a player's text.

    ``processor``: the key remembered at joining; needed where the text says ``seal_to``. ``existing``: the signed file made before, if
    any; if it is of this game, seat and phase and says something else, the revision goes one above its own. ``existing_plain``: the
    plain text kept beside a sealed one; without it a sealed file counts as saying something else. ``order_types``: when given, the
    orders are checked as ``read_order`` does. ``nonce``: 32 bytes for the seal, random if not given.

    Raises Unreadable with all faults of the text; ``processor-unknown``, ``bad-seal-to``, ``too-large``, ``line-too-long``.
    """
    table = read_own(text)
    _check(table, order_types)
    recipient = _recipient(table, processor)
    content = {key_: value for key_, value in table.items() if key_ != "seal_to"}
    before = _before(existing, table)
    written = table["revision"]
    if before is not None and recipient is None and "sealed" not in before and _same(before, content):
        revision = max(written, before["revision"])
        plain = None
    elif before and recipient and existing_plain and _same_sealed(before, existing_plain, content, key, recipient[0]):
        revision, plain = max(written, before["revision"]), existing_plain
    else:
        revision, plain = max(written, before["revision"] + 1) if before else written, None
        if recipient is not None:
            plain = make_plain(content["orders"], content.get("then", "ask"), nonce or secrets.token_bytes(32))
    if revision > REVISION_CAP:
        raise refusal("out-of-range", "revision", found=str(revision), low=1, high=REVISION_CAP)
    content["revision"] = revision
    unchanged = before is not None and before["revision"] == revision
    if recipient is None:
        data = sign_file(key, NAMESPACE, dump(content))
    elif unchanged and existing is not None:   # a second box with the same number would be refused; the first one says the same
        data = existing
    else:
        campaign_id, public = recipient
        info = seal_info(campaign_id, content["player"], key.public.fingerprint(), content["phase"], revision)
        box = seal(plain or b"", public, info)
        data = sign_file(key, NAMESPACE, dump({k: v for k, v in content.items() if k not in _INSIDE} | {"sealed": box.table()}))
    split(data)   # within the cap
    new_text = None if revision == written else _renumbered(text, table, revision)
    return SignedOrder(data, new_text, plain, revision, content["game"], content["player"], content["phase"], unchanged)


def _check(table: dict[str, Any], order_types: tuple[type[msgspec.Struct], ...] | None) -> None:
    reader = Reader()
    reader.found += unknown_keys(table, [*(key for key in KEYS if key != "sealed"), "seal_to"])
    for key in ("game", "player", "phase", "after"):
        reader.take(formed(table, key))
    reader.take(numbered(table, "revision", REVISION_CAP))
    reader.take(one_line(table, "note", NOTE_CAP))
    reader.take(read_then(table))
    orders = table.get("orders")
    if "orders" not in table:
        reader.found.append(missing("orders", "list"))
    elif order_types is not None:
        reader.take(read_plans(orders, order_types))
    elif not isinstance(orders, list):
        reader.found.append(wrong_type(orders, "orders", "list"))
    else:
        reader.found += [
            wrong_type(order, f"orders[{number}]", "table") if not isinstance(order, dict) else
            Finding("missing-key", inside(f"orders[{number}]", "do"), {"key": "do", "allowed": []})
            for number, order in enumerate(orders) if not isinstance(order, dict) or "do" not in order
        ]
    if reader.found:
        raise Unreadable(reader.found)


def _recipient(table: dict[str, Any], processor: PublicKey | None) -> tuple[bytes, bytes] | None:
    """Campaign id and phase key that the text wants to be sealed to, or None."""
    line = table.get("seal_to")
    if line is None:
        return None
    if not isinstance(line, str):
        raise Unreadable([wrong_type(line, "seal_to", "text")])
    if processor is None:
        raise refusal("processor-unknown", "seal_to")
    campaign_id, _, public = check_seal_to(line, table["phase"], processor)
    return campaign_id, public


def _before(existing: bytes | None, table: dict[str, Any]) -> dict[str, Any] | None:
    """The table of the file made before, if it is of the same game, seat and phase; one that cannot be read says nothing."""
    try:
        before = read(split(existing).signed) if existing else {}
    except Unreadable:
        return None
    same = all(before.get(key) == table[key] for key in ("game", "player", "phase"))
    return before if same and not numbered(before, "revision", REVISION_CAP)[1] else None


def _same(before: dict[str, Any], content: dict[str, Any]) -> bool:
    """Whether two files say the same, whatever their numbers."""
    return dump(before | {"revision": 1}) == dump(_in_order(content, before) | {"revision": 1})


def _in_order(content: dict[str, Any], model: dict[str, Any]) -> dict[str, Any]:
    """``content`` with its keys in the order of ``model``: their order says nothing."""
    return {key: content[key] for key in [*model, *content] if key in content}


def _same_sealed(before: dict[str, Any], plain: bytes, content: dict[str, Any], key: PrivateKey, campaign_id: bytes) -> bool:
    """Whether the box made before holds just these orders: the plain text kept says the same, and is what the box commits to."""
    try:
        sealed = Sealed.from_table(before.get("sealed"))
        kept = read(plain)
        info = seal_info(campaign_id, before["player"], key.public.fingerprint(), before["phase"], before["revision"])
        if sealed.commitment != commitment(info, padded(plain)) or fixed64(kept.get("nonce"), 32) is None:
            return False
    except Unreadable:
        return False
    told = {k: v for k, v in before.items() if k != "sealed"} | {"then": kept.get("then", "ask"), "orders": kept.get("orders", [])}
    return _same(told, {"then": "ask"} | content)


def _renumbered(text: bytes, table: dict[str, Any], revision: int) -> bytes:
    """The readable text with another revision, its comments kept; in normal form where its own form does not allow that."""
    wanted = table | {"revision": revision}
    for match in _REVISION.finditer(text):
        changed = text[:match.start()] + match[1] + str(revision).encode() + text[match.end():]
        try:
            if read_own(changed) == wanted:
                return changed
        except Unreadable:
            continue
    return dump(wanted)
