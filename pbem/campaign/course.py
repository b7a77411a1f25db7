"""The course of a campaign at one point of its ledger: who sits where, what is filed, which keys are open, how the table stands.

``replay`` makes it from the archive; ``intake``, ``turn`` and ``audit`` ask it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec

from pbem.campaign import clock
from pbem.campaign.archive import Archive, Fault, Filed, open_file
from pbem.campaign.beacon import Links, root
from pbem.campaign.history import Asked, Chapter, Decision, Remark, Waiting, Why
from pbem.campaign.petitions import PETITIONS, Resend
from pbem.campaign.plans import Plan
from pbem.campaign.records import PlayedStep, Receipt
from pbem.campaign.roster import Member
from pbem.campaign.secret import Secret
from pbem.campaign.table import Table, seats_that_may_follow
from pbem.campaign.timing import Timing
from pbem.engine.title import Phase, Title
from pbem.orders.file import OrderFile, read_order
from pbem.orders.findings import Unreadable
from pbem.orders.join import read_join
from pbem.orders.plans import Planned
from pbem.orders.request import read_request
from pbem.orders.seal import Sealed, commitment, open_box, padded, read_plain, seal_info
from pbem.orders.sshsig import verify


class PhaseKey(msgspec.Struct, frozen=True):
    """The public key of a phase, the number of the entry that published it, and the signed line a template carries to seal to it."""

    entry: int
    public: bytes
    seal_to: str


class OnDesk(msgspec.Struct, frozen=True, kw_only=True):
    """An accepted order file with the plan in it."""

    receipt: Receipt
    file: OrderFile
    plan: Plan


class OnRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request that was taken, and what it asks."""

    receipt: Receipt
    petition: Any


class Course(msgspec.Struct, kw_only=True):
    """See the module. ``published``: phase and its key's entry → secret, from entries that closed it, or that will (audit looks ahead)."""

    archive: Archive
    title: Title[Any]
    options: msgspec.Struct
    secret: Secret | None
    published: dict[tuple[str, int], bytes]
    table: Table
    members: dict[str, Member] = {}
    joining: dict[str, Receipt] = {}
    """Accepted join files that have no entry yet."""
    desk: dict[tuple[str, str], list[OnDesk]] = {}
    private_secret: bytes | None = None
    """The secret of private chance and hidden facts: the processor's own, or the one the ``end`` entry publishes."""
    withheld: list[Remark] = []
    """Titles with hidden facts: remarks that wait for the end."""
    ended: bool = False
    """Whether the ``end`` entry has been written."""
    keys: dict[str, PhaseKey] = {}
    closed: set[str] = set()
    sealed: set[str] = set()
    """Phases to whose present key something was sealed."""
    void: set[str] = set()
    """Files (64 hex) that a correction has made void."""
    invites: dict[str, str] = {}
    """Seat → SHA-256 of the invite that is good for it, "" when there is none: it has been used, or came from an old secret."""
    spent: set[str] = set()
    """Seats whose last invite has been used: its entry has published it."""
    issues: dict[str, int] = {}
    """Seat → how many invites were made for it."""
    vacant: set[str] = set()
    """Seats that somebody had and that are free for another."""
    missed: dict[str, int] = {}
    """Seat → closing times missed in a row."""
    requests: list[OnRequest] = []
    """Requests that no entry has answered yet."""
    answered: dict[str, OnRequest] = {}
    """Every request that was taken, by its file (64 hex)."""
    numbers: dict[str, int] = {}
    """Seat → number of its last request."""
    conceded: set[str] = set()
    timing: Timing
    """The closing rules in force, the closing time, pauses and absences."""
    notices: list[tuple[str, dict[str, object]]] = []
    """What an audit mentions although it is not false."""
    rules: int = 0
    """The rules version of the last entry; 0 before the first."""
    beacon_base: int = 0
    """The last step before the present beacon was taken."""
    beacon_end: bytes = b""
    """The published end of the present beacon."""
    private_hash: str = ""
    """The commitment to the private secret that is in force."""
    fixed_root: bytes | None = None
    """The root of all chance, from the set-up on: who joins later does not change it."""
    last_steps: list[int] = msgspec.field(default_factory=lambda: [0])
    """Entry number → last step it had played."""
    entries: dict[str, int] = {}
    """Name of an entry ("7-3f9c…") → its number."""
    counted: int = 0
    """The last receipt that lies on the desk."""
    cut: int = 0
    """The last receipt that the last entry counted."""
    chapters: list[Chapter] = []
    mine: list[bytes] = []
    """Plain texts that a player kept of his own sealed plans: what they prove need not wait for the phase's secret."""
    check: bool = False
    """Whether players' signatures are verified and receipts judged again: audit does, processing trusts its own receipts."""
    settled: frozenset[str] = frozenset()
    """Phases whose steps are taken as the ledger tells them, their files left unread: processing looks only at what is still open."""
    links: Links | None = None
    """The processor's links of the beacon, walked to once."""
    brief: bool = False
    """Whether chapters go without the words whom the game waited for: they are costly, and nobody asks about the past."""

    # -- who and when ---------------------------------------------------------------------------------------------------

    @property
    def seats(self) -> list[str]:
        return [seat.name for seat in self.archive.game.seats]

    def times(self) -> list[datetime]:
        """Times that are known to be right: when the campaign began, the last entry, the last receipt."""
        found = [clock.parse(self.archive.game.created)]
        if self.archive.entries:
            found.append(clock.parse(self.archive.entries[-1].record.time))
        if self.archive.receipts:
            found.append(clock.parse(self.archive.receipts[-1].record.taken))
        return found

    def playing(self) -> list[str]:
        """Seats that have a player who has not given up."""
        return [seat for seat in self.seats if seat in self.members and seat not in self.conceded and seat not in self.vacant]

    @property
    def full(self) -> bool:
        return len(self.members) == len(self.archive.game.seats)

    @property
    def over(self) -> bool:
        return self.table.position is not None and self.table.phase() is None

    @property
    def abandoned(self) -> bool:
        """Whether nobody, or one player only, is left who has not given up."""
        return bool(self.conceded) and len(self.members) - len(self.conceded) <= 1

    @property
    def knows_all(self) -> bool:
        """Whether hidden facts are known here: else the table holds the public view."""
        return not self.title.hidden or self.private_secret is not None

    def decisions(self, told: PlayedStep) -> list[Decision]:
        """The orders of a step as an entry tells them; one that is no order of the title is left out."""
        kinds = {kind.__struct_config__.tag: kind for kind in self.title.orders}
        found = []
        for played in told.orders:
            kind = kinds.get(str(played.order.get("do")))
            if kind is None:
                continue
            try:
                order = msgspec.convert(played.order, kind)
            except msgspec.ValidationError:
                continue
            why: Why = "forced" if played.forced else "silence" if played.default == "silence" else "stopped" if played.default else "plan"
            found.append(Decision(seat=played.seat, order=order, why=why, file=played.file))
        return found

    def root(self) -> bytes:
        """What all chance hangs on besides the beacon: SHA-256 of the join nonces in seat order at the set-up."""
        return self.fixed_root or root([self.members[seat].nonce for seat in self.seats])

    def phase_id(self) -> str:
        """Id of the phase being played; "" before set-up and after the end."""
        return "" if self.table.position is None or self.over else str(self.table.position.phase)

    @property
    def since(self) -> datetime | None:
        """When the entry was written that opened the present phase."""
        return self.timing.since

    @property
    def silence(self) -> str:
        """What happens with who sent nothing: "default", "wait" or "bot"."""
        return self.timing.silence

    def closes(self) -> datetime | None:
        """When the present phase closes; None for never."""
        return self.timing.closes if self.phase_id() else None

    def absent(self, seat: str, when: datetime) -> datetime | None:
        """Until when a seat has said to be away at that time; None when it has not."""
        return self.timing.absent(seat, when)

    def due(self, now: datetime) -> bool:
        """Whether the closing time of the present phase has passed at that time, and silence means something."""
        deadline = self.timing.deadline if self.phase_id() else None
        return not self.ended and deadline is not None and now >= deadline and self.silence != "wait" and not self.timing.pausing(now)

    def must_seal(self, phase_id: str) -> bool:
        """Whether orders for a phase have to be sealed."""
        if self.archive.game.seal == "all":
            return True
        phase = self.title.phase_named(phase_id)
        return phase is not None and phase.simultaneous

    def ahead(self) -> tuple[str, ...]:
        """Phases for which orders are taken now."""
        return () if self.table.position is None else self.title.ahead(self.table.position)

    # -- what is filed --------------------------------------------------------------------------------------------------

    def put_down(self, receipt: Receipt, file: OrderFile) -> None:
        """Lays an accepted order file on the desk."""
        on_desk = OnDesk(receipt=receipt, file=file, plan=self.plan(receipt, file))
        if file.sealed is not None:
            self.sealed.add(receipt.phase)
        self.desk.setdefault((receipt.seat, receipt.phase), []).append(on_desk)

    def plan(self, receipt: Receipt, file: OrderFile) -> Plan:
        """The plan in a file, opened if that can be done here."""
        plans, then, readable = file.plans, file.then, True
        if file.sealed is not None:
            plans, then = self._mine(receipt, file.sealed)
            if (secret := self.phase_secret(receipt.phase)) is not None:
                try:
                    plain = open_box(file.sealed, secret, self.box_info(receipt.seat, receipt.phase, receipt.revision))
                except Unreadable as error:
                    where = self.archive.folder.relative(self.archive.file_of(receipt))
                    raise Fault("wrongly-taken", where, receipt=receipt.number, why=error.findings[0].code) from None
                try:
                    plans, then = read_plain(plain, self.title.orders)
                except Unreadable:
                    plans, then, readable = (), "ask", False
        after = self.last_steps[self.entries[file.after]]
        return Plan(file=receipt.file, seat=receipt.seat, phase=receipt.phase, after_step=after, plans=plans, then=then, readable=readable)

    def _mine(self, receipt: Receipt, box: Sealed) -> tuple[tuple[Planned, ...] | None, str]:
        """The plan in a box that cannot be opened here, if its player has handed in what he put into it."""
        info = self.box_info(receipt.seat, receipt.phase, receipt.revision)
        for plain in self.mine:
            try:
                if commitment(info, padded(plain)) == box.commitment:
                    return read_plain(plain, self.title.orders)
            except Unreadable:
                continue
        return None, "ask"

    def box_info(self, seat: str, phase: str, revision: int) -> bytes:
        """What binds a box to its place: campaign, seat, signer, phase and revision."""
        return seal_info(self.archive.id, seat, self.members[seat].key.fingerprint(), phase, revision)

    def phase_secret(self, phase: str) -> bytes | None:
        """The secret of a phase's key if it is known here."""
        if phase not in self.keys:
            return None
        known = self.published.get((phase, self.keys[phase].entry))
        # Keys that an earlier secret made open with what was published of them, or not at all: those files are void.
        if known is not None or self.secret is None or self.keys[phase].entry < self.archive.keys[-1][0]:
            return known
        return self.secret.phase(phase, self.keys[phase].entry)

    def current(self, seat: str, phase: str) -> OnDesk | None:
        """The file that counts: the highest revision."""
        filed = self.desk.get((seat, phase))
        return max(filed, key=lambda item: item.receipt.revision) if filed else None

    def plan_of(self, seat: str, phase: str) -> Plan | None:
        """The plan that counts, for the table."""
        if phase in self.settled:
            return Plan(file="", seat=seat, phase=phase, after_step=0, plans=None)
        on_desk = self.current(seat, phase)
        return None if on_desk is None else on_desk.plan

    def plans_for(self, phases: Iterable[str]) -> list[Plan]:
        """The plans that count for some phases, in seat order."""
        found = [self.plan_of(seat, phase) for phase in phases for seat in self.seats]
        return [plan for plan in found if plan is not None]

    def take_receipt(self, number: int) -> None:
        """Counts a receipt: an accepted order goes on the desk, an accepted join waits for its entry. Fault when its file is not right."""
        receipt = self.archive.receipt(number)
        self.counted = number
        if not receipt.accepted:
            if self.check:
                self._check_refusal(receipt)
            return
        if receipt.kind == "request":
            self._take_request(receipt)
            return
        if receipt.phase in self.settled:
            return
        if receipt.kind == "order" and self.rules and self.rules != self.title.rules:
            self._check_foreign(receipt)
            return
        filed = open_file(self.archive, receipt)
        if receipt.kind == "join":
            if self.check:
                self._check_join(receipt, filed)
            self.joining[receipt.seat] = receipt
            return
        try:
            file = read_order(filed.signed.signed, self.title.orders)
        except Unreadable as error:
            raise Fault("bad-file", self.archive.folder.relative(filed.path), why=error.findings[0].code) from None
        if file.after not in self.entries:
            raise Fault("other-history", self.archive.folder.relative(filed.path), after=file.after)
        if receipt.seat not in self.members:
            raise Fault("wrongly-taken", self.archive.folder.relative(filed.path), receipt=number, why="not-joined")
        if self.check:
            self._check_order(receipt, file, filed)
        self.put_down(receipt, file)

    def _check_foreign(self, receipt: Receipt) -> None:
        """An order of a segment played under other rules: its signature is checked, its content cannot be."""
        filed = open_file(self.archive, receipt)
        where = self.archive.folder.relative(filed.path)
        try:
            signer = verify(filed.signed.block, "order@pbem", filed.signed.signed) if self.check else None
        except Unreadable as error:
            raise Fault("bad-file", where, why=error.findings[0].code) from None
        if signer is not None and (receipt.seat not in self.members or signer.raw != self.members[receipt.seat].key.raw):
            raise Fault("wrongly-taken", where, receipt=receipt.number, why="wrong-key")

    def _take_request(self, receipt: Receipt) -> None:
        filed = open_file(self.archive, receipt)
        where = self.archive.folder.relative(filed.path)
        from pbem.campaign.judge import Refused, judge_request

        try:
            file = read_request(filed.signed.signed, PETITIONS)
            if self.check:
                judge_request(self, file, verify(filed.signed.block, "request@pbem", filed.signed.signed))
        except Unreadable as error:
            raise Fault("bad-file", where, why=error.findings[0].code) from None
        except Refused as refused:
            raise Fault("wrongly-taken", where, receipt=receipt.number, why=refused.code) from None
        if (file.player, file.number) != (receipt.seat, receipt.revision):
            raise Fault("receipt-differs", self._receipt_name(receipt))
        self.put_request(receipt, file.request)

    def put_request(self, receipt: Receipt, petition: Any) -> None:
        """Keeps a request that was taken."""
        request = OnRequest(receipt=receipt, petition=petition)
        if not isinstance(petition, Resend):
            self.requests.append(request)
        self.answered[receipt.file] = request
        self.numbers[receipt.seat] = receipt.revision

    def _check_refusal(self, receipt: Receipt) -> None:
        from pbem.campaign.judge import justified

        if not justified(self, receipt):
            raise Fault("wrongly-refused", self._receipt_name(receipt), why=receipt.reason)

    def _check_join(self, receipt: Receipt, filed: Filed) -> None:
        where = self.archive.folder.relative(filed.path)
        if (receipt.seat in self.members and receipt.seat not in self.vacant) or receipt.seat in self.joining:
            raise Fault("wrongly-taken", where, receipt=receipt.number, why="seat-taken")
        try:
            join, _, _ = read_join(filed.data, filed.detached)
        except Unreadable as error:
            raise Fault("bad-file", where, why=error.findings[0].code) from None
        if (receipt.seat, receipt.phase, receipt.verdict) != (join.seat, "join", "complete"):
            raise Fault("receipt-differs", self._receipt_name(receipt))

    def _receipt_name(self, receipt: Receipt) -> str:
        return self.archive.folder.relative(self.archive.folder.receipt(receipt.number))

    def _check_order(self, receipt: Receipt, file: OrderFile, filed: Filed) -> None:
        from pbem.campaign.judge import Refused, judge

        where = self.archive.folder.relative(filed.path)
        try:
            signer = verify(filed.signed.block, "order@pbem", filed.signed.signed)
            judge(self, file, signer, clock.parse(receipt.received), clock.parse(receipt.taken))
        except Unreadable as error:
            raise Fault("bad-file", where, why=error.findings[0].code) from None
        except Refused as refused:
            raise Fault("wrongly-taken", where, receipt=receipt.number, why=refused.code) from None
        told = (receipt.seat, receipt.phase, receipt.revision, receipt.verdict == "taken")
        if told != (file.player, file.phase, file.revision, file.sealed is not None or self.title.hidden):
            raise Fault("receipt-differs", self._receipt_name(receipt))

    # -- whom we wait for -----------------------------------------------------------------------------------------------

    def waiting(self, now: datetime | None = None) -> Waiting | None:
        """Whom the game waits for at this point; None before set-up and after the end. ``now``: the time, else that of the last entry."""
        phase = self.table.phase()
        if phase is None or self.ended:
            return None
        phase_id = self.phase_id()
        at_once = phase.asked(self.table.position)
        # Where something is hidden, what others could do is not foreseen. Who has conceded is asked nothing.
        seats = () if self.title.hidden else seats_that_may_follow(self.title, self.table.position, self.seats)
        later = [seat for seat in seats if seat not in at_once]
        named = [seat for seat in (*at_once, *later) if seat not in self.conceded] or at_once
        asked = [Asked(seat=seat, filed=self._filed(seat, phase, seat in at_once), now=seat in at_once) for seat in named]
        now_at = now or (self.chapters[-1].time if self.chapters else None)
        timing = self.timing
        return Waiting(
            phase=phase_id, asked=tuple(asked), closes=self.closes(), sealed=self.must_seal(phase_id),
            paused=timing.paused if now_at is not None and timing.pausing(now_at) else None,
            away=tuple(each for each in timing.away if now_at is None or each.end > now_at), free=tuple(sorted(self.vacant)),
        )  # fmt: skip

    def _filed(self, seat: str, phase: Phase[Any], now: bool) -> str:
        filed, on_desk = self.how_much(seat, self.phase_id()), self.current(seat, self.phase_id())
        # Play goes as far as plans reach: who is waited for although his sealed plan was counted has a plan that stopped or ran out.
        if filed == "taken" and now and not phase.simultaneous and on_desk is not None and on_desk.receipt.number <= self.cut:
            return "stopped"
        return filed

    def how_much(self, seat: str, phase: str) -> str:
        """What may be said of what a seat has filed: nothing, partial, complete, taken, stopped."""
        on_desk = self.current(seat, phase)
        if on_desk is None or (on_desk.plan.readable and on_desk.file.plans == () and on_desk.plan.then == "ask"):
            return "nothing"
        cursor = self.table.cursors.get(on_desk.plan.file)
        if cursor is not None and cursor.stopped:
            return "stopped"
        return on_desk.receipt.verdict
