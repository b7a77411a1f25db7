"""Changes to files, made from a generator of random numbers: of bytes, of tokens, and of what a file says.

Nothing here knows what a file is for. The same generator gives the same change.
"""

from __future__ import annotations

import random
import re
import tomllib
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

import tomli_w

Dice = random.Random

BYTES = (
    b"\0", b"\r", b"\r\n", b"\n", b"\n\n", b"\t", b" ", b'"', b"'", b'"""', b"'''", b"\\", b"#", b"=", b",", b"[", b"]", b"[[", b"{", b"}",
    b".", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x80\xae", b"\xe2\x81\xa6",
    b"\xc2\xa0", b"\xe2\x80\x8b", b"\xe2\x80\x9c", b"\xe2\x80\xa8", b"\xc2\x85", b"\x1b[2J", b"-----BEGIN SSH SIGNATURE-----",
    b"# -----BEGIN SSH SIGNATURE-----\n", b"# -----END SSH SIGNATURE-----\n", b"-----BEGIN PBEM ORDER-----\n",
    b"-----END PBEM ORDER-----\n",
)  # fmt: skip
TOKENS = (
    "0", "-0", "-1", "1", "2", "64", "999", "1000", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "9" * 70,
    "0x7fffffffffffffff", "0o17", "0b1", "1_000", "01", "+1", "1.0", "1e3", "1e400", "-1e-400", "nan", "inf", "-inf", "true", "false",
    "True", "null", "2026-12-01", "2026-12-01T10:00:00Z", "10:00:00", '""', "''", '"a"', '"\\u0000"', '"\\ud800"', '"\\U0010ffff"',
    '"\\U00110000"', '"\\u202e"', '"\\x41"', '"a\\nb"', '"""\nlong\n"""', "[]", "{}", "[[]]", "[{}]", "[1, 'a', {}]", "[" * 15 + "]" * 15,
    "[" * 40 + "]" * 40, "{a=" * 15 + "1" + "}" * 15, "{a=" * 40 + "1" + "}" * 40, "a.b.c", "a." * 30 + "a", '"do"', "do", "or", "watch",
    "otherwise", "then", "orders", "sealed", "seal_to", "note", "“a”", "ａ", "é", "e\u0301", "Ａ", "ſ", "ı", "𝟙", "١", "＝", "—", "\u00a0",
    "[orders]", "[[orders]]", "\n[sealed]\n", "\n[[orders]]\n", "#", "# x\n", "=", ",", ",,", "[", "]", "{", "}", "\n", "default",
    '"default"', '"ask"', '"pass"',
)  # fmt: skip
LOOKALIKES = {"a": "а", "e": "е", "o": "о", "n": "ո", "i": "і", "-": "‐", "1": "１", ".": "․", "s": "ѕ"}   # same shape, other letters
VALUES: tuple[Any, ...] = (
    0, -1, 1, 2, 3, 64, 999, 1000, 2**31, 2**63 - 1, -(2**63), 2**63, 10**60, 1.5, 1e308, True, False, "", [], {},
)  # fmt: skip
LONG = (65, 300, 1000, 5000, 33_000)

_TOKEN = re.compile(r'"""|\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|[A-Za-z0-9_+.:-]+|\s+|.', re.DOTALL)


# -- bytes --------------------------------------------------------------------------------------------------------------


def bytes_changed(data: bytes, dice: Dice, others: Sequence[bytes]) -> bytes:
    """One small change somewhere."""
    at = dice.randrange(len(data) + 1)
    to = min(len(data), at + dice.choice((1, 1, 2, 5, 30, 200)))
    match dice.randrange(8):
        case 0:
            return data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1 :] if at < len(data) else data
        case 1:
            return data[:at] + data[to:]
        case 2:
            return data[:at] + dice.choice(BYTES) + data[at:]
        case 3:
            return data[:at] + dice.choice(BYTES) + data[to:]
        case 4:
            return data[:to] + data[at:]
        case 5:
            return data[:at] if dice.random() < 0.5 else data[at:]
        case 6:
            other = dice.choice(others)
            start = dice.randrange(len(other) + 1)
            return data[:at] + other[start : start + dice.choice((5, 50, 500, 5000))] + data[to:]
        case _:
            return data[:at] + data[at:to] * dice.choice((2, 20, 400)) + data[to:]


# -- tokens -------------------------------------------------------------------------------------------------------------


def tokens_changed(data: bytes, dice: Dice, others: Sequence[bytes]) -> bytes:
    """One token taken out, doubled, exchanged or put in; the bytes around it stay."""
    tokens = _TOKEN.findall(data.decode("utf-8", "replace"))
    if not tokens:
        return data
    at = dice.randrange(len(tokens))
    match dice.randrange(8):
        case 0:
            del tokens[at]
        case 1:
            tokens.insert(at, tokens[at] if dice.random() < 0.5 else dice.choice(TOKENS))
        case 2 | 3:
            tokens[at] = dice.choice(TOKENS)
        case 4:
            tokens[at] = dice.choice(_TOKEN.findall(dice.choice(others).decode("utf-8", "replace")) or [""])
        case 5:
            other = dice.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        case 6:
            tokens[at] = _letters_changed(tokens[at], dice)
        case _:
            lines = "".join(tokens).split("\n")
            line = dice.randrange(len(lines))
            match dice.randrange(3):
                case 0:
                    del lines[line]
                case 1:
                    lines.insert(dice.randrange(len(lines) + 1), lines[line])
                case _:
                    lines.insert(0, lines.pop(line))
            return "\n".join(lines).encode()
    return "".join(tokens).encode("utf-8", "replace")


def _letters_changed(text: str, dice: Dice) -> str:
    match dice.randrange(5):
        case 0:
            return text.upper()
        case 1:
            return unicodedata.normalize(dice.choice(("NFD", "NFKD")), text)
        case 2:
            return "".join(LOOKALIKES.get(char, char) for char in text)
        case 3:
            return text * dice.choice(LONG)
        case _:
            return text[::-1]


# -- what a file says -----------------------------------------------------------------------------------------------------


def structure_changed(data: bytes, dice: Dice, others: Sequence[bytes]) -> bytes:
    """The table in a text with one thing in it changed, written anew; a text that is no TOML has its tokens changed."""
    try:
        table = tomllib.loads(data.decode())
        other = tomllib.loads(dice.choice(others).decode())
        changed = tree_changed(table, dice, [*_nodes(other), *_nodes(table)])
        return tomli_w.dumps(changed if isinstance(changed, dict) else {"x": changed}).encode()
    except (ValueError, TypeError, RecursionError):
        return tokens_changed(data, dice, others)


def tree_changed(tree: Any, dice: Dice, pool: Sequence[Any]) -> Any:
    """One node of a tree dropped, doubled, nested, exchanged for one of the pool, or made huge."""
    if isinstance(tree, dict) and tree and dice.random() < 0.92:
        key = dice.choice(list(tree))
        made = dict(tree)
        match dice.randrange(12):
            case 0:
                del made[key]
            case 1:
                made[_letters_changed(key, dice)[:2000]] = made[key]
            case 2:
                made[dice.choice(("or", "watch", "otherwise", "then", "note", "orders", "do", "x y", ""))] = dice.choice(pool)
            case 3:
                other = dice.choice(list(tree))
                made[key], made[other] = made[other], made[key]
            case 4:
                made[key] = dice.choice(pool)
            case _:
                made[key] = tree_changed(tree[key], dice, pool)
        return made
    if isinstance(tree, list) and tree and dice.random() < 0.92:
        at = dice.randrange(len(tree))
        match dice.randrange(9):
            case 0:
                return tree[:at] + tree[at + 1 :]
            case 1:
                return [*tree[:at], *[tree[at]] * dice.choice((2, 3, 9, 33, 65, 500)), *tree[at + 1 :]]
            case 2:
                return dice.sample(tree, len(tree))
            case 3:
                return [*tree, dice.choice(pool)]
            case 4:
                return tree[at]
            case _:
                return [*tree[:at], tree_changed(tree[at], dice, pool), *tree[at + 1 :]]
    return _leaf(tree, dice, pool)


def _leaf(value: Any, dice: Dice, pool: Sequence[Any]) -> Any:
    match dice.randrange(10):
        case 0:
            return [value]
        case 1:
            return {dice.choice(("do", "or", "to", "a", "")): value}
        case 2:
            nested = value
            for _ in range(dice.choice((3, 14, 16, 18, 60))):
                nested = [nested] if dice.random() < 0.5 else {"a": nested}
            return nested
        case 3:
            return dice.choice(VALUES)
        case 4:
            return _letters_changed(value, dice) if isinstance(value, str) else value
        case 5 if isinstance(value, int) and not isinstance(value, bool):
            return value + dice.choice((-2, -1, 1, 2, 10))
        case 6 if isinstance(value, str):
            return value[: dice.randrange(len(value) + 1)] + dice.choice(("", " ", "\n", "\u202e", "\u2028", "-", "𝟙", "x", "\x00", "é"))
        case _:
            same = [each for each in pool if type(each) is type(value)]
            return dice.choice(same or [value])


def _nodes(tree: Any) -> list[Any]:
    """Every value in a tree, itself last."""
    found: list[Any] = []
    if isinstance(tree, dict | list):
        for each in tree.values() if isinstance(tree, dict) else tree:
            found += _nodes(each)
    found.append(tree)
    return found


WAYS: tuple[Callable[[bytes, Dice, Sequence[bytes]], bytes], ...] = (bytes_changed, tokens_changed, structure_changed, structure_changed)


def mutated(data: bytes, dice: Dice, others: Sequence[bytes]) -> bytes:
    """A text changed in one place, or a few. ``others``: texts to take pieces from."""
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        data = dice.choice(WAYS)(data, dice, others)
    return data
