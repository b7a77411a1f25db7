"""What a player's machine remembers beside his key."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from pbem.campaign.folder import CampaignError
from pbem.campaign.keyring import Keyring
from pbem.orders.encoding import unb64

from ..helpers import fixed

GAME, OTHER = "ab" * 16, "cd" * 16


def test_it_lies_beside_the_key(tmp_path: Path) -> None:
    assert Keyring.beside(tmp_path / "an.key").path == tmp_path / "an.key.pbem"
    assert Keyring.beside(tmp_path / "an.key").games == {}


def test_what_is_remembered_is_read_again(tmp_path: Path) -> None:
    ring = Keyring.beside(tmp_path / "an.key")
    ring.remember(GAME, name="winter-court", seat="an", processor="ssh-ed25519 AAAA", letter=fixed("letter"))
    ring.remember(GAME, name="winter-court", seat="bo", processor="ssh-ed25519 AAAA", letter=fixed("other letter"))
    ring.remember(OTHER, name="spring-court", seat="chen", processor="ssh-ed25519 BBBB", letter=fixed("third letter"))
    again = Keyring.beside(tmp_path / "an.key")
    assert again.games == ring.games
    assert unb64(again.games[GAME]["an"].letter) == fixed("letter")
    assert (again.processor(GAME), again.processor(OTHER), again.processor("ef" * 16)) == ("ssh-ed25519 AAAA", "ssh-ed25519 BBBB", None)
    assert (again.seats("winter-court"), again.seats("autumn-court")) == (["an", "bo"], [])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_it_is_for_its_owner_only(tmp_path: Path) -> None:
    ring = Keyring.beside(tmp_path / "an.key")
    ring.remember(GAME, name="winter-court", seat="an", processor="ssh-ed25519 AAAA", letter=fixed("letter"))
    assert stat.S_IMODE(ring.path.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"games = 1\n", b"\xff", b"[games]\nab = 1\n", b'[games.ab]\nan = "x"\n', b"nonsense"])
def test_what_is_no_keyring_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "an.key.pbem"
    path.write_bytes(content)
    with pytest.raises(CampaignError) as caught:
        Keyring.beside(tmp_path / "an.key")
    assert (caught.value.code, caught.value.facts["path"]) == ("bad-keyring", str(path))
