import pytest

from pbem.orders.findings import Unreadable
from pbem.orders.request import read_request
from pbem.orders.write import dump

from .words import TYPES, Walk

HEAD = {"game": "winter-court", "player": "an", "after": "7-" + "0f" * 16, "number": 3}


def test_a_request_reads():
    request = read_request(dump(HEAD | {"request": {"do": "walk", "to": "b"}}), TYPES)
    assert (request.game, request.player, request.after, request.number) == tuple(HEAD.values())
    assert request.request == Walk(to="b")
    assert request.raw["number"] == 3


@pytest.mark.parametrize(("table", "expected"), [
    (HEAD, [("missing-key", "request")]),
    (HEAD | {"request": []}, [("wrong-type", "request")]),
    (HEAD | {"request": {"do": "wakl"}}, [("unknown-order", "request.do")]),
    (HEAD | {"request": {"do": "rest", "or": {"do": "rest"}}}, [("unknown-key", "request.or")]),
    ({"number": 0, "x": 1, "request": {"do": "walk"}}, [
        ("unknown-key", "x"), ("missing-key", "game"), ("missing-key", "player"), ("missing-key", "after"), ("out-of-range", "number"),
        ("missing-key", "request.to")]),
])
def test_all_faults_are_named(table, expected):
    with pytest.raises(Unreadable) as caught:
        read_request(dump(table), TYPES)
    assert [(finding.code, finding.at) for finding in caught.value.findings] == expected
