"""The same order files in the same order give the same game, however processing is cut."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.campaign.history import Step
from pbem.campaign.intake import Incoming, answer
from pbem.campaign.plans import Plan
from pbem.campaign.replay import replay_as_processor
from pbem.campaign.table import Table
from pbem.campaign.turn import play
from pbem.engine.chance import SeededChance
from pbem.engine.position import digest
from pbem.orders.plans import Planned

from ..helpers import HOUR, Campaign, joined_campaign
from .toy import HEAPS, PHASES, Bid, Take, Toy

SEATS = ("an", "bo", "chen")
SEEDS = st.integers(0, 2**32)


def _toy_plan(dice: random.Random, seat: str, phase: str, revision: int = 1) -> Plan:
    def order() -> Any:
        return Take(dice.choice(HEAPS)) if phase.endswith("take") else Bid(dice.randint(0, 3))

    lines = tuple(
        Planned(
            orders=tuple(order() for _ in range(dice.randint(1, 3))), otherwise=dice.choice(["ask", "skip", "default"]),
            watch=(dice.choice(HEAPS),) if dice.random() < 0.2 else (), at=f"orders[{number}]",
        )
        for number in range(dice.randint(0, 4))
    )  # fmt: skip
    then = dice.choice(["ask", "pass", "default"])
    return Plan(file=f"{seat} {phase} {revision}", seat=seat, phase=phase, after_step=1, plans=lines, then=then)


def _toy_files(dice: random.Random) -> list[Plan]:
    """Plans in the order they come: any order, but nothing is revised once an, who is asked first, has filed for 1.take."""
    places = [(seat, phase) for seat in SEATS for phase in PHASES if (seat, phase) != ("an", "1.take")]
    dice.shuffle(places)
    before = places[: dice.randint(0, len(places))]
    files = [_toy_plan(dice, *place) for place in before]
    files += [_toy_plan(dice, *place, revision=2) for place in before if dice.random() < 0.2]
    return [*files, _toy_plan(dice, "an", "1.take"), *(_toy_plan(dice, *place) for place in places[len(before) :])]


def _toy_game(files: Sequence[Plan], cuts: set[int], seed: int) -> tuple[list[Step], bytes]:
    """The whole game: files laid down one by one, played on where it is cut, all phases closed one by one in the end."""
    table = Table(title=Toy())
    desk: dict[tuple[str, str], Plan] = {}
    steps = [table.set_up(msgspec.Struct(), SEATS, lambda step, _: SeededChance(f"{seed} {step}"))]

    def on(closing: str | None) -> None:
        chance = lambda step, before: SeededChance(f"{seed} {step} {before().hex()}")  # noqa: E731
        steps.extend(table.play_on(lambda seat, phase: desk.get((seat, phase)), chance, closing))

    for number, plan in enumerate(files):
        if table.phase() is None or PHASES.index(plan.phase) < PHASES.index(table.position.phase):
            continue  # the phase has been played: the file is refused, and would have played nothing either
        desk[(plan.seat, plan.phase)] = plan
        if number in cuts:
            on(None)
    while table.phase() is not None:
        on(table.position.phase)
    return steps, digest(table.position)


def _some(dice: random.Random, files: Sequence[Any]) -> set[int]:
    return {number for number in range(len(files)) if dice.random() < 0.4}


@given(seed=SEEDS)
@settings(max_examples=300, deadline=None)
def test_however_processing_is_cut_the_game_is_the_same(seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311 — repeatable
    files = _toy_files(dice)
    never = _toy_game(files, set(), seed)
    always = _toy_game(files, set(range(len(files))), seed)
    now_and_then = _toy_game(files, _some(dice, files), seed)
    assert never == always == now_and_then


def test_the_games_above_hold_every_reason_for_an_order() -> None:
    found: set[str] = set()
    for seed in range(40):
        files = _toy_files(random.Random(seed))  # noqa: S311 — repeatable
        found |= {decision.why for step in _toy_game(files, set(range(len(files))), seed)[0] for decision in step.decisions}
    assert found == {"plan", "then", "otherwise", "forced", "silence", "stopped"}


@pytest.mark.parametrize("filed_after", [0, 1], ids=["before", "after"])
def test_a_forced_decision_uses_up_one_line_whenever_the_plan_came(filed_after: int) -> None:
    """The first turn leaves no choice. A plan that was written before it plays its second line in the second turn, never its first."""
    table = Table(title=Toy())
    table.set_up(msgspec.Struct(), ("an",), lambda *_: _Always(0))
    table.position.heaps = {"x": 3}
    lines = tuple(Planned((Take(heap),), at=f"orders[{number}]") for number, heap in enumerate("zyx"))
    plan = Plan(file="f", seat="an", phase="1.take", after_step=1, plans=lines)
    desk: list[Plan] = []
    steps: list[Step] = []
    for number in range(2):
        if number == filed_after:
            desk.append(plan)
        steps += table.play_on(lambda seat, phase: desk[0] if desk and phase == "1.take" else None, lambda *_: _Always(1), None)
    played = [(decision.order, decision.why) for step in steps for decision in step.decisions]
    assert played == [(Take("x"), "forced"), (Take("y"), "plan"), (Take("x"), "plan")]


class _Always(SeededChance):
    """Every draw has the same outcome: 1 lets heap y grow."""

    def __init__(self, outcome: int) -> None:
        super().__init__(0)
        self._outcome = outcome

    def number(self, below: int, label: str, seat: str | None = None) -> int:
        return min(self._outcome, below - 1)


# -- the same with real files ------------------------------------------------------------------------------------------

PROVINCES = ("shaanxi", "zhili", "sichuan")
DISTRICTS = tuple(f"{province}-{letter}" for province in PROVINCES for letter in "abc")
REAL_PHASES = ("0.prince", "1.place", "1.draw", "1.move")


def _order(dice: random.Random, phase: str) -> dict[str, Any]:
    province, district, count = dice.choice(PROVINCES), dice.choice(DISTRICTS), dice.choice([0, 1, "all"])
    of: dict[str, list[dict[str, Any]]] = {
        # Few places, so that the players meet in them and alternatives are needed.
        "0.prince": [{"do": "prince", "district": district}],
        "1.place": [{"do": "place", "province": province}],
        "1.draw": [{"do": "draw", "card": dice.choice(["horse", "junk", "rickshaw"])}, {"do": "dragon", "from": province}],
        "1.move": [{"do": "move", "to": district, "deploy": count}, {"do": "stay", "deploy": count}, {"do": "pass"}],
    }
    return dice.choice(of[phase])


def _line(dice: random.Random, phase: str) -> dict[str, Any]:
    line = _order(dice, phase)
    if dice.random() < 0.5:
        line["or"] = [_order(dice, phase) for _ in range(dice.randint(1, 2))]
    if dice.random() < 0.5:
        line["otherwise"] = dice.choice(["ask", "skip", "default"])
    if dice.random() < 0.15:
        line["watch"] = [dice.choice(PROVINCES + DISTRICTS)]
    return line


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return joined_campaign(tmp_path_factory.mktemp("three"), SEATS, close="none")


def _real_game(campaign: Campaign, at: Path, files: list[bytes], cuts: set[int]) -> tuple[list[Any], str]:
    """What the ledger tells when these files come in this order and the phases are closed in the end, and its last position."""
    shutil.rmtree(at, ignore_errors=True)
    at.mkdir()
    copy = campaign.copy(at)
    course, now = replay_as_processor(copy.folder), copy.now
    for number, data in enumerate(files):
        now += HOUR
        answer(course, Incoming("mail", data), now)
        if number in cuts:
            play(course, now)
    while course.phase_id() in REAL_PHASES:
        play(course, now, close=course.phase_id())
    told = copy.course()
    steps = [(step.decisions, step.events) for chapter in told.chapters for step in chapter.steps]
    return steps, told.archive.entries[-1].record.position


@given(seed=SEEDS)
@settings(max_examples=5, deadline=None)
def test_real_files_give_the_same_game_too(three: Campaign, tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311 — repeatable
    places = [(seat, phase) for seat in SEATS for phase in REAL_PHASES]
    dice.shuffle(places)
    course = three.course()
    files = []
    for seat, phase in places[: dice.randint(4, len(places))]:
        lines = [_line(dice, phase) for _ in range(dice.randint(1, 6))]
        files.append(three.signed(seat, phase, lines, then=dice.choice(["ask", "pass", "default"]), course=course))
    at = tmp_path_factory.getbasetemp() / "cut"
    never = _real_game(three, at, files, set())
    always = _real_game(three, at, files, set(range(len(files))))
    now_and_then = _real_game(three, at, files, _some(dice, files))
    assert never == always == now_and_then
