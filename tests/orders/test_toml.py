import time
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.orders.findings import Unreadable
from pbem.orders.signed import CAP
from pbem.orders.toml import read


def finding(text, **options):
    with pytest.raises(Unreadable) as caught:
        read(text if isinstance(text, bytes) else text.encode(), **options)
    [found] = caught.value.findings
    return found


ORDERS = 'game = "g"\norders = [\n  { do = "move", deploy = 3 },\n  { do = "pass" },\n]\n'

SLIPS = [
    # text, code, line, column, other facts
    ('orders = [\n  { do = "move",\n    deploy = 3 },\n]', "line-break-in-braces", 2, 17, {"opened": 2}),
    ('a = {\n  b = 1 }', "line-break-in-braces", 1, 6, {"opened": 1}),
    ('a = { b = 1, # why\n c = 2 }', "line-break-in-braces", 1, 14, {"opened": 1}),
    ('a = { b = 1\n}', "line-break-in-braces", 1, 12, {}),
    ('orders = [\n  { do = "pass" }\n  { do = "stay" },\n]', "missing-comma", 2, 18, {"opened": 1}),
    ('a = { b = 1 c = 2 }', "missing-comma", 1, 12, {}),
    ('a = [1 2]', "missing-comma", 1, 7, {}),
    ('a = ["b" "c"]', "missing-comma", 1, 9, {}),
    ("a = move", "unquoted-word", 1, 5, {"found": "move"}),
    ("a = [yunnan-a]", "unquoted-word", 1, 6, {"found": "yunnan-a"}),
    ("a = 明", "unquoted-word", 1, 5, {"found": "明"}),
    ("a = “move”", "typographic-quotes", 1, 5, {"found": "“"}),
    ("a = [‘move’]", "typographic-quotes", 1, 6, {"found": "‘"}),
    ("“a” = 1", "typographic-quotes", 1, 1, {}),
    ('a : "move"', "colon-for-equals", 1, 3, {"key": "a"}),
    ("a = { b: 1 }", "colon-for-equals", 1, 8, {"key": "b"}),
    ("a = True", "capital-boolean", 1, 5, {"nearest": "true"}),
    ("a = { b = FALSE }", "capital-boolean", 1, 11, {"nearest": "false"}),
    ("a = 1\nb = 2\na = 3", "key-twice", 3, 1, {"key": "a", "first": 1}),
    ("a = { b = 1, b = 2 }", "key-twice", 1, 14, {"key": "b"}),
    ("[a]\n[a]\n", "key-twice", 2, 3, {"first": 1}),
    ("[[a]]\nb = 1\nb = 2", "key-twice", 3, 1, {"key": "a.b", "first": 2}),
    ("a.b = 1\na.b.c = 2", "key-twice", 2, 10, {}),
    ("a = { b = 1, }", "trailing-comma-in-braces", 1, 12, {}),
    ("a = { b = 1,\n}", "trailing-comma-in-braces", 1, 13, {}),
    ("a =\u00a01", "no-break-space", 1, 4, {"found": "U+00A0"}),
    ("a\u00a0= 1", "no-break-space", 1, 2, {}),
    ("a = [1,\u202f2]", "no-break-space", 1, 8, {"found": "U+202F"}),
    ("\u200ba = 1", "no-break-space", 1, 1, {"found": "U+200B"}),
    ("a = 1\u3000", "no-break-space", 1, 6, {}),
    ("orders = []\norders = []", "orders-twice", 2, 1, {"first": 1}),
    ('orders = []\n[[orders]]\ndo = "pass"', "orders-twice", 2, 9, {"first": 1}),
    ('[[orders]]\ndo = "pass"\n[orders]', "orders-twice", 3, 8, {"first": 1}),
    ('orders = [\n  { do = "pass" },\nthen = "ask"\n', "bracket-not-closed", 1, 10, {"found": "[", "key": "then"}),
    ('orders = [\n  { do = "pass" },\n', "bracket-not-closed", 1, 10, {"found": "["}),
    ('orders = [\n  { do = "pass"\n  { do = "pass" },\n]', "bracket-not-closed", 2, 3, {"found": "{"}),
    ('a = { b = 1', "bracket-not-closed", 1, 5, {"found": "{"}),
    ('orders = [ do = "pass" ]', "braces-missing", 1, 12, {"key": "do"}),
    ('a = "b",', "comma-at-line-end", 1, 8, {}),
    ("a = 1 b = 2", "text-after-value", 1, 7, {"found": "b"}),
    ("Hello there", "missing-equals", 1, 7, {"key": "Hello"}),
    ("a =\nb = 1", "missing-value", 1, 4, {}),
    ("a = [,]", "missing-value", 1, 6, {}),
    ("= 1", "stray-character", 1, 1, {"found": "="}),
    ('{ do = "pass" },', "stray-character", 1, 1, {"found": "{"}),
    ("a == 1", "stray-character", 1, 4, {"found": "="}),
    ("a = [1,\n}", "stray-character", 2, 1, {"found": "}"}),
    ("a = 1;", "text-after-value", 1, 6, {"found": ";"}),
    ("a = [1}", "stray-character", 1, 7, {"found": "}"}),
    ("a = {b = 1]", "stray-character", 1, 11, {"found": "]"}),
    ("a = {, b = 1}", "stray-character", 1, 6, {"found": ","}),
    ("[a", "header-not-closed", 1, 1, {"expected": "]"}),
    ("[[a]", "header-not-closed", 1, 1, {"expected": "]]"}),
    ("a. = 1", "bad-key-character", 1, 4, {"found": "="}),
    ("a.", "missing-key-name", 1, 3, {}),
    ("größe = 1", "bad-key-character", 1, 3, {"found": "ö"}),
    ('"""a""" = 1', "bad-key-character", 1, 1, {}),
    ("a ＝ 1", "full-width-character", 1, 3, {"found": "＝", "nearest": "="}),
    ("a = [1，2]", "full-width-character", 1, 7, {"nearest": ","}),
    ('a = "b', "string-not-closed", 1, 5, {"found": '"'}),
    ("a = 'b\n'", "string-not-closed", 1, 5, {"found": "'"}),
    ('a = """b\n\n', "string-not-closed", 1, 5, {"found": '"""'}),
    ('a = "\\q"', "bad-escape", 1, 6, {"found": "\\q"}),
    ('a = "\\u12"', "bad-escape", 1, 6, {}),
    ('a = "\\ud800"', "control-character", 1, 6, {"found": "U+D800"}),
    ('a = "\\U00110000"', "bad-escape", 1, 6, {}),
    ('a = "\\u0000"', "control-character", 1, 6, {"found": "U+0000"}),
    ('a = """\n\\u202e"""', "direction-override", 2, 1, {"found": "U+202E"}),
    ("a = 1\n# \u202e", "direction-override", 2, 3, {}),
    ("a = 1\n# \x00", "control-character", 2, 3, {"found": "U+0000"}),
    ("a = 1\rb = 2", "control-character", 1, 6, {"found": "U+000D"}),
    ("a = '\x7f'", "control-character", 1, 6, {}),
    ("a = 01", "bad-number", 1, 5, {"found": "01"}),
    ("a = 3cards", "bad-number", 1, 5, {}),
    ("a = 1_", "bad-number", 1, 5, {}),
    ("a = ?", "bad-value", 1, 5, {"found": "?"}),
    ("a = -", "bad-value", 1, 5, {"found": "-"}),
    ("a = " + "9" * 65, "number-too-long", 1, 5, {}),
    ("a = 9223372036854775808", "number-too-long", 1, 5, {}),
    ("a = nan", "number-not-finite", 1, 5, {}),
    ("a = [-inf]", "number-not-finite", 1, 6, {}),
    ("a = 1e999", "number-not-finite", 1, 5, {}),
    ("a = 2026-12-01", "date-not-allowed", 1, 5, {"found": "2026-12-01"}),
    ("a = 2026-12-01 20:00:00", "date-not-allowed", 1, 5, {"found": "2026-12-01 20:00:00"}),
    ("a = " + "[" * 17 + "]" * 17, "nested-too-deep", 1, 21, {"limit": 16}),
    ("a = " + "{a=" * 17, "nested-too-deep", 1, 53, {}),
    (".".join("a" * 17) + " = 1", "dotted-too-deep", 1, 34, {"limit": 16}),
    ("[" + ".".join("a" * 17) + "]", "dotted-too-deep", 1, 35, {}),
    # what only TOML 1.1 allows
    ('a = "\\e"', "not-toml-1-0", 1, 6, {"found": "\\e"}),
    ('a = "\\x41"', "not-toml-1-0", 1, 6, {"found": "\\x"}),
    ("a = 20:00", "not-toml-1-0", 1, 5, {"found": "seconds"}),
    ("a = 2026-12-01T20:00Z", "not-toml-1-0", 1, 5, {"found": "seconds"}),
    # what only building the tables shows
    ("a.b = 1\n[a]\nc = 1", "key-twice", 2, 3, {}),
    ("a = [1]\n[a.b]", "key-twice", 2, 5, {}),
]


@pytest.mark.parametrize(("text", "code", "line", "column", "facts"), SLIPS, ids=[f"{slip[1]}-{i}" for i, slip in enumerate(SLIPS)])
def test_each_slip_is_named_where_it_is(text, code, line, column, facts):
    found = finding(text)
    assert (found.code, found.at) == (code, f"line {line}, column {column}")
    assert (found.facts["line"], found.facts["column"]) == (line, column)
    assert facts.items() <= found.facts.items()
    assert found.facts["quoted"] == text.split("\n")[line - 1].strip()[:80]


def test_windows_line_ends_do_not_move_the_place():
    assert finding(b"a = 1\r\nb = move\r\n").at == "line 2, column 5"


def test_a_long_line_is_quoted_short():
    quoted = finding("a = move" + " " * 300 + "# " + "x" * 5000).facts["quoted"]
    assert quoted.startswith("a = move")
    assert len(quoted) == 80


@pytest.mark.parametrize(("data", "code"), [
    (b"\xef\xbb\xbfa = 1", "byte-order-mark"), (b"a = '\xff'", "not-utf8"), ("a = 1".encode("utf-16"), "not-utf8"),
    (b"a" * (CAP + 1), "too-large"),
])
def test_other_bytes_than_utf8_are_refused(data, code):
    assert finding(data).code == code


def test_a_text_of_another_editor_is_recognised():
    assert finding("a = 1".encode("utf-16")).facts["guess"] == "utf-16"
    assert finding(b"ab\n = '\xff'").at == "line 2, column 5"


def test_what_toml_allows_is_read():
    text = (
        ORDERS + "\t# a tab, then a comment\r\n"
        + 'a.b."c d" = \'C:\\x\'\n"\\u00e9" = """\n  one \\\n   two""three"""""\n'
        + "l = '''\na\\q''b'''\nf = [1.5, 0.0, -1e3, 6.02E23, +1_000, 0xFF, 0o17, 0b11, -0,] # c\nempty = { }\n"
        + "[x.y]\n[[x.z]]\nk = 1\n[[x.z]]\nk = 2\n[x]\n"
    )
    assert read(text.encode()) == tomllib.loads(text)
    assert read(b"") == {}


def test_subtables_of_each_order_are_their_own():
    text = '[[orders]]\ndo = "a"\n[orders.or]\ndo = "b"\n[[orders]]\ndo = "c"\n[orders.or]\ndo = "d"\n'
    assert read(text.encode()) == tomllib.loads(text)
    assert finding(text + "[orders.or]\n").facts["key"] == "orders.or"


def test_dates_where_they_are_asked_for():
    text = "a = 2026-12-01T20:00:00Z\nb = 2026-12-01 20:00:00.5+01:00\nc = 2026-12-01\nd = 20:00:00\n"
    assert read(text.encode(), dates=True) == tomllib.loads(text)
    assert finding("a = 2026-02-30", dates=True).code == "syntax"
    assert finding("a = 20:00", dates=True).code == "not-toml-1-0"


def test_a_larger_cap_where_it_is_asked_for():
    text = b"a = '" + b"x" * CAP + b"'"
    assert finding(text).code == "too-large"
    assert len(read(text, cap=2 * CAP)["a"]) == CAP


# Small alphabets of whole tokens reach deep into the grammar.
TOKENS = [
    "a", "b", "orders", "=", ":", ".", ",", "[", "]", "[[", "]]", "{", "}", '"', "'", '"""', "'''", "\\", "\\u0041", "\n", "\r\n", " ",
    "\t", "#", "1", "-1", "0x", "1.5", "e9", "true", "True", "nan", "2026-12-01", "20:00", "\u00a0", "“", "é", "\x00", "do = ", "{ a = 1 }",
    "]\n", "\\e",
]
SOUP = st.lists(st.sampled_from(TOKENS), max_size=40).map("".join)


def mutated(text):
    """A good file with a few tokens put in or cut out."""
    edits = st.lists(st.tuples(st.integers(0, len(text)), st.integers(0, 4), st.sampled_from(["", *TOKENS])), max_size=3)

    def edit(changes):
        changed = text
        for at, cut, put in changes:
            changed = changed[:at] + put + changed[at + cut:]
        return changed
    return edits.map(edit)


@given(st.one_of(SOUP, mutated(ORDERS), mutated('a.b = { c = ["d", 1.5] }\n[x]\ny = """z"""\n[[x.w]]\nv = true\n')))
@settings(max_examples=600, deadline=None)
def test_we_take_nothing_that_the_parser_of_python_does_not_and_refuse_little_more(text):
    try:
        ours = read(text.encode(), dates=True)
    except Unreadable as refusal:
        [found] = refusal.findings
        assert found.code
        if found.code not in ("control-character", "number-not-finite", "byte-order-mark", "not-toml-1-0"):
            with pytest.raises(tomllib.TOMLDecodeError):
                tomllib.loads(text)
        assert found.code != "syntax" or "2026" in text
        return
    assert ours == tomllib.loads(text)


@given(st.binary(max_size=300))
@settings(max_examples=100)
def test_no_bytes_give_anything_but_a_refusal(data):
    try:
        read(data)
    except Unreadable as refusal:
        assert refusal.findings[0].code


HOSTILE = [
    "a = " + "[" * 16000, "a = " + "{a=" * 8000, ".".join("a" * 16000) + " = 1", "[" + ".".join("a" * 16000) + "]",
    "a = " + "9" * 32000, "[[a]]\n" * 5000, "[[a]]\nb=1\n" * 3000, "\n".join(f"[[a{i}]]" for i in range(3000)),
    "\n".join(f"[a{i}]" for i in range(3000)), 'a = """' + "\\n" * 16000, 'a = """' + "\\n" * 15000 + '"""', 'a = "' + "\\n" * 16000,
    'a = """' + '""\\"' * 8000 + '"""', "a = [" + "1," * 16000 + "]", "a = [" + "#\n" * 16000, "#" * 32000, "\n" * 32000, " " * 32000,
    "a = {" + ",".join(f"b{i}=1" for i in range(3500)) + "}", "\n".join(f"a{i}=1" for i in range(3500)), "a = '" + "x" * 32000,
    "a\n" * 16000, "a = [" + "[],\n" * 8000 + "x", "\n".join(f"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o{i}=1" for i in range(800)),
    "\n".join(f"[[{'.'.join('abcdefghijklmno')}]]" for _ in range(900)), "a = 0." + "1" * 30000, "a = " + "-" * 32000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_take_no_time(text):
    start = time.process_time()
    try:
        read(text[:CAP].encode())
    except Unreadable as refusal:
        assert len(str(refusal.findings[0].facts)) < 1000
    assert time.process_time() - start < 0.5
