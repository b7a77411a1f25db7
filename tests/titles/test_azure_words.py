"""Everything of Azure that a player reads: sentences, order templates, text report, picture, form."""

from __future__ import annotations

import re
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pbem.engine.cases import run
from pbem.engine.playout import PlayedStep, playout
from pbem.orders.file import read_order
from pbem.publish import assets, pages, textreport
from pbem.publish.columns import width
from pbem.publish.template import order_template
from pbem.publish.words import Words
from pbem.titles.azure import title
from pbem.titles.azure.refusal_codes import CODES, ILLEGAL, PRIVATE_FACTS
from pbem.titles.azure.vocabulary import GIFTS, AzurePosition, Dealt, Drew, Options
from tests.publish import played
from tests.publish.tales import HEAD, StrictWords

SEATS = ("an", "bo")
NAMES = {"an": "Anna-Lena", "bo": 'Bo "the" {#} & <b> Duke of a very long name'}
WORDS = StrictWords(title, seats=NAMES)
SVG = "{http://www.w3.org/2000/svg}"
CASES = sorted((Path(__file__).parents[1] / "cases" / "azure").glob("*.toml"))


@cache
def game(seed: int, gift: str) -> tuple[list[tuple[AzurePosition, str]], list[PlayedStep], AzurePosition]:
    """Positions as the asked seat sees them with that seat, the steps, and the last position."""
    seen: list[tuple[AzurePosition, str]] = []

    def choose(dice: Any, phase: Any, view: Any, seat: str) -> Any:
        seen.append((view, seat))
        return dice.choice(list(phase.choices(view, seat)))

    last, steps = playout(title, Options(gifted=gift), SEATS, seed, choose)
    return seen, steps, last


def games() -> Iterator[tuple[list[tuple[AzurePosition, str]], list[PlayedStep], AzurePosition]]:
    for number, gift in enumerate(("none", *GIFTS, "none")):
        yield game(number, gift)


# -- sentences ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("you", [None, "an", "bo"])
def test_every_event_is_a_sentence(you: str | None) -> None:
    for _seen, steps, _last in games():
        for step in steps:
            events = [title.event_for(event, you) for event in step.events]
            told = WORDS.events(events, you=you)
            assert told
            for sentence in told:
                assert sentence[0].isupper() and sentence.endswith((".", "wins.")), sentence
                assert not re.search(r"[{}<>]|  | [.,]|, now\.", sentence.replace(WORDS.seat("bo"), "Bo")), sentence
                assert " he " not in sentence and " she " not in sentence


def test_sentences_of_every_event_of_the_cases() -> None:
    told: set[str] = set()

    for path in CASES:
        case = tomllib.loads(path.read_text(encoding="utf-8"))
        told |= {event["event"] for event in case["then"].get("events", [])}
        run(case, title)
    assert told == {str(event.__struct_config__.tag) for event in title.events}


def test_a_beast_and_what_it_brings_is_told_in_one_breath() -> None:
    for _seen, steps, _last in games():
        for step in steps:
            heads = [type(head).__name__ for head, _more in WORDS.groups(step.events)]
            assert not {"WisdomLost", "WisdomGained", "StoneReturned", "StoneSet", "Boons", "MoreBoon"} & set(heads)


def test_nobody_is_told_the_cards_of_another() -> None:
    dealt, drew = Dealt(seat="an", count=2, cards={"azure": 2}), Drew(seat="an", count=2, cards={"black": 2})
    for event, said in ((dealt, "azure"), (drew, "black")):
        assert said in WORDS.event(title.event_for(event, "an"), you="an")
        for looker in ("bo", None):
            assert said not in WORDS.event(title.event_for(event, looker), you=looker)


def test_every_refusal_of_the_cases_is_a_sentence() -> None:
    codes = set()
    for path in CASES:
        case = tomllib.loads(path.read_text(encoding="utf-8"))
        refused = case["then"].get("refused")
        if refused is None or refused["code"] not in CODES:
            continue
        facts = _facts(case)
        codes.add(refused["code"])
        assert set(facts) == set(CODES[refused["code"]]), refused["code"]
        sentence = WORDS.refusal(refused["code"], "", facts)
        assert sentence[0].isupper() or sentence[0] == '"', sentence
        assert not re.match(r"[A-F][1-6]", sentence), "ids are written small"
        assert sentence.endswith((".", "?")), sentence
        clause = WORDS.because(refused["code"], "", facts, "an")
        assert clause and not clause.endswith(".")
    assert codes == set(CODES)


def _facts(case: dict[str, Any]) -> dict[str, Any]:
    from pbem.engine import cases
    from pbem.engine.refusals import Refusal

    try:
        cases._Player(case, title).play()
    except cases._Refused as refused:
        return dict(refused.refusal.facts)
    except Refusal as refusal:
        return dict(refusal.facts)
    raise AssertionError("nothing was refused")


def test_what_somebody_holds_is_never_said_about_another() -> None:
    for code, facts in ILLEGAL.items():
        if not set(facts) & set(PRIVATE_FACTS):
            continue
        some: dict[str, Any] = dict.fromkeys(facts, 3) | {"space": "c4", "card": "azure"}
        said = {WORDS.because(code, "", some | {"have": have}, "an") for have in (0, 1, 2, 11)}
        assert len(said) == 1, code
        assert "11" not in next(iter(said))


def test_orders_in_short_words() -> None:
    assert WORDS.order({"do": "place", "space": "c4"}) == "place a stone on c4"
    assert WORDS.order({"do": "place", "space": "c4", "gifted": True}) == "place the gifted stone on c4"
    assert WORDS.order({"do": "place", "space": "c4", "boon": "qi"}) == "place a stone on c4, one more card"
    assert WORDS.order({"do": "discard", "cards": ["azure", "azure"]}) == "return 2 azure cards"
    assert WORDS.order({"do": "discard"}) == "return no card"


def test_phases_and_questions() -> None:
    assert WORDS.phase("14.place") == "turn 14, place"
    assert WORDS.phase("3.discard") == "turn 3, the Bird leaves"
    assert WORDS.ask("14.place") == "place a stone in turn 14"
    assert "Bird" in WORDS.ask("3.discard")


def test_headlines() -> None:
    for _seen, steps, _last in games():
        for step in steps:
            assert WORDS.news([title.event_for(event, None) for event in step.events])
    assert "wins" in WORDS.news(game(0, "none")[1][-1].events)


# -- order templates ------------------------------------------------------------------------------------------------------


def filled(position: AzurePosition, seat: str, **more: Any) -> str:
    return order_template(title, position, seat, WORDS, campaign="winter-court", after=f"41-{HEAD}", **more)


@pytest.mark.parametrize("everything", [False, True])
def test_each_line_of_the_menu_alone_makes_a_legal_file(everything: bool) -> None:
    kinds = set()
    for seen, _steps, _last in games():
        for view, seat in [each for at, each in enumerate(seen) if at % 4 == 0 or each[0].phase.endswith("discard")]:
            phase = title.phase(view)
            assert phase is not None
            lines = filled(view, seat, everything=everything).splitlines()
            assert read_order("\n".join(lines).encode(), title.orders).plans == ()
            menu = [at for at, line in enumerate(lines) if line.startswith("# {")]
            assert menu
            if everything:
                assert len(menu) == len(list(phase.choices(view, seat)))
            for at in menu[:: max(1, len(menu) // 6)]:
                taken = "\n".join([*lines[:at], lines[at].removeprefix("# "), *lines[at + 1 :]])
                [plan] = read_order(taken.encode(), title.orders).plans
                assert phase.complete(view, seat, plan.orders[0]) == plan.orders[0]
            kinds.add(phase.name)
    assert kinds == {"place", "discard"}


def test_all_lines_together_are_valid_toml_too() -> None:
    for seen, _steps, _last in games():
        text = filled(*seen[5])
        taken = re.sub(r"^# \{", "{", text, flags=re.MULTILINE)
        assert len(tomllib.loads(taken)["orders"]) == text.count("\n# {")


def rich(gift: str) -> AzurePosition:
    """Everything can be paid for: the longest menu there is."""
    hand = {"azure": 8, "white": 8, "vermilion": 8, "black": 8}
    position: AzurePosition = title.read_position({
        "phase": "8.place", "seats": list(SEATS), "gift": gift, "hidden": {}, "decks": {"azure": 2, "white": 2, "vermilion": 2, "black": 2},
        "players": {"bo": {"seen": hand}, "an": {"secret": {"azure": 1}}},
    })  # fmt: skip
    return position


@pytest.mark.parametrize("gift", ["none", *GIFTS])
def test_a_template_fits_on_a_screen(gift: str) -> None:
    since = [event for step in game(2, "perceptive")[1][:9] for event in step.events]
    text = filled(rich(gift), "bo", since=since, sealed=True, ahead=("9.place", "10.place"))
    lines = text.splitlines()
    assert len(lines) <= 60, text
    assert all(width(line) <= 140 for line in lines)
    assert "more lines" in text or gift == "none"


def test_a_template_tells_what_an_order_brings() -> None:
    position = title.read_position({
        "seats": list(SEATS), "stones": {"a2": "an"},
        "players": {"an": {"seen": {"vermilion": 1}, "wisdom": 21}, "bo": {"seen": {"black": 1}}},
    })  # fmt: skip
    [line] = [line for line in filled(position, "an").splitlines() if '"a5"' in line and line.startswith("# {")]
    assert "1 vermilion" in line and "1 white" in line and "wisdom 1" in line and "Azure Dragon" in line and "wins the game" in line


def test_a_hidden_hand_is_not_in_the_template_of_another() -> None:
    view = title.view(rich("none"), "bo")
    assert "azure 1; " not in filled(view, "bo") and "unknown 1" in filled(view, "bo")


# -- text report and picture ----------------------------------------------------------------------------------------------


def board_text(view: AzurePosition) -> str:
    text = WORDS.template("title/board.txt.j2").render(position=view, scene=title.scene(view), table=textreport._table, words=WORDS)
    return str(text)


def test_the_text_report_is_narrow_and_tells_every_stone() -> None:
    for seen, _steps, last in games():
        for view in (*(each for each, _seat in seen[::6]), title.view(last, None), title.view(rich("mighty"), None)):
            text = board_text(view)
            assert all(width(line) <= 76 for line in text.splitlines()), text
            for seat, letter in zip(SEATS, "AB", strict=True):
                gifted = view.players[seat].gifted is not None
                assert text.count(f"<{letter}>") == gifted
                assert text.count(f"[{letter}]") == list(view.stones.values()).count(seat) - gifted


def drawn(view: AzurePosition, name: str, touched: frozenset[str] = frozenset()) -> ET.Element:
    text = assets.environment("html", title, WORDS).get_template(f"title/{name}").render(
        scene=title.scene(view), marks=pages.marks(view.seats), words=WORDS, touched=touched, title_text="Realm & more"
    )  # fmt: skip
    return ET.fromstring(text)  # noqa: S314 - our own text


@pytest.mark.parametrize("name", ["board.svg.j2", "panel.svg.j2"])
def test_pictures_speak_and_name_their_fonts(name: str) -> None:
    for seen, _steps, last in games():
        for view in (seen[0][0], seen[-1][0], title.view(last, None)):
            svg = drawn(view, name)
            assert svg.get("role") == "img"
            assert svg[0].tag == f"{SVG}title" and svg[0].text == "Realm & more"
            assert "DejaVu Sans" in (svg.get("font-family") or "")


def test_letters_of_stones_symbols_and_wisdom_are_written() -> None:
    view = title.read_position({"seats": list(SEATS), "stones": {"a2": "an", "b2": "bo"}, "players": {"an": {"seen": {"azure": 1}}}})
    letters = [element.text for element in drawn(view, "board.svg.j2").iter(f"{SVG}text")]
    # 7 symbols of azure and of black; one qi sign beside each domain; stones of an and bo, and their markers on the track.
    # Under the stones lie B w1 and w4.
    assert letters.count("A") == 7 + 1 + 1 + 1
    assert letters.count("B") == 7 - 1 + 1 + 1 + 1
    assert letters.count("W") == 7 + 1 and letters.count("V") == 7 + 1
    for column in "abcdef":
        assert letters.count(column) == 1


def test_touched_spaces_are_outlined() -> None:
    view = rich("none")
    dashed = [each for each in drawn(view, "board.svg.j2", frozenset({"a2", "d4"})).iter(f"{SVG}rect") if each.get("stroke-dasharray")]
    assert len(dashed) == 2
    assert not [each for each in drawn(view, "board.svg.j2").iter(f"{SVG}rect") if each.get("stroke-dasharray")]


def test_long_names_and_full_hands_stay_inside_the_panel() -> None:
    svg = drawn(rich("bountiful"), "panel.svg.j2")
    assert all(len(element.text or "") <= 15 for element in svg.iter(f"{SVG}text"))
    scene = title.scene(rich("bountiful"))
    assert scene["panel_width"] >= 360


def test_what_is_hidden_is_not_drawn() -> None:
    for seen, _steps, _last in games():
        for view, _seat in seen[::5]:
            public = title.view(view, None)
            scene = title.scene(public)
            assert all(not player["secret"] for player in scene["players"])
            assert [player["untold"] for player in scene["players"]] == [public.players[seat].secret_size for seat in SEATS]


def test_whole_reports_are_made_and_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(played.registry, "title", lambda slug: title)
    story = played.played_story(seats=2, seed=4, slug="azure", note="<script>", until=lambda position: position.phase == "9.place")
    number = story.chapters[-1].number
    html = pages.report_html(story, number, StrictWords(story), form=True)
    assert "<script" not in html and html.count("<svg") > 10 and 'name="orders.0.space"' in html
    text = textreport.report_text(story, number, StrictWords(story))
    assert all(width(line) <= 76 for line in text.splitlines())
    assert pages.report_html(story, number, StrictWords(story)) == pages.report_html(story, number, StrictWords(story))


def test_the_form_of_the_bird(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(played.registry, "title", lambda slug: title)
    for seed in range(40):
        story = played.played_story(seats=2, seed=seed, slug="azure", until=lambda position: position.phase.endswith("discard"))
        if not story.over:
            html = pages.report_html(story, story.chapters[-1].number, Words(story), form=True)
            assert 'name="orders.0.cards.1"' in html and '<option value="vermilion">' in html
            return
    raise AssertionError("the Bird never changed hands")


@pytest.mark.parametrize("gift", GIFTS)
def test_the_form_asks_for_gifts(gift: str) -> None:
    from pbem.campaign.history import Asked, Waiting

    view = rich(gift)
    waiting = Waiting(phase="8.place", asked=(Asked(seat="bo", filed="nothing"),), closes=None, sealed=False)
    form = assets.environment("html", title, WORDS).get_template("title/order_form.html.j2")
    text = form.render(scene=title.scene(view), waiting=waiting)
    assert 'name="orders.0.gifted"' in text and 'name="orders.0.or.0.space"' in text
    assert ('name="orders.0.boon"' in text) == (gift == "bountiful")
