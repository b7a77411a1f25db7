"""Whole campaigns walked through at random, held to a plain model after every step.

After each: audit finds nothing false, no file has been answered twice, what was taken lies in ``orders/`` as it came, and the model agrees
about who must decide, which files count, who plays which seat, and where the game stands.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from pbem.campaign import folder as folders
from pbem.campaign import secret
from pbem.campaign.audit import audit
from pbem.campaign.course import Course
from pbem.campaign.creation import create
from pbem.campaign.folder import CampaignError, Folder
from pbem.campaign.intake import Answer
from pbem.campaign.replay import replay_as_processor
from pbem.campaign.turn import correct
from pbem.engine import registry
from pbem.orders.encoding import b64
from pbem.orders.join import invite_text
from pbem.orders.keys import PrivateKey
from pbem.orders.seal import phase_public
from pbem.orders.signed import sign_file, split
from pbem.orders.write import dump

from ..helpers import NAME, RAW_ID, RAW_SECRET, SEATS, START, Campaign, Player, environment, fixed
from .forging import append_entry
from .parley import PHASES, WORDS, Parley
from .plain_model import Filed, Line, Model

TITLE = Parley()
TABLE = SEATS[:3]

seats = st.sampled_from(TABLE)
orders = st.one_of(st.sampled_from([("say", word) for word in WORDS]), st.just(("pass",)))
talks = st.builds(
    Line, st.lists(orders, min_size=1, max_size=3).map(tuple), st.sampled_from(["ask", "skip", "default"]),
    st.sampled_from([(), (), ("aye",), ("aye", "hum")]),
)  # fmt: skip
votes = st.builds(Line, st.lists(st.sampled_from([("vote", word) for word in (*WORDS, "no")]), min_size=1, max_size=2).map(tuple))
often = st.sampled_from([True] * 7 + [False])


class Walk(RuleBasedStateMachine):
    """One campaign from its first join on. ``sent``: every file, by its identity, with what was said of it."""

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.base = Path(tempfile.mkdtemp(prefix="pbem-walk-"))
        self.stack.callback(shutil.rmtree, self.base)
        self.stack.enter_context(patch.object(registry, "title", lambda slug: TITLE))
        self.stack.enter_context(patch.object(registry, "slugs", lambda: [TITLE.slug]))
        self.stack.enter_context(patch.object(folders.os, "fsync", lambda handle: None))
        self.stack.enter_context(environment("PBEM_SECRET", None))
        self.campaign = self._new()
        self.model = Model(TABLE)
        self.owners: dict[str, Player] = {}
        self.sent: list[tuple[bytes, str, Answer]] = []
        self.next_key = 0
        self.seen: tuple[tuple[int, ...], Course] | None = None

    def _new(self) -> Campaign:
        folder = Folder(self.base / NAME)
        with environment("PBEM_SECRET", RAW_SECRET.hex()):
            made = create(folder, START, title=TITLE.slug, seats=TABLE, raw_id=RAW_ID, spans={"outage": "none"})
        secret.keep(folder, RAW_SECRET)
        return Campaign(folder, made, {seat: Player.of(seat) for seat in TABLE})

    def teardown(self) -> None:
        self.stack.close()

    # -- helpers ------------------------------------------------------------------------------------------------------------

    def course(self) -> Course:
        """The course as anybody sees it; worked out anew only when something was written."""
        written = tuple(len(list(where.glob("*.toml"))) for where in (self.campaign.folder.receipts, self.campaign.folder.ledger))
        if self.seen is None or self.seen[0] != written:
            self.seen = (written, self.campaign.course())
        return self.seen[1]

    def new_key(self, seat: str) -> str:
        self.next_key += 1
        name = f"{seat} {self.next_key}"
        self.owners[name] = Player(seat, PrivateKey.from_seed(fixed("key", name)), fixed("letter", name), fixed("nonce", name))
        return name

    def tick(self, minutes: int = 1) -> None:
        self.campaign.now += timedelta(minutes=minutes)

    def head(self, entry: int) -> str:
        return self.course().archive.head(entry)

    def send(self, data: bytes) -> Answer:
        self.tick()
        [said] = self.campaign.receive(data)
        self.sent.append((data, split(data).identity.hex(), said))
        return said

    def expect(self, said: Answer, reason: str) -> bool:
        """Whether a file was taken; what was said of it is what the model says."""
        before = [one for _, _, one in self.sent[:-1] if one.receipt.number == said.receipt.number]
        assert said.repeated == bool(before)
        assert (said.receipt.reason, said.receipt.accepted) == (reason, not reason)
        return not reason

    # -- what players do --------------------------------------------------------------------------------------------------------

    @initialize(joined=often)
    def begin(self, joined: bool) -> None:
        """Most walks begin at a table with everybody at it."""
        if joined:
            for seat in TABLE:
                self.join(seat, 0, True)
            self.process()

    @precondition(lambda self: not self.model.ended and (len(self.model.keys) < len(TABLE) or self.model.vacant))
    @rule(seat=seats, key=st.integers(0, 3), good=often)
    def join(self, seat: str, key: int, good: bool) -> None:
        """``key`` 3: one that another seat may have already."""
        name = next(iter(self.owners)) if key == 3 and self.owners else self.new_key(seat)
        player = self.owners[name]
        self.campaign.players[seat] = Player(seat, player.key, player.letter, player.nonce)
        invite = self.campaign.secret.invite(seat, self.course().issues.get(seat, 1) if good else 9)
        data = self.campaign.join_file(seat, invite=invite_text(invite))
        reason = self.model.join_refused(seat, name, good)
        said = self.send(data)
        if said.repeated:
            return
        if self.expect(said, reason):
            self.model.joining[seat] = (name, said.receipt.file)

    @precondition(lambda self: not self.model.ended)
    @rule(
        seat=seats, phase=st.sampled_from(["", "", "", "", *PHASES]), plan=st.lists(talks, max_size=4), ballot=st.lists(votes, max_size=2),
        then=st.sampled_from(["ask", "default", "pass"]), more=st.sampled_from([1, 1, 1, 1, 0, -1]),
        back=st.sampled_from([0, 0, 0, 1, 2, 5]), own=often, seal=often,
    )  # fmt: skip
    def order(
        self, seat: str, phase: str, plan: list[Line], ballot: list[Line], then: str, more: int, back: int, own: bool, seal: bool
    ) -> None:
        """A plan for the present phase or another; ``more`` than the last revision; ``back``: how many entries its author missed."""
        phase = phase or self.model.phase or PHASES[0]
        lines = tuple(ballot if phase.endswith("vote") else plan)
        before = self.model.current(seat, phase)
        revision = max(1, (before.revision if before else 0) + more)
        after = max(0, self.model.entries - back)
        key = self.model.keys.get(seat, "") if own else ""
        signer = self.owners[key] if key else Player("nobody", PrivateKey.from_seed(fixed("key of nobody")), bytes(32), bytes(32))
        changed: dict[str, Any] = {"revision": revision, "then": then, "after": self.head(after), "key": signer.key}
        sealed = phase.endswith("vote") and seal and phase in self.model.open
        if not sealed:
            changed["seal_to"] = None
        data = self.campaign.signed(seat, phase, [line.table() for line in lines], course=self.course(), **changed)
        reason = self.model.order_refused(seat, key, phase, revision, after, sealed, self.campaign.now + timedelta(minutes=1))
        if any(data == other for other, _, _ in self.sent):
            return self.again(next(at for at, one in enumerate(self.sent) if one[0] == data))
        said = self.send(data)
        if self.expect(said, reason):
            self.model.file(Filed(seat, phase, revision, said.receipt.file, lines, then, self.model.line[after][0]))
        return None

    @precondition(lambda self: self.sent and not self.model.ended)
    @rule(at=st.integers(0, 999))
    def again(self, at: int) -> None:
        """A file comes a second time: it has its receipt, or it is void."""
        data, identity, first = self.sent[at % len(self.sent)]
        said = self.send(data)
        assert said.repeated or identity in self.model.void or not first.receipt.accepted or said.receipt.kind != "order"
        if said.repeated:
            assert said.receipt.file in (identity, first.receipt.file)
        elif first.receipt.accepted:
            # It was taken once. Void, or signed with a key that is no longer its seat's: it does not come in a second time.
            assert not said.receipt.accepted

    @precondition(lambda self: not self.model.ended)
    @rule(
        seat=seats, what=st.sampled_from(["profile", "profile", "rekey", "rekey", "concede", "vacate", "substitute", "rollback"]),
        about=seats, to=st.integers(1, 12), more=st.sampled_from([1, 1, 1, 0]), own=often,
    )  # fmt: skip
    def request(self, seat: str, what: str, about: str, to: int, more: int, own: bool) -> None:
        """Something outside of the phases; the last three are consents."""
        asked: dict[str, Any] = {"do": what}
        new = ""
        if what == "profile":
            asked |= {"name": f"{seat} {to}"}
        elif what == "rekey":
            new = self.new_key(seat)
            asked |= {"key": self.owners[new].key.public.line(), "letter_key": b64(phase_public(self.owners[new].letter))}
        elif what != "concede":
            asked = {"do": "consent", "step": what, **({"to": to} if what == "rollback" else {"seat": about})}
        number = max(1, self.model.numbers.get(seat, 0) + more)
        key = self.model.keys.get(seat, "") if own else ""
        signer = self.owners[key].key if key else PrivateKey.from_seed(fixed("key of nobody"))
        table = {"game": NAME, "player": seat, "after": self.head(self.model.entries), "number": number, "request": asked}
        reason = self.model.author_refused(seat, key)
        if not reason and number <= self.model.numbers.get(seat, 0):
            reason = "older-request"
        if not reason and what == "concede" and self.model.stand is None:
            reason = "not-started"
        data = sign_file(signer, "request@pbem", dump(table))
        if any(data == other for other, _, _ in self.sent):
            return
        if self.expect(self.send(data), reason):
            self.model.numbers[seat] = number
            self.model.requests.append((seat, asked | ({"key": new} if new else {})))

    @precondition(lambda self: self.model.phase and not self.model.ended)
    @rule(
        plans=st.lists(st.lists(talks, min_size=1, max_size=4), min_size=3, max_size=3), ballot=st.lists(votes, min_size=1, max_size=2),
        thens=st.lists(st.sampled_from(["ask", "default", "pass"]), min_size=3, max_size=3), silent=st.sampled_from([0, 0, 1, 2, 4]),
    )  # fmt: skip
    def everybody(self, plans: list[list[Line]], ballot: list[Line], thens: list[str], silent: int) -> None:
        """Most seats send a plan for the present phase, then it is processed. ``silent``: bits of seats that do not."""
        for number, seat in enumerate(TABLE):
            if not silent >> number & 1:
                self.order(seat, "", plans[number], ballot, thens[number], 1, 0, True, True)
        self.process()

    # -- what the processor does ---------------------------------------------------------------------------------------------------

    @precondition(lambda self: not self.model.ended)
    @rule()
    def process(self) -> None:
        self.tick()
        self.campaign.process()
        self.model.process(self.campaign.now)

    @precondition(lambda self: self.model.phase and not self.model.ended)
    @rule(by_clock=st.booleans())
    def close(self, by_clock: bool) -> None:
        """The phase is closed: by the organiser, or because its time has come."""
        if by_clock and (closes := self.model.closes()) is not None:
            self.campaign.now = max(self.campaign.now, closes)
        self.tick()
        if by_clock:
            self.campaign.process()
            self.model.process(self.campaign.now)
        else:
            phase = self.model.phase
            self.campaign.process(close=phase)
            self.model.process(self.campaign.now, close=True)

    @precondition(lambda self: self.model.phase and not self.model.ended)
    @rule()
    def time_passes(self) -> None:
        """Beyond the closing time, and nothing is processed yet."""
        closes = self.model.closes()
        if closes is not None:
            self.campaign.now = max(self.campaign.now, closes + timedelta(minutes=5))

    def _correct(self, kind: str, allowed: bool, **facts: Any) -> bool:
        """The organiser's correction, if the model allows it; nothing is written otherwise."""
        self.tick()
        before = self.course().archive.head()
        ground = self.model.ground(kind, facts.get("seat", ""), facts.get("to", 0))
        if not allowed:
            with pytest.raises(CampaignError):
                correct(self.campaign.folder, self.campaign.now, kind, **facts)
            assert self.course().archive.head() == before
            return False
        course, _ = correct(self.campaign.folder, self.campaign.now, kind, **facts)
        assert course.archive.entries[-1].record.ground == ground
        return True

    @precondition(lambda self: not self.model.ended and self.model.entries)
    @rule(
        kind=st.sampled_from(["rollback", "rollback", "rollback", "substitute", "substitute", "vacate", "rekey", "invite", "amend"]),
        seat=seats, back=st.integers(0, 6), hours=st.sampled_from([24, 48, 0]),
    )  # fmt: skip
    def organiser(self, kind: str, seat: str, back: int, hours: int) -> None:
        """A correction; whoever lost his seat has it back at once as often as not, so that walks go on."""
        if kind == "rollback":
            self._rollback(self.model.entries - back)
        elif kind == "amend" and back == 6:
            ground = self.model.ground("end")
            self._correct("end", True)
            if ground == "consent":
                self.model.drop_consents("end", "", 0)
            self.model.entry()
            self.model.ended = True
        elif kind == "amend":
            self._amend(hours)
        else:
            self._free(kind, seat)
            if back % 2 and kind in ("substitute", "rekey") and seat in self.model.vacant and seat not in self.model.joining:
                self.join(seat, 0, True)

    def _rollback(self, to: int) -> None:
        ground = self.model.ground("rollback", "", to)
        if self._correct("rollback", self.model.can_return_to(to), to=to):
            self.model.turn_back(to, self.campaign.now)
            if ground == "consent":
                self.model.drop_consents("rollback", "", to)
            self.model.entry()

    def _free(self, kind: str, seat: str) -> None:
        model = self.model
        can_be_freed = seat in model.keys and seat not in model.conceded
        allowed = {
            "vacate": can_be_freed and seat not in model.vacant,
            "substitute": can_be_freed or seat in model.vacant,
            "rekey": can_be_freed or seat in model.vacant,
            "invite": seat not in model.keys or seat in model.vacant,
        }[kind]
        ground = model.ground(kind, seat)
        if self._correct(kind, allowed, seat=seat):
            if ground == "consent":
                model.drop_consents(kind, seat, 0)
            if kind == "vacate" or (kind != "invite" and seat not in model.vacant):
                model.free(seat)
            if kind != "vacate":
                model.invite(seat)
            model.entry()

    def _amend(self, hours: int) -> None:
        self._correct("amend", True, settings={"close": f"{hours}h" if hours else "none"})
        before, self.model.close = self.model.close, timedelta(hours=hours) if hours else None
        if self.model.stand is not None and self.model.close != before:
            self.model.since = self.campaign.now
        self.model.entry()

    @precondition(lambda self: self.model.ended)
    @rule(seat=seats)
    def after_the_end(self, seat: str) -> None:
        """Nothing is taken, played or corrected any more."""
        self.tick(3000)
        assert self.campaign.process().entries == []
        with pytest.raises(CampaignError, match="ended"):
            self.campaign.receive(self.sent[0][0])
        with pytest.raises(CampaignError, match="ended"):
            correct(self.campaign.folder, self.campaign.now, "vacate", seat=seat)

    # -- what must hold -----------------------------------------------------------------------------------------------------------

    @invariant()
    def audit_is_clean(self) -> None:
        report = audit(self.campaign.folder)
        assert report.fault is None, (report.fault.code, report.fault.file, report.fault.facts)
        assert report.finished == self.model.ended

    @invariant()
    def nothing_is_answered_twice(self) -> None:
        course, files = self.course(), {identity: data for data, identity, _ in self.sent}
        receipts = [kept.record for kept in course.archive.receipts]
        assert len(receipts) == len({said.receipt.number for _, _, said in self.sent})
        taken = [receipt for receipt in receipts if receipt.accepted]
        assert len({(receipt.file, receipt.kind) for receipt in taken}) == len(taken)
        for receipt in taken:
            assert course.archive.file_of(receipt).read_bytes() == files[receipt.file]

    @invariant()
    def the_model_agrees(self) -> None:
        course, model = self.course(), self.model
        assert len(course.chapters) == model.entries
        assert course.phase_id() == model.phase
        phase = course.table.phase()
        assert (phase.asked(course.table.position) if phase is not None else ()) == model.asked()
        assert {seat: member.key.raw for seat, member in course.members.items()} == {
            seat: self.owners[key].key.public.raw for seat, key in model.keys.items()
        }
        assert (course.vacant, course.conceded, course.void) == (model.vacant, set(model.conceded), model.void)
        assert {seat: receipt.file for seat, receipt in course.joining.items()} == {seat: file for seat, (_, file) in model.joining.items()}
        assert sorted(course.entries.values()) == sorted(model.line)
        # The processor leaves files of phases that are over unread: it must come to the same.
        missed = (replay_as_processor(self.campaign.folder).missed, course.missed, model.missed)
        assert missed[0] == missed[1] == missed[2], missed
        assert course.closes() == model.closes()
        for (seat, which), filed in model.desk.items():
            assert [one.receipt.file for one in course.desk[seat, which]] == [one.identity for one in filed]
            current, on_desk = model.current(seat, which), course.current(seat, which)
            assert current is not None and on_desk is not None and on_desk.receipt.file == current.identity
        assert all(not filed or key in model.desk for key, filed in course.desk.items())
        if model.stand is not None:
            position = course.table.position
            assert (course.table.step, position.turn, position.last, tuple(position.said)) == (
                model.step, model.stand.turn, model.stand.last, model.stand.said,
            )  # fmt: skip


def test_an_entry_after_the_end_is_false(finished_copy: Campaign) -> None:
    for kind in ("turn", "amend"):
        name = append_entry(finished_copy, kind=kind, ground="organiser", settings={"close": "24h"})
        fault = audit(finished_copy.folder).fault
        assert fault is not None and (fault.code, fault.file) == ("after-the-end", name)
        finished_copy.folder.root.joinpath(name).unlink()


HEALTH = list(HealthCheck)
TestWalk = Walk.TestCase
TestWalk.settings = settings(max_examples=8, stateful_step_count=20, deadline=None, suppress_health_check=HEALTH, derandomize=True)


@pytest.mark.long
class TestLongWalk(Walk.TestCase):  # type: ignore[name-defined, misc]
    settings = settings(max_examples=150, stateful_step_count=40, deadline=None, suppress_health_check=HEALTH)
