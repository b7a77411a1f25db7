"""What is told of a file to its player alone: what is wrong inside its box, and what its plan would do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pbem.campaign.course import Course
from pbem.campaign.dryrun import DryRun, dry_run
from pbem.campaign.folder import CampaignError
from pbem.campaign.plans import Plan
from pbem.campaign.secret import Secret
from pbem.orders.file import OrderFile
from pbem.orders.findings import Finding, Unreadable
from pbem.orders.seal import open_box, phase_public, read_plain

if TYPE_CHECKING:
    from pbem.campaign.intake import Answer


def secret_of(course: Course) -> Secret:
    """The secret of the processor. CampaignError "no-secret" on any other machine."""
    if course.secret is None:
        raise CampaignError("no-secret", path=str(course.archive.folder.root))
    return course.secret


def inside(course: Course, seat: str, phase: str, revision: int, order: OrderFile) -> list[Finding]:
    """Whether a box opens is public; what is wrong with its content is told to its player alone. Raises Unreadable for the first."""
    key = course.keys[phase]
    secret = secret_of(course).phase(phase, key.entry)
    if phase_public(secret) != key.public or order.sealed is None:
        raise CampaignError("wrong-secret", path=str(course.archive.folder.root))
    plain = open_box(order.sealed, secret, course.box_info(seat, phase, revision))
    try:
        read_plain(plain, course.title.orders)
    except Unreadable as error:
        return error.findings
    return []


def foreseen(course: Course, plan: Plan) -> DryRun:
    """What a plan would do, on what its player may see."""
    view = course.title.view(course.table.position, plan.seat)
    return dry_run(course.title, view, plan, course.table.cursor(plan), lambda phase: course.plan_of(plan.seat, phase))


def retell(course: Course, told: Answer, *, repeated: bool = False) -> Answer:
    """An answer whose receipt was there already with all that its player was told at first; or to be told, if a run was killed."""
    receipt = told.receipt
    filed = course.desk.get((receipt.seat, receipt.phase), [])
    on_desk = next((one for one in filed if one.receipt.number == receipt.number), None)
    if on_desk is None:
        return replace(told, repeated=repeated)
    findings: list[Finding] = []
    if on_desk.file.sealed is not None:
        findings = inside(course, receipt.seat, receipt.phase, receipt.revision, on_desk.file)
    dry = foreseen(course, on_desk.plan) if on_desk.plan.plans is not None else None
    old = max((one for one in filed if one.receipt.number < receipt.number), key=lambda one: one.receipt.revision, default=None)
    replaces, played = (old.receipt, course.table.cursor(old.plan).line) if old is not None and not repeated else (None, 0)
    return replace(told, repeated=repeated, findings=findings, dry=dry, replaces=replaces, played_of_old=played)
