"""``pbem mail fetch``: what players send comes in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.options import counted, json_option, many_options, moment, now_option, print_json

if TYPE_CHECKING:
    from pbem.post.clerk import Line
    from pbem.post.fetch import Fetching


@click.command()
@many_options
@click.option("--dry-run", is_flag=True, help="Say what would be done, and change nothing.")
@now_option
@json_option
def fetch(
    games: tuple[Path, ...], everything: bool, shard: tuple[int, int] | None, dry_run: bool, now_text: str | None, as_json: bool
) -> None:
    """Receive the files in new mails, and answer them.

    Reads the mailbox (IMAP, a Maildir or an mbox), receives order files, join files and requests as of the time at which the mailbox had
    them, and lays one answer to each mail into the outbox; pbem mail send sends it. Campaigns that share a mailbox are best fetched
    together. The exit status is 1 when a mailbox could not be read or a mail not be dealt with; the next run does what was left.
    """
    from pbem.cli.failing import explain
    from pbem.cli.many import named_or_all
    from pbem.post.fetch import fetch as run

    chosen = named_or_all(games, everything, shard)
    done = run(chosen, moment(now_text), look_only=dry_run)
    failed = False
    if as_json:
        print_json([{"path": str(one.game), "mails": one.lines, "left": one.left, "errors": len(one.errors)} for one in done])
    else:
        _tell(done, several=len(chosen) > 1, dry_run=dry_run)
    for one in done:
        for error in one.errors:
            failed = True
            if not explain(error, where=str(one.game) if len(chosen) > 1 else ""):
                _tell_fault(one, error)
    if failed:
        raise click.exceptions.Exit(1)


def _tell(done: list[Fetching], *, several: bool, dry_run: bool) -> None:
    for one in done:
        for line in one.lines:
            where = f"{line.game}: " if several else ""
            click.echo(f"{where}{line.received[:16].replace('T', ' ')} UTC  {_said(line, dry_run)}")
        if one.left:
            click.echo(f"{one.game}: {counted(one.left, 'more mail')} in the mailbox; the next run goes on with them")
    mails = sum(len(one.lines) for one in done)
    if not mails and not any(one.errors for one in done):
        click.echo("No new mail.")
    elif any(line.answered for one in done for line in one.lines):
        click.echo("The answers lie in the outbox; pbem mail send sends them.")


_SAID = {
    "own": "our own mail, left alone",
    "known": "came before; nothing to do",
    "automatic": "sent by a program; not answered",
    "elsewhere": "for another campaign; left as it is",
    "gone": "was moved or deleted before it could be read",
    "ended": "the game is over; its files were not received",
    "too-large": "too large to be read",
    "resend": "asked for the last report",
    "note": "no file in it: a person may have written to you; it is left unread in the mailbox",
    "stranger": "no file of a player in it; it is left unread in the mailbox",
}


def _said(line: Line, dry_run: bool) -> str:
    if line.what == "files" or line.files:
        again = "came before: " if line.what == "known" else ""
        told = again + ", ".join(_file(one.name, one.verdict, one.reason, one.receipt) for one in line.files)
    elif line.what == "bounce":
        whose = ", ".join(line.addresses)
        told = f"a mail has come back: nothing arrives at the address of {whose}" if whose else "a delivery report"
    else:
        told = _SAID.get(line.what, line.what)
    if line.what == "files" and line.addresses:
        told += f"; mail for {', '.join(line.addresses)} goes to this address now"
    if line.answered:
        told += "; answered"
    elif line.what == "files" and not dry_run:
        told += "; not answered by mail"
    return f"{line.who}: {told}"


def _file(name: str, verdict: str, reason: str, receipt: int) -> str:
    from pbem.publish.columns import clean

    shown = clean(name, 60) or "a file"
    if not receipt:
        return f"{shown} would be received"
    why = f" ({reason.replace('-', ' ')})" if reason else ""
    return f"{shown} {verdict}{why}, receipt {receipt}"


def _tell_fault(one: Fetching, error: Exception) -> None:
    """A fault of our own: the mail waits in the mailbox, nothing is lost, and the developers need to see where it was."""
    import traceback

    click.echo(f"error: {one.game}: a mail could not be dealt with; it waits. This is a fault of pbem itself; please report it", err=True)
    traceback.print_exception(error)
