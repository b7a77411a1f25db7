"""A fix of a rule in a running campaign: the new version takes the position over, and audit goes by segments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pbem.campaign.audit import audit
from pbem.campaign.folder import CampaignError
from pbem.engine import registry

from ..helpers import Campaign


@contextmanager
def newer_rules() -> Iterator[None]:
    """The title as it would be after a fix that changes a result: sets of tiles are worth one point more."""
    from pbem.titles.ming_dynasty import filling

    title = registry.title("ming-dynasty")
    kind, before = type(title), dict(filling.POINTS_FOR_SET)
    kind.rules += 1
    filling.POINTS_FOR_SET.update({number: points + 1 for number, points in before.items()})
    try:
        yield
    finally:
        kind.rules -= 1
        filling.POINTS_FOR_SET.update(before)


def test_a_running_campaign_moves_over(campaign: Campaign):
    campaign.silent_until("1.draw")
    steps = audit(campaign.folder).proven
    digest = campaign.course().table.public_digest()
    with newer_rules():
        campaign.process()
        course = campaign.course()
        assert [chapter.kind for chapter in course.chapters][-1] == "rules"
        assert course.table.public_digest() == digest
        campaign.silent_until("2.place")
        report = audit(campaign.folder)
        assert report.fault is None
        assert sum(report.unchecked.values()) == steps
        assert report.proven > 0
    # The version that played the first segment cannot read what comes after it, and says so.
    assert audit(campaign.folder).fault.code == "other-rules"


def test_what_was_filed_before_is_void(campaign: Campaign):
    campaign.silent_until("1.place")
    filed = campaign.signed("an", "1.draw", [{"do": "draw", "card": "horse"}])
    campaign.receive(filed)
    first = campaign.asked()[0]
    campaign.file(first, "1.place", [{"do": "place", "province": "zhili"}])
    campaign.process()
    with newer_rules():
        campaign.process()
        assert campaign.receive(filed)[0].receipt.reason == "void"
        assert audit(campaign.folder).fault is None


def test_without_the_position_it_says_how_to_go_on(campaign: Campaign):
    campaign.silent_until("1.place")
    (campaign.folder.private / "position.json").unlink(missing_ok=True)
    before = campaign.course().archive.head()
    with newer_rules():
        with pytest.raises(CampaignError, match="rules-moved"):
            campaign.process()
        assert len(list(campaign.folder.ledger.iterdir())) == int(before.split("-")[0])


def test_a_changed_byte_in_an_unchecked_segment_is_found(campaign: Campaign):
    campaign.silent_until("1.place")
    with newer_rules():
        campaign.process()
        path = sorted(campaign.folder.ledger.iterdir())[5]
        path.write_bytes(path.read_bytes().replace(b'district = "', b'district = "x', 1))
        assert audit(campaign.folder).fault is not None


def test_an_archived_game_shows_a_change_without_a_new_number(finished_copy: Campaign, monkeypatch: pytest.MonkeyPatch):
    """Replaying finished games under a changed rule fails, unless the title's number has grown."""
    from pbem.titles.ming_dynasty import scoring

    with monkeypatch.context() as changed:
        changed.setattr(scoring, "POINTS_FOR_MONASTERY", 5)
        assert audit(finished_copy.folder).fault is not None
    assert audit(finished_copy.folder).fault is None
