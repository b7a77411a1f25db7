"""The words of one reader: names, things, dates and every sentence about events, orders, plans and refusals, in one language.

Sentences that belong to a title stand in the title's own templates as Jinja macros: ``events.j2`` (one macro per event tag, and ``joins``:
which events may follow an event in its sentence), ``orders.j2`` (one per order tag), ``refusals.j2`` (one per code), ``names.j2`` (things,
phases, questions) and ``remarks.j2`` (better sentences about plans, where the title has some). What belongs to all titles stands in
``templates/text``. A title that brings none of these is still told, in plain facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from gettext import NullTranslations
from typing import TYPE_CHECKING, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from pbem.campaign.history import Remark, Story, Waiting
from pbem.engine.title import Event, Order, Title
from pbem.orders.findings import Finding
from pbem.publish import catalogues, english
from pbem.publish.assets import TITLE_PREFIX, environment, has_template, shared
from pbem.publish.columns import clean, few

if TYPE_CHECKING:
    from babel import Locale
    from jinja2.environment import TemplateModule

LONGEST_NAME = 40
LONGEST_NOTE = 280
_OWN = {"events": "events.j2", "orders": "orders.j2", "refusals": "refusals.j2", "names": "names.j2", "remarks": "remarks.j2"}


class Words:
    """Everything that is said to one reader.

    ``source`` is a story (display names are then those of its seats) or a title; ``seats`` maps seats to other display names.
    ``catalogue`` replaces the catalogues found for ``language``; a language without one is English.
    """

    def __init__(
        self,
        source: Story | Title[Any],
        language: str = "en",
        seats: Mapping[str, str] | None = None,
        *,
        catalogue: NullTranslations | None = None,
    ) -> None:
        self.story = source if isinstance(source, Story) else None
        self.title: Title[Any] = source.title if isinstance(source, Story) else source
        self.language = language
        names = {seat.seat: seat.name for seat in self.story.seats} if self.story else {}
        self._seats = _told_apart({seat: clean(name, LONGEST_NAME) or seat for seat, name in {**names, **(seats or {})}.items()})
        if catalogue is None:
            catalogue = catalogues.load(language, (self.title.files / "locale", shared("templates") / "locale"))
        self._catalogue = catalogue
        self._modules: dict[str, TemplateModule | None] = {}

    @cached_property
    def locale(self) -> Locale:
        """Where the forms of dates, times and lists are looked up."""
        return catalogues.locale_of(self.language)

    # -- the catalogue ----------------------------------------------------------------------------------------------------

    def gettext(self, message: str) -> str:
        """The message in the reader's language."""
        return self._catalogue.gettext(message)

    def ngettext(self, one: str, many: str, count: int) -> str:
        """The message for a number of things."""
        return self._catalogue.ngettext(one, many, count)

    def pgettext(self, context: str, message: str) -> str:
        """The message in the reader's language, where the same English words mean different things."""
        return self._catalogue.pgettext(context, message)

    # -- names ------------------------------------------------------------------------------------------------------------

    def seat(self, seat: str) -> str:
        """The display name of a seat: one line of at most 40 characters without controls or direction overrides."""
        return self._seats.get(seat) or clean(seat, LONGEST_NAME)

    def thing(self, thing: str) -> str:
        """What an id stands for, such as "junk" or "Yunnan"; the id itself when the title has no word for it."""
        return self._say("names", "thing", thing) or thing

    def place(self, place: str) -> str:
        """The name of a place on the board: "Yunnan b" for yunnan-b. (Sentences keep the ids, because orders need them.)"""
        whole = self._say("names", "thing", place)
        if whole:
            return whole
        head, dash, tail = place.rpartition("-")
        return f"{self.thing(head)} {tail}" if dash and head else place

    def counted(self, thing: str, count: int = 1) -> str:
        """A number of things: "a junk", "2 horses"."""
        return self._say("names", "counted", thing, count) or f"{count} {self.thing(thing)}"

    def spelled(self, things: Iterable[str]) -> str:
        """Things as a list of how many of each, in the order of first mention: "a junk and 2 horses"."""
        counts: dict[str, int] = {}
        for thing in things:
            counts[thing] = counts.get(thing, 0) + 1
        return self.listing(self.counted(thing, count) for thing, count in counts.items())

    def listing(self, items: Iterable[str]) -> str:
        """"a, b and c"."""
        return self._list(items, "standard")

    def alternatives(self, items: Iterable[str]) -> str:
        """"a, b or c"."""
        return self._list(items, "or")

    def _list(self, items: Iterable[str], style: Literal["standard", "or"]) -> str:
        listed = [str(item).strip() for item in items]
        if self.language == "en":
            return english.listed(listed, style)
        from babel.lists import format_list

        return format_list(listed, style=style, locale=self.locale)

    def phase(self, phase: str) -> str:
        """A phase id in words: "round 3, move"; the id itself when the title has no word for it. "" is the set-up before any phase."""
        if phase in ("", "set-up"):
            return self.gettext("set-up")
        return self._say("names", "phase", *_phase_parts(phase)) or phase

    def phase_typed(self, phase: str) -> str:
        """A phase where its id has to be typed: "round 3, move (3.move)"; the id alone when the title has no word for it."""
        said = self.phase(phase)
        return self.gettext("%(phase)s (%(id)s)") % {"phase": said, "id": clean(phase, 60)} if phase and said != phase else said

    def ask(self, phase: str) -> str:
        """What a phase asks for, to stand after a colon: "put your prince into a district"."""
        return self._say("names", "ask", *_phase_parts(phase)) or self.gettext("decide in %(phase)s") % {"phase": self.phase(phase)}

    # -- times ------------------------------------------------------------------------------------------------------------

    def when(self, moment: datetime, zone: str | tzinfo | None = None, *, short: bool = False, alone: bool = False) -> str:
        """A time: "Thu 3 Dec 2026, 20:00 Paris (19:00 UTC)", without a zone in UTC only.

        ``short`` leaves the year out, ``alone`` the time in UTC behind that of a zone.
        """
        utc = moment.astimezone(UTC)
        # The patterns, of Unicode TR 35, are a translator's business: the order of day and month differs.
        pattern = self.pgettext("date pattern", "EEE d MMM, HH:mm") if short else self.pgettext("date pattern", "EEE d MMM y, HH:mm")
        known = _zone(zone)
        if known is None:
            return self.gettext("%(time)s UTC") % {"time": self._dated(utc, pattern)}
        local = utc.astimezone(known)
        if alone:
            return self.gettext("%(time)s %(city)s") % {"time": self._dated(local, pattern), "city": self._city(known)}
        same_day = local.date() == utc.date()
        in_utc = self._dated(utc, self.pgettext("date pattern", "HH:mm") if same_day else self.pgettext("date pattern", "EEE HH:mm"))
        facts = {"time": self._dated(local, pattern), "city": self._city(known), "utc": in_utc}
        return self.gettext("%(time)s %(city)s (%(utc)s UTC)") % facts

    def day(self, moment: datetime, zone: str | tzinfo | None = None) -> str:
        """The day of a time: "Tue 1 Dec"."""
        return self._dated(moment.astimezone(_zone(zone) or UTC), self.pgettext("date pattern", "EEE d MMM"))

    def closing_rule(self, written: str) -> str:
        """When phases close, by a rule as it stands in game files and entries."""
        from pbem.campaign.closing import parse
        from pbem.publish.clockwords import rule_words

        return rule_words(parse(written, check=False), self)

    def span(self, span: timedelta) -> str:
        """A length of time to the minute: "22 h 46 min", "3 d 4 h", "less than a minute"."""
        minutes = int(abs(span).total_seconds()) // 60
        days, rest = divmod(minutes, 24 * 60)
        hours, left = divmod(rest, 60)
        if days:
            text = self.gettext("%(days)s d %(hours)s h") if hours else self.gettext("%(days)s d")
        elif hours:
            text = self.gettext("%(hours)s h %(minutes)s min") if left else self.gettext("%(hours)s h")
        else:
            text = self.gettext("%(minutes)s min") if left else self.gettext("less than a minute")
        return text % {"days": days, "hours": hours, "minutes": left}

    def _dated(self, moment: datetime, pattern: str) -> str:
        if self.language == "en" and pattern in english.PATTERNS:
            return english.dated(moment, pattern)
        from babel.dates import format_datetime

        return format_datetime(moment, pattern, locale=self.locale)

    def _city(self, zone: tzinfo) -> str:
        from babel.dates import get_timezone_location

        return get_timezone_location(zone, locale=self.locale, return_city=True)

    # -- sentences --------------------------------------------------------------------------------------------------------

    def event(self, event: Event, more: Sequence[Event] = (), you: str | None = None) -> str:
        """A full sentence about an event, and about those told in the same breath. ``you`` is the seat spoken to, if one is."""
        said = self._say("events", _tag(event), event, list(more), you)
        if said:
            return said
        return " ".join(self._plain_event(each) for each in (event, *more))

    def _plain_event(self, event: Event) -> str:
        table = msgspec.to_builtins(event)
        seat = table.pop("seat", None)
        facts = "; ".join(f"{key} {_shown(value)}" for key, value in table.items() if key != "event")
        pattern = self.gettext("%(seat)s: %(event)s (%(facts)s).") if seat else self.gettext("%(event)s (%(facts)s).")
        return pattern % {"seat": self.seat(str(seat)), "event": _tag(event).replace("-", " "), "facts": facts}

    def groups(self, events: Iterable[Event]) -> list[tuple[Event, list[Event]]]:
        """Events cut into those told in one breath: a head and what follows it."""
        groups: list[tuple[Event, list[Event]]] = []
        for event in events:
            if groups and self.joins(groups[-1][0], groups[-1][1], event):
                groups[-1][1].append(event)
            else:
                groups.append((event, []))
        return groups

    def joins(self, head: Event, more: Sequence[Event], event: Event) -> bool:
        """Whether an event is told in the sentence of ``head`` and ``more``.

        The title says which may follow which. Events of one kind are joined as long as their seats differ (a lap around the table), of
        different kinds as long as the seat is the same.
        """
        follow = getattr(self._module("events"), "joins", {}).get(_tag(head), [])
        if _tag(event) not in follow:
            return False
        seat, first = getattr(event, "seat", None), getattr(head, "seat", None)
        if _tag(event) == _tag(head):
            return seat is None or seat not in {first, *(getattr(each, "seat", None) for each in more)}
        return seat is None or first is None or seat == first

    def events(self, events: Iterable[Event], you: str | None = None) -> list[str]:
        """Sentences about events in their order; what belongs together is told together."""
        said = (self.event(head, more, you) for head, more in self.groups(events))
        return [sentence for sentence in said if sentence]

    def order(self, order: Order | Mapping[str, Any]) -> str:
        """An order in a few words without a full stop: "walk to guangdong-c for a junk, deploy 3". Tables may be incomplete."""
        table = dict(order) if isinstance(order, Mapping) else msgspec.to_builtins(order)
        said = self._say("orders", str(table.get("do", "")), table)
        if said:
            return said
        rest = ", ".join(f"{key} {_shown(value)}" for key, value in table.items() if key != "do")
        return f"{table.get('do', '')} {rest}".strip()

    def because(self, code: str, field: str, facts: Mapping[str, Any], who: str | None = None) -> str:
        """Why an order cannot be played, as a clause without a full stop. ``who`` is the seat whose order it is; None speaks to him."""
        said = self._say("refusals", code, dict(facts), who)
        if said:
            return said
        return self.plain(code, facts)

    def plain(self, code: str, facts: Mapping[str, Any]) -> str:
        """A code and its facts as they are, for what nobody wrote a sentence about."""
        shown = ", ".join(f"{key} {_shown(value)}" for key, value in facts.items())
        pattern = self.gettext("%(code)s (%(facts)s)") if shown else "%(code)s"
        return pattern % {"code": clean(code.replace("-", " "), 60), "facts": shown}

    def refusal(self, code: str, field: str, facts: Mapping[str, Any]) -> str:
        """The full sentence of an Illegal, Malformed or Ambiguous, with what to do instead where that can be said."""
        sentence = self.gettext("%(clause)s.") % {"clause": self.because(code, field, facts)}
        remedy = self._say("refusals", f"remedy_{code}", dict(facts))
        return f"{_capital(sentence)} {remedy}".strip()

    def finding(self, finding: Finding) -> str:
        """The sentence of a finding of ``pbem.orders``: where, what was found, what is allowed, the nearest valid word."""
        from pbem.publish.findings import finding_text

        return finding_text(finding, self)

    def remark(self, remark: Remark, then: str = "") -> str:
        """A full sentence about what a plan did; ``then`` is the sentence of what happened instead, woven in."""
        clause = self.remark_clause(remark)
        if not then:
            return self.gettext("%(clause)s.") % {"clause": clause}
        return self.gettext("%(clause)s: %(events)s") % {"clause": clause, "events": then}

    def remark_clause(self, remark: Remark) -> str:
        """What a plan did, without a full stop."""
        facts = self._remark_facts(remark)
        code = str((remark.because or {}).get("code", ""))
        own = self._say("remarks", f"{remark.code}_{code}", remark, facts) if code else ""
        return own or self._say("text/remarks.j2", remark.code, remark, facts) or f"{facts['who']}: {remark.code}"

    def stop_reason(self, remark: Remark) -> str:
        """Why a plan stopped, to stand in brackets: "it had no further line"."""
        return self._say("text/remarks.j2", f"why_{remark.code}", remark, self._remark_facts(remark)) or remark.code

    def _remark_facts(self, remark: Remark) -> dict[str, str]:
        because = remark.because or {}
        code = str(because.get("code", ""))
        return {
            "who": self.seat(remark.seat),
            "wanted": self.order(remark.wanted) if remark.wanted else "",
            "played": self.order(remark.played) if remark.played else "",
            "because": self.because(code, str(because.get("field", "")), because.get("facts", {}), remark.seat) if code else "",
            "places": self.listing(str(place) for place in because.get("places", ())),
            "other": self.seat(str(because["seat"])) if because.get("seat") else "",
            "phase": self.phase(remark.phase),
        }

    def asked(self, waiting: Waiting, zone: str | None = None) -> str:
        """Whom the game waits for, for what, until when, and what has been filed."""
        return self._say("text/waiting.j2", "asked", waiting, self.ask(waiting.phase), zone)

    def ask_short(self, waiting: Waiting) -> str:
        """The question of a phase for titles and subjects: "please place for round 4"."""
        said = self._say("names", "ask_short", *_phase_parts(waiting.phase))
        return said or self.gettext("please decide in %(phase)s") % {"phase": self.phase(waiting.phase)}

    def chapter(self, chapter: Any) -> list[Any]:
        """What an entry tells, sentence by sentence with anchors; see ``telling.Sentence``."""
        from pbem.publish.telling import chapter_sentences

        return chapter_sentences(chapter, self)

    def news(self, events: Sequence[Event]) -> str:
        """The news of some events in a few words without a full stop; "" when the title finds none."""
        return self._say("events", "headline", [_tag(event) for event in events], list(events))

    def headline(self, chapter: Any) -> str:
        """An entry in one line: "Round 3, move: An first to walk, to guangdong-c; please place for round 4"."""
        from pbem.publish.telling import headline

        return headline(chapter, self)

    # -- templates --------------------------------------------------------------------------------------------------------

    def template(self, name: str) -> Any:
        """A plain-text template that speaks these words; names beginning with "title/" are the title's own."""
        return self._environment().get_template(name)

    def has_own(self, name: str) -> bool:
        """Whether the title brings a template of this name."""
        return has_template(self.title, name)

    def macro(self, template: str, name: str, *facts: Any) -> str:
        """What a macro of a shared template says, on one line; "" when there is no such macro."""
        return self._say(template, name, *facts)

    def _environment(self) -> Any:
        made = environment("text", self.title, self)
        if "listing" not in made.globals:
            made.globals.update(
                w=self, seat=self.seat, place=self.place, thing=self.thing, counted=self.counted, spelled=self.spelled,
                listing=self.listing, alternatives=self.alternatives, phase_name=self.phase, each=_each, order_words=self.order,
                quoted=_quoted, few=few, shown_name=_shown_name, closing_rule=self.closing_rule,
            )  # fmt: skip
        return made

    def _module(self, name: str) -> TemplateModule | None:
        if name not in self._modules:
            own = _OWN.get(name)
            if own is not None and not self.has_own(own):
                self._modules[name] = None
            else:
                # Sentences are put on one line afterwards, so line ends in these templates are blanks and must stay.
                loose = self._environment().overlay(trim_blocks=False)
                self._modules[name] = loose.get_template(TITLE_PREFIX + own if own else name).module
        return self._modules[name]

    def _say(self, template: str, macro: str, *facts: Any) -> str:
        from jinja2 import UndefinedError

        found = getattr(self._module(template), macro.replace("-", "_"), None)
        if not callable(found) or macro.startswith("_"):
            return ""
        try:
            return " ".join(str(found(*facts)).split())
        except (UndefinedError, TypeError, KeyError, ValueError, AttributeError, IndexError):
            # Facts may come from a file or an older ledger and lack what the macro needs: the plain words are said instead.
            return ""


def _told_apart(names: Mapping[str, str]) -> dict[str, str]:
    """The seat behind every display name that another seat has, or is called by: nobody speaks as somebody else."""
    taken: dict[str, set[str]] = {}
    for seat, name in names.items():
        taken.setdefault(name.casefold(), set()).add(seat)
        taken.setdefault(seat.casefold(), set()).add(seat)
    shown = {}
    for seat, name in names.items():
        alone = taken[name.casefold()] == {seat}
        shown[seat] = name if alone else f"{clean(name, LONGEST_NAME - len(seat) - 3)} ({seat})"
    return shown


def _tag(event: Event) -> str:
    return str(type(event).__struct_config__.tag)


def _phase_parts(phase: str) -> tuple[str, str]:
    number, _, name = phase.partition(".")
    return number, name


def _each(macro: Callable[[Any], str], items: Iterable[Any]) -> list[str]:
    return [" ".join(str(macro(item)).split()) for item in items]


def _quoted(value: Any) -> str:
    """Something a player wrote, as he would write it in TOML, cut to a line."""
    if isinstance(value, str):
        return '"' + clean(value, 60) + '"'
    return _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(each)}" for key, each in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(_shown(each) for each in value)
    return clean(str(value), 80)


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _shown_name(name: object) -> str:
    """A display name as a player has written it, fit to be shown: see ``Words.seat``."""
    return clean(str(name or ""), LONGEST_NAME)


def _zone(zone: str | tzinfo | None) -> tzinfo | None:
    if not isinstance(zone, str):
        return zone
    try:
        return None if zone in ("", "UTC", "Etc/UTC") else ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
