"""The text of an HTML mail, in time that grows with its length alone.

The standard library's ``html.parser`` takes the square of it for marks that are never closed. Nothing but line ends and letters is wanted
here, so one expression that never looks back finds the tags.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

_TAG = re.compile(
    r"""<(?P<close>/?)(?P<name>[A-Za-z][A-Za-z0-9:-]{0,30}+)(?P<rest>(?>[^<>"']++|"[^"<]*+"|'[^'<]*+')*+)>|<[!?][^<>]{0,300}+>""", re.DOTALL
)
_LOOSE_TAG = re.compile(r"</?[A-Za-z][^<>]{0,2000}+>")
_CHARSET = re.compile(rb"<meta[^<>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\n\f]+")
_NUMBER = re.compile(r"&#0*(\d{8,}|[xX]0*[0-9a-fA-F]{7,});?")

_LINES = frozenset({
    "p", "div", "br", "tr", "li", "ul", "ol", "dl", "dt", "dd", "table", "tbody", "thead", "pre", "blockquote", "hr", "h1", "h2", "h3",
    "h4", "h5", "h6", "section", "article", "header", "footer", "center", "address", "form", "body", "html", "listing", "xmp", "o:p",
})  # fmt: skip
_HIDDEN = frozenset({"script", "style", "title", "template", "noscript"})
_AS_WRITTEN = frozenset({"pre", "textarea", "listing", "xmp", "code", "tt"})


def declared_charset(data: bytes) -> str:
    """What the page says of itself in ``<meta charset>``; "" when it does not."""
    found = _CHARSET.search(data[:8000])
    return found[1].decode("ascii") if found else ""


def html_texts(page: str) -> list[str]:
    """The text of a page: with blanks and line ends as a browser shows them, then with those of the source, which some styles keep."""
    shown, source = ["".join(_text(page, as_shown=way)) for way in (True, False)]
    return list(dict.fromkeys((shown, source)))


def _text(page: str, *, as_shown: bool) -> Iterator[str]:
    page = _without_comments(page)
    at, hidden, written = 0, "", 0
    for tag in _TAG.finditer(page):
        if not hidden:
            yield _words(page[at : tag.start()], keep=written > 0 or not as_shown)
        at = tag.end()
        name = (tag["name"] or "").lower()
        if hidden:
            if tag["close"] and name == hidden:
                hidden = ""
            continue
        if name in _HIDDEN and not tag["close"] and not (tag["rest"] or "").endswith("/"):
            hidden = name
        if name in _AS_WRITTEN:
            written = max(0, written + (-1 if tag["close"] else 1))
        if name in _LINES and (name != "o:p" or tag["close"]):
            yield "\n"
    if not hidden:
        yield _words(page[at:], keep=written > 0 or not as_shown)


def _without_comments(page: str) -> str:
    kept, at = [], 0
    while (begin := page.find("<!--", at)) >= 0:
        end = page.find("-->", begin + 4)
        if end < 0:
            break
        kept.append(page[at:begin])
        at = end + 3
    return "".join(kept) + page[at:] if kept else page


def _words(source: str, *, keep: bool) -> str:
    """Text between two tags; a tag with quotes that do not close is taken out too."""
    text = _LOOSE_TAG.sub("", source) if "<" in source else source
    if "&" in text:
        text = html.unescape(_NUMBER.sub("\ufffd", text))
    return text if keep else _SPACE.sub(" ", text)
