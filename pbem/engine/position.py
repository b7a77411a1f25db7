"""A position is plain data: everything the rules need and nothing else."""

import hashlib
from typing import Any, Self, TypeVar

import msgspec

S = TypeVar("S", bound=msgspec.Struct)


class Position(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """Base of every title's position: integers, strings, lists and dicts of them; no floats.

    ``phase`` is the id of the phase being played ("3.move"), or "over".
    """

    phase: str

    def copy(self) -> Self:
        """An independent copy; written by hand in each title, because it is what stand-in players do most."""
        raise NotImplementedError


def shallow(value: S) -> S:
    """A copy that shares what is inside: the beginning of a ``copy`` by hand. ``copy.copy`` spends longest on finding out what to call."""
    same: S = value.__copy__()  # type: ignore[attr-defined]  # every Struct has it, though its stubs do not say so
    return same


def to_json(position: Position) -> bytes:
    """Sorted compact JSON, fields at their default left out."""
    return msgspec.json.encode(position, order="sorted")


def digest(position: Position) -> bytes:
    """SHA-256 of ``to_json``: 32 bytes."""
    return hashlib.sha256(to_json(position)).digest()


def to_table(value: msgspec.Struct) -> dict[str, Any]:
    """A position, order or event as a table that TOML and JSON can hold; tuples become lists, so that it equals what is read back."""
    table: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(value, order="sorted"))
    return table
