"""Campaigns to send mutated files to: opened once, asked many times, never changed. What an answer would write goes to memory."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec

from pbem.campaign import intake, records, secret
from pbem.campaign.course import Course
from pbem.campaign.creation import create
from pbem.campaign.folder import Folder
from pbem.campaign.intake import Answer, Incoming, answer, catch_up, unpack
from pbem.campaign.replay import replay_as_processor
from pbem.engine.playout import playout
from pbem.engine.position import to_table
from pbem.orders.seal import Sealed, make_plain, seal, seal_info
from pbem.orders.signed import sign_file
from pbem.orders.write import dump

from ..helpers import HOUR, NAME, RAW_ID, RAW_SECRET, SEATS, START, Campaign, Player, environment


def joined(base: Path, slug: str) -> Campaign:
    """A campaign of that title with all seats taken and the set-up played."""
    campaign = empty(base, slug)
    for one in campaign.receive(*(campaign.join_file(seat) for seat in campaign.seats)):
        assert one.receipt.accepted, one
    campaign.process()
    return campaign


def empty(base: Path, slug: str) -> Campaign:
    """A campaign of that title that nobody has joined."""
    from pbem.engine import registry

    seats = SEATS[: max(registry.title(slug).seats.start, min(4, registry.title(slug).seats.stop - 1))]
    folder = Folder(base / NAME)
    with environment("PBEM_SECRET", RAW_SECRET.hex()):
        made = create(folder, START, title=slug, seats=seats, raw_id=RAW_ID)
    secret.keep(folder, RAW_SECRET)
    return Campaign(folder, made, {seat: Player.of(seat) for seat in seats}, START)


@dataclass
class Memory:
    """What an answer wrote: path → bytes."""

    files: dict[Path, bytes] = field(default_factory=dict)

    def write(self, path: Path, data: bytes, **_: Any) -> None:
        self.files[path] = data

    def read(self, path: Path, cap: int = 0) -> bytes:
        return self.files[path]


@contextmanager
def in_memory() -> Iterator[Memory]:
    """Answers write to memory and read from there."""
    memory = Memory()
    with patch.object(intake, "write", memory.write), patch.object(intake, "read", memory.read):
        yield memory


@dataclass
class Office:
    """A processor's course. ``answers`` works on a copy of it each time."""

    campaign: Campaign
    course: Course

    @staticmethod
    def open(campaign: Campaign) -> Office:
        course = replay_as_processor(campaign.folder)
        catch_up(course)
        course.brief = True
        return Office(campaign, course)

    def answers(self, data: bytes, detached: str | None = None) -> tuple[list[tuple[Incoming, Answer]], Course, Memory]:
        """What is said of every file found in ``data``, the course after it, and what was written."""
        course = copy_of(self.course)
        now = self.campaign.now + HOUR
        with in_memory() as memory:
            found = unpack(Incoming("fuzz", data, detached, received=now - timedelta(minutes=1)))
            return [(one, answer(course, one, now)) for one in found], course, memory


def copy_of(course: Course) -> Course:
    """A course that can take a file without the other noticing."""
    archive = msgspec.structs.replace(course.archive, receipts=list(course.archive.receipts))
    return msgspec.structs.replace(
        course, archive=archive, table=course.table.copy(), desk={key: list(filed) for key, filed in course.desk.items()},
        sealed=set(course.sealed), joining=dict(course.joining), requests=list(course.requests), answered=dict(course.answered),
        numbers=dict(course.numbers), void=set(course.void),
    )  # fmt: skip


def orders_by_phase(slug: str, seats: tuple[str, ...], seed: int = 3) -> dict[str, list[dict[str, Any]]]:
    """Name of a phase → orders that were played in it in a random game, as they stand in files."""
    from pbem.engine import registry

    title = registry.title(slug)
    found: dict[str, list[dict[str, Any]]] = {}
    for step in playout(title, title.options(), seats, seed)[1]:
        for order in step.orders.values():
            found.setdefault(step.phase.partition(".")[2], []).append(to_table(order))
    return found


@dataclass(frozen=True)
class Draft:
    """The text of an order file before it is signed, whose it is, and what is sealed in it."""

    seat: str
    body: bytes
    plain: bytes = b""
    phase: str = ""
    revision: int = 1


def drafts(office: Office, count: int) -> list[Draft]:
    """Order files that would be taken: plans for every phase that is open, of every seat."""
    course, dice = office.course, random.Random(11)  # noqa: S311 — repeatable
    orders = orders_by_phase(course.title.slug, office.campaign.seats)
    found = []
    for number in range(count):
        phase = dice.choice([phase for phase in course.keys if phase not in course.closed])
        seat = dice.choice(office.campaign.seats)
        pool = orders.get(phase.partition(".")[2]) or next(iter(orders.values()))
        lines = []
        for order in dice.choices(pool, k=dice.randrange(1, 5)):
            line = dict(order)
            if dice.random() < 0.4:
                line["or"] = dice.choices(pool, k=dice.randrange(1, 4)) if dice.random() < 0.5 else dice.choice(pool)
            if dice.random() < 0.3:
                line |= {"otherwise": dice.choice(("ask", "skip", "default")), "watch": dice.choices(("yunnan-a", "zhili-b", "x"), k=2)}
            lines.append(line)
        on_desk = course.current(seat, phase)
        revision = (on_desk.receipt.revision if on_desk else 0) + dice.choice((1, 1, 2))
        head = {
            "game": course.archive.game.name, "player": seat, "phase": phase, "revision": revision, "after": course.archive.head(),
            "note": f"file {number}", "then": dice.choice(("ask", "pass", "default")),
        }  # fmt: skip
        if course.must_seal(phase):
            plain = make_plain(lines, head.pop("then"), bytes([number]) * 32)
            found.append(Draft(seat, sealed(office, seat, phase, revision, head, plain), plain, phase, revision))
        else:
            found.append(Draft(seat, dump({**head, "orders": lines})))
    return found


def sealed(office: Office, seat: str, phase: str, revision: int, head: dict[str, Any], plain: bytes) -> bytes:
    """The text of a file that holds ``plain`` sealed."""
    return dump({**head, "sealed": box(office, seat, phase, revision, plain).table()})


def box(office: Office, seat: str, phase: str, revision: int, plain: bytes) -> Sealed:
    course, key = office.course, office.campaign.players[seat].key
    return seal(plain, course.keys[phase].public, seal_info(course.archive.id, seat, key.public.fingerprint(), phase, revision))


def signed(office: Office, seat: str, body: bytes, namespace: str) -> bytes:
    """A text signed by a seat's player."""
    return sign_file(office.campaign.players[seat].key, namespace, body)


def is_signed_receipt(office: Office, data: bytes) -> None:
    """BadRecord unless these bytes are a receipt of this campaign's processor."""
    parts = records.split(data)
    records.check_signer(parts, records.RECEIPT, office.course.archive.key)
    records.parse(parts.signed, records.Receipt)
