"""Events and answers of any shape: read as what they are, or left alone; never a fault of ours."""

from __future__ import annotations

import contextlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.campaign.folder import CampaignError
from pbem.orders.armour import armour
from pbem.post.github.client import Client, Unreachable
from pbem.post.github.posts import BODY_CAP, Post, dated, is_inbox, issue_of, of_event, read_event, since, with_files
from pbem.post.github.tray import files_in

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
KINDS = ("issues", "issue_comment", "pull_request", "pull_request_target", "push", "schedule", "workflow_dispatch", "", "unheard_of")
WORDS = (
    "action", "issue", "comment", "pull_request", "number", "id", "user", "login", "type", "body", "created_at", "updated_at", "labels",
    "name", "state", "0001-01-01T00:00:00+23:59", "issue_url", "changes", "repository", "pushed_at",
    "filename", "sha", "status", "content", "opened", "edited", "created", "Bot",
    "2026-12-01T12:00:00Z", "2026-12-01T12:00:00", "9999-12-31T23:59:59Z", "added", "inbox/a.toml", "a" * 40, "closed", "pbem",
)  # fmt: skip
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS) | st.text(max_size=20)
KEYS = st.sampled_from(WORDS) | st.text(max_size=5)
ANYTHING = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6), max_leaves=12)
TABLES = st.dictionaries(KEYS, ANYTHING, max_size=8)


class Answering(Client):
    """A forge that answers anything."""

    def _call(self, _method: str, _address: str, content: Any = None) -> Any:
        return self.answer if not callable(self.answer) else self.answer(content)

    answer: Any = None


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(KINDS), st.sampled_from(("opened", "edited", "created", "synchronize", None)), TABLES, TABLES, TABLES)
def test_events_of_any_shape(name: str, action: str | None, event: dict[str, Any], issue: dict[str, Any], comment: dict[str, Any]) -> None:
    event |= {"action": action, "issue": issue, "pull_request": issue, "comment": comment}
    for post in of_event(name, event):
        assert post.issue > 0 and post.time.tzinfo is not None and len(post.body) <= BODY_CAP
        files_in(post)


@settings(max_examples=40, deadline=None)
@given(ANYTHING, st.lists(TABLES, max_size=3))
def test_answers_of_any_shape(answer: Any, listed: list[dict[str, Any]]) -> None:
    client = Answering("club/games", "t", pause=lambda _seconds: None)
    object.__setattr__(client, "answer", answer)
    post = Post(1, "an", NOW, exact=False)
    with contextlib.suppress(Unreachable):
        assert len(dated(client, [post])) == 1
    with contextlib.suppress(CampaignError):
        with_files(client, post)
    object.__setattr__(client, "answer", listed)
    swept = since(client, NOW)
    assert all(one.issue for one in swept.posts)
    assert all(issue_of(one) >= 0 for one in listed)


def test_an_event_file_is_capped_and_must_be_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "event.json"
    for text in ("", "[]", "{", "[" * 100_000, '"x"'):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(CampaignError, match="github-event"):
            read_event(path)
    monkeypatch.setattr("pbem.post.github.posts.EVENT_CAP", 10)
    path.write_text(json.dumps({"a": "x" * 20}), encoding="utf-8")
    with pytest.raises(CampaignError, match="too-large"):
        read_event(path)


@pytest.mark.parametrize(
    "name", ["inbox", "inbox/a.yml", "inbox/README.md", "a.toml", "x/inbox/a.toml", "../inbox/a.toml", "/inbox/a.toml", "inbox\\a.toml"]
)
def test_only_files_of_the_inbox_are_received(name: str) -> None:
    assert not is_inbox(name)
    assert is_inbox("inbox/a.toml") and is_inbox("inbox/deep/mail.eml")


def test_files_are_found_in_every_way_a_text_can_hold_them() -> None:
    block = armour(b"game = 'x'\n# one\n")
    second = armour(b"game = 'x'\n# two\n")
    for text, count in (
        ("just talk", 0), ("", 0), (block, 1), (f"> {block}".replace("\n", "\n> "), 1), (f"<details>\n\n```\n{block}```\n</details>", 1),
        (block + "and\r\n" + second, 2), (block + block, 1), (block.replace("END", "EMD"), 1), ("-----BEGIN PBEM ORDER-----", 1),
    ):  # fmt: skip
        assert len(files_in(Post(1, "an", NOW, text))) == count, text
