"""What a player does: a key, a seat, a template, a dry run, a signature, a block for the mail."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbem.cli.options import (
    game_argument,
    json_option,
    key_option,
    key_path,
    keyring_of,
    letters_option,
    load_key,
    must_be_file,
    print_json,
    save,
    seat_option,
    words_for,
    writing,
)

if TYPE_CHECKING:
    from pbem.campaign.course import Course


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Where to write the private key.")
@click.option("--passphrase", is_flag=True, help="Ask for a passphrase to protect the key with.")
def keygen(output: Path, passphrase: bool) -> None:
    """Make a key to sign orders with.

    Writes an OpenSSH ed25519 key pair: OUTPUT (keep it) and OUTPUT.pub. Whoever has an SSH key already needs none.
    """
    from pbem.orders.keys import generate, write_new

    word = click.prompt("passphrase", hide_input=True, confirmation_prompt=True) if passphrase else None
    key = generate()
    write_new(output, key.openssh(word, "pbem"), private=True)
    write_new(output.with_name(output.name + ".pub"), (key.public.line() + " pbem\n").encode(), private=False)
    click.echo(f"Your key is in {output}. Keep it: it is how the game knows you.")
    click.echo(f"fingerprint  {key.public.fingerprint()}")


@click.command()
@game_argument
@seat_option
@click.option("--invite", required=True, help="The invite code from the organiser.")
@key_option
@click.option("--name", default=None, help="The name shown in reports. Default: the seat, capitalised.")
@click.option("--language", default="en", show_default=True, help="Language of your reports.")
@click.option("--zone", default=None, help="Your time zone, such as Europe/Paris; public. Default: that of this machine.")
@click.option("--later", is_flag=True, help="The invite was made after the game had begun, so that game.toml does not know it.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=None, help="Default: SEAT.join.toml.")
def join(
    game: Path, seat: str, invite: str, key: Path | None, name: str | None, language: str, zone: str | None, later: bool,
    output: Path | None,
) -> None:  # fmt: skip
    """Take a seat with an invite: makes a join file to send in.

    GAME is the campaign's game.toml, or a copy of its folder. Beside your key a file KEY.pbem is written: keep it with the key.
    """
    from pbem.campaign import zones
    from pbem.cli import joining
    from pbem.orders.encoding import unb64
    from pbem.orders.join import invite_bytes, make_join
    from pbem.orders.seal import phase_public

    facts, folder = joining.game_of(game)
    code = invite_bytes(invite)
    joining.check_invite(facts, folder, seat, code, later=later)
    chosen = joining.zone_here() if zone is None else zones.known(zone)
    path = key_path(key)
    private = load_key(path)
    ring = keyring_of(path)
    # Joining twice must not lock a player out of the letters he has.
    known = ring.games.get(facts.id, {}).get(seat)
    letter = unb64(known.letter) if known is not None else secrets.token_bytes(32)
    data = make_join(
        private, game=facts.name, campaign_id=bytes.fromhex(facts.id), seat=seat, invite=code,
        letter_public=phase_public(letter), nonce=secrets.token_bytes(32), name=name or seat.capitalize(),
        language=language, zone=chosen,
    )  # fmt: skip
    target = output or Path(f"{seat}.join.toml")
    save(target, data, overwrite=True)
    with writing(ring.path):
        ring.remember(facts.id, name=facts.name, seat=seat, processor=facts.processor.key, letter=letter, title=facts.title)
    click.echo(f"{target} is ready. Send it to the organiser of {facts.name}; it takes the seat {seat} for your key.")
    click.echo(f"time zone {chosen}" + ("" if zone else " (that of this machine; --zone names another)"))
    click.echo(f"kept beside your key: {path.name}.pbem (letters to you are opened with it)")


@click.command()
@game_argument
@seat_option
@click.option("-o", "--output", type=click.Path(path_type=Path), default=None, help="Where to write it; without, it is printed.")
@click.option("--phase", default=None, help="A phase that is announced, such as 2.place. Default: the one being played.")
@click.option("--ahead", is_flag=True, help="One template for each phase that is announced (SEAT.PHASE.toml beside OUTPUT).")
@click.option("--all", "everything", is_flag=True, help="List every possible order, not the shortened choice.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@letters_option
def orders(
    game: Path, seat: str, output: Path | None, phase: str | None, ahead: bool, everything: bool, force: bool, key: Path | None
) -> None:
    """Write an order file to fill in.

    It lists what you can do, each as a line to take the # off. Then: pbem check, pbem sign, and send it.
    """
    from pbem.cli.letters import facts_for
    from pbem.publish.offering import phases_to_order, template_for

    course = open_course(game)
    facts = facts_for(course, seat, key)
    wanted = phases_to_order(course, seat, phase, ahead, facts)
    for phase_id in wanted:
        text = template_for(course, seat, phase_id, everything=everything, facts=facts)
        if output is None and not ahead:
            click.echo(text, nl=False)
            continue
        base = output or Path(f"{seat}.toml")
        target = base if len(wanted) == 1 else base.with_name(f"{base.stem}.{phase_id}{base.suffix or '.toml'}")
        save(target, text.encode(), overwrite=force)
        click.echo(f"{target} is ready for {seat}, {course_words(course).phase(phase_id)}. Edit it, then: pbem check {game} {target}")


def course_words(course: Course, language: str = "en") -> Any:
    """The words of a course."""
    from pbem.campaign.stories import story

    return words_for(story(course), language)


def open_course(game: Path) -> Course:
    """The course as anybody can see it, with what was receipted since the last entry."""
    from pbem.campaign.folder import Folder
    from pbem.campaign.intake import catch_up
    from pbem.campaign.replay import replay

    course = replay(Folder(game).require())
    catch_up(course)
    return course


@click.command()
@game_argument
@click.argument("file", type=click.Path(path_type=Path))
@letters_option
@json_option
def check(game: Path, file: Path, key: Path | None, as_json: bool) -> None:
    """Try an order file out before sending it.

    Reads FILE (signed or not), says everything that is wrong with it at once, and what it would do if nobody else moved.
    """
    from pbem.cli.checking import check_file, tell_check

    course = open_course(game)
    result = check_file(course, file, key)
    if as_json:
        print_json(result)
    else:
        click.echo(tell_check(course, result, course_words(course)))
    if result.findings or result.wants_revision or (result.dry is not None and result.dry.meaningless):
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@key_option
@click.option("-o", "--output", type=click.Path(path_type=Path), default=None, help="Default: FILE with .order before .toml.")
@click.option("--game", type=click.Path(path_type=Path), default=None, help="Check the orders against this campaign first.")
def sign(file: Path, key: Path | None, output: Path | None, game: Path | None) -> None:
    """Sign an order file, and seal it where that is asked.

    an.toml becomes an.order.toml: that is what you send. A slip in an order is told, and then nothing is signed; with --game also
    words that the game does not know, such as a place that is none. If you change an.toml
    and sign again, the revision goes up by itself.
    A sealed plan is also kept readable for you alone, as an.PHASE.plain.toml.
    """
    from pbem.cli.signing import orders_nothing, sign_file_at

    path = key_path(key)
    order_types = None
    if game is not None:
        from pbem.cli.checking import check_file, tell_check

        course = open_course(game)
        order_types = course.title.orders
        result = check_file(course, file, path if course.title.hidden else None)
        if result.findings or result.wants_revision or (result.dry is not None and result.dry.meaningless):
            click.echo(tell_check(course, result, course_words(course)))
            raise click.exceptions.Exit(1)
    signed, target, plain = sign_file_at(file, load_key(path), keyring_of(path), output, order_types)
    if signed.unchanged:
        click.echo(f"{target} is up to date: nothing has changed since it was signed (revision {signed.revision}).")
    else:
        click.echo(f"{target} is ready to send: {signed.player}, {signed.phase}, revision {signed.revision}.")
    if orders_nothing(file):
        click.echo(
            f"There is no order in it: sending it withdraws what {signed.player} has filed for {signed.phase} before. "
            f"To order something, take the # off a line of {file}."
        )
    if plain is not None:
        click.echo(f"It is sealed. Your own copy of the plan is {plain}; keep it to yourself until the phase has closed.")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def armour(file: Path) -> None:
    """Print a signed file as a block to paste into a mail.

    An attachment is the better choice where there is one; the block survives quoting, wrapping and footers.
    """
    from pbem.campaign.folder import CampaignError, read
    from pbem.orders.armour import armour as armoured
    from pbem.orders.findings import Unreadable
    from pbem.orders.signed import CAP, split

    must_be_file(file, "order or join file")
    data = read(file, CAP)
    try:
        split(data)
    except Unreadable as error:
        if error.findings[0].code == "no-signature":
            raise CampaignError("not-order", path=str(file)) from None
        raise
    click.echo(armoured(data), nl=False)
