"""Hidden facts (Azure's hands): known to their owner only while the game runs, proven when it has ended."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pbem.campaign.audit import audit
from pbem.campaign.folder import CampaignError, Folder
from pbem.campaign.hidden import by_seat, own_facts, seat_view
from pbem.campaign.keyring import Keyring
from pbem.campaign.replay import processor_secret, replay, replay_as_processor
from pbem.campaign.stories import story
from pbem.cli.demo import Demo, begin
from pbem.engine.position import to_json
from pbem.orders.encoding import unb64
from pbem.publish.pages import report_html
from pbem.publish.textreport import report_text
from pbem.publish.words import Words

from .forging import change_entry

START = datetime(2026, 12, 1, tzinfo=UTC)
MAILS = 5


def letter_key(demo: Demo, seat: str) -> bytes:
    course = replay(demo.folder)
    return unb64(Keyring.beside(demo.players[seat].key_file).games[course.archive.game.id][seat].letter)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Demo, Folder]:
    """A game of Azure by stand-ins that know only their letters: as it stood after some mails, and to its end."""
    demo = begin(
        tmp_path_factory.mktemp("azure"), "realm", title="azure", seats=["an", "bo"], seal="bids", seed=3, now=START, tell=lambda line: None
    )
    for _ in range(MAILS):
        demo._mail_round(replay(demo.folder))
    copy = tmp_path_factory.mktemp("midgame") / "realm"
    shutil.copytree(demo.folder.root, copy)
    demo.play()
    return demo, Folder(copy)


@pytest.fixture
def running(played: tuple[Demo, Folder]) -> Folder:
    return played[1]


@pytest.fixture
def demo(played: tuple[Demo, Folder]) -> Demo:
    return played[0]


def test_while_it_runs_audit_says_what_it_cannot_see(running: Folder):
    report = audit(running)
    assert report.fault is None
    assert not report.finished
    assert report.proven == 0
    assert report.pending["end"] > 3


def test_after_the_end_everything_is_proven(demo: Demo):
    report = audit(demo.folder)
    assert (report.fault, report.finished, report.pending) == (None, True, {})


def test_an_owner_sees_his_hand_and_nobody_elses(demo: Demo, running: Folder):
    course, knowing = replay(running), replay_as_processor(running)
    title, secret = course.title, by_seat(course.title, knowing.table.position)
    assert secret, "at this point of the game somebody holds a card nobody else has seen"
    for seat in ("an", "bo"):
        facts = own_facts(running, course, seat, letter_key(demo, seat))
        assert facts == secret.get(seat, {})
        assert to_json(seat_view(course, seat, facts)) == to_json(title.view(knowing.table.position, seat))
    with pytest.raises(CampaignError, match="letter-closed"):
        own_facts(running, course, "an", letter_key(demo, "bo"))
    with pytest.raises(CampaignError, match="need-key"):
        seat_view(course, "an")


def test_pages_are_the_same_with_and_without_the_secret(running: Folder):
    """What the processor publishes tells no more than what anybody can make from the public files."""
    with_secret, without = story(replay_as_processor_fully(running)), story(replay(running))
    for number in (3, len(without.chapters)):
        assert report_text(with_secret, number, Words(with_secret)) == report_text(without, number, Words(without))
        assert report_html(with_secret, number, Words(with_secret)) == report_html(without, number, Words(without))


def replay_as_processor_fully(folder: Folder) -> Any:
    return replay(folder, secret=processor_secret(folder.root))


def test_nothing_public_names_a_hidden_card(running: Folder):
    knowing = replay_as_processor(running)
    for chapter in replay(running).chapters:
        assert chapter.remarks == (), "why a plan could not be played would tell what its player holds"
        if chapter.after is not None:
            assert knowing.title.secrets(chapter.after) == {}
    for entry in running.ledger.iterdir():
        assert "forced" not in entry.read_text()


@pytest.mark.parametrize("part", ["view", "commitment", "events"])
def test_what_an_entry_tells_falsely_is_found_at_the_end(demo: Demo, tmp_path: Path, part: str):
    copy = tmp_path / "realm"
    shutil.copytree(demo.folder.root, copy)
    folder = Folder(copy)

    def change(table: dict[str, Any]) -> None:
        if part == "view":
            table["view"]["players"]["an"]["secret_size"] = table["view"]["players"]["an"].get("secret_size", 0) + 1
        elif part == "commitment":
            next(iter(table["facts"].values()))["commitment"] = "0" * 64
        else:
            table["played"][0]["events"].pop()

    number = next(kept.record.number for kept in replay(folder).archive.entries if kept.record.facts and kept.record.kind == "turn")
    forger: Any = SimpleNamespace(folder=folder, secret=processor_secret(folder.root))
    name = change_entry(forger, number, change)
    fault = audit(folder).fault
    assert fault is not None
    assert fault.file == name


def test_a_new_key_and_a_substitute_get_the_hand(tmp_path: Path):
    """Whoever sits at the seat can read what it knows alone; the key that was there before cannot read what comes after."""
    from pbem.campaign.turn import correct, process
    from pbem.cli.demo import DemoPlayer, _join
    from pbem.engine.standin import StandIn
    from pbem.orders.keys import generate, write_new

    demo = begin(tmp_path, "realm", title="azure", seats=["an", "bo"], seal="bids", seed=5, now=START, tell=lambda line: None)
    secret = by_seat(replay(demo.folder).title, replay_as_processor(demo.folder).table.position)
    _, invite = correct(demo.folder, START, "substitute", seat="bo")
    home = tmp_path / "players" / "bob"
    home.mkdir()
    key = generate()
    write_new(home / "bo.key", key.openssh(None, "bo"), private=True)
    player = DemoPlayer("bo", home, key, StandIn(replay(demo.folder).title, "bo", 1), careful=True)
    _join(demo.folder, player, invite)
    demo._receive([home / "bo.join.toml"])
    process(demo.folder, START)
    assert audit(demo.folder).fault is None
    course = replay(demo.folder)
    letter = unb64(Keyring.beside(player.key_file).games[course.archive.game.id]["bo"].letter)
    assert own_facts(demo.folder, course, "bo", letter) == secret["bo"]
    with pytest.raises(CampaignError, match="letter-closed"):
        own_facts(demo.folder, course, "bo", letter_key(demo, "bo"))
    demo.players["bo"] = player
    demo.play()
    assert audit(demo.folder).fault is None
