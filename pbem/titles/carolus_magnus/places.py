"""Which places an event touches, for the plan word ``watch``: territories by number, and clans for courts and control."""

from __future__ import annotations

from pbem.engine.title import Event
from pbem.titles.carolus_magnus import vocabulary as words

PLACES = frozenset({*(str(land) for land in range(1, words.TERRITORIES + 1)), *words.CLANS})


def touched(event: Event) -> frozenset[str]:
    """Territories where something was placed, built or merged, or between which the Emperor moved; clans placed at court or returned."""
    match event:
        case words.EmperorSet():
            return frozenset({str(event.land)})
        case words.Played():
            return frozenset({*event.court, *(str(land) for placed in event.lands for land in placed.lands)})
        case words.ControlTaken() | words.Returned():
            return frozenset({event.clan})
        case words.EmperorMoved():
            return frozenset(str(land) for land in (*event.start, *event.lands))
        case words.Judged() | words.Built() | words.Exchanged() | words.Merged():
            return frozenset(str(land) for land in event.lands)
        case _:
            return frozenset()
