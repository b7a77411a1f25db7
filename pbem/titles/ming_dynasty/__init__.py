"""Ming Dynasty: the table of contents of its rulebook (docs/rules/ming-dynasty.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, cast

import msgspec

from pbem.engine.chance import Chance
from pbem.engine.title import Event, Phase, Standing, Title
from pbem.titles.ming_dynasty import position_text, set_up, vocabulary
from pbem.titles.ming_dynasty.bidding import BidReturns
from pbem.titles.ming_dynasty.board import load
from pbem.titles.ming_dynasty.draw import DrawCards
from pbem.titles.ming_dynasty.filling import FillCities
from pbem.titles.ming_dynasty.move import MoveAndDeploy
from pbem.titles.ming_dynasty.neutral import PlaceNeutral, ReturnNeutral
from pbem.titles.ming_dynasty.pieces import still_to_decide
from pbem.titles.ming_dynasty.place import PlaceMembers
from pbem.titles.ming_dynasty.places import touched
from pbem.titles.ming_dynasty.prince import SetPrinces
from pbem.titles.ming_dynasty.round_end import EndRound, NameStarter, standings
from pbem.titles.ming_dynasty.rulings import RULINGS
from pbem.titles.ming_dynasty.scoring import ScoreCities
from pbem.titles.ming_dynasty.sequence import SEATS, MingPhase, ids_of, is_phase, name_of, round_of
from pbem.titles.ming_dynasty.view import view
from pbem.titles.ming_dynasty.vocabulary import MingPosition, Options
from pbem.titles.ming_dynasty.worth import worth

PHASES: tuple[MingPhase, ...] = (
    PlaceNeutral(),  # 0.neutral, 3.neutral, 5.neutral: two players only
    SetPrinces(),  # 0.prince
    NameStarter(),  # 5.starter, 6.starter: four players only
    PlaceMembers(),  # 1.place to 6.place
    DrawCards(),  # 1.draw to 6.draw
    MoveAndDeploy(),  # 1.move to 6.move
    FillCities(),  # 2.fill, 4.fill, 6.fill; by province 2.fill.yunnan and so on, and the same with the next three
    BidReturns(),  # 2.return, 4.return, 6.return
    ReturnNeutral(),  # 2.neutral-return.yunnan and so on: two players only
    ScoreCities(),  # 2.score, 4.score, 6.score
    EndRound(),  # 1.end to 6.end
)
BY_NAME = {phase.name: phase for phase in PHASES}
ASKING = {phase.name for phase in PHASES if phase.takes}


class MingDynasty(Title[MingPosition]):
    """Six rounds of placing, drawing, moving and deploying; every second round the cities are filled and scored."""

    slug = "ming-dynasty"
    name = "Ming Dynasty"
    seats = SEATS
    rules = 1
    position = MingPosition
    options = Options
    orders = vocabulary.ORDERS
    events = vocabulary.EVENTS
    rulings = RULINGS
    derived = position_text.DERIVED
    files = files("pbem.titles.ming_dynasty")

    def set_up(self, options: msgspec.Struct, seats: Sequence[str], chance: Chance) -> tuple[MingPosition, list[Event]]:
        """See Title. Malformed for a bad board, and for a seat called as the neutral colour is."""
        return set_up.set_up(cast(Options, options), seats, chance)

    def phase(self, position: MingPosition) -> Phase[MingPosition] | None:
        """See Title."""
        return BY_NAME.get(name_of(position.phase))

    def phase_named(self, phase_id: str) -> Phase[MingPosition] | None:
        """See Title."""
        return BY_NAME[name_of(phase_id)] if is_phase(phase_id) else None

    def view(self, position: MingPosition, seat: str | None) -> MingPosition:
        """See Title: everything is open."""
        return view(position)

    def ahead(self, position: MingPosition) -> tuple[str, ...]:
        """See Title: to the end of the next round."""
        ids = ids_of(position)
        last = round_of(position.phase) + 1
        coming = ids[ids.index(position.phase) : -1]
        return tuple(phase_id for phase_id in coming if round_of(phase_id) <= last and name_of(phase_id) in ASKING)

    def result(self, position: MingPosition) -> list[Standing]:
        """See Title: ``why`` holds members in monasteries, which break ties, and tiles."""
        return standings(position)

    def places(self, event: Event) -> frozenset[str]:
        """See Title."""
        return touched(event)

    def known_places(self, position: MingPosition) -> frozenset[str]:
        """See Title: districts, and provinces for their spaces, slots and cities."""
        board = load(position.board)
        return frozenset(board.districts) | frozenset(board.provinces)

    def read_position(self, table: Mapping[str, Any]) -> MingPosition:
        """See Title and position_text."""
        return position_text.read_position(table)

    def show_position(self, position: MingPosition) -> dict[str, Any]:
        """See Title and position_text."""
        return position_text.show_position(position)

    def in_turn(self, position: MingPosition, seat: str) -> MingPosition | None:
        """See Title: in the phases that are played in turn, whoever still has something to decide."""
        phase, player = self.phase(position), position.players.get(seat)
        if phase is None or player is None or not still_to_decide(phase.name, player):
            return None
        probe = position.copy()
        probe.turn = seat
        return probe if phase.asked(probe) == (seat,) else None

    def worth(self, position: MingPosition, seat: str) -> int:
        """See Title."""
        return worth(position, seat)

    def scene(self, position: MingPosition) -> dict[str, Any]:
        """See Title."""
        from pbem.titles.ming_dynasty.picture import scene

        return scene(position)

    def offers(self, position: MingPosition, seat: str, everything: bool = False) -> dict[str, Any]:
        """See Title."""
        from pbem.titles.ming_dynasty.offers import offers

        return offers(self, position, seat, everything)


title = MingDynasty()
