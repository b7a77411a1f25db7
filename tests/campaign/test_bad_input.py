"""Bad input by name, through the commands: which sentence it gets, that nothing is lost, and that there is never a traceback."""

from __future__ import annotations

import builtins
import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pbem.campaign import clock
from pbem.campaign.audit import audit
from pbem.campaign.folder import numbered
from pbem.orders.signed import CAP, sign_file, split
from pbem.orders.toml import read
from pbem.orders.write import dump

from ..cli.desk import Desk
from ..helpers import Campaign, environment, new_campaign

PRINCE = [{"do": "prince", "district": "yunnan-b"}]
OTHER = [{"do": "prince", "district": "zhili-a"}]
PLACE = {"do": "place", "province": "yunnan"}


class Post(Desk):
    """A player's file arrives: ``pbem receive`` is typed, and what it said comes back on one line."""

    def __init__(self, campaign: Campaign, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        super().__init__(folder, capsys)
        self.campaign, self.game = campaign, str(campaign.folder.root)

    def typed(self, command: str, *args: str, status: int = 1) -> str:
        return " ".join(self.run(command, self.game, *args, status=status).split())

    def arrives(self, data: bytes, *, status: int = 1, name: str = "an.order.toml") -> str:
        (self.folder / name).write_bytes(data)
        return self.typed("receive", name, "--now", clock.text(self.campaign.now), status=status)

    def process(self, *args: str, status: int = 0) -> str:
        return self.typed("process", "--now", clock.text(self.campaign.now), *args, status=status)


@pytest.fixture
def post(campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Post:
    desk = tmp_path / "desk"
    desk.mkdir()
    monkeypatch.chdir(desk)
    return Post(campaign, desk, capsys)


@pytest.fixture
def sealed(bidding: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Post:
    """The same where bids have to be sealed."""
    desk = tmp_path / "desk"
    desk.mkdir()
    monkeypatch.chdir(desk)
    return Post(bidding, desk, capsys)


def _tree(campaign: Campaign) -> set[str]:
    """What lies outside of the campaign, on the desk and beside it."""
    root = campaign.folder.root
    return {str(path) for path in root.parent.rglob("*") if not path.is_relative_to(root)}


def refused(post: Post, data: bytes, *words: str) -> None:
    """One receipt that says so; the file is kept; what was filed before still stands; nobody else's folder is touched."""
    campaign = post.campaign
    orders = {path for path in campaign.folder.orders.rglob("*") if path.is_file()}
    receipts = len(numbered(campaign.folder.receipts))
    (post.folder / "an.order.toml").write_bytes(data)
    outside = _tree(campaign)
    told = post.arrives(data)
    assert "NOT TAKEN" in told
    for word in words:
        assert word in told, told
    assert len(numbered(campaign.folder.receipts)) == receipts + 1
    kept = campaign.folder.refused / f"{receipts + 1:04}.toml"
    assert kept.read_bytes() == data
    assert {path for path in campaign.folder.orders.rglob("*") if path.is_file()} == orders
    assert _tree(campaign) == outside
    assert audit(campaign.folder).fault is None


# -- who, for what, when -----------------------------------------------------------------------------------------------

Case = tuple[Callable[[Campaign], bytes], tuple[str, ...]]


def _after(campaign: Campaign, *, revision: int, first: int = 1) -> bytes:
    campaign.file("an", "0.prince", PRINCE, revision=first)
    return campaign.signed("an", "0.prince", OTHER, revision=revision)


def _stale(campaign: Campaign) -> bytes:
    campaign.silent_until("1.place")
    seen = campaign.course().archive.head()
    campaign.file("an", "1.place", [PLACE])
    campaign.process()
    return campaign.signed("an", "1.place", [PLACE], revision=2, after=seen)


def _past(campaign: Campaign) -> bytes:
    data = campaign.signed("an", "0.prince", PRINCE)
    campaign.process(close="0.prince")
    return data


def _signed(campaign: Campaign, body: str | bytes) -> bytes:
    return sign_file(campaign.players["an"].key, "order@pbem", body.encode() if isinstance(body, str) else body)


REFUSED: dict[str, Case] = {
    "wrong seat": (
        lambda one: one.signed("an", "0.prince", PRINCE, player="bo"), ("The file is for bo", "signed with another key"),
    ),
    "no such seat": (
        lambda one: one.signed("an", "0.prince", PRINCE, player="emil"), ("There is no seat emil", "The seats are an, bo, chen, dai"),
    ),
    "wrong key": (
        lambda one: one.signed("an", "0.prince", PRINCE, key=one.players["bo"].key), ("for an", "signed with another key"),
    ),
    "wrong game": (
        lambda one: one.signed("an", "0.prince", PRINCE, game="summer-court"), ("for the game summer-court", "this is winter-court"),
    ),
    "other history": (
        lambda one: one.signed("an", "0.prince", PRINCE, after=f"5-{'ab' * 16}"), ("a position this game never had", "new template"),
    ),
    "stale": (_stale, ("has been played, so its lines would no longer fit", "Nothing is guessed")),
    "past phase": (_past, ("has been played already",)),
    "phase not announced": (
        lambda one: one.signed("an", "5.place", []),
        ("Orders for round 5, place (5.place) are not taken now.", "They are taken for set-up, princes (0.prince)"),
    ),
    "older revision": (lambda one: _after(one, first=3, revision=2), ("A newer revision is in already", "write revision = 4")),
    "twin revision": (lambda one: _after(one, revision=1), ("Another file with revision 1 is in already", "revision = 2")),
    "unknown do": (
        lambda one: one.signed("an", "0.prince", [{"do": "prinse", "district": "yunnan-b"}]),
        ("orders[0].do", "There is no order \"prinse\"", "Did you mean \"prince\""),
    ),
    "too large": (lambda one: _signed(one, one.text("an", "0.prince", PRINCE) + b"#" * CAP), ("too large", "32768")),
    "too large, with a good file pasted inside": (
        lambda one: b"# my notes\n" * (CAP // 11 + 1) + b"\n" + one.signed("an", "0.prince", PRINCE), ("too large", "32768"),
    ),
    "unsigned": (lambda one: one.text("an", "0.prince", PRINCE), ("The file is not signed", "pbem sign")),
    "empty file": (lambda one: b"", ("The file is not signed",)),
    "not UTF-8 at all": (lambda one: b"\xff\xfe\x00\xd8" * 40, ("The file is not signed",)),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_a_file_that_is_not_taken(post: Post, what: str) -> None:
    make, words = REFUSED[what]
    refused(post, make(post.campaign), *words)


def test_the_same_file_twice_gets_the_same_answer(post: Post) -> None:
    data = post.campaign.signed("an", "0.prince", PRINCE)
    first = post.arrives(data, status=0)
    again = post.arrives(data, status=0, name="an-again.order.toml")
    assert "Your plan is in. COMPLETE" in first
    assert "This very file had come before; its answer is the same." in again
    assert "receipt 5," in first and "receipt 5," in again
    assert len(numbered(post.campaign.folder.receipts)) == 5


# -- plans -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ("yunan-b", "There is no district \"yunan-b\" on this board. Did you mean \"yunnan-b\"?"),
        ("../../x", "There is no district \"../../x\" on this board."),
        ("<b>", "There is no district \"<b>\" on this board."),
    ],
)
def test_a_district_that_is_not_on_the_board_is_told_and_the_file_stands(post: Post, found: str, words: str) -> None:
    outside = _tree(post.campaign)
    told = post.arrives(post.campaign.signed("an", "0.prince", [{"do": "prince", "district": found}]), status=0)
    assert "PARTIAL: turn 1 cannot work as written" in told
    assert f"orders[0].district: {words}" in told
    assert "Nothing is lost" in told
    assert _tree(post.campaign) == outside | {str(post.folder / "an.order.toml")}
    assert audit(post.campaign.folder).fault is None


def test_a_step_that_is_not_allowed_in_mid_plan_is_told_and_what_works_stands(post: Post) -> None:
    campaign = post.campaign
    campaign.silent_until("1.place")
    told = post.arrives(campaign.signed("an", "1.place", [PLACE, {"do": "pass"}, PLACE]), status=0)
    assert "PARTIAL: turn 2 cannot work as written" in told
    assert 'NOT ALLOWED: { do = "pass" }' in told
    assert "orders[1].do" in told
    assert "the turn that works stands" in told
    assert "entry" in post.process()
    [step, *_] = campaign.course().chapters[-1].steps
    assert [(decision.seat, decision.why) for decision in step.decisions] == [("an", "plan")]
    assert audit(campaign.folder).fault is None


def test_a_plan_that_is_too_short_says_that_the_game_will_ask_again(post: Post) -> None:
    campaign = post.campaign
    campaign.silent_until("1.place")
    told = post.arrives(campaign.signed("an", "1.place", [PLACE]), status=0)
    assert "PARTIAL" in told
    assert "after its last line the game will ask you again" in told
    assert "entry" in post.process()
    assert audit(campaign.folder).fault is None


# -- seals -------------------------------------------------------------------------------------------------------------


def _box(campaign: Campaign, change: Callable[[dict[str, Any]], object]) -> bytes:
    seat, data = next(iter(campaign.bids().items()))
    table = read(split(data).signed)
    change(table["sealed"])
    return sign_file(campaign.players[seat].key, "order@pbem", dump(table))


def _another_box(campaign: Campaign) -> bytes:
    """The box of somebody else, signed anew."""
    (seat, data), (_, other) = list(campaign.bids().items())[:2]
    table = read(split(data).signed)
    table["sealed"] = read(split(other).signed)["sealed"]
    return sign_file(campaign.players[seat].key, "order@pbem", dump(table))


SEALS: dict[str, Case] = {
    "unsealed bid": (
        lambda one: one.signed(one.asked()[0], "2.return", [{"do": "return"}], seal_to=None), ("must be sealed", "pbem sign"),
    ),
    "box that does not open": (
        lambda one: _box(one, lambda box: box.update(box=[line[1] + line[0] + line[2:] for line in box["box"]])), ("do not open",),
    ),
    "box of another": (_another_box, ("do not open", "another phase, seat, revision or campaign")),
    "commitment mismatch": (
        lambda one: _box(one, lambda box: box.update(commitment="ab" * 32)), ("not what its commitment says",),
    ),
    "box that is none": (lambda one: _box(one, lambda box: box.update(box=["!!!!"])), ("sealed part is damaged",)),
}  # fmt: skip


@pytest.mark.parametrize("what", SEALS)
def test_a_seal_that_does_not_hold(sealed: Post, what: str) -> None:
    make, words = SEALS[what]
    refused(sealed, make(sealed.campaign), *words)


# -- what may stand in a file ------------------------------------------------------------------------------------------


def _body(campaign: Campaign, old: str = "", new: str = "") -> bytes:
    """A good file of an's with something in it replaced, signed by a tool that does not look."""
    text = campaign.text("an", "0.prince", PRINCE).decode()
    assert old in text
    return _signed(campaign, text.replace(old, new, 1))


INSIDE: dict[str, Case] = {
    "too deep": (lambda one: _signed(one, "orders = " + "[" * 200 + "]" * 200 + "\n"), ("more than 16 deep",)),
    "not UTF-8": (lambda one: _signed(one, b'game = "\xff\xfe"\n'), ("not stored as UTF-8",)),
    "UTF-16": (lambda one: _signed(one, 'game = "winter-court"\n'.encode("utf-16")), ("stored in UTF-16",)),
    "CR alone": (lambda one: _body(one, "\n", "\r"), ("line 1", "control character")),
    "smart quotes": (lambda one: _body(one, '"yunnan-b"', "“yunnan-b”"), ("printer's quotation mark",)),
    "no-break space": (lambda one: _body(one, "player = ", "player\u00a0= "), ("blank that is none", "plain blank")),
    "direction override": (lambda one: _body(one, "then = ", 'note = "\u202etsoob"\nthen = '), ("turns the direction of writing",)),
    "escaped direction override": (lambda one: _body(one, "then = ", 'note = "\\u202etsoob"\nthen = '), ("direction of writing",)),
    "escape character": (lambda one: _body(one, "then = ", 'note = "\x1b[2J"\nthen = '), ("control character",)),
    "revision below orders": (
        lambda one: _signed(
            one, _head(one) + '[[orders]]\ndo = "prince"\ndistrict = "yunnan-b"\nrevision = 2\n'
        ),
        ("revision belongs to the head of the file", "above the orders"),
    ),
    "inline table over lines": (
        lambda one: _signed(one, _head(one) + 'orders = [\n  { do = "prince",\n    district = "yunnan-b" },\n]\n'),
        ("between { and }", "has to stay on one line"),
    ),
    "orders twice": (lambda one: _signed(one, _head(one) + "orders = []\norders = []\n"), ("a second time", "into one list")),
    "game that is a path": (lambda one: _body(one, '"winter-court"', '"../../x"'), ("game:", "small letters a to z")),
    "seat that is a path": (lambda one: _body(one, '"an"', '"../../x"'), ("player:", "small letters a to z")),
    "phase that is a path": (lambda one: _body(one, '"0.prince"', '"../../x"'), ("phase:", "A phase looks like 3.move")),
    "HTML for a name": (lambda one: _body(one, '"an"', '"<b>an</b>"'), ("player:", "small letters a to z")),
}  # fmt: skip


def _head(campaign: Campaign) -> str:
    lines = campaign.text("an", "0.prince", []).decode().splitlines()
    return "".join(f"{line}\n" for line in lines if not line.startswith("orders"))


@pytest.mark.parametrize("what", INSIDE)
def test_a_file_with_something_bad_in_it(post: Post, what: str) -> None:
    make, words = INSIDE[what]
    refused(post, make(post.campaign), *words)


def test_tabs_and_line_ends_of_windows_do_no_harm(post: Post) -> None:
    text = post.campaign.text("an", "0.prince", PRINCE).replace(b"player = ", b"player\t=\t")
    assert b"\t" in text
    data = sign_file(post.campaign.players["an"].key, "order@pbem", text).replace(b"\n", b"\r\n")
    assert "COMPLETE" in post.arrives(data, status=0)
    assert audit(post.campaign.folder).fault is None


@pytest.mark.parametrize("seat", ["../../x", "an/../bo", "AN", ""])
def test_a_join_for_a_seat_that_is_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
                                           seat: str) -> None:  # fmt: skip
    campaign = new_campaign(tmp_path)
    text = split(campaign.join_file("an")).signed.decode().replace('seat = "an"', f'seat = "{seat}"')
    monkeypatch.chdir(tmp_path)
    refused(
        Post(campaign, tmp_path, capsys), sign_file(campaign.players["an"].key, "join@pbem", text.encode()), "seat:", "small letters a to z"
    )


def test_a_campaign_whose_name_is_no_name(post: Post) -> None:
    for name in ("Winter Court", "..", "a.b"):
        told = post.run("new", name, "--title", "ming-dynasty", "--seats", "an,bo", status=1)
        assert "error: " in told
    assert list(post.folder.iterdir()) == []


EVIL = "<script>alert(1)</script>&"


def test_html_in_names_and_notes_stays_text_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = new_campaign(tmp_path)
    campaign.receive(*(campaign.join_file(seat, name=EVIL if seat == "an" else seat) for seat in campaign.seats))
    campaign.process()
    assert campaign.file("an", "0.prince", PRINCE, note=EVIL).receipt.accepted
    monkeypatch.chdir(tmp_path)
    post = Post(campaign, tmp_path, capsys)
    post.process()
    post.typed("report", "--html", "page.html", status=0)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;&amp;") >= 2
    assert EVIL in " ".join(post.typed("report", "--text", "-", status=0).split())


# -- files that are none -----------------------------------------------------------------------------------------------


def test_a_folder_and_a_vanished_file_do_not_keep_the_others_from_being_answered(post: Post) -> None:
    (post.folder / "mails").mkdir()
    (post.folder / "gone.toml").symlink_to(post.folder / "nowhere")
    (post.folder / "an.order.toml").write_bytes(post.campaign.signed("an", "0.prince", PRINCE))
    now = ("--now", clock.text(post.campaign.now))
    told = post.typed("receive", "mails", "gone.toml", "none.toml", "an.order.toml", *now)
    assert "error: mails is a folder and no order or join file" in told
    assert "error: there is no order or join file gone.toml" in told
    assert "error: there is no order or join file none.toml" in told
    assert "Your plan is in. COMPLETE" in told
    assert post.campaign.course().current("an", "0.prince") is not None


def test_a_file_that_vanishes_while_it_is_read(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    (post.folder / "an.order.toml").write_bytes(b"gone in a moment")
    true = builtins.open

    def vanishing(file: Any, *args: Any, **kwargs: Any) -> Any:
        if str(file).endswith("an.order.toml"):
            Path(file).unlink(missing_ok=True)
        return true(file, *args, **kwargs)

    monkeypatch.setattr(builtins, "open", vanishing)
    assert "error: an.order.toml cannot be read: No such file or directory" in post.typed("receive", "an.order.toml")


# -- the machine -------------------------------------------------------------------------------------------------------


def test_a_full_disk(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    data = post.campaign.signed("an", "0.prince", PRINCE)

    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        told = post.arrives(data)
    assert "cannot be written: No space left on device" in told
    assert "hint: nothing was lost" in told
    assert audit(post.campaign.folder).fault is None
    assert "COMPLETE" in post.arrives(data, status=0)


def _without_folder(campaign: Campaign) -> None:
    for path in campaign.folder.private.rglob("*"):
        path.unlink()
    campaign.folder.private.rmdir()


def test_no_private_folder(post: Post) -> None:
    data = post.campaign.signed("an", "0.prince", PRINCE)
    _without_folder(post.campaign)
    for told in (post.arrives(data), post.process(status=1)):
        assert "this machine is not the processor" in told
        assert "hint: only whoever holds the secret can receive and process" in told
    assert "every signature and every link of the chain is good" in post.typed("audit", status=0)
    assert len(numbered(post.campaign.folder.receipts)) == 4


@pytest.mark.parametrize(
    ("value", "word"), [("ab" * 32, "belongs to another campaign"), ("winter", "the secret of this campaign cannot be read")]
)
def test_a_wrong_secret_in_the_environment(post: Post, value: str, word: str) -> None:
    data = post.campaign.signed("an", "0.prince", PRINCE)
    with environment("PBEM_SECRET", value):
        for told in (post.arrives(data), post.process(status=1)):
            assert word in told
            assert "hint: " in told
            assert value not in told, "a secret is never repeated"
    assert len(numbered(post.campaign.folder.receipts)) == 4
    assert "COMPLETE" in post.arrives(data, status=0)


def _hide(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """WeasyPrint cannot be imported, as where it, or Pango behind it, is not installed."""
    true = builtins.__import__

    def failing(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "weasyprint":
            raise error
        return true(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", failing)


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (ImportError("no module"), "PDF needs WeasyPrint, which is not installed: pip install"),
        (OSError("cannot load library 'libpango-1.0-0'"), "PDF needs the Pango library, which was not found. Debian and Ubuntu: apt"),
    ],
)
def test_a_site_without_pango_has_no_pdfs_and_says_why(
    post: Post, monkeypatch: pytest.MonkeyPatch, error: Exception, word: str
) -> None:
    _hide(monkeypatch, error)
    root = post.campaign.folder.root
    told = " ".join(post.run("site", "-o", str(post.folder / "_site"), "--games", str(root.parent)).split())
    assert f"without PDFs: {word}" in told
    assert (post.folder / "_site" / "index.html").is_file()


def test_a_pdf_without_pango_is_a_sentence(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    _hide(monkeypatch, OSError("cannot load library 'libpango-1.0-0'"))
    told = post.typed("report", "--pdf", "turn.pdf")
    assert "PDF needs the Pango library" in told
    assert not (post.folder / "turn.pdf").exists()


def test_a_folder_of_a_newer_protocol(post: Post) -> None:
    data = post.campaign.signed("an", "0.prince", PRINCE)
    game = post.campaign.folder.game
    text = game.read_text(encoding="utf-8")
    assert "protocol = 1" in text
    for newer in (text.replace("protocol = 1", "protocol = 2", 1), text.replace("protocol = 1", 'protocol = 2\nweather = "fair"', 1)):
        game.write_text(newer, encoding="utf-8")
        for told in (post.arrives(data), post.process(status=1), post.typed("audit"), post.typed("status")):
            assert "was made by a newer pbem (protocol 2; this one knows 1)" in told
            assert "hint: install the newest pbem" in told
    game.write_text(text, encoding="utf-8")
    assert "COMPLETE" in post.arrives(data, status=0)


def test_a_folder_that_is_no_campaign(post: Post) -> None:
    for command in (("receive", "elsewhere", "an.order.toml"), ("process", "elsewhere"), ("audit", "elsewhere"), ("status", "elsewhere")):
        (post.folder / "an.order.toml").write_bytes(b"nobody asked")
        assert "there is no campaign in elsewhere" in post.run(*command, status=1)
    assert not (post.folder / "elsewhere").exists()
