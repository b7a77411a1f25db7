"""The runner of cases: each way a case can fail is told in words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.engine.cases import CaseFailed, run
from pbem.titles.ming_dynasty import title

SEATS = ["an", "bo", "chen"]


def case(**changes: Any) -> dict[str, Any]:
    """A case that holds: an takes the horse beside Yunnan."""
    table: dict[str, Any] = {
        "rule": "2.draw",
        "title": "ming-dynasty",
        "orders": [{"seat": "an", "do": "draw", "province": "yunnan"}],
        "chance": ["junk"],
        "position": {
            "phase": "1.draw",
            "seats": SEATS,
            "display": {"yunnan": "horse"},
            "players": {"an": {"spaces": {"yunnan": 2}}},
        },
        "then": {"players": {"an": {"cards": {"horse": 1}}}},
    }
    return {key: value for key, value in {**table, **changes}.items() if value is not None}


def refused(**facts: Any) -> dict[str, Any]:
    """A case whose refusal comes: no member on the space of Zhili."""
    return case(orders=[{"seat": "an", "do": "draw", "province": "zhili"}], chance=None, then={"refused": {"code": "space-empty", **facts}})


@pytest.mark.parametrize(
    "then",
    [
        {"players": {"an": {"cards": {"horse": 1, "junk": 0}}}},
        {"players": {"an": {"cards": {"horse": 1, "dragon": 1}, "tiles": {}}, "bo": {"points": 0, "passed": False}}},
        {"phase": "1.draw", "asked": ["an"], "discards": {}},
        {"display": {"yunnan": "junk"}, "cities": {}},
        {"events": [{"event": "drew", "seat": "an"}, {"event": "revealed", "card": "junk"}]},
        {"events": [{"event": "revealed"}]},
    ],
)
def test_what_holds(then: dict[str, Any]) -> None:
    run(case(then=then), title)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"then": {"players": {"an": {"cards": {"horse": 2}}}}}, "players.an.cards.horse: expected 2, held 1"),
        ({"then": {"players": {"an": {"cards": {}}}}}, "players.an.cards: expected {}"),
        ({"then": {"players": {"an": {"tiles": {"yunnan": 1}}}}}, "held None"),
        ({"then": {"players": {"an": {"passed": True}}}}, "passed: expected True"),
        ({"then": {"phase": "1.move"}}, "phase: expected '1.move', held '1.draw'; now phase 1.draw, asked an"),
        ({"then": {"asked": ["bo"]}}, "asked: expected ['bo']"),
        ({"then": {"hands": {}}}, "a position has no hands"),
        ({"then": {}}, "names nothing"),
        ({"then": {"events": [{"event": "revealed"}, {"event": "drew"}]}}, "then.events[1]"),
        ({"then": {"events": [{"event": "drew", "seat": "bo"}]}}, "then.events[0]"),
        ({"then": {"events": [{}]}}, "list of tables"),
        ({"then": {"refused": {"code": "space-empty"}}}, "expected the refusal space-empty"),
        ({"then": {"refused": {"code": "space-empty"}, "phase": "1.draw"}}, "unknown phase"),
        ({"then": {"refused": {"code": "space-empty", "where": "x"}}}, "unknown where"),
        ({"then": {"refused": {"at": "orders[0]"}}}, "with a code"),
        ({"then": None}, "no then"),
        ({"rule": None}, "no rule"),
        ({"title": "azure"}, "the case is of azure"),
        ({"chance": ["junk", "horse"]}, "left over"),
        ({"chance": []}, "no outcome left for display yunnan"),
        ({"chance": ["dragon"]}, "'dragon' cannot be drawn for display yunnan"),
        ({"chance": "junk"}, "chance: must be a list"),
        ({"order": []}, "unknown order"),
        ({"orders": [{"do": "pass"}]}, "orders[0]: has no seat"),
        ({"orders": ["pass"]}, "list of tables"),
        ({"orders": [{"seat": "bo", "do": "default"}]}, "bo is not asked"),
        ({"orders": [{"seat": "an", "do": "draw", "province": "zhili"}]}, "refused at orders[0].province: space-empty"),
        ({"orders": [{"seat": "an", "do": "fly"}]}, "refused at orders[0]: unreadable"),
        ({"position": {"phase": "9.draw", "seats": SEATS}}, "refused at position.phase"),
        ({"position": None}, "needs a position"),
        ({"setup": True}, "setup"),
        ({"setup": True, "position": None, "seats": ["an"]}, "seats: needs 2 to"),
        ({"setup": True, "position": None, "seats": SEATS, "options": {"bord": "standard"}}, "options: "),
    ],
)
def test_what_fails_is_told(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(CaseFailed) as failed:
        run(case(**changes), title)
    assert told in str(failed.value)


def test_orders_of_the_seats_asked_together_are_collected() -> None:
    position = {"phase": "2.return", "seats": SEATS, "districts": {"yunnan-a": {"houses": {"an": 1, "bo": 1}}}}
    first = {"seat": "an", "do": "return"}
    with pytest.raises(CaseFailed, match=r"waits for \['bo'\]"):
        run(case(position=position, orders=[first], chance=None), title)
    with pytest.raises(CaseFailed, match="an has decided"):
        run(case(position=position, orders=[first, first], chance=None), title)
    run(case(position=position, orders=[first, {"seat": "bo", "do": "default"}], chance=None, then={"phase": "3.place"}), title)


def test_orders_after_the_end() -> None:
    with pytest.raises(CaseFailed, match="the game is over"):
        run(case(position={"phase": "6.end", "seats": SEATS}, chance=None), title)


@pytest.mark.parametrize(
    "facts",
    [
        {},
        {"at": "orders[0]"},
        {"at": "orders[0].province"},
        {"field": "province"},
        {"facts": {"province": "zhili", "allowed": ["yunnan"]}},
    ],
)
def test_refusal_that_must_come(facts: dict[str, Any]) -> None:
    run(refused(**facts), title)


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"code": "slot-empty"}, "expected the refusal slot-empty, came space-empty at orders[0].province"),
        ({"at": "orders[1]"}, "at orders[1], came at orders[0].province"),
        ({"at": "orders[0].prov"}, "came at orders[0].province"),
        ({"field": "card"}, "about 'card'"),
        ({"facts": {"province": "yunnan"}}, "facts.province: expected 'yunnan', held 'zhili'"),
    ],
)
def test_other_refusal(facts: dict[str, Any], told: str) -> None:
    with pytest.raises(CaseFailed) as failed:
        run(refused(**facts), title)
    assert told in str(failed.value)


KEYS = ["an", "do", "seat", "province", "code", "facts", "event", "yunnan-a", "members", "x"]
INNER = ["", "phase", "players", "districts", "display", "seats", "events", "refused"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["an", "yunnan", "horse", "draw", "1.draw", "x"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(case())), VALUES, st.sampled_from(INNER))
def test_no_case_gives_a_traceback(key: str, value: Any, inner: str) -> None:
    table = case()
    if inner and isinstance(table[key], dict):
        table[key] = {**table[key], inner: value}
    else:
        table[key] = value
    try:
        run(table, title)
    except CaseFailed as failed:
        assert str(failed)
