"""Sentences for what stops a command on its user's own machine: the files he names, the options he gives.

As in ``publish.complaints``, which has those about a campaign: code → (sentence after ``error:``, sentence after ``hint:`` or "").
"""

from __future__ import annotations

from pbem.publish.complaints import STOPS as ABOUT_CAMPAIGNS


def _(message: str) -> str:
    """Marks a sentence for the catalogue; it is translated when it is said."""
    return message


STOPS: dict[str, tuple[str, str]] = ABOUT_CAMPAIGNS | {
    "no-file": (_("there is no {what} {path}"), _("check the name, and that you are in the folder where it lies")),
    "is-folder": (_("{path} is a folder and no {what}"), _("name the file itself")),
    "there-already": (_("{path} is there already"), _("--force writes over it; or name another file with -o")),
    "no-game-file": (
        _("there is no game file {path}"),
        _("the organiser sends it with your invite, and it lies on the campaign's pages: save game.toml, and name it here"),
    ),
    "not-a-game": (_("{path} is not the game file of a campaign"), _("it is called game.toml, and came with your invite")),
    "invite-of-another": (
        _("this invite is for the seat {owner}, not for {seat}"),
        _("join with --seat {owner}, or ask the organiser for yours"),
    ),
    "unknown-invite": (
        _("this invite does not open the seat {seat} of {game}"),
        _("copy it again, whole; one that was made after the game had begun needs the newest folder of the campaign, or --later"),
    ),
    "void-invite": (
        _("this invite for the seat {seat} of {game} is void: a newer one has been made"),
        _("use the one the organiser sent last, or ask for it again"),
    ),
    "used-invite": (
        _("this invite for the seat {seat} of {game} has been used, and an invite is good once"),
        _("if that was you, you have joined; if not, or if you lost your key, ask the organiser for a new one"),
    ),
    "unknown-zone": (_("there is no time zone {found}"), _("write it like Europe/Paris or Asia/Seoul")),
    "signed-already": (_("{path} is signed already"), _("send it as it is, or change and sign the file it was made from")),
    "same-file": (_("-o {path} is the file itself"), _("leave -o away: the signed file gets a name of its own, and yours stays readable")),
    "option-is-a-file": (_("{found} is the name of a file, not what the option {option} can be"), _("--option {option}=@{found} reads it")),
    "bad-option-value": (_("the option {option} cannot be {found}; it is {allowed}"), ""),
}
