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
    """One seat of a campaign: the campaign's name, the processor's public key (line), the secret half of the letter key (base64).

    ``title``: the slug of its title; "" where an older pbem has joined. ``requests``: the number of the last request that
    was made; numbers may leave gaps.
    """

    name: str
    processor: str
    letter: str
    title: str = ""
    requests: int = 0


class Keyring:
    """Campaign id (32 hex) → seat → what is remembered. One key may have several seats of a game that allows it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.games: dict[str, dict[str, Remembered]] = {}
        if path.is_file():
            try:
                table = tomllib.loads(read(path).decode())
                self.games = msgspec.convert(table.get("games", {}), dict[str, dict[str, Remembered]])
            except (ValueError, msgspec.ValidationError):
                raise CampaignError("bad-keyring", path=str(path)) from None

    @staticmethod
    def beside(key: Path) -> "Keyring":
        """The keyring that belongs to an SSH key file."""
        return Keyring(key.with_name(key.name + ".pbem"))

    def remember(self, campaign_id: str, *, name: str, seat: str, processor: str, letter: bytes, title: str = "") -> None:
        """Adds a campaign and writes the file."""
        self.games.setdefault(campaign_id, {})[seat] = Remembered(name=name, processor=processor, letter=b64(letter), title=title)
        self._write()

    def count_request(self, campaign_id: str, seat: str, told: int = 0) -> int:
        """The number of a seat's next request: ``told`` by the ledger, or 0 where there is none at hand. It is noted for the next one."""
        known = self.games.get(campaign_id, {}).get(seat)
        if known is None:
            if told:
                return told
            raise CampaignError("no-seat-beside-key", path=str(self.path), seat=seat)
        number = told or known.requests + 1
        self.games[campaign_id][seat] = msgspec.structs.replace(known, requests=max(number, known.requests))
        self._write()
        return number

    def renew(self, campaign_id: str, processor: str) -> None:
        """Puts another processor's key in the place of the one remembered, and writes the file."""
        for seat, one in self.games[campaign_id].items():
            self.games[campaign_id][seat] = msgspec.structs.replace(one, processor=processor)
        self._write()

    def _write(self) -> None:
        data = "# Made by pbem. Keep it with your key: letters to you are opened with it.\n" + tomli_w.dumps(
            {"games": msgspec.to_builtins(self.games)}
        )
        write(self.path, data.encode(), mode=0o600)

    def processor(self, campaign_id: str) -> str | None:
        """The public key line of a campaign's processor as it was at ``join``."""
        return next((one.processor for one in self.games.get(campaign_id, {}).values()), None)

    def seats(self, name: str) -> list[str]:
        """The seats this key has in campaigns of that name (two organisers may choose the same)."""
        return [seat for seats in self.games.values() for seat, one in seats.items() if one.name == name]

    def title(self, name: str) -> str:
        """The title of the campaigns of that name; "" where none is remembered, or where they differ."""
        titles = {one.title for seats in self.games.values() for one in seats.values() if one.name == name}
        return titles.pop() if len(titles) == 1 else ""
