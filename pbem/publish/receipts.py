"""Receipts as plain text: what came, whether it counts, what it would do, and what to do next.

The signed receipt file is what proves; this is what its player reads, in a mail, a letter or on the terminal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pbem.engine.title import Event
from pbem.publish.columns import clean, pad, width, wrap
from pbem.publish.template import order_line
from pbem.publish.words import Words

WIDTH = 110
GROUPS_OF_IDENTITY = 4
LONGEST_FILE_NAME = 60
FOR_GOOD = frozenset(("late", "closed", "conceded", "vacant", "void"))
"""Refusals that no corrected file puts right, or after which nothing stands of what came before."""


@dataclass(frozen=True, kw_only=True)
class DryTurn:
    """One turn of a dry run: a line of the plan and what it would do.

    ``at`` is the line ("orders[1]"); ``code`` as in ``history.Remark`` ("" when the line's first order is played); ``wanted`` that order as
    a table; ``order`` what would be played, None when the plan stops; ``events`` his own doings; ``because`` the refusal of ``wanted``:
    {"code", "field", "facts"}; ``alternatives`` the line's further orders.
    """

    at: str = ""
    code: str = ""
    wanted: Mapping[str, Any] | None = None
    order: Mapping[str, Any] | None = None
    events: Sequence[Event] = ()
    because: Mapping[str, Any] | None = None
    alternatives: Sequence[Mapping[str, Any]] = ()

    @property
    def works(self) -> bool:
        """Whether something is played in this turn."""
        return self.order is not None


@dataclass(frozen=True, kw_only=True)
class ReceiptFacts:
    """Everything a receipt tells. Times are aware; ``identity`` is 64 hex; ``size`` in bytes; ``head`` the ledger head.

    ``verdict``: "complete", "partial", "taken" or "refused"; ``kind``: "order" or "join". ``reasons`` are sentences (findings, or why the
    file was refused); ``replaces`` the revision replaced and when it was received, with ``played_of_old`` orders of it played already.
    ``dry_run`` None where none can be shown (sealed, refused); ``foreseen`` False when its phase lies too far ahead. ``reason``: the code
    of a refusal; ``letter``: a letter to the player says more; ``left_over``: lines of the plan that the phase does not need;
    ``columns``: how long a line of the text may be; ``folder``: where the player has the campaign, its name where that is not known.
    """

    name: str
    verdict: str
    campaign: str
    head: str
    kind: str = "order"
    seat: str = ""
    phase: str = ""
    revision: int = 0
    size: int = 0
    identity: str = ""
    number: int = 0
    repeated: bool = False
    received: datetime | None = None
    taken: datetime | None = None
    closes: datetime | None = None
    zone: str | None = None
    replaces: tuple[int, datetime] | None = None
    played_of_old: int = 0
    reasons: Sequence[str] = ()
    dry_run: Sequence[DryTurn] | None = None
    foreseen: bool = True
    reason: str = ""
    letter: bool = False
    left_over: int = 0
    columns: int = WIDTH
    folder: str = ""


def receipt_text(facts: ReceiptFacts, words: Words) -> str:
    """The receipt as text of at most ``columns`` columns, ending in a line break."""
    foreseen = facts.dry_run is not None and facts.foreseen
    dry_run = dry_run_lines(facts.dry_run, words, facts.seat, left_over=facts.left_over, columns=facts.columns)
    parts = [
        _verdict_lines(facts, words),
        _about_lines(facts, words),
        _reason_lines(facts, words),
        dry_run if foreseen else _unforeseen(facts, words),
        _next_lines(facts, words),
        _signed_line(facts, words),
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def receipt_subject(facts: ReceiptFacts, words: Words) -> str:
    """The subject line of a receipt's mail: "[winter-court] An, round 3, move: plan received, 1 of 2 turns will work"."""
    _ = words.gettext
    turns = facts.dry_run or ()
    if facts.verdict == "refused":
        what = _("not taken, please read")
    elif facts.kind == "join":
        what = _("welcome, the seat is yours")
    elif facts.kind == "request":
        what = _("request received")
    elif facts.verdict == "taken":
        what = _("sealed plan received")
    elif facts.dry_run is not None and not turns and facts.foreseen and facts.verdict == "partial":
        what = _("plan received, but it is empty")
    elif turns and facts.foreseen:
        works = sum(turn.works for turn in turns)
        said = words.ngettext(
            "plan received, %(works)s of %(count)s turn will work", "plan received, %(works)s of %(count)s turns will work", len(turns)
        )
        what = said % {"works": works, "count": len(turns)}
    else:
        what = _("plan received")
    who = words.seat(facts.seat) if facts.seat else clean(facts.name, LONGEST_FILE_NAME)
    about = f"{who}, {clean(words.phase(facts.phase), 60)}" if facts.phase else who
    return f"[{clean(facts.campaign, 40)}] {about}: {what}"


def dry_run_lines(
    turns: Sequence[DryTurn] | None, words: Words, you: str, *, left_over: int = 0, columns: int = WIDTH
) -> list[str]:
    """What a plan would do if nobody else moved, turn by turn, and how many of its lines the phase does not need (``left_over``)."""
    _ = words.gettext
    if turns is None:
        return []
    if not turns:
        return [_("The plan is empty: nothing is ordered.")]
    lines = [_("If all others sent nothing, this would happen:")]
    figures = len(str(len(turns)))
    for number, turn in enumerate(turns, start=1):
        head = f"  {number:>{figures}}  "
        for text in _turn_texts(turn, words, you):
            lines += wrap(text, columns, first=head, rest=" " * len(head))
            head = " " * len(head)
    if left_over:
        said = words.ngettext(
            "%(count)s line is left over: the phase is complete without it.",
            "%(count)s lines are left over: the phase is complete without them.",
            left_over,
        )
        lines += wrap(said % {"count": left_over}, columns)
    return lines


def _turn_texts(turn: DryTurn, words: Words, you: str) -> list[str]:
    """What is said of one turn, a text per paragraph."""
    _ = words.gettext
    told: list[str] = []
    if turn.wanted is not None and (turn.code in ("alternative", "otherwise", "skipped") or not turn.works):
        told += _not_allowed(turn, words)
    if turn.code == "skipped":
        told.append(_("This line would be dropped, and the next one tried."))
    elif turn.works:
        happens = " ".join(words.events(turn.events, you=you)) or words.gettext("%(clause)s.") % {"clause": words.order(turn.order or {})}
        if turn.code == "alternative":
            happens = _("So your next choice: %(events)s") % {"events": happens}
        elif turn.code == "otherwise":
            happens = _("So what silence means: %(events)s") % {"events": happens}
        elif turn.code in ("silence", "ended", "forced"):
            happens = _("Your plan has no line for this: %(events)s") % {"events": happens}
        told.append(happens)
        if not turn.code and turn.alternatives:
            others = words.alternatives(words.order(order) for order in turn.alternatives)
            told.append(_("If that is not possible then: %(orders)s.") % {"orders": others})
    elif turn.code == "watched":
        places = words.listing(str(place) for place in (turn.because or {}).get("places", ()))
        told.append(_("You would be asked first: somebody has acted in %(places)s since you wrote.") % {"places": places})
    else:
        told.append(_("Here the plan stops, and the game will ask you."))
    return told


def _not_allowed(turn: DryTurn, words: Words) -> list[str]:
    """The quoted order, then the place in the file and the reason, with a remedy where there is one."""
    because = turn.because or {}
    code = str(because.get("code", ""))
    told = because.get("facts", {})
    facts = told if isinstance(told, Mapping) else {}
    pattern = words.gettext("Not possible then: %(order)s") if turn.works else words.gettext("NOT ALLOWED: %(order)s")
    quoted = pattern % {"order": order_line(turn.wanted or {})}
    if not code:
        return [quoted]
    where = ".".join(part for part in (turn.at, str(because.get("field", ""))) if part)
    reason = words.refusal(code, str(because.get("field", "")), facts)
    return [quoted, words.macro("text/findings.j2", "whole", where, reason)]


def _verdict_lines(facts: ReceiptFacts, words: Words) -> list[str]:
    _ = words.gettext
    about = {"who": words.seat(facts.seat) if facts.seat else ""}
    lines = [_whose(facts, words)]
    if facts.repeated:
        lines.append(_("This very file had come before; its answer is the same."))
    if facts.verdict == "refused":
        lines.append(_("Your file is NOT TAKEN, and does not count."))
    elif facts.kind == "join":
        lines.append(_("Welcome, %(who)s: your join file is in. The seat is yours as soon as the organiser's program runs next.") % about)
    elif facts.kind == "request":
        said = _("Your request is in, %(who)s. It is carried out when the organiser's program runs next; a consent waits for its step.")
        lines.append(said % about)
    elif facts.verdict == "taken":
        lines.append(_("Your plan is in. TAKEN: nobody else but whoever holds the campaign's secret can read it before it is opened."))
    elif facts.verdict == "complete" and facts.reasons:
        lines.append(_("Your plan is in, and answers everything to the end of the phase; but part of it will never be played, see below."))
    elif facts.verdict == "complete":
        lines.append(_("Your plan is in. COMPLETE: on what is known, it answers everything to the end of the phase."))
    else:
        lines.append(_("Your plan is in. PARTIAL: %(why)s") % {"why": _why_partial(facts, words)})
    if facts.letter and facts.dry_run is None:
        lines.append(_("A letter to its player says more:"))
    lines = [line for text in lines for line in wrap(text, facts.columns)]
    if facts.letter and facts.dry_run is None:
        # A command is never broken: it has to work when it is copied.
        where, seat = clean(facts.folder or facts.campaign, 80), clean(facts.seat, 40)
        lines.append(f"  pbem show {where} --seat {seat} --key {seat}.key")
    return lines


def _whose(facts: ReceiptFacts, words: Words) -> str:
    """Whose file it is, for what, and which: "An, round 1, place (mail1.txt#2)". Who answers several files has to tell them apart."""
    phase = words.phase(facts.phase) if facts.phase else ""
    about = ", ".join(clean(part, LONGEST_FILE_NAME) for part in (words.seat(facts.seat) if facts.seat else "", phase) if part)
    name = clean(facts.name, LONGEST_FILE_NAME)
    if not about or not name:
        return about or name
    return words.gettext("%(about)s (%(file)s)") % {"about": about, "file": name}


def _why_partial(facts: ReceiptFacts, words: Words) -> str:
    wrong = [number for number, turn in enumerate(facts.dry_run or (), start=1) if not turn.works and turn.wanted is not None]
    if wrong:
        listed = words.listing(str(number) for number in wrong)
        said = words.ngettext("turn %(turns)s cannot work as written.", "turns %(turns)s cannot work as written.", len(wrong))
        return said % {"turns": listed}
    return words.gettext("after its last line the game will ask you again.")


def _about_lines(facts: ReceiptFacts, words: Words) -> list[str]:
    """Received, file, replaces: names in one column, facts in the other."""
    _ = words.gettext
    rows: list[tuple[str, str]] = []
    if facts.received is not None:
        when = words.when(facts.received, facts.zone)
        if facts.closes is not None:
            left = facts.closes - facts.received
            pattern = _("%(when)s; %(span)s before closing") if left.total_seconds() >= 0 else _("%(when)s; %(span)s after closing")
            when = pattern % {"when": when, "span": words.span(left)}
        rows.append((_("received"), when))
    parts = [clean(facts.name, LONGEST_FILE_NAME)] if facts.name else []
    if facts.revision:
        parts.append(_("revision %(revision)s") % {"revision": facts.revision})
    parts.append(words.ngettext("%(size)s byte", "%(size)s bytes", facts.size) % {"size": facts.size})
    if facts.identity:
        groups = [facts.identity[at : at + 4] for at in range(0, 4 * GROUPS_OF_IDENTITY, 4)]
        parts.append(" ".join(groups) + " …")
    rows.append((_("file"), ", ".join(parts)))
    if facts.replaces is not None:
        old = {"revision": facts.replaces[0], "day": words.day(facts.replaces[1], facts.zone), "count": facts.played_of_old}
        if facts.played_of_old:
            pattern = words.ngettext(
                "revision %(revision)s of %(day)s, of which %(count)s order had been played",
                "revision %(revision)s of %(day)s, of which %(count)s orders had been played",
                facts.played_of_old,
            )
        else:
            pattern = _("revision %(revision)s of %(day)s, of which nothing had been played")
        rows.append((_("replaces"), pattern % old))
    column = max(width(name) for name, _fact in rows) + 3
    return [line for name, fact in rows for line in wrap(fact, facts.columns, first=f"  {pad(name, column)}", rest=" " * (column + 2))]


def _reason_lines(facts: ReceiptFacts, words: Words) -> list[str]:
    if not facts.reasons:
        return []
    if facts.verdict != "refused":
        head = words.gettext("Something in it cannot be meant:")
        return [head, *(line for reason in facts.reasons for line in wrap(reason, facts.columns, first="  - ", rest="    "))]
    if len(facts.reasons) == 1:
        return wrap(facts.reasons[0], facts.columns)
    head = words.ngettext("%(count)s thing is wrong:", "%(count)s things are wrong:", len(facts.reasons)) % {"count": len(facts.reasons)}
    return [head, *(line for reason in facts.reasons for line in wrap(reason, facts.columns, first="  - ", rest="    "))]


def _unforeseen(facts: ReceiptFacts, words: Words) -> list[str]:
    if facts.foreseen or facts.verdict == "refused":
        return []
    return wrap(words.gettext("What it will do cannot be foreseen yet; it is kept until the phase is played."), facts.columns)


def _next_lines(facts: ReceiptFacts, words: Words) -> list[str]:
    _ = words.gettext
    if facts.verdict == "refused" and facts.reason in FOR_GOOD:
        return []
    if facts.verdict == "refused":
        said = _("Nothing is lost: what you had sent before still stands. Put this right and send it again.")
    elif facts.kind == "join":
        keep = _("Keep your key and the .pbem file beside it.")
        asked = _("You are asked for orders when all have joined, or, in a game that goes on already, when it is your turn.")
        said = f"{keep} {asked}"
    elif facts.kind == "request":
        return []
    elif facts.verdict == "partial":
        working = [turn for turn in facts.dry_run or () if turn.works]
        broken = len(facts.dry_run or ()) - len(working)
        if broken and working:
            kept = words.ngettext(
                "Nothing is lost: the turn that works stands.", "Nothing is lost: the turns that work stand.", len(working)
            )
        elif broken:
            kept = _("Nothing is lost.")
        else:
            kept = _("After that the game will ask you again.")
        then = _("Send a corrected or longer file any time until closing; the tool numbers it.")
        said = f"{kept} {then}"
    else:
        said = _("You can still change your mind: send another file any time until closing; the tool numbers it.")
    return wrap(said, facts.columns)


def _signed_line(facts: ReceiptFacts, words: Words) -> list[str]:
    number, _dash, digest = facts.head.partition("-")
    head = f"{number}-{digest[:4]}" if digest else facts.head
    where = {"campaign": clean(facts.campaign, 40), "number": facts.number, "head": clean(head, 20)}
    pattern = words.gettext("Signed by the processor of %(campaign)s, ledger head %(head)s")
    if facts.number:
        pattern = words.gettext("Signed by the processor of %(campaign)s, receipt %(number)s, ledger head %(head)s")
    return wrap(pattern % where, facts.columns)
