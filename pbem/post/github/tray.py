"""The files in posts, each with the campaign it is for: found, counted against the caps, received."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

from pbem.campaign.course import Course
from pbem.campaign.folder import CampaignError, Folder
from pbem.campaign.intake import JOIN, ORDER, REQUEST, Answer, Incoming, receive, unpack
from pbem.campaign.replay import replay
from pbem.campaign.shelf import finished
from pbem.orders.armour import search
from pbem.orders.encoding import sha256
from pbem.orders.findings import Unreadable
from pbem.orders.keys import PublicKey
from pbem.orders.pasted import MOST_WORK, Budget
from pbem.orders.signed import CAP, Signed, open_signed
from pbem.post.github.posts import Post
from pbem.post.mime import is_mail, open_mail

FROM_STRANGERS = 10
"""Files a day that are received from an account when no player's key has signed them, or when they are copies of what lies in public."""
SIGNED = 100
"""Files a day that are received from an account when players have signed them: more than anybody writes."""
MENDING = 10 * MOST_WORK
"""What may be tried to mend the pasted files of one account, in one run."""
NOTES = 5
"""Notes a day to an account: nothing found, too many, and the like."""
MOST_NEW = 200
"""Files that are received in one run; the next goes on."""
_DAY = timedelta(days=1)
_GAME = re.compile(rb'^game[ \t]*=[ \t]*"([a-z0-9-]{1,40})"', re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[^\n]*$", re.MULTILINE)


@dataclass
class Tray:
    """The campaigns of a repository, by name, and what a run has learnt of them so far."""

    games: dict[str, Path]
    _courses: dict[Path, Course | None] = field(default_factory=dict)

    def campaign_of(self, data: bytes) -> Path | None:
        """The campaign a file says it is for; the only one there is when it names none of ours. None when that leaves it open.

        What is unsigned decides nothing here but who judges the file: the campaign's intake reads it again, whole.
        """
        named = _GAME.search(data[:CAP])
        found = self.games.get(named[1].decode()) if named else None
        if found is not None:
            return found
        running = [game for game in self.games.values() if not finished(game)] or list(self.games.values())
        return running[0] if len(running) == 1 else None

    def answered(self, game: Path, incoming: Incoming) -> bool:
        """Whether the file has its receipt already."""
        course = self._course(game)
        known = {kept.record.file for kept in course.archive.receipts} if course is not None else set()
        opened = _opened(incoming)
        return sha256(incoming.data).hex() in known or (opened is not None and opened[0].identity.hex() in known)

    def by_player(self, game: Path, incoming: Incoming) -> bool:
        """Whether a player of this campaign has signed the file."""
        course, opened = self._course(game), _opened(incoming)
        # Of a campaign that cannot be opened nothing is known: receiving meets that again, and tells it.
        return course is None or (opened is not None and opened[1].raw in {member.key.raw for member in course.members.values()})

    def _course(self, game: Path) -> Course | None:
        if game not in self._courses:
            try:
                self._courses[game] = replay(Folder(game))
            except Exception:
                self._courses[game] = None
        return self._courses[game]


def _opened(incoming: Incoming) -> tuple[Signed, PublicKey] | None:
    """A file and the key that signed it; None when its signature does not hold."""
    for namespace in (ORDER, JOIN, REQUEST):
        try:
            return open_signed(incoming.data, namespace, incoming.detached)
        except Unreadable:
            continue
    return None


@dataclass(frozen=True)
class Sorted:
    """A file in a post, and its campaign; ``note`` says why it is not received: "which-game", "too-many", "over", "unread"."""

    post: Post
    incoming: Incoming
    game: Path | None
    note: str = ""


@dataclass
class Received:
    """What receiving a day's posts has given. ``failed``: campaigns that could not be opened → why."""

    answers: list[tuple[Sorted, Course, Answer]] = field(default_factory=list)
    notes: list[Sorted] = field(default_factory=list)
    empty: list[Post] = field(default_factory=list)
    failed: dict[Path, Exception] = field(default_factory=dict)
    held: list[Sorted] = field(default_factory=list)
    """Files of failed campaigns: they have to be looked at again."""
    more: bool = False
    """There are more files than a run receives."""


def files_in(post: Post, budget: Budget | None = None) -> list[Incoming]:
    """The order, join and request files in a post, damaged blocks too; none in one that only talks. ``budget`` as in ``search``."""
    if (post.pull or not post.issue) and not post.comment:
        return list(_beside(post))
    whole = Incoming(post.name, post.body.encode("utf-8", "replace"), received=post.time)
    try:
        found = search(post.body, budget)
        if not found.files and not found.faults:
            # A signed file pasted into a code block begins right below its fence.
            found = search(_FENCE.sub("", post.body.replace("\r\n", "\n")), budget)
    except Unreadable as error:
        return [replace(whole, faults=tuple(error.findings))]
    files = [replace(whole, data=data) for data in found.files]
    return files + ([replace(whole, faults=tuple(found.faults))] if found.faults else [])


def _beside(post: Post) -> Iterator[Incoming]:
    """The files of a pull request or a push: mails opened, a detached signature with the file it lies beside."""
    files = dict(post.files)
    for name, data in post.files:
        if name.endswith(".sig") and name.removesuffix(".sig") in files:
            continue
        if is_mail(data):
            yield from (replace(one, name=post.name) for one in open_mail(Incoming(post.name, data, received=post.time)))
            continue
        detached = files.get(f"{name}.sig")
        yield from unpack(Incoming(post.name, data, detached.decode("ascii", "replace") if detached is not None else None, post.time))


def sort(tray: Tray, posts: Iterable[Post]) -> Received:
    """Finds the files of posts, the oldest first, and sorts them; nothing is received yet.

    The caps are counted from the posts alone, those that have their answer too: so every run counts the same.
    """
    got, account, new = Received(), _Account(), 0
    for post in sorted(posts, key=lambda one: (one.time, one.issue, one.comment)):
        if post.bot:
            continue
        files = files_in(post, account.budget(post))
        if post.unread and account.may_be_told(post):
            got.notes.append(Sorted(post, Incoming(post.name, b""), None, "unread"))
        elif not files and post.asked and not post.comment and account.may_be_told(post):
            got.empty.append(post)
        for incoming in files:
            game = tray.campaign_of(incoming.data)
            note = "which-game" if game is None else "over" if finished(game) else ""
            if game is not None and not note:
                answered = tray.answered(game, incoming)
                copy = account.is_copy(game, incoming)
                strange = bool(post.issue) and (copy or not tray.by_player(game, incoming))
                if post.issue and not account.may_send(post, strange) and (copy or not answered):
                    note = "too-many"
                elif not answered and new == MOST_NEW:
                    got.more = True
                    return got
                else:
                    new += not answered
            if not note:
                got.held.append(Sorted(post, incoming, game))
            elif account.may_be_told(post):
                got.notes.append(Sorted(post, incoming, game, note))
    return got


@dataclass
class _Account:
    """What each account has sent in the day before a post, and what was met already."""

    _strange: dict[str, list[datetime]] = field(default_factory=dict)
    _signed: dict[str, list[datetime]] = field(default_factory=dict)
    _told: dict[str, list[datetime]] = field(default_factory=dict)
    _seen: set[tuple[Path, bytes]] = field(default_factory=set)
    _budgets: dict[str, Budget] = field(default_factory=dict)

    def is_copy(self, game: Path, incoming: Incoming) -> bool:
        """Whether this very file has been met before in this run; from now on it has."""
        this = (game, sha256(incoming.data))
        met = this in self._seen
        self._seen.add(this)
        return met

    def budget(self, post: Post) -> Budget:
        """What may still be spent on mending what an account has pasted."""
        return self._budgets.setdefault(post.author, Budget(MENDING))

    def may_send(self, post: Post, strange: bool) -> bool:
        """Whether a file is still within the cap, which is lower for those that no player has signed; it is counted."""
        return _count(self._strange, post) <= FROM_STRANGERS if strange else _count(self._signed, post) <= SIGNED

    def may_be_told(self, post: Post) -> bool:
        """The same for notes: who floods us is not answered each time."""
        return not post.issue or _count(self._told, post) <= NOTES


def _count(times: dict[str, list[datetime]], post: Post) -> int:
    lately = [moment for moment in times.get(post.author, []) if post.time - moment < _DAY]
    times[post.author] = [*lately, post.time]
    return len(times[post.author])


def take(got: Received, now: datetime) -> None:
    """Receives what was sorted, campaign by campaign; what fails in one stays held and stops no other."""
    waiting, got.held = got.held, []
    for game in sorted({one.game for one in waiting if one.game is not None}):
        mine = [one for one in waiting if one.game == game]
        if not _receive(got, game, mine, now) and not isinstance(got.failed[game], CampaignError) and len(mine) > 1:
            # One file that breaks us must not keep the others from their receipts.
            for one in mine:
                _receive(got, game, [one], now)


def _receive(got: Received, game: Path, files: list[Sorted], now: datetime) -> bool:
    try:
        answers = receive(Folder(game), [one.incoming for one in files], now)
        course = replay(Folder(game))
    except Exception as error:
        # Even a fault of our own in one campaign is no reason to leave the others waiting.
        got.failed[game] = error
        got.held += [one for one in files if one not in got.held]
        return False
    got.held = [one for one in got.held if one not in files]
    # Files that a killed run had left are answered before ours; their players find the receipt in the folder.
    got.answers += [(one, course, answer) for one, answer in zip(files, answers[-len(files):], strict=True)]
    return True
