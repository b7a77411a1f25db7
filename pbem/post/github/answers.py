"""Answers on their way: files in a folder, then comments. Each part carries a mark, so that none is written twice and none is forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from pbem.campaign.folder import CampaignError, read, write
from pbem.post.github.client import TRIES, Client, Unreachable

OURS = "github-actions[bot]"
"""Who writes for the jobs of a repository; a mark that anybody else writes counts for nothing."""
LONGEST_PAUSE = 90.0
"""Seconds we wait at most when we are asked to write more slowly; the service wants a minute."""
LONGEST = 60_000
"""Characters of a comment; the forge takes 65,536."""
_MARK = re.compile(r"<!-- pbem [a-z0-9 -]{1,80} -->")
_CAP = 4 * 1024 * 1024
MOST = 1000


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing to say: ``mark`` names it, ``body`` is Markdown."""

    mark: str
    body: str


class Reply(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be done with an issue or pull request. ``off``: labels that do not hold any more; ``close``: all is settled."""

    issue: int
    parts: list[Part]
    labels: list[str] = []
    off: list[str] = []
    close: bool = False


def mark(*words: str | int) -> str:
    """The mark of a part: invisible in a comment. Made of names and numbers of ours."""
    made = f"<!-- pbem {' '.join(str(word) for word in words)} -->"
    if not _MARK.fullmatch(made):
        raise ValueError("not a mark")
    return made


def marks_in(comments: Iterable[Mapping[str, Any]], author: str = OURS) -> set[str]:
    """The marks that our own comments carry."""
    found: set[str] = set()
    for comment in comments:
        user = comment.get("user")
        if isinstance(user, Mapping) and user.get("login") == author:
            found |= set(_MARK.findall(str(comment.get("body", ""))))
    return found


def save(replies: Iterable[Reply], out: Path) -> int:
    """Writes a file for each reply; gives their number."""
    out.mkdir(parents=True, exist_ok=True)
    count = 0
    for count, reply in enumerate(replies, start=1):  # noqa: B007 — the number is what is given back
        write(out / f"{reply.issue:06}.json", msgspec.json.encode(reply))
    return count


def load(out: Path) -> list[Reply]:
    """The replies in a folder. CampaignError "bad-answers" when something in it is none."""
    found = []
    for path in sorted(out.glob("*.json"))[:MOST] if out.is_dir() else []:
        try:
            found.append(msgspec.json.decode(read(path, _CAP), type=Reply))
        except msgspec.MsgspecError:
            raise CampaignError("bad-answers", path=str(path)) from None
    return found


def deliver(client: Client, reply: Reply) -> int:
    """Says what has not been said yet, sets the labels, closes. Gives the comments written; Unreachable when it cannot be done."""
    written = 0
    for attempt in range(1, TRIES + 1):
        # Looked at anew before each try: a call whose answer was lost may have been heard.
        comments, _ = client.pages(f"issues/{reply.issue}/comments")
        said = marks_in(comments)
        try:
            for body in bodies(part for part in reply.parts if part.mark not in said):
                _say(client, reply.issue, body)
                written += 1
            if reply.labels:
                client.write("POST", f"issues/{reply.issue}/labels", {"labels": reply.labels})
            for label in reply.off:
                _take_off(client, reply.issue, label)
            if reply.close:
                client.write("PATCH", f"issues/{reply.issue}", {"state": "closed"})
            break
        except Unreachable as error:
            if attempt == TRIES or not getattr(error, "passing", False):
                raise
            client.pause(max(2.0**attempt, min(getattr(error, "wait", 0.0), LONGEST_PAUSE)))
    return written


def _say(client: Client, issue: int, body: str) -> None:
    """Writes a comment, and takes it back when another run has said the same a moment before."""
    mine = client.write("POST", f"issues/{issue}/comments", {"body": body})
    number = mine.get("id") if isinstance(mine, Mapping) else None
    if not isinstance(number, int):
        return
    comments, _ = client.pages(f"issues/{issue}/comments")
    earlier = [one for one in comments if isinstance(one.get("id"), int) and one["id"] < number]
    if set(_MARK.findall(body)) <= marks_in(earlier):
        client.write("DELETE", f"issues/comments/{number}", {})


def _take_off(client: Client, issue: int, label: str) -> None:
    try:
        client.write("DELETE", f"issues/{issue}/labels/{quote(label)}", {})
    except Unreachable as error:
        if error.status != 404:
            raise


def bodies(parts: Iterable[Part]) -> list[str]:
    """The parts as few comments as they fit into."""
    made: list[str] = []
    for part in parts:
        one = f"{part.mark}\n{part.body}"[:LONGEST]
        if made and len(made[-1]) + len(one) + 2 <= LONGEST:
            made[-1] += f"\n\n{one}"
        else:
            made.append(one)
    return made
