"""A new campaign: its game file, its secret, an invite per seat."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import tomli_w

from pbem.campaign import beacon, clock, closing, secret
from pbem.campaign.folder import NAME, CampaignError, Folder, write
from pbem.campaign.records import PROTOCOL, Game, Processor, SeatEntry
from pbem.campaign.roster import invite_hash
from pbem.campaign.secret import Secret
from pbem.campaign.timing import make_clock, phase_names
from pbem.engine import registry
from pbem.engine.chance import SeededChance
from pbem.engine.refusals import Refusal
from pbem.engine.steps import first_step
from pbem.engine.title import Title
from pbem.orders.encoding import sha256
from pbem.orders.findings import Unreadable, nearest
from pbem.orders.join import invite_text
from pbem.orders.keys import PublicKey


@dataclass(frozen=True)
class Created:
    """Seat → invite code, and the words of the recovery sheet (None when the secret came from ``PBEM_SECRET``)."""

    game: Game
    invites: dict[str, str]
    recovery: list[str] | None


def create(
    folder: Folder, now: datetime, *, title: str, seats: Sequence[str], options: Mapping[str, Any] | None = None,
    close: str = "48h", seal: str = "bids", silence: str = "default",
    deputy: str = "", organiser: str = "", hotseat: bool = False, raw_id: bytes | None = None,
    phases: Mapping[str, str] | None = None, spans: Mapping[str, str] | None = None, missed: int = 3,
) -> Created:  # fmt: skip
    """Writes ``game.toml`` and, unless ``PBEM_SECRET`` is set, the secret. CampaignError says what is wrong before anything is written.

    ``phases``: phase name → closing rule of its own; ``spans``: those of ``timing.DEFAULTS`` that shall be others.
    """
    name = folder.root.resolve().name
    if not NAME.fullmatch(name):
        raise CampaignError("bad-name", found=name)
    if folder.root.exists() and any(folder.root.iterdir()):
        raise CampaignError("exists", path=str(folder.root))
    kind = _known_title(title)
    _check_seats(seats, kind.seats)
    if organiser and organiser not in seats:
        raise CampaignError("unknown-seat", found=organiser, allowed=list(seats))
    try:
        confirming = PublicKey.parse(deputy).line() if deputy else ""
    except Unreadable as error:
        raise CampaignError("bad-deputy", why=error.findings[0].code) from None
    chosen = playable_options(title, seats, options or {})
    rule = str(closing.parse(close))
    timed = make_clock(phases or {}, spans or {}, phase_names(kind))
    from_environment = secret.from_environment()
    raw = from_environment or secret.new_raw()
    key = Secret(raw, raw_id or secrets.token_bytes(16))
    invites = {seat: key.invite(seat) for seat in seats}
    game = Game(
        protocol=PROTOCOL, id=key.id.hex(), name=name, title=title, rules=kind.rules, created=clock.text(now), close=rule, seal=seal,
        silence=silence, options=chosen, seats=[SeatEntry(name=seat, invite=invite_hash(invites[seat])) for seat in seats],
        processor=Processor(
            key=key.signing_key.public.line(), beacon=beacon.end(key.beacon_seed).hex(), private=sha256(key.private).hex()
        ),
        organiser=organiser, hotseat=hotseat, deputy=confirming, missed=missed, clock=timed,
    )  # fmt: skip
    if from_environment is None:
        folder.private.mkdir(parents=True, exist_ok=True)
        write(folder.private / ".gitignore", b"*\n")
        secret.keep(folder, raw)
    write(folder.game, tomli_w.dumps(msgspec.to_builtins(game)).encode())
    return Created(game, {seat: invite_text(invite) for seat, invite in invites.items()}, None if from_environment else secret.words(raw))


def playable_options(title: str, seats: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """All options of a title, those not named at their default, with which these seats can play. CampaignError says what does not fit."""
    kind = _known_title(title)
    _check_seats(seats, kind.seats)
    chosen = _options(kind.options, options)
    try:
        # A board or option that cannot be played must be refused now, not when all seats are taken.
        first_step(kind, msgspec.convert(chosen, kind.options), list(seats), SeededChance(0))
    except Refusal as refusal:
        told = (title, refusal.code, refusal.field, refusal.facts)
        raise CampaignError("bad-option", why=refusal.code.replace("-", " "), refusal=told) from None
    return chosen


def _known_title(title: str) -> Title[Any]:
    if title not in registry.slugs():
        raise CampaignError("unknown-title", found=title, known=registry.slugs(), nearest=nearest(title, registry.slugs()))
    return registry.title(title)


def _check_seats(seats: Sequence[str], allowed: range) -> None:
    for seat in seats:
        if not NAME.fullmatch(seat):
            raise CampaignError("bad-seat", found=seat)
    if len(set(seats)) != len(seats):
        raise CampaignError("seat-twice", found=next(seat for seat in seats if list(seats).count(seat) > 1))
    if len(seats) not in allowed:
        raise CampaignError("wrong-seats", found=len(seats), allowed=how_many(allowed))


def how_many(seats: range) -> str:
    """For how many players a title is, in figures: "2", "2 to 4"."""
    least, most = seats.start, seats.stop - 1
    return str(least) if least == most else f"{least} to {most}"


def _options(kind: type[msgspec.Struct], given: Mapping[str, Any]) -> dict[str, Any]:
    """Options with their defaults filled in, so that a later default changes no running campaign."""
    fields = kind.__struct_fields__
    for name in given:
        if name not in fields:
            code = "unknown-option" if fields else "unknown-option-none"
            raise CampaignError(code, found=name, allowed=list(fields), nearest=nearest(name, fields))
    try:
        options = msgspec.convert(dict(given), kind)
    except msgspec.ValidationError as error:
        raise _misfit(kind, given, str(error)) from None
    return {name: getattr(options, name) for name in fields}


def _misfit(kind: type[msgspec.Struct], given: Mapping[str, Any], why: str) -> CampaignError:
    """What may stand in an option that has another value."""
    for name, hint in get_type_hints(kind, include_extras=True).items():
        if f"`$.{name}`" in why and (allowed := _allowed(hint)):
            near = nearest(str(given[name]), [str(value) for value in get_args(hint)]) if get_origin(hint) is Literal else None
            return CampaignError("bad-option-value", option=name, found=given[name], allowed=allowed, nearest=near)
    return CampaignError("bad-option", why=why)


def _allowed(hint: Any) -> str:
    """The values of a kind in words; "" for a kind no option has yet."""
    if get_origin(hint) is Literal:
        *others, last = [str(value) for value in get_args(hint)]
        return f"{', '.join(others)} or {last}" if others else last
    if get_origin(hint) is Annotated:
        plain, *metas = get_args(hint)
        ends = [(meta.ge, meta.le) for meta in metas if isinstance(meta, msgspec.Meta)]
        return _allowed(plain) + "".join(f" from {least} to {most}" for least, most in ends if least is not None and most is not None)
    return {bool: "true or false", int: "a whole number", str: "a text"}.get(hint, "")
