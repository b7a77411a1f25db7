from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import msgspec
import pytest

from pbem.campaign.closing import Rule
from pbem.campaign.history import Asked, Waiting
from pbem.engine import registry
from pbem.engine.title import Phase
from pbem.orders.file import read_order
from pbem.publish.columns import width
from pbem.publish.template import inline, order_line, order_template
from pbem.publish.words import Words
from tests.publish.tales import HEAD, StrictWords, tale

TITLE = registry.title("ming-dynasty")
CLOSES = datetime(2026, 12, 3, 19, tzinfo=UTC)
NAMES = {"an": "Anna-Lena", "bo": "Bo", "chen": "陈小明", "dai": 'Dai "the" {#} \u202e Duke'}
WORDS = StrictWords(TITLE, seats=NAMES)


def filled(position: Any, seat: str, **more: Any) -> str:
    settings: dict[str, Any] = {
        "campaign": "winter-court", "after": f"41-{HEAD}", "closes": CLOSES, "zone": "Europe/Paris", "sealed": False, "revision": 2,
    }  # fmt: skip
    return order_template(TITLE, position, seat, WORDS, **(settings | more))


def asked_positions(seats: int, seed: int, most_of_a_kind: int) -> Iterator[tuple[Any, str, Phase[Any]]]:
    """Positions of a random game with a seat that is asked, a few of each kind of phase."""
    seen: dict[str, int] = {}
    for chapter in tale(seats, seed).chapters:
        position = chapter.after
        phase = TITLE.phase(position)
        if phase is None:
            continue
        seen[phase.name] = seen.get(phase.name, 0) + 1
        if seen[phase.name] <= most_of_a_kind:
            for seat in phase.asked(position):
                yield position, seat, phase


@pytest.mark.parametrize(("seats", "seed"), [(3, 11), (4, 12)])
@pytest.mark.parametrize("everything", [False, True])
def test_each_line_of_the_menu_alone_makes_a_legal_file(seats: int, seed: int, everything: bool) -> None:
    kinds = set()
    for position, seat, phase in asked_positions(seats, seed, 2 if everything else 4):
        text = filled(position, seat, everything=everything, since=tuple(islice(tale(seats, seed).chapters[3].steps[0].events, 3)))
        empty = read_order(text.encode(), TITLE.orders)
        assert empty.plans == () and empty.phase == position.phase and empty.player == seat and empty.revision == 2
        lines = text.splitlines()
        menu = [at for at, line in enumerate(lines) if line.startswith("# {")]
        assert menu
        for at in menu:
            taken = "\n".join([*lines[:at], lines[at].removeprefix("# "), *lines[at + 1 :]])
            assert len(tomllib.loads(taken)["orders"]) == 1
            plans = read_order(taken.encode(), TITLE.orders).plans
            assert plans
            for plan in plans:
                order = phase.complete(position, seat, plan.orders[0])
                assert phase.complete(position, seat, order) == order
        kinds.add(phase.name)
    assert {"prince", "place", "draw", "move", "return"} <= kinds


def test_all_lines_together_are_valid_toml_too() -> None:
    for position, seat, _phase in asked_positions(4, 12, 1):
        text = filled(position, seat)
        taken = re.sub(r"^# \{", "{", text, flags=re.MULTILINE)
        assert len(tomllib.loads(taken)["orders"]) == text.count("\n# {")


@pytest.mark.parametrize(("seats", "seed"), [(3, 11), (4, 12)])
def test_a_template_fits_on_a_screen(seats: int, seed: int) -> None:
    since = tuple(event for chapter in tale(4, 12).chapters[:9] for step in chapter.steps for event in step.events)
    waiting = Waiting(phase="3.move", asked=(Asked(seat="bo", filed="partial"),), closes=CLOSES, sealed=False)
    for position, seat, _phase in asked_positions(seats, seed, 3):
        text = filled(position, seat, since=since, sealed=True, waiting=waiting, ahead=("4.place", "4.draw"))
        lines = text.splitlines()
        assert len(lines) <= 60, text
        assert all(width(line) <= 140 for line in lines)
        assert "Filed so far: bo." in text and "Since you last looked" in text and "can read this whole plan" in text


def test_every_way_to_walk_is_listed_when_everything_is_asked_for() -> None:
    for position, seat, phase in asked_positions(4, 12, 9):
        if phase.name == "move":
            ways = {(order.path, order.pay) for order in phase.choices(position, seat) if hasattr(order, "path")}
            assert filled(position, seat, everything=True).count('\n# { do = "move"') == len(ways)


def test_what_has_to_be_sealed_carries_the_line_for_the_tool() -> None:
    position, seat, _phase = next(asked_positions(4, 12, 1))
    text = filled(position, seat, seal_to="00ff 7 KEY SIGNATURE")
    assert tomllib.loads(text)["seal_to"] == "00ff 7 KEY SIGNATURE"


def test_a_position_that_is_only_foreseen_is_said_to_be() -> None:
    position, seat, _phase = next(asked_positions(4, 12, 1))
    not_yet = Waiting(phase=position.phase, asked=(Asked(seat=seat, filed="nothing", now=False),), closes=None, sealed=False)
    said = "Others decide before you."
    assert said in filled(position, seat, foreseen=True) and said in filled(position, seat, waiting=not_yet)
    assert said not in filled(position, seat, waiting=msgspec.structs.replace(not_yet, asked=(Asked(seat=seat, filed="nothing"),)))


def test_a_simultaneous_phase_ahead_does_not_wait_for_others() -> None:
    position, seat, _phase = next(found for found in asked_positions(4, 12, 1) if found[2].simultaneous)
    text = filled(position, seat, foreseen=True)
    assert "This phase has not begun." in text and "Others decide before you" not in text
    assert "has not begun" not in filled(position, seat)


def test_a_phase_ahead_says_how_long_it_will_be_open() -> None:
    position, seat, _phase = next(asked_positions(4, 12, 1))
    assert "closes 2 d after it begins" in filled(position, seat, closes=None, closes_after=Rule(span="48h"))
    dated = filled(position, seat, closes_after=Rule(span="48h"))
    assert "after it begins" not in dated and "plans close Thu 3 Dec" in dated


def test_why_the_last_plan_stopped_stands_at_the_top() -> None:
    position, seat, _phase = next(asked_positions(4, 12, 1))
    text = filled(position, seat, stopped=("Bo's prince stands in yunnan-a.\nphase = 9", *["It had no further line."] * 9))
    assert "# Your last plan stopped: Bo's prince stands in yunnan-a. phase = 9\n" in text
    assert text.index("Your last plan stopped") < text.index("game =") and text.count("Your last plan stopped") == 3
    assert read_order(text.encode(), TITLE.orders).plans == ()
    assert "stopped" not in filled(position, seat)


def test_without_a_closing_time_or_news() -> None:
    position, seat, _phase = next(asked_positions(4, 12, 1))
    text = filled(position, seat, closes=None)
    assert "no closing time" in text and "Since you last looked" not in text


def test_a_title_without_a_template_lists_its_orders(tmp_path: Any) -> None:
    class Bare(type(TITLE)):  # type: ignore[misc]
        slug = "bare"
        files = tmp_path

    bare = Bare()
    for position, seat, phase in asked_positions(4, 12, 1):
        text = order_template(bare, position, seat, Words(bare), campaign="x", after=f"1-{HEAD}")
        menu = [line for line in text.splitlines() if line.startswith("# {")]
        assert menu and len(text.splitlines()) <= 60
        plans = read_order(text.replace(menu[0], menu[0].removeprefix("# ")).encode(), TITLE.orders).plans
        assert plans and phase.complete(position, seat, plans[0].orders[0])


def test_values_as_toml() -> None:
    value = {"a b": "x\"\\\n", "n": [1, True, {}], "t": {"k": "v"}}
    assert tomllib.loads(f"x = {inline(value)}")["x"] == value
    assert order_line({"to": "a", "do": "move"}) == '{ do = "move", to = "a" }'
