"""What players see of Carolus Magnus: sentences, order templates, reports, the picture."""

from __future__ import annotations

import re
import tomllib
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from pbem.campaign.history import Remark, Story
from pbem.engine import registry
from pbem.orders.file import read_order
from pbem.publish import assets, pages
from pbem.publish.columns import width
from pbem.publish.pages import report_html
from pbem.publish.template import order_template
from pbem.publish.textreport import report_text
from pbem.publish.words import Words
from pbem.titles.carolus_magnus import picture, title, vocabulary
from pbem.titles.carolus_magnus.refusal_codes import CODES
from pbem.titles.carolus_magnus.vocabulary import CLANS, CarolusPosition, Region
from tests.publish import tales
from tests.publish.tales import HEAD, StrictWords
from tests.publish.test_catalogues import Marked, plain_words

SVG = "{http://www.w3.org/2000/svg}"
SEATS = ["an", "bo", "chen", "dai"]
NAMES = {"an": "An", "bo": "Bo", "chen": "Chen", "dai": "Dai"}
WORDS = StrictWords(title, seats=NAMES)
CLOSES = datetime(2026, 12, 3, 19, tzinfo=UTC)

LAID = {"code": "disc-laid", "field": "value", "facts": {"value": 3, "seat": "bo", "allowed": [1, 2]}}
FAR = {"code": "emperor-too-far", "field": "emperor", "facts": {"steps": 4, "disc": 2}}
WISH = {"do": "turn", "court": ["red"], "lands": [{"to": 4, "clan": "red"}, {"to": 4, "clan": "red"}], "emperor": 2, "crowns": ["blue"]}
REMARKS: tuple[dict[str, Any], ...] = (
    {"code": "alternative", "because": LAID, "wanted": {"do": "disc", "value": 3}, "played": {"do": "disc", "value": 1}},
    {"code": "alternative", "because": FAR, "wanted": WISH, "played": {"do": "turn", "court": ["red", "red"], "emperor": 1}},
    {"code": "skipped", "because": LAID, "wanted": {"do": "disc", "value": 3}},
    {"code": "watched", "because": {"places": ["4", "red"], "seat": "bo"}},
    {"code": "ended"},
    {"code": "unplayed", "wanted": WISH},
)
FACTS: dict[str, Any] = {
    "found": "rde", "allowed": ["red", "blue"], "nearest": "red", "low": 1, "high": 5, "reason": "no table", "thing": "red",
    "asked": ["bo"], "phase": "3.turn", "needed": 3, "clan": "red", "left": 1, "value": 2, "seat": "bo", "steps": 4, "disc": 2, "have": 1,
    "reserve": ["red", "red"], "dice": 3,
}  # fmt: skip


@cache
def story(seats: int, seed: int) -> Story:
    """A whole random game as a campaign, with plans that fail in the words of this title."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "title", lambda slug: title)
        patch.setattr(tales, "REMARKS", REMARKS)
        return tales.tale.__wrapped__(seats, seed, title.slug)  # not its cache: others tell with other remarks


# -- sentences ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", CODES)
def test_every_refusal_has_its_sentence(code: str) -> None:
    facts = {fact: FACTS[fact] for fact in CODES[code]}
    said = WORDS.refusal(code, "court", facts)
    assert said[0].isupper() or said[0] in '"0123456789'
    assert said.endswith((".", "?")) and ".." not in said and "  " not in said
    assert WORDS.because(code, "court", facts, "an")


def test_refusals_name_the_nearest_word_and_the_way_out() -> None:
    assert WORDS.refusal("unknown-clan", "court[0]", {"found": "rde", "allowed": ["red", "blue"], "nearest": "red"}) == (
        'There is no clan "rde". Did you mean "red"? Allowed: red or blue.'
    )
    assert WORDS.refusal("paladin-count", "", {"found": 2, "needed": 3}) == (
        "You have to play exactly 3 paladins, court and lands together, not 2."
    )
    assert WORDS.refusal("not-in-reserve", "", {"clan": "red", "needed": 2, "have": 1, "reserve": ["red", "blue", "blue"]}) == (
        "You would need 2 of red in the reserve and have 1. In the reserve: 1 red and 2 blue."
    )
    assert WORDS.because("disc-laid", "value", {"value": 3, "seat": "bo", "allowed": [1]}, "an") == "Bo has laid disc 3 in this round"


def test_every_event_and_order_has_its_sentence() -> None:
    told: set[Any] = set()
    for seats, seed in ((2, 5), (3, 18), (4, 36)):
        for chapter in story(seats, seed).chapters:
            for step in chapter.steps:
                for event in step.events:
                    for you in (None, "an"):
                        said = WORDS.event(event, you=you)
                        assert said.endswith(".") and "None" not in said and "{" not in said and "()" not in said, said
                    told.add(event.__struct_config__.tag)
                for decision in step.decisions:
                    assert WORDS.order(decision.order)
    rare = {"returned", "counts-as-crown", "nothing-left"}
    assert {kind.__struct_config__.tag for kind in title.events} - told <= rare


def test_what_is_rare_is_told_too() -> None:
    refilled = vocabulary.Refilled(seat="an", colours={"red": 2}, crowns=1)
    returned = vocabulary.Returned(seat="an", clan="red", count=2)
    assert WORDS.events([refilled, returned]) == ["An's refill rolls 2 red and a crown. Red is used up: every court gives back 2 of it."]
    assert WORDS.event(vocabulary.CountsAsCrown(seat="an", clan="pink")) == (
        "Pink is used up, and not every court has some to give back: the die counts as a crown."
    )
    assert WORDS.event(vocabulary.NothingLeft(seat="an", dice=1)) == "No paladin is left in the supply: one die brings nothing."


def test_a_turn_is_told_in_three_breaths() -> None:
    words = vocabulary
    mine = (words.Strength(side=("an",), paladins=5, castles=0), words.Strength(side=("bo",), paladins=1, castles=2))
    events = [
        words.Played(seat="an", court={"red": 2}, lands=(words.Placed(lands=(4,), clan="blue", count=1),)),
        words.ControlTaken(seat="an", clan="red", most=3, next=2, before="bo"),
        words.EmperorMoved(seat="an", steps=2, start=(2,), lands=(4, 5)),
        words.Judged(seat="an", lands=(4, 5), strengths=mine, why="takes", majority=("an",)),
        words.Exchanged(seat="an", side=("an",), other=("bo",), lands=(4, 5), count=2, left=5),
        words.Merged(seat="an", side=("an",), lands=(3, 4, 5), castles=3, regions=9),
        words.Refilled(seat="an", colours={"green": 2}, crowns=1),
        words.CrownsChosen(seat="an", colours={"pink": 1}, beforehand=True),
    ]
    assert WORDS.events(events) == [
        "An plays 2 red to court and 1 blue to territory 4. With 3 to 2 at court An takes control of red from Bo.",
        "The Emperor goes 2 steps, from territory 2 to region 4–5. Strength there: An 5; Bo 3 (2 of them castles). 2 castles of Bo are "
        "exchanged for as many of An; castles left: 5. Region 3–5 holds together now, with 3 castles; regions left: 9.",
        "An's refill rolls 2 green and a crown. For crowns An takes 1 pink, as said beforehand.",
    ]
    assert WORDS.events(events, you="an")[0].startswith("You play 2 red to court")
    assert "control of red from you" in WORDS.events(events, you="bo")[0]


def test_a_lap_of_discs_is_one_sentence() -> None:
    laid = [vocabulary.DiscLaid(seat="an", value=2), vocabulary.DiscLaid(seat="bo", value=2, again=True)]
    assert WORDS.events([*laid, vocabulary.OrderSet(order=("an", "bo"))]) == [
        "Discs are laid: An 2 and Bo 2 (again, so it counts as higher). The turns come in the order An and Bo."
    ]


def test_a_team_speaks_in_the_plural() -> None:
    built = vocabulary.Built(seat="bo", side=("an", "chen"), lands=(4,), left=7)
    assert WORDS.event(built) == "An and Chen build a castle; castles left: 7."
    final = (vocabulary.Final(side=("an", "chen"), castles=10, clans=2), vocabulary.Final(side=("bo", "dai"), castles=3, clans=3))
    over = vocabulary.GameOver(why="castles", sides=final, winners=("an", "chen"))
    assert "The game is over, and An and Chen win." in WORDS.event(over) and WORDS.news([over]) == "An and Chen win"
    short = vocabulary.Exchanged(seat="bo", side=("an", "chen"), other=("bo", "dai"), lands=(4,), count=1, left=0, short=2)
    assert "would need castles: 3, but have only 1" in WORDS.event(short)


@pytest.mark.parametrize("remark", REMARKS, ids=lambda remark: remark["code"])
def test_every_remark_has_its_sentence(remark: dict[str, Any]) -> None:
    said = WORDS.remark(Remark(step=2, phase="3.turn", seat="dai", at="orders[0]", **remark))
    assert said.endswith(".") and "Dai" in said


def test_orders_in_short_words() -> None:
    assert WORDS.order(WISH) == "1 red to court; 2 red to 4; Emperor 2; crowns 1 blue"
    assert WORDS.order({"do": "disc", "value": 3}) == "lay disc 3"
    assert WORDS.order({"do": "crowns", "colours": ["red", "red", "blue"]}) == "take 2 red and 1 blue for the crowns"
    assert WORDS.order({"do": "turn"}) == "turn"


# -- templates and reports ------------------------------------------------------------------------------------------------


def asked_positions() -> Iterator[tuple[Any, str, Any]]:
    for seats, seed in ((2, 5), (3, 18), (4, 36)):
        for chapter in story(seats, seed).chapters[::4]:
            phase = title.phase(chapter.after)
            if phase is not None:
                [seat] = phase.asked(chapter.after)
                yield chapter.after, seat, phase


def filled(position: Any, seat: str, **more: Any) -> str:
    settings: dict[str, Any] = {"campaign": "winter-court", "after": f"41-{HEAD}", "closes": CLOSES, "zone": "Europe/Paris", "revision": 2}
    return order_template(title, position, seat, WORDS, **(settings | more))


def test_each_line_of_the_menu_alone_makes_a_legal_file() -> None:
    kinds = set()
    for position, seat, phase in asked_positions():
        text = filled(position, seat)
        assert read_order(text.encode(), title.orders).plans == ()
        lines = text.splitlines()
        menu = [at for at, line in enumerate(lines) if line.startswith("# {")]
        assert menu
        orders = []
        for at in menu:
            taken = "\n".join([*lines[:at], lines[at].removeprefix("# "), *lines[at + 1 :]])
            [plan] = read_order(taken.encode(), title.orders).plans
            orders.append(phase.complete(position, seat, plan.orders[0]))
        assert len(set(orders)) == len(orders), "two lines that say the same"
        kinds.add(phase.name)
        everything = re.sub(r"^# \{", "{", text, flags=re.MULTILINE)
        assert len(tomllib.loads(everything)["orders"]) == len(menu)
    assert kinds == {"crowns", "disc", "turn"}


def test_a_template_fits_on_a_screen() -> None:
    since = tuple(event for chapter in story(4, 36).chapters[:9] for step in chapter.steps for event in step.events)
    for position, seat, _phase in asked_positions():
        text = filled(position, seat, since=since, sealed=True, ahead=("4.turn", "4.crowns"))
        lines = text.splitlines()
        assert len(lines) <= 60, text
        # what silence means stands on the line of "then" in full
        assert all(width(line) <= 140 for line in lines if not line.startswith("then = ")), text


def test_the_lines_of_the_template_say_where_the_emperor_stops() -> None:
    at = title.read_position({
        "phase": "3.turn", "seats": SEATS[:2], "emperor": 2, "players": {"an": {"disc": 2, "reserve": {"red": 3}}},
        "regions": [{"lands": [3, 4], "paladins": {"blue": 2}, "castles": {"bo": 2}}],
    })  # fmt: skip
    text = filled(at, "an")
    assert "  # -- Emperor one step, to 3–4: 2 blue, 2 castles bo · strength now an 0 : bo 2\n" in text
    assert "  # -- Emperor 2 steps, to 5: no paladin · strength now an 0 : bo 0\n" in text


@pytest.mark.parametrize(("seats", "seed"), [(2, 5), (3, 18), (4, 36)])
def test_text_reports_are_narrow_and_begin_with_what_is_asked(seats: int, seed: int) -> None:
    told = story(seats, seed)
    words = StrictWords(told)
    for chapter in told.chapters[::3]:
        text = report_text(told, chapter.number, words, zone="Europe/Paris")
        assert all(width(line) <= 76 for line in text.splitlines())
        if chapter.waiting is not None:
            assert text.index("Next: ") < text.index("The board now")


@pytest.mark.parametrize(("seats", "seed"), [(2, 5), (3, 18), (4, 36)])
def test_reports_are_whole_pages(seats: int, seed: int) -> None:
    told = story(seats, seed)
    words = StrictWords(told)
    for number in (1, 2, 3, len(told.chapters) // 2, len(told.chapters)):
        html = report_html(told, number, words, form=True)
        assert "The board of winter-court" in html and "None" not in re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)
        begin = html.rindex("<svg", 0, html.index('class="board"'))  # at the end a chart of the points stands before it
        svg = ET.fromstring(html[begin : html.index("</svg>", begin) + 6])  # noqa: S314 - our own text
        assert svg.get("role") == "img"


def test_no_english_bypasses_the_catalogue() -> None:
    catalogue = Marked()
    told = story(4, 36)
    words = Words(told, catalogue=catalogue)
    allowed = {"winter", "court", "WINTER", "COURT", *SEATS, *NAMES.values(), "Sorry", "and", "or", "Paris", *CLANS, "toml"}
    allowed |= {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Dec", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "crowns"}
    texts = []
    for chapter in (*told.chapters[::5], told.chapters[-1]):
        texts.append(report_text(told, chapter.number, words, zone="Europe/Paris"))
        phase = title.phase(chapter.after)
        for seat in phase.asked(chapter.after) if phase else ():
            texts.append(order_template(title, chapter.after, seat, words, campaign="winter-court", after=f"3-{HEAD}", closes=CLOSES))
    texts += [words.because(code, "", {fact: FACTS[fact] for fact in CODES[code]} | {"reason": "", "found": ""}) for code in CODES]
    leaked = {word: text for text in texts for word in plain_words(unicodedata.normalize("NFC", text)) - allowed}
    assert not leaked


# -- the picture ----------------------------------------------------------------------------------------------------------


def crowded() -> CarolusPosition:
    """The worst case: every clan in two figures in every territory, a castle in each, every court full."""
    many = dict.fromkeys(CLANS, 12)
    regions = [Region((land,), dict(many), {"an" if land % 2 else "bo": 1}) for land in range(1, 13)]
    regions.append(Region((13, 14, 15), dict(many), {"an": 2, "bo": 3}))
    players = {seat: vocabulary.Player(dict(many), dict.fromkeys(CLANS, 2), 3, [3]) for seat in SEATS}
    return CarolusPosition(
        phase="3.turn", seats=SEATS, regions=regions, emperor=5, control={"red": "dai"}, players=players, order=SEATS, turn="an"
    )


def drawn(position: CarolusPosition, touched: frozenset[str] = frozenset()) -> ET.Element:
    environment = assets.environment("html", title, Words(title))
    text = environment.get_template("title/board.svg.j2").render(
        scene=picture.scene(position), marks=pages.marks(position.seats), words=Words(title), touched=touched, title_text="Board & more"
    )
    return ET.fromstring(text)  # noqa: S314 - our own text


def texts_of(svg: ET.Element) -> list[str]:
    return [element.text or "" for element in svg.iter(f"{SVG}text")]


def test_the_picture_names_itself_and_its_fonts() -> None:
    svg = drawn(crowded())
    assert svg.get("role") == "img"
    assert svg[0].tag == f"{SVG}title" and svg[0].text == "Board & more"
    assert "DejaVu Sans" in (svg.get("font-family") or "")


def test_everything_is_written_in_letters_and_numbers_too() -> None:
    found = texts_of(drawn(crowded()))
    assert found.count("12") == 13 * 5 + 20 + 1, "each clan in each region and at each court, and the territory"
    assert [text for text in found if text.startswith("×")] == [*["×1"] * 12, "×2", "×3"]
    for letter in "RYGP":
        assert found.count(letter) == 13 + 1 + 4
    for land in (1, 7, 15):
        assert str(land) in found
    assert found.count("8 / 10") == 2 and found.count("9 / 10") == 2


def test_pieces_stand_apart_and_within_their_region() -> None:
    scene = picture.scene(crowded())
    for region in scene["regions"]:
        spots = [token["at"] for token in region["tokens"]] + [castle["at"] for castle in region["castles"]]
        for (x1, y1), (x2, y2) in combinations(spots, 2):
            assert max(abs(x1 - x2), abs(y1 - y2)) >= 36
        for x, y in spots:
            radius = ((x - picture.CENTRE) ** 2 + (y - picture.CENTRE) ** 2) ** 0.5
            assert picture.INNER + 20 < radius < picture.OUTER - 20
    for player in scene["players"]:
        corner = min(
            ((x - picture.CENTRE) ** 2 + (y - picture.CENTRE) ** 2) ** 0.5
            for x in (player["x"], player["x"] + player["size"])
            for y in (player["y"], player["y"] + player["size"])
        )
        assert corner > picture.NUMBERS + 10, "the corners keep clear of the ring and its numbers"


def test_touched_regions_are_outlined_whole() -> None:
    assert len([path for path in drawn(crowded(), frozenset({"14", "15", "2"})).iter(f"{SVG}path") if path.get("class") == "touched"]) == 2
    assert not [path for path in drawn(crowded(), frozenset({"red"})).iter(f"{SVG}path") if path.get("class") == "touched"]


def test_a_ring_of_one_region_can_be_drawn() -> None:
    at = title.read_position({"phase": "over", "seats": SEATS[:2], "regions": [{"lands": [*range(3, 16), 1, 2], "castles": {"an": 9}}]})
    assert len([path for path in drawn(at).iter(f"{SVG}path") if path.get("class") == "region"]) == 1


def test_clans_differ_in_hatching() -> None:
    svg = drawn(crowded())
    shields = {path.get("d") for path in svg.iter(f"{SVG}path") if path.get("stroke-linecap") == "round"}
    assert len(shields) == 5
