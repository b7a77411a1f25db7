"""Which order templates a seat gets, and what stands in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pbem.campaign.folder import CampaignError
from pbem.campaign.hidden import seat_view
from pbem.campaign.stories import story
from pbem.engine import steps
from pbem.engine.chance import SeededChance
from pbem.publish.template import order_template
from pbem.publish.words import Words

if TYPE_CHECKING:
    from pbem.campaign.course import Course

_MOST = 400


def phases_to_order(course: Course, seat: str, phase: str | None, ahead: bool, facts: Mapping[str, Any] | None = None) -> list[str]:
    """The phases that templates are wanted for. CampaignError says why there are none."""
    if seat not in course.seats:
        raise CampaignError("unknown-seat-here", found=seat, allowed=course.seats)
    if course.table.position is None:
        missing = [one for one in course.seats if one not in course.members and one not in course.joining]
        raise CampaignError("no-position", path=str(course.archive.folder.root), missing=missing_text(missing))
    if course.over:
        raise CampaignError("game-over", path=str(course.archive.folder.root))
    if seat in course.conceded:
        raise CampaignError("nothing-asked", seat=seat, why="who has conceded is not asked any more")
    if seat in course.vacant:
        raise CampaignError("seat-unheld", seat=seat)
    allowed = list(course.ahead())
    if phase is not None and phase not in allowed:
        raise CampaignError("unknown-phase", found=phase, allowed=allowed, phases_of=course.title.slug)
    if ahead:
        return [one for one in allowed if foreseen(course, seat, one, facts) is not None]
    if phase is not None:
        return [phase]
    # Who is not asked in the phase being played gets the next one in which he is.
    return [next((one for one in allowed if foreseen(course, seat, one, facts) is not None), course.phase_id())]


def missing_text(missing: list[str]) -> str:
    """Who is missing before the set-up."""
    return f"missing: {', '.join(missing)}" if missing else "pbem process writes the set-up"


def foreseen(course: Course, seat: str, phase_id: str, facts: Mapping[str, Any] | None = None) -> Any:
    """A position in that phase in which the seat is asked, if everybody takes the default until then; None when it never is.

    ``facts``: what the seat knows alone, from its letters (titles with hidden facts).
    """
    probe, chance = seat_view(course, seat, facts), SeededChance(0)
    if seat in steps.asked(course.title, probe) and probe.phase == phase_id:
        return probe
    if probe.phase == phase_id and (mine := course.title.in_turn(probe, seat)) is not None:
        return mine
    if course.title.hidden:
        probe = course.title.imagine(probe, seat, chance)
    for _ in range(_MOST):
        phase = course.title.phase(probe)
        if phase is None:
            return None
        asked = phase.asked(probe)
        if probe.phase == phase_id and seat in asked:
            return probe
        steps.play_step(course.title, probe, {one: phase.default(probe, one) for one in asked}, chance)
    return None


def template_for(
    course: Course, seat: str, phase_id: str, *, everything: bool = False, facts: Mapping[str, Any] | None = None,
    words: Words | None = None,
) -> str:  # fmt: skip
    """The template of a seat for a phase. CampaignError "nothing-asked" when the seat has nothing to decide in it."""
    position = foreseen(course, seat, phase_id, facts)
    waiting = course.waiting()
    if position is None:
        named = (words or Words(course.title)).phase_typed(phase_id)
        raise CampaignError("nothing-asked", seat=seat, why=f"in {named} the game does not ask this seat any more")
    member = course.members[seat]
    words = words or Words(story(course), "en")
    sealed = course.must_seal(phase_id)
    on_desk = course.current(seat, phase_id)
    present = phase_id == course.phase_id()
    return order_template(
        course.title, position, seat, words, campaign=course.archive.game.name, after=course.archive.head(),
        revision=on_desk.receipt.revision + 1 if on_desk else 1, closes=course.closes() if present else None, zone=member.zone,
        seal_to=course.keys[phase_id].seal_to if sealed else None, sealed=sealed, since=_since(course, seat),
        waiting=waiting if present else None, everything=everything, foreseen=not present or not _as_it_stands(course, seat),
        closes_after=None if present else course.timing.rule(phase_id), stopped=_stopped(course, seat, phase_id, words),
        ahead=[one for one in course.ahead() if one != phase_id],
    )  # fmt: skip


def _as_it_stands(course: Course, seat: str) -> bool:
    """Whether a template shows the present position, and not one that was played on to the seat's turn."""
    return seat in steps.asked(course.title, course.table.position) or course.title.in_turn(course.table.position, seat) is not None


def _stopped(course: Course, seat: str, phase_id: str, words: Words) -> list[str]:
    """Why the seat's plan for the phase has stopped, if it has: his own file tells it, so that he need not wait for the report."""
    on_desk = course.current(seat, phase_id)
    codes = ("stopped", "watched", "ended", "unreadable")
    mine = [remark for remark in course.table.remarks if (remark.seat, remark.phase) == (seat, phase_id) and remark.code in codes]
    return [words.remark(remark) for remark in mine if on_desk is not None and remark.file == on_desk.plan.file]


def _since(course: Course, seat: str) -> list[Any]:
    """What others did since the seat's own last step."""
    events: list[Any] = []
    for chapter in reversed(course.chapters):
        for step in reversed(chapter.steps):
            if any(decision.seat == seat for decision in step.decisions):
                return events
            events = [*step.events, *events]
    return events
