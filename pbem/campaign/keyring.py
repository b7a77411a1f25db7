"""What a player's machine remembers beside his key: letter keys and the processors' keys of the campaigns he joined.

The file lies beside the SSH key (``an.key`` → ``an.key.pbem``) and is readable by its owner only, like the key itself.
"""

import tomllib
from pathlib import Path

import msgspec
import tomli_w

from pbem.campaign.folder import CampaignError, read, write
from pbem.orders.encoding import b64


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """One campaign: its name, the processor's public key (line), and the secret half of the letter key (base64)."""

    name: str
    seat: str
    processor: str
    letter: str


class Keyring:
    """Campaign id (32 hex) → what is remembered."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.games: dict[str, Remembered] = {}
        if path.is_file():
            try:
                table = tomllib.loads(read(path).decode())
                self.games = msgspec.convert(table.get("games", {}), dict[str, Remembered])
            except (ValueError, msgspec.ValidationError):
                raise CampaignError("bad-keyring", path=str(path)) from None

    @staticmethod
    def beside(key: Path) -> "Keyring":
        """The keyring that belongs to an SSH key file."""
        return Keyring(key.with_name(key.name + ".pbem"))

    def remember(self, campaign_id: str, *, name: str, seat: str, processor: str, letter: bytes) -> None:
        """Adds a campaign and writes the file."""
        self.games[campaign_id] = Remembered(name=name, seat=seat, processor=processor, letter=b64(letter))
        data = "# Made by pbem. Keep it with your key: letters to you are opened with it.\n" + tomli_w.dumps(
            {"games": msgspec.to_builtins(self.games)}
        )
        write(self.path, data.encode(), mode=0o600)

    def by_name(self, name: str) -> list[Remembered]:
        """Campaigns of that name (two organisers may choose the same)."""
        return [game for game in self.games.values() if game.name == name]
