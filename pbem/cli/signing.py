"""Signing on a player's machine: which files are read and written beside each other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pbem.campaign.folder import CampaignError, read, write
from pbem.cli.options import must_be_file, save, writing
from pbem.orders.findings import refusal
from pbem.orders.keys import PrivateKey, PublicKey
from pbem.orders.making import SignedOrder, sign_order
from pbem.orders.signed import CAP
from pbem.orders.write import read_own

if TYPE_CHECKING:
    from pbem.campaign.keyring import Keyring


def beside(file: Path, word: str) -> Path:
    """an.toml → an.WORD.toml"""
    return file.with_name(f"{file.name.removesuffix('.toml')}.{word}.toml")


def sign_file_at(
    file: Path, key: PrivateKey, keyring: Keyring, output: Path | None = None, order_types: Any = None
) -> tuple[SignedOrder, Path, Path | None]:
    """Signs a player's readable file. Gives what was signed, where it lies, and where the plain copy of a sealed plan lies.

    ``order_types``: None for those of the title that was remembered at ``join``, if it is installed.
    """
    must_be_file(file, "order file")
    text = read(file, CAP)
    target = output or beside(file, "order")
    if b"BEGIN SSH SIGNATURE" in text:
        raise CampaignError("signed-already", path=str(file))
    if target.resolve() == file.resolve():
        raise CampaignError("same-file", path=str(target))
    table = read_own(text)
    _same_seat(table, keyring)
    phase = str(table.get("phase", ""))
    plain_path = beside(file, f"{phase}.plain") if phase and "/" not in phase and "\\" not in phase else None
    existing = read(target, CAP) if target.is_file() else None
    kept = read(plain_path, CAP) if plain_path is not None and plain_path.is_file() else None
    signed = sign_order(
        text, key, processor=_processor(table, keyring), existing=existing, existing_plain=kept,
        order_types=order_types or _known_orders(text, table, keyring),
    )
    # The plain copy first: a sealed file whose plan is lost would be worse than a copy too many.
    if signed.plain is not None and plain_path is not None:
        with writing(plain_path):
            write(plain_path, signed.plain, mode=0o600)
    save(target, signed.data, overwrite=True)
    if signed.text is not None:
        save(file, signed.text, overwrite=True)
    return signed, target, plain_path if signed.plain is not None else None


def orders_nothing(file: Path) -> bool:
    """Whether a readable file is one without orders, as a template is before anybody has touched it."""
    table = read_own(read(file, CAP))
    return not table.get("orders") and table.get("then", "ask") == "ask"


def _same_seat(table: dict[str, Any], keyring: Keyring) -> None:
    """A key that plays another seat of this game is the wrong one: better said now than by a receipt."""
    game, player = str(table.get("game", "")), table.get("player")
    seats = keyring.seats(game)
    if seats and player not in seats:
        raise CampaignError("key-of-another-seat", path=str(keyring.path).removesuffix(".pbem"), seat=seats[0], game=game, player=player)


def _known_orders(text: bytes, table: dict[str, Any], keyring: Keyring) -> Any:
    """The orders of the title played in that game, so that a slip is found before it is sent; None where it is not known here.

    A template names its title in the line for editors; what was remembered at ``join`` may have been amended since.
    """
    from pbem.engine import registry

    named = re.search(rb"^#:schema \S*/([a-z0-9-]+)\.json\s*$", text, re.MULTILINE)
    slug = named[1].decode() if named is not None else keyring.title(str(table.get("game", "")))
    return registry.title(slug).orders if slug in registry.slugs() else None


def _processor(table: dict[str, Any], keyring: Keyring) -> PublicKey | None:
    """The processor's key that was remembered at ``join``; only needed where sealing is asked."""
    line = table.get("seal_to")
    if not isinstance(line, str):
        return None
    game = line.split(" ", maxsplit=1)[0]
    if not re.fullmatch(r"[0-9a-f]{32}", game):
        raise refusal("bad-seal-to", "seal_to", reason="form")
    processor = keyring.processor(game)
    if processor is None:
        raise CampaignError("not-joined-here", path=str(keyring.path).removesuffix(".pbem"), game=str(table.get("game", "")))
    return PublicKey.parse(processor)
