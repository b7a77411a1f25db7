"""A file in, a signed receipt out: every reason to refuse, and what must never be lost or mixed up."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pbem.campaign import intake, judge
from pbem.campaign.archive import load
from pbem.campaign.audit import audit
from pbem.campaign.folder import CampaignError
from pbem.campaign.intake import Answer, Incoming, collect
from pbem.campaign.letters import read_receipt_letter
from pbem.campaign.turn import correct
from pbem.orders.armour import armour
from pbem.orders.encoding import b64, sha256
from pbem.orders.keys import PrivateKey
from pbem.orders.seal import phase_public
from pbem.orders.signed import CAP, sign_file, split
from pbem.orders.sshsig import sign as ssh_sign
from pbem.orders.toml import read
from pbem.orders.write import dump
from pbem.publish.complaints import REFUSALS

from ..helpers import HOUR, Campaign, as_of_before, fixed, joined_by_all, joined_campaign, new_campaign

PRINCE = [{"do": "prince", "district": "yunnan-b"}]
OTHER = [{"do": "prince", "district": "zhili-a"}]


def refusal(campaign: Campaign, data: bytes | Incoming, **kwargs: Any) -> str:
    """The reason a file is refused for; it is kept, with its receipt, and the campaign stays right."""
    [got] = campaign.receive(data, **kwargs)
    receipt = got.receipt
    assert receipt.verdict == "refused"
    assert got.findings, "whoever filed it is told what is wrong"
    raw = data.data if isinstance(data, Incoming) else data
    assert (campaign.folder.refused / f"{receipt.number:04}.toml").read_bytes() == raw
    kept = (campaign.folder.refused / f"{receipt.number:04}.receipt.toml").read_bytes()
    assert kept == campaign.folder.receipt(receipt.number).read_bytes()
    assert audit(campaign.folder).fault is None
    return receipt.reason


def request(campaign: Campaign, seat: str, asked: dict[str, Any], *, number: int = 1, key: PrivateKey | None = None) -> bytes:
    table = {"game": campaign.made.game.name, "player": seat, "after": campaign.course().archive.head(), "number": number, "request": asked}
    return sign_file(key or campaign.players[seat].key, "request@pbem", dump(table))


# -- every reason ------------------------------------------------------------------------------------------------------

REASONS: dict[str, Callable[[Campaign], Any]] = {}


def reason(code: str) -> Callable[[Callable[[Campaign], Any]], Callable[[Campaign], Any]]:
    def register(function: Callable[[Campaign], Any]) -> Callable[[Campaign], Any]:
        REASONS[code] = function
        return function

    return register


@reason("no-signature")
def _(campaign: Campaign) -> bytes:
    return campaign.text("an", "0.prince", PRINCE)


@reason("bad-signature")
def _(campaign: Campaign) -> bytes:
    return campaign.signed("an", "0.prince", PRINCE).replace(b"yunnan-b", b"yunnan-c")


@reason("too-large")
def _(campaign: Campaign) -> bytes:
    return campaign.signed("an", "0.prince", PRINCE) + b"#" * CAP


@reason("unreadable")
def _(campaign: Campaign) -> bytes:
    return campaign.signed("an", "0.prince", [{"do": "prince", "districts": "yunnan-b"}])


@reason("wrong-game")
def _(campaign: Campaign) -> bytes:
    return campaign.signed("an", "0.prince", PRINCE, game="summer-court")


@reason("unknown-seat")
def _(campaign: Campaign) -> bytes:
    return campaign.signed("an", "0.prince", PRINCE, player="emil")


@reason("wrong-key")
def _(campaign: Campaign) -> bytes:
    return campaign.signed("an", "0.prince", PRINCE, key=campaign.players["bo"].key)


@reason("other-history")
def _(campaign: Campaign) -> bytes:
    return campaign.signed("an", "0.prince", PRINCE, after=f"5-{'ab' * 16}")


@reason("stale")
def _(campaign: Campaign) -> bytes:
    campaign.silent_until("1.place")
    seen = campaign.course().archive.head()
    campaign.file("an", "1.place", [{"do": "place", "province": "yunnan"}])
    campaign.process()
    return campaign.signed("an", "1.place", [{"do": "place", "province": "yunnan"}], revision=2, after=seen)


@reason("closed")
def _(campaign: Campaign) -> bytes:
    data = campaign.signed("an", "0.prince", PRINCE)
    campaign.process(close="0.prince")
    return data


@reason("unknown-phase")
def _(campaign: Campaign) -> bytes:
    return campaign.signed("an", "5.place", [])


@reason("late")
def _(campaign: Campaign) -> bytes:
    data = campaign.signed("an", "0.prince", PRINCE)
    closes = campaign.course().closes()
    assert closes is not None
    campaign.now = closes + timedelta(seconds=1)
    return data


@reason("revision-taken")
def _(campaign: Campaign) -> bytes:
    campaign.file("an", "0.prince", PRINCE)
    return campaign.signed("an", "0.prince", OTHER)


@reason("older-revision")
def _(campaign: Campaign) -> bytes:
    campaign.file("an", "0.prince", PRINCE, revision=3)
    return campaign.signed("an", "0.prince", OTHER, revision=2)


@reason("void")
def _(campaign: Campaign) -> bytes:
    data = campaign.signed("an", "1.place", [{"do": "place", "province": "yunnan"}])
    campaign.receive(data)
    to = len(campaign.course().chapters)
    campaign.process(close="0.prince")
    correct(campaign.folder, campaign.now, "rollback", to=to)
    return data


@reason("vacant")
def _(campaign: Campaign) -> bytes:
    correct(campaign.folder, campaign.now, "vacate", seat="an")
    return campaign.signed("an", "0.prince", PRINCE)


@reason("conceded")
def _(campaign: Campaign) -> bytes:
    campaign.receive(request(campaign, "bo", {"do": "concede"}))
    campaign.process()
    return campaign.signed("bo", "0.prince", PRINCE)


@reason("older-request")
def _(campaign: Campaign) -> bytes:
    campaign.receive(request(campaign, "bo", {"do": "profile", "name": "Bobo"}, number=3))
    return request(campaign, "bo", {"do": "profile", "name": "Bob"}, number=3)


@reason("bad-new-key")
def _(campaign: Campaign) -> bytes:
    return request(campaign, "bo", {"do": "rekey", "key": "ssh-ed25519 AAAA", "letter_key": b64(phase_public(fixed("new letters")))})


@reason("bad-absence")
def _(campaign: Campaign) -> bytes:
    return request(campaign, "bo", {"do": "absence", "from": "2026-12-24T00:00:00Z", "to": "2026-12-20T00:00:00Z"})


@reason("past-absence")
def _(campaign: Campaign) -> bytes:
    return request(campaign, "bo", {"do": "absence", "from": "2025-12-20T00:00:00Z", "to": "2025-12-24T00:00:00Z"})


@reason("many-absences")
def _(campaign: Campaign) -> bytes:
    away = {"do": "absence", "from": "2026-12-20T00:00:00Z", "to": "2026-12-24T00:00:00Z"}
    for number in range(1, 21):
        campaign.receive(request(campaign, "bo", away, number=number))
    campaign.process()
    return request(campaign, "bo", away, number=21)


def _unjoined(campaign: Campaign) -> Campaign:
    """The same campaign, but nobody has joined yet."""
    shutil.rmtree(campaign.folder.root)
    campaign.folder.root.parent.mkdir(exist_ok=True)
    return new_campaign(campaign.folder.root.parent)


@reason("no-absences")
def _(campaign: Campaign) -> bytes:
    joined_by_all(as_of_before(_unjoined(campaign)))
    return request(campaign, "bo", {"do": "absence", "from": "2026-12-20T00:00:00Z", "to": "2026-12-24T00:00:00Z"})


@reason("not-joined")
def _(campaign: Campaign) -> bytes:
    _unjoined(campaign)
    return campaign.signed("an", "0.prince", PRINCE)


@reason("not-started")
def _(campaign: Campaign) -> bytes:
    fresh = _unjoined(campaign)
    fresh.receive(fresh.join_file("an"))
    fresh.process()
    return campaign.signed("an", "0.prince", PRINCE)


@reason("wrong-campaign")
def _(campaign: Campaign) -> bytes:
    return _unjoined(campaign).join_file("an", campaign_id=fixed("another")[:16])


@reason("seat-taken")
def _(campaign: Campaign) -> bytes:
    return campaign.join_file("an", key=PrivateKey.from_seed(fixed("somebody else")))


@reason("bad-invite")
def _(campaign: Campaign) -> bytes:
    fresh = _unjoined(campaign)
    return fresh.join_file("an", invite=fresh.made.invites["bo"])


@reason("key-taken")
def _(campaign: Campaign) -> bytes:
    fresh = _unjoined(campaign)
    fresh.receive(fresh.join_file("an"))
    return fresh.join_file("bo", key=campaign.players["an"].key)


@pytest.mark.parametrize("code", REASONS)
def test_a_file_is_refused_with_its_reason(campaign: Campaign, code: str) -> None:
    assert refusal(campaign, REASONS[code](campaign)) == code


def _signed_box(campaign: Campaign, **changed: Any) -> bytes:
    table = read(split(campaign.bids()["an"]).signed)
    table["sealed"] |= changed
    return sign_file(campaign.players["an"].key, "order@pbem", dump(table))


SEALED: dict[str, Callable[[Campaign], bytes]] = {
    "must-be-sealed": lambda campaign: campaign.signed("an", "2.return", [{"do": "return"}], seal_to=None),
    "box-does-not-open": lambda campaign: _signed_box(campaign, box=[_shuffled(line) for line in _box(campaign)]),
    "commitment-mismatch": lambda campaign: _signed_box(campaign, commitment="ab" * 32),
}


def _box(campaign: Campaign) -> list[str]:
    box: list[str] = read(split(campaign.bids()["an"]).signed)["sealed"]["box"]
    return box


def _shuffled(line: str) -> str:
    return line[1] + line[0] + line[2:]


@pytest.mark.parametrize("code", SEALED)
def test_a_sealed_file_is_refused_with_its_reason(bidding: Campaign, code: str) -> None:
    assert refusal(bidding, SEALED[code](bidding)) == code


def test_every_reason_happens_in_a_test() -> None:
    sources = "".join(Path(module.__file__).read_text() for module in (intake, judge) if module.__file__)
    raised = set(re.findall(r'Refused\(\s*"([a-z-]+)"', sources))
    public = set(re.findall(r'for public in \(([^)]*)\)', sources)[0].replace('"', "").replace(" ", "").split(",")) - {""}
    assert len(raised) > 10
    assert raised | set(REFUSALS) | public | {"unreadable"} <= set(REASONS) | set(SEALED)


# -- one file, one receipt ---------------------------------------------------------------------------------------------


def test_the_same_file_again_gets_the_same_receipt(campaign: Campaign) -> None:
    data = campaign.signed("an", "0.prince", PRINCE)
    first, second = campaign.receive(data, data)
    campaign.process()
    [third] = campaign.receive(data)
    assert (first.repeated, second.repeated, third.repeated) == (False, True, True)
    assert first.receipt == second.receipt == third.receipt


def test_a_rewrapped_copy_gets_the_same_receipt(campaign: Campaign) -> None:
    data = campaign.signed("an", "0.prince", PRINCE)
    signed = split(data)
    begin, *lines, end = signed.block.splitlines()
    text = "".join(lines)
    wrapped = [begin, *(text[at : at + 50] for at in range(0, len(text), 50)), end]
    again = signed.signed + "".join(f"#{line}\n" for line in wrapped).encode()
    assert again != data
    first, second = campaign.receive(data, again.replace(b"\n", b"\r\n"))
    assert second.repeated
    assert first.receipt == second.receipt


@pytest.mark.parametrize("code", ["unreadable", "other-history", "unknown-phase", "no-signature", "bad-signature", "wrong-key"])
def test_a_refused_file_again_gets_the_same_receipt(campaign: Campaign, code: str) -> None:
    data = REASONS[code](campaign)
    first, second = campaign.receive(data, data)
    assert second.repeated
    assert first.receipt == second.receipt
    assert campaign.receive(data)[0].receipt == first.receipt


def test_twins_of_one_revision_the_first_stands_and_the_second_is_told_the_next_number(campaign: Campaign) -> None:
    first, second = campaign.receive(campaign.signed("an", "0.prince", PRINCE), campaign.signed("an", "0.prince", OTHER))
    assert first.receipt.accepted
    assert second.receipt.reason == "revision-taken"
    assert second.findings[0].facts["next"] == 2
    campaign.process()
    [step] = campaign.course().chapters[-1].steps
    assert step.decisions[0].file == first.receipt.file


COPIES: dict[str, Callable[[Campaign, bytes], bytes]] = {
    "without its signature": lambda campaign, data: split(data).signed,
    "signed by somebody else": lambda campaign, data: sign_file(campaign.players["bo"].key, "order@pbem", split(data).signed),
    "with a damaged signature": lambda campaign, data: split(data).signed + data[len(split(data).signed) :].replace(b"U1NI", b"U1NJ", 1),
    "signed as something else": lambda campaign, data: sign_file(campaign.players["an"].key, "join@pbem", split(data).signed),
    "signed as a request": lambda campaign, data: sign_file(campaign.players["an"].key, "request@pbem", split(data).signed),
}


@pytest.mark.parametrize("copy", COPIES)
def test_a_mangled_copy_never_takes_the_place_of_the_true_file(campaign: Campaign, copy: str) -> None:
    data = campaign.signed("an", "0.prince", PRINCE)
    assert not campaign.receive(COPIES[copy](campaign, data))[0].receipt.accepted
    [true] = campaign.receive(data)
    assert true.receipt.accepted
    assert not true.repeated
    assert audit(campaign.folder).fault is None


@pytest.mark.parametrize("copy", COPIES)
def test_a_mangled_copy_that_comes_later_gets_an_answer_of_its_own(campaign: Campaign, copy: str) -> None:
    data = campaign.signed("an", "0.prince", PRINCE)
    campaign.receive(data)
    assert not campaign.receive(COPIES[copy](campaign, data))[0].receipt.accepted
    assert audit(campaign.folder).fault is None


def test_a_copied_join_takes_no_seat_and_not_the_true_ones_place(tmp_path: Path) -> None:
    campaign = new_campaign(tmp_path)
    data = campaign.join_file("an")
    stolen = sign_file(PrivateKey.from_seed(fixed("thief")), "join@pbem", split(data).signed)
    answers = campaign.receive(split(data).signed, stolen, data)
    assert [one.receipt.verdict for one in answers] == ["refused", "refused", "complete"]


def test_bad_signatures_with_a_detached_file_do_not_take_its_place(campaign: Campaign) -> None:
    data = campaign.text("an", "0.prince", PRINCE)
    wrong = ssh_sign(campaign.players["an"].key, "order@pbem", data + b"\n")
    right = ssh_sign(campaign.players["an"].key, "order@pbem", data)
    first, second, third = campaign.receive(Incoming("an", data, wrong), Incoming("an", data), Incoming("an", data, right))
    assert [one.receipt.reason for one in (first, second, third)] == ["bad-signature", "no-signature", ""]
    assert (campaign.folder.refused / "0005.toml.sig").read_text() == wrong


# -- many files, and their times ---------------------------------------------------------------------------------------


def test_several_files_in_one_call_are_answered_in_order(campaign: Campaign) -> None:
    files = [
        campaign.signed("an", "0.prince", PRINCE), b"nonsense", campaign.signed("bo", "0.prince", OTHER),
        campaign.signed("an", "0.prince", OTHER, revision=2),
    ]  # fmt: skip
    answers = campaign.receive(*files)
    assert [one.receipt.number for one in answers] == [5, 6, 7, 8]
    assert [one.receipt.verdict for one in answers] == ["complete", "refused", "complete", "complete"]
    assert answers[3].replaces == answers[0].receipt
    names = [kept.path.name for kept in load(campaign.folder, check=True).receipts]
    assert names[4:] == ["0005.toml", "0006.toml", "0007.toml", "0008.toml"]


def test_several_blocks_in_one_mail_are_several_files(campaign: Campaign, tmp_path: Path) -> None:
    one, two = campaign.signed("an", "0.prince", PRINCE), campaign.signed("an", "1.place", [{"do": "place", "province": "yunnan"}])
    quoted = "".join(f"> {line}\n" for line in armour(two).splitlines())
    mail = tmp_path / "mail.txt"
    mail.write_text(f"Hello,\nmy orders:\n\n{armour(one)}\nand\n{quoted}\nOn Monday Bo wrote: …\n", encoding="utf-8")
    assert [got.receipt.phase for got in campaign.receive(*collect([mail]))] == ["0.prince", "1.place"]


def test_a_damaged_block_is_answered_too(campaign: Campaign, tmp_path: Path) -> None:
    text = armour(campaign.signed("an", "0.prince", PRINCE))
    mail = tmp_path / "mail.txt"
    mail.write_text(text[: len(text) // 2], encoding="utf-8")
    [got] = campaign.receive(*collect([mail]))
    assert got.receipt.reason == "unreadable"
    assert [finding.code for finding in got.findings] == ["armour-not-closed"]


def test_what_counts_is_when_the_channel_received_it(campaign: Campaign) -> None:
    closes = campaign.course().closes()
    assert closes is not None
    data = campaign.signed("an", "0.prince", PRINCE)
    campaign.now = closes + HOUR
    [got] = campaign.receive(data, received=closes)
    assert got.receipt.accepted
    assert (got.receipt.received, got.receipt.taken) == ("2026-11-03T19:00:00Z", "2026-11-03T20:00:00Z")
    campaign.process()
    assert campaign.course().chapters[-1].steps[0].decisions[0].why == "plan"
    assert audit(campaign.folder).fault is None


def test_a_channel_whose_clock_runs_ahead_dates_nothing_after_its_receipt(campaign: Campaign) -> None:
    [got] = campaign.receive(campaign.signed("an", "0.prince", PRINCE), received=campaign.now + HOUR)
    assert got.receipt.received == got.receipt.taken == "2026-11-01T19:00:00Z"
    campaign.process()
    assert audit(campaign.folder).fault is None


def test_the_clock_of_receipts_never_goes_back(campaign: Campaign) -> None:
    campaign.now += HOUR
    campaign.file("an", "0.prince", PRINCE)
    campaign.now -= 2 * HOUR
    assert campaign.file("bo", "0.prince", OTHER).receipt.taken == "2026-11-01T20:00:00Z"
    campaign.process()
    assert audit(campaign.folder).fault is None


# -- runs that were killed ---------------------------------------------------------------------------------------------


def _killed_before_the_receipt(campaign: Campaign, data: bytes) -> None:
    """What a run leaves that was killed after it had written file and letter: all but the receipt."""
    [got] = campaign.receive(data)
    campaign.folder.receipt(got.receipt.number).unlink()


def test_a_file_without_a_receipt_is_answered_by_the_next_run(campaign: Campaign) -> None:
    data = campaign.signed("an", "0.prince", PRINCE)
    _killed_before_the_receipt(campaign, data)
    done = campaign.process()
    assert [one.receipt.verdict for one in done.adopted] == ["complete"]
    assert len(done.entries) == 1
    [again] = campaign.receive(data)
    assert again.repeated
    assert again.receipt == done.adopted[0].receipt
    assert audit(campaign.folder).fault is None


def test_it_does_not_become_late_because_a_machine_went_dark(campaign: Campaign) -> None:
    closes = campaign.course().closes()
    assert closes is not None
    data = campaign.signed("an", "0.prince", PRINCE)
    campaign.now = closes - timedelta(seconds=5)
    _killed_before_the_receipt(campaign, data)
    campaign.now = closes + HOUR
    done = campaign.process()
    assert [(one.receipt.verdict, one.receipt.received) for one in done.adopted] == [("complete", "2026-11-03T18:59:55Z")]
    assert campaign.course().chapters[-1].steps[0].decisions[0].why == "plan"


def test_letters_and_signatures_of_a_killed_run_are_swept_away(campaign: Campaign) -> None:
    stray = campaign.folder.letter("an", "r0005")
    stray.parent.mkdir(parents=True, exist_ok=True)
    stray.write_bytes(b"from a run that was killed")
    lonely = campaign.folder.orders / "0.prince" / "an.1-00000000.toml.sig"
    lonely.parent.mkdir(parents=True, exist_ok=True)
    lonely.write_bytes(b"from a run that was killed")
    temporary = campaign.folder.receipts / ".pbem-tmp-0011"
    temporary.write_bytes(b"half a rec")
    campaign.file("bo", "0.prince", OTHER)
    assert not stray.exists()
    assert not lonely.exists()
    assert not temporary.exists()
    assert audit(campaign.folder).fault is None


def test_a_stranger_among_the_orders_is_answered_and_taken_out(campaign: Campaign) -> None:
    stray = campaign.folder.orders / "0.prince" / "an.1-00000000.toml"
    stray.parent.mkdir(parents=True, exist_ok=True)
    stray.write_bytes(b"nobody signed this")
    [answer] = campaign.process().adopted
    assert answer.receipt.reason == "no-signature"
    assert not stray.exists()
    assert audit(campaign.folder).fault is None


# -- bad input ---------------------------------------------------------------------------------------------------------

NASTY: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "no-signature"),
    "not utf-8": (b"\xff\xfe\x00\xd8" * 40, "no-signature"),
    "nothing but a begin line": (b"# -----BEGIN SSH SIGNATURE-----\n", "bad-signature"),
    "zero bytes": (b"\0" * 1000, "no-signature"),
    "a megabyte": (b"a" * 1_000_000, "too-large"),
    "line ends of old macs": (b"game = 1\rplayer = 2\r", "no-signature"),
    "html": (b"<html><body>" + b"<p>" * 3000, "no-signature"),
}


@pytest.mark.parametrize("what", NASTY)
def test_nonsense_is_answered(campaign: Campaign, what: str) -> None:
    data, code = NASTY[what]
    assert refusal(campaign, data) == code


SIGNED_NASTY: dict[str, tuple[bytes, str]] = {
    "deep nesting": (b"orders = " + b"[" * 2000 + b"]" * 2000 + b"\n", "nested-too-deep"),
    "deep tables": (b"a" + b".a" * 3000 + b" = 1\n", "dotted-too-deep"),
    "a huge number": (b"revision = " + b"9" * 5000 + b"\n", "number-too-long"),
    "not utf-8": (b'game = "\xff\xfe"\n', "not-utf8"),
    "a direction override": ('note = "\u202etsoob"\n'.encode(), "direction-override"),
    "an escaped direction override": (b'note = "\\u202etsoob"\n', "direction-override"),
    "an escape character": (b'note = "\x1b[2J"\n', "control-character"),
    "nothing": (b"\n", "missing-key"),
}


@pytest.mark.parametrize("what", SIGNED_NASTY)
def test_signed_nonsense_is_answered_to_its_player(campaign: Campaign, what: str) -> None:
    body, code = SIGNED_NASTY[what]
    data = sign_file(campaign.players["an"].key, "order@pbem", body)
    [got] = campaign.receive(data)
    assert got.receipt.reason == "unreadable"
    assert got.findings[0].code == code
    assert got.receipt.seat == "an", "known by the key, whatever the file says"
    assert audit(campaign.folder).fault is None


def test_html_in_notes_and_names_stays_text(tmp_path: Path) -> None:
    campaign = new_campaign(tmp_path)
    evil = "<script>alert(1)</script>&"
    campaign.receive(*(campaign.join_file(seat, name=evil[:38] if seat == "an" else seat) for seat in campaign.seats))
    campaign.process()
    assert campaign.file("an", "0.prince", PRINCE, note=f"{evil} \u4f60\u597d").receipt.accepted
    campaign.process()
    chapter = campaign.course().chapters[-1]
    assert [note.text for note in chapter.notes] == [f"{evil} \u4f60\u597d"]
    assert audit(campaign.folder).fault is None


def test_names_with_direction_overrides_are_refused(tmp_path: Path) -> None:
    campaign = new_campaign(tmp_path)
    good = campaign.join_file("an", name="Annabella")
    table = split(good).signed.replace(b"Annabella", "Anna\u202ella".encode())
    [got] = campaign.receive(sign_file(campaign.players["an"].key, "join@pbem", table))
    assert (got.receipt.reason, got.findings[0].code) == ("unreadable", "direction-override")


@pytest.mark.parametrize("what", ["missing", "folder", "vanished link", "signature too large"])
def test_what_is_no_file_is_said_by_name(tmp_path: Path, what: str) -> None:
    path = tmp_path / "an.order.toml"
    if what == "folder":
        path.mkdir()
    elif what == "vanished link":
        path.symlink_to(tmp_path / "gone")
    elif what == "signature too large":
        path.write_text("game = 1\n")
        path.with_name(path.name + ".sig").write_bytes(b"a" * (CAP + 1))
    with pytest.raises(CampaignError) as caught:
        collect([path])
    assert caught.value.code in ("not-a-file", "too-large")
    assert str(path) in str(caught.value.facts["path"])


# -- letters -----------------------------------------------------------------------------------------------------------


def test_what_is_wrong_is_told_in_the_letter_too_and_to_nobody_else(campaign: Campaign) -> None:
    receipt = campaign.receive(REASONS["unreadable"](campaign))[0].receipt
    letter = read_receipt_letter(campaign.folder, campaign.secret.id, "an", receipt.number, campaign.players["an"].letter)
    assert letter is not None
    assert [finding.code for finding in letter.findings] == ["missing-key", "unknown-key"] or letter.findings[0].at.startswith("orders[0]")
    with pytest.raises(CampaignError) as caught:
        read_receipt_letter(campaign.folder, campaign.secret.id, "an", receipt.number, campaign.players["bo"].letter)
    assert caught.value.code == "letter-closed"


def test_who_cannot_show_the_seats_key_gets_no_letter(campaign: Campaign) -> None:
    receipt = campaign.receive(REASONS["wrong-key"](campaign))[0].receipt
    assert (receipt.seat, receipt.letter) == ("an", "")
    assert not campaign.folder.letter("an", f"r{receipt.number:04}").exists()


# -- other people's tools ----------------------------------------------------------------------------------------------

keygen = shutil.which("ssh-keygen")


@pytest.mark.skipif(keygen is None, reason="ssh-keygen is not installed")
@pytest.mark.parametrize("passphrase", ["", "correct horse"], ids=["plain key", "key with passphrase"])
def test_a_detached_signature_of_ssh_keygen_is_taken(tmp_path: Path, passphrase: str) -> None:
    pytest.importorskip("bcrypt")
    campaign = joined_campaign(tmp_path)
    key = tmp_path / "an.key"
    key.write_bytes(campaign.players["an"].key.openssh(passphrase or None))
    key.chmod(0o600)
    order = tmp_path / "an.order.toml"
    order.write_bytes(campaign.text("an", "0.prince", PRINCE))
    asking = tmp_path / "ask"
    asking.write_text(f"#!/bin/sh\necho '{passphrase}'\n")
    asking.chmod(0o700)
    assert keygen is not None
    subprocess.run(
        [keygen, "-Y", "sign", "-n", "order@pbem", "-f", str(key), str(order)], check=True, capture_output=True, stdin=subprocess.DEVNULL,
        env={**os.environ, "SSH_ASKPASS": str(asking), "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": ":0"},
    )  # fmt: skip
    assert order.with_name("an.order.toml.sig").is_file()
    [got] = campaign.receive(*collect([order]))
    assert got.receipt.accepted
    assert got.receipt.file == sha256(order.read_bytes()).hex()
    [kept] = campaign.folder.orders.glob("0.prince/an.1-*.toml.sig")
    assert kept.read_bytes() == order.with_name("an.order.toml.sig").read_bytes()
    campaign.process()
    assert audit(campaign.folder).fault is None


def test_a_join_with_a_detached_signature_is_taken(tmp_path: Path) -> None:
    campaign = new_campaign(tmp_path)
    signed = split(campaign.join_file("an"))
    [got] = campaign.receive(Incoming("an.join.toml", signed.signed, signed.block))
    assert got.receipt.accepted
    campaign.receive(*(campaign.join_file(seat) for seat in campaign.seats[1:]))
    assert len(campaign.process().entries) == 5
    assert audit(campaign.folder).fault is None


# -- who may receive ---------------------------------------------------------------------------------------------------


def test_only_who_has_the_secret_can_receive(campaign: Campaign) -> None:
    campaign.folder.secret.unlink()
    with pytest.raises(CampaignError) as caught:
        campaign.receive(b"")
    assert caught.value.code == "no-secret"


def test_a_second_run_waits_and_then_says_that_it_is_busy(campaign: Campaign) -> None:
    with campaign.folder.locked(), pytest.raises(CampaignError) as caught, campaign.folder.locked(seconds=0.05):
        raise AssertionError("two at once")
    assert caught.value.code == "busy"


def test_an_answer_tells_what_it_replaces(campaign: Campaign) -> None:
    first = campaign.file("an", "0.prince", PRINCE)
    second: Answer = campaign.file("an", "0.prince", OTHER, revision=2)
    assert first.replaces is None
    assert second.replaces == first.receipt
    assert second.played_of_old == 0
