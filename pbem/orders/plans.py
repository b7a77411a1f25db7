"""Plans: the orders of a file in sequence, each with what stands in for it when it is not legal.

The plan words ``or``, ``otherwise`` and ``watch`` are taken off each raw table here; the rest is one flat order of a title, which
knows nothing of plans. An order struct is a ``msgspec.Struct`` with tag field ``do``. One that stands for several has a method
``each() -> tuple[Struct, ...]`` and may name the list they come from in a class attribute ``each_field``.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from pbem.orders.convert import Struct, converted, inside, kind_of, shown, wrong_type
from pbem.orders.findings import Finding, nearest, shortened

ORDER_CAP = 64
ALTERNATIVE_CAP = 8
WATCH_CAP = 32
PLAN_WORDS = ("or", "otherwise", "watch")
HEADER_WORDS = frozenset({"game", "player", "phase", "revision", "after", "note", "then", "orders", "sealed", "seal_to"})
OTHERWISE = ("ask", "skip", "default")
THEN = ("ask", "pass", "default")


class Planned(msgspec.Struct, frozen=True):
    """One order of a plan.

    ``orders``: the order itself, then its alternatives, in sequence. ``otherwise``: what to do when none is legal. ``watch``: the
    places whose change stops the plan. ``at``: ``orders[0]``, or ``orders[0].provinces[2]`` where one order stood for several.
    """

    orders: tuple[Any, ...]
    otherwise: Literal["ask", "skip", "default"] = "ask"
    watch: tuple[str, ...] = ()
    at: str = ""


def read_plans(table: Any, order_types: tuple[type[Struct], ...], prefix: str = "orders") -> tuple[tuple[Planned, ...], list[Finding]]:
    """The plans in the raw value of ``orders``, and every fault in it; plans are whole only when there is none.

    An order that stands for several becomes as many plans, with the same alternatives and ``watch``. More than 64 plans, or 8
    alternatives to one, are refused.
    """
    if kind_of(table) != "list":
        return (), [wrong_type(table, prefix, "list")]
    if len(table) > ORDER_CAP:
        return (), [Finding("too-many-orders", prefix, {"found": len(table), "cap": ORDER_CAP})]
    plans: list[Planned] = []
    found: list[Finding] = []
    kinds = _by_tag(order_types)
    for number, raw in enumerate(table):
        made, faults = _plan(raw, kinds, f"{prefix}[{number}]")
        plans += made
        found += faults
    if len(plans) > ORDER_CAP and not found:
        found.append(Finding("too-many-orders", prefix, {"found": len(plans), "cap": ORDER_CAP}))
    return (() if found else tuple(plans)), found


def read_one(raw: Any, order_types: tuple[type[Struct], ...], at: str) -> tuple[Any, list[Finding]]:
    """One flat order, without plan words; None when anything is wrong with it."""
    if kind_of(raw) != "table":
        return None, [wrong_type(raw, at, "table")]
    return _order(raw, _by_tag(order_types), at)


def _by_tag(order_types: tuple[type[Struct], ...]) -> dict[str, type[Struct]]:
    return {str(kind.__struct_config__.tag): kind for kind in order_types}


def _plan(raw: Any, kinds: Mapping[str, type[Struct]], at: str) -> tuple[list[Planned], list[Finding]]:
    if kind_of(raw) != "table":
        return [], [wrong_type(raw, at, "table")]
    flat = {key: value for key, value in raw.items() if key not in PLAN_WORDS}
    first, found = _order(flat, kinds, at)
    alternatives, faults = _alternatives(raw.get("or", []), kinds, inside(at, "or"))
    found += faults + _otherwise(raw, at) + _watch(raw, at)
    if found:
        return [], found
    orders, faults = _several(first, flat, at)
    watch, otherwise = tuple(raw.get("watch", ())), raw.get("otherwise", "ask")
    return [Planned((order, *alternatives), otherwise, watch, place) for place, order in orders], faults


def _several(order: Any, flat: Mapping[str, Any], at: str) -> tuple[list[tuple[str, Any]], list[Finding]]:
    """What an order stands for, each with its place in the file."""
    if not hasattr(order, "each"):
        return [(at, order)], []
    field = getattr(order, "each_field", "")
    listed = isinstance(flat.get(field), list)
    each = order.each()
    if not each:
        return [], [Finding("stands-for-nothing", inside(at, field) if listed else at, {})]
    if len(each) > ORDER_CAP:
        return [], [Finding("too-many-orders", at, {"found": len(each), "cap": ORDER_CAP})]
    return [(f"{inside(at, field)}[{i}]" if listed and one is not order else at, one) for i, one in enumerate(each)], []


def _alternatives(raw: Any, kinds: Mapping[str, type[Struct]], at: str) -> tuple[list[Any], list[Finding]]:
    single = kind_of(raw) == "table"
    tables = [raw] if single else raw
    if kind_of(tables) != "list":
        return [], [wrong_type(raw, at, "table", "list")]
    if len(tables) > ALTERNATIVE_CAP:
        return [], [Finding("too-many-alternatives", at, {"found": len(tables), "cap": ALTERNATIVE_CAP})]
    orders: list[Any] = []
    found: list[Finding] = []
    for number, table in enumerate(tables):
        place = at if single else f"{at}[{number}]"
        if kind_of(table) != "table":
            found.append(wrong_type(table, place, "table"))
            continue
        found += [Finding("plan-word-in-alternative", inside(place, word), {"key": word}) for word in PLAN_WORDS if word in table]
        flat = {key: value for key, value in table.items() if key not in PLAN_WORDS}
        order, faults = _order(flat, kinds, place)
        found += faults
        if not faults:
            several, faults = _several(order, flat, place)
            if len(several) > 1:
                faults = [Finding("alternative-for-several", place, {"found": len(several)})]
            found += faults
            orders += [one for _, one in several]
    return orders, found


def _order(flat: Mapping[str, Any], kinds: Mapping[str, type[Struct]], at: str) -> tuple[Any, list[Finding]]:
    allowed = list(kinds)
    word = flat.get("do")
    if "do" not in flat:
        missing = Finding("missing-key", inside(at, "do"), {"key": "do", "allowed": allowed})
        return None, [missing, *_below(flat, HEADER_WORDS & set(flat), at)]
    if not isinstance(word, str):
        return None, [wrong_type(word, inside(at, "do"), *allowed)]
    kind = kinds.get(word)
    if kind is None:
        facts = {"found": shortened(word), "allowed": allowed, "nearest": nearest(word, allowed)}
        return None, [Finding("unknown-order", inside(at, "do"), facts)]
    strays = (HEADER_WORDS & set(flat)) - set(kind.__struct_encode_fields__)
    order, found = converted({key: value for key, value in flat.items() if key not in strays}, kind, at)
    return order, found + _below(flat, strays, at)


def _below(flat: Mapping[str, Any], keys: set[str] | frozenset[str], at: str) -> list[Finding]:
    """A line of the head written below ``[[orders]]`` belongs to the order above it, as TOML reads it."""
    return [Finding("key-below-orders", inside(at, key), {"key": key}) for key in flat if key in keys]


def read_then(table: Mapping[str, Any]) -> tuple[str, list[Finding]]:
    """What follows the last order: ``ask`` (also when not said), ``pass`` or ``default``."""
    return _word(table, "then", THEN, "")


def _otherwise(raw: Mapping[str, Any], at: str) -> list[Finding]:
    return _word(raw, "otherwise", OTHERWISE, at)[1]


def _word(table: Mapping[str, Any], key: str, allowed: tuple[str, ...], at: str) -> tuple[str, list[Finding]]:
    word = table.get(key, allowed[0])
    if isinstance(word, str) and word in allowed:
        return word, []
    facts = {"found": shown(word), "allowed": list(allowed), "nearest": nearest(shown(word), allowed)}
    return allowed[0], [Finding("unknown-word", inside(at, key), facts)]


def _watch(raw: Mapping[str, Any], at: str) -> list[Finding]:
    watch, at = raw.get("watch", []), inside(at, "watch")
    if kind_of(watch) != "list":
        return [wrong_type(watch, at, "list")]
    if len(watch) > WATCH_CAP:
        return [Finding("wrong-length", at, {"found": len(watch), "low": 0, "high": WATCH_CAP, "of": "list"})]
    return [
        wrong_type(place, f"{at}[{i}]", "text")
        for i, place in enumerate(watch) if kind_of(place) != "text"
    ]
