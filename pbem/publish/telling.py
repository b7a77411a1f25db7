"""An entry of the ledger told as sentences, with what plans did woven in where it happened."""

from __future__ import annotations

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
    """

    anchor: str
    text: str
    step: int = 0
    kind: str = "event"
    phase: str = ""
    steps: tuple[int, ...] = ()


class _Group(msgspec.Struct):
    """Events told in one breath, and what has to be said before them."""

    steps: list[Step]
    before: list[tuple[str, str]]
    head: Event | None = None
    more: list[Event] = []


def chapter_sentences(chapter: Chapter, words: Words) -> list[Sentence]:
    """All sentences of an entry in reading order: what kind of entry it is, the steps with their remarks, later remarks, notes."""
    told: list[tuple[str, str, list[Step]]] = []
    about = _about_entry(chapter, words)
    if about:
        told.append((about, "event", []))
    for group in _groups(chapter, words):
        told += _tell(group, words)
    here = {step.number for step in chapter.steps}
    for remark in chapter.remarks:
        if remark.step not in here and remark.code not in ("silence", "forced"):
            told.append((_capital(words.remark(remark)), "plan", []))
    for note in chapter.notes:
        said = words.macro("text/telling.j2", "note", words.seat(note.seat), clean(note.text, LONGEST_NOTE))
        told.append((said, "note", []))
    return [
        Sentence(
            anchor=f"s{number}",
            text=text,
            kind=kind,
            step=steps[0].number if steps else 0,
            phase=steps[0].phase if steps else "",
            steps=tuple(step.number for step in steps),
        )
        for number, (text, kind, steps) in enumerate(told, start=1)
    ]


def headline(chapter: Chapter, words: Words) -> str:
    """An entry in one line, for titles and mail subjects: the phase, the news, what is asked next."""
    decided = [step for step in chapter.steps if step.decisions] or list(chapter.steps)
    if decided:
        events = [event for step in chapter.steps for event in step.events]
        news = words.news(events)
        phase = _capital(words.phase(decided[-1].phase))
    else:
        news = ""
        phase = _about_entry(chapter, words).partition(".")[0]
    ask = words.ask_short(chapter.waiting) if chapter.waiting else ""
    return words.macro("text/telling.j2", "headline", phase, news, ask)


def _about_entry(chapter: Chapter, words: Words) -> str:
    said = words.macro("text/telling.j2", chapter.kind, dict(chapter.facts)) if chapter.kind in _KINDS else ""
    return said if said or chapter.kind == "turn" else words.macro("text/telling.j2", "other", clean(chapter.kind, 40))


_KINDS = frozenset(
    ("invite", "join", "turn", "rollback", "substitute", "rekey", "amend", "vacate", "concede", "pause", "extend", "rules", "end")
)


def _groups(chapter: Chapter, words: Words) -> Iterator[_Group]:
    """The events of all steps, cut where a new sentence begins. A step that needs a word about its plan begins one."""
    closes = _closing_times(chapter, words)
    silent: set[tuple[str, str]] = set()
    group: _Group | None = None
    for step in chapter.steps:
        before = _preambles(step, chapter, words, silent, closes)
        fresh = bool(before)
        for event in step.events:
            if group is not None and group.head is not None and not fresh and words.joins(group.head, group.more, event):
                group.more.append(event)
                if group.steps[-1] is not step:
                    group.steps.append(step)
            else:
                if group is not None:
                    yield group
                group = _Group(steps=[step], before=before if fresh else [], head=event, more=[])
            fresh = False
        if fresh:
            if group is not None:
                yield group
            group = _Group(steps=[step], before=before)
    if group is not None:
        yield group


def _tell(group: _Group, words: Words) -> Iterator[tuple[str, str, list[Step]]]:
    """One sentence or more: what goes before is woven into the sentence only where it can be about nobody else."""
    text = words.event(group.head, group.more) if group.head is not None else ""
    alone = len(group.steps) == 1 and len(group.steps[0].decisions) <= 1
    if text and alone and any(decision.why == "forced" for decision in group.steps[0].decisions):
        text = words.macro("text/telling.j2", "no_choice", text)
    before = list(group.before)
    woven: tuple[str, str] | None = before.pop() if before and alone and text else None
    for clause, kind in before:
        yield _capital(words.gettext("%(clause)s.") % {"clause": clause}), kind, group.steps
    if woven is not None:
        joined = words.gettext("%(clause)s: %(events)s") % {"clause": woven[0], "events": text}
        yield _capital(joined), woven[1], group.steps
    elif text:
        yield text, "event", group.steps


def _preambles(
    step: Step, chapter: Chapter, words: Words, silent: set[tuple[str, str]], closes: dict[str, datetime]
) -> list[tuple[str, str]]:
    """What has to be said before the events of a step, as (clause, kind). Silence is told once per seat and phase."""
    said: list[tuple[str, str]] = []
    remarks = [remark for remark in chapter.remarks if remark.step == step.number]
    for decision in step.decisions:
        for remark in remarks:
            if remark.seat == decision.seat and _worth_telling(remark, decision):
                said.append((words.remark_clause(remark), "plan"))
        key = (decision.seat, step.phase)
        if decision.why in ("silence", "stopped") and key not in silent:
            silent.add(key)
            name = words.seat(decision.seat)
            if decision.why == "silence":
                said.append((words.macro("text/telling.j2", "silent", name, closes.get(step.phase)), "silence"))
            else:
                said.append((words.macro("text/telling.j2", "stopped", name), "silence"))
    decided = {decision.seat for decision in step.decisions}
    said += [(words.remark_clause(remark), "plan") for remark in remarks if remark.seat not in decided and remark.code not in _QUIET]
    return said


# "silence" and "forced" stand in the decisions of the ledger; told from there, they are public before the phase has closed.
_QUIET = frozenset(("silence", "forced"))


def _worth_telling(remark: Remark, decision: Decision) -> bool:
    return remark.code not in _QUIET and not (remark.code == "stopped" and decision.why == "stopped")


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
