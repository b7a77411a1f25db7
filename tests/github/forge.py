"""A forge on this machine: as much of GitHub's API as is used, with issues in memory and a bare repository on the disk."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "token-of-the-job-0123456789"  # noqa: S105 — opens nothing
BOT = "github-actions[bot]"


def written(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass
class Forge:
    """Issues, comments, pull requests. ``now`` is its clock. ``trouble``: answers (status, headers) given before the true ones."""

    now: datetime
    address: str = ""
    issues: dict[int, dict[str, Any]] = field(default_factory=dict)
    comments: dict[int, dict[str, Any]] = field(default_factory=dict)
    edited: dict[int, str] = field(default_factory=dict)
    pulls: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    blobs: dict[str, bytes] = field(default_factory=dict)
    trouble: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    broken: dict[str, int] = field(default_factory=dict)
    """Paths that are never answered as they should be → status."""
    refused_writes: list[dict[str, str]] = field(default_factory=list)
    """Headers with which the next comments are refused: not so fast."""
    lost: int = 0
    """So many comments are written and their answer lost."""
    ids: Iterator[int] = field(default_factory=lambda: count(1000))
    asked: list[str] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    # -- what people do ----------------------------------------------------------------------------------------------------

    def open(self, body: str, *, author: str = "player", labels: tuple[str, ...] = ("pbem",), pull: bool = False) -> dict[str, Any]:
        number = len(self.issues) + 1
        issue: dict[str, Any] = {
            "number": number, "user": {"login": author, "type": "User"}, "body": body, "state": "open", "title": "Orders",
            "created_at": written(self.now), "updated_at": written(self.now), "labels": [{"name": label} for label in labels],
        }  # fmt: skip
        if pull:
            issue["pull_request"] = {"url": f"{self.address}/pulls/{number}"}
        self.issues[number] = issue
        return issue

    def say(self, number: int, body: str, *, author: str = "player", bot: bool = False) -> dict[str, Any]:
        comment = {
            "id": next(self.ids), "user": {"login": author, "type": "Bot" if bot else "User"}, "body": body,
            "created_at": written(self.now), "updated_at": written(self.now),
            "issue_url": f"{self.address}/repos/club/games/issues/{number}",
        }  # fmt: skip
        self.comments[int(str(comment["id"]))] = comment
        self.issues[number]["updated_at"] = written(self.now)
        return comment

    def edit(self, number: int, body: str) -> dict[str, Any]:
        self.issues[number] |= {"body": body, "updated_at": written(self.now)}
        self.edited[number] = written(self.now)
        return self.issues[number]

    def request(self, files: dict[str, bytes], *, author: str = "player") -> dict[str, Any]:
        pull = self.open("Here are my orders", author=author, labels=(), pull=True)
        listed = []
        for name, data in files.items():
            sha = hashlib.sha1(data, usedforsecurity=False).hexdigest()
            self.blobs[sha] = data
            listed.append({"filename": name, "sha": sha, "status": "added"})
        self.pulls[pull["number"]] = listed
        return pull

    def said(self, number: int) -> list[str]:
        """The bodies of our comments on an issue."""
        return [
            str(one["body"]) for one in self.comments.values()
            if one["issue_url"].endswith(f"/{number}") and one["user"]["login"] == BOT
        ]  # fmt: skip

    def labels(self, number: int) -> set[str]:
        return {label["name"] for label in self.issues[number]["labels"]}

    # -- what the API answers ----------------------------------------------------------------------------------------------

    def answer(self, method: str, path: str, query: dict[str, str], content: Any) -> tuple[int, Any]:
        path = path.removeprefix("/repos/club/games/")
        if path == "/graphql":
            return 200, {"data": {"repository": self._dates(str(content["query"]))}}
        if method == "GET":
            return self._read(path, query)
        if found := re.fullmatch(r"issues/(\d+)/comments", path):
            return 201, self.say(int(found[1]), content["body"], author=BOT, bot=True)
        if found := re.fullmatch(r"issues/comments/(\d+)", path):
            return (204, {}) if self.comments.pop(int(found[1]), None) else (404, {})
        if found := re.fullmatch(r"issues/(\d+)/labels", path):
            names = self.labels(int(found[1])) | set(content["labels"])
            self.issues[int(found[1])]["labels"] = [{"name": name} for name in sorted(names)]
            return 200, []
        if found := re.fullmatch(r"issues/(\d+)/labels/([^/]+)", path):
            labels = self.issues[int(found[1])]["labels"]
            kept = [label for label in labels if label["name"] != unquote(found[2])]
            self.issues[int(found[1])]["labels"] = kept
            return (200 if len(kept) < len(labels) else 404), []
        if found := re.fullmatch(r"issues/(\d+)", path):
            self.issues[int(found[1])] |= content
            return 200, {}
        return 404, {}

    def _dates(self, query: str) -> dict[str, Any]:
        return {
            f"i{number}": {"createdAt": self.issues[int(number)]["created_at"], "lastEditedAt": self.edited.get(int(number))}
            for number in re.findall(r"issue\(number: (\d+)\)", query)
        }

    def _read(self, path: str, query: dict[str, str]) -> tuple[int, Any]:
        if path in ("issues", "issues/comments"):
            found = list((self.issues if path == "issues" else self.comments).values())
            found = sorted((one for one in found if one["updated_at"] >= query["since"]), key=lambda one: str(one["updated_at"]))
            return 200, _page(found, query)
        if found_number := re.fullmatch(r"issues/(\d+)/comments", path):
            return 200, _page([one for one in self.comments.values() if one["issue_url"].endswith(f"/{found_number[1]}")], query)
        if found_number := re.fullmatch(r"pulls/(\d+)/files", path):
            return 200, self.pulls[int(found_number[1])][: int(query["per_page"])]
        if path.startswith("git/blobs/"):
            data = self.blobs.get(path.removeprefix("git/blobs/"))
            if data is None:   # what a submodule points to
                return 404, {"message": "Not Found"}
            return 200, {"content": base64.encodebytes(data).decode(), "encoding": "base64", "size": len(data)}
        return 404, {}


def _page(found: list[Any], query: dict[str, str]) -> list[Any]:
    size, page = int(query["per_page"]), int(query.get("page", "1"))
    return found[(page - 1) * size : page * size]


@contextmanager
def serve(forge: Forge) -> Iterator[Forge]:
    """The forge at an address of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def _any(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            content = json.loads(self.rfile.read(length)) if length else None
            with forge._lock:
                forge.asked.append(f"{self.command} {parts.path}")
                headers: dict[str, str] = {}
                if self.headers["Authorization"] != f"Bearer {TOKEN}":
                    status, told = 401, {}
                elif (end := next((end for end in forge.broken if parts.path.endswith(end)), None)) is not None:
                    status, told = forge.broken[end], {}
                elif forge.refused_writes and self.command == "POST" and parts.path.endswith("/comments"):
                    status, headers, told = 403, forge.refused_writes.pop(0), {}
                elif forge.trouble:
                    status, headers = forge.trouble.pop(0)
                    told = {}
                else:
                    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
                    status, told = forge.answer(self.command, parts.path, query, content)
                    if forge.lost and self.command == "POST" and parts.path.endswith("/comments"):
                        forge.lost -= 1
                        status = 502
            data = json.dumps(told).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = do_DELETE = _any  # noqa: N815 — http.server calls them so

        def log_message(self, *_args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    forge.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield forge
    finally:
        server.shutdown()
        server.server_close()


def git(where: Path, *args: str) -> str:
    """What git says; a failure is one of the test."""
    done = subprocess.run(
        ["git", "-C", str(where), "-c", "user.name=organiser", "-c", "user.email=organiser@example.org", *args],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def bare_of(folder: Path, to: Path) -> Path:
    """A bare repository with the content of a folder as its branch main."""
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "Begin")
    git(folder, "clone", "--quiet", "--bare", str(folder), str(to))
    return to


def clone(bare: Path, to: Path) -> Path:
    """A copy with the last commit alone, as the jobs get it."""
    git(bare, "clone", "--quiet", "--depth=1", f"file://{bare}", str(to))
    return to


HOUR = timedelta(hours=1)
