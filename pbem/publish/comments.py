"""What is said in a comment on the forge. Nothing a stranger wrote stands in it but inside a fence that he cannot close."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pbem.publish.answering import tell_answer
from pbem.publish.receipts import FOR_GOOD
from pbem.publish.words import Words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbem.campaign.course import Course
    from pbem.campaign.intake import Answer

LONGEST = 20_000
COLUMNS = 90


def receipt_comment(course: Course, answer: Answer, words: Words) -> str:
    """A receipt as Markdown: a line, then its public text as it is."""
    _ = words.gettext
    receipt, game = answer.receipt, course.archive.game.name
    if receipt.accepted:
        line = _("**{game}**: your file is in. This is receipt {number}.")
    else:
        line = _("**{game}**: your file does not count. This is receipt {number}; it says why.")
    told = tell_answer(course, answer, words, columns=COLUMNS, folder=f"{course.archive.folder.root.parent.name}/{game}")
    said = [line.format(game=game, number=receipt.number), "", fenced(told)]
    if not receipt.accepted and receipt.reason not in FOR_GOOD:
        said += ["", _("Put it right and send it again: edit your text above, or write it into a comment.")]
    return "\n".join(said)


def note_comment(code: str, words: Words, games: Sequence[str] = ()) -> str:
    """What is said where there is no receipt: "nothing" was found, "which-game" a file is for, "too-many" of them, the game is "over"."""
    _ = words.gettext
    listed = ", ".join(f"`{game}`" for game in games)
    sentences = {
        "nothing": _(
            "No signed order, join or request file was found here. Run `pbem armour an.order.toml` (with the name of the file that"
            " `pbem sign`, `pbem join` or `pbem request` has made), copy everything it prints, the BEGIN and END lines too, and paste it:"
            " edit your text above, or write it into a comment."
        ),
        "which-game": _(
            "This file names no campaign of this repository, so nobody could judge it, and there is no receipt for it."
            " Campaigns here: {games}."
        ).format(games=listed or "–"),
        "too-many": _(
            "Too many files have come from this account in one day that no player has signed, or that had come before. This one was not"
            " received, and there is no receipt for it. Of new ones signed with a player's key, 100 a day are received."
        ),
        "unread": _(
            "A file of this pull request cannot be read: GitHub does not hand it out. Paste it into an issue instead, as `pbem armour`"
            " prints it."
        ),
        "over": _("This game is over; nothing is received for it any more."),
    }
    return sentences[code]


def fenced(text: str) -> str:
    """Text in a code block: no mention, link, picture or HTML in it means anything, and nothing in it ends the block."""
    if len(text) > LONGEST:
        text = text[:LONGEST] + "\n…"
    # What begins like a mark of ours must not be taken for one when the comment is read again.
    text = text.replace("<!--", "<! --")
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text.rstrip()}\n{fence}"
