"""How a stand-in player judges a position: points in hand, and what the districts, hands and spaces promise."""

from __future__ import annotations

from pbem.titles.ming_dynasty.board import load
from pbem.titles.ming_dynasty.filling import movers
from pbem.titles.ming_dynasty.pieces import owners_in_turn
from pbem.titles.ming_dynasty.vocabulary import DRAGON, MingPosition


def worth(position: MingPosition, seat: str) -> int:
    """A number to compare positions of one decision by, in hundredths of a point."""
    me = position.players[seat]
    total = 100 * me.points
    for name in load(position.board).districts:
        district = position.districts.get(name)
        if district is None:
            continue
        if district.monastery == seat:
            total += 260
        if district.members:
            entering, _ = movers(dict(district.members), owners_in_turn(position))
            total += 330 * entering.get(seat, 0) + 40 * min(district.members.get(seat, 0), 4)
        total += 250 * district.houses.get(seat, 0)
    total += sum(70 * min(count, 1) + 15 * count for count in me.tiles.values())
    total += 10 * me.cards.get(DRAGON, 0) + 35 * sum(me.cards.values()) + 25 * len([kind for kind, count in me.cards.items() if count])
    # Members on the space of the province where the prince stands can be deployed at once; one or two elsewhere give access to cards.
    here = (me.prince or "").rpartition("-")[0]
    for province, count in me.spaces.items():
        total += 60 * min(count, 3) + 20 * count + (25 * min(count, 3) if province == here else 0)
    return total
