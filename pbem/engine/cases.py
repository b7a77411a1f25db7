"""Cases: rules as data. A position, orders, scripted chance, and what must hold after, or the refusal that must come.

The format is "Case file" in the protocol. Keys of a case:

- ``rule``      the sentence of the rules it proves ("4.second-tied")
- ``title``     slug
- ``position``  as ``Title.read_position`` reads it; or ``setup = true`` with ``seats`` and perhaps ``options``: the case sets a game up
- ``orders``    tables with ``seat`` and ``do`` and the keys of the order; ``do = "default"`` is silence
- ``chance``    outcomes in the order they are drawn; one left over is a failure
- ``then``      ``refused``, or ``phase``, ``asked`` (seats), ``events`` (tables that must come in that order, others may lie between), and
                any key of ``Title.show_position``; only what is named must hold, and nought, "", [] or {} means absent
- ``note``      a remark for readers

``then.refused`` is ``{ code, at, field, facts }``, all but the code optional. ``at`` begins the full place: "orders[0]" is the beginning of
"orders[0].path[1]". The places of what is no order are "position" and "options".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any

import msgspec

from pbem.engine.chance import ScriptedChance, UnusedOutcomes
from pbem.engine.position import digest, to_table
from pbem.engine.refusals import Malformed, Refusal
from pbem.engine.steps import asked, first_step, play_itself, play_step
from pbem.engine.title import Event, Order, Title

KEYS: dict[str, type] = {
    "rule": str, "title": str, "note": str, "setup": bool, "seats": list, "options": Mapping, "position": Mapping, "orders": list,
    "chance": list, "then": Mapping,
}  # fmt: skip
_KINDS = {str: "text", bool: "true or false", list: "a list", Mapping: "a table"}
REFUSED_KEYS = {"code", "at", "field", "facts"}


class CaseFailed(Exception):
    """What was expected, and what held instead."""


class _Refused(Exception):
    def __init__(self, place: str, refusal: Refusal) -> None:
        super().__init__(place)
        self.place = place + (f".{refusal.field}" if refusal.field else "")
        self.refusal = refusal


def run(case: Mapping[str, Any], title: Title[Any]) -> None:
    """Plays a case. Returns when everything named holds, else raises CaseFailed with what was expected and what held."""
    _check_shape(case, title)
    then = case["then"]
    expected = then.get("refused")
    try:
        position, events = _Player(case, title).play()
    except _Refused as refused:
        if expected is None:
            raise CaseFailed(f"refused at {refused.place}: {refused.refusal}") from None
        _compare_refusal(expected, refused)
        return
    if expected is not None:
        raise CaseFailed(f"expected the refusal {expected['code']}, but everything was played; now {_now(title, position)}")
    _compare(title, then, position, events)


def _check_shape(case: Mapping[str, Any], title: Title[Any]) -> None:
    _no_other_keys("the case", case, set(KEYS))
    for key in ("rule", "title", "then"):
        if key not in case:
            raise CaseFailed(f"the case has no {key}")
    for key, kind in KEYS.items():
        if key in case and not isinstance(case[key], kind):
            raise CaseFailed(f"{key}: must be {_KINDS[kind]}")
    if case["title"] != title.slug:
        raise CaseFailed(f"the case is of {case['title']}, not of {title.slug}")
    if case.get("setup"):
        if "position" in case or "seats" not in case:
            raise CaseFailed("setup: needs seats and no position")
        if len(case["seats"]) not in title.seats or not all(isinstance(seat, str) for seat in case["seats"]):
            raise CaseFailed(f"seats: needs {title.seats.start} to {title.seats.stop - 1} names")
    elif "position" not in case or "seats" in case or "options" in case:
        raise CaseFailed("a case needs a position, or setup = true with seats")
    if not all(isinstance(order, Mapping) for order in case.get("orders", [])):
        raise CaseFailed("orders: must be a list of tables")
    _check_then(case["then"])


def _check_then(then: Mapping[str, Any]) -> None:
    if not then:
        raise CaseFailed("then: names nothing that must hold")
    for key in {"events", "asked"} & set(then):
        if not isinstance(then[key], list) or (key == "events" and not all(isinstance(event, Mapping) and event for event in then[key])):
            raise CaseFailed(f"then.{key}: must be a list of {'tables' if key == 'events' else 'seats'}")
    if "refused" in then:
        _no_other_keys("then", then, {"refused"})
        if not isinstance(then["refused"], Mapping) or "code" not in then["refused"]:
            raise CaseFailed("then.refused: must be a table with a code")
        _no_other_keys("then.refused", then["refused"], REFUSED_KEYS)
        if not isinstance(then["refused"].get("facts", {}), Mapping) or not isinstance(then["refused"].get("at", ""), str):
            raise CaseFailed("then.refused: facts must be a table, at a place")


def _no_other_keys(where: str, table: Mapping[str, Any], allowed: set[str]) -> None:
    if other := sorted(set(table) - allowed):
        raise CaseFailed(f"{where}: unknown {', '.join(other)}; allowed are {', '.join(sorted(allowed))}")


class _Player:
    """Plays the orders of one case."""

    def __init__(self, case: Mapping[str, Any], title: Title[Any]) -> None:
        self._case, self._title = case, title
        self._chance = ScriptedChance(case.get("chance", []))
        self._position: Any = None
        self._events: list[Event] = []

    def play(self) -> tuple[Any, list[Event]]:
        try:
            self._begin()
            self._play_orders()
            self._chance.finish()
        except UnusedOutcomes as error:
            raise CaseFailed(f"chance: {error}") from None
        except ValueError as error:
            raise CaseFailed(f"chance: {error}") from error
        return self._position, self._events

    def _begin(self) -> None:
        case, title = self._case, self._title
        if case.get("setup"):
            try:
                options = msgspec.convert(case.get("options", {}), title.options)
                self._position, self._events = first_step(title, options, case["seats"], self._chance)
            except msgspec.ValidationError as error:
                raise CaseFailed(f"options: {error}") from None
            except Refusal as refusal:
                raise _Refused("options", refusal) from None
            return
        try:
            self._position = title.read_position(case["position"])
        except Refusal as refusal:
            raise _Refused("position", refusal) from None
        self._events = play_itself(title, self._position, self._chance)

    def _play_orders(self) -> None:
        title, position = self._title, self._position
        waiting: dict[str, Order] = {}
        for place, seat, order in self._orders():
            phase = title.phase(position)
            if phase is None:
                raise CaseFailed(f"{place}: the game is over")
            if seat in waiting:
                raise CaseFailed(f"{place}: {seat} has decided, the game waits for {self._missing(waiting)}")
            before = digest(position)
            try:
                complete = phase.default(position, seat) if order is None else phase.complete(position, seat, order)
            except Refusal as refusal:
                if digest(position) != before:
                    raise CaseFailed(f"{place}: the refusal {refusal.code} changed the position") from None
                raise _Refused(place, refusal) from None
            waiting[seat] = complete
            if not self._missing(waiting):
                self._events += play_step(title, position, waiting, self._chance)
                waiting = {}
        if waiting:
            raise CaseFailed(f"orders: at the end the game waits for {self._missing(waiting)}")

    def _missing(self, waiting: Mapping[str, Order]) -> list[str]:
        return [seat for seat in asked(self._title, self._position) if seat not in waiting]

    def _orders(self) -> Iterator[tuple[str, str, Order | None]]:
        """Place, seat and order (None for silence); an order that stands for several is taken apart when its turn comes."""
        union: Any = reduce(or_, self._title.orders)
        orders: Sequence[Mapping[str, Any]] = self._case.get("orders", [])
        for number, table in enumerate(orders):
            place, seat = f"orders[{number}]", table.get("seat")
            if not isinstance(seat, str):
                raise CaseFailed(f"{place}: has no seat")
            rest = {key: value for key, value in table.items() if key != "seat"}
            if rest == {"do": "default"}:
                if seat not in asked(self._title, self._position):
                    raise CaseFailed(f"{place}: {seat} is not asked")
                yield place, seat, None
                continue
            try:
                order: Any = msgspec.convert(rest, union)
            except msgspec.ValidationError as error:
                raise _Refused(place, Malformed("unreadable", reason=str(error))) from None
            for each in order.each() if hasattr(order, "each") else (order,):
                yield place, seat, each


def _compare_refusal(expected: Mapping[str, Any], refused: _Refused) -> None:
    refusal, place = refused.refusal, refused.place
    if refusal.code != expected["code"]:
        raise CaseFailed(f"expected the refusal {expected['code']}, came {refusal.code} at {place}: {refusal.facts}")
    at = expected.get("at", "")
    if at and place != at and not place.startswith((f"{at}.", f"{at}[")):
        raise CaseFailed(f"expected {refusal.code} at {at}, came at {place}")
    if "field" in expected and expected["field"] != refusal.field:
        raise CaseFailed(f"expected {refusal.code} about {expected['field']!r}, came about {refusal.field!r}")
    for fact, value in expected.get("facts", {}).items():
        if difference := _difference(f"facts.{fact}", value, refusal.facts.get(fact)):
            raise CaseFailed(f"{refusal.code}: {difference}")


def _compare(title: Title[Any], then: Mapping[str, Any], position: Any, events: list[Event]) -> None:
    shown = title.show_position(position)
    for key, expected in then.items():
        if key == "events":
            _compare_events(expected, [to_table(event) for event in events])
        elif key == "asked":
            if difference := _difference("asked", expected, list(asked(title, position))):
                raise CaseFailed(difference)
        elif key not in shown and key not in type(position).__struct_fields__:
            raise CaseFailed(f"then: a position has no {key}")
        elif difference := _difference(key, expected, shown.get(key)):
            raise CaseFailed(f"{difference}; now {_now(title, position)}")


def _compare_events(expected: Sequence[Mapping[str, Any]], events: Sequence[Mapping[str, Any]]) -> None:
    left = iter(events)
    for number, wanted in enumerate(expected):
        if not any(not _difference("", wanted, event) for event in left):
            told = "\n  ".join(str(event) for event in events)
            raise CaseFailed(f"then.events[{number}]: {dict(wanted)} did not come after the ones before; what happened:\n  {told}")


def _difference(where: str, expected: Any, held: Any) -> str:
    """"" when everything named holds. Tables are compared key by key; nought, "", [] and {} are the same as absent."""
    if isinstance(expected, Mapping) and expected:
        held = held if isinstance(held, Mapping) else {}
        for key, value in expected.items():
            if found := _difference(f"{where}.{key}" if where else key, value, held.get(key)):
                return found
        return ""
    if not expected and not held:
        return ""
    if expected == (list(held) if isinstance(held, tuple) else held) and isinstance(expected, bool) == isinstance(held, bool):
        return ""
    return f"{where}: expected {expected!r}, held {held!r}"


def _now(title: Title[Any], position: Any) -> str:
    return f"phase {position.phase}, asked {', '.join(asked(title, position)) or 'nobody'}"
