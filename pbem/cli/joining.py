"""What a player has when he joins: a game file, an invite, a clock on the wall. Each is looked at before anything is signed."""

from __future__ import annotations

import os
import zoneinfo
from pathlib import Path

from pbem.campaign.folder import CampaignError, Folder, numbered, read
from pbem.campaign.records import CAP, BadRecord, Entry, Game, parse, split
from pbem.campaign.roster import invite_hash
from pbem.orders.findings import nearest


def game_of(path: Path) -> tuple[Game, Folder | None]:
    """The game file a path means: itself, whatever it is called, or the game.toml in a folder; and that folder, if it is one."""
    folder = Folder(path) if path.is_dir() else Folder(path.parent) if path.name == "game.toml" else None
    file = path / "game.toml" if path.is_dir() else path
    if not file.is_file():
        raise CampaignError("no-game-file", path=str(file))
    try:
        return parse(read(file, CAP), Game), folder
    except BadRecord:
        raise CampaignError("not-a-game", path=str(file)) from None


def check_invite(game: Game, folder: Folder | None, seat: str, invite: bytes, *, later: bool = False) -> None:
    """CampaignError unless an invite opens a seat.

    The game file knows the first invite of each seat, the ledger those made since. ``later``: it is one of those, and there is no ledger.
    """
    seats = [one.name for one in game.seats]
    if seat not in seats:
        raise CampaignError("unknown-seat-here", found=seat, allowed=seats, nearest=nearest(seat, seats))
    given = invite_hash(invite)
    known = [(one.name, one.invite) for one in game.seats]
    good = dict(known)
    for name, hashed in _later(folder) if folder is not None else []:
        known.append((name, hashed))
        good[name] = hashed
    owners = [name for name, hashed in known if hashed == given]
    if owners and seat not in owners:
        raise CampaignError("invite-of-another", owner=owners[0], seat=seat)
    if owners and good[seat] != given:
        raise CampaignError("void-invite" if good[seat] else "used-invite", seat=seat, game=game.name)
    if not owners and not later:
        raise CampaignError("unknown-invite", seat=seat, game=game.name)


def _later(folder: Folder) -> list[tuple[str, str]]:
    """Seat and hash of the invites made later, and "" for a seat whose invite has been used: as a ledger tells it, in order.

    An entry that cannot be read says nothing here: proving it is for the audit.
    """
    found = []
    for path in numbered(folder.ledger):
        try:
            entry = parse(split(read(path, CAP)).signed, Entry)
        except (BadRecord, CampaignError):
            continue
        if entry.hash or entry.kind == "join":
            found.append((entry.seat, entry.hash))
    return found


def zone_here() -> str:
    """The zone this machine is set to, by TZ or the link /etc/localtime; UTC where neither tells."""
    zones = zoneinfo.available_timezones()
    told = os.environ.get("TZ", "").removeprefix(":")
    if told:
        return told if told in zones else "UTC"
    try:
        linked = Path("/etc/localtime").resolve().as_posix().partition("zoneinfo/")[2]
    except (OSError, RuntimeError):   # RuntimeError: a link that leads back to itself
        return "UTC"
    return linked if linked in zones else "UTC"
