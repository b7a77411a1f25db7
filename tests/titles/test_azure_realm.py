"""The boards of Azure: what the rules say about them, checked on the data."""

from __future__ import annotations

import tomllib
from collections import Counter
from itertools import permutations, product

import pytest

from pbem.engine.refusals import Malformed
from pbem.titles.azure import title
from pbem.titles.azure.lines import SPACES
from pbem.titles.azure.realm import Realm, Space, boards, realm, space, turned
from pbem.titles.azure.vocabulary import COLOURS

PLAIN = tuple(f"{colour}-1-0" for colour in COLOURS)


def cells(side: str) -> list[Space]:
    return [space(text, side[:-2]) for row in boards()[side] for text in row]


def laid_in_every_way() -> list[tuple[str, ...]]:
    sides = ("1-0", "1-1", "1-2", "1-3", "2-0", "2-1", "2-2", "2-3")
    return [
        tuple(f"{colour}-{side}" for colour, side in zip(order, chosen, strict=True))
        for order in permutations(COLOURS)
        for chosen in product(sides, repeat=4)
    ]  # fmt: skip


def test_both_sides_of_a_board_hold_the_same_spaces() -> None:
    for colour in COLOURS:
        assert Counter(it.text for it in cells(f"{colour}-1")) == Counter(it.text for it in cells(f"{colour}-2"))


def test_a_board_has_one_mountain_and_never_its_own_qi() -> None:
    for side in boards():
        assert sum(it.mountain for it in cells(side)) == 1
        assert side[:-2] not in {it.qi for it in cells(side)}


def test_snake_spaces_are_those_of_one_qi_and_no_wisdom() -> None:
    for side in boards():
        assert [it.snake for it in cells(side)] == [it.text.endswith("*") for it in cells(side)]
    assert [sum(it.snake for it in cells(f"{colour}-2")) for colour in COLOURS] == [2, 2, 1, 3]


def test_seven_qi_symbols_of_each_colour() -> None:
    symbols = Counter(it.qi for colour in COLOURS for it in cells(f"{colour}-1") for _ in range(it.number))
    assert symbols == dict.fromkeys(COLOURS, 7)


def test_wisdom_per_board() -> None:
    assert [sum(it.wisdom for it in cells(f"{colour}-1")) for colour in COLOURS] == [15, 15, 16, 15]


def test_symbols_of_a_space() -> None:
    assert space("VV w1", "azure") == Space("VV w1", "azure", "vermilion", 2, 1, False)
    assert space("w6", "black").symbols == 6
    assert space("B*", "white").symbols == 1


def test_four_quarter_turns_are_none() -> None:
    for rows in boards().values():
        assert turned(rows, 4) == turned(rows, 0) == rows
        assert turned(turned(rows, 1), 3) == rows


def test_24576_realms_up_to_rotation() -> None:
    def quarter_turn(laid: tuple[str, ...]) -> tuple[str, ...]:
        # the bottom left quadrant comes to the top left, and every board turns along
        return tuple(f"{laid[at][:-1]}{(int(laid[at][-1]) + 1) % 4}" for at in (2, 0, 3, 1))

    every = laid_in_every_way()
    assert len(set(every)) == len(every) == 98_304
    first = set()
    for laid in every:
        ways = [laid]
        for _ in range(3):
            ways.append(quarter_turn(ways[-1]))
        assert quarter_turn(ways[-1]) == laid
        first.add(min(ways))
    assert len(first) == 24_576


def test_a_realm_turned_as_a_whole_is_the_same_realm() -> None:
    def whole(it: Realm) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(it.spaces[f"{column}{row}"].text for column in "abcdef") for row in range(1, 7))

    for laid in laid_in_every_way()[:: 98_304 // 40]:
        by_hand = tuple(f"{laid[at][:-1]}{(int(laid[at][-1]) + 1) % 4}" for at in (2, 0, 3, 1))
        assert whole(realm(*by_hand)) == turned(whole(realm(*laid)), 1)


def test_what_every_realm_has() -> None:
    for laid in laid_in_every_way()[:: 98_304 // 200]:
        it = realm(*laid)
        assert tuple(it.spaces) == SPACES
        assert len(it.snakes) == 8
        assert [it.spaces[it.mountains[colour]].domain for colour in COLOURS] == list(COLOURS)
        assert all(len(it.in_domain[colour]) == 9 for colour in COLOURS)
        blocked = set(it.mountains.values())
        for name in SPACES:
            assert all(not set(way[:-1]) & blocked for way in it.straight[name])
            assert 3 <= len(it.around[name]) <= 8
            for way in it.straight[name]:
                assert all(each[0] == name[0] or each[1] == name[1] for each in way)
            for each in it.diagonal[name] - blocked:
                assert name in blocked or name in it.diagonal[each]
                assert abs(ord(each[0]) - ord(name[0])) == abs(int(each[1]) - int(name[1]))


@pytest.mark.parametrize(
    "laid",
    [PLAIN[:3], (*PLAIN, "azure-1-0"), ("azure-3-0", *PLAIN[1:]), ("azure-1-4", *PLAIN[1:]), ("azure", *PLAIN[1:]), ("azure-1-0",) * 4, ()],
)
def test_realms_that_cannot_be_laid(laid: tuple[str, ...]) -> None:
    with pytest.raises(Malformed) as refusal:
        realm(*laid)
    assert refusal.value.code == "realm-unknown"


def test_the_board_file_is_readable_to_people_too() -> None:
    text = (title.files / "boards" / "domains.toml").read_text(encoding="utf-8")
    assert set(tomllib.loads(text)) == set(COLOURS)
