"""In the Year of the Dragon as it is told: sentences, order templates, pictures."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pbem.engine.playout import PlayedStep, playout
from pbem.orders.file import read_order
from pbem.publish import assets, pages
from pbem.publish.columns import width
from pbem.publish.template import order_template
from pbem.titles.year_of_the_dragon import title, vocabulary
from pbem.titles.year_of_the_dragon.refusal_codes import CODES
from pbem.titles.year_of_the_dragon.tables import ACTIONS, CARDS, EVENT_KINDS, PERSONS, TILES
from pbem.titles.year_of_the_dragon.vocabulary import Acted, Passed, Recruit, Recruited, Release, Resident, Retinue
from tests.publish.tales import StrictWords
from tests.publish.test_catalogues import Marked

SEATS = ["an", "bo", "chen", "dai", "emil"]
NAMES = {"an": "Anna-Lena", "bo": "Bo", "chen": "陈小明", "dai": 'Dai "the" {#} Duke'}
WORDS = StrictWords(title, seats=NAMES)
CASES = sorted((Path(__file__).parents[1] / "cases" / title.slug).glob("*.toml"))
SVG = "{http://www.w3.org/2000/svg}"


@cache
def game(players: int, seed: int) -> tuple[list[tuple[Any, str]], list[PlayedStep], Any]:
    """What was seen at each decision and by whom, the steps, and the last position of a random game."""
    seen: list[tuple[Any, str]] = []

    def choose(dice: Any, phase: Any, view: Any, seat: str) -> Any:
        seen.append((view, seat))
        return dice.choice(list(phase.choices(view, seat)))

    last, steps = playout(title, title.options(), SEATS[:players], seed, choose)
    return seen, steps, last


# -- sentences ------------------------------------------------------------------------------------------------------------


def facts_of_cases() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in CASES:
        refused = tomllib.loads(path.read_text(encoding="utf-8"))["then"].get("refused", {})
        if set(refused.get("facts", {})) == set(CODES.get(refused.get("code"), ("",))):
            yield refused["code"], refused["facts"]


def made_up(code: str) -> dict[str, Any]:
    """Facts for a code of which no case names them all."""
    lists = {"allowed": ["monk"], "keys": ["palace"], "asked": ["bo"], "hand": ["monk"], "room": [1], "palaces": [1], "there": ["old monk"]}
    words = {"persons": ["monk", "scholar"], "seats": ["bo"], "meanings": ["young", "old"], "left": {"young": 2}, "size": "small"}
    more = {"seat": "bo", "person": "monk", "tile": "old monk", "card": "monk", "action": "taxes", "phase": "3.action", "order": "taxes"}
    found: dict[str, Any] = {**lists, **words, **more, "age": "old", "nearest": "monk", "reason": "odd", "thing": "old monk"}
    found["key"] = "floors"
    return {fact: found.get(fact, 2) for fact in CODES[code]}


def test_every_refusal_has_its_sentence() -> None:
    for code, facts in [*facts_of_cases(), *((code, made_up(code)) for code in CODES)]:
        for who in (None, "an"):
            said = WORDS.because(code, "", facts, who)
            assert said
            assert not said.endswith(".")
            assert "{" not in said.replace("{ palace", "").replace("{#}", "")
        sentence = WORDS.refusal(code, "", facts)
        assert re.search(r"[.?…]$", sentence), sentence


def test_refusals_speak_to_their_player_and_about_others() -> None:
    facts = {"action": "taxes", "group": 1, "seats": ["bo"], "needed": 3, "have": 2}
    assert WORDS.because("group-occupied", "action", facts) == "the group with taxes is occupied (Bo) and costs 3 yuan; you have 2"
    assert WORDS.because("group-occupied", "action", facts, "an").endswith("costs 3 yuan; Anna-Lena has 2")
    missing = WORDS.refusal("no-tile", "age", {"person": "monk", "age": "old", "left": {"young": 3}})
    assert missing == "No old tile of this type is left on display: monk. Left are: young 3."


def test_every_event_and_order_has_its_sentence() -> None:
    told, ordered = set(), set()
    for players in (2, 5):
        for seed in (1, 2, 3):
            for step in game(players, seed)[1]:
                for you in (None, "an"):
                    assert all(re.search(r"[.”]$", sentence) for sentence in WORDS.events(step.events, you))
                told |= {event.__struct_config__.tag for event in step.events}
                for order in step.orders.values():
                    said = WORDS.order(order)
                    assert said
                    assert not said.endswith(".")
                    ordered.add(order.__struct_config__.tag)
    assert {kind.__struct_config__.tag for kind in title.events} - told <= {"card-spent"}
    assert ordered == {kind.__struct_config__.tag for kind in title.orders}
    assert WORDS.event(vocabulary.CardSpent(seat="an", card="monk")) == "Anna-Lena plays the card “monk”, of which no tile is left."


def test_sentences_read_like_sentences() -> None:
    acted = Acted(seat="an", action="taxes", group=1, cards=("taxes",), paid=3, gained=8, now=11)
    assert WORDS.event(acted) == "Anna-Lena collects taxes: 8 yuan, 11 in all. That group was occupied, so 3 yuan had to be paid first."
    assert WORDS.event(acted, you="an").startswith("You collect taxes: 8 yuan")
    recruited = Recruited(seat="an", card="wild", person="old monk", palace=2, steps=2, space=12, released="craftsman")
    assert WORDS.event(recruited) == (
        "Anna-Lena takes in an old monk in palace 2, where a craftsman has to leave, and advances 2 steps, to space 12. "
        "The card was a wild one."
    )
    passed = [Passed(seat="an", gained=1, now=3), Passed(seat="bo", now=5)]
    assert WORDS.events(passed) == ["Anna-Lena passes and is topped up to 3 yuan. Bo passes."]
    paid = [vocabulary.TributePaid(seat="an", paid=4), vocabulary.TributePaid(seat="bo", paid=2, short=2, release=2)]
    assert WORDS.events(paid) == ["A tribute of 4 yuan: Anna-Lena pays 4; Bo pays 2 and has to release 2 persons."]


def test_orders_in_a_few_words() -> None:
    assert WORDS.order(Recruit(card="wild", person="craftsman", age="young", palace=2)) == "take a craftsman into palace 2 (wild card)"
    assert WORDS.order(Recruit(card="monk", age="old", decline=True)) == "send an old monk away"
    assert WORDS.order(Recruit(card="monk")) == "play the card “monk”"
    assert WORDS.order(Release(unsupplied=(Resident(2, "craftsman"),))) == "release a craftsman (palace 2)"
    assert WORDS.order(Release()) == "release those who matter least"
    assert WORDS.order(vocabulary.Action(action="build", floors=(1, "new"))) == "build on palace 1 and a new palace"
    assert WORDS.order(Retinue(persons=("monk", "scholar"))) == "begin with monk and scholar"


def test_everything_has_a_name() -> None:
    marked = StrictWords(title, catalogue=Marked())
    for thing in (*PERSONS, *TILES, *CARDS, *ACTIONS, *EVENT_KINDS, "young", "old", "small", "large", "yuan", "rice"):
        assert "\u030a" in marked.thing(thing), thing
    for tile in (*TILES, "yuan", "rice", "fireworks", "small", "large", "step", "floor", "point", "dragon", "person"):
        assert "\u030a" in marked.counted(tile, 1)
        assert "\u030a" in marked.counted(tile, 2)
    for phase_id in ("0.retinue", "3.groups", "3.action", "3.person", "3.event", "3.decay", "3.score", "12.end"):
        assert "\u030a" in marked.phase(phase_id)
    for phase_id in ("0.retinue", "3.action", "3.person", "3.event"):
        assert "\u030a" in marked.ask(phase_id)


def test_no_sentence_bypasses_the_catalogues() -> None:
    marked = StrictWords(title, seats=dict.fromkeys(SEATS, "·"), catalogue=Marked())
    plain = re.compile(r"[A-Za-z](?!\u030a)")
    for step in game(3, 2)[1]:
        for event in step.events:
            said = re.sub(r"· \((?:an|bo|chen|dai|emil)\)", "", marked.event(event))
            # lists are put together by Babel, whose words need no catalogue of ours
            assert not plain.search(re.sub(r"\b(?:and|or)\b", "", said)), said


# -- order templates ------------------------------------------------------------------------------------------------------


def filled(view: Any, seat: str, **more: Any) -> str:
    return order_template(title, view, seat, WORDS, campaign="winter-court", after=f"41-{'3d19' * 8}", zone="Europe/Paris", **more)


@pytest.mark.parametrize(("players", "seed"), [(2, 11), (5, 12)])
@pytest.mark.parametrize("everything", [False, True])
def test_each_line_of_the_menu_alone_makes_a_legal_file(players: int, seed: int, everything: bool) -> None:
    kinds = set()
    for view, seat in game(players, seed)[0][:: 9 if everything else 3]:
        phase = title.phase(view)
        assert phase is not None
        text = filled(view, seat, everything=everything)
        assert read_order(text.encode(), title.orders).plans == ()
        lines = text.splitlines()
        menu = [at for at, line in enumerate(lines) if line.startswith("# {")]
        assert menu
        for at in menu[:: 1 if len(menu) < 60 else 17]:
            taken = "\n".join([*lines[:at], lines[at].removeprefix("# "), *lines[at + 1 :]])
            [plan] = read_order(taken.encode(), title.orders).plans
            order = phase.complete(view, seat, plan.orders[0])
            assert phase.complete(view, seat, order) == order
        kinds.add(phase.name)
    assert kinds == {"retinue", "action", "person", "event"}


@pytest.mark.parametrize(("players", "seed"), [(2, 11), (5, 12)])
def test_a_template_fits_on_a_screen(players: int, seed: int) -> None:
    for view, seat in game(players, seed)[0][::3]:
        text = filled(view, seat, sealed=True, ahead=["3.event"])
        assert len(text.splitlines()) <= 61
        comments = [line for line in text.splitlines() if line.startswith("# ") and "{ do =" not in line]
        assert all(width(line) <= 118 for line in comments)


def test_a_month_not_begun_is_said_to_be_unknown() -> None:
    view = title.read_position({"phase": "4.action", "seats": SEATS[:2]})
    assert "The groups of a month that has not begun are not known" in filled(view, "an", foreseen=True).replace("\n#   ", " ")
    assert "group =" not in filled(view, "an")


# -- pictures -------------------------------------------------------------------------------------------------------------


def picture(position: Any, touched: frozenset[str] = frozenset()) -> str:
    context = {
        "scene": title.scene(position), "marks": pages.marks(position.seats), "touched": touched, "words": WORDS, "title_text": "The board",
    }  # fmt: skip
    return assets.environment("html", title, WORDS).get_template("title/board.svg.j2").render(context)


def positions() -> Iterator[Any]:
    for players, seed in ((2, 1), (5, 2)):
        seen, _, last = game(players, seed)
        yield from (view for view, _ in seen[::20])
        yield last
    many = {str(number): {"floors": number % 3 + 1} for number in range(1, 14)}
    yield title.read_position({"phase": "9.action", "seats": SEATS, "players": {"an": {"palaces": many, "space": 140, "points": 199}}})


def test_pictures_are_whole_and_within_bounds() -> None:
    for position in positions():
        root = ElementTree.fromstring(picture(position, frozenset({"taxes", "monk"})))  # noqa: S314 - our own drawing
        assert root.tag == f"{SVG}svg"
        assert root.findtext(f"{SVG}title") == "The board"
        assert "DejaVu Sans" in root.attrib["font-family"]
        wide, high = float(root.attrib["width"]), float(root.attrib["height"])
        for rect in root.iter(f"{SVG}rect"):
            assert float(rect.get("x", 0)) + float(rect.attrib["width"]) <= wide
            assert float(rect.get("y", 0)) + float(rect.attrib["height"]) <= high
        persons = sum(len(palace.persons) for player in position.players.values() for palace in player.palaces.values())
        floors = sum(palace.floors for player in position.players.values() for palace in player.palaces.values())
        boxes = [rect for rect in root.iter(f"{SVG}rect") if rect.get("height") == "36"]
        assert len(boxes) == floors
        assert len([rect for rect in boxes if not rect.get("stroke-dasharray")]) == persons


def test_markers_stand_in_the_order_of_the_track() -> None:
    for position in positions():
        markers = title.scene(position)["markers"]
        assert [marker["seat"] for marker in markers] == list(reversed(position.track))
        places = [marker["x"] for marker in markers]
        assert places == sorted(places)
        assert places[-1] <= 1000


def test_tables_hold_every_fact_of_the_picture() -> None:
    position = game(4, 3)[0][40][0]
    context = {
        "scene": title.scene(position), "marks": pages.marks(position.seats), "touched": frozenset(), "words": WORDS, "picture_title": "x",
    }  # fmt: skip
    page = assets.environment("html", title, WORDS).get_template("title/scene.html.j2").render(context)
    for player in position.players.values():
        for palace in player.palaces.values():
            for tile in palace.persons:
                assert f'<span class="thing">{tile}</span>' in page
    assert "&#34;the&#34; {#} Duke" in page
    text = WORDS.template("title/board.txt.j2").render(
        position=position, scene=context["scene"], words=WORDS, table=lambda rows: "\n".join(" ".join(map(str, row)) for row in rows)
    )
    for seat in position.seats:
        assert seat in text


@pytest.mark.parametrize("phase", ["0.retinue", "3.action", "3.person", "3.event", "4.event"])
def test_the_printed_form_names_the_keys_of_the_order(phase: str) -> None:
    class Waiting:
        def __init__(self, phase: str) -> None:
            self.phase = phase

    # in an event the public position has struck already: the form needs its palaces only
    scene = title.scene(title.read_position({"phase": "2.action", "seats": SEATS[:2]}))
    template = assets.environment("html", title, WORDS).get_template("title/order_form.html.j2")
    form = template.render(scene=scene, waiting=Waiting(phase), words=WORDS)
    keys = {
        "0.retinue": ("persons.0", "palaces.1"), "3.action": ("action", "size", "floors"),
        "3.person": ("card", "person", "age", "palace", "release", "decline"), "3.event": ("persons.0.palace", "persons.0.person"),
        "4.event": ("unsupplied.0.palace",),
    }  # fmt: skip
    for key in keys[phase]:
        assert f'name="orders.0.{key}"' in form
    assert len(re.findall(r'id="([^"]+)"', form)) == len(set(re.findall(r'id="([^"]+)"', form)))
