"""Mail: what is due goes out. What comes in is fetched in ``fetching``."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbem.cli.fetching import fetch
from pbem.cli.options import counted, game_argument, json_option, many_options, moment, now_option, print_json
from pbem.cli.posting import put, read

if TYPE_CHECKING:
    from pbem.post.outbox import Waiting
    from pbem.post.sending import Delivery
    from pbem.post.told import Due

@click.group()
def mail() -> None:
    """Orders come by mail, reports and requests go by mail."""


mail.add_command(fetch)
mail.add_command(put)
mail.add_command(read)


@mail.command()
@many_options
@click.option("--dry-run", is_flag=True, help="Only say what would be sent to whom.")
@now_option
@json_option
def send(
    games: tuple[Path, ...], everything: bool, shard: tuple[int, int] | None, dry_run: bool, now_text: str | None, as_json: bool
) -> None:
    """Send what is due: reports, requests, reminders, receipts.

    Composes what has become due since the last run and delivers it by the SMTP server named in private/mail.toml, else into the Maildir
    private/mail/outbox. What cannot go now waits for the next run; nothing is sent twice. Run it after pbem process, and every hour or so
    for the reminders. The exit status is 1 when the mail server could not be used.
    """
    from pbem.cli.failing import explain
    from pbem.cli.many import Round, named_or_all

    now = moment(now_text)
    chosen = named_or_all(games, everything, shard)
    if not everything and len(chosen) == 1:
        # What stops a single campaign is told by the door, without its name in front.
        told, delivery = _send(chosen[0], now, dry_run)
        _finish_one(chosen[0], told, delivery, as_json)
        return
    round = Round(chosen)
    sent, rows = 0, []
    for game, (told, delivery) in round.each(lambda game: _send(game, now, dry_run)):
        sent += len(told["sent"])
        rows.append({"path": str(game), **told})
        if not as_json and (told["due"] or told["sent"] or told["bounced"]):
            click.echo(f"{game}:")
            _tell(told)
            _tell_where(game, told)
        if delivery is not None and delivery.stopped is not None:
            explain(delivery.stopped, where=str(game))
            round.failed[game] = delivery.stopped.code
    if as_json:
        print_json({"campaigns": rows, "failed": round.failures()})
    else:
        click.echo(round.summary(f"{counted(sent, 'mail')} sent"))
    round.finish()


def _send(game: Path, now: datetime, dry_run: bool) -> tuple[dict[str, Any], Delivery | None]:
    """What a run did, as plain data and as it came about; None when there was nothing to do."""
    from pbem.campaign.folder import Folder
    from pbem.post.told import idle

    folder = Folder(game).require()
    if idle(folder, now):
        return _facts([], [], None), None
    from pbem.campaign.archive import begin
    from pbem.post import notices, outbox, settings
    from pbem.post.sending import deliver, maildir_of, plan

    found = settings.load(folder)
    with outbox.sending(folder):
        due = notices.compose(folder, found, now, dry=dry_run)
        if dry_run:
            delivery, may_go = plan(folder, found, now)
            return _facts(due, [about for about, _ in may_go], delivery, dry=True), delivery
        delivery = deliver(folder, begin(folder).game, found, now)
    told = _facts(due, delivery.gone, delivery)
    if found.smtp is None and delivery.gone:
        told |= {"maildir": maildir_of(folder, found).as_posix(), "answerable": bool(found.address)}
    return told, delivery


def _facts(due: list[Due], sent: list[Waiting], delivery: Delivery | None, *, dry: bool = False) -> dict[str, Any]:
    """What a run did, as plain data without any address: it may be shown where others read along."""
    return {
        "dry_run": dry,
        "due": [{"kind": one.kind, "seat": one.seat, "entries": [one.first, one.last] if one.last else []} for one in due],
        "sent": [{"kind": one.kind, "seat": one.seat, "key": one.key} for one in sent],
        "waiting": [
            {"kind": one.mail.kind, "seat": one.mail.seat, "why": one.why, "said": one.said, "again": one.again}
            for one in (delivery.held if delivery else ())
        ],
        "bounced": [{"seats": one.seats, "said": one.said} for one in (delivery.bounced if delivery else ())],
    }  # fmt: skip


def _finish_one(game: Path, told: dict[str, Any], delivery: Delivery | None, as_json: bool) -> None:
    if as_json:
        print_json(told)
    elif not any(told[name] for name in ("due", "sent", "waiting", "bounced")):
        click.echo("Nothing is due; nothing was sent.")
    else:
        _tell(told)
        _tell_where(game, told)
    if told["bounced"] and not as_json:
        click.echo(f"hint: pbem contacts {game} lists the addresses, and takes the mark off them", err=True)
    if delivery is not None and delivery.stopped:
        raise delivery.stopped


_WAITS = {
    "enough": "as many mails as an address gets in a day have gone there",
    "no-address": "there is no address",
    "stopped": "the mail server cannot be used now",
}


def _tell(told: dict[str, Any]) -> None:
    verb = "would go" if told["dry_run"] else "sent"
    if told["dry_run"]:
        for one in told["due"]:
            click.echo(f"  {_whose(one)}: would be written: {_what(one)}")
    for one in told["sent"]:
        click.echo(f"  {_whose(one)}: {verb}: {one['kind']}")
    for one in told["bounced"]:
        click.echo(f"  {', '.join(one['seats']) or 'a stranger'}: the address does not take mail: {one['said']}")
    for one in told["waiting"]:
        if one["why"] == "later":
            click.echo(f"  {_whose(one)}: {one['kind']} waits until {one['again']}: {one['said']}")
        elif one["why"] == "bouncing":
            click.echo(f"  {_whose(one)}: {one['kind']} waits: the address does not take mail")
        else:
            click.echo(f"  {_whose(one)}: {one['kind']} waits: {_WAITS[one['why']]}")


def _tell_where(game: Path, told: dict[str, Any]) -> None:
    """Without a mail server "sent" does not mean that a mail has gone anywhere, and without an address nobody could answer it."""
    if "maildir" not in told:
        return
    click.echo(f"No mail server is named in private/mail.toml: they lie in {told['maildir']}. pbem mail read {game} shows them.")
    if not told["answerable"]:
        click.echo('Nobody could answer them by mail: write address = "games@example.org", with your own, into private/mail.toml.')


def _whose(one: dict[str, Any]) -> str:
    if one["kind"] == "organiser":
        return "organiser"
    return one["seat"] or "somebody without a seat"


def _what(one: dict[str, Any]) -> str:
    first, last = one["entries"] or (0, 0)
    if not last:
        return str(one["kind"])
    return f"{one['kind']} of entry {last}" if first == last else f"{one['kind']} of entries {first} to {last}"


@click.command()
@game_argument
@click.option("--set", "named", multiple=True, metavar="SEAT=ADDRESS", help="Send a seat's mail there from now on.")
@click.option("--clear", "cleared", multiple=True, metavar="SEAT", help="Try an address again that does not take mail; all for every one.")
@click.option("--forget", "forgotten", multiple=True, metavar="SEAT", help="Drop a seat's address: it gets no more mail.")
@json_option
def contacts(game: Path, named: tuple[str, ...], cleared: tuple[str, ...], forgotten: tuple[str, ...], as_json: bool) -> None:
    """The players' mail addresses, and which of them take no mail.

    They are private: look who reads along. A player who joins by mail is entered by himself.
    """
    from pbem.campaign.archive import begin
    from pbem.campaign.folder import Folder
    from pbem.post import contacts as book

    folder = Folder(game).require()
    seats = [seat.name for seat in begin(folder).game.seats]
    for seat, address in addresses(named, seats).items():
        book.register(folder, seat, address)
    for seat in [each for one in cleared for each in (seats if one == "all" else [known_seat(one, seats)])]:
        book.clear(folder, seat)
    for seat in forgotten:
        book.forget(folder, known_seat(seat, seats))
    found = book.load(folder)
    if as_json:
        print_json(found)
        return
    for seat in seats:
        contact = found.get(seat)
        if contact is None:
            click.echo(f"{seat:12} no address")
        elif contact.bouncing:
            click.echo(f"{seat:12} {contact.address}   takes no mail since {contact.bouncing}: {contact.why}")
        else:
            click.echo(f"{seat:12} {contact.address}")


def mail_invites(
    game: Path, invites: dict[str, str], to: dict[str, str], now: datetime, *, later: bool = False, install: str = "", quiet: bool = False
) -> None:
    """Queues a mail with the invite of each seat that has an address, and sends the seat's mail there from now on.

    ``install``: how a player gets pbem; "": as the mail settings say.
    """
    from pbem.campaign.folder import Folder
    from pbem.campaign.replay import replay
    from pbem.post import contacts as book
    from pbem.post import outbox
    from pbem.post.compose import invite_mail

    if not to:
        return
    folder = Folder(game)
    course = replay(folder)
    for seat, address in to.items():
        book.register(folder, seat, address)
        message = invite_mail(course, seat, address, invites[seat], later=later, install=install, now=now)
        outbox.queue(folder, message, f"invite/{seat}/{outbox.id_of(invites[seat])}", now=now)
    if not quiet:
        waiting = "The invite of {} waits" if len(to) == 1 else "The invites of {} wait"
        click.echo(f"\n{waiting.format(', '.join(to))} to be mailed: pbem mail send {game}")


def drop_address(game: Path, seat: str) -> None:
    """A seat that is given to somebody else does not write to its former player any more."""
    from pbem.campaign.folder import Folder
    from pbem.post import contacts as book

    folder = Folder(game)
    if book.path_of(folder).exists():
        book.forget(folder, seat)


def known_seat(seat: str, seats: list[str]) -> str:
    """That seat. CampaignError "unknown-seat-here"."""
    from pbem.campaign.folder import CampaignError
    from pbem.orders.findings import nearest

    if seat not in seats:
        raise CampaignError("unknown-seat-here", found=seat, allowed=seats, nearest=nearest(seat, seats))
    return seat


def addresses(named: tuple[str, ...], seats: list[str]) -> dict[str, str]:
    """Seat → address as typed, SEAT=ADDRESS. A usage error for anything else, CampaignError for a seat or an address that is none."""
    from pbem.campaign.folder import CampaignError
    from pbem.post.contacts import checked

    found = {}
    for text in named:
        seat, equals, address = text.partition("=")
        if not equals:
            raise click.UsageError(f"{text!r}: write SEAT=ADDRESS, as in an=an@example.org")
        if checked(address) is None:
            raise CampaignError("bad-address", found=address, where=seat)
        found[known_seat(seat, seats)] = address
    return found
