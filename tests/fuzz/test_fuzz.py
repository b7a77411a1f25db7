"""Mutated files of every kind, by number: a failure names its number, and ``PBEM_FUZZ=NUMBER pytest tests/fuzz`` makes it again.

``PBEM_FUZZ=40000-50000`` runs a range. ``make test`` takes a sample, ``make test-long`` runs a hundred thousand.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pbem.engine import registry

from ..conftest import _made_once, _with_everything
from ..helpers import Campaign
from .campaigns import empty, joined
from .targets import Boards, Cases, GameFiles, JoinFiles, Moves, OrderFiles, Requests, Target, Texts, pick

ROOT = Path(__file__).parents[2]
CHUNKS, CHUNK = 50, 2000
SAMPLE = 1500
SECONDS = 2.0
"""CPU time that no file may take: the slowest honest one takes a tenth of a second."""
MEMORY = 64 * 1024 * 1024
GROWTH = 400 * 1024
"""KiB that a whole run may need more than before it."""
WATCHED = 40
"""Every so-manyth file has its memory looked at, which is slow."""
MIXED = [slug for slug in registry.slugs() if slug != "ming-dynasty"]


@pytest.fixture(scope="module")
def targets(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Target]:
    short = _made_once(shared, "short", _with_everything)
    orders = OrderFiles(short)
    own = tmp_path_factory.mktemp("fuzz")
    made = [
        Target("order", 34, orders),
        Target("text", 8, Texts(orders)),
        Target("join", 12, JoinFiles(_fresh(own / "joins", "ming-dynasty"))),
        Target("request", 6, Requests(short)),
        Target("board", 8, Boards(ROOT / "pbem" / "titles" / "ming_dynasty" / "boards")),
        Target("case", 10, Cases(ROOT / "tests" / "cases")),
        Target("game", 6, GameFiles(short, own / "games")),
    ]
    for slug in registry.slugs():
        made.append(Target(f"move {slug}", 3, Moves(slug)))
    for slug in MIXED:
        (own / slug).mkdir()
        made.append(Target(f"order {slug}", 2, OrderFiles(joined(own / slug, slug), 12)))
    return made


def _fresh(base: Path, slug: str) -> Campaign:
    base.mkdir()
    return empty(base, slug)


class TooSlow(Exception):
    """A file took longer than any may."""


@contextmanager
def bounded(watch_memory: bool) -> Iterator[None]:
    """Stops what takes too much CPU time, and refuses what has taken too much memory."""
    if watch_memory:
        tracemalloc.start()
    limit = SECONDS * (5 if watch_memory else 1)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGVTALRM, _stop)
        signal.setitimer(signal.ITIMER_VIRTUAL, limit * 2)
    began = time.process_time()
    try:
        yield
        took = time.process_time() - began
        assert took < limit, f"it took {took:.1f} s"
        if watch_memory:
            assert tracemalloc.get_traced_memory()[1] < MEMORY, "it took too much memory"
    finally:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if watch_memory:
            tracemalloc.stop()


def _stop(number: int, frame: object) -> None:
    raise TooSlow


def most_memory() -> int:
    """The most memory this process ever had, in KiB; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1)


def run(targets: list[Target], numbers: range) -> Counter[str]:
    """Feeds the files of these numbers. What came of them, by kind."""
    seen: Counter[str] = Counter()
    before = most_memory()
    for number in numbers:
        dice = random.Random(f"pbem fuzz {number}")  # noqa: S311 — repeatable
        target = pick(targets, dice)
        try:
            with bounded(number % WATCHED == 0):
                outcome = target.feed(dice)
        except Exception as error:
            raise AssertionError(f"PBEM_FUZZ={number} ({target.name}): {type(error).__name__}: {error}") from error
        seen[f"{target.name}: {outcome}"] += 1
    grown = most_memory() - before
    assert grown < GROWTH, f"{grown} KiB more than before"
    return seen


def test_a_sample(targets: list[Target]) -> None:
    asked = os.environ.get("PBEM_FUZZ", "")
    if asked:
        first, _, last = asked.partition("-")
        print(*sorted(run(targets, range(int(first), int(last or int(first) + 1))).items()), sep="\n")
        return
    seen = run(targets, range(SAMPLE))
    # A fuzzer whose files are all refused at the door tests the door.
    taken = {name: sum(count for what, count in seen.items() if what.startswith(f"{name}: {word}")) for name, word in KINDS}
    assert all(count > 0 for count in taken.values()), taken
    assert taken["order"] > 40
    refusals = {what.partition("refused: ")[2] for what in seen if what.startswith("order: refused")}
    assert len(refusals) >= 8, refusals


KINDS = (
    ("order", "taken"), ("text", "signed"), ("join", "taken"), ("request", "taken"), ("board", "a board"), ("case", "holds"),
    ("game", "begun"), *((f"move {slug}", "played") for slug in registry.slugs()),
)  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_hundred_thousand(targets: list[Target], chunk: int) -> None:
    first = SAMPLE + chunk * CHUNK
    assert run(targets, range(first, first + CHUNK)).total() == CHUNK
