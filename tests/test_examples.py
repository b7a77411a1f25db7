"""The finished games that come with the project are proven for ever: a rule that changes a result must give its title a new number."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.campaign.audit import audit
from pbem.campaign.folder import Folder
from pbem.engine import registry

GAMES = Path(__file__).parent.parent / "games"
EXAMPLES = sorted(path for path in GAMES.iterdir() if (path / "game.toml").is_file())


def test_every_title_has_one() -> None:
    assert {path.name for path in EXAMPLES} >= {f"example-{slug}" for slug in registry.slugs()}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_it_is_proven(path: Path) -> None:
    report = audit(Folder(path))
    assert report.fault is None, str(report.fault)
    assert report.finished
    assert report.pending == {}
    assert report.proven > 20
