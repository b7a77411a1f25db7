"""How fast the rules are: random games of every title, beside random games of catanatron; copies, digests, a game replayed.

All of it CPU time of this process, so that a busy machine does not count.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from pbem.engine import registry
from pbem.engine.chance import KeyedChance, SeededChance
from pbem.engine.playout import PlayedStep, playout
from pbem.engine.position import digest
from pbem.engine.steps import first_step, play_step
from pbem.engine.title import Title

NAMES = ("an", "bo", "chen", "dai", "emil", "fang")
ROUNDS, GAMES = 7, 3
"""Rounds of so many games of everything that is compared, so that a busy moment strikes all alike."""
ORDERS = 800
"""A round of a title has at least so many: a game of Azure is over in a thousandth of a second, too short to measure."""
GAMES_BEFORE = 100
"""Played first, so that tables are filled that are made as they are wanted: Azure has 128 ways to lay a quadrant, four in each game."""

# Runs in a virtual environment of its own; prints actions per second over some games.
CATANATRON = """
import random, sys, time
from catanatron import Color, Game, RandomPlayer

actions = took = 0
for number, seed in enumerate([1000, 1001, 1002, *map(int, sys.argv[1:])]):
    random.seed(seed)
    game = Game([RandomPlayer(color) for color in (Color.RED, Color.BLUE, Color.ORANGE, Color.WHITE)], seed=seed)
    began = time.process_time()
    game.play()
    if number < 3:  # played first, as ours are
        continue
    took += time.process_time() - began
    state = game.state
    actions += len(getattr(state, "action_records", None) or state.actions)
print(actions / took)
"""


class Rate(NamedTuple):
    """Decisions per second, median of rounds; how many decisions a game has; how many times as many as actions of catanatron, or 0."""

    name: str
    seats: int
    rate: float
    decisions: int
    ratio: float


def cpu(work: Callable[[], object], runs: int = 5) -> float:
    """Median CPU seconds of a piece of work."""
    took = []
    for _ in range(runs):
        began = time.process_time()
        work()
        took.append(time.process_time() - began)
    return median(took)


def seats_of(title: Title[Any]) -> tuple[str, ...]:
    """As many as can play, but not more than four, as catanatron has."""
    return NAMES[: min(4, title.seats.stop - 1)]


class Peer(NamedTuple):
    """Catanatron in its own virtual environment, or, without a command, why it cannot be had."""

    version: str
    command: tuple[str, ...] = ()

    def rate(self, first: int) -> float:
        """Actions per second of a few games; 0 without catanatron."""
        if not self.command:
            return 0.0
        seeds = [str(first + number) for number in range(GAMES)]
        return float(subprocess.run([*self.command, *seeds], capture_output=True, text=True, check=True, timeout=600).stdout)  # noqa: S603 — our own words


def catanatron(folder: Path) -> Peer:
    """Installs it."""
    python = folder / "bin" / "python"
    steps = (
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "catanatron"],
        [str(python), "-c", "from importlib.metadata import version; print(version('catanatron'))"],
    )
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True, check=False, timeout=600)  # noqa: S603 — our own words
        if done.returncode:
            return Peer((done.stderr.strip().splitlines() or ["?"])[-1])
    return Peer(done.stdout.strip(), (str(python), "-c", CATANATRON))


def rates(peer: Peer) -> tuple[list[Rate], float]:
    """Random play of every installed title, one of all legal orders taken, completed, played; and what catanatron does in between."""
    slugs = registry.slugs()
    for slug in slugs:
        for number in range(GAMES_BEFORE):
            _play(slug, f"before {number}")
    ours: dict[str, list[float]] = {slug: [] for slug in slugs}
    decisions: dict[str, list[int]] = {slug: [] for slug in slugs}
    theirs: list[float] = []
    for first in range(0, ROUNDS * GAMES, GAMES):
        theirs.append(peer.rate(first))
        for slug in slugs:
            games = list(_round(slug, first))
            ours[slug].append(sum(orders for orders, _ in games) / sum(took for _, took in games))
            decisions[slug] += [orders for orders, _ in games]
    found = []
    for slug in slugs:
        title = registry.title(slug)
        ratio = median(one / other for one, other in zip(ours[slug], theirs, strict=True)) if peer.command else 0.0
        found.append(Rate(title.name, len(seats_of(title)), median(ours[slug]), round(median(decisions[slug])), ratio))
    return found, median(theirs)


def _round(slug: str, first: int) -> Iterator[tuple[int, float]]:
    """Games with seeds from the first on."""
    number = orders = 0
    while number < GAMES or orders < ORDERS:
        game = _play(slug, f"{first} {number}")
        number, orders = number + 1, orders + game[0]
        yield game


def _play(slug: str, seed: int | str) -> tuple[int, float]:
    """Orders of a random game, and its CPU seconds."""
    title = registry.title(slug)
    began = time.process_time()
    _, steps = playout(title, title.options(), seats_of(title), seed)
    took = time.process_time() - began
    return sum(len(step.orders) for step in steps), took


def _positions(title: Title[Any]) -> list[Any]:
    chance, found = SeededChance("bench"), list[Any]()
    position, _ = first_step(title, title.options(), seats_of(title), chance)
    while (phase := title.phase(position)) is not None:
        found.append(position.copy())
        play_step(title, position, {seat: phase.default(position, seat) for seat in phase.asked(position)}, chance)
    return found


def copies_and_digests() -> Iterator[tuple[str, float, float]]:
    """Title, µs of a copy, µs of a digest: mean over the positions of a game, median of runs."""
    for slug in registry.slugs():
        positions = _positions(registry.title(slug)) * 10
        empty = cpu(lambda positions=positions: _each(positions, id), 9)  # type: ignore[misc]
        copying, digesting = (
            cpu(lambda positions=positions, work=work: _each(positions, work), 9) - empty  # type: ignore[misc]
            for work in (type(positions[0]).copy, digest)
        )
        yield registry.title(slug).name, copying / len(positions) * 1e6, digesting / len(positions) * 1e6


def _each(positions: list[Any], work: Callable[[Any], object]) -> None:
    for position in positions:
        work(position)


def replays() -> Iterator[tuple[str, int, float]]:
    """Title, steps, CPU seconds: a whole game from its orders, each completed again, with keyed chance over the digest of each position."""
    for slug in registry.slugs():
        title = registry.title(slug)
        seats = seats_of(title)
        steps = _recorded(title, seats)
        yield title.name, len(steps), cpu(lambda title=title, seats=seats, steps=steps: _replay(title, seats, steps))  # type: ignore[misc]


def _chance(step: int, before: bytes) -> KeyedChance:
    return KeyedChance(step.to_bytes(32, "big"), bytes(32), before, bytes(32))


def _recorded(title: Title[Any], seats: tuple[str, ...]) -> list[PlayedStep]:
    """A random game with the chance of ``_replay``."""
    import random

    dice = random.Random("bench")  # noqa: S311 — repeatable
    position, events = first_step(title, title.options(), seats, _chance(1, bytes(32)))
    steps = [PlayedStep("", {}, events)]
    while (phase := title.phase(position)) is not None:
        orders = {seat: dice.choice(list(phase.choices(position, seat))) for seat in phase.asked(position)}
        phase_id, before = position.phase, digest(title.view(position, None))
        steps.append(PlayedStep(phase_id, orders, play_step(title, position, orders, _chance(len(steps) + 1, before))))
    return steps


def _replay(title: Title[Any], seats: tuple[str, ...], steps: list[PlayedStep]) -> None:
    position, events = first_step(title, title.options(), seats, _chance(1, bytes(32)))
    for number, step in enumerate(steps[1:], start=2):
        phase = title.phase(position)
        if phase is None or position.phase != step.phase:
            raise RuntimeError("the replay took another way")
        orders = {seat: phase.complete(position, seat, order) for seat, order in step.orders.items()}
        events = play_step(title, position, orders, _chance(number, digest(title.view(position, None))))
        if orders != step.orders or events != step.events:
            raise RuntimeError("the replay came to something else")
