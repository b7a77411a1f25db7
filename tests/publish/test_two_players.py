"""Two players with the neutral colour, and cities bid for one by one: templates, reports, forms and pictures."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from pbem.campaign.history import Chapter
from pbem.engine import registry
from pbem.engine.title import Phase
from pbem.orders.file import read_order
from pbem.publish import assets, pages
from pbem.publish.columns import width
from pbem.publish.pages import report_html
from pbem.publish.template import order_template
from pbem.publish.textreport import report_text
from pbem.publish.words import Words
from tests.publish.tales import HEAD, StrictWords, tale
from tests.publish.test_catalogues import Marked, allowed, plain_words

TITLE = registry.title("ming-dynasty")
GAMES = [(2, 1, "together"), (2, 2, "by-province"), (3, 3, "by-province")]


def asked(players: int, seed: int, bids: str) -> Iterator[tuple[Chapter, str, Phase[Any]]]:
    for chapter in tale(players, seed, bids=bids).chapters:
        phase = TITLE.phase(chapter.after)
        for seat in phase.asked(chapter.after) if phase else ():
            assert phase is not None
            yield chapter, seat, phase


def template(chapter: Chapter, seat: str, words: Words, **more: Any) -> str:
    return order_template(TITLE, chapter.after, seat, words, campaign="winter-court", after=f"3-{HEAD}", waiting=chapter.waiting, **more)


@pytest.mark.parametrize(("players", "seed", "bids"), GAMES)
def test_each_line_of_the_menu_alone_makes_a_legal_file(players: int, seed: int, bids: str) -> None:
    words, kinds = StrictWords(TITLE), set()
    for chapter, seat, phase in asked(players, seed, bids):
        if phase.name not in ("neutral", "return", "neutral-return"):
            continue
        lines = template(chapter, seat, words, sealed=True).splitlines()
        assert len(lines) <= 60
        assert all(width(line) <= 140 for line in lines)
        assert "" not in lines[: lines.index("orders = [") - 1], "the head is one piece"
        menu = [at for at, line in enumerate(lines) if line.startswith("# {")]
        assert menu
        for at in menu:
            taken = "\n".join([*lines[:at], lines[at].removeprefix("# "), *lines[at + 1 :]])
            file = read_order(taken.encode(), TITLE.orders)
            assert file.plans is not None
            assert file.phase == chapter.after.phase
            [plan] = file.plans
            order = phase.complete(chapter.after, seat, plan.orders[0])
            assert phase.complete(chapter.after, seat, order) == order
        kinds.add(phase.name)
    assert kinds == ({"neutral", "return", "neutral-return"} if players == 2 else {"return"})


@pytest.mark.parametrize(("players", "seed", "bids"), GAMES)
def test_everything_is_said_through_the_catalogue(players: int, seed: int, bids: str) -> None:
    story = tale(players, seed, bids=bids)
    words = Words(story, catalogue=Marked())
    texts = [report_text(story, chapter.number, words, zone="Europe/Paris") for chapter in story.chapters[::2]]
    texts += [template(chapter, seat, words) for chapter, seat, _ in list(asked(players, seed, bids))[::2]]
    assert {word for text in texts for word in plain_words(text)} <= allowed()


@pytest.mark.parametrize(("players", "seed", "bids"), GAMES)
def test_forms_have_the_fields_of_their_phase(players: int, seed: int, bids: str) -> None:
    story = tale(players, seed, bids=bids)
    words = StrictWords(story)
    found: dict[str, set[str]] = {}
    for chapter, _, phase in asked(players, seed, bids):
        page = report_html(story, chapter.number, words, form=True)
        names = re.findall(r'<(?:input|select)[^>]* name="([^"]+)"', page[page.index('class="fields"') :])
        assert len(set(names)) == len(names)
        found.setdefault(phase.name, set()).update(names)
    if players == 2:
        assert {f"orders.{turn}.district" for turn in range(9)} <= found["neutral"]
        assert "orders.0.from" in found["neutral-return"]
    if bids == "by-province":
        assert {"orders.0.count", "orders.0.from"} <= found["return"]
        assert not any(name.startswith("counts.") for name in found["return"])
    else:
        assert "counts.yunnan" in found["return"]


def test_the_neutral_colour_is_drawn_and_named() -> None:
    story = tale(2, 1)
    words = StrictWords(story)
    chapter = next(chapter for chapter in story.chapters if chapter.after.phase == "2.return")
    page = report_html(story, chapter.number, words)
    board = page[page.index('class="board" role="img"') :].partition("</svg>")[0]
    drawn = sum(len([owner for owner in it.members if owner == "neutral"]) + it.houses.get("neutral", 0)
                for it in chapter.after.districts.values())  # fmt: skip
    assert drawn > 0
    assert board.count(">N</text>") == drawn
    assert page.count('fill="#b9b2a4"') > drawn
    assert "neutral</span>" in page
    for seats in (3, 4):
        other = tale(seats, 1)
        assert "#b9b2a4" not in report_html(other, other.chapters[-2].number, StrictWords(other))


def test_a_seat_with_its_letter_has_another_letter_beside_it() -> None:
    story = tale(2, 1)
    words = StrictWords(story)
    chapter = next(chapter for chapter in story.chapters if chapter.after.phase == "0.prince")
    scene = TITLE.scene(chapter.after)
    marks = {seat: pages.Mark("circle", letter, "#ffffff", "#000000") for seat, letter in (("an", "N"), ("bo", "B"))}
    svg = assets.environment("html", TITLE, words).get_template("title/board.svg.j2").render(
        scene=scene, marks=marks, words=words, touched=frozenset(), title_text=""
    )  # fmt: skip
    assert ">+</text>" in svg and ">N</text>" not in svg


def test_headlines_name_the_cities() -> None:
    story = tale(2, 2, bids="by-province")
    words = StrictWords(story)
    told = [words.headline(chapter) for chapter in story.chapters]
    assert any(re.search(r"the city of \w+ is scored; please lay return cards for \w+", headline) for headline in told)
    assert any(headline.startswith("Set-up: ") and headline.endswith("please place neutral members") for headline in told)


def test_examples_of_orders_can_be_read() -> None:
    words = StrictWords(TITLE)
    for province in ("yunnan", ""):
        said = words.refusal("other-bids", "from", {"key": "from", "province": province})
        example = re.search(r"\{.*\}", said)
        assert example is not None
        [order] = tomllib.loads(f"orders = [{example[0]}]")["orders"]
        assert ("count" in order) == bool(province)
