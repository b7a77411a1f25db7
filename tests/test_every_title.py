"""What must hold for every installed title, whatever its rules: checked along seeded random games of every number of players."""

from __future__ import annotations

import importlib
import json
import random
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
import tomli_w

from pbem.engine import registry
from pbem.engine.chance import Chance, SeededChance
from pbem.engine.playout import playout
from pbem.engine.position import digest, to_json, to_table
from pbem.engine.refusals import Refusal
from pbem.engine.steps import asked, first_step, play_step
from pbem.engine.title import Event, Order, Title
from tests.picking import rigged

NAMES = ("an", "bo", "chen", "dai", "emil", "fang")
SEEDS = (1, 2)
MOST_COMPLETED = 40


def bring(slug: str) -> Any:
    """Each title's tests bring a module: ``pieces`` counts its pieces, ``OTHER_OPTIONS`` are worth games of their own.

    That of a title from elsewhere is found under the same name anywhere on the path.
    """
    name = f"{slug.replace('-', '_')}_pieces"
    ours = Path(__file__).parent / "titles" / f"{name}.py"
    return importlib.import_module(f"tests.titles.{name}" if ours.is_file() else name)


def others(slug: str) -> tuple[msgspec.Struct, ...]:
    try:
        return getattr(bring(slug), "OTHER_OPTIONS", ())
    except ModuleNotFoundError:  # the test that counts pieces fails then, no other
        return ()


GAMES = [
    (slug, players, variant)
    for slug in registry.slugs()
    for players in registry.title(slug).seats
    for variant in range(1 + len(others(slug)))
]
IDS = [f"{slug}-{players}" + f"-other-{variant}" * (variant > 0) for slug, players, variant in GAMES]


class Moment(NamedTuple):
    """A position in which somebody is asked, the orders then played, what came of it, and all events up to this position."""

    position: Any
    orders: Mapping[str, Order]
    events: list[Event]
    before: list[Event]
    after: Any


def options_of(title: Title[Any], variant: int) -> msgspec.Struct:
    return (title.options(), *others(title.slug))[variant]


def dice_of(seed: int | str) -> random.Random:
    return random.Random(f"{seed} choices")  # noqa: S311 — games need repeatable numbers, not secret ones


@cache
def game(slug: str, players: int, variant: int, seed: int) -> tuple[list[Moment], list[Event]]:
    """All moments of one random game, and the events of set-up. Nobody changes what is in here."""
    title = registry.title(slug)
    chance, dice = SeededChance(f"{seed} chance"), dice_of(seed)
    position, events = first_step(title, options_of(title, variant), NAMES[:players], chance)
    moments, so_far, first = [], list(events), events
    while (phase := title.phase(position)) is not None:
        seats = phase.asked(position)
        orders = {seat: dice.choice(list(phase.choices(position, seat))) for seat in seats}
        before = position.copy()
        events = play_step(title, position, orders, chance)
        moments.append(Moment(before, orders, events, list(so_far), position.copy()))
        so_far += events
        assert len(moments) < 20_000, "the game does not end"
    return moments, first


def moments(slug: str, players: int, variant: int, every: int = 1) -> Iterator[Moment]:
    """Moments at that distance in the games; closer together in short games, so that a dozen or so are always looked at."""
    for seed in SEEDS:
        played = game(slug, players, variant, seed)[0]
        for number, moment in enumerate(played):
            if number % min(every, 1 + len(played) // 12) == 0:
                yield moment


pytestmark = pytest.mark.parametrize(("slug", "players", "variant"), GAMES, ids=IDS)


def test_every_game_ends(slug: str, players: int, variant: int) -> None:
    title = registry.title(slug)
    for seed in SEEDS:
        last = game(slug, players, variant, seed)[0][-1].after
        assert title.phase(last) is None
        assert last.phase == "over"
        assert asked(title, last) == ()
        assert title.ahead(last) == ()
        places = [line.place for line in title.result(last)]
        assert len(places) == players
        assert places == sorted(places)
        assert places[0] == 1


def test_asked_are_seats_in_order(slug: str, players: int, variant: int) -> None:
    title = registry.title(slug)
    for moment in moments(slug, players, variant):
        phase = title.phase(moment.position)
        assert phase is not None
        seats = phase.asked(moment.position)
        assert seats
        assert list(seats) == [seat for seat in NAMES[:players] if seat in seats]
        assert len(seats) == 1 or phase.simultaneous
        assert moment.position.phase.partition(".")[2].partition(".")[0] == phase.name
        assert type(title.phase_named(moment.position.phase)) is type(phase)


def test_copies_are_independent(slug: str, players: int, variant: int) -> None:
    title = registry.title(slug)
    for moment in moments(slug, players, variant, every=7):
        original = to_json(moment.position)
        copied = moment.position.copy()
        assert type(copied) is type(moment.position)
        assert copied == moment.position
        assert to_json(copied) == original
        scribble(copied)
        assert to_json(copied) != original
        assert to_json(moment.position) == original
        copied = moment.position.copy()
        play_step(title, copied, moment.orders, SeededChance(99))
        assert to_json(moment.position) == original


def scribble(value: Any) -> None:
    """Changes everything that can be changed inside a position."""
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            scribble(getattr(value, name))
            if isinstance(getattr(value, name), int) and not value.__struct_config__.frozen:
                setattr(value, name, 77)
    elif isinstance(value, dict):
        for inner in value.values():
            scribble(inner)
        for key in [key for key, inner in value.items() if isinstance(inner, int)]:
            value[key] = 77
        value["scribble"] = next(iter(value.values()), 77)
    elif isinstance(value, list):
        for inner in value:
            scribble(inner)
        value.append("scribble")


def test_positions_are_plain_data(slug: str, players: int, variant: int) -> None:
    title = registry.title(slug)
    for moment in moments(slug, players, variant, every=5):
        table = to_table(moment.position)
        for again in (json.loads(json.dumps(table)), tomllib.loads(tomli_w.dumps(table))):
            back = msgspec.convert(again, title.position)
            assert back == moment.position
            assert digest(back) == digest(moment.position)
        assert plain(table), "a position holds integers, strings, lists and tables"


def plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and plain(inner) for key, inner in value.items())
    if isinstance(value, list):
        return all(plain(inner) for inner in value)
    return isinstance(value, int | str)


def test_positions_are_shown_and_read(slug: str, players: int, variant: int) -> None:
    title = registry.title(slug)
    for moment in moments(slug, players, variant, every=5):
        shown = title.show_position(moment.position)
        assert set(title.derived) <= set(shown)
        again = tomllib.loads(tomli_w.dumps({key: value for key, value in shown.items() if key not in title.derived}))
        read = title.read_position(again)
        assert read == moment.position


def test_choices_are_different_and_complete_to_themselves(slug: str, players: int, variant: int) -> None:
    title = registry.title(slug)
    for moment in moments(slug, players, variant, every=3):
        phase = title.phase(moment.position)
        assert phase is not None
        before = to_json(moment.position)
        for seat in moment.orders:
            choices = list(phase.choices(moment.position, seat))
            assert choices
            written = [msgspec.json.encode(order, order="sorted") for order in choices]
            assert len(set(written)) == len(written)
            reread = msgspec.json.decode(before, type=title.position)
            assert list(phase.choices(reread, seat)) == choices, "the order of choices hangs on the order of keys"
            for order in choices[:: max(1, len(choices) // MOST_COMPLETED)]:
                assert isinstance(order, title.orders)
                assert phase.complete(moment.position, seat, order) == order
        assert to_json(moment.position) == before


def test_what_is_picked_is_one_of_the_choices(slug: str, players: int, variant: int) -> None:
    """By index where all choices are listed; where they are sampled, anything legal."""
    title = registry.title(slug)
    for moment in moments(slug, players, variant, every=5):
        phase = title.phase(moment.position)
        assert phase is not None
        before = to_json(moment.position)
        for seat in moment.orders:
            choices = list(phase.choices(moment.position, seat))
            if phase.sampled(moment.position, seat):
                dice = random.Random(len(choices))  # noqa: S311 — repeatable
                picked = [phase.pick(moment.position, seat, dice.randrange) for _ in range(MOST_COMPLETED)]
                assert len(set(picked)) > 1
                assert all(phase.complete(moment.position, seat, order) == order for order in picked)
                continue
            for index in range(0, len(choices), max(1, len(choices) // MOST_COMPLETED)):
                drawn: list[int] = []
                assert phase.pick(moment.position, seat, rigged(index, drawn)) == choices[index]
                assert drawn == [len(choices)]
        assert to_json(moment.position) == before


def test_choices_have_different_outcomes(slug: str, players: int, variant: int) -> None:
    title = registry.title(slug)
    for moment in moments(slug, players, variant, every=25):
        phase = title.phase(moment.position)
        assert phase is not None
        if len(moment.orders) > 1 or phase.sampled(moment.position, next(iter(moment.orders))):
            continue
        [seat] = moment.orders
        choices = list(phase.choices(moment.position, seat))
        # two orders may by chance come to the same position, but not under every seed
        outcomes = {tuple(outcome(title, moment.position, {seat: order}, seed) for seed in range(5)) for order in choices}
        assert len(outcomes) == len(choices)


def outcome(title: Title[Any], position: Any, orders: Mapping[str, Order], seed: int) -> bytes:
    after = position.copy()
    play_step(title, after, orders, SeededChance(seed))
    return digest(after)


def test_silence_is_a_legal_order(slug: str, players: int, variant: int) -> None:
    title = registry.title(slug)
    for moment in moments(slug, players, variant, every=3):
        phase = title.phase(moment.position)
        assert phase is not None
        before = to_json(moment.position)
        for seat in moment.orders:
            silence = phase.default(moment.position, seat)
            assert phase.complete(moment.position, seat, silence) == silence
        assert to_json(moment.position) == before


def orders_of_elsewhere(slug: str, players: int, variant: int) -> list[Order]:
    """Orders from all over a game: most are refused anywhere else."""
    found = [order for moment in game(slug, players, variant, SEEDS[0])[0] for order in moment.orders.values()]
    return found[:: max(1, len(found) // 25)]


def test_refusals_have_no_side_effects(slug: str, players: int, variant: int) -> None:
    title = registry.title(slug)
    strange = orders_of_elsewhere(slug, players, variant)
    refused = 0
    for moment in moments(slug, players, variant, every=9):
        phase = title.phase(moment.position)
        assert phase is not None
        position = moment.position.copy()
        before = to_json(position)
        for seat in NAMES[:players]:
            for order in strange:
                try:
                    complete = phase.complete(position, seat, order)
                except Refusal as refusal:
                    refused += 1
                    assert msgspec.json.encode(refusal.facts)
                    assert refusal.code
                    if seat in moment.orders:
                        with pytest.raises(Refusal):
                            play_step(title, position, {**moment.orders, seat: order}, SeededChance(1))
                else:
                    assert seat in moment.orders, "an order of somebody who is not asked was taken"
                    assert phase.complete(position, seat, complete) == complete
                assert to_json(position) == before
    assert refused


class Broken(Chance):
    """Chance that fails: whatever was begun must not have changed anything."""

    def number(self, below: int, label: str, seat: str | None = None) -> int:
        raise ValueError(label)


def test_a_phase_is_played_all_or_not_at_all(slug: str, players: int, variant: int) -> None:
    title = registry.title(slug)
    for moment in moments(slug, players, variant):
        phase = title.phase(moment.position)
        assert phase is not None
        position = moment.position.copy()
        before = to_json(position)
        try:
            phase.play(position, moment.orders, Broken())
        except ValueError:
            assert to_json(position) == before


def test_same_seed_same_bytes_with_another_game_between(slug: str, players: int, variant: int) -> None:
    title = registry.title(slug)

    def told(moments: list[Moment]) -> list[bytes]:
        return [to_json(moment.after) + msgspec.json.encode(moment.events, order="sorted") for moment in moments]

    alone = told(game(slug, players, variant, SEEDS[0])[0])
    mixed = []
    chance, dice = SeededChance(f"{SEEDS[0]} chance"), dice_of(SEEDS[0])
    position, _ = first_step(title, options_of(title, variant), NAMES[:players], chance)
    other_chance, other_dice = SeededChance("another"), dice_of("another")
    other, _ = first_step(title, options_of(title, variant), NAMES[:players], other_chance)
    while (phase := title.phase(position)) is not None:
        orders = {seat: dice.choice(list(phase.choices(position, seat))) for seat in phase.asked(position)}
        events = play_step(title, position, orders, chance)
        mixed.append(to_json(position) + msgspec.json.encode(events, order="sorted"))
        if (others := title.phase(other)) is not None:
            chosen = {seat: other_dice.choice(list(others.choices(other, seat))) for seat in others.asked(other)}
            play_step(title, other, chosen, other_chance)
    assert mixed == alone


def test_the_playout_is_the_same_game(slug: str, players: int, variant: int) -> None:
    title = registry.title(slug)
    last, steps = playout(title, options_of(title, variant), NAMES[:players], SEEDS[0])
    # What is picked where choices are sampled need not be among them; up to there it is the same game.
    for step, moment in zip(steps[1:], game(slug, players, variant, SEEDS[0])[0], strict=False):
        phase = title.phase(moment.position)
        assert phase is not None
        if any(phase.sampled(moment.position, seat) for seat in moment.orders):
            return
        assert step.orders == moment.orders
        assert step.events == moment.events
    assert to_json(last) == to_json(game(slug, players, variant, SEEDS[0])[0][-1].after)


def test_the_phase_that_comes_was_ahead(slug: str, players: int, variant: int) -> None:
    title = registry.title(slug)
    for seed in SEEDS:
        played = game(slug, players, variant, seed)[0]
        for moment, after in pairwise(played):
            ahead = title.ahead(moment.position)
            assert ahead[0] == moment.position.phase
            assert len(set(ahead)) == len(ahead)
            assert after.position.phase in ahead
            assert all(title.phase_named(phase_id) is not None for phase_id in ahead)
    assert title.phase_named("99.nothing") is None
    assert title.phase_named("") is None


def test_events_touch_known_places_and_are_plain_data(slug: str, players: int, variant: int) -> None:
    title = registry.title(slug)
    union = title.events
    for seed in SEEDS:
        played, first = game(slug, players, variant, seed)
        known = title.known_places(played[0].position)
        for event in [*first, *(event for moment in played for event in moment.events)]:
            assert isinstance(event, union)
            assert title.places(event) <= known
            assert title.actor(event) in (None, *NAMES[:players])
            table = to_table(event)
            for again in (json.loads(json.dumps(table)), tomllib.loads(tomli_w.dumps(table))):
                assert msgspec.convert(again, type(event)) == event
            assert table["event"] == type(event).__struct_config__.tag


def test_view_of_a_view_is_the_view(slug: str, players: int, variant: int) -> None:
    title = registry.title(slug)
    for moment in moments(slug, players, variant, every=5):
        for seat in (None, *NAMES[:players]):
            view = title.view(moment.position, seat)
            assert view is not moment.position
            assert title.view(view, seat) == view
            before = to_json(moment.position)
            scribble(view)
            assert to_json(moment.position) == before
        seats = list(moment.orders)
        phase = title.phase(moment.position)
        assert phase is not None
        for seat in seats:
            assert list(phase.choices(title.view(moment.position, seat), seat)) == list(phase.choices(moment.position, seat))


def test_pieces_are_neither_made_nor_lost(slug: str, players: int, variant: int) -> None:
    """Counted in a position, given all events up to it."""
    pieces: Callable[[Any, list[Event]], dict[str, int]] = bring(slug).pieces
    for seed in SEEDS:
        played, first = game(slug, players, variant, seed)
        start = pieces(played[0].position, first)
        assert start
        assert all(number >= 0 for number in start.values())
        for moment in played:
            assert pieces(moment.after, moment.before + moment.events) == start


def test_what_the_title_brings(slug: str, players: int, variant: int) -> None:
    title = registry.title(slug)
    assert title.slug == slug
    assert title.name
    assert title.rules >= 1
    tags = [kind.__struct_config__.tag for kind in (*title.orders, *title.events)]
    assert len(set(tags)) == len(tags)
    assert (title.files / "docs" / "rulings.md").is_file()
    assert len(set(title.rulings)) == len(title.rulings)
