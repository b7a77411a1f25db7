"""An answer of ``receive`` and a dry run, as lines for a terminal or a mail."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

import msgspec

from pbem.campaign import clock
from pbem.campaign.archive import open_file
from pbem.campaign.roster import zone_or_utc
from pbem.campaign.stories import story
from pbem.orders.join import read_join
from pbem.publish.columns import wrap
from pbem.publish.complaints import MEANINGLESS, REFUSALS, complaint, with_phases
from pbem.publish.receipts import WIDTH, DryTurn, ReceiptFacts, dry_run_lines, receipt_text
from pbem.publish.words import Words

if TYPE_CHECKING:
    from pbem.campaign.course import Course
    from pbem.campaign.dryrun import DryRun
    from pbem.campaign.intake import Answer
    from pbem.campaign.records import Receipt
    from pbem.orders.findings import Finding


def finding_line(finding: Finding, words: Words) -> str:
    """What is wrong, and what to do about it."""
    if finding.code in REFUSALS:
        facts = with_phases(finding.code, finding.facts, words.phase_typed)
        return " ".join(part for part in complaint(REFUSALS, finding.code, facts, words.gettext) if part)
    return words.finding(finding)


def tell_answer(
    course: Course, answer: Answer, words: Words | None = None, *, private: bool = False, columns: int = WIDTH, folder: str = ""
) -> str:
    """The receipt of a file in words. What a sealed plan says is told only when ``private``: to its player."""
    seat = answer.receipt.seat
    # Who joins a seat that was another's is not called by that one's name.
    words = words or Words(story(course), seats={seat: seat} if answer.receipt.kind == "join" else None)
    facts = answer_facts(course, answer, words, private=private, columns=columns)
    return receipt_text(replace(facts, folder=folder), words).rstrip("\n")


def answer_facts(course: Course, answer: Answer, words: Words, *, private: bool = False, columns: int = WIDTH) -> ReceiptFacts:
    """What the receipt of a file tells, in lines of at most ``columns``."""
    receipt = answer.receipt
    member = course.members.get(receipt.seat)
    replaces = answer.replaces
    hidden = receipt.verdict == "taken" and not private
    return ReceiptFacts(
        name=answer.name, verdict=receipt.verdict, kind=receipt.kind, seat=receipt.seat, phase=receipt.phase, revision=receipt.revision,
        size=receipt.size, identity=receipt.file, number=receipt.number, repeated=answer.repeated,
        received=clock.parse(receipt.received), taken=clock.parse(receipt.taken),
        closes=clock.parse(receipt.closes) if receipt.closes else None, zone=member.zone if member else _zone_joining(course, receipt),
        replaces=(replaces.revision, clock.parse(replaces.received)) if replaces else None, played_of_old=answer.played_of_old,
        reasons=() if hidden else _reasons(answer, words),
        dry_run=None if hidden or answer.dry is None else dry_turns(answer.dry, course),
        foreseen=answer.dry is None or answer.dry.reached, head=receipt.head, campaign=course.archive.game.name,
        reason=receipt.reason, letter=bool(receipt.letter) and not private,
        left_over=0 if hidden or answer.dry is None else answer.dry.left_over, columns=columns,
    )  # fmt: skip


def _zone_joining(course: Course, receipt: Receipt) -> str | None:
    """The zone in a join file that has no entry yet: who has just told it is answered by it."""
    if receipt.kind != "join" or not receipt.accepted:
        return None
    filed = open_file(course.archive, receipt)
    return zone_or_utc(read_join(filed.data, filed.detached)[0].zone)


def _reasons(answer: Answer, words: Words) -> list[str]:
    """What is wrong with a file: its findings, words without meaning in its plan, or the public reason when a receipt is told again."""
    found = [finding_line(finding, words) for finding in answer.findings]
    found += meaningless_lines(answer.dry, words)
    receipt = answer.receipt
    if found or not receipt.reason:
        return found
    facts = {"phase": receipt.phase, "revision": receipt.revision, "seat": receipt.seat, "received": clock.parse(receipt.received)}
    if receipt.closes:
        facts["closes"] = clock.parse(receipt.closes)
    if receipt.reason in REFUSALS:
        return [complaint(REFUSALS, receipt.reason, with_phases(receipt.reason, facts, words.phase_typed), words.gettext)[0]]
    return [receipt.reason.replace("-", " ")]


def meaningless_lines(dry: DryRun | None, words: Words) -> list[str]:
    """Words in a plan that no position would understand, each with its place and the nearest that would."""
    lines = []
    for each in dry.meaningless if dry is not None else ():
        if each["code"] in MEANINGLESS:
            said = complaint(MEANINGLESS, each["code"], each["facts"], words.gettext)[0]
        else:
            said = words.refusal(each["code"], each["field"], each["facts"])
        lines.append(f"{each['at']}: {said}")
    return lines


def dry_turns(dry: DryRun, course: Course) -> list[DryTurn]:
    """A dry run with its events as the title's own."""
    kinds: Any = reduce(or_, course.title.events)
    return [
        DryTurn(
            at=turn.at, code=turn.code, wanted=turn.wanted, order=turn.order, because=turn.because, alternatives=turn.alternatives,
            events=[msgspec.convert(event, kinds) for event in turn.events],
        )
        for turn in dry.turns
    ]  # fmt: skip


def dry_lines(dry: DryRun | None, words: Words, course: Course, seat: str, phase_id: str) -> list[str]:
    """The dry run of a file that has not been sent yet."""
    _ = words.gettext
    if dry is None:
        return []
    if not dry.reached:
        return [_("What it would do cannot be foreseen yet.")]
    lines = dry_run_lines(dry_turns(dry, course), words, seat)
    if dry.complete:
        return [*lines, "", _("It answers everything to the end of the phase.")]
    asks, silent = _("Here the plan stops, and the game will ask you."), _("Here the plan stops.")
    if not _opened_at_closing(course, phase_id):
        said = any(line.strip() == asks for line in lines)
        return lines if said else [*lines, "", _("After that the game will ask you again.")]
    lines = [line.replace(asks, silent) for line in lines]
    silence = _("It is opened when the phase closes, and nobody is asked then: what it does not answer is played as silence.")
    return [*lines, "", *wrap(silence, WIDTH)]


def _opened_at_closing(course: Course, phase_id: str) -> bool:
    """Whether a plan for that phase is looked at only when nothing can be sent for it any more."""
    phase = course.title.phase_named(phase_id)
    return phase is not None and phase.simultaneous and course.must_seal(phase_id)
