"""A campaign of Parley as its rules say it goes, in plain lists: no files, no signatures, no replay."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from .parley import PHASES, TALKS, WORDS

Order = tuple[str, ...]


@dataclass(frozen=True)
class Line:
    """One line of a plan: the order and its alternatives, what to do when none is legal, what to watch."""

    orders: tuple[Order, ...]
    otherwise: str = "ask"
    watch: tuple[str, ...] = ()

    def table(self) -> dict[str, Any]:
        first, *others = ({"do": order[0], **({"word": order[1]} if len(order) > 1 else {})} for order in self.orders)
        words = {"otherwise": self.otherwise, "watch": list(self.watch)}
        return first | words | ({"or": others} if others else {})


@dataclass
class Filed:
    """A file that was taken. ``line`` and ``stopped``: how far it has been played."""

    seat: str
    phase: str
    revision: int
    identity: str
    lines: tuple[Line, ...]
    then: str
    after_step: int
    line: int = 0
    stopped: bool = False


@dataclass(frozen=True)
class Stand:
    """Where the game stands."""

    phase: str = PHASES[0]
    turn: int = 0
    last: str = ""
    said: tuple[str, ...] = ()


@dataclass
class Model:
    """Everything that decides who is asked and which files count."""

    seats: tuple[str, ...]
    keys: dict[str, str] = field(default_factory=dict)
    """Seat → name of the key it plays with."""
    joining: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Seat → key and identity of a join file that waits for its entry."""
    vacant: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    """Seats whose last invite has been used, and is public."""
    conceded: list[str] = field(default_factory=list)
    stand: Stand | None = None
    step: int = 0
    decided: list[tuple[int, str, str]] = field(default_factory=list)
    touched: list[tuple[int, str, str]] = field(default_factory=list)
    entries: int = 0
    line: dict[int, tuple[int, Stand | None]] = field(default_factory=lambda: {0: (0, None)})
    """Entries that still count: number → last step at that time, and where the game stood."""
    open: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    desk: dict[tuple[str, str], list[Filed]] = field(default_factory=dict)
    void: set[str] = field(default_factory=set)
    requests: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    missed: dict[str, int] = field(default_factory=dict)
    close: timedelta | None = timedelta(hours=48)
    since: datetime | None = None
    ended: bool = False

    # -- what can be asked of it -------------------------------------------------------------------------------------------

    @property
    def phase(self) -> str:
        return self.stand.phase if self.stand is not None and self.stand.phase != "over" else ""

    def asked(self) -> tuple[str, ...]:
        if not self.phase:
            return ()
        if self.phase.endswith("vote"):
            return self.seats
        return (self.seats[(self.stand.turn if self.stand else 0) % len(self.seats)],)

    def current(self, seat: str, phase: str) -> Filed | None:
        return max(self.desk.get((seat, phase), []), key=lambda filed: filed.revision, default=None)

    def closes(self) -> datetime | None:
        return None if self.ended or not self.phase or self.close is None or self.since is None else self.since + self.close

    def due(self, now: datetime) -> bool:
        closes = self.closes()
        return closes is not None and now >= closes

    def playing(self) -> list[str]:
        return [seat for seat in self.seats if seat in self.keys and seat not in self.conceded and seat not in self.vacant]

    def author_refused(self, seat: str, key: str) -> str:
        if seat not in self.keys:
            return "not-joined"
        if self.keys[seat] != key:
            return "wrong-key"
        return "vacant" if seat in self.vacant else "conceded" if seat in self.conceded else ""

    def order_refused(self, seat: str, key: str, phase: str, revision: int, after: int, sealed: bool, now: datetime) -> str:
        """Why an order file is not taken; "" when it is. ``after``: number of the entry its author saw last."""
        if reason := self.author_refused(seat, key):
            return reason
        if after not in self.line:
            return "other-history"
        if self.stand is None:
            return "not-started"
        if phase in self.closed or phase not in self.open:
            return "closed" if phase in self.closed else "unknown-phase"
        closes = self.closes()
        if phase == self.phase and closes is not None and now > closes:
            return "late"
        if any(step > self.line[after][0] and (who, what) == (seat, phase) for step, who, what in self.decided):
            return "stale"
        before = [filed.revision for filed in self.desk.get((seat, phase), [])]
        if before and revision <= max(before):
            return "revision-taken" if revision in before else "older-revision"
        return "must-be-sealed" if phase.endswith("vote") and not sealed else ""

    def join_refused(self, seat: str, key: str, good_invite: bool) -> str:
        if (seat in self.keys and seat not in self.vacant) or seat in self.joining:
            return "seat-taken"
        if not good_invite or seat in self.used:
            return "bad-invite"
        others = [of for other, of in self.keys.items() if other != seat] + [of for of, _ in self.joining.values()]
        return "key-taken" if key in others else ""

    # -- what can happen -------------------------------------------------------------------------------------------------------

    def file(self, filed: Filed) -> None:
        self.desk.setdefault((filed.seat, filed.phase), []).append(filed)

    def process(self, now: datetime, close: bool = False) -> None:
        for seat in self.seats:
            if seat in self.joining:
                self.keys[seat], _ = self.joining.pop(seat)
                self.vacant.discard(seat)
                self.used.add(seat)
                self.entry()
        for seat, asked in [request for request in self.requests if request[1]["do"] != "consent"]:
            self.requests.remove((seat, asked))
            if asked["do"] == "concede":
                self._void(seat)
                self.conceded += [seat] * (seat not in self.conceded)
            elif asked["do"] == "rekey":
                self._void(seat)
                self.keys[seat] = asked["key"]
            self.entry()
        if len(self.keys) == len(self.seats) and (self.stand is None or self.phase) and not self._abandoned():
            self._turn(now, close)
        if (self.stand is not None and not self.phase) or self._abandoned():
            self.entry()
            self.ended = True

    def _abandoned(self) -> bool:
        return bool(self.conceded) and len(self.keys) - len(self.conceded) <= 1

    def _turn(self, now: datetime, close: bool) -> None:
        before, due = self.stand, self.due(now)
        if self.stand is None:
            self.stand, self.step = Stand(), 1
        first, silent, filed = self.step, set[str](), set[str]()
        closing = before.phase if before is not None and (close or due) else ""
        while self.phase and (orders := self._decisions(closing)) is not None:
            silent |= {seat for seat, (_, why) in orders.items() if why == "silence"}
            filed |= {seat for seat, (_, why) in orders.items() if why != "silence"}
            self._play({seat: order for seat, (order, _) in orders.items()})
        if before is not None and self.step == first:
            return
        for seat in filed:
            self.missed.pop(seat, None)
        if due and not close:
            for seat in silent - filed - set(self.conceded):
                self.missed[seat] = self.missed.get(seat, 0) + 1
        ahead = self._ahead()
        self.closed |= {phase for phase in self.open if phase not in ahead}
        self.open |= ahead
        if before is None or (self.stand and self.stand.phase != before.phase):
            self.since = now
        self.entry()

    def _ahead(self) -> set[str]:
        return set(PHASES[PHASES.index(self.phase) :]) if self.phase else set()

    def _play(self, orders: dict[str, Order]) -> None:
        stand = self.stand
        assert stand is not None
        self.step += 1
        self.decided += [(self.step, seat, stand.phase) for seat in orders]
        ahead = dict(zip(PHASES, [*PHASES[1:], "over"], strict=True))[stand.phase]
        if stand.phase.endswith("vote"):
            said = tuple(f"{seat} votes {order[1]}" for seat, order in sorted(orders.items()))
            self.stand = Stand(ahead, 0, "", stand.said + said)
            return
        [(seat, order)] = orders.items()
        if order[0] == "say":
            self.touched.append((self.step, seat, order[1]))
            stand = replace(stand, last=order[1], said=(*stand.said, f"{seat} {order[1]}"))
        turn = stand.turn + 1
        self.stand = replace(stand, phase=ahead, turn=0) if turn == TALKS * len(self.seats) else replace(stand, turn=turn)

    def _legal(self, order: Order) -> bool:
        assert self.stand is not None
        if self.stand.phase.endswith("vote"):
            return order[0] == "vote" and order[1] in WORDS
        return order[0] == "pass" or (order[0] == "say" and order[1] in WORDS and order[1] != self.stand.last)

    def _default(self) -> Order:
        return ("vote", WORDS[0]) if self.phase.endswith("vote") else ("pass",)

    def _decisions(self, closing: str) -> dict[str, tuple[Order, str]] | None:
        found: dict[str, tuple[Order, str]] = {}
        moved: list[tuple[Filed, int, bool]] = []
        for seat in self.asked():
            filed = self.current(seat, self.phase)
            if filed is None or (not filed.lines and filed.then == "ask"):
                if closing == self.phase or seat in self.conceded:
                    found[seat] = (self._default(), "silence")
                continue
            order, why, at, stopped = self._answer(filed, closing == self.phase)
            moved.append((filed, at, stopped))
            if order is not None:
                found[seat] = (order, why)
        whole = len(found) == len(self.asked())
        for filed, at, stopped in moved:
            # Who waits for others only is asked again from where he stands; a plan that has stopped stays so.
            if whole or stopped:
                filed.line, filed.stopped = at, stopped
        return found if whole else None

    def _answer(self, filed: Filed, closing: bool) -> tuple[Order | None, str, int, bool]:
        """An order and where it comes from, the plan's next line, whether it has stopped."""
        at = filed.line
        stops = (self._default(), "stopped", at + 1, False) if closing else (None, "", at, True)
        if filed.stopped:
            return stops
        for at in range(filed.line, len(filed.lines)):
            line = filed.lines[at]
            stops = (self._default(), "stopped", at + 1, False) if closing else (None, "", at, True)
            if any(step > filed.after_step and who != filed.seat and word in line.watch for step, who, word in self.touched):
                return stops
            for order in line.orders:
                if self._legal(order):
                    return order, "file", at + 1, False
            if line.otherwise == "ask":
                return stops
            if line.otherwise == "default":
                return self._default(), "file", at + 1, False
        at = max(filed.line, len(filed.lines))
        if filed.then == "ask":
            return (self._default(), "stopped", at + 1, False) if closing else (None, "", at, True)
        return self._default(), "file", at, False

    def _void(self, seat: str = "", phases: set[str] | None = None) -> None:
        for (who, phase), items in list(self.desk.items()):
            if phase not in self.closed and (who == seat or (phases is not None and phase in phases)):
                self.void |= {filed.identity for filed in items}
                del self.desk[who, phase]

    def free(self, seat: str) -> None:
        """The seat's player is gone: what he filed and asked for counts no more."""
        self._void(seat)
        self.vacant.add(seat)
        self.missed.pop(seat, None)
        self.requests = [request for request in self.requests if request[0] != seat]

    def invite(self, seat: str) -> None:
        """A new invite: a join that waits was made with the old one."""
        if seat in self.joining:
            self.void.add(self.joining.pop(seat)[1])
        self.used.discard(seat)

    def entry(self) -> None:
        """One more entry in the ledger, after which things stand as they stand."""
        self.entries += 1
        self.line[self.entries] = (self.step, self.stand)

    def drop_consents(self, step: str, seat: str, to: int) -> None:
        """Consents that a step has used up."""
        self.requests = [request for request in self.requests if not self._agrees(request[1], step, seat, to)]

    @staticmethod
    def _agrees(asked: dict[str, Any], step: str, seat: str, to: int) -> bool:
        return asked["do"] == "consent" and (asked["step"], asked.get("to", 0), asked.get("seat", "")) == (step, to, seat)

    def ground(self, kind: str, seat: str = "", to: int = 0) -> str:
        agreed = {who for who, asked in self.requests if self._agrees(asked, kind, seat, to)}
        others = {one for one in self.playing() if one != seat}
        if others and agreed >= others:
            return "consent"
        if kind in ("vacate", "substitute") and self.missed.get(seat, 0) >= 3:
            return "silence"
        return "organiser"

    def can_return_to(self, to: int) -> bool:
        return 1 <= to < self.entries and to in self.line and self.line[to][1] is not None

    def turn_back(self, to: int, now: datetime) -> None:
        last, self.stand = self.line[to]
        self.decided = [each for each in self.decided if each[0] <= last]
        self.touched = [each for each in self.touched if each[0] <= last]
        ahead = self._ahead()
        self.closed -= ahead
        self._void(phases=ahead)
        for filed in (each for items in self.desk.values() for each in items):
            filed.line, filed.stopped = 0, False
        self.line = {number: at for number, at in self.line.items() if number <= to}
        self.missed, self.since = {}, now
