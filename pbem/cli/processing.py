"""Playing what can be played: in one campaign, or in many one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbem.cli.options import json_option, many_options, moment, now_option, print_json
from pbem.cli.organise import held_lines, status_facts, tell_waiting

if TYPE_CHECKING:
    from pbem.campaign.course import Course
    from pbem.campaign.turn import Processed


@click.command()
@many_options
@click.option("--close", default="", metavar="PHASE", help="Close the phase being played now; its name is the guard.")
@click.option("--unread", is_flag=True, help="Close what is due although a channel has not been read since; the entry says so.")
@now_option
@json_option
def process(
    games: tuple[Path, ...], everything: bool, shard: tuple[int, int] | None, close: str, unread: bool, now_text: str | None, as_json: bool
) -> None:
    """Play everything that can be played.

    Writes the joins, the set-up, or a turn as one signed entry, and says whom the game waits for. Nothing to play: nothing is written.
    GAMES are campaigns; with --all they are folders in which campaigns lie. With several, what goes wrong in one stops no other.
    """
    from pbem.cli.many import named_or_all

    chosen = named_or_all(games, everything, shard)
    if everything or len(chosen) > 1:
        if close or unread:
            raise click.UsageError("--close is for one campaign, and so is --unread: name that one alone")
        _process_many(chosen, moment(now_text), as_json)
    else:
        _process_one(chosen[0], moment(now_text), as_json, close=close, unread=unread)


def _process_one(game: Path, now: datetime, as_json: bool, *, close: str, unread: bool) -> None:
    from pbem.campaign.folder import Folder
    from pbem.campaign.turn import process as run

    done = run(Folder(game), now, close=close, unread=unread)
    if as_json:
        print_json({"entries": done.entries, "unread": done.unread, **status_facts(done.course)})
        return
    for answer in done.adopted:
        from pbem.publish.answering import tell_answer

        click.echo(f"answered a file that an interrupted run had left: {tell_answer(done.course, answer)}\n")
    _tell_processed(done.course, done.entries, now)
    for line in held_lines(done.course, now, done.unread):
        click.echo(line)


def _tell_processed(course: Course, entries: list[int], now: datetime) -> None:
    from pbem.cli.play import course_words

    words = course_words(course)
    if not entries:
        click.echo("Nothing to play yet; nothing was written.")
    for number in entries:
        chapter = course.chapters[number - 1]
        click.echo(f"entry {chapter.head}")
        for sentence in words.chapter(chapter):
            click.echo(f"  {sentence.text}")
    click.echo(tell_waiting(course, words, now))


def _process_many(games: list[Path], now: datetime, as_json: bool) -> None:
    """A line for each campaign in which something was written; those that only wait are counted."""
    from pbem.campaign.folder import Folder
    from pbem.campaign.shelf import finished
    from pbem.campaign.turn import process as run
    from pbem.cli.many import Round

    def work(game: Path) -> tuple[dict[str, Any], list[str]]:
        """What is said of a campaign, as JSON and in lines: made here, so that a campaign which cannot be told of stops no other either."""
        if finished(game):
            return {"path": str(game), "entries": [], "over": True}, []
        done = run(Folder(game), now)
        facts = {"path": str(game), "entries": done.entries, "unread": done.unread, **status_facts(done.course)}
        return facts, [] if as_json else [f"{game}: {line}" for line in _brief(done)]

    rows: list[dict[str, Any]] = []
    went = moved = over = 0
    through = Round(games)
    for _, (facts, lines) in through.each(work):
        # Of a campaign that is done nothing is kept but what is still to be said: a club may have thousands.
        rows += [facts] if as_json else []
        went += 1
        moved += bool(facts["entries"])
        over += bool(facts["over"] and not facts["entries"])
        for line in lines:
            click.echo(line)
    if as_json:
        print_json([*rows, *through.failures()])
    else:
        waiting = went - moved - over
        click.echo(through.summary(f"{moved} played on", f"{waiting} waiting", f"{over} over"))
    through.finish()


def _brief(done: Processed) -> Iterator[str]:
    from pbem.cli.play import course_words

    for answer in done.adopted:
        yield f"answered a file that an interrupted run had left: receipt {answer.receipt.number}"
    if done.entries:
        heads = ", ".join(done.course.chapters[number - 1].head for number in done.entries)
        yield f"entry {heads}. {tell_waiting(done.course, course_words(done.course))}"
    if done.unread:
        yield f"the closing time has passed; waiting to be read: {', '.join(done.unread)}"
