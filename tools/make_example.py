"""Makes two finished campaigns in which everything happens that can stand in a ledger.

    python tools/make_example.py [FOLDER]

``example-every-entry`` and, with hidden hands, ``example-every-entry-hidden``. The other examples are games that ``pbem demo`` played;
these are for the formats: every later version must prove them (``tests/test_examples.py``). So they are made once and kept, never made
anew: what a later version adds gets an example of its own beside them. Keys, secrets and boxes are drawn at random; what happens is always
the same. What is private is thrown away.
"""

from __future__ import annotations

import secrets
import shutil
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pbem.campaign import clock
from pbem.campaign.audit import audit
from pbem.campaign.channels import mark_read
from pbem.campaign.course import Course
from pbem.campaign.creation import Created, create
from pbem.campaign.folder import Folder
from pbem.campaign.intake import Answer, Incoming, catch_up, receive
from pbem.campaign.replay import replay
from pbem.campaign.turn import correct, process, renew
from pbem.cli.bots import order_lines
from pbem.engine.standin import StandIn
from pbem.orders.encoding import b64
from pbem.orders.join import invite_bytes, make_join
from pbem.orders.keys import PrivateKey, generate
from pbem.orders.making import sign_order
from pbem.orders.seal import phase_public
from pbem.orders.signed import sign_file
from pbem.orders.write import dump

HOUR, DAY, MINUTE = timedelta(hours=1), timedelta(days=1), timedelta(minutes=1)
BEGIN = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
PEOPLE = {"an": ("小安", "Asia/Shanghai"), "bo": ("Zoé", "Europe/Paris"), "chen": ("Chen", "America/New_York")}
LATER = {"bo": ("Дима", "Europe/Moscow"), "chen": ("지민", "Asia/Seoul")}
"""Who sits there from some time on."""
TITLE = "carolus-magnus"


@dataclass
class Table:
    """Everybody at the table. ``now`` is the time that each step is made at."""

    folder: Folder
    made: Created
    deputy: PrivateKey
    now: datetime = BEGIN
    keys: dict[str, PrivateKey] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    revisions: dict[tuple[str, str], int] = field(default_factory=dict)

    # -- players ------------------------------------------------------------------------------------------------------------

    def course(self) -> Course:
        course = replay(self.folder)
        catch_up(course)
        return course

    def send(self, data: bytes, *, late: timedelta = timedelta(0), refused: str = "") -> Answer:
        """A file comes in; ``late``: so long after it had been received it is looked at."""
        self.now += MINUTE
        [answer] = receive(self.folder, [Incoming("mail", data, received=self.now - late if late else None)], self.now)
        if answer.receipt.reason != refused:
            raise RuntimeError(f"{answer.receipt.seat} {answer.receipt.phase}: {answer.receipt.reason!r}, not {refused!r}")
        return answer

    def join(self, seat: str, invite: str, who: tuple[str, str]) -> bytes:
        self.keys[seat] = generate()
        return make_join(
            self.keys[seat], game=self.made.game.name, campaign_id=bytes.fromhex(self.made.game.id), seat=seat,
            invite=invite_bytes(invite), letter_public=phase_public(secrets.token_bytes(32)), nonce=secrets.token_bytes(32),
            name=who[0], language="en", zone=who[1],
        )  # fmt: skip

    def ask(self, seat: str, **asked: Any) -> None:
        """A request of a player's comes in."""
        self.numbers[seat] = self.numbers.get(seat, 0) + 1
        table = {
            "game": self.made.game.name, "player": seat, "after": self.course().archive.head(), "number": self.numbers[seat],
            "request": asked,
        }  # fmt: skip
        self.send(sign_file(self.keys[seat], "request@pbem", dump(table)))

    def new_key(self, seat: str) -> None:
        """A player who has his old key names a new one."""
        key = generate()
        self.ask(seat, do="rekey", key=key.public.line(), letter_key=b64(phase_public(secrets.token_bytes(32))))
        self.process()
        self.keys[seat] = key

    def orders(self, seat: str, *, note: str = "", then: str = "ask") -> bytes:
        """A player's sealed plan for the present phase."""
        course = self.course()
        phase = course.phase_id()
        self.revisions[seat, phase] = self.revisions.get((seat, phase), 0) + 1
        lines = order_lines(StandIn(course.title, seat, f"{seat} {phase}"), course.title.view(course.table.position, seat), True)
        table: dict[str, Any] = {
            "game": self.made.game.name, "player": seat, "phase": phase, "revision": self.revisions[seat, phase],
            "after": course.archive.head(), "then": then, "orders": lines, "seal_to": course.keys[phase].seal_to,
        }  # fmt: skip
        text = dump(table | ({"note": note} if note else {}))
        return sign_order(text, self.keys[seat], processor=course.archive.key).data

    # -- the organiser ------------------------------------------------------------------------------------------------------

    def process(self, wait: timedelta = 2 * HOUR, **how: Any) -> None:
        """A run, so long after what happened last that nothing is too fresh."""
        self.now += wait
        process(self.folder, self.now, **how)

    def fix(self, kind: str, **facts: Any) -> str:
        self.now += MINUTE
        return correct(self.folder, self.now, kind, **facts)[1]

    def closing(self) -> datetime:
        found = self.course().closes()
        if found is None:
            raise RuntimeError("no closing time")
        return found

    def to_closing(self, after: timedelta = HOUR, *, read: bool = True) -> None:
        """The closing time passes; the mail is read."""
        self.now = max(self.now, self.closing() + after)
        if read:
            mark_read(self.folder, "mail", self.now)

    def silence(self) -> None:
        """A closing time passes, and what was not sent is played as silence."""
        self.to_closing()
        self.process(MINUTE)

    def until_missed(self, seat: str, count: int, *others: str) -> None:
        """A player sends nothing until he has missed so many closing times in a row; the others named go on."""
        while self.course().missed.get(seat, 0) < count:
            self.silence()
            for other in others:
                if other in self.asked():
                    self.send(self.orders(other))

    def everybody(self) -> None:
        """All who are asked now send a plan, until the phase is over."""
        phase = self.course().phase_id()
        while self.course().phase_id() == phase:
            waiting = self.course().waiting()
            if waiting is None:
                return
            for one in waiting.asked:
                if one.filed in ("nothing", "stopped"):
                    self.send(self.orders(one.seat))
            self.process()

    def asked(self) -> list[str]:
        """Who must decide next, the first one first."""
        waiting = self.course().waiting()
        return [one.seat for one in waiting.asked] if waiting is not None else []


def play(folder: Folder) -> None:
    """Plays the first campaign."""
    deputy = generate()
    made = create(
        folder, BEGIN, title="ming-dynasty", seats=list(PEOPLE), seal="all", close="tue,fri 20:00 Europe/Paris least 24h",
        phases={"return": "3d"}, missed=2, deputy=deputy.public.line(),
        spans={"grace": "15m", "cooling": "1h", "outage": "36h", "extensions": "7d", "absences": "10d"},
    )  # fmt: skip
    table = Table(folder, made, deputy)
    seats_are_taken(table)
    closing_times(table)
    players_ask(table)
    things_go_wrong(table)
    seats_change(table)
    the_end(table)


def play_hidden(folder: Folder) -> None:
    """Plays the second one: what a seat alone knows goes along with keys, corrections and those who come later."""
    deputy = generate()
    table = Table(folder, create(folder, BEGIN, title="azure", seats=["an", "bo"], close="48h", missed=1), deputy)
    table.fix("amend", options={"gifted": "random"}, text="For once with gifted stones.")
    for seat in ("an", "bo"):
        table.send(table.join(seat, table.made.invites[seat], PEOPLE[seat]))
    table.process()
    for _ in range(3):
        table.silence()
    table.new_key("an")
    to = len(table.course().chapters)
    table.silence()
    table.fix("rollback", to=to)
    table.send(table.join("an", table.fix("rekey", seat="an", text="His disk broke."), PEOPLE["an"]))
    table.process()
    table.until_missed("bo", 1)
    table.send(table.join("bo", table.fix("substitute", seat="bo", ground="silence"), LATER["bo"]))
    table.process()
    for _ in range(8):
        table.silence()
    # With nobody left to play against, the game ends.
    table.ask("bo", do="concede")
    table.process()


def seats_are_taken(table: Table) -> None:
    """A lost invite, another title before all have joined, a file damaged on its way, the set-up."""
    table.send(table.join("an", table.made.invites["an"], PEOPLE["an"]))
    table.process()
    again = table.fix("invite", seat="chen")
    table.fix("amend", title=TITLE, text="We have one evening less.")
    table.send(table.join("chen", table.made.invites["chen"], PEOPLE["chen"]), refused="bad-invite")
    joining = table.join("bo", table.made.invites["bo"], PEOPLE["bo"])
    table.send(joining.replace(b'seat = "', b'seat="', 1), refused="bad-signature")
    table.send(joining)
    table.send(table.join("chen", again, PEOPLE["chen"]))
    table.process()


def closing_times(table: Table) -> None:
    """Files in time, within the grace and late; silence; channels read and not read; closed early; put off; a pause; an outage."""
    first, *others = table.asked()
    table.send(table.orders(first, note="Good luck to all."))
    table.process()
    for seat in others:
        if seat in table.asked():
            table.send(table.orders(seat))
            table.send(table.orders(seat, then="default"))
    table.process()
    table.everybody()
    seat = table.asked()[0]
    in_time = table.orders(seat)
    table.to_closing(40 * MINUTE, read=False)
    # Sent ten minutes after closing, looked at half an hour later.
    table.send(in_time, late=31 * MINUTE)
    table.send(table.orders(table.asked()[-1], then="pass"), refused="late")
    mark_read(table.folder, "mail", table.now)
    table.process(MINUTE)
    table.silence()
    table.to_closing(read=False)
    table.process(MINUTE, unread=True)
    table.process(close=table.course().phase_id())
    table.fix("extend", by=2 * DAY, text="Snow.")
    table.fix("pause", until=table.now + 12 * DAY, text="Merry Christmas.")
    table.send(table.orders(table.asked()[0]))
    table.fix("pause", until=None)
    table.silence()
    # The machine is off for days: silence is not held against anybody; then it was only processing that was late.
    table.to_closing(4 * DAY)
    table.process(MINUTE)
    soon = table.closing() + HOUR
    mark_read(table.folder, "mail", soon)
    table.to_closing(4 * DAY)
    table.process(MINUTE)


def players_ask(table: Table) -> None:
    """An absence and the end of it, another name, another key, the last report again."""
    start = table.closing() - DAY
    table.ask("bo", do="absence", **{"from": clock.text(start), "to": clock.text(start + 3 * DAY)})
    table.process()
    table.ask("bo", do="absence")
    table.ask("chen", do="profile", name="Chen Wei", zone="America/Los_Angeles")
    table.ask("an", do="resend")
    table.process()
    table.new_key("an")
    settings = {"close": "mon-fri 21:00 Asia/Seoul least 2d", "close.turn": "48h", "grace": "30m", "cooling": "none", "silence": "bot"}
    table.fix("amend", settings=settings, text="Chen has moved.")
    table.silence()
    table.fix("amend", settings={"close.turn": "same", "silence": "default"})


def things_go_wrong(table: Table) -> None:
    """Turns taken back, once by the organiser and once because all agree; the secret got out, and the deputy confirms a new one."""
    to = len(table.course().chapters)
    table.silence()
    table.fix("rollback", to=to, text="The wrong phase was closed.")
    to = len(table.course().chapters)
    table.silence()
    for seat in PEOPLE:
        table.ask(seat, do="consent", step="rollback", to=to)
    table.fix("rollback", to=to)
    for seat in table.asked():
        table.send(table.orders(seat))
    table.now += MINUTE
    renew(table.folder, table.now, deputy=table.deputy)
    table.everybody()


def seats_change(table: Table) -> None:
    """A key is lost; a player has vanished and another comes; a seat stands empty for a while; one gives up."""
    table.send(table.join("bo", table.fix("rekey", seat="bo", text="His disk broke."), LATER["bo"]))
    table.process()
    table.until_missed("chen", 2, "an", "bo")
    table.send(table.join("chen", table.fix("substitute", seat="chen", ground="silence"), LATER["chen"]))
    table.process()
    table.fix("vacate", seat="bo", text="Gone to sea.")
    table.send(table.join("bo", table.fix("invite", seat="bo"), PEOPLE["bo"]))
    table.process()
    table.ask("chen", do="concede")
    table.process()


def the_end(table: Table) -> None:
    """The rest agree to stop."""
    table.everybody()
    for seat in ("an", "bo"):
        table.ask(seat, do="consent", step="end")
    table.fix("end", text="It was a pleasure.")


def main() -> None:
    games = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "games"
    for name, playing in (("example-every-entry", play), ("example-every-entry-hidden", play_hidden)):
        folder = Folder(games / name)
        playing(folder)
        shutil.rmtree(folder.private)
        report = audit(folder)
        if report.fault is not None or report.notices:
            raise RuntimeError(f"{report.fault} {report.notices}")
        print(f"{folder.root}: {report.entries} entries, {report.receipts} receipts, {report.proven} steps proven")


if __name__ == "__main__":
    main()
