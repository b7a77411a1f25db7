"""What a seat may see. Reserves, courts and discs are open, so everybody sees everything; still it is built up from nothing."""

from __future__ import annotations

from pbem.titles.carolus_magnus.vocabulary import CarolusPosition, Player, Region


def view(position: CarolusPosition) -> CarolusPosition:
    """The position as everybody may see it. What is not put in here is not seen."""
    return CarolusPosition(
        phase=position.phase,
        seats=list(position.seats),
        regions=[Region(lands=it.lands, paladins=dict(it.paladins), castles=dict(it.castles)) for it in position.regions],
        emperor=position.emperor,
        control=dict(position.control),
        players={seat: _player(player) for seat, player in position.players.items()},
        order=list(position.order),
        turn=position.turn,
        supply=dict(position.supply),
    )


def _player(player: Player) -> Player:
    return Player(
        court=dict(player.court), reserve=dict(player.reserve), disc=player.disc, used=list(player.used), crowns=player.crowns
    )
