"""What a plan would do if nobody else moved: everybody else takes the default, and nothing is told that hangs on chance."""

from typing import Any

import msgspec

from pbem.campaign.plans import Cursor, Plan, Player
from pbem.engine import steps
from pbem.engine.chance import SeededChance
from pbem.engine.position import to_table
from pbem.engine.title import Title
from pbem.orders.plans import Planned

_MOST = 400


class DryTurn(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """One decision of the plan. ``code`` "" when the line itself is played, else that of the remark (alternative, skipped, stopped, …).

    ``wanted`` the line's first order, ``order`` what would be played (None: the game asks), ``events`` his own doings, as tables.
    """

    at: str = ""
    code: str = ""
    wanted: dict[str, Any] | None = None
    order: dict[str, Any] | None = None
    events: list[dict[str, Any]] = []
    because: dict[str, Any] | None = None
    alternatives: list[dict[str, Any]] = []


class DryRun(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """``complete``: the plan answers every decision to the end of the phase. ``reached`` False: the phase cannot be foreseen yet."""

    turns: list[DryTurn] = []
    complete: bool = False
    reached: bool = True


def dry_run(title: Title[Any], position: Any, plan: Plan, cursor: Cursor | None = None) -> DryRun:
    """Runs a plan on a copy of what its player may see."""
    seat = plan.seat
    chance = SeededChance(0)
    probe = title.imagine(position, seat, chance) if title.hidden else position.copy()
    cursor = cursor or Cursor()
    turns: list[DryTurn] = []
    if not _reach(title, probe, plan.phase, chance):
        return DryRun(reached=False)
    for _ in range(_MOST):
        phase = title.phase(probe)
        if phase is None or probe.phase != plan.phase:
            return DryRun(turns=turns, complete=True)
        orders = {}
        turn: DryTurn | None = None
        for other in phase.asked(probe):
            if other != seat:
                orders[other] = phase.default(probe, other)
                continue
            if (forced := steps.only_choice(phase, probe, seat)) is not None:
                # As at the table: what has no choice is played unasked and uses up a line.
                cursor.line += 1
                orders[seat] = forced
                continue
            answer = Player(title, phase, probe, 0, ()).answer(plan, cursor, closing=False)
            lines = {planned.at: planned for planned in plan.plans or ()}
            own_line = answer.decision is not None and answer.decision.why == "plan"
            line = plan.plans[cursor.line - 1].at if plan.plans and own_line else ""
            # Lines that were skipped come first, each as a turn of its own.
            turns += [
                DryTurn(at=remark.at, code=remark.code, wanted=remark.wanted, because=remark.because)
                for remark in answer.remarks
                if remark.code == "skipped"
            ]
            told = next((remark for remark in answer.remarks if remark.code != "skipped"), None)
            turn = DryTurn(
                at=told.at if told else line, alternatives=_alternatives(lines.get(told.at if told else line)),
                code=told.code if told else "", wanted=told.wanted if told else None, because=told.because if told else None,
                order=to_table(answer.decision.order) if answer.decision else None,
            )  # fmt: skip
            if answer.decision is None:
                return DryRun(turns=[*turns, turn] if turn.code not in ("", "ended") else turns)
            orders[seat] = answer.decision.order
        # What plays itself afterwards (cities, scores) hangs on what others do: only his own doing is told.
        events = phase.play(probe, orders, chance)
        steps.play_itself(title, probe, chance)
        if turn is not None:
            own = [to_table(event) for event in events if title.actor(event) == seat]
            turns.append(msgspec.structs.replace(turn, events=own))
    return DryRun(turns=turns)


def _alternatives(line: Planned | None) -> list[dict[str, Any]]:
    return [to_table(order) for order in line.orders[1:]] if line is not None else []


def _reach(title: Title[Any], probe: Any, phase_id: str, chance: SeededChance) -> bool:
    """Plays defaults until the phase is reached."""
    for _ in range(_MOST):
        phase = title.phase(probe)
        if phase is None:
            return False
        if probe.phase == phase_id:
            return True
        orders = {seat: phase.default(probe, seat) for seat in phase.asked(probe)}
        steps.play_step(title, probe, orders, chance)
    return False
