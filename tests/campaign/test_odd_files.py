"""What else can lie in a campaign's folders: links, folders, names that are none, files far too large. Audit names it; nothing stumbles."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbem.campaign.archive import load
from pbem.campaign.audit import audit
from pbem.campaign.ending import accounted, public_files
from pbem.campaign.turn import correct
from pbem.cli import pbem
from pbem.publish.complaints import complaint
from pbem.publish.faults import FAULTS

from ..helpers import HOUR, Campaign

TOO_LARGE = 5 * 1024 * 1024
Odd = Callable[[Path], object]


def _swollen(path: Path) -> None:
    with path.open("ab") as file:
        file.truncate(TOO_LARGE)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _misnamed(path: Path) -> None:
    path.rename(path.with_name(f"0{path.name}"))


def _twice(path: Path) -> None:
    shutil.copy(path, path.with_name(f"0{path.name}"))


@pytest.mark.parametrize("where", ["ledger", "receipts"])
@pytest.mark.parametrize(
    ("odd", "code", "named"),
    [
        (_swollen, "bad-too-large", "0003.toml"),
        (_folder, "bad-not-a-file", "0003.toml"),
        (_misnamed, "missing", "0003.toml"),
        (_twice, "unaccounted", "00003.toml"),
    ],
)
def test_a_record_that_is_none_is_named(campaign: Campaign, where: str, odd: Odd, code: str, named: str) -> None:
    odd(campaign.folder.root / where / "0003.toml")
    fault = audit(campaign.folder).fault
    assert fault is not None
    assert (fault.code, fault.file) == (code, f"{where}/{named}")
    assert named in complaint(FAULTS, fault.code, {"file": fault.file, **fault.facts}, str)[0]


def _swollen_order(campaign: Campaign) -> str:
    path = min(campaign.folder.orders.glob("join/*.toml"))
    _swollen(path)
    fault = audit(campaign.folder).fault
    assert fault is not None
    assert fault.file == campaign.folder.relative(path)
    return fault.code


def test_an_order_far_too_large_is_not_called_missing(campaign: Campaign) -> None:
    assert _swollen_order(campaign) == "bad-too-large"


def test_after_the_end_it_is_another_file_than_was_listed(finished_copy: Campaign) -> None:
    assert _swollen_order(finished_copy) == "file-changed"


@pytest.mark.skipif(os.name == "nt", reason="links are not for everybody there")
def test_links_to_themselves_and_to_folders_are_no_files(finished_copy: Campaign, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.toml").write_bytes(b"")
    before = public_files(finished_copy.folder)
    (finished_copy.folder.orders / "loop.toml").symlink_to("loop.toml")
    (finished_copy.folder.orders / "gone.toml").symlink_to("nowhere.toml")
    (finished_copy.folder.orders / "linked").symlink_to(tmp_path / "elsewhere")
    assert public_files(finished_copy.folder) == before
    assert audit(finished_copy.folder).fault is None


def _end_with(campaign: Campaign, stray: bytes, size: int = 0) -> tuple[str, str]:
    """The campaign ends while a file lies there that is none of its own. What audit says; without that file all is right."""
    path = os.path.join(os.fsencode(campaign.folder.root), *stray.split(b"/"))  # noqa: PTH118  # a name that need be no text
    try:
        with open(path, "wb") as file:  # noqa: PTH123
            file.truncate(size)
    except OSError:
        pytest.skip("this file system takes no such name")
    correct(campaign.folder, campaign.now + HOUR, "end", text="enough")
    fault = audit(campaign.folder).fault
    os.remove(path)  # noqa: PTH107
    report = audit(campaign.folder)
    assert (report.fault, report.finished) == (None, True)
    assert fault is not None
    return fault.code, complaint(FAULTS, fault.code, {"file": fault.file, **fault.facts}, str)[0]


def test_what_is_not_its_own_does_not_go_into_the_end(campaign: Campaign) -> None:
    assert _end_with(campaign, b"orders/Thumbs.db") == ("unaccounted", "orders/Thumbs.db belongs to no receipt and no entry")


def test_nor_does_it_stop_the_end(campaign: Campaign) -> None:
    assert _end_with(campaign, b"ledger/0003.toml~", TOO_LARGE)[0] == "unaccounted"


def test_nor_does_a_name_that_is_no_text(campaign: Campaign) -> None:
    assert _end_with(campaign, b"orders/\xff.toml") == ("unaccounted", "orders/\ufffd.toml belongs to no receipt and no entry")


def test_a_signature_beside_a_signed_file_is_the_one_too_many(campaign: Campaign) -> None:
    path = min(campaign.folder.orders.glob("join/*.toml"))
    beside = path.with_name(path.name + ".sig")
    beside.write_bytes(b"")
    name = campaign.folder.relative(beside)
    fault = audit(campaign.folder).fault
    assert fault is not None
    assert (fault.code, fault.file) == ("unaccounted", name)
    # A run that goes on from where the last one stopped does not look at old files: it must not be listed at the end.
    assert name not in accounted(load(campaign.folder, check=False))
    data = path.read_bytes()
    at = data.index(b"# -----BEGIN")
    path.write_bytes(data[:at])
    beside.write_bytes(data[at:].replace(b"# ", b""))
    assert name in accounted(load(campaign.folder, check=False))
    assert audit(campaign.folder).fault is None


def test_a_false_copy_to_compare_with_is_no_fault_of_this_one(campaign: Campaign, tmp_path: Path) -> None:
    other = campaign.copy(tmp_path / "other")
    text = other.folder.game.read_text(encoding="utf-8")
    other.folder.game.write_text(text.replace('close = "', 'close  = "'), encoding="utf-8")
    fault = audit(campaign.folder, against=other.folder.root).fault
    assert fault is not None
    assert (fault.code, fault.file) == ("other-copy-false", str(other.folder.game))
    told = complaint(FAULTS, fault.code, {"file": "other/game.toml", "path": "other"}, str)
    assert told[1] == "pbem audit other tells what is false in it"


def test_json_tells_whose_box_a_plain_plan_is_in_and_nothing_else_is_printed(short: Campaign, tmp_path: Path) -> None:
    file, plain = next(iter(short.plains.items()))
    (tmp_path / "mine.toml").write_bytes(plain)
    (tmp_path / "not-mine.toml").write_bytes(b"a = 1\n")
    paths = [str(tmp_path / name) for name in ("mine.toml", "not-mine.toml")]
    done = CliRunner().invoke(pbem, ["audit", str(short.folder.root), "--json", "--mine", paths[0], "--mine", paths[1]])
    told = json.loads(done.stdout)["mine"]
    assert told[paths[0]].startswith("orders/"), file
    assert told[paths[1]] == ""
    assert done.exit_code == 1
