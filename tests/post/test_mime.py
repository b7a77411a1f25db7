"""Mails as mail programs save them: attachments, encodings, forwarded mails, and mails made to hurt."""

from __future__ import annotations

import email.policy
import time
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbem.campaign.intake import Incoming
from pbem.orders.armour import armour
from pbem.orders.sshsig import sign as ssh_sign
from pbem.post import mime

from ..cli.desk import GAME, Desk
from ..helpers import Campaign, Player

AN = Player.of("an").key
TEXT = b'game = "winter-court"\nplayer = "an"\nnote = "Gr\xc3\xbc\xc3\x9fe \xe5\xa4\xa7\xe6\x98\x8e"\n'
FILE = TEXT + "".join(f"# {line}\n" for line in ssh_sign(AN, "order@pbem", TEXT).splitlines()).encode()


def mail(text: str = "Hello!\n", **kinds: str) -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "An <an@example.org>", "court@example.org", "my orders"
    made.set_content(text, **kinds)  # type: ignore[arg-type]
    return made


def attached(data: bytes = FILE, name: str = "an.order.toml", maintype: str = "application", subtype: str = "octet-stream") -> EmailMessage:
    made = mail()
    made.add_attachment(data, maintype=maintype, subtype=subtype, filename=name)
    return made


def opened(made: EmailMessage | bytes, *, crlf: bool = False) -> list[Incoming]:
    data = made if isinstance(made, bytes) else made.as_bytes(policy=email.policy.SMTP if crlf else email.policy.default)
    assert mime.is_mail(data)
    return mime.open_mail(Incoming("mail.eml", data))


@pytest.mark.parametrize("crlf", [False, True])
@pytest.mark.parametrize("kind", [("application", "octet-stream"), ("application", "toml"), ("image", "png")])
def test_an_attachment_comes_out_to_the_byte(kind: tuple[str, str], crlf: bool) -> None:
    assert [(one.name, one.data) for one in opened(attached(FILE, "an.order.toml", *kind), crlf=crlf)] == [("mail.eml#an.order.toml", FILE)]


def test_an_attachment_in_quoted_printable() -> None:
    made = mail()
    made.add_attachment(FILE.decode(), subtype="plain", cte="quoted-printable", filename="an.order.toml")
    assert [one.data for one in opened(made)] == [FILE]


@pytest.mark.parametrize("cte", ["base64", "quoted-printable", "8bit"])
def test_a_block_in_an_encoded_body(cte: str) -> None:
    made = mail(f"Grüße!\n\n> {armour(FILE).replace(chr(10), chr(10) + '> ')}\n", cte=cte)
    assert [one.data for one in opened(made)] == [FILE]


@pytest.mark.parametrize("charset", ["utf-8", "utf-16", "iso-8859-15"])
def test_a_body_in_another_character_set(charset: str) -> None:
    made = mail(f"Grüße\n{armour(FILE)}", charset=charset, cte="base64")
    assert [one.data for one in opened(made)] == [FILE]


def test_a_block_in_html_alone_and_beside_text_counts_once() -> None:
    html = "<div>Hello<br>" + armour(FILE).replace("\n", "<br>\n") + "</div>"
    assert [one.data for one in opened(mail(html, subtype="html"))] == [FILE]
    both = mail(f"Hello\n{armour(FILE)}")
    both.add_alternative(html, subtype="html")
    both.add_attachment(FILE, maintype="application", subtype="toml", filename="an.order.toml")
    assert [one.data for one in opened(both)] == [FILE]


def test_a_block_damaged_in_one_part_and_whole_in_the_other_has_come() -> None:
    both = mail(f"Hello\n{armour(FILE).replace('Z2Ft', '!!!!')}")
    assert opened(both)[0].faults
    both.add_alternative(armour(FILE).replace("\n", "<br>\n"), subtype="html")
    assert [(one.data, one.faults) for one in opened(both)] == [(FILE, ())]


def test_a_forwarded_mail_is_opened_too() -> None:
    made = mail("see below\n")
    made.add_attachment(attached())
    assert [one.data for one in opened(made)] == [FILE]


def test_a_detached_signature_beside_its_file() -> None:
    made = attached(TEXT, "an.toml")
    made.add_attachment(ssh_sign(AN, "order@pbem", TEXT).encode(), maintype="application", subtype="octet-stream", filename="an.toml.sig")
    found = opened(made)
    assert [(one.name, one.data) for one in found] == [("mail.eml#an.toml", TEXT)]
    assert found[0].detached == ssh_sign(AN, "order@pbem", TEXT)


def test_an_unsigned_order_file_is_answered_as_one() -> None:
    assert [(one.name, one.data) for one in opened(attached(TEXT, "an.toml"))] == [("mail.eml#an.toml", TEXT)]


@pytest.mark.parametrize(("name", "told"), [
    ("../../etc/x.toml", "x.toml"), ("C:\\\\a\\\\b.toml", "b.toml"), ("a\x1b[2Jb.toml", "a _2Jb.toml"),
])  # fmt: skip
def test_a_name_is_only_a_name(name: str, told: str) -> None:
    assert [one.name for one in opened(attached(name=name))] == [f"mail.eml#{told}"]


def test_a_mail_without_files_is_answered_as_a_whole() -> None:
    whole = mail("When do we play?\n")
    whole.add_attachment(b"\x89PNG\0" * 50, maintype="image", subtype="png", filename="map.png")
    [one] = opened(whole)
    assert one.data == whole.as_bytes()
    assert mime.holds_nothing(one)
    assert not any(mime.holds_nothing(one) for one in opened(attached()))


def test_order_files_and_plain_text_are_no_mails() -> None:
    for data in (FILE, b"On Tuesday Bo wrote:\n> hello\n", b"", b"\xff\xfe" * 40, armour(FILE).encode(), b"To: me\n\nhello\n"):
        assert not mime.is_mail(data)


def nested(depth: int) -> bytes:
    """Parts within parts, the file in the innermost."""
    head = b"From: a@example.org\nSubject: x\n"
    parts = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (at, at) for at in range(depth))
    return head + parts + b'Content-Type: text/plain\n\n' + armour(FILE).encode()


def test_depth_and_parts_are_capped() -> None:
    assert [one.data for one in opened(nested(mime.DEEPEST))] == [FILE]
    for depth, code in ((mime.DEEPEST + 1, "mail-too-deep"), (50, "mail-too-deep"), (3000, "mail-too-many-parts")):
        [one] = opened(nested(depth))
        assert [fault.code for fault in one.faults] == [code]
        assert not mime.holds_nothing(one)
    crowd = mail()
    crowd.make_mixed()
    for at in range(mime.MOST_PARTS + 5):
        crowd.add_attachment(FILE + b"# %d\n" % at, maintype="application", subtype="toml", filename=f"{at}.toml")
    assert len(opened(crowd)) < mime.MOST_PARTS


@pytest.mark.parametrize("filler", [
    b"--b\n\n", b"\n", b"\r", b"boundary=", b"--b\nContent-Type: multipart/mixed; boundary=b\n\n", b"Subject: x\n",
])  # fmt: skip
def test_a_mail_made_to_hurt_is_given_up_at_once(filler: bytes) -> None:
    head = b"From: a@example.org\nSubject: x\nContent-Type: multipart/mixed; boundary=b\n\n"
    began = time.monotonic()
    mime.open_mail(Incoming("mail.eml", (head + filler * (mime.LARGEST // len(filler)))[: mime.LARGEST]))
    assert time.monotonic() - began < 10


# A first draw takes long where the machine is busy; that says nothing of the mails.
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, 5000), st.binary(max_size=6)), max_size=12))
def test_no_damage_to_a_mail_is_a_stumble(damages: list[tuple[int, bytes]]) -> None:
    made = attached()
    made.add_attachment(TEXT, maintype="text", subtype="x", filename="b.toml")
    data = bytearray(made.as_bytes())
    for at, change in damages:
        data[at % len(data) : at % len(data) + len(change)] = change
    for one in mime.open_mail(Incoming("mail.eml", bytes(data))):
        assert isinstance(one.data, bytes)


def test_receive_opens_a_saved_mail(desk: Desk) -> None:
    desk.take_off("bo.toml", 'district = "zhili-b"')
    desk.run("sign", "bo.toml", "--key", "bo.key")
    Path("mail.eml").write_bytes(attached((desk.folder / "bo.order.toml").read_bytes(), "bo.order.toml").as_bytes())
    assert "mail.eml#bo.order.toml" in desk.run("receive", GAME, "mail.eml")
    Path("talk.eml").write_bytes(mail("When do we play?\n").as_bytes())
    told = desk.run("receive", GAME, "talk.eml", status=1)
    assert "NOT TAKEN" in told
    assert "hint: no order or join file was found in talk.eml; save its attachment" in told


def test_a_file_from_a_mail_is_answered_like_the_file_itself(campaign: Campaign) -> None:
    data = campaign.signed("an", "0.prince", [{"do": "prince", "district": "zhili-b"}])
    [one] = opened(attached(data))
    assert campaign.receive(one)[0].receipt.accepted
    assert campaign.receive(data)[0].repeated
