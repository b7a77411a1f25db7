"""A small made-up title's orders, for tests of plans and files."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import msgspec


class Walk(msgspec.Struct, frozen=True, tag_field="do", tag="walk", forbid_unknown_fields=True, kw_only=True):
    to: str
    carry: Annotated[int, msgspec.Meta(ge=0, le=3)] | Literal["all"] = 0
    card: str | tuple[str, ...] | None = None
    quiet: bool = False


class Put(msgspec.Struct, frozen=True, tag_field="do", tag="put", forbid_unknown_fields=True, kw_only=True):
    each_field: ClassVar[str] = "places"
    place: str | None = None
    places: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if (self.place is None) == (self.places is None):
            raise ValueError("either place or places")

    def each(self) -> tuple[Put, ...]:
        return (self,) if self.places is None else tuple(Put(place=place) for place in self.places)


class Bid(msgspec.Struct, frozen=True, tag_field="do", tag="bid", forbid_unknown_fields=True, kw_only=True, rename={"from_": "from"}):
    counts: dict[Literal["north", "south"], Annotated[int, msgspec.Meta(ge=0, le=6)]] = {}
    from_: dict[str, tuple[Literal["a", "b", "c"], ...]] = {}
    player: str = ""


class Rest(msgspec.Struct, frozen=True, tag_field="do", tag="rest", forbid_unknown_fields=True):
    pass


TYPES = (Walk, Put, Bid, Rest)
