"""What a player asks or grants outside of the phases: signed like an order file, received and processed like one."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbem.cli.options import game_argument, key_option, key_path, keyring_of, load_key, save, seat_option

if TYPE_CHECKING:
    from pbem.campaign.course import Course
    from pbem.campaign.records import Game

WHAT = ("absence", "concede", "consent", "profile", "rekey", "resend")


@click.command()
@game_argument
@click.argument("what", type=click.Choice(WHAT))
@seat_option
@key_option
@click.option("-o", "--output", type=click.Path(path_type=Path), default=None, help="Default: SEAT.request.toml.")
@click.option("--step", type=click.Choice(["rollback", "substitute", "rekey", "vacate", "end"]), default=None, help="consent: to what.")
@click.option("--to", default="", help="consent to a rollback: to which entry. absence: the last day, or the time you are back.")
@click.option("--from", "start", default="", help="absence: the first day, such as 2026-12-20, or a time, by the clocks of your zone.")
@click.option("--back", is_flag=True, help="absence: I am back; what I announced counts no more.")
@click.option("--about", default="", help="consent: about which seat.")
@click.option("--new-key", type=click.Path(path_type=Path), default=None, help="rekey: the new key file.")
@click.option("--name", default="", help="profile: the name shown in reports.")
@click.option("--language", default="", help="profile: the language of your reports.")
@click.option("--zone", default="", help="profile: your time zone.")
def request(
    game: Path, what: str, seat: str, key: Path | None, output: Path | None, step: str | None, to: str, start: str, back: bool, about: str,
    new_key: Path | None, name: str, language: str, zone: str,
) -> None:  # fmt: skip
    """Ask for something outside of the phases: a request to sign and send.

    absence: I am away (--from, --to; --back). concede: I give up. consent: I agree to a step of the organiser's (--step, --to, --about).
    profile: another name, language or time zone. rekey: I sign with another key (--new-key). resend: mail me the last report again.

    GAME is the campaign's folder, or the game.toml that came with your invite.
    """
    from pbem.campaign.zones import known
    from pbem.orders.signed import sign_file
    from pbem.orders.write import dump

    place = _place(game, seat)
    path = key_path(key)
    asked: dict[str, Any] = {"do": what}
    if what == "consent":
        if step is None:
            raise click.UsageError("consent to what? name --step")
        if to and not to.isdecimal():
            raise click.BadParameter(f"{to!r} is not the number of an entry", param_hint="--to")
        asked |= {"step": step, **({"to": int(to)} if to else {}), **({"seat": about} if about else {})}
    elif what == "absence":
        asked |= _absence(place, seat, start, to, back)
    elif what == "profile":
        asked |= {field: value for field, value in (("name", name), ("language", language), ("zone", zone)) if value}
        if zone:
            known(zone)
        if len(asked) == 1:
            raise click.UsageError("change what? name --name, --language or --zone")
    elif what == "rekey":
        if new_key is None:
            raise click.UsageError("which key? name --new-key")
        asked |= _new_key(place, seat, path, new_key)
    signer = load_key(path)
    number = keyring_of(path).count_request(place.game.id, seat, place.number)
    table = {"game": place.game.name, "player": seat, "after": place.after, "number": number, "request": asked}
    target = output or Path(f"{seat}.request.toml")
    save(target, sign_file(signer, "request@pbem", dump(table)), overwrite=True)
    click.echo(f"{target} is ready to send: {seat}, {what}.")


@dataclass(frozen=True)
class _Place:
    """What a request is about. ``number`` 0 and no ``course``: there is only the game file, and the keyring has to count."""

    game: Game
    after: str
    number: int = 0
    course: Course | None = None


def _place(path: Path, seat: str) -> _Place:
    """The campaign's folder, or the game file alone, which is all that a player by mail has."""
    from hashlib import sha256

    from pbem.campaign.folder import CampaignError, read
    from pbem.campaign.records import CAP, head_of
    from pbem.cli.joining import game_of
    from pbem.cli.play import open_course
    from pbem.orders.findings import nearest

    if path.is_dir() or not path.exists() or (path.name == "game.toml" and (path.parent / "ledger").is_dir()):
        course = open_course(path if path.is_dir() or not path.exists() else path.parent)
        place = _Place(course.archive.game, course.archive.head(len(course.chapters)), course.numbers.get(seat, 0) + 1, course)
    else:
        game, _ = game_of(path)
        place = _Place(game, head_of(0, sha256(read(path, CAP)).digest()))
    seats = [one.name for one in place.game.seats]
    if seat not in seats:
        raise CampaignError("unknown-seat-here", found=seat, allowed=seats, nearest=nearest(seat, seats))
    return place


def _absence(place: _Place, seat: str, start: str, to: str, back: bool) -> dict[str, str]:
    """When a player is away, in UTC, and said again in words: a slip in a date is found while it can be put right."""
    from pbem.campaign import clock
    from pbem.campaign.folder import CampaignError
    from pbem.campaign.timing import NONE, begin
    from pbem.cli.clocks import typed_time
    from pbem.cli.joining import zone_here
    from pbem.cli.options import installed_title, words_for
    from pbem.cli.play import course_words

    course = place.course
    timing = begin(place.game) if course is None else course.timing
    if not timing.written:
        raise CampaignError("old-clock", path=place.game.name)
    if back:
        return {}
    if not start or not to:
        raise click.UsageError("away from when to when? name --from and --to, or --back")
    zone = zone_here() if course is None else course.members[seat].zone if seat in course.members else "UTC"
    try:
        begins, ends = typed_time(start, zone), typed_time(to, zone, end_of_day=True)
    except CampaignError as error:
        raise CampaignError("absence-time", found=error.facts.get("found", "")) from None
    if ends <= begins:
        raise CampaignError("absence-backwards", start=start, end=to)
    if ends <= clock.now():
        raise CampaignError("absence-past", end=ends, now=clock.now())
    if ends - begins > clock.FARTHEST:
        raise CampaignError("absence-long", start=start, end=to)
    words = words_for(installed_title(place.game.title)) if course is None else course_words(course)
    click.echo(f"away from {words.when(begins, zone)} to {words.when(ends, zone)}; closing times in between are put off to its end.")
    left = max(timing.absences - timing.waited.get(seat, NONE), NONE)
    if left < ends - begins:
        said = f"by {words.span(left)} more" if left else "no more"
        click.echo(f"But this game waits for one player's absences only so long in all: for you {said}. File ahead for the rest.")
    click.echo("Everybody will see it. Who files orders ahead need not hold up the others.")
    return {"from": clock.text(begins), "to": clock.text(ends)}


def _new_key(place: _Place, seat: str, old: Path, new: Path) -> dict[str, str]:
    from pbem.orders.encoding import b64
    from pbem.orders.seal import phase_public

    game = place.game
    letter = secrets.token_bytes(32)
    keyring_of(key_path(new)).remember(game.id, name=game.name, seat=seat, processor=game.processor.key, letter=letter, title=game.title)
    click.echo(f"kept beside your new key: {new.name}.pbem; keep {old.name} until the organiser has processed the request")
    return {"key": load_key(new).public.line(), "letter_key": b64(phase_public(letter))}


@click.command()
@game_argument
@key_option
def trust(game: Path, key: Path | None) -> None:
    """Accept the processor's new key, after it took a new secret.

    Only if the key that was remembered at pbem join has signed for it, and the deputy or all seats have agreed: the whole ledger is
    audited first.
    """
    from pbem.campaign.audit import audit
    from pbem.campaign.folder import CampaignError, Folder
    from pbem.campaign.replay import replay

    folder = Folder(game).require()
    path = key_path(key)
    ring = keyring_of(path)
    course = replay(folder)
    facts = course.archive.game
    remembered = ring.games.get(facts.id, {})
    if not remembered:
        raise CampaignError("not-joined-here", path=str(path), game=facts.name)
    known = [one.line() for _, one in course.archive.keys]
    fault = audit(folder).fault
    if fault is not None or any(one.processor not in known for one in remembered.values()):
        raise CampaignError("no-trust", path=str(game))
    ring.renew(facts.id, course.archive.key.line())
    click.echo(f"{path.name} trusts the present processor of {facts.name}: {course.archive.key.fingerprint()}")
