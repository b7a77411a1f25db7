"""A whole game in an empty folder, by stand-in players whose files are really written, signed, sealed, received and processed.

The stand-ins know what a player knows: the public files and their own keys. Things go wrong on purpose, as they do: a mail is mangled, a
box is copied, a closing time is missed, a plan no longer fits and is revised.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from pbem.campaign.course import Course
from pbem.campaign.folder import CampaignError, Folder, write
from pbem.campaign.hidden import own_facts, seat_view
from pbem.campaign.intake import Answer, catch_up, collect, receive
from pbem.campaign.keyring import Keyring
from pbem.campaign.replay import replay
from pbem.campaign.turn import process
from pbem.cli.bots import order_lines
from pbem.cli.signing import sign_file_at
from pbem.engine.standin import StandIn
from pbem.orders.encoding import unb64
from pbem.orders.keys import PrivateKey, generate, write_new
from pbem.orders.signed import sign_file, split
from pbem.orders.toml import read as read_toml
from pbem.orders.write import dump

MAIL = timedelta(hours=5, minutes=40)
_MOST_MAILS = 2000


@dataclass
class Seen:
    """What happened in the demo that a newcomer should know can happen."""

    refused: int = 0
    copied_box: int = 0
    missed: int = 0
    alternatives: int = 0
    stopped: int = 0
    revisions: int = 0
    mails: int = 0


@dataclass
class DemoPlayer:
    """A stand-in with a key, a folder of his own, and habits. ``careful``: his lines have alternatives."""

    seat: str
    home: Path
    key: PrivateKey
    mind: StandIn
    careful: bool
    then: str = "ask"
    slips: bool = False

    @property
    def key_file(self) -> Path:
        return self.home / f"{self.seat}.key"

    @property
    def text(self) -> Path:
        return self.home / f"{self.seat}.toml"

    @property
    def order_file(self) -> Path:
        return self.home / f"{self.seat}.order.toml"

    def _facts(self, course: Course) -> dict[str, Any] | None:
        """What he knows alone, from the letters to him, opened with his own letter key."""
        if not course.title.hidden or course.knows_all:
            return None
        letter = Keyring.beside(self.key_file).games[course.archive.game.id][self.seat].letter
        return own_facts(course.archive.folder, course, self.seat, unb64(letter))

    def write_orders(self, course: Course, phase: str) -> int:
        """Writes and signs the order file for a phase. Gives its revision."""
        view = seat_view(course, self.seat, self._facts(course))
        lines = order_lines(self.mind, view, self.careful)
        if self.slips and len(lines) > 1 and revision_of(self.order_file, phase) == 0:
            # He writes a line twice: the second cannot be played any more, the plan stops there, and he is asked.
            lines, self.slips = [lines[0], dict(lines[0]), *lines[1:]], False
        table: dict[str, Any] = {
            "game": course.archive.game.name, "player": self.seat, "phase": phase, "revision": 1, "after": course.archive.head(),
            "then": self.then, "orders": lines,
        }  # fmt: skip
        if course.must_seal(phase):
            table["seal_to"] = course.keys[phase].seal_to
        write(self.text, dump(table))
        signed, _, _ = sign_file_at(self.text, self.key, Keyring.beside(self.key_file))
        return signed.revision


@dataclass
class Demo:
    """The course of one demo. ``tell`` gets a line at a time."""

    folder: Folder
    players: dict[str, DemoPlayer]
    now: datetime
    tell: Any
    seen: Seen = field(default_factory=Seen)
    quiet_seat: str = ""
    quiet_phase: str = ""
    mails: Path | None = None
    """A folder for the mails of one moment, to be looked at; None: they are not wanted, or written already."""

    def play(self) -> Course:
        """Plays to the end."""
        for _ in range(_MOST_MAILS):
            course = replay(self.folder)
            if course.over:
                return course
            catch_up(course)
            self._mail_round(course)
        raise CampaignError("demo-stuck", path=str(self.folder.root))

    def _mail_round(self, course: Course) -> None:
        """Everybody who has to, writes; what they wrote is received and processed."""
        phase, waiting = course.phase_id(), course.waiting()
        if waiting is None:
            raise CampaignError("demo-stuck", path=str(self.folder.root))
        if self.mails is not None and phase.partition(".")[0] not in ("0", "1"):
            self._write_mails(self.mails)
        self.now += MAIL
        due = [one for one in waiting.asked if one.filed in ("nothing", "stopped")]
        absent = self._absent(phase, [one.seat for one in due])
        due = [one for one in due if one.seat != absent]
        for one in due:
            revision = self.players[one.seat].write_orders(course, phase)
            self.seen.revisions += revision > 1
            self.seen.stopped += one.filed == "stopped"
        if due and not self.seen.refused and not phase.startswith("0."):
            self._mangled(self.players[due[0].seat])
        if len(due) > 1 and course.must_seal(phase) and not self.seen.copied_box:
            self._copied_box(self.players[due[1].seat], self.players[due[0].seat])
        self._receive([self.players[one.seat].order_file for one in due])
        done = process(self.folder, self.now)
        if not done.entries and not due:
            self._closing_passes(course, phase)
        for number in done.entries:
            self._tell_entry(done.course, number)

    def _write_mails(self, folder: Path) -> None:
        """What pbem mail send would send each player now: the report, what is asked of him, and the order file to fill in."""
        from pbem.post.notices import last_report
        from pbem.post.outbox import MAIL as FORM
        from pbem.post.settings import Settings
        from pbem.post.turnmail import Desk

        desk = Desk(self.folder, Settings(address="games@example.org"), self.now)
        for seat in self.players:
            mail = last_report(desk, seat, f"{seat}@example.org")
            if mail is not None:
                write(folder / f"{seat}.eml", mail.as_bytes(policy=FORM))
        self.mails = None

    def _absent(self, phase: str, due: list[str]) -> str:
        """One player forgets one phase, once the game has got going."""
        if not self.quiet_phase and self.quiet_seat in due and phase.partition(".")[0] not in ("0", "1"):
            self.quiet_phase = phase
        return self.quiet_seat if phase == self.quiet_phase else ""

    def _closing_passes(self, course: Course, phase: str) -> None:
        closes = course.closes()
        if closes is None:
            raise CampaignError("demo-stuck", path=str(self.folder.root))
        self.now = closes + timedelta(minutes=20)
        self.tell(f"  {self.quiet_seat} sends nothing; the closing time passes, and silence is taken as the rules file says")
        self.seen.missed += 1
        done = process(self.folder, self.now)
        for number in done.entries:
            self._tell_entry(done.course, number)

    def _receive(self, files: list[Path]) -> list[Answer]:
        if not files:
            return []
        answers = receive(self.folder, collect(files), self.now)
        self.seen.mails += len(files)
        for answer in answers:
            if not answer.receipt.accepted:
                raise CampaignError("demo-refused", name=answer.name, reason=answer.receipt.reason)
        return answers

    def _mangled(self, player: DemoPlayer) -> None:
        """A mail program has eaten a blank: the signature does not hold, nothing is taken, the file is sent again."""
        broken = player.home / "mangled-by-mail.order.toml"
        write(broken, player.order_file.read_bytes().replace(b"revision = ", b"revision=", 1))
        answer = receive(self.folder, collect([broken]), self.now)[0]
        if answer.receipt.accepted:
            raise CampaignError("demo-stuck", path=str(broken))
        self.seen.refused += 1
        self.tell(f"  a mail of {player.seat} arrives mangled: refused ({answer.receipt.reason}); the file is sent again as an attachment")

    def _copied_box(self, thief: DemoPlayer, victim: DemoPlayer) -> None:
        """Somebody signs a copy of another player's box as his own: it is bound to its maker and does not open."""
        stolen = read_toml(split(victim.order_file.read_bytes()).signed)["sealed"]
        table = read_toml(split(thief.order_file.read_bytes()).signed) | {"sealed": stolen, "revision": 900}
        forged = thief.home / "copied-box.order.toml"
        write(forged, sign_file(thief.key, "order@pbem", dump(table)))
        answer = receive(self.folder, collect([forged]), self.now)[0]
        if answer.receipt.accepted:
            raise CampaignError("demo-stuck", path=str(forged))
        self.seen.copied_box += 1
        self.tell(f"  {thief.seat} sends a copy of {victim.seat}'s sealed bid as his own: refused ({answer.receipt.reason})")

    def _tell_entry(self, course: Course, number: int) -> None:
        from pbem.cli.play import course_words

        chapter = course.chapters[number - 1]
        self.seen.alternatives += sum(remark.code == "alternative" for remark in chapter.remarks)
        self.tell(f"entry {number:3}  {course_words(course).headline(chapter)}")


def begin(base: Path, name: str, *, title: str, seats: list[str], seal: str, seed: int, now: datetime, tell: Any) -> Demo:
    """Makes keys, a campaign and join files, and processes the set-up."""
    from pbem.campaign.creation import create
    from pbem.cli.organise import keep_bytes

    folder = Folder(base / "games" / name)
    made = create(folder, now, title=title, seats=seats, seal=seal)
    keep_bytes(folder)
    kind = replay(folder).title
    players = {}
    for number, seat in enumerate(seats):
        home = base / "players" / seat
        home.mkdir(parents=True)
        key = generate()
        write_new(home / f"{seat}.key", key.openssh(None, seat), private=True)
        mind = StandIn(kind, seat, seed)
        players[seat] = DemoPlayer(seat, home, key, mind, careful=number != 2, then="pass" if number == 3 else "ask", slips=number == 2)
        _join(folder, players[seat], made.invites[seat])
    demo = Demo(folder, players, now, tell, quiet_seat=seats[-1])
    demo._receive([player.home / f"{seat}.join.toml" for seat, player in players.items()])
    done = process(folder, now)
    tell(f"{len(done.entries)} entries: {len(seats)} seats taken with their own keys, and the set-up")
    return demo


def revision_of(order_file: Path, phase: str) -> int:
    """The revision of the file sent last for a phase; 0 when none was sent."""
    if not order_file.is_file():
        return 0
    table = read_toml(split(order_file.read_bytes()).signed)
    return int(table["revision"]) if table["phase"] == phase else 0


def _join(folder: Folder, player: DemoPlayer, invite: str) -> None:
    import secrets

    from pbem.campaign.folder import read
    from pbem.campaign.records import CAP, Game, parse
    from pbem.orders.join import invite_bytes, make_join
    from pbem.orders.seal import phase_public

    game = parse(read(folder.game, CAP), Game)
    letter = secrets.token_bytes(32)
    data = make_join(
        player.key, game=game.name, campaign_id=bytes.fromhex(game.id), seat=player.seat, invite=invite_bytes(invite),
        letter_public=phase_public(letter), nonce=secrets.token_bytes(32), name=player.seat.capitalize(), language="en", zone="UTC",
    )  # fmt: skip
    write(player.home / f"{player.seat}.join.toml", data)
    Keyring.beside(player.key_file).remember(
        game.id, name=game.name, seat=player.seat, processor=game.processor.key, letter=letter, title=game.title
    )


def plain(seen: Seen) -> dict[str, int]:
    """What was seen, as plain numbers."""
    table: dict[str, int] = msgspec.to_builtins(seen)
    return table
