"""Made-up campaigns for tests of sentences: a random game with plans that fail, silences and notes, one entry per phase."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from pbem.campaign.history import Asked, Chapter, Decision, Note, Remark, Seat, Step, Story, Waiting
from pbem.engine import registry
from pbem.engine.chance import SeededChance
from pbem.engine.steps import first_step, play_step
from pbem.publish.words import Words

BEGIN = datetime(2026, 12, 1, 19, tzinfo=UTC)
HEAD = "3d19" * 8
TAKEN = {"code": "prince-stands-there", "field": "to", "facts": {"district": "yunnan-a", "seat": "bo"}}
REMARKS: tuple[dict[str, Any], ...] = (
    {"code": "alternative", "because": TAKEN, "wanted": {"do": "move", "to": "yunnan-a"}, "played": {"do": "pass"}},
    {"code": "skipped", "because": TAKEN, "wanted": {"do": "move", "to": "yunnan-a"}},
    {"code": "otherwise", "because": TAKEN, "wanted": {"do": "move", "to": "yunnan-a"}, "played": {"do": "pass"}},
    {"code": "watched", "because": {"places": ["yunnan-a"], "seat": "bo"}},
    {"code": "stopped", "because": TAKEN, "wanted": {"do": "move", "to": "yunnan-a"}},
    {"code": "ended"},
    {"code": "unplayed", "wanted": {"do": "pass"}},
)


@cache
def tale(seats: int = 4, seed: int = 1, slug: str = "ming-dynasty", **options: Any) -> Story:
    """A whole random game with some options of its title. One decision in eight is a silence; every fifth step of a plan has a remark."""
    title = registry.title(slug)
    names = ("an", "bo", "chen", "dai")[:seats]
    chance, dice = SeededChance(seed), random.Random(seed)  # noqa: S311 — the same game each time
    position, events = first_step(title, title.options(**options), names, chance)
    chapters: list[Chapter] = []
    steps = [Step(number=1, phase="set-up", decisions=(), events=tuple(events))]
    remarks: list[Remark] = []
    before, number = None, 1
    while True:
        phase = title.phase(position)
        if phase is None or not steps or steps[-1].phase != position.phase:
            chapters.append(_chapter(len(chapters) + 1, title, position, before, steps, remarks, names))
            steps, remarks, before = [], [], position.copy()
            if phase is None:
                break
        now: str = position.phase
        while (phase := title.phase(position)) is not None and position.phase == now:
            number += 1
            decisions = []
            for seat in phase.asked(position):
                silent = dice.random() < 1 / 8
                order = phase.default(position, seat) if silent else dice.choice(list(phase.choices(position, seat)))
                decisions.append(Decision(seat=seat, order=order, why="silence" if silent else "plan", file="" if silent else "a" * 64))
            if number % 5 == 0 and decisions[0].why == "plan":
                remark = REMARKS[number // 5 % len(REMARKS)]
                remarks.append(Remark(step=number, phase=now, seat=decisions[0].seat, at="orders[0]", **remark))
            happened = play_step(title, position, {each.seat: each.order for each in decisions}, chance)
            steps.append(Step(number=number, phase=now, decisions=tuple(decisions), events=tuple(happened)))
    return Story(
        name="winter-court", id="0" * 32, title=title, chapters=tuple(chapters), over=True, head=chapters[-1].head, processor_key="",
        seats=tuple(Seat(seat=seat, name=seat.title(), language="en", zone="Europe/Paris", key="") for seat in names),
    )  # fmt: skip


def _chapter(
    number: int, title: Any, position: Any, before: Any, steps: list[Step], remarks: list[Remark], names: tuple[str, ...]
) -> Chapter:
    phase, time = title.phase(position), BEGIN + timedelta(days=2 * number)
    waiting = None
    if phase is not None:
        asked = tuple(
            Asked(seat=seat, filed=filed)
            for seat, filed in zip(phase.asked(position), ("nothing", "partial", "complete", "taken"), strict=False)
        )
        waiting = Waiting(phase=position.phase, asked=asked, closes=time + timedelta(days=2), sealed=phase.simultaneous)
    return Chapter(
        number=number, head=f"{number}-{HEAD}", time=time, kind="turn", facts={}, opened=(), closed=(), steps=tuple(steps),
        remarks=tuple(remarks), notes=(Note(seat=names[0], text="Sorry."),) if number % 3 == 0 else (), before=before,
        after=position.copy(), waiting=waiting,
    )  # fmt: skip


class StrictWords(Words):
    """Words that fail where a sentence is missing or lacks a fact, instead of falling back to plain facts."""

    def plain(self, code: str, facts: Any) -> str:
        raise AssertionError(f"no sentence for {code} with {sorted(facts)}")

    def _plain_event(self, event: Any) -> str:
        raise AssertionError(f"no sentence for {event!r}")

    def _say(self, template: str, macro: str, *facts: Any) -> str:
        found = getattr(self._module(template), macro.replace("-", "_"), None)
        return " ".join(str(found(*facts)).split()) if callable(found) else ""
