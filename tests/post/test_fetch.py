"""Fetching mail: what is received, who is answered, who is not, and that no mail is dealt with twice."""

from __future__ import annotations

import os
import shutil
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.campaign.archive import load
from pbem.campaign.audit import audit
from pbem.campaign.creation import create
from pbem.campaign.folder import Folder
from pbem.campaign.intake import Incoming
from pbem.orders.armour import armour
from pbem.orders.keys import generate
from pbem.orders.request import NAMESPACE
from pbem.orders.sshsig import sign as ssh_sign
from pbem.orders.write import dump
from pbem.post import contacts, outbox
from pbem.post.fetch import fetch
from pbem.post.mailboxes import Maildir
from pbem.post.mime import open_mail
from pbem.post.notes import RESENDS_A_DAY, Notes

from ..helpers import HOUR, Campaign, new_campaign, read_until
from .postbox import ADDRESSES, answers, as_bytes, drop, inbox, mail, register, run, said, text_of, write_settings

PRINCE = {"do": "prince", "district": "yunnan-b"}


def order(campaign: Campaign, seat: str = "an", **changed: object) -> bytes:
    return campaign.signed(seat, "0.prince", [PRINCE], **changed)  # type: ignore[arg-type]


def signed_request(campaign: Campaign, seat: str, number: int = 1, do: str = "profile", **asked: str) -> bytes:
    text = dump({
        "game": campaign.made.game.name, "player": seat, "after": campaign.course().archive.head(), "number": number,
        "request": {"do": do, **asked},
    })  # fmt: skip
    lines = ssh_sign(campaign.players[seat].key, NAMESPACE, text).splitlines()
    return text + "".join(f"# {line}\n" for line in lines).encode()


def receipts(campaign: Campaign) -> list[tuple[str, str]]:
    return [(kept.record.seat, kept.record.reason or kept.record.verdict) for kept in load(campaign.folder, check=True).receipts[4:]]


# -- files -------------------------------------------------------------------------------------------------------------


def test_a_file_is_received_as_of_the_time_the_mailbox_had_it_and_answered_once(campaign: Campaign) -> None:
    register(campaign)
    came = campaign.now + HOUR
    campaign.now += 3 * HOUR
    drop(campaign, mail("An <an@example.org>", order(campaign), names=["an.order.toml"], id="<1@example.org>"), came)
    assert said(run(campaign)) == [("an", "files", ["complete"])]
    [answer] = answers(campaign)
    assert (answer["To"].addresses[0].addr_spec, answer["In-Reply-To"]) == ("an@example.org", "<1@example.org>")
    assert answer["Auto-Submitted"] == "auto-replied"
    assert "an.order.toml" in text_of(answer) and "You put your prince into yunnan-b" in text_of(answer)
    [*_, last] = load(campaign.folder, check=True).receipts
    assert last.record.received == came.strftime("%Y-%m-%dT%H:%M:%SZ"), "not the sender's date, not now"
    assert said(run(campaign)) == []
    assert len(answers(campaign)) == 1
    assert [path.parent.name for path in inbox(campaign).rglob("*host*")] == ["cur"], "marked as seen"


def test_two_files_get_one_answer(campaign: Campaign) -> None:
    register(campaign)
    drop(campaign, mail("an@example.org", order(campaign), order(campaign, revision=2)))
    assert said(run(campaign)) == [("an", "files", ["complete", "complete"])]
    [answer] = answers(campaign)
    assert "2 files received" in answer["Subject"]


def test_a_block_in_the_body_is_an_order(campaign: Campaign) -> None:
    register(campaign)
    drop(campaign, mail("an@example.org", text=f"Hello\n{armour(order(campaign))}\n-- \nAn\n"))
    assert said(run(campaign)) == [("an", "files", ["complete"])]


def test_mails_count_in_the_order_in_which_they_came(campaign: Campaign) -> None:
    register(campaign)
    campaign.now += 5 * HOUR
    drop(campaign, mail("an@example.org", order(campaign, revision=2)), campaign.now - HOUR, name="a")
    drop(campaign, mail("an@example.org", order(campaign, revision=1)), campaign.now - 2 * HOUR, name="b")
    assert said(run(campaign)) == [("an", "files", ["complete"])] * 2


def test_what_stands_in_the_private_part_goes_to_the_registered_address_only(bidding: Campaign) -> None:
    register(bidding)
    [(seat, bid), *_] = bidding.bids().items()
    address = ADDRESSES[seat]
    drop(bidding, mail("other@example.net", bid, id="<1@x>"))
    drop(bidding, mail(address, bid, id="<2@x>"))
    assert [line.what for line in run(bidding).lines] == ["files", "files"]
    to = [(one["To"].addresses[0].addr_spec, text_of(one)) for one in answers(bidding)]
    elsewhere = [text for who, text in to if who == "other@example.net"]
    his = [text for who, text in to if who == address]
    private = "If all others sent nothing, this would happen"
    assert len(elsewhere) == 1 and private not in elsewhere[0]
    assert sum("from another address than yours" in text for text in his) == 1
    assert len(his) == 2 and all(private in text for text in his), "his own mail is answered, and he hears that a file came from elsewhere"


def test_a_copy_of_a_public_file_tells_a_stranger_nothing_new_and_his_owner_hears_nothing(campaign: Campaign) -> None:
    register(campaign)
    data = order(campaign)
    campaign.receive(data)
    drop(campaign, mail("spy@example.net", data))
    assert said(run(campaign)) == [("s…@example.net", "files", ["complete"])]
    assert [one["To"].addresses[0].addr_spec for one in answers(campaign)] == ["spy@example.net"]


# -- addresses ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def empty(tmp_path: Path) -> Campaign:
    return new_campaign(tmp_path / "empty")


def test_a_join_by_mail_registers_its_address_and_no_public_file_tells_it(empty: Campaign) -> None:
    for seat in empty.seats:
        drop(empty, mail(f"{seat} <{ADDRESSES[seat]}>", empty.join_file(seat)))
    assert {what for _, what, _ in said(run(empty))} == {"files"}
    assert {seat: contacts.address_of(empty.folder, seat) for seat in empty.seats} == ADDRESSES
    empty.process()
    public = b"".join(path.read_bytes() for path in empty.folder.root.rglob("*") if path.is_file() and "private" not in path.parts)
    assert b"example.org" not in public


def test_a_refused_join_registers_nobody_and_neither_does_a_copy_of_one(empty: Campaign) -> None:
    drop(empty, mail("eve@example.net", empty.join_file("bo", invite=empty.made.invites["an"]), id="<1@x>"))
    join = empty.join_file("an")
    empty.receive(join)
    drop(empty, mail("eve@example.net", join, id="<2@x>"))
    assert [verdicts for _, _, verdicts in said(run(empty))] == [["bad-invite"], ["complete"]]
    assert contacts.load(empty.folder) == {}


def test_a_profile_request_from_a_new_address_moves_the_mail_and_the_old_one_is_told(campaign: Campaign) -> None:
    register(campaign)
    drop(campaign, mail("new@example.net", signed_request(campaign, "an", language="fr")))
    [line] = run(campaign).lines
    assert (line.who, line.what, line.addresses) == ("an", "files", ["an"])
    assert contacts.address_of(campaign.folder, "an") == "new@example.net"
    told = {one["To"].addresses[0].addr_spec: one for one in answers(campaign)}
    assert set(told) == {"new@example.net", "an@example.org"}
    assert "somebody else has your key or your invite" in " ".join(text_of(told["an@example.org"]).split())
    assert outbox.SEAT_HEADER not in told["an@example.org"], "it must not follow the seat to the new address"


def test_a_copy_of_a_profile_request_moves_nothing(campaign: Campaign) -> None:
    register(campaign)
    request = signed_request(campaign, "an", language="fr")
    drop(campaign, mail("an@example.org", request))
    run(campaign)
    drop(campaign, mail("eve@example.net", request))
    assert said(run(campaign))[0][:2] == ("e…@example.net", "files")
    assert contacts.address_of(campaign.folder, "an") == "an@example.org"


def test_a_file_from_an_address_takes_the_mark_of_bouncing_off_it(campaign: Campaign) -> None:
    register(campaign)
    contacts.mark_bouncing(campaign.folder, "an@example.org", "full", campaign.now)
    drop(campaign, mail("an@example.org", order(campaign)))
    run(campaign)
    assert not contacts.load(campaign.folder)["an"].bouncing


# -- who is not answered -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("headers", [
    {"Auto-Submitted": "auto-replied"}, {"Precedence": "bulk"}, {"List-Id": "<friends.example.org>"}, {"X-Autoreply": "yes"},
    {"Return-Path": "<>"},
])  # fmt: skip
def test_programs_are_not_answered_but_an_order_in_what_they_carry_counts(campaign: Campaign, headers: dict[str, str]) -> None:
    register(campaign)
    drop(campaign, mail("an@example.org", id="<1@x>", **headers))
    drop(campaign, mail("an@example.org", order(campaign), id="<2@x>", **headers))
    drop(campaign, mail("x@example.org", b"rubbish\n", names=["an.toml"], id="<3@x>", **headers))
    assert [line.what for line in run(campaign).lines] == ["automatic", "files", "automatic"]
    assert receipts(campaign) == [("an", "complete")]
    assert answers(campaign) == []


def test_our_own_mail_is_left_alone(campaign: Campaign) -> None:
    write_settings(campaign, 'address = "court@example.org"\n')
    drop(campaign, mail("court@example.org", order(campaign)))
    assert [line.what for line in run(campaign).lines] == ["own"]
    assert answers(campaign) == [] and receipts(campaign) == []


def test_strangers_get_one_help_text_a_day_and_there_are_not_too_many_in_all(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.post.notes.HELP_A_DAY", 5)
    for number in range(3):
        drop(campaign, mail("x@spam.example", subject=f"offer {number}"))
    for number in range(9):
        drop(campaign, mail(f"x{number}@spam.example", subject="offer"))
    assert {what for _, what, _ in said(run(campaign))} == {"stranger"}
    to = [one["To"].addresses[0].addr_spec for one in answers(campaign)]
    assert len(to) == len(set(to)) == 5 and to.count("x@spam.example") == 1
    assert all(path.parent.name == "new" for path in inbox(campaign).rglob("*host*")), "unread, for a person to see"
    campaign.now += timedelta(days=1)
    drop(campaign, mail("x@spam.example", subject="offer again"))
    run(campaign)
    assert len(answers(campaign)) == 6


def test_a_file_that_is_not_signed_is_answered_as_its_senders(campaign: Campaign) -> None:
    register(campaign)
    drop(campaign, mail("an@example.org", b'player = "an"\norders = []\n', names=["an.toml"]))
    assert said(run(campaign)) == [("an", "files", ["no-signature"])]
    [answer] = answers(campaign)
    assert answer[outbox.SEAT_HEADER] == "an"


@pytest.mark.parametrize("attached", [True, False])
def test_who_mails_his_secret_key_is_warned(campaign: Campaign, attached: bool) -> None:
    register(campaign)
    key = generate().openssh(None, "an")
    drop(campaign, mail("an@example.org", key, names=["an.key"]) if attached else mail("an@example.org", text=key.decode()))
    assert said(run(campaign)) == [("an", "note", [])]
    [answer] = answers(campaign)
    assert "whoever reads it can play for you" in text_of(answer)
    assert "PRIVATE KEY" not in text_of(answer)


def test_who_wrote_long_ago_is_not_helped_any_more(campaign: Campaign) -> None:
    drop(campaign, mail("x@spam.example"), campaign.now)
    campaign.now += timedelta(days=4)
    assert said(run(campaign)) == [("x…@spam.example", "stranger", [])]
    assert answers(campaign) == []


def test_mail_from_before_the_campaign_is_none_of_its_business(campaign: Campaign) -> None:
    drop(campaign, mail("aunt@example.org", subject="your birthday"), campaign.now - timedelta(days=30))
    assert said(run(campaign)) == []


def test_rubbish_of_a_stranger_makes_one_receipt_a_day(campaign: Campaign) -> None:
    for number in range(4):
        drop(campaign, mail("x@spam.example", f"rubbish = {number}\n".encode(), names=["an.toml"], id=f"<{number}@x>"))
    assert [what for _, what, _ in said(run(campaign))] == ["files", "stranger", "stranger", "stranger"]
    assert receipts(campaign) == [("", "no-signature")]
    assert len(answers(campaign)) == 1


def test_an_archive_that_does_not_open_is_told_to_a_player_and_is_nothing_of_a_stranger(campaign: Campaign) -> None:
    register(campaign)
    for sender in ("an@example.org", "x@spam.example"):
        drop(campaign, mail(sender, b"PK\x03\x04" + bytes(300), names=["an.zip"]))
    assert said(run(campaign)) == [("an", "files", ["unreadable"]), ("x…@spam.example", "stranger", [])]
    assert len(answers(campaign)) == 2 and len(receipts(campaign)) == 1


def test_so_many_answers_wait_for_one_address_and_no_more_but_files_are_received(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    register(campaign)
    monkeypatch.setattr("pbem.post.clerk.MOST_WAITING", 4)
    for number in range(7):
        drop(campaign, mail("an@example.org", order(campaign, revision=number + 1), id=f"<{number}@x>"))
    done = run(campaign)
    assert [line.answered for line in done.lines] == [True] * 4 + [False] * 3
    assert len(receipts(campaign)) == 7


@pytest.mark.parametrize("sender", ["", "an@example.org, bo@example.org", "not an address", "<an@example.org> <eve@example.net>"])
def test_a_mail_without_one_good_sender_is_answered_to_nobody_but_its_order_counts(campaign: Campaign, sender: str) -> None:
    register(campaign)
    data = as_bytes(mail("an@example.org", order(campaign))).replace(b"From: an@example.org", f"From: {sender}".encode())
    drop(campaign, data)
    assert [line.what for line in run(campaign).lines] == ["files"]
    # The owner of the seat hears of it at his own address.
    assert {one["To"].addresses[0].addr_spec for one in answers(campaign)} <= {"an@example.org"}
    assert receipts(campaign) == [("an", "complete")]


def test_what_a_header_says_cannot_make_another_header_in_the_answer(campaign: Campaign) -> None:
    register(campaign)
    evil = as_bytes(mail("an@example.org", order(campaign), id="<1@example.org>"))
    evil = evil.replace(b"Subject: my orders", b"Subject: =?utf-8?q?hi=0D=0ABcc:_eve=40example.net?=")
    evil = evil.replace(b"Message-ID: <1@example.org>", b"Message-ID: <1@example.org>\n\tBcc: eve@example.net")
    evil = evil.replace(b'filename="file0.order.toml"', b"filename*=utf-8''an%0D%0ABcc%3A%20eve%40example.net.order.toml")
    drop(campaign, evil)
    done = run(campaign)
    assert [line.what for line in done.lines] == ["files"]
    for answer in answers(campaign):
        assert answer["Bcc"] is None
        assert b"\nBcc:" not in answer.as_bytes()


# -- the last report again -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("subject", ["resend", "RESEND", "Re: [winter-court] An: Resend!", "renvoyer", "Повтор", "重发", "다시"])
def test_who_asks_by_subject_gets_the_last_report_again(campaign: Campaign, subject: str) -> None:
    register(campaign)
    write_settings(campaign, "pdf = false\n")
    campaign.file("an", "0.prince", [PRINCE])
    campaign.process()
    drop(campaign, mail("an@example.org", subject=subject))
    assert said(run(campaign)) == [("an", "resend", [])]
    [again] = answers(campaign)
    assert again["To"].addresses[0].addr_spec == "an@example.org"
    assert "winter court" in text_of(again)


def test_the_last_report_goes_to_the_registered_address_only_and_a_few_times_a_day(campaign: Campaign) -> None:
    register(campaign, "an")
    write_settings(campaign, "pdf = false\n")
    drop(campaign, mail("eve@example.net", subject="resend"))
    for number in range(RESENDS_A_DAY + 2):
        drop(campaign, mail("an@example.org", subject="resend", id=f"<{number}@x>"))
    done = run(campaign)
    assert [(line.what, line.answered) for line in done.lines] == [
        ("stranger", True), *[("resend", True)] * RESENDS_A_DAY, *[("resend", False)] * 2,
    ]  # fmt: skip
    to = [(one["To"].addresses[0].addr_spec, "read by a program" in text_of(one)) for one in answers(campaign)]
    assert sorted(to) == [*[("an@example.org", False)] * RESENDS_A_DAY, ("eve@example.net", True)]


def test_a_signed_request_brings_the_last_report_to_the_registered_address_wherever_it_comes_from(campaign: Campaign) -> None:
    register(campaign)
    write_settings(campaign, "pdf = false\n")
    ledger = len(load(campaign.folder, check=True).entries)
    asked = signed_request(campaign, "an", do="resend")
    drop(campaign, mail("phone@example.net", asked, id="<1@x>"))
    drop(campaign, mail("eve@example.net", asked, id="<2@x>"))
    assert [what for _, what, _ in said(run(campaign))] == ["files", "files"]
    reports = [one for one in answers(campaign) if outbox.SEAT_HEADER in one and "receipt" not in str(one["Subject"]).lower()]
    again = [one.key for one in outbox.waiting(campaign.folder) if one.kind == "resend"]
    assert len(again) == 1, "a copy asks for nothing"
    assert all(one["To"].addresses[0].addr_spec == "an@example.org" for one in reports)
    assert campaign.process().entries == [] and len(load(campaign.folder, check=True).entries) == ledger, "it is nobody's turn"
    assert audit(campaign.folder).fault is None


# -- bounces -------------------------------------------------------------------------------------------------------------


def bounce(message_id: str, address: str = "bo@example.org", status: str = "5.1.1") -> bytes:
    return f"""From: Mail Delivery System <MAILER-DAEMON@example.net>
To: court@example.org
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b"
Message-ID: <{status}.{abs(hash(message_id + address))}@example.net>

--b
Content-Type: text/plain

I'm sorry to have to inform you that your message could not be delivered.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; example.net

Final-Recipient: rfc822; {address}
Action: {"failed" if status[0] == "5" else "delayed"}
Status: {status}

--b
Content-Type: message/rfc822

From: court@example.org
To: {address}
Message-ID: {message_id}
Subject: your turn

Hello
--b--
""".encode()


def sent_to_bo(campaign: Campaign) -> str:
    message = mail("court@example.org", id="<winter-court.0000@example.org>")
    message.replace_header("To", "bo@example.org")
    outbox.queue(campaign.folder, message, "report/bo/1")
    [about] = outbox.waiting(campaign.folder)
    outbox.done(campaign.folder, about, campaign.now, message_id="<winter-court.0000@example.org>")
    return "<winter-court.0000@example.org>"


def test_a_bounce_of_our_mail_marks_its_address(campaign: Campaign) -> None:
    register(campaign)
    drop(campaign, bounce(sent_to_bo(campaign)))
    [line] = run(campaign).lines
    assert (line.what, line.addresses) == ("bounce", ["bo"])
    assert contacts.load(campaign.folder)["bo"].bouncing
    assert answers(campaign) == []


@pytest.mark.parametrize(("address", "status", "ours"), [
    ("bo@example.org", "4.2.2", True), ("an@example.org", "5.1.1", True), ("bo@example.org", "5.1.1", False),
])  # fmt: skip
def test_a_delay_or_a_bounce_of_what_we_did_not_send_marks_nothing(campaign: Campaign, address: str, status: str, ours: bool) -> None:
    register(campaign)
    known = sent_to_bo(campaign)
    drop(campaign, bounce(known if ours else "<winter-court.forged@example.org>", address, status))
    assert [line.what for line in run(campaign).lines] == ["bounce"]
    assert not any(contact.bouncing for contact in contacts.load(campaign.folder).values())


# -- twice ---------------------------------------------------------------------------------------------------------------


def test_the_same_mail_delivered_twice_is_answered_once(campaign: Campaign) -> None:
    register(campaign)
    message = mail("an@example.org", order(campaign), id="<1@example.org>")
    drop(campaign, message)
    drop(campaign, b"Received: from elsewhere\n\tby here; Mon, 2 Nov 2026 10:00:00 +0000\n" + as_bytes(message))
    assert said(run(campaign)) == [("an", "files", ["complete"]), ("an", "known", ["complete"])]
    drop(campaign, as_bytes(message, crlf=True))
    assert said(run(campaign)) == [("an", "known", ["complete"])]
    assert len(answers(campaign)) == 1


def test_the_same_file_in_another_mail_is_answered_again_with_the_same_receipt(campaign: Campaign) -> None:
    register(campaign)
    data = order(campaign)
    drop(campaign, mail("an@example.org", data, id="<1@example.org>"))
    drop(campaign, mail("an@example.org", data, id="<2@example.org>"))
    assert said(run(campaign)) == [("an", "files", ["complete"])] * 2
    assert len(answers(campaign)) == 2 and len(receipts(campaign)) == 1


def test_a_mailbox_that_forgets_what_it_called_its_mails_makes_no_second_answer(campaign: Campaign) -> None:
    register(campaign)
    drop(campaign, mail("an@example.org", order(campaign)))
    drop(campaign, mail("x@spam.example"))
    run(campaign)
    before = [one["Message-ID"] for one in answers(campaign)]
    shutil.rmtree(outbox.home(campaign.folder) / "looked")
    campaign.now += timedelta(days=1)
    assert [what for _, what, _ in said(run(campaign))] == ["known", "known"]
    assert [one["Message-ID"] for one in answers(campaign)] == before


def test_a_look_changes_nothing(campaign: Campaign) -> None:
    register(campaign)
    drop(campaign, mail("an@example.org", order(campaign)))
    drop(campaign, mail("x@spam.example"))
    before = {path: path.stat().st_mtime_ns for path in campaign.folder.root.rglob("*")}
    assert [line.what for line in run(campaign, look_only=True).lines] == ["files", "stranger"]
    assert {path: path.stat().st_mtime_ns for path in campaign.folder.root.rglob("*")} == before


# -- the channel -----------------------------------------------------------------------------------------------------------


def test_the_channel_counts_as_read_when_everything_has_been_dealt_with(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_until(campaign.folder) == {}
    run(campaign)
    assert read_until(campaign.folder) == {"mail": campaign.now}
    before = campaign.now
    campaign.now += HOUR
    drop(campaign, mail("an@example.org", order(campaign)))
    drop(campaign, mail("bo@example.org", order(campaign, "bo")))

    def broken(*_: object, **__: object) -> EmailMessage:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr("pbem.post.compose.receipt_mail", broken)
        [done] = fetch([campaign.folder.root], campaign.now)
    assert [type(error) for error in done.errors] == [ZeroDivisionError] * 2 and not done.lines
    assert read_until(campaign.folder) == {"mail": before}, "there is mail that has not been answered"
    register(campaign)
    assert [what for _, what, _ in said(run(campaign))] == ["files", "files"]
    assert all("You put your prince" in text_of(one) for one in answers(campaign)), "told as if nothing had happened"
    assert read_until(campaign.folder) == {"mail": campaign.now}


def test_a_mail_that_breaks_our_own_code_stops_no_other_and_waits(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    register(campaign)
    drop(campaign, mail("an@example.org", order(campaign), subject="poison"))
    drop(campaign, mail("an@example.org", order(campaign, revision=2), id="<2@x>"))
    true = open_mail

    def broken(incoming: Incoming) -> list[Incoming]:
        if b"poison" in incoming.data:
            raise ZeroDivisionError
        return true(incoming)

    with monkeypatch.context() as patch:
        patch.setattr("pbem.post.fetch.open_mail", broken)
        [done] = fetch([campaign.folder.root], campaign.now)
    assert [type(error) for error in done.errors] == [ZeroDivisionError]
    assert said(done) == [("an", "files", ["complete"])]
    assert read_until(campaign.folder) == {}
    assert said(run(campaign)) == [("an", "files", ["older-revision"])]


def test_more_mails_than_a_run_reads_wait_for_the_next(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.post.fetch.MOST", 2)
    register(campaign)
    for number in range(5):
        drop(campaign, mail("an@example.org", order(campaign, revision=number + 1), id=f"<{number}@x>"))
    assert [(len(done.lines), done.left) for done in (run(campaign), run(campaign))] == [(2, 3), (2, 1)]
    assert read_until(campaign.folder) == {}
    assert (len(run(campaign).lines), read_until(campaign.folder)) == (1, {"mail": campaign.now})


def test_a_mail_that_is_gone_when_it_is_to_be_read_is_told(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    drop(campaign, mail("an@example.org", order(campaign)))
    true = Maildir.lying

    def lying(self: Maildir, since: object) -> object:
        found = true(self, since)  # type: ignore[arg-type]
        for path in self.root.rglob("*host*"):
            path.unlink()
        return found

    monkeypatch.setattr(Maildir, "lying", lying)
    assert [line.what for line in run(campaign).lines] == ["gone"]


# -- several campaigns, one mailbox -----------------------------------------------------------------------------------------


def share(campaign: Campaign, root: Path) -> None:
    write_settings(campaign, f'[maildir]\ninbox = "{root.as_posix()}"\n')


def put(root: Path, message: EmailMessage | bytes, campaign: Campaign, name: str) -> None:
    (root / "new").mkdir(parents=True, exist_ok=True)
    path = root / "new" / name
    path.write_bytes(as_bytes(message))
    os.utime(path, (campaign.now.timestamp(),) * 2)


@pytest.fixture
def two(campaign: Campaign, tmp_path: Path) -> tuple[Campaign, Campaign, Path]:
    """Two campaigns of different names, and the Maildir they share."""
    folder = Folder(tmp_path / "games" / "summer-court")
    made = create(folder, campaign.now, title="ming-dynasty", seats=["an", "bo"])
    other = Campaign(folder, made, {seat: campaign.players[seat] for seat in ("an", "bo")}, campaign.now)
    root = tmp_path / "shared"
    share(campaign, root)
    share(other, root)
    register(campaign)
    return campaign, other, root


def test_one_campaign_leaves_the_mail_of_another_untouched(two: tuple[Campaign, Campaign, Path]) -> None:
    winter, summer, root = two
    put(root, mail("an@example.org", summer.join_file("an")), winter, "1.join")
    put(root, mail("an@example.org", order(winter)), winter, "2.order")
    both = mail("an@example.org", order(winter, revision=2), summer.join_file("bo"), id="<both@x>")
    put(root, both, winter, "3.both")
    assert said(run(winter)) == [("a…@example.org", "elsewhere", []), ("an", "files", ["complete"]), ("an", "files", ["complete"])]
    assert sorted(path.name.partition(":")[0] for path in (root / "new").iterdir()) == ["1.join", "3.both"], "unmarked"
    assert said(run(winter)) == []
    assert [what for _, what, _ in said(run(summer))] == ["files", "elsewhere", "files"]
    assert sorted(path.name.partition(":")[0] for path in (root / "cur").iterdir()) == ["1.join", "2.order"]


def test_fetched_together_each_gets_its_own(two: tuple[Campaign, Campaign, Path]) -> None:
    winter, summer, root = two
    put(root, mail("an@example.org", summer.join_file("an")), winter, "1.join")
    put(root, mail("an@example.org", order(winter), summer.join_file("bo"), id="<both@x>"), winter, "2.both")
    put(root, mail("x@spam.example"), winter, "3.spam")
    done = fetch([winter.folder.root, summer.folder.root], winter.now)
    assert [said(one) for one in done] == [
        [("an", "files", ["complete"]), ("x…@spam.example", "stranger", [])],
        [("an", "files", ["complete"]), ("an", "files", ["complete"])],
    ]
    assert len(answers(winter)) == 2 and len(answers(summer)) == 2
    assert sorted(path.name.partition(":")[0] for path in (root / "cur").iterdir()) == ["1.join", "2.both"]


def test_a_misspelt_game_is_answered_by_the_campaign_whose_ledger_its_author_saw(two: tuple[Campaign, Campaign, Path]) -> None:
    winter, summer, root = two
    put(root, mail("an@example.org", order(winter, game="winter-cort")), winter, "1.order")
    done = fetch([summer.folder.root, winter.folder.root], winter.now)
    assert [said(one) for one in done] == [[], [("an", "files", ["wrong-game"])]]


def test_a_mail_without_files_goes_by_its_thread(two: tuple[Campaign, Campaign, Path]) -> None:
    winter, summer, root = two
    put(root, mail("an@example.org", In_Reply_To=f"<summer-court.{'0' * 32}@example.org>"), winter, "1.note")
    put(root, mail("an@example.org", subject="Re: [summer-court] hello", id="<s@x>"), winter, "2.note")
    done = fetch([winter.folder.root, summer.folder.root], winter.now)
    assert [[line.what for line in one.lines] for one in done] == [[], ["stranger", "stranger"]]


def test_a_broken_campaign_stops_no_other_and_its_mail_waits(two: tuple[Campaign, Campaign, Path]) -> None:
    winter, summer, root = two
    first = winter.folder.receipt(1)
    kept = first.read_bytes()
    put(root, mail("an@example.org", order(winter)), winter, "1.order")
    put(root, mail("an@example.org", summer.join_file("an")), winter, "2.join")
    first.write_bytes(b"broken")
    done = fetch([winter.folder.root, summer.folder.root], winter.now)
    assert [len(one.errors) for one in done] == [1, 0]
    assert [said(one) for one in done] == [[], [("an", "files", ["complete"])]]
    assert "mail" not in read_until(winter.folder) and "mail" in read_until(summer.folder)
    first.write_bytes(kept)
    done = fetch([winter.folder.root, summer.folder.root], winter.now)
    assert [said(one) for one in done] == [[("an", "files", ["complete"])], []]


def test_two_at_once_wait_for_each_other(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Notes.held
    monkeypatch.setattr(Notes, "held", lambda self: held(self, 0.1))
    with Notes(campaign.folder).held():
        [done] = fetch([campaign.folder.root], campaign.now)
    assert [getattr(error, "code", "") for error in done.errors] == ["busy"]
