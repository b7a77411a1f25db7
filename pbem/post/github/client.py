"""The few calls of the forge's API that are needed, over the standard library.

The token comes from the environment and goes to one address only: redirects are not followed. Reading is tried again when the service
stumbles; writing is not, because whoever writes has to look first whether it was done after all.
"""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from email.message import Message
from http.client import HTTPException
from typing import Any
from urllib.parse import urlencode, urlsplit

from pbem.campaign import clock
from pbem.campaign.folder import CampaignError

LARGEST = 8 * 1024 * 1024
"""Bytes of an answer that are read."""
PAGE = 100
PAGES = 30
"""Pages of a list that are read in one run; what is left is for the next."""
_SMALLER = 10
"""Into so many parts a page is cut that is too large for us, or for the service."""
TRIES = 4
LONGEST_WAIT = 20.0
_TIMEOUT = 30.0
TOO_LARGE = 413
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Unreachable(CampaignError):
    """The forge did not answer, or not as it should; ``status`` 0 where there was no answer at all."""

    def __init__(self, status: int, what: str) -> None:
        super().__init__("github-unreachable", status=status or "no answer", what=what)
        self.status = status


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args: Any, **_kwargs: Any) -> None:
        """A redirect would take the token along to wherever it points."""


@dataclass(frozen=True)
class Client:
    """One repository, "owner/name", as the token lets us see it. ``pause`` waits for so many seconds."""

    repository: str
    token: str
    api: str = "https://api.github.com"
    graphql: str = "https://api.github.com/graphql"
    pause: Callable[[float], None] = time.sleep

    @staticmethod
    def from_environment() -> Client:
        """The client a job has. CampaignError "github-environment" names the variable that is missing, or no address."""
        found = {name: os.environ.get(name, "").strip() for name in ("GITHUB_REPOSITORY", "GITHUB_TOKEN")}
        for name, value in found.items():
            if not value:
                raise CampaignError("github-environment", name=name)
        api = os.environ.get("GITHUB_API_URL", "").strip() or "https://api.github.com"
        graphql = os.environ.get("GITHUB_GRAPHQL_URL", "").strip() or f"{api}/graphql"
        for name, address in (("GITHUB_API_URL", api), ("GITHUB_GRAPHQL_URL", graphql)):
            parts = urlsplit(address)
            if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
                raise CampaignError("github-environment", name=name)
        return Client(found["GITHUB_REPOSITORY"], found["GITHUB_TOKEN"], api, graphql)

    def read(self, path: str, **query: str | int) -> Any:
        """What lies at a path below the repository. Unreachable when it cannot be had, after some tries."""
        address = f"{self.api}/repos/{self.repository}/{path}" + (f"?{urlencode(query)}" if query else "")
        return self._again(lambda: self._call("GET", address), path)

    def pages(self, path: str, **query: str | int) -> tuple[list[dict[str, Any]], bool]:
        """A list, page by page, and whether it was read to its end.

        A hundred comments may be larger than what is read at once: whoever writes them must not keep us from the others. A list that is
        ordered by change is read on from the last change seen, not by counting: what changes meanwhile moves to its end, and all behind it
        moves up. So one thing may come twice; the last is the newest.
        """
        found: list[dict[str, Any]] = []
        at, size, total = 0, PAGE, 0
        while total < PAGE * PAGES:
            try:
                got = self.read(path, **query, per_page=size, page=at // size + 1)
            except Unreachable as error:
                if size < PAGE or (error.status != TOO_LARGE and error.status < 500):
                    raise
                size = max(PAGE // _SMALLER, 1)
                continue
            if not isinstance(got, list):
                raise Unreachable(200, path)
            found += [one for one in got if isinstance(one, dict)]
            if len(got) < size:
                return found, True
            at, total = at + size, total + size
            if at % PAGE == 0:
                size = PAGE
                on = _just_before(got[-1].get("updated_at")) if query.get("sort") == "updated" and isinstance(got[-1], dict) else ""
                if on > str(query.get("since", "")):
                    query["since"], at = on, 0
        return found, False

    def ask(self, query: str) -> dict[str, Any]:
        """The ``data`` of a GraphQL query that only reads; {} when there is none."""
        got = self._again(lambda: self._call("POST", self.graphql, {"query": query}), "graphql")
        data = got.get("data") if isinstance(got, dict) else None
        return data if isinstance(data, dict) else {}

    def write(self, method: str, path: str, content: Mapping[str, Any]) -> Any:
        """Changes something, in one try."""
        return self._call(method, f"{self.api}/repos/{self.repository}/{path}", content)

    def _again(self, call: Callable[[], Any], what: str) -> Any:
        for attempt in range(1, TRIES + 1):
            try:
                return call()
            except _Stumbled as error:
                if attempt == TRIES or not error.passing:
                    raise Unreachable(error.status, what) from None
                self.pause(min(error.wait or 2.0**attempt, LONGEST_WAIT))
        raise AssertionError("the last try returns or raises")

    def _call(self, method: str, address: str, content: Mapping[str, Any] | None = None) -> Any:
        request = urllib.request.Request(  # noqa: S310 — the scheme was checked where the address came in
            address, method=method, data=None if content is None else json.dumps(content).encode(),
            headers={
                "Authorization": f"Bearer {self.token}", "Accept": "application/vnd.github+json", "User-Agent": "pbem",
                "X-GitHub-Api-Version": "2022-11-28", "Content-Type": "application/json",
            },
        )  # fmt: skip
        try:
            with urllib.request.build_opener(_NoRedirect).open(request, timeout=_TIMEOUT) as answer:
                data = answer.read(LARGEST + 1)
        except urllib.error.HTTPError as error:
            with error:
                raise _Stumbled(error.code, _wait(error.headers), _limited(error)) from None
        except (OSError, HTTPException):
            raise _Stumbled(0) from None
        if len(data) > LARGEST:
            raise _Stumbled(TOO_LARGE)
        try:
            return json.loads(data) if data else None
        except ValueError:
            raise _Stumbled(0) from None


class _Stumbled(Unreachable):
    """One call that failed: ``wait`` seconds as the service asks, ``passing`` when it may go well the next time."""

    def __init__(self, status: int, wait: float = 0.0, limited: bool = False) -> None:
        super().__init__(status, "call")
        self.wait, self.passing = wait, status == 0 or status >= 500 or limited


def _limited(error: urllib.error.HTTPError) -> bool:
    """Whether the service only wants us to slow down: it does not always say so in a header."""
    if error.code == 429 or (error.code == 403 and ("Retry-After" in error.headers or error.headers.get("X-RateLimit-Remaining") == "0")):
        return True
    try:
        return error.code == 403 and b"rate limit" in error.read(4096).lower()
    except (OSError, HTTPException):
        return False


def _just_before(written: Any) -> str:
    """A second before a time of the service: whether "since" has the time itself in it is not said everywhere alike."""
    try:
        return clock.text(clock.parse(str(written)) - timedelta(seconds=1))
    except (ValueError, OverflowError):
        return ""


def _wait(headers: Message) -> float:
    asked = headers.get("Retry-After", "")
    return float(asked) if asked.isdecimal() and len(asked) < 6 else 0.0
