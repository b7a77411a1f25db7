"""Set-up: the starting player, the display, a dragon each."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.chance import Chance
from pbem.engine.refusals import Malformed
from pbem.engine.title import Event
from pbem.titles.ming_dynasty.board import check_seats, load
from pbem.titles.ming_dynasty.pieces import take
from pbem.titles.ming_dynasty.vocabulary import DRAGON, NEUTRAL, MingPosition, Options, Player, Revealed, Started


def set_up(options: Options, seats: Sequence[str], chance: Chance) -> tuple[MingPosition, list[Event]]:
    """The position before the first prince, or with two players the first neutral member, is set. Malformed for a bad board or seat."""
    check_names(seats)
    board = load(options.board)
    check_seats(board, len(seats))
    start = chance.roll(list(seats), "starting player")
    deck = dict(board.movement_cards)
    display: dict[str, str] = {}
    for province in board.provinces:
        display[province] = chance.draw(deck, f"display {province}")
        take(deck, display[province])
    neutral = options.neutral_start if len(seats) == 2 else 0
    position = MingPosition(
        phase="0.neutral" if neutral else "0.prince",
        board=options.board,
        bids=options.bids,
        seats=list(seats),
        start=start,
        turn=start,
        players={seat: Player(cards={DRAGON: 1}, neutral_to_place=neutral) for seat in seats},
        display=display,
        deck=deck,
        dragons=board.dragons - len(seats),
        tiles=dict.fromkeys(board.provinces, board.tiles_per_province),
    )
    revealed = [Revealed(province=province, card=card) for province, card in display.items()]
    return position, [Started(player=start), *revealed]


def check_names(seats: Sequence[str]) -> None:
    """No seat may be called as the neutral colour is; Malformed when one is, however many play."""
    if NEUTRAL in seats:
        raise Malformed("seat-reserved", "seats", seat=NEUTRAL)
