import pytest

from pbem.orders.file import read_order
from pbem.orders.findings import Unreadable
from pbem.orders.seal import seal

from .words import TYPES, Rest, Walk

AFTER = "7-" + "0f" * 16
HEAD = f'game = "winter-court"\nplayer = "an"\nphase = "3.move"\nrevision = 1\nafter = "{AFTER}"\n'
ORDERS = 'orders = [\n  { do = "rest" },\n]\n'


def read(text):
    return read_order(text.encode(), TYPES)


def codes(text):
    with pytest.raises(Unreadable) as caught:
        read(text)
    return [(finding.code, finding.at) for finding in caught.value.findings]


def test_a_file_reads():
    order = read(HEAD + 'note = "Sorry, Bo."\nthen = "pass"\n' + ORDERS)
    assert (order.game, order.player, order.phase, order.revision, order.after) == ("winter-court", "an", "3.move", 1, AFTER)
    assert (order.note, order.then, order.sealed) == ("Sorry, Bo.", "pass", None)
    assert [plan.orders for plan in order.plans] == [(Rest(),)]
    assert order.raw["revision"] == 1


def test_both_ways_to_write_orders_are_read():
    plans = read(HEAD + '[[orders]]\ndo = "walk"\nto = "b"\n[orders.or]\ndo = "rest"\n[[orders]]\ndo = "rest"\n').plans
    assert [plan.orders for plan in plans] == [(Walk(to="b"), Rest()), (Rest(),)]
    assert read(HEAD + "orders = []").plans == ()


def test_what_may_be_left_out():
    order = read(HEAD + ORDERS)
    assert (order.note, order.then) == (None, "ask")


def test_a_head_line_below_the_orders_is_one_fault():
    text = HEAD.replace("revision = 1\n", "") + '[[orders]]\ndo = "rest"\nrevision = 1\n'
    assert codes(text) == [("key-below-orders", "orders[0].revision")]


@pytest.mark.parametrize(("old", "new", "expected"), [
    ('"winter-court"', '"Winter"', [("bad-form", "game")]),
    ('"winter-court"', '"' + "x" * 41 + '"', [("bad-form", "game")]),
    ('player = "an"\n', "", [("missing-key", "player")]),
    ("player", "playr", [("unknown-key", "playr"), ("missing-key", "player")]),
    ('"3.move"', "3", [("wrong-type", "phase")]),
    ('"3.move"', '"3 move"', [("bad-form", "phase")]),
    ("revision = 1", "revision = 0", [("out-of-range", "revision")]),
    ("revision = 1", "revision = 1000", [("out-of-range", "revision")]),
    ("revision = 1", "revision = true", [("wrong-type", "revision")]),
    ("revision = 1", "revision = 1.0", [("wrong-type", "revision")]),
    (AFTER, "7-0f", [("bad-form", "after")]),
    (AFTER, AFTER.upper(), [("bad-form", "after")]),
    (AFTER, "0" + AFTER, [("bad-form", "after")]),
    (AFTER, AFTER + "\\n", [("bad-form", "after")]),
    ("game", "note = 3\ngame", [("wrong-type", "note")]),
    ("game", f'note = "{"x" * 281}"\ngame', [("wrong-length", "note")]),
    ("game", 'note = "a\\nb"\ngame', [("not-one-line", "note")]),
    ("game", 'note = "a\u2028b"\ngame', [("not-one-line", "note")]),
    ("game", 'then = "pas"\ngame', [("unknown-word", "then")]),
    ("game", 'then = ["pass"]\ngame', [("unknown-word", "then")]),
    ("game", 'seal_to = "x"\ngame', [("seal-to-left", "seal_to")]),
    (ORDERS, "", [("missing-key", "orders")]),
    (ORDERS, 'orders = "rest"\n', [("wrong-type", "orders")]),
    (ORDERS, '[orders]\ndo = "rest"\n', [("wrong-type", "orders")]),
    (ORDERS, 'orders = [{ do = rest }]', [("unquoted-word", "line 6, column 18")]),
])
def test_each_fault_is_named(old, new, expected):
    text = HEAD + ORDERS
    assert old in text
    assert codes(text.replace(old, new, 1)) == expected


def test_all_faults_are_found_at_once():
    text = 'game = "W"\nx = 1\norders = [{ do = "rset" }, { do = "walk" }]\n'
    assert codes(text) == [
        ("unknown-key", "x"), ("bad-form", "game"), ("missing-key", "player"), ("missing-key", "phase"), ("missing-key", "revision"),
        ("missing-key", "after"), ("unknown-order", "orders[0].do"), ("missing-key", "orders[1].to")]


def test_a_sealed_file_reads_to_its_box():
    from pbem.orders.write import dump
    box = seal(b"plain", bytes([9]) + bytes(31), b"info")
    sealed = dump({"sealed": box.table()}).decode()
    order = read(HEAD + sealed)
    assert (order.plans, order.sealed, order.then) == (None, box, "ask")
    assert codes(HEAD + ORDERS + 'then = "pass"\n' + sealed) == [("open-beside-sealed", "orders"), ("open-beside-sealed", "then")]
    assert codes(HEAD + sealed.replace("commitment", "comitment")) == [("bad-sealed", "sealed")]
    assert codes(HEAD + "sealed = 3") == [("bad-sealed", "sealed")]


def test_a_note_of_280_signs_of_any_script():
    note = "明" * 280
    assert read(f'note = "{note}"\n' + HEAD + ORDERS).note == note
