"""Queued mails brought on their way: to the SMTP server of the settings, else into the Maildir.

Each mail ends in one of few ways, and each is kept on disk before the next begins: gone, put off for a while, or its address is marked as
bouncing and the mail waits for the organiser.
"""

from __future__ import annotations

from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from pathlib import Path

import msgspec

from pbem.campaign import clock
from pbem.campaign.folder import CampaignError, Folder
from pbem.campaign.records import Game
from pbem.post import contacts, outbox
from pbem.post.envelope import sender
from pbem.post.outbox import PATIENCE, Waiting
from pbem.post.settings import Settings
from pbem.post.smtp import Carrier, Outcome

MOST_LOST = 3
"""So many connections lost one after the other end a run."""


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """A mail that stays in the queue. ``why``: "bouncing", "no-address", "enough" (as many as an address gets in a day), "later"."""

    mail: Waiting
    why: str
    said: str = ""
    again: str = ""


class Bounce(msgspec.Struct, frozen=True, kw_only=True):
    """An address that was found not to take mails."""

    address: str
    seats: list[str]
    said: str


class Delivery(msgspec.Struct, kw_only=True):
    """What a run did. ``stopped``: what kept it from going on, if anything did."""

    gone: list[Waiting] = []
    held: list[Held] = []
    bounced: list[Bounce] = []
    stopped: CampaignError | None = None


def maildir_of(folder: Folder, settings: Settings) -> Path:
    """The Maildir into which mails go that no server takes; without a setting ``private/mail/outbox``."""
    return outbox.home(folder) / (settings.maildir.outbox or "outbox")


def deliver(folder: Folder, game: Game, settings: Settings, now: datetime) -> Delivery:
    """Sends what is in the queue and may go now; whoever calls it holds ``outbox.sending``."""
    maildir = maildir_of(folder, settings)
    outbox.complete(folder, maildir)
    done, may_go = plan(folder, settings, now)
    if not may_go:
        return done
    if settings.smtp is None:
        for about, to in may_go:
            message = _addressed(folder, about, to)
            about = msgspec.structs.replace(about, to=to)  # noqa: PLW2901 - the mail as it goes
            outbox.put_out(folder, maildir, about, message.as_bytes(policy=outbox.MAIL), now, message_id=str(message["Message-ID"] or ""))
            done.gone.append(about)
        return done
    if not settings.address:
        raise CampaignError("no-mail-address", path=str(folder.root))
    try:
        with Carrier(settings.smtp, sender(game, settings).addr_spec) as carrier:
            _carry(folder, carrier, may_go, done, now)
    except CampaignError as error:
        done.stopped = error
        dealt = {one.key for one in done.gone} | {one.mail.key for one in done.held}
        done.held += [Held(mail=about, why="stopped") for about in outbox.waiting(folder) if about.key not in dealt]
    return done


def plan(folder: Folder, settings: Settings, now: datetime) -> tuple[Delivery, list[tuple[Waiting, str]]]:
    """What stays in the queue, and why; and what may go, with the address it goes to: that of its seat today, the more important first."""
    done, may_go = Delivery(), []
    known, counts = contacts.load(folder), outbox.counts(folder, now)
    bouncing = {contact.address.casefold(): contact for contact in known.values() if contact.bouncing}
    for about in outbox.waiting(folder):
        to = known[about.seat].address if about.seat in known else about.to
        tries = outbox.tries(folder, about.key)
        if about.seat and about.seat not in known:
            done.held.append(Held(mail=about, why="no-address"))
        elif to.casefold() in bouncing:
            done.held.append(Held(mail=about, why="bouncing", said=bouncing[to.casefold()].why))
        elif tries is not None and to == about.to and clock.parse(tries.again) > now:
            done.held.append(Held(mail=about, why="later", said=tries.why, again=tries.again))
        elif counts.get(to.casefold(), 0) >= settings.most_a_day:
            done.held.append(Held(mail=about, why="enough"))
        else:
            counts[to.casefold()] = counts.get(to.casefold(), 0) + 1
            may_go.append((about, to))
    return done, may_go


def _carry(folder: Folder, carrier: Carrier, mails: list[tuple[Waiting, str]], done: Delivery, now: datetime) -> None:
    lost = 0
    dead: dict[str, str] = {}
    for about, to in mails:
        if to.casefold() in dead:
            done.held.append(Held(mail=about, why="bouncing", said=dead[to.casefold()]))
            continue
        message = _addressed(folder, about, to)
        outcome = carrier.send(to, message.as_bytes(policy=outbox.MAIL))
        lost = lost + 1 if outcome.end == "lost" else 0
        if outcome.end == "gone":
            gone = msgspec.structs.replace(about, to=to)
            outbox.done(folder, gone, now, message_id=str(message["Message-ID"] or ""))
            done.gone.append(gone)
        elif outcome.end == "refused" or _tired(folder, about, outcome, now):
            dead[to.casefold()] = outcome.said
            outbox.try_again(folder, about.key)
            seats = contacts.mark_bouncing(folder, to, outcome.said, now)
            done.bounced.append(Bounce(address=to, seats=seats, said=outcome.said))
            if seats:
                done.held.append(Held(mail=about, why="bouncing", said=outcome.said))
            else:
                # An answer to a stranger who cannot be reached: nobody would ever clear his address.
                outbox.done(folder, about, now, into="nowhere")
        else:
            tries = outbox.put_off(folder, about.key, outcome.said, now)
            done.held.append(Held(mail=about, why="later", said=outcome.said, again=tries.again))
        if lost >= MOST_LOST:
            raise CampaignError("smtp-lost", count=lost, said=outcome.said)


def _tired(folder: Folder, about: Waiting, outcome: Outcome, now: datetime) -> bool:
    """Whether an address has refused a mail for so long that waiting on makes no sense."""
    before = outbox.tries(folder, about.key)
    return outcome.end == "later" and before is not None and now - clock.parse(before.first) >= PATIENCE


def _addressed(folder: Folder, about: Waiting, to: str) -> EmailMessage:
    """A queued mail, to where its seat gets its mail today."""
    message = outbox.message_of(folder, about.key)
    if to != about.to:
        name = message["To"].addresses[0].display_name
        del message["To"]
        message["To"] = Address(display_name=name, addr_spec=to)
    return message
