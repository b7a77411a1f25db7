"""What only one player may know: sealed to his letter key, opened on his machine.

A letter's file is named for the receipt (r0041) or the entry (e0007) it belongs to, and that name is bound into its box.
"""

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import tomli_w

from pbem.campaign.archive import Fault
from pbem.campaign.dryrun import DryRun
from pbem.campaign.folder import CampaignError, Folder, read
from pbem.campaign.roster import Member
from pbem.orders.encoding import b64, unb64
from pbem.orders.findings import Finding, Unreadable
from pbem.orders.seal import letter_info, open_letter, seal_letter

_WIDTH = 76


class ReceiptLetter(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What a receipt says to its player alone: what is wrong with the file, and what the plan would do."""

    findings: list[Finding] = []
    dry: DryRun | None = None


def for_receipt(campaign_id: bytes, to: Member, name: str, findings: list[Finding], dry: DryRun | None) -> bytes:
    """The letter file that goes with a receipt."""
    facts = msgspec.to_builtins(ReceiptLetter(findings=findings, dry=dry), builtin_types=())
    return seal_file(tomli_w.dumps(_plain(facts)).encode(), campaign_id, to, name)


def seal_file(plain: bytes, campaign_id: bytes, to: Member, name: str) -> bytes:
    """A letter file: its plain text sealed to a player's letter key, bound to campaign, seat and file name."""
    box = b64(seal_letter(plain, to.letter_key, letter_info(campaign_id, to.seat, f"{name}.toml")))
    lines = [box[at : at + _WIDTH] for at in range(0, len(box), _WIDTH)]
    return tomli_w.dumps({"to": to.seat, "name": name, "box": lines}).encode()


def open_file(path: Path, campaign_id: bytes, seat: str, secret: bytes) -> bytes:
    """The plain text of a letter file. CampaignError "letter-closed" when it does not open, Fault "bad-letter" when it is none."""
    try:
        table = tomllib.loads(read(path).decode())
        return open_letter(unb64("".join(table["box"])), secret, letter_info(campaign_id, seat, path.name))
    except Unreadable:
        raise CampaignError("letter-closed", path=str(path)) from None
    except (ValueError, KeyError, TypeError):
        raise Fault("bad-letter", path.name) from None


def _plain(value: Any) -> Any:
    """Without None, which TOML cannot hold."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value if item is not None]
    return value


def read_receipt_letter(folder: Folder, campaign_id: bytes, seat: str, number: int, secret: bytes) -> ReceiptLetter | None:
    """The letter to a receipt, opened with the secret half of the letter key; None when there is none. CampaignError "letter-closed"."""
    name = f"r{number:04}"
    path = folder.letter(seat, name)
    if not path.is_file():
        return None
    plain = open_file(path, campaign_id, seat, secret)
    try:
        return msgspec.convert(tomllib.loads(plain.decode()), ReceiptLetter)
    except (ValueError, msgspec.ValidationError):
        raise Fault("bad-letter", folder.relative(path)) from None
