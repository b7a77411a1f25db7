"""What the headers of real-style mails say: people, answering machines, lists, delivery reports."""

from __future__ import annotations

import time
import tomllib
from email import message_from_bytes
from email.policy import default as modern
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.post import headers
from pbem.post.parsing import LARGEST, parse

MAILS = Path(__file__).parents[1] / "mail"
SAID: dict[str, dict[str, Any]] = tomllib.loads((MAILS / "headers.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SAID)
def test_what_a_header_says(name: str) -> None:
    data, said = (MAILS / f"{name}.eml").read_bytes(), SAID[name]
    for message in (parse(data), parse(data.replace(b"\n", b"\r\n")), message_from_bytes(data, policy=modern)):
        if "sender" in said:
            assert headers.sender(message) == said["sender"]
        assert headers.is_automatic(message) == said.get("automatic", False)
        assert [list(one) for one in headers.bounced(message)] == said.get("bounced", [])
        if "returned" in said:
            assert headers.returned_id(message) == said["returned"]
        if "words" in said:
            assert headers.subject_words(message) == said["words"]


def test_a_delay_is_not_for_good() -> None:
    [late] = headers.bounced(parse((MAILS / "bounce-postfix-delayed.eml").read_bytes()))
    [gone] = headers.bounced(parse((MAILS / "bounce-gmail.eml").read_bytes()))
    assert gone.permanent
    assert not late.permanent


def message(*lines: str) -> Any:
    return parse("\n".join(["From: an@example.org", *lines, "", "Hello."]).encode())


@pytest.mark.parametrize("line", [
    "Auto-Submitted: auto-generated", "Auto-submitted: AUTO-REPLIED; x", "Precedence: Junk", "List-Id: <x>", "X-Autorespond: x",
    "X-Auto-Response-Suppress: DR, OOF", "Return-Path: <>", "Return-Path: < >", "Sender: list-bounces+an=x@example.org",
    "Sender: MAILER-DAEMON", "Sender: mailer-daemon@example.org", "Content-Type: multipart/report; boundary=x",
])  # fmt: skip
def test_signs_of_a_program(line: str) -> None:
    assert headers.is_automatic(message(line)) == (line != "Sender: MAILER-DAEMON")


@pytest.mark.parametrize("line", [
    "Auto-Submitted: no", "Precedence: normal", "X-Auto-Response-Suppress: None", "Return-Path: <an@example.org>",
    "Subject: Re: Out of office", "Subject: vacations in China", "Sender: bouncer@example.org", "X-Mailer: Outlook",
])  # fmt: skip
def test_no_signs_of_a_program(line: str) -> None:
    assert not headers.is_automatic(message(line))


@pytest.mark.parametrize(("subject", "words"), [
    ("RE: Fwd: resend", ["resend"]), ("回复:重发 [winter-court]", ["重发", "winter-court"]), ("Re[2]: Re [3]: renvoyer", ["renvoyer"]),
    ("[EXTERNAL] AW: resend, please!", ["resend", "please"]), ("=?utf-8?q?=D0=9E=D1=82=D0=B2=D0=B5=D1=82=3A_x?=", ["x"]),
    ("=?unknown-8bit?q?resend?=", ["resend"]), ("=?utf-8?b?a?= resend", ["=?utf-8?b?a?=", "resend"]), ("", []),
    ("resend\u202e\x07now", ["resend", "now"]),
])  # fmt: skip
def test_the_words_of_a_subject(subject: str, words: list[str]) -> None:
    found = headers.subject_words(message(f"Subject: {subject}"))
    assert found == words or (subject.startswith("=?utf-8?b?a") and "resend" in found)


def test_a_mail_beyond_the_caps_still_tells_its_sender() -> None:
    data = b"From: an@example.org\nSubject: resend\n\n" + b"x\n" * (LARGEST // 2)
    began = time.process_time()
    assert headers.sender(parse(data)) == "an@example.org"
    assert headers.subject_words(parse(data)) == ["resend"]
    assert time.process_time() - began < 2


HOSTILE = [
    b"From: " + b"(" * 3_000_000, b'From: "' + b'\\"' * 1_000_000, b"From: " + b"<a@b" * 500_000, b"Subject: " + b"=?" * 1_000_000,
    b"Subject: " + b"Re:" * 1_000_000, b"Subject: " + b"[ext " * 500_000, b"X-Failed-Recipients: " + b"a@b," * 1_000_000,
    b"From: mailer-daemon@x\n\nnot delivered\n" + b"<a@b.c>\n" * 200_000, b"Content-Type: multipart/report; x=\"" + b";" * 2_000_000,
    b"Content-Type: message/rfc822\n\n" * 200_000, b"From: a@b\n" * 400_000, b"Subject: x\n " * 400_000,
    b"From: mailer-daemon@x\n\nundeliverable" + b"a" * 5_000_000, b"From: mailer-daemon@x\n\n" + b"message-id: " * 400_000,
    b"Content-Type: message/delivery-status\n\n" + b"A: b\n\n" * 300_000,
]  # fmt: skip


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_headers_take_no_time(data: bytes) -> None:
    began = time.process_time()
    everything(data)
    assert time.process_time() - began < 2


def everything(data: bytes) -> None:
    read = parse(data)
    assert isinstance(headers.sender(read), str)
    assert isinstance(headers.is_automatic(read), bool)
    assert all(one.address and one.status for one in headers.bounced(read))
    assert "\n" not in headers.returned_id(read) + headers.subject(read) + " ".join(headers.subject_words(read))


@given(st.sampled_from(sorted(SAID)), st.lists(st.tuples(st.integers(0, 5000), st.binary(max_size=8)), max_size=8))
def test_no_damage_to_a_header_is_a_stumble(name: str, damages: list[tuple[int, bytes]]) -> None:
    data = bytearray((MAILS / f"{name}.eml").read_bytes())
    for at, change in damages:
        data[at % len(data) : at % len(data) + len(change)] = change
    everything(bytes(data))


@given(st.binary(max_size=300))
def test_any_bytes_are_a_mail_of_some_kind(data: bytes) -> None:
    everything(data)
    everything(b"From: " + data + b"\nSubject: " + data)
