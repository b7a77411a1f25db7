"""A player's letters, opened on his machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbem.campaign.folder import CampaignError
from pbem.campaign.letters import read_receipt_letter
from pbem.cli.answering import tell_answer
from pbem.orders.encoding import unb64

if TYPE_CHECKING:
    from pbem.campaign.course import Course
    from pbem.campaign.keyring import Keyring
    from pbem.publish.words import Words

_LATEST = 3


def tell_letters(course: Course, seat: str, keyring: Keyring, words: Words) -> str:
    """The letters that belong to a seat's latest receipts, newest last. CampaignError when this key has not joined here."""
    from pbem.campaign.intake import Answer

    archive = course.archive
    remembered = keyring.games.get(archive.game.id, {}).get(seat)
    if remembered is None:
        raise CampaignError("not-joined-here", path=str(keyring.path).removesuffix(".pbem"), game=archive.game.name)
    mine = [kept.record for kept in archive.receipts if kept.record.seat == seat and kept.record.letter]
    # A plan whose phase has been played stands in the report; refused files are told until the next one comes.
    receipts = [receipt for receipt in mine if receipt.phase in course.ahead() or (receipt == mine[-1] and not receipt.accepted)]
    told = []
    for receipt in receipts[-_LATEST:]:
        letter = read_receipt_letter(archive.folder, archive.id, seat, receipt.number, unb64(remembered.letter))
        if letter is not None:
            answer = Answer(f"receipt {receipt.number}", receipt, letter.findings, letter.dry)
            told.append(tell_answer(course, answer, words, private=True))
    return "\n\n".join(told)
