"""A campaign repository on GitHub: the run that answers and plays, one event alone, and the comments afterwards.

What these commands print ends up in a public log where lines can be commands: they print names and numbers of ours, nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbem.cli.options import counted, moment, now_option

if TYPE_CHECKING:
    from pbem.campaign.course import Course
    from pbem.campaign.intake import Answer
    from pbem.post.github.turn import Done, Job

IN_ONE_GO = 20
"""Issues that are answered without a pause."""
games_option = click.option(
    "--games", type=click.Path(path_type=Path), default=Path("games"), show_default=True, help="Folder of the campaigns."
)
out_option = click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Folder for the answers: a file for each issue, for pbem github answer."
)


@click.group()
def github() -> None:
    """Orders from issues, comments, pull requests and pushed files; receipts as comments.

    For the jobs of a campaign repository (pbem init makes one). They read the variables that GitHub sets: GITHUB_REPOSITORY, GITHUB_TOKEN,
    GITHUB_EVENT_NAME, GITHUB_EVENT_PATH, GITHUB_REF_NAME.
    """


@github.command()
@games_option
@out_option
@now_option
def turn(games: Path, out: Path, now_text: str | None) -> None:
    """Answer all that was written, play what can be played, commit, push.

    Answers are written to a folder only when the push has gone through. When somebody else has pushed meanwhile, everything is done again.
    """
    from pbem.campaign.folder import CampaignError
    from pbem.post.github.answers import save
    from pbem.post.github.repository import Repository
    from pbem.post.github.turn import run

    job = _job(games, now_text)
    if os.environ.get("GITHUB_REF_TYPE", "branch") != "branch":
        raise CampaignError("github-environment", name="GITHUB_REF_NAME")
    repository = Repository(
        games.resolve().parent, os.environ.get("GITHUB_REF_NAME", ""), job.client.token,
        os.environ.get("GITHUB_SERVER_URL", "") or "https://github.com",
    )  # fmt: skip
    done = run(job, repository)
    save(done.replies, out)
    _outputs(changed=done.committed or _wants_pages(job), answers=bool(done.replies))
    _tell(done)


@github.command()
@games_option
@out_option
@now_option
def event(games: Path, out: Path, now_text: str | None) -> None:
    """Receive only what one event brings.

    Nothing is played, committed or pushed: pbem process and git do that. pbem github turn does all of it, and finds what was missed.
    """
    from pbem.post.github.answers import save
    from pbem.post.github.turn import receive_event

    done = receive_event(_job(games, now_text))
    save(done.replies, out)
    _tell(done)


@github.command()
@click.argument("folder", type=click.Path(path_type=Path))
def answer(folder: Path) -> None:
    """Write the answers in FOLDER as comments, set labels, close what is settled.

    What has been said already is not said again, so it may be run as often as you like.
    """
    from pbem.cli.failing import explain
    from pbem.post.github.answers import deliver, load
    from pbem.post.github.client import Client, Unreachable

    client, written, failed = Client.from_environment(), 0, 0
    replies = load(folder)
    for number, reply in enumerate(replies):
        if number >= IN_ONE_GO:
            client.pause(1.0)  # the service asks those who write much to write slowly
        try:
            written += deliver(client, reply)
        except Unreachable as error:
            explain(error, where=f"issue {reply.issue}")
            failed += 1
    click.echo(f"{counted(len(replies), 'issue')}, {counted(written, 'comment')} written" + (f", {failed} failed" if failed else ""))
    if failed:
        raise click.exceptions.Exit(1)


def _job(games: Path, now_text: str | None) -> Job:
    from pbem.campaign.folder import CampaignError
    from pbem.post.github.client import Client
    from pbem.post.github.posts import read_event
    from pbem.post.github.turn import Job

    if not games.is_dir():
        raise CampaignError("no-campaigns", path=str(games))
    path = os.environ.get("GITHUB_EVENT_PATH", "")
    return Job(
        games, Client.from_environment(), _Speaker(), lambda: moment(now_text), os.environ.get("GITHUB_EVENT_NAME", ""),
        read_event(Path(path)) if path else {},
    )  # fmt: skip


def _wants_pages(job: Job) -> bool:
    """Whether the pages are built although nothing has changed: when asked for by hand, and once a night, should a build have failed."""
    return job.event_name in ("workflow_dispatch", "push") or (job.event_name == "schedule" and job.now().hour == 3)


def _outputs(**facts: bool) -> None:
    """Tells the jobs that follow yes or no, and nothing else."""
    path = os.environ.get("GITHUB_OUTPUT", "")
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.writelines(f"{name}={'true' if value else 'false'}\n" for name, value in facts.items())


def _tell(done: Done) -> None:
    """What was done, in names and numbers; exit status 1 when a campaign failed."""
    from pbem.cli.failing import explain

    for game, numbers in sorted(done.answered.items()):
        click.echo(f"{game}: {counted(len(numbers), 'file')} answered")
    for game, heads in sorted(done.played.items()):
        click.echo(f"{game}: entry {', '.join(heads)}")
    for game, channels in sorted(done.unread.items()):
        click.echo(f"{game}: its closing time has passed, but not everything was read since: {', '.join(channels)}", err=True)
    if not done.whole:
        click.echo("There was more to read than one run reads; nothing was played, the next run goes on.", err=True)
    if not done.answered and not done.played and not done.failed:
        click.echo("Nothing to do.")
    for path, error in done.failed.items():
        if not explain(error, where=str(path)):
            # Not the fault's own words: they could hold anything, and the log is public.
            click.echo(f"error: {path}: this is a fault of pbem itself ({type(error).__name__}); please report it", err=True)
    if done.failed:
        raise click.exceptions.Exit(1)


class _Speaker:
    """Receipts in the language of their player, notes in English: nobody knows yet who asks."""

    def receipt(self, course: Course, answer: Answer) -> str:
        from pbem.campaign.stories import story
        from pbem.publish.comments import receipt_comment
        from pbem.publish.words import Words

        member = course.members.get(answer.receipt.seat)
        return receipt_comment(course, answer, Words(story(course), member.language if member else "en"))

    def note(self, code: str, games: Sequence[str]) -> str:
        from pbem.engine import registry
        from pbem.publish.comments import note_comment
        from pbem.publish.words import Words

        words: Any = Words(registry.title(registry.slugs()[0]))
        return note_comment(code, words, games)
