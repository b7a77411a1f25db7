"""Order templates: a valid order file without orders, in which everything a player can do stands as a line to take out of comment.

The frame is ``templates/text/order.toml.j2``; a title fills its blocks in an ``order.toml.j2`` of its own from ``Title.offers``. For a
title without one the legal orders themselves are listed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

import msgspec
import tomli_w

from pbem.campaign.closing import Rule
from pbem.campaign.history import Waiting
from pbem.engine.title import Event, Title
from pbem.publish.clockwords import rule_words
from pbem.publish.columns import clean, pad, width, wrap
from pbem.publish.schema import file_name
from pbem.publish.words import Words

WIDTH = 118
LONGEST_LINE_PART = 72
MOST_LINES = 60
MOST_SINCE = 600
MOST_STOPPED = 3

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def order_template(
    title: Title[Any],
    position: Any,
    seat: str,
    words: Words,
    *,
    campaign: str,
    after: str,
    revision: int = 1,
    closes: datetime | None = None,
    zone: str | None = None,
    seal_to: str | None = None,
    sealed: bool = False,
    since: Sequence[Event] = (),
    waiting: Waiting | None = None,
    everything: bool = False,
    ahead: Sequence[str] = (),
    foreseen: bool = False,
    closes_after: Rule | None = None,
    stopped: Sequence[str] = (),
    site: str = ".",
) -> str:
    """The order template of a seat for the phase that ``position`` is in (of a phase ahead: a position foreseen), as TOML text.

    ``position`` is what the seat may see. ``after`` the ledger head ("7-" and 32 hex); ``seal_to`` the line for the tool when orders have
    to be sealed; ``since`` what happened since the seat last looked; ``ahead`` other phases that can be filed for;
    ``foreseen``: others decide first (also when ``waiting`` says so), which the template then admits; ``closes_after``: the closing rule of
    a phase ahead; ``stopped``: sentences about why the seat's last plan stopped; ``site``: address of the published
    pages, under which editors find the schema of order files (".": beside the file). As it stands the text is
    a file without orders; with any one line of its menu taken out of comment it is one with that order.
    """
    page = _Page(words)
    later = foreseen or (waiting is not None and any(asked.seat == seat and not asked.now for asked in waiting.asked))
    for room in (None, *range(16, 3, -4)):
        text = page.filled(
            title, position, seat, room=None if everything else room,
            name=campaign, seat_name=seat, after=after, revision=revision, seal_to=seal_to, sealed=sealed, everything=everything,
            closing=_closing(words, closes, closes_after, zone), stopped=[clean(each, MOST_SINCE) for each in stopped[:MOST_STOPPED]],
            filed=_filed(words, waiting), since=_since(words, since, seat),
            ahead=words.listing(words.phase_typed(one) for one in ahead), later=later, foreseen=foreseen, hidden=title.hidden,
            schema=f"{site.rstrip('/')}/{file_name(title.slug)}",
        )  # fmt: skip
        if everything or len(text.splitlines()) <= MOST_LINES:
            break
    return text


def inline(value: Any) -> str:
    """A value as it stands in a line of TOML: tables in braces, strings quoted."""
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{_key(str(key))} = {inline(each)}" for key, each in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(inline(each) for each in value)}]"
    return tomli_w.dumps({"x": value}).removeprefix("x = ").removesuffix("\n")


def order_line(order: Mapping[str, Any]) -> str:
    """An order as a line of an order file, ``do`` first."""
    return inline({"do": order.get("do", ""), **{key: value for key, value in order.items() if key != "do"}})


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else tomli_w.dumps({key: 0}).removesuffix(" = 0\n")


class _Page:
    """One template being filled: what its lines have in common, and the orders they offered."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.offered: list[Mapping[str, Any]] = []

    def filled(self, title: Title[Any], position: Any, seat: str, *, room: int | None, **facts: Any) -> str:
        words = self.words
        self.offered = []
        phase = title.phase(position)
        choices: list[list[Any]] = []
        left_out = 0
        default = ""
        if phase is not None:
            if not words.has_own("order.toml.j2"):
                most = 400 if facts["everything"] else (room or 30)
                found = list(islice(phase.choices(position, seat), most + 1))
                choices = [[msgspec.to_builtins(order), words.order(order)] for order in found[:most]]
                left_out = len(found) - len(choices)
            if seat in phase.asked(position):
                default = words.order(phase.default(position, seat))
        template = words.template("title/order.toml.j2" if words.has_own("order.toml.j2") else "text/order.toml.j2")
        offers = title.offers(position, seat, facts["everything"])
        text = template.render(
            words=words, o=offers, phase=position.phase, seat=seat, choices=choices, left_out=left_out, room=room, default=default,
            simultaneous=phase is not None and phase.simultaneous,
            order_of_play=self._order_of_play(offers), pair=self.pair, remark=self.remark, about=self.about, menu=self.menu,
            hints=self.hints, example=self.example, places=sorted(title.known_places(position)),
            toml=inline, toml_line=order_line, spelled_each=self.spelled_each, **facts,
        )  # fmt: skip
        lines = [line.rstrip() for line in text.splitlines()]
        kept = [line for at, line in enumerate(lines) if line or (at and lines[at - 1] and lines[at - 1] != "#")]
        return "\n".join(_single_blank_remarks(kept)).strip() + "\n"

    def _order_of_play(self, offers: Mapping[str, Any]) -> str:
        seats = offers.get("order_of_play", ())
        shown = ", ".join(self.who(seat) for seat in seats)
        return " " + self.words.gettext("Order of play: %(list)s.") % {"list": shown} if shown else ""

    def who(self, seat: str) -> str:
        """A seat as it is written in orders, with the display name where that differs."""
        name = self.words.seat(seat)
        return seat if name.casefold() == seat.casefold() else f"{seat} ({name})"

    def spelled_each(self, counts: Mapping[str, int]) -> str:
        return self.words.listing(self.words.counted(thing, count) for thing, count in counts.items())

    def pair(self, left: str, right: str) -> str:
        """A line of comment with something flush right, or two lines when it does not fit."""
        gap = WIDTH - 2 - width(left) - width(right)
        if not right:
            return self.remark(left)
        return f"# {left}{' ' * gap}{right}" if gap >= 2 else f"{self.remark(left)}\n{self.remark(right)}"

    def remark(self, text: str) -> str:
        """A comment, wrapped."""
        return "\n".join(wrap(text, WIDTH, first="# ", rest="#   "))

    def about(self, rows: Sequence[Sequence[Any]]) -> str:
        """What somebody has: names and values, texts or numbers, in two columns of comment."""
        columns = max((width(row[0]) for row in rows), default=0) + 3
        lines: list[str] = []
        for name, value in rows:
            lines += wrap(str(value), WIDTH, first="# " + pad(name, columns), rest="#" + " " * (columns + 1))
        return "\n".join(lines)

    def menu(self, rows: Sequence[Sequence[Any]], header: Sequence[str], most: int | None = None) -> str:
        """Lines to take out of comment: rows of an order and what there is to say about it, columns under the ``header``."""
        shown = rows if most is None else rows[:most]
        self.offered += [row[0] for row in shown]
        parts = [_line_parts(row[0]) for row in shown]
        column = max((width(part) for part in parts if width(part) <= LONGEST_LINE_PART), default=0)
        cells = [[str(cell) for cell in row[1:]] for row in shown]
        heads = list(header[1:]) if len(header) > 1 else []
        widths = [
            max([width(head), *(width(row[at]) for row in cells if at < len(row))]) for at, head in enumerate(heads)
        ]  # fmt: skip
        lines = []
        if heads:
            lines.append(f"  # -- {pad(header[0], column - 1)}{_columns(heads, widths)}".rstrip())
        else:
            lines += wrap(header[0], WIDTH, first="  # -- ", rest="  #    ")
        for part, row in zip(parts, cells, strict=True):
            told = _columns(row, widths)
            if not told:
                lines.append(f"# {part}")
            elif width(part) <= column:
                lines.append(f"# {pad(part, column)}  # {told}")
            else:
                lines += [f"# {part}", f"# {' ' * column}  # {told}"]
        if len(shown) < len(rows):
            left = len(rows) - len(shown)
            said = self.words.ngettext("… %(count)s more line: --all shows it", "… %(count)s more lines: --all shows them", left)
            lines.append(f"  # {said % {'count': left}}")
        return "\n".join(lines)

    def hints(self, watch: str, can_fail: bool = True) -> str:
        """``or`` and ``watch`` explained with two of the orders offered; ``can_fail`` False where no order of the phase ever can."""
        _ = self.words.gettext
        lines = []
        if can_fail and len(self.offered) > 1:
            first, other = self.offered[0], self.offered[-1]
            plan = order_line({**first, "or": {"do": other.get("do", ""), **other}})
            lines.append(self.example(_("What to do if that is not possible then:"), plan + ","))
        if watch:
            lines.append(self.example(_("To be asked first if somebody else acts there, put into a line:"), f"watch = {inline([watch])}"))
        return "\n".join(lines)

    def example(self, text: str, line: str) -> str:
        """A remark with a piece of an order file, which is never broken."""
        whole = f"# {text}   {line}"
        return whole if width(whole) <= WIDTH else f"{self.remark(text)}\n#     {line}"


def _line_parts(order: Mapping[str, Any]) -> str:
    return order_line(order) + ","


def _columns(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "   ".join(pad(cell, widths[at] if at < len(widths) else 0) for at, cell in enumerate(cells)).rstrip()


def _single_blank_remarks(lines: Sequence[str]) -> list[str]:
    return [line for at, line in enumerate(lines) if line != "#" or (at and lines[at - 1] != "#")]


def _closing(words: Words, closes: datetime | None, closes_after: Rule | None, zone: str | None) -> str:
    if closes is None and closes_after is not None and closes_after.span != "none":
        return words.gettext("closes %(when)s") % {"when": rule_words(closes_after, words)}
    if closes is None:
        return words.gettext("no closing time")
    return words.gettext("plans close %(when)s") % {"when": words.when(closes, zone)}


def _filed(words: Words, waiting: Waiting | None) -> str:
    filed = [asked.seat for asked in waiting.asked if asked.filed not in ("nothing", "stopped")] if waiting else []
    return words.gettext("Filed so far: %(list)s.") % {"list": ", ".join(filed)} if filed else ""


def _since(words: Words, events: Sequence[Event], seat: str) -> str:
    """The last things that happened, as much as fits into a few lines."""
    told: list[str] = []
    for sentence in reversed(words.events(events, you=seat)):
        if sum(map(len, told)) + len(sentence) > MOST_SINCE:
            return "… " + " ".join(reversed(told)) if told else sentence[:MOST_SINCE]
        told.append(sentence)
    return " ".join(reversed(told))
