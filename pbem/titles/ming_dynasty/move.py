"""Phase 3: move and deploy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Literal, cast

from pbem.engine.chance import Chance
from pbem.engine.refusals import Illegal, Malformed
from pbem.engine.title import Below, Event, Order
from pbem.titles.ming_dynasty.board import Board, load
from pbem.titles.ming_dynasty.pieces import district, prince_in, put, take
from pbem.titles.ming_dynasty.refusal_codes import known
from pbem.titles.ming_dynasty.sequence import MingPhase, go_on, next_in_turn
from pbem.titles.ming_dynasty.vocabulary import DRAGON, Deployed, MingPosition, Move, Moved, Pass, Passed, Stay, Stayed
from pbem.titles.ming_dynasty.walks import needed, payment, reached, ways, ways_to

MOST_DEPLOYED = 3


class MoveAndDeploy(MingPhase):
    """Turn by turn each moves, stays or passes, and after a move or a stay may deploy; it ends when all have passed."""

    name = "move"
    takes = (Move, Stay, Pass)

    def asked(self, position: MingPosition) -> tuple[str, ...]:
        """See Phase: whoever is in turn; without cards he passes unasked."""
        turn = position.turn
        return (turn,) if turn is not None and position.players[turn].cards and not position.players[turn].passed else ()

    def choices(self, position: MingPosition, seat: str) -> Iterator[Order]:
        """See Phase: pass, stay (the card he holds most of first), then walks by district in board order, cheapest first."""
        yield Pass()
        prince = _prince(position, seat)
        for pay in _dearest_last(position, seat):
            for deploy, monastery in _deployments(position, seat, prince):
                yield Stay(pay=pay, deploy=deploy, monastery=monastery)
        for way in ways(position.board, prince, position.players[seat].cards):
            if prince_in(position, way.district) in (None, seat):
                for deploy, monastery in _deployments(position, seat, way.district):
                    yield Move(path=way.path, pay=way.pay, deploy=deploy, monastery=monastery)

    def pick(self, position: MingPosition, seat: str, below: Below) -> Order:
        """See Phase: the ways to each district are counted, and only the one taken is looked for."""
        player, prince, pays = position.players[seat], _prince(position, seat), _dearest_last(position, seat)
        others = [other.prince for name, other in position.players.items() if name != seat]
        walks = [
            (name, number, _ways_to_deploy(position, seat, name))
            for name, number in reached(position.board, prince, player.cards).items()
            if name not in others
        ]
        here = _ways_to_deploy(position, seat, prince)
        index = below(1 + len(pays) * here + sum([number * each for _, number, each in walks])) - 1
        if index < 0:
            return Pass()
        if index < len(pays) * here:
            deploy, monastery = _deployment(index % here)
            return Stay(pay=pays[index // here], deploy=deploy, monastery=monastery)
        index -= len(pays) * here
        for name, number, each in walks:
            if index < number * each:
                way = ways_to(position.board, prince, player.cards, name)[index // each]
                deploy, monastery = _deployment(index % each)
                return Move(path=way.path, pay=way.pay, deploy=deploy, monastery=monastery)
            index -= number * each
        raise AssertionError("unreachable")

    def fill_in(self, position: MingPosition, seat: str, order: Order) -> Order:
        """See Phase."""
        if isinstance(order, Stay):
            pay = order.pay if order.pay is not None else _dearest_last(position, seat)[0]
            known("unknown-card", pay, (*load(position.board).transports, DRAGON), "pay")
            _check_in_hand(position, seat, (pay,), "pay")
            deploy, monastery = _check_deployment(position, seat, _prince(position, seat), order.deploy, order.monastery)
            return Stay(pay=pay, deploy=deploy, monastery=monastery)
        if isinstance(order, Move):
            return self._walk(position, seat, order)
        return order

    def _walk(self, position: MingPosition, seat: str, order: Move) -> Move:
        board = load(position.board)
        for number, card in enumerate(order.pay or ()):
            known("unknown-card", card, (*board.transports, DRAGON), f"pay[{number}]")
        if order.path is not None and order.to is not None:
            raise Malformed("too-many-keys", keys=["path", "to"])
        if order.path is not None:
            path, pay = self._walk_along(position, seat, board, order.path, order.pay)
        elif order.to is not None:
            path, pay = self._walk_to(position, seat, board, order.to, order.pay)
        else:
            raise Malformed("missing-key", keys=["path", "to"])
        deploy, monastery = _check_deployment(position, seat, path[-1], order.deploy, order.monastery)
        return Move(path=path, pay=pay, deploy=deploy, monastery=monastery)

    def _walk_along(
        self, position: MingPosition, seat: str, board: Board, path: tuple[str, ...], pay: tuple[str, ...] | None
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        for number, name in enumerate(path):
            known("unknown-district", name, board.districts, f"path[{number}]")
        if not path:
            raise Malformed("empty-list", "path")
        start = _prince(position, seat)
        if path[0] == start:
            raise Illegal("path-names-start", "path[0]", district=start)
        steps = list(zip((start, *path), path, strict=False))
        for number, (a, b) in enumerate(steps):
            if (a, b) not in board.transport:
                neighbours = [name for name, _ in board.neighbours[a]]
                raise Illegal("no-such-border", f"path[{number}]", **{"from": a, "to": b, "neighbours": neighbours})
        _check_free(position, seat, path[-1], f"path[{len(path) - 1}]")
        transports = needed(board, start, path)
        cards = position.players[seat].cards
        if pay is None:
            pay = payment(transports, cards)
            if pay.count(DRAGON) > cards.get(DRAGON, 0):
                raise Illegal("too-few-cards", "path", needed=dict(Counter(transports)), have=dict(cards))
            return path, pay
        if len(pay) != len(path):
            raise Illegal("pay-length", "pay", steps=len(path), cards=len(pay))
        for number, (transport, card) in enumerate(zip(transports, pay, strict=True)):
            if card not in (transport, DRAGON):
                facts = {"from": steps[number][0], "to": steps[number][1]}
                raise Illegal("wrong-card", f"pay[{number}]", step=number + 1, needed=transport, given=card, **facts)
        _check_in_hand(position, seat, pay, "pay")
        return path, pay

    def _walk_to(
        self, position: MingPosition, seat: str, board: Board, to: str, pay: tuple[str, ...] | None
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        known("unknown-district", to, board.districts, "to")
        _check_free(position, seat, to, "to")
        if pay is not None:
            _check_in_hand(position, seat, pay, "pay")
        start = _prince(position, seat)
        for way in ways(position.board, start, position.players[seat].cards):
            if way.district == to and (pay is None or Counter(way.pay) == Counter(pay)):
                return way.path, way.pay
        raise Illegal("no-way", "to", **{"from": start, "to": to, "pay": list(pay or ())})

    def play(self, position: MingPosition, orders: Mapping[str, Order], chance: Chance) -> list[Event]:
        """See Phase."""
        seat = cast(str, position.turn)
        player = position.players[seat]
        if not orders:
            events: list[Event] = [] if player.passed else [Passed(seat=seat, unasked=True)]
            player.passed = True
            return events + self._next_turn(position)
        order = orders[seat]
        if isinstance(order, Pass):
            player.passed = True
            events = [Passed(seat=seat)]
        elif isinstance(order, Stay):
            card = cast(str, order.pay)
            _discard(position, seat, (card,))
            events = [Stayed(seat=seat, district=_prince(position, seat), pay=card), *_deploy(position, seat, order)]
        else:
            order = cast(Move, order)
            path, pay = cast(tuple[str, ...], order.path), cast(tuple[str, ...], order.pay)
            _discard(position, seat, pay)
            start, player.prince = _prince(position, seat), path[-1]
            events = [Moved(seat=seat, start=start, path=path, pay=pay), *_deploy(position, seat, order)]
        return events + self._next_turn(position)

    def _next_turn(self, position: MingPosition) -> list[Event]:
        if all(player.passed for player in position.players.values()):
            for player in position.players.values():
                player.passed = False
            return go_on(position)
        return next_in_turn(position, lambda seat: not position.players[seat].passed)

    def default(self, position: MingPosition, seat: str) -> Order:
        """See Phase."""
        return Pass()


def _prince(position: MingPosition, seat: str) -> str:
    """Where his prince stands: princes are set before anybody moves."""
    return cast(str, position.players[seat].prince)


def _dearest_last(position: MingPosition, seat: str) -> list[str]:
    """Kinds in hand, the one he holds most of first (ties in the board's order of transports), a dragon last."""
    cards = position.players[seat].cards
    kinds = [kind for kind in load(position.board).transports if kind in cards]
    return sorted(kinds, key=lambda kind: -cards[kind]) + ([DRAGON] if DRAGON in cards else [])


def _check_in_hand(position: MingPosition, seat: str, pay: tuple[str, ...], field: str) -> None:
    cards = position.players[seat].cards
    for card, number in Counter(pay).items():
        if cards.get(card, 0) < number:
            raise Illegal("not-in-hand", field, card=card, needed=number, have=cards.get(card, 0))


def _check_free(position: MingPosition, seat: str, name: str, field: str) -> None:
    other = prince_in(position, name)
    if other not in (None, seat):
        raise Illegal("prince-stands-there", field, district=name, seat=other)


def _room(position: MingPosition, seat: str, name: str) -> tuple[int, int, bool]:
    """How many may be deployed into a district, how many wait on the space of its province, does the own member hold the monastery."""
    there = position.players[seat].spaces.get(load(position.board).province_of[name], 0)
    it = position.districts.get(name)
    own = it is not None and it.monastery == seat
    return 0 if own else min(MOST_DEPLOYED, there), there, own


def _deployments(position: MingPosition, seat: str, name: str) -> Iterator[tuple[int, bool]]:
    return (_deployment(number) for number in range(_ways_to_deploy(position, seat, name)))


def _ways_to_deploy(position: MingPosition, seat: str, name: str) -> int:
    """Nobody, or up to as many as there is room for, one of them in the monastery or none."""
    return 1 + 2 * _room(position, seat, name)[0]


def _deployment(number: int) -> tuple[int, bool]:
    """How many and whether one goes into the monastery: nobody first, then each number without and with."""
    return (number + 1) // 2, number > 0 and number % 2 == 0


def _check_deployment(
    position: MingPosition, seat: str, name: str, deploy: int | Literal["all"], monastery: bool
) -> tuple[int, bool]:
    most, there, own = _room(position, seat, name)
    if deploy == "all":
        return most, monastery and most > 0
    if not 0 <= deploy <= MOST_DEPLOYED:
        raise Malformed("out-of-range", "deploy", found=deploy, low=0, high=MOST_DEPLOYED)
    if deploy == 0 and monastery:
        raise Illegal("nothing-deployed-for-monastery", "monastery", district=name)
    if deploy and own:
        raise Illegal("own-monastery", "deploy", district=name)
    if deploy > there:
        raise Illegal("too-many", "deploy", deploy=deploy, there=there, province=load(position.board).province_of[name])
    return deploy, monastery


def _discard(position: MingPosition, seat: str, pay: tuple[str, ...]) -> None:
    for card in pay:
        take(position.players[seat].cards, card)
        if card == DRAGON:
            position.dragons += 1
        else:
            put(position.discards, card)


def _deploy(position: MingPosition, seat: str, order: Move | Stay) -> list[Event]:
    count = cast(int, order.deploy)
    if not count:
        return []
    name = _prince(position, seat)
    take(position.players[seat].spaces, load(position.board).province_of[name], count)
    it = district(position, name)
    pushed = None
    if order.monastery:
        pushed, it.monastery = it.monastery, seat
        if pushed is not None:
            put(it.members, pushed)
    put(it.members, seat, count - order.monastery)
    return [Deployed(seat=seat, district=name, count=count, monastery=order.monastery, pushed=pushed, members=dict(it.members))]
