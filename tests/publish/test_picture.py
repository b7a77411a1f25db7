"""The drawing of the board: geometry, counts, and what a reader must be able to tell apart."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from importlib import resources
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.engine.playout import playout
from pbem.engine.registry import title
from pbem.publish import assets, pages
from pbem.publish.words import Words
from pbem.titles.ming_dynasty import board, picture
from pbem.titles.ming_dynasty.vocabulary import District, MingPosition, Player
from tests.publish.played import played_story

SEATS = ["an", "bo", "chen", "dai"]
SVG = "{http://www.w3.org/2000/svg}"
MING = title("ming-dynasty")
BOARD = board.load("standard")


def crowded() -> MingPosition:
    """The worst case: all 120 members in two districts, every piece that can stand there beside them."""
    everybody = dict.fromkeys(SEATS, 15)
    full = {seat: Player(prince=place, spaces={"yunnan": 10}) for seat, place in zip(SEATS, BOARD.districts, strict=False)}
    return MingPosition(
        phase="3.move",
        seats=SEATS,
        start="an",
        districts={
            BOARD.districts[0]: District(members=everybody, monastery="an", houses={"bo": 2, "dai": 1}),
            BOARD.districts[1]: District(members=everybody, monastery="dai"),
        },
        players=full,
        display={"yunnan": "junk"},
    )


def drawn(position: MingPosition, touched: frozenset[str] = frozenset()) -> ET.Element:
    environment = assets.environment("html", MING, Words(MING))
    text = environment.get_template("title/board.svg.j2").render(
        scene=picture.scene(position), marks=pages.marks(position.seats), words=Words(MING), touched=touched, title_text="Board & more"
    )
    return ET.fromstring(text)  # noqa: S314 - our own text


def texts(svg: ET.Element) -> list[str]:
    return [element.text or "" for element in svg.iter(f"{SVG}text")]


def luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def area(corners: list[list[float]]) -> float:
    turned = zip(corners, corners[1:] + corners[:1], strict=True)
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in turned)) / 2


def inside(point: list[float], corners: list[list[float]]) -> bool:
    sides = [
        (x2 - x1) * (point[1] - y1) - (y2 - y1) * (point[0] - x1)
        for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1], strict=True)
    ]
    return all(side >= 0 for side in sides) or all(side <= 0 for side in sides)


def test_every_border_of_the_standard_board_is_where_two_outlines_meet() -> None:
    scene = picture.scene(crowded())
    assert len(scene["borders"]) == 27
    assert not any(border["bridge"] for border in scene["borders"])
    assert scene["closed"] == []
    assert {(b["from"], b["to"], b["transport"]) for b in scene["borders"]} == set(BOARD.borders)


def test_borders_lie_on_the_outlines_of_both_districts() -> None:
    scene = picture.scene(crowded())
    corners = {place["id"]: {(round(x), round(y)) for x, y in place["corners"]} for place in scene["districts"]}
    for border in scene["borders"]:
        ends = {(round(x), round(y)) for x, y in (border["start"], border["end"])}
        assert ends <= corners[border["from"]] and ends <= corners[border["to"]]


def test_three_districts_fill_a_hexagon() -> None:
    scene = picture.scene(crowded())
    for hexagon in scene["hexagons"]:
        parts = [area(place["corners"]) for place in scene["districts"] if place["province"] == hexagon["id"]]
        assert sum(parts) == pytest.approx(area(hexagon["corners"]), rel=1e-3)


def test_pieces_stand_inside_their_district_and_apart_from_each_other() -> None:
    for place in picture.scene(crowded())["districts"]:
        spots = [*place["member_cells"], place["monastery_at"], place["prince_at"], place["letter_at"]]
        assert all(inside(spot, place["corners"]) for spot in spots), place["id"]
        for (x1, y1), (x2, y2) in combinations(spots, 2):
            assert max(abs(x1 - x2), abs(y1 - y2)) >= 30, place["id"]


def test_everything_lies_on_the_paper() -> None:
    scene = picture.scene(crowded())
    for space in scene["spaces"]:
        assert space["x"] >= 0 and space["x"] + space["width"] <= scene["width"]
        assert space["y"] >= 0 and space["y"] + space["height"] <= scene["height"]
        corners = [[space["x"] + dx, space["y"] + dy] for dx in (0, space["width"]) for dy in (0, space["height"])]
        assert not any(inside(corner, hexagon["corners"]) for corner in corners for hexagon in scene["hexagons"])


def test_a_border_that_does_not_meet_is_a_bridge_and_one_left_out_is_closed() -> None:
    text = (board._folder() / "standard.toml").read_text(encoding="utf-8")
    other = text.replace('["shaanxi-a", "zhili-c", "rickshaw"]', '["shaanxi-a", "guangdong-b", "rickshaw"]')
    assert other != text
    position = crowded()
    position.board = other
    scene = picture.scene(position)
    assert [border["to"] for border in scene["borders"] if border["bridge"]] == ["guangdong-b"]
    assert [edge["between"] for edge in scene["closed"]] == [["shaanxi-a", "zhili-c"]]
    assert drawn(position) is not None


def test_a_board_laid_out_otherwise_has_its_spaces_below() -> None:
    text = (board._folder() / "standard.toml").read_text(encoding="utf-8")
    position = crowded()
    position.board = text.replace('"zhili",     row = 0, column = 1', '"zhili",     row = 0, column = 2')
    assert position.board != text
    scene = picture.scene(position)
    assert all(space["y"] + space["height"] <= scene["height"] for space in scene["spaces"])
    assert all(space["x"] + space["width"] <= scene["width"] for space in scene["spaces"])
    assert min(space["y"] for space in scene["spaces"]) > max(y for hexagon in scene["hexagons"] for _, y in hexagon["corners"])


def test_the_picture_is_told_to_those_who_do_not_see_it() -> None:
    svg = drawn(crowded())
    assert svg.get("role") == "img"
    assert svg[0].tag == f"{SVG}title" and svg[0].text == "Board & more"


def test_text_in_the_picture_names_its_fonts() -> None:
    assert "DejaVu Sans" in (drawn(crowded()).get("font-family") or "")


def test_members_are_counted_not_drawn_one_by_one() -> None:
    svg = drawn(crowded())
    assert texts(svg).count("15") == 8
    assert len(list(svg.iter())) < 900


def test_letters_of_seats_transports_and_districts_are_written() -> None:
    found = texts(drawn(crowded()))
    for letter, least in {"A": 2, "B": 2, "C": 2, "D": 2, "H": 9, "J": 9, "R": 9, "a": 6, "b": 6, "c": 6}.items():
        assert found.count(letter) >= least, letter
    for province in ("Shaanxi", "Zhili", "Sichuan", "Nanjing", "Yunnan", "Guangdong"):
        assert found.count(province) == 2


def test_touched_places_are_outlined() -> None:
    dashed = [e for e in drawn(crowded(), frozenset({"yunnan-a", "zhili-c", "zhili"})).iter(f"{SVG}polygon") if e.get("stroke-dasharray")]
    assert len(dashed) == 2
    assert not [e for e in drawn(crowded()).iter(f"{SVG}polygon") if e.get("stroke-dasharray")]


def test_dark_print_is_readable_on_every_tint() -> None:
    scene = picture.scene(crowded())
    for place in scene["districts"]:
        assert contrast("#1d1a16", place["tint"]) >= 7
    for mark in pages.marks(list("abcdef")).values():
        assert contrast(mark.fill, mark.ink) >= 4.5


def test_neighbouring_seats_differ_in_lightness_too() -> None:
    four = [luminance(mark.fill) for mark in pages.marks(SEATS).values()]
    assert all(abs(one - other) > 0.05 for one, other in combinations(four, 2))


@given(count=st.integers(3, 4), seed=st.integers(0, 10_000), share=st.floats(0, 1))
@settings(max_examples=12, deadline=None)
def test_a_scene_shows_every_piece_of_a_position(count: int, seed: int, share: float) -> None:
    position = some_position(count, seed, share)
    scene = picture.scene(position)
    shown = {place["id"]: place for place in scene["districts"]}
    for name, district in position.districts.items():
        assert {m["seat"]: m["count"] for m in shown[name]["members"]} == district.members
        assert shown[name]["monastery"] == district.monastery
        assert dict(shown[name]["in_city"]) == district.houses
        assert sum(house["seat"] is not None for house in shown[name]["houses"]) == sum(district.houses.values())
    for seat, player in position.players.items():
        told = next(line for line in scene["players"] if line["seat"] == seat)
        assert dict(told["cards"]) == player.cards and dict(told["tiles"]) == player.tiles and told["points"] == player.points
        assert player.prince is None or shown[player.prince]["prince"] == seat
        on_spaces = {s["id"]: m["count"] for s in scene["spaces"] for m in s["members"] if m["seat"] == seat}
        assert on_spaces == player.spaces
    assert {s["id"]: s["card"] for s in scene["spaces"] if s["card"]} == position.display


def some_position(count: int, seed: int, share: float) -> Any:
    """A position of a random game, ``share`` of the way through it."""
    seen: list[Any] = []

    def watch(dice: Any, phase: Any, position: Any, seat: str) -> Any:
        seen.append(position)
        return dice.choice(list(phase.choices(position, seat)))

    last, _ = playout(MING, MING.options(), SEATS[:count], seed, watch)
    return seen[int(share * (len(seen) - 1))] if share < 1 else last


def long_names() -> str:
    """The standard board with the longest names a board may have."""
    text = (resources.files("pbem.titles.ming_dynasty") / "boards" / "standard.toml").read_text(encoding="utf-8")
    for province, longer in {"yunnan": "mmmmmmmmmmmmmmmmmmmm", "zhili": "beijing"}.items():
        text = text.replace(province, longer)
    return text


def test_names_of_another_board_are_capitalised_and_fit() -> None:
    root = drawn(playout(MING, MING.options(board=long_names()), SEATS[:3], 1)[0])
    sizes: dict[str, list[float]] = {}
    for element in root.iter(f"{SVG}text"):
        sizes.setdefault(element.text or "", []).append(float(element.get("font-size", "0")))
    assert sizes["Beijing"] == [21, 21] and sizes["Shaanxi"] == [21, 21]
    longest = sizes["Mmmmmmmmmmmmmmmmmmmm"]
    assert len(longest) == 2 and all(10 <= size < 21 and 20 * 0.7 * size <= 202 for size in longest)


@pytest.mark.parametrize(
    ("slug", "seats", "place"),
    [("ming-dynasty", 3, "yunnan-a"), ("azure", 2, "c3"), ("carolus-magnus", 3, "1"), ("year-of-the-dragon", 3, "")],
)
def test_the_legend_explains_only_what_is_marked(slug: str, seats: int, place: str) -> None:
    game = played_story(slug=slug, seats=seats, until=lambda position: position.phase.startswith("1."))
    after = game.chapters[-1].after
    known = game.title.known_places(after)
    place = place or next(name for name in sorted(known) if name in scene_ids(game.title.scene(after)["display"]))
    words = Words(game)
    template = assets.environment("html", game.title, words).get_template("title/scene.html.j2")

    def legend(touched: frozenset[str]) -> bool:
        return "something happened here" in template.render(words=words, touched=touched, **pages.board_context(game, after, words))

    assert place in known and legend(frozenset({place}))
    assert not legend(frozenset({"elsewhere"})) and not legend(frozenset())


def scene_ids(items: Any) -> set[str]:
    return {item["id"] for item in items}


def test_the_legend_of_the_board_tells_cities_and_houses() -> None:
    game = played_story(seats=3, until=lambda position: position.phase == "1.move")
    html = pages.report_html(game, game.chapters[-1].number, Words(game))
    assert "city, with three houses beside each of its districts" in html and "empty house" in html


def test_every_row_of_a_band_is_shaded_and_wide_tables_show_that_they_scroll() -> None:
    css = assets.text("site", "style.css")
    assert "tbody.band:nth-of-type(even) > tr > * { background: var(--tint); }" in css, "PDF readers shade cells, not groups of rows"
    assert " local," in css and " scroll;" in css and "table, tbody.band { break-inside: avoid; }" in css
