"""The table: a position and how it is played on as far as plans reach. Pure; the ledger is written elsewhere.

``Table.play_on`` serves processing (plans and closing decide) and audit (the same, and what cannot yet be opened is taken from the
entry) with the same lines of code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from pbem.campaign.history import Decision, Remark, Step
from pbem.campaign.plans import Cursor, Plan, Player, Touch, touches, unplayed
from pbem.engine import steps
from pbem.engine.chance import Chance
from pbem.engine.position import digest
from pbem.engine.refusals import Illegal
from pbem.engine.standin import StandIn
from pbem.engine.title import Order, Phase, Title

ChanceOf = Callable[[int, Callable[[], bytes]], Chance]
"""Step number, what gives the digest of the public position before it → its chance."""

PlanOf = Callable[[str, str], Plan | None]
"""Seat, phase → the plan that counts, None when nothing is filed."""

MOST_STEPS = 10_000
STAND_IN_SECONDS = 0.1


class Sealed(Exception):
    """The game asks somebody whose plan cannot be opened here, and nothing says what was played."""


class Table(msgspec.Struct, kw_only=True):
    """Everything the course of a game depends on. ``forced``: step, seat, phase of decisions that had one legal order."""

    title: Title[Any]
    stand_in: str = ""
    """Campaign id when a stand-in plays for who sent nothing, "" when the default does."""
    absent: list[str] = []
    """Seats that gave up: the default is played for them at once."""
    position: Any = None
    step: int = 0
    touched: list[Touch] = []
    decided: list[tuple[int, str, str, bool]] = []
    """Step, seat, phase, whether it was forced: of every decision so far."""
    cursors: dict[str, Cursor] = {}
    remarks: list[Remark] = []
    """Of phases that have not closed yet."""

    def copy(self) -> Table:
        """An independent copy, to be played on for trial."""
        return Table(
            title=self.title, stand_in=self.stand_in, absent=list(self.absent),
            position=None if self.position is None else self.position.copy(),
            step=self.step, touched=list(self.touched),
            decided=list(self.decided), cursors={file: Cursor(it.line, it.stopped) for file, it in self.cursors.items()},
            remarks=list(self.remarks),
        )  # fmt: skip

    def public_digest(self) -> bytes:
        """Digest of what everybody may see; 32 zero bytes before set-up."""
        return bytes(32) if self.position is None else self._digest_of(self.position)

    def _digest_of(self, position: Any) -> bytes:
        return digest(self.title.view(position, None))

    def set_up(self, options: msgspec.Struct, seats: Sequence[str], chance_of: ChanceOf) -> Step:
        """Step 1."""
        self.position, events = steps.first_step(self.title, options, seats, chance_of(1, lambda: bytes(32)))
        self.step = 1
        self.touched += touches(self.title, 1, events)
        return Step(number=1, phase="set-up", decisions=(), events=tuple(events))

    def phase(self) -> Phase[Any] | None:
        return None if self.position is None else self.title.phase(self.position)

    def play_on(
        self,
        plan_of: PlanOf,
        chance_of: ChanceOf,
        closing: str | None,
        given: Sequence[dict[str, Decision]] | None = None,
    ) -> list[Step]:
        """Plays as far as plans reach, the phase ``closing`` to its end. With ``given``, decisions nobody here can open are taken from it.

        Raises Sealed when a plan cannot be opened and nothing is given for it, a Refusal when what is given is not legal.
        """
        played: list[Step] = []
        while (phase := self.phase()) is not None and len(played) < MOST_STEPS:
            phase_id = self.position.phase
            at = len(played)
            told = given[at] if given is not None and at < len(given) else {}
            try:
                decisions = self._decisions(phase, phase_id, plan_of, phase_id == closing, told)
            except Sealed:
                if given is None:
                    raise
                break
            if decisions is None:
                break
            played.append(self._step(phase_id, decisions, chance_of))
        return played

    def _decisions(
        self, phase: Phase[Any], phase_id: str, plan_of: PlanOf, closing: bool, told: dict[str, Decision]
    ) -> list[Decision] | None:
        found: list[Decision] = []
        marks: list[Remark] = []
        moved: list[tuple[str, Cursor]] = []
        waits = False
        for seat in phase.asked(self.position):
            plan = plan_of(seat, phase_id)
            if plan is not None and plan.plans is None and plan.readable:
                if seat not in told:
                    raise Sealed(seat)
                if phase.complete(self.position, seat, told[seat].order) != told[seat].order:
                    raise Illegal("not-normal")
                found.append(told[seat])
                continue
            decision, remarks, cursor = self._decide(phase, phase_id, seat, plan, closing)
            marks += remarks
            if plan is not None and cursor is not None:
                moved.append((plan.file, cursor))
            if decision is None:
                waits = True
            else:
                found.append(decision)
        if waits:
            # A plan that has stopped stays stopped; one that waits for others only is asked again from where it stands.
            for file, cursor in moved:
                if cursor.stopped:
                    self.cursors[file] = cursor
                    self.remarks += [mark for mark in marks if mark.file == file]
            return None
        self.cursors.update(moved)
        self.remarks += marks
        return found

    def _decide(
        self, phase: Phase[Any], phase_id: str, seat: str, plan: Plan | None, closing: bool
    ) -> tuple[Decision | None, list[Remark], Cursor | None]:
        step = self.step + 1
        cursor = self.cursor(plan) if plan is not None else None
        # That only one thing was possible would tell what a player with hidden facts holds: he is asked.
        forced = None if self.title.hidden else steps.only_choice(phase, self.position, seat)
        if forced is not None:
            if cursor is not None and not cursor.stopped:
                cursor.line += 1
            remark = Remark(step=step, phase=phase_id, seat=seat, code="forced", file=plan.file if plan else "")
            return Decision(seat=seat, order=forced, why="forced"), [remark], cursor
        if plan is None or cursor is None or (plan.readable and not plan.plans and plan.then == "ask"):
            if not closing and seat not in self.absent:
                return None, [], None
            remark = Remark(step=step, phase=phase_id, seat=seat, code="silence")
            return Decision(seat=seat, order=self._silent(phase, seat), why="silence"), [remark], None
        player = Player(self.title, phase, self.position, step, self.touched, lambda seat: self._silent(phase, seat))
        answer = player.answer(plan, cursor, closing)
        return answer.decision, answer.remarks, cursor

    def would_play(self, plan_of: PlanOf, *, closing: bool = False) -> bool | None:
        """Whether anything can be played now; None when that hangs on a plan that cannot be opened here."""
        phase = self.phase()
        if phase is None:
            return False
        trial = self.copy()
        try:
            return trial._decisions(phase, self.position.phase, plan_of, closing, {}) is not None
        except Sealed:
            return None

    def _silent(self, phase: Phase[Any], seat: str) -> Order:
        """What is played at closing for a seat that sent nothing: the default, or a stand-in's order, which anybody can compute again."""
        if not self.stand_in:
            return phase.default(self.position, seat)
        mind = StandIn(self.title, seat, f"{self.stand_in}/{self.step + 1}", seconds=STAND_IN_SECONDS)
        return phase.complete(self.position, seat, mind.ranked(self.title.view(self.position, seat))[0])

    def cursor(self, plan: Plan) -> Cursor:
        """A copy of how far a plan has been played; a new plan starts behind the forced decisions its author had not seen."""
        known = self.cursors.get(plan.file)
        if known is not None:
            return Cursor(known.line, known.stopped)
        mine = (plan.seat, plan.phase)
        return Cursor(sum(1 for step, seat, phase, forced in self.decided if forced and step > plan.after_step and (seat, phase) == mine))

    def stale(self, seat: str, phase: str, after_step: int) -> bool:
        """Whether a decision of this seat in this phase, other than a forced one, was played since ``after_step``."""
        return any(step > after_step and not forced and (who, what) == (seat, phase) for step, who, what, forced in self.decided)

    def _step(self, phase_id: str, decisions: list[Decision], chance_of: ChanceOf) -> Step:
        number = self.step + 1
        orders = {decision.seat: decision.order for decision in decisions}
        before = self.position.copy()
        events = steps.play_step(self.title, self.position, orders, chance_of(number, lambda: self._digest_of(before)))
        self.step = number
        self.touched += touches(self.title, number, events)
        self.decided += [(number, decision.seat, phase_id, decision.why == "forced") for decision in decisions]
        return Step(number=number, phase=phase_id, decisions=tuple(decisions), events=tuple(events))

    def close(self, phases: Sequence[str], plans: Sequence[Plan]) -> list[Remark]:
        """The remarks on phases that have closed, with what their plans left unplayed; they are taken out of the table."""
        gone = set(phases)
        released = [remark for remark in self.remarks if remark.phase in gone]
        self.remarks = [remark for remark in self.remarks if remark.phase not in gone]
        for plan in plans:
            if plan.phase in gone:
                released += unplayed(plan, self.cursors.get(plan.file, Cursor()), self.step)
        return sorted(released, key=lambda remark: remark.step)


def seats_until_phase_ends(title: Title[Any], position: Any) -> tuple[list[str], bool]:
    """Seats asked from here to the end of the phase when all take the default, and whether the game would end so, before others come.

    Chance is a stand-in, so only the seats mean anything.
    """
    from pbem.engine.chance import SeededChance

    probe, chance = position.copy(), SeededChance(0)
    phase_id, found = probe.phase, list[str]()
    for _ in range(MOST_STEPS):
        phase = title.phase(probe)
        if phase is None or probe.phase != phase_id:
            return found, phase is None
        asked = phase.asked(probe)
        found += [seat for seat in asked if seat not in found]
        steps.play_step(title, probe, {seat: phase.default(probe, seat) for seat in asked}, chance)
    return found, False


def seats_that_may_follow(title: Title[Any], position: Any, seats: Sequence[str]) -> list[str]:
    """As above for telling people whom to expect: where the default would end the game, also those of ``seats`` whose turn is still to
    come if it goes on."""
    found, over = seats_until_phase_ends(title, position)
    return found + [seat for seat in seats if over and seat not in found and title.in_turn(position, seat) is not None]
