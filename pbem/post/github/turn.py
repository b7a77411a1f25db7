"""One run: read what was written, receive it, play what can be played, commit, push, and only then answer.

The push decides. A run that finds the branch moved on throws its own commit away unseen and does everything again from what is there now;
nothing it had made has left the machine. What was pushed and not answered, because the run died in between, is found by the next one:
it reads back further than the last one did, gets the same receipts, and sees that their marks stand in no comment.
"""

from __future__ import annotations

import random
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from pbem.campaign import clock
from pbem.campaign.channels import mark_read
from pbem.campaign.course import Course
from pbem.campaign.folder import CampaignError, Folder, read, write
from pbem.campaign.intake import Answer, Incoming
from pbem.campaign.shelf import campaigns_in, finished
from pbem.campaign.turn import process
from pbem.orders.pasted import Budget
from pbem.orders.signed import CAP
from pbem.post.github.answers import Part, Reply, mark, marks_in
from pbem.post.github.client import Client
from pbem.post.github.posts import INBOX, Post, Swept, dated, is_inbox, issue_of, looked_into, of_event, since, with_files
from pbem.post.github.repository import Repository
from pbem.post.github.tray import MENDING, Received, Sorted, Tray, files_in, sort, take

CHANNEL = "github"
ROUNDS = 6
"""How often a run begins again because others have pushed."""
MARGIN = timedelta(days=1)
"""How much further back than the last run everything is read again."""
SETTLING = timedelta(minutes=1)
"""What has been written may stand in the forge's lists only some seconds later: a phase that closed just now is closed by the next run."""
FIRST_LOOK = timedelta(days=30)
TAKEN, REFUSED = "pbem: taken", "pbem: refused"
_MAIL = 1024 * 1024
_STATE, _ABOUT = "github.toml", "# Everything written on GitHub before this moment has been received."
_NOTHING = Incoming("", b"")


class Speaker(Protocol):
    """Who puts things into words: Markdown for a comment."""

    def receipt(self, course: Course, answer: Answer) -> str: ...
    def note(self, code: str, games: Sequence[str]) -> str: ...


@dataclass(frozen=True)
class Job:
    """What a run works with. ``games``: the folder of the campaigns; ``now`` tells the time."""

    games: Path
    client: Client
    speaker: Speaker
    now: Callable[[], datetime]
    event_name: str = ""
    event: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Done:
    """What a run did. ``played``: campaign → heads of its new entries; ``failed``: campaign → what stopped it there; ``unread``: campaign →
    channels that somebody else has to read before its phase can be closed.
    """

    replies: list[Reply] = field(default_factory=list)
    answered: dict[str, list[int]] = field(default_factory=dict)
    played: dict[str, list[str]] = field(default_factory=dict)
    failed: dict[Path, Exception] = field(default_factory=dict)
    unread: dict[str, list[str]] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    committed: bool = False
    whole: bool = True

    def message(self) -> str:
        """What the commit says: names and numbers of ours, no word of anybody's."""
        lines = [f"{game}: receipt{'s' if len(numbers) > 1 else ''} {_numbers(numbers)}" for game, numbers in sorted(self.answered.items())]
        lines += [f"{game}: entry {', '.join(heads)}" for game, heads in sorted(self.played.items())]
        return f"{lines[0]}\n\n" + "\n".join(lines[1:]) if lines else "Read everything"


def run(job: Job, repository: Repository) -> Done:
    """The whole run. CampaignError when the forge or the branch cannot be reached, or others were faster each time: then nothing is out."""
    pushed = _pushed(job, repository) if job.event_name == "push" else {}
    for _ in range(ROUNDS):
        before = repository.catch_up()
        done = once(job, repository, pushed)
        if not repository.commit(done.message(), job.games.name, done.gone):
            return done
        if repository.push():
            done.committed = True
            return done
        repository.throw_away(before)
        job.client.pause(random.uniform(0.5, 3.0))  # noqa: S311 — only that two runs do not keep step
    raise CampaignError("github-raced", rounds=ROUNDS)


def once(job: Job, repository: Repository, pushed: Mapping[str, tuple[str, datetime]]) -> Done:
    """Reads, receives and plays in the working copy; nothing leaves it."""
    now = job.now()
    begin, on = _begin(job, now)
    swept = since(job.client, begin)
    told: dict[int, set[str]] = {}
    for comment in swept.comments:
        told.setdefault(issue_of(comment), set()).update(marks_in([comment]))
    tray = Tray({game.name: game for game in campaigns_in(job.games)})
    posts = [*_open(job, _together(of_event(job.event_name, job.event), swept), told), *_inbox(repository, pushed, now)]
    got = sort(tray, posts)
    last = got.held[-1].post.time if got.more else None
    take(got, now)
    done = Done(failed=dict(got.failed), whole=swept.covered is None and not got.more)
    if done.whole:
        _play(done, tray, now)
    done.replies = replies(job.speaker, got, told, sorted(tray.games))
    for one, _, answer in got.answers:
        if not answer.repeated and one.game is not None:
            done.answered.setdefault(one.game.name, []).append(answer.receipt.number)
    done.gone = _settled(posts, got)
    if done.answered or done.played or done.gone or on or not done.whole:
        until = min([now, *(end for end in (swept.covered, last) if end is not None), *(one.post.time for one in got.held)])
        goes_on = "" if swept.covered is None else "on = true\n"
        write(job.games / _STATE, f"{_ABOUT}\nread = {clock.text(until)}\n{goes_on}".encode())
    return done


def receive_event(job: Job) -> Done:
    """Only what the event brings: received, and the answers made. Nothing is asked of the forge but the files of a pull request."""
    tray = Tray({game.name: game for game in campaigns_in(job.games)})
    got = sort(tray, _open(job, of_event(job.event_name, job.event), {}))
    take(got, job.now())
    done = Done(failed=dict(got.failed), replies=replies(job.speaker, got, {}, sorted(tray.games)))
    for one, _, answer in got.answers:
        if one.game is not None:
            done.answered.setdefault(one.game.name, []).append(answer.receipt.number)
    return done


def replies(speaker: Speaker, got: Received, told: Mapping[int, set[str]], games: Sequence[str]) -> list[Reply]:
    """What is still to be said, an answer for each issue; what ``told`` holds has been said."""
    parts: dict[int, dict[str, Part]] = {}
    refused: set[int] = set()
    settled: dict[int, bool] = {}

    def say(post: Post, said: str, body: Callable[[], str]) -> None:
        mine = parts.setdefault(post.issue, {})
        if post.issue and said not in told.get(post.issue, ()) and said not in mine:
            mine[said] = Part(mark=said, body=body())

    for one, course, answer in got.answers:
        if one.game is None:
            continue
        say(one.post, mark(one.game.name, "receipt", answer.receipt.number), lambda c=course, a=answer: speaker.receipt(c, a))  # type: ignore[misc]
        if not answer.receipt.accepted:
            refused.add(one.post.issue)
        if not one.post.comment:
            settled[one.post.issue] = settled.get(one.post.issue, True) and answer.receipt.accepted
    for note in [*got.notes, *(Sorted(post, _NOTHING, None, "nothing") for post in got.empty)]:
        say(note.post, mark("note", note.note), lambda code=note.note: speaker.note(code, games))  # type: ignore[misc]
        settled[note.post.issue] = False
    return [
        Reply(
            issue=issue, parts=list(mine.values()), labels=_labels(mine, issue in refused),
            off=[] if issue in refused else [REFUSED], close=settled.get(issue, False),
        )
        for issue, mine in sorted(parts.items()) if mine
    ]  # fmt: skip


def _labels(parts: Mapping[str, Part], refused: bool) -> list[str]:
    if refused:
        return [REFUSED]
    return [TAKEN] if any(" receipt " in said for said in parts) else []


def _begin(job: Job, now: datetime) -> tuple[datetime, bool]:
    """From when on everything is read: a while before the last run had read everything, or a month back in a new repository; and whether
    that run had not come to the end.

    Then it goes on right there. More may have been written within the margin than one run reads: it would never get beyond it.
    """
    try:
        kept = tomllib.loads(read(job.games / _STATE, 4096).decode())
        told, on = kept["read"], kept.get("on") is True
        until = told.astimezone(UTC) if isinstance(told, datetime) and told.tzinfo is not None else None
    except (CampaignError, ValueError, KeyError):
        until, on = None, False
    if until is None:
        return now - FIRST_LOOK, on
    return min(until, now) - (timedelta(seconds=1) if on else MARGIN), on


def _together(event: list[Post], swept: Swept) -> list[Post]:
    """Both, each once: what an event tells of a text is as the sweep tells it, but with the right time."""
    known = {(post.issue, post.comment, post.body, post.pull) for post in event}
    return [*event, *(post for post in swept.posts if (post.issue, post.comment, post.body, post.pull) not in known)]


def _open(job: Job, posts: list[Post], told: Mapping[int, set[str]]) -> list[Post]:
    """The posts that matter: those with files, with their times made sure of, and those whose author waits for an answer."""
    texts = [post for post in posts if not post.pull or post.comment]
    budgets: dict[str, Budget] = defaultdict(lambda: Budget(MENDING))
    unsure = dated(job.client, [post for post in texts if not post.exact and not post.bot and files_in(post, budgets[post.author])])
    sure = {(post.issue, post.comment): post for post in unsure}
    pulls = looked_into((post for post in posts if post.pull and not post.comment), told)
    found = [sure.get((post.issue, post.comment), post) if not post.exact else post for post in texts]
    return found + [with_files(job.client, post) for post in pulls]


def _play(done: Done, tray: Tray, now: datetime) -> None:
    for game in tray.games.values():
        if game in done.failed or finished(game):
            continue
        try:
            # Everything that had been written by then has its receipt: whoever is silent now, is silent.
            mark_read(Folder(game), CHANNEL, now - SETTLING)
            played = process(Folder(game), now)
        except Exception as error:
            done.failed[game] = error
            continue
        if elsewhere := [channel for channel in played.unread if channel != CHANNEL]:
            done.unread[game.name] = elsewhere
        if played.entries:
            done.played[game.name] = [played.course.chapters[number - 1].head for number in played.entries]


def _pushed(job: Job, repository: Repository) -> dict[str, tuple[str, datetime]]:
    """Of a push: path → digest and the forge's time, for the files it brought into the inbox. Only while its commit is what lies here."""
    told = job.event.get("repository")
    moment = told.get("pushed_at") if isinstance(told, Mapping) else None
    if not isinstance(moment, int) or job.event.get("after") != repository.head():
        return {}
    received = datetime.fromtimestamp(min(max(moment, 0), 2**33), UTC)
    return {path: (blob, received) for path, blob in repository.blobs(INBOX).items()}


def _inbox(repository: Repository, pushed: Mapping[str, tuple[str, datetime]], now: datetime) -> list[Post]:
    """The files that were pushed, a post for each; a detached signature goes with its file."""
    blobs = {path: blob for path, blob in repository.blobs(INBOX).items() if is_inbox(path)}
    posts = []
    for path, blob in sorted(blobs.items()):
        if path.endswith(".sig") and path.removesuffix(".sig") in blobs:
            continue
        together = [path, *([f"{path}.sig"] if f"{path}.sig" in blobs else [])]
        cap = _MAIL if path.endswith((".eml", ".txt")) else CAP + 1
        files = tuple((name, _first(repository.root / name, cap)) for name in together)
        when = pushed[path][1] if path in pushed and pushed[path][0] == blob else now
        posts.append(Post(0, "", when, files=files))
    return posts


def _first(path: Path, size: int) -> bytes:
    """The beginning of a file: one that is too large is answered as such."""
    with path.open("rb") as file:
        return file.read(size)


def _settled(posts: Iterable[Post], got: Received) -> list[str]:
    """The pushed files that are done with: all that was in them has its receipt."""
    answered = {id(one.post) for one, _, _ in got.answers}
    open_ones = {id(one.post) for one in [*got.held, *got.notes]}
    return [name for post in posts if not post.issue and id(post) in answered - open_ones for name, _ in post.files]


def _numbers(numbers: list[int]) -> str:
    numbers = sorted(set(numbers))
    run = numbers[-1] - numbers[0] == len(numbers) - 1 and len(numbers) > 2
    return f"{numbers[0]} to {numbers[-1]}" if run else ", ".join(str(number) for number in numbers)

