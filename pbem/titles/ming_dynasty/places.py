"""Which places on the board an event touches, for the plan word ``watch``."""

from __future__ import annotations

from pbem.engine.title import Event
from pbem.titles.ming_dynasty import vocabulary as words


def touched(event: Event) -> frozenset[str]:
    """District ids, and the province id where a space, a slot or a city is touched. Walking through a district leaves it untouched."""
    match event:
        case words.Revealed() | words.Placed() | words.Drew() | words.TookDragon() | words.CityScored():
            return frozenset({event.province})
        case words.NeutralPlaced() | words.PrinceSet() | words.Stayed():
            return frozenset({event.district})
        case words.Moved():
            return frozenset({event.start, event.path[-1]})
        case words.Deployed() | words.Filled():
            return frozenset({event.district, event.district.rpartition("-")[0]})
        case words.Bid():
            return frozenset({*event.counts, event.province} - {""})
        case words.Returned() | words.NeutralReturned():
            return frozenset({event.province, *event.districts})
        case _:
            return frozenset()
