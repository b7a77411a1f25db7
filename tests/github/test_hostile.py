"""What somebody does who wants others to wait: nothing he can write keeps a run from reading on and answering them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from pbem.orders.join import KEYS, NAMESPACE
from pbem.orders.keys import generate
from pbem.orders.signed import sign_file
from pbem.orders.write import dump
from pbem.post.github import client, posts, tray
from pbem.post.github.answers import Part, Reply, deliver, mark
from pbem.post.github.client import Unreachable
from tests.helpers import NAME

from .conftest import Club
from .forge import HOUR, written
from .test_turn import asked


def test_a_pull_request_that_cannot_be_read_stops_nobody(club: Club) -> None:
    seat, _ = asked(club)
    link, _, endless = (club.forge.request({f"inbox/{name}.toml": data}, author="evil")
                           for name, data in (("a", b"x"), ("b", b"x" * 7 * 2**20), ("c", b"y")))
    del club.forge.blobs[club.forge.pulls[link["number"]][0]["sha"]]   # a submodule: there is no such file
    club.forge.broken[f"pulls/{endless['number']}/files"] = 422
    mine = club.forge.open(club.text(club.orders(seat)))
    done = club.turn()
    assert done.answered[NAME] and len(done.played[NAME]) == 1
    assert club.forge.issues[mine["number"]]["state"] == "closed"


def test_texts_as_large_as_they_may_be_are_read(club: Club) -> None:
    seat, _ = asked(club)
    club.forge.open("talk", labels=(), author="evil")
    for _ in range(45):
        club.forge.say(1, "\u0001" * 65_536, author="evil")   # each of them six bytes in an answer
    club.forge.open(club.text(club.orders(seat)))
    assert club.turn().answered == {NAME: [4]}
    assert len(club.forge.said(2)) == 1


def test_a_flood_is_read_through_in_the_end(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "PAGES", 2)
    monkeypatch.setattr(client, "PAGE", 10)
    seat, _ = asked(club)
    club.turn()
    club.forge.open("talk", labels=(), author="evil")
    for _ in range(65):
        club.later(seconds=20)
        club.forge.say(1, "nothing", author="evil")
    club.forge.open(club.text(club.orders(seat)))
    for _ in range(8):
        club.later(minutes=1)
        if (done := club.turn()).played:
            break
    assert done.played and len(club.forge.said(2)) == 1


def test_copies_of_a_players_file_are_answered_no_more_than_strangers(club: Club) -> None:
    seat, _ = asked(club)
    text = club.text(club.orders(seat))
    club.forge.open(text)
    club.turn()
    for _ in range(tray.FROM_STRANGERS + tray.NOTES + 20):
        club.later(seconds=10)
        club.forge.open(text, author="evil")
    club.turn()
    assert sum(len(club.forge.said(number)) for number in club.forge.issues) < 2 + tray.FROM_STRANGERS + tray.NOTES


def test_when_the_time_of_a_text_cannot_be_had_it_is_not_called_late(club: Club) -> None:
    seat, _ = asked(club)
    closes = club.campaign.course().closes()
    assert closes is not None
    club.forge.now = closes - HOUR
    club.forge.open(club.text(club.orders(seat)))
    club.forge.now = club.campaign.now = closes + HOUR
    club.forge.say(1, "Hm?", author="evil")
    club.forge.broken["/graphql"] = 502
    with pytest.raises(Unreachable):
        club.turn()
    club.forge.broken.clear()
    assert club.turn().answered == {NAME: [4]}
    assert club.campaign.course().archive.receipts[3].record.accepted


def test_our_marks_cannot_be_put_into_our_mouth(club: Club) -> None:
    """Who quotes a mark in a file of his gets it back in our answer; it must not keep a player's receipt from being said there."""
    seat, _ = asked(club)
    said = mark(NAME, "receipt", 5)
    words = dict.fromkeys(KEYS, "") | {"game": NAME, "seat": said}
    club.forge.open("talk", labels=())
    club.forge.say(1, club.text(sign_file(generate(), NAMESPACE, dump(words))), author="evil")
    club.turn()
    assert "pbem winter-court receipt 5" in club.forge.said(1)[0], "it is quoted"
    club.forge.say(1, club.text(club.orders(seat)))
    club.turn()
    assert len(club.forge.said(1)) == 2 and said in club.forge.said(1)[1]


def test_pull_requests_of_one_account_leave_room_for_others(club: Club) -> None:
    seat, _ = asked(club)
    for _ in range(posts.PULLS + 10):
        club.forge.request({f"inbox/{number}.toml": b"%d" % number for number in range(3)}, author="evil")
        club.later(seconds=5)
    pull = club.forge.request({"inbox/mine.toml": club.orders(seat)})
    before = len(club.forge.asked)
    done = club.turn(answer=False)
    assert done.played and any(reply.issue == pull["number"] for reply in done.replies)
    assert len(club.forge.asked) - before < 100


def test_what_the_lists_do_not_show_yet_is_waited_for(club: Club) -> None:
    closes = club.campaign.course().closes()
    assert closes is not None
    club.forge.now = club.campaign.now = closes + timedelta(seconds=30)
    done = club.turn()
    assert not done.played and not done.unread and not done.failed
    club.later(minutes=1)
    assert club.turn().played


def test_the_command_in_an_answer_works_where_the_player_is(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    seat, _ = asked(club)
    club.forge.open(club.text(club.orders(seat)))
    club.turn()
    commands = [line.strip() for line in club.forge.said(1)[0].splitlines() if line.strip().startswith("pbem show ")]
    assert commands == [f"pbem show games/{NAME} --seat {seat} --key {seat}.key"]
    monkeypatch.chdir(club.campaign.folder.root.parent.parent)
    assert Path(commands[0].split()[2], "game.toml").is_file()


def test_who_is_asked_to_slow_down_waits_as_long_as_he_is_asked(club: Club) -> None:
    club.forge.open("x")
    club.forge.refused_writes = [{"Retry-After": "61"}]
    deliver(club.client(), Reply(issue=1, parts=[Part(mark=mark("a", "receipt", 1), body="x")]))
    assert len(club.forge.said(1)) == 1 and max(club.pauses) == 61


def test_what_moves_while_a_list_is_read_hides_nothing(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who edits a text on the first page, while it is read, moves up all behind it: nothing on the second page is passed over."""
    monkeypatch.setattr(client, "PAGE", 10)
    seat, _ = asked(club)
    club.forge.open("talk", labels=())
    ours = [club.forge.say(1, "nothing", author="evil") for _ in range(10) if not club.later(seconds=5)]
    club.later(seconds=5)
    club.forge.say(1, club.text(club.orders(seat)))
    for _ in range(12):
        club.later(seconds=5)
        club.forge.say(1, "nothing", author="evil")
    plain = client.Client.read

    def read(self: client.Client, path: str, **query: str | int) -> object:
        got = plain(self, path, **query)
        if path == "issues/comments" and ours:
            club.later(seconds=5)
            ours.pop(0)["updated_at"] = written(club.forge.now)
        return got

    monkeypatch.setattr(client.Client, "read", read)
    assert club.turn().answered == {NAME: [4]}


def test_a_player_cannot_keep_the_others_waiting_with_his_key(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tray, "SIGNED", 5)
    seat, other = asked(club)
    for number in range(9):
        club.forge.open(club.text(club.orders(other, district="zhili-a", revision=number + 1)), author="evil")
        club.later(seconds=5)
    club.forge.open(club.text(club.orders(seat)))
    done = club.turn()
    assert len(done.answered[NAME]) == 6 and len(club.forge.said(10)) == 1
    assert "Too many" in club.forge.said(9)[0]


def test_who_wrote_no_mail_is_told_of_none(club: Club) -> None:
    seat, _ = asked(club)
    text = club.text(club.orders(seat))
    for body in (text.replace("-----END PBEM ORDER-----", ""), text.replace("\r\n", "\r\n!", 9)):
        issue = club.forge.open(body)
        club.turn()
        told = club.forge.said(issue["number"])[0]
        assert "Block 1" in told and "of the mail" not in told
