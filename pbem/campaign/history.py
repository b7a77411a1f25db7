"""A campaign as a story: what ``audit`` proves and ``publish`` tells. Plain data, made by replaying the ledger.

The whole is a ``Story``; a ``Chapter`` is one ledger entry, a ``Step`` one set of orders and what followed, a ``Remark`` what a plan did.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from pbem.engine.title import Event, Order, Title

Why = Literal["plan", "then", "otherwise", "forced", "silence", "stopped"]
"""Where an order came from: a plan's line, its ``then``, its ``otherwise``; the only legal order; nothing filed; a plan that stopped."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """One order as played, in normal form. ``file`` is the identity (64 hex) of the order file behind it, "" for none."""

    seat: str
    order: Order
    why: Why
    file: str = ""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One set of orders the game asked for, and all events until it asked again. Step 1 is set-up and has no decisions."""

    number: int
    phase: str
    decisions: tuple[Decision, ...]
    events: tuple[Event, ...]


class Remark(msgspec.Struct, frozen=True, kw_only=True):
    """What a plan did at a step: public once the phase has closed.

    ``code``: "alternative" (another than the first order of the line was played), "skipped" (none was legal, dropped), "stopped" (none was
    legal, he is asked), "watched" (a watched place was touched, he is asked), "otherwise" (default played for it), "ended" (the plan ran
    out), "silence" (nothing filed), "forced" (one legal order only), "unplayed" (lines left over when the phase closed).
    ``at`` is the line ("orders[1]"); ``wanted`` its first order as a table; ``played`` what was played instead; ``because`` the refusal of
    the wanted order: {"code", "field", "facts"}, for "watched" {"places", "seat"}. "unreadable": the opened box held no plan.
    """

    step: int
    phase: str
    seat: str
    code: str
    at: str = ""
    file: str = ""
    wanted: dict[str, Any] | None = None
    played: dict[str, Any] | None = None
    because: dict[str, Any] | None = None


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One seat that will have to decide before the phase ends. ``now``: whether the game waits for it at this moment.

    What is filed is not public, only how much: "nothing", "partial", "complete", "taken" (sealed), "stopped" (a plan
    that ran out or stopped).
    """

    seat: str
    filed: str
    now: bool = True


class Away(msgspec.Struct, frozen=True, kw_only=True):
    """A player's announced absence."""

    seat: str
    start: datetime
    end: datetime


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """Whom the game waits for, for what, until when (``closes`` None: no closing time)."""

    phase: str
    asked: tuple[Asked, ...]
    closes: datetime | None
    sealed: bool
    """Whether orders of this phase have to be sealed."""
    paused: datetime | None = None
    """Until when the game pauses."""
    away: tuple[Away, ...] = ()
    """Absences that are not over."""
    free: tuple[str, ...] = ()
    """Seats that nobody holds now: given up, or waiting for somebody to join them with a new invite."""


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """A player's public note of at most 280 characters, from an order file."""

    seat: str
    text: str


class Chapter(msgspec.Struct, frozen=True, kw_only=True):
    """One ledger entry. ``head`` is "7-3f9c…" (number and 32 hex of its digest); ``facts`` what belongs to its kind (seat, ground, …)."""

    number: int
    head: str
    time: datetime
    kind: str
    facts: dict[str, Any]
    opened: tuple[str, ...]
    closed: tuple[str, ...]
    steps: tuple[Step, ...]
    remarks: tuple[Remark, ...]
    notes: tuple[Note, ...]
    before: Any
    """Position before, None until set-up."""
    after: Any
    """Position after, None until set-up."""
    waiting: Waiting | None
    """Whom the game waited for after this entry; None before set-up and after the end."""


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """A seat as the public may see it. ``key`` is "" until somebody has joined."""

    seat: str
    name: str
    language: str
    zone: str
    key: str


class Story(msgspec.Struct, frozen=True, kw_only=True):
    """A whole campaign. ``name`` is the folder's name at creation, such as "winter-court"; ``id`` 32 hex; ``over``: has the game ended."""

    name: str
    id: str
    title: Title[Any]
    seats: tuple[Seat, ...]
    chapters: tuple[Chapter, ...]
    over: bool
    head: str
    processor_key: str
