"""How long things take, as ratios that mean the same on every machine: ``python tools/bench.py [--game FOLDER]``.

Medians of interleaved runs. Without a campaign at hand the demo is played first (a minute). What is measured:

- ``pbem --help`` against a Python that only imports click, whole processes
- ``process`` of the last turn of a whole game, and ``audit`` of that game, in seconds; whole processes
- the PDF of a turn against WeasyPrint on the same HTML with the same options, in one process
- ``receive`` of twenty signed files against writing as many bytes to disk as safely
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbem.campaign.folder import Folder

ROOT = Path(__file__).resolve().parents[1]
NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


def medians(runs: int, *works: Callable[[], object]) -> list[float]:
    """The median seconds of each work, run in turn so that a busy moment strikes all alike."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(runs):
        for took, work in zip(times, works, strict=True):
            began = time.perf_counter()
            work()
            took.append(time.perf_counter() - began)
    return [median(took) for took in times]


def command(*args: str | Path) -> Callable[[], object]:
    """A whole process, its output thrown away."""
    words = [str(arg) for arg in args]
    return lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603  # our own command


PBEM = Path(sys.executable).with_name("pbem")


def line(what: str, seconds: float, against: str, value: float, goal: float | None, unit: str = "×") -> None:
    """One line of the table; ``goal`` None: measured, but nothing is promised."""
    verdict = "" if goal is None else f"   goal {goal:g} {unit}{'' if value <= goal else '   MISSED'}"
    print(f"{what:38} {seconds * 1000:8.0f} ms   {against:34} {value:6.2f} {unit}{verdict}", flush=True)


def bench_help() -> None:
    """The cold start."""
    ours, click = medians(15, command(PBEM, "--help"), command(sys.executable, "-c", "import click"))
    line("pbem --help", ours, f"import click {click * 1000:.0f} ms", ours / click, 1.5)


def bench_campaign(game: Path, work: Path) -> None:
    """Audit of a whole game; process of its last turn, for which the secret must be there."""
    (audit,) = medians(5, command(PBEM, "audit", game))
    entries = sorted((game / "ledger").glob("*.toml"))
    line(f"audit of a game of {len(entries)} entries", audit, "", audit, 1.5, "s")
    if not (game / "private" / "secret.toml").is_file():
        print("process: this copy of the campaign has no secret, so no turn can be played again")
        return
    from pbem.campaign.records import Entry, parse, split

    turns = [(path, record) for path in entries if (record := parse(split(path.read_bytes()).signed, Entry)).kind == "turn"]
    last, told = turns[-1]
    copies = [work / f"copy{number}" for number in range(5)]
    for copy in copies:
        shutil.copytree(game, copy / game.name)
        for path in entries[entries.index(last) :]:
            (copy / game.name / "ledger" / path.name).unlink()
    waiting = iter(copies)

    def play() -> None:
        command(PBEM, "process", next(waiting) / game.name, "--now", told.time)()

    (process,) = medians(len(copies), play)
    if not (copies[-1] / game.name / "ledger" / last.name).is_file():
        raise RuntimeError("the last turn was not played again")
    line("process of its last turn", process, "", process, 0.3, "s")


def bench_pdf(game: Path) -> None:
    """The PDF of the last report with an order form, in this process."""
    from pbem.campaign.folder import Folder
    from pbem.campaign.replay import replay
    from pbem.campaign.stories import story
    from pbem.publish import pages, pdf
    from pbem.publish.words import Words

    if missing := pdf.available():
        print(f"pdf: {missing}")
        return
    import weasyprint

    told = story(replay(Folder(game)))
    number = max(1, len(told.chapters) - 1)
    words = Words(told)
    html = pages.report_html(told, number, words, form=True, links=False)
    ours, plain = medians(
        5,
        lambda: pdf.report_pdf(told, number, words),
        lambda: weasyprint.HTML(string=html).write_pdf(pdf_variant=pdf.VARIANT, pdf_forms=True),
    )
    line("PDF of a turn", ours, f"WeasyPrint on its HTML {plain * 1000:.0f} ms", ours / plain, 1.3)


def bench_receive(work: Path) -> None:
    """Twenty order files, five revisions of each of four players, answered at once."""
    from pbem.campaign.folder import write
    from pbem.campaign.intake import Incoming, receive

    twenty = 20
    rounds = 5
    campaigns = [_campaign(work / f"receive{number}" / "winter-court", twenty) for number in range(rounds)]
    before = set(campaigns[0][0].root.rglob("*.toml"))
    waiting = iter(campaigns)

    def ours() -> None:
        folder, files = next(waiting)
        answers = receive(folder, [Incoming(f"{at}.toml", data) for at, data in enumerate(files)], NOW)
        if not all(answer.receipt.accepted for answer in answers):
            raise RuntimeError("a file of the bench was refused")

    (seconds,) = medians(rounds, ours)
    written = [path.stat().st_size for path in campaigns[0][0].root.rglob("*.toml") if path not in before]
    target = work / "floor"

    def floor() -> None:
        for at, size in enumerate(written):
            write(target / f"{at}.toml", bytes(size))

    (least,) = medians(rounds, floor)
    line(f"receive of {twenty} signed files", seconds, f"{len(written)} files to disk {least * 1000:.0f} ms", seconds / least, None)


def _campaign(root: Path, files: int) -> tuple[Folder, list[bytes]]:
    """A campaign in its first phase, and signed files for it."""
    from pbem.campaign.creation import create
    from pbem.campaign.folder import Folder
    from pbem.campaign.intake import Incoming, receive
    from pbem.campaign.turn import process
    from pbem.orders.join import invite_bytes, make_join
    from pbem.orders.keys import generate
    from pbem.orders.making import sign_order
    from pbem.orders.seal import phase_public

    folder, seats = Folder(root), ["an", "bo", "chen", "dai"]
    made = create(folder, NOW, title="ming-dynasty", seats=seats)
    keys = {seat: generate() for seat in seats}
    joins = [
        make_join(
            keys[seat], game=made.game.name, campaign_id=bytes.fromhex(made.game.id), seat=seat, invite=invite_bytes(made.invites[seat]),
            letter_public=phase_public(bytes([at + 1]) * 32), nonce=bytes([at + 1]) * 32,
        )
        for at, seat in enumerate(seats)
    ]  # fmt: skip
    receive(folder, [Incoming(f"{at}.join.toml", data) for at, data in enumerate(joins)], NOW)
    head = process(folder, NOW).course.archive.head()
    signed = []
    for at in range(files):
        seat = seats[at % len(seats)]
        text = (
            f'game = "winter-court"\nplayer = "{seat}"\nphase = "0.prince"\nrevision = {at // len(seats) + 1}\nafter = "{head}"\n'
            'orders = [\n  { do = "prince", district = ["yunnan-a", "yunnan-b", "zhili-c", "nanjing-a"] },\n]\n'
        )
        signed.append(sign_order(text.encode(), keys[seat]).data)
    return folder, signed


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", type=Path, default=ROOT / "games" / "example-ming-dynasty", help="a finished campaign")
    game: Path = parser.parse_args().game
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        bench_help()
        bench_receive(work)
        if not (game / "private" / "secret.toml").is_file():
            print("playing the demo for a campaign that can be processed …", flush=True)
            command(PBEM, "demo", work / "demo", "--no-site", "--seats", "an,bo,chen,dai")()
            played = work / "demo" / "games" / "winter-court"
            bench_campaign(played, work)
            game = game if (game / "game.toml").is_file() else played
        else:
            bench_campaign(game, work)
        bench_pdf(game)


if __name__ == "__main__":
    main()
