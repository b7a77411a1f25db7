"""What a seat may see. Hands and display are open, so everybody sees everything; still it is built up from nothing."""

from __future__ import annotations

from pbem.titles.ming_dynasty.vocabulary import District, MingPosition, Player


def view(position: MingPosition) -> MingPosition:
    """The position as everybody may see it. What is not put in here is not seen."""
    return MingPosition(
        phase=position.phase,
        board=position.board,
        bids=position.bids,
        seats=list(position.seats),
        start=position.start,
        turn=position.turn,
        districts={name: _district(it) for name, it in position.districts.items()},
        players={seat: _player(player) for seat, player in position.players.items()},
        display=dict(position.display),
        deck=dict(position.deck),
        discards=dict(position.discards),
        dragons=position.dragons,
        tiles=dict(position.tiles),
    )


def _district(it: District) -> District:
    return District(members=dict(it.members), monastery=it.monastery, houses=dict(it.houses))


def _player(player: Player) -> Player:
    return Player(
        prince=player.prince,
        cards=dict(player.cards),
        spaces=dict(player.spaces),
        tiles=dict(player.tiles),
        points=player.points,
        supply=player.supply,
        to_place=player.to_place,
        passed=player.passed,
        returns=dict(player.returns),
        neutral_to_place=player.neutral_to_place,
    )
