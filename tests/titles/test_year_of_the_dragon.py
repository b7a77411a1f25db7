"""In the Year of the Dragon: what its cases cannot say, and that they say the rest."""

from __future__ import annotations

import re
import tomllib
from math import comb
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.engine.cases import run
from pbem.engine.chance import SeededChance
from pbem.engine.playout import playout
from pbem.engine.position import to_json
from pbem.engine.refusals import Malformed, Refusal
from pbem.engine.standin import StandIn
from pbem.engine.steps import first_step, play_step
from pbem.titles.year_of_the_dragon import PHASES, title, vocabulary
from pbem.titles.year_of_the_dragon.groups import cut
from pbem.titles.year_of_the_dragon.refusal_codes import AMBIGUOUS, CODES, ILLEGAL, MALFORMED
from pbem.titles.year_of_the_dragon.selections import MOST_CHOICES, Selections
from pbem.titles.year_of_the_dragon.sequence import phase_ids
from pbem.titles.year_of_the_dragon.set_up import lay_events
from pbem.titles.year_of_the_dragon.tables import ACTIONS, CARDS, DISPLAY, DRAWN_EVENTS, PERSONS, TILES
from pbem.titles.year_of_the_dragon.vocabulary import (
    Acted,
    Action,
    Declined,
    DragonPosition,
    Pass,
    Recruit,
    Recruited,
    Release,
    Resident,
    Retinue,
    RetinueTaken,
)
from tests.picking import every_pick

SEATS = ["an", "bo", "chen", "dai", "emil"]
ROOT = Path(__file__).parents[2]
RULES = ROOT / "docs" / "rules" / "year-of-the-dragon.md"
CASES = sorted((ROOT / "tests" / "cases" / title.slug).glob("*.toml"))


def position(phase: str, seats: int = 2, **keys: Any) -> DragonPosition:
    return title.read_position({"phase": phase, "seats": SEATS[:seats], **keys})


def complete(at: DragonPosition, order: Any, seat: str = "an") -> Any:
    phase = title.phase(at)
    assert phase is not None
    return phase.complete(at, seat, order)


# -- cases ----------------------------------------------------------------------------------------------------------------


def load(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    case = load(path)
    assert case["rule"] == path.stem
    assert re.fullmatch(r"[a-z0-9]+\.[a-z0-9-]+", case["rule"])
    run(case, title)


def test_every_refusal_and_every_event_has_a_case() -> None:
    cases = [load(path) for path in CASES]
    refused = {case["then"]["refused"]["code"] for case in cases if "refused" in case["then"]}
    assert sorted(set(CODES) - refused) == []
    assert sorted(refused - set(CODES) - {"unreadable"}) == []
    told: set[Any] = {event["event"] for case in cases for event in case["then"].get("events", [])}
    assert {kind.__struct_config__.tag for kind in title.events} - told == set()
    assert len(CASES) >= 110


def test_the_facts_of_refusals_are_those_listed() -> None:
    for case in map(load, CASES):
        if refused := case["then"].get("refused"):
            assert set(refused.get("facts", {})) <= set(CODES.get(refused["code"], ()))


def test_a_code_is_of_one_kind() -> None:
    assert len(CODES) == len(MALFORMED) + len(ILLEGAL) + len(AMBIGUOUS)


# -- the table of contents ------------------------------------------------------------------------------------------------


def test_phases() -> None:
    ids = phase_ids()
    assert ids[:8] == ("0.retinue", "1.groups", "1.action", "1.person", "1.event", "1.decay", "1.score", "2.groups")
    assert ids[-7:] == ("12.groups", "12.action", "12.event", "12.decay", "12.score", "12.end", "over")
    assert len(ids) == 1 + 12 * 6 + 1
    found = {phase.name for phase_id in ids[:-1] if (phase := title.phase_named(phase_id)) is not None}
    assert found == {phase.name for phase in PHASES}
    for phase_id in ("over", "12.person", "13.action", "1.end", "0.action", "1.retinue", "action", ""):
        assert title.phase_named(phase_id) is None, phase_id


@pytest.mark.parametrize(
    ("phase", "ahead"),
    [
        ("0.retinue", "0.retinue 1.action 1.person"),
        ("2.person", "2.person 3.action 3.person 3.event"),
        ("4.event", "4.event 5.action 5.person"),
        ("11.person", "11.person 11.event 12.action 12.event"),
        ("12.action", "12.action 12.event"),
        ("over", ""),
    ],
)
def test_ahead_leaves_out_events_that_ask_nobody(phase: str, ahead: str) -> None:
    keys: dict[str, Any] = {"players": {"an": {"due": 1, "palaces": {"1": {"persons": ["craftsman"]}}}}, "waiting": ["an"]}
    assert title.ahead(position(phase, **(keys if phase == "4.event" else {}))) == tuple(ahead.split())


def test_what_is_watched() -> None:
    acted = Acted(seat="an", action="taxes", group=1, cards=("taxes", "build"), gained=2, now=8)
    assert title.places(acted) == {"taxes", "build"}
    assert title.places(RetinueTaken(seat="an", persons=("young monk", "craftsman"), palaces=(1, 2), steps=8, space=8)) == {
        "monk", "craftsman",
    }  # fmt: skip
    assert title.places(Recruited(seat="an", card="wild", person="old monk", palace=1, steps=2, space=2)) == {"monk"}
    assert title.places(Declined(seat="an", card="monk", person="old monk")) == {"monk"}
    assert title.places(vocabulary.PeaceReigned()) == frozenset()
    assert title.known_places(position("1.action")) == {*ACTIONS, *PERSONS}


# -- set-up ---------------------------------------------------------------------------------------------------------------


@given(st.integers(0, 10_000))
def test_no_two_neighbours_of_the_year_are_alike(seed: int) -> None:
    year, _ = lay_events(SeededChance(seed))
    assert year[:2] == ("peace", "peace")
    assert {event: year.count(event) for event in DRAWN_EVENTS} == DRAWN_EVENTS
    assert all(year[at] != year[at + 1] for at in range(2, 11))


def test_months_10_and_11_swap_now_and_then() -> None:
    assert 0 < sum(lay_events(SeededChance(seed))[1] for seed in range(300)) < 150


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_groups_are_as_even_as_possible(players: int) -> None:
    sizes = [len(cards) for cards in cut(list(ACTIONS), players)]
    assert len(sizes) == players
    assert sum(sizes) == 7
    assert max(sizes) - min(sizes) <= 1
    assert sizes == sorted(sizes, reverse=True)


def test_tiles_never_run_out_before_the_cards_do() -> None:
    for players, tiles in DISPLAY.items():
        assert sum(tiles.values()) > players * (2 + 11)


# -- choices --------------------------------------------------------------------------------------------------------------


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), max_size=4), st.integers(0, 7))
def test_selections_are_all_there_are(sizes: list[list[int]], total: int) -> None:
    slots = [[(size, f"{slot}-{at}") for at, size in enumerate(options)] for slot, options in enumerate(sizes)]

    def by_hand(rest: list[list[tuple[int, str]]], left: int) -> list[list[str]]:
        if not rest:
            return [[]] if left == 0 else []
        return [[option, *more] for size, option in rest[0] if size <= left for more in by_hand(rest[1:], left - size)]

    expected = by_hand(slots, total)
    found = Selections(slots, total)
    assert found.count == len(expected)
    assert not found.sampled
    assert list(found) == expected


def test_very_many_choices_are_sampled_evenly() -> None:
    crowd = {str(number): {"floors": 3, "persons": ["craftsman", "court lady", "tax collector"]} for number in range(1, 7)}
    at = position("3.event", seats=5, players={"an": {"palaces": crowd, "yuan": 0, "due": 4}}, waiting=["an"])
    phase = title.phase(at)
    assert phase is not None
    assert phase.sampled(at, "an")
    choices = list(phase.choices(at, "an"))
    assert len(choices) == MOST_CHOICES == len(set(choices))
    gone = {each for order in choices if isinstance(order, Release) for each in order.persons}
    assert gone == {Resident(int(number), tile) for number in crowd for tile in ("craftsman", "court lady", "tax collector")}
    assert all(phase.complete(at, "an", order) == order for order in choices)
    picks = every_pick(phase, at, "an")
    assert len(set(picks)) == len(picks) == comb(18, 4)
    assert set(choices) <= set(picks)
    assert all(phase.complete(at, "an", order) == order for order in picks[::50])


def test_very_many_ways_to_build() -> None:
    persons = {"floors": 3, "persons": ["craftsman"] * 3}
    owned = {"1": persons, "2": persons, "3": persons, **{str(number): {"floors": 1} for number in range(4, 12)}}
    at = position("3.action", seats=5, players={"an": {"palaces": owned, "yuan": 0}})
    phase = title.phase(at)
    assert phase is not None
    assert phase.sampled(at, "an")
    builds = [order for order in phase.choices(at, "an") if isinstance(order, Action) and order.action == "build"]
    assert len(builds) == MOST_CHOICES == len(set(builds))
    assert all(phase.complete(at, "an", order) == order for order in builds)
    picks = every_pick(phase, at, "an")
    assert len(set(picks)) == len(picks) > 2 * MOST_CHOICES
    assert set(phase.choices(at, "an")) <= set(picks)
    assert all(phase.complete(at, "an", order) == order for order in picks[:: len(picks) // 100])


TWINS = {"1": {"floors": 1, "persons": ["young monk"]}, "2": {"floors": 2, "persons": ["craftsman", "young monk"]}}
"""Full, and to put a young monk where one lived comes to the same in both palaces."""


@pytest.mark.parametrize(
    ("phase", "keys"),
    [
        ("0.retinue", {"waiting": ["an"], "players": {"bo": {"palaces": {"1": {"persons": ["craftsman", "young monk"], "floors": 2}}}}}),
        ("3.action", {"players": {"an": {"yuan": 9}}, "dragons": {"bo": 1}}),
        ("3.action", {"players": {"an": {"yuan": 2}}, "dragons": {"bo": 1}}),
        ("3.action", {"players": {"an": {"yuan": 2}}, "dragons": {"bo": 2}}),
        ("3.action", {"players": {"an": {"yuan": 2, "palaces": TWINS}}}),
        ("3.person", {}),
        ("3.person", {"display": {"old monk": 1, "craftsman": 2}}),
        ("3.person", {"players": {"an": {"palaces": TWINS}}}),
        ("3.person", {"players": {"an": {"palaces": TWINS, "cards": {"monk": 1, "healer": 1}}}, "display": {"young monk": 1}}),
        ("3.person", {"players": {"an": {"palaces": {}}}}),
        ("3.event", {"players": {"an": {"palaces": TWINS, "due": 2}}, "waiting": ["an"]}),
        ("4.event", {"players": {"an": {"palaces": TWINS, "due": 1}}, "waiting": ["an"]}),
    ],
)
def test_what_is_picked_is_what_is_listed_in_the_same_order(phase: str, keys: dict[str, Any]) -> None:
    at = position(phase, **keys)
    rules = title.phase(at)
    assert rules is not None
    assert not rules.sampled(at, "an")
    picks = every_pick(rules, at, "an")
    assert picks == list(rules.choices(at, "an"))
    assert len(set(picks)) == len(picks)
    assert all(rules.complete(at, "an", order) == order for order in picks)


def test_palaces_lie_by_number_however_they_were_stored() -> None:
    owned = {str(number): {"floors": 3 if number == 2 else 1, "persons": ["craftsman"] * (number == 2)} for number in (9, 2, 10)}
    at = position("3.action", players={"an": {"palaces": owned}})
    assert b'{"10":' in to_json(at)
    again = msgspec.json.decode(to_json(at), type=DragonPosition)
    for each in (at, again, at.copy(), title.view(again, None)):
        assert list(each.players["an"].palaces) == ["2", "9", "10"]
    assert list(title.phase(at).choices(at, "an")) == list(title.phase(again).choices(again, "an"))  # type: ignore[union-attr]


# -- refusals -------------------------------------------------------------------------------------------------------------

NUMBERS = st.integers(-1, 6)
MAYBE = st.none() | NUMBERS
WORDS = st.sampled_from(["monk", "young monk", "old monk", "craftsman", "wild", "young", "old", "taxes", "build", "small", "nobody", ""])
RESIDENTS = st.lists(st.builds(Resident, palace=NUMBERS, person=WORDS), max_size=4).map(tuple)
ORDERS = st.one_of(
    st.builds(
        Retinue,
        persons=st.none() | st.lists(st.sampled_from([*PERSONS, "nobody"]), max_size=3).map(tuple),
        palaces=st.none() | st.lists(st.integers(0, 3), max_size=3).map(tuple),
    ),
    st.builds(
        Action,
        action=st.sampled_from([*ACTIONS, "nothing"]),
        group=MAYBE,
        floors=st.none() | st.lists(st.integers(-1, 4) | st.sampled_from(["new", "old"]), max_size=4).map(tuple),
        size=st.none() | WORDS,
    ),
    st.just(Pass()),
    st.builds(
        Recruit,
        card=st.sampled_from([*CARDS, "nobody"]),
        person=st.none() | st.sampled_from(PERSONS),
        age=st.none() | WORDS,
        palace=MAYBE,
        release=st.none() | st.sampled_from(TILES),
        decline=st.booleans(),
    ),
    st.builds(Release, persons=RESIDENTS, unsupplied=RESIDENTS),
)
FULL = {"1": {"floors": 2, "persons": ["young monk", "old monk"]}, "3": {"floors": 1, "persons": ["craftsman"]}}
PLACES = [
    position("0.retinue"),
    position("3.action", players={"an": {"palaces": FULL, "yuan": 4}}, dragons={"bo": 2}),
    position("3.person"),
    position("3.person", players={"an": {"palaces": FULL, "cards": {"wild": 1, "monk": 1}}}),
    position("3.person", players={"an": {"palaces": {}}}, display={"old monk": 1}),
    position("3.event", players={"an": {"palaces": FULL, "due": 2}}, waiting=["an"]),
    position("4.event", players={"an": {"palaces": FULL, "due": 1}}, waiting=["an"]),
]


@settings(max_examples=300, deadline=None)
@given(ORDERS, st.sampled_from(PLACES))
def test_any_order_is_completed_or_refused(order: Any, at: DragonPosition) -> None:
    before = to_json(at)
    phase = title.phase(at)
    assert phase is not None
    try:
        normal = phase.complete(at, "an", order)
    except Refusal as refusal:
        assert set(refusal.facts) == set(CODES[refusal.code])
    else:
        assert phase.complete(at, "an", normal) == normal
        if not phase.sampled(at, "an") and not (isinstance(normal, Action) and normal.action == "build"):
            assert normal in list(phase.choices(at, "an"))
        after = at.copy()
        phase.play(after, {"an": normal}, SeededChance(0))
        assert to_json(after) != before
    assert to_json(at) == before


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["an", "bo", "1", "monk", "old monk", "3.event", "wild"]),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["an", "1", "floors", "persons", "monk"]), inner, max_size=3)
        ),
        max_leaves=6,
    ),
    st.sampled_from([*DragonPosition.__struct_fields__, *(f"players.an.{key}" for key in vocabulary.Player.__struct_fields__)]),
    st.sampled_from(["0.retinue", "3.action", "3.person", "3.event", "4.event", "12.score"]),
)
def test_any_position_is_read_or_refused(value: Any, key: str, phase: str) -> None:
    table: dict[str, Any] = {"seats": SEATS[:2], "phase": phase}
    if key.startswith("players.an."):
        table["players"] = {"an": {key.rpartition(".")[2]: value}}
    else:
        table[key] = value
    try:
        at = title.read_position(table)
    except Malformed as refusal:
        assert refusal.code in CODES
        return
    playing = title.phase(at)
    assert playing is not None
    for seat in playing.asked(at):
        assert next(iter(playing.choices(at, seat)), None) is not None
        assert playing.complete(at, seat, playing.default(at, seat)) == playing.default(at, seat)


# -- options, stand-ins, files --------------------------------------------------------------------------------------------


def test_the_dearer_privilege_lasts_the_whole_game() -> None:
    last, steps = playout(title, vocabulary.Options(large_privilege=7), SEATS[:3], 9)
    bought = [event for step in steps for event in step.events if isinstance(event, Acted) and event.size == "large"]
    assert last.large_privilege == 7
    assert bought
    assert {event.price for event in bought} == {7}


@pytest.mark.parametrize("players", [2, 4])
def test_stand_ins_beat_chance_by_far(players: int) -> None:
    own = others = 0
    for seed in range(2):
        chance, seats = SeededChance(seed), SEATS[:players]
        at, _ = first_step(title, title.options(), seats, chance)
        mind = StandIn(title, "an", seed)
        while (phase := title.phase(at)) is not None:
            [seat] = phase.asked(at)
            choices = list(phase.choices(at, seat))
            order = mind.ranked(title.view(at, seat))[0] if seat == "an" else chance.roll(choices, "whim")
            play_step(title, at, {seat: order}, chance)
        own += at.players["an"].points
        others += max(at.players[seat].points for seat in seats[1:])
    assert own > others * 1.3


def test_results_while_the_game_runs() -> None:
    players = {"an": {"points": 4, "space": 3}, "bo": {"points": 4, "space": 9}, "chen": {"points": 2}}
    lines = title.result(position("3.action", seats=3, players=players))
    assert [(line.seat, line.points, line.place) for line in lines] == [("bo", 4, 1), ("an", 4, 2), ("chen", 2, 3)]
    assert lines[0].why == {"track": 9, "persons": 0}


def test_every_ruling_mark_is_a_ruling() -> None:
    text = RULES.read_text(encoding="utf-8")
    applies = text[text.index("## Set-up") :]
    marks = re.findall(r"\*\*\[[PB]\]\*\*", applies)
    page = (title.files / "docs" / "rulings.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^### (.+)$", page, flags=re.MULTILINE)) == title.rulings
    assert len(re.findall(r"^\[[PB]\] ", page, flags=re.MULTILINE)) == len(title.rulings) == len(marks)
    assert all(re.fullmatch(r"[a-z0-9-]+", anchor) for anchor in title.rulings)


def test_every_key_of_a_position_is_described() -> None:
    page = (title.files / "docs" / "positions.md").read_text(encoding="utf-8")
    described = set(re.findall(r"^\| `([A-Za-z_.]+)` \|", page, flags=re.MULTILINE))
    keys = {*DragonPosition.__struct_fields__, *title.derived} - {"players"}
    assert described == keys | {f"players.SEAT.{key}" for key in vocabulary.Player.__struct_fields__}
