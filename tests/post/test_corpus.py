"""What comes out of each mail of the corpus (``tests/mail``): the signed files to the byte, or a sentence that helps."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from pbem.campaign.intake import Incoming
from pbem.engine import registry
from pbem.orders.pasted import verified
from pbem.post.mime import holds_nothing, is_mail, open_mail
from pbem.publish.findings import finding_text
from pbem.publish.words import Words

from ..mail import make

MAILS = Path(__file__).parents[1] / "mail"
OUTCOMES: dict[str, dict[str, Any]] = tomllib.loads((MAILS / "outcomes.toml").read_text(encoding="utf-8"))
FILES = {verified(path.read_bytes()): path.stem for path in (MAILS / "files").glob("*.toml")}


def opened(data: bytes) -> list[Incoming]:
    return open_mail(Incoming("mail.eml", data))


def outcome(data: bytes) -> dict[str, Any]:
    """What came out, in the words of the table."""
    found = opened(data)
    whole = [parts for one in found if not one.faults and (parts := verified(one.data, one.detached))]
    rest = [one for one in found if not one.faults and not verified(one.data, one.detached)]
    names = {parts.identity: name for parts, name in FILES.items() if parts}
    said = {
        "files": [names[parts.identity] for parts in whole],
        "faults": [fault.code for one in found for fault in one.faults],
        "bad": len([one for one in rest if not holds_nothing(one)]),
    }
    assert said["files"] or said["faults"] or said["bad"] or [one.data for one in found] == [data]
    return {key: value for key, value in said.items() if value}


@pytest.mark.parametrize("name", OUTCOMES)
def test_what_comes_out_of_a_mail(name: str) -> None:
    assert outcome((MAILS / f"{name}.eml").read_bytes()) == OUTCOMES[name]


def test_the_corpus_is_what_its_maker_makes() -> None:
    made = make.corpus()
    assert made.outcomes == OUTCOMES
    for name, data in made.mails.items():
        # Libraries that pack differ from each other; what is stored in packed mails is tested by what comes out of it.
        packed = name.startswith(("zip", "gzip"))
        assert packed or (MAILS / f"{name}.eml").read_bytes() == data, f"{name}: python -m tests.mail.make"
    for name, data in make.FILES.items():
        assert (MAILS / "files" / f"{name}.toml").read_bytes() == data


def test_all_are_mails_and_every_file_of_the_folder_is_one() -> None:
    said = tomllib.loads((MAILS / "headers.toml").read_text(encoding="utf-8"))
    assert {path.stem for path in MAILS.glob("*.eml")} == OUTCOMES.keys() | said.keys()
    assert all(is_mail(path.read_bytes()) for path in MAILS.glob("*.eml"))
    assert len(OUTCOMES) > 200


def test_mails_that_are_no_orders_hold_nothing() -> None:
    for name in tomllib.loads((MAILS / "headers.toml").read_text(encoding="utf-8")):
        assert outcome((MAILS / f"{name}.eml").read_bytes()) == {}, name


def test_every_fault_is_told_in_a_sentence_that_says_what_to_do() -> None:
    words, told = Words(registry.title("ming-dynasty")), set()
    for name in OUTCOMES:
        for one in opened((MAILS / f"{name}.eml").read_bytes()):
            for fault in one.faults:
                sentence = finding_text(fault, words)
                assert "end" in sentence or "Copy all of it again" in sentence, sentence
                assert "attachment" in sentence or "Send both" in sentence or "unencrypted" in sentence, sentence
                assert fault.code not in sentence
                told.add(fault.code)
    assert len(told) >= 10


def test_a_mail_opens_the_same_whatever_its_line_ends() -> None:
    for name in ("zip", "winmail", "smime-opaque", "forwarded-twice", "detached-beside", "pasted-smart-quotes", "html-br-nbsp"):
        data = (MAILS / f"{name}.eml").read_bytes()
        assert outcome(data.replace(b"\n", b"\r\n")) == OUTCOMES[name], name
