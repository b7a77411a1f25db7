"""What people write on the forge, as data: issues, comments, the files of a pull request. From an event's file, or asked of the API."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from pbem.campaign import clock
from pbem.campaign.folder import CampaignError, read
from pbem.orders.signed import CAP
from pbem.post.github.client import TOO_LARGE, Client, Unreachable

EVENT_CAP = 25 * 1024 * 1024
BODY_CAP = 256 * 1024
"""Characters of one text that are looked at; the forge itself takes 65,536."""
PULL_FILES = 10
PULLS, PULLS_EACH = 40, 3
"""Open pull requests that are looked into in one run, and of one account. Each costs calls: a repository has a thousand an hour."""
INBOX = "inbox"
"""Folder of a repository where pushed files, and those of pull requests, are looked for."""
LABEL = "pbem"
"""What the issue forms put on an issue, where the repository has that label: its author waits for an answer."""
_FORM = re.compile(r"\s*### (?:File|Join file|Request file)\s")
"""How a text begins that was written with one of our forms."""
_KINDS = (".toml", ".sig", ".eml", ".txt")
_HEX = re.compile(r"[0-9a-f]{40,64}")
_LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}(?:\[bot\])?")


@dataclass(frozen=True)
class Post:
    """One text, pull request or push. ``comment`` 0: the issue's own text; ``issue`` 0: a push. Of a pull request and a push only ``files``
    count: names and bytes.

    ``time``: when it was last edited, else written, by the forge's clock. ``exact`` False: that is only known to lie not after ``time``.
    ``unread``: a pull request with files that the forge does not hand out.
    """

    issue: int
    author: str
    time: datetime
    body: str = ""
    comment: int = 0
    bot: bool = False
    asked: bool = False
    pull: bool = False
    closed: bool = False
    exact: bool = True
    unread: bool = False
    files: tuple[tuple[str, bytes], ...] = ()

    @property
    def name(self) -> str:
        """How it is called in answers: made of numbers alone."""
        if not self.issue:
            return "pushed file"
        kind = "pull request" if self.pull else "issue"
        return f"comment {self.comment}" if self.comment else f"{kind} {self.issue}"


def read_event(path: Path) -> dict[str, Any]:
    """The event's file as a table. CampaignError "github-event" when it is none, "too-large" beyond 25 MiB."""
    try:
        event = json.loads(read(path, EVENT_CAP))
    except (ValueError, RecursionError):
        raise CampaignError("github-event", path=str(path)) from None
    if not isinstance(event, dict):
        raise CampaignError("github-event", path=str(path))
    return event


def of_event(name: str, event: Mapping[str, Any]) -> list[Post]:
    """What an event brings: the issue or comment that was written or edited; of a pull request, whatever it touches is asked later."""
    action = event.get("action")
    if name == "issues" and action in ("opened", "edited", "reopened"):
        post = _issue(event.get("issue"), edited=action == "edited")
        # The payload shows it as it was at that moment; but an edit may have been one of the title.
        changes = event.get("changes")
        exact = action == "opened" or (isinstance(changes, Mapping) and "body" in changes)
        return [] if post is None else [replace(post, exact=exact)]
    if name == "issue_comment" and action in ("created", "edited"):
        issue = event.get("issue")
        post = _comment(event.get("comment"), number_of(issue))
        if post is None or not isinstance(issue, Mapping):
            return []
        return [replace(post, asked=LABEL in _labels(issue), pull="pull_request" in issue)]
    if name in ("pull_request", "pull_request_target") and action in ("opened", "reopened", "synchronize", "edited"):
        post = _issue(event.get("pull_request"), edited=action != "opened")
        return [] if post is None else [replace(post, pull=True, body="")]
    return []


def number_of(issue: Any) -> int:
    """The number of an issue as the API tells it; 0 when it has none."""
    number = issue.get("number") if isinstance(issue, Mapping) else None
    return number if isinstance(number, int) and 0 < number < 10**9 else 0


@dataclass(frozen=True)
class Swept:
    """What was written or edited since a time, the oldest first; ``comments`` as the API tells them; ``covered``: None when that is all,
    else until when nothing is missing."""

    posts: list[Post]
    comments: list[dict[str, Any]]
    covered: datetime | None = None


def since(client: Client, start: datetime) -> Swept:
    """Everything written or edited since then.

    An issue counts as changed when anybody comments it. ``exact`` is False for the texts of issues: ``dated`` finds out.
    """
    query = {"since": clock.text(start), "sort": "updated", "direction": "asc"}
    issues, all_issues = client.pages("issues", **query, state="all")
    comments, all_comments = client.pages("issues/comments", **query)
    known = {number_of(one): one for one in issues}
    comments = list({one.get("id") if isinstance(one.get("id"), int) else -at: one for at, one in enumerate(comments, start=1)}.values())
    posts = [replace(post, exact=False) for one in known.values() if (post := _issue(one, edited=True)) is not None]
    for one in comments:
        number = issue_of(one)
        post = _comment(one, number)
        if post is not None:
            issue = known.get(number, {})
            posts.append(replace(post, asked=LABEL in _labels(issue), pull="pull_request" in issue))
    ends = [_time(listed[-1].get("updated_at")) or start for listed, whole in ((issues, all_issues), (comments, all_comments)) if not whole]
    return Swept(sorted(posts, key=lambda post: (post.time, post.issue, post.comment)), comments, min(ends, default=None))


def dated(client: Client, posts: Iterable[Post]) -> list[Post]:
    """The same posts, those that are not ``exact`` with the time of their last edit, which only GraphQL tells.

    Where it tells nothing of one, its time stays: too late rather than too early, so that nobody can slip an edit in behind a closing time.
    Unreachable where it tells nothing at all: "too late" is said once and for all, so nobody is told it for want of an answer.
    """
    posts = list(posts)
    unsure = sorted({post.issue for post in posts if not post.exact and not post.pull and not post.comment})
    told: dict[int, datetime] = {}
    owner, _, name = client.repository.partition("/")
    for at in range(0, len(unsure), 50):
        fields = " ".join(f"i{number}: issue(number: {number}) {{ createdAt lastEditedAt }}" for number in unsure[at : at + 50])
        query = f"query {{ repository(owner: {json.dumps(owner)}, name: {json.dumps(name)}) {{ {fields} }} }}"
        found = client.ask(query).get("repository")
        if not isinstance(found, dict):
            raise Unreachable(200, "graphql")
        for number in unsure[at : at + 50]:
            one = found.get(f"i{number}")
            moment = _time(one.get("lastEditedAt") or one.get("createdAt")) if isinstance(one, dict) else None
            if moment is not None:
                told[number] = moment
    return [replace(post, time=told[post.issue], exact=True) if post.issue in told and not post.comment else post for post in posts]


def with_files(client: Client, post: Post) -> Post:
    """A pull request with the files it puts into the inbox, read one by one through the API: its branch is never fetched or checked out.

    What cannot be had of one pull request is no reason to keep everybody else waiting: a submodule and a difference that takes the forge
    too long are anybody's to make.
    """
    try:
        listed = client.read(f"pulls/{post.issue}/files", per_page=PULL_FILES)
    except Unreachable as error:
        return replace(post, unread=_for_good(error))
    files, unread = [], False
    for one in listed[:PULL_FILES] if isinstance(listed, list) else []:
        if not isinstance(one, dict):
            continue
        name, sha = one.get("filename"), one.get("sha")
        if not (isinstance(name, str) and isinstance(sha, str) and _HEX.fullmatch(sha)):
            continue
        if one.get("status") in ("added", "modified", "changed", "renamed") and is_inbox(name):
            try:
                files.append((name, _blob(client, sha)))
            except Unreachable as error:
                unread = _for_good(error) or unread
    return replace(post, files=tuple(files), unread=unread)


def _for_good(error: Unreachable) -> bool:
    """Whether asking again would not help. Raises it when the forge answers nobody any more just now."""
    if error.status in (401, 403, 429):
        raise error
    return 0 < error.status < 500


def looked_into(pulls: Iterable[Post], told: Mapping[int, set[str]]) -> list[Post]:
    """The open pull requests that a run looks into: those without an answer first, and of each account only its latest."""
    each: dict[str, int] = {}
    found = []
    for post in sorted(pulls, key=lambda one: one.time, reverse=True):
        if post.closed or post.bot:
            continue
        each[post.author] = each.get(post.author, 0) + 1
        if each[post.author] <= PULLS_EACH:
            found.append(post)
    return sorted(found, key=lambda one: (bool(told.get(one.issue)), one.time))[:PULLS]


def is_inbox(name: str) -> bool:
    """Whether a path of the repository is that of a file to be received."""
    path = PurePosixPath(name)
    return len(path.parts) > 1 and path.parts[0] == INBOX and path.suffix in _KINDS


def _blob(client: Client, sha: str) -> bytes:
    """The bytes of a file; beyond the cap one byte more than is allowed, so that it is answered as too large."""
    try:
        blob = client.read(f"git/blobs/{sha}")
    except Unreachable as error:
        if error.status == TOO_LARGE:
            return b"#" * (CAP + 1)
        raise
    content = blob.get("content") if isinstance(blob, dict) else None
    try:
        return base64.b64decode(content if isinstance(content, str) else "", validate=False)[: CAP + 1]
    except binascii.Error:
        return b""


def _issue(issue: Any, *, edited: bool) -> Post | None:
    number = number_of(issue)
    if not number:
        return None
    moment = _time(issue.get("updated_at" if edited else "created_at")) or _time(issue.get("created_at"))
    if moment is None:
        return None
    author, bot = _author(issue)
    text = _text(issue)
    return Post(
        number, author, moment, text, bot=bot, asked=LABEL in _labels(issue) or _FORM.match(text) is not None, pull="pull_request" in issue,
        closed=issue.get("state") == "closed",
    )  # fmt: skip


def _comment(comment: Any, issue: int) -> Post | None:
    if not issue or not isinstance(comment, Mapping) or not isinstance(comment.get("id"), int):
        return None
    # Nothing but an edit changes updated_at of a comment.
    moment = _time(comment.get("updated_at")) or _time(comment.get("created_at"))
    author, bot = _author(comment)
    return None if moment is None else Post(issue, author, moment, _text(comment), comment=comment["id"], bot=bot)


def issue_of(comment: Mapping[str, Any]) -> int:
    """The number of the issue that a comment of the API belongs to; 0 when it tells none."""
    number = str(comment.get("issue_url", "")).rpartition("/")[2]
    return int(number) if number.isdecimal() and len(number) < 10 else 0


def _author(one: Mapping[str, Any]) -> tuple[str, bool]:
    user = one.get("user")
    login = user.get("login") if isinstance(user, Mapping) else None
    if not isinstance(login, str) or not _LOGIN.fullmatch(login):
        return "ghost", False
    return login, isinstance(user, Mapping) and user.get("type") == "Bot"


def _labels(issue: Mapping[str, Any]) -> Iterator[str]:
    labels = issue.get("labels")
    for label in labels if isinstance(labels, list) else []:
        name = label.get("name") if isinstance(label, Mapping) else label
        if isinstance(name, str):
            yield name


def _text(one: Mapping[str, Any]) -> str:
    body = one.get("body")
    return body[:BODY_CAP] if isinstance(body, str) else ""


def _time(written: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(written)
        return moment.astimezone(UTC).replace(microsecond=0) if moment.tzinfo is not None else None
    except (TypeError, ValueError, OverflowError):
        return None
