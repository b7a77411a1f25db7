import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.orders.file import read_order
from pbem.orders.findings import Unreadable
from pbem.orders.making import sign_order
from pbem.orders.seal import make_seal_to, open_box, phase_public, read_plain, seal_info
from pbem.orders.signed import open_signed
from pbem.orders.toml import read

from .ssh import AN, BO
from .words import TYPES, Rest, Walk

SECRET, ID = bytes([5] * 32), bytes(range(16))
TEXT = ('# Round 3, move. You are An.\r\ngame = "winter-court"\nplayer = "an"\nphase = "3.move"\nrevision = 1   # raised by the tool\n'
        f'after = "7-{"0f" * 16}"\n\norders = [\n# {{ do = "walk" }},\n  {{ do = "rest" }},   # then sleep\n]\n').encode()
SEAL_TO = f'seal_to = "{make_seal_to(BO, ID, "3.move", 7, phase_public(SECRET))}"\n'.encode()
SEALED_TEXT = TEXT.replace(b"phase", SEAL_TO + b"phase")
OTHER = TEXT.replace(b'{ do = "rest" },', b'{ do = "walk", to = "b" },')
SEALED_OTHER = SEALED_TEXT.replace(b'{ do = "rest" },', b'{ do = "walk", to = "b" },')


def opened(data):
    signed, signer = open_signed(data, "order@pbem")
    assert signer == AN.public
    return read_order(signed.signed, TYPES)


def inside(data, revision):
    info = seal_info(ID, "an", AN.public.fingerprint(), "3.move", revision)
    return read_plain(open_box(opened(data).sealed, SECRET, info), TYPES)


def codes(text, **options):
    with pytest.raises(Unreadable) as caught:
        sign_order(text, AN, **options)
    return [(finding.code, finding.at) for finding in caught.value.findings]


def test_a_text_becomes_a_file_in_normal_form():
    made = sign_order(TEXT, AN, order_types=TYPES)
    order = opened(made.data)
    assert [plan.orders for plan in order.plans] == [(Rest(),)]
    assert b"Round 3" not in made.data
    assert b"\r" not in made.data
    assert (made.text, made.plain, made.revision, made.unchanged) == (None, None, 1, False)
    assert (made.game, made.player, made.phase) == ("winter-court", "an", "3.move")


def test_signing_again_changes_nothing():
    first = sign_order(TEXT, AN)
    again = sign_order(TEXT.replace(b"# then sleep", b"# and then?"), AN, existing=first.data)
    assert (again.data, again.text, again.unchanged) == (first.data, None, True)


def test_other_content_raises_the_revision_in_both():
    first = sign_order(TEXT, AN)
    second = sign_order(OTHER, AN, existing=first.data)
    assert (second.revision, opened(second.data).revision, second.unchanged) == (2, 2, False)
    assert second.text == OTHER.replace(b"revision = 1", b"revision = 2")
    third = sign_order(second.text.replace(b'"b"', b'"c"'), AN, existing=second.data)
    assert third.revision == 3
    # an old text, found again, is a new revision; the same text with its old number is the file it was
    assert sign_order(TEXT, AN, existing=third.data).revision == 4
    unchanged = sign_order(OTHER, AN, existing=second.data)
    assert (unchanged.data, unchanged.text) == (second.data, second.text)


def test_a_revision_the_player_raised_stands():
    first = sign_order(TEXT, AN)
    assert sign_order(TEXT.replace(b"revision = 1", b"revision = 9"), AN, existing=first.data).revision == 9
    assert sign_order(OTHER.replace(b"revision = 1", b"revision = 9"), AN, existing=first.data).revision == 9


@pytest.mark.parametrize("change", [(b"3.move", b"4.move"), (b"winter-court", b"spring-court"), (b'"an"', b'"bo"')])
def test_a_file_of_another_phase_game_or_seat_does_not_count(change):
    first = sign_order(OTHER.replace(*change).replace(b"revision = 1", b"revision = 5"), AN)
    assert sign_order(TEXT, AN, existing=first.data).revision == 1


@pytest.mark.parametrize("rubbish", [b"", b"rubbish", b"\xff" * 100, b"x" * 50_000, TEXT])
def test_a_file_that_cannot_be_read_does_not_count(rubbish):
    assert sign_order(TEXT, AN, existing=rubbish).revision == 1


def test_the_revision_ends_at_999():
    first = sign_order(TEXT.replace(b"revision = 1", b"revision = 999"), AN)
    assert codes(OTHER, existing=first.data) == [("out-of-range", "revision")]


def test_a_text_with_other_revisions_in_it_keeps_its_comments():
    text = OTHER.replace(b"# Round", b"# revision = 1\n# R").replace(b"game =", b"note = 'x revision = 1'\ngame =")
    second = sign_order(text, AN, existing=sign_order(TEXT, AN).data)
    assert second.text is not None
    assert second.text.count(b"revision = 1") == 2   # in comment and note
    assert read(second.text)["revision"] == 2


def test_where_the_number_cannot_be_found_the_text_is_written_anew():
    second = sign_order(OTHER.replace(b"revision =", b'"revision" ='), AN, existing=sign_order(TEXT, AN).data)
    assert read(second.text or b"") == read(OTHER) | {"revision": 2}


def test_a_text_that_asks_for_it_is_sealed():
    made = sign_order(SEALED_TEXT, AN, processor=BO.public)
    order = opened(made.data)
    assert (order.plans, order.revision, order.game) == (None, 1, "winter-court")
    assert b"seal_to" not in made.data
    assert b"rest" not in made.data
    plans, then = inside(made.data, 1)
    assert ([plan.orders for plan in plans], then) == ([(Rest(),)], "ask")
    assert made.plain is not None
    assert read_plain(made.plain, TYPES) == (plans, then)


def test_sealing_again_the_same_is_the_same_file():
    first = sign_order(SEALED_TEXT, AN, processor=BO.public)
    again = sign_order(SEALED_TEXT, AN, processor=BO.public, existing=first.data, existing_plain=first.plain)
    assert (again.data, again.plain, again.text, again.revision, again.unchanged) == (first.data, first.plain, None, 1, True)


def test_sealing_something_else_is_a_new_revision():
    first = sign_order(SEALED_TEXT, AN, processor=BO.public)
    for options in ({"existing_plain": first.plain}, {}):
        second = sign_order(SEALED_OTHER, AN, processor=BO.public, existing=first.data, **options)
        assert second.revision == 2
        assert inside(second.data, 2)[0][0].orders == (Walk(to="b"),)
        assert second.text == SEALED_OTHER.replace(b"revision = 1", b"revision = 2")
    # without its plain text nobody can tell whether the box says the same
    assert sign_order(SEALED_TEXT, AN, processor=BO.public, existing=first.data).revision == 2
    # a plain text of another box proves nothing
    stranger = sign_order(SEALED_TEXT, AN, processor=BO.public)
    assert sign_order(SEALED_TEXT, AN, processor=BO.public, existing=first.data, existing_plain=stranger.plain).revision == 2
    # a changed head line is a change
    noted = SEALED_TEXT.replace(b"game", b'note = "x"\ngame', 1)
    assert sign_order(noted, AN, processor=BO.public, existing=first.data, existing_plain=first.plain).revision == 2
    # sealed before, open now, and the other way round
    assert sign_order(TEXT, AN, existing=first.data).revision == 2
    assert sign_order(SEALED_TEXT, AN, processor=BO.public, existing=sign_order(TEXT, AN).data).revision == 2


def test_nothing_is_sealed_to_a_key_that_the_processor_did_not_sign():
    assert codes(SEALED_TEXT) == [("processor-unknown", "seal_to")]
    assert codes(SEALED_TEXT, processor=AN.public) == [("bad-seal-to", "seal_to")]
    assert codes(SEALED_TEXT.replace(b"3.move", b"4.move"), processor=BO.public) == [("bad-seal-to", "seal_to")]
    assert codes(TEXT.replace(b"phase", b"seal_to = 1\nphase"), processor=BO.public) == [("wrong-type", "seal_to")]


def test_a_plan_too_long_to_seal_is_refused():
    orders = b"".join(b'{ do = "rest", watch = ["%s"] },' % (b"x" * 700) for _ in range(31))
    assert codes(SEALED_TEXT.replace(b'{ do = "rest" },', orders), processor=BO.public) == [("too-large", "")]


@pytest.mark.parametrize(("old", "new", "expected"), [
    (b'"winter-court"', b'"W"', [("bad-form", "game")]),
    (b"revision = 1", b"revison = 1", [("unknown-key", "revison"), ("missing-key", "revision")]),
    (b'{ do = "rest" },', b"1, {},", [("wrong-type", "orders[0]"), ("missing-key", "orders[1].do")]),
    (b"orders = [", b"orders = 3 # [", [("stray-character", "line 10, column 3")]),
    (b"game =", b"sealed = 1\ngame =", [("unknown-key", "sealed")]),
    (b"game =", b"then = 1\ngame =", [("unknown-word", "then")]),
    (b"game =", b"note = 'x\t'\ngame =", [("not-one-line", "note")]),
])
def test_the_faults_of_a_text_are_named(old, new, expected):
    assert codes(TEXT.replace(old, new)) == expected


def test_orders_are_checked_when_their_kinds_are_known():
    text = TEXT.replace(b'"rest"', b'"rset"')
    assert opened_raw(sign_order(text, AN).data)["orders"][0]["do"] == "rset"
    assert codes(text, order_types=TYPES) == [("unknown-order", "orders[0].do")]


def opened_raw(data):
    return read(open_signed(data, "order@pbem")[0].signed)


@given(st.lists(st.sampled_from([TEXT, OTHER, SEALED_TEXT, SEALED_OTHER, TEXT.replace(b"rest", b"bid")]), min_size=2, max_size=5))
@settings(max_examples=25, deadline=None)
def test_no_two_different_files_carry_the_same_revision(texts):
    made = {}
    existing = plain = None
    for text in texts:
        signed = sign_order(text, AN, processor=BO.public, existing=existing, existing_plain=plain)
        existing, plain = signed.data, signed.plain
        assert made.setdefault(signed.revision, signed.data) == signed.data
