"""A mail as a mail program saves it (``.eml``): the order, join and request files in its attachments and bodies.

Mails come from anybody. What is taken apart is capped before (bytes, lines, boundaries) and while (depth, parts) it is; whatever the bytes,
there is an answer. What was damaged on the way is mended where a signature shows that it was mended rightly, and told where not.

Findings of this room, beside those of ``orders.armour.search``: ``mail-too-large`` (cap, part?), ``mail-too-many-parts`` (cap),
``mail-too-deep`` (cap), ``mail-encrypted`` (kind: ``smime``, ``pgp``), ``zip-too-large`` (cap), ``zip-encrypted``, ``zip-nested``,
``zip-damaged``, ``signature-alone``; ``at`` is the name of the attachment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from email.message import Message
from pathlib import Path

from pbem.campaign.folder import read
from pbem.campaign.intake import Incoming, collect
from pbem.orders.armour import TEXT_CAP, search
from pbem.orders.findings import Finding, Unreadable
from pbem.orders.pasted import Budget, verified
from pbem.orders.signed import CAP, split
from pbem.post import cms, tnef, zips
from pbem.post.charsets import texts
from pbem.post.found import Thing, sorted_out
from pbem.post.headers import decoded
from pbem.post.htmltext import declared_charset, html_texts
from pbem.post.parsing import BROKEN, LARGEST, LARGEST_PART, MOST_PARTS, content, from_base64, lightened, parse_whole, raw
from pbem.post.unflow import unflowed

DEEPEST = 12
LARGEST_PAGE = 1024 * 1024       # bytes of an HTML text, pictures in it aside
MOST_UNSAID = 100_000            # characters of a part that is tried as base64 though nobody says so
MOST_UNPACKED = 2 * 1024 * 1024  # bytes taken out of archives, all together

_HEADER = re.compile(rb"(?:From |[A-Za-z][A-Za-z0-9-]{0,60}:)")
_OF_MAILS = re.compile(rb"^(?:from|to|subject|date|received|mime-version|content-type|return-path):", re.IGNORECASE | re.MULTILINE)
_NAME = re.compile(r"[^\w.() -]+")
_LOST_BOUNDARY = re.compile(r"^--([^\s\"]{1,70})[ \t]*\r?\nContent-", re.MULTILINE | re.IGNORECASE)
_LOST_HEADER = re.compile(r"\s{0,20}(?:Content-Type|MIME-Version):[^\n]", re.IGNORECASE)
_BASE64 = re.compile(r"\s*(?:[A-Za-z0-9+/]{4,100}+\s*+)++={0,2}\s*")
_PICTURE = re.compile(rb"data:[\w/+.-]{1,60};base64,[A-Za-z0-9+/=%\s]*+")
_DOTTED = re.compile(r"^\.\.", re.MULTILINE)
_LONE_SIGNATURE = re.compile(rb"-----BEGIN SSH SIGNATURE-----[A-Za-z0-9+/=\s]+-----END SSH SIGNATURE-----")
_UNSIGNED = re.compile(r"^(?:[ \t]*(?:game|player|phase|orders)[ \t]*=[^\n]*\n+){3}", re.MULTILINE)


def collect_mail(path: Path) -> list[Incoming]:
    """The files in one file on disk: a saved mail, or whatever ``campaign.intake.collect`` takes. CampaignError when it cannot be read."""
    data = read(path, LARGEST)
    return open_mail(Incoming(str(path), data)) if is_mail(data) else collect([path])


def is_mail(data: bytes) -> bool:
    """Whether these bytes begin with the header lines of a mail; no order file does."""
    head = data[:64 * 1024].lstrip()[:16 * 1024].partition(b"\n\n")[0].partition(b"\r\n\r\n")[0]
    return _HEADER.match(head) is not None and len({name.lower() for name in _OF_MAILS.findall(head)}) > 1


def open_mail(mail: Incoming) -> list[Incoming]:
    """The files in a mail, named ``mail.eml#an.order.toml``, joins first and revisions in their order; one that came twice counts once.

    Damaged ones are there as faults. A mail in which nothing is found is there as a whole (``holds_nothing``). Never raises.
    """
    opened = _Opened(mail)
    data, too_heavy = lightened(mail.data)
    message = parse_whole(data)
    if too_heavy:
        opened.beyond.append(Finding("mail-too-large", "", {"cap": LARGEST_PART, "part": True}))
    try:
        found = opened.things(message, 0) if message is not None else []
    except BROKEN:
        found = []
    if message is None:
        code, cap = ("mail-too-large", LARGEST) if len(mail.data) > LARGEST else ("mail-too-many-parts", MOST_PARTS)
        opened.beyond.append(Finding(code, "", {"cap": cap}))
    things = sorted_out(found)
    if not things and opened.beyond:
        return [replace(mail, data=mail.data[:CAP], faults=tuple(opened.beyond))]
    return things or [mail]


def holds_nothing(mail: Incoming) -> bool:
    """Whether what came is a whole mail, because nothing was found in it."""
    return not mail.faults and is_mail(mail.data)


@dataclass
class _Opened:
    """A mail while it is taken apart. ``beyond``: what was left closed for its size."""

    mail: Incoming
    parts: int = 0
    unpacked: int = 0
    budget: Budget = field(default_factory=Budget)
    beyond: list[Finding] = field(default_factory=list)

    def things(self, message: Message, depth: int) -> list[Thing]:
        """What lies in a message or part, inner messages too."""
        self.parts += 1
        if depth > DEEPEST or self.parts > MOST_PARTS:
            code, cap = ("mail-too-deep", DEEPEST) if depth > DEEPEST else ("mail-too-many-parts", MOST_PARTS)
            self._left(Finding(code, "", {"cap": cap}))
            return []
        kind = message.get_content_type()
        if kind == "multipart/encrypted":
            return [self._fault("mail-encrypted", "", b"", kind="pgp")]
        inside = _parts(message)
        if kind == "multipart/alternative":
            return _best([self.things(part, depth + 1) for part in inside])
        if kind == "message/rfc822" and (packed := _packed_message(message, inside)) is not None:
            return self._mail_inside(packed, depth)
        if inside:
            return self._several(inside, depth)
        if message.is_multipart():
            return []
        if (mended := _taken_apart(message)) is not None:
            return self.things(mended, depth + 1)
        try:
            return self._leaf(message, depth)
        except BROKEN:   # one part that cannot be read must not keep the others from being found
            return []

    def _several(self, inside: list[Message], depth: int) -> list[Thing]:
        """Parts beside each other; among them may be a file with its detached signature."""
        named = {name: part for part in inside if not part.is_multipart() and (name := file_name(part))}
        things: list[Thing] = []
        for part in inside:
            name = file_name(part)
            beside = named.get(name + ".sig") if name else None
            if beside is not None and not part.is_multipart():
                data, signature = _fitting(content(part), content(beside)[:CAP].decode("ascii", "replace"))
                things.append(Thing(Incoming(self._called(name), data, signature, self.mail.received)))
            elif not (name.endswith(".sig") and name.removesuffix(".sig") in named):
                things += self.things(part, depth + 1)
        return things

    def _leaf(self, part: Message, depth: int) -> list[Thing]:
        text, name = raw(part), file_name(part)
        if len(text) > LARGEST_PART:
            self._left(Finding("mail-too-large", name, {"cap": LARGEST_PART, "part": True}))
            return []
        data = content(part)
        things = self.from_bytes(data, name, part, depth)
        if any(_whole(one) for one in things):
            return things
        if _DOTTED.search(text):
            # Dots that mail transport had doubled, before the encoding was undone.
            part.set_payload(_DOTTED.sub(".", text))
            return self.from_bytes(content(part), name, part, depth) or things
        if len(text) < MOST_UNSAID and data == text.encode("utf-8", "replace") and _BASE64.fullmatch(text):
            return self.from_bytes(from_base64(data), name, None, depth) or things
        return things

    def from_bytes(self, data: bytes, name: str, part: Message | None, depth: int) -> list[Thing]:
        """What a file holds that came in a mail, whatever it calls itself."""
        kind = part.get_content_type() if part is not None else "application/octet-stream"
        if verified(data) is not None:
            return [Thing(replace(self.mail, name=self._called(name), data=data))]
        if zips.is_zip(data):
            return self._packed(zips.files(data), name, depth)
        if zips.is_other_archive(name):
            return [self._fault("zip-damaged", name, data[:CAP])]
        if tnef.is_tnef(data):
            return self._packed(tnef.files(data), name, depth)
        if kind in ("application/pkcs7-mime", "application/x-pkcs7-mime") or name.lower().endswith((".p7m", ".p7z")):
            return self._smime(data, name, depth)
        if (part is None or kind == "application/octet-stream" or name.lower().endswith(".eml")) and is_mail(data):
            return self._mail_inside(data, depth)
        return self._text(data, name, part)

    def _packed(self, inside: zips.Contents, name: str, depth: int) -> list[Thing]:
        """What lies in an archive; a signature beside its file there too."""
        if depth >= DEEPEST:
            self._left(Finding("mail-too-deep", name, {"cap": DEEPEST}))
            return []
        things: list[Thing] = []
        members: dict[str, bytes] = {}
        for each in inside:
            if isinstance(each, Finding):
                things.append(self._fault(each.code, name, b"", **each.facts))
                continue
            self.unpacked += len(each[1]) + 1000
            if self.unpacked > MOST_UNPACKED:
                self._left(Finding("zip-too-large", name, {"cap": MOST_UNPACKED}))
                break
            members[_plain_name(each[0])] = each[1]
        for called, member in members.items():
            if (beside := members.get(called + ".sig")) is not None:
                data, signature = _fitting(member, beside[:CAP].decode("ascii", "replace"))
                things.append(Thing(Incoming(self._called(called), data, signature, self.mail.received)))
            elif not (called.endswith(".sig") and called.removesuffix(".sig") in members):
                things += self.from_bytes(member, called, None, depth + 1)
        return things

    def _smime(self, data: bytes, name: str, depth: int) -> list[Thing]:
        try:
            inner = cms.content(data)
        except cms.Encrypted:
            return [self._fault("mail-encrypted", name, data[:CAP], kind="smime")]
        return self._mail_inside(inner, depth) if inner is not None else []

    def _mail_inside(self, data: bytes, depth: int) -> list[Thing]:
        message = parse_whole(data)
        return self.things(message, depth + 1) if message is not None else []

    def _text(self, data: bytes, name: str, part: Message | None) -> list[Thing]:
        """Blocks and pasted files in a text; else the file itself where it is one that somebody should be told about."""
        one = replace(self.mail, name=self._called(name), data=data)
        found = self._searched(data, one, part) if len(data) <= TEXT_CAP else []
        if _LONE_SIGNATURE.fullmatch(data[:CAP].strip()):
            return [self._fault("signature-alone", name, data)]
        if found and (not name or any(_whole(each) for each in found)):
            return found
        if _signed(data):
            return [Thing(one, data.decode("utf-8", "replace"))]
        if found:
            return found
        readable = name.lower().endswith((".toml", ".toml.txt"))
        return [Thing(one)] if readable or (part is not None and not name and _UNSIGNED.search(_one_way(data))) else []

    def _searched(self, data: bytes, one: Incoming, part: Message | None) -> list[Thing]:
        """The best of what can be read out of a text: the reading with the fewest faults, the likeliest first."""
        page = part is not None and part.get_content_type() == "text/html"
        declared = _parameter(part, "charset") or (declared_charset(data) if page else "")
        if part is not None and not page and b"PGP MESSAGE-----" in data[:4000]:
            return [self._fault("mail-encrypted", file_name(part), data[:CAP], kind="pgp")]
        if page and len(data) > LARGEST_PAGE:
            data = _PICTURE.sub(b"", data)
            if len(data) > LARGEST_PAGE:
                self._left(Finding("mail-too-large", file_name(part) if part is not None else "", {"cap": LARGEST_PAGE, "part": True}))
                return []
        best: list[Thing] = []
        for text in texts(data, declared, guess=b"SIGNATURE" in data or b"\0" in data):
            for form in _forms(text, part):
                things = self._search(form, one)
                if things and not any(each.incoming.faults for each in things):
                    return things
                if not best or sum(not each.incoming.faults for each in things) > sum(not each.incoming.faults for each in best):
                    best = things
            if self.budget.left < 0:
                break
        return best

    def _search(self, text: str, one: Incoming) -> list[Thing]:
        try:
            found = search(text, self.budget)
        except Unreadable as error:
            return [Thing(replace(one, data=one.data[:CAP], faults=tuple(error.findings)))]
        things = [Thing(replace(one, data=data)) for data in found.files]
        # A damaged block is answered too: its sender must learn that it did not arrive.
        for fault, piece in zip(found.faults, found.pieces, strict=True):
            things.append(Thing(replace(one, data=piece.encode("utf-8", "replace")[:CAP], faults=(fault,)), piece))
        return things

    def _fault(self, code: str, name: str, data: bytes, **facts: object) -> Thing:
        return Thing(replace(self.mail, name=self._called(name), data=data or self.mail.data[:CAP], faults=(Finding(code, name, facts),)))

    def _left(self, finding: Finding) -> None:
        if len(self.beyond) < 5 and finding not in self.beyond:
            self.beyond.append(finding)

    def _called(self, name: str) -> str:
        return f"{self.mail.name}#{name}" if name else self.mail.name


def _parts(message: Message) -> list[Message]:
    inside = message.get_payload() if message.is_multipart() else []
    return [each for each in inside if isinstance(each, Message)] if isinstance(inside, list) else []


def _best(ways: list[list[Thing]]) -> list[Thing]:
    """Of the same content in several forms all that is whole, and the faults of that form with the most in it and the fewest damaged."""
    whole = [each for way in ways for each in way if not each.incoming.faults]
    fullest = max((len(way) for way in ways), default=0)
    faults = min(([each for each in way if each.incoming.faults] for way in ways if len(way) == fullest), key=len, default=[])
    return whole + faults


def _packed_message(message: Message, inside: list[Message]) -> bytes | None:
    """A message whose bytes were encoded, which the standard forbids and some programs do."""
    encoding = str(message.get("content-transfer-encoding", "")).strip().lower()
    if encoding not in ("base64", "quoted-printable") or len(inside) != 1 or inside[0].items():
        return None
    if not raw(inside[0]):
        return None
    inside[0]["Content-Transfer-Encoding"] = encoding
    return content(inside[0])


def _taken_apart(message: Message) -> Message | None:
    """A part with parts in it that its header does not tell of, or under another boundary: the one that stands in it is taken."""
    text = raw(message)
    if not text or file_name(message):
        return None
    if _LOST_HEADER.match(text):
        head = ""
    elif (found := _LOST_BOUNDARY.search(text)) is not None:
        head = f'Content-Type: multipart/mixed; boundary="{found[1]}"\n\n'
    else:
        return None
    mended = parse_whole((head + text).encode("utf-8", "surrogateescape"))
    return mended if mended is not None and _parts(mended) else None


def _fitting(data: bytes, signature: str) -> tuple[bytes, str]:
    """A file and its detached signature, with a file's line ends as they were signed if those were changed."""
    for form in (data, data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"), data.removeprefix(b"\xef\xbb\xbf"), data.rstrip() + b"\n"):
        if verified(form, signature) is not None:
            return form, signature
    return data, signature


def _forms(text: str, part: Message | None) -> list[str]:
    """A text as it may have to be read: HTML without its tags, flowed text with its lines joined."""
    if part is None:
        return [text]
    if part.get_content_type() == "text/html":
        return [*html_texts(text), text]
    if _parameter(part, "format").lower() == "flowed":
        return [unflowed(text, delsp=_parameter(part, "delsp").lower() == "yes"), text]
    if "</" in text and re.search(r"<(?:html|body|div|br|p)\b", text[:20_000], re.IGNORECASE):
        return [text, *html_texts(text)]
    return [text]


def _one_way(data: bytes) -> str:
    return data[: 2 * CAP].decode("utf-8", "replace").replace("\r\n", "\n")


def _parameter(part: Message | None, name: str) -> str:
    """A parameter of Content-Type as plain text; "" where there is none or it cannot be read."""
    if part is None:
        return ""
    try:
        value = part.get_param(name)
    except BROKEN:
        return ""
    return str(value[2] if isinstance(value, tuple) else value or "")[:60].strip()


def file_name(part: Message) -> str:
    """The name of an attachment, without folders and odd signs; "" for a part without one."""
    try:
        name = part.get_filename() or ""
    except BROKEN:
        name = ""
    return _plain_name(decoded(str(name)))


def _plain_name(name: str) -> str:
    return _NAME.sub("_", name.replace("\\", "/").rpartition("/")[2])[-60:].strip(". ")


def _whole(one: Thing) -> bool:
    return not one.incoming.faults and verified(one.incoming.data, one.incoming.detached) is not None


def _signed(data: bytes) -> bool:
    """Whether these bytes are a file with a signature block, good or bad."""
    try:
        split(data)
    except Unreadable:
        return False
    return True
