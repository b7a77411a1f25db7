"""What anybody can do with a campaign's public files: look, prove, report, publish."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbem.cli.options import counted, game_argument, json_option, key_path, keyring_of, language_tag, must_be_file, print_json

if TYPE_CHECKING:
    from pbem.campaign.course import Course


@click.command()
@game_argument
@click.option("--seat", default=None, help="The seat to look from; without it, what everybody may see.")
@click.option("--key", type=click.Path(path_type=Path), default=None, help="Open your letters with this key's .pbem file.")
@json_option
def show(game: Path, seat: str | None, key: Path | None, as_json: bool) -> None:
    """The present position, as one seat sees it.

    With --key, the letters to your latest files are opened too: what your plan would do, and what was wrong with it.
    """
    from pbem.campaign.folder import CampaignError, Folder
    from pbem.campaign.hidden import seat_view
    from pbem.campaign.intake import catch_up
    from pbem.campaign.replay import replay
    from pbem.cli.letters import facts_for, tell_letters
    from pbem.cli.play import course_words
    from pbem.publish.offering import missing_text
    from pbem.publish.textreport import position_text

    folder = Folder(game).require()
    course = replay(folder)
    catch_up(course)
    if seat is not None and seat not in course.seats:
        raise CampaignError("unknown-seat-here", found=seat, allowed=course.seats)
    if course.table.position is None:
        missing = [one for one in course.seats if one not in course.members and one not in course.joining]
        raise CampaignError("no-position", path=str(game), missing=missing_text(missing))
    view = seat_view(course, seat, facts_for(course, seat, key) if seat is not None else None)
    if as_json:
        print_json({"head": course.archive.head(), "waiting": course.waiting(), "position": course.title.show_position(view)})
        return
    member = course.members[seat] if seat is not None else None
    words = course_words(course, member.language if member else "en")
    click.echo(position_text(_story(course), view, words, zone=member.zone if member else None, waiting=course.waiting()))
    if seat is not None and key is not None:
        click.echo(tell_letters(course, seat, keyring_of(key_path(key)), words))


def _story(course: Course) -> Any:
    from pbem.campaign.stories import story

    return story(course)


@click.command()
@game_argument
@click.option("--head", default=None, metavar="HEAD", help="The ledger must contain this head (from a receipt or report).")
@click.option("--against", type=click.Path(path_type=Path), default=None, help="Another copy of the campaign to compare with.")
@click.option(
    "--mine", multiple=True, type=click.Path(path_type=Path), metavar="FILE",
    help="The plain copy of a sealed plan of yours (SEAT.PHASE.plain.toml): what was played by it is then proven at once.",
)
@json_option
def audit(game: Path, head: str | None, against: Path | None, mine: tuple[Path, ...], as_json: bool) -> None:
    """Prove from the public files that everything is right.

    Replays the whole campaign: every signature, every order, every draw, every point. Names the file of the first fault. Needs no secret.
    """
    from pbem.campaign import clock
    from pbem.campaign.audit import audit as run
    from pbem.campaign.folder import Folder, read
    from pbem.publish.complaints import complaint
    from pbem.publish.faults import FAULTS

    for path in mine:
        must_be_file(path, "plain copy of a plan")
    report = run(Folder(game).require(), head=head, against=against, mine=[read(path) for path in mine], now=clock.now())
    fault = report.fault
    if as_json:
        told = {"code": fault.code, "file": fault.file, "facts": fault.facts} if fault else None
        plans = dict(zip(map(str, mine), report.mine, strict=False))
        names = ("head", "finished", "entries", "receipts", "proven", "pending", "unchecked")
        noticed = [{"code": code} | facts for code, facts in report.notices]
        print_json({name: getattr(report, name) for name in names} | {"fault": told, "notices": noticed, "mine": plans})
    elif fault is None:
        pending = sum(report.pending.values())
        click.echo(f"{'finished' if report.finished else 'unfinished'}, head {report.head}")
        written = f"{counted(report.entries, 'entry', 'entries')}, {counted(report.receipts, 'receipt')}"
        click.echo(f"{written}: every signature and every link of the chain is good")
        click.echo(f"{counted(report.proven, 'step')} proven" + (f", {pending} pending" if pending else ""))
        for phase, count in report.pending.items():
            until = "the game ends" if phase == "end" else "the phase closes"
            click.echo(f"  {phase}: {count} pending until {until} and a secret is published")
        for program, count in report.unchecked.items():
            click.echo(f"  {counted(count, 'step')} not checked, played under other rules; pbem {program} can check that")
    strange = False
    for path, where in zip(mine, report.mine, strict=False):
        if where:
            if not as_json:
                click.echo(f"{path}: the plan in {where}, as you made it")
        else:
            click.echo(f"{path}: no sealed plan of this campaign was made of it", err=True)
            strange = True
    for code, facts in report.notices:
        click.echo(f"notice: {_notice(code, facts)}", err=True)
    if fault is not None:
        if not as_json:
            sentence, hint = complaint(FAULTS, fault.code, {"file": fault.file, **fault.facts}, str)
            # An honest older copy is no forgery.
            click.echo(f"{'OLDER' if fault.code == 'shorter-than-other' else 'FALSE'}: {sentence}")
            if hint:
                click.echo(f"hint: {hint}", err=True)
            click.echo(f"{counted(report.proven, 'step')} before it {'is' if report.proven == 1 else 'are'} proven")
        raise click.exceptions.Exit(1)
    if strange:
        raise click.exceptions.Exit(1)


def _notice(code: str, facts: dict[str, object]) -> str:
    if code == "organiser-joined-late":
        return f"{facts['seat']} holds the secret and joined after {facts['first']}; he could have chosen his nonce last"
    if code == "unanswered":
        return f"{facts['file']} has no receipt yet; a run is at work or was interrupted, and the next one answers it"
    if code == "zone-data":
        other = f"it would be {facts['found']}" if facts["found"] != "none" else "the zone is not known"
        return (
            f"{facts['file']} puts the closing time at {facts['told']} by edition {facts['edition']} of the time zone data; "
            f"by that of this machine, {facts['here']}, {other}. Another edition can explain it"
        )
    if code == "dated-ahead":
        return f"{facts['file']} is dated {facts['told']}; by the clock of this machine it is {facts['now']}. One of the clocks is wrong"
    return f"{code} {facts}"


def _check_place(path: Path | None, mark: bytes) -> None:
    """CampaignError when something is there that no report of this kind is: a report is written again and again, an order file only once.

    ``mark``: what such a report has at its beginning, in small letters.
    """
    from pbem.campaign.folder import CampaignError

    if path is None or not path.is_file():
        return
    with path.open("rb") as file:
        begin = file.read(1000)
    if begin and mark not in begin.lower():
        raise CampaignError("there-otherwise", path=str(path))


@click.command()
@game_argument
@click.option("--entry", type=int, default=None, help="The ledger entry to tell. Default: the last.")
@click.option("--html", type=click.Path(path_type=Path), default=None, help="Write the page here.")
@click.option("--pdf", type=click.Path(path_type=Path), default=None, help="Write the PDF here, with the order form.")
@click.option("--text", type=click.Path(path_type=Path, allow_dash=True), default=None, help="Write the text here; - prints it.")
@click.option("--language", default="en", show_default=True, callback=language_tag, help="Language of the report.")
def report(game: Path, entry: int | None, html: Path | None, pdf: Path | None, text: Path | None, language: str) -> None:
    """A turn report as page, PDF or text."""
    from pbem.campaign.folder import CampaignError, Folder
    from pbem.campaign.replay import replay
    from pbem.cli.options import save, words_for

    if html is None and pdf is None and text is None:
        text = Path("-")
    course = replay(Folder(game).require())
    told = _story(course)
    most = len(told.chapters)
    number = most if entry is None else entry
    if not 1 <= number <= most:
        raise CampaignError("no-such-entry" if most else "no-entries", found=number, most=most, path=str(game))
    words = words_for(told, language)
    for path, mark in ((html, b"<!doctype html"), (pdf, b"%pdf-"), (text, b"\n====")):
        _check_place(path, mark)
    if text is not None:
        from pbem.publish.textreport import report_text

        written = report_text(told, number, words)
        if str(text) == "-":
            click.echo(written, nl=not written.endswith("\n"))
        else:
            save(text, written.encode(), overwrite=True)
    if html is not None:
        from pbem.publish.pages import report_html

        save(html, report_html(told, number, words, links=False).encode(), overwrite=True)
    if pdf is not None:
        from pbem.publish.pdf import report_pdf

        save(pdf, report_pdf(told, number, words), overwrite=True)
    for path in (html, pdf, text):
        if path is not None and str(path) != "-":
            click.echo(f"{path} is written: entry {number} of {told.name}")
