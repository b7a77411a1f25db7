"""Fetching from a real IMAP server: over TLS, with connections that break at every step, with a server that numbers anew."""

from __future__ import annotations

import os
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.campaign.archive import load
from pbem.campaign.folder import CampaignError
from pbem.post import outbox
from pbem.post.fetch import fetch

from ..helpers import HOUR, Campaign, environment, read_until
from . import dovecot
from .dovecot import PASSWORD, Dovecot
from .postbox import answers, as_bytes, mail, register, run, said, write_settings

pytestmark = [
    pytest.mark.skipif(not dovecot.PROGRAM and os.environ.get("CI") != "true", reason="there is no Dovecot: apt-get install dovecot-imapd"),
    pytest.mark.skipif(os.name == "nt", reason="there is no Dovecot for Windows"),
]
PRINCE = {"do": "prince", "district": "yunnan-b"}


@pytest.fixture(scope="module")
def server() -> Iterator[Dovecot]:
    assert dovecot.PROGRAM, "there is no Dovecot: apt-get install dovecot-imapd"
    with dovecot.running() as made:
        yield made


_users = iter(range(10_000))


@pytest.fixture
def user() -> str:
    """A mailbox of its own for each test."""
    return f"court{next(_users)}"


@pytest.fixture(autouse=True)
def _password() -> Iterator[None]:
    with environment("PBEM_IMAP_PASSWORD", PASSWORD):
        yield


def reads_from(campaign: Campaign, port: int, user: str, host: str = "127.0.0.1", **more: str) -> None:
    lines = [f'{key} = "{value}"' for key, value in {"host": host, "user": user, "security": "plain", **more}.items()]
    write_settings(campaign, "\n".join(["[imap]", f"port = {port}", "timeout = 5", *lines, ""]))


def order(campaign: Campaign, seat: str = "an", **changed: object) -> bytes:
    return campaign.signed(seat, "0.prince", [PRINCE], **changed)  # type: ignore[arg-type]


def fails(campaign: Campaign) -> CampaignError:
    [done] = fetch([campaign.folder.root], campaign.now)
    [error] = done.errors
    assert isinstance(error, CampaignError)
    return error


# -- as it should go ----------------------------------------------------------------------------------------------------


def test_a_mail_is_received_as_of_the_servers_time_answered_and_marked(campaign: Campaign, server: Dovecot, user: str) -> None:
    register(campaign)
    reads_from(campaign, server.port, user)
    campaign.now += 5 * HOUR
    came = campaign.now - 2 * HOUR
    server.deliver(user, as_bytes(mail("x@spam.example")), came)
    server.deliver(user, as_bytes(mail("An <an@example.org>", order(campaign))), came)
    assert said(run(campaign)) == [("x…@spam.example", "stranger", []), ("an", "files", ["complete"])]
    [*_, last] = load(campaign.folder, check=True).receipts
    assert last.record.received == came.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert len(answers(campaign)) == 2
    assert server.flags(user) == [set(), {r"\Seen", "$pbem"}], "what nobody here has use for stays unread"
    assert said(run(campaign)) == []
    assert read_until(campaign.folder) == {"mail": campaign.now}


def test_what_somebody_has_read_with_another_program_is_not_passed_over(campaign: Campaign, server: Dovecot, user: str) -> None:
    register(campaign)
    reads_from(campaign, server.port, user)
    server.deliver(user, as_bytes(mail("an@example.org", order(campaign))), campaign.now)
    with server.client(user) as other:
        other.store("1", "+FLAGS", r"(\Seen \Flagged)")
    assert said(run(campaign)) == [("an", "files", ["complete"])]
    assert server.flags(user) == [{r"\Seen", r"\Flagged", "$pbem"}]


def test_what_is_done_can_be_moved_out_of_the_way(campaign: Campaign, server: Dovecot, user: str) -> None:
    register(campaign)
    reads_from(campaign, server.port, user, done="pbem done")
    server.deliver(user, as_bytes(mail("an@example.org", order(campaign))), campaign.now)
    server.deliver(user, as_bytes(mail("bo@example.org", order(campaign, "bo"))), campaign.now)
    assert [what for _, what, _ in said(run(campaign))] == ["files", "files"]
    assert server.flags(user) == []
    assert server.flags(user, '"pbem done"') == [{r"\Seen", "$pbem"}] * 2


def test_a_look_marks_nothing(campaign: Campaign, server: Dovecot, user: str) -> None:
    register(campaign)
    reads_from(campaign, server.port, user)
    server.deliver(user, as_bytes(mail("an@example.org", order(campaign))), campaign.now)
    assert [what for _, what, _ in said(run(campaign, look_only=True))] == ["files"]
    assert server.flags(user) == [set()]


def test_a_server_that_numbers_anew_makes_no_second_answer(campaign: Campaign, server: Dovecot, user: str) -> None:
    register(campaign)
    reads_from(campaign, server.port, user)
    server.deliver(user, as_bytes(mail("x@spam.example")), campaign.now)
    server.deliver(user, as_bytes(mail("an@example.org", order(campaign))), campaign.now)
    run(campaign)
    before = sorted(one["Message-ID"] for one in answers(campaign))
    server.number_anew(user)
    campaign.now += timedelta(days=2)
    assert [what for _, what, _ in said(run(campaign))] == ["known", "known"]
    assert sorted(one["Message-ID"] for one in answers(campaign)) == before
    assert said(run(campaign)) == []


def test_a_mail_beyond_the_cap_is_not_downloaded(
    campaign: Campaign, server: Dovecot, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    register(campaign)
    reads_from(campaign, server.port, user)
    for module in ("imap", "fetch", "clerk"):
        monkeypatch.setattr(f"pbem.post.{module}.LARGEST", 20_000)
    server.deliver(user, as_bytes(mail("an@example.org", order(campaign), text="x" * 70 + "\n" + ("y" * 70 + "\n") * 1000)), campaign.now)
    server.deliver(user, as_bytes(mail("bo@example.org", order(campaign, "bo"))), campaign.now)
    assert said(run(campaign)) == [("an", "too-large", []), ("bo", "files", ["complete"])]
    assert {one["To"].addresses[0].addr_spec for one in answers(campaign)} == {"an@example.org", "bo@example.org"}


def test_hundreds_of_mails_are_listed_in_parts(campaign: Campaign, server: Dovecot, user: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.post.imap._AT_ONCE", 3)
    reads_from(campaign, server.port, user)
    with server.client(user) as other:
        for number in range(8):
            other.append("INBOX", "", '"01-Nov-2026 20:00:00 +0000"', as_bytes(mail("x@spam.example", subject=f"offer {number}")))
    campaign.now += 2 * HOUR
    assert len(run(campaign).lines) == 8


# -- TLS, passwords, mistakes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_over_tls_certificates_are_checked(
    campaign: Campaign, server: Dovecot, user: str, security: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    register(campaign)
    server.deliver(user, as_bytes(mail("an@example.org", order(campaign))), campaign.now)
    port = server.tls_port if security == "tls" else server.port
    reads_from(campaign, port, user, host="localhost", security=security)
    assert fails(campaign).code == "mail-certificate"
    monkeypatch.setenv("SSL_CERT_FILE", str(server.certificate))
    reads_from(campaign, port, user, host="127.0.0.1", security=security)
    assert fails(campaign).code == "mail-certificate", "it is another host's"
    reads_from(campaign, port, user, host="localhost", security=security)
    assert said(run(campaign)) == [("an", "files", ["complete"])]


def test_plain_text_to_another_machine_only_when_it_is_said(campaign: Campaign, user: str) -> None:
    reads_from(campaign, 143, user, host="mail.example.org")
    assert fails(campaign).code == "plain-mail"


def test_a_wrong_password_is_told_and_not_repeated(campaign: Campaign, server: Dovecot, user: str) -> None:
    reads_from(campaign, server.port, user)
    with environment("PBEM_IMAP_PASSWORD", "wrong-horse"):
        error = fails(campaign)
    assert error.code == "mail-login" and "wrong-horse" not in str(error)


def test_the_password_may_come_from_a_command_that_no_shell_sees(campaign: Campaign, server: Dovecot, user: str, tmp_path: Path) -> None:
    (tmp_path / "$(secret) file").write_text(f"{PASSWORD}\n")
    reads_from(campaign, server.port, user, password_command=f"cat '{tmp_path}/$(secret) file'")
    with environment("PBEM_IMAP_PASSWORD", None):
        assert said(run(campaign)) == []


def test_a_folder_that_is_not_there_and_a_server_that_is_not_there_are_told(campaign: Campaign, server: Dovecot, user: str) -> None:
    reads_from(campaign, server.port, user, folder="Nowhere")
    assert fails(campaign).code == "mail-folder"
    reads_from(campaign, server.port, user, folder="Ä")
    assert fails(campaign).code == "mail-folder-name"
    reads_from(campaign, dovecot._free_port(), user)
    assert fails(campaign).code == "mail-connection"
    assert read_until(campaign.folder) == {}


# -- connections that break ------------------------------------------------------------------------------------------------


class _Wire:
    """Stands between us and the server and cuts the line: before the Nth line from us, or after N bytes from the server."""

    def __init__(self, port: int) -> None:
        self._server = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self.lines = self.bytes = 0
        self.cut_line = self.cut_byte = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def reset(self, *, line: int = 0, byte: int = 0) -> None:
        self.lines = self.bytes = 0
        self.cut_line, self.cut_byte = line, byte

    def close(self) -> None:
        self._listening.close()

    def _serve(self) -> None:
        while True:
            try:
                ours, _ = self._listening.accept()
            except OSError:
                return
            theirs = socket.create_connection(("127.0.0.1", self._server))
            for source, target, up in ((ours, theirs, True), (theirs, ours, False)):
                threading.Thread(target=self._pump, args=(source, target, up), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, up: bool) -> None:
        try:
            while data := source.recv(65536):
                kept = self._let_through(data, up)
                target.sendall(kept)
                if len(kept) < len(data):
                    break
        except OSError:
            pass
        for one in (source, target):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def _let_through(self, data: bytes, up: bool) -> bytes:
        if up:
            for at, line in enumerate(data.splitlines(keepends=True)):
                self.lines += 1
                if self.lines == self.cut_line:
                    return b"".join(data.splitlines(keepends=True)[:at]) + line[: len(line) // 2]
            return data
        left = self.cut_byte - self.bytes if self.cut_byte else len(data)
        self.bytes += len(data)
        return data[: max(left, 0)] if self.cut_byte else data


@contextmanager
def wire(server: Dovecot) -> Iterator[_Wire]:
    made = _Wire(server.port)
    try:
        yield made
    finally:
        made.close()


def _session(campaign: Campaign, tmp_path: Path, server: Dovecot, line: _Wire, name: str) -> tuple[Campaign, str]:
    """A copy of the campaign with a mailbox of its own, in which two mails lie."""
    copy = campaign.copy(tmp_path / name)
    reads_from(copy, line.port, name)
    server.deliver(name, as_bytes(mail("an@example.org", order(campaign), id="<1@x>")), campaign.now)
    server.deliver(name, as_bytes(mail("x@spam.example", id="<2@x>")), campaign.now)
    return copy, name


def _outcome(campaign: Campaign) -> tuple[object, ...]:
    receipts = [(one.record.number, one.record.file, one.record.verdict) for one in load(campaign.folder, check=True).receipts]
    return receipts, sorted(one["Message-ID"] for one in answers(campaign))


def _broken_at_every_step(campaign: Campaign, server: Dovecot, user: str, at: Path, what: str, steps: int) -> None:
    register(campaign)
    at.mkdir()
    with wire(server) as line:
        whole, name = _session(campaign, at, server, line, f"{user}-whole")
        run(whole)
        total = line.lines if what == "line" else line.bytes
        expected = _outcome(whole)
        assert line.lines >= 9 and len(answers(whole)) == 2
        for step in sorted({1 + number * (total - 1) // steps for number in range(steps)}):
            copy, name = _session(campaign, at, server, line, f"{user}-{step}")
            line.reset(**{what: step})
            [done] = fetch([copy.folder.root], copy.now)
            if done.errors:
                assert [getattr(error, "code", "") for error in done.errors] == ["mail-connection"], step
                assert read_until(copy.folder) == {}, "what was not read to its end was not read"
            line.reset()
            run(copy)
            assert _outcome(copy) == expected, step
            assert server.flags(name) == [{r"\Seen", "$pbem"}, set()], step
            assert read_until(copy.folder) == {"mail": copy.now}
            assert list((outbox.home(copy.folder) / "doing").iterdir()) == []
            shutil.rmtree(copy.folder.root.parent)


def test_a_connection_that_breaks_before_every_command(campaign: Campaign, server: Dovecot, user: str, tmp_path: Path) -> None:
    _broken_at_every_step(campaign, server, user, tmp_path / "copies", "line", 100)


def test_a_connection_that_breaks_within_what_the_server_says(campaign: Campaign, server: Dovecot, user: str, tmp_path: Path) -> None:
    _broken_at_every_step(campaign, server, user, tmp_path / "copies", "byte", 8)


@pytest.mark.long
def test_a_connection_that_breaks_at_every_tenth_byte(campaign: Campaign, server: Dovecot, user: str, tmp_path: Path) -> None:
    _broken_at_every_step(campaign, server, user, tmp_path / "copies", "byte", 500)
