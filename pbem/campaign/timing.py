"""How a campaign's time stands at one point of its ledger: the closing rules in force, the closing time, pauses, absences.

A closing time is computed once, by whoever writes the entry that opens a phase or moves the time, and stands in that entry in UTC. Audit
computes it again; a machine whose time zone data is another edition may find another time, and that is no forgery.
"""

from __future__ import annotations

import zoneinfo
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from pbem.campaign import clock, closing, zones
from pbem.campaign.closing import Rule
from pbem.campaign.folder import CampaignError
from pbem.campaign.history import Away
from pbem.campaign.records import Clock, Game

NONE = timedelta(0)
UNKNOWN = (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError)
"""What is raised where a zone is unknown here, or is a file that holds none."""
DEFAULTS = {"grace": "none", "cooling": "none", "outage": "24h", "extensions": "14d", "absences": "28d"}
SETTINGS = frozenset(("close", "silence", "grace", "cooling"))
SAME = "same"
"""What an amendment says of a phase that shall have no rule of its own any more."""
_QUARTER = timedelta(minutes=15)
# What the organiser does to bring a closing time nearer leaves the players so long, if they had so long before.
_NOTICE = timedelta(days=1)
# Where a zone's clocks may stand, for one that this machine has never heard of.
_ANYWHERE = [_QUARTER * count for count in range(-60, 61)]
# By how much another edition of the zone data may differ: a changed summer time, a country that crosses the date line.
_SHIFTS = [sign * _QUARTER * count for count in (*range(13), *range(92, 101)) for sign in (1, -1)]


class Closing(msgspec.Struct, frozen=True, kw_only=True):
    """A closing time and how it came about: by how much it was put off for whom, and whether a zone was needed.

    ``start``: the first moment at which it could have been. ``at`` None although there is one: the zone is not known to this machine.
    """

    at: datetime | None
    put_off: dict[str, timedelta] = {}
    zoned: bool = False
    start: datetime | None = None

    @property
    def unknown(self) -> bool:
        return self.at is None and self.start is not None


class Timing(msgspec.Struct, kw_only=True):
    """See the module. ``written``: whether entries carry closing times; older campaigns run by a span alone."""

    close: str
    silence: str
    written: bool
    phases: dict[str, str]
    grace: timedelta = NONE
    cooling: timedelta = NONE
    outage: timedelta | None = None
    extensions: timedelta = NONE
    absences: timedelta = NONE
    counted: str = ""
    """The rule that the present phase's closing time was counted by."""
    since: datetime | None = None
    """When the entry was written that opened the present phase."""
    closes: datetime | None = None
    dozed: bool = False
    """Whether the present closing time meant nothing so far, because silence waits."""
    paused: datetime | None = None
    """Until when the game pauses; it may be over."""
    left: timedelta = NONE
    """What was left of the phase when the pause began."""
    rested: datetime | None = None
    """The closing time that the pause has set; when it has moved since, something else is left."""
    extended: timedelta = NONE
    """By how much the organiser has put off the present phase."""
    away: list[Away] = []
    waited: dict[str, timedelta] = {}
    """Seat → by how much closing times have been put off for it."""
    channels: set[str] = set()
    """Channels that the last closing by silence named: they have to be read again at the next."""

    def rule(self, phase: str) -> Rule:
        """The closing rule of a phase ("3.move")."""
        return closing.parse(self.phases.get(phase.partition(".")[2], self.close), check=False)

    @property
    def deadline(self) -> datetime | None:
        """The last moment at which what is received counts: the closing time and the grace that is not spoken of."""
        return None if self.closes is None else self.closes + self.grace

    def pausing(self, when: datetime) -> bool:
        return self.paused is not None and when < self.paused

    def absent(self, seat: str, when: datetime) -> datetime | None:
        """Until when a seat is away at that time; None when it is not."""
        ends = [each.end for each in self.away if each.seat == seat and each.start <= when < each.end]
        return max(ends, default=None)

    def leave(self, seat: str) -> None:
        """A seat changes hands: whoever comes is not away when he who goes would have been, and has his days of absence before him."""
        self.away = [each for each in self.away if each.seat != seat]
        self.waited = {each: by for each, by in self.waited.items() if each != seat}

    def amend(self, settings: Mapping[str, str]) -> None:
        """Takes settings that ``check_settings`` has passed."""
        for name, value in settings.items():
            if name == "close":
                self.close = value
            elif name == "silence":
                self.silence = value
            elif name == "grace":
                self.grace = closing.length(value)
            elif name == "cooling":
                self.cooling = closing.length(value)
            elif value == SAME:
                self.phases = {phase: rule for phase, rule in self.phases.items() if phase != name.partition(".")[2]}
            else:
                self.phases = {**self.phases, name.partition(".")[2]: value}

    # -- where a closing time falls ---------------------------------------------------------------------------------------

    def opening(self, phase: str, since: datetime, seats: Callable[[], Sequence[str]], spare: datetime | None = None) -> Closing:
        """The closing time of a phase opened at ``since``, not before ``spare``; ``seats`` are those it may wait for."""
        start = self.rule(phase).earliest(since)
        return self._counted(phase, start if start is None or spare is None else max(start, spare), seats)

    def notice(self, now: datetime) -> datetime:
        """What the organiser cannot bring the closing time before: a day from now, or the time that everybody knew already."""
        return now + _NOTICE if self.closes is None or self.dozed else min(self.closes, now + _NOTICE)

    def resumed(self, phase: str, now: datetime, until: datetime, seats: Callable[[], Sequence[str]]) -> Closing:
        """The closing time when the game pauses until a time: what was left of the phase comes after the pause."""
        if self.closes is None:
            return Closing(at=None)
        if self.paused is None or not self.pausing(now):
            self.left = max(self.closes - now, NONE)
        elif self.closes != self.rested:
            self.left = max(self.closes - self.paused, NONE)
        found = self._counted(phase, max(until + self.left, self.notice(now)), seats)
        self.rested = found.at
        return found

    def _counted(self, phase: str, start: datetime | None, seats: Callable[[], Sequence[str]]) -> Closing:
        rule = self.rule(phase)
        if start is None:
            return Closing(at=None)
        try:
            settled = self._settled(rule.first(start), seats)
        except UNKNOWN:
            return Closing(at=None, zoned=True, start=start)
        return msgspec.structs.replace(settled, zoned=bool(rule.zone), start=start)

    def moved(self, to: datetime | None, seats: Callable[[], Sequence[str]]) -> Closing:
        """A closing time put off, or the present one in the light of a new absence."""
        return self._settled(to, seats)

    def _settled(self, at: datetime | None, seats: Callable[[], Sequence[str]]) -> Closing:
        """A closing time that falls into the absence of a player it may wait for comes at its end, as far as that player has time left."""
        put_off: dict[str, timedelta] = {}
        waited_for = frozenset(seats()) if at is not None and self.away else frozenset()
        again = True
        while again and at is not None:
            again = False
            for each in sorted(self.away, key=lambda each: (each.start, each.end, each.seat)):
                left = self.absences - self.waited.get(each.seat, NONE) - put_off.get(each.seat, NONE)
                if each.seat in waited_for and each.start <= at < each.end and left > NONE:
                    later = min(each.end, at + left)
                    put_off[each.seat] = put_off.get(each.seat, NONE) + (later - at)
                    at, again = later, True
        return Closing(at=at, put_off=put_off)

    def explains(self, told: datetime | None, found: Closing, phase: str, seats: Callable[[], Sequence[str]]) -> bool:
        """Whether another edition of the zone data can have given another closing time than the one found here."""
        rule, start = self.rule(phase), found.start
        if told is None or start is None:
            return False
        # Of a zone that this machine has never heard of only the wall time is known: it is that somewhere on the globe.
        shifts, rule = (_ANYWHERE, msgspec.structs.replace(rule, zone="UTC")) if found.unknown else (_SHIFTS, rule)
        return any(self._settled(rule.first(start, shift), seats).at == told for shift in shifts)


def begin(game: Game) -> Timing:
    """How time stands before the first entry."""
    facts = game.clock
    for rule in (game.close, *(facts.phases.values() if facts is not None else ())):
        closing.parse(rule, check=False)
    if facts is None:
        return Timing(close=game.close, silence=game.silence, written=False, phases={})
    return Timing(
        close=game.close, silence=game.silence, written=True, phases=dict(facts.phases), grace=closing.length(facts.grace),
        cooling=closing.length(facts.cooling), outage=clock.span(facts.outage), extensions=closing.length(facts.extensions),
        absences=closing.length(facts.absences),
    )  # fmt: skip


def make_clock(phases: Mapping[str, str], spans: Mapping[str, str], known: Callable[[str], bool]) -> Clock:
    """The clock of a new campaign, rules in normal form. CampaignError says what is wrong; ``known``: is that the name of a phase?"""
    told = DEFAULTS | {name: value for name, value in spans.items() if value}
    for value in told.values():
        clock.span(value)
    return Clock(phases={phase: str(own_rule(phase, rule, known)) for phase, rule in phases.items()}, **told)


def own_rule(phase: str, written: str, known: Callable[[str], bool]) -> Rule:
    """The closing rule of one phase. CampaignError "no-such-phase" when the title has none of that name."""
    if not known(phase):
        raise CampaignError("no-such-phase", found=phase)
    return closing.parse(written)


def phase_names(title: Any) -> Callable[[str], bool]:
    """Whether a title has a phase of a name: asked with the number of any round, for a title need not list its phases."""
    return lambda name: any(title.phase_named(f"{number}.{name}") is not None for number in ("R", *range(20)))


def check_settings(settings: Mapping[str, str], *, written: bool, check: bool = True) -> dict[str, str]:
    """What an amendment says of the clock, in normal form. CampaignError when it cannot be, ValueError for a name that is none."""
    found = {}
    for name, value in settings.items():
        own = name.startswith("close.") and written
        if name == "silence":
            if value not in ("default", "wait", "bot"):
                raise ValueError(name)
            found[name] = value
        elif (name == "close" and not written) or (name in SETTINGS - {"close"} and written):
            clock.span(value)
            found[name] = value
        elif own and value == SAME:
            found[name] = value
        elif own or (name == "close" and written):
            found[name] = str(closing.parse(value, check=check))
        else:
            raise ValueError(name)
    return found


def zone_notice(told: datetime | None, found: datetime | None, edition: str) -> dict[str, object]:
    """What an audit says about a closing time that this machine's zone data does not give."""
    return {
        "told": clock.text(told) if told else "none", "found": clock.text(found) if found else "none",
        "edition": edition or "?", "here": zones.edition() or "?",
    }  # fmt: skip
