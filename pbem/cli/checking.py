"""A dry run on a player's machine: everything wrong with a file at once, and what it would do."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pbem.campaign.dryrun import DryRun, dry_run
from pbem.campaign.folder import CampaignError, read
from pbem.campaign.hidden import seat_view
from pbem.campaign.judge import Refused, judge
from pbem.campaign.plans import Plan
from pbem.cli.options import must_be_file
from pbem.cli.signing import beside
from pbem.orders.convert import wrong_type
from pbem.orders.file import NAMESPACE, OrderFile, read_order
from pbem.orders.findings import Finding, Unreadable
from pbem.orders.keys import PublicKey
from pbem.orders.seal import check_seal_to
from pbem.orders.signed import CAP, open_signed, split
from pbem.orders.toml import read as read_toml
from pbem.orders.write import read_own

if TYPE_CHECKING:
    from pbem.campaign.course import Course


class Checked(msgspec.Struct):
    """What a dry run found. ``dry`` None when the file could not be read so far, or is sealed."""

    seat: str = ""
    phase: str = ""
    findings: list[Finding] = []
    dry: DryRun | None = None
    sealed: bool = False
    wants_revision: int = 0
    """The number the file has to have, because as many are in already and signing it would not come to it; 0 = its own is right."""


def check_file(course: Course, path: Path, key: Path | None = None) -> Checked:
    """Reads a signed or unsigned order file as its player would send it."""
    must_be_file(path, "order file")
    data = read(path, CAP)
    result = Checked()
    try:
        text, signer = data, None
        if b"BEGIN SSH SIGNATURE" in data:
            signed, signer = open_signed(data, NAMESPACE)
            text = signed.signed
        _check(course, text, result, key, signer)
        if result.wants_revision and _revision_beside(path, result) + 1 >= result.wants_revision:
            result.wants_revision = 0
    except Unreadable as error:
        result.findings = error.findings
    except Refused as refused:
        result.findings = [Finding(refused.code, "", refused.facts)]
    return result


def _check(course: Course, text: bytes, result: Checked, key: Path | None, signer: PublicKey | None) -> None:
    """``signer``: whose signature the text has, None when it has none yet: then the seat's own key is taken for granted."""
    from pbem.campaign import clock
    from pbem.cli.letters import facts_for
    from pbem.orders.write import dump

    table: dict[str, Any] = read_own(text)
    seal_to = table.get("seal_to")
    must_seal = seal_to is not None and signer is None
    if must_seal:
        del table["seal_to"]
    result.sealed = "sealed" in table
    file = read_order(dump(table), course.title.orders)
    result.seat, result.phase = file.player, file.phase
    member = course.members.get(file.player)
    if member is not None:
        try:
            judge(course, file, signer or member.key, course.since or clock.parse(course.archive.game.created))
        except Refused as refused:
            # A plan that will be sealed on signing is still readable here, and what is not signed yet can still be numbered.
            if refused.code in ("revision-taken", "older-revision") and (signer is None or _is_in(course, file, text)):
                result.wants_revision = refused.facts["next"] if signer is None else 0
                if file.sealed is None and course.must_seal(file.phase) and not must_seal:
                    raise Refused("must-be-sealed", phase=file.phase) from None
            elif not (must_seal and refused.code == "must-be-sealed"):
                raise
    else:
        code = "not-joined" if file.player in course.seats else "unknown-seat"
        raise Refused(code, found=file.player, seat=file.player, allowed=course.seats)
    if must_seal:
        _check_seal(course, seal_to, file.phase)
    if file.plans is None:
        return
    after = course.last_steps[course.entries[file.after]]
    plan = Plan(file="check", seat=file.player, phase=file.phase, after_step=after, plans=file.plans, then=file.then)
    facts = facts_for(course, file.player, key)
    if facts is not None or course.knows_all:
        result.dry = dry_run(course.title, seat_view(course, file.player, facts), plan)


def _is_in(course: Course, file: OrderFile, signed: bytes) -> bool:
    """Whether this very file has been taken: then it is answered again as it was."""
    identity = hashlib.sha256(signed).hexdigest()
    return any(item.receipt.file == identity for item in course.desk[(file.player, file.phase)])


def _revision_beside(path: Path, result: Checked) -> int:
    """The number in the signed file that lies beside a readable one, which signing goes on from; 0 without one of this seat and phase."""
    try:
        table = read_toml(split(read(beside(path, "order"), CAP)).signed)
    except (CampaignError, Unreadable):
        return 0
    number = table.get("revision")
    mine = (table.get("player"), table.get("phase")) == (result.seat, result.phase)
    return number if mine and isinstance(number, int) else 0


def _check_seal(course: Course, line: Any, phase: str) -> None:
    """Raises Unreadable unless sealing to that line makes a box that the processor opens."""
    if not isinstance(line, str):
        raise Unreadable([wrong_type(line, "seal_to", "text")])
    campaign, _, public = check_seal_to(line, phase, course.archive.key)
    now = course.keys.get(phase)
    if campaign != course.archive.id or now is None or public != now.public:
        raise Unreadable([Finding("bad-seal-to", "seal_to", {"reason": "other"})])


def tell_check(course: Course, result: Checked, words: Any) -> str:
    """The dry run for a terminal."""
    from pbem.publish.answering import dry_lines, finding_line, meaningless_lines

    if result.findings:
        lines = [finding_line(finding, words) for finding in result.findings]
        return "\n".join(["This file would not be taken:", *(f"  {line}" for line in lines)])
    lines = [f"{words.seat(result.seat)}, {words.phase(result.phase)}: the file can be read and would be taken."]
    if result.wants_revision:
        lines.append(
            f"But its number is taken: revision {result.wants_revision - 1} is in already. "
            f"Write revision = {result.wants_revision} in it before you sign it."
        )
    if meaningless := meaningless_lines(result.dry, words):
        lines += ["Something in it cannot be meant:", *(f"  {line}" for line in meaningless)]
    if result.sealed:
        lines.append("It is sealed; check the readable file to see what it would do.")
    return "\n".join(lines + dry_lines(result.dry, words, course, result.seat, result.phase))


