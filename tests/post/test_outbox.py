"""Mails on disk: queued once, gone once, whatever is killed in between."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.campaign.folder import CampaignError, Folder
from pbem.post import contacts, outbox, settings

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "winter-court")


def mail(to: str = "an@example.org", *, seat: str = "") -> EmailMessage:
    message = EmailMessage()
    message["To"], message["Subject"] = to, "你好"
    if seat:
        message[outbox.SEAT_HEADER] = seat
    message.set_content("From here on: 你好\n.\n")
    return message


def test_a_key_is_queued_once_and_never_again_when_it_is_gone(folder: Folder) -> None:
    assert outbox.queue(folder, mail(), "report/an/1", now=NOW)
    assert not outbox.queue(folder, mail(), "report/an/1", now=NOW)
    (waits,) = outbox.waiting(folder)
    assert (waits.key, waits.to, waits.kind) == ("report/an/1", "an@example.org", "report")
    assert outbox.message_of(folder, waits.key).get_content().replace("\r\n", "\n") == "From here on: 你好\n.\n"
    outbox.done(folder, waits, NOW)
    assert outbox.waiting(folder) == []
    assert not outbox.queue(folder, mail(), "report/an/1", now=NOW)
    assert outbox.queue(folder, mail(), "report/an/2", now=NOW)


def test_reports_go_first_and_reminders_last(folder: Folder) -> None:
    for key in ("reminder/an/1", "help/1", "request/an/1", "receipt/1", "report/an/1"):
        outbox.queue(folder, mail(), key, now=NOW)
    assert [one.kind for one in outbox.waiting(folder)] == ["report", "receipt", "request", "reminder", "help"]


def test_what_is_written_is_for_its_owner_alone_and_kept_out_of_git(folder: Folder) -> None:
    outbox.queue(folder, mail(), "report/an/1", now=NOW)
    contacts.register(folder, "an", "an@example.org")
    assert (folder.private / ".gitignore").read_text() == "*\n"
    for path in (*(outbox.home(folder) / "queue").iterdir(), contacts.path_of(folder)):
        assert path.stat().st_mode & 0o077 == 0, path


def test_mails_of_the_last_day_are_counted_per_address(folder: Folder) -> None:
    for number, hours in enumerate((30, 23, 1)):
        outbox.queue(folder, mail("An@Example.org"), f"report/an/{number}", now=NOW)
        (waits,) = outbox.waiting(folder)
        outbox.done(folder, waits, NOW - timedelta(hours=hours))
    assert outbox.counts(folder, NOW) == {"an@example.org": 2}


def test_a_mail_put_off_is_tried_ever_more_rarely(folder: Folder) -> None:
    waits = []
    now = NOW
    for _ in range(9):
        made = outbox.put_off(folder, "report/an/1", "451 later", now)
        again = datetime.fromisoformat(made.again)
        waits.append(int((again - now).total_seconds()) // 60)
        now = again
    assert waits == [10, 20, 40, 80, 160, 320, 640, 720, 720]
    assert made.first == "2026-12-01T12:00:00Z"


@pytest.mark.parametrize(
    "address",
    [
        "", "an", "@example.org", "an@", "a b@example.org", "an@example.org\nBcc: eve@example.org", "an@exa mple.org", "<an@example.org>",
        "an@example.org, eve@example.org", "ån@example.org", "an@-example.org", "an@example.org\x00", "x" * 65 + "@example.org",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused(folder: Folder, address: str) -> None:
    with pytest.raises(CampaignError) as caught:
        contacts.register(folder, "an", address)
    assert caught.value.code == "bad-address"
    assert contacts.load(folder) == {}


def test_an_address_belongs_to_its_seats_however_it_is_written(folder: Folder) -> None:
    contacts.register(folder, "an", "An.Li@Example.ORG")
    contacts.register(folder, "bo", "an.li@example.org")
    contacts.register(folder, "chen", "chen@bücher.example")
    assert contacts.seats_of(folder, "AN.LI@example.org") == ["an", "bo"]
    assert contacts.seat_of(folder, "an.li@example.org") == "an"
    assert contacts.seat_of(folder, "eve@example.org") is None
    assert contacts.address_of(folder, "chen") == "chen@xn--bcher-kva.example"
    assert contacts.seat_of(folder, "chen@Bücher.example") == "chen"
    contacts.forget(folder, "chen")
    assert contacts.address_of(folder, "chen") is None


def test_a_bouncing_address_is_marked_until_it_is_cleared_or_changed(folder: Folder) -> None:
    contacts.register(folder, "an", "an@example.org")
    assert contacts.mark_bouncing(folder, "AN@example.org", "550 no\x1b[31m such\r\nuser", NOW) == ["an"]
    marked = contacts.load(folder)["an"]
    assert (marked.bouncing, marked.why) == ("2026-12-01T12:00:00Z", "550 no [31m such user")
    contacts.register(folder, "an", "an@example.org")
    assert contacts.load(folder)["an"].bouncing
    assert contacts.clear(folder, "an")
    assert not contacts.clear(folder, "an")
    contacts.mark_bouncing(folder, "an@example.org", "550", NOW)
    contacts.register(folder, "an", "other@example.org")
    assert not contacts.load(folder)["an"].bouncing


# -- settings ----------------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PBEM_MAIL_SETTINGS", "PBEM_MAIL_PASSWORD", "PBEM_SMTP_PASSWORD", "PBEM_SMTP_HOST", "PBEM_SMTP_PORT", "PBEM_MAIL_ADDRESS"):
        monkeypatch.delenv(name, raising=False)


def set_mail(folder: Folder, text: str) -> None:
    folder.private.mkdir(parents=True, exist_ok=True)
    settings.path_of(folder).write_text(text)
    settings.path_of(folder).chmod(0o644)


def test_without_a_file_everything_has_its_default(folder: Folder) -> None:
    found = settings.load(folder)
    assert (found.address, found.smtp, found.imap, found.most_a_day, found.reminders) == ("", None, None, 20, ["24h", "3h"])


def test_settings_are_read_and_closed_to_others(folder: Folder) -> None:
    server = '[smtp]\nhost = "mail.example.org"\nsecurity = "starttls"\n'
    set_mail(folder, f'address = "games@example.org"\n{server}[seats.an]\ndigest = "07:00"\n')
    found = settings.load(folder)
    assert found.smtp is not None
    assert (found.smtp.number, found.digest_of("an"), found.digest_of("bo")) == (587, "07:00", "")
    assert settings.path_of(folder).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('adress = "games@example.org"', "did you mean address?"),
        ('[smtp]\nhost = "x"\nsecurty = "tls"', "there is no setting securty in [smtp]; did you mean security?"),
        ('[smtp]\nhost = "x"\nport = "25"', "smtp.port"),
        ('[smtp]\nhost = "x"\npassword = "hunter2"', "there is no setting password in [smtp]; did you mean password_command?"),
        ('digest = "7:00"', "digest"),
        ("[smtp", "end of document"),
    ],
)
def test_a_setting_that_does_not_fit_is_named(folder: Folder, text: str, said: str) -> None:
    set_mail(folder, text)
    with pytest.raises(CampaignError) as caught:
        settings.load(folder)
    assert caught.value.code == "bad-mail-settings"
    assert said in str(caught.value.facts["why"])
    assert "hunter2" not in str(caught.value)


def test_plain_mail_over_a_network_has_to_be_asked_for(folder: Folder) -> None:
    set_mail(folder, '[smtp]\nhost = "mail.example.org"\nsecurity = "plain"\n')
    with pytest.raises(CampaignError) as caught:
        settings.load(folder)
    assert caught.value.code == "plain-mail"
    for allowed in ('host = "localhost"', 'host = "mail.example.org"\nunsafe = true'):
        set_mail(folder, f'[smtp]\n{allowed}\nsecurity = "plain"\n')
        assert settings.load(folder).smtp is not None


def test_settings_that_others_can_write_are_not_believed(folder: Folder) -> None:
    set_mail(folder, "")
    settings.path_of(folder).chmod(0o662)
    with pytest.raises(CampaignError) as caught:
        settings.load(folder)
    assert caught.value.code == "open-mail-settings"


def test_the_environment_goes_first(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_SMTP_HOST", "mail.example.net")
    monkeypatch.setenv("PBEM_SMTP_PORT", "2525")
    monkeypatch.setenv("PBEM_MAIL_ADDRESS", "games@example.net")
    set_mail(folder, 'address = "games@example.org"\n')
    found = settings.load(folder)
    assert found.smtp is not None
    assert (found.smtp.host, found.smtp.number, found.address) == ("mail.example.net", 2525, "games@example.net")


def test_settings_shared_by_campaigns_count_where_there_are_none_of_its_own(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "club.toml").write_text('name = "The club"\n')
    (tmp_path / "club.toml").chmod(0o600)
    monkeypatch.setenv("PBEM_MAIL_SETTINGS", str(tmp_path / "club.toml"))
    assert settings.load(folder).name == "The club"
    set_mail(folder, 'name = "My own"\n')
    assert settings.load(folder).name == "My own"


def test_a_password_comes_from_the_environment_or_a_command(folder: Folder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "it's here"
    script.write_text("#!/bin/sh\necho 'from $(command)'\necho second line\n")
    script.chmod(0o755)
    server = settings.Smtp(host="localhost", password_command=f'"{script}"')
    assert settings.password(server, "smtp") == "from $(command)"
    monkeypatch.setenv("PBEM_MAIL_PASSWORD", "mail")
    assert settings.password(server, "smtp") == "mail"
    monkeypatch.setenv("PBEM_SMTP_PASSWORD", "smtp")
    assert settings.password(server, "smtp") == "smtp"
    assert settings.password(server, "imap") == "mail"


@pytest.mark.parametrize("command", ["false", "/no/such/program", "'unclosed", " "])
def test_a_password_command_that_fails_is_told_without_its_words(command: str) -> None:
    with pytest.raises(CampaignError) as caught:
        settings.password(settings.Smtp(host="localhost", password_command=command), "smtp")
    assert caught.value.code == "password-command"
    assert caught.value.facts == {"server": "smtp"}


@pytest.mark.parametrize("more", range(90))
def test_a_subject_of_any_length_is_read_as_it_was_written(more: int) -> None:
    mail = EmailMessage(policy=outbox.MAIL)
    mail["Subject"] = subject = f"[winter-court] An, set-up, princes: {'word ' * 20}"[: 30 + more].strip()
    written = mail.as_bytes()
    assert written.startswith(b"Subject: [winter-court]")
    assert max(len(line) for line in written.split(b"\r\n")) <= 78
    assert message_from_bytes(written, policy=outbox.MAIL)["Subject"] == subject
