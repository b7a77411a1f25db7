"""A campaign for tests, made and played through the real code: text → ``sign_order`` → ``receive`` → ``process``.

Keys, secret and nonces are fixed, so that the same orders give the same game in every run; only boxes and letters differ, since sealing
draws its own randomness.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from pbem.campaign import secret
from pbem.campaign.channels import readings
from pbem.campaign.course import Course
from pbem.campaign.creation import Created, create
from pbem.campaign.folder import Folder
from pbem.campaign.intake import Answer, Incoming, answer, catch_up, receive
from pbem.campaign.replay import replay, replay_as_processor
from pbem.campaign.secret import Secret
from pbem.campaign.turn import Processed, play, process
from pbem.engine import steps
from pbem.engine.chance import SeededChance
from pbem.engine.position import to_table
from pbem.orders.join import invite_bytes, make_join
from pbem.orders.keys import PrivateKey
from pbem.orders.making import sign_order
from pbem.orders.seal import phase_public
from pbem.orders.write import dump

SEATS = ("an", "bo", "chen", "dai")
NAME = "winter-court"
START = datetime(2026, 11, 1, 19, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
RAW_SECRET = hashlib.sha256(b"the secret of every test campaign").digest()
RAW_ID = hashlib.sha256(b"the id of every test campaign").digest()[:16]
BY_FORCE = 400
THEN = {"an": "ask", "bo": "default", "chen": "pass", "dai": "default"}
"""How the plans of a quick game end."""


def fixed(*words: str) -> bytes:
    """32 bytes that are the same in every run."""
    return hashlib.sha256(" ".join(words).encode()).digest()


@dataclass(frozen=True)
class Player:
    """A seat's owner: his key and the secret half of his letter key."""

    seat: str
    key: PrivateKey
    letter: bytes
    nonce: bytes

    @staticmethod
    def of(seat: str) -> Player:
        return Player(seat, PrivateKey.from_seed(fixed("key", seat)), fixed("letter", seat), fixed("nonce", seat))


class Mind:
    """A quick player: of a few random orders he takes the one that looks best. The same in every run."""

    def __init__(self, title: Any, seat: str) -> None:
        self._title, self._seat = title, seat
        self._dice = random.Random(f"mind of {seat}")  # noqa: S311 — repeatable

    def plan(self, view: Any) -> list[list[Any]]:
        """Per decision of the present phase, if the others take the default, up to three orders, the best first."""
        probe, lines = view.copy(), list[list[Any]]()
        while (phase := self._title.phase(probe)) is not None and probe.phase == view.phase:
            orders = {seat: phase.default(probe, seat) for seat in phase.asked(probe)}
            if self._seat in orders:
                lines.append(self._ranked(phase, probe, orders))
                orders[self._seat] = lines[-1][0]
            steps.play_step(self._title, probe, orders, SeededChance(0))
        return lines

    def _ranked(self, phase: Any, view: Any, others: dict[str, Any]) -> list[Any]:
        choices = list(islice(phase.choices(view, self._seat), 80))
        worth = []
        for number, order in enumerate(self._dice.sample(choices, min(6, len(choices)))):
            probe = view.copy()
            phase.play(probe, {**others, self._seat: order}, SeededChance(0))
            worth.append((-self._title.worth(probe, self._seat), number, order))
        return [order for _, _, order in sorted(worth)[:3]]


@contextmanager
def environment(name: str, value: str | None) -> Iterator[None]:
    """One environment variable set (or removed) for a while."""
    before = os.environ.get(name)
    try:
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
        yield
    finally:
        if before is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = before


@dataclass
class Campaign:
    """A campaign folder with the keys of everybody at the table. ``now`` is the time every call works with."""

    folder: Folder
    made: Created
    players: dict[str, Player]
    now: datetime = START
    plains: dict[tuple[str, str, int], bytes] = field(default_factory=dict)
    """Seat, phase, revision → plain text of a sealed plan."""

    @property
    def secret(self) -> Secret:
        return Secret(RAW_SECRET, RAW_ID)

    @property
    def seats(self) -> tuple[str, ...]:
        return tuple(self.players)

    # -- as anybody and as the processor ----------------------------------------------------------------------------------

    def course(self) -> Course:
        """The course as anybody sees it, with what was receipted since the last entry."""
        course = replay(self.folder)
        catch_up(course)
        return course

    def phase(self) -> str:
        return replay(self.folder).phase_id()

    def asked(self) -> tuple[str, ...]:
        """Who must decide now."""
        course = replay(self.folder)
        phase = course.table.phase()
        return () if phase is None else phase.asked(course.table.position)

    def process(self, *, close: str = "") -> Processed:
        return process(self.folder, self.now, close=close)

    def receive(self, *files: bytes | Incoming, received: datetime | None = None) -> list[Answer]:
        items = [
            one if isinstance(one, Incoming) else Incoming(f"mail {number}", one, received=received)
            for number, one in enumerate(files, start=1)
        ]
        return receive(self.folder, items, self.now)

    # -- as a player ------------------------------------------------------------------------------------------------------

    def join_file(self, seat: str, *, key: PrivateKey | None = None, invite: str = "", **changed: Any) -> bytes:
        player = self.players[seat]
        facts: dict[str, Any] = {
            "game": self.made.game.name, "campaign_id": bytes.fromhex(self.made.game.id), "seat": seat,
            "invite": invite_bytes(invite or self.made.invites[seat]), "letter_public": phase_public(player.letter),
            "nonce": player.nonce, "name": seat.capitalize(),
        }  # fmt: skip
        return make_join(key or player.key, **(facts | changed))

    def text(self, seat: str, phase: str, orders: list[dict[str, Any]], *, course: Course | None = None, **changed: Any) -> bytes:
        """What a player would write. ``changed`` replaces lines of the head; None drops one."""
        course = course or self.course()
        table: dict[str, Any] = {
            "game": self.made.game.name, "player": seat, "phase": phase, "revision": 1, "after": course.archive.head(),
            "then": "ask", "orders": orders,
        }  # fmt: skip
        if phase in course.keys and course.must_seal(phase):
            table["seal_to"] = course.keys[phase].seal_to
        return dump({key: value for key, value in (table | changed).items() if value is not None})

    def signed(self, seat: str, phase: str, orders: list[dict[str, Any]], *, key: PrivateKey | None = None, **changed: Any) -> bytes:
        """A signed file, sealed where the campaign asks for it."""
        course = changed.pop("course", None) or self.course()
        text = self.text(seat, phase, orders, course=course, **changed)
        made = sign_order(text, key or self.players[seat].key, processor=course.archive.key)
        if made.plain is not None:
            self.plains[(seat, phase, made.revision)] = made.plain
        return made.data

    def file(self, seat: str, phase: str, orders: list[dict[str, Any]], **changed: Any) -> Answer:
        """Files orders and gives the answer to them."""
        received = changed.pop("received", None)
        return self.receive(self.signed(seat, phase, orders, **changed), received=received)[0]

    def bids(self, **changed: Any) -> dict[str, bytes]:
        """A sealed bid of everybody who is asked for one: nobody goes home."""
        course = self.course()
        phase = course.table.phase()
        assert phase is not None
        asked = phase.asked(course.table.position)
        return {seat: self.signed(seat, course.phase_id(), [{"do": "return"}], course=course, **changed) for seat in asked}

    # -- whole stretches of a game ------------------------------------------------------------------------------------------

    def silent_until(self, phase: str) -> None:
        """Everybody is silent and the organiser closes phase by phase until the game stands at ``phase`` ("" for its end)."""
        for _ in range(BY_FORCE):
            now = self.phase()
            if now == phase:
                return
            self.now += HOUR
            self.process(close=now)
        raise AssertionError(f"{phase} never came")

    def everybody_plans(self, minds: dict[str, Mind], course: Course, *, note: str = "") -> bool:
        """All seats that the game waits for file a plan for this phase, then it is processed. False when the game is over.

        ``course`` is the processor's and goes along, so that nothing is replayed.
        """
        waiting = course.waiting()
        if waiting is None:
            return False
        self.now += HOUR
        files = []
        for asked in waiting.asked:
            if asked.filed not in ("nothing", "stopped"):
                continue
            on_desk = course.current(asked.seat, waiting.phase)
            revision = on_desk.receipt.revision + 1 if on_desk else 1
            orders = as_tables(minds[asked.seat].plan(course.title.view(course.table.position, asked.seat)))
            files.append(
                self.signed(
                    asked.seat, waiting.phase, orders, course=course, revision=revision, note=note or None, then=THEN[asked.seat]
                )
            )
        for number, data in enumerate(files, start=1):
            got = answer(course, Incoming(f"mail {number}", data), self.now)
            assert got.receipt.accepted, got
        play(course, self.now, close="" if files else waiting.phase)
        return True

    def play_on(self, *, until: str = "", note: str = "") -> None:
        """Quick minds play until the game stands at that phase; without one, to the end."""
        course = replay_as_processor(self.folder)
        catch_up(course)
        minds = {seat: Mind(course.title, seat) for seat in self.seats}
        while course.phase_id() != until and self.everybody_plans(minds, course, note=note):
            pass

    def copy(self, to: Path) -> Campaign:
        """The same campaign in another folder ``to / NAME``."""
        root = to / self.folder.root.name
        shutil.copytree(self.folder.root, root)
        return Campaign(Folder(root), self.made, self.players, self.now, dict(self.plains))


def as_tables(plan: list[list[Any]]) -> list[dict[str, Any]]:
    """A stand-in's plan as the lines of a file: the best order, the others as its alternatives."""
    lines = []
    for ranked in plan:
        line = to_table(ranked[0])
        if len(ranked) > 1:
            line["or"] = [to_table(order) for order in ranked[1:]]
        lines.append(line)
    return lines


def new_campaign(base: Path, seats: tuple[str, ...] = SEATS, *, start: datetime = START, **options: Any) -> Campaign:
    """An empty campaign: nobody has joined."""
    folder = Folder(base / NAME)
    with environment("PBEM_SECRET", RAW_SECRET.hex()):
        made = create(folder, start, title="ming-dynasty", seats=seats, raw_id=RAW_ID, **options)
    secret.keep(folder, RAW_SECRET)
    return Campaign(folder, made, {seat: Player.of(seat) for seat in seats}, start)


def joined_campaign(base: Path, seats: tuple[str, ...] = SEATS, **options: Any) -> Campaign:
    """A campaign at its first phase: all have joined, the set-up is played."""
    return joined_by_all(new_campaign(base, seats, **options))


def joined_by_all(campaign: Campaign) -> Campaign:
    """The campaign with all seats taken and the set-up played."""
    for one in campaign.receive(*(campaign.join_file(seat) for seat in campaign.seats)):
        assert one.receipt.accepted, one
    campaign.process()
    return campaign


def as_of_before(campaign: Campaign) -> Campaign:
    """The campaign as earlier versions made it: its entries carry no closing times. Nobody may have joined yet."""
    text = campaign.folder.game.read_text()
    campaign.folder.game.write_text(text[: text.index("[clock]")])
    return campaign


def read_until(folder: Folder) -> dict[str, datetime]:
    """Channel → until when it has been read; channels nobody ever read are not known."""
    return {channel: times[-1] for channel, times in readings(folder).items() if times}
