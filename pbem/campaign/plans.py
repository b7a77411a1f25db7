"""What a plan answers when the game asks (section "Plans" of the protocol).

One order answers one decision. A line is tried with its alternatives; what happens when none is legal stands in ``otherwise``. Two things
count from the ledger entry that the file's author had seen (its ``after``), never from when it happened to be processed, so that the
same files give the same game however processing is cut:

- a watched place touched since then stops the plan;
- a decision of this player with one legal order, played since then unasked, has used up one line: lines are never shifted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from pbem.campaign.history import Decision, Remark, Why
from pbem.engine.position import to_table
from pbem.engine.refusals import Refusal
from pbem.engine.title import Event, Order, Phase, Title
from pbem.orders.plans import Planned


class Plan(msgspec.Struct, kw_only=True, frozen=True):
    """A filed plan for one phase. ``after_step``: last step its author had seen. ``plans`` None: sealed, and nobody here can open it."""

    file: str
    seat: str
    phase: str
    after_step: int
    plans: tuple[Planned, ...] | None
    then: str = "ask"
    readable: bool = True


class Cursor(msgspec.Struct):
    """How far a plan has been played: the next line, and whether it has stopped there."""

    line: int = 0
    stopped: bool = False


class Touch(msgspec.Struct, frozen=True):
    """An event of a player that touched places."""

    step: int
    seat: str
    places: frozenset[str]


def touches(title: Title[Any], step: int, events: Iterable[Event]) -> list[Touch]:
    """What the players' events of a step touched."""
    found = []
    for event in events:
        seat = title.actor(event)
        places = title.places(event)
        if seat is not None and places:
            found.append(Touch(step, seat, places))
    return found


class Answer(msgspec.Struct):
    """What a plan says: a decision, or None when it has to be asked; the remarks explain."""

    decision: Decision | None
    remarks: list[Remark]


class Player:
    """Plays one plan: reads and moves its cursor. Made anew for each decision; state lies in the cursor."""

    def __init__(
        self, title: Title[Any], phase: Phase[Any], position: Any, step: int, touched: Sequence[Touch],
        silent: Callable[[str], Order] | None = None,
    ) -> None:  # fmt: skip
        self._silent = silent or (lambda seat: phase.default(position, seat))
        self._title, self._phase, self._position, self._step, self._touched = title, phase, position, step, touched
        self._remarks: list[Remark] = []

    def answer(self, plan: Plan, cursor: Cursor, closing: bool) -> Answer:
        """The plan's answer to this decision. When ``closing``, a plan that stops takes the default for it and goes on."""
        decision = self._answer(plan, cursor, closing)
        return Answer(decision, self._remarks)

    def _answer(self, plan: Plan, cursor: Cursor, closing: bool) -> Decision | None:
        lines = plan.plans or ()
        if cursor.stopped:
            return self._close(plan, cursor) if closing else None
        while cursor.line < len(lines):
            line = lines[cursor.line]
            if (touch := self._watched(plan, line)) is not None:
                self._remark(plan, "watched", line, because={"places": sorted(touch.places & set(line.watch)), "seat": touch.seat})
                cursor.stopped = True
                return self._close(plan, cursor) if closing else None
            order, refusals = self._first_legal(plan.seat, line)
            if order is not None:
                cursor.line += 1
                if refusals:
                    self._remark(plan, "alternative", line, played=to_table(order), because=refusals[0])
                return self._decision(plan, order, "plan")
            if line.otherwise == "skip":
                self._remark(plan, "skipped", line, because=refusals[0])
                cursor.line += 1
                continue
            if line.otherwise == "default":
                cursor.line += 1
                order = self._phase.default(self._position, plan.seat)
                self._remark(plan, "otherwise", line, played=to_table(order), because=refusals[0])
                return self._decision(plan, order, "otherwise")
            self._remark(plan, "stopped", line, because=refusals[0])
            cursor.stopped = True
            return self._close(plan, cursor) if closing else None
        return self._ended(plan, cursor, closing)

    def _ended(self, plan: Plan, cursor: Cursor, closing: bool) -> Decision | None:
        if plan.then == "ask" or plan.plans is None:
            if plan.plans or not plan.readable:
                self._remark(plan, "ended" if plan.readable else "unreadable", None)
            cursor.stopped = True
            return self._close(plan, cursor) if closing else None
        order = self._phase.default(self._position, plan.seat)
        if plan.then == "pass" and (passing := self._passing(plan.seat)) is not None:
            order = passing
        return self._decision(plan, order, "then")

    def _passing(self, seat: str) -> Order | None:
        for kind in self._title.orders:
            if kind.__struct_config__.tag == "pass":
                try:
                    return self._phase.complete(self._position, seat, kind())
                except (Refusal, TypeError):
                    return None
        return None

    def _close(self, plan: Plan, cursor: Cursor) -> Decision:
        # At closing the line that stopped has had its decision; the plan goes on with the next.
        cursor.stopped = False
        cursor.line += 1
        return self._decision(plan, self._silent(plan.seat), "stopped")

    def _first_legal(self, seat: str, line: Planned) -> tuple[Order | None, list[dict[str, Any]]]:
        refusals: list[dict[str, Any]] = []
        for order in line.orders:
            try:
                return self._phase.complete(self._position, seat, order), refusals
            except Refusal as refusal:
                refusals.append({"code": refusal.code, "field": refusal.field, "facts": refusal.facts})
        return None, refusals

    def _watched(self, plan: Plan, line: Planned) -> Touch | None:
        if not line.watch:
            return None
        watched = frozenset(line.watch)
        for touch in self._touched:
            if touch.step > plan.after_step and touch.seat != plan.seat and touch.places & watched:
                return touch
        return None

    def _decision(self, plan: Plan, order: Order, why: Why) -> Decision:
        return Decision(seat=plan.seat, order=order, why=why, file=plan.file)

    def _remark(self, plan: Plan, code: str, line: Planned | None, played: Any = None, because: Any = None) -> None:
        self._remarks.append(
            Remark(
                step=self._step, phase=plan.phase, seat=plan.seat, code=code, file=plan.file, played=played, because=because,
                at=line.at if line else "", wanted=to_table(line.orders[0]) if line else None,
            )
        )  # fmt: skip


def unplayed(plan: Plan, cursor: Cursor, step: int) -> list[Remark]:
    """What is left of a plan when its phase has closed."""
    return [
        Remark(step=step, phase=plan.phase, seat=plan.seat, code="unplayed", at=line.at, file=plan.file, wanted=to_table(line.orders[0]))
        for line in (plan.plans or ())[cursor.line :]
    ]
