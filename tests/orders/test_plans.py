from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.orders.convert import converted
from pbem.orders.file import Planned, read_plans
from pbem.orders.plans import read_one

from .words import TYPES, Bid, Put, Rest, Walk


def one(raw):
    """The findings of a single order as (code, at)."""
    plans, found = read_plans([raw], TYPES)
    assert bool(plans) != bool(found)
    return [(finding.code, finding.at) for finding in found]


def facts(raw):
    [finding] = read_plans([raw], TYPES)[1]
    return finding.facts


def test_plan_words_are_taken_off():
    raw = [{"do": "walk", "to": "north", "carry": "all", "or": {"do": "rest"}, "otherwise": "skip", "watch": ["south"]}, {"do": "rest"}]
    plans, found = read_plans(raw, TYPES)
    assert found == []
    assert plans == (
        Planned((Walk(to="north", carry="all"), Rest()), "skip", ("south",), "orders[0]"), Planned((Rest(),), "ask", (), "orders[1]"))


def test_alternatives_keep_their_sequence():
    [plan], _ = read_plans([{"do": "rest", "or": [{"do": "walk", "to": "b"}, {"do": "rest"}]}], TYPES)
    assert plan.orders == (Rest(), Walk(to="b"), Rest())


def test_one_order_for_several_becomes_several():
    plans, _ = read_plans([{"do": "rest"}, {"do": "put", "places": ["a", "b"], "or": {"do": "rest"}, "watch": ["c"]}], TYPES)
    assert plans[1:] == (
        Planned((Put(place="a"), Rest()), "ask", ("c",), "orders[1].places[0]"),
        Planned((Put(place="b"), Rest()), "ask", ("c",), "orders[1].places[1]"))
    assert read_plans([{"do": "put", "place": "a"}], TYPES)[0][0].at == "orders[0]"


def test_an_empty_list_is_no_plan_and_no_fault():
    assert read_plans([], TYPES) == ((), [])


@pytest.mark.parametrize(("raw", "expected"), [
    ("rest", [("wrong-type", "orders[0]")]),
    ({}, [("missing-key", "orders[0].do")]),
    ({"do": 3}, [("wrong-type", "orders[0].do")]),
    ({"do": "wlak"}, [("unknown-order", "orders[0].do")]),
    ({"do": "walk"}, [("missing-key", "orders[0].to")]),
    ({"do": "walk", "to": "a", "cary": 1}, [("unknown-key", "orders[0].cary")]),
    ({"do": "walk", "to": 1}, [("wrong-type", "orders[0].to")]),
    ({"do": "walk", "to": "a", "carry": 4}, [("out-of-range", "orders[0].carry")]),
    ({"do": "walk", "to": "a", "carry": -1}, [("out-of-range", "orders[0].carry")]),
    ({"do": "walk", "to": "a", "carry": "al"}, [("unknown-word", "orders[0].carry")]),
    ({"do": "walk", "to": "a", "carry": 1.5}, [("wrong-type", "orders[0].carry")]),
    ({"do": "walk", "to": "a", "carry": True}, [("wrong-type", "orders[0].carry")]),
    ({"do": "walk", "to": "a", "quiet": 1}, [("wrong-type", "orders[0].quiet")]),
    ({"do": "walk", "to": "a", "card": ["b", 1, {}]}, [("wrong-type", "orders[0].card[1]"), ("wrong-type", "orders[0].card[2]")]),
    ({"do": "bid", "counts": {"nroth": 1, "south": 7}},
     [("unknown-key", "orders[0].counts.nroth"), ("out-of-range", "orders[0].counts.south")]),
    ({"do": "bid", "from": {"x": ["a", "d"]}}, [("unknown-word", "orders[0].from.x[1]")]),
    ({"do": "bid", "from_": {}}, [("unknown-key", "orders[0].from_")]),
    ({"do": "put"}, [("does-not-fit-together", "orders[0]")]),
    ({"do": "put", "places": []}, [("stands-for-nothing", "orders[0].places")]),
    ({"do": "put", "places": ["a"] * 65}, [("too-many-orders", "orders[0]")]),
    ({"do": "rest", "or": "rest"}, [("wrong-type", "orders[0].or")]),
    ({"do": "rest", "or": ["rest"]}, [("wrong-type", "orders[0].or[0]")]),
    ({"do": "rest", "or": {"do": "rets"}}, [("unknown-order", "orders[0].or.do")]),
    ({"do": "rest", "or": [{"do": "rest"}, {"do": "walk"}]}, [("missing-key", "orders[0].or[1].to")]),
    ({"do": "rest", "or": {"do": "rest", "or": {"do": "rest"}}}, [("plan-word-in-alternative", "orders[0].or.or")]),
    ({"do": "rest", "or": {"do": "rest", "watch": []}}, [("plan-word-in-alternative", "orders[0].or.watch")]),
    ({"do": "rest", "or": {"do": "put", "places": ["a", "b"]}}, [("alternative-for-several", "orders[0].or")]),
    ({"do": "rest", "or": [{"do": "rest"}] * 9}, [("too-many-alternatives", "orders[0].or")]),
    ({"do": "rest", "otherwise": "aks"}, [("unknown-word", "orders[0].otherwise")]),
    ({"do": "rest", "otherwise": []}, [("unknown-word", "orders[0].otherwise")]),
    ({"do": "rest", "watch": "a"}, [("wrong-type", "orders[0].watch")]),
    ({"do": "rest", "watch": ["a", 1]}, [("wrong-type", "orders[0].watch[1]")]),
    ({"do": "rest", "watch": ["a"] * 33}, [("wrong-length", "orders[0].watch")]),
    ({"do": "rest", "revision": 1}, [("key-below-orders", "orders[0].revision")]),
    ({"do": "rest", "player": "an"}, [("key-below-orders", "orders[0].player")]),
    ({"do": "rest", "x" * 500: 1}, [("unknown-key", "orders[0]." + "x" * 39 + "…")]),
    # several at once
    ({"do": "walk", "cary": 1, "quiet": "no", "or": {"do": "x"}, "otherwise": "y", "watch": 1},
     [("unknown-key", "orders[0].cary"), ("missing-key", "orders[0].to"), ("wrong-type", "orders[0].quiet"),
      ("unknown-order", "orders[0].or.do"), ("unknown-word", "orders[0].otherwise"), ("wrong-type", "orders[0].watch")]),
])
def test_each_fault_is_named_where_it_is(raw, expected):
    assert one(raw) == expected


def test_findings_say_what_is_allowed_and_what_is_nearest():
    assert facts({"do": "Wlak"}) == {"found": "Wlak", "allowed": ["walk", "put", "bid", "rest"], "nearest": "walk"}
    assert facts({"do": "walk", "to": "a", "cary": 1})["nearest"] == "carry"
    also = ["whole-number"]
    assert facts({"do": "walk", "to": "a", "carry": "al"}) == {"found": "al", "allowed": ["all"], "nearest": "all", "also": also}
    assert facts({"do": "walk", "to": "a", "carry": 9}) == {"found": "9", "low": 0, "high": 3}
    assert facts({"do": "walk", "to": "a", "carry": []}) == {"found": "list", "quoted": "[]", "allowed": ["whole-number", "all"]}
    assert facts({"do": "walk", "to": "a", "card": True}) == {"found": "true-false", "quoted": "true", "allowed": ["text", "list"]}
    assert facts({"do": "rest", "otherwise": "skp"})["nearest"] == "skip"


def test_a_title_may_use_a_word_of_the_head_for_its_own():
    assert read_plans([{"do": "bid", "player": "bo"}], TYPES)[0][0].orders == (Bid(player="bo"),)


def test_too_many_orders():
    assert [finding.code for finding in read_plans([{"do": "rest"}] * 65, TYPES)[1]] == ["too-many-orders"]
    assert len(read_plans([{"do": "rest"}] * 64, TYPES)[0]) == 64
    assert [finding.code for finding in read_plans([{"do": "put", "places": ["a"] * 33}] * 2, TYPES)[1]] == ["too-many-orders"]
    assert [finding.code for finding in read_plans("rest", TYPES)[1]] == ["wrong-type"]


def test_a_single_flat_order():
    assert read_one({"do": "rest"}, TYPES, "request") == (Rest(), [])
    assert read_one([], TYPES, "request")[1][0].at == "request"
    assert [finding.at for finding in read_one({"do": "rest", "or": {}}, TYPES, "request")[1]] == ["request.or"]


class Odd(msgspec.Struct, tag_field="do", tag="odd", forbid_unknown_fields=True, kw_only=True):
    """Every kind of field there is."""

    word: Annotated[str, msgspec.Meta(pattern="^[a-z]+$", min_length=2, max_length=3)] = "ab"
    above: Annotated[int, msgspec.Meta(gt=0, lt=10, multiple_of=2)] = 2
    share: Annotated[float, msgspec.Meta(ge=0)] = 0.5
    pair: tuple[int, str] = (1, "a")
    few: Annotated[list[int], msgspec.Meta(max_length=2)] = []
    kinds: set[str] = set()
    inner: Bid = Bid()
    either: Literal[1, 2, "x"] = 1
    anything: Any = None


@pytest.mark.parametrize(("key", "value", "code"), [
    ("word", "a", "wrong-length"), ("word", "abcd", "wrong-length"), ("word", "A1", "bad-form"), ("above", 0, "out-of-range"),
    ("above", 10, "out-of-range"), ("above", 3, "not-a-multiple"), ("share", -0.5, "out-of-range"), ("share", "1", "wrong-type"),
    ("pair", [1], "wrong-length"), ("pair", ["a", 1], "wrong-type"), ("few", [1, 2, 3], "wrong-length"), ("kinds", [1], "wrong-type"),
    ("inner", {"x": 1}, "unknown-key"), ("inner", [], "wrong-type"), ("either", 3, "unknown-word"), ("either", "y", "unknown-word"),
])
def test_every_kind_of_field_has_its_fault(key, value, code):
    struct, found = converted({"do": "odd", key: value}, Odd)
    assert struct is None
    assert found[0].code == code
    assert found[0].at.startswith(key)


raws = st.recursive(st.one_of(st.booleans(), st.integers(-9, 9), st.sampled_from(["all", "a", "north", "walk", "xyz"]), st.floats(0, 2)),
                    lambda inner: st.one_of(st.lists(inner, max_size=3),
                                            st.dictionaries(st.sampled_from(["north", "do", "x"]), inner, max_size=3)),
                    max_leaves=5)
FIELDS = ("word", "above", "share", "pair", "few", "kinds", "inner", "either", "anything")


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, raws)))
@settings(max_examples=150)
def test_we_find_a_fault_exactly_where_msgspec_does(table):
    table = {"do": "odd", **table}
    struct, found = converted(table, Odd)
    try:
        expected = msgspec.convert(table, Odd)
    except msgspec.ValidationError:
        assert struct is None
        assert all(finding.code != "does-not-fit-together" for finding in found)
        assert found
    else:
        assert (struct, found) == (expected, [])
