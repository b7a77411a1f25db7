import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.orders.findings import Unreadable
from pbem.orders.toml import read
from pbem.orders.write import LINE_CAP, dump, read_own

# Text without what no file may hold: control characters, halves of pairs, direction overrides.
texts = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"),
                max_size=12)
values = st.recursive(
    st.one_of(st.booleans(), st.integers(-(2**63), 2**63 - 1), texts, st.floats(allow_nan=False, allow_infinity=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)), max_leaves=6)
tables = st.dictionaries(st.one_of(texts, st.sampled_from(["orders", "game", "sealed"])), values, max_size=5)
orders = st.lists(st.dictionaries(texts, values, max_size=4), max_size=4)


def normalise(text: bytes) -> bytes:
    """A player's text read and written anew in normal form."""
    return dump(read_own(text))


def composed(value):
    if isinstance(value, dict):
        return {composed(key): composed(each) for key, each in value.items()}
    if isinstance(value, list):
        return [composed(each) for each in value]
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value


@given(st.one_of(tables, st.builds(lambda table, listed: table | {"orders": listed}, tables, orders)))
@settings(max_examples=150, deadline=None)
def test_what_is_written_reads_back_and_stays_as_it_is(table):
    try:
        data = dump(table)
    except Unreadable as refusal:
        assert refusal.findings[0].code in ("line-too-long", "key-twice")
        return
    assert read(data) == composed(table)
    assert dump(read(data)) == data
    assert b"\t" not in data
    assert b"\r" not in data
    assert all(len(line) <= LINE_CAP and line == line.rstrip(b" ") for line in data.split(b"\n"))


def test_orders_stand_one_a_line():
    table = {"game": "g", "orders": [{"do": "move", "path": ["a", "b"], "or": {"do": "pass"}}, {"do": "pass"}], "then": "ask"}
    assert dump(table).decode() == (
        'game = "g"\nthen = "ask"\norders = [\n'
        '  { do = "move", path = ["a", "b"], or = { do = "pass" } },\n  { do = "pass" },\n]\n')
    assert dump({"orders": []}) == b"orders = []\n"


def test_long_orders_are_broken_over_lines():
    table = {"game": "g", "orders": [{"do": "place", "provinces": ["guangdong"] * 100, "or": [{"do": "pass"}]}, {"do": "pass"}]}
    data = dump(table)
    assert data.count(b"[[orders]]") == 2
    assert max(map(len, data.split(b"\n"))) < 100
    assert read(data) == table


def test_a_players_own_text_becomes_the_normal_form():
    text = b'\xef\xbb\xbf# mine\r\ngame   =   "g"\t \r\nnote = "u\xcc\x88"\r\norders=[{do="pass"},]'
    assert normalise(text).decode() == 'game = "g"\nnote = "ü"\norders = [\n  { do = "pass" },\n]\n'


@pytest.mark.parametrize(("text", "code"), [
    ('note = "' + "x" * 893 + '"', "line-too-long"), ('note = "\\u0000"', "control-character"), ('note = "\u202e"', "direction-override"),
    ('"\u00fc" = 1\n"u\u0308" = 2', "key-twice"), ("a = ", "missing-value"),
])
def test_what_a_mail_path_would_change_is_refused(text, code):
    with pytest.raises(Unreadable) as caught:
        normalise(text.encode())
    assert caught.value.findings[0].code == code


def test_the_longest_line_passes():
    assert max(map(len, normalise(b'note = "' + b"x" * 891 + b'"').split(b"\n"))) == LINE_CAP
