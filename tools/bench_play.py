"""How fast the rules are: random games of every title, beside random games of catanatron; copies, digests, a game replayed.

All of it CPU time of this process, so that a busy machine does not count.
"""

from __future__ import annotations

import json
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
GAMES = 7

# Runs in a virtual environment of its own; prints actions per second of each game.
CATANATRON = """
import json, random, sys, time
from catanatron import Color, Game, RandomPlayer

rates = []
for seed in range(int(sys.argv[1])):
    random.seed(seed)
    game = Game([RandomPlayer(color) for color in (Color.RED, Color.BLUE, Color.ORANGE, Color.WHITE)], seed=seed)
    began = time.process_time()
    game.play()
    took = time.process_time() - began
    state = game.state
    rates.append(len(getattr(state, "action_records", None) or state.actions) / took)
print(json.dumps(rates))
"""


class Rate(NamedTuple):
    """Decisions per second, median of games; how many decisions a game has; what a decision is."""

    name: str
    seats: int
    rate: float
    decisions: int


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


def rates() -> Iterator[Rate]:
    """Random play of every installed title: one of all legal orders taken, completed, played."""
    for slug in registry.slugs():
        title, found, decisions = registry.title(slug), [], []
        playout(title, title.options(), seats_of(title), "warm")
        for seed in range(GAMES):
            began = time.process_time()
            _, steps = playout(title, title.options(), seats_of(title), seed)
            took = time.process_time() - began
            decisions.append(sum(len(step.orders) for step in steps))
            found.append(decisions[-1] / took)
        yield Rate(title.name, len(seats_of(title)), median(found), round(median(decisions)))


def catanatron(folder: Path) -> tuple[float, str]:
    """Actions per second of catanatron's random games and its version; 0 and why when it cannot be installed here."""
    python = folder / "bin" / "python"
    steps = (
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "catanatron"],
    )
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True, check=False, timeout=600)  # noqa: S603 — our own words
        if done.returncode:
            return 0.0, (done.stderr.strip().splitlines() or ["?"])[-1]
    version = [str(python), "-c", "from importlib.metadata import version; print(version('catanatron'))"]
    played = [str(python), "-c", CATANATRON, str(GAMES)]
    told = [subprocess.run(step, capture_output=True, text=True, check=False, timeout=600) for step in (version, played)]  # noqa: S603
    if any(done.returncode for done in told):
        return 0.0, (told[1].stderr.strip().splitlines() or ["?"])[-1]
    return median(json.loads(told[1].stdout)), told[0].stdout.strip()


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
