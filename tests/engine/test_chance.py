"""Chance: published vectors computed in another way, uniformity, and the three makers."""

from __future__ import annotations

import hashlib
import random
import re
import struct
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pbem.engine.chance import Chance, KeyedChance, ScriptedChance, SeededChance, UnusedOutcomes, evenly

PAGE = Path(__file__).parents[2] / "docs" / "chance-vectors.md"
VECTORS: dict[str, Any] = tomllib.loads("\n".join(re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)))
STEP = {name: bytes.fromhex(value) for name, value in VECTORS["step"].items()}


def hmac_by_hand(key: bytes, message: bytes) -> bytes:
    """RFC 2104 with SHA-256, keys of at most 64 bytes."""
    block = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in block) + message).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in block) + inner).digest()


def raw_value(counter: int, label: str, private: bool) -> int:
    fields = [STEP["root"], STEP["before"], label.encode("utf-8"), b"%d" % counter]
    if private:
        fields.insert(0, STEP["key"])
    message = b""
    for field in fields:
        message += struct.pack(">I", len(field)) + field
    return int(hmac_by_hand(STEP["private_key" if private else "key"], message).hex(), 16)


class ByHand:
    """The derivation a second time, written from the page."""

    def __init__(self) -> None:
        self.counter = 0

    def number(self, below: int, label: str, private: bool = False) -> int:
        while True:
            value = raw_value(self.counter, label, private)
            self.counter += 1
            if value // below < 2**256 // below:
                return value % below


def keyed() -> KeyedChance:
    return KeyedChance(STEP["key"], STEP["root"], STEP["before"], STEP["private_key"])


def test_raw_values() -> None:
    assert len(VECTORS["raw"]) >= 5
    for vector in VECTORS["raw"]:
        assert f"{raw_value(vector['counter'], vector['label'], vector['private']):064x}" == vector["value"]


def test_numbers() -> None:
    chance, by_hand = keyed(), ByHand()
    for vector in VECTORS["number"]:
        below, label, private = int(vector["below"]), vector["label"], vector["private"]
        number = int(vector["number"])
        assert chance.number(below, label, "bo" if private else None) == number
        assert by_hand.number(below, label, private) == number
        assert by_hand.counter == vector["counter"]
    assert by_hand.counter > len(VECTORS["number"]), "no vector throws a value away"


def test_draws() -> None:
    for vector in VECTORS["draw"]:
        bag = dict(vector["bag"])
        assert keyed().draw(bag, vector["label"]) == vector["drawn"]
        assert bag == vector["bag"]
        spread = [name for name in sorted(bag) for _ in range(bag[name])]
        assert spread[ByHand().number(len(spread), vector["label"])] == vector["drawn"]


def test_rolls() -> None:
    for vector in VECTORS["roll"]:
        assert keyed().roll(vector["faces"], vector["label"]) == vector["rolled"]
        assert vector["faces"][ByHand().number(len(vector["faces"]), vector["label"])] == vector["rolled"]


def test_shuffles() -> None:
    for vector in VECTORS["shuffle"]:
        assert keyed().shuffle(vector["items"], vector["label"]) == vector["shuffled"]
        by_hand, left = ByHand(), list(vector["items"])
        out: list[str] = []
        for size in range(len(left), 1, -1):
            at = by_hand.number(size, vector["label"])
            left[at], left[size - 1] = left[size - 1], left[at]
            out.insert(0, left.pop())
        assert left + out == vector["shuffled"]


def test_every_part_of_the_message_counts() -> None:
    first = keyed().number(2**255, "a")
    assert keyed().number(2**255, "a") == first
    others = [
        keyed().number(2**255, "b"),
        keyed().number(2**255, "a", "an"),
        KeyedChance(bytes(32), STEP["root"], STEP["before"]).number(2**255, "a"),
        KeyedChance(STEP["key"], bytes(32), STEP["before"]).number(2**255, "a"),
        KeyedChance(STEP["key"], STEP["root"], bytes(31) + b"\1").number(2**255, "a"),
    ]
    assert len({first, *others}) == 6


def test_the_digest_is_asked_for_once_and_at_the_first_draw_only() -> None:
    asked = []

    def before() -> bytes:
        asked.append(1)
        return bytes(STEP["before"])

    chance = KeyedChance(STEP["key"], STEP["root"], before, STEP["private_key"])
    assert asked == []
    same = keyed()
    assert [chance.number(54, "a"), chance.number(54, "b")] == [same.number(54, "a"), same.number(54, "b")]
    assert asked == [1]


def test_private_chance_needs_the_private_key() -> None:
    with pytest.raises(PermissionError):
        KeyedChance(STEP["key"], STEP["root"], STEP["before"]).number(6, "hand", "an")


@pytest.mark.parametrize("below", [1, 2, 3, 6, 7, 54])
def test_numbers_are_uniform(below: int) -> None:
    chance = keyed()
    rounds = 300 * below
    counts = Counter(chance.number(below, "uniform") for _ in range(rounds))
    assert sorted(counts) == list(range(below))
    # chi-square is near its degrees of freedom; six standard deviations are never passed by a fair stream with these fixed keys
    chi = sum((counts[face] - 300) ** 2 / 300 for face in range(below))
    assert chi <= (below - 1) + 6 * (2 * (below - 1)) ** 0.5


def test_incomplete_interval_is_thrown_away() -> None:
    # below 2^255 + 1 only values below 2^255 + 1 may be used: every number is then the raw value itself
    below, chance = 2**255 + 1, keyed()
    used: list[int] = []
    raw = [raw_value(counter, "half", False) for counter in range(60)]
    kept = [value for value in raw if value < below]
    while len(used) < len(kept):
        used.append(chance.number(below, "half"))
    assert used == kept
    assert 0 < len(kept) < 60


def test_draw_is_by_how_many_there_are() -> None:
    chance = keyed()
    counts = Counter(chance.draw({"rare": 1, "none": 0, "often": 3}, "card") for _ in range(2000))
    assert set(counts) == {"rare", "often"}
    assert 400 < counts["rare"] < 600


def test_shuffle_reaches_every_order() -> None:
    chance = keyed()
    counts = Counter("".join(chance.shuffle("abc", "deck")) for _ in range(1200))
    assert len(counts) == 6
    assert all(140 < number < 260 for number in counts.values())


@pytest.mark.parametrize("chance", [keyed(), SeededChance(1), ScriptedChance([])], ids=["keyed", "seeded", "scripted"])
def test_nothing_to_draw_is_said(chance: Chance) -> None:
    with pytest.raises(ValueError, match="an empty bag"):
        chance.draw({"horse": 0}, "an empty bag")


def test_no_outcome_is_said() -> None:
    with pytest.raises(ValueError, match="nothing"):
        keyed().number(0, "nothing")


def test_seeds_repeat_and_do_not_disturb_each_other() -> None:
    alone = SeededChance(7)
    expected = [alone.number(1000, "x") for _ in range(20)]
    one, other = SeededChance(7), SeededChance(8)
    mixed = [(one.number(1000, "x"), other.number(1000, "x")) for _ in range(20)]
    assert [number for number, _ in mixed] == expected
    assert [number for _, number in mixed] != expected


def test_seeds_give_what_they_always_gave() -> None:
    """Bots and playouts are repeated by their seeds."""
    counts = [*range(1, 70), 1000, 2**32 - 1, 2**32, 2**32 + 1, 2**70 + 1] * 5
    dice, others = random.Random("seven"), random.Random("seven")  # noqa: S311 — repeatable
    below, chance = evenly(others), SeededChance("seven")
    expected = [dice.randrange(count) for count in counts]
    assert [below(count) for count in counts] == [chance.number(count, "x") for count in counts] == expected
    with pytest.raises(ValueError, match="below 0"):
        below(0)


def test_script_gives_outcomes_in_order() -> None:
    chance = ScriptedChance(["an", "horse", 4, ["b", "a"]])
    assert chance.roll(["an", "bo"], "starting player") == "an"
    assert chance.draw({"horse": 1}, "card") == "horse"
    assert chance.number(5, "number") == 4
    assert chance.shuffle(["a", "b"], "deck") == ["b", "a"]
    chance.finish()


@pytest.mark.parametrize(
    ("outcome", "method", "arguments"),
    [
        ("junk", "draw", ({"horse": 1, "junk": 0}, "the draw")),
        (3, "draw", ({"horse": 1}, "the draw")),
        ("emil", "roll", (["an", "bo"], "the draw")),
        (5, "number", (5, "the draw")),
        (-1, "number", (5, "the draw")),
        ("1", "number", (5, "the draw")),
        (["a", "a"], "shuffle", (["a", "b"], "the draw")),
    ],
)
def test_script_refuses_what_cannot_come_up(outcome: object, method: str, arguments: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match="the draw"):
        getattr(ScriptedChance([outcome]), method)(*arguments)


def test_script_must_be_used_up() -> None:
    chance = ScriptedChance(["an"])
    with pytest.raises(UnusedOutcomes):
        chance.finish()
    with pytest.raises(ValueError, match="no outcome left for more"):
        ScriptedChance([]).roll(["an"], "more")
