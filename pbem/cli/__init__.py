"""The door: one thin module per group of commands.

The list below is all that ``pbem --help`` needs, so that it answers at once; a command's module, and the heavy libraries in it, are
imported only when that command runs. A test holds the one-line helps here to those of the commands.
"""

from __future__ import annotations

import gc
import importlib
import sys
from typing import Any

import click

# command → (module, its one-line help)
COMMANDS: dict[str, tuple[str, str]] = {
    "titles": ("organise", "The board games that can be played."),
    "new": ("organise", "Start a campaign and print an invite per seat."),
    "join": ("play", "Take a seat with an invite: makes a join file to send in."),
    "status": ("organise", "Whom a campaign waits for, for what, until when."),
    "show": ("read", "The present position, as one seat sees it."),
    "keygen": ("play", "Make a key to sign orders with."),
    "orders": ("play", "Write an order file to fill in."),
    "check": ("play", "Try an order file out before sending it."),
    "sign": ("play", "Sign an order file, and seal it where that is asked."),
    "armour": ("play", "Print a signed file as a block to paste into a mail."),
    "receive": ("organise", "Answer order and join files with receipts."),
    "process": ("processing", "Play everything that can be played."),
    "audit": ("read", "Prove from the public files that everything is right."),
    "explain": ("fixing", "What is behind a sentence of a report: the file, the line, the alternative, the reason."),
    "request": ("asking", "Ask for something outside of the phases: a request to sign and send."),
    "trust": ("asking", "Accept the processor's new key, after it took a new secret."),
    "undo": ("fixing", "Take turns back: the game stands again as it stood after an entry."),
    "substitute": ("fixing", "Give a seat to somebody else: its files are void, and a new invite is printed."),
    "vacate": ("fixing", "Free a seat whose player is gone; pbem invite or pbem substitute fills it again."),
    "rekey": ("fixing", "A new invite for a player who lost his key: he joins his seat again with a new one."),
    "invite": ("fixing", "A new invite for a free seat; the old one is void."),
    "amend": ("fixing", "Change closing times or what silence means; before the start also what is played."),
    "extend": ("clocks", "Put off the closing time of the phase being played."),
    "pause": ("clocks", "Let the game rest until a time: nothing is played, and closing times do not run."),
    "end": ("fixing", "End a campaign before the game is over; the result is how things stand."),
    "secret": ("fixing", "The secret of a campaign: show it, put it back, check it, take a new one."),
    "mail": ("mail", "Orders come by mail, reports and requests go by mail."),
    "contacts": ("mail", "The players' mail addresses, and which of them take no mail."),
    "report": ("read", "A turn report as page, PDF or text."),
    "site": ("publishing", "Build the web pages of all campaigns."),
    "serve": ("publishing", "Look at the built pages on this machine."),
    "init": ("starting", "Make a repository for campaigns on GitHub, ready to push."),
    "github": ("github", "Orders from issues, comments, pull requests and pushed files; receipts as comments."),
    "demo": ("trying", "Play a whole game with stand-in players, here."),
    "bot": ("bots", "Let a stand-in player write an order file for a seat."),
    "bench": ("bots", "Measure: how strong the stand-in players are."),
    "case": ("trying", "Run rule cases, or print a position to start one from."),
    "schema": ("schema", "Print the JSON Schema of a title's order files."),
}

GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Organise and look", ("titles", "new", "join", "status", "show")),
    ("Play", ("keygen", "orders", "check", "sign", "armour", "request", "trust")),
    ("Process and prove", ("receive", "process", "audit", "explain")),
    ("When things go wrong", ("undo", "substitute", "vacate", "rekey", "invite", "amend", "extend", "pause", "end", "secret")),
    ("Publish", ("report", "site", "serve")),
    ("Carry", ("mail", "contacts", "init", "github")),
    ("Try and test", ("demo", "bot", "case", "schema", "bench")),
)


class LazyGroup(click.Group):
    """Finds a command's module when it is called for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"pbem.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from pbem.orders.findings import nearest

            near = nearest(args[0], COMMANDS)
            ctx.fail(f"there is no command {args[0]!r}" + (f"; did you mean {near!r}?" if near else "; pbem --help lists them"))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, names in GROUPS:
            with formatter.section(heading):
                formatter.write_dl([(name, COMMANDS[name][1]) for name in names])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(None, "--version", package_name="pbem", message="pbem %(version)s, protocol 1")
def pbem() -> None:
    """Play board games by mail: signed order files in, verifiable turn reports out.

    \b
    A player:     pbem join GAME --seat an --invite CODE --key an.key -o an.join.toml
                  pbem orders GAME --seat an -o an.toml     (edit an.toml)
                  pbem sign an.toml --key an.key            (send an.order.toml)
    An organiser: pbem new games/winter-court --title ming-dynasty --seats an,bo,chen,dai
                  pbem receive games/winter-court FILES…
                  pbem process games/winter-court
    Anybody:      pbem audit games/winter-court
    """


def main(args: list[str] | None = None) -> Any:
    """The entry point. Every failure that has a reason ends as ``error:`` and ``hint:`` on stderr with exit status 1."""
    if args is None:
        # A command is over in a moment: to look through all its modules for garbage time and again takes a tenth of it.
        gc.set_threshold(200_000)
    for stream in (sys.stdout, sys.stderr):
        # A Windows console in an old code page must not turn a Chinese name into a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        # Without click's standalone mode an Exit comes back as its status, everything else as None.
        status = pbem.main(args=args, prog_name="pbem", standalone_mode=False)
    except click.ClickException as error:
        _tell_usage(error)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped; nothing was left half done", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(0)
    except Exception as error:
        from pbem.cli.failing import explain

        if not explain(error):
            raise
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)


def _tell_usage(error: click.ClickException) -> None:
    """What was typed wrongly: how the command goes, then the reason in the form of all other errors."""
    if type(error).__name__ == "NoArgsIsHelpError":
        # A group without a command: its help is all there is to say.
        click.echo(error.format_message(), err=True)
        return
    context = getattr(error, "ctx", None)
    if context is not None:
        click.echo(context.get_usage(), err=True)
        click.echo(f"Try '{context.command_path} --help' for help.\n", err=True)
    click.echo(f"error: {error.format_message()}", err=True)
