"""Mails with files in them: attachments of all kinds and names, packed, wrapped, signed, forwarded."""

from __future__ import annotations

import base64
import gzip
import io
import zipfile

from pbem.orders.sshsig import sign

from .corpus import Corpus
from .letters import AN, FILES, FOOTER, READABLE, attachment, block, head, part, plain, several, text

TEXT_UTF8 = "text/plain; charset=utf-8"
NOTE = part("My orders are attached.\n", TEXT_UTF8)
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=")


def make(corpus: Corpus) -> None:
    plain_files(corpus)
    names(corpus)
    detached(corpus)
    forwarded(corpus)
    zipped(corpus)
    outlook(corpus)
    wrappers(corpus)
    nothing(corpus)
    broken(corpus)


def plain_files(c: Corpus) -> None:
    one = FILES["an-1"]
    for program, kind in (("gmail", "application/octet-stream"), ("apple", "application/toml"), ("yahoo", "text/plain; charset=us-ascii"),
                          ("k9", "application/x-unknown"), ("naver", "image/png"), ("mutt", "text/x-toml")):
        name = f"attached-{program}"
        c.add(name, head(program) + several(NOTE, attachment(one, "an.order.toml", kind)), "an-1")
    c.add("attached-qp-crlf", (head("exchange") + several(
        NOTE, attachment(one, "an.order.toml", "text/plain", "quoted-printable"))).replace(b"\n", b"\r\n"), "an-1")
    c.add("attached-crlf-made-of-lf", head("outlook") + several(NOTE, attachment(one.replace(b"\n", b"\r\n"), "an.order.toml")), "an-1")
    c.add("attached-only", head("iphone") + attachment(one, "an.order.toml"), "an-1")
    c.add("attached-inline-text-8bit", head("pine") + several(NOTE, attachment(FILES["bo-1"], "bo.order.toml", TEXT_UTF8, "8bit")), "bo-1")
    c.add("attached-as-utf16", head("outlook") + several(NOTE, attachment(text("bo-1").encode("utf-16"), "bo.order.txt", "text/plain")), "bo-1")
    c.add("attached-with-bom", head("outlook") + several(NOTE, attachment(b"\xef\xbb\xbf" + FILES["bo-1"], "bo.order.toml")), "bo-1")
    c.add("attached-trailing-footer", head() + several(
        NOTE, attachment(one + FOOTER.encode(), "an.order.toml", TEXT_UTF8, "8bit")), "an-1")
    c.add("attached-block-as-text-file", head("gmail") + several(NOTE, attachment(block("an-1").encode(), "orders.txt", "text/plain")), "an-1")
    c.add("attached-and-in-the-body", head("gmail") + several(
        part(f"{block('an-1')}\n", TEXT_UTF8), attachment(one, "an.order.toml")), "an-1")
    c.add("attached-whole-body-damaged", head("outlook") + several(
        part(text("an-1").replace("deploy = 3", "deploy= three"), TEXT_UTF8), attachment(one, "an.order.toml")), "an-1")
    c.add("attached-other-than-damaged-body", head("outlook") + several(
        part(text("an-2").replace("deploy = 2", "deploy= two"), TEXT_UTF8), attachment(one, "an.order.toml")), "an-1", faults=["pasted-damaged"])
    c.add("attached-three", head("thunderbird") + several(
        NOTE, *(attachment(FILES[name], f"{name}.order.toml") for name in ("an-2", "an-1", "bo-1"))), "an-1", "an-2", "bo-1")
    c.add("attached-join-and-order", head("gmail") + several(
        NOTE, attachment(one, "an.order.toml"), attachment(FILES["chen-join"], "chen.join.toml")), "chen-join", "an-1")
    c.add("attached-readable-instead", head("gmail") + several(NOTE, attachment(READABLE.encode(), "an.toml")), bad=1)
    c.add("attached-readable-as-text", head("outlook") + several(NOTE, attachment(READABLE.encode(), "an.toml.txt", "text/plain")), bad=1)
    c.add("attached-readable-and-signed", head("gmail") + several(
        NOTE, attachment(READABLE.encode(), "an.toml"), attachment(one, "an.order.toml")), "an-1")
    c.add("attached-changed-by-hand", head("gmail") + several(NOTE, attachment(one.replace(b"= 3", b"= 2"), "an.order.toml")), bad=1)
    c.add("attached-request", head("k9") + several(NOTE, attachment(FILES["an-request"], "request.toml")), "an-request")


def names(c: Corpus) -> None:
    one = FILES["an-1"]
    coded = base64.encodebytes(one).decode()
    for name, lines in {
        "rfc2231": "Content-Disposition: attachment;\n filename*0*=UTF-8''%E5%AE%89%20%E5%91%BD;\n filename*1*=%E4%BB%A4.toml\n",
        "rfc2047": 'Content-Disposition: attachment; filename="=?UTF-8?B?5a6J5ZG95LukLnRvbWw=?="\n',
        "koi8": 'Content-Disposition: attachment; filename="=?koi8-r?B?0NLJy8Ha?=.toml"\n',
        "raw-gb18030": "Content-Disposition: attachment; filename=\"\udcb0\udcb2.toml\"\n",
        "in-type-only": "Content-Disposition: inline\n",
        "broken-2231": "Content-Disposition: attachment; filename*=x'%%%'a%ZZ.toml; filename*99999999999999999999=b\n",
        "path": 'Content-Disposition: attachment; filename="C:\\\\Users\\\\An\\\\an.order.toml"\n',
        "txt-added": 'Content-Disposition: attachment; filename="an.order.toml.txt"\n',
    }.items():
        kind = 'Content-Type: application/octet-stream; name="=?UTF-8?Q?=E5=AE=89.toml?="\n'
        made = (kind + lines + "Content-Transfer-Encoding: base64\n\n" + coded).encode("utf-8", "surrogateescape")
        c.add(f"named-{name}", head("mailru") + several(NOTE, made), "an-1")


def detached(c: Corpus) -> None:
    signed = READABLE.encode()
    signature = sign(AN.key, "order@pbem", signed).encode()
    c.add("detached-beside", head("mutt") + several(NOTE, attachment(signed, "an.toml"), attachment(signature, "an.toml.sig")), "an-1")
    c.add("detached-before-its-file", head("mutt") + several(
        NOTE, attachment(signature, "an.toml.sig", "application/pgp-signature"), attachment(signed, "an.toml", "text/plain")), "an-1")
    c.add("detached-line-ends-changed", (head("exchange") + several(
        NOTE, attachment(signed, "an.toml", "text/plain", "7bit"), attachment(signature, "an.toml.sig", "text/plain", "7bit"),
    )).replace(b"\n", b"\r\n"), "an-1")  # fmt: skip
    c.add("detached-of-another-file", head() + several(
        NOTE, attachment(signed.replace(b"3", b"2", 1), "an.toml"), attachment(signature, "an.toml.sig")), bad=1)
    c.add("detached-alone", head() + several(NOTE, attachment(signature, "an.toml.sig")), faults=["signature-alone"])


def forwarded(c: Corpus) -> None:
    inner = head("gmail", subject="orders") + several(NOTE, attachment(FILES["an-1"], "an.order.toml"), boundary="inner")
    c.add("forwarded-as-attachment", head("outlook", "FW: orders") + several(NOTE, part(inner, "message/rfc822")), "an-1")
    c.add("forwarded-as-attachment-base64", head("exchange", "FW: orders") + several(NOTE, part(inner, "message/rfc822", "base64")), "an-1")
    c.add("forwarded-as-eml-file", head("gmail", "Fwd: orders") + several(NOTE, attachment(inner, "orders.eml")), "an-1")
    c.add("forwarded-twice", head("", "FW: FW: orders") + several(
        NOTE, part(head("", "FW: orders") + several(NOTE, part(inner, "message/rfc822"), boundary="mid"), "message/rfc822")), "an-1")
    c.add("forwarded-inline", plain(
        "FYI\n\n---------- Forwarded message ---------\nFrom: An <an@example.org>\nDate: Wed, Dec 2, 2026\nSubject: orders\n\n\n"
        + block("an-1"), "gmail"), "an-1")
    c.add("forwarded-digest", head("", "Winter digest, Vol 3") + several(
        head("", "a") + part(f"{block('an-1')}"), head("", "b") + part(f"{block('bo-1')}"), kind="digest"), "an-1", "bo-1")
    c.add("related-inside-alternative-inside-mixed", head("apple") + several(several(
        part("see file\n"), several(part("<p>see file<img src=cid:x>", "text/html"), attachment(PNG, "x.png", "image/png"), kind="related",
        boundary="r"), kind="alternative", boundary="a"), attachment(FILES["an-1"], "an.order.toml")), "an-1")  # fmt: skip
    c.add("attachment-inside-alternative", head("apple") + several(
        part("see file\n"), several(part("<p>see", "text/html"), attachment(FILES["an-1"], "an.order.toml"), boundary="m"),
        kind="alternative"), "an-1")


def archive(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as made:
        for name, data in members:
            made.writestr(zipfile.ZipInfo(name), data, compress_type=method)
    return stream.getvalue()


def encrypted(data: bytes) -> bytes:
    """The same archive with the bit set that says its files are encrypted."""
    made = bytearray(data)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = made.find(mark)
        made[at + offset] |= 1
    return bytes(made)


def zipped(c: Corpus) -> None:
    one = archive(("orders/an.order.toml", FILES["an-1"]), ("__MACOSX/orders/._an.order.toml", b"\0\5\x16\7"))
    def mail(data: bytes, name: str = "orders.zip", kind: str = "application/zip") -> bytes:
        return head("outlook") + several(NOTE, attachment(data, name, kind))

    c.add("zip", mail(one), "an-1")
    c.add("zip-called-otherwise", mail(one, "orders.toml", "application/octet-stream"), "an-1")
    c.add("zip-two-and-a-signature", mail(archive(
        ("bo.order.toml", FILES["bo-1"]), ("an.toml", READABLE.encode()), ("an.toml.sig", sign(AN.key, "order@pbem", READABLE.encode()).encode()),
    )), "bo-1", "an-1")
    c.add("zip-encrypted", mail(encrypted(one)), faults=["zip-encrypted"])
    c.add("zip-in-zip", mail(archive(("inner.zip", one))), faults=["zip-nested"])
    c.add("zip-bomb", mail(archive(("an.order.toml", bytes(1_000_000)))), faults=["zip-too-large"])
    c.add("zip-with-photos", mail(archive(("1.jpg", bytes(300_000)), ("an.order.toml", FILES["an-1"]))), "an-1")
    c.add("rar", mail(b"Rar!\x1a\7\1\0" + bytes(200), "orders.rar", "application/vnd.rar"), faults=["zip-damaged"])
    c.add("gzip", mail(gzip.compress(FILES["an-1"], mtime=0), "an.order.toml.gz", "application/gzip"), faults=["zip-damaged"])
    c.add("zip-many-members", mail(archive(*((f"{at}.toml", b"x") for at in range(150)))), faults=["zip-too-large"])
    c.add("zip-cut-off", mail(one[:150]), faults=["zip-damaged"])
    c.add("zip-odd-method", mail(archive(("an.order.toml", FILES["an-1"]), method=zipfile.ZIP_LZMA)), faults=["zip-damaged"])
    c.add("zip-word-document", mail(archive(("[Content_Types].xml", b"<x/>"), ("word/document.xml", b"<x/>")), "rules.docx"))


def tnef(*files: tuple[str, bytes], body: bytes = b"", unicode_names: bool = True) -> bytes:
    """A winmail.dat as Exchange writes it: attributes with their sums, names also as MAPI properties."""
    out = bytearray(b"\x78\x9f\x3e\x22\x01\x00")

    def attribute(level: int, kind: int, number: int, value: bytes) -> None:
        out.extend(bytes([level]) + number.to_bytes(2, "little") + kind.to_bytes(2, "little") + len(value).to_bytes(4, "little") + value)
        out.extend((sum(value) & 0xFFFF).to_bytes(2, "little"))

    attribute(1, 8, 0x9006, (0x10000).to_bytes(4, "little"))
    attribute(1, 7, 0x8008, b"IPM.Microsoft Mail.Note\0")
    if body:
        attribute(1, 2, 0x800C, body + b"\0")
    for name, data in files:
        attribute(2, 6, 0x9002, bytes(14))
        attribute(2, 1, 0x8010, b"ATT00001.DAT\0" if unicode_names else name.encode("cp1252") + b"\0")
        attribute(2, 6, 0x800F, data)
        if unicode_names:
            wide = name.encode("utf-16-le") + b"\0\0"
            long_name = b"\x1f\0\x07\x37" + (1).to_bytes(4, "little") + len(wide).to_bytes(4, "little") + wide + bytes(-len(wide) % 4)
            size = b"\x03\0\x20\x0e" + len(data).to_bytes(4, "little")
            named = b"\x1f\0\x01\x80" + bytes(16) + (1).to_bytes(4, "little") + (6).to_bytes(4, "little") + "ab\0".encode("utf-16-le") + b"\0\0"
            named += (1).to_bytes(4, "little") + (4).to_bytes(4, "little") + b"x\0\0\0"
            attribute(2, 6, 0x9005, (3).to_bytes(4, "little") + size + named + long_name)
    return bytes(out)


def outlook(c: Corpus) -> None:
    def mail(data: bytes) -> bytes:
        return head("outlook") + several(NOTE, attachment(data, "winmail.dat", "application/ms-tnef"))

    c.add("winmail", mail(tnef(("an.order.toml", FILES["an-1"]))), "an-1")
    c.add("winmail-two-files", mail(tnef(("an.order.toml", FILES["an-2"]), ("日.toml", FILES["bo-1"]))), "an-2", "bo-1")
    c.add("winmail-short-name", mail(tnef(("an.order.toml", FILES["an-1"]), unicode_names=False)), "an-1")
    c.add("winmail-readable", mail(tnef(("an.toml", READABLE.encode()))), bad=1)
    c.add("winmail-body", mail(tnef(body=block("an-1").encode())), "an-1")
    c.add("winmail-only", head("exchange") + attachment(tnef(("an.order.toml", FILES["an-1"])), "winmail.dat", "application/ms-tnef"), "an-1")
    c.add("winmail-cut-off", mail(tnef(("an.order.toml", FILES["an-1"]))[:200]))


def wrappers(c: Corpus) -> None:
    inner = several(NOTE, attachment(FILES["an-1"], "an.order.toml"), boundary="inner")
    signature = part(base64.encodebytes(b"0\x82not a real one"), 'application/pkcs7-signature; name="smime.p7s"', extra="")
    c.add("smime-signed", head("apple") + several(inner, signature, kind="signed", extra='; protocol="application/pkcs7-signature"'), "an-1")
    c.add("pgp-mime-signed", head("thunderbird") + several(
        inner, part("-----BEGIN PGP SIGNATURE-----\n\niHUE\n-----END PGP SIGNATURE-----\n", "application/pgp-signature"), kind="signed"), "an-1")
    c.add("pgp-mime-encrypted", head("thunderbird") + several(
        part("Version: 1\n", "application/pgp-encrypted"),
        part("-----BEGIN PGP MESSAGE-----\n\nhQIMA\n-----END PGP MESSAGE-----\n"), kind="encrypted"), faults=["mail-encrypted"])
    c.add("pgp-inline-encrypted", plain(
        "-----BEGIN PGP MESSAGE-----\n\nhQIMA2xhc3QAAAAA\n-----END PGP MESSAGE-----\n", "mutt"), faults=["mail-encrypted"])
    for name, indefinite in (("smime-opaque", False), ("smime-opaque-in-pieces", True)):
        c.add(name, head("outlook") + part(
            signed_data(inner, indefinite=indefinite), 'application/pkcs7-mime; smime-type=signed-data; name="smime.p7m"', "base64"), "an-1")
    c.add("smime-opaque-twice", head("exchange") + part(
        signed_data(part(signed_data(inner), "application/pkcs7-mime", "base64")), "application/x-pkcs7-mime", "base64"), "an-1")
    c.add("smime-opaque-called-octets", head("gmail") + several(NOTE, attachment(signed_data(inner), "smime.p7m")), "an-1")
    c.add("smime-encrypted", head("outlook") + part(
        der(0x30, ENVELOPED + der(0xA0, der(0x30, b"\2\1\0"))), 'application/pkcs7-mime; smime-type=enveloped-data; name="smime.p7m"',
        "base64"), faults=["mail-encrypted"])
    c.add("smime-nonsense", head("outlook") + part(b"\x30\x84\xff\xff\xff\xff" + bytes(40), "application/pkcs7-mime", "base64"))


DATA, SIGNED, ENVELOPED = (bytes.fromhex(f"06092a864886f70d01070{last}") for last in (1, 2, 3))


def der(tag: int, value: bytes) -> bytes:
    size = len(value)
    length = bytes([size]) if size < 128 else b"\x82" + size.to_bytes(2, "big")
    return bytes([tag]) + length + value


def signed_data(content: bytes, *, indefinite: bool = False) -> bytes:
    """CMS SignedData around a mail, without the signers, whom nobody here asks; in BER as Java and OpenSSL stream it if ``indefinite``."""
    if indefinite:
        pieces = b"".join(der(0x04, content[at : at + 1000]) for at in range(0, len(content), 1000))
        octets = b"\x24\x80" + pieces + b"\0\0"
        inside = b"\x30\x80" + b"\2\1\1" + der(0x31, b"") + b"\x30\x80" + DATA + b"\xa0\x80" + octets + b"\0\0" * 2 + der(0x31, b"") + b"\0\0"
        return b"\x30\x80" + SIGNED + b"\xa0\x80" + inside + b"\0\0" * 2
    inside = b"\2\1\1" + der(0x31, b"") + der(0x30, DATA + der(0xA0, der(0x04, content))) + der(0x31, b"")
    return der(0x30, SIGNED + der(0xA0, der(0x30, inside)))


def nothing(c: Corpus) -> None:
    c.add("nothing-empty", head("iphone") + b"\n")
    c.add("nothing-header-only", head("iphone"))
    c.add("nothing-question", plain("When do we play?\n\nAn\n", "gmail"))
    c.add("nothing-picture", head("iphone") + attachment(PNG, "IMG_0001.png", "image/png"))
    c.add("nothing-picture-and-text", head("iphone") + several(part("\n"), attachment(PNG, "IMG_0001.png", "image/png")))
    c.add("nothing-template-quoted", plain("Which line?\n\n> " + READABLE.replace("\n", "\n> "), "thunderbird"))
    c.add("nothing-words-of-a-key", plain("-----BEGIN SSH SIGNATURE----- is what the file has, right?", "mutt"))
    c.add("nothing-calendar", head("exchange") + part("BEGIN:VCALENDAR\nEND:VCALENDAR\n", "text/calendar; method=REQUEST"))
    c.add("nothing-external-body", head() + part("", 'message/external-body; access-type=URL; URL="http://x.example/an.order.toml"'))


def broken(c: Corpus) -> None:
    one = FILES["an-1"]
    whole = several(NOTE, attachment(one, "an.order.toml"))
    coded = base64.encodebytes(one)
    octets = 'Content-Type: application/octet-stream; name="an.order.toml"\nContent-Transfer-Encoding: '
    c.add("boundary-of-another-mail", head() + whole.replace(b'boundary="=_b1"', b'boundary="=_b2"'), "an-1")
    c.add("boundary-missing", head() + whole.replace(b'; boundary="=_b1"', b""), "an-1")
    c.add("boundary-not-closed", head() + whole.replace(b"--=_b1--", b""), "an-1")
    c.add("boundary-empty", head() + whole.replace(b'boundary="=_b1"', b'boundary=""'), "an-1")
    c.add("boundary-header-lost", head().replace(b"MIME-Version: 1.0\n", b"") + b"\n" + whole, "an-1")
    c.add("base64-without-padding", head() + several(NOTE, octets.encode() + b"base64\n\n" + coded.replace(b"=", b"")), "an-1")
    c.add("base64-with-blanks-and-marks", head() + several(
        NOTE, octets.encode() + b"base64\n\n" + coded.replace(b"\n", b" !\n\n")), "an-1")
    c.add("base64-cut-off", head() + several(NOTE, octets.encode() + b"base64\n\n" + coded[:-120]), bad=1)
    c.add("base64-not-said", head() + several(NOTE, part(block("an-1"), "application/octet-stream", "7bit")), "an-1")
    c.add("encoding-twice-said", head() + several(NOTE, octets.encode() + b"8bit\nContent-Transfer-Encoding: base64\n\n" + coded), "an-1")
    c.add("nul-bytes-between", head() + part(block("an-1").replace("\n", "\n\0"), encoding="8bit"), "an-1")
    c.add("nul-bytes-in-the-header", head(extra="X-Odd: a\0b\0\n") + part(block("an-1")), "an-1")
    c.add("header-of-100-kb", head(extra="X-Spam-Report: " + "spam " * 20_000 + "\n" + "References: " + "<a@b>\n " * 3000 + "\n") + whole, "an-1")
    c.add("header-type-mangled", head() + whole.replace(b"multipart/mixed;", b"multipart / mixed ;;;=;"), "an-1")
    c.add("blank-line-in-the-header", head(extra="\n") + whole, "an-1")
    c.add("mbox-line-in-front", b"From an@example.org Wed Dec  2 20:14:05 2026\n" + head() + whole, "an-1")
    c.add("fifty-levels", head() + nested(50, part(block("an-1"))), faults=["mail-too-deep"])
    c.add("eight-levels", head() + nested(8, part(block("an-1"))), "an-1")
    c.add("preamble-and-epilogue", head() + whole.replace(b"\n\n", b"\n\nThis is a message in MIME format.\n", 1) + b"\nepilogue\n", "an-1")


def nested(levels: int, inside: bytes) -> bytes:
    for at in range(levels):
        inside = several(inside, boundary=f"=_level{at}")
    return inside
