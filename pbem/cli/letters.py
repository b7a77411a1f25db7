"""A player's letters, opened on his machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pbem.campaign.folder import CampaignError
from pbem.campaign.hidden import own_facts
from pbem.campaign.letters import read_receipt_letter
from pbem.cli.options import key_path, keyring_of
from pbem.orders.encoding import unb64
from pbem.publish.answering import tell_answer

if TYPE_CHECKING:
    from pbem.campaign.course import Course
    from pbem.campaign.keyring import Keyring
    from pbem.publish.words import Words

_LATEST = 3


def facts_for(course: Course, seat: str, key: Path | None) -> dict[str, Any] | None:
    """What a seat knows alone, from its letters; None where nothing is hidden, or where no key was named."""
    if not course.title.hidden or course.knows_all or key is None:
        return None
    secret = _letter_key(course, seat, keyring_of(key_path(key)))
    return own_facts(course.archive.folder, course, seat, secret)


def _letter_key(course: Course, seat: str, keyring: Keyring) -> bytes:
    game = course.archive.game
    seats = keyring.games.get(game.id, {})
    remembered = seats.get(seat)
    if remembered is None and seats:
        key = str(keyring.path).removesuffix(".pbem")
        raise CampaignError("key-of-another-seat", path=key, seat=next(iter(seats)), game=game.name, player=seat)
    if remembered is None:
        raise CampaignError("not-joined-here", path=str(keyring.path).removesuffix(".pbem"), game=game.name)
    return unb64(remembered.letter)


def tell_letters(course: Course, seat: str, keyring: Keyring, words: Words) -> str:
    """The letters that belong to a seat's latest receipts, newest last. CampaignError when this key has not joined here."""
    from pbem.campaign.intake import Answer

    archive = course.archive
    secret = _letter_key(course, seat, keyring)
    mine = [kept.record for kept in archive.receipts if kept.record.seat == seat and kept.record.letter]
    # A plan whose phase has been played stands in the report; refused files are told until the next one comes.
    receipts = [receipt for receipt in mine if receipt.phase in course.ahead() or (receipt == mine[-1] and not receipt.accepted)]
    told = []
    for receipt in receipts[-_LATEST:]:
        try:
            letter = read_receipt_letter(archive.folder, archive.id, seat, receipt.number, secret)
        except CampaignError as error:
            if error.code != "letter-closed":
                raise
            # To a key that this seat had before.
            continue
        if letter is not None:
            answer = Answer(f"receipt {receipt.number}", receipt, letter.findings, letter.dry)
            told.append(tell_answer(course, answer, words, private=True))
    return "\n\n".join(told)
