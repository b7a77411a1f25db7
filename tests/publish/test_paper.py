"""The first page of a printed report: no half of it stays empty, and a picture that cannot be read is no picture."""

from __future__ import annotations

import pytest

from pbem.publish import pages
from pbem.publish.paper import BOARD, LEAST_BOARD, FirstPage, first_page
from pbem.publish.words import Words
from tests.publish.played import played_story

SHORT = ("An passes.",)
TURN = ("Placed in turn: Bo on Shaanxi (now 1 there) and An on Nanjing (now 1 there).",) * 5
LONG = TURN * 6


@pytest.mark.parametrize(
    ("told", "rows", "seats", "shape", "points_first"),
    [(SHORT, 1, 2, 1.13, False), (TURN, 2, 2, 1.13, True), (TURN, 4, 4, 1.0, True), (TURN, 4, 4, 0.6, False), (LONG, 4, 4, 1.13, False)],
)
def test_what_comes_first(told: tuple[str, ...], rows: int, seats: int, shape: float, points_first: bool) -> None:
    page = first_page("Round 4, place: please draw for round 4", "Next: Bo and An.", rows, [told], shape, seats)
    assert page.points_first is points_first
    assert LEAST_BOARD <= page.board <= BOARD


def test_the_picture_gets_smaller_as_more_is_told_until_it_cannot_be_read() -> None:
    widths = [first_page("Round 4", "Next: Bo.", 2, [("An passes.",) * count], 0.9, 2).board for count in range(1, 12)]
    assert widths == sorted(widths, reverse=True) or BOARD in widths[-3:]
    assert min(widths) < BOARD


def test_the_board_of_a_set_up_of_two_stands_on_the_first_page() -> None:
    told = ("Bo is drawn as starting player.", "Cards are turned up beside the spaces: " + "Shaanxi junk, " * 6)
    page = first_page("Set-up: Bo will start; please place neutral members", "Next: Bo and An, by " + "x" * 90, 2, [told], 1.153, 2, False)
    assert not page.points_first and LEAST_BOARD <= page.board < 105


@pytest.mark.parametrize("first", [True, False])
def test_points_that_are_all_nothing_get_no_page_of_their_own(first: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    story = played_story(until=lambda position: position.phase == "1.move")
    monkeypatch.setattr(pages, "first_page", lambda *facts: FirstPage(points_first=first))
    number, words = story.chapters[-1].number, Words(story)
    assert ('id="points"' in pages.report_html(story, number, words, form=True, links=False)) is first
    assert 'id="points"' in pages.report_html(story, number, words)


def test_a_title_without_a_picture() -> None:
    assert first_page("Round 1", "", 0, [], 0.0, 4).board == BOARD


def test_the_printed_report_follows_and_the_page_of_the_site_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    story = played_story(until=lambda position: position.phase == "1.move")
    number, words = story.chapters[-1].number, Words(story)
    monkeypatch.setattr(pages, "is_over", lambda position: True)  # else nothing to tell is not told
    for first in (True, False):
        monkeypatch.setattr(pages, "first_page", lambda *facts, first=first: FirstPage(board=111.0, points_first=first))
        printed = pages.report_html(story, number, words, form=True, links=False)
        assert (printed.index('id="points"') < printed.index('id="board"')) is first
        assert printed.count('id="points"') == 1
        assert ".picture svg.board { width: 111.0mm; }" in printed
        site = pages.report_html(story, number, words)
        assert site.index('id="board"') < site.index('id="points"')
        assert "111.0mm" not in site
