"""An entry of the ledger told as sentences, with what plans did woven in where it happened."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

import msgspec

from pbem.campaign.history import Chapter, Decision, Remark, Step, Story
from pbem.engine.title import Event
from pbem.publish.columns import clean
from pbem.publish.words import LONGEST_NOTE, Words


class Sentence(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence of a report. ``anchor`` is "s1", "s2", …; ``step`` the (first) step it is about, 0 for none, ``steps`` all of them.

    ``kind``: "event", "plan" (tells what a plan did), "silence" (tells that nothing was sent), "note" (a player's own words).
    ``group`` is the heading it stands under: its phase in words, how the plans of a phase went, or "" for the entry as a whole.
    """

    anchor: str
    text: str
    step: int = 0
    kind: str = "event"
    phase: str = ""
    steps: tuple[int, ...] = ()
    group: str = ""


class _Clause(msgspec.Struct, frozen=True):
    """What has to be said before the events of a step, without a full stop; ``woven``: in one sentence with them, where that can be."""

    text: str
    kind: str
    woven: bool = True


class _Group(msgspec.Struct):
    """Events told in one breath, and what has to be said before them; ``again``: who was silent in them, and was said to be before."""

    steps: list[Step]
    before: list[_Clause]
    head: Event | None = None
    more: list[Event] = []
    again: list[Decision] = []


def chapter_sentences(chapter: Chapter, words: Words) -> list[Sentence]:
    """All sentences of an entry in reading order: what kind of entry it is, the steps with their remarks, later remarks, notes."""
    told: list[tuple[str, str, list[Step], str]] = []
    about = _about_entry(chapter, words)
    if about:
        told.append((about, "event", [], ""))
    forced: set[tuple[str, str]] = set()
    for group in _groups(chapter, words):
        told += [(text, kind, steps, words.phase(steps[0].phase)) for text, kind, steps in _tell(group, words, forced)]
    told += [(text, "plan", [], heading) for text, heading in _looking_back(chapter, words)]
    for note in chapter.notes:
        said = words.macro("text/telling.j2", "note", words.seat(note.seat), clean(note.text, LONGEST_NOTE))
        told.append((said, "note", [], words.gettext("players write")))
    return [
        Sentence(
            anchor=f"s{number}",
            text=text,
            kind=kind,
            step=steps[0].number if steps else 0,
            phase=steps[0].phase if steps else "",
            steps=tuple(step.number for step in steps),
            group=group_heading,
        )
        for number, (text, kind, steps, group_heading) in enumerate(told, start=1)
    ]


def _looking_back(chapter: Chapter, words: Words) -> Iterator[tuple[str, str]]:
    """What plans did at steps of earlier entries, and what was left of them: sentences, each with its heading."""
    here = {step.number for step in chapter.steps}
    late = [remark for remark in chapter.remarks if remark.code not in _QUIET and (remark.step not in here or remark.code == "unplayed")]
    phases = list(dict.fromkeys(remark.phase for remark in late))
    for remark in sorted(late, key=lambda remark: phases.index(remark.phase)):
        heading = words.gettext("how plans went: %(phase)s") % {"phase": words.phase(remark.phase)}
        entry, decision = (0, None) if remark.code == "unplayed" else _earlier(remark, chapter, words)
        clause = words.remark_clause(remark) if decision is None else _of_decision(remark, decision, words).text
        if entry:
            yield words.macro("text/telling.j2", "in_entry", entry, clause), heading
        else:
            yield _capital(words.gettext("%(clause)s.") % {"clause": clause}), heading


def _earlier(remark: Remark, chapter: Chapter, words: Words) -> tuple[int, Decision | None]:
    """The number of the earlier entry that played the step of a remark (0 when there is none), and that seat's decision in it."""
    chapters = words.story.chapters if words.story is not None else ()
    for each in reversed([each for each in chapters if each.number < chapter.number]):
        for step in each.steps:
            if (step.number, step.phase) == (remark.step, remark.phase):
                return each.number, next((decision for decision in step.decisions if decision.seat == remark.seat), None)
    return 0, None


def headline(chapter: Chapter, words: Words) -> str:
    """An entry in one line, for titles and mail subjects: the phase, the news, what is asked next."""
    decided = [step for step in chapter.steps if step.decisions] or list(chapter.steps)
    if decided:
        events = [event for step in chapter.steps for event in step.events]
        news = words.news(events)
        phase = _capital(words.phase(decided[-1].phase))
    else:
        news = ""
        phase = _gist(_about_entry(chapter, words), words)
    ask = words.ask_short(chapter.waiting) if chapter.waiting else ""
    return words.macro("text/telling.j2", "headline", phase, news, ask)


def _gist(text: str, words: Words) -> str:
    """The beginning of a text to the first point or semicolon; those in players' names do not count."""
    names = {words.seat(seat.seat) for seat in words.story.seats} if words.story is not None else set[str]()
    masked = text
    for name in names:
        masked = masked.replace(name, name.translate({ord("."): "_", ord(";"): "_"}))
    cut = re.search(r"[.;]", masked)
    return text[: cut.start()] if cut else text


def _about_entry(chapter: Chapter, words: Words) -> str:
    # To when an entry has moved the closing time stands in whom the game waits for after it.
    closes = chapter.waiting.closes if chapter.waiting is not None else None
    said = words.macro("text/telling.j2", chapter.kind, {**chapter.facts, "closes": closes}) if chapter.kind in _KINDS else ""
    if said and (text := clean(str(chapter.facts.get("text", "")), 280)):
        said += " " + words.gettext("The organiser writes: “%(text)s”") % {"text": text}
    return said if said or chapter.kind == "turn" else words.macro("text/telling.j2", "other", clean(chapter.kind, 40))


_KINDS = frozenset(
    ("invite", "join", "turn", "rollback", "substitute", "rekey", "amend", "vacate", "concede", "pause", "extend", "absence", "rules")
) | {"end"}


def _groups(chapter: Chapter, words: Words) -> Iterator[_Group]:
    """The events of all steps, cut where a new sentence begins. A step that needs a word about its plan begins one."""
    closes = _closing_times(chapter, words)
    silent: set[tuple[str, str]] = set()
    gone = _conceded(chapter, words)
    group: _Group | None = None
    for step in chapter.steps:
        again = [each for each in step.decisions if (each.seat, step.phase) in silent and not _explained(each, step, chapter)]
        again = [each for each in again if each.seat not in gone]
        before = _preambles(step, chapter, words, silent, closes)
        fresh = bool(before)
        for event in step.events:
            if group is not None and group.head is not None and not fresh and words.joins(group.head, group.more, event):
                group.more.append(event)
                if group.steps[-1] is not step:
                    group.steps.append(step)
                group.again += again
            else:
                if group is not None:
                    yield group
                group = _Group(steps=[step], before=before if fresh else [], head=event, more=[], again=list(again))
            fresh, again = False, []
        if fresh:
            if group is not None:
                yield group
            group = _Group(steps=[step], before=before, again=again)
    if group is not None:
        yield group


def _tell(group: _Group, words: Words, forced: set[tuple[str, str]]) -> Iterator[tuple[str, str, list[Step]]]:
    """One sentence or more: what goes before is woven into the sentence only where it can be about nobody else.

    ``forced``: seat and phase of those of whom it has been said that they had no choice; once is enough.
    """
    text = words.event(group.head, group.more) if group.head is not None else ""
    alone = len(group.steps) == 1 and len(group.steps[0].decisions) <= 1
    if text and alone:
        without = {(decision.seat, step.phase) for step in group.steps for decision in step.decisions if decision.why == "forced"}
        if without - forced:
            text = words.macro("text/telling.j2", "no_choice", text)
        forced |= without
    if text and group.again:
        who = {why: list(dict.fromkeys(words.seat(each.seat) for each in group.again if each.why == why)) for why in _NOTHING_CAME}
        text = words.macro("text/telling.j2", "silent_again", text, words.listing(who["silence"]), words.listing(who["stopped"]))
    before = list(group.before)
    woven = before.pop() if before and alone and text and before[-1].woven else None
    for clause in before:
        yield _capital(words.gettext("%(clause)s.") % {"clause": clause.text}), clause.kind, group.steps
    if woven is not None:
        joined = words.gettext("%(clause)s: %(events)s") % {"clause": woven.text, "events": text}
        yield _capital(joined), woven.kind, group.steps
    elif text:
        yield text, "event", group.steps


def _preambles(step: Step, chapter: Chapter, words: Words, silent: set[tuple[str, str]], closes: dict[str, datetime]) -> list[_Clause]:
    """What has to be said before the events of a step. Silence is told once per seat and phase."""
    said: list[_Clause] = []
    remarks = [remark for remark in chapter.remarks if remark.step == step.number and remark.code not in _ELSEWHERE]
    for decision in step.decisions:
        key = (decision.seat, step.phase)
        mine = [remark for remark in remarks if remark.seat == decision.seat]
        mine = [remark for remark in mine if not (remark.code == "ended" and key in silent and _is_of(remark, decision))]
        said += [_of_decision(remark, decision, words) for remark in mine]
        if decision.why in _NOTHING_CAME and key not in silent:
            silent.add(key)
            name = words.seat(decision.seat)
            if any(remark.code in _STOPS and _is_of(remark, decision) for remark in mine):
                continue
            if decision.why == "silence" and decision.seat in _conceded(chapter, words):
                said.append(_Clause(words.macro("text/telling.j2", "conceded", name), "silence"))
            elif decision.why == "silence":
                said.append(_Clause(words.macro("text/telling.j2", "silent", name, closes.get(step.phase)), "silence"))
            else:
                said.append(_Clause(words.macro("text/telling.j2", "stopped", name), "silence"))
    decided = {decision.seat for decision in step.decisions}
    said += [_Clause(words.remark_clause(remark), "plan", woven=False) for remark in remarks if remark.seat not in decided]
    return said


def _conceded(chapter: Chapter, words: Words) -> set[str]:
    """Who had given up when an entry was written: his silence is no fault of his."""
    chapters = words.story.chapters if words.story is not None else ()
    return {str(each.facts.get("seat", "")) for each in chapters if each.kind == "concede" and each.number < chapter.number}


def _of_decision(remark: Remark, decision: Decision, words: Words) -> _Clause:
    """A remark beside what was played in the end: perhaps from the same file, perhaps from a later one, perhaps from none."""
    own, who = _is_of(remark, decision), words.seat(remark.seat)
    if remark.code not in _STOPS:
        clause = words.remark_clause(remark)
        return _Clause(clause if own else words.macro("text/telling.j2", "of_earlier_file", who, clause), "plan", woven=own)
    why = words.stop_reason(remark)
    if own:
        return _Clause(words.macro("text/telling.j2", "stops", who, why), "silence")
    return _Clause(words.macro("text/telling.j2", "had_stopped", who, why), "plan", woven=False)


def _explained(decision: Decision, step: Step, chapter: Chapter) -> bool:
    """Whether it needs no word that nothing came for a decision: something did, or a remark says what became of the plan."""
    if decision.why not in _NOTHING_CAME:
        return True
    mine = (remark for remark in chapter.remarks if (remark.step, remark.seat) == (step.number, decision.seat))
    return any(remark.code in _STOPS - {"ended"} and _is_of(remark, decision) for remark in mine)


def _is_of(remark: Remark, decision: Decision) -> bool:
    """Whether what was played came of the file that a remark is about. A plan that stopped gives no order: only silence comes of it."""
    if remark.code in _STOPS and decision.why not in _NOTHING_CAME:
        return False
    return not remark.file or not decision.file or remark.file == decision.file


_STOPS = frozenset(("stopped", "watched", "ended", "unreadable"))
_NOTHING_CAME = frozenset(("silence", "stopped"))
# "silence" and "forced" stand in the decisions of the ledger; told from there, they are public before the phase has closed.
_QUIET = frozenset(("silence", "forced"))
_ELSEWHERE = _QUIET | {"unplayed"}


def _closing_times(chapter: Chapter, words: Words) -> dict[str, datetime]:
    """Phase → closing time, as the entries before this one announced it."""
    if words.story is None:
        return {}
    waited = (each.waiting for each in words.story.chapters if each.number < chapter.number)
    found = {waiting.phase: waiting.closes for waiting in waited if waiting is not None and waiting.closes is not None}
    # Who gave up is not waited for, and an organiser may close early: then no closing time had passed.
    return {phase: closes for phase, closes in found.items() if closes <= chapter.time}


def organiser_alone(story: Story, number: int, words: Words) -> list[str]:
    """What the organiser has decided by himself, up to and with an entry: every later report shows it."""
    alone = [chapter for chapter in story.chapters if chapter.number <= number and chapter.facts.get("ground") == "organiser"]
    return [
        words.gettext("Entry %(number)s: %(what)s") % {"number": chapter.number, "what": _about_entry(chapter, words)} for chapter in alone
    ]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
