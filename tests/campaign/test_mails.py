"""How many mails a game costs when everybody files complete plans: counted with real files, really processed.

A *mail* is what one player sends at one time (a file per phase); a *wait* is a time the table waits for mails. The bounds are those the
project promises: Ming Dynasty 3 mails a round (2 without scoring) and 18 waits a game; In the Year of the Dragon 2 mails and 2 waits a
month; Carolus Magnus 2 and 2 a round; Azure 1 a turn.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pbem.campaign.hidden import seat_view
from pbem.campaign.intake import Incoming, answer, catch_up
from pbem.campaign.replay import replay_as_processor
from pbem.campaign.turn import play
from pbem.cli.demo import Demo, begin
from pbem.engine import registry
from pbem.engine.position import to_table
from pbem.engine.standin import StandIn
from pbem.orders.keys import PublicKey
from pbem.orders.making import sign_order
from pbem.orders.write import dump

# Which phases are filed together with the one being played, by the name of the phase; what is not named is filed alone.
TOGETHER = {
    "ming-dynasty": {"place": ("draw",)},
    "year-of-the-dragon": {"person": ("event",)},
    "carolus-magnus": {"disc": (), "turn": ("crowns",)},
    "azure": {"place": ("discard",)},
}
SEATS = {"ming-dynasty": "an,bo,chen,dai", "year-of-the-dragon": "an,bo,chen", "carolus-magnus": "an,bo,chen", "azure": "an,bo"}
MOST = {
    # title → (waits a game or None, mails of one player in one round, waits in one round)
    "ming-dynasty": (18, 3, 3),
    "year-of-the-dragon": (None, 2, 2),
    "carolus-magnus": (None, 2, 2),
    "azure": (None, 1, 1),
}


def complete(title: Any, view: Any, seat: str, seed: str) -> list[dict[str, Any]]:
    """Lines that never stop: second choices, and the default where none fits."""
    lines = []
    for ranked in StandIn(title, seat, seed, seconds=0.005).plan(view):
        line = to_table(ranked[0])
        if len(ranked) > 1:
            line["or"] = [to_table(order) for order in ranked[1:]]
        lines.append(line | {"otherwise": "default"})
    return lines


class Table:
    """A game by mail in which the processor's course is kept, so that nothing is replayed."""

    def __init__(self, base: Path, slug: str) -> None:
        self.slug = slug
        self.now = datetime(2026, 12, 1, tzinfo=UTC)
        seats = SEATS[slug].split(",")
        self.demo: Demo = begin(base, "mails", title=slug, seats=seats, seal="bids", seed=1, now=self.now, tell=lambda line: None)
        self.course = replay_as_processor(self.demo.folder)
        catch_up(self.course)
        self.waits: Counter[str] = Counter()
        self.mails: Counter[tuple[str, str]] = Counter()

    def _file(self, seat: str, phase: str, lines: list[dict[str, Any]]) -> None:
        course, player = self.course, self.demo.players[seat]
        table: dict[str, Any] = {
            "game": "mails", "player": seat, "phase": phase, "revision": 1, "after": course.archive.head(), "then": "default",
            "orders": lines,
        }  # fmt: skip
        if course.must_seal(phase):
            table["seal_to"] = course.keys[phase].seal_to
        signed = sign_order(dump(table), player.key, processor=PublicKey.parse(course.archive.game.processor.key))
        got = answer(course, Incoming(f"{seat} {phase}", signed.data), self.now)
        assert got.receipt.accepted, (got.receipt, got.findings)

    def wait(self) -> None:
        """The table waits once: everybody who will be asked sends one mail."""
        course = self.course
        waiting = course.waiting()
        assert waiting is not None
        number, _, name = waiting.phase.partition(".")
        # Naming the starting player comes between two rounds.
        mails = number if name != "starter" else "between"
        self.waits[mails] += 1
        self.now += timedelta(hours=6)
        others = [f"{number}.{other}" for other in TOGETHER[self.slug].get(name, ())]
        writers = [one.seat for one in waiting.asked]
        for seat in course.seats:
            ahead = [phase for phase in others if phase in course.ahead() and course.current(seat, phase) is None]
            if seat not in writers and not ahead:
                continue
            # A reaction of somebody who is not asked now is filed with his own mail before; it costs none of its own.
            self.mails[seat, mails] += seat in writers
            if seat in writers and course.current(seat, waiting.phase) is None:
                view = seat_view(course, seat)
                self._file(seat, waiting.phase, complete(course.title, view, seat, f"{course.archive.head()}"))
            for phase in ahead:
                self._file(seat, phase, [])
        assert play(course, self.now), f"the table still waits: {course.waiting()}"

    def play(self) -> None:
        for _ in range(400):
            if self.course.ended:
                return
            self.wait()
        raise AssertionError("the game does not end")


@pytest.mark.parametrize("slug", sorted(set(MOST) & set(registry.slugs())))
def test_a_game_by_complete_plans(slug: str, tmp_path: Path):
    table = Table(tmp_path, slug)
    table.play()
    waits, mails_a_round, waits_a_round = MOST[slug]
    print(slug, "waits", sum(table.waits.values()), dict(table.waits), "mails", sum(table.mails.values()))
    if waits is not None:
        assert sum(table.waits.values()) <= waits
    rounds = {number for number in table.waits if number not in ("0", "between")}
    assert all(table.waits[number] <= waits_a_round for number in rounds), table.waits
    assert all(count <= mails_a_round for (_, number), count in table.mails.items() if number in rounds), table.mails
