"""Mails made to hurt, and mails hurt at random: the answer comes soon, with little memory, and nothing comes out that was not signed."""

from __future__ import annotations

import random
import time
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbem.campaign.intake import Incoming
from pbem.engine import registry
from pbem.orders.findings import Finding
from pbem.orders.pasted import find_pasted, verified
from pbem.post import headers
from pbem.post.htmltext import html_texts
from pbem.post.mime import open_mail
from pbem.post.parsing import parse
from pbem.publish.findings import finding_text
from pbem.publish.words import Words

from ..mail.attachments import archive, nested, tnef
from ..mail.letters import FILES, attachment, block, head, part, several, text

MAILS = sorted((Path(__file__).parents[1] / "mail").glob("*.eml"))
MB = 1024 * 1024
ONE = FILES["an-1"]
SIGNED = {parts.signed for data in FILES.values() if (parts := verified(data))}
SIGNATURE = text("an-1")[text("an-1").index("# -----BEGIN"):]
ODD = "Hi\ngame = “&amp;ä’…–\u200b\u00a0<http://x>=3D”\nplayer = “”\nx = “\n"
WHEN = datetime(2026, 12, 2, 20, 14, tzinfo=UTC)


def opened(data: bytes) -> list[Incoming]:
    return open_mail(Incoming("mail.eml", data, received=WHEN))


def codes(found: list[Incoming]) -> list[str]:
    return [fault.code for one in found for fault in one.faults]


def film(size: int) -> bytes:
    return attachment(random.Random(1).randbytes(size), "film.mov", "video/quicktime")  # noqa: S311 — anything


HOSTILE: dict[str, Callable[[], bytes]] = {
    "plain text": lambda: part(b"hello world of words\n" * (24 * MB // 21)),
    "one line": lambda: part(b"a" * 20 * MB),
    "html": lambda: part(b"<p><a href=x>hello</a> world &nbsp; of words</p>\n" * (MB // 50), "text/html"),
    "html, open tags": lambda: part(b"<a " * (MB // 3), "text/html"),
    "html, open quotes": lambda: part(b'<a href="' * (MB // 9), "text/html"),
    "html, open comments": lambda: part(b"<!--" * (MB // 4), "text/html"),
    "html, entities": lambda: part(b"&#1" * (MB // 3), "text/html"),
    "html, a long number": lambda: part(b"&#" + b"9" * (MB - 2), "text/html"),
    "thousands of parts": lambda: several(*[part("x")] * 4000),
    "hundreds of blocks": lambda: several(*[part(block("an-1"))] * 300),
    "signatures": lambda: part(("game = 1\nx = 2\n" + SIGNATURE) * 3000),
    "odd texts": lambda: part((ODD * 600 + SIGNATURE) * 30),
    "odd texts in parts": lambda: several(*[part(ODD * 50 + SIGNATURE, "text/plain; charset=x")] * 200),
    "open strings": lambda: part(('game = "' + '\\"' * 30_000 + "\n" + SIGNATURE) * 3),
    "blanks": lambda: part(("game = " + " " * 60_000 + "x\n" + SIGNATURE) * 30),
    "brackets": lambda: part(("game = " + "[" * 30_000 + "\n" + SIGNATURE) * 30),
    "marks": lambda: part("-----BEGIN PBEM ORDER-----" * 150_000),
    "marks in pairs": lambda: part("-----BEGIN PBEM ORDER-----=3D-----END PBEM ORDER-----" * 70_000),
    "dashes": lambda: part("-" * 4 * MB),
    "gaps": lambda: part("-----BEGIN  " * 300_000),
    "zips": lambda: several(*[attachment(archive(*((f"{at}.toml", bytes(120_000)) for at in range(99))), "a.zip")] * 20),
    "a zip of mails": lambda: attachment(archive(*((f"{at}.eml", head() + part(block("an-1"))) for at in range(99))), "a.zip"),
    "winmail of many": lambda: attachment(tnef(*[("a.toml", b"x" * 1000)] * 2000), "winmail.dat"),
    "winmail in winmail": lambda: attachment(reduce(lambda data, _: tnef(("a.dat", data)), range(30), ONE), "winmail.dat"),
    "open BER": lambda: part(b"\x30\x80" * 2_000_000, "application/pkcs7-mime", "base64"),
    "BER in pieces": lambda: part(b"\x30\x80" * 10 + b"\4\0" * 1_500_000, "application/pkcs7-mime", "base64"),
    "base64 in pieces": lambda: part(b"QQ==" * MB, encoding="7bit").replace(b"7bit", b"base64"),
    "mails in mails": lambda: b"Content-Type: message/rfc822\n\n" * 300_000,
    "a header of parameters": lambda: b"Content-Type: text/plain;" + b" a*0*=x;" * 900_000 + b"\n\n",
    "headers in a part": lambda: several(b"A: b\n" * 400_000),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_mail_made_to_hurt_takes_no_time(name: str) -> None:
    data = head() + HOSTILE[name]()
    began = time.process_time()
    found = opened(data)
    assert time.process_time() - began < 2
    assert found


def test_25_mb_are_opened_in_little_time_and_memory() -> None:
    data = head() + several(part("see the film\n"), film(18 * MB), attachment(ONE, "an.order.toml"))
    assert 24 * MB < len(data) < 25 * MB
    tracemalloc.start()
    began = time.process_time()
    try:
        assert [one.data for one in opened(data)] == [ONE]
        assert time.process_time() - began < 2
        assert tracemalloc.get_traced_memory()[1] < 10 * MB
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("code", "made"), [
    ("mail-too-large", lambda: several(part("see the film\n"), film(18 * MB))),
    ("mail-too-large", lambda: part(b"x" * 26 * MB)),
    ("mail-too-many-parts", lambda: several(*[part("x")] * 4000)),
    ("mail-too-deep", lambda: nested(50, part(block("an-1")))),
    ("zip-too-large", lambda: attachment(b"PK\3\4" + bytes(3 * MB), "a.zip")),
])  # fmt: skip
def test_what_is_left_closed_is_told(code: str, made: Callable[[], bytes]) -> None:
    found = opened(head() + made())
    assert codes(found) == [code]
    assert sum(len(one.data) for one in found) < MB
    sentence = finding_text(found[0].faults[0], Words(registry.title("ming-dynasty")))
    assert "end the order file" in sentence and "attachment" in sentence


def test_every_part_is_dated_with_its_mail() -> None:
    for path in MAILS:
        assert {one.received for one in opened(path.read_bytes())} == {WHEN}, path.name


def test_nested_mails_deep_enough_for_anybody_are_opened() -> None:
    assert [one.data for one in opened(head() + nested(8, part(block("an-1"))))] == [ONE]


# -- at random ------------------------------------------------------------------------------------------------------------


def unsigned(found: list[Incoming]) -> list[Incoming]:
    """What would be taken, and was never signed."""
    return [one for one in found if not one.faults and (parts := verified(one.data, one.detached)) and parts.signed not in SIGNED]


KINDS = st.sampled_from(["replace", "insert", "drop", "swap"])
DAMAGE = st.lists(st.tuples(st.integers(0, 1 << 20), KINDS, st.binary(min_size=1, max_size=6)), max_size=10)
# A first draw takes long where the machine is busy; that says nothing of the mails.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=80)


def damaged(data: bytes, damages: list[tuple[int, str, bytes]]) -> bytes:
    out = bytearray(data)
    for place, kind, change in damages:
        at = place % (len(out) + 1)
        if kind == "replace":
            out[at : at + len(change)] = change
        elif kind == "insert":
            out[at:at] = change
        elif kind == "drop":
            del out[at : at + len(change) * 8]
        else:
            out[at : at + 40] = bytes(reversed(out[at : at + 40]))
    return bytes(out)


@PATIENT
@given(st.sampled_from(MAILS), DAMAGE)
def test_no_damage_to_a_mail_is_a_stumble_or_a_forgery(path: Path, damages: list[tuple[int, str, bytes]]) -> None:
    data = damaged(path.read_bytes(), damages)
    found = opened(data)
    assert found
    assert not unsigned(found)
    headers.bounced(parse(data))


@PATIENT
@given(st.sampled_from(sorted(FILES)), DAMAGE, st.booleans())
def test_damage_to_a_pasted_file_never_makes_another_one(name: str, damages: list[tuple[int, str, bytes]], quoted: bool) -> None:
    pasted = damaged(FILES[name], damages).decode("utf-8", "replace")
    found = find_pasted("".join(f"> {line}\n" for line in pasted.splitlines()) if quoted else pasted, 5)
    assert all((parts := verified(one)) is not None and parts.signed in SIGNED for one in found.files)


@PATIENT
@given(st.binary(max_size=400), st.sampled_from([
    "text/plain", "text/html", "application/pkcs7-mime", "application/zip", "multipart/mixed; boundary=b", "message/rfc822",
    "application/ms-tnef", 'text/plain; charset="%s"',
]))  # fmt: skip
def test_any_bytes_are_answered(data: bytes, kind: str) -> None:
    for start in (b"", b"PK\3\4", b"\x78\x9f\x3e\x22", b"\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x80"):
        assert opened(head() + part(start + data, kind, "base64"))
        assert opened(head() + part(start + data, kind))
    assert opened(data)


@PATIENT
@given(st.text(alphabet="<>!-/ap \"'=&;#x1\n", max_size=300))
def test_any_page_has_a_text(page: str) -> None:
    assert all(isinstance(each, str) for each in html_texts(page))


def test_a_fault_of_an_unknown_kind_is_a_sentence_too() -> None:
    assert "S/MIME" in finding_text(Finding("mail-encrypted", "smime.p7m", {"kind": "smime"}), Words(registry.title("ming-dynasty")))
