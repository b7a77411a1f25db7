"""Behind a sentence of a report: which order file, which line, which alternative, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pbem.campaign.folder import CampaignError
from pbem.cli.play import course_words
from pbem.publish.template import order_line

if TYPE_CHECKING:
    from pbem.campaign.course import Course
    from pbem.campaign.history import Chapter, Decision, Remark, Step

_WHY = {
    "plan": "by the plan in",
    "then": "by what the plan says after its last line, in",
    "otherwise": "by the plan's otherwise = \"default\", in",
    "forced": "it was the only thing possible",
    "silence": "nothing was sent by the closing time",
    "stopped": "the plan had stopped or run out at the closing time, in",
}


def explain_entry(course: Course, number: int, sentence: str) -> str:
    """The explanation of one sentence, or with "" of all. CampaignError when there is no such sentence."""
    chapter = course.chapters[number - 1]
    words = course_words(course)
    told = words.chapter(chapter)
    wanted = [one for one in told if not sentence or one.anchor == f"s{sentence}"]
    if not wanted:
        raise CampaignError("no-such-sentence", found=sentence, most=len(told))
    parts = []
    for one in wanted:
        steps = [step for step in chapter.steps if step.number in set(one.steps or (one.step,))]
        lines = [f"{one.anchor}  {one.text}"]
        for step in steps:
            lines += _step(course, chapter, step, words)
        if not steps:
            lines.append(f"     from entry {chapter.head} itself")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _step(course: Course, chapter: Chapter, step: Step, words: Any) -> list[str]:
    rule = step.phase.partition(".")[2] or step.phase
    lines = [f"     step {step.number}, {words.phase(step.phase)} (the rule: {course.title.slug}, phase {rule})"]
    remarks = _remarks(course, step.number)
    for decision in step.decisions:
        lines.append(f"       {words.seat(decision.seat)}: {order_line(_table(decision))}")
        lines.append(f"         {_WHY[decision.why]} {_file(course, decision.file)}".rstrip())
        for remark in remarks:
            if remark.seat == decision.seat:
                where = f" ({remark.at})" if remark.at else ""
                lines.append(f"         {words.remark(remark)}{where}")
    if not step.decisions:
        lines.append("       set-up and chance: the link of this step stands in the entry, its draws follow from it")
    return lines


def _table(decision: Decision) -> dict[str, Any]:
    from pbem.engine.position import to_table

    return to_table(decision.order)


def _remarks(course: Course, step: int) -> list[Remark]:
    """What plans did at a step: public once the phase has closed, in whichever entry that was."""
    return [remark for chapter in course.chapters for remark in chapter.remarks if remark.step == step]


def _file(course: Course, identity: str) -> str:
    if not identity:
        return ""
    for kept in course.archive.receipts:
        if kept.record.file == identity and kept.record.accepted:
            path = course.archive.folder.relative(course.archive.file_of(kept.record))
            return f"{path}, receipt {kept.record.number}"
    return identity[:16]
