"""Commands that go over many campaigns: which they find, how they are divided, and that one that fails stops no other."""

from __future__ import annotations

import errno
import json
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from pbem import cli
from pbem.campaign import clock
from pbem.campaign.course import Course
from pbem.campaign.shelf import campaigns_in, finished, part
from pbem.cli import processing
from pbem.publish.manifest import MANIFEST

from .desk import GAME, Desk

EXAMPLE = Path(__file__).resolve().parents[2] / "games" / "example-azure"
LATER = clock.text(clock.now() + timedelta(days=30))
"""All closing times have passed by then."""


def listed(told: str) -> dict[str, dict[str, object]]:
    """What a command printed as JSON, by path; errors are told after it."""
    rows = json.JSONDecoder().raw_decode(told)[0]
    return {row["path"]: row for row in rows}


@pytest.fixture
def club(desk: Desk) -> Desk:
    """Three campaigns: one that waits for a closing time, one with a file in its way, one whose seats are empty."""
    shutil.copytree(f"fresh/{GAME}", "games/fresh")
    shutil.copytree(GAME, "games/broken")
    Path("games/broken/ledger/0001.toml").write_bytes(b"nothing of the kind")
    Path("games/notes").mkdir()
    return desk


@pytest.fixture
def over(tmp_path: Path) -> Path:
    """A finished game."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "club" / "example"))


def contents(game: str) -> dict[str, bytes]:
    return {path.as_posix(): path.read_bytes() for path in Path(game).rglob("*") if path.is_file()}


def test_all_are_processed_and_a_broken_one_stops_no_other(club: Desk) -> None:
    before = contents("games/broken/ledger")
    told = club.run("process", "--all", "--now", LATER, status=1)
    assert f"error: {Path('games/broken')}: " in told
    assert f"{Path(GAME)}: entry " in told
    assert "3 campaigns, 1 played on, 1 waiting, 0 over, 1 failed" in told
    assert contents("games/broken/ledger") == before
    # In a moment everything due has been done; the broken one is told again.
    assert "0 played on, 2 waiting, 0 over, 1 failed" in club.run("process", "--all", "--now", LATER, status=1)


def test_several_can_be_named(club: Desk) -> None:
    told = club.run("process", GAME, "games/fresh", "games/none", f"games/../{GAME}", status=1)
    assert f"error: {Path('games/none')}: there is no campaign" in told
    assert "3 campaigns, 0 played on, 2 waiting, 0 over, 1 failed" in told


def test_json_tells_of_each(club: Desk) -> None:
    rows = listed(club.run("process", "--all", "--json", "--now", LATER, status=1))
    assert rows[str(Path("games/broken"))]["error"]
    assert rows[str(Path(GAME))]["entries"]
    assert rows[str(Path("games/fresh"))]["joined"] == []
    assert len(listed(club.run("status", "--all", "games", "--json", status=1))) == 3


def test_a_fault_of_our_own_stops_no_other(club: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from pbem.campaign import turn

    run = turn.process

    def failing(folder: object, *args: object) -> object:
        if str(folder.root) == str(Path("games/fresh")):
            raise ZeroDivisionError
        return run(folder, *args)

    monkeypatch.setattr(turn, "process", failing)
    with pytest.raises(SystemExit):
        cli.main(["process", "games/fresh", GAME, "--now", LATER])
    out, err = capsys.readouterr()
    assert f"error: {Path('games/fresh')}: this is a fault of pbem itself" in err
    assert "ZeroDivisionError" in err
    assert "1 played on, 0 waiting, 0 over, 1 failed" in out


def test_one_that_cannot_be_told_of_stops_no_other(club: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree("games/broken")
    shutil.copytree(GAME, "games/another")
    tell = processing.tell_waiting

    def failing(course: Course, words: object) -> str:
        if course.archive.folder.root.name == "another":
            raise LookupError("no such template")
        return tell(course, words)

    monkeypatch.setattr(processing, "tell_waiting", failing)
    with pytest.raises(SystemExit) as stopped:
        cli.main(["process", "--all", "--now", LATER])
    assert stopped.value.code == 1
    out, err = capsys.readouterr()
    assert f"error: {Path('games/another')}: this is a fault of pbem itself" in err
    assert "3 campaigns, 1 played on, 1 waiting, 0 over, 1 failed" in out


def test_a_file_left_by_an_interrupted_run_is_told(desk: Desk) -> None:
    desk.run("sign", "bo.toml", "--key", "bo.key")
    Path(GAME, "orders/0.prince").mkdir()
    shutil.copy("bo.order.toml", Path(GAME, "orders/0.prince/bo.1-00000000.toml"))
    assert f"{Path(GAME)}: answered a file that an interrupted run had left: receipt 4" in desk.run("process", "--all")


def test_status_names_a_folder_that_is_not_there_and_passes_over_what_a_shell_filled_in(club: Desk) -> None:
    told = club.run("status", GAME, "games/fresh", "games/notes", "games/mistyped", status=1)
    assert "there is no campaign in games/mistyped" in told.replace("\\", "/")
    assert "games/notes" not in told.replace("\\", "/")


def test_status_of_all_names_what_cannot_be_read(club: Desk) -> None:
    told = club.run("status", "--all", status=1)
    assert f"error: {Path('games/broken')}: " in told
    assert f"{Path(GAME)}  set-up, princes" in told


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "name a campaign's folder, or all of them: --all"),
        ([GAME, "--shard", "1/2"], "--shard divides the campaigns that --all finds"),
        (["--all", "--shard", "3/2"], "write it like 2/8"),
        (["--all", "--shard", "0/2"], "write it like 2/8"),
        (["--all", "--shard", "half"], "write it like 2/8"),
        (["--all", "--close", "0.prince"], "--close is for one campaign"),
        (["--all", GAME], "is a campaign itself"),
    ],
)
def test_what_is_contradictory_is_refused(desk: Desk, args: list[str], said: str) -> None:
    assert said in desk.run("process", *args, status=2)


def test_no_campaigns_at_all(desk: Desk) -> None:
    Path("empty").mkdir()
    assert "there is no campaign in empty" in desk.run("process", "--all", "empty", status=1)
    assert "error: none cannot be read" in desk.run("process", "--all", "none", status=1)


def test_shards_divide_and_a_new_campaign_moves_no_other(desk: Desk) -> None:
    games = [Path(f"games/game-{number}") for number in range(200)]
    parts = [part(games, number, 8) for number in range(1, 9)]
    assert sorted(game for one in parts for game in one) == sorted(games)
    assert all(10 <= len(one) <= 45 for one in parts)
    assert [part([*games, Path("games/one-more")], number, 8)[: len(one)] for number, one in enumerate(parts, 1)] == parts
    # Told to a shard that holds none: that is no mistake.
    empty = next(number for number in range(1, 9) if not part([Path(GAME)], number, 8))
    assert "0 campaigns" in desk.run("process", "--all", "--shard", f"{empty}/8")


def test_what_is_only_linked_to_is_not_found(desk: Desk, tmp_path: Path) -> None:
    shutil.copytree(GAME, "elsewhere")
    Path("games/linked").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    Path("games/half").mkdir()
    Path("games/half/game.toml").symlink_to(tmp_path / "elsewhere" / "game.toml")
    assert campaigns_in(Path("games")) == [Path(GAME)]


def test_a_folder_that_may_not_be_looked_into_stops_no_other(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("games/locked").mkdir()
    is_file = Path.is_file

    def closed(path: Path) -> bool:
        if path.parent.name == "locked":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", closed)
    for command, said in ((["process"], "1 waiting, 0 over, 1 failed"), (["site", "--no-pdf"], "1 built, 1 failed")):
        told = desk.run(*command, "--all", status=1)
        assert f"error: {Path('games/locked')}: " in told
        assert said in told
    assert Path("_site/winter-court/index.html").exists()
    assert f"error: {Path('games/locked')}: " in desk.run("status", "--all", status=1)


def test_a_finished_campaign_is_known_by_its_last_entry(over: Path) -> None:
    entries = sorted((over / "ledger").iterdir())
    assert finished(over)
    last = entries[-1].read_bytes()
    entries[-1].write_bytes(last.replace(b'kind = "end"', b'kind = "turn"', 1))
    assert not finished(over)
    entries[-1].write_bytes(last)
    entries[3].unlink()
    assert not finished(over)
    shutil.rmtree(over / "ledger")
    assert not finished(over)


def test_an_end_is_not_believed_where_a_text_says_it(over: Path) -> None:
    sorted((over / "ledger").iterdir())[-1].unlink()
    last = sorted((over / "ledger").iterdir())[-1]
    last.write_bytes(last.read_bytes() + b'\nkind = "end"\n')
    assert not finished(over)


def test_finished_campaigns_are_not_opened(desk: Desk, over: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pbem.campaign import turn

    monkeypatch.setattr(turn, "process", None)
    assert "1 campaign, 0 played on, 0 waiting, 1 over" in desk.run("process", "--all", over.parent.name)
    (over / "ledger/0001.toml").write_bytes(b"not even looked at")
    assert desk.run("status", "--all", over.parent.name).split() == [str(Path(over.parent.name, over.name)), "over"]


def site(desk: Desk, *args: str, status: int = 0) -> str:
    return desk.run("site", "--no-pdf", *args, status=status)


def test_the_site_reads_only_what_has_changed(club: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree("games/broken")
    rename("games/fresh", "spring-court")
    assert "2 campaigns, 2 built" in site(club)
    pages = contents("_site")
    from pbem.campaign import replay

    with monkeypatch.context() as patch:
        patch.setattr(replay, "replay", None)
        assert "2 campaigns, 0 built, 0 files written anew" in site(club)
    assert contents("_site") == pages
    club.run("process", GAME, "--now", LATER)
    assert "2 campaigns, 1 built" in site(club)
    changed = {name for name, data in contents("_site").items() if pages.get(name) != data}
    assert changed
    assert all(name in ("_site/index.html", f"_site/{MANIFEST}") or name.startswith("_site/winter-court/") for name in changed)
    grown = contents("_site")
    shutil.rmtree("_site")
    site(club)
    assert contents("_site") == grown


def rename(game: str, name: str) -> None:
    """A campaign under another name: one that has not begun may be called anything."""
    path = Path(game, "game.toml")
    path.write_bytes(path.read_bytes().replace(b'name = "winter-court"', f'name = "{name}"'.encode(), 1))


def test_a_campaign_that_cannot_be_read_keeps_its_pages(club: Desk) -> None:
    rename("games/fresh", "spring-court")
    shutil.rmtree("games/broken")
    site(club)
    before = contents("_site")
    Path(GAME, "ledger/0002.toml").write_bytes(b"nothing of the kind")
    last = max(Path(GAME, "ledger").iterdir())
    last.write_bytes(last.read_bytes() + b"#")
    told = site(club, status=1)
    assert f"error: {Path(GAME)}: " in told
    assert "1 failed" in told
    assert contents("_site") == before


def test_two_campaigns_of_one_name_are_told(club: Desk) -> None:
    shutil.rmtree("games/broken")
    told = site(club, status=1)
    assert f"the campaign in {Path('games/fresh')} is called winter-court too" in told
    assert (Path("_site/spring-court").exists(), Path("_site/winter-court/index.html").exists()) == (False, True)


def test_parts_of_the_site_laid_together_are_the_whole(club: Desk) -> None:
    rename("games/fresh", "spring-court")
    shutil.rmtree("games/broken")
    site(club, "-o", "one")
    for number in (1, 2, 3):
        site(club, "-o", f"part{number}", "--shard", f"{number}/3")
        shutil.copytree(f"part{number}", "whole", dirs_exist_ok=True)
    assert "2 campaigns, 0 built" in site(club, "-o", "whole")
    assert {name.removeprefix("whole/"): data for name, data in contents("whole").items()} == {
        name.removeprefix("one/"): data for name, data in contents("one").items()
    }


def test_what_only_plays_loads_nothing_that_mails_and_installed_packages_need(desk: Desk) -> None:
    """Each of these takes as long to load as several turns take to be played."""
    heavy = "importlib.metadata", "email.message", "html.entities", "babel", "pbem.orders.armour", "pbem.titles.azure"
    program = f"""
import sys
from pbem import cli
try:
    cli.main(["process", {GAME!r}])
except SystemExit:
    pass
assert "pbem.campaign.turn" in sys.modules
print("\\n", *[name for name in {heavy!r} if name in sys.modules], sep="\\n")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n\n")[-1].split() == []
