"""Mails with a block or a pasted file in their text: encodings, quoting, wrapping, HTML, character sets."""

from __future__ import annotations

import html

from .corpus import Corpus
from .letters import (
    FILES,
    FOOTER,
    LEGAL,
    LIST_FOOTER,
    READABLE,
    block,
    flowed,
    head,
    part,
    plain,
    quoted,
    several,
    text,
    wrapped,
)  # fmt: skip

HTML, QP, B64 = "text/html; charset=utf-8", "quoted-printable", "base64"


def make(corpus: Corpus) -> None:
    blocks(corpus)
    pages(corpus)
    pasted(corpus)
    pasted_in_pages(corpus)
    charsets(corpus)
    damaged(corpus)


def blocks(c: Corpus) -> None:
    one = block("an-1")
    c.add("block-plain-mutt", plain(f"Hi,\n\n{one}\nAn\n", "mutt", encoding="7bit"), "an-1")
    c.add("block-base64-outlook", plain(f"Hello,\r\n\r\n{one}".replace("\n", "\r\n"), "outlook", encoding=B64), "an-1")
    c.add("block-qp-soft-breaks", plain(f"Grüße\n\n{one.replace(chr(10), '')}\n", "exchange", encoding=QP), "an-1")
    c.add("block-flowed-thunderbird", plain(f"Hi!\n\n{flowed(one)}", "thunderbird", "text/plain; charset=UTF-8; format=flowed"), "an-1")
    c.add("block-flowed-delsp-apple", plain(
        flowed("Hi! " * 30 + "\n" + one.replace("-----BEGIN PBEM ORDER-----\n", "-----BEGIN PBEM ORDER----- "), delsp=True, width=50), "apple",
        "text/plain; charset=us-ascii; format=flowed; delsp=yes"), "an-1")  # fmt: skip
    c.add("block-quoted", plain(f"see below\n\nOn Tue, An wrote:\n{quoted(one)}", "thunderbird"), "an-1")
    c.add("block-quoted-thrice", plain(quoted(quoted(quoted(one, ">")), "| "), "k9"), "an-1")
    c.add("block-quoted-bars", plain(quoted(one, "| "), "mailru"), "an-1")
    c.add("block-wrapped-60", plain(quoted(one[:30] + wrapped(one[30:].replace("\n", " "), 60)), "pine"), "an-1")
    c.add("block-cut-in-lines-of-40", plain("\n".join(one[at : at + 40] for at in range(0, len(one), 40)), "yahoo"), "an-1")
    c.add("block-replies-around", plain(f"top\n\n{one}\n> what about Friday?\nbottom\n{FOOTER}", "gmail"), "an-1")
    c.add("block-legal-footer", plain(f"{one}{LEGAL}", "exchange", encoding=QP), "an-1")
    c.add("block-list-footer", plain(f"{one}{LIST_FOOTER}", extra="List-Id: <winter.lists.example.org>\nPrecedence: list\n"), "an-1")
    c.add("block-bom", plain("\ufeff" + one, "outlook", encoding=B64), "an-1")
    c.add("block-utf16-le", plain(f"Hi\r\n{one}".encode("utf-16"), "outlook", "text/plain; charset=utf-16", B64), "an-1")
    c.add("block-utf16-be-unmarked", plain(f"Hi\n{one}".encode("utf-16-be"), "", "text/plain; charset=us-ascii", B64), "an-1")
    c.add("block-nbsp-indent", plain(quoted(one.replace(" ", "\u00a0"), "\u00a0\u00a0 "), "yandex"), "an-1")
    c.add("block-cr-only", head("") + part(one.replace("\n", "\r"), encoding="8bit"), "an-1")
    c.add("block-crlf", (head("outlook") + part(one, encoding="7bit")).replace(b"\n", b"\r\n"), "an-1")
    c.add("block-trailing-blanks", plain(one.replace("\n", "   \t\n"), "qq"), "an-1")
    c.add("block-blank-lines-between", plain(one.replace("\n", "\n\n"), "outlook"), "an-1")
    c.add("block-zero-width", plain(one.replace("\n", "\u200b\n\u2060"), "163", encoding=B64), "an-1")
    c.add("block-dashes-made-long", plain(one.replace("-----", "\u2014\u2014-"), "apple"), "an-1")
    c.add("block-bold-markers", plain(one.replace("PBEM ORDER", "*PBEM ORDER*"), "gmail"), "an-1")
    c.add("block-qp-not-undone", plain(
        one.replace("=", "=3D").replace("\n", "=\n", 3).replace("ORDER-----=\n", "ORDER-----\n"), "", "text/plain", "7bit"), "an-1")
    c.add("block-unknown-charset", plain(one, "", "text/plain; charset=x-foo-bar"), "an-1")
    c.add("block-unknown-encoding", plain(one, "", "text/plain; charset=utf-8", "x-uuencode-not"), "an-1")
    c.add("block-no-mime", head().replace(b"MIME-Version: 1.0\n", b"") + b"\n" + one.encode(), "an-1")
    c.add("block-pgp-clearsigned", plain(
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n" + one.replace("-----B", "- -----B").replace("-----E", "- -----E")
        + "-----BEGIN PGP SIGNATURE-----\n\niHUEARYKAB0WIQQ=\n=abcd\n-----END PGP SIGNATURE-----\n", "mutt"), "an-1")
    c.add("two-blocks", plain(f"{one}\nand Bo's\n\n{block('bo-1')}", "thunderbird"), "an-1", "bo-1")
    c.add("same-block-twice", plain(f"{one}\n> Did you get it?\n{quoted(one)}", "gmail"), "an-1")
    c.add("two-revisions-newest-first", plain(f"now:\n{block('an-2')}\nbefore:\n{quoted(one)}", "gmail"), "an-1", "an-2")
    c.add("join-and-order-order-first", plain(f"{block('an-1')}\n{block('chen-join')}", "k9"), "chen-join", "an-1")
    c.add("block-and-pasted", plain(f"{block('an-1')}\nand\n\n{text('bo-1')}", "mutt"), "an-1", "bo-1")
    c.add("block-request", plain(f"I give up.\n{block('an-request')}", "iphone"), "an-request")
    c.add("block-sealed-wrapped", plain(wrapped(block("an-sealed"), 60), "naver", encoding=B64), "an-sealed")


def pages(c: Corpus) -> None:
    one = block("an-1")
    lines = one.splitlines()
    c.add("html-only-br", plain("<html><body>Hi<br>" + "<br>\r\n".join(lines) + "</body></html>", "yahoo", HTML, QP), "an-1")
    c.add("html-pre", plain(f"<html><body><p>Hi</p><pre>{one}</pre></body></html>", "thunderbird", HTML), "an-1")
    c.add("html-br-nbsp", plain("<div>" + "<br>".join(line.replace(" ", "&nbsp;") for line in lines) + "</div>", "qq", HTML, B64), "an-1")
    c.add("html-divs-gmail", plain('<div dir="ltr">' + "".join(f"<div>{line}</div>" for line in lines) + "</div>", "gmail", HTML, QP), "an-1")
    c.add("html-mso-paragraphs", plain(
        '<html xmlns:o="urn:x"><head><style><!-- p {margin:0} --></style></head><body><!--[if mso]>-----BEGIN PBEM ORDER-----<![endif]-->'
        + "".join(f'<p class="MsoNormal" style="a > b"><span lang="EN-US">{line}<o:p></o:p></span></p>\r\n' for line in lines)
        + "</body></html>", "outlook", HTML, QP), "an-1")  # fmt: skip
    c.add("html-spans-everywhere", plain(
        "<body>" + "<br/>".join(f"<span>{line[:20]}</span><font color=red>{line[20:]}</font>" for line in lines), "mailru", HTML), "an-1")
    c.add("html-wbr-and-zero-width", plain(
        "<p>" + "<br>".join(line.replace("A", "A<wbr>\u200b") for line in lines) + "</p>", "163", HTML, B64), "an-1")
    c.add("html-blockquote", plain(
        "<p>ok</p><blockquote type=cite>" + "<br>".join("&gt; " + line for line in lines) + "</blockquote>", "apple", HTML), "an-1")
    c.add("html-entities", plain(
        "<p>" + one.replace("+", "&#43;").replace("/", "&#x2F;").replace("=", "&equals;").replace("\n", "<br>"), "yandex", HTML), "an-1")
    c.add("html-wrapped-in-tags", plain("<p>" + one.replace("\n", "<br\n>") + "</p>", "", HTML), "an-1")
    both = several(part(f"Hi\n{one}", encoding=QP), part(f"<p>Hi</p><pre>{one}</pre>", HTML, QP), kind="alternative")
    c.add("alternative-same-block-twice", head("gmail") + both, "an-1")
    spoilt = one.replace(lines[2], lines[2][:-3], 1)
    c.add("alternative-text-damaged", head("yahoo") + several(
        part(spoilt, encoding=QP), part(f"<pre>{one}</pre>", HTML, QP), kind="alternative"), "an-1")
    c.add("html-charset-in-meta", plain(
        f'<html><head><meta charset="gb2312"></head><body>大明<br>{one.replace(chr(10), "<br>")}'.encode("gb18030"), "qq", "text/html", B64), "an-1")


def pasted(c: Corpus) -> None:
    one, prose = text("an-1"), text("bo-prose")
    c.add("pasted-plain", plain(f"Hello,\n\nhere it is = at last:\n{one}{FOOTER}", "mutt"), "an-1")
    c.add("pasted-crlf-base64", plain(f"Hi\r\n{one}".replace("\n", "\r\n").replace("\r\r", "\r"), "outlook", encoding=B64), "an-1")
    c.add("pasted-quoted", plain(f"forwarding:\n{quoted(one)}", "thunderbird"), "an-1")
    c.add("pasted-quoted-bars", plain(quoted(quoted(one, "| ")), "pine"), "an-1")
    c.add("pasted-indented", plain(quoted(one, "    "), "mutt"), "an-1")
    c.add("pasted-nbsp-indent", plain(quoted(one.replace("  {", "\u00a0 {"), "\u00a0"), "yahoo", encoding=B64), "an-1")
    c.add("pasted-wrapped-60", plain(f"Hi,\n\n{wrapped(one, 60)}\nAn\n", "pine"), "an-1")
    c.add("pasted-wrapped-then-quoted", plain(wrapped(quoted(prose), 60), "outlook"), "bo-prose")
    c.add("pasted-wrapped-72-prose", plain(wrapped(prose, 72), "gmail"), "bo-prose")
    c.add("pasted-flowed", plain("Hi\n\n" + flowed(prose), "thunderbird", "text/plain; charset=utf-8; format=flowed"), "bo-prose")
    c.add("pasted-flowed-delsp", plain(flowed(one, delsp=True), "apple", "text/plain; charset=us-ascii; format=flowed; delsp=yes"), "an-1")
    c.add("pasted-flowed-undeclared", plain(flowed(prose), "k9"), "bo-prose")
    c.add("pasted-smart-quotes", plain(smart(one), "apple", encoding=QP), "an-1")
    c.add("pasted-smart-everything", plain(smart(prose.replace("...", "…").replace("'", "’").replace(" -- ", " — ")), "outlook"), "bo-prose")
    c.add("pasted-smart-quotes-cp1252", plain(smart(one).encode("cp1252"), "outlook", "text/plain; charset=windows-1252"), "an-1")
    c.add("pasted-smart-quotes-wrapped", plain(wrapped(smart(one), 60), "iphone"), "an-1")
    c.add("pasted-german-quotes", plain(one.replace(' "', " „").replace('"', "“"), "apple"), "an-1")
    c.add("pasted-trailing-blanks", plain(one.replace("\n", "  \n"), "naver"), "an-1")
    c.add("pasted-blank-lines-between", plain(one.replace("\n", "\n\n"), "outlook"), "an-1")
    c.add("pasted-zero-width", plain(one.replace("do = ", "do\u200b = ").replace("{ ", "{\ufeff "), "163", encoding=B64), "an-1")
    c.add("pasted-from-stuffed", plain(text("bo-from").replace("you. From", "you.\n>From"), "pine"), "bo-from")
    c.add("pasted-tabs", plain(one.replace("  {", "\t{"), "mutt"), "an-1")
    c.add("pasted-entities", plain(html.escape(prose), "163"), "bo-prose")
    c.add("pasted-qp-not-undone", plain(one.replace("=", "=3D").replace("deploy =3D", "dep=\nloy =3D"), "", encoding="7bit"), "an-1")
    c.add("pasted-mojibake", plain(text("chen-latin").encode().decode("latin-1"), "yandex", encoding=B64), "chen-latin")
    c.add("pasted-link-made", plain(
        text("an-1").replace('"winter-court"', '"winter-court<http://winter-court>"'), "outlook"), "an-1")
    c.add("pasted-sealed-wrapped", plain(wrapped(text("an-sealed"), 60), "outlook"), "an-sealed")
    c.add("pasted-sealed-cut-hard", plain("\n".join(
        line[at : at + 60] for line in text("an-sealed").splitlines() for at in range(0, len(line), 60)), "exchange"), "an-sealed")
    c.add("pasted-by-hand", plain(f"Hi\n\n{text('an-by-hand')}", "mutt"), "an-by-hand")
    c.add("pasted-by-hand-quoted", plain(quoted(text("an-by-hand")), "mutt"), "an-by-hand")
    c.add("pasted-two", plain(f"{wrapped(one, 60)}\nand:\n\n{wrapped(prose, 60)}{FOOTER}", "k9"), "an-1", "bo-prose")
    c.add("pasted-join-wrapped", plain(wrapped(text("chen-join"), 50), "yahoo"), "chen-join")
    c.add("pasted-old-below-new", plain(f"{text('an-2')}\n\nOn Monday An wrote:\n{quoted(one)}", "gmail"), "an-1", "an-2")
    c.add("pasted-dot-stuffed", plain(text("bo-from").replace("worth .5", "worth\n..5"), "mutt"), "bo-from")
    c.add("block-from-stuffed", plain(f"From here on:\n{block('bo-from')}".replace("From", ">From"), "pine"), "bo-from")
    c.add("qp-dots-stuffed-inside", head() + b'Content-Type: application/toml; name="an.order.toml"\nContent-Transfer-Encoding: quoted-printable\n\n'
          + FILES["an-1"].replace(b"=", b"=3D").replace(b'"3.move"', b'"3=\n..move"'), "an-1")


def smart(content: str) -> str:
    """Typographic quotes as Outlook and Apple Mail set them while one types or pastes."""
    out, opening = [], True
    for character in content:
        if character == '"':
            out.append("“" if opening else "”")
            opening = not opening
        else:
            out.append(character)
    return "".join(out)


def pasted_in_pages(c: Corpus) -> None:
    one, prose = text("an-1"), text("bo-prose")
    c.add("html-pasted-pre", plain(f"<p>Hi</p><pre>{html.escape(one)}</pre>", "thunderbird", HTML, QP), "an-1")
    c.add("html-pasted-br-nbsp", plain(
        "<div>" + "<br>\n".join(html.escape(line).replace(" ", "&nbsp;") for line in one.splitlines()) + "</div>", "qq", HTML, B64), "an-1")
    c.add("html-pasted-divs-smart", plain(
        "".join(f"<div>{smart(html.escape(line, quote=False)) or '<br>'}</div>" for line in one.splitlines()), "apple", HTML, QP), "an-1")
    c.add("html-pasted-mso", plain("<body>" + "".join(
        f'<p class=MsoNormal><span style="font-family:&quot;Consolas&quot;">{html.escape(line)}<o:p></o:p></span></p>' for line in
        wrapped(prose, 400).splitlines()), "outlook", HTML, QP), "bo-prose")  # fmt: skip
    c.add("html-pasted-link", plain("<p>" + "<br>".join(
        html.escape(line).replace("winter-court", '<a href="http://winter-court">winter-court</a>') for line in one.splitlines()),
        "gmail", HTML), "an-1")  # fmt: skip
    c.add("html-pasted-source-lines", plain(
        f'<div style="white-space: pre-wrap">{html.escape(one)}</div>', "k9", HTML, QP), "an-1")
    c.add("html-pasted-collapsed", plain(
        "<div>" + "<br>".join("&#160; " * 2 + html.escape(line.strip()) + "   \n  " for line in prose.splitlines()), "yandex", HTML), "bo-prose")


def charsets(c: Corpus) -> None:
    for file, charset, called, program in (
        ("chen-han", "gb18030", "gb18030", "163"), ("chen-han", "gb18030", "gb2312", "qq"), ("chen-cyrillic", "koi8-r", "koi8-r", "mailru"),
        ("chen-cyrillic", "cp1251", "windows-1251", "yandex"), ("chen-hangul", "iso2022_kr", "iso-2022-kr", "naver"),
        ("chen-hangul", "cp949", "euc-kr", "naver"), ("chen-hangul", "cp949", "ks_c_5601-1987", "outlook"),
        ("chen-big5", "cp950", "big5", "yahoo"), ("chen-kana", "cp932", "shift_jis", "outlook"),
        ("chen-kana", "iso2022_jp", "iso-2022-jp", "apple"), ("chen-latin", "cp1252", "windows-1252", "outlook"),
        ("chen-latin", "cp1252", "iso-8859-1", "yahoo"), ("chen-han", "utf-16", "utf-16", "outlook"), ("chen-latin", "utf-7", "utf-7", "exchange"),
    ):  # fmt: skip
        c.add(f"pasted-in-{called}-{program}", plain(f"Hi\n\n{text(file)}".encode(charset), program, f"text/plain; charset={called}", B64), file)
    for file, charset, called in (
        ("chen-han", "gb18030", "us-ascii"), ("chen-cyrillic", "koi8-r", "utf-8"), ("chen-cyrillic", "cp1251", "koi8-r"),
        ("chen-hangul", "cp949", "utf-8"), ("chen-big5", "cp950", "unknown-8bit"), ("chen-latin", "cp1252", "x-mystery"),
        ("chen-latin", "utf-8", "windows-1252"), ("chen-han", "utf-8", "gb2312"), ("chen-han", "utf-8", "idna"),
    ):  # fmt: skip
        mail = plain(f"Hi\n\n{text(file)}".encode(charset), "", f"text/plain; charset={called}", B64)
        c.add(f"pasted-{charset}-called-{called}", mail, file)
    for called in ("idna", "undefined", "unicode_escape"):
        c.add(f"pasted-8bit-called-{called}", plain(text("chen-han"), "", f"text/plain; charset={called}"), "chen-han")
    c.add("pasted-utf8-without-charset", plain(text("chen-han"), "", "text/plain"), "chen-han")


def damaged(c: Corpus) -> None:
    one = block("an-1")
    third = one.splitlines()[3]
    c.add("damaged-block-letters-lost", plain(one.replace(third, third[:10] + third[15:])), faults=["armour-damaged"])
    c.add("damaged-block-cut-off", plain(one[:400]), faults=["armour-not-closed"])
    c.add("damaged-block-words-inside", plain(one.replace(third, third + "\n[message clipped]")), faults=["armour-damaged"])
    c.add("damaged-block-other-is-whole", plain(one.replace(third, third[:10] + third[15:]) + block("bo-1")), "bo-1", faults=["armour-damaged"])
    c.add("damaged-old-revision-only", plain(block("an-2") + quoted(one.replace(third, ""))), "an-2", bad=1)
    c.add("damaged-pasted-number-changed", plain(text("an-1").replace("deploy = 3", "deploy = 2")), faults=["pasted-damaged"])
    c.add("damaged-pasted-word-translated", plain(text("an-1").replace("Sorry", "Pardon"), "gmail"), faults=["pasted-damaged"])
    c.add("damaged-pasted-signature-cut", plain(text("an-1").replace("# U1NI", "# U1")), faults=["pasted-damaged"])
    c.add("damaged-pasted-lines-lost", plain(text("an-1").replace('then = "ask"\n', "")), faults=["pasted-damaged"])
    c.add("damaged-pasted-letters-as-question-marks", plain(text("chen-han").encode("ascii", "replace")), faults=["pasted-damaged"])
    c.add("damaged-block-changed-inside", plain(one.replace(third, third.swapcase())), bad=1)
    c.add("unsigned-pasted", plain(f"My orders:\n\n{READABLE}"), bad=1)
