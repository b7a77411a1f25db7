"""What a seat may see. Everything is open; still it is built up from nothing."""

from __future__ import annotations

from pbem.titles.year_of_the_dragon.vocabulary import DragonPosition, Palace, Player


def view(position: DragonPosition) -> DragonPosition:
    """The position as everybody may see it. What is not put in here is not seen."""
    return DragonPosition(
        phase=position.phase,
        seats=list(position.seats),
        start=position.start,
        large_privilege=position.large_privilege,
        year=position.year,
        track=list(position.track),
        waiting=list(position.waiting),
        groups=position.groups,
        dragons=dict(position.dragons),
        display=dict(position.display),
        players={seat: _player(player) for seat, player in position.players.items()},
    )


def _player(player: Player) -> Player:
    return Player(
        yuan=player.yuan,
        rice=player.rice,
        fireworks=player.fireworks,
        privileges=dict(player.privileges),
        points=player.points,
        space=player.space,
        palaces={number: Palace(floors=palace.floors, persons=palace.persons) for number, palace in player.palaces.items()},
        next_palace=player.next_palace,
        cards=dict(player.cards),
        due=player.due,
    )
