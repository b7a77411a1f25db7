"""Try the whole thing, and test rules."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from pbem.cli.options import counted, installed_title, json_option, moment, now_option, print_json


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=Path("pbem-demo"))
@click.option("--title", default="ming-dynasty", show_default=True, help="Which board game.")
@click.option("--name", default="winter-court", show_default=True, help="What to call the campaign.")
@click.option("--seats", default=None, help="Seats in clockwise order. Default: four, or as many as the title takes.")
@click.option("--seal", type=click.Choice(["bids", "all"]), default="bids", show_default=True, help="Which orders must be sealed.")
@click.option("--seed", default=1, show_default=True, help="Whims of the stand-in players.")
@click.option("--site/--no-site", "build_site", default=True, help="Build the web pages and the last PDF at the end.")
@now_option
@json_option
def demo(
    folder: Path, title: str, name: str, seats: str | None, seal: str, seed: int, build_site: bool, now_text: str | None, as_json: bool
) -> None:
    """Play a whole game with stand-in players, here.

    FOLDER is made and must be empty: the campaign goes to FOLDER/games, each player's own files to FOLDER/players, the pages to
    FOLDER/_site, and a mail to each player, as an example, to FOLDER/mails. Every file is really written, signed, sealed, received and
    processed.
    """
    from pbem.campaign.folder import CampaignError
    from pbem.cli import demo as stage

    if folder.exists() and any(folder.iterdir()):
        raise CampaignError("exists", path=str(folder))
    tell: Any = (lambda line: None) if as_json else click.echo
    started = time.monotonic()
    seats = seats or ",".join(("an", "bo", "chen", "dai")[: installed_title(title).seats.stop - 1])
    tell(f"A game of {title} in {folder}, by mail: {seats}\n")
    run = stage.begin(
        folder, name, title=title, seats=[seat.strip() for seat in seats.split(",")], seal=seal, seed=seed, now=moment(now_text), tell=tell
    )
    if build_site:
        run.mails = folder / "mails"
    course = run.play()
    tell("")
    proof = _audit(run.folder)
    facts = {"game": str(run.folder.root), **stage.plain(run.seen), "entries": len(course.chapters), "audit": proof}
    if not as_json:
        _tell_end(course, run, proof, time.monotonic() - started)
    if build_site:
        _publish(folder, run, course, tell)
    if as_json:
        print_json(facts)


def _audit(folder: Any) -> str:
    from pbem.campaign.audit import audit
    from pbem.campaign.folder import CampaignError

    report = audit(folder)
    if report.fault is not None or not report.finished:
        raise CampaignError("demo-false", path=str(folder.root), why=report.fault.code if report.fault else "unfinished")
    entries, receipts = counted(report.entries, "entry", "entries"), counted(report.receipts, "receipt")
    return f"{entries}, {receipts}, {counted(report.proven, 'step')} proven"


def _tell_end(course: Any, run: Any, proof: str, seconds: float) -> None:
    from pbem.cli.play import course_words

    seen, words = run.seen, course_words(course)
    standings = course.title.result(course.table.position)
    click.echo("The end: " + ", ".join(f"{words.seat(line.seat)} {line.points}" for line in standings))
    click.echo(f"Audited from the public files alone: {proof}.")
    click.echo(f"{seen.mails} order files in {seconds:.0f} seconds. Among them:")
    told = (
        (seen.alternatives, "the second choice of a plan was played, because the first was no longer possible"),
        (seen.stopped, "a plan stopped, and its player sent a new revision in the middle of the phase"),
        (seen.missed, "a closing time was missed: silence was played, and the report says so"),
        (seen.refused, "a file arrived mangled and was refused, and was sent again"),
        (seen.copied_box, "a copy of another player's sealed plan was sent, and did not open"),
    )
    for count, what in told:
        if count:
            click.echo(f"  {_times(count)} {what}")



def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _publish(base: Path, run: Any, course: Any, tell: Any) -> None:
    from pbem.campaign.stories import story
    from pbem.cli.options import words_for
    from pbem.cli.publishing import downloads
    from pbem.publish.pdf import PdfUnavailable, report_pdf
    from pbem.publish.site import SiteCampaign, build

    told = story(course)
    words = words_for(told)
    tell("")
    try:
        pdf = report_pdf(told, len(told.chapters), words)
    except PdfUnavailable as missing:
        tell(f"without the PDF: {missing}")
    else:
        (base / "last-turn.pdf").write_bytes(pdf)
        tell(f"the last turn to print   {base / 'last-turn.pdf'}")
    build([SiteCampaign(told, downloads(run.folder, told), pdf=False)], base / "_site", lambda name: words)
    tell(f"the web pages            {base / '_site' / 'index.html'}   (pbem serve {base / '_site'})")
    if run.mails is None:
        tell(f"what players were mailed {base / 'mails'}   (when the second round began; README, By mail, tells how mails go out)")
    tell(f"the campaign             {run.folder.root}   (pbem audit {run.folder.root})")
    tell(f"each player's files      {base / 'players'}")


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--position", "title", default=None, metavar="TITLE", help="Print a full starting position of a title to edit.")
@click.option("--seats", default="an,bo,chen,dai", show_default=True, help="Seats for --position.")
def case(files: tuple[Path, ...], title: str | None, seats: str) -> None:
    """Run rule cases, or print a position to start one from."""
    from pbem.cli.cases import run_files, starting_position

    if title is not None:
        click.echo(starting_position(title, [seat.strip() for seat in seats.split(",")]), nl=False)
        return
    if not files:
        raise click.UsageError("name case files, or --position TITLE")
    if run_files(list(files)):
        raise click.exceptions.Exit(1)
