"""Sentences for what stops a command on its user's own machine: the files he names, the options he gives.

As in ``publish.complaints``, which has those about a campaign: code → (sentence after ``error:``, sentence after ``hint:`` or "").
"""

from __future__ import annotations

from pbem.publish.complaints import STOPS as ABOUT_CAMPAIGNS


def _(message: str) -> str:
    """Marks a sentence for the catalogue; it is translated when it is said."""
    return message


STOPS: dict[str, tuple[str, str]] = ABOUT_CAMPAIGNS | {
    "same-name": (
        _("the campaign in {path} is called {found} too, and two of one name cannot stand on one site"),
        _("its name is written in game.toml and cannot change: publish one of them elsewhere"),
    ),
    "no-way-back-there": (
        _("the game cannot go back to entry {found}: what it told has been taken back, or is how the game stands now"),
        _("it can go back to where it stood after entry {ways}"),
    ),
    "no-way-back-yet": (_("in {path} nothing has been played yet that could be taken back"), ""),
    "no-way-back-unset": (
        _("the game of {path} has not been set up yet: there is nothing to take back"),
        _("pbem status {path} tells who is missing"),
    ),
    "text-long": (_("the sentence that tells why has {found} characters, and at most {most} fit into an entry"), _("say it shorter")),
    "text-unreadable": (_("the sentence that tells why has characters that are none"), _("type it anew")),
    "seat-conceded": (_("{seat} has conceded, and who has conceded keeps his seat to the end"), ""),
    "seat-unheld": (
        _("nobody holds the seat {seat} now, so no orders are taken for it"),
        _("it has to be joined with a new invite first: the organiser makes one with pbem invite"),
    ),
    "seat-is-free": (_("the seat {seat} is free already"), _("pbem invite {path} --seat {seat} prints an invite for who takes it")),
    "seat-not-joined": (
        _("nobody has taken the seat {seat} yet"),
        _("pbem invite {path} --seat {seat} prints a new invite for it; the old one is void then"),
    ),
    "renew-alone-some": (
        _("not everybody has agreed to a new secret of {path}: the consent of {seats} is missing"),
        _("it is sent by: pbem request … consent --step rekey"),
    ),
    "renew-alone-deputy": (_("that key is not the deputy's whom {path} names"), _("without --deputy every seat ({seats}) has to agree")),
    "renew-alone-no-deputy": (
        _("{path} names no deputy: that is done at pbem new, or not at all"),
        _("let every seat ({seats}) send: pbem request … consent --step rekey; then leave --deputy away"),
    ),
    "no-file": (_("there is no {what} {path}"), _("check the name, and that you are in the folder where it lies")),
    "is-folder": (_("{path} is a folder and no {what}"), _("name the file itself")),
    "odd-file": (_("{path} is no {what}: neither a file nor a folder"), _("name the file itself")),
    "empty-file": (_("the {what} {path} is empty"), _("save it in your editor, and try again")),
    "no-cases": (_("there are no case files in {path}"), _("cases are files whose names end in .toml")),
    "there-otherwise": (_("{path} is there already, and it is no report of this kind"), _("choose another name; what is there stays")),
    "there-already": (_("{path} is there already"), _("--force writes over it; or choose another place")),
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
    "no-seat-beside-key": (
        _("{path} does not know the seat {seat} of this game"),
        _("it was made by pbem join beside the key you joined with: name that key with --key, or the newest folder of the campaign"),
    ),
    "inbox-elsewhere": (
        _("the mail of {path} does not come in by a Maildir, but as private/mail.toml says"),
        _("send the file there, from the address it is to be answered to"),
    ),
    "no-mail-here": (
        _("no mail{whose} lies in {path}"), _("pbem mail send lays them there, unless private/mail.toml names a mail server"),
    ),
    "signed-already": (_("{path} is signed already"), _("send it as it is, or change and sign the file it was made from")),
    "same-file": (_("-o {path} is the file itself"), _("leave -o away: the signed file gets a name of its own, and yours stays readable")),
    "option-is-a-file": (_("{found} is the name of a file, not what the option {option} can be"), _("--option {option}=@{found} reads it")),
    "bad-option-value": (_("the option {option} cannot be {found}; it is {allowed}"), ""),
    "github-environment": (
        _("the variable {name} is missing, or is not what it should be"),
        _("the jobs of a campaign repository have it from GitHub; GITHUB_TOKEN has to be handed over in env"),
    ),
    "github-event": (_("{path} is not the file of an event"), ""),
    "github-unreachable": (
        _("GitHub did not do what was asked ({what}: {status})"), _("nothing is lost: run it again, or wait for the next run"),
    ),
    "github-raced": (
        _("others have pushed each of the {rounds} times this run wanted to; it has thrown away what it made"),
        _("nothing is lost: run it again, or wait for the next run"),
    ),
    "git-failed": (_("git {what} did not work (exit status {status})"), _("nothing was published; run it again")),
    "bad-branch": (_("{found} is no branch to push to"), _("GITHUB_REF_NAME names it")),
    "no-repository": (_("{path} is no copy of a git repository"), _("this runs in a fresh clone of the campaigns' repository")),
    "repository-dirty": (_("{path} has changes that are not committed"), _("commit them or put them away; a fresh clone is best")),
    "repository-diverged": (_("{path} has commits that the branch {branch} does not have"), _("start from a fresh clone")),
    "private-staged": (
        _("{path} is private and was about to be committed; nothing was"), _("write * into a file .gitignore in that private folder"),
    ),
    "bad-defaults": (_("{path} cannot be read; it may say seal = \"all\" or seal = \"bids\""), ""),
    "bad-answers": (_("{path} is not a file of answers"), ""),
    "init-there": (_("{path} is not empty"), _("name a folder that does not exist yet")),
    "init-pbem": (
        _("it is not known which pbem the jobs of the repository are to run"),
        _("name a public repository and the full number of a commit: --pbem OWNER/NAME@COMMIT"),
    ),
    "bad-pbem": (_("{found} does not name a commit"), _("write OWNER/NAME@COMMIT with the 40 digits of the commit")),
}
