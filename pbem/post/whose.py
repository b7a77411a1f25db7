"""Which campaign a mail is for, where several share one mailbox.

A file belongs to the campaign that it names: a join file by the campaign's id, anything else by name; where no campaign here has that
name, by the entry its author saw, so that a misspelt name is answered by the campaign that is meant. What names none goes with the rest
of the mail: the thread it is in, the name in its subject, the address it comes from.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from email.message import Message

from pbem.campaign import archive as archives
from pbem.campaign import records
from pbem.campaign.folder import CampaignError, Folder, read
from pbem.campaign.intake import Incoming
from pbem.campaign.records import BadRecord, Game
from pbem.orders.signed import CAP
from pbem.post import contacts
from pbem.post.headers import subject_words

ELSEWHERE = "elsewhere"
"""What belongs to a campaign that is not among those asked about."""

_LINE = {
    key: re.compile(rb"^[ \t]*[\"']?" + key.encode() + rb"[\"']?[ \t]*=[ \t]*[\"']([a-z0-9-]{1,60})[\"']", re.MULTILINE)
    for key in ("game", "id", "after")
}
_OURS = re.compile(r"<([a-z0-9][a-z0-9-]{0,39})\.[0-9a-f]{32}@")


class Address:
    """A campaign as mail can be for it."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self._archive = archives.begin(folder)

    @property
    def game(self) -> Game:
        return self._archive.game

    def has(self, after: str) -> bool:
        """Whether that is the name of an entry of this ledger, or of its beginning."""
        number, _, _ = after.partition("-")
        if not number.isdecimal() or len(number) > 9:
            return False
        if int(number) == 0:
            return records.head_of(0, self._archive.game_digest) == after
        try:
            digest = records.split(read(self.folder.entry(int(number)), records.CAP)).identity
        except (BadRecord, CampaignError):
            return False
        return records.head_of(int(number), digest) == after


def of_file(file: Incoming, campaigns: Sequence[Address]) -> Address | str | None:
    """The campaign of a file, ELSEWHERE, or None when it names none. What it says is not proven yet: it only says where it is judged."""
    if file.faults:
        return None
    said = {key: found[1].decode("ascii") for key, line in _LINE.items() if (found := line.search(file.data[:CAP]))}
    if "id" in said and "after" not in said:
        return next((one for one in campaigns if one.game.id == said["id"]), ELSEWHERE)
    named = [one for one in campaigns if one.game.name == said.get("game")]
    if len(named) == 1:
        return named[0]
    meant = next((one for one in named or campaigns if "after" in said and one.has(said["after"])), None)
    if meant is not None:
        return meant
    return named[0] if named else ELSEWHERE if "game" in said else None


def of_mail(message: Message, sender: str, campaigns: Sequence[Address]) -> Address | str:
    """The campaign of what names none itself: by thread, subject, sender; else the first. ELSEWHERE in the thread of another."""
    names = [name for key in ("in-reply-to", "references") for name in _OURS.findall(str(message.get(key, ""))[-8000:])]
    if names:
        return next((one for name in reversed(names) for one in campaigns if one.game.name == name), ELSEWHERE)
    words = set(subject_words(message))
    by_subject = next((one for one in campaigns if one.game.name in words), None)
    by_sender = next((one for one in campaigns if sender and contacts.seat_of(one.folder, sender)), None)
    return by_subject or by_sender or campaigns[0]
