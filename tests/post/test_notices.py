"""Who gets a mail when, and what stands in it."""

from __future__ import annotations

import email
import gc
import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import pytest

from pbem import cli
from pbem.campaign import secret
from pbem.campaign.archive import begin
from pbem.campaign.creation import create
from pbem.campaign.folder import Folder
from pbem.campaign.hidden import by_seat
from pbem.campaign.intake import Incoming, catch_up
from pbem.campaign.replay import replay, replay_as_processor
from pbem.campaign.turn import correct
from pbem.post import contacts, notices, outbox, settings
from pbem.post.compose import help_mail, receipt_mail
from pbem.post.envelope import Envelope, known_id, make
from pbem.post.sending import deliver
from pbem.post.settings import SeatSettings, Settings
from pbem.publish.textreport import board_lines
from pbem.publish.words import Words

from ..campaign.test_deadlines import away
from ..campaign.test_faults import CALLS, _Countdown
from ..helpers import HOUR, RAW_ID, RAW_SECRET, START, Campaign, Mind, Player, environment
from ..test_leaks import assert_clean, secrets_of
from .mailserver import free_port, smtp_server

PLAIN = Settings(address="games@example.org", pdf=False)
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("PBEM_MAIL", "PBEM_SMTP"))]:
        monkeypatch.delenv(name)


@pytest.fixture
def table(campaign: Campaign) -> Campaign:
    """Four players at their first decision, all but dai with an address."""
    for seat in ("an", "bo", "chen"):
        contacts.register(campaign.folder, seat, f"{seat}@example.org")
    return campaign


def write(game: Campaign, found: Settings = PLAIN, *, now: datetime | None = None) -> list[str]:
    """What a run of ``mail send`` writes: kind and seat of each, in the order of seats."""
    now = now or game.now
    with outbox.sending(game.folder):
        due = notices.compose(game.folder, found, now)
        deliver(game.folder, begin(game.folder).game, found, now)
    return [f"{one.kind} {one.seat}".strip() for one in due]


def raws(game: Campaign) -> list[bytes]:
    """The same as they lie there."""
    found = (outbox.home(game.folder) / "outbox" / "new").glob("*")
    return [path.read_bytes() for path in sorted(found, key=lambda path: path.stat().st_mtime_ns)]


def mails(game: Campaign) -> Iterator[EmailMessage]:
    """All mails in the Maildir, in the order in which they were put there."""
    for path in sorted((outbox.home(game.folder) / "outbox" / "new").glob("*"), key=lambda path: path.stat().st_mtime_ns):
        message = email.message_from_bytes(path.read_bytes(), policy=default)
        assert isinstance(message, EmailMessage)
        yield message


def last_to(game: Campaign, seat: str) -> EmailMessage:
    return [mail for mail in mails(game) if mail[outbox.SEAT_HEADER] == seat][-1]


def queued(game: Path) -> EmailMessage:
    """The newest mail that waits to be sent."""
    return outbox.message_of(Folder(game), max(outbox.waiting(Folder(game)), key=lambda about: about.queued).key)


def text(mail: EmailMessage) -> str:
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


def flat(mail: EmailMessage) -> str:
    return " ".join(text(mail).split())


# -- who and when ------------------------------------------------------------------------------------------------------------


def test_all_hear_of_the_set_up_once(table: Campaign) -> None:
    assert write(table) == ["report an", "report bo", "report chen"]
    assert write(table) == []
    assert write(table, now=table.now + HOUR) == []
    assert len(list(mails(table))) == 3


def test_who_is_asked_anew_gets_a_request_and_nobody_else(table: Campaign) -> None:
    write(table)
    first, second = table.asked()[0], replay(table.folder).seats[1]
    table.file(first, "0.prince", [{"do": "prince", "district": "yunnan-b"}])
    table.process()
    assert table.asked() == (second,)
    assert write(table) == [f"request {second}"]
    assert write(table) == []
    mail = last_to(table, second)
    assert "Bo, it is your turn: put your prince into a district." in flat(mail)
    assert "yunnan-b" in text(mail)
    assert [part.get_filename() for part in mail.iter_attachments()] == ["bo.toml"]
    assert mail["Subject"].startswith("[winter-court] Bo, set-up, princes: please by Tue 3 Nov")


def test_several_entries_since_the_last_mail_are_one_mail(table: Campaign) -> None:
    write(table)
    table.file("an", "0.prince", [{"do": "prince", "district": "yunnan-b"}])
    table.process()
    table.file("bo", "0.prince", [{"do": "prince", "district": "zhili-c"}])
    table.process()
    table.process(close="0.prince")
    assert write(table) == ["report an", "report bo", "report chen"]
    told = flat(last_to(table, "chen"))
    assert told.index("yunnan-b") < told.index("zhili-c") < told.index("shaanxi-a")


def test_who_has_filed_a_whole_plan_has_nothing_to_do(table: Campaign) -> None:
    table.file("bo", "0.prince", [{"do": "prince", "district": "yunnan-b"}])
    write(table)
    assert "Your plan for set-up, princes is in; you have nothing to do. The game waits for An." in flat(last_to(table, "bo"))
    assert [part.get_filename() for part in last_to(table, "bo").iter_attachments()] == ["winter-court-0005.html"]
    assert [part.get_filename() for part in last_to(table, "chen").iter_attachments()] == ["chen.toml", "winter-court-0005.html"]


def test_a_seat_without_an_address_is_told_everything_once_it_has_one(table: Campaign) -> None:
    write(table)
    table.process(close="0.prince")
    contacts.register(table.folder, "dai", "dai@example.org")
    assert "report dai" in write(table)
    assert "Dai, please file your plan" in flat(last_to(table, "dai"))


def test_the_end_is_told_and_after_it_nothing_is_asked(table: Campaign) -> None:
    write(table)
    correct(table.folder, table.now, "end", ground="organiser")
    assert write(table) == ["report an", "report bo", "report chen"]
    assert "The game has ended; you have nothing more to do." in flat(last_to(table, "an"))
    assert write(table, now=table.now + DAY) == []


def test_what_the_organiser_changes_is_told_to_all(table: Campaign) -> None:
    write(table)
    correct(table.folder, table.now + HOUR, "amend", settings={"close": "72h"}, text="Holidays.")
    assert write(table, now=table.now + HOUR) == ["report an", "report bo", "report chen"]
    assert "Holidays." in text(last_to(table, "an"))


def test_a_long_silence_is_told_in_one_mail_of_bounded_length(table: Campaign) -> None:
    write(table)
    for number in range(12):
        correct(table.folder, table.now, "amend", settings={"close": f"{number + 50}h"}, text="Words. " * 35)
    assert write(table) == ["report an", "report bo", "report chen"]
    told = flat(last_to(table, "an"))
    assert "4 more reports lie before these." in told
    assert told.count("The organiser writes") == 8
    assert len(last_to(table, "an").as_bytes()) < 400_000


# -- reminders -------------------------------------------------------------------------------------------------------------------


def test_reminders_go_to_those_from_whom_something_is_missing(table: Campaign) -> None:
    write(table)
    table.file("bo", "0.prince", [{"do": "prince", "district": "yunnan-b"}])
    assert write(table, now=START + 23 * HOUR) == []
    assert write(table, now=START + 24 * HOUR) == ["reminder an", "reminder chen"]
    assert write(table, now=START + 25 * HOUR) == []
    assert write(table, now=START + 45 * HOUR) == ["reminder an", "reminder chen"]
    assert write(table, now=START + 47 * HOUR) == []
    assert write(table, now=START + 49 * HOUR) == []
    mail = last_to(table, "an")
    assert mail["Subject"] == "[winter-court] An: reminder: set-up, princes closes in 3 h"
    assert [part.get_filename() for part in mail.iter_attachments()] == ["an.toml"]


def test_a_run_that_comes_late_reminds_once_and_not_after_closing(table: Campaign) -> None:
    write(table)
    assert write(table, now=START + 47 * HOUR) == ["reminder an", "reminder bo", "reminder chen"]
    assert write(table, now=START + 48 * HOUR) == []


def test_who_has_just_been_asked_is_not_reminded_in_the_same_breath(table: Campaign) -> None:
    assert write(table, now=START + 30 * HOUR) == ["report an", "report bo", "report chen"]
    assert write(table, now=START + 31 * HOUR) == []
    assert write(table, now=START + 45 * HOUR) == ["reminder an", "reminder bo", "reminder chen"]


def test_when_a_closing_time_moves_reminders_begin_anew(table: Campaign) -> None:
    write(table)
    write(table, now=START + 24 * HOUR)
    correct(table.folder, START + 30 * HOUR, "amend", settings={"close": "72h"})
    write(table, now=START + 30 * HOUR)
    closes = replay(table.folder).closes()
    assert closes is not None
    assert write(table, now=closes - 24 * HOUR) == ["reminder an", "reminder bo", "reminder chen"]


def test_reminders_are_as_each_wants_them(table: Campaign) -> None:
    own = Settings(pdf=False, reminders=["6h"], seats={"an": SeatSettings(reminders=[]), "bo": SeatSettings(reminders=["40h"])})
    write(table, own)
    assert write(table, own, now=START + 8 * HOUR) == ["reminder bo"]
    assert write(table, own, now=START + 42 * HOUR) == ["reminder chen"]


def test_a_digest_comes_once_a_day_at_its_time(table: Campaign) -> None:
    own = Settings(pdf=False, seats={"chen": SeatSettings(digest="07:00")})
    assert write(table, own, now=START + HOUR) == ["report an", "report bo", "report chen"]
    table.now += 2 * HOUR
    table.process(close="0.prince")
    assert write(table, own, now=table.now) == ["report an", "report bo"]
    assert write(table, own, now=START + 11 * HOUR) == []
    assert write(table, own, now=START + 12 * HOUR) == ["report chen"]


def test_who_is_away_hears_everything_when_he_is_back_and_the_others_of_the_new_closing_time(table: Campaign) -> None:
    write(table)
    table.now += HOUR
    back = START + 5 * DAY
    away(table, "bo", START + HOUR, back)
    assert replay(table.folder).closes() == back
    assert write(table) == ["report an", "report chen"]
    assert "until Fri 6 Nov 2026, 19:00 UTC; in 4 d 23 h away Bo until Fri 6 Nov, 19:00 UTC" in flat(last_to(table, "an"))
    assert write(table, now=back - 24 * HOUR) == ["reminder an", "reminder chen"]
    table.now = back
    table.process(close="0.prince")
    assert write(table) == ["report an", "report bo", "report chen"]


def test_nobody_is_reminded_while_the_game_pauses(table: Campaign) -> None:
    write(table)
    correct(table.folder, table.now, "pause", until=START + 47 * HOUR)
    assert write(table) == ["report an", "report bo", "report chen"]
    assert "pause The game pauses until Tue 3 Nov 2026, 18:00 UTC; nothing is played before." in flat(last_to(table, "an"))
    assert write(table, now=START + 46 * HOUR) == []


# -- receipts ---------------------------------------------------------------------------------------------------------------------


def answered(game: Campaign, seat: str, orders: list[dict[str, Any]], *, to: str = "", **changed: Any) -> EmailMessage:
    """What ``mail fetch`` does with a mail that brings orders."""
    one = game.file(seat, game.phase(), orders, **changed)
    mail = receipt_mail(game.course(), [one], to or f"{seat}@example.org", "<their.mail@example.org>", now=game.now)
    assert outbox.queue(game.folder, mail, f"receipt/{one.receipt.number}", now=game.now)
    return mail


def test_a_receipt_goes_alone_when_nothing_was_played(table: Campaign) -> None:
    write(table)
    answered(table, "chen", [{"do": "prince", "district": "yunnan-b"}])
    assert write(table) == []
    mail = last_to(table, "chen")
    assert mail["Subject"] == "[winter-court] Chen, set-up, princes: plan received, 1 of 1 turn will work"
    assert "COMPLETE" in text(mail)
    assert mail["Auto-Submitted"] == "auto-replied"
    assert mail["In-Reply-To"] == "<their.mail@example.org>"


def test_the_name_of_a_file_stands_as_it_is(table: Campaign) -> None:
    nonsense = table.receive(*(Incoming(name, b"?") for name in ("bo.toml", "an.toml")))
    for answers in (nonsense[:1], nonsense):
        mail = receipt_mail(table.course(), answers, "eve@example.net", now=table.now)
        html = mail.get_body(("html",))
        assert html is not None
        assert "\nbo.toml\n-------\nYour file is NOT TAKEN" in text(mail) and ">bo.toml</h2>" in html.get_content()
        assert "Bo.toml" not in text(mail) + html.get_content()


def test_receipt_and_report_are_one_mail_when_the_file_made_the_turn_run(table: Campaign) -> None:
    write(table)
    for seat, district in (("bo", "yunnan-b"), ("chen", "zhili-c"), ("dai", "sichuan-a")):
        table.file(seat, "0.prince", [{"do": "prince", "district": district}])
    answered(table, "an", [{"do": "prince", "district": "nanjing-a"}])
    table.process()
    assert write(table) == ["report an", "report bo", "report chen"]
    mail = last_to(table, "an")
    assert "Your plan is in. COMPLETE" in flat(mail)
    assert "nanjing-a" in text(mail)
    assert mail["In-Reply-To"] == "<their.mail@example.org>"
    assert mail["Subject"].startswith("[winter-court] Set-up, princes")
    assert len([one for one in mails(table) if one[outbox.SEAT_HEADER] == "an"]) == 2
    assert outbox.waiting(table.folder) == []


def test_whose_file_was_played_within_a_phase_hears_of_it_with_the_receipt(table: Campaign) -> None:
    write(table)
    answered(table, "an", [{"do": "prince", "district": "nanjing-a"}])
    table.process()
    assert write(table) == ["report an", "request bo"]
    mail = flat(last_to(table, "an"))
    assert "Your plan is in. COMPLETE" in mail
    assert "An puts a prince into nanjing-a" in mail
    assert "You have nothing to do now. The game waits for Bo." in mail
    assert write(table) == []


def test_what_is_for_the_player_alone_goes_to_his_address_alone(short: Campaign) -> None:
    for seat in short.seats:
        contacts.register(short.folder, seat, f"{seat}@example.org")
    seat = short.asked()[0]
    plan = [{"do": "place", "province": "zhili"}]
    mine = answered(short, seat, plan, revision=2)
    assert "If all others sent nothing, this would happen:" in text(mine)
    other = answered(short, seat, plan, revision=3, to="eve@example.com")
    assert "If all others sent nothing" not in text(other) or not short.course().must_seal(short.phase())
    assert other[outbox.SEAT_HEADER] is None


def test_a_sealed_plan_is_told_to_its_player_alone(table: Campaign) -> None:
    table.play_on(until="2.return")
    seat = table.asked()[0]
    data = table.signed(seat, "2.return", [{"do": "return"}])
    (one,) = table.receive(data)
    course = replay_as_processor(table.folder)
    catch_up(course)
    contacts.register(table.folder, seat, f"{seat}@example.org")
    mine = receipt_mail(course, [one], f"{seat}@example.org", now=table.now)
    other = receipt_mail(course, [one], "eve@example.com", now=table.now)
    assert "If all others sent nothing" in text(mine)
    assert "If all others sent nothing" not in text(other)
    assert "TAKEN" in text(other)
    reports = [text(mail) for mail in mails(table)]
    assert not any("If all others sent nothing" in report for report in reports)


def test_who_sends_no_file_gets_help(table: Campaign) -> None:
    mail = help_mail(table.course(), "eve@example.com", "<one@example.com>", now=table.now)
    assert "there was no order file" in flat(mail)
    assert mail["Auto-Submitted"] == "auto-replied"
    assert not any(seat in flat(mail).lower().split() for seat in ("bo", "chen", "dai"))


# -- headers ----------------------------------------------------------------------------------------------------------------------


def test_headers_are_those_of_a_program_and_of_one_thread(table: Campaign) -> None:
    own = Settings(address="games@a-long-name.games.example.org", pdf=False)
    write(table, own)
    write(table, own, now=START + 24 * HOUR)
    mine = [mail for mail in mails(table) if mail[outbox.SEAT_HEADER] == "an"]
    assert len({mail["References"].split()[0] for mail in mine}) == 1
    assert len({mail["Message-ID"] for mail in mails(table)}) == 6
    for mail, raw in zip(mails(table), raws(table), strict=True):
        assert str(mail["From"]) == "winter-court <games@a-long-name.games.example.org>"
        assert mail["Auto-Submitted"] == "auto-generated"
        assert mail["X-Auto-Response-Suppress"] == "All"
        assert mail["Subject"].startswith("[winter-court] ")
        # Ids stay on one line, however long.
        assert re.search(rb"^Message-ID: <winter-court\.[0-9a-f]{32}@a-long-name\.games\.example\.org>\r?$", raw, re.MULTILINE)
    assert last_to(table, "an")["References"].split()[0] != last_to(table, "bo")["References"].split()[0]


def test_the_same_mail_has_the_same_id_whoever_makes_it(table: Campaign, tmp_path: Path) -> None:
    twin = table.copy(tmp_path / "twin")
    write(table)
    write(twin, now=table.now + HOUR)
    assert {mail["Message-ID"] for mail in mails(table)} == {mail["Message-ID"] for mail in mails(twin)}


EVIL = (
    "An\r\nBcc: eve@example.org", "An\nX: y", "An\x00", "An\u2028Bcc: x", '"An" <eve@example.org>', "你好" * 40, "=?utf-8?q?a=0ABcc:_x?=",
)  # fmt: skip


@pytest.mark.parametrize("evil", EVIL)
def test_nothing_can_begin_another_header(table: Campaign, evil: str) -> None:
    game = begin(table.folder).game
    answers = f"<a@b>\r\nBcc: eve@example.org {evil}"
    envelope = Envelope(to="an@example.org", to_name=evil, subject=evil, key="k", seat="an", answers=answers)
    found = Settings(address="games@example.org", name=evil)
    data = make(game, found, envelope, START, text=evil, html=evil).as_bytes()
    message = email.message_from_bytes(data, policy=default)
    assert isinstance(message, EmailMessage)
    assert "Bcc" not in message
    assert "X" not in message
    assert [address.addr_spec for address in message["To"].addresses] == ["an@example.org"]
    assert [address.addr_spec for address in message["From"].addresses] == ["games@example.org"]
    assert message["In-Reply-To"] == "<a@b>"
    assert max(map(len, data.split(b"\n"))) < 998


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("<a.b+c@mail.example.org>", "<a.b+c@mail.example.org>"), (" x <a@b> <c@d>", "<a@b>"), ("<ä@b>", ""), ("<a@b\r\nBcc: x>", ""),
        ("<a b@c>", ""), ("a@b", ""), ("", ""), ("<" + "a" * 300 + "@b>", ""), ("<a@b@c>", ""), ("<a@\x00b>", ""),
    ],
)  # fmt: skip
def test_an_id_of_somebody_else_is_taken_over_only_if_it_is_one(written: str, known: str) -> None:
    assert known_id(written) == known


def test_text_is_short_lines_and_html_fetches_nothing(table: Campaign) -> None:
    write(table)
    for mail in mails(table):
        assert max(map(len, text(mail).splitlines())) <= 76
        body = mail.get_body(("html",))
        assert body is not None
        page = body.get_content()
        assert not re.search(r"<(?:script|img|link|iframe|object)|url\(|https?://(?!www\.w3\.org)", page)
        assert "put your prince into a district" in page


def test_names_and_notes_are_escaped(table: Campaign) -> None:
    table.file("an", "0.prince", [{"do": "prince", "district": "yunnan-b"}], note="<script>alert(1)</script> & Grüße")
    table.process()
    write(table)
    body = last_to(table, "bo").get_body(("html",))
    assert body is not None
    page = body.get_content()
    assert "<script>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; Grüße" in page


# -- what may be told -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def hands(tmp_path: Path) -> Campaign:
    """A game with hidden hands, in which both know something alone."""
    folder = Folder(tmp_path / "winter-court")
    with environment("PBEM_SECRET", RAW_SECRET.hex()):
        made = create(folder, START, title="azure", seats=("an", "bo"), raw_id=RAW_ID)
    secret.keep(folder, RAW_SECRET)
    game = Campaign(folder, made, {seat: Player.of(seat) for seat in ("an", "bo")}, START)
    game.receive(*(game.join_file(seat) for seat in ("an", "bo")))
    game.process()
    course = replay_as_processor(folder)
    catch_up(course)
    minds = {seat: Mind(course.title, seat) for seat in game.seats}
    while len(by_seat(course.title, course.table.position)) < 2:
        assert game.everybody_plans(minds, course)
    return game


def test_a_mail_tells_its_reader_his_own_hand_and_nobody_elses(hands: Campaign) -> None:
    for seat in hands.seats:
        contacts.register(hands.folder, seat, f"{seat}@example.org")
    write(hands)
    course = replay_as_processor(hands.folder)
    title, position = course.title, course.table.position
    words = Words(notices.Desk(hands.folder, PLAIN, hands.now).story)
    boards = {seat: "\n".join(board_lines(words.story, title.view(position, seat), words)) for seat in hands.seats}  # type: ignore[arg-type]
    assert boards["an"] != boards["bo"]
    for seat, other in (("an", "bo"), ("bo", "an")):
        mail = last_to(hands, seat)
        assert boards[seat].strip() in text(mail)
        # What only the other one knows makes rows of their own; none of them may stand here.
        own = set(boards[seat].splitlines())
        for row in set(boards[other].splitlines()) - own:
            for part in mail.walk():
                if part.get_content_maintype() == "text":
                    assert row not in part.get_content()


def test_where_nothing_is_hidden_mails_are_made_of_public_files_alone(short: Campaign) -> None:
    desk = notices.Desk(short.folder, PLAIN, short.now)
    assert desk.knowing is desk.course
    assert desk.course.secret is None


def test_no_mail_holds_a_secret_and_no_public_file_an_address(short: Campaign) -> None:
    for seat in short.seats:
        contacts.register(short.folder, seat, f"{seat}.private@example.org")
    write(short, Settings(address="games@example.org", organiser="org@example.org", pdf=True))
    kept = secrets_of(short)
    count = 0
    for mail in mails(short):
        for part in mail.walk():
            if not part.is_multipart():
                count += 1
                content = part.get_payload(decode=True)
                assert isinstance(content, bytes)
                assert_clean(content, f"{mail['Subject']} {part.get_filename()}", kept)
                others = [f"{seat}.private" for seat in short.seats if seat != mail[outbox.SEAT_HEADER]]
                assert not any(other.encode() in content for other in others)
    assert count >= 12
    for path in short.folder.root.rglob("*"):
        if path.is_file() and short.folder.private not in path.parents:
            assert b"private@example.org" not in path.read_bytes(), path


# -- the organiser ----------------------------------------------------------------------------------------------------------------


def test_the_organiser_hears_once_of_what_needs_him(table: Campaign) -> None:
    found = Settings(address="games@example.org", organiser="org@example.org", pdf=False)
    contacts.mark_bouncing(table.folder, "bo@example.org", "550 no such user", table.now)
    assert write(table, found)[-1] == "organiser"
    (mail,) = [one for one in mails(table) if "org@example.org" in str(one["To"])]
    assert "Mail to bo does not arrive (bo@example.org: 550 no such user)." in flat(mail)
    assert "There is no address for dai" in flat(mail)
    assert "organiser" not in write(table, found, now=table.now + HOUR)
    late = START + 48 * HOUR + timedelta(hours=6)
    assert write(table, found, now=late) == ["organiser"]
    assert write(table, found, now=late + HOUR) == []


# -- killed anywhere --------------------------------------------------------------------------------------------------------------


def killed(work: Callable[[], object], deadly: int) -> int:
    """Runs ``work`` in a child that dies before its Nth call on files; the number of calls when it was not killed, else 0."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            # What other tests have left behind must not be cleared away, and counted, in one child and not in the next.
            gc.disable()
            countdown = _Countdown(deadly)
            for name in CALLS:
                setattr(os, name, countdown.wrapped(name, getattr(os, name)))
            work()
            os.write(writing, str(countdown.count).encode())
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    os.close(writing)
    told = os.read(reading, 100)
    os.close(reading)
    assert not os.WIFSIGNALED(status) or os.WTERMSIG(status) == signal.SIGKILL
    return int(told or b"0")


def _kill_at(table: Campaign, tmp_path: Path, moments: Callable[[int], list[int]]) -> int:
    for seat, district in (("bo", "yunnan-b"), ("chen", "zhili-c"), ("dai", "sichuan-a")):
        table.file(seat, "0.prince", [{"do": "prince", "district": district}])
    answered(table, "an", [{"do": "prince", "district": "nanjing-a"}])
    table.process()
    whole = table.copy(tmp_path / "whole")
    calls = killed(lambda: write(whole), 0)
    wanted = sorted((mail["Message-ID"], text(mail)) for mail in mails(whole))
    assert len(wanted) == 3
    assert calls > 50
    for deadly in moments(calls):
        game = table.copy(tmp_path / f"killed {deadly}")
        assert killed(lambda game=game: write(game), deadly) == 0  # type: ignore[misc]
        # Time goes on, and the run is killed a second time before one is let through.
        killed(lambda game=game: write(game), deadly // 2 + 1)  # type: ignore[misc]
        write(game)
        assert sorted((mail["Message-ID"], text(mail)) for mail in mails(game)) == wanted, deadly
        assert outbox.waiting(game.folder) == []
    return calls


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked child")
def test_killed_at_some_calls_every_mail_goes_once(table: Campaign, tmp_path: Path) -> None:
    _kill_at(table, tmp_path, lambda calls: [calls * part // 6 for part in (1, 2, 3, 4, 5)])


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked child")
def test_killed_at_every_call_every_mail_goes_once(table: Campaign, tmp_path: Path) -> None:
    _kill_at(table, tmp_path, lambda calls: list(range(1, calls + 1)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked child")
def test_killed_while_a_server_takes_mails_none_is_lost_and_a_second_one_has_the_same_id(table: Campaign, tmp_path: Path) -> None:
    write(table, Settings(pdf=False, address="games@example.org", maildir=settings.Maildir(outbox="elsewhere")))
    for seat in ("an", "bo", "chen"):
        envelope = Envelope(to=f"{seat}@example.org", to_name="", subject="A report", key=seat)
        message = make(begin(table.folder).game, PLAIN, envelope, START, text=seat)
        outbox.queue(table.folder, message, f"report/{seat}/x", now=table.now)
    wanted = {str(outbox.message_of(table.folder, f"report/{seat}/x")["Message-ID"]) for seat in ("an", "bo", "chen")}
    with smtp_server() as post:
        server = settings.Smtp(host="127.0.0.1", port=post.port, security="plain")
        found = Settings(address="games@example.org", pdf=False, smtp=server)
        calls = killed(lambda: write(table.copy(tmp_path / "whole"), found), 0)
        for deadly in range(3, calls, 7):
            post.mails.clear()
            game = table.copy(tmp_path / f"killed {deadly}")
            killed(lambda game=game: write(game, found), deadly)  # type: ignore[misc]
            write(game, found)
            assert set(post.ids()) == wanted, deadly
            assert len(post.ids()) <= 4, deadly
            assert outbox.waiting(game.folder) == []


# -- the command -------------------------------------------------------------------------------------------------------------------


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        cli.main(list(words))
    told = capsys.readouterr()
    return int(stopped.value.code or 0), told.out, told.err


def test_the_command_tells_what_it_did_and_no_address(table: Campaign, capsys: pytest.CaptureFixture[str]) -> None:
    game = str(table.folder.root)
    settings.path_of(table.folder).write_text("pdf = false\n")
    at = ["--now", "2026-11-01T20:00"]
    status, out, _ = run(capsys, "mail", "send", game, "--dry-run", *at)
    assert (status, out.count("would be written: report of entry 5")) == (0, 3)
    assert list(mails(table)) == []
    status, out, _ = run(capsys, "mail", "send", game, *at)
    assert (status, out.splitlines()[:3]) == (0, ["  an: sent: report", "  bo: sent: report", "  chen: sent: report"])
    assert f"they lie in {table.folder.root.as_posix()}/private/mail/outbox" in out
    assert "Nobody could answer them by mail" in out
    status, out, _ = run(capsys, "mail", "send", game, *at, "--json")
    assert (status, json.loads(out)["sent"]) == (0, [])
    status, out, _ = run(capsys, "mail", "send", game, *at)
    assert (status, out) == (0, "Nothing is due; nothing was sent.\n")


def test_a_server_that_is_away_is_an_error_and_a_bounce_is_told_without_its_address(
    table: Campaign, capsys: pytest.CaptureFixture[str]
) -> None:
    game = str(table.folder.root)
    at = ["--now", "2026-11-01T20:00"]

    def use(port: int) -> None:
        server = f'[smtp]\nhost = "127.0.0.1"\nport = {port}\nsecurity = "plain"\n'
        settings.path_of(table.folder).write_text(f'address = "games@example.org"\npdf = false\n{server}')

    use(free_port())
    status, _, err = run(capsys, "mail", "send", game, *at)
    assert (status, "cannot be used: Connection refused" in err, "nothing is lost" in err) == (1, True, True)
    with smtp_server() as post:
        use(post.port)
        post.rcpt["bo@example.org"] = "550 5.1.1 <bo@example.org> unknown"
        status, out, err = run(capsys, "mail", "send", game, *at)
        assert status == 0
        assert "bo: the address does not take mail: 550 5.1.1 (address) unknown" in out
        assert "bo@example.org" not in out + err
        assert len(post.mails) == 2
    assert f"mail to bo does not arrive: pbem contacts {game}" in run(capsys, "status", game, *at)[1]
    status, out, _ = run(capsys, "contacts", game)
    assert "bo           bo@example.org   takes no mail since 2026-11-01T20:00:00Z: 550 5.1.1" in out
    assert "dai          no address" in out
    status, out, _ = run(capsys, "contacts", game, "--clear", "all", "--set", "dai=dai@example.org", "--forget", "chen", "--json")
    assert sorted(json.loads(out)) == ["an", "bo", "dai"]
    assert run(capsys, "contacts", game, "--set", "cheng=a@example.org")[0] == 1
    assert run(capsys, "contacts", game, "--set", "chen")[0] == 2


def test_notes_of_what_was_told_that_cannot_be_read_are_an_error(table: Campaign, capsys: pytest.CaptureFixture[str]) -> None:
    write(table)
    told = outbox.home(table.folder) / "told.json"
    for broken in (b"", b"{", b"[1]", b"\xff"):
        told.write_bytes(broken)
        status, _, err = run(capsys, "mail", "send", str(table.folder.root), "--now", "2026-11-01T20:00")
        assert (status, "cannot be read" in err, "Traceback" in err) == (1, True, False)
    told.unlink()
    assert write(table) == ["report an", "report bo", "report chen"]


def test_a_new_campaign_mails_its_invites(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "n"
    at = ["--now", "2026-11-01T20:00"]
    words = ["new", str(game), "--title", "azure", "--seats", "an,bo", *at]
    assert run(capsys, *words, "--to", "an=nobody")[0] == 1
    assert not game.exists()
    status, out, _ = run(capsys, *words, "--to", "an=an@example.org")
    assert (status, "The invite of an waits to be mailed" in out) == (0, True)
    code = re.search(r"--seat an --invite (\S+)", out)
    assert code is not None
    assert run(capsys, "mail", "send", str(game), *at)[1].startswith("  an: sent: invite\n")
    (path,) = (game / "private" / "mail" / "outbox" / "new").iterdir()
    mail = email.message_from_bytes(path.read_bytes(), policy=default)
    assert isinstance(mail, EmailMessage)
    assert f"pbem join game.toml --seat an --key an.key --invite {code[1]}" in text(mail)
    (attached,) = mail.iter_attachments()
    assert attached.get_content() == (game / "game.toml").read_bytes()
    assert "Whoever invited you tells you where to get it" in flat(mail)
    # A second invite is another mail; a seat that is given away has no address any more.
    where = ["--install", "https://example.org/pbem"]
    assert run(capsys, "invite", str(game), "--seat", "an", "--to", "an@example.net", *where, *at)[0] == 0
    assert "Where it is and how: https://example.org/pbem" in flat(queued(game))
    assert run(capsys, "mail", "send", str(game), *at)[1].startswith("  an: sent: invite\n")
    assert contacts.address_of(Folder(game), "an") == "an@example.net"
    (game / "private" / "mail.toml").write_text('install = "from the club\u202e, by wire"\n')
    (game / "private" / "mail.toml").chmod(0o600)
    assert run(capsys, "invite", str(game), "--seat", "bo", "--to", "bo@example.net", *at)[0] == 0
    assert "Where it is and how: from the club, by wire" in flat(queued(game))


def test_a_seat_given_away_writes_to_its_former_player_no_more(table: Campaign, capsys: pytest.CaptureFixture[str]) -> None:
    write(table)
    assert run(capsys, "substitute", str(table.folder.root), "--seat", "bo", "--now", "2026-11-01T20:00")[0] == 0
    assert contacts.address_of(table.folder, "bo") is None
    assert write(table, now=table.now + 2 * HOUR) == ["report an", "report chen"]
