"""When things go wrong: each command writes one entry with its ground, and what is not undone stays in the ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pbem.cli.clocks import RULE_HELP, own_rules, rule_options
from pbem.cli.options import game_argument, install_option, moment, now_option, of_seat_option


def address(_: click.Context, __: click.Parameter, given: str | None) -> str | None:
    """A mail address as it was typed. CampaignError "bad-address" for what is none, before anything is done."""
    from pbem.campaign.folder import CampaignError
    from pbem.post.contacts import checked

    if given is not None and checked(given) is None:
        raise CampaignError("bad-address", found=given, where="--to")
    return given


text_option = click.option("--text", default="", help="Why, in a sentence; public.")
ground_option = click.option(
    "--ground", type=click.Choice(["organiser", "consent", "silence"]), default=None, help="Default: the best ground there is."
)

to_option = click.option("--to", default=None, metavar="ADDRESS", callback=address, help="Queue a mail with the invite to this address.")


def correct_and_tell(game: Path, kind: str, now_text: str | None, **facts: Any) -> str:
    """Writes the entry and tells it. Gives the new invite, where one was made."""
    from pbem.campaign.folder import Folder
    from pbem.campaign.turn import correct
    from pbem.cli.organise import tell_waiting
    from pbem.cli.play import course_words

    course, invite = correct(Folder(game), moment(now_text), kind, **facts)
    words = course_words(course)
    chapter = course.chapters[-1]
    click.echo(f"entry {chapter.head}")
    for sentence in words.chapter(chapter):
        click.echo(f"  {sentence.text}")
    click.echo(tell_waiting(course, words))
    return invite


def _tell_invite(game: Path, seat: str, invite: str, to: str | None, install: str, now_text: str | None) -> None:
    from pbem.cli.mail import mail_invites

    click.echo(f"\nSend the player of {seat} the game's game.toml and this line; the one before is void:\n")
    click.echo(f"  pbem join game.toml --seat {seat} --invite {invite} --later")
    mail_invites(game, {seat: invite}, {seat: to} if to else {}, moment(now_text), later=True, install=install)


@click.command()
@game_argument
@click.option("--to", type=int, required=True, help="Number of the entry after which the game stood as it shall stand again.")
@ground_option
@text_option
@now_option
def undo(game: Path, to: int, ground: str | None, text: str, now_text: str | None) -> None:
    """Take turns back: the game stands again as it stood after an entry.

    All files not yet played are void, phases get new keys, and chance goes on: nothing is ever drawn twice. What had been opened
    stays known.
    """
    correct_and_tell(game, "rollback", now_text, to=to, ground=ground or "", text=text)


@click.command()
@game_argument
@of_seat_option
@ground_option
@text_option
@to_option
@install_option
@now_option
def substitute(game: Path, seat: str, ground: str | None, text: str, to: str | None, install: str, now_text: str | None) -> None:
    """Give a seat to somebody else: its files are void, and a new invite is printed."""
    from pbem.cli.mail import drop_address

    invite = correct_and_tell(game, "substitute", now_text, seat=seat, ground=ground or "", text=text)
    drop_address(game, seat)
    _tell_invite(game, seat, invite, to, install, now_text)


@click.command()
@game_argument
@of_seat_option
@ground_option
@text_option
@now_option
def vacate(game: Path, seat: str, ground: str | None, text: str, now_text: str | None) -> None:
    """Free a seat whose player is gone; pbem invite or pbem substitute fills it again."""
    from pbem.cli.mail import drop_address

    correct_and_tell(game, "vacate", now_text, seat=seat, ground=ground or "", text=text)
    drop_address(game, seat)


@click.command()
@game_argument
@of_seat_option
@text_option
@to_option
@install_option
@now_option
def rekey(game: Path, seat: str, text: str, to: str | None, install: str, now_text: str | None) -> None:
    """A new invite for a player who lost his key: he joins his seat again with a new one.

    Whoever still has the old key needs nobody: pbem request GAME rekey.
    """
    _tell_invite(game, seat, correct_and_tell(game, "rekey", now_text, seat=seat, text=text), to, install, now_text)


@click.command()
@game_argument
@of_seat_option
@to_option
@install_option
@now_option
def invite(game: Path, seat: str, to: str | None, install: str, now_text: str | None) -> None:
    """A new invite for a free seat; the old one is void."""
    _tell_invite(game, seat, correct_and_tell(game, "invite", now_text, seat=seat), to, install, now_text)


@click.command()
@game_argument
@click.option("--close", default=None, metavar="RULE", help=RULE_HELP + " The present phase begins anew.")
@rule_options
@click.option("--silence", type=click.Choice(["default", "bot", "wait"]), default=None, help="What happens with who sent nothing.")
@click.option("--title", default="", help="Before the game starts: another board game, with its options at their defaults.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Before the game starts: an option; @FILE as in pbem new.")
@click.option("--board", default=None, metavar="NAME or @FILE", help="The same as --option board=….")
@text_option
@now_option
def amend(
    game: Path, close: str | None, own: tuple[str, ...], grace: str, cooling: str, silence: str | None, title: str,
    options: tuple[str, ...], board: str | None, text: str, now_text: str | None,
) -> None:  # fmt: skip
    """Change closing times or what silence means; before the start also what is played.

    --close-phase PHASE=same takes a phase's own rule away again.

    What is to be played can be changed until the last player's join file is in: after that it would let whoever holds the secret choose
    among set-ups. Players stay joined, and every report says what was changed.
    """
    from pbem.cli.organise import read_option

    named = (("close", close), ("silence", silence), ("grace", grace), ("cooling", cooling))
    settings = {name: value for name, value in named if value} | {f"close.{phase}": rule for phase, rule in own_rules(own).items()}
    chosen = dict(read_option(one) for one in [*options, *([f"board={board}"] if board is not None else [])])
    if not (settings or title or chosen):
        raise click.UsageError("name --close, --silence, --title, --option or --board (or --close-phase, --grace, --cooling)")
    correct_and_tell(game, "amend", now_text, settings=settings, title=title, options=chosen, text=text)


@click.command()
@game_argument
@ground_option
@text_option
@now_option
def end(game: Path, ground: str | None, text: str, now_text: str | None) -> None:
    """End a campaign before the game is over; the result is how things stand.

    A game that is over ends by itself when it is processed.
    """
    correct_and_tell(game, "end", now_text, ground=ground or "", text=text)


@click.group()
def secret() -> None:
    """The secret of a campaign: show it, put it back, check it, take a new one."""


@secret.command("show")
@game_argument
def show_secret(game: Path) -> None:
    """Print the recovery sheet: the secret as words. Nobody else may see it."""
    from pbem.campaign import secret as secrets
    from pbem.campaign.replay import processor_secret

    words = secrets.words(processor_secret(game).raw)
    for at in range(0, len(words), 6):
        click.echo("  " + " ".join(words[at : at + 6]))


@secret.command()
@game_argument
@click.option("--words", "written", default=None, help="The words of the recovery sheet; without, they are asked for.")
def restore(game: Path, written: str | None) -> None:
    """Put the secret back from the words of the recovery sheet."""
    from pbem.campaign import secret as secrets
    from pbem.campaign.folder import CampaignError, Folder
    from pbem.campaign.replay import fits

    folder = Folder(game).require()
    if written is None:
        written = str(click.prompt("the words of the recovery sheet", hide_input=True, err=True))
    raw = secrets.parse_sheet(written)
    if not fits(folder, raw):
        raise CampaignError("sheet-of-another", path=str(game))
    if folder.secret.exists():
        raise CampaignError("secret-there", path=str(folder.secret))
    folder.private.mkdir(exist_ok=True)
    secrets.keep(folder, raw)
    click.echo(f"{folder.secret} is back; this machine is the processor of {game} again.")


@secret.command()
@game_argument
@click.option("--deputy", type=click.Path(path_type=Path), default=None, help="The deputy's key. Without it, all seats have to agree.")
@now_option
def renew(game: Path, deputy: Path | None, now_text: str | None) -> None:
    """Take a new secret, when the old one got out.

    The deputy named at pbem new confirms it, or every seat has sent pbem request GAME consent --step rekey. Files sealed to open phases
    are void. Players tell their tools with pbem trust.
    """
    from pbem.campaign.folder import Folder
    from pbem.campaign.turn import renew as run
    from pbem.cli.options import load_key
    from pbem.cli.play import course_words

    course, sheet = run(Folder(game), moment(now_text), deputy=load_key(deputy) if deputy is not None else None)
    for sentence in course_words(course).chapter(course.chapters[-1]):
        click.echo(f"  {sentence.text}")
    click.echo("The new recovery sheet; the old one is worth nothing any more:")
    for at in range(0, len(sheet), 6):
        click.echo("  " + " ".join(sheet[at : at + 6]))
    click.echo(f"players, before they seal again: pbem trust {game} --key their.key")


@secret.command()
@game_argument
def check(game: Path) -> None:
    """Whether the secret on this machine is that of the campaign."""
    from pbem.campaign.replay import processor_secret

    processor_secret(game)
    click.echo(f"the secret on this machine is that of {game}")


@click.command()
@game_argument
@click.argument("entry", type=int)
@click.argument("sentence", default="")
def explain(game: Path, entry: int, sentence: str) -> None:
    """What is behind a sentence of a report: the file, the line, the alternative, the reason.

    ENTRY is the number of the report, SENTENCE the number in front of the sentence (s3 or 3). Without it, the whole entry is explained.
    """
    from pbem.campaign.folder import CampaignError
    from pbem.cli.explaining import explain_entry
    from pbem.cli.play import open_course

    course = open_course(game)
    if not 1 <= entry <= len(course.chapters):
        raise CampaignError("no-such-entry", found=entry, most=len(course.chapters))
    click.echo(explain_entry(course, entry, sentence.lstrip("s")))
