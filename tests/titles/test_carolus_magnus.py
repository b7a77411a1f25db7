"""Carolus Magnus: its cases, and what they cannot say."""

from __future__ import annotations

import re
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.engine.cases import run
from pbem.engine.chance import ScriptedChance, SeededChance
from pbem.engine.contest import contest
from pbem.engine.playout import playout
from pbem.engine.position import to_json
from pbem.engine.refusals import Illegal, Malformed, Refusal
from pbem.titles.carolus_magnus import PHASES, title, vocabulary
from pbem.titles.carolus_magnus.court import first_at_court
from pbem.titles.carolus_magnus.refusal_codes import CODES, ILLEGAL, MALFORMED
from pbem.titles.carolus_magnus.ring import index_of, region_of
from pbem.titles.carolus_magnus.sides import sides
from pbem.titles.carolus_magnus.vocabulary import CLANS, CarolusPosition, Crowns, Disc, Options, Put, Turn
from pbem.titles.carolus_magnus.ways import MOST_TURNS, way, ways_to_play
from tests.picking import every_pick

SEATS = ["an", "bo", "chen", "dai"]
ROOT = Path(__file__).parents[2]
RULES = ROOT / "docs" / "rules" / "carolus-magnus.md"
FILES = sorted((ROOT / "tests" / "cases" / "carolus-magnus").glob("*.toml"))
NO_WAY_TO_WRITE = {"unreadable"}  # how a case says that an order cannot be converted at all


def position(phase: str, seats: int = 2, **keys: Any) -> CarolusPosition:
    return title.read_position({"phase": phase, "seats": SEATS[:seats], **keys})


def load(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


# -- cases ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    case = load(path)
    assert case["rule"] == path.stem
    run(case, title)


def test_there_are_many() -> None:
    assert len(FILES) >= 150


def test_every_refusal_has_a_case() -> None:
    refused = {case["then"]["refused"]["code"] for case in map(load, FILES) if "refused" in case["then"]}
    assert set(CODES) - refused == set()
    assert refused - set(CODES) == NO_WAY_TO_WRITE


def test_every_event_has_a_case() -> None:
    told: set[Any] = {event["event"] for case in map(load, FILES) for event in case["then"].get("events", []) if "event" in event}
    assert {event.__struct_config__.tag for event in title.events} - told == set()


def test_every_end_and_every_why_has_a_case() -> None:
    events = [event for case in map(load, FILES) for event in case["then"].get("events", [])]
    assert {event["why"] for event in events if event["event"] == "game-over" and "why" in event} == {
        "castles", "limit", "regions", "reserves",
    }  # fmt: skip
    assert {event["why"] for event in events if event["event"] == "judged" and "why" in event} == {
        "builds", "takes", "own", "tie", "nobody",
    }  # fmt: skip


# -- the table of contents ------------------------------------------------------------------------------------------------


def test_every_phase_is_found_by_its_ids() -> None:
    found = [title.phase_named(phase_id) for phase_id in ("0.crowns", "1.disc", "12.turn", "12.crowns")]
    assert {phase.name for phase in found if phase} == {phase.name for phase in PHASES}
    for phase_id in ("over", "0.disc", "0.turn", "01.disc", "1.move", "disc", "1", "", "-1.disc", "٣.disc", "1.disc.x", "9" * 50 + ".disc"):
        assert title.phase_named(phase_id) is None, phase_id


@pytest.mark.parametrize(
    ("phase", "keys", "ahead"),
    [
        ("0.crowns", {"players": {"an": {"crowns": 1}}}, "0.crowns 1.disc 1.turn 1.crowns"),
        ("3.disc", {}, "3.disc 3.turn 3.crowns 4.disc 4.turn 4.crowns"),
        ("3.turn", {}, "3.turn 3.crowns 4.disc 4.turn 4.crowns"),
        ("3.crowns", {"players": {"an": {"crowns": 1}}}, "3.crowns 3.turn 4.disc 4.turn 4.crowns"),
        ("3.crowns", {"players": {"bo": {"crowns": 1}}}, "3.crowns 4.disc 4.turn 4.crowns"),
        ("over", {}, ""),
    ],
)
def test_ahead(phase: str, keys: dict[str, Any], ahead: str) -> None:
    assert title.ahead(position(phase, **keys)) == tuple(ahead.split())


def test_everything_is_open() -> None:
    at = position("3.turn", players={"an": {"reserve": {"red": 3}, "court": {"blue": 1}}, "bo": {"reserve": {"pink": 2}}})
    assert title.view(at, None) == title.view(at, "bo") == at
    assert title.secrets(at) == {}


def test_results_while_the_game_runs() -> None:
    at = position("3.turn", 3, regions=[{"lands": [4], "castles": {"bo": 1}}], players={"chen": {"court": {"red": 1}}})
    lines = title.result(at)
    assert [(line.seat, line.points, line.place) for line in lines] == [("bo", 1, 1), ("chen", 0, 2), ("an", 0, 3)]
    assert lines[1].why == {"clans": 1, "castles-left": 8}


def test_watch_knows_regions_and_courts() -> None:
    played = vocabulary.Played(seat="an", court={"red": 2}, lands=(vocabulary.Placed(lands=(15, 1), clan="blue", count=1),))
    assert title.places(played) == {"red", "15", "1"}
    assert title.actor(played) == "an"
    moved = vocabulary.EmperorMoved(seat="an", steps=2, start=(1,), lands=(3, 4))
    assert title.places(moved) == {"1", "3", "4"}
    assert title.places(vocabulary.DiscLaid(seat="an", value=3)) == frozenset()


# -- refusals -------------------------------------------------------------------------------------------------------------


def complete(at: CarolusPosition, order: Any, seat: str = "an") -> Any:
    phase = title.phase(at)
    assert phase is not None
    return phase.complete(at, seat, order)


def test_codes_are_malformed_or_illegal_but_not_both() -> None:
    assert not set(MALFORMED) & set(ILLEGAL)
    assert set(CODES) == set(MALFORMED) | set(ILLEGAL)


WORDS = st.sampled_from([*CLANS, "crown", "", "redd"])
MANY = st.lists(WORDS, max_size=4).map(tuple)
ORDERS = st.one_of(
    st.builds(Crowns, colours=MANY),
    st.builds(Disc, value=st.integers(-1, 7)),
    st.builds(
        Turn, court=MANY, lands=st.lists(st.builds(Put, to=st.integers(-1, 17), clan=WORDS), max_size=3).map(tuple),
        emperor=st.integers(-1, 7), crowns=MANY,
    ),
)  # fmt: skip
PLACES = {
    phase: position(
        phase, 3, regions=[{"lands": [14, 15, 1, 2], "castles": {"bo": 4}}], supply={"red": 1, "blue": 2},
        players={
            "an": {"reserve": {"red": 2, "blue": 2, "pink": 1}, "disc": 0 if phase == "2.disc" else 3, "used": [1],
                   "crowns": 2 if phase.endswith("crowns") else 0},
        },
    )
    for phase in ("0.crowns", "2.disc", "3.turn", "3.crowns")
}  # fmt: skip


@given(st.sampled_from(sorted(PLACES)), ORDERS, st.sampled_from(SEATS[:3]))
def test_any_order_is_taken_or_refused_with_the_listed_facts(phase: str, order: Any, seat: str) -> None:
    at = PLACES[phase]
    before = to_json(at)
    try:
        normal = complete(at, order, seat)
    except Refusal as refusal:
        kind = MALFORMED if isinstance(refusal, Malformed) else ILLEGAL
        assert isinstance(refusal, Malformed | Illegal)
        assert set(refusal.facts) == set(kind[refusal.code]), refusal.code
        assert refusal.field == "" or refusal.field.split("[")[0].split(".")[0] in {*order.__struct_fields__, "do"}
    else:
        assert complete(at, normal, seat) == normal
    assert to_json(at) == before


# A position's keys with values that a case might hold by mistake: whatever it is, it is read or refused.
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 50) | st.sampled_from([*SEATS, *CLANS, "", "3.turn"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*SEATS, *CLANS, "lands", "castles"]), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*CarolusPosition.__struct_fields__, "x"]), JUNK, max_size=4), st.sampled_from([None, 2, 4]))
@settings(deadline=None)
def test_any_table_is_a_position_or_refused(table: dict[str, Any], seats: int | None) -> None:
    if seats is not None:
        table = {"phase": "3.turn", **table, "seats": SEATS[:seats]}
    try:
        at = title.read_position(table)
    except Malformed as refusal:
        assert set(refusal.facts) == set(MALFORMED[refusal.code])
    else:
        shown = title.show_position(at)
        assert title.read_position({key: value for key, value in shown.items() if key not in title.derived}) == at


@pytest.mark.parametrize(
    "keys",
    [
        {"seats": ["an", "an"]},
        {"regions": [{"lands": []}]},
        {"regions": [{"lands": [0]}]},
        {"regions": [{"lands": [3, 2]}]},
        {"regions": [{"lands": [3, 4]}, {"lands": [4, 5]}]},
        {"regions": [{"lands": [3], "paladins": {"red": -1}}]},
        {"emperor": 16},
        {"order": ["bo"]},
        {"players": {"an": {"disc": 7}}},
        {"players": {"an": {"used": [1, 1]}}},
        {"phase": "3.crowns"},
        {"phase": "3.disc", "players": {"an": {"disc": 1}, "bo": {"disc": 2}}},
    ],
)
def test_positions_that_cannot_be(keys: dict[str, Any]) -> None:
    with pytest.raises(Malformed) as refusal:
        title.read_position({"phase": "3.turn", "seats": SEATS[:2], **keys})
    assert refusal.value.code == "position-unreadable"


# -- the many ways of a turn ----------------------------------------------------------------------------------------------


@given(
    st.dictionaries(st.sampled_from(CLANS), st.integers(1, 9), min_size=1),
    st.integers(1, 4),
    st.lists(st.integers(1, 15), max_size=3, unique=True),
)
@settings(deadline=None, max_examples=30)
def test_ways_have_a_number_each(reserve: dict[str, int], number: int, lands: list[int]) -> None:
    number = min(number, sum(reserve.values()))
    places = [0, *lands]
    total = ways_to_play(reserve, number, len(places))
    found = [way(reserve, number, places, index) for index in range(total)]
    assert len(set(found)) == total
    for each in found:
        assert len(each) == number
        assert all(place in places for place, _ in each)
        assert all([clan for _, clan in each].count(CLANS.index(clan)) <= have for clan, have in reserve.items())


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_full_reserve_is_sampled(seats: int) -> None:
    reserve = dict.fromkeys(CLANS, 2)
    at = position("3.turn", seats, players={"an": {"reserve": reserve, "disc": 4}})
    phase = title.phase(at)
    assert phase is not None
    choices = [order for order in phase.choices(at, "an") if isinstance(order, Turn)]
    assert phase.sampled(at, "an")
    assert 200 <= len(choices) <= MOST_TURNS
    assert len(set(choices)) == len(choices)
    assert {order.emperor for order in choices} == {1, 2, 3, 4}
    assert {clan for order in choices for clan in order.court} == set(CLANS)
    assert {put.to for order in choices for put in order.lands} == set(range(1, 16))


def test_any_of_all_turns_may_be_picked() -> None:
    reserve = {"red": 2, "blue": 1}
    regions = [{"lands": list(range(1, 9))}, {"lands": list(range(9, 12))}, {"lands": list(range(12, 14))}, {"lands": [14, 15]}]
    at = position("3.turn", 4, players={"an": {"reserve": reserve, "disc": 3}}, regions=regions)
    phase = title.phase(at)
    assert phase is not None
    found = every_pick(phase, at, "an")
    # two red ones on any of five places, court included, and a blue one; the Emperor goes up to three steps
    assert len(set(found)) == len(found) == 3 * 15 * 5
    assert all(phase.complete(at, "an", order) == order for order in found)
    assert set(phase.choices(at, "an")) <= set(found)


def test_without_paladins_nothing_is_left_out() -> None:
    at = position("3.turn", players={"an": {"disc": 4}})
    phase = title.phase(at)
    assert phase is not None
    assert not phase.sampled(at, "an")
    assert list(phase.choices(at, "an")) == [Turn(emperor=steps) for steps in (1, 2, 3, 4)]


def test_the_normal_form_of_a_turn() -> None:
    at = position("3.turn", regions=[{"lands": [14, 15, 1]}], players={"an": {"reserve": {"red": 1, "pink": 2}}})
    written = Turn(court=("pink",), lands=(Put(to=15, clan="pink"), Put(to=1, clan="red")), emperor=1, crowns=("pink", "blue"))
    normal = Turn(court=("pink",), lands=(Put(to=14, clan="red"), Put(to=14, clan="pink")), emperor=1, crowns=("pink", "blue"))
    assert complete(at, written) == normal


def test_a_turn_without_paladins_plays_and_rolls_nothing() -> None:
    at = position("3.turn", players={"bo": {"reserve": {"red": 1}}})
    phase = title.phase(at)
    assert phase is not None
    events = phase.play(at, {"an": Turn(emperor=1)}, ScriptedChance([]))
    assert [type(event).__name__ for event in events] == ["EmperorMoved", "Judged"]


# -- along whole games ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_what_holds_in_every_position(seats: int) -> None:
    seen: list[CarolusPosition] = []

    def choose(dice: Any, phase: Any, view: Any, seat: str) -> Any:
        seen.append(view)
        return dice.choice(list(phase.choices(view, seat)))

    last, _ = playout(title, Options(), SEATS[:seats], 7, choose)
    for at in [*seen, last]:
        lands = [land for region in at.regions for land in region.lands]
        assert sorted(lands) == list(range(1, 16))
        assert all(len(region.castles) <= 1 for region in at.regions) or at.phase == "over"
        assert at.emperor in {region.lands[0] for region in at.regions}
        # whoever has strictly most of a clan at court controls it, at any time
        assert all(at.control.get(clan) == first for clan in CLANS if (first := first_at_court(at, clan)[0]) is not None)
        for one, other in pairwise([*at.regions, at.regions[0]]):
            assert not set(one.castles) & set(other.castles) or at.phase == "over", "neighbours of one side have merged"


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_when_all_are_silent_it_ends_too(seats: int) -> None:
    last, _ = playout(title, Options(), SEATS[:seats], 1, lambda dice, phase, view, seat: phase.default(view, seat))
    assert last.phase == "over"


def test_chance_is_asked_for_by_what_it_decides() -> None:
    labels: list[str] = []

    class Listening(SeededChance):
        def number(self, below: int, label: str, seat: str | None = None) -> int:
            labels.append(label)
            return super().number(below, label, seat)

    title.set_up(Options(), SEATS[:2], Listening(1))
    assert set(labels) == {
        "paladins on the territories", "the Emperor's territory", "first reserve of an", "first reserve of bo", "order of the first discs",
    }  # fmt: skip
    assert labels.count("first reserve of an") == 7


def test_a_turn_without_its_dice_changes_nothing() -> None:
    at = position("3.turn", regions=[{"lands": [2], "paladins": {"red": 1}}], players={"an": {"reserve": {"red": 3}}})
    before = to_json(at)
    phase = title.phase(at)
    assert phase is not None
    with pytest.raises(ValueError, match="refill of an"):
        phase.play(at, {"an": Turn(court=("red", "red", "red"), emperor=1)}, ScriptedChance(["red", "blue"]))
    assert to_json(at) == before


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_no_turn_without_its_dice_changes_anything(seats: int) -> None:
    """Along whole games: paladins at courts and on the ring, control, castles built and exchanged, regions merged."""
    happened = set[str]()

    def choose(dice: Any, phase: Any, view: Any, seat: str) -> Any:
        if not isinstance(order := phase.pick(view, seat, dice.randrange), Turn):
            return order
        for orders in (order, Turn(court=tuple(sorted([*order.court, *[each.clan for each in order.lands]], key=CLANS.index)), emperor=1)):
            at, whole = view.copy(), view.copy()
            happened.update(type(event).__name__ for event in phase.play(whole, {seat: orders}, SeededChance(1)))
            if whole.phase != "over" and (orders.court or orders.lands):
                with pytest.raises(ValueError, match="refill of"):
                    phase.play(at, {seat: orders}, ScriptedChance([]))
                assert at == view
        return order

    for seed in (1, 2, 3):
        playout(title, Options(), SEATS[:seats], seed, choose)
    assert happened >= {"Played", "ControlTaken", "Built", "Exchanged", "Merged", "Refilled"}


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_territory_is_found_in_its_region(seats: int) -> None:
    over_the_end = 0

    def choose(dice: Any, phase: Any, view: Any, seat: str) -> Any:
        nonlocal over_the_end
        for land in range(1, 16):
            assert land in region_of(view, land).lands
            assert view.regions[index_of(view, land)] is region_of(view, land)
            over_the_end += land < region_of(view, land).lands[0]
        return phase.pick(view, seat, dice.randrange)

    for seed in range(12):
        playout(title, Options(), SEATS[:seats], seed, choose)
    assert over_the_end


@pytest.mark.parametrize("seats", [2, 3])
def test_stand_ins_are_far_better_than_chance(seats: int) -> None:
    result = contest(title, Options(), SEATS[:seats], games=seats, seed="fair", seconds=0.02)
    assert result.won == seats


def test_partners_are_judged_together() -> None:
    at = position("3.turn", 4, regions=[{"lands": [4], "castles": {"chen": 1}}])
    assert sides(at) == [("an", "chen"), ("bo", "dai")]
    assert title.worth(at, "an") == title.worth(at, "chen") > title.worth(at, "bo") == title.worth(at, "dai")


# -- rulings and files ----------------------------------------------------------------------------------------------------


def test_every_ruling_mark_is_a_ruling() -> None:
    text = RULES.read_text(encoding="utf-8")
    marks = re.findall(r"\*\*\[P\]\*\*", text[text.index("## Set-up") :])
    page = (title.files / "docs" / "rulings.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^### (.+)$", page, flags=re.MULTILINE)) == title.rulings
    assert len(title.rulings) == len(marks)
    assert all(re.fullmatch(r"[a-z0-9-]+", anchor) for anchor in title.rulings)


def test_every_key_of_a_position_is_described() -> None:
    page = (title.files / "docs" / "positions.md").read_text(encoding="utf-8")
    described = set(re.findall(r"^\| `([A-Za-z_.\[\]]+)` \|", page, flags=re.MULTILINE))
    keys = {*CarolusPosition.__struct_fields__, *title.derived} - {"players"}
    keys |= {f"regions[].{key}" for key in vocabulary.Region.__struct_fields__}
    keys |= {f"players.SEAT.{key}" for key in vocabulary.Player.__struct_fields__}
    assert described == keys


def test_whose_turn_is_still_to_come_is_known() -> None:
    """Silence may end the game at once, and yet the others have to be told that their turn may come."""
    here = position("4.turn", 3, order=["bo", "chen", "an"], turn="chen")
    assert [seat for seat in here.order if title.in_turn(here, seat) is not None] == ["chen", "an"]
    probe = title.in_turn(here, "an")
    assert probe is not None
    assert title.phase(probe).asked(probe) == ("an",)
    assert title.in_turn(position("4.disc", 3), "bo") is None
