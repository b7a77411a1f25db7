"""Positions as data: sorted JSON, digest, tables."""

from __future__ import annotations

import hashlib

from pbem.engine.position import Position, digest, to_json, to_table


class Small(Position, omit_defaults=True, kw_only=True):
    words: dict[str, int] = {}
    seats: tuple[str, ...] = ()


def test_json_is_sorted_and_compact_and_without_defaults() -> None:
    assert to_json(Small(phase="1.a", words={"b": 1, "a": 2})) == b'{"phase":"1.a","words":{"a":2,"b":1}}'


def test_digest_is_of_the_json() -> None:
    position = Small(phase="over")
    assert digest(position) == hashlib.sha256(b'{"phase":"over"}').digest()


def test_order_of_keys_does_not_count() -> None:
    assert digest(Small(phase="x", words={"b": 1, "a": 2})) == digest(Small(phase="x", words={"a": 2, "b": 1}))


def test_table_holds_plain_values() -> None:
    table = to_table(Small(phase="x", seats=("an",), words={"b": 1, "a": 2}))
    assert table == {"phase": "x", "seats": ["an"], "words": {"a": 2, "b": 1}}
    assert list(table["words"]) == ["a", "b"]
