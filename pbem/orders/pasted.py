"""Signed files pasted into a text as they are, after mail programs have quoted, wrapped, indented and prettified them.

What was changed is undone in a bounded number of ways, one after the other; the signature decides which was right. So nothing comes out
that was not signed, and whose key signed it is for others to judge.
"""

import html
import quopri
import re
import tomllib
from collections.abc import Callable, Iterator
from itertools import pairwise

import msgspec

from pbem.orders.encoding import b64, unb64
from pbem.orders.file import NAMESPACE as ORDER
from pbem.orders.findings import Unreadable
from pbem.orders.join import NAMESPACE as JOIN
from pbem.orders.request import NAMESPACE as REQUEST
from pbem.orders.signed import CAP, Signed, attach, split
from pbem.orders.sshsig import BEGIN, BLOCK_CAP, END, verify, verify_blob
from pbem.orders.write import dump

NAMESPACES = (ORDER, JOIN, REQUEST)
MOST_SPELLINGS = 48
MOST_WORK = 800_000    # microseconds, roughly: what all tries of a mail may cost
_MOST_STARTS = 5
_LONGEST = 2 * CAP     # characters of a pasted file, quoting marks and all

DASHES = r"[-\u2010-\u2015\u2212]{2,5}"
GAP = r"(?:[\s>|#*\u200b\u2060\ufeff]|&nbsp;|&gt;|<[^<>]{0,400}>){1,60}"
"""What may come between two words of a marker after quoting and wrapping, or in HTML."""
NOISE = re.compile(r"[\s>|#*\u00ad\u200b-\u200d\u2060\ufeff]+")
_MARK = re.compile(rf"{DASHES}(?P<which>BEGIN|END){GAP}SSH{GAP}SIGNATURE[*_]{{0,2}}{DASHES}")
_LINE_END = re.compile(r"\r\n|[\r\v\f\x85\u2028\u2029]")
_QUOTING = re.compile(r"^[ \t\u00a0\u2000-\u200b\u3000]*(?:[>|][ \t\u00a0]?)+", re.MULTILINE)
_DOTS = re.compile(r"^\.\.", re.MULTILINE)
_KEY_LINE = re.compile(r"^[ \t\u00a0]*[A-Za-z_-]{1,40}[ \t\u00a0]*=", re.MULTILINE)
_GAME_LINE = re.compile(r"^[ \t\u00a0]*game[ \t\u00a0]*=", re.MULTILINE)
_COMMENTED = re.compile(r"(?:\A|\n\n)(?=#)")


class Pasted(msgspec.Struct, frozen=True):
    """``files``: whole again, each verified, in the order of the text. ``broken``: the text of those that no way back was found for."""

    files: list[bytes]
    broken: list[str]


class Budget:
    """How much may still be tried; one for all the texts of a mail. Not a clock: the same mail is always mended or never."""

    def __init__(self, most: int = MOST_WORK) -> None:
        self.left = most

    def spend(self, work: int) -> bool:
        """Whether there was as much left."""
        self.left -= work
        return self.left >= 0


def verified(data: bytes, detached: str | None = None) -> Signed | None:
    """A file taken apart if its signature holds, whoever signed it; otherwise None."""
    try:
        parts = split(data, detached)
    except Unreadable:
        return None
    for namespace in NAMESPACES:
        try:
            verify(parts.block, namespace, parts.signed)
        except Unreadable:
            continue
        return parts
    return None


def find_pasted(text: str, most: int, budget: Budget | None = None) -> Pasted:
    """The signed files in a text, at most ``most``."""
    budget = budget or Budget()
    files: dict[bytes, None] = {}
    broken: list[str] = []
    start = 0
    marks = list(_MARK.finditer(text))
    for mark, following in pairwise(marks):
        if mark["which"] != "BEGIN" or following["which"] != "END":
            continue
        above, block = text[start:mark.start()], text[mark.end():following.start()]
        start = following.end()
        if len(files) + len(broken) >= most:
            break
        found = _mended(above[-_LONGEST:], block, budget)
        if found is not None:
            files[found] = None
        elif above.strip():
            broken.append(_tail(above) + text[mark.start():following.end()][:BLOCK_CAP * 2])
    return Pasted(list(files), broken)


def _tail(above: str) -> str:
    """The part of a text that most likely is the file: from its last line that begins one."""
    text = _unquoted(above[-_LONGEST:])
    begins = [match.start() for match in _GAME_LINE.finditer(text)]
    return text[begins[-1]:] if begins else text[-CAP:]


def _mended(above: str, block: str, budget: Budget) -> bytes | None:
    blob = _blob(block) or _blob(_quoted_printable(block))
    if blob is None:
        return None
    text = _LINE_END.sub("\n", above.rstrip(" \t\u00a0>|#*"))
    for number, spelling in enumerate(_spellings(text, budget)):
        for candidate in _candidates(spelling, budget, as_it_stands=number < 2):
            if _holds(blob, candidate):
                return attach(candidate, _rewrapped(blob))
    return None


def _blob(block: str) -> bytes | None:
    """The inside of a signature block, whatever stands around its letters."""
    try:
        return unb64(NOISE.sub("", html.unescape(block))) if len(block) <= 2 * BLOCK_CAP else None
    except ValueError:
        return None


def _holds(blob: bytes, candidate: bytes) -> bool:
    for namespace in NAMESPACES:
        try:
            verify_blob(blob, namespace, candidate)
        except Unreadable:
            continue
        return True
    return False


def _rewrapped(blob: bytes) -> str:
    text = b64(blob)
    return "\n".join([BEGIN, *(text[at:at + 70] for at in range(0, len(text), 70)), END, ""])


# -- ways back ----------------------------------------------------------------------------------------------------------


def _candidates(text: str, budget: Budget, *, as_it_stands: bool) -> Iterator[bytes]:
    """What may have been signed, the least changed first: as it stands, unquoted, and read and written anew."""
    tidy = _unquoted(text)
    for form in dict.fromkeys((text, tidy)) if as_it_stands else ():
        for start in _starts(form):
            piece = form[start:]
            for data in dict.fromkeys((_encoded(piece), _encoded(piece.rstrip("\n") + "\n"))):
                if data.endswith(b"\n") and len(data) <= CAP and budget.spend(150 + len(data) // 300):
                    yield data
    for start in _starts(tidy, comments=False):
        pieces = (_rejoined(tidy[start:], glue) for glue in (" ", "") if budget.spend(500 + 2 * (len(tidy) - start)))
        for piece in dict.fromkeys(pieces):
            if (again := _anew(piece)) is not None:
                yield again


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _unquoted(text: str) -> str:
    """Without quoting marks, blanks at line ends, and what mail transport does to lines that begin with a dot."""
    return _DOTS.sub(".", "\n".join(line.rstrip(" \t\u00a0") for line in _QUOTING.sub("", text).split("\n")))


def _starts(text: str, *, comments: bool = True) -> list[int]:
    """Where a file may begin: at its first lines that look like ``key = ``, or at a paragraph of comments above the first."""
    found = [match.start() for match in _KEY_LINE.finditer(text)]
    games = [match.start() for match in _GAME_LINE.finditer(text)]
    starts = [*games[-1:], *found[:_MOST_STARTS - 1]]
    if comments and starts:
        starts += [match.end() for match in _COMMENTED.finditer(text, 0, min(starts))][-_MOST_STARTS:]
    return list(dict.fromkeys(starts))


_STRING = r'"(?>[^"\\]+|\\.)*+(?:"|\Z|\\\Z)'   # one that is not closed goes to the end: nothing is looked at twice
_TOKEN = re.compile(_STRING + r'|[\[\]{}\n]|[^"\[\]{}\n]+', re.DOTALL)
_BARE_BASE64 = re.compile(r'"[A-Za-z0-9+/=\s]{40,}"')


def _rejoined(text: str, glue: str) -> str:
    """Lines put together that TOML would not have broken there. ``glue``: what stood where a text was broken."""
    out: list[str] = []
    depth = 0
    for match in _TOKEN.finditer(text):
        piece = match[0]
        if piece in ("[", "{"):
            depth += 1
        elif piece in ("]", "}"):
            depth -= 1
        elif piece == "\n" and depth > 0:
            piece = " "
        elif piece[0] == '"' and "\n" in piece:
            lines = piece.split("\n")
            lines = [lines[0].rstrip(), *(line.strip() for line in lines[1:-1]), lines[-1].lstrip()]
            piece = ("" if _BARE_BASE64.fullmatch(piece) else glue).join(lines)
        out.append(piece)
    return re.sub(r"\n[ \t]*(?==)", " ", re.sub(r"=[ \t]*\n\s*", "= ", "".join(out)))


def _anew(text: str) -> bytes | None:
    """A text read and written in the form that ``pbem sign`` signs; None when it cannot be read."""
    try:
        data = dump(tomllib.loads(text.replace("\u00a0", " ") if _outside_nbsp(text) else text))
    except (ValueError, TypeError, RecursionError, AttributeError, Unreadable):
        return None
    return data if 0 < len(data) <= CAP else None


def _outside_nbsp(text: str) -> bool:
    """Whether a no-break space stands where TOML wants a blank."""
    return "\u00a0" in re.sub(_STRING, "", text, flags=re.DOTALL)


# -- spellings ----------------------------------------------------------------------------------------------------------

_LINK = re.compile(r"<(?:https?|mailto):[^<>\s]{1,300}>|\[(?:https?|mailto):[^\[\]\s]{1,300}\]")
_QUOTES = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\uff02"
_DELIMITER = re.compile(rf"(?:(?<=[=\[,{{])|(?<=[=\[,{{][ \u00a0])|(?<=\n)|(?<=\n[ \u00a0])|(?<=[ \u00a0]{{4}}))[{_QUOTES}]"
                        rf"|[{_QUOTES}](?=[ \u00a0]*(?:[,\]}}\n=]|\Z))")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")


def _read_as(charset: str) -> Callable[[str], str]:
    """Undoes that UTF-8 was taken for something else on the way."""
    def again(text: str) -> str:
        try:
            return text.encode(charset).decode("utf-8")
        except (UnicodeError, LookupError):
            return text
    return again


def _quoted_printable(text: str) -> str:
    return quopri.decodestring(text.encode("utf-8", "replace")).decode("utf-8", "replace") if re.search(r"=(?:3D|\n)", text) else text


def _unescaped(text: str) -> str:
    try:
        return html.unescape(text)
    except ValueError:   # a number beyond what Python reads
        return text


def _every_quote(text: str) -> str:
    return re.sub(f"[{_QUOTES}]", '"', text)


_WAYS: tuple[tuple[Callable[[str], str], ...], ...] = (
    (_quoted_printable,),
    (_unescaped,),
    (_read_as("cp1252"), _read_as("latin_1"), _read_as("koi8_r"), _read_as("cp1251")),
    (lambda text: _INVISIBLE.sub("", text),),
    (lambda text: _LINK.sub("", text),),
    (lambda text: _DELIMITER.sub('"', text), _every_quote),
    (lambda text: re.sub("[\u2018\u2019\u201b\u2032]", "'", text),),
    (lambda text: text.replace("\u2026", "..."),),
    (lambda text: re.sub("[\u2013\u2014]", "-", text), lambda text: re.sub("[\u2013\u2014]", "--", text)),
    (lambda text: text.replace("\u00a0", " "),),
)
"""Each thing that happens to the letters of a text, with the ways to undo it."""


def _spellings(text: str, budget: Budget) -> Iterator[str]:
    """The text as it is, then with everything undone that can be, then with some of it undone."""
    yield text
    forms = [text]
    for ways in _WAYS:
        # The last form has everything undone so far: what is cut off is the unlikely.
        made = [way(form) for form in reversed(forms) for way in ways if budget.spend(10 + len(form) // 100)]
        forms = list(dict.fromkeys([*forms, *reversed(made)]))
        if len(forms) > MOST_SPELLINGS:
            forms = [forms[0], *forms[1 - MOST_SPELLINGS:]]
    yield from reversed(forms[1:])
