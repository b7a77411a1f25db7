"""What an event touches that others may want, for the plan word ``watch``: the action cards of a group, and types of persons."""

from __future__ import annotations

from pbem.engine.title import Event
from pbem.titles.year_of_the_dragon import vocabulary as words
from pbem.titles.year_of_the_dragon.tables import ACTIONS, PERSON_OF, PERSONS

WATCHED: frozenset[str] = frozenset({*ACTIONS, *PERSONS})


def touched(event: Event) -> frozenset[str]:
    """All actions of a group that a dragon came to, as they cost 3 yuan from now on; types of persons that were taken from the display."""
    match event:
        case words.Acted():
            return frozenset(event.cards)
        case words.RetinueTaken():
            return frozenset(PERSON_OF[tile] for tile in event.persons)
        case words.Recruited() | words.Declined():
            return frozenset({PERSON_OF[event.person]})
        case _:
            return frozenset()
