"""What a plan would do if nobody else moved: everybody else takes the default, and nothing is told that hangs on chance."""

from collections.abc import Callable
from typing import Any

import msgspec

from pbem.campaign.plans import Cursor, Plan, Player
from pbem.engine import steps
from pbem.engine.chance import SeededChance
from pbem.engine.position import to_table
from pbem.engine.refusals import Malformed, Refusal
from pbem.engine.title import Order, Phase, Title
from pbem.orders.findings import nearest
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
    """``complete``: the plan answers every decision to the end of the phase. ``reached`` False: the phase cannot be foreseen yet.

    ``left_over``: lines the phase had no use for. ``meaningless``: words that no position would understand, wherever they stand in the
    lines that were reached, as {"at", "code", "field", "facts"}.
    """

    turns: list[DryTurn] = []
    complete: bool = False
    reached: bool = True
    left_over: int = 0
    meaningless: list[dict[str, Any]] = []


PlanFor = Callable[[str], Plan | None]
"""Phase → the seat's own plan that is filed for it."""


def dry_run(title: Title[Any], position: Any, plan: Plan, cursor: Cursor | None = None, own: PlanFor | None = None) -> DryRun:
    """Runs a plan on a copy of what its player may see.

    Until its phase comes, the plans he has filed for the phases before (``own``) are played, and the default for everybody else.
    """
    return _Run(title, position, plan, cursor or Cursor(), own or (lambda phase: None)).run()


class _Run:
    """One dry run, on a position of its own."""

    def __init__(self, title: Title[Any], position: Any, plan: Plan, cursor: Cursor, own: PlanFor) -> None:
        self._title, self._plan, self._cursor, self._own = title, plan, cursor, own
        self._chance = SeededChance(0)
        self._probe = title.imagine(position, plan.seat, self._chance) if title.hidden else position.copy()
        self._turns: list[DryTurn] = []
        self._meaningless: dict[str, dict[str, Any]] = {}
        self._cursors: dict[str, Cursor] = {}

    def run(self) -> DryRun:
        """The result. Whether it is complete is known when the phase has ended."""
        if not self._reach():
            return DryRun(reached=False)
        for _ in range(_MOST):
            phase = self._title.phase(self._probe)
            if phase is None or self._probe.phase != self._plan.phase:
                return self._result(complete=True)
            if not self._step(phase):
                break
        return self._result(complete=False)

    def _result(self, *, complete: bool) -> DryRun:
        left = max(0, len(self._plan.plans or ()) - self._cursor.line) if complete else 0
        return DryRun(turns=self._turns, complete=complete, left_over=left, meaningless=list(self._meaningless.values()))

    def _step(self, phase: Phase[Any]) -> bool:
        """Plays one decision. False when the game would ask."""
        seat = self._plan.seat
        asked = phase.asked(self._probe)
        if seat not in asked and (mine := self._title.in_turn(self._probe, seat)) is not None:
            # Nobody else moves: it is his turn again, and nothing that hangs on others or on chance has changed.
            self._probe, asked = mine, (seat,)
        orders = {other: phase.default(self._probe, other) for other in asked if other != seat}
        turn: DryTurn | None = None
        if seat in asked:
            forced = None if self._title.hidden else steps.only_choice(phase, self._probe, seat)
            if forced is not None:
                # As at the table: what has no choice is played unasked and uses up a line.
                self._cursor.line += 1
                orders[seat] = forced
            else:
                turn, order = self._answer(phase)
                if order is None:
                    self._turns += [turn] if turn.code not in ("", "ended") else []
                    return False
                orders[seat] = order
        # What plays itself afterwards (cities, scores) hangs on what others do: only his own doing is told.
        events = phase.play(self._probe, orders, self._chance)
        steps.play_itself(self._title, self._probe, self._chance)
        if turn is not None:
            own = [to_table(event) for event in events if self._title.actor(event) == seat]
            self._turns.append(msgspec.structs.replace(turn, events=own))
        return True

    def _answer(self, phase: Phase[Any]) -> tuple[DryTurn, Order | None]:
        self._look_for_nonsense(phase)
        answer = Player(self._title, phase, self._probe, 0, ()).answer(self._plan, self._cursor, closing=False)
        lines = {planned.at: planned for planned in self._plan.plans or ()}
        own_line = answer.decision is not None and answer.decision.why == "plan"
        line = self._plan.plans[self._cursor.line - 1].at if self._plan.plans and own_line else ""
        # Lines that were skipped come first, each as a turn of its own.
        self._turns += [
            DryTurn(at=remark.at, code=remark.code, wanted=remark.wanted, because=remark.because)
            for remark in answer.remarks
            if remark.code == "skipped"
        ]
        told = next((remark for remark in answer.remarks if remark.code != "skipped"), None)
        order = answer.decision.order if answer.decision else None
        turn = DryTurn(
            at=told.at if told else line, alternatives=_alternatives(lines.get(told.at if told else line)),
            code=told.code if told else "", wanted=told.wanted if told else None, because=told.because if told else None,
            order=to_table(order) if order is not None else None,
        )  # fmt: skip
        return turn, order

    def _look_for_nonsense(self, phase: Phase[Any]) -> None:
        """Finds words without meaning in the next line, in its alternatives and in what it watches."""
        lines = self._plan.plans or ()
        if self._cursor.line >= len(lines):
            return
        line = lines[self._cursor.line]
        known = self._title.known_places(self._probe)
        for number, order in enumerate(line.orders):
            at = line.at if number == 0 else f"{line.at}.or" if len(line.orders) == 2 else f"{line.at}.or[{number - 1}]"
            try:
                phase.complete(self._probe, self._plan.seat, order)
            except Malformed as refusal:
                self._note(f"{at}.{refusal.field}" if refusal.field else at, refusal.code, refusal.field, refusal.facts)
            except Refusal:
                continue
        for number, place in enumerate(line.watch):
            if place not in known:
                facts = {"found": place, "allowed": sorted(known), "nearest": nearest(place, known)}
                self._note(f"{line.at}.watch[{number}]", "unknown-place", "", facts)

    def _note(self, at: str, code: str, field: str, facts: dict[str, Any]) -> None:
        self._meaningless[at] = {"at": at, "code": code, "field": field, "facts": facts}

    def _reach(self) -> bool:
        """Plays on until the phase is reached: the player's own plans, and the default for the rest."""
        seat = self._plan.seat
        for _ in range(_MOST):
            phase = self._title.phase(self._probe)
            if phase is None:
                return False
            if self._probe.phase == self._plan.phase:
                return True
            orders = {}
            for other in phase.asked(self._probe):
                mine = self._own(self._probe.phase) if other == seat else None
                order = self._planned(phase, mine) if mine is not None and mine.plans is not None else None
                orders[other] = order if order is not None else phase.default(self._probe, other)
            steps.play_step(self._title, self._probe, orders, self._chance)
        return False

    def _planned(self, phase: Phase[Any], plan: Plan) -> Order | None:
        cursor = self._cursors.setdefault(plan.file, Cursor())
        answer = Player(self._title, phase, self._probe, 0, ()).answer(plan, cursor, closing=True)
        return answer.decision.order if answer.decision is not None else None


def _alternatives(line: Planned | None) -> list[dict[str, Any]]:
    return [to_table(order) for order in line.orders[1:]] if line is not None else []
