"""What is to be played is amended: until the last player's join is in, with the organiser's name to it, and never behind anybody's back."""

from __future__ import annotations

import shutil
from datetime import timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from pbem.campaign.audit import audit
from pbem.campaign.corrections import options_in_force
from pbem.campaign.folder import CampaignError, Folder, numbered
from pbem.campaign.stories import story
from pbem.campaign.turn import correct
from pbem.publish.telling import organiser_alone
from pbem.publish.words import Words

from ..cli.desk import Desk
from ..helpers import Campaign, joined_campaign, new_campaign
from .forging import append_entry

TWO = ("an", "bo")


@pytest.fixture
def table(tmp_path: Path) -> Campaign:
    """Two seats of Ming Dynasty; an has joined."""
    campaign = new_campaign(tmp_path, seats=TWO)
    campaign.receive(campaign.join_file("an"))
    campaign.process()
    return campaign


def amend(campaign: Campaign, title: str = "", text: str = "", **options: Any) -> None:
    correct(campaign.folder, campaign.now, "amend", title=title, options=options, text=text)
    assert audit(campaign.folder).fault is None


def start(campaign: Campaign) -> None:
    campaign.receive(campaign.join_file("bo"))
    campaign.process()
    assert audit(campaign.folder).fault is None


def told(campaign: Campaign) -> str:
    """What a report of the newest entry shows of what the organiser decided alone."""
    tale = story(campaign.course())
    return " ".join(organiser_alone(tale, len(tale.chapters), Words(tale)))


def test_an_option_is_changed_and_the_game_begins_with_it(table: Campaign) -> None:
    before = table.folder.game.read_bytes()
    amend(table, neutral_start=3, text="A shorter start.")
    assert table.folder.game.read_bytes() == before, "the game file is written once"
    assert table.course().members.keys() == {"an"}, "who has joined stays joined"
    start(table)
    course = table.course()
    assert options_in_force(course) == {"board": "standard", "bids": "together", "neutral_start": 3}
    assert "Entry 2: Its neutral_start is 3 now. The organiser decided it alone. The organiser writes: “A shorter start.”" in told(table)


def test_amended_twice_what_is_not_named_stays(table: Campaign) -> None:
    amend(table, neutral_start=3)
    amend(table, bids="by-province")
    assert options_in_force(table.course()) == {"board": "standard", "bids": "by-province", "neutral_start": 3}
    assert "bids" in told(table)
    assert told(table).count("neutral_start") == 1


def test_another_board_by_its_text(table: Campaign) -> None:
    text = (files("pbem.titles.ming_dynasty") / "boards" / "standard.toml").read_text(encoding="utf-8").replace("standard", "other", 1)
    amend(table, board=text)
    start(table)
    assert table.course().options.board == text
    assert "Its board is another now, as written in this entry of the ledger." in told(table)


def test_another_title_with_its_own_rules_and_hidden_hands(table: Campaign) -> None:
    amend(table, title="azure", gifted="mighty")
    start(table)
    course = table.course()
    assert (course.title.slug, course.options.gifted) == ("azure", "mighty")
    assert "The game to be played is Azure now. Its gifted is mighty now." in told(table)
    table.now += timedelta(hours=49)
    assert table.process().entries
    assert audit(table.folder).fault is None


def test_the_same_set_up_as_if_it_had_been_begun_so(tmp_path: Path, table: Campaign) -> None:
    straight = new_campaign(tmp_path / "straight", seats=TWO, options={"neutral_start": 2})
    straight.receive(straight.join_file("an"), straight.join_file("bo"))
    straight.process()
    amend(table, neutral_start=2)
    start(table)
    assert table.course().table.public_digest() == straight.course().table.public_digest()


@pytest.mark.parametrize(
    ("title", "options", "code"),
    [
        ("chess", {}, "unknown-title"),
        ("", {"colour": "red"}, "unknown-option"),
        ("", {"bids": "never"}, "bad-option-value"),
        ("", {"board": "the moon"}, "bad-option"),
        ("", {"neutral_start": 9}, "amend-nothing"),
        ("ming-dynasty", {}, "amend-nothing"),
        ("azure", {"bids": "together"}, "unknown-option"),
    ],
)
def test_refused_as_at_the_beginning_and_nothing_is_written(table: Campaign, title: str, options: dict[str, Any], code: str) -> None:
    with pytest.raises(CampaignError, match=code):
        amend(table, title, **options)
    assert len(numbered(table.folder.ledger)) == 1


def test_a_title_for_other_numbers_of_players(tmp_path: Path) -> None:
    with pytest.raises(CampaignError, match="wrong-seats"):
        amend(new_campaign(tmp_path), title="azure")


def test_not_once_the_last_join_is_in_for_that_would_choose_the_set_up(table: Campaign) -> None:
    table.receive(table.join_file("bo"))
    with pytest.raises(CampaignError, match="amend-all-joined"):
        amend(table, neutral_start=3)
    # The way out that the sentence names.
    _, invite = correct(table.folder, table.now, "invite", seat="bo")
    amend(table, neutral_start=3)
    table.receive(table.join_file("bo", invite=invite, nonce=bytes(range(32))))
    table.process()
    assert table.course().options.neutral_start == 3
    assert audit(table.folder).fault is None


def test_not_once_the_game_has_begun(table: Campaign) -> None:
    start(table)
    with pytest.raises(CampaignError, match="amend-late"):
        amend(table, neutral_start=3)


NEW = {"board": "standard", "bids": "together", "neutral_start": 3}
FORGED: dict[str, tuple[dict[str, Any], str]] = {
    "options": ({"title": "ming-dynasty", "options": NEW}, "set-up-settled"),
    "a title": ({"title": "azure", "options": {}}, "set-up-settled"),
    "options beside a closing time": ({"title": "ming-dynasty", "options": NEW, "settings": {"close": "24h"}}, "set-up-settled"),
    "options of no title": ({"options": NEW, "settings": {"close": "24h"}}, "set-up-settled"),
}


@pytest.mark.parametrize(("facts", "code"), FORGED.values(), ids=FORGED)
def test_forged_after_the_set_up_it_is_found(tmp_path: Path, facts: dict[str, Any], code: str) -> None:
    campaign = joined_campaign(tmp_path)
    name = append_entry(campaign, kind="amend", ground="organiser", counted=len(numbered(campaign.folder.receipts)), **facts)
    fault = audit(campaign.folder).fault
    assert fault is not None
    assert (fault.code, fault.file) == (code, name)


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"title": "ming-dynasty", "options": NEW, "ground": "consent"}, "ground-missing"),
        ({"title": "ming-dynasty", "options": {"weather": "fair"}, "ground": "organiser"}, "bad-unreadable"),
        ({"title": "", "options": NEW, "ground": "organiser"}, "bad-unreadable"),
    ],
)
def test_forged_before_it_too(table: Campaign, facts: dict[str, Any], code: str) -> None:
    append_entry(table, kind="amend", counted=len(numbered(table.folder.receipts)), **facts)
    fault = audit(table.folder).fault
    assert fault is not None
    assert fault.code == code


def test_an_amendment_dropped_from_the_ledger_is_found(table: Campaign, tmp_path: Path) -> None:
    amend(table, neutral_start=3)
    start(table)
    copy = tmp_path / "copy"
    shutil.copytree(table.folder.root, copy)
    (copy / "ledger" / "0002.toml").unlink()
    fault = audit(Folder(copy)).fault
    assert fault is not None
    assert fault.file == "ledger/0002.toml"


def test_by_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    desk = Desk(tmp_path, capsys)
    desk.run("new", "court", "--title", "ming-dynasty", "--seats", "an,bo")
    told = desk.run("amend", "court", "--option", "neutral_start=3", "--close", "24h")
    assert "Its neutral_start is 3 now." in told
    assert "A phase closes 1 d after it begins, from now on." in told
    assert "changed  entry 1: " in desk.run("status", "court")
    assert "There is no board" in desk.run("amend", "court", "--board", "moon", status=1)
    assert "name --close, --silence, --title, --option or --board" in desk.run("amend", "court", status=2)
    assert "The game to be played is Azure now." in desk.run("amend", "court", "--title", "azure")
    assert "court · Azure" in desk.run("status", "court")


def test_a_template_tells_the_signer_the_title_that_is_played(table: Campaign) -> None:
    """The player's keyring remembers the title of the game file."""
    from pbem.campaign.keyring import Keyring
    from pbem.cli.signing import _known_orders
    from pbem.engine import registry

    ring = Keyring(table.folder.root / "none.pbem")
    ring.games = {}
    text = b'# A title\n#:schema https://example.org/schema/azure.json\ngame = "winter-court"\n'
    assert _known_orders(text, {"game": "winter-court"}, ring) == registry.title("azure").orders
