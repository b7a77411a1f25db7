"""A club's repository on a forge of this machine, with a campaign whose players have keys."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from shutil import copytree, rmtree
from typing import Any

import pytest

from pbem.campaign import clock
from pbem.campaign.course import Course
from pbem.campaign.folder import Folder
from pbem.campaign.intake import Answer
from pbem.orders.armour import armour
from pbem.post.github.answers import deliver
from pbem.post.github.client import Client
from pbem.post.github.repository import Repository
from pbem.post.github.turn import Done, Job, run
from pbem.publish import comments
from pbem.publish.words import Words
from tests.cli.desk import Desk
from tests.helpers import NAME, RAW_SECRET, Campaign, joined_campaign

from .forge import TOKEN, Forge, bare_of, clone, serve

REPOSITORY = "club/games"


class Plain:
    """Answers as the command makes them."""

    def receipt(self, course: Course, answer: Answer) -> str:
        from pbem.campaign.stories import story

        return comments.receipt_comment(course, answer, Words(story(course)))

    def note(self, code: str, games: Sequence[str]) -> str:
        from pbem.engine import registry

        return comments.note_comment(code, Words(registry.title("ming-dynasty")), games)


@dataclass
class Club:
    """``campaign``: the players' view of it; ``bare``: what the forge has; each run works in a clone of its own."""

    root: Path
    campaign: Campaign
    bare: Path
    forge: Forge
    runs: int = 0
    pauses: list[float] = field(default_factory=list)

    def fresh(self) -> Path:
        self.runs += 1
        return clone(self.bare, self.root / f"run-{self.runs}")

    def client(self) -> Client:
        return Client(REPOSITORY, TOKEN, self.forge.address, f"{self.forge.address}/graphql", self.pauses.append)

    def job(self, where: Path, name: str = "schedule", event: dict[str, Any] | None = None) -> Job:
        return Job(where / "games", self.client(), Plain(), lambda: self.forge.now, name, event or {})

    def turn(self, name: str = "schedule", event: dict[str, Any] | None = None, *, answer: bool = True) -> Done:
        """A whole run in a fresh clone, and its answers."""
        where = self.fresh()
        done = run(self.job(where, name, event), Repository(where, "main"))
        if answer:
            for reply in done.replies:
                deliver(self.client(), reply)
        self.look()
        return done

    def look(self) -> None:
        """The players pull."""
        where = self.root / "players"
        rmtree(where, ignore_errors=True)
        clone(self.bare, where)
        self.campaign.folder = Folder(where / "games" / NAME)

    def orders(self, seat: str, district: str = "yunnan-a", **changed: Any) -> bytes:
        return self.campaign.signed(seat, self.campaign.phase(), [{"do": "prince", "district": district}], **changed)

    def text(self, data: bytes) -> str:
        """What the issue form makes of it."""
        return f"### File\r\n\r\n```text\r\n{armour(data)}```\r\n".replace("\r\n", "\n").replace("\n", "\r\n")

    def receipts(self) -> int:
        return len(list(self.campaign.folder.receipts.glob("*.toml")))

    def entries(self) -> int:
        return len(list(self.campaign.folder.ledger.glob("*.toml")))

    def later(self, **span: float) -> None:
        self.forge.now += timedelta(**span)
        self.campaign.now = self.forge.now


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """A campaign at its first phase; everything is sealed."""
    start = clock.now() - timedelta(hours=2)   # the jobs' own clock is the machine's
    return joined_campaign(tmp_path_factory.mktemp("prepared") / "games", ("an", "bo", "chen"), seal="all", start=start)


@pytest.fixture
def club(tmp_path: Path, prepared: Campaign, monkeypatch: pytest.MonkeyPatch) -> Iterator[Club]:
    monkeypatch.setenv("PBEM_SECRET", RAW_SECRET.hex())
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    seed = tmp_path / "seed"
    copytree(prepared.folder.root, seed / "games" / NAME)
    assert (seed / "games" / NAME / "private" / ".gitignore").is_file()
    bare = bare_of(seed, tmp_path / "bare.git")
    with serve(Forge(prepared.now + timedelta(hours=1))) as forge:
        campaign = Campaign(prepared.folder, prepared.made, prepared.players, forge.now)
        made = Club(tmp_path, campaign, bare, forge)
        made.look()
        yield made


def event_file(where: Path, event: dict[str, Any]) -> Path:
    path = where / "event.json"
    path.write_text(json.dumps(event), encoding="utf-8")
    return path


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Desk:
    """An empty folder to type in, on a machine whose git knows nobody but the organiser."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "organiser")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "organiser@example.org")
    return Desk(tmp_path, capsys)
