"""Mails handed to real SMTP servers: over TLS, refused at every step, cut off at every step; each mail goes once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.campaign.archive import begin
from pbem.campaign.folder import CampaignError
from pbem.post import contacts, outbox, settings
from pbem.post.sending import Delivery, deliver
from pbem.post.settings import Settings, Smtp

from ..helpers import Campaign, new_campaign
from .mailserver import PASSWORD, USER, Certificate, Post, Wire, certificate, chatterbox, free_port, smtp_server

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
AN, BO = "an@example.org", "bo@example.org"


@pytest.fixture
def game(tmp_path: Path) -> Campaign:
    made = new_campaign(tmp_path)
    contacts.register(made.folder, "an", AN)
    contacts.register(made.folder, "bo", BO)
    return made


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def trusting(trusted: Certificate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted.path))


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PBEM_MAIL_SETTINGS", "PBEM_MAIL_PASSWORD", "PBEM_SMTP_PASSWORD"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[Post]:
    with smtp_server() as post:
        yield post


def put(game: Campaign, seat: str, key: str, text: str = "Hello.\n.\nFrom here.\n") -> None:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "games@example.org", f"{seat}@example.org", key
    message["Message-ID"] = f"<{key.replace('/', '.')}@example.org>"
    message[outbox.SEAT_HEADER] = seat
    message.set_content(text)
    assert outbox.queue(game.folder, message, key, now=NOW)


def send(game: Campaign, port: int, *, now: datetime = NOW, most: int = 20, **changed: object) -> Delivery:
    facts: dict[str, object] = {"host": "127.0.0.1", "port": port, "security": "plain", "timeout": 5}
    found = Settings(address="games@example.org", smtp=Smtp(**(facts | changed)), most_a_day=most)  # type: ignore[arg-type]
    with outbox.sending(game.folder):
        return deliver(game.folder, begin(game.folder).game, found, now)


def keys(game: Campaign) -> list[str]:
    return [about.key for about in outbox.waiting(game.folder)]


def test_a_mail_goes_once_and_as_it_was(game: Campaign, server: Post) -> None:
    put(game, "an", "report/an/1")
    assert [one.key for one in send(game, server.port).gone] == ["report/an/1"]
    assert send(game, server.port).gone == []
    (mail,) = server.mails
    assert mail.get_content().replace("\r\n", "\n") == "Hello.\n.\nFrom here.\n"
    gone = outbox.sent(game.folder, "report/an/1")
    assert gone is not None
    assert gone.message_id == "<report.an.1@example.org>"


@pytest.mark.parametrize("mode", ["tls", "starttls"])
@pytest.mark.usefixtures("trusting")
def test_a_mail_goes_over_tls_with_a_login(game: Campaign, trusted: Certificate, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_SMTP_PASSWORD", PASSWORD)
    put(game, "an", "report/an/1")
    with smtp_server(tls=trusted, mode=mode, auth=mode == "starttls") as post:
        done = send(game, post.port, security=mode, user=USER)
        assert done.stopped is None
        assert len(post.mails) == 1
        assert post.logins == [True]
        assert post.secure == [True]


@pytest.mark.usefixtures("trusting")
def test_a_wrong_password_stops_and_nothing_is_lost(game: Campaign, trusted: Certificate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_SMTP_PASSWORD", "wrong horse")
    put(game, "an", "report/an/1")
    with smtp_server(tls=trusted, mode="starttls", auth=True) as post:
        stopped = send(game, post.port, security="starttls", user=USER).stopped
    assert stopped is not None
    assert "does not accept" in str(stopped.facts["why"])
    assert "horse" not in str(stopped)
    assert keys(game) == ["report/an/1"]


@pytest.mark.parametrize("mode", ["tls", "starttls"])
def test_a_certificate_that_nobody_vouches_for_is_not_taken(game: Campaign, trusted: Certificate, mode: str) -> None:
    put(game, "an", "report/an/1")
    with smtp_server(tls=trusted, mode=mode) as post:
        stopped = send(game, post.port, security=mode).stopped
        assert post.mails == []
    assert stopped is not None
    assert "certificate" in str(stopped.facts["why"])


def test_a_certificate_for_another_host_is_not_taken(game: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = certificate(tmp_path, name="127.0.0.2")
    monkeypatch.setenv("SSL_CERT_FILE", str(other.path))
    put(game, "an", "report/an/1")
    with smtp_server(tls=other, mode="tls") as post:
        stopped = send(game, post.port, security="tls").stopped
    assert stopped is not None
    assert "certificate" in str(stopped.facts["why"])


def test_without_starttls_nothing_is_said_in_the_clear(game: Campaign, server: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_SMTP_PASSWORD", PASSWORD)
    put(game, "an", "report/an/1")
    stopped = send(game, server.port, security="starttls", user=USER).stopped
    assert stopped is not None
    assert "STARTTLS" in str(stopped.facts["why"])
    assert (server.mails, server.logins) == ([], [])


def test_the_setting_for_the_other_way_of_tls_is_named(game: Campaign, server: Post) -> None:
    put(game, "an", "report/an/1")
    done = send(game, server.port, security="tls")
    assert done.stopped is not None
    assert 'security = "starttls"' in str(done.stopped.facts["why"])


def test_a_server_that_is_not_there_is_told(game: Campaign) -> None:
    put(game, "an", "report/an/1")
    done = send(game, free_port())
    stopped = done.stopped
    assert stopped is not None
    assert [(one.mail.key, one.why) for one in done.held] == [("report/an/1", "stopped")]
    assert stopped.code == "smtp"
    assert keys(game) == ["report/an/1"]


@pytest.mark.parametrize("step", ["rcpt", "data"])
def test_what_is_refused_for_a_while_waits_and_holds_up_nobody(game: Campaign, server: Post, step: str) -> None:
    getattr(server, step)[AN] = "450 4.2.0 greylisted, come back"
    put(game, "an", "report/an/1")
    put(game, "bo", "report/bo/1")
    done = send(game, server.port)
    assert [one.seat for one in done.gone] == ["bo"]
    assert [(one.why, one.again) for one in done.held] == [("later", "2026-12-01T12:10:00Z")]
    assert [one.why for one in send(game, server.port, now=NOW + timedelta(minutes=9)).held] == ["later"]
    getattr(server, step).clear()
    assert [one.seat for one in send(game, server.port, now=NOW + timedelta(minutes=10)).gone] == ["an"]
    assert len(server.to(AN)) == 1


def test_three_days_of_refusals_make_a_bouncing_address(game: Campaign, server: Post) -> None:
    server.rcpt[AN] = "451 not now"
    put(game, "an", "report/an/1")
    now, runs = NOW, 0
    while not (done := send(game, server.port, now=now)).bounced:
        runs += 1
        now = datetime.fromisoformat(done.held[0].again)
    assert now - NOW >= outbox.PATIENCE
    assert runs < 20
    assert done.bounced[0].seats == ["an"]
    assert contacts.load(game.folder)["an"].bouncing


@pytest.mark.parametrize("step", ["rcpt", "data"])
def test_an_address_that_refuses_for_good_is_marked_and_its_mail_waits(game: Campaign, server: Post, step: str) -> None:
    getattr(server, step)[AN] = "550 5.1.1 <an@example.org>: no such user"
    for number in (1, 2):
        put(game, "an", f"report/an/{number}")
    put(game, "bo", "report/bo/1")
    done = send(game, server.port)
    assert [one.seat for one in done.gone] == ["bo"]
    assert [(one.address, one.seats) for one in done.bounced] == [(AN, ["an"])]
    assert [one.why for one in done.held] == ["bouncing", "bouncing"]
    assert "no such user" in contacts.load(game.folder)["an"].why
    # Nothing is tried while the mark is there, and everything goes once the organiser has taken it off.
    getattr(server, step).clear()
    assert send(game, server.port).gone == []
    assert contacts.clear(game.folder, "an")
    assert [one.key for one in send(game, server.port).gone] == ["report/an/1", "report/an/2"]


def test_a_new_address_gets_what_waited_for_the_old_one(game: Campaign, server: Post) -> None:
    server.rcpt[AN] = "550 no such user"
    put(game, "an", "report/an/1")
    send(game, server.port)
    contacts.register(game.folder, "an", "an@example.net")
    assert [one.to for one in send(game, server.port).gone] == ["an@example.net"]
    (mail,) = server.mails
    assert mail["To"].addresses[0].addr_spec == "an@example.net"
    assert mail["Message-ID"] == "<report.an.1@example.org>"


@pytest.mark.parametrize(
    ("answer", "why"),
    [("554 5.7.1 relaying denied", "later"), ("552 5.2.2 mailbox full", "later"), ("421 4.3.2 shutting down", "later")],
)
def test_what_is_no_fault_of_the_address_does_not_mark_it(game: Campaign, server: Post, answer: str, why: str) -> None:
    server.rcpt[AN] = answer
    put(game, "an", "report/an/1")
    put(game, "bo", "report/bo/1")
    done = send(game, server.port)
    assert [one.seat for one in done.gone] == ["bo"]
    assert [one.why for one in done.held] == [why]
    assert not contacts.load(game.folder)["an"].bouncing


def test_a_sender_that_is_refused_stops_the_run(game: Campaign, server: Post) -> None:
    server.sender = "550 5.7.1 you are not games@example.org"
    put(game, "an", "report/an/1")
    done = send(game, server.port)
    assert done.stopped is not None
    assert "does not take mail from games@example.org" in str(done.stopped.facts["why"])
    assert not contacts.load(game.folder)["an"].bouncing
    assert keys(game) == ["report/an/1"]


def test_a_stranger_who_cannot_be_reached_is_not_tried_for_ever(game: Campaign, server: Post) -> None:
    message = EmailMessage()
    message["To"] = "eve@example.org"
    message.set_content("help")
    outbox.queue(game.folder, message, "help/1", now=NOW)
    server.rcpt["eve@example.org"] = "550 no such user"
    assert [one.seats for one in send(game, server.port).bounced] == [[]]
    assert keys(game) == []


def test_no_more_than_so_many_mails_a_day_and_reports_first(game: Campaign, server: Post) -> None:
    for number in range(4):
        put(game, "an", f"reminder/an/{number}")
        put(game, "an", f"report/an/{number}")
    done = send(game, server.port, most=5)
    assert [one.kind for one in done.gone] == ["report"] * 4 + ["reminder"]
    assert [one.why for one in done.held] == ["enough"] * 3
    assert send(game, server.port, most=5, now=NOW + timedelta(hours=23)).gone == []
    assert len(send(game, server.port, most=5, now=NOW + timedelta(hours=24)).gone) == 3


def test_a_connection_cut_at_every_step_loses_nothing(game: Campaign, server: Post, tmp_path: Path) -> None:
    """The one gap that SMTP leaves: everything was said and the answer did not come. Then the mail goes twice, under one Message-ID."""
    whole = Wire(server.port)
    put(game, "an", "report/an/0")
    send(game, whole.port)
    whole.close()
    assert whole.pieces > 12
    twice = 0
    for cut in range(1, whole.pieces + 1):
        key = f"report/an/{cut}"
        put(game, "an", key)
        wire = Wire(server.port, cut)
        done = send(game, wire.port, now=NOW + timedelta(days=2 * cut))
        wire.close()
        if not done.gone:
            assert keys(game) == [key]
            outbox.try_again(game.folder, key)
            done = send(game, server.port, now=NOW + timedelta(days=2 * cut))
        assert [one.key for one in done.gone] == [key], cut
        arrived = server.ids().count(f"<{key.replace('/', '.')}@example.org>")
        assert arrived in (1, 2), cut
        twice += arrived == 2
    assert twice <= 2
    assert not contacts.load(game.folder)["an"].bouncing


def test_a_server_that_always_breaks_off_ends_the_run(game: Campaign) -> None:
    port, stop = chatterbox(lambda number: b"220 hello\r\n" if number == 0 else b"250 fine\r\n" if number < 4 else b"")
    for number in range(5):
        put(game, "an", f"report/an/{number}")
    done = send(game, port)
    stop()
    assert done.stopped is not None
    assert done.stopped.code == "smtp-lost"
    assert len(keys(game)) == 5


NO_SMTP = (b"hello there\r\n", b"\xff\xfe\r\n", b"999 what\r\n", b"220 " + b"x" * 100_000 + b"\r\n", b"", b"554 no\r\n")


@pytest.mark.parametrize("said", NO_SMTP)
def test_what_speaks_no_smtp_is_told_in_a_sentence(game: Campaign, said: bytes) -> None:
    port, stop = chatterbox(lambda number: said)
    put(game, "an", "report/an/1")
    done = send(game, port)
    stop()
    assert done.stopped is not None
    assert len(str(done.stopped.facts["why"])) < 300
    assert keys(game) == ["report/an/1"]


def test_without_an_address_no_server_is_troubled(game: Campaign, server: Post) -> None:
    put(game, "an", "report/an/1")
    found = Settings(smtp=Smtp(host="127.0.0.1", port=server.port, security="plain"))
    with pytest.raises(CampaignError) as caught, outbox.sending(game.folder):
        deliver(game.folder, begin(game.folder).game, found, NOW)
    assert caught.value.code == "no-mail-address"


def test_two_runs_at_once_send_one_after_the_other(game: Campaign, server: Post) -> None:
    put(game, "an", "report/an/1")
    with outbox.sending(game.folder), pytest.raises(CampaignError) as caught, outbox.sending(game.folder, seconds=0.1):
        pass
    assert caught.value.code == "busy"
    assert settings.load(game.folder).smtp is None
