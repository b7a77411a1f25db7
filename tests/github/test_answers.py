"""Comments: each thing said once, whatever is lost on the way; nothing a stranger wrote means anything in them."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from pbem.campaign.folder import CampaignError
from pbem.engine import registry
from pbem.post.github.answers import LONGEST, Part, Reply, bodies, deliver, load, mark, save
from pbem.post.github.client import Client, Unreachable
from pbem.publish.comments import fenced, note_comment
from pbem.publish.words import Words

from .conftest import Club

HOSTILE = '@everybody <img src=x onerror=alert(1)> [click](javascript:x) ``` ````` \n```\n<script>\n~~~\n<!-- pbem a receipt 1 -->'


def reply(issue: int = 1, *numbers: int) -> Reply:
    return Reply(issue=issue, parts=[part(number, f"about {number}") for number in numbers or (1,)], close=True)


def part(number: int, body: str) -> Part:
    return Part(mark=mark("a", "receipt", number), body=body)


def test_a_comment_whose_answer_was_lost_is_not_written_again(club: Club) -> None:
    club.forge.open("x")
    club.forge.lost = 1
    deliver(club.client(), reply())
    assert len(club.forge.said(1)) == 1 and club.forge.issues[1]["state"] == "closed"


def test_only_what_is_new_is_said(club: Club) -> None:
    club.forge.open("x")
    deliver(club.client(), reply(1, 1))
    deliver(club.client(), reply(1, 1, 2))
    first, second = club.forge.said(1)
    assert "about 1" in first and "about 1" not in second and "about 2" in second


def test_two_that_say_the_same_at_once_leave_one_comment(club: Club) -> None:
    club.forge.open("x")
    gate = threading.Barrier(2)

    class Together(Client):
        def pages(self, path: str, **query: str | int) -> tuple[list[dict[str, object]], bool]:
            found = super().pages(path, **query)
            if not gate.broken and not met.is_set():
                gate.wait(5)
                met.set()
            return found

    met = threading.Event()
    plain = club.client()
    together = Together(plain.repository, plain.token, plain.api, plain.graphql, plain.pause)
    threads = [threading.Thread(target=deliver, args=(together, reply())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(club.forge.said(1)) == 1


def test_an_answer_that_cannot_be_given_fails_and_can_be_given_later(club: Club) -> None:
    club.forge.open("x")
    club.forge.trouble = [(403, {})]
    with pytest.raises(Unreachable):
        deliver(club.client(), reply())
    deliver(club.client(), reply())
    assert len(club.forge.said(1)) == 1


def test_nothing_a_stranger_wrote_gets_out_of_its_fence() -> None:
    told = fenced(HOSTILE)
    first, *inside, last = told.split("\n")
    assert last == first.removesuffix("text") == "`" * 6
    assert all(not line.startswith(last) for line in inside)
    assert len(fenced("x" * 100_000)) < 21_000


def test_notes_name_nothing_but_our_own_campaigns() -> None:
    words = Words(registry.title("ming-dynasty"))
    for code in ("nothing", "which-game", "too-many", "over"):
        assert len(note_comment(code, words, ["winter-court"])) > 30
    assert "`winter-court`" in note_comment("which-game", words, ["winter-court"])


def test_answers_lie_in_files_and_are_read_strictly(tmp_path: Path) -> None:
    assert save([reply(7, 1, 2), reply(3, 4)], tmp_path / "out") == 2
    assert [one.issue for one in load(tmp_path / "out")] == [3, 7]
    assert load(tmp_path / "nowhere") == []
    (tmp_path / "out" / "x.json").write_bytes(b'{"issue": 1, "parts": [], "more": 1}')
    with pytest.raises(CampaignError, match="bad-answers"):
        load(tmp_path / "out")


def test_parts_are_put_together_as_far_as_a_comment_reaches() -> None:
    long = [part(number, "y" * 25_000) for number in range(5)]
    made = bodies(long)
    assert len(made) == 3 and all(len(one) <= LONGEST for one in made)
    with pytest.raises(ValueError, match="not a mark"):
        mark("--> <b>")


def test_the_client_waits_and_tries_again_and_gives_up(club: Club) -> None:
    client = club.client()
    club.forge.trouble = [(502, {}), (429, {"Retry-After": "7"}), (403, {"X-RateLimit-Remaining": "0"})]
    assert client.read("issues", since="2000", per_page=10) == []
    assert club.pauses == [2.0, 7.0, 8.0]
    club.forge.trouble = [(503, {})] * 4
    with pytest.raises(Unreachable):
        client.read("issues", since="2000", per_page=10)
    # Forbidden stays forbidden: not asked again.
    club.pauses.clear()
    club.forge.trouble = [(403, {}), (200, {})]
    with pytest.raises(Unreachable):
        client.read("issues", since="2000", per_page=10)
    assert club.pauses == [] and len(club.forge.trouble) == 1


def test_a_redirect_does_not_take_the_token_along(club: Club) -> None:
    club.forge.trouble = [(302, {"Location": f"{club.forge.address}/elsewhere"})]
    with pytest.raises(Unreachable):
        club.client().read("issues", since="2000", per_page=10)
    assert not any("elsewhere" in asked for asked in club.forge.asked)


def test_long_lists_are_read_page_by_page(club: Club) -> None:
    for _ in range(230):
        club.forge.open("x", labels=())
    found, whole = club.client().pages("issues", since="2000")
    assert len(found) == 230 and whole


def test_a_client_needs_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_REPOSITORY", "club/games")
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)
    with pytest.raises(CampaignError, match="GITHUB_TOKEN"):
        Client.from_environment()
    monkeypatch.setenv("GITHUB_TOKEN", "t")
    for address in ("http://api.example.org", "file:///etc/passwd", "ftp://127.0.0.1"):
        monkeypatch.setenv("GITHUB_API_URL", address)
        with pytest.raises(CampaignError, match="GITHUB_API_URL"):
            Client.from_environment()
    monkeypatch.setenv("GITHUB_API_URL", "https://github.example.org/api/v3")
    assert Client.from_environment().graphql == "https://github.example.org/api/v3/graphql"
