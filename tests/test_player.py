"""What a player runs, on every system: keygen, join, orders, check, sign, armour. Needs neither Pango nor ssh-keygen."""

import stat
import sys
from pathlib import Path

import pytest

from pbem import cli
from pbem.orders.armour import find_armoured
from pbem.orders.keys import load_private
from pbem.orders.signed import open_signed

GAME = "games/winter-court"


class Desk:
    """A folder to work in, and ``pbem`` in it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys

    def run(self, *args: str, status: int = 0) -> str:
        """The output of a command that must end with that status."""
        with pytest.raises(SystemExit) as stopped:
            cli.main(list(args))
        out, err = self._capsys.readouterr()
        assert int(stopped.value.code or 0) == status, f"{out}\n{err}"
        return out if status == 0 else out + err

    def invites(self, *seats: str) -> dict[str, str]:
        told = self.run("new", GAME, "--title", "ming-dynasty", "--seats", ",".join(seats))
        found = [line.split() for line in told.splitlines() if line.startswith("  pbem join ")]
        return {words[words.index("--seat") + 1]: words[words.index("--invite") + 1] for words in found}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    monkeypatch.chdir(tmp_path)
    for name in ("PBEM_SECRET", "PBEM_PASSPHRASE"):
        monkeypatch.delenv(name, raising=False)
    return Desk(tmp_path, capsys)


@pytest.fixture
def begun(desk: Desk) -> Desk:
    """A game of three that has been set up."""
    for seat, code in desk.invites("an", "bo", "chen").items():
        desk.run("keygen", "-o", f"{seat}.key")
        desk.run("join", GAME, "--seat", seat, "--invite", code.upper(), "--key", f"{seat}.key")
    desk.run("receive", GAME, "an.join.toml", "bo.join.toml", "chen.join.toml")
    desk.run("process", GAME)
    return desk


def take_off(path: Path, words: str) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(line[2:] if line.startswith("# ") and words in line else line for line in lines) + "\n", encoding="utf-8")


def test_a_key_is_private_and_never_overwritten(desk: Desk) -> None:
    told = desk.run("keygen", "-o", "an.key")
    key = load_private(desk.folder / "an.key")
    assert key.public.fingerprint() in told
    assert (desk.folder / "an.key.pub").read_text(encoding="utf-8").startswith(key.public.line())
    if sys.platform != "win32":
        assert stat.S_IMODE((desk.folder / "an.key").stat().st_mode) == 0o600
    before = (desk.folder / "an.key").read_bytes()
    assert "error: " in desk.run("keygen", "-o", "an.key", status=1)
    assert (desk.folder / "an.key").read_bytes() == before


def test_a_seat_needs_the_right_invite(desk: Desk) -> None:
    invites = desk.invites("an", "bo", "chen")
    desk.run("keygen", "-o", "an.key")
    assert "invite" in desk.run("join", GAME, "--seat", "an", "--invite", invites["an"][:-1], "--key", "an.key", status=1)
    assert "for the seat bo" in desk.run("join", GAME, "--seat", "an", "--invite", invites["bo"], "--key", "an.key", status=1)
    desk.run("join", GAME, "--seat", "an", "--invite", invites["bo"], "--key", "an.key", "--later", status=1)
    assert not (desk.folder / "an.join.toml").exists()
    desk.run("join", f"{GAME}/game.toml", "--seat", "an", "--invite", invites["an"], "--key", "an.key")
    assert "Welcome, an" in desk.run("receive", GAME, "an.join.toml")


def test_from_template_to_armour(begun: Desk) -> None:
    begun.run("orders", GAME, "--seat", "bo", "-o", "bo.toml")
    assert "is there already" in begun.run("orders", GAME, "--seat", "bo", "-o", "bo.toml", status=1)
    take_off(begun.folder / "bo.toml", 'district = "zhili-b"')
    assert "would be taken" in begun.run("check", GAME, "bo.toml")
    begun.run("sign", "bo.toml", "--key", "bo.key")
    sent = (begun.folder / "bo.order.toml").read_bytes()
    signed, signer = open_signed(sent, "order@pbem")
    assert signer == load_private(begun.folder / "bo.key").public
    assert b'district = "zhili-b"' in signed.signed
    block = begun.run("armour", "bo.order.toml")
    assert find_armoured(f"> Hello,\n> {block.replace(chr(10), chr(10) + '> ')}\n> Bo") == [sent]


def test_windows_editors_do_no_harm(begun: Desk) -> None:
    begun.run("orders", GAME, "--seat", "bo", "-o", "bo.toml")
    path = begun.folder / "bo.toml"
    take_off(path, 'district = "zhili-b"')
    plain = path.read_bytes().replace(b"\r\n", b"\n")
    path.write_bytes(b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n"))
    begun.run("check", GAME, "bo.toml")
    begun.run("sign", "bo.toml", "--key", "bo.key")
    sent = begun.folder / "bo.order.toml"
    assert b"\r" not in sent.read_bytes()
    sent.write_bytes(sent.read_bytes().replace(b"\n", b"\r\n"))
    assert "COMPLETE" in begun.run("receive", GAME, "bo.order.toml")


def test_signing_again_counts_up_only_when_something_changed(begun: Desk) -> None:
    begun.run("orders", GAME, "--seat", "bo", "-o", "bo.toml")
    take_off(begun.folder / "bo.toml", 'district = "zhili-b"')
    begun.run("sign", "bo.toml", "--key", "bo.key")
    assert "up to date" in begun.run("sign", "bo.toml", "--key", "bo.key")
    text = (begun.folder / "bo.toml").read_text(encoding="utf-8")
    (begun.folder / "bo.toml").write_text(text.replace('district = "zhili-b" },', 'district = ["zhili-b", "zhili-c"] },'), encoding="utf-8")
    assert "revision 2" in begun.run("sign", "bo.toml", "--key", "bo.key")
    assert "revision = 2" in (begun.folder / "bo.toml").read_text(encoding="utf-8")


def test_every_fault_is_told_at_once(begun: Desk) -> None:
    begun.run("orders", GAME, "--seat", "bo", "-o", "bo.toml")
    path = begun.folder / "bo.toml"
    text = path.read_text(encoding="utf-8").replace("orders = [", 'orders = [\n  { do = "prinse", district = "zhili-b" },')
    path.write_text(text.replace('then = "ask"', 'then = "wait"'), encoding="utf-8")
    told = begun.run("check", GAME, "bo.toml", status=1)
    assert "prince" in told
    assert "then" in told
    assert "Traceback" not in told


def test_an_empty_file_is_told_in_one_sentence(begun: Desk) -> None:
    for text in (b"", b"\xef\xbb\xbf", b"# nothing yet\n"):
        (begun.folder / "bo.toml").write_bytes(text)
        for command in (["check", GAME, "bo.toml"], ["sign", "bo.toml", "--key", "bo.key"]):
            told = begun.run(*command, status=1)
            assert "There is nothing in this file" in told
            assert "missing" not in told


def test_a_number_that_is_taken_is_told_before_it_is_sent(begun: Desk) -> None:
    begun.run("orders", GAME, "--seat", "bo", "-o", "bo.toml")
    take_off(begun.folder / "bo.toml", 'district = "zhili-b"')
    text = (begun.folder / "bo.toml").read_text(encoding="utf-8")
    begun.run("sign", "bo.toml", "--key", "bo.key")
    begun.run("receive", GAME, "bo.order.toml")
    begun.run("check", GAME, "bo.order.toml")  # the file that is in
    begun.run("check", GAME, "bo.toml")  # signing goes on from the signed file beside it
    (begun.folder / "other.toml").write_text(text.replace('district = "zhili-b" },', 'district = "zhili-c" },'), encoding="utf-8")
    assert "revision = 2" in begun.run("check", GAME, "other.toml", status=1)
    assert "revision = 2" in begun.run("sign", "other.toml", "--key", "bo.key", "--game", GAME, status=1)
    assert not (begun.folder / "other.order.toml").exists()
    begun.run("sign", "other.toml", "--key", "bo.key")
    assert "revision = 2" in begun.run("check", GAME, "other.order.toml", status=1)
    assert "write revision = 2" in " ".join(begun.run("receive", GAME, "other.order.toml", status=1).split())
    begun.run("sign", "other.toml", "--key", "bo.key")  # nothing has changed: the number stays
    (begun.folder / "other.toml").write_text(text.replace("revision = 1", "revision = 2"), encoding="utf-8")
    begun.run("check", GAME, "other.toml")
    begun.run("sign", "other.toml", "--key", "bo.key")
    assert "replaces" in begun.run("receive", GAME, "other.order.toml")
