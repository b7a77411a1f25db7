"""What nobody but its owner may know: hands, and the hidden deck."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.engine.chance import Chance, SeededChance
from pbem.engine.position import to_json
from pbem.engine.refusals import Refusal
from pbem.engine.steps import first_step, play_step
from pbem.titles.azure import title
from pbem.titles.azure.vocabulary import COLOURS, AzurePosition, Dealt, Discard, Drew, Options

SEATS = ("an", "bo")
GIFTS = ("none", "mighty", "perceptive", "bountiful", "favored", "random")


class Moment(NamedTuple):
    position: AzurePosition
    orders: dict[str, Any]
    events: list[Any]
    after: AzurePosition


def game(seed: int, gift: str = "none") -> Iterator[Moment]:
    chance, dice = SeededChance(f"{seed} chance"), random.Random(seed)  # noqa: S311 — a test's dice
    position, _ = first_step(title, Options(gifted=gift), SEATS, chance)
    while (phase := title.phase(position)) is not None:
        orders = {seat: dice.choice(list(phase.choices(position, seat))) for seat in phase.asked(position)}
        before = position.copy()
        events = play_step(title, position, orders, chance)
        yield Moment(before, orders, events, position.copy())


def as_json(events: list[Any], seat: str | None) -> bytes:
    return msgspec.json.encode([title.event_for(event, seat) for event in events], order="sorted")


def exchanged(position: AzurePosition, seat: str, dice: random.Random) -> AzurePosition:
    """The same position with other cards that ``seat`` might hold in secret, the rest in the hidden deck."""
    other = position.copy()
    player = other.players[seat]
    pool = list((Counter(player.secret) + Counter(other.hidden)).elements())
    dice.shuffle(pool)
    player.secret = dict(Counter(pool[: player.secret_size]))
    other.hidden = dict(Counter(pool[player.secret_size :]))
    return other


@given(seed=st.integers(0, 10_000), gift=st.sampled_from(GIFTS))
@settings(max_examples=12, deadline=None)
def test_nobody_sees_what_another_holds(seed: int, gift: str) -> None:
    """Other cards in a secret hand change nothing in the public view, in public events, and in what the opponent sees."""
    dice = random.Random(seed)  # noqa: S311 — a test's dice
    for moment in game(seed, gift):
        for seat, opponent in (SEATS, SEATS[::-1]):
            other = exchanged(moment.position, seat, dice)
            for looker in (None, opponent):
                assert to_json(title.view(other, looker)) == to_json(title.view(moment.position, looker))
            phase = title.phase(other)
            assert phase is not None
            if phase.asked(other) != tuple(moment.orders):
                continue
            try:
                for who, order in moment.orders.items():
                    phase.complete(other, who, order)
            except Refusal:
                continue  # with those cards he could not have ordered this
            same = moment.position.copy()
            events = play_step(title, same, moment.orders, SeededChance(7))
            others = play_step(title, other, moment.orders, SeededChance(7))
            if same.winner != other.winner:
                continue  # with those cards the next could, or could not, place: which everybody sees
            # who draws from another hidden deck gets other cards; that, too, only he sees
            drew = any(isinstance(event, Drew) and event.seat == opponent for event in events)
            for looker in (None,) if drew else (None, opponent):
                assert as_json(others, looker) == as_json(events, looker)
                assert to_json(title.view(other, looker)) == to_json(title.view(same, looker))


def test_exchanged_hands_are_really_others() -> None:
    dice = random.Random(1)  # noqa: S311 — a test's dice
    different = [to_json(exchanged(moment.position, "an", dice)) != to_json(moment.position) for moment in game(3)]
    assert any(different)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=6, deadline=None)
def test_facts_in_letters_make_the_public_view_a_seats_own(seed: int) -> None:
    for moment in game(seed):
        facts = title.secrets(moment.after)
        assert all(seat in SEATS and fact for seat, fact in facts.values())
        public = title.view(moment.after, None)
        for seat in SEATS:
            mine = {name: fact for name, (owner, fact) in facts.items() if owner == seat}
            through_json = msgspec.json.decode(msgspec.json.encode(mine))
            assert to_json(title.reveal(public, through_json)) == to_json(title.view(moment.after, seat))
        assert to_json(title.reveal(public, {})) == to_json(public)
        assert not title.secrets(public)


def test_the_hidden_deck_is_in_no_view() -> None:
    for moment in game(5):
        for looker in (None, *SEATS):
            seen = title.view(moment.after, looker)
            assert seen.hidden == {}
            assert seen.hidden_size == sum(moment.after.hidden.values())
            assert sum(seen.unseen.values()) == seen.hidden_size + sum(player.secret_size for player in seen.players.values())


def test_dealt_and_drawn_cards_are_told_to_their_owner_only() -> None:
    for event in (Dealt(seat="an", count=2, cards={"azure": 2}), Drew(seat="an", count=2, cards={"azure": 2})):
        assert title.event_for(event, "an") == event
        for other in ("bo", None):
            told = title.event_for(event, other)
            assert told.cards == {} and told.count == 2  # type: ignore[attr-defined]


class Listening(Chance):
    """Notes which draws are private."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str | None]] = []

    def number(self, below: int, label: str, seat: str | None = None) -> int:
        self.heard.append((label, seat))
        return 0


def test_what_comes_from_the_hidden_deck_is_private_chance() -> None:
    chance = Listening()
    first_step(title, Options(gifted="random"), SEATS, chance)
    private = [seat for label, seat in chance.heard if label.startswith("hidden deck")]
    assert private == ["an", "an", "bo", "bo", "bo"]
    assert all(seat is None for label, seat in chance.heard if not label.startswith("hidden deck"))
    assert len({label for label, seat in chance.heard if seat is not None}) == 5


@given(seed=st.integers(0, 10_000))
@settings(max_examples=6, deadline=None)
def test_a_view_is_good_enough_to_think_with(seed: int) -> None:
    """On a view of either seat, or of nobody, every question gets an answer, and what is played goes on."""
    for moment in game(seed):
        for looker in (None, *SEATS):
            seen = title.view(moment.position, looker)
            phase = title.phase(seen)
            assert phase is not None
            assert phase.asked(seen) == tuple(moment.orders)
            for seat, order in moment.orders.items():
                assert phase.complete(seen, seat, order) == order
                assert order in list(phase.choices(seen, seat))
                silence = phase.default(seen, seat)
                assert phase.complete(seen, seat, silence) == silence
                if looker == seat:
                    assert list(phase.choices(seen, seat)) == list(phase.choices(moment.position, seat))
                    assert silence == phase.default(moment.position, seat)
            after = seen.copy()
            phase.play(after, moment.orders, SeededChance(1))
            public = title.view(moment.after, None)
            assert after.stones == public.stones and after.decks == public.decks and after.hidden_size == public.hidden_size
            for seat in SEATS:
                mine, theirs = after.players[seat], public.players[seat]
                assert (mine.wisdom, mine.secret_size, mine.seen) == (theirs.wisdom, theirs.secret_size, theirs.seen)
            shown = title.show_position(after)
            hidden = {seat for seat, player in after.players.items() if player.secret_size > sum(player.secret.values())}
            assert (set(shown["hands"]), set(shown["at_most"])) == (set(SEATS) - hidden, hidden)


@given(seed=st.integers(0, 10_000), fancy=st.integers(0, 10_000))
@settings(max_examples=6, deadline=None)
def test_what_is_imagined_fits_what_is_seen(seed: int, fancy: int) -> None:
    for moment in game(seed):
        for seat in SEATS:
            seen = title.view(moment.position, seat)
            whole = title.imagine(seen, seat, SeededChance(fancy))
            assert to_json(title.view(whole, seat)) == to_json(seen)
            assert sum(whole.hidden.values()) == whole.hidden_size
            unseen = Counter(whole.hidden)
            for player in whole.players.values():
                assert sum(player.secret.values()) == player.secret_size
                unseen.update(player.secret)
            assert dict(unseen) == whole.unseen
            phase = title.phase(whole)
            assert phase is not None and phase.asked(whole)


def test_imagined_hands_differ() -> None:
    position, _ = first_step(title, Options(), SEATS, SeededChance(1))
    seen = title.view(position, "an")
    hands = {to_json(title.imagine(seen, "an", SeededChance(seed))) for seed in range(12)}
    assert len(hands) > 3
    assert title.imagine(seen, "an", SeededChance(4)) == title.imagine(seen, "an", SeededChance(4))


def test_the_tests_see_the_bird_change_hands() -> None:
    discards = [moment for seed in range(16) for moment in game(seed) if isinstance(next(iter(moment.orders.values())), Discard)]
    assert discards


@pytest.mark.parametrize("gift", GIFTS)
def test_every_gift_is_played_to_the_end(gift: str) -> None:
    for seed in range(2):
        last = list(game(seed, gift))[-1].after
        assert last.phase == "over" and last.winner in SEATS
        assert set(last.decks) <= set(COLOURS)
