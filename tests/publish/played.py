"""A campaign for tests: a random game cut into entries, with the oddities a real one has."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from pbem.campaign.history import Asked, Chapter, Decision, Note, Remark, Seat, Step, Story, Waiting
from pbem.engine import registry
from pbem.engine.chance import SeededChance
from pbem.engine.steps import first_step, play_step

SEATS = ("an", "bo", "chen", "dai")
BEGIN = datetime(2026, 11, 1, 19, 0, tzinfo=UTC)
ZONES = ("Europe/Paris", "America/New_York", "Asia/Shanghai", "")
LANGUAGES = ("fr", "en", "zh", "en")


def played_story(
    *, seats: int = 4, seed: int = 1, until: Callable[[Any], bool] | None = None, note: str = "Sorry, Bo.", slug: str = "ming-dynasty"
) -> Story:
    """One entry per phase, from joins to ``until`` (a test of the position) or the end."""
    title = registry.title(slug)
    names = SEATS[:seats]
    chance = SeededChance(seed)
    dice = random.Random(seed)  # noqa: S311 - a test's dice
    position, events = first_step(title, title.options(), names, chance)
    chapters = [_chapter(number, kind="join", facts={"seat": seat}) for number, seat in enumerate(names, start=1)]
    steps = [Step(number=1, phase="set-up", decisions=(), events=tuple(events))]
    before, number = None, 2
    while (phase := title.phase(position)) is not None:
        now = position.phase
        if steps[-1].phase != now:
            chapters.append(_entry(len(chapters) + 1, steps, before, position, title, note))
            steps, before = [], position.copy()
            if until is not None and until(position):
                break
        orders = {seat: phase.complete(position, seat, dice.choice(list(phase.choices(position, seat)))) for seat in phase.asked(position)}
        happened = play_step(title, position, orders, chance)
        file = hashlib.sha256(str(number).encode()).hexdigest()
        decisions = tuple(Decision(seat=seat, order=order, why="plan", file=file) for seat, order in orders.items())
        steps.append(Step(number=number, phase=now, decisions=decisions, events=tuple(happened)))
        number += 1
    else:
        chapters.append(_entry(len(chapters) + 1, steps, before, position, title, note))
    return Story(
        name="winter-court",
        id="ab" * 16,
        title=title,
        seats=tuple(
            Seat(seat=seat, name=seat.title(), language=language, zone=zone, key="")
            for seat, language, zone in zip(names, LANGUAGES, ZONES, strict=False)
        ),
        chapters=tuple(chapters),
        over=title.phase(position) is None,
        head=chapters[-1].head,
        processor_key="",
    )


def _entry(number: int, steps: list[Step], before: Any, position: Any, title: Any, note: str) -> Chapter:
    phase = title.phase(position)
    waiting = None
    if phase is not None:
        filed = ("nothing", "partial", "complete", "taken")
        asked = tuple(Asked(seat=seat, filed=state) for seat, state in zip(phase.asked(position), filed, strict=False))
        closes = BEGIN + timedelta(days=number + 2)
        waiting = Waiting(phase=position.phase, asked=asked, closes=closes, sealed=phase.simultaneous)
    remarks = tuple(
        Remark(step=step.number, phase=step.phase, seat=decision.seat, code="ended", file=decision.file)
        for step in steps[-1:]
        for decision in step.decisions[:1]
    )
    notes = (Note(seat="an", text=note),) if steps[0].decisions else ()
    return _chapter(number, steps=tuple(steps), before=before, after=position.copy(), waiting=waiting, remarks=remarks, notes=notes)


def _chapter(number: int, **fields: Any) -> Chapter:
    digest = hashlib.sha256(str(number).encode()).hexdigest()[:32]
    empty: dict[str, Any] = {
        "kind": "turn", "facts": {}, "opened": (), "closed": (), "steps": (), "remarks": (), "notes": (), "before": None, "after": None,
        "waiting": None,
    }  # fmt: skip
    return Chapter(number=number, head=f"{number}-{digest}", time=BEGIN + timedelta(days=number), **(empty | fields))
