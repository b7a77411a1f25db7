"""What the mails of the corpus are put together from: signed files, headers of mail programs, encodings.

Keys and files are fixed, so that making the corpus anew gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import quopri
import textwrap

from pbem.orders.armour import armour
from pbem.orders.join import make_join
from pbem.orders.seal import phase_public
from pbem.orders.signed import sign_file
from pbem.orders.write import dump

from ..helpers import Player, fixed

AN, BO, CHEN = (Player.of(seat) for seat in ("an", "bo", "chen"))
AFTER = "7-3f9c51e8a04d4be2b7707adf21c6f5d0"


def _order(player: Player, revision: int, note: str, orders: list[dict[str, object]], phase: str = "3.move") -> bytes:
    table = {
        "game": "winter-court", "player": player.seat, "phase": phase, "revision": revision, "after": AFTER, "note": note, "then": "ask",
        "orders": orders,
    }  # fmt: skip
    return sign_file(player.key, "order@pbem", dump(table))


def _move(to: str, **words: object) -> dict[str, object]:
    return {"do": "move", "to": to, **words}


def _sealed() -> bytes:
    letters = base64.b64encode(b"".join(hashlib.sha256(b"box %d" % at).digest() for at in range(36))).decode()
    table = {
        "game": "winter-court", "player": "an", "phase": "2.return", "revision": 1, "after": AFTER,
        "sealed": {"commitment": base64.b64encode(fixed("commitment")).decode(), "box": textwrap.wrap(letters, 76)},
    }  # fmt: skip
    return sign_file(AN.key, "order@pbem", dump(table))


_BY_HAND = b"""# round 3\tmove
# I am An.

game = "winter-court"
player = 'an'
phase  = "3.move"
revision = 4
after = "7-3f9c51e8a04d4be2b7707adf21c6f5d0"
orders = [ { do = "pass" } ]   # nothing better
"""

FILES: dict[str, bytes] = {
    "an-1": _order(AN, 1, "Sorry, Bo.", [
        _move("guangdong-c", deploy=3, monastery=True, **{"or": {"do": "stay", "deploy": 1}}), _move("yunnan-a", deploy=1, otherwise="skip"),
    ]),
    "an-2": _order(AN, 2, "Not sorry, Bo.", [_move("yunnan-a", deploy=2, watch=["guangdong-c", "zhili-a"]), {"do": "pass"}]),
    "bo-1": _order(BO, 1, "Viele Grüße aus Köln, An – “schön”!", [{"do": "stay", "deploy": "all", "or": {"do": "pass"}, "watch": ["zhili-a"]}]),
    "bo-prose": _order(BO, 2, "It's a long way from Yunnan to the northern provinces, so I think I'd better stay at home... -- Bo & family", [
        {"do": "stay", "deploy": 1},
    ]),
    "bo-from": _order(BO, 3, "Thank you. From here on every stone is worth .5 points to me.", [{"do": "pass"}]),
    "chen-han": _order(CHEN, 1, "大明王朝，我来了", [{"do": "pass"}]),
    "chen-cyrillic": _order(CHEN, 2, "Привет из Москвы", [{"do": "pass"}]),
    "chen-hangul": _order(CHEN, 3, "안녕하세요 여러분", [{"do": "pass"}]),
    "chen-kana": _order(CHEN, 4, "よろしくお願いします", [{"do": "pass"}]),
    "chen-big5": _order(CHEN, 5, "大明王朝，我來了", [{"do": "pass"}]),
    "chen-latin": _order(CHEN, 6, "Bien à vous, Zoë – c’est parti", [{"do": "pass"}]),
    "an-sealed": _sealed(),
    "an-by-hand": sign_file(AN.key, "order@pbem", _BY_HAND),
    "chen-join": make_join(
        CHEN.key, game="winter-court", campaign_id=fixed("id")[:16], seat="chen", invite=fixed("invite")[:16],
        letter_public=phase_public(CHEN.letter), nonce=CHEN.nonce, name="Chen",
    ),
    "an-request": sign_file(AN.key, "request@pbem", dump({
        "game": "winter-court", "player": "an", "after": AFTER, "number": 1, "request": {"do": "concede"},
    })),
}  # fmt: skip
READABLE = FILES["an-1"].partition(b"# -----BEGIN")[0].decode()


def text(name: str) -> str:
    return FILES[name].decode()


def block(name: str) -> str:
    return armour(FILES[name])


# -- mails ----------------------------------------------------------------------------------------------------------------

PROGRAMS = {
    "outlook": "X-Mailer: Microsoft Outlook 16.0\nThread-Index: AQHbRL0a\nContent-Language: en-us\n",
    "exchange": "X-MS-Exchange-Organization-SCL: -1\nAccept-Language: en-US, de-DE\nX-MS-Has-Attach:\n",
    "gmail": "X-Gm-Message-State: AOJu0Yz\nX-Received: by 2002:a05:600c:4f48:b0:434:0:1 with SMTP id m8mr1wmq.1\n",
    "apple": "X-Mailer: Apple Mail (2.3826.200.121)\n",
    "iphone": "X-Mailer: iPhone Mail (22B91)\n",
    "thunderbird": "User-Agent: Mozilla Thunderbird\nContent-Language: en-US\n",
    "yahoo": "X-Mailer: WebService/1.1.22941 YMailNovation\n",
    "naver": "X-Originating-IP: 192.0.2.77\nX-Naver-CIP: 192.0.2.77\n",
    "qq": "X-QQ-SSF: 0001000000\nX-QQ-MIME: TCMime 1.0 by Tencent\nX-Mailer: QQMail 2.x\n",
    "163": "X-Originating-IP: [192.0.2.163]\nX-Mailer: Coremail Webmail Server Version XT5.0.14\n",
    "mailru": "X-Mailer: Mail.Ru Mailer 1.0\n",
    "yandex": "X-Mailer: Yamail [ http://yandex.ru ] 5.0\n",
    "mutt": "User-Agent: Mutt/2.2.12 (2023-09-09)\n",
    "k9": "User-Agent: K-9 Mail for Android\n",
    "pine": "User-Agent: Alpine 2.26\n",
    "": "",
}


def head(program: str = "", subject: str = "my orders", sender: str = "An <an@example.org>", extra: str = "") -> bytes:
    """The header of a mail, up to what concerns its content."""
    return (
        "Return-Path: <an@example.org>\nReceived: from mail.example.org by mx.example.com; Wed, 2 Dec 2026 20:14:05 +0000\n"
        f"From: {sender}\nTo: Winter Court <court@example.com>\nSubject: {subject}\nDate: Wed, 2 Dec 2026 21:14:00 +0100\n"
        f"Message-ID: <{hashlib.sha256((program + subject).encode()).hexdigest()[:12]}@example.org>\n"
        f"{PROGRAMS[program]}MIME-Version: 1.0\n{extra}"
    ).encode()


def part(content: bytes | str, kind: str = "text/plain; charset=utf-8", encoding: str = "", extra: str = "") -> bytes:
    """A part with its own header: encoded, in its charset if it is text."""
    raw = content.encode() if isinstance(content, str) else content
    lines = f"Content-Type: {kind}\n{extra}"
    if encoding:
        lines += f"Content-Transfer-Encoding: {encoding}\n"
    return lines.encode() + b"\n" + {"base64": base64.encodebytes, "quoted-printable": quopri.encodestring}.get(encoding, bytes)(raw)


def plain(content: bytes | str, program: str = "", kind: str = "text/plain; charset=utf-8", encoding: str = "8bit", **more: str) -> bytes:
    """A mail of a single part."""
    return head(program, **more) + part(content, kind, encoding)


def several(*parts: bytes, kind: str = "mixed", boundary: str = "=_b1", extra: str = "") -> bytes:
    body = b"".join(b"--%b\n%b\n" % (boundary.encode(), each) for each in parts)
    return f'Content-Type: multipart/{kind}; boundary="{boundary}"{extra}\n\n'.encode() + body + f"--{boundary}--\n".encode()


def attachment(content: bytes, name: str, kind: str = "application/octet-stream", encoding: str = "base64") -> bytes:
    return part(content, f'{kind}; name="{name}"', encoding, f'Content-Disposition: attachment; filename="{name}"\n')


def quoted(content: str, mark: str = "> ") -> str:
    return "".join(mark + line + "\n" for line in content.splitlines())


def wrapped(content: str, width: int, mark: str = "") -> str:
    """Hard line breaks at the last blank before ``width``, as old programs and gateways make them."""
    lines: list[str] = []
    for line in content.splitlines():
        lines += textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False, drop_whitespace=True) or [""]
    return "".join(mark + line + "\n" for line in lines)


def flowed(content: str, *, delsp: bool = False, width: int = 66) -> str:
    """RFC 3676: soft breaks after blanks, lines that need it stuffed."""
    out = []
    for line in content.splitlines():
        rest = line.rstrip()
        while len(rest) > width and (cut := rest.rfind(" ", 1, width)) > 0 and rest[:cut].strip():
            out.append(rest[:cut + 1] + (" " if delsp else ""))
            rest = rest[cut + 1:]
        out.append(rest)
    return "".join((" " if line.startswith((" ", ">", "From ")) else "") + line + "\n" for line in out)


FOOTER = """
-- \nAn Andersson
Example Ltd, 1 Example Street, Exampletown
"""
LEGAL = """
________________________________
This e-mail and any files transmitted with it are confidential = and intended solely for the addressee. If you are not the
named addressee you should not disseminate, distribute or copy this e-mail. Please consider the environment before printing.
"""
LIST_FOOTER = """
_______________________________________________
Winter mailing list -- winter@lists.example.org
To unsubscribe send an email to winter-leave@lists.example.org
"""
