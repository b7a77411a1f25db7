"""What an organiser does: start a campaign, answer files, see whom it waits for."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbem.cli.clocks import RULE_HELP, own_rules, rule_options
from pbem.cli.options import game_argument, install_option, json_option, many_options, moment, now_option, print_json

if TYPE_CHECKING:
    from pbem.campaign.course import Course
    from pbem.campaign.folder import Folder
    from pbem.campaign.records import Receipt
    from pbem.campaign.secret import Secret


@click.command()
@json_option
def titles(as_json: bool) -> None:
    """The board games that can be played."""
    from pbem.engine import registry

    found = [registry.title(slug) for slug in registry.slugs()]
    if as_json:
        print_json([{"slug": title.slug, "name": title.name, "seats": list(title.seats), "rules": title.rules} for title in found])
        return
    for title in found:
        least, most = title.seats.start, title.seats.stop - 1
        players = f"{least} players" if least == most else f"{least} to {most} players"
        click.echo(f"{title.slug:24} {title.name}, {players}, rules version {title.rules}")


def read_option(text: str) -> tuple[str, Any]:
    """NAME=VALUE or NAME=@FILE as an option of a title: its name and value."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise click.BadParameter(f"{text!r}: write NAME=VALUE")
    if value.startswith("@"):
        return name, _text_of(Path(value[1:]), f"{name} file")
    if value.endswith(".toml") or Path(value).is_file():
        from pbem.campaign.folder import CampaignError

        raise CampaignError("option-is-a-file", option=name, found=value)
    if value in ("true", "false"):
        return name, value == "true"
    return name, int(value) if value.lstrip("-").isdigit() else value


def _text_of(path: Path, what: str) -> str:
    """The text of a file that an option names. What no title could read is told by its line; Unreadable, CampaignError."""
    import tomllib

    from pbem.campaign.folder import CampaignError, read
    from pbem.cli.options import must_be_file
    from pbem.orders import toml

    must_be_file(path, what)
    data = read(path, 64 * 1024)
    text = toml.decoded(data)
    if not text.strip():
        raise CampaignError("empty-file", what=what, path=str(path))
    if path.suffix == ".toml":
        try:
            tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            # It says where, and what is there: a bracket left open, a quotation mark of a word processor.
            toml.read(data)
    return text


@click.command()
@click.argument("game", type=click.Path(path_type=Path))
@click.option("--title", required=True, help="Which board game; pbem titles lists them.")
@click.option("--seats", required=True, help="Seats in clockwise order, such as an,bo,chen,dai.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the title; @FILE takes the text of a file.")
@click.option("--close", default="48h", show_default=True, metavar="RULE", help=RULE_HELP)
@rule_options
@click.option("--outage", default="24h", show_default=True, metavar="SPAN", help="No run for so long after a closing time: it moves.")
@click.option("--extensions", default="14d", show_default=True, metavar="SPAN", help="How far you may put off the close of one phase.")
@click.option("--absences", default="28d", show_default=True, metavar="SPAN", help="How long a game waits for one absent player, in all.")
@click.option("--missed", type=click.IntRange(1, 99), default=3, show_default=True, help="Closings missed in a row that free a seat.")
@click.option(
    "--seal", type=click.Choice(["bids", "all"]), default=None,
    help="Which orders must be sealed. Default: bids; in a repository made by pbem init, all.",
)
@click.option(
    "--silence", type=click.Choice(["default", "bot", "wait"]), default="default", show_default=True,
    help="Who sent nothing by closing: takes the default, is played by a stand-in, or is waited for.",
)
@click.option("--deputy", type=click.Path(path_type=Path), default=None, help="Public key of who may confirm a new secret.")
@click.option("--organiser", default="", help="The seat of whoever holds the secret, if he plays.")
@click.option("--hotseat", is_flag=True, help="Several seats may have the same key.")
@click.option("--to", "addressed", multiple=True, metavar="SEAT=ADDRESS", help="Queue a mail with the seat's invite to this address.")
@install_option
@now_option
@json_option
def new(
    game: Path, title: str, seats: str, options: tuple[str, ...], close: str, own: tuple[str, ...], seal: str | None, silence: str,
    deputy: Path | None, organiser: str, hotseat: bool, addressed: tuple[str, ...], install: str, missed: int, now_text: str | None,
    as_json: bool, **spans: str,
) -> None:  # fmt: skip
    """Start a campaign and print an invite per seat.

    GAME is the folder to make, such as games/winter-court. Its private/ folder holds the secret and is never to be committed.
    """
    from pbem.campaign.creation import create
    from pbem.campaign.folder import Folder, read
    from pbem.cli.mail import addresses, mail_invites
    from pbem.cli.options import writing

    chosen = dict(read_option(text) for text in options)
    names = [seat.strip() for seat in seats.split(",")]
    to = addresses(addressed, names)
    with writing(game):
        made = create(
            Folder(game), moment(now_text), title=title, seats=names, options=chosen,
            close=close, seal=seal or _usual_seal(game.parent), silence=silence, organiser=organiser, hotseat=hotseat,
            phases=own_rules(own), spans=spans, missed=missed,
            deputy=read(deputy, 4096).decode("utf-8", "replace").strip() if deputy is not None else "",
        )  # fmt: skip
        keep_bytes(Folder(game))
    if as_json:
        mail_invites(game, made.invites, to, moment(now_text), install=install, quiet=True)
        print_json({"game": made.game.name, "id": made.game.id, "invites": made.invites})
        return
    click.echo(f"{made.game.name} is ready in {game}. Send each player {game / 'game.toml'} and his line, to type where he has saved it:\n")
    for seat, code in made.invites.items():
        click.echo(f"  pbem join game.toml --seat {seat} --invite {code}")
    mail_invites(game, made.invites, to, moment(now_text), install=install)
    click.echo(f"\nTo play he needs the folder as it grows: by git, or {made.game.name}.zip from the pages (pbem site).")
    if made.recovery is not None:
        click.echo(f"\nRecovery sheet: print it or write it down, and keep it away from this machine. The secret of {made.game.name} is")
        for at in range(0, len(made.recovery), 6):
            click.echo("  " + " ".join(made.recovery[at : at + 6]))
        click.echo(f"It lies in {game / 'private' / 'secret.toml'}.")
        click.echo("Whoever has it can read sealed orders; without it the game cannot go on.")


def _usual_seal(games: Path) -> str:
    """What is sealed in campaigns of this folder: its ``pbem.toml`` may say so. CampaignError "bad-defaults" when it cannot be read."""
    import tomllib

    from pbem.campaign.folder import CampaignError, read

    path = games / "pbem.toml"
    if not path.is_file():
        return "bids"
    try:
        seal = tomllib.loads(read(path, 4096).decode()).get("seal", "bids")
    except ValueError:
        seal = ""
    if seal not in ("bids", "all"):
        raise CampaignError("bad-defaults", path=str(path))
    return str(seal)


def keep_bytes(folder: Folder) -> None:
    """Tells git to leave the campaign's line ends alone: on Windows it would change them, and no signature would hold."""
    from pbem.campaign.folder import write

    write(folder.root / ".gitattributes", b"* -text\n")


@click.command()
@game_argument
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@now_option
@json_option
def receive(game: Path, files: tuple[Path, ...], now_text: str | None, as_json: bool) -> None:
    """Answer order and join files with receipts.

    FILES are signed files, or mails as saved by a mail program (.eml, attachments and all) or as text with armoured blocks in them.
    Every file gets a signed receipt, good or bad; what is refused is kept in private/refused/. The exit status is 1 if one was refused.
    """
    from pbem.campaign.folder import CampaignError, Folder
    from pbem.campaign.intake import Incoming
    from pbem.campaign.intake import receive as take
    from pbem.cli.failing import explain
    from pbem.cli.options import must_be_file
    from pbem.post.headers import holds_secret_key
    from pbem.post.mime import collect_mail, holds_nothing
    from pbem.publish.answering import tell_answer

    incoming: list[Incoming] = []
    unread = False
    for path in files:
        try:
            must_be_file(path, "order or join file")
            incoming += collect_mail(path)
        except CampaignError as error:
            # One unreadable file must not keep the others from being answered.
            explain(error)
            unread = True
    answers = take(Folder(game), incoming, moment(now_text)) if incoming else []
    if as_json:
        print_json([{"file": one.name, "receipt": one.receipt, "repeated": one.repeated} for one in answers])
    elif answers:
        from pbem.campaign.replay import replay

        course = replay(Folder(game))
        click.echo("\n\n".join(tell_answer(course, one) for one in answers))
        for mail in filter(holds_nothing, incoming):
            click.echo(f"hint: no order or join file was found in {mail.name}; save its attachment and name that", err=True)
    for one in incoming:
        if holds_secret_key(one.data):
            said = "holds a secret key: whoever has it can play for its owner"
            click.echo(f"hint: {one.name} {said}. If it was sent by mistake, make a new key: pbem rekey {game} --seat …", err=True)
    if unread or any(not one.receipt.accepted for one in answers):
        raise click.exceptions.Exit(1)


def tell_waiting(course: Course, words: Any, now: datetime | None = None) -> str:
    from pbem.campaign.standings import standings
    from pbem.publish.offering import missing_text

    if course.ended and not course.over:
        return "The campaign has ended; pbem report tells how things stood."
    if course.over:
        lines = standings(course.title, course.table.position, course.conceded)
        winners = words.listing(words.seat(line.seat) for line in lines if line.place == 1)
        return f"The game is over. {winners} won with {lines[0].points} points."
    waiting = course.waiting(now)
    if waiting is not None:
        return str(words.asked(waiting))
    missing = [seat for seat in course.seats if seat not in course.members and seat not in course.joining]
    return f"Not all seats are taken; {missing_text(missing)}." if missing else "All seats are taken: pbem process writes the set-up."


@click.command()
@many_options
@now_option
@json_option
def status(games: tuple[Path, ...], everything: bool, shard: tuple[int, int] | None, now_text: str | None, as_json: bool) -> None:
    """Whom a campaign waits for, for what, until when.

    With several GAMES, or --all of the campaigns in folders, one line each: what is due first, then who has been waited for longest. The
    exit status is 3 when something is due: a closing time has passed, or files wait to be played; and 1 when a campaign could not be read.
    """
    from pbem.cli.many import named_or_all

    now = moment(now_text)
    chosen = named_or_all(games, everything, shard)
    if everything or len(chosen) > 1:
        # Among names that a shell filled in, what is no campaign is not meant; what is not there at all was mistyped.
        due = _many_status([game for game in chosen if everything or (game / "game.toml").is_file() or not game.exists()], now, as_json)
    else:
        due = _one_status(chosen[0], now, as_json)
    if due:
        sys.stdout.flush()
        raise click.exceptions.Exit(3)


def _open(game: Path, now: datetime) -> tuple[Course, int, bool]:
    """A course with its new files on the desk, how many they are, and whether something is due."""
    from pbem.campaign.folder import Folder
    from pbem.campaign.intake import catch_up
    from pbem.campaign.replay import replay

    course = replay(Folder(game).require(), secret=_own_secret(game))
    new = [kept.record for kept in course.archive.receipts[course.counted :] if kept.record.accepted]
    catch_up(course)
    return course, len(new), course.due(now) or _playable(course, new, now)


def _own_secret(game: Path) -> Secret | None:
    """The campaign's secret where this machine has it: the processor knows of sealed plans whether they can be played."""
    from pbem.campaign.folder import CampaignError
    from pbem.campaign.replay import processor_secret

    try:
        return processor_secret(game)
    except CampaignError:
        return None


def _playable(course: Course, new: list[Receipt], now: datetime) -> bool:
    """Whether ``process`` would write something because of new files: a plan that does not fit does not make a turn."""
    from pbem.campaign.deadlines import held_until
    from pbem.engine.steps import asked

    if not new or course.ended:
        return False
    if any(receipt.kind != "order" for receipt in new):
        return True
    if held_until(course, now) is not None:
        return False
    if course.table.position is None:
        return True
    would = course.table.would_play(course.plan_of)
    # Sealed and not to be opened here: it may, as soon as everybody who is asked now has filed.
    if would is not None:
        return would
    return all(course.current(seat, course.phase_id()) is not None for seat in asked(course.title, course.table.position))


def _one_status(game: Path, now: datetime, as_json: bool) -> bool:
    from pbem.campaign.deadlines import held_until, look_at_channels
    from pbem.cli.play import course_words
    from pbem.publish.clockwords import by_clocks

    course, new_files, due = _open(game, now)
    if as_json:
        print_json({**status_facts(course), "due": due, "new_files": new_files, "unreached": _unreached(game)})
        return due
    words = course_words(course)
    click.echo(f"{course.archive.game.name} · {course.title.name}")
    for line in amended(course, words):
        click.echo(f"changed  {line}")
    if course.table.position is not None and not course.over and not course.ended:
        click.echo(f"now      {words.phase(course.phase_id())}")
    click.echo(f"ledger   {course.archive.head()}")
    click.echo(tell_waiting(course, words, now))
    if clocks := by_clocks(course.closes(), (each.zone for each in course.members.values()), words):
        click.echo(f"closes   {clocks}")
    if new_files and due:
        files = "1 new file waits" if new_files == 1 else f"{new_files} new files wait"
        click.echo(f"{files} to be played: pbem process {game}")
    elif new_files and held_until(course, now) is not None:
        click.echo("1 new file is in" if new_files == 1 else f"{new_files} new files are in")
    elif new_files:
        files = "1 new file is" if new_files == 1 else f"{new_files} new files are"
        click.echo(f"{files} in; nothing can be played until the others have filed")
    elif due:
        click.echo(f"The closing time has passed: pbem process {game}")
    for line in held_lines(course, now, look_at_channels(course, now, False)[1]):
        click.echo(line)
    for seat in _unreached(game):
        click.echo(f"mail to {seat} does not arrive: pbem contacts {game}")
    return due


def held_lines(course: Course, now: datetime, unread: list[str]) -> list[str]:
    """Why nothing is played although something could be: a pause, the time to put a file right, a channel that has to be read."""
    from pbem.campaign.deadlines import held_until
    from pbem.cli.play import course_words

    lines = []
    held = held_until(course, now) if not course.ended else None
    # What a pause does is said with whom the game waits for.
    if held is not None and not course.timing.pausing(now):
        lines.append(f"Nothing is played before {course_words(course).when(held)}, so that what came in last can be put right.")
    if unread:
        channels = ", ".join(unread)
        lines.append(f"The closing time has passed. Before silence counts, what came by {channels} has to be read once more")
        lines[-1] += " (pbem process --unread closes without)."
    return lines


def _unreached(game: Path) -> list[str]:
    """Seats whose address takes no mail; only the processor's machine knows."""
    from pbem.campaign.folder import CampaignError, Folder
    from pbem.post.contacts import load

    try:
        return [seat for seat, contact in load(Folder(game)).items() if contact.bouncing]
    except CampaignError:
        # Whoever sends mail hears of it; how the game stands can be told.
        return []


def _many_status(games: list[Path], now: datetime, as_json: bool) -> bool:
    """One line a game: what is due first, then where somebody has been waited for longest; one that cannot be read hides no other."""
    from pbem.campaign import clock
    from pbem.campaign.shelf import finished
    from pbem.cli.many import Round
    from pbem.cli.play import course_words

    def row(game: Path) -> tuple[tuple[Any, ...], str, dict[str, Any]]:
        if not as_json and finished(game):
            return (True, True, now), f"    {game}  over", {"due": False}
        course, _, due = _open(game, now)
        closes, ended = course.closes(), course.ended or course.over
        waiting = course.waiting() if not ended else None
        missing = [seat for seat in course.seats if seat not in course.members and seat not in course.joining]
        blocking = [one.seat for one in waiting.asked if one.now] if waiting else missing
        words = course_words(course)
        since = course.since or clock.parse(course.archive.game.created)
        until = f"until {words.when(closes, short=True)}" if closes else "no closing time"
        state = "over"
        if not ended:
            whom = ", ".join(blocking) or "process"
            phase = words.phase(course.phase_id()) if course.phase_id() else "joining"
            state = f"{phase}  waits for {whom}  since {words.span(now - since)}  {until}"
        mark = "DUE " if due else "    "
        facts = {"path": str(game), **status_facts(course), "due": due}
        return (not due, ended, since), f"{mark}{game}  {state}", facts

    through = Round(games)
    rows = [told for _, told in through.each(row)]
    rows.sort(key=lambda row: row[0])
    if as_json:
        print_json([*(facts for _, _, facts in rows), *through.failures()])
    else:
        for _, line, _ in rows:
            click.echo(line)
    through.finish()
    return any(facts["due"] for _, _, facts in rows)


def amended(course: Course, words: Any) -> list[str]:
    """What is played otherwise than the game file says, an entry a line."""
    return [
        f"entry {chapter.number}: " + " ".join(sentence.text for sentence in words.chapter(chapter))
        for chapter in course.chapters if chapter.kind == "amend" and {"title", "options"} & chapter.facts.keys()
    ]  # fmt: skip


def status_facts(course: Course) -> dict[str, Any]:
    """What ``--json`` says of how a campaign stands."""
    from pbem.campaign.corrections import options_in_force
    from pbem.campaign.standings import standings

    waiting, position = course.waiting(), course.table.position
    return {
        "game": course.archive.game.name,
        "title": course.title.slug,
        "options": options_in_force(course),
        "head": course.archive.head(),
        "phase": course.phase_id(),
        "over": course.over,
        "free": sorted(course.vacant),
        "conceded": sorted(course.conceded),
        "joined": sorted(course.members),
        "waiting": waiting,
        "standings": standings(course.title, position, course.conceded) if position is not None else [],
    }


