"""Runs of a campaign repository, against a forge on this machine: what is written is answered once, and a turn happens once."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest

from pbem.campaign import clock
from pbem.campaign.audit import audit
from pbem.campaign.channels import mark_read
from pbem.campaign.folder import CampaignError, Folder
from pbem.post.github import tray
from pbem.post.github import turn as turns
from pbem.post.github.answers import deliver
from pbem.post.github.repository import Repository
from pbem.post.github.turn import REFUSED, SETTLING, TAKEN, run
from tests.helpers import NAME

from .conftest import Club
from .forge import git


def issue_event(issue: dict[str, Any], action: str = "opened") -> dict[str, Any]:
    return {"action": action, "issue": dict(issue), "repository": {"full_name": "club/games"}}


def asked(club: Club) -> tuple[str, str]:
    """Who must decide now, and the other."""
    first = club.campaign.asked()[0]
    return first, next(seat for seat in club.campaign.seats if seat != first)


def test_an_issue_is_received_played_answered_and_closed(club: Club) -> None:
    seat, _ = asked(club)
    before = club.entries()
    issue = club.forge.open(club.text(club.orders(seat)))
    done = club.turn("issues", issue_event(issue))
    assert done.committed and done.answered == {NAME: [4]} and len(done.played[NAME]) == 1
    assert club.entries() == before + 1
    assert len(club.forge.said(1)) == 1 and "receipt 4" in club.forge.said(1)[0]
    assert club.forge.issues[1]["state"] == "closed" and TAKEN in club.forge.labels(1)
    assert audit(club.campaign.folder).fault is None
    # The next runs find nothing to do, and say nothing twice.
    for _ in range(2):
        assert not club.turn().committed
    assert len(club.forge.said(1)) == 1


def test_a_dropped_run_loses_nothing(club: Club) -> None:
    seat, _ = asked(club)
    written = club.forge.now
    club.forge.open(club.text(club.orders(seat)))
    club.later(hours=5)
    club.forge.say(1, "Did it arrive?", author="somebody")
    done = club.turn()
    assert done.answered == {NAME: [4]}
    receipt = club.campaign.course().archive.receipts[3].record
    assert receipt.received == written.strftime("%Y-%m-%dT%H:%M:%SZ"), "a comment by somebody else does not make it later"
    assert len(club.forge.said(1)) == 1


def test_an_edit_counts_when_it_was_made(club: Club) -> None:
    seat, _ = asked(club)
    club.forge.open("### File\n\nwill follow")
    club.turn()
    assert "No signed order" in club.forge.said(1)[0] and club.forge.issues[1]["state"] == "open"
    club.later(hours=2)
    edited = club.forge.now
    issue = club.forge.edit(1, club.text(club.orders(seat)))
    club.later(minutes=10)
    club.turn("issues", issue_event(issue, "edited") | {"changes": {"body": {"from": "x"}}})
    assert club.campaign.course().archive.receipts[3].record.received == edited.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert len(club.forge.said(1)) == 2 and club.forge.issues[1]["state"] == "closed"


def test_a_comment_with_a_pasted_file_is_answered_and_the_issue_stays_open(club: Club) -> None:
    seat, _ = asked(club)
    club.forge.open("Our game", labels=())
    comment = club.forge.say(1, f"here:\r\n\r\n```toml\r\n{club.orders(seat).decode()}```\r\nthanks @everybody")
    event = {"action": "created", "issue": dict(club.forge.issues[1]), "comment": dict(comment)}
    assert club.turn("issue_comment", event).answered == {NAME: [4]}
    assert len(club.forge.said(1)) == 1 and club.forge.issues[1]["state"] == "open"


def test_a_refused_file_is_put_right_in_the_same_issue(club: Club) -> None:
    seat, other = asked(club)
    club.forge.open(club.text(club.orders(seat, key=club.campaign.players[other].key)))
    club.turn()
    assert REFUSED in club.forge.labels(1) and club.forge.issues[1]["state"] == "open"
    assert "does not count" in club.forge.said(1)[0] and "write it into a comment" in club.forge.said(1)[0]
    club.later(minutes=1)
    club.forge.edit(1, club.text(club.orders(seat)))
    club.turn()
    assert club.forge.labels(1) == {"pbem", TAKEN} and club.forge.issues[1]["state"] == "closed"
    assert len(club.forge.said(1)) == 2


def test_a_pull_request_is_data_and_is_closed_not_merged(club: Club) -> None:
    seat, _ = asked(club)
    pull = club.forge.request({f"inbox/{seat}.order.toml": club.orders(seat), ".github/workflows/evil.yml": b"on: push"})
    event = {"action": "opened", "pull_request": dict(pull)}
    assert club.turn("pull_request", event).answered == {NAME: [4]}
    assert club.forge.issues[1]["state"] == "closed" and len(club.forge.said(1)) == 1
    tree = git(club.bare, "ls-tree", "-r", "--name-only", "main")
    assert "evil" not in tree and f"inbox/{seat}.order.toml" not in tree
    # Found by a sweep as well, where no event told of it.
    club.forge.request({"inbox/again.toml": b"game = 'nothing signed'\n"})
    assert club.turn().answered == {NAME: [5]} and REFUSED in club.forge.labels(2)


def push(club: Club, name: str, data: bytes) -> str:
    where = club.fresh()
    (where / "inbox").mkdir(exist_ok=True)
    (where / "inbox" / name).write_bytes(data)
    git(where, "add", "--all")
    git(where, "commit", "--quiet", "-m", "orders")
    git(where, "push", "--quiet", "origin", "HEAD:main")
    return git(where, "rev-parse", "HEAD").strip()


def test_a_pushed_file_counts_when_it_was_pushed_and_goes_away(club: Club) -> None:
    seat, _ = asked(club)
    pushed = club.forge.now
    after = push(club, "mine.toml", club.orders(seat))
    club.later(hours=3)
    event = {"ref": "refs/heads/main", "after": after, "repository": {"pushed_at": int(pushed.timestamp())}}
    done = club.turn("push", event)
    assert done.answered == {NAME: [4]} and done.gone == ["inbox/mine.toml"]
    assert club.campaign.course().archive.receipts[3].record.received == pushed.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert "inbox/mine.toml" not in git(club.bare, "ls-tree", "-r", "--name-only", "main")


def test_a_file_that_somebody_else_pushed_later_is_not_dated_back(club: Club) -> None:
    seat, _ = asked(club)
    after = push(club, "talk.toml", b"nothing\n")
    early = int(club.forge.now.timestamp())
    where = club.fresh()
    club.later(hours=3)
    push(club, "late.toml", club.orders(seat))
    event = {"after": after, "repository": {"pushed_at": early}}
    run(club.job(where, "push", event), Repository(where, "main"))
    club.look()
    received = {kept.record.seat: kept.record.received for kept in club.campaign.course().archive.receipts[3:]}
    assert received[seat] == club.forge.now.strftime("%Y-%m-%dT%H:%M:%SZ")


def test_a_push_that_loses_throws_everything_away_and_begins_again(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    seat, other = asked(club)
    club.forge.open(club.text(club.orders(seat)))
    raced = []
    true_once = turns.once

    def once(*args: Any) -> Any:
        done = true_once(*args)
        if len(raced) < 2:
            raced.append(done)
            push(club, f"from-{len(raced)}.txt", club.orders(other, district="zhili-a"))
        return done

    monkeypatch.setattr(turns, "once", once)
    done = club.turn()
    assert len(raced) == 2 and done.committed and len(club.pauses) == 2
    assert club.receipts() == 5 + (len(done.gone) > 1) and audit(club.campaign.folder).fault is None
    assert len(club.forge.said(1)) == 1


def test_a_branch_that_never_rests_ends_in_a_sentence_and_nothing_is_out(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    seat, _ = asked(club)
    club.forge.open(club.text(club.orders(seat)))
    monkeypatch.setattr(Repository, "push", lambda _self: False)
    with pytest.raises(CampaignError, match="github-raced"):
        club.turn()
    assert club.forge.said(1) == [] and "receipts/0004.toml" not in git(club.bare, "ls-tree", "-r", "--name-only", "main")


def test_two_runs_at_once_make_one_entry_and_one_answer(club: Club) -> None:
    seat, _ = asked(club)
    issue = club.forge.open(club.text(club.orders(seat)))
    before = club.entries()
    gate = threading.Barrier(2)
    outcome: list[Any] = []

    def one(where: Any, name: str, event: dict[str, Any]) -> None:
        gate.wait()
        done = run(club.job(where, name, event), Repository(where, "main"))
        for reply in done.replies:
            deliver(club.client(), reply)
        outcome.append(done)

    clones = [club.fresh(), club.fresh()]
    threads = [
        threading.Thread(target=one, args=(clones[0], "issues", issue_event(issue))),
        threading.Thread(target=one, args=(clones[1], "schedule", {})),
    ]  # fmt: skip
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    club.look()
    assert sorted(done.committed for done in outcome) == [False, True]
    assert club.entries() == before + 1 and club.receipts() == 4
    assert audit(club.campaign.folder).fault is None
    assert len(club.forge.said(1)) == 1


def test_a_run_that_died_between_push_and_comments_is_made_good(club: Club) -> None:
    seat, _ = asked(club)
    club.forge.open(club.text(club.orders(seat)))
    club.turn(answer=False)
    assert club.forge.said(1) == []
    club.later(hours=1)
    done = club.turn()
    assert not done.committed and len(club.forge.said(1)) == 1
    club.later(hours=1)
    assert club.turn().replies == []


def test_a_mark_that_somebody_else_writes_counts_for_nothing(club: Club) -> None:
    seat, _ = asked(club)
    club.forge.open(club.text(club.orders(seat)))
    club.forge.say(1, f"<!-- pbem {NAME} receipt 4 -->", author="mallory")
    club.turn()
    assert len(club.forge.said(1)) == 1


def test_strangers_are_capped_and_players_are_not(club: Club) -> None:
    seat, _ = asked(club)
    for number in range(15):
        club.forge.open(club.text(b"game = 'x'\n# number %d\n" % number), author="mallory")
    club.forge.open(club.text(club.orders(seat)), author="mallory")
    done = club.turn()
    assert len(done.answered[NAME]) == 11, "ten of a stranger, and that of the player"
    assert "Too many" in club.forge.said(11)[0]
    assert TAKEN in club.forge.labels(16)
    # The next run counts the same: the ten are not forgotten because they were answered.
    club.later(hours=1)
    for number in range(15, 30):
        club.forge.open(club.text(b"game = 'x'\n# number %d\n" % number), author="mallory")
    assert club.turn().answered == {}
    told = [number for number in club.forge.issues if any("Too many" in body for body in club.forge.said(number))]
    assert told == [11, 12, 13, 14, 15], "and nobody is told forever"
    club.later(days=2)
    club.forge.open(club.text(b"game = 'x'\n# later\n"), author="mallory")
    assert len(club.turn().answered[NAME]) == 1


def test_more_files_than_a_run_receives_are_for_the_next(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tray, "MOST_NEW", 4)
    seat, _ = asked(club)
    for number in range(6):
        club.forge.open(club.text(b"game = 'x'\n# number %d\n" % number), author=f"stranger-{number}")
        club.later(minutes=1)
    club.forge.open(club.text(club.orders(seat)))
    before = club.entries()
    club.later(days=20)
    done = club.turn()
    assert not done.whole and len(done.answered[NAME]) == 4 and done.played == {}, "nobody is silent whose file was not looked at"
    assert not club.turn().whole or club.receipts() > 7
    club.turn()
    assert club.receipts() == 3 + 7 and club.entries() > before
    assert TAKEN in club.forge.labels(7)


def test_a_phase_is_closed_for_who_is_silent_once_everything_was_read(club: Club) -> None:
    closes = club.campaign.course().closes()
    assert closes is not None
    club.forge.now = club.campaign.now = closes + timedelta(hours=3)
    seat, _ = asked(club)
    late = club.forge.open(club.text(club.orders(seat)))
    written = closes - timedelta(minutes=1)
    late["created_at"] = written.strftime("%Y-%m-%dT%H:%M:%SZ")
    done = club.turn()
    assert done.played and TAKEN in club.forge.labels(1), "in time, though the run is three hours late"
    entry = club.campaign.course().archive.entries[-1].record
    assert entry.read == {"github": clock.text(club.forge.now - SETTLING)}
    orders = [order for step in entry.played for order in step.orders]
    assert any(order.file for order in orders) and any(order.default == "silence" for order in orders)
    assert audit(club.campaign.folder).fault is None


def test_nobody_is_asked_to_put_right_what_came_too_late(club: Club) -> None:
    seat, _ = asked(club)
    late = club.orders(seat)
    closes = club.campaign.course().closes()
    assert closes is not None
    club.forge.now = club.campaign.now = closes + timedelta(hours=3)
    club.forge.open(club.text(late))
    club.turn()
    assert "does not count" in club.forge.said(1)[0] and "write it into a comment" not in club.forge.said(1)[0]


def test_another_channel_that_was_not_read_is_waited_for(club: Club) -> None:
    closes = club.campaign.course().closes()
    assert closes is not None
    where = club.fresh()
    mark_read(Folder(where / "games" / NAME), "mail", club.forge.now)
    club.forge.now = closes + timedelta(hours=1)
    done = run(club.job(where), Repository(where, "main"))
    assert done.unread == {NAME: ["mail"]} and done.played == {} and not done.committed


def test_an_edit_of_the_title_does_not_make_a_file_later(club: Club) -> None:
    seat, _ = asked(club)
    first = club.forge.now
    issue = club.forge.open(club.text(club.orders(seat)))
    club.later(hours=3)
    issue["updated_at"] = club.forge.now.strftime("%Y-%m-%dT%H:%M:%SZ")
    club.turn("issues", issue_event(issue, "edited") | {"changes": {"title": {"from": "x"}}})
    assert club.campaign.course().archive.receipts[3].record.received == first.strftime("%Y-%m-%dT%H:%M:%SZ")


def test_a_form_is_answered_without_any_label(club: Club) -> None:
    club.forge.open("### Join file\r\n\r\n```text\r\nhello\r\n```", labels=())
    club.turn()
    assert "No signed order, join or request file" in club.forge.said(1)[0]


def test_what_is_not_for_us_is_left_alone(club: Club) -> None:
    club.forge.open("There is a bug in your pages", labels=())
    club.forge.say(1, "Yes, I saw it too")
    club.forge.say(1, club.text(b"game = 'x'\n"), author="renovate[bot]", bot=True)
    done = club.turn()
    assert done.replies == [] and not done.committed


def test_one_campaign_that_cannot_be_opened_stops_no_other(club: Club) -> None:
    seat, _ = asked(club)
    where = club.fresh()
    bad = where / "games" / "broken"
    bad.mkdir()
    (bad / "game.toml").write_text("this is not a game\n", encoding="utf-8")
    git(where, "add", "--all")
    git(where, "commit", "--quiet", "-m", "broken")
    git(where, "push", "--quiet", "origin", "HEAD:main")
    club.forge.open(club.text(club.orders(seat)))
    club.forge.open(club.text(b'game = "broken"\n'))
    done = club.turn()
    assert [path.name for path in done.failed] == ["broken"]
    assert done.answered == {NAME: [4]} and len(club.forge.said(1)) == 1 and club.forge.said(2) == []


def test_private_files_are_never_committed(club: Club) -> None:
    seat, _ = asked(club)
    where = club.fresh()
    private = where / "games" / NAME / "private"
    private.mkdir(exist_ok=True)
    (private / ".gitignore").write_text("", encoding="utf-8")
    club.forge.open(club.text(club.orders(seat)))
    with pytest.raises(CampaignError, match="private-staged"):
        run(club.job(where), Repository(where, "main"))
