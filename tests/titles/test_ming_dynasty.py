"""Ming Dynasty: what its cases cannot say."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.engine.position import to_json
from pbem.engine.refusals import Illegal, Malformed, Refusal
from pbem.titles.ming_dynasty import PHASES, title, vocabulary
from pbem.titles.ming_dynasty.board import load
from pbem.titles.ming_dynasty.filling import movers
from pbem.titles.ming_dynasty.refusal_codes import CODES, ILLEGAL, MALFORMED
from pbem.titles.ming_dynasty.round_end import last_sets
from pbem.titles.ming_dynasty.scoring import bonus
from pbem.titles.ming_dynasty.sequence import phase_ids
from pbem.titles.ming_dynasty.vocabulary import NEUTRAL, Bids, Draw, MingPosition, Move, Place, Return, Stay
from tests.picking import every_pick

SEATS = ["an", "bo", "chen", "dai"]
RULES = Path(__file__).parents[2] / "docs" / "rules" / "ming-dynasty.md"


def position(phase: str, seats: int = 3, **keys: Any) -> MingPosition:
    return title.read_position({"phase": phase, "seats": SEATS[:seats], **keys})


# -- the table of contents ------------------------------------------------------------------------------------------------


def ids(players: int, bids: Bids = "together") -> tuple[str, ...]:
    return phase_ids(players, bids, ("yunnan", "zhili"))


def test_phases_of_three_players() -> None:
    assert ids(3) == (
        "0.prince",
        "1.place", "1.draw", "1.move", "1.end",
        "2.place", "2.draw", "2.move", "2.fill", "2.return", "2.score", "2.end",
        "3.place", "3.draw", "3.move", "3.end",
        "4.place", "4.draw", "4.move", "4.fill", "4.return", "4.score", "4.end",
        "5.place", "5.draw", "5.move", "5.end",
        "6.place", "6.draw", "6.move", "6.fill", "6.return", "6.score", "6.end",
        "over",
    )  # fmt: skip


def test_four_players_name_the_starter_twice() -> None:
    assert [phase_id for phase_id in ids(4) if phase_id not in ids(3)] == ["5.starter", "6.starter"]
    assert ids(4)[ids(4).index("5.starter") + 1] == "5.place"
    assert ids(4)[ids(4).index("5.starter") - 1] == "4.end"


def scoring(players: int, bids: Bids) -> list[str]:
    return [phase_id for phase_id in ids(players, bids) if phase_id.startswith("4.")][3:-1]


def test_by_province_each_city_has_its_phases() -> None:
    assert scoring(3, "by-province") == scoring(4, "by-province") == [
        "4.fill.yunnan", "4.return.yunnan", "4.score.yunnan", "4.fill.zhili", "4.return.zhili", "4.score.zhili", "4.score",
    ]  # fmt: skip
    others = [phase_id for phase_id in ids(3, "by-province") if phase_id.partition(".")[0] in ("0", "1", "3", "5")]
    assert others == [phase_id for phase_id in ids(3) if phase_id.partition(".")[0] in ("0", "1", "3", "5")]


def test_two_players_have_phases_of_the_neutral_colour() -> None:
    assert ids(2)[:3] == ("0.neutral", "0.prince", "1.place")
    assert [phase_id for phase_id in ids(2) if phase_id.endswith(".neutral")] == ["0.neutral", "3.neutral", "5.neutral"]
    for number in (3, 5):
        at = ids(2).index(f"{number}.neutral")
        assert (ids(2)[at - 1], ids(2)[at + 1]) == (f"{number - 1}.end", f"{number}.place")
    assert scoring(2, "together") == [
        "4.fill", "4.return",
        "4.neutral-return.yunnan", "4.score.yunnan", "4.neutral-return.zhili", "4.score.zhili", "4.score",
    ]  # fmt: skip
    assert scoring(2, "by-province") == [
        "4.fill.yunnan", "4.return.yunnan", "4.neutral-return.yunnan", "4.score.yunnan",
        "4.fill.zhili", "4.return.zhili", "4.neutral-return.zhili", "4.score.zhili", "4.score",
    ]  # fmt: skip


def test_every_phase_has_a_class_and_every_class_a_phase() -> None:
    every = {phase_id for players in title.seats for bids in ("together", "by-province") for phase_id in ids(players, bids)} - {"over"}
    found = {phase.name for phase_id in every if (phase := title.phase_named(phase_id)) is not None}
    assert found == {phase.name for phase in PHASES}
    assert all(title.phase_named(phase_id) is not None for phase_id in every)
    strange = ("over", "7.place", "3.fill", "4.starter", "0.place", "1.prince", "move", "3.move.x", "3", "", "2.neutral", "3.return.yunnan")
    for phase_id in (*strange, "2.return.", "2.return.Yunnan", "2.return.yunnan.a", "2.end.yunnan", "2.neutral-return", ".", "..", "2..x"):
        assert title.phase_named(phase_id) is None, phase_id


def test_bids_are_sealed_on_every_board() -> None:
    for phase_id in ("2.return", "2.return.yunnan", "6.return.fujian"):
        phase = title.phase_named(phase_id)
        assert phase is not None
        assert phase.simultaneous
    for phase_id in ("2.neutral-return.yunnan", "0.neutral", "2.score.yunnan", "3.move"):
        phase = title.phase_named(phase_id)
        assert phase is not None
        assert not phase.simultaneous


@pytest.mark.parametrize(
    ("phase", "players", "ahead"),
    [
        ("0.prince", 3, "0.prince 1.place 1.draw 1.move"),
        ("1.draw", 4, "1.draw 1.move 2.place 2.draw 2.move 2.return"),
        ("2.return", 3, "2.return 3.place 3.draw 3.move"),
        ("3.move", 4, "3.move 4.place 4.draw 4.move 4.return"),
        ("4.move", 4, "4.move 4.return 5.starter 5.place 5.draw 5.move"),
        ("4.move", 3, "4.move 4.return 5.place 5.draw 5.move"),
        ("5.starter", 4, "5.starter 5.place 5.draw 5.move 6.starter 6.place 6.draw 6.move 6.return"),
        ("6.move", 4, "6.move 6.return"),
        ("over", 4, ""),
        ("0.neutral", 2, "0.neutral 0.prince 1.place 1.draw 1.move"),
        ("0.prince", 2, "0.prince 1.place 1.draw 1.move"),
        ("2.neutral-return.guangdong", 2, "2.neutral-return.guangdong 3.neutral 3.place 3.draw 3.move"),
    ],
)
def test_ahead(phase: str, players: int, ahead: str) -> None:
    assert title.ahead(position(phase, players)) == tuple(ahead.split())


def test_every_city_that_comes_is_ahead() -> None:
    provinces = load("standard").provinces
    by_province = position("1.move", bids="by-province")
    assert title.ahead(by_province) == ("1.move", "2.place", "2.draw", "2.move", *(f"2.return.{province}" for province in provinces))
    assert title.ahead(position("2.return.yunnan", bids="by-province"))[:3] == ("2.return.yunnan", "2.return.guangdong", "3.place")
    two = position("2.move", 2, bids="by-province")
    for_cities = [phase_id for phase_id in title.ahead(two) if phase_id.count(".") == 2]
    assert for_cities == [f"2.{name}.{province}" for province in provinces for name in ("return", "neutral-return")]


# -- refusals -------------------------------------------------------------------------------------------------------------


def complete(at: MingPosition, order: Any, seat: str = "an") -> Any:
    phase = title.phase(at)
    assert phase is not None
    return phase.complete(at, seat, order)


def test_several_places_are_several_orders() -> None:
    order = Place(provinces=("yunnan", "zhili"))
    assert order.each() == (Place(province="yunnan"), Place(province="zhili"))
    with pytest.raises(Malformed) as refusal:
        complete(position("1.place"), order)
    assert (refusal.value.code, refusal.value.field, refusal.value.facts) == ("one-at-a-time", "provinces", {"count": 2})


def test_codes_are_malformed_or_illegal_but_not_both() -> None:
    assert not set(MALFORMED) & set(ILLEGAL)
    assert set(CODES) == set(MALFORMED) | set(ILLEGAL)


WORDS = st.sampled_from(["yunnan-a", "yunnan-b", "shaanxi-a", "zhili-c", "nowhere", "yunnan", "zhili", "horse", "junk", "dragon", ""])
MANY = st.lists(WORDS, max_size=4).map(tuple)
MAYBE = st.none() | WORDS
LETTERED = st.lists(st.sampled_from("abc"), max_size=4).map(tuple)
ORDERS = st.one_of(
    st.builds(vocabulary.Neutral, district=WORDS),
    st.builds(vocabulary.NeutralReturn, from_=LETTERED),
    st.builds(vocabulary.Prince, district=WORDS | MANY),
    st.builds(Place, province=MAYBE, provinces=st.none() | MANY),
    st.builds(Draw, province=MAYBE, card=MAYBE | MANY),
    st.builds(vocabulary.Dragon, from_=WORDS),
    st.builds(
        Move, path=st.none() | MANY, to=MAYBE, pay=st.none() | MANY, deploy=st.integers(-1, 4) | st.just("all"), monastery=st.booleans()
    ),
    st.builds(Stay, pay=MAYBE, deploy=st.integers(-1, 4) | st.just("all"), monastery=st.booleans()),
    st.builds(
        Return, counts=st.dictionaries(WORDS, st.integers(-1, 7), max_size=3), count=st.integers(-1, 7),
        from_=st.dictionaries(WORDS, LETTERED, max_size=2) | LETTERED,
    ),
    st.builds(vocabulary.Starter, player=WORDS | st.just("bo")),
)
PLACES: Mapping[str, MingPosition] = {
    phase: position(
        phase, 4,
        players={"an": {"prince": None if phase == "0.prince" else "yunnan-b", "cards": {"horse": 1, "junk": 2, "dragon": 1},
                        "spaces": {"yunnan": 2, "zhili": 4}}},
        display={"yunnan": "horse", "zhili": "junk"},
        districts={"yunnan-a": {"houses": {"an": 2}, "monastery": "an", "members": {"bo": 1}}},
    )
    for phase in ("0.prince", "1.place", "2.draw", "3.move", "4.return", "6.starter")
} | {
    phase: position(
        phase, 2, bids="by-province",
        districts={"yunnan-a": {"houses": {"an": 2}, "members": {NEUTRAL: 2}}, "yunnan-b": {"members": {NEUTRAL: 3}}},
    )
    for phase in ("5.neutral", "2.return.yunnan")
} | {"2.neutral-return.yunnan": position("2.neutral-return.yunnan", 2, districts={"yunnan-a": {"houses": {"an": 1, NEUTRAL: 2}},
                                                                                   "yunnan-b": {"houses": {NEUTRAL: 2}}})}  # fmt: skip


@given(st.sampled_from(sorted(PLACES)), ORDERS, st.sampled_from(SEATS))
def test_any_order_is_taken_or_refused_with_the_listed_facts(phase: str, order: Any, seat: str) -> None:
    at = PLACES[phase]
    before = to_json(at)
    try:
        normal = complete(at, order, seat)
    except Refusal as refusal:
        kind = MALFORMED if isinstance(refusal, Malformed) else ILLEGAL
        assert isinstance(refusal, Malformed | Illegal)
        assert set(refusal.facts) == set(kind[refusal.code]), refusal.code
        assert refusal.field == "" or refusal.field.split("[")[0].split(".")[0] in {*order.__struct_fields__, "from", "do"}
    else:
        assert complete(at, normal, seat) == normal
    assert to_json(at) == before


# -- the arithmetic of the rules ------------------------------------------------------------------------------------------


@given(st.dictionaries(st.sampled_from(SEATS), st.integers(1, 9), min_size=1))
def test_movers_fit_the_three_houses(members: dict[str, int]) -> None:
    moving, _ = movers(members, SEATS)
    assert sum(moving.values()) <= 3
    for seat, number in moving.items():
        assert 1 <= number <= min(2, members[seat])
        # nobody moves more than who has more
        assert all(moving.get(other, 0) >= number for other in members if members[other] > members[seat])


@given(st.lists(st.dictionaries(st.sampled_from(SEATS), st.integers(1, 2), max_size=3), min_size=3, max_size=3))
def test_bonus_is_four_points_at_most(parts: list[dict[str, int]]) -> None:
    left = {seat: sum(part.get(seat, 0) for part in parts) for seat in SEATS if any(seat in part for part in parts)}
    points, why = bonus(left, parts)
    assert sum(points.values()) == {0: 0, 1: 4, 2: 4, 3: 3, 4: 4}[len(points)]
    assert (why == "nobody") == (not left)
    assert all(left[seat] == max(left.values()) for seat in points)
    if why in ("most", "parts"):
        assert len(points) == 1


@given(st.dictionaries(st.sampled_from(load("standard").provinces), st.integers(1, 5)))
def test_last_sets_are_as_many_as_possible(tiles: dict[str, int]) -> None:
    left = dict(tiles)
    by_hand = 0
    # taking from the largest piles leaves the most sets
    while len(largest := sorted(left, key=lambda province: -left[province])[:5]) == 5:
        by_hand += 1
        for province in largest:
            left[province] -= 1
            if not left[province]:
                del left[province]
    assert last_sets(tiles) == (by_hand, sum(tiles.values()) - 5 * by_hand)


def test_large_bids_are_sampled_evenly() -> None:
    districts = {name: {"houses": {"an": 2}} for name in load("standard").districts[:15]}
    at = position("2.return", districts=districts)
    phase = title.phase(at)
    assert phase is not None
    assert phase.sampled(at, "an")
    choices = list(phase.choices(at, "an"))
    assert 400 <= len(choices) <= 500
    assert choices[0] == phase.default(at, "an") == Return()
    for province in load("standard").provinces[:5]:
        assert {order.counts.get(province, 0) for order in choices if isinstance(order, Return)} == set(range(7))
    small = position("2.return", districts={"yunnan-a": {"houses": {"an": 2}}})
    assert not phase.sampled(small, "an")
    assert len(list(phase.choices(small, "an"))) == 3


def test_any_of_many_bids_may_be_picked() -> None:
    districts = {name: {"houses": {"an": 2}} for name in load("standard").districts[:6]}
    at = position("2.return", districts=districts)
    phase = title.phase(at)
    assert phase is not None
    assert phase.sampled(at, "an")
    picks, choices = ({msgspec.json.encode(order) for order in orders} for orders in (every_pick(phase, at, "an"), phase.choices(at, "an")))
    assert len(picks) == 3**6
    assert choices < picks
    dice = random.Random(1)  # noqa: S311 — repeatable
    for _ in range(50):
        order = phase.pick(at, "an", dice.randrange)
        assert phase.complete(at, "an", order) == order


# -- rulings and files ----------------------------------------------------------------------------------------------------


def test_every_ruling_mark_is_a_ruling() -> None:
    text = RULES.read_text(encoding="utf-8")
    marks = re.findall(r"\*\*\[[^\]]*\bP\b[^\]]*\]\*\*", text[text.index("## Components") :])
    page = (title.files / "docs" / "rulings.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^### (.+)$", page, flags=re.MULTILINE)) == title.rulings
    assert len(title.rulings) == len(marks)
    assert all(re.fullmatch(r"[a-z0-9-]+", anchor) for anchor in title.rulings)


def test_results_while_the_game_runs() -> None:
    at = position("3.place", players={"an": {"points": 4}, "chen": {"points": 4, "tiles": {"yunnan": 2}}})
    lines = title.result(at)
    assert [(line.seat, line.points, line.place) for line in lines] == [("an", 4, 1), ("chen", 4, 1), ("bo", 0, 3)]
    assert lines[1].why == {"monasteries": 0, "tiles": 2}


def test_every_key_of_a_position_is_described() -> None:
    page = (title.files / "docs" / "positions.md").read_text(encoding="utf-8")
    described = set(re.findall(r"^\| `([A-Za-z_.]+)` \|", page, flags=re.MULTILINE))
    keys = {*MingPosition.__struct_fields__, *title.derived} - {"districts", "players"}
    keys |= {f"districts.ID.{key}" for key in vocabulary.District.__struct_fields__}
    keys |= {f"players.SEAT.{key}" for key in vocabulary.Player.__struct_fields__}
    assert described == keys
