from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pbem.engine import registry
from pbem.publish.columns import width
from pbem.publish.receipts import DryTurn, ReceiptFacts, dry_run_lines, receipt_subject, receipt_text
from pbem.titles.ming_dynasty import vocabulary as ming
from tests.publish.tales import StrictWords

CLOSES = datetime(2026, 12, 3, 19, tzinfo=UTC)
WORDS = StrictWords(registry.title("ming-dynasty"), seats={"an": "An", "bo": "Bo", "dai": "Dai"})
WALK = DryTurn(
    at="orders[0]",
    order={"do": "move", "path": ["yunnan-a", "guangdong-c"], "deploy": 3},
    events=(
        ming.Moved(seat="an", start="yunnan-b", path=("yunnan-a", "guangdong-c"), pay=("junk", "rickshaw")),
        ming.Deployed(seat="an", district="guangdong-c", count=3, monastery=True, pushed="dai", members={"an": 2, "bo": 2, "dai": 2}),
    ),
    alternatives=({"do": "stay", "deploy": 1},),
)
BLOCKED = DryTurn(
    at="orders[1]",
    code="stopped",
    wanted={"do": "stay", "pay": "horse", "deploy": 1},
    because={"code": "own-monastery", "field": "deploy", "facts": {"district": "guangdong-c"}},
)
PARTIAL = ReceiptFacts(
    name="an.order.toml", verdict="partial", campaign="winter-court", head="41-" + "3d19" * 8, seat="an", phase="3.move", revision=2,
    size=512, identity="9f3c07aa51e8" + "0" * 52, number=88, received=CLOSES - timedelta(hours=22, minutes=46), closes=CLOSES,
    zone="Europe/Paris", replaces=(1, CLOSES - timedelta(days=2)), dry_run=(WALK, BLOCKED),
)  # fmt: skip


def test_a_partial_plan() -> None:
    assert receipt_subject(PARTIAL, WORDS) == "[winter-court] An, round 3, move: plan received, 1 of 2 turns will work"
    text = receipt_text(PARTIAL, WORDS)
    flat = " ".join(text.split())
    assert text.startswith("An, round 3, move (an.order.toml)\nYour plan is in. PARTIAL: turn 2 cannot work as written.\n")
    for part in (
        "received Wed 2 Dec 2026, 21:14 Paris (20:14 UTC); 22 h 46 min before closing",
        "file an.order.toml, revision 2, 512 bytes, 9f3c 07aa 51e8 0000 …",
        "replaces revision 1 of Tue 1 Dec, of which nothing had been played",
        "1 You walk from yunnan-b through yunnan-a to guangdong-c for a junk and a rickshaw.",
        "If that is not possible then: stay, put down 1.",
        '2 NOT ALLOWED: { do = "stay", pay = "horse", deploy = 1 } orders[1].deploy: Nothing can be deployed in guangdong-c',
        "Nothing is lost: the turn that works stands.",
        "Signed by the processor of winter-court, receipt 88, ledger head 41-3d19",
    ):
        assert part in flat
    assert all(width(line) <= 110 for line in text.splitlines())


def test_a_complete_plan() -> None:
    facts = replace(PARTIAL, verdict="complete", dry_run=(replace(WALK, alternatives=()),), replaces=None, zone=None)
    text = receipt_text(facts, WORDS)
    assert "COMPLETE" in text and "replaces" not in text and "NOT ALLOWED" not in text and "will ask you" not in text
    assert receipt_subject(facts, WORDS).endswith("1 of 1 turn will work")


def test_a_plan_that_ends_early() -> None:
    text = receipt_text(replace(PARTIAL, dry_run=(WALK,)), WORDS)
    assert "PARTIAL: after its last line the game will ask you again." in text and "Nothing is lost" not in text


def test_a_refused_file() -> None:
    late = CLOSES + timedelta(hours=1)
    facts = replace(PARTIAL, verdict="refused", dry_run=None, reasons=("One thing.", "Another thing."), received=late)
    text = receipt_text(facts, WORDS)
    assert text.startswith("An, round 3, move (an.order.toml)\nYour file is NOT TAKEN")
    assert "2 things are wrong:\n  - One thing.\n  - Another thing." in text
    assert "1 h after closing" in text and "what you had sent before still stands" in text and "PARTIAL" not in text
    assert receipt_subject(facts, WORDS) == "[winter-court] An, round 3, move: not taken, please read"
    nobody = replace(facts, seat="", phase="", name="hello\u202e.toml", reasons=("One thing.",))
    assert receipt_subject(nobody, WORDS) == "[winter-court] hello.toml: not taken, please read"
    assert "\n\nOne thing.\n\n" in receipt_text(nobody, WORDS)


def test_sealed_repeated_joined_and_foreseen() -> None:
    sealed = replace(PARTIAL, verdict="taken", dry_run=None, repeated=True)
    assert "TAKEN: nobody else but whoever holds the campaign's secret can read it before" in receipt_text(sealed, WORDS)
    assert "pbem show" not in receipt_text(sealed, WORDS) and "had come before" in receipt_text(sealed, WORDS)
    assert receipt_subject(sealed, WORDS).endswith("sealed plan received")
    joined = ReceiptFacts(name="an.join.toml", verdict="complete", kind="join", campaign="winter-court", head="1-aa", seat="an", size=700)
    assert receipt_text(joined, WORDS).startswith("An (an.join.toml)\nWelcome, An: your join file is in")
    assert receipt_subject(joined, WORDS) == "[winter-court] An: welcome, the seat is yours"
    assert "Keep your key" in receipt_text(joined, WORDS)
    empty = replace(PARTIAL, dry_run=(), foreseen=True)
    assert receipt_subject(empty, WORDS).endswith("plan received, but it is empty")
    assert "cannot be foreseen yet" in receipt_text(replace(PARTIAL, foreseen=False, dry_run=()), WORDS)
    played = replace(PARTIAL, played_of_old=2)
    assert "of which 2 orders had been played" in receipt_text(played, WORDS)


def test_a_letter_says_more() -> None:
    sealed = replace(PARTIAL, verdict="taken", dry_run=None, letter=True)
    assert "A letter to its player says more:\n  pbem show winter-court --seat an --key an.key\n" in receipt_text(sealed, WORDS)
    assert "letter" not in receipt_text(replace(sealed, dry_run=(WALK,)), WORDS)


@pytest.mark.parametrize("reason", ["late", "closed"])
def test_a_late_file_cannot_be_put_right(reason: str) -> None:
    facts = replace(PARTIAL, verdict="refused", dry_run=None, reasons=("It came late.",), reason=reason)
    assert "Put this right" not in receipt_text(facts, WORDS)
    assert "Put this right" in receipt_text(replace(facts, reason="wrong-key"), WORDS)


def test_files_of_one_mail_are_told_apart() -> None:
    several = [receipt_text(replace(PARTIAL, name=f"mail1.txt#{number}"), WORDS).splitlines()[0] for number in (1, 2)]
    assert several == ["An, round 3, move (mail1.txt#1)", "An, round 3, move (mail1.txt#2)"]
    assert receipt_text(replace(PARTIAL, name="mail1.txt#3", seat="", phase="", verdict="refused"), WORDS).startswith("mail1.txt#3\n")


def test_lines_that_are_not_needed_and_words_that_mean_nothing() -> None:
    text = receipt_text(replace(PARTIAL, verdict="complete", left_over=1, reasons=("orders[0].watch: nothing is called so.",)), WORDS)
    assert "\n1 line is left over: the phase is complete without it.\n" in text
    assert "\nSomething in it cannot be meant:\n  - orders[0].watch: nothing is called so.\n" in text
    assert "COMPLETE" not in text and "but part of it will never be played, see below." in " ".join(text.split())
    assert "2 lines are left over: the phase is complete without them." in receipt_text(replace(PARTIAL, left_over=2), WORDS)
    assert "left over" not in receipt_text(PARTIAL, WORDS)


@pytest.mark.parametrize(
    ("turn", "said"),
    [
        (replace(WALK, code="alternative", wanted={"do": "pass"}, because=BLOCKED.because), "So your next choice: You walk"),
        (replace(WALK, code="otherwise", wanted={"do": "pass"}, because=BLOCKED.because), "So what silence means: You walk"),
        (replace(WALK, code="ended"), "Your plan has no line for this: You walk"),
        (replace(WALK, events=()), "walk through yunnan-a to guangdong-c, put down 3."),
        (replace(BLOCKED, code="skipped"), "This line would be dropped"),
        (replace(BLOCKED, because=None), "Here the plan stops"),
        (DryTurn(code="watched", because={"places": ["yunnan-a"], "seat": "bo"}), "somebody has acted in yunnan-a"),
    ],
)
def test_every_way_a_turn_can_go(turn: DryTurn, said: str) -> None:
    assert said in " ".join(" ".join(dry_run_lines([turn], WORDS, "an")).split())


def test_an_empty_plan() -> None:
    assert dry_run_lines([], WORDS, "an") == ["The plan is empty: nothing is ordered."]
    assert dry_run_lines(None, WORDS, "an") == []
