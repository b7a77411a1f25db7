"""The Maildirs of a campaign by hand: a mail is laid into the inbox, and what lies in the outbox is read."""

from __future__ import annotations

import mailbox
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from pathlib import Path

import click

from pbem.cli.options import game_argument, must_be_file, save


@click.command()
@game_argument
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--from", "sender", required=True, metavar="ADDRESS", help="Whom the mail is from.")
@click.option("--subject", default="", help="Its subject; left out: the names of the files.")
def put(game: Path, files: tuple[Path, ...], sender: str, subject: str) -> None:
    """Lay files into the inbox, as if they had come by mail.

    To try things out, or where a player's file has reached you in another way and is to be answered by mail. pbem mail fetch receives it,
    as of now.
    """
    from pbem.campaign import clock
    from pbem.campaign.folder import CampaignError, Folder, read
    from pbem.post import settings
    from pbem.post.contacts import checked
    from pbem.post.fetch import mailboxes
    from pbem.post.mailboxes import LARGEST, Maildir
    from pbem.post.outbox import MAIL
    from pbem.publish.columns import clean

    folder = Folder(game).require()
    found = settings.load(folder)
    inbox = next((box for box in mailboxes(folder, found) if isinstance(box, Maildir)), None)
    if inbox is None:
        raise CampaignError("inbox-elsewhere", path=str(game))
    if checked(sender) is None:
        raise CampaignError("bad-address", found=sender, where="--from")
    message = EmailMessage(policy=policy.SMTP)
    message["From"] = sender
    message["To"] = found.address or f"{folder.root.resolve().name}@pbem.invalid"
    message["Subject"] = clean(subject, 200) or ", ".join(clean(path.name, 60) for path in files)
    message["Date"] = format_datetime(clock.now())
    message["Message-ID"] = make_msgid(domain="pbem.invalid")
    message.set_content("\n")
    for path in files:
        must_be_file(path, "file")
        message.add_attachment(read(path, LARGEST), maintype="application", subtype="octet-stream", filename=path.name)
    with inbox.opened(look_only=False):
        mailbox.Maildir(inbox.root, create=False).add(message.as_bytes(policy=MAIL))
    click.echo(f"A mail from {sender} lies in {inbox.root}; pbem mail fetch {game} receives it.")


@click.command()
@game_argument
@click.option("--seat", default="", help="Show the newest mail to this seat. Left out: all mails, one line each.")
@click.option("--save", "into", type=click.Path(path_type=Path), default=None, help="Save what is attached to it in this folder.")
@click.option("--force", is_flag=True, help="Write over files that are there.")
def read(game: Path, seat: str, into: Path | None, force: bool) -> None:
    """Look at the mails in the Maildir outbox.

    They are what each player gets, and private: look who reads along. Mails that went to a mail server are not kept.
    """
    from pbem.campaign.archive import begin
    from pbem.campaign.folder import CampaignError, Folder
    from pbem.cli.mail import known_seat
    from pbem.post import settings
    from pbem.post.sending import maildir_of
    from pbem.publish.columns import clean

    folder = Folder(game).require()
    outbox = maildir_of(folder, settings.load(folder))
    if seat:
        known_seat(seat, [one.name for one in begin(folder).game.seats])
    elif into is not None:
        raise click.UsageError("whose mail? name --seat")
    mails = [mail for mail in _mails(outbox) if not seat or mail["X-Pbem-Seat"] == seat]
    if not mails:
        raise CampaignError("no-mail-here", path=str(outbox), whose=f" to {seat}" if seat else "")
    if not seat:
        for mail in mails:
            date, to, about = (clean(str(mail[name] or ""), 200) for name in ("Date", "To", "Subject"))
            click.echo(f"{date}  {to}  {about}")
        return
    mail = mails[-1]
    for name in ("From", "To", "Date", "Subject"):
        click.echo(f"{name}: {clean(str(mail[name] or ''), 300)}")
    body = mail.get_body(("plain",))
    shown = body.get_content() if body is not None else ""
    click.echo("\n" + "".join(mark for mark in shown if mark.isprintable() or mark == "\n").rstrip())
    for part in mail.iter_attachments():
        name = Path(part.get_filename() or "attachment").name
        data = part.get_payload(decode=True)
        if into is None:
            click.echo(f"attached: {clean(name, 100)}")
        elif isinstance(data, bytes):
            into.mkdir(parents=True, exist_ok=True)
            save(into / name, data, overwrite=force)
            click.echo(f"attached, and saved: {clean(str(into / name), 200)}")


def _mails(maildir: Path) -> list[EmailMessage]:
    """The mails in a Maildir, the oldest first."""
    files = [path for name in ("cur", "new") if (maildir / name).is_dir() for path in (maildir / name).iterdir() if path.is_file()]
    read = [message_from_bytes(path.read_bytes(), policy=policy.default) for path in sorted(files, key=lambda one: one.stat().st_mtime_ns)]
    return [mail for mail in read if isinstance(mail, EmailMessage)]
