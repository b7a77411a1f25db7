"""Each sentence of "Plans" in the protocol, played with real files."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from pbem.campaign.archive import load
from pbem.campaign.audit import audit
from pbem.campaign.folder import CampaignError
from pbem.campaign.history import Decision, Remark
from pbem.campaign.plans import Plan
from pbem.campaign.replay import replay
from pbem.campaign.table import Table
from pbem.engine.chance import SeededChance
from pbem.orders.encoding import unb64
from pbem.orders.plans import Planned
from pbem.orders.seal import phase_public

from ..helpers import HOUR, Campaign
from .toy import Bid, Take, Toy

PROVINCES = ("shaanxi", "zhili", "sichuan", "nanjing", "yunnan", "guangdong")


def prince(*districts: str) -> dict[str, Any]:
    return {"do": "prince", "district": districts[0] if len(districts) == 1 else list(districts)}


def place(*provinces: str) -> dict[str, Any]:
    return {"do": "place", "province": provinces[0]} if len(provinces) == 1 else {"do": "place", "provinces": list(provinces)}


def decisions(campaign: Campaign, phase: str, seat: str = "") -> list[Decision]:
    """What was decided in a phase, in order."""
    return [
        decision
        for chapter in replay(campaign.folder).chapters
        for step in chapter.steps
        if step.phase == phase
        for decision in step.decisions
        if seat in ("", decision.seat)
    ]


def districts(campaign: Campaign) -> dict[str, str]:
    """Where the princes were put."""
    return {decision.seat: decision.order.district for decision in decisions(campaign, "0.prince")}


def remarks(campaign: Campaign, phase: str) -> list[Remark]:
    return [remark for chapter in replay(campaign.folder).chapters for remark in chapter.remarks if remark.phase == phase]


def princes_are_set(campaign: Campaign) -> None:
    """The four princes stand in the first four districts, and 1.place begins."""
    campaign.receive(*(
        campaign.signed(seat, "0.prince", [prince(name)])
        for seat, name in zip(campaign.seats, ("shaanxi-a", "zhili-a", "sichuan-a", "nanjing-a"), strict=True)
    ))  # fmt: skip
    campaign.process()
    assert campaign.phase() == "1.place"


# -- one order answers one decision ------------------------------------------------------------------------------------


def test_one_order_answers_one_decision(campaign: Campaign) -> None:
    princes_are_set(campaign)
    campaign.file("an", "1.place", [place("zhili"), place("yunnan")])
    for seat in ("bo", "chen", "dai"):
        campaign.file(seat, "1.place", [place("zhili")], then="default")
    campaign.process()
    assert [decision.order.province for decision in decisions(campaign, "1.place", "an")] == ["zhili", "yunnan"]
    assert campaign.asked() == ("an",)


def test_the_next_order_is_played_whenever_the_game_asks_and_not_before(campaign: Campaign) -> None:
    campaign.file("bo", "0.prince", [prince("zhili-b")])
    assert campaign.process().entries == []
    campaign.file("an", "0.prince", [prince("yunnan-b")])
    campaign.process()
    assert districts(campaign) == {"an": "yunnan-b", "bo": "zhili-b"}


def test_a_list_of_provinces_stands_for_as_many_orders_with_the_same_watch(campaign: Campaign) -> None:
    princes_are_set(campaign)
    campaign.file("bo", "1.place", [place("zhili", "zhili") | {"watch": ["yunnan"]}])
    campaign.file("an", "1.place", [place("zhili", "yunnan")])
    campaign.file("chen", "1.place", [place("zhili")])
    campaign.file("dai", "1.place", [place("zhili")])
    campaign.process()
    assert len(decisions(campaign, "1.place", "bo")) == 1, "the second of the two watches as the first did"
    campaign.process(close="1.place")
    watched = [remark for remark in remarks(campaign, "1.place") if remark.code == "watched"]
    assert [(remark.at, remark.because) for remark in watched] == [("orders[0].provinces[1]", {"places": ["yunnan"], "seat": "an"})]


def test_a_preference_list_means_the_first_that_is_allowed(campaign: Campaign) -> None:
    campaign.file("an", "0.prince", [prince("yunnan-b")])
    campaign.file("bo", "0.prince", [prince("yunnan-b", "zhili-c", "zhili-a")])
    campaign.process()
    assert districts(campaign)["bo"] == "zhili-c"


# -- not legal then ----------------------------------------------------------------------------------------------------


def test_or_is_played_where_the_order_is_not_legal(campaign: Campaign) -> None:
    campaign.file("an", "0.prince", [prince("yunnan-b")])
    campaign.file("bo", "0.prince", [prince("yunnan-b") | {"or": prince("zhili-c")}])
    campaign.process()
    assert districts(campaign) == {"an": "yunnan-b", "bo": "zhili-c"}


def test_of_several_alternatives_the_first_legal_one_wins(campaign: Campaign) -> None:
    campaign.file("an", "0.prince", [prince("yunnan-b")])
    campaign.file("bo", "0.prince", [prince("zhili-c")])
    campaign.file("chen", "0.prince", [prince("yunnan-b") | {"or": [prince("zhili-c"), prince("sichuan-a"), prince("sichuan-b")]}])
    campaign.process()
    assert districts(campaign)["chen"] == "sichuan-a"


def test_none_legal_and_nothing_said_means_ask(campaign: Campaign) -> None:
    campaign.file("an", "0.prince", [prince("yunnan-b")])
    campaign.file("bo", "0.prince", [prince("yunnan-b"), prince("zhili-c")])
    campaign.process()
    assert districts(campaign) == {"an": "yunnan-b"}
    waiting = campaign.course().waiting()
    assert waiting is not None
    assert [(asked.seat, asked.filed) for asked in waiting.asked if asked.now] == [("bo", "stopped")]
    campaign.file("bo", "0.prince", [prince("sichuan-a")], revision=2)
    campaign.process()
    assert districts(campaign)["bo"] == "sichuan-a"


def test_otherwise_skip_drops_the_line_for_good(campaign: Campaign) -> None:
    campaign.file("an", "0.prince", [prince("yunnan-b")])
    campaign.file("bo", "0.prince", [prince("yunnan-b") | {"otherwise": "skip"}, prince("zhili-c")])
    for seat, name in (("chen", "sichuan-a"), ("dai", "sichuan-b")):
        campaign.file(seat, "0.prince", [prince(name)])
    campaign.process()
    assert districts(campaign)["bo"] == "zhili-c"
    skipped = [remark for remark in remarks(campaign, "0.prince") if remark.seat == "bo"]
    assert [(remark.code, remark.at) for remark in skipped] == [("skipped", "orders[0]")]
    assert skipped[0].because is not None
    assert skipped[0].because["code"] == "district-taken"


def test_otherwise_default_plays_the_default_for_that_decision(campaign: Campaign) -> None:
    campaign.file("an", "0.prince", [prince("yunnan-b")])
    campaign.file("bo", "0.prince", [prince("yunnan-b") | {"otherwise": "default"}])
    campaign.process()
    assert districts(campaign)["bo"] == "shaanxi-a"
    assert [decision.why for decision in decisions(campaign, "0.prince", "bo")] == ["otherwise"]


# -- after the last order ----------------------------------------------------------------------------------------------


def test_then_ask_asks_after_the_last_order(campaign: Campaign) -> None:
    princes_are_set(campaign)
    for seat in campaign.seats:
        campaign.file(seat, "1.place", [place("zhili")], then="ask" if seat == "an" else "default")
    campaign.process()
    assert len(decisions(campaign, "1.place", "an")) == 1
    assert campaign.asked() == ("an",)


def test_then_default_takes_the_default_for_the_rest_of_the_phase(campaign: Campaign) -> None:
    princes_are_set(campaign)
    for seat in campaign.seats:
        campaign.file(seat, "1.place", [place("nanjing")], then="default")
    campaign.process()
    assert campaign.phase() == "1.draw"
    own = decisions(campaign, "1.place", "an")
    assert [decision.order.province for decision in own] == ["nanjing"] * 5
    assert [decision.why for decision in own] == ["plan", "then", "then", "then", "then"]


def test_then_pass_passes_where_one_can_pass(campaign: Campaign) -> None:
    campaign.silent_until("1.move")
    campaign.file("an", "1.move", [{"do": "stay"}], then="pass")
    for seat in ("bo", "chen", "dai"):
        campaign.file(seat, "1.move", [{"do": "pass"}])
    campaign.process()
    assert [(msgspec.to_builtins(one.order)["do"], one.why) for one in decisions(campaign, "1.move", "an")] == [
        ("stay", "plan"), ("pass", "then"),
    ]  # fmt: skip


# -- watch -------------------------------------------------------------------------------------------------------------


def test_a_watched_place_that_another_touched_stops_the_plan(campaign: Campaign) -> None:
    princes_are_set(campaign)
    campaign.file("bo", "1.place", [place("zhili") | {"watch": ["yunnan"]}])
    campaign.file("an", "1.place", [place("yunnan")])
    campaign.process()
    assert decisions(campaign, "1.place", "bo") == []
    assert campaign.asked() == ("bo",)


def test_own_doings_and_other_places_do_not_stop_it(campaign: Campaign) -> None:
    princes_are_set(campaign)
    campaign.file("an", "1.place", [place("yunnan"), place("yunnan") | {"watch": ["yunnan"]}])
    for seat in ("bo", "chen", "dai"):
        campaign.file(seat, "1.place", [place("zhili")])
    campaign.process()
    assert len(decisions(campaign, "1.place", "an")) == 2


def test_what_the_author_had_seen_does_not_stop_it(campaign: Campaign) -> None:
    princes_are_set(campaign)
    campaign.file("an", "1.place", [place("yunnan")])
    campaign.process()
    campaign.file("bo", "1.place", [place("zhili") | {"watch": ["yunnan"]}])
    campaign.process()
    assert len(decisions(campaign, "1.place", "bo")) == 1


# -- revisions ---------------------------------------------------------------------------------------------------------


def test_a_revision_replaces_what_has_not_been_played(campaign: Campaign) -> None:
    princes_are_set(campaign)
    campaign.file("an", "1.place", [place("yunnan")] * 5)
    campaign.process()
    assert len(decisions(campaign, "1.place", "an")) == 1
    answer = campaign.file("an", "1.place", [place("zhili")] * 4, revision=2)
    assert answer.receipt.accepted
    assert answer.played_of_old == 1
    assert answer.replaces is not None
    assert answer.replaces.revision == 1
    for seat in ("bo", "chen", "dai"):
        campaign.file(seat, "1.place", [place("zhili")], then="default")
    campaign.process()
    assert [decision.order.province for decision in decisions(campaign, "1.place", "an")] == ["yunnan", "zhili", "zhili", "zhili", "zhili"]


def test_a_revision_written_before_an_own_turn_was_played_is_stale(campaign: Campaign) -> None:
    princes_are_set(campaign)
    seen = campaign.course().archive.head()
    campaign.file("an", "1.place", [place("yunnan")] * 5)
    campaign.process()
    answer = campaign.file("an", "1.place", [place("zhili")] * 5, revision=2, after=seen)
    assert answer.receipt.reason == "stale"


def test_what_others_played_since_does_not_make_a_file_stale(campaign: Campaign) -> None:
    princes_are_set(campaign)
    seen = campaign.course().archive.head()
    campaign.file("an", "1.place", [place("yunnan")])
    campaign.process()
    assert campaign.file("bo", "1.place", [place("zhili")], after=seen).receipt.accepted


def test_the_highest_revision_counts_whatever_came_last(campaign: Campaign) -> None:
    campaign.file("an", "0.prince", [prince("yunnan-b")], revision=3)
    assert campaign.file("an", "0.prince", [prince("zhili-a")], revision=2).receipt.reason == "older-revision"
    campaign.process()
    assert districts(campaign)["an"] == "yunnan-b"


def test_no_orders_withdraw_a_plan(campaign: Campaign) -> None:
    campaign.file("an", "0.prince", [prince("yunnan-b")])
    assert campaign.file("an", "0.prince", [], revision=2).receipt.accepted
    assert campaign.process().entries == []
    waiting = campaign.course().waiting()
    assert waiting is not None
    assert waiting.asked[0].filed == "nothing"
    campaign.process(close="0.prince")
    assert decisions(campaign, "0.prince", "an")[0].why == "silence"


# -- filed ahead -------------------------------------------------------------------------------------------------------


def test_a_plan_may_be_filed_for_any_phase_that_is_announced(campaign: Campaign) -> None:
    for seat in campaign.seats:
        for phase, orders in (("1.draw", [{"do": "draw", "card": ["horse", "junk", "rickshaw"]}] * 4), ("1.place", [place("yunnan")])):
            assert campaign.file(seat, phase, orders, then="default").receipt.accepted
    assert campaign.process().entries == []
    assert campaign.file("an", "2.place", [place("yunnan")]).receipt.reason == "unknown-phase"
    campaign.process(close="0.prince")
    assert campaign.phase() == "1.move", "the plans filed ahead were played as soon as their phases came"
    assert {decision.why for decision in decisions(campaign, "1.place")} == {"plan", "then"}


# -- closing -----------------------------------------------------------------------------------------------------------


def test_at_closing_the_phase_is_played_to_its_end_without_waiting_again(campaign: Campaign) -> None:
    princes_are_set(campaign)
    closes = campaign.course().closes()
    assert closes is not None
    campaign.now = closes - timedelta(seconds=1)
    assert campaign.process().entries == []
    campaign.now = closes
    assert len(campaign.process().entries) == 1
    assert campaign.phase() == "1.draw"
    assert [decision.why for decision in decisions(campaign, "1.place")] == ["silence"] * 20


def test_a_plan_that_stops_at_closing_takes_the_default_for_that_decision_and_goes_on(campaign: Campaign) -> None:
    princes_are_set(campaign)
    campaign.file("an", "1.place", [place("yunnan")])
    campaign.file("bo", "1.place", [place("zhili") | {"watch": ["yunnan"]}, place("nanjing"), place("sichuan")])
    campaign.process()
    campaign.process(close="1.place")
    own = decisions(campaign, "1.place", "bo")
    assert [(one.why, one.order.province) for one in own[:3]] == [("stopped", "shaanxi"), ("plan", "nanjing"), ("plan", "sichuan")]
    assert [one.why for one in own[3:]] == ["stopped", "stopped"]


def test_a_plan_filed_ahead_is_played_at_closing(campaign: Campaign) -> None:
    campaign.file("dai", "0.prince", [prince("guangdong-c")])
    campaign.process(close="0.prince")
    assert districts(campaign) == {"an": "shaanxi-a", "bo": "shaanxi-b", "chen": "shaanxi-c", "dai": "guangdong-c"}


def test_an_order_equal_to_the_default_is_an_order_not_silence(campaign: Campaign) -> None:
    campaign.file("an", "0.prince", [prince("shaanxi-a")])
    campaign.process(close="0.prince")
    whys = [decision.why for decision in decisions(campaign, "0.prince")]
    assert whys == ["plan", "silence", "silence", "silence"]
    played = load(campaign.folder, check=True).entries[-1].record.played
    assert [step.orders[0].default for step in played] == ["", "silence", "silence", "silence"]
    assert played[0].orders[0].file


def test_close_names_the_phase_and_that_is_the_guard(campaign: Campaign) -> None:
    before = campaign.course().archive.head()
    for wrong in ("1.place", "0.princes", "over"):
        with pytest.raises(CampaignError) as caught:
            campaign.process(close=wrong)
        assert (caught.value.code, caught.value.facts["now"]) == ("not-open", "0.prince")
    assert campaign.course().archive.head() == before


def test_an_early_closing_is_told_in_the_entry(campaign: Campaign) -> None:
    campaign.process(close="0.prince")
    assert replay(campaign.folder).chapters[-1].facts == {"close": "0.prince"}


def test_nothing_to_play_writes_nothing(campaign: Campaign) -> None:
    files = sorted(path for path in campaign.folder.root.rglob("*") if path.is_file())
    for _ in range(2):
        assert campaign.process().entries == []
    assert sorted(path for path in campaign.folder.root.rglob("*") if path.is_file()) == files


def test_without_a_closing_time_the_game_waits_for_ever(tmp_path: Any) -> None:
    from ..helpers import joined_campaign

    campaign = joined_campaign(tmp_path, close="none")
    campaign.now += timedelta(days=360)
    assert campaign.process().entries == []
    assert campaign.course().closes() is None


# -- one legal order, all together -------------------------------------------------------------------------------------


def _toy_table(heaps: dict[str, int]) -> Table:
    table = Table(title=Toy())
    table.set_up(msgspec.Struct(), ("an", "bo"), lambda *_: SeededChance(0))
    table.position.heaps = heaps
    return table


def _toy_plan(seat: str, phase: str, *orders: Any) -> Plan:
    lines = tuple(Planned((order,), at=f"orders[{number}]") for number, order in enumerate(orders))
    return Plan(file=f"{seat} {phase}", seat=seat, phase=phase, after_step=1, plans=lines)


def test_a_decision_with_a_single_legal_order_is_played_at_once_and_marked_forced() -> None:
    table = _toy_table({"x": 1})
    steps = table.play_on(lambda seat, phase: None, lambda step, _: SeededChance(step), None)
    assert steps[0].decisions == (Decision(seat="an", order=Take("x"), why="forced"),)
    assert [(remark.code, remark.seat) for remark in table.remarks][:1] == [("forced", "an")]
    assert all(decision.why == "forced" for step in steps for decision in step.decisions)


def test_simultaneous_decisions_are_played_when_all_have_filed() -> None:
    table = _toy_table({})
    table.position.phase, table.position.has = "1.bid", {"an": {"x": 2}, "bo": {"x": 2}}
    desk = {("an", "1.bid"): _toy_plan("an", "1.bid", Bid(2))}
    chance = lambda step, _: SeededChance(step)  # noqa: E731
    assert table.play_on(lambda *key: desk.get(key), chance, None) == []
    desk[("bo", "1.bid")] = _toy_plan("bo", "1.bid", Bid(1))
    [step, *_] = table.play_on(lambda *key: desk.get(key), chance, None)
    assert [(one.seat, one.order, one.why) for one in step.decisions] == [("an", Bid(2), "plan"), ("bo", Bid(1), "plan")]


def test_at_closing_the_default_stands_in_for_who_is_missing() -> None:
    table = _toy_table({})
    table.position.phase, table.position.has = "1.bid", {"an": {"x": 2}, "bo": {"x": 2}}
    desk = {("an", "1.bid"): _toy_plan("an", "1.bid", Bid(2))}
    [step, *_] = table.play_on(lambda *key: desk.get(key), lambda step, _: SeededChance(step), "1.bid")
    assert [(one.order, one.why) for one in step.decisions] == [(Bid(2), "plan"), (Bid(0), "silence")]


def test_who_has_no_choice_is_not_waited_for_when_all_decide_together() -> None:
    table = _toy_table({})
    table.position.phase, table.position.has = "1.bid", {"an": {"x": 2}}
    desk = {("an", "1.bid"): _toy_plan("an", "1.bid", Bid(2))}
    [step, *_] = table.play_on(lambda *key: desk.get(key), lambda step, _: SeededChance(step), None)
    assert [(one.order, one.why) for one in step.decisions] == [(Bid(2), "plan"), (Bid(0), "forced")]


def test_sealed_bids_are_played_when_all_are_in_and_then_opened(bidding: Campaign) -> None:
    files = bidding.bids()
    assert len(files) > 1
    *some, last = files.values()
    bidding.receive(*some)
    assert bidding.process().entries == []
    bidding.receive(last)
    assert len(bidding.process().entries) == 1
    entry = load(bidding.folder, check=True).entries[-1].record
    published = unb64(entry.closed["2.return"])
    opened = next(kept.record.opened["2.return"] for kept in load(bidding.folder, check=True).entries if "2.return" in kept.record.opened)
    assert phase_public(published) == unb64(opened.split(" ")[2])
    assert {decision.why for decision in decisions(bidding, "2.return")} == {"plan"}


def test_sealed_bids_stay_closed_until_then(bidding: Campaign) -> None:
    first, *_ = bidding.bids().values()
    receipt = bidding.receive(first)[0].receipt
    assert receipt.verdict == "taken"
    on_desk = bidding.course().current(receipt.seat, "2.return")
    assert on_desk is not None
    assert on_desk.plan.plans is None
    waiting = bidding.course().waiting()
    assert waiting is not None
    assert {asked.filed for asked in waiting.asked if asked.seat == receipt.seat} == {"taken"}
    assert audit(bidding.folder).fault is None


def test_a_sealed_revision_replaces_the_first_and_both_are_opened(bidding: Campaign) -> None:
    files = bidding.bids()
    seat = next(iter(files))
    bidding.receive(*files.values())
    revised = bidding.signed(seat, "2.return", [{"do": "return", "counts": {"yunnan": 1}}], revision=2)
    assert bidding.receive(revised)[0].receipt.accepted
    bidding.process()
    course = replay(bidding.folder)
    assert [item.plan.plans is not None for item in course.desk[(seat, "2.return")]] == [True, True]
    assert [decision.file for decision in decisions(bidding, "2.return", seat)] == [course.desk[(seat, "2.return")][1].receipt.file]


# -- what is told, and when --------------------------------------------------------------------------------------------


def test_remarks_are_public_only_when_the_phase_has_closed(campaign: Campaign) -> None:
    campaign.file("an", "0.prince", [prince("yunnan-b")])
    campaign.file("bo", "0.prince", [prince("yunnan-b") | {"or": prince("zhili-c")}])
    campaign.process()
    assert remarks(campaign, "0.prince") == []
    assert [remark for chapter in replay(campaign.folder).chapters for remark in chapter.remarks] == []
    campaign.process(close="0.prince")
    told = remarks(campaign, "0.prince")
    assert [(remark.seat, remark.code) for remark in told] == [("bo", "alternative"), ("chen", "silence"), ("dai", "silence")]
    assert told[0].wanted == {"do": "prince", "district": "yunnan-b"}
    assert told[0].played == {"do": "prince", "district": "zhili-c"}
    assert told[0].because == {"code": "district-taken", "field": "district", "facts": {"district": "yunnan-b", "seat": "an"}}


def test_what_was_not_played_is_told_when_the_phase_has_closed(campaign: Campaign) -> None:
    campaign.file("an", "0.prince", [prince("yunnan-b"), prince("zhili-b")])
    campaign.process(close="0.prince")
    assert [(one.code, one.at) for one in remarks(campaign, "0.prince") if one.seat == "an"] == [("unplayed", "orders[1]")]


def test_an_entry_tells_neither_line_nor_alternative(campaign: Campaign) -> None:
    campaign.file("an", "0.prince", [prince("yunnan-b")])
    campaign.file("bo", "0.prince", [prince("yunnan-b") | {"or": prince("zhili-c")}])
    campaign.process()
    played = load(campaign.folder, check=True).entries[-1].record.played
    assert [set(msgspec.to_builtins(step.orders[0])) for step in played] == [{"seat", "order", "file"}] * 2


def test_every_firing_is_derived_again_by_audit(campaign: Campaign) -> None:
    campaign.file("an", "0.prince", [prince("yunnan-b")])
    campaign.file("bo", "0.prince", [prince("yunnan-b") | {"otherwise": "skip"}, prince("zhili-c")])
    campaign.now += HOUR
    campaign.process(close="0.prince")
    report = audit(campaign.folder)
    assert report.fault is None
    assert report.proven == 5


@pytest.mark.parametrize(("orders", "then", "verdict"), [
    ([prince("yunnan-b")], "ask", "complete"),
    ([prince("yunnan-b")], "default", "complete"),
    ([], "default", "complete"),
    ([], "ask", "partial"),
    ([prince("atlantis-b")], "ask", "partial"),
    ([prince("atlantis-b") | {"or": prince("zhili-a")}], "ask", "complete"),
    ([prince("atlantis-b") | {"otherwise": "skip"}], "ask", "partial"),
    ([prince("atlantis-b") | {"otherwise": "default"}], "ask", "complete"),
])  # fmt: skip
def test_a_receipt_says_whether_the_plan_answers_everything(campaign: Campaign, orders: list[Any], then: str, verdict: str) -> None:
    assert campaign.file("an", "0.prince", orders, then=then).receipt.verdict == verdict
