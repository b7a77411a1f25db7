"""What only one player may know: sealed to his letter key, opened on his machine.

A letter's file is named for the receipt (r0041) or the entry (e0007) it belongs to, and that name is bound into its box.
"""

import tomllib
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
    box = b64(seal_letter(tomli_w.dumps(_plain(facts)).encode(), to.letter_key, letter_info(campaign_id, to.seat, f"{name}.toml")))
    lines = [box[at : at + _WIDTH] for at in range(0, len(box), _WIDTH)]
    return tomli_w.dumps({"to": to.seat, "name": name, "box": lines}).encode()


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
    try:
        table = tomllib.loads(read(path).decode())
        plain = open_letter(unb64("".join(table["box"])), secret, letter_info(campaign_id, seat, path.name))
        return msgspec.convert(tomllib.loads(plain.decode()), ReceiptLetter)
    except Unreadable:
        raise CampaignError("letter-closed", path=str(path)) from None
    except (ValueError, KeyError, TypeError, msgspec.ValidationError):
        raise Fault("bad-letter", folder.relative(path)) from None
