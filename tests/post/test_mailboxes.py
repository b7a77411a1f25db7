"""Mailboxes on disk: when a mail was received, what is shown as done, and files that are no good ones."""

from __future__ import annotations

import os
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pbem.campaign.archive import load
from pbem.campaign.folder import CampaignError
from pbem.post import mailboxes
from pbem.post.mailboxes import Gone, Maildir, Mbox

from ..helpers import HOUR, Campaign
from .postbox import answers, as_bytes, mail, register, run, said, write_settings
from .test_fetch import order

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def put(root: Path, name: str, data: bytes = b"From: a@b\n\nhi\n", changed: datetime = NOON) -> Path:
    path = root / "new" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (changed.timestamp(),) * 2)
    return path


# -- Maildir -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "changed", "received"), [
    ("saved.eml", NOON, NOON),
    (f"{int(NOON.timestamp())}.M1P2.host", NOON, NOON),
    (f"{int(NOON.timestamp())}.M1P2.host", NOON + 5 * HOUR, NOON),      # a copy, or a backup that was put back
    (f"{int(NOON.timestamp())}.M1P2.host", NOON - 5 * HOUR, NOON - 5 * HOUR),    # collected later from another server
    ("12.eml", NOON, NOON),
])  # fmt: skip
def test_a_mail_in_a_maildir_was_received_when_it_was_delivered(tmp_path: Path, name: str, changed: datetime, received: datetime) -> None:
    put(tmp_path, name, changed=changed)
    [one] = Maildir(tmp_path).lying(LONG_AGO)
    assert one.received == received


def test_marking_keeps_what_others_have_marked_and_finds_a_mail_that_was_moved(tmp_path: Path) -> None:
    box = Maildir(tmp_path)
    with box.opened(look_only=False):
        put(tmp_path, "1.a").rename(tmp_path / "cur" / "1.a:2,FR")
        put(tmp_path, "2.b")
        put(tmp_path, ".hidden")
        found = box.lying(LONG_AGO)
        assert [one.name.partition("/")[0] for one in found] == ["1.a", "2.b"]
        (tmp_path / "new" / "2.b").rename(tmp_path / "cur" / "2.b:2,")
        for one in found:
            assert box.read(one) == b"From: a@b\n\nhi\n"
            box.mark(one)
        assert sorted(path.name for path in (tmp_path / "cur").iterdir()) == ["1.a:2,FRS", "2.b:2,S"]
        (tmp_path / "cur" / "2.b:2,S").unlink()
        with pytest.raises(Gone):
            box.read(found[1])
        box.mark(found[1])


def test_of_a_mail_that_is_too_large_only_the_beginning_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailboxes, "LARGEST", 1000)
    monkeypatch.setattr(mailboxes, "HEADERS", 100)
    put(tmp_path, "1.a", b"From: a@b\n\n" + b"x" * 2000)
    (tmp_path / "mbox").write_bytes(b"From a@b Mon Nov  2 12:00:00 2026\nFrom: a@b\n\n" + b"x\n" * 2000)
    for box in (Maildir(tmp_path), Mbox(tmp_path / "mbox")):
        [one] = box.lying(LONG_AGO)
        assert one.size > 2000 and len(box.read(one)) == 100


def test_a_file_that_is_copied_in_by_hand_is_seen_again_when_it_is_whole(campaign: Campaign) -> None:
    register(campaign)
    data = as_bytes(mail("an@example.org", order(campaign)))
    root = campaign.folder.private / "mail" / "inbox"
    for size in (0, 40, len(data) // 2):
        put(root, "an.eml", data[:size], campaign.now)
        assert all("complete" not in verdicts for _, _, verdicts in said(run(campaign)))
    put(root, "an.eml", data, campaign.now)
    assert said(run(campaign))[-1] == ("an", "files", ["complete"])


# -- mbox --------------------------------------------------------------------------------------------------------------


def as_mbox(*mails: bytes) -> bytes:
    return b"".join(b"From MAILER-DAEMON Mon Nov  2 12:00:00 2026\n" + data.replace(b"\nFrom ", b"\n>From ") + b"\n" for data in mails)


def test_an_mbox_is_read_and_left_as_it_is(campaign: Campaign, tmp_path: Path) -> None:
    register(campaign)
    write_settings(campaign, f'[mbox]\ninbox = "{(tmp_path / "mbox").as_posix()}"\n')
    assert said(run(campaign)) == [], "it need not be there yet"
    came = campaign.now + HOUR
    campaign.now += 4 * HOUR
    line = f"Received: from x by our.example.org\n\twith ESMTP; {came.strftime('%a, %d %b %Y %H:%M:%S')} +0000\n".encode()
    forged = b"Received: from y by x; Thu, 1 Jan 2015 00:00:00 +0000\n"
    data = as_mbox(line + forged + as_bytes(mail("an@example.org", order(campaign))), as_bytes(mail("x@spam.example")))
    (tmp_path / "mbox").write_bytes(data)
    os.utime(tmp_path / "mbox", (campaign.now.timestamp(),) * 2)
    assert said(run(campaign)) == [("an", "files", ["complete"]), ("x…@spam.example", "stranger", [])]
    [*_, last] = load(campaign.folder, check=True).receipts
    assert last.record.received == came.strftime("%Y-%m-%dT%H:%M:%SZ"), "the line on top is our own server's"
    assert (tmp_path / "mbox").read_bytes() == data
    with (tmp_path / "mbox").open("ab") as file:
        file.write(as_mbox(as_bytes(mail("bo@example.org", order(campaign, "bo")))))
    os.utime(tmp_path / "mbox", (campaign.now.timestamp(),) * 2)
    assert said(run(campaign)) == [("bo", "files", ["complete"])]
    assert len(answers(campaign)) == 3


@pytest.mark.parametrize("line", [b"", b"Received: nonsense\n", b"Received: x; Thu, 1 Jan 2099 00:00:00 +0000\n", b"Received: x; 9\n"])
def test_without_a_good_line_on_top_the_files_own_time_counts(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "mbox").write_bytes(as_mbox(line + b"From: a@b\nDate: Thu, 1 Jan 2015 00:00:00 +0000\n\nhi\n"))
    os.utime(tmp_path / "mbox", (NOON.timestamp(),) * 2)
    [one] = Mbox(tmp_path / "mbox").lying(LONG_AGO)
    assert one.received == NOON


def test_an_mbox_that_was_rewritten_meanwhile_gives_no_wrong_mail(tmp_path: Path) -> None:
    path = tmp_path / "mbox"
    path.write_bytes(as_mbox(b"From: a@b\n\nfirst\n", b"From: a@b\n\nsecond\n"))
    box = Mbox(path)
    first, second = box.lying(LONG_AGO)
    path.write_bytes(as_mbox(b"From: a@b\n\nsecond\n"))
    with pytest.raises(Gone):
        box.read(second)
    with pytest.raises(Gone):
        box.read(first)


@pytest.mark.skipif(os.name == "nt", reason="locks of mail programs are Unix's")
def test_an_mbox_that_another_program_works_on_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "mbox"
    path.write_bytes(as_mbox(b"From: a@b\n\nhi\n"))
    Path(f"{path}.lock").touch()
    with pytest.raises(CampaignError) as caught:
        Mbox(path).lying(LONG_AGO)
    assert caught.value.code == "mbox-busy"


def test_a_large_mbox_takes_little_time(tmp_path: Path) -> None:
    path = tmp_path / "mbox"
    path.write_bytes(as_mbox(*(b"From: a@b\nSubject: %d\n\n" % number + b"x" * 70 + b"\n" for number in range(20_000))))
    began = time.process_time()
    assert len(Mbox(path).lying(LONG_AGO)) == 20_000
    assert time.process_time() - began < 5


def test_a_maildir_changes_while_it_is_listed(tmp_path: Path) -> None:
    """Other programs deliver and move mails at any time: whatever is listed is there, or told as gone."""
    box = Maildir(tmp_path)
    stop = threading.Event()
    with box.opened(look_only=False):
        def others() -> None:
            number = 0
            while not stop.is_set() and number < 3000:
                number += 1
                path = put(tmp_path / "tmp", f"{number}.x").rename(tmp_path / "new" / f"{number}.x")
                moved = path.rename(tmp_path / "cur" / f"{path.name}:2,S")
                moved.unlink()

        thread = threading.Thread(target=others)
        thread.start()
        seen = 0
        until = time.monotonic() + 1
        while time.monotonic() < until:
            for one in box.lying(NOON - timedelta(days=1)):
                try:
                    assert box.read(one) == b"From: a@b\n\nhi\n"
                    seen += 1
                except Gone:
                    continue
        stop.set()
        thread.join()
