"""Wrappers made by other people's code, and the rooms that open them, one by one."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import pkcs7
from cryptography.x509.oid import NameOID

from pbem.campaign.intake import Incoming, unpack
from pbem.orders.armour import armour
from pbem.orders.findings import Finding
from pbem.post import cms, tnef, zips
from pbem.post.charsets import texts
from pbem.post.htmltext import html_texts
from pbem.post.mime import open_mail
from pbem.post.unflow import unflowed

from ..helpers import Campaign
from ..mail.attachments import tnef as winmail
from ..mail.bodies import smart
from ..mail.letters import FILES, FOOTER, attachment, flowed, head, part, plain, quoted, several, wrapped

Identity = tuple[rsa.RSAPrivateKey, x509.Certificate]


@pytest.fixture(scope="module")
def identity() -> Identity:
    """A mail certificate as a company gives it out."""
    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "An")])
    began = datetime(2026, 1, 1, tzinfo=UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), began, began + timedelta(days=999))
    return key, made.sign(key, hashes.SHA256())


INNER = several(part("see file\n"), attachment(FILES["an-1"], "an.order.toml"))


@pytest.mark.parametrize("form", [serialization.Encoding.DER, serialization.Encoding.SMIME])
@pytest.mark.parametrize("options", [[], [pkcs7.PKCS7Options.Binary], [pkcs7.PKCS7Options.NoAttributes]])
def test_smime_as_cryptography_signs_it(identity: Identity, form: serialization.Encoding, options: list[pkcs7.PKCS7Options]) -> None:
    key, certificate = identity
    wanted = [*options, pkcs7.PKCS7Options.DetachedSignature] if form is serialization.Encoding.SMIME else options
    made = pkcs7.PKCS7SignatureBuilder().set_data(INNER).add_signer(certificate, key, hashes.SHA256()).sign(form, wanted)
    if form is serialization.Encoding.DER:
        assert cms.content(made) in (INNER, INNER.replace(b"\n", b"\r\n"))
        mail = head("outlook") + part(made, "application/pkcs7-mime; smime-type=signed-data; name=smime.p7m", "base64")
    else:
        mail = head("apple").replace(b"MIME-Version: 1.0\n", b"") + made
    assert [one.data for one in open_mail(Incoming("m", mail))] == [FILES["an-1"]]


def test_smime_as_cryptography_encrypts_it(identity: Identity) -> None:
    _, certificate = identity
    made = pkcs7.PKCS7EnvelopeBuilder().set_data(INNER).add_recipient(certificate).encrypt(serialization.Encoding.DER, [])
    with pytest.raises(cms.Encrypted):
        cms.content(made)
    [one] = open_mail(Incoming("m", head("outlook") + part(made, "application/pkcs7-mime; name=smime.p7m", "base64")))
    assert one.faults == (Finding("mail-encrypted", "smime.p7m", {"kind": "smime"}),)


def test_a_detached_signature_holds_nothing(identity: Identity) -> None:
    key, certificate = identity
    made = pkcs7.PKCS7SignatureBuilder().set_data(INNER).add_signer(certificate, key, hashes.SHA256())
    assert not cms.content(made.sign(serialization.Encoding.DER, [pkcs7.PKCS7Options.DetachedSignature]))
    assert cms.content(b"") is cms.content(b"\x30") is cms.content(b"\x30\x82\xff\xff\x06") is None


def test_winmail_wherever_it_is_cut() -> None:
    data = winmail(("an.order.toml", FILES["an-1"]), ("Grüße.txt", b"x"), body=b"Hi")
    assert list(tnef.files(data)) == [("", b"Hi"), ("an.order.toml", FILES["an-1"]), ("Grüße.txt", b"x")]
    for end in range(0, len(data), 7):
        assert all(content in (b"Hi", b"x", FILES["an-1"]) for _, content in tnef.files(data[:end]))
    for at in range(6, len(data), 5):
        list(tnef.files(data[:at] + b"\xff\xff\xff\x7f" + data[at + 4 :]))


def zipped(**flags: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("a.toml", b"x" * 1000)
    data = bytearray(stream.getvalue())
    for name, value in flags.items():
        at = {"size": 24, "packed": 20, "method": 10}[name] + data.find(b"PK\1\2")
        data[at : at + 2] = value.to_bytes(2, "little")
    return bytes(data)


def test_a_zip_that_lies_about_its_sizes_is_read_no_further_than_it_may() -> None:
    assert list(zips.files(zipped())) == [("a.toml", b"x" * 1000)]
    assert list(zips.files(zipped(size=10))) in ([("a.toml", b"x" * 10)], [Finding("zip-damaged")])
    assert list(zips.files(zipped(packed=60_000))) in ([("a.toml", b"x" * 1000)], [Finding("zip-damaged")])
    assert list(zips.files(zipped(method=14))) == [Finding("zip-damaged")]
    for at in range(0, len(zipped()), 3):
        for each in zips.files(zipped()[:at] + b"\xff" + zipped()[at + 1 :]):
            assert isinstance(each, Finding) or len(each[1]) <= 1000


def test_texts_the_likeliest_first() -> None:
    assert next(iter(texts("大明".encode("gb18030"), "gb2312"))) == "大明"
    assert next(iter(texts("привет".encode("koi8-r"), '"KOI8-R"'))) == "привет"
    assert next(iter(texts("\ufeffHi".encode("utf-16"), "utf-8"))) == "Hi"
    assert next(iter(texts(("Hello, how are you? " * 3).encode("utf-16-le"), ""))).startswith("Hello")
    assert list(texts(b"abc", "zip")) == list(texts(b"abc", "idna")) == list(texts(b"abc", "\0")) == ["abc"]
    assert "Zoë" in list(texts("Zoë".encode("cp1252"), "utf-8", guess=True))


@pytest.mark.parametrize(("page", "text"), [
    ("a<br>b", "a\nb"), ("<p>a\n b</p>", "\na b\n"), ("<pre>a\n b</pre>", "\na\n b\n"), ("a<!-- x -->b", "ab"), ("a<!-- x", "a<!-- x"),
    ("<style>p {}</style>a", "a"), ("a&lt;b&amp;&#66;&#99999999999;", "a<b&B\ufffd"), ('<p title="a > b">x', "\nx"), ("1 < 2", "1 < 2"),
    ("<script>if (a<b) x()</script>y", "y"), ("a<img src=x alt='>'>b", "ab"), ("<a href=\"x>y", "y"),
])  # fmt: skip
def test_pages_as_a_browser_shows_them(page: str, text: str) -> None:
    assert html_texts(page)[0] == text


def test_flowed_text() -> None:
    assert unflowed("a \nb\n>c \n>d\n-- \ne", delsp=False) == "a b\n> c d\n-- \ne"
    assert unflowed("a \n b\n  c", delsp=True) == "ab\n c"
    assert unflowed(flowed("word " * 40), delsp=False).startswith("word " * 39)


def mangled(data: bytes) -> bytes:
    """What is left of a file pasted into a mail that Outlook quoted and wrapped."""
    return quoted(wrapped(smart(data.decode().replace("'", "’")), 60)).encode()


def test_a_mended_file_is_answered_as_the_file_itself(campaign: Campaign) -> None:
    data = campaign.signed("an", "0.prince", [{"do": "prince", "district": "zhili-b", "or": {"do": "prince", "district": "yunnan-b"}}],
                           note="It's a long way, and this line is too long for any mail")
    [mended] = open_mail(Incoming("mail.eml", plain(b"Hello,\n\n" + mangled(data) + FOOTER.encode(), "outlook")))
    assert mended.data == data
    assert campaign.receive(mended)[0].receipt.accepted
    assert campaign.receive(data)[0].repeated
    [saved] = unpack(Incoming("saved.txt", mangled(data)))
    assert campaign.receive(saved)[0].repeated


def test_a_changed_file_is_refused_with_a_sentence(campaign: Campaign) -> None:
    data = campaign.signed("an", "0.prince", [{"do": "prince", "district": "zhili-b"}])
    changed = data.replace(b"zhili-b", b"zhili-a")
    for mail in (plain(mangled(changed)), head() + several(part("x"), attachment(changed, "an.order.toml")), plain(armour(changed))):
        [answer] = campaign.receive(*open_mail(Incoming("mail.eml", mail)))
        assert not answer.receipt.accepted
        assert answer.findings[0].code in ("pasted-damaged", "bad-signature")
    assert campaign.receive(data)[0].receipt.accepted
