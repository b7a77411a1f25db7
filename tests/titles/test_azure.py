"""Azure: what its cases cannot say."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.engine.chance import SeededChance
from pbem.engine.playout import any_choice, count_tree, playout
from pbem.engine.position import to_json
from pbem.engine.refusals import Refusal
from pbem.engine.steps import first_step, play_step
from pbem.titles.azure import PHASES, title
from pbem.titles.azure.beasts import guards
from pbem.titles.azure.bonds import bonds, cost, open_to
from pbem.titles.azure.hands import hand, holds, returnable
from pbem.titles.azure.lines import SPACES, TALLY_MASK, where
from pbem.titles.azure.realm import LastSums, Realm, realm
from pbem.titles.azure.refusal_codes import CODES, ILLEGAL, MALFORMED, nearest
from pbem.titles.azure.sequence import LAST_TURN, turn_of
from pbem.titles.azure.vocabulary import COLOURS, GIFTS, AzurePosition, Discard, Options, Place

SEATS = ("an", "bo")
OPTIONS = ("none", *GIFTS, "random")
RULES = Path(__file__).parents[2] / "docs" / "rules" / "azure.md"
TITLE_FILES = Path(str(title.files))


def position(**keys: Any) -> AzurePosition:
    found: AzurePosition = title.read_position({"seats": list(SEATS), **keys})
    return found


# -- the table of contents ------------------------------------------------------------------------------------------------


def test_phases() -> None:
    for number in (1, 2, 30):
        for phase in PHASES:
            assert title.phase_named(f"{number}.{phase.name}") is phase
    strange = ("", "over", "place", "0.place", "31.place", "01.place", "1.draw", "1.place.x", "-1.place", "٣.place", "99999999.place")
    for phase_id in strange:
        assert title.phase_named(phase_id) is None, phase_id
    assert LAST_TURN == 2 * (14 + 1)


@pytest.mark.parametrize(
    ("phase", "last"), [("1.place", 4), ("2.place", 4), ("3.discard", 6), ("4.discard", 6), ("29.place", 30), ("30.place", 30)]
)
def test_ahead(phase: str, last: int) -> None:
    ahead = title.ahead(position(phase=phase, players={seat: {"seen": {"black": 1}} for seat in SEATS}))
    assert ahead[0] == phase and ahead[-1] == f"{last}.discard"
    assert [turn_of(each) for each in ahead] == sorted(turn_of(each) for each in ahead)
    assert title.ahead(position(phase="over")) == ()


def test_the_rules_file_and_the_rulings_are_in_step() -> None:
    text = (TITLE_FILES / "docs" / "rulings.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^### (\S+)$", text, re.MULTILINE)) == title.rulings
    assert RULES.read_text(encoding="utf-8").count("**[P") >= 3


def test_every_key_of_a_position_is_described() -> None:
    text = (TITLE_FILES / "docs" / "positions.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `([a-z_A-Z.]+)` \|", text, re.MULTILINE))
    keys = {name for name in AzurePosition.__struct_fields__ if name != "players"}
    shown = title.show_position(playout(title, Options(), SEATS, 1)[0])
    keys |= {f"players.SEAT.{name}" for name in ("wisdom", "stones", "gifted", "seen", "secret", "secret_size")}
    assert told == keys | set(title.derived)
    assert set(shown) <= keys | set(title.derived) | {"players"}


def test_codes_are_told_apart_and_all_used() -> None:
    assert not set(MALFORMED) & set(ILLEGAL)
    source = "".join(path.read_text(encoding="utf-8") for path in TITLE_FILES.glob("*.py") if path.name != "refusal_codes.py")
    assert {code for code in CODES if f'"{code}"' not in source} == set()


def test_nearest_words() -> None:
    assert nearest("C4", SPACES) == "c4" and nearest(" Vermillion", COLOURS) == "vermilion" and nearest("junk", COLOURS) == ""
    assert nearest("x" * 100_000, COLOURS) == ""


# -- counted trees --------------------------------------------------------------------------------------------------------


def test_what_one_card_can_do() -> None:
    # one azure card: b3 and c2, the only azure spaces of one symbol
    assert count_tree(title, position(players={"an": {"seen": {"azure": 1}}}), 1) == 2


def test_what_every_hand_could_do() -> None:
    # 32 spaces are no mountains
    rich = {"seen": dict.fromkeys(COLOURS, 8)}
    assert count_tree(title, position(players={"an": rich}), 1) == 32
    # with a gifted stone too; of w7 the surcharge of two makes nine cards, one too many
    assert count_tree(title, position(gift="mighty", players={"an": rich}), 1) == 32 + 31


def test_a_boon_to_choose_makes_two_orders_of_one() -> None:
    # a gifted stone in b2 and one azure card: free b3 and c2 show qi only and are one order each, a2 and b1 show both kinds: two each;
    # the white e2 in line costs nothing; bo holds the Tortoise
    an = {"seen": {"azure": 1}, "gifted": "b2"}
    free = position(gift="bountiful", stones={"b2": "an"}, beasts={"tortoise": "bo"}, players={"an": an})
    assert count_tree(title, free, 1) == 2 + 2 * 2 + 1


@pytest.mark.parametrize(
    ("seen", "secret", "count"),
    [({"azure": 1}, {}, 1), ({"azure": 2}, {}, 1), ({"azure": 3}, {}, 1), ({"azure": 2}, {"white": 1}, 2),
     ({"azure": 1, "white": 1}, {"black": 1}, 3), ({"azure": 2, "white": 2}, {"black": 2, "vermilion": 2}, 10),
     ({"azure": 1, "white": 2, "black": 1}, {}, 4)],
)  # fmt: skip
def test_pairs_to_return(seen: dict[str, int], secret: dict[str, int], count: int) -> None:
    loser = position(phase="1.discard", beasts={"bird": "an"}, players={"bo": {"seen": seen, "secret": secret}})
    assert count_tree(title, loser, 1) == count


@pytest.mark.parametrize(("gift", "seed", "depth", "count"), [("none", 1, 3, 743), ("mighty", 2, 2, 108), ("bountiful", 3, 3, 452)])
def test_trees_in_random_games(gift: str, seed: int, depth: int, count: int) -> None:
    """Not worked out by hand: these pin what the rules give today."""
    chance, dice = SeededChance(f"{seed} tree"), random.Random(seed)  # noqa: S311 — a test's dice
    at, _ = first_step(title, Options(gifted=gift), SEATS, chance)
    for _ in range(8):
        phase = title.phase(at)
        assert phase is not None
        play_step(title, at, {seat: dice.choice(list(phase.choices(at, seat))) for seat in phase.asked(at)}, chance)
    assert count_tree(title, at, depth) == count


# -- rules along random games ---------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 10_000), gift=st.sampled_from(OPTIONS))
@settings(max_examples=5, deadline=None)
def test_choices_are_all_that_is_legal(seed: int, gift: str) -> None:
    chance, dice = SeededChance(seed), random.Random(seed)  # noqa: S311 — a test's dice
    at, _ = first_step(title, Options(gifted=gift), SEATS, chance)
    while (phase := title.phase(at)) is not None:
        [seat] = phase.asked(at)
        choices = list(phase.choices(at, seat))
        if phase.name == "place":
            written = [Place(space=s, gifted=g, boon=b) for s in SPACES for g in (False, True) for b in (None, "wisdom", "qi")]
        else:
            written = [Discard(cards=cards) for cards in _pairs()]
        legal = []
        for order in written:
            try:
                done = phase.complete(at, seat, order)
            except Refusal as refusal:
                assert refusal.code in CODES and set(refusal.facts) == set(CODES[refusal.code])
                continue
            if done not in legal:
                legal.append(done)
        assert sorted(map(to_key, legal)) == sorted(map(to_key, choices))
        assert [to_key(each) for each in choices] == sorted(map(to_key, choices), key=_rank)
        assert at.players[seat].stones >= 0 and turn_of(at.phase) <= LAST_TURN
        play_step(title, at, {seat: dice.choice(choices)}, chance)
    assert at.winner in SEATS
    for line in title.result(at):
        assert line.place == (1 if line.seat == at.winner else 2)


def to_key(order: Any) -> tuple[str, ...]:
    if isinstance(order, Discard):
        return ("discard", *order.cards)
    return ("place", order.space, "gifted" if order.gifted else "", order.boon or "")


def _rank(key: tuple[str, ...]) -> tuple[Any, ...]:
    if key[0] == "discard":
        return tuple(COLOURS.index(card) for card in key[1:])
    return (SPACES.index(key[1]), key[2], {"": 0, "wisdom": 0, "qi": 1}[key[3]])


def _pairs() -> list[tuple[str, ...]]:
    pairs = [(one, two) for at, one in enumerate(COLOURS) for two in COLOURS[at:]]
    return [(), *((one,) for one in COLOURS), *pairs]


@given(seed=st.integers(0, 10_000))
@settings(max_examples=5, deadline=None)
def test_silence_pays_as_little_as_possible(seed: int) -> None:
    seen: list[tuple[AzurePosition, str]] = []

    def silent(dice: Any, phase: Any, view: AzurePosition, seat: str) -> Any:
        seen.append((view, seat))
        return phase.default(view, seat)

    playout(title, Options(), SEATS, seed, silent)
    for view, seat in seen:
        phase = title.phase(view)
        assert phase is not None
        order = phase.default(view, seat)
        if isinstance(order, Place):
            paid = {space: cost(view, seat, space).cards for space in open_to(view, seat)}
            assert paid[order.space] == min(paid.values())
            assert order.space == next(space for space in SPACES if paid.get(space) == min(paid.values()))


COUNTS = st.sampled_from(COLOURS)


@given(seen=st.dictionaries(COUNTS, st.integers(1, 6)), secret=st.dictionaries(COUNTS, st.integers(1, 3)))
@settings(max_examples=50, deadline=None)
def test_ways_to_return_are_sorted_and_different(seen: dict[str, int], secret: dict[str, int]) -> None:
    at = position(phase="1.discard", players={"bo": {"seen": seen, "secret": secret}})
    for looker in ("bo", None):
        ways = list(returnable(title.view(at, looker), "bo", min(2, sum(hand(at, "bo").values()))))
        assert len(set(ways)) == len(ways)
        assert ways == sorted(ways, key=lambda way: [COLOURS.index(card) for card in way])
        assert set(returnable(at, "bo", 2)) <= set(ways) or sum(hand(at, "bo").values()) < 2


def test_a_hidden_hand_is_estimated_from_above() -> None:
    at = position(players={"an": {"seen": {"azure": 1}, "secret": {"white": 2}}, "bo": {"secret": {"black": 1}}})
    assert [holds(title.view(at, "bo"), "an", colour) for colour in COLOURS] == [1 + 2, 2, 2, 2]
    assert [holds(title.view(at, "an"), "an", colour) for colour in COLOURS] == [1, 2, 0, 0]


def test_copies_are_quick_and_whole() -> None:
    at = playout(title, Options(gifted="mighty"), SEATS, 3)[0]
    assert to_json(at.copy()) == to_json(at)
    assert at.copy().players["an"] is not at.players["an"]


def test_what_chance_decides_in_set_up_is_decided_fairly() -> None:
    starts, corners, gifts = set(), set(), set()
    for seed in range(60):
        at, _ = first_step(title, Options(gifted="random"), SEATS, SeededChance(seed))
        starts.add(at.start)
        corners.add(at.realm[0])
        gifts.add(at.gift)
        assert realm(*at.realm)
    assert starts == set(SEATS) and gifts == set(GIFTS) and len(corners) > 20


# -- the stand-in player --------------------------------------------------------------------------------------------------


def one_step_ahead(dice: random.Random, phase: Any, view: AzurePosition, seat: str) -> Any:
    whole = title.imagine(view, seat, SeededChance(dice.random()))
    scored = []
    for order in phase.choices(view, seat):
        probe = whole.copy()
        phase.play(probe, {seat: order}, SeededChance(0))
        scored.append((title.worth(probe, seat), dice.random(), order))
    return max(scored, key=lambda each: each[:2])[2]


def test_the_stand_in_beats_chance_by_far() -> None:
    won = 0
    for seed in range(12):
        me = SEATS[seed % 2]

        def choose(dice: random.Random, phase: Any, view: AzurePosition, seat: str, me: str = me) -> Any:
            return one_step_ahead(dice, phase, view, seat) if seat == me else dice.choice(list(phase.choices(view, seat)))

        last, _ = playout(title, Options(), SEATS, seed, choose)
        won += last.winner == me
    assert won >= 11


def test_worth_knows_who_has_won() -> None:
    over = position(phase="over", winner="bo", players={"an": {"wisdom": 24}})
    assert title.worth(over, "bo") > 100_000 > -100_000 > title.worth(over, "an")
    stuck = position(phase="2.place", players={"an": {"seen": {"azure": 1}}})
    assert title.worth(stuck, "an") > 100_000 > -100_000 > title.worth(stuck, "bo")


def looked_along(laid: Realm, space: str, steps: list[tuple[int, int]]) -> Iterator[str]:
    """Spaces in these directions as the rules have it: one after the other, up to the first mountain."""
    for right, down in steps:
        at = space
        while True:
            at = chr(ord(at[0]) + right) + str(int(at[1:]) + down)
            if at not in laid.spaces:
                break
            yield at
            if laid.spaces[at].mountain:
                break


@pytest.mark.parametrize("gift", ["none", *GIFTS])
def test_bonds_are_stones_in_line(gift: str) -> None:
    straight, slanting = [(0, 1), (0, -1), (1, 0), (-1, 0)], [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    bound = 0
    for seed in range(3):
        last, _ = playout(title, Options(gifted=gift), SEATS, seed)
        laid = realm(*last.realm)
        for seat, space in product(SEATS, SPACES):
            in_line = [at for at in looked_along(laid, space, straight) if last.stones.get(at) == seat]
            gifted = last.players[seat].gifted
            if gift == "mighty":
                in_line += [at for at in in_line if at == gifted]
            if gift == "perceptive":
                in_line += [at for at in looked_along(laid, space, slanting) if at == gifted]
            if not laid.spaces[space].mountain:
                assert bonds(last, laid, seat, space) == len(in_line)
                bound += len(in_line)
    assert bound > 100


@pytest.mark.parametrize("gift", ["none", *GIFTS])
def test_guards_are_the_same_however_they_are_counted(gift: str) -> None:
    chance, dice, counted = SeededChance(f"{gift} guards"), random.Random(gift), 0  # noqa: S311 — a test's dice
    at, _ = first_step(title, Options(gifted=gift), SEATS, chance)
    while (phase := title.phase(at)) is not None:
        play_step(title, at, {seat: phase.pick(at, seat, dice.randrange) for seat in phase.asked(at)}, chance)
        laid = realm(*at.realm)
        sums, free = laid.sums.of(at.stones)
        assert where(free, SPACES) == [space for space, it in laid.spaces.items() if not it.mountain and space not in at.stones]
        for seat, (beast, place) in product(SEATS, laid.guards_at.items()):
            assert sums.get(seat, 0) >> place & TALLY_MASK == guards(at, beast, seat)
            counted += guards(at, beast, seat)
    assert counted > 100


def test_what_stones_come_to_is_of_these_stones_whatever_was_done_to_them() -> None:
    at, _ = playout(title, Options(gifted="mighty"), SEATS, 3)
    laid = realm(*at.realm)
    for space, owner in list(at.stones.items()):
        probe = at.copy()
        for _ in range(2):
            probe.stones[space] = SEATS[SEATS.index(probe.stones[space]) - 1]
            for seat in SEATS:
                assert laid.sums.of(probe.stones)[0].get(seat, 0) == sum(laid.tally[it] for it, of in probe.stones.items() if of == seat)
        assert probe.stones[space] == owner
        del probe.stones[space]
        assert laid.sums.of(probe.stones) == LastSums(laid.tally, laid.land).of(probe.stones) != laid.sums.of(at.stones)


@pytest.mark.parametrize("gift", ["none", *GIFTS])
def test_open_spaces_are_those_that_can_be_paid_for(gift: str) -> None:
    seen: list[AzurePosition] = []

    def watch(dice: random.Random, phase: Any, view: AzurePosition, seat: str) -> Any:
        seen.append(view)
        return any_choice(dice, phase, view, seat)

    playout(title, Options(gifted=gift), SEATS, 3, watch)
    refused = 0
    for view in seen:
        for seat, gifted in product(SEATS, (False, True)):
            free = [space for space, it in realm(*view.realm).spaces.items() if not it.mountain and space not in view.stones]
            prices = {space: cost(view, seat, space, gifted) for space in free}
            payable = [space for space, price in prices.items() if price.cards <= holds(view, seat, price.colour)]
            assert open_to(view, seat, gifted) == payable
            refused += len(free) - len(payable)
    assert refused
