"""Every way to cheat with public files, by name, with what audit says of it. (Random changes: test_flips.)"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from pbem.campaign import beacon, intake, privately
from pbem.campaign import course as course_module
from pbem.campaign.archive import load
from pbem.campaign.audit import audit
from pbem.campaign.ending import public_files
from pbem.campaign.folder import CampaignError, numbered
from pbem.campaign.judge import Refused
from pbem.orders.encoding import b64, sha256
from pbem.orders.making import make_plain
from pbem.orders.seal import make_seal_to, padded, phase_public, seal, seal_info
from pbem.orders.signed import sign_file, split
from pbem.orders.toml import read
from pbem.orders.write import dump

from ..helpers import Campaign, fixed, joined_campaign
from .forging import (
    append_entry,
    change_entry,
    change_receipt,
    entry,
    flip,
    last,
    refuses_with,
    replace_in,
    rewrap,
    sign,
    table,
    takes_everything,
)

Vector = Callable[[Campaign], tuple[str, str]]
VECTORS: dict[str, Vector] = {}

# Entries of the campaign "short" (see conftest) that the vectors work on.
SET_UP, TWO_PRINCES, SILENCE, ALL_PLACED, BIDS, LAST = 5, 6, 8, 9, 19, 20
# Receipts of it.
GARBAGE, REVISED_BID = 5, 42


def vector(name: str) -> Callable[[Vector], Vector]:
    """Registers a way to cheat under its name."""

    def register(function: Vector) -> Vector:
        VECTORS[name] = function
        return function

    return register


@pytest.fixture
def found(request: pytest.FixtureRequest, short: Campaign) -> tuple[tuple[str, str], tuple[str, str]]:
    expected = VECTORS[request.param](short)
    report = audit(short.folder)
    # A file whose receipt may still be under way is no forgery: it is named in a notice, until the end is written.
    told = [(code, str(facts.get("file", ""))) for code, facts in report.notices]
    fault = report.fault
    return expected, (fault.code, fault.file) if fault else (told or [("", "")])[0]


def file_of(campaign: Campaign, seat: str, phase: str, revision: int = 1) -> Path:
    [path] = campaign.folder.orders.glob(f"{phase}/{seat}.{revision}-????????.toml")
    return path


def name(campaign: Campaign, path: Path) -> str:
    return campaign.folder.relative(path)


# -- nothing changed, and what may change ------------------------------------------------------------------------------


def test_the_untouched_campaign_is_right(short: Campaign) -> None:
    report = audit(short.folder)
    assert report.fault is None
    assert not report.finished
    assert (report.entries, report.pending) == (20, {})
    assert report.proven == short.course().table.step


def test_a_rewrapped_signature_block_is_the_same_file(short: Campaign) -> None:
    [join] = short.folder.orders.glob("join/an-*.toml")
    for path in (file_of(short, "an", "1.place"), join, entry(short, 3), last(short.folder.receipts)):
        before = path.read_bytes()
        rewrap(path)
        assert path.read_bytes() != before
    assert audit(short.folder).fault is None


# -- a changed byte in each kind of file -------------------------------------------------------------------------------


@vector("game file: another closing time")
def _(campaign: Campaign) -> tuple[str, str]:
    replace_in(campaign.folder.game, 'close = "48h"', 'close = "49h"')
    return "game-changed", "game.toml"


@vector("game file: another processor's key")
def _(campaign: Campaign) -> tuple[str, str]:
    replace_in(campaign.folder.game, campaign.made.game.processor.key, campaign.players["bo"].key.public.line())
    return "game-changed", "game.toml"


@vector("game file: not readable")
def _(campaign: Campaign) -> tuple[str, str]:
    replace_in(campaign.folder.game, 'seal = "bids"', "seal = bids")
    return "game-unreadable", "game.toml"


@vector("order file: its body")
def _(campaign: Campaign) -> tuple[str, str]:
    path = file_of(campaign, "bo", "1.place")
    replace_in(path, 'then = "', 'then =  "')
    return "other-identity", name(campaign, path)


@vector("order file: its signature")
def _(campaign: Campaign) -> tuple[str, str]:
    path = file_of(campaign, "bo", "1.place")
    flip(path, path.read_bytes().index(b"BEGIN SSH SIGNATURE") + 200)
    return "bad-file", name(campaign, path)


@vector("order file: a second signature behind the first")
def _(campaign: Campaign) -> tuple[str, str]:
    path = file_of(campaign, "bo", "1.place")
    signed = split(path.read_bytes())
    path.write_bytes(path.read_bytes() + path.read_bytes()[len(signed.signed) :])
    return "bad-file", name(campaign, path)


@vector("order file: text behind the signature")
def _(campaign: Campaign) -> tuple[str, str]:
    path = file_of(campaign, "bo", "1.place")
    path.write_bytes(path.read_bytes() + b'orders = []\n')
    return "bad-file", name(campaign, path)


@vector("order file: gone")
def _(campaign: Campaign) -> tuple[str, str]:
    path = file_of(campaign, "bo", "1.place")
    path.unlink()
    return "missing", name(campaign, path)


@vector("detached signature: a byte")
def _(campaign: Campaign) -> tuple[str, str]:
    path = file_of(campaign, "chen", "0.prince")
    flip(path.with_name(path.name + ".sig"), 150)
    return "bad-file", name(campaign, path)


@vector("detached signature: gone")
def _(campaign: Campaign) -> tuple[str, str]:
    path = file_of(campaign, "chen", "0.prince")
    path.with_name(path.name + ".sig").unlink()
    return "bad-file", name(campaign, path)


@vector("detached signature: one beside a signed file")
def _(campaign: Campaign) -> tuple[str, str]:
    path = file_of(campaign, "bo", "1.place")
    path.with_name(path.name + ".sig").write_text(split(path.read_bytes()).block)
    # The order itself is as it was signed; what is too much is the file beside it.
    return "unaccounted", name(campaign, path) + ".sig"


@vector("join file: its body")
def _(campaign: Campaign) -> tuple[str, str]:
    [path] = campaign.folder.orders.glob("join/chen-*.toml")
    replace_in(path, 'language = "en"', 'language = "fr"')
    return "other-identity", name(campaign, path)


@vector("join file: its signature")
def _(campaign: Campaign) -> tuple[str, str]:
    [path] = campaign.folder.orders.glob("join/chen-*.toml")
    flip(path, path.read_bytes().index(b"BEGIN SSH SIGNATURE") + 200)
    return "bad-file", name(campaign, path)


@vector("receipt: its body")
def _(campaign: Campaign) -> tuple[str, str]:
    replace_in(campaign.folder.receipt(GARBAGE), "no-signature", "no-signaturf")
    return "bad-signature", "receipts/0005.toml"


@vector("receipt: its signature")
def _(campaign: Campaign) -> tuple[str, str]:
    path = campaign.folder.receipt(GARBAGE)
    flip(path, path.read_bytes().index(b"BEGIN SSH SIGNATURE") + 200)
    return "bad-signature", "receipts/0005.toml"


@vector("receipt: signed by a player")
def _(campaign: Campaign) -> tuple[str, str]:
    path = campaign.folder.receipt(GARBAGE)
    path.write_bytes(sign_file(campaign.players["an"].key, "receipt@pbem", split(path.read_bytes()).signed))
    return "bad-signer", "receipts/0005.toml"


@vector("entry: its body")
def _(campaign: Campaign) -> tuple[str, str]:
    replace_in(entry(campaign, ALL_PLACED), 'province = "', 'province =  "')
    return "bad-signature", "ledger/0009.toml"


@vector("entry: its signature")
def _(campaign: Campaign) -> tuple[str, str]:
    path = entry(campaign, ALL_PLACED)
    flip(path, path.read_bytes().index(b"BEGIN SSH SIGNATURE") + 200)
    return "bad-signature", "ledger/0009.toml"


@vector("entry: signed for another purpose")
def _(campaign: Campaign) -> tuple[str, str]:
    path = entry(campaign, ALL_PLACED)
    path.write_bytes(sign_file(campaign.secret.signing_key, "receipt@pbem", split(path.read_bytes()).signed))
    return "bad-signature", "ledger/0009.toml"


@vector("letter: a byte")
def _(campaign: Campaign) -> tuple[str, str]:
    path = campaign.folder.letter("an", "r0010")
    flip(path, 300)
    return "letter-differs", "letters/an/r0010.toml"


@vector("letter: gone")
def _(campaign: Campaign) -> tuple[str, str]:
    campaign.folder.letter("an", "r0010").unlink()
    return "missing", "letters/an/r0010.toml"


# -- the chains --------------------------------------------------------------------------------------------------------


@vector("an entry dropped in the middle")
def _(campaign: Campaign) -> tuple[str, str]:
    entry(campaign, ALL_PLACED).unlink()
    return "missing", "ledger/0009.toml"


@vector("an entry dropped and the others moved up")
def _(campaign: Campaign) -> tuple[str, str]:
    for number in range(ALL_PLACED, LAST):
        entry(campaign, number + 1).replace(entry(campaign, number))
    return "wrong-number", "ledger/0009.toml"


@vector("the last entry dropped, though a receipt names it")
def _(campaign: Campaign) -> tuple[str, str]:
    entry(campaign, LAST).unlink()
    return "receipt-other-head", name(campaign, last(campaign.folder.receipts))


@vector("two entries exchanged")
def _(campaign: Campaign) -> tuple[str, str]:
    one, other = entry(campaign, ALL_PLACED), entry(campaign, ALL_PLACED + 1)
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)
    return "wrong-number", "ledger/0009.toml"


@vector("an entry replayed at the end")
def _(campaign: Campaign) -> tuple[str, str]:
    shutil.copy(entry(campaign, LAST), entry(campaign, LAST + 1))
    return "wrong-number", "ledger/0021.toml"


@vector("an entry replayed at the end, numbered and signed anew")
def _(campaign: Campaign) -> tuple[str, str]:
    told = table(entry(campaign, LAST))
    head = campaign.course().archive.entries[-1].digest.hex()
    path = entry(campaign, LAST + 1)
    sign(campaign, path, told | {"number": LAST + 1, "before": head, "counted": len(numbered(campaign.folder.receipts))}, "ledger@pbem")
    return "bad-link", "ledger/0021.toml"


@vector("a receipt dropped in the middle")
def _(campaign: Campaign) -> tuple[str, str]:
    campaign.folder.receipt(GARBAGE).unlink()
    return "missing", "receipts/0005.toml"


@vector("the last receipt dropped, its file still there")
def _(campaign: Campaign) -> tuple[str, str]:
    receipt = campaign.course().archive.receipts[-1].record
    last(campaign.folder.receipts).unlink()
    campaign.folder.letter(receipt.seat, f"r{receipt.number:04}").unlink()
    return "unanswered", name(campaign, file_of(campaign, receipt.seat, receipt.phase))


@vector("a counted receipt dropped with its file and its letter")
def _(campaign: Campaign) -> tuple[str, str]:
    for kept in campaign.course().archive.receipts[-2:]:
        kept.path.unlink()
        file_of(campaign, kept.record.seat, kept.record.phase).unlink()
    return "wrong-cut", "ledger/0020.toml"


@vector("two receipts exchanged")
def _(campaign: Campaign) -> tuple[str, str]:
    one, other = campaign.folder.receipt(10), campaign.folder.receipt(11)
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)
    return "wrong-number", "receipts/0010.toml"


@vector("a receipt changed, the chain signed anew")
def _(campaign: Campaign) -> tuple[str, str]:
    return "receipt-differs", change_receipt(campaign, 10, lambda told: told.update(closes="2026-11-30T00:00:00Z"))


@vector("a receipt says taken of an open file")
def _(campaign: Campaign) -> tuple[str, str]:
    return "receipt-differs", change_receipt(campaign, 10, lambda told: told.update(verdict="taken"))


@vector("a receipt dated before the one before")
def _(campaign: Campaign) -> tuple[str, str]:
    return "time-goes-back", change_receipt(
        campaign, 10, lambda told: told.update(taken="2026-11-01T18:00:00Z", received="2026-11-01T18:00:00Z")
    )


@vector("a receipt says received after it was taken")
def _(campaign: Campaign) -> tuple[str, str]:
    return "time-goes-back", change_receipt(campaign, 10, lambda told: told.update(received="2026-12-24T18:00:00Z"))


@vector("a receipt with a time that is none")
def _(campaign: Campaign) -> tuple[str, str]:
    return "bad-time", change_receipt(campaign, 10, lambda told: told.update(taken="yesterday"))


@vector("a receipt that names another head")
def _(campaign: Campaign) -> tuple[str, str]:
    return "receipt-other-head", change_receipt(campaign, 10, lambda told: told.update(head=f"8-{'ab' * 16}"))


@vector("a receipt moved behind the next entry, so that its file was not counted")
def _(campaign: Campaign) -> tuple[str, str]:
    head = campaign.course().archive.head(ALL_PLACED)
    change_receipt(campaign, 13, lambda told: told.update(head=head))
    return "wrong-cut", "ledger/0009.toml"


@vector("a path out of the folder in a receipt")
def _(campaign: Campaign) -> tuple[str, str]:
    return "bad-unreadable", change_receipt(campaign, 10, lambda told: told.update(phase="../../../../etc"))


@vector("an identity that is none in a receipt")
def _(campaign: Campaign) -> tuple[str, str]:
    return "bad-unreadable", change_receipt(campaign, 10, lambda told: told.update(file="zz" * 32))


@vector("an unknown word in a receipt")
def _(campaign: Campaign) -> tuple[str, str]:
    return "bad-unreadable", change_receipt(campaign, 10, lambda told: told.update(surprise=1))


@vector("a stranger's file among the orders")
def _(campaign: Campaign) -> tuple[str, str]:
    shutil.copy(file_of(campaign, "bo", "1.place"), campaign.folder.orders / "1.place" / "bo.2-00000000.toml")
    return "unanswered", "orders/1.place/bo.2-00000000.toml"


@vector("a stranger's file in the ledger")
def _(campaign: Campaign) -> tuple[str, str]:
    (campaign.folder.ledger / "notes.txt").write_text("nothing")
    return "unaccounted", "ledger/notes.txt"


# -- files that were wrongly taken -------------------------------------------------------------------------------------


@vector("an order signed by another player, exchanged for the true one")
def _(campaign: Campaign) -> tuple[str, str]:
    path = file_of(campaign, "bo", "1.place")
    path.write_bytes(sign_file(campaign.players["dai"].key, "order@pbem", split(path.read_bytes()).signed))
    return "wrongly-taken", name(campaign, path)


@vector("an order signed by another player, taken")
def _(campaign: Campaign) -> tuple[str, str]:
    with takes_everything():
        campaign.file("bo", "3.place", [], key=campaign.players["dai"].key)
    return "wrongly-taken", name(campaign, file_of(campaign, "bo", "3.place"))


@vector("an order for another campaign, taken")
def _(campaign: Campaign) -> tuple[str, str]:
    with takes_everything():
        campaign.file("bo", "3.place", [], game="summer-court")
    return "wrongly-taken", name(campaign, file_of(campaign, "bo", "3.place"))


@vector("an order from another history, taken")
def _(campaign: Campaign) -> tuple[str, str]:
    data = campaign.signed("bo", "3.place", [], after=f"3-{'ab' * 16}")
    known = {f"3-{'ab' * 16}": 3}
    with takes_everything(), patch.object(intake, "catch_up", lambda course: (_catch_up(course), course.entries.update(known))):
        campaign.receive(data)
    return "other-history", name(campaign, file_of(campaign, "bo", "3.place"))


_catch_up = intake.catch_up


@vector("a stale order, taken")
def _(campaign: Campaign) -> tuple[str, str]:
    seen = campaign.course().archive.head(LAST - 1)
    with takes_everything():
        campaign.file("chen", "3.place", [], revision=2, after=seen)
    return "wrongly-taken", name(campaign, file_of(campaign, "chen", "3.place", 2))


@vector("an order after the closing time, taken")
def _(campaign: Campaign) -> tuple[str, str]:
    closes = campaign.course().closes()
    assert closes is not None
    campaign.now = closes + timedelta(seconds=1)
    with takes_everything():
        campaign.file("bo", "3.place", [])
    return "wrongly-taken", name(campaign, file_of(campaign, "bo", "3.place"))


@vector("an order for a phase that was played, taken")
def _(campaign: Campaign) -> tuple[str, str]:
    with takes_everything():
        campaign.file("bo", "1.place", [], revision=2)
    return "wrongly-taken", name(campaign, file_of(campaign, "bo", "1.place", 2))


@vector("a second file of the same revision, taken")
def _(campaign: Campaign) -> tuple[str, str]:
    with takes_everything():
        campaign.file("dai", "3.place", [{"do": "place", "province": "yunnan"}])
    [path] = set(campaign.folder.orders.glob("3.place/dai.1-*.toml")) - {campaign.course().archive.file_of(_receipt(campaign, -2))}
    return "wrongly-taken", name(campaign, path)


def _receipt(campaign: Campaign, at: int) -> Any:
    return load(campaign.folder, check=False).receipts[at].record


@vector("an open file where it has to be sealed, taken")
def _(campaign: Campaign) -> tuple[str, str]:
    campaign.silent_until("4.place")
    with takes_everything():
        campaign.file("bo", "4.return", [{"do": "return"}], seal_to=None)
    return "wrongly-taken", name(campaign, file_of(campaign, "bo", "4.return"))


@vector("a receipt twice for one file")
def _(campaign: Campaign) -> tuple[str, str]:
    told = table(last(campaign.folder.receipts))
    digest = campaign.course().archive.receipts[-1].digest.hex()
    path = campaign.folder.receipt(told["number"] + 1)
    sign(campaign, path, told | {"number": told["number"] + 1, "before": digest}, "receipt@pbem")
    return "wrongly-taken", name(campaign, file_of(campaign, "dai", "3.place"))


# -- files that were wrongly refused -----------------------------------------------------------------------------------

for _code in (
    "not-joined", "not-started", "closed", "unknown-phase", "late", "revision-taken", "older-revision", "must-be-sealed",
):  # fmt: skip

    @vector(f"a good order refused as {_code}")
    def _(campaign: Campaign, code: str = _code) -> tuple[str, str]:
        with refuses_with(code):
            campaign.file("bo", "3.place", [])
        return "wrongly-refused", name(campaign, last(campaign.folder.receipts))


# -- chance ------------------------------------------------------------------------------------------------------------


@vector("a link exchanged for any other")
def _(campaign: Campaign) -> tuple[str, str]:
    return "bad-link", change_entry(campaign, ALL_PLACED, lambda told: told.update(link=fixed("my own link").hex()))


@vector("a link exchanged for the next one")
def _(campaign: Campaign) -> tuple[str, str]:
    step = table(entry(campaign, ALL_PLACED))["played"][-1]["step"]
    link = beacon.link(campaign.secret.beacon_seed, step + 1)
    return "bad-link", change_entry(campaign, ALL_PLACED, lambda told: told.update(link=link.hex()))


@vector("a beacon of one's own, begun in a join")
def _(campaign: Campaign) -> tuple[str, str]:
    return "bad-unreadable", change_entry(campaign, 4, lambda told: told.update(link=fixed("my own beacon").hex()))


@vector("a beacon of one's own, begun in a turn without steps")
def _(campaign: Campaign) -> tuple[str, str]:
    counted = len(numbered(campaign.folder.receipts))
    return "empty-entry", append_entry(campaign, kind="turn", counted=counted, link=fixed("my own beacon").hex())


# -- seals -------------------------------------------------------------------------------------------------------------


@vector("a phase secret exchanged for another phase's")
def _(campaign: Campaign) -> tuple[str, str]:
    other = b64(campaign.secret.phase("1.place", SET_UP))
    return "wrong-secret", change_entry(campaign, BIDS, lambda told: told["closed"].update({"2.return": other}))


@vector("a phase secret that is none")
def _(campaign: Campaign) -> tuple[str, str]:
    return "bad-key", change_entry(campaign, BIDS, lambda told: told["closed"].update({"2.return": "AAAA"}))


@vector("a phase secret kept back")
def _(campaign: Campaign) -> tuple[str, str]:
    return "secret-missing", change_entry(campaign, BIDS, lambda told: told["closed"].update({"2.return": ""}))


@vector("a secret published that nothing was sealed to")
def _(campaign: Campaign) -> tuple[str, str]:
    secret = b64(campaign.secret.phase("1.place", SET_UP))
    return "secret-unasked", change_entry(campaign, ALL_PLACED, lambda told: told["closed"].update({"1.place": secret}))


@vector("a phase that ended not closed")
def _(campaign: Campaign) -> tuple[str, str]:
    return "wrong-closings", change_entry(campaign, ALL_PLACED, lambda told: told.pop("closed"))


@vector("a phase closed that goes on")
def _(campaign: Campaign) -> tuple[str, str]:
    return "wrong-closings", change_entry(campaign, LAST, lambda told: told.update(closed={"3.place": ""}))


@vector("no key published for a phase announced")
def _(campaign: Campaign) -> tuple[str, str]:
    return "wrong-openings", change_entry(campaign, SET_UP, lambda told: told["opened"].pop("1.move"))


@vector("a key published without the processor's signature")
def _(campaign: Campaign) -> tuple[str, str]:
    line = make_seal_to(campaign.players["an"].key, campaign.secret.id, "1.move", SET_UP, phase_public(fixed("mine")))
    return "bad-key", change_entry(campaign, SET_UP, lambda told: told["opened"].update({"1.move": line}))


@vector("a key published for another campaign")
def _(campaign: Campaign) -> tuple[str, str]:
    line = make_seal_to(campaign.secret.signing_key, fixed("other")[:16], "1.move", SET_UP, phase_public(fixed("mine")))
    return "bad-key", change_entry(campaign, SET_UP, lambda told: told["opened"].update({"1.move": line}))


# -- steps that do not follow from the plans ---------------------------------------------------------------------------


@vector("another order played than the plan says")
def _(campaign: Campaign) -> tuple[str, str]:
    return "step-differs", change_entry(campaign, ALL_PLACED, lambda told: _other_province(told["played"][2]["orders"][0]))


def _other_province(order: dict[str, Any]) -> None:
    order["order"]["province"] = "guangdong" if order["order"]["province"] != "guangdong" else "nanjing"


@vector("the alternative played though the order was legal")
def _(campaign: Campaign) -> tuple[str, str]:
    def change(told: dict[str, Any]) -> None:
        told["played"][0]["orders"][0]["order"]["district"] = "zhili-c"

    return "step-differs", change_entry(campaign, TWO_PRINCES, change)


@vector("silence claimed where a plan was filed")
def _(campaign: Campaign) -> tuple[str, str]:
    def change(told: dict[str, Any]) -> None:
        told["played"][0]["orders"][0].pop("file")
        told["played"][0]["orders"][0]["default"] = "silence"

    return "step-differs", change_entry(campaign, ALL_PLACED, change)


@vector("a stop claimed where a plan went on")
def _(campaign: Campaign) -> tuple[str, str]:
    def change(told: dict[str, Any]) -> None:
        told["played"][0]["orders"][0].pop("file")
        told["played"][0]["orders"][0]["default"] = "stopped"

    return "step-differs", change_entry(campaign, ALL_PLACED, change)


@vector("a forced decision claimed where there was a choice")
def _(campaign: Campaign) -> tuple[str, str]:
    def change(told: dict[str, Any]) -> None:
        told["played"][0]["orders"][0].pop("file")
        told["played"][0]["orders"][0]["forced"] = True

    return "step-differs", change_entry(campaign, ALL_PLACED, change)


@vector("an order put into a silent player's mouth")
def _(campaign: Campaign) -> tuple[str, str]:
    def change(told: dict[str, Any]) -> None:
        told["played"][0]["orders"][0].pop("default")
        told["played"][0]["orders"][0]["file"] = "ab" * 32

    return "step-differs", change_entry(campaign, SILENCE, change)


@vector("another file named as the ground of an order")
def _(campaign: Campaign) -> tuple[str, str]:
    def change(told: dict[str, Any]) -> None:
        told["played"][0]["orders"][0]["file"] = told["played"][1]["orders"][0]["file"]

    return "step-differs", change_entry(campaign, TWO_PRINCES, change)


@vector("another bid played than was in the box")
def _(campaign: Campaign) -> tuple[str, str]:
    def change(told: dict[str, Any]) -> None:
        told["played"][0]["orders"][1]["order"]["counts"] = {"yunnan": 1}

    return "step-differs", change_entry(campaign, BIDS, change)


@vector("the first revision played instead of the second")
def _(campaign: Campaign) -> tuple[str, str]:
    first = split(file_of(campaign, "an", "2.return").read_bytes()).identity.hex()
    return "step-differs", change_entry(campaign, BIDS, lambda told: told["played"][0]["orders"][0].update(file=first))


@vector("the last step left out")
def _(campaign: Campaign) -> tuple[str, str]:
    def change(told: dict[str, Any]) -> None:
        told["played"].pop()
        told["link"] = beacon.link(campaign.secret.beacon_seed, told["played"][-1]["step"]).hex()

    return "steps-missing", change_entry(campaign, ALL_PLACED, change)


@vector("a step left out in the middle")
def _(campaign: Campaign) -> tuple[str, str]:
    def change(told: dict[str, Any]) -> None:
        told["played"].pop(1)
        told["link"] = beacon.link(campaign.secret.beacon_seed, told["played"][-1]["step"] - 1).hex()

    return "steps-missing", change_entry(campaign, ALL_PLACED, change)


@vector("a step invented")
def _(campaign: Campaign) -> tuple[str, str]:
    def change(told: dict[str, Any]) -> None:
        step = told["played"][-1]["step"] + 1
        told["played"].append({"step": step, "phase": "3.place", "orders": [{"seat": "dai", "order": _place(), "default": "silence"}]})
        told["link"] = beacon.link(campaign.secret.beacon_seed, step).hex()

    return "steps-invented", change_entry(campaign, LAST, change)


def _place() -> dict[str, str]:
    return {"do": "place", "province": "yunnan"}


@vector("an early closing not told")
def _(campaign: Campaign) -> tuple[str, str]:
    return "steps-invented", change_entry(campaign, SILENCE, lambda told: told.pop("close"))


@vector("a closing told of another phase")
def _(campaign: Campaign) -> tuple[str, str]:
    return "closed-another", change_entry(campaign, ALL_PLACED, lambda told: told.update(close="1.draw"))


@vector("a closing told that would have stopped nobody from playing on")
def _(campaign: Campaign) -> tuple[str, str]:
    return "steps-missing", change_entry(campaign, LAST, lambda told: told.update(close="3.place"))


@vector("a wrong position")
def _(campaign: Campaign) -> tuple[str, str]:
    return "position-differs", change_entry(campaign, ALL_PLACED, lambda told: told.update(position="ab" * 32))


@vector("a receipt more counted than there is")
def _(campaign: Campaign) -> tuple[str, str]:
    return "wrong-cut", change_entry(campaign, LAST, lambda told: told.update(counted=99))


@vector("a file left uncounted")
def _(campaign: Campaign) -> tuple[str, str]:
    return "wrong-cut", change_entry(campaign, ALL_PLACED, lambda told: told.update(counted=told["counted"] - 1))


@vector("an entry dated before the one before")
def _(campaign: Campaign) -> tuple[str, str]:
    return "time-goes-back", change_entry(campaign, ALL_PLACED, lambda told: told.update(time="2026-11-01T18:00:00Z"))


@vector("an entry dated before what it counts")
def _(campaign: Campaign) -> tuple[str, str]:
    before = table(entry(campaign, ALL_PLACED - 1))["time"]
    return "time-goes-back", change_entry(campaign, ALL_PLACED, lambda told: told.update(time=before))


@vector("an entry with a time that is none")
def _(campaign: Campaign) -> tuple[str, str]:
    return "bad-time", change_entry(campaign, ALL_PLACED, lambda told: told.update(time="2026-11-31T18:00:00Z"))


@vector("an entry of rules nobody knows")
def _(campaign: Campaign) -> tuple[str, str]:
    return "other-rules", change_entry(campaign, ALL_PLACED, lambda told: told.update(rules=99))


@vector("an entry of a kind nobody knows")
def _(campaign: Campaign) -> tuple[str, str]:
    return "unknown-kind", change_entry(campaign, ALL_PLACED, lambda told: told.update(kind="miracle"))


@vector("an end before the game is over")
def _(campaign: Campaign) -> tuple[str, str]:
    counted = len(numbered(campaign.folder.receipts))
    files = {name: sha256((campaign.folder.root / name).read_bytes()).hex() for name in public_files(campaign.folder)}
    return "end-too-early", append_entry(campaign, kind="end", counted=counted, files=files, private=campaign.secret.private.hex())


# -- seats -------------------------------------------------------------------------------------------------------------


@vector("a seat given to another file than was taken")
def _(campaign: Campaign) -> tuple[str, str]:
    return "join-without-file", change_entry(campaign, 2, lambda told: told.update(file="ab" * 32))


@vector("a seat taken with another invite")
def _(campaign: Campaign) -> tuple[str, str]:
    [path] = campaign.folder.orders.glob("join/bo-*.toml")
    change_entry(campaign, 2, lambda told: told.update(invite=campaign.made.invites["an"]))
    return "bad-invite", name(campaign, path)


@vector("a second player taken for a seat")
def _(campaign: Campaign) -> tuple[str, str]:
    data = campaign.join_file("an", key=campaign.players["bo"].key)
    with patch.object(intake, "_judge_join", lambda course, case: (setattr(case, "seat", "an"), setattr(case, "phase", "join"))):
        campaign.receive(data)
    path = campaign.folder.join("an", split(data).identity)
    return "wrongly-taken", name(campaign, path)


# -- corrections -------------------------------------------------------------------------------------------------------


def _corrected(campaign: Campaign, kind: str, **facts: Any) -> str:
    return append_entry(campaign, kind=kind, counted=len(numbered(campaign.folder.receipts)), **facts)


GROUNDS: dict[str, tuple[str, dict[str, Any], str]] = {
    "a concession nobody sent": ("concede", {"seat": "bo", "ground": "request", "file": "ab" * 32}, "ground-missing"),
    "a new key nobody asked for": ("rekey", {"seat": "bo", "ground": "request", "file": "ab" * 32}, "ground-missing"),
    "a substitute with consents nobody gave": ("substitute", {"seat": "bo", "ground": "consent", "hash": "ab" * 32}, "ground-missing"),
    "a seat vacated for silence that was not": ("vacate", {"seat": "bo", "ground": "silence"}, "ground-missing"),
    "a rollback with consents nobody gave": ("rollback", {"to": 8, "ground": "consent"}, "ground-missing"),
    "a ground nobody knows": ("vacate", {"seat": "bo", "ground": "whim"}, "bad-unreadable"),
    "a rollback to what never was": ("rollback", {"to": 99, "ground": "organiser"}, "no-way-back"),
    "an invite for a seat that is taken": ("invite", {"seat": "bo", "ground": "organiser", "hash": "ab" * 32}, "seat-not-free"),
    "another seal by amendment": ("amend", {"settings": {"seal": "all"}, "ground": "organiser"}, "bad-unreadable"),
    "a link in an amendment": ("amend", {"settings": {"close": "24h"}, "ground": "organiser", "link": "ab" * 32}, "bad-unreadable"),
}

for _what, (_kind, _facts, _code) in GROUNDS.items():

    @vector(_what)
    def _(campaign: Campaign, kind: str = _kind, facts: dict[str, Any] = _facts, code: str = _code) -> tuple[str, str]:
        return code, _corrected(campaign, kind, **facts)


@pytest.mark.parametrize("found", VECTORS, indirect=True)
def test_cheating_is_found(found: tuple[tuple[str, str], tuple[str, str]]) -> None:
    expected, got = found
    assert got == expected


# -- boxes: what is sealed is judged when its phase has closed ---------------------------------------------------------


def _copied_box(campaign: Campaign, maker: str, thief: str, phase: str = "2.return", revision: int = 1) -> bytes:
    """A file of ``thief`` for 2.return with a box that ``maker`` made for the phase and revision named."""
    course = campaign.course()
    plain = padded(make_plain([{"do": "return"}], "ask", fixed("nonce of the box"))).rstrip(b"\0")
    info = seal_info(campaign.secret.id, maker, campaign.players[maker].key.public.fingerprint(), phase, revision)
    box = seal(plain, course.keys["2.return"].public, info)
    text = read(campaign.text(thief, "2.return", [{"do": "return"}], course=course, seal_to=None))
    del text["orders"], text["then"]
    return sign_file(campaign.players[thief].key, "order@pbem", dump(text | {"sealed": box.table()}))


BOXES = {
    "of another player": {"maker": "bo", "thief": "an"},
    "of another phase": {"maker": "an", "thief": "an", "phase": "4.return"},
    "of another revision": {"maker": "an", "thief": "an", "revision": 2},
}


@pytest.mark.parametrize("box", BOXES.values(), ids=BOXES)
def test_a_copied_box_is_refused(bidding: Campaign, box: dict[str, Any]) -> None:
    receipt = bidding.receive(_copied_box(bidding, **box))[0].receipt
    assert (receipt.verdict, receipt.reason) == ("refused", "box-does-not-open")
    assert audit(bidding.folder).fault is None


@pytest.mark.parametrize("box", BOXES.values(), ids=BOXES)
def test_a_copied_box_that_was_taken_is_found_once_its_phase_has_closed(bidding: Campaign, box: dict[str, Any]) -> None:
    data = _copied_box(bidding, **box)
    good = make_plain([{"do": "return"}], "ask", fixed("nonce"))
    with patch.object(privately, "open_box", lambda *_: good), patch.object(course_module, "open_box", lambda *_: good):
        bidding.receive(data, *(file for seat, file in bidding.bids().items() if seat != "an"))
        assert audit(bidding.folder).fault is None, "nobody can look into it yet"
        bidding.process()
    fault = audit(bidding.folder).fault
    assert fault is not None
    assert (fault.code, fault.facts["why"]) == ("wrongly-taken", "box-does-not-open")
    assert fault.file == name(bidding, file_of(bidding, "an", "2.return"))


def test_a_box_that_does_not_hold_what_its_commitment_says_is_refused(bidding: Campaign) -> None:
    true = read(split(bidding.bids()["an"]).signed)
    true["sealed"]["commitment"] = "ab" * 32
    data = sign_file(bidding.players["an"].key, "order@pbem", dump(true))
    assert bidding.receive(data)[0].receipt.reason == "commitment-mismatch"


# -- sealed plans that fire while their phase goes on ------------------------------------------------------------------


@pytest.fixture
def all_sealed(tmp_path: Path) -> Campaign:
    """Two sealed princes are set, two are still to come."""
    campaign = joined_campaign(tmp_path, seal="all")
    for seat, district in (("an", "yunnan-a"), ("bo", "yunnan-b")):
        campaign.file(seat, "0.prince", [{"do": "prince", "district": district}])
    campaign.process()
    return campaign


def test_steps_of_sealed_plans_are_pending_until_the_phase_closes(all_sealed: Campaign) -> None:
    report = audit(all_sealed.folder)
    assert (report.fault, report.proven, report.pending) == (None, 1, {"0.prince": 2})
    all_sealed.process(close="0.prince")
    report = audit(all_sealed.folder)
    assert (report.fault, report.proven, report.pending) == (None, 5, {})


def test_another_order_for_a_sealed_plan_is_found_when_the_phase_closes(all_sealed: Campaign) -> None:
    def change(told: dict[str, Any]) -> None:
        told["played"][0]["orders"][0]["order"]["district"] = "zhili-c"

    number = all_sealed.course().chapters[-1].number
    all_sealed.process(close="0.prince")
    changed = change_entry(all_sealed, number, change)
    fault = audit(all_sealed.folder).fault
    assert fault is not None
    assert (fault.code, fault.file) == ("step-differs", changed)


def test_an_illegal_order_for_a_sealed_plan_is_found_at_once(all_sealed: Campaign) -> None:
    def change(told: dict[str, Any]) -> None:
        told["played"][1]["orders"][0]["order"]["district"] = "yunnan-a"

    changed = change_entry(all_sealed, all_sealed.course().chapters[-1].number, change)
    fault = audit(all_sealed.folder).fault
    assert fault is not None
    assert (fault.code, fault.file) == ("illegal-step", changed)


# -- shortened copies --------------------------------------------------------------------------------------------------


def _shortened(campaign: Campaign) -> None:
    """The last turn and all that came after it are cut away, as if they had never been."""
    course = campaign.course()
    counted = table(entry(campaign, LAST - 1))["counted"]
    for kept in course.archive.receipts[counted:]:
        kept.path.unlink()
        campaign.folder.letter(kept.record.seat, f"r{kept.record.number:04}").unlink()
        course.archive.file_of(kept.record).unlink()
    entry(campaign, LAST).unlink()


def test_a_shortened_ledger_is_unfinished_and_fails_against_its_head(short: Campaign) -> None:
    head = short.course().archive.head()
    assert audit(short.folder, head=head).fault is None
    _shortened(short)
    report = audit(short.folder)
    assert (report.fault, report.finished, report.entries) == (None, False, LAST - 1)
    assert report.head.startswith(f"{LAST - 1}-")
    fault = audit(short.folder, head=head).fault
    assert fault is not None
    assert (fault.code, fault.file, fault.facts["head"]) == ("head-not-found", "ledger", head)


def test_a_shortened_ledger_fails_against_another_copy(short: Campaign, tmp_path: Path) -> None:
    other = short.copy(tmp_path / "other")
    assert audit(short.folder, against=other.folder.root).fault is None
    _shortened(short)
    fault = audit(short.folder, against=other.folder.root).fault
    assert fault is not None
    assert (fault.code, fault.file) == ("shorter-than-other", "ledger")
    assert audit(other.folder, against=short.folder.root).fault is None, "the longer copy goes on where the shorter ends"


def test_two_histories_of_one_processor_are_told_apart(campaign: Campaign, tmp_path: Path) -> None:
    other = campaign.copy(tmp_path / "other")
    campaign.file("an", "0.prince", [{"do": "prince", "district": "yunnan-a"}])
    campaign.process()
    other.process(close="0.prince")
    assert audit(campaign.folder).fault is None
    assert audit(other.folder).fault is None
    fault = audit(campaign.folder, against=other.folder.root).fault
    assert fault is not None
    assert (fault.code, fault.file) == ("copies-differ", "ledger/0006.toml")


# -- after the end -----------------------------------------------------------------------------------------------------


def _end(campaign: Campaign) -> int:
    return int(last(campaign.folder.ledger).stem)


ENDS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "another result": (lambda told: told["result"][0].update(points=999), "result-differs"),
    "another winner": (lambda told: told["result"].reverse(), "result-differs"),
    "another private secret": (lambda told: told.update(private="ab" * 32), "wrong-private"),
}


@pytest.mark.parametrize("how", ENDS)
def test_a_forged_end_is_found(finished_copy: Campaign, how: str) -> None:
    change, code = ENDS[how]
    changed = change_entry(finished_copy, _end(finished_copy), change)
    fault = audit(finished_copy.folder).fault
    assert fault is not None
    assert (fault.code, fault.file) == (code, changed)


def test_after_the_end_the_wrapping_of_a_signature_is_found_too(finished_copy: Campaign) -> None:
    path = file_of(finished_copy, "an", "1.place")
    rewrap(path)
    fault = audit(finished_copy.folder).fault
    assert fault is not None
    assert (fault.code, fault.file) == ("file-changed", name(finished_copy, path))


def test_a_finished_game_without_its_end_is_unfinished(finished_copy: Campaign) -> None:
    head = finished_copy.course().archive.head()
    last(finished_copy.folder.ledger).unlink()
    report = audit(finished_copy.folder)
    assert (report.fault, report.finished) == (None, False)
    fault = audit(finished_copy.folder, head=head).fault
    assert fault is not None
    assert fault.code == "head-not-found"


def test_a_file_that_comes_after_the_end_spoils_nothing(finished_copy: Campaign) -> None:
    with pytest.raises(CampaignError) as caught:
        finished_copy.file("an", "6.move", [{"do": "pass"}], revision=9)
    assert caught.value.code == "ended"
    assert finished_copy.process().entries == []
    report = audit(finished_copy.folder)
    assert (report.fault, report.finished) == (None, True)


def test_three_play_as_well(finished_three: Campaign) -> None:
    report = audit(finished_three.folder)
    assert (report.fault, report.finished, report.pending) == (None, True, {})
    assert report.proven == finished_three.course().table.step


def test_who_holds_the_secret_and_joins_late_is_named(tmp_path: Path) -> None:
    campaign = joined_campaign(tmp_path, organiser="bo")
    report = audit(campaign.folder)
    assert report.fault is None
    assert report.notices == [("organiser-joined-late", {"seat": "bo", "first": "an"})]


def test_refused_is_what_the_cheating_processor_of_these_tests_raises() -> None:
    """The cheats above replace names in intake; were they renamed or moved, nothing would be tested."""
    assert intake.Refused is Refused
    assert callable(intake.judge)
    assert callable(privately.open_box)
    assert callable(course_module.open_box)
