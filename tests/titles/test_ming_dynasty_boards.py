"""Boards of Ming Dynasty: the standard one, one of another shape, and what is no board."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pbem.engine.playout import playout
from pbem.engine.refusals import Malformed
from pbem.titles.ming_dynasty import title
from pbem.titles.ming_dynasty.board import load, names, parse
from pbem.titles.ming_dynasty.vocabulary import DRAGON, Bids, Move, Options
from pbem.titles.ming_dynasty.walks import ways

from .ming_dynasty_pieces import pieces

SEATS = ["an", "bo", "chen", "dai"]
RIVER = (Path(__file__).parent / "boards" / "river.toml").read_text(encoding="utf-8")


def changed(**keys: Any) -> str:
    return tomli_w.dumps(tomllib.loads(RIVER) | keys)


def code_of(text: str) -> str:
    with pytest.raises(Malformed) as refusal:
        load(text)
    return refusal.value.code


def test_standard_board() -> None:
    board = load("standard")
    assert names() == ["standard"]
    assert board.provinces == ("shaanxi", "zhili", "sichuan", "nanjing", "yunnan", "guangdong")
    assert len(board.districts) == 18
    assert [sum(kind == transport for _, _, kind in board.borders) for transport in board.transports] == [9, 9, 9]
    for district in board.districts:
        for other, transport in board.neighbours[district]:
            assert (district, transport) in board.neighbours[other]
            assert board.transport[district, other] == transport


def test_a_board_is_loaded_once() -> None:
    assert load("standard") is load("standard")
    assert load(RIVER) is load(RIVER)


@given(st.text(max_size=200))
def test_any_text_is_a_board_or_refused(text: str) -> None:
    with pytest.raises(Malformed):
        parse(text)


@pytest.mark.parametrize("text", ["x = " + "[" * 5000 + "\n", "x = 1\n" * 20_000, "name = 1979-05-27\n", "name = 1e400\n"])
def test_strange_boards_are_refused(text: str) -> None:
    assert code_of(text) == "board-unreadable"


def test_own_board_is_played_on() -> None:
    text = (title.files / "boards" / "standard.toml").read_text(encoding="utf-8")
    other = text.replace('["yunnan-a", "yunnan-b", "junk"]', '["yunnan-a", "yunnan-b", "horse"]')
    last, _ = playout(title, Options(board=other), SEATS[:3], 1)
    assert last.phase == "over"
    assert load(last.board).transport["yunnan-b", "yunnan-a"] == "horse"
    assert load("standard").transport["yunnan-b", "yunnan-a"] == "junk"


# -- a board of another shape -----------------------------------------------------------------------------------------------


def test_the_board_file_says_everything() -> None:
    board = load(RIVER)
    assert board.provinces == ("fujian", "jiangxi", "hunan", "hubei", "henan", "gansu")
    assert board.transports == ("junk", "rickshaw", "horse")
    assert board.districts[:4] == ("fujian-a", "fujian-b", "fujian-c", "jiangxi-a")
    assert ("fujian-b", "horse") in board.neighbours["gansu-b"]
    assert ("henan-a", "henan-c") not in board.transport


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("bids", ["together", "by-province"])
def test_whole_games_on_it(players: int, bids: Bids) -> None:
    last, steps = playout(title, Options(board=RIVER, bids=bids), SEATS[:players], "river")
    assert last.phase == "over"
    events = [event for step in steps for event in step.events]
    counts = pieces(last, events)
    assert (counts["junk"], counts["rickshaw"], counts["horse"], counts[DRAGON]) == (15, 8, 4, 9)
    assert all(counts[f"tiles of {province}"] == 7 for province in load(RIVER).provinces)
    assert {step.phase.partition(".")[2] for step in steps} >= {"prince", "place", "draw", "move"}
    known = title.known_places(last)
    assert "fujian-a" in known and "yunnan-a" not in known
    assert all(title.places(event) <= known for event in events)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(load(RIVER).districts), st.lists(st.sampled_from(["junk", "rickshaw", "horse", DRAGON]), min_size=1, max_size=5))
def test_walks_on_it(start: str, hand: list[str]) -> None:
    board, held = load(RIVER), Counter(hand)
    assume(all(number <= board.movement_cards[card] for card, number in held.items() if card != DRAGON))
    at = title.read_position({
        "phase": "1.move", "seats": SEATS[:2], "board": RIVER, "deck": {}, "display": {},
        "players": {"an": {"prince": start, "cards": dict(held)}},
    })  # fmt: skip
    phase = title.phase(at)
    assert phase is not None
    found = ways(RIVER, start, held)
    for way in found:
        steps = list(zip((start, *way.path), way.path, strict=False))
        assert all(card in (board.transport[step], DRAGON) for step, card in zip(steps, way.pay, strict=True))
        assert not Counter(way.pay) - held
    first = {way.district: way for way in reversed(found)}
    for district, way in first.items():
        if district != at.players["bo"].prince:
            assert phase.complete(at, "an", Move(to=district)) == Move(path=way.path, pay=way.pay)


def test_its_picture() -> None:
    last, _ = playout(title, Options(board=RIVER), SEATS[:2], 3)
    scene = title.scene(last)
    assert len(scene["districts"]) == 18
    assert [(border["from"], border["to"]) for border in scene["borders"] if border["bridge"]] == [("gansu-b", "fujian-b")]
    assert [edge["between"] for edge in scene["closed"]] == [["henan-a", "henan-c"]]
    hexagons = {hexagon["id"]: hexagon["city"] for hexagon in scene["hexagons"]}
    assert hexagons["gansu"][0] < hexagons["henan"][0] < hexagons["fujian"][0]
    assert all(space["y"] + space["height"] <= scene["height"] for space in scene["spaces"])


# -- what is no board -------------------------------------------------------------------------------------------------------


def borders(*extra: list[str], without: str = "") -> list[list[str]]:
    kept = [border for border in tomllib.loads(RIVER)["borders"] if not (without and any(end.startswith(without) for end in border[:2]))]
    return [*kept, *extra]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("board-unknown-district", changed(borders=borders(["fujian-a", "hunnan-a", "junk"]))),
        ("board-unknown-district", changed(borders=borders(["fujian-a", "fujian-d", "junk"]))),
        ("board-border-twice", changed(borders=borders(["fujian-c", "jiangxi-a", "horse"]))),
        ("board-border-to-itself", changed(borders=borders(["fujian-c", "fujian-c", "horse"]))),
        ("board-unconnected", changed(borders=borders(without="hunan-b"))),
        ("board-unknown-transport", changed(borders=borders(["fujian-a", "gansu-a", "camel"]))),
        ("board-unknown-transport", changed(transports={"junk": 30, "camel": 30})),
        ("board-card-count", changed(transports={"junk": 40, "rickshaw": 0, "horse": 10})),
        ("board-card-count", changed(transports={"junk": 40, "horse": 10})),
        ("board-card-count", changed(transports={"junk": 40, "rickshaw": -3, "horse": 10})),
        ("board-number", changed(dragons=3)),
        ("board-number", changed(houses_per_district=2)),
        ("board-number", changed(tiles_per_province=2)),
        ("board-provinces", changed(provinces=tomllib.loads(RIVER)["provinces"][:5])),
        ("board-provinces", changed(provinces=[])),
        ("board-province-twice", changed(provinces=[*tomllib.loads(RIVER)["provinces"][:5], tomllib.loads(RIVER)["provinces"][0]])),
        ("board-unreadable", changed(rivers=1)),
        ("board-unreadable", changed(borders=[["fujian-a", "fujian-b"]])),
    ],
)
def test_a_bad_board_is_refused_with_the_reason(code: str, text: str) -> None:
    assert code_of(text) == code
    with pytest.raises(Malformed):
        playout(title, Options(board=text), SEATS[:2], 1)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_too_few_movement_cards_for_so_many(players: int) -> None:
    needed = 5 * players + 7
    enough = changed(transports={"junk": needed - 5, "rickshaw": 2, "horse": 3})
    assert playout(title, Options(board=enough), SEATS[:players], 1)[0].phase == "over"
    too_few = changed(transports={"junk": needed - 6, "rickshaw": 2, "horse": 3})
    with pytest.raises(Malformed) as refusal:
        playout(title, Options(board=too_few), SEATS[:players], 1)
    assert refusal.value.code == "board-too-few-cards"
    assert refusal.value.facts == {"found": needed - 1, "needed": needed, "players": players}
