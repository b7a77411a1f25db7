"""Sentences for what stops a command, for refused files, and for what an audit finds false: from code and facts, with a hint.

``complaint`` serves all three; a code without a sentence of its own is told plainly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any

from pbem.publish.columns import clean

Gettext = Callable[[str], str]


def _(message: str) -> str:
    """Marks a sentence for the catalogue; it is translated when it is said."""
    return message


STOPS: dict[str, tuple[str, str]] = {
    "no-campaign": (_("there is no campaign in {path}: it has no game.toml"), _("pbem new {path} --title … --seats … starts one")),
    "campaign-is-folder": (_("{path} is a campaign's game file, and its folder is asked for"), _("name it: {folder}")),
    "campaign-below": (_("there is no campaign in {path}: it has no game.toml"), _("name the campaign's own folder: {found}")),
    "busy": (_("another run is working on {path}"), _("wait until it has finished and try again")),
    "bad-channels": (
        _("{path} cannot be read: it does not say until when each channel was read"),
        _("delete it; the next pbem mail fetch writes it anew"),
    ),
    "not-a-file": (_("{path} is not a file"), _("name the order file itself, such as an.order.toml")),
    "cannot-read": (_("{path} cannot be read: {reason}"), ""),
    "cannot-write": (_("{path} cannot be written: {reason}"), _("nothing was lost; make room or choose another place, and try again")),
    "too-large": (_("{path} is larger than {limit} bytes"), ""),
    "bad-time": (_("{found} is not a time"), _("write it like 2026-12-03T19:00 (UTC) or 2026-12-03T20:00+01:00")),
    "bad-span": (_("{found} is not a length of time"), _("write {allowed}; a year is the longest")),
    "unknown-zone": (_("there is no time zone {found}"), _("a zone is named after a city, like Europe/Paris or Asia/Seoul")),
    "absence-past": (_("that absence is over: it ended at {end}, and it is {now}"), _("is the year right?")),
    "absence-long": (_("an absence is at most a year long; this one goes from {start} to {end}"), _("is the year right?")),
    "absence-time": (_("{found} is neither a day nor a time"), _("write a day like 2026-12-20, or a time like \"2026-12-20 18:00\"")),
    "close-empty": (_("this is not when a phase closes"), _("write 48h, none, or mon,thu 20:00 Europe/Berlin")),
    "close-least": (_("least has to say how long a phase is open at the least"), _("write it like least 24h")),
    "close-word": (
        _("{word} is neither a day, nor a time, nor a time zone"),
        _("write the closing time like mon,thu 20:00 Europe/Berlin least 24h"),
    ),
    "close-bad-time": (_("{word} is not a time of the day"), _("write it from 00:00 to 23:59")),
    "close-no-time": (_("{found} does not say at what time phases close"), _("write it like mon,thu 20:00 Europe/Berlin")),
    "close-no-zone": (_("{found} does not say in which time zone"), _("add it: {found} Europe/Berlin, or UTC")),
    "close-twice": (_("{found} says two times or two zones; {word} is one too many"), _("one rule has one time and one zone")),
    "no-such-phase": (_("this game has no phase called {found}"), _("it is the word after the point in 3.move: --close-phase move=24h")),
    "paused": (_("the game pauses until {until}"), _("pbem pause GAME --over ends the pause")),
    "not-paused": (_("{path} does not pause"), ""),
    "nothing-open": (_("in {path} no phase is being played"), ""),
    "bad-pause-end": (_("a pause cannot end at {found}"), _("it ends after now, {now}, and within a year")),
    "no-closing-time": (_("{phase} has no closing time that could be put off"), ""),
    "extends-nothing": (_("{found} puts nothing off: the phase closes at {closes}, and it is {now}"), _("name a later time")),
    "extends-too-far": (
        _("{found} is too far: the closing time of this phase can be put off until {most}"),
        _("the game file says how much that is; pbem pause lets the whole game rest"),
    ),
    "absence-backwards": (_("an absence from {start} to {end} ends before it begins"), ""),
    "old-clock": (
        _("{path} was made by an earlier version: its entries carry no closing times"),
        _("it has only --close SPAN and --silence; absences, pauses and extensions are for games made since"),
    ),
    "bad-secret": (
        _("the secret of this campaign cannot be read"),
        _("PBEM_SECRET and private/secret.toml hold 64 hexadecimal digits or the 17 words of the recovery sheet"),
    ),
    "no-secret": (
        _("this machine is not the processor of {path}: there is no private/secret.toml and PBEM_SECRET is not set"),
        _("only whoever holds the secret can receive and process; everybody can audit, report and show"),
    ),
    "wrong-secret": (
        _("the secret on this machine belongs to another campaign than {path}"),
        _("check PBEM_SECRET, or put back the private/secret.toml that pbem new wrote"),
    ),
    "sheet-count": (_("a recovery sheet has 17 words, and here are {found}"), _("write them in their order, with blanks between")),
    "sheet-word": (
        _("word {number} cannot be on a recovery sheet"),
        _("each has five letters: consonant, vowel, consonant, vowel, consonant; look at it again"),
    ),
    "sheet-check": (
        _("these words do not fit together: one is misread, or two have changed places"),
        _("compare each with the sheet; the last word checks the others"),
    ),
    "sheet-of-another": (
        _("these words are a recovery sheet, but not that of {path}"),
        _("take the sheet of this campaign; after pbem secret renew it is the newest one"),
    ),
    "bad-name": (
        _("{found} cannot be the name of a campaign"),
        _("names have small letters a to z, digits and dashes, at most 40, as in winter-court"),
    ),
    "bad-seat": (_("{found} cannot be the name of a seat"), _("seats have small letters a to z, digits and dashes, as in an,bo,chen,dai")),
    "unknown-seat": (_("there is no seat {found} to be the organiser's"), _("the seats are {allowed}")),
    "seat-twice": (_("the seat {found} is named twice"), ""),
    "wrong-seats": (_("{found} seats do not fit this title: it is for {allowed}"), ""),
    "exists": (_("{path} is not empty"), _("choose a new folder; a campaign is never overwritten")),
    "unknown-title": (_("there is no title {found} here"), _("pbem titles lists them: {known}")),
    "unknown-option": (_("this title has no option {found}"), _("its options are {allowed}")),
    "unknown-option-none": (_("this title has no option {found}; it has none at all"), ""),
    "bad-option": (_("an option does not fit: {why}"), ""),
    "newer-protocol": (
        _("{path} was made by a newer pbem (protocol {found}; this one knows {known})"),
        _("install the newest pbem"),
    ),
    "not-open": (_("{found} is not the phase being played"), _("it is {now}; only that one can be closed")),
    "bad-keyring": (_("{path} is not a keyring that pbem wrote"), _("put back a copy, or move it away and join again")),
    "letter-closed": (
        _("the letter {path} does not open with this key"),
        _("use the key file you joined with; its .pbem file lies beside it"),
    ),
    "no-key": (_("there is no key {path}"), _("pbem keygen -o {path} makes one, or name yours with --key")),
    "no-default-key": (
        _("no key was named, and there is no {path}"),
        _("pbem keygen -o an.key makes one; then name it with --key an.key"),
    ),
    "not-joined-here": (
        _("the key {path} has not joined a campaign called {game}"),
        _("sign with the key file you joined with; its .pbem file must lie beside it"),
    ),
    "no-position": (_("the game has not been set up yet; {missing}"), _("pbem status {path} tells who is missing")),
    "no-such-entry": (_("there is no entry {found}"), _("entries go from 1 to {most}")),
    "unknown-seat-here": (_("there is no seat {found} in this game"), _("its seats are {allowed}")),
    "game-over": (_("the game in {path} is over; there is nothing left to order"), _("pbem report {path} --text - tells how it ended")),
    "no-entries": (_("{path} has no ledger entry yet"), _("pbem process {path} writes the joins and the set-up")),
    "no-campaigns": (_("there is no campaign in {path}"), _("name the folder in which your campaigns lie")),
    "no-site": (_("there are no pages in {path}"), _("pbem site -o {path} builds them")),
    "demo-stuck": (_("the demo came to a halt in {path}; that is a fault of pbem, not yours"), ""),
    "demo-refused": (_("the demo's file {name} was refused ({reason}); that is a fault of pbem, not yours"), ""),
    "demo-false": (_("the demo's campaign {path} does not audit ({why}); that is a fault of pbem, not yours"), ""),
    "key-of-another-seat": (
        _("the key {path} plays {seat} in {game}, but the file is for {player}"),
        _("name the key that {player} joined with, or fetch the template of {seat}"),
    ),
    "ended": (_("the game in {path} has ended, and its ledger is closed"), _("pbem audit {path} proves it; nothing more is taken")),
    "need-key": (
        _("what {seat} knows alone stands in letters"),
        _("name the key that {seat} joined with: --key; its .pbem file must lie beside it"),
    ),
    "no-way-back": (_("the game cannot go back to entry {found}"), _("it can go back to where it stood after entry {ways}")),
    "seat-not-free": (
        _("the seat {seat} is taken, and an invite is for a free one"),
        _("for a player who has lost his key: pbem rekey; for another player in his place: pbem substitute; both print a new invite"),
    ),
    "seat-not-so": (_("that cannot be done with the seat {seat} now"), _("pbem status tells who has joined, and whose seat is free")),
    "no-such-ground": (
        _("that ground is not there: neither closings missed nor consents of all others suffice for it"),
        _("leave --ground away: the best one there is is named"),
    ),
    "cannot-correct": (_("that cannot be done: {why} (seat {seat}, entry {to})"), ""),
    "no-such-sentence": (_("there is no sentence {found} in that report"), _("sentences go from 1 to {most}")),
    "rules-moved": (
        _("{path} was played under rules version {found}; this pbem plays version {known} and does not have its position"),
        _("run pbem process once more with version {program}, on the machine that processed last; then update again"),
    ),
    "amend-late": (
        _("the game of {path} has begun: title, board and options can be changed only before it does"),
        _("end it with pbem end and start anew, or go on with what is being played"),
    ),
    "amend-nothing": (_("{title} with these options is what is to be played already"), ""),
    "amend-all-joined": (
        _("everybody has joined {path}, so the set-up is settled: changed now, title and options would choose it"),
        _("pbem invite {path} --seat {seat} makes that join void; then change them, and let {seat} join again with the new invite"),
    ),
    "bad-head": (
        _("{found} is not a ledger head"),
        _("a head is the number of an entry and digits of its digest, as in 41-3d19 or in full"),
    ),
    "far-time": (
        _("{found} lies more than a year from the clock and from all that happened in this campaign"),
        _("check the year; times are written like 2026-12-03T19:00"),
    ),
    "no-trust": (
        _("the ledger of {path} does not show that the processor you joined with has signed for the present one"),
        _("ask the organiser what happened, and whoever else plays; do not seal orders to it"),
    ),
    "renew-alone": (
        _("nobody has agreed to a new secret of {path}"),
        _("name the deputy's key with --deputy, or let every seat ({seats}) send: pbem request … consent --step rekey"),
    ),
    "renew-hidden": (_("a game with hidden hands, as {path} is, keeps its secret to the end"), _("end it with pbem end and begin anew")),
    "renew-environment": (_("PBEM_SECRET is set, for all campaigns at once"), _("unset it and use private/secret.toml of {path}")),
    "bad-deputy": (_("the deputy's key does not fit: {why}"), _("it is a public key of the kind ssh-ed25519, as in NAME.pub")),
    "nothing-asked": (_("{seat} has nothing to decide now: {why}"), ""),
    "unknown-phase": (_("orders for {found} are not taken now"), _("they are taken for {allowed}")),
    "bad-address": (_("{found} is not a mail address ({where})"), _("write it like an@example.org")),
    "bad-contacts": (_("the contacts in {path} cannot be read: {why}"), _("put it right, or move it away and name the addresses anew")),
    "bad-told": (
        _("{path}, which says what has been mailed, cannot be read"),
        _("move it away; what has gone out is not sent again"),
    ),
    "bad-mail-settings": (_("the mail settings in {path} do not fit: {why}"), _("docs/formats.md lists what may stand there")),
    "no-mail-settings": (_("there are no mail settings in {path}, which {variable} names"), ""),
    "open-mail-settings": (
        _("the mail settings in {path} can be changed by other users of this machine"),
        _("they name a command that is run; chmod 600 {path}"),
    ),
    "plain-mail": (
        _("mail to {host} would go over the network unencrypted"),
        _('write security = "tls" or "starttls"; unsafe = true if nobody can listen on that wire'),
    ),
    "password-command": (_("the password_command of [{server}] gave no password"), _("try it by hand; it has to print the password")),
    "smtp": (_("the mail server {host}:{port} cannot be used: {why}"), _("nothing is lost: what waits is sent by the next run")),
    "smtp-lost": (
        _("the mail server broke off {count} times in a row: {said}"),
        _("nothing is lost: what waits is sent by the next run"),
    ),
    "no-mail-address": (_("mails from {path} have no sender"), _('write address = "games@example.org" into private/mail.toml')),
    "mail-connection": (
        _("the mail server {host} (port {port}) cannot be reached: {reason}"),
        _("what had been fetched stands, and the next run does the rest; check the network, and [imap] in private/mail.toml"),
    ),
    "mail-certificate": (
        _("the mail server {host} does not prove that it is {host}: {reason}"),
        _("nothing was sent to it; check host in private/mail.toml, and the date of this machine"),
    ),
    "mail-login": (
        _("the mail server {host} does not let {user} in: {reason}"),
        _("many providers want an app password instead of your own; docs/organisers.md tells where it is made"),
    ),
    "mail-folder": (
        _("there is no folder {folder} on the mail server {host}: {reason}"), _("set folder under [imap] in private/mail.toml"),
    ),
    "mail-folder-name": (
        _("the folder {folder} cannot be named to a mail server"),
        _("choose one with a name of plain letters for [imap] in private/mail.toml"),
    ),
    "mail-server": (_("the mail server {host} refuses: {reason}"), _("what had been fetched stands; try again later")),
    "no-maildir": (
        _("there is no Maildir {path}"), _("look at inbox under [maildir] in private/mail.toml; mail servers make it with the first mail"),
    ),
    "no-mbox": (_("there is no mbox {path}, and no folder for it"), _("look at inbox under [mbox] in private/mail.toml")),
    "mbox-busy": (_("another program is working on {path}"), _("try again; if no mail program is at it, remove the .lock file beside it")),
    "mail-too-large": (_("a mail of {size} bytes is larger than the {limit} that are sent"), ""),
    "secret-there": (_("{path} is there already"), _("pbem secret check tells whether it is the right one; if not, move it away first")),
    "nothing-to-write": (_("name at least one of --html, --pdf and --text"), ""),
    "no-pdf": (_("the PDF cannot be made: {why}"), _("install {install}; pages and text work without")),
    "case-failed": (_("{failed} of {run} cases failed"), ""),
    "not-order": (_("{path} has no signature yet"), _("pbem sign {path} writes the signed file")),
}

REFUSALS: dict[str, tuple[str, str]] = {
    "wrong-game": (_("The file is for the game {found}; this is {expected}."), _("Fetch a new template for this game.")),
    "unknown-seat": (_("There is no seat {found} in this game."), _("The seats are {allowed}.")),
    "not-joined": (_("Nobody has taken the seat {seat} yet."), _("Send the join file first, and orders after the set-up.")),
    "wrong-key": (
        _("The file is for {seat}, but it was signed with another key ({signer})."),
        _("Sign it with the key {seat} joined with."),
    ),
    "other-history": (
        _("The file was written for a position this game never had: its line after = {after} is not in the ledger."),
        _("Fetch a new template: it may be from another campaign, or from before a turn was taken back."),
    ),
    "stale": (
        _("Since this file was written a turn of this player in this phase has been played, so its lines would no longer fit."),
        _("Nothing is guessed. Fetch a new template and send what is left of the plan."),
    ),
    "not-started": (_("The game has not been set up yet."), _("Orders can be sent when all seats are taken; missing: {seats}.")),
    "closed": (
        _("The phase {phase} has been played already. What you had sent in time has counted; if nothing had come, silence was played."),
        _("The game is at {now} now."),
    ),
    "unknown-phase": (_("Orders for {found} are not taken now."), _("They are taken for {allowed}.")),
    "late": (
        _(
            "The file came at {received}, after the phase had closed at {closes}. What you had sent in time counts; if nothing had come, "
            "silence is played."
        ),
        "",
    ),
    "revision-taken": (
        _("Another file with revision {revision} is in already, and the first one stands."),
        _("In the file that you edit, write revision = {next}; then sign it and send it again."),
    ),
    "older-revision": (
        _("A newer revision is in already than this revision {revision}."),
        _("To change it, write revision = {next} in the file that you edit; then sign it and send it again."),
    ),
    "must-be-sealed": (
        _("Orders for {phase} must be sealed, so that nobody can read them before it closes."),
        _("Fetch a new template and sign it with pbem sign: the template says to whom to seal."),
    ),
    "void": (
        _("The file was made void when the game was taken back, or when its seat changed hands."),
        _("Fetch a new template and send it anew."),
    ),
    "vacant": (_("Nobody holds the seat {seat} now: it has to be joined with a new invite, and orders count after that."), ""),
    "conceded": (_("{seat} has conceded."), ""),
    "no-absences": (_("This game was made by an earlier version and knows no absences."), _("Write to the organiser.")),
    "bad-absence": (
        _("An absence from {start} to {end} cannot be: both are times in UTC, the second after the first, at most a year apart."),
        _("pbem request GAME absence --from DAY --to DAY writes it."),
    ),
    "past-absence": (
        _("An absence from {start} to {end} is over already, so nothing would wait for it."),
        _("Look at the year. The times are in UTC."),
    ),
    "many-absences": (_("There are {most} absences of yours that are not over."), _("One can be long; --back takes them back.")),
    "older-request": (_("A request with number {number} or a higher one is in already."), _("Number the next one {next}.")),
    "bad-new-key": (_("The new key in the request is not one that can be used."), _("It must be a public key of the kind ssh-ed25519.")),
    "wrong-campaign": (_("The join file is for another campaign ({found}) than this one ({expected})."), ""),
    "seat-taken": (_("The seat {seat} is taken already."), ""),
    "bad-invite": (_("The invite code does not fit the seat {seat}."), _("Ask the organiser for the code again; each seat has its own.")),
    "key-taken": (
        _("Another seat has this key already."),
        _("Each player needs a key of his own, unless the organiser starts the game with --hotseat."),
    ),
}

SHORTER: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    # code of REFUSALS → sentences and hints for answers told again, whose facts are those of the receipt; the first that fits is said
    "wrong-game": ((_("The file is for another game than this one."),), ()),
    "unknown-seat": ((_("There is no such seat in this game."),), (_("Name one of the seats of this game."),)),
    "not-joined": ((_("Nobody has taken this seat yet."),), ()),
    "wrong-key": (
        (
            _("The file is for {seat}, but it was signed with another key."),
            _("The file was signed with another key than its player joined with."),
        ),
        (_("Sign it with the key you joined with."),),
    ),
    "other-history": ((_("The file was written for a position this game never had: its line after is not in the ledger."),), ()),
    "not-started": ((), (_("Orders can be sent when all seats are taken."),)),
    "closed": (
        (_("Its phase has been played already. What you had sent in time has counted; if nothing had come, silence was played."),),
        (),
    ),
    "unknown-phase": (
        (_("Orders for {phase} are not taken now."), _("Orders for such a phase are not taken now.")),
        (_("Fetch a new template: it names the phase that is asked."),),
    ),
    "late": (
        (_("The file came after the phase had closed. What you had sent in time counts; if nothing had come, silence is played."),),
        (),
    ),
    "revision-taken": (
        (_("Another file with this revision is in already, and the first one stands."),),
        (_("In the file that you edit, write a higher revision; then sign it and send it again."),),
    ),
    "older-revision": (
        (_("A newer revision than this one is in already."),),
        (_("To change it, write a higher revision in the file that you edit; then sign it and send it again."),),
    ),
    "must-be-sealed": ((_("Orders for this phase must be sealed, so that nobody can read them before it closes."),), ()),
    "vacant": ((_("Nobody holds this seat now: it has to be joined with a new invite, and orders count after that."),), ()),
    "conceded": ((_("This player has conceded."),), ()),
    "bad-absence": ((_("The absence cannot be: both its times are in UTC, the second after the first, at most a year apart."),), ()),
    "past-absence": ((_("The absence was over already when it came."),), ()),
    "many-absences": ((_("There are too many absences of yours that are not over."),), ()),
    "older-request": ((_("A request with this number or a higher one is in already."),), (_("Give the next one a higher number."),)),
    "wrong-campaign": ((_("The join file is for another campaign than this one."),), ()),
    "seat-taken": ((_("This seat is taken already."),), ()),
    "bad-invite": ((_("The invite code does not fit this seat."),), ()),
}

MEANINGLESS: dict[str, tuple[str, str]] = {
    "unknown-place": (_("There is no place {found} to watch, so this line would never stop for it."), ""),
}


_PHASES = {
    "closed": ("phase", "now"), "unknown-phase": ("phase", "found", "allowed"), "must-be-sealed": ("phase",), "not-open": ("now",),
    "no-closing-time": ("phase",),
}  # fmt: skip
"""Code → which of its facts are ids of phases."""


def with_phases(code: str, facts: Mapping[str, Any], told: Callable[[str], str]) -> dict[str, Any]:
    """The facts of a code, ids of phases in them told by ``told``: nobody has to know what 2.draw is."""
    made = dict(facts)
    for name in _PHASES.get(code, ()):
        value = made.get(name)
        if isinstance(value, list | tuple):
            made[name] = [told(str(each)) for each in value]
        elif value:
            made[name] = told(str(value))
    return made


def complaint(table: Mapping[str, tuple[str, str]], code: str, facts: Mapping[str, Any], gettext: Gettext) -> tuple[str, str]:
    """The sentence and the hint ("" for none) of a code. What came from outside is cut and cleaned before it is repeated.

    Why a file was refused reads well with the facts of the receipt alone, or with none: what they lack is left out of the sentence.
    """
    if code not in table:
        shown = ", ".join(f"{name} {_shown(value)}" for name, value in facts.items())
        return f"{code.replace('-', ' ')} ({shown})" if shown else code.replace("-", " "), ""
    shown_facts = _Facts({name: _shown(value) for name, value in facts.items() if value is not None and value != ""})
    sentence, hint = table[code]
    if table is REFUSALS:
        sentences, hints = SHORTER.get(code, ((), ()))
        sentence = _fitting((sentence, *sentences), shown_facts) or sentence
        hint = _fitting((hint, *hints), shown_facts)
    near = facts.get("nearest")
    said = gettext(sentence).format_map(shown_facts)
    if near:
        said += gettext("; did you mean {near}?").format(near=_shown(near))
    return said, gettext(hint).format_map(shown_facts) if hint else ""


def _fitting(sentences: Sequence[str], facts: Mapping[str, str]) -> str:
    """The first sentence whose facts are all there; "" when there is none."""
    return next((each for each in sentences if all(name is None or name in facts for _text, name, _f, _c in Formatter().parse(each))), "")


class _Facts(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "…"


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(clean(str(item), 60) for item in value) or "–"
    if hasattr(value, "strftime"):
        return f"{value:%Y-%m-%d %H:%M} UTC"
    return clean(str(value), 300)
