"""How fast everything is, as one table: ``python tools/bench.py [FILE.md] [--game FOLDER]``; with a file, the table is written there too.

Medians of interleaved runs, in CPU time, so that a busy machine hardly counts. What whole processes do is measured against what cannot be
avoided: a Python that imports click, WeasyPrint on the same HTML, as many bytes written to disk as safely.
Random play stands beside that of catanatron, which is installed into a virtual environment of its own, if it can be. Without a campaign
that has its secret, the demo is played first (a minute).
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

import bench_many as bench_many_campaigns
import bench_play

ROOT = Path(__file__).resolve().parents[1]
NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
MANY = 200
SHORT_GAME, SHORT_GAME_RATE = 200, 40_000
"""Orders of a game below which it is a short one, and orders a second aimed at then."""


class Line(NamedTuple):
    """A line of the table. ``goal``: what was aimed at, with whether it was reached; "" when nothing is promised."""

    what: str
    found: str
    beside: str = ""
    goal: str = ""


def line(what: str, found: str, beside: str = "", value: float | None = None, goal: float | None = None, unit: str = "") -> Line:
    """A line, printed as soon as it is known; ``value`` is compared with ``goal``, the smaller the better."""
    verdict = ""
    if goal is not None and value is not None:
        reached = f"{value:.2f} ×, " if unit == "×" else ""
        verdict = f"{reached}≤ {goal:g} {unit}".strip() + ("" if value <= goal else ", missed")
    made = Line(what, found, beside, verdict)
    print(f"{what:52} {found:>14}   {beside:44} {verdict}", flush=True)
    return made


def spent() -> float:
    """CPU seconds of all processes that have been run so far and have ended."""
    try:
        import resource
    except ImportError:  # Windows, where this is known to a hundredth only
        return os.times().children_user + os.times().children_system
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def medians(runs: int, *works: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> list[float]:
    """The median seconds of each work, as ``timed`` has them."""
    return [median(took) for took in timed(runs, *works, clock=clock)]


def timed(runs: int, *works: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> list[list[float]]:
    """The seconds of each run of each work, run in turn so that a busy moment strikes all alike; ``clock``: which seconds."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(runs):
        for took, work in zip(times, works, strict=True):
            began = clock()
            work()
            took.append(clock() - began)
    return times


def ratio(ours: list[float], theirs: list[float]) -> float:
    """How many times as long, the median over pairs of runs."""
    return median(one / other for one, other in zip(ours, theirs, strict=True))


def command(*args: str | Path) -> Callable[[], object]:
    """A whole process, its output thrown away. As wherever it is installed, its modules are compiled once and not for each run."""
    words = [str(arg) for arg in args]
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    quiet = subprocess.DEVNULL
    return lambda: subprocess.run(words, check=True, env=surroundings, stdout=quiet, stderr=quiet)  # noqa: S603  # our own command


PBEM = Path(sys.executable).with_name("pbem")


def bench_help() -> list[Line]:
    """The cold start."""
    ours, click = timed(15, command(PBEM, "--help"), command(sys.executable, "-c", "import click"), clock=spent)
    return [line("`pbem --help`", ms(median(ours)), f"import click: {ms(median(click))}", ratio(ours, click), 1.5, "×")]


def ms(seconds: float) -> str:
    """Milliseconds as they stand in the table."""
    return f"{seconds * 1000:,.0f} ms" if seconds >= 0.01 else f"{seconds * 1000:.1f} ms"


def random_play(rate: bench_play.Rate, catan: float) -> Line:
    """A title beside catanatron; a shorter game is to have more orders a second than that."""
    verdicts = [f"{rate.ratio:.2f} ×, ≥ 1 ×" + ("" if rate.ratio >= 1 else ", missed")] if catan else []
    if rate.decisions < SHORT_GAME:
        verdicts.append(f"≥ {SHORT_GAME_RATE:,}/s" + ("" if rate.rate >= SHORT_GAME_RATE else ", missed"))
    what = f"{rate.name}, {rate.seats} seats: orders a second, at random"
    beside = f"catanatron: {catan:,.0f}/s" if catan else "catanatron: not installed"
    made = Line(what, f"{rate.rate:,.0f}/s", f"{beside}; {rate.decisions} orders a game", "; ".join(verdicts))
    print(f"{made.what:52} {made.found:>14}   {made.beside:44} {made.goal}", flush=True)
    return made


def bench_play_table(work: Path, told: list[str]) -> list[Line]:
    """Random play, copies, digests, replays; ``told`` gets a word on catanatron."""
    peer = bench_play.catanatron(work / "catanatron")
    told.append(f"catanatron {peer.version}" if peer.command else f"catanatron cannot be installed here: {peer.version}")
    print(told[-1])
    rates, catan = bench_play.rates(peer)
    lines = [random_play(rate, catan) for rate in rates]
    small = list(bench_play.copies_and_digests())
    lines += [line(f"{name}: copy of a position", f"{copying:.1f} µs", "", copying, 10, "µs") for name, copying, _ in small]
    lines += [line(f"{name}: digest of a position", f"{digesting:.1f} µs", "", digesting, 100, "µs") for name, _, digesting in small]
    for name, steps, seconds in bench_play.replays():
        lines.append(line(f"{name}: a game played again", ms(seconds), f"{steps} steps, each order completed", seconds * 1000, 50, "ms"))
    return lines


def bench_campaign(game: Path, work: Path) -> list[Line]:
    """Audit of a whole game; process of its last turn, for which the secret must be there."""
    from pbem.campaign.audit import audit
    from pbem.campaign.folder import Folder
    from pbem.campaign.records import Entry, parse, split

    entries = sorted((game / "ledger").glob("*.toml"))
    (whole,) = medians(5, command(PBEM, "audit", game), clock=spent)
    inside = bench_play.cpu(lambda: audit(Folder(game)))
    lines = [line(f"`pbem audit` of {game.name}", ms(whole), f"{len(entries)} entries; the audit itself: {ms(inside)}", whole, 1, "s")]
    if not (game / "private" / "secret.toml").is_file():
        return lines
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

    (process,) = medians(len(copies), play, clock=spent)
    if not (copies[-1] / game.name / "ledger" / last.name).is_file():
        raise RuntimeError("the last turn was not played again")
    return [*lines, line("`pbem process` of its last turn", ms(process), "", process, 0.3, "s")]


def bench_pdf(game: Path) -> list[Line]:
    """The PDF of the last report with an order form, in this process."""
    from pbem.campaign.folder import Folder
    from pbem.campaign.replay import replay
    from pbem.campaign.stories import story
    from pbem.publish import pages, pdf
    from pbem.publish.words import Words

    if missing := pdf.available():
        print(f"pdf: {missing}")
        return []
    import weasyprint

    told = story(replay(Folder(game)))
    number = max(1, len(told.chapters) - 1)
    words = Words(told)
    html = pages.report_html(told, number, words, form=True, links=False)
    ours, plain = timed(
        5,
        lambda: pdf.report_pdf(told, number, words),
        lambda: weasyprint.HTML(string=html).write_pdf(pdf_variant=pdf.VARIANT, pdf_forms=True),
        clock=time.process_time,
    )
    return [line("PDF of a turn", ms(median(ours)), f"WeasyPrint on its HTML: {ms(median(plain))}", ratio(ours, plain), 1.3, "×")]


def bench_site(game: Path, work: Path) -> list[Line]:
    """One more entry on a site of 10 and of 100: the same entry, its CPU time."""
    import msgspec

    from pbem.campaign.folder import Folder
    from pbem.campaign.replay import replay
    from pbem.campaign.stories import story
    from pbem.publish.site import SiteCampaign, build
    from pbem.publish.words import Words

    told = story(replay(Folder(game)))
    body = told.chapters[:10] + told.chapters[10:40] * 3

    def upto(count: int, more: int = 0) -> Any:
        """The story of that many entries, and perhaps one more; the last two are the same for every count, since they are written anew."""
        chapters = [*body[: count - 1], *body[10 : 11 + more]]
        numbered = tuple(msgspec.structs.replace(one, number=at, head=f"{at}-{at:032x}") for at, one in enumerate(chapters, 1))
        return msgspec.structs.replace(told, chapters=numbered, head=numbered[-1].head)

    def added(count: int, out: Path) -> float:
        shorter, longer = upto(count), upto(count, 1)
        build([SiteCampaign(shorter)], out, lambda name: Words(shorter))
        words = Words(longer)
        began = time.process_time()
        build([SiteCampaign(longer)], out, lambda name: words)
        return time.process_time() - began

    added(10, work / "warm")
    pairs = [(added(10, work / f"ten{at}"), added(100, work / f"hundred{at}")) for at in range(7)]
    few, many = ([pair[which] for pair in pairs] for which in (0, 1))
    return [line("site: one more entry at 100", ms(median(many)), f"at 10: {ms(median(few))}", ratio(many, few), 1.2, "×")]


def bench_receive(work: Path) -> list[Line]:
    """Many order files, revisions of four players, answered at once, beside as many bytes written as safely."""
    from pbem.campaign.folder import write
    from pbem.campaign.intake import Incoming, receive

    rounds = 3
    campaigns = [bench_many_campaigns.opened(work / f"receive{number}" / "winter-court", NOW, MANY) for number in range(rounds)]
    before = set(campaigns[0][0].root.rglob("*.toml"))
    waiting = iter(campaigns)
    computed: list[float] = []

    def ours() -> None:
        folder, files = next(waiting)
        began = time.process_time()
        answers = receive(folder, [Incoming(f"{at}.toml", data) for at, data in enumerate(files)], NOW)
        computed.append(time.process_time() - began)
        if not all(answer.receipt.accepted for answer in answers):
            raise RuntimeError("a file of the bench was refused")

    (seconds,) = medians(rounds, ours)
    written = [path.stat().st_size for path in campaigns[0][0].root.rglob("*.toml") if path not in before]
    target = work / "floor"

    def floor() -> None:
        for at, size in enumerate(written):
            write(target / f"{at}.toml", bytes(size))

    (least,) = medians(rounds, floor)
    took = median(computed)
    beside = f"by the clock {ms(seconds)}, {len(written)} files to disk {ms(least)}"
    return [line(f"`receive` of {MANY} signed files", ms(took), beside, took, 1, "s")]


def bench_many(work: Path) -> list[Line]:
    """One command over many campaigns: what one more costs, among a hundred and among a thousand."""

    def run(*args: str | Path) -> float:
        began = spent()
        command(PBEM, *args)()
        return spent() - began

    folder, files = bench_many_campaigns.opened(work / "many" / "winter-court", NOW, 1)
    bench_many_campaigns.hand_in(folder, files, NOW)
    lines = []
    few, some, many = bench_many_campaigns.SIZES
    for cost in bench_many_campaigns.processed(work, folder.root, NOW.isoformat(), run):
        ours, theirs = cost.each(some, many), cost.each(few, some)
        beside = f"among {some}: {ms(theirs)}; all {many:,}: {cost.seconds[many]:.1f} s"
        what = f"`process --all`, {cost.what}: one more among {many:,}"
        lines.append(line(what, ms(ours), beside, ours / theirs, 1.2, "×"))
    site = bench_many_campaigns.published(work, NOW, run)
    beside = f"of {few}: {ms(site.seconds[few])}"
    return [*lines, line(f"`pbem site` of {some} campaigns, {site.what}", ms(site.seconds[some]), beside)]


HEAD = """# How fast it is

`make bench` measures this and writes this page; every number is the median of several runs on the machine named below.

A goal is what was aimed at when the program was designed. Random play takes one of all legal orders, each equally likely (`pick`; the same
as one of `choices`, but they need not be listed for it), completes it (`complete`) and plays it (`play`), and keeps all orders and events;
catanatron's numbers are of its own random players, four of them. All times are CPU time, also those of whole commands, unless it says that
they are by the clock: a machine has other things to do too.
"""


def page(lines: list[Line], told: list[str]) -> str:
    """The table as Markdown."""
    rows = "".join(f"| {one.what} | {one.found} | {one.beside} | {one.goal} |\n" for one in lines)
    notes = "".join(f"- {note}\n" for note in told)
    return f"{HEAD}\n{notes}\n| what | found | beside | goal |\n|---|---:|---|---|\n{rows}"


def machine() -> str:
    """The machine in a few words."""
    try:
        info = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        model = next(text.split(":", 1)[1].strip() for text in info.splitlines() if text.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.machine()
    return f"{os.cpu_count()} cores of {model}, {platform.system()}, Python {platform.python_version()}"


def main() -> None:
    """Prints the table, and writes it where that is asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("output", type=Path, nargs="?", help="write the table here as Markdown")
    parser.add_argument("--game", type=Path, default=ROOT / "games" / "example-ming-dynasty", help="a finished campaign")
    options = parser.parse_args()
    game: Path = options.game
    told = [machine()]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        lines = bench_play_table(work, told)
        lines += bench_help()
        lines += bench_receive(work)
        lines += bench_many(work)
        if not (game / "private" / "secret.toml").is_file():
            print("playing the demo for a campaign that can be processed …", flush=True)
            command(PBEM, "demo", work / "demo", "--no-site", "--seats", "an,bo,chen,dai")()
            played = work / "demo" / "games" / "winter-court"
            game = game if (game / "game.toml").is_file() else played
            lines += bench_campaign(played, work)
        lines += bench_campaign(game, work)
        lines += bench_pdf(game)
        lines += bench_site(game, work)
    if hasattr(os, "getloadavg"):
        told.append(f"{os.getloadavg()[2]:.1f} processes on average wanted to run meanwhile")
    if options.output is not None:
        options.output.write_text(page(lines, told), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
