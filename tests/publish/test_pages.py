"""Reports as HTML: self-contained, readable without eyes or colour, and nothing in them that a player could smuggle in."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pbem.campaign import stories
from pbem.campaign.folder import Folder
from pbem.campaign.history import Story
from pbem.campaign.replay import replay
from pbem.publish import assets, chart, pages
from pbem.publish.words import Words
from tests.publish.played import played_story

EXAMPLES = Path(__file__).parents[2] / "games"
VOID = {"meta", "link", "br", "input", "img", "hr", "wbr", "col"}


class Reader(HTMLParser):
    """All elements with their attributes and text, and whether tags are properly nested."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.open: list[int] = []
        self.faults: list[str] = []
        self.feed(html)
        self.close()
        self.faults += [self.elements[number][0] for number in self.open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), []))
        if tag not in VOID:
            self.open.append(len(self.elements) - 1)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), []))

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.elements[self.open[-1]][0] == tag:
            self.open.pop()
        else:
            self.faults.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        for number in self.open:
            self.elements[number][2].append(data)

    def all(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [(attrs, " ".join("".join(text).split())) for name, attrs, text in self.elements if name == tag]


@cache
def story(**options: Any) -> Story:
    return played_story(**options)


def report(of: Story, number: int, **options: Any) -> str:
    return pages.report_html(of, number, Words(of), **options)


def last(of: Story) -> int:
    return of.chapters[-1].number


def test_every_entry_of_a_game_has_a_well_formed_report() -> None:
    game = story(seats=3)
    words = Words(game)
    for chapter in game.chapters:
        reader = Reader(pages.report_html(game, chapter.number, words, form=True))
        assert reader.faults == [], chapter.number
        assert len(reader.all("h1")) == 1
        ids = [attrs["id"] for _, attrs, _ in reader.elements if "id" in attrs]
        assert len(ids) == len(set(ids)), chapter.number


def test_a_report_stands_alone() -> None:
    html = report(story(), 12, form=True)
    reader = Reader(html)
    assert not reader.all("script") and not reader.all("link") and not reader.all("img")
    assert "url(" not in html and "@import" not in html
    assert html.count("http") == html.count("http://www.w3.org/2000/svg")
    for attrs, _ in reader.all("a"):
        assert (attrs["href"] or "").startswith(("#", "00", "index.html"))


def test_a_report_says_its_language_and_title() -> None:
    game = story()
    reader = Reader(pages.report_html(game, 12, Words(game, "fr")))
    assert reader.all("html")[0][0]["lang"] == "fr"
    assert "winter-court" in reader.all("title")[0][1]


def test_what_is_asked_comes_before_what_happened() -> None:
    heads = [(attrs.get("id"), text) for attrs, text in Reader(report(story(), 12)).all("h2")]
    assert [name for name, _ in heads][:3] == ["asked", "happened", "board"]


def test_closing_times_stand_in_each_players_own_zone() -> None:
    game = story()
    number = next(c.number for c in game.chapters if c.waiting and len(c.waiting.asked) == 4)
    text = report(game, number)
    assert "Paris" in text and "New York" in text and "Shanghai" in text and "UTC" in text


def test_every_sentence_has_its_anchor() -> None:
    game = story()
    reader = Reader(report(game, 12))
    sentences = Words(game).chapter(game.chapters[11])
    items = {attrs["id"]: text for attrs, text in reader.all("li") if attrs.get("id")}
    assert list(items) == [sentence.anchor for sentence in sentences]
    for sentence in sentences:
        assert items[sentence.anchor].startswith(" ".join(sentence.text.split()))


def test_tables_have_captions_and_their_headings_a_scope() -> None:
    reader = Reader(report(story(), 12, form=True))
    assert len(reader.all("caption")) == len(reader.all("table")) >= 6
    assert all(attrs.get("scope") in ("row", "col") for attrs, _ in reader.all("th"))


def test_every_picture_has_a_title() -> None:
    reader = Reader(report(story(), last(story())))
    pictures = sum(1 for tag, _, _ in reader.elements if tag == "svg")
    assert len(reader.all("title")) == pictures + 1
    assert all(text for _, text in reader.all("title"))


def test_every_field_of_the_form_has_a_name_and_a_label() -> None:
    game = story()
    seen = set()
    for chapter in game.chapters:
        if chapter.waiting is None:
            continue
        seen.add(chapter.waiting.phase.split(".")[1])
        reader = Reader(report(game, chapter.number, form=True))
        labels = {attrs.get("for") for attrs, _ in reader.all("label")}
        fields = [attrs for attrs, _ in reader.all("input") + reader.all("select")]
        assert len(fields) >= 7
        assert all(attrs.get("name") for attrs in fields)
        assert all(attrs.get("title") or attrs.get("id") in labels for attrs in fields)
        names = [attrs["name"] for attrs in fields]
        assert len(names) == len(set(names))
    assert seen == {"prince", "place", "draw", "move", "return", "starter"}


def test_what_players_write_is_shown_not_run() -> None:
    evil = '<script>alert("x")</script><img src=x onerror=y>'
    game = story(note=evil, until=lambda position: position.phase == "1.draw")
    seats = tuple(msgspec.structs.replace(seat, name=f"<b>{seat.seat}") for seat in game.seats)
    html = report(msgspec.structs.replace(game, seats=seats, name="<i>court"), last(game), form=True)
    reader = Reader(html)
    assert not reader.all("script") and not reader.all("img") and not reader.all("b") and not reader.all("i")
    assert "alert(" in html


def test_only_the_public_view_is_shown() -> None:
    game = story(until=lambda position: position.phase == "1.draw")

    class Secretive(type(game.title)):  # type: ignore[misc]
        def view(self, position: Any, seat: str | None) -> Any:
            assert seat is None
            seen = super().view(position, seat)
            seen.players["an"].points = 777
            return seen

    hidden = msgspec.structs.replace(game, title=Secretive())
    assert "777" in report(hidden, last(hidden))
    assert "777" not in report(game, last(game))


def test_links_lead_to_the_neighbours_and_can_be_left_out() -> None:
    game = story()
    reader = Reader(report(game, 5))
    by_rel = {attrs.get("rel"): attrs.get("href") for attrs, _ in reader.all("a")}
    assert by_rel["prev"] == "0004.html" and by_rel["next"] == "0006.html"
    assert "next" not in {attrs.get("rel") for attrs, _ in Reader(report(game, last(game))).all("a")}
    assert all((attrs["href"] or "").startswith("#") for attrs, _ in Reader(report(game, 5, links=False)).all("a"))


def test_head_and_entry_number_are_at_the_foot() -> None:
    game = story()
    foot = Reader(report(game, 7)).all("footer")[-1][1]
    assert game.chapters[6].head in foot and "entry 7" in foot


def test_an_entry_that_is_not_there_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        report(story(), 4711)


def test_orders_as_played_are_all_listed() -> None:
    game = story()
    chapter = game.chapters[11]
    called = Words(game).phase(chapter.steps[0].phase)
    rows = [text for attrs, text in Reader(report(game, 12)).all("tr") if called in text]
    assert len(rows) == sum(len(step.decisions) for step in chapter.steps)


def test_the_end_shows_the_result() -> None:
    game = story()
    text = report(game, last(game))
    assert "The game is over" in text and "Final standings" in text


def test_a_title_without_pictures_is_shown_as_plain_facts(tmp_path: Any) -> None:
    game = story(until=lambda position: position.phase == "1.draw")

    class Bare(type(game.title)):  # type: ignore[misc]
        files = tmp_path

    bare = msgspec.structs.replace(game, title=Bare())
    reader = Reader(report(bare, last(bare), form=True))
    assert reader.faults == [] and not [1 for attrs, _ in reader.all("svg") if attrs.get("class") == "board"]
    assert "districts" in [text for _, text in reader.all("dt")] or "players" in [text for _, text in reader.all("dt")]
    assert [attrs for attrs, _ in reader.all("input") if attrs.get("name") == "orders.0"]


def test_marks_tell_seats_apart_by_shape_and_by_letter() -> None:
    six = pages.marks(["an", "bo", "chen", "dai", "eve", "fu"])
    assert len({mark.shape for mark in six.values()}) == len({mark.letter for mark in six.values()}) == 6
    assert [mark.letter for mark in pages.marks(["an", "al"]).values()] == ["1", "2"]


def test_points_by_round_end_with_the_standings() -> None:
    game = story()
    rounds = chart.points_by_round(game.title, game.chapters, Words(game))
    assert rounds.numbers == [1, 2, 3, 4, 5, 6] and rounds.labels == ["R1", "R2", "R3", "R4", "R5", "End"]
    standings = game.title.result(game.chapters[-1].after)
    assert {seat: line[-1] for seat, line in rounds.points.items()} == {line.seat: line.points for line in standings}


def test_a_round_has_the_points_it_was_scored_with() -> None:
    game = story()
    after_second = next(chapter.after for chapter in game.chapters if chapter.after is not None and chapter.after.phase == "3.place")
    rounds = chart.points_by_round(game.title, game.chapters, Words(game))
    scored = {line.seat: line.points for line in game.title.result(after_second)}
    assert any(scored.values())
    assert {seat: line[1] for seat, line in rounds.points.items()} == scored
    until = next(at for at, chapter in enumerate(game.chapters) if chapter.after is after_second)
    assert chart.points_by_round(game.title, game.chapters[: until + 1], Words(game)).labels == ["R1", "R2"]


@pytest.mark.parametrize(("slug", "seats", "rounds"), [("azure", 2, None), ("carolus-magnus", 3, None), ("year-of-the-dragon", 3, 12)])
def test_every_title_ends_with_the_round_it_ended_in(slug: str, seats: int, rounds: int | None) -> None:
    game = played_story(slug=slug, seats=seats)
    last = next(step for chapter in reversed(game.chapters) for step in reversed(chapter.steps))
    found = chart.points_by_round(game.title, game.chapters, Words(game))
    assert found.numbers[-1] == int(last.phase.partition(".")[0]) == (rounds or found.numbers[-1])
    assert found.labels[-1] == "End" and found.numbers[0] == 1


def test_rounds_taken_back_leave_the_chart() -> None:
    game = story()
    third = next(chapter for chapter in game.chapters if chapter.after is not None and chapter.after.phase == "3.draw")
    back = msgspec.structs.replace(
        game.chapters[-1], number=game.chapters[-1].number + 1, kind="rollback", facts={"to": third.number}, steps=(), after=third.after
    )
    assert chart.points_by_round(game.title, [*game.chapters, back], Words(game)).labels == ["R1", "R2", "R3"]


def test_labels_of_the_chart_keep_apart_and_inside() -> None:
    rounds = chart.Rounds([1, 2], ["R1", "R2"], {"an": [0, 30], "bo": [0, 30], "chen": [0, 30], "dai": [0, 0]})
    drawn = chart.points_chart(rounds)
    assert drawn is not None
    heights = sorted(line["label_y"] for line in drawn["lines"])
    assert all(lower - upper >= chart.LABEL_GAP - 0.2 for upper, lower in pairwise(heights))
    assert heights[-1] <= chart.HEIGHT
    same = chart.points_chart(chart.Rounds([1, 2], ["R1", "R2"], {seat: [0, 1] for seat in "abcd"}))
    assert same is not None and max(line["label_y"] for line in same["lines"]) <= chart.HEIGHT


def test_no_chart_while_nobody_has_points() -> None:
    assert chart.points_chart(chart.Rounds([1, 2], ["R1", "R2"], {"an": [0, 0]})) is None
    assert chart.points_chart(chart.Rounds([1], ["R1"], {"an": [5]})) is None
    assert chart.points_chart(chart.Rounds([], [], {})) is None


@pytest.mark.parametrize("top", [1, 6, 7, 61, 150, 999])
def test_level_lines_are_round_and_few(top: int) -> None:
    drawn = chart.points_chart(chart.Rounds([1, 2], ["R1", "R2"], {"an": [0, top]}))
    assert drawn is not None
    levels = [value for _, value in drawn["levels"]]
    assert levels[0] == 0 and levels[-1] >= top and 2 <= len(levels) <= 8


def test_ids_are_not_broken_over_lines_and_still_escaped() -> None:
    marked = str(assets.unbroken("An <goes> to yunnan-b, not to yunnan-bb or yunnan.", ["yunnan-b", "yunnan"]))
    assert marked == 'An &lt;goes&gt; to <span class="thing">yunnan-b</span>, not to yunnan-bb or yunnan.'
    assert str(assets.unbroken("<", [])) == "&lt;"


@pytest.mark.parametrize("name", ["../pyproject.toml", "text/../../x", "/etc/passwd", "", "a//b"])
def test_template_names_stay_inside_the_folder(name: str) -> None:
    with pytest.raises(ValueError, match="not the name"):
        assets.text("templates", name)


def test_plain_text_is_not_escaped_and_html_is() -> None:
    words = Words(story().title)
    source = "{{ what }}"
    assert assets.environment("text", None, words).from_string(source).render(what="<&") == "<&"
    assert assets.environment("html", None, words).from_string(source).render(what="<&") == "&lt;&amp;"


def test_the_fingerprint_changes_with_a_titles_templates(tmp_path: Any) -> None:
    class Bare(type(story().title)):  # type: ignore[misc]
        files = tmp_path

    (tmp_path / "templates").mkdir()
    before = assets.fingerprint(Bare())
    (tmp_path / "templates" / "x.j2").write_text("x")
    assert assets.fingerprint(Bare()) != before


@pytest.mark.parametrize("example", ["azure", "carolus-magnus", "ming-dynasty", "year-of-the-dragon"])
def test_on_a_narrow_screen_every_cell_of_a_stacked_table_says_what_it_is(example: str) -> None:
    told = stories.story(replay(Folder(EXAMPLES / f"example-{example}")))
    html = report(told, len(told.chapters) // 2)
    tables = re.findall(r'<table class="stack" role="table">.*?</table>', html, re.DOTALL)
    assert tables
    for table in tables:
        columns = table.count('role="columnheader"')
        for row in re.findall(r"<tr.*?</tr>", table.partition("<tbody")[2], re.DOTALL):
            labels = re.findall(r'role="cell" data-label="([^"<>]+)"', row)
            assert len(labels) == row.count("<td") == columns - 1 and len(set(labels)) == len(labels)
    # What is only hidden from eyes stands in the box that scrolls, or it would widen the page.
    assert re.search(r"\.wide \{[^}]*position: relative;", assets.text("site", "style.css"))
