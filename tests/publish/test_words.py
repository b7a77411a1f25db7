from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from babel.dates import format_datetime
from hypothesis import given
from hypothesis import strategies as st

from pbem.campaign.history import Asked, Decision, Remark, Seat, Step, Waiting
from pbem.engine import registry
from pbem.engine.title import Title
from pbem.orders.findings import Finding
from pbem.publish import english
from pbem.publish.columns import width, wrap
from pbem.publish.textreport import report_subject, report_text, request_subject
from pbem.publish.words import Words
from pbem.titles.ming_dynasty import vocabulary as ming
from pbem.titles.ming_dynasty.refusal_codes import CODES
from tests.publish.tales import REMARKS, TAKEN, StrictWords, tale

TITLE = registry.title("ming-dynasty")
DISTRICTS = [f"{province}-{letter}" for province in ("guangdong", "nanjing", "shaanxi", "sichuan", "yunnan", "zhili") for letter in "abc"]
NAMES = {"an": "An", "bo": "Bo", "chen": "Chen", "dai": "Dai"}
CLOSES = datetime(2026, 12, 3, 19, tzinfo=UTC)

# One value for every fact a refusal of this title can bring.
FACTS: dict[str, Any] = {
    "found": "yunan", "allowed": ["yunnan", "zhili"], "nearest": "yunnan", "keys": ["path", "to"], "count": 2, "low": 0, "high": 3,
    "reason": "no table", "key": "dragons", "players": 4, "thing": "horse", "asked": ["bo"], "phase": "3.move", "district": "yunnan-a",
    "seat": "bo", "districts": ["yunnan-a", "zhili-b"], "province": "yunnan", "shown": "horse", "wanted": ["junk"],
    "offered": {"yunnan": "horse"}, "from": "yunnan-a", "to": "zhili-b", "neighbours": ["yunnan-b"], "step": 1, "given": "horse",
    "steps": 2, "cards": 1, "have": 1, "pay": ["junk"], "deploy": 3, "there": 1, "needed": 3, "card": "junk",
}  # fmt: skip
OF_CODE: dict[str, dict[str, Any]] = {
    "too-few-cards": {"needed": {"junk": 2}, "have": {"horse": 1}},
    "wrong-card": {"needed": "junk"},
}


def facts_of(code: str) -> dict[str, Any]:
    return {fact: FACTS[fact] for fact in CODES[code]} | OF_CODE.get(code, {})


@pytest.fixture(scope="module")
def words() -> Words:
    return StrictWords(TITLE, seats=NAMES)


@pytest.mark.parametrize("code", CODES)
def test_every_refusal_has_its_sentence(code: str, words: Words) -> None:
    said = words.refusal(code, "deploy", facts_of(code))
    assert said[0].isupper() or said[0] in '"0123456789'
    assert said.endswith((".", "?", "!", "…")) and ".." not in said and "  " not in said
    assert words.because(code, "deploy", facts_of(code), "an")


def test_refusals_speak_to_their_player_and_about_others(words: Words) -> None:
    facts = {"province": "yunnan", "there": 1, "deploy": 3}
    assert words.refusal("too-many", "deploy", facts).startswith("You have one member on the space of Yunnan, not 3.")
    assert words.because("too-many", "deploy", facts, "bo") == "Bo has one member on the space of Yunnan, not 3"


def test_a_list_that_is_cut_still_names_the_nearest_word(words: Words) -> None:
    facts = {"found": "Guangdong-C", "allowed": sorted(DISTRICTS), "nearest": "zhili-c"}
    said = words.refusal("unknown-district", "to", facts)
    assert 'Did you mean "zhili-c"?' in said and ", zhili-c, …" in said and "zhili-b" not in said
    finding = Finding("unknown-word", "orders[0].to", facts)
    assert ', "zhili-c", …' in words.finding(finding)


def test_every_event_and_order_has_its_sentence(words: Words) -> None:
    told: Counter[str] = Counter()
    orders: Counter[str] = Counter()
    for seats, seed, bids in ((3, 1, "together"), (4, 2, "together"), (2, 1, "together"), (2, 2, "by-province"), (3, 2, "by-province")):
        for chapter in tale(seats, seed, bids=bids).chapters:
            for step in chapter.steps:
                for event in step.events:
                    said = words.event(event)
                    assert said.endswith(".") and "None" not in said and "{" not in said, said
                    told[event.__struct_config__.tag] += 1
                for decision in step.decisions:
                    assert words.order(decision.order)
                    orders[decision.order.__struct_config__.tag] += 1
    assert {kind.__struct_config__.tag for kind in ming.EVENTS} - set(told) <= {"reshuffled", "set-returned", "starter-named"}
    assert set(orders) >= {kind.__struct_config__.tag for kind in ming.ORDERS} - {"starter"}
    assert words.event(ming.Reshuffled(cards=23)) == "The deck was empty: the 23 discards become the deck."
    assert words.event(ming.SetReturned(seat="an", points=24)) == "An has all six tiles and returns the set for 24 points."
    assert words.event(ming.StarterNamed(seat="an", player="bo")) == "An names Bo starting player of the next round."
    assert words.order(ming.Starter(player="bo")) == "name Bo starting player"


def test_a_move_is_told_in_one_breath(words: Words) -> None:
    moved = ming.Moved(seat="an", start="yunnan-b", path=("yunnan-a", "guangdong-c"), pay=("junk", "rickshaw"))
    put = ming.Deployed(
        seat="an", district="guangdong-c", count=3, monastery=True, pushed="dai", members={"an": 2, "bo": 2, "dai": 2}
    )
    assert words.events([moved, put, ming.Passed(seat="chen")]) == [
        "An goes from yunnan-b through yunnan-a to guangdong-c for a junk and a rickshaw. An puts down 3 members in guangdong-c, one of "
        "them in the monastery. Dai's member leaves the monastery for the district. guangdong-c now stands at An 2, Bo 2 and Dai 2.",
        "Chen passes.",
    ]
    assert words.events([moved, put], you="an")[0].startswith("You walk from yunnan-b")
    assert "Your member leaves" in words.events([moved, put], you="dai")[0]


def test_a_lap_is_one_sentence_and_the_next_lap_another(words: Words) -> None:
    laps = [ming.Placed(seat=seat, province="yunnan", there=there) for there in (1, 2) for seat in ("an", "bo", "chen")]
    assert [len(more) + 1 for _head, more in words.groups(laps)] == [3, 3]
    stranger = ming.Deployed(seat="bo", district="yunnan-a", count=1)
    walk = ming.Moved(seat="an", start="yunnan-b", path=("yunnan-a",), pay=("junk",))
    assert len(words.groups([walk, stranger])) == 2


@pytest.mark.parametrize("remark", REMARKS, ids=lambda remark: remark["code"])
def test_every_remark_has_its_sentence(remark: dict[str, Any], words: Words) -> None:
    said = words.remark(Remark(step=2, phase="3.move", seat="dai", at="orders[0]", **remark))
    assert said.endswith(".") and "Dai" in said


@pytest.mark.parametrize("code", ("silence", "forced", "unreadable"))
def test_remarks_without_facts(code: str, words: Words) -> None:
    assert "Dai" in words.remark(Remark(step=2, phase="3.move", seat="dai", code=code))


def test_an_alternative_is_woven_into_what_happened(words: Words) -> None:
    remark = Remark(step=2, phase="3.move", seat="dai", code="alternative", wanted={"do": "move", "to": "yunnan-a"}, because=TAKEN)
    assert words.remark(remark, "Dai passes.") == (
        "Dai's plan had yunnan-a in mind; Bo's prince is there, so the next choice is played: Dai passes."
    )


def test_chapters_are_anchored_and_leave_no_step_out() -> None:
    story = tale(4, 3)
    words = StrictWords(story)
    for chapter in story.chapters:
        sentences = words.chapter(chapter)
        assert [sentence.anchor for sentence in sentences] == [f"s{number}" for number in range(1, len(sentences) + 1)]
        told = {step for sentence in sentences for step in sentence.steps}
        assert told == {step.number for step in chapter.steps}
        steps = [sentence.step for sentence in sentences if sentence.step]
        assert steps == sorted(steps)
        silent = {decision.seat for step in chapter.steps for decision in step.decisions if decision.why == "silence"}
        assert sum(sentence.kind == "silence" for sentence in sentences) <= len(silent)
        for seat in silent:
            assert any(f"{words.seat(seat)} sent nothing by" in sentence.text for sentence in sentences)
        assert sum(sentence.kind == "note" for sentence in sentences) == len(chapter.notes)


def test_remarks_about_earlier_entries_are_told_too() -> None:
    story = tale(4, 3)
    late = Remark(step=2, phase="0.prince", seat="bo", code="alternative", wanted={"do": "prince", "district": "yunnan-a"}, because=TAKEN)
    chapter = msgspec.structs.replace(story.chapters[4], remarks=(late,))
    assert [s.kind for s in Words(story).chapter(chapter)].count("plan") == 1


@pytest.mark.parametrize(
    ("kind", "facts"),
    [
        ("invite", {"seat": "an"}), ("join", {"seat": "an"}), ("turn", {"close": "3.move"}), ("rollback", {"to": 5, "ground": "organiser"}),
        ("substitute", {"seat": "an", "ground": "missed"}), ("rekey", {"seat": "an", "ground": "request"}), ("rekey", {}), ("amend", {}),
        ("vacate", {"seat": "an", "ground": "consents"}), ("concede", {"seat": "an"}), ("pause", {}), ("extend", {"phase": "3.move"}),
        ("extend", {}), ("rules", {}), ("end", {}), ("something-new", {}),
    ],
)  # fmt: skip
def test_every_kind_of_entry_is_told(kind: str, facts: dict[str, Any]) -> None:
    story = tale(3, 1)
    chapter = msgspec.structs.replace(story.chapters[2], kind=kind, facts=facts, steps=(), remarks=(), notes=())
    [sentence] = StrictWords(story).chapter(chapter)
    assert sentence.text.endswith(".") and sentence.step == 0
    assert Words(story).headline(chapter)


def test_a_headline_ends_where_its_first_statement_does_and_not_in_a_name() -> None:
    story = tale(3, 1)
    seats = tuple(msgspec.structs.replace(seat, name="J. R. Bo; jr." if seat.seat == "bo" else seat.name) for seat in story.seats)
    words = Words(msgspec.structs.replace(story, seats=seats))
    entry = msgspec.structs.replace(story.chapters[2], kind="join", facts={"seat": "bo"}, steps=(), remarks=(), notes=(), waiting=None)
    assert words.headline(entry) == "J. R. Bo; jr. takes a seat"
    back = msgspec.structs.replace(entry, kind="rollback", facts={"to": 5, "ground": "organiser"})
    assert words.headline(back) == "The game goes back to where it stood after entry 5"


def test_a_plan_that_stopped_before_closing() -> None:
    story = tale(3, 1)
    decision = Decision(seat="bo", order=ming.Pass(), why="stopped")
    step = Step(number=9, phase="3.move", decisions=(decision,), events=(ming.Passed(seat="bo"),))
    chapter = msgspec.structs.replace(story.chapters[2], steps=(step,), remarks=(), notes=())
    [sentence] = StrictWords(story).chapter(chapter)
    assert sentence.text == "Bo's plan had stopped and nothing new came, so at closing what silence means is played: Bo passes."


STOPPED = Remark(
    step=9, phase="3.move", seat="bo", code="stopped", file="a" * 64, because=TAKEN, wanted={"do": "move", "to": "yunnan-a"}
)


def told(remarks: tuple[Remark, ...], *decisions: Decision) -> list[str]:
    """The sentences of an entry in which Bo passes once for each decision."""
    story = tale(3, 1)
    steps = tuple(
        Step(number=number, phase="3.move", decisions=(decision,), events=(ming.Passed(seat="bo"),))
        for number, decision in enumerate(decisions, start=9)
    )
    chapter = msgspec.structs.replace(story.chapters[2], steps=steps, remarks=remarks, notes=())
    return [sentence.text for sentence in StrictWords(story).chapter(chapter)]


def passing(why: Any, file: str = "") -> Decision:
    return Decision(seat="bo", order=ming.Pass(), why=why, file=file)


def test_why_a_plan_stopped_is_not_told_of_the_file_that_replaced_it() -> None:
    assert told((STOPPED,), passing("plan", "b" * 64)) == [
        "Before that, Bo's earlier plan had stopped (it asked for “walk to yunnan-a”; Bo's prince stands in yunnan-a, and no walk may end "
        "there).",
        "Bo passes.",
    ]
    skipped = msgspec.structs.replace(STOPPED, code="skipped")
    assert told((skipped,), passing("plan", "b" * 64))[0].startswith("Before Bo's new file came: Bo's plan asked for")
    assert told((skipped,), passing("plan", "a" * 64))[0].endswith("so that line is dropped: Bo passes.")


@pytest.mark.parametrize("decision", [passing("stopped", "a" * 64), passing("silence")])
def test_a_plan_that_stopped_for_good_says_why(decision: Decision) -> None:
    [sentence] = told((msgspec.structs.replace(STOPPED, code="ended", because=None, wanted=None),), decision)
    assert sentence == (
        "Bo's plan stops (it had no further line); nothing new came, so at closing what silence means is played: Bo passes."
    )


def test_silence_is_said_shortly_the_second_time() -> None:
    ended = (STOPPED, *(msgspec.structs.replace(STOPPED, step=step, code="ended", because=None, wanted=None) for step in (10, 11)))
    assert told((), passing("silence"), passing("silence"))[1] == "Bo passes. (Bo sent nothing.)"
    told_of_plan = told(ended, *(passing("stopped", "a" * 64) for _ in range(3)))
    assert "nothing new came" in told_of_plan[0]
    assert told_of_plan[1:] == ["Bo passes. (Bo sent nothing new.)"] * 2


def test_what_became_of_plans_in_earlier_entries_names_the_entry() -> None:
    story = tale(3, 1)
    entry, step, decision = next(
        (chapter.number, step, step.decisions[0])
        for chapter in story.chapters
        for step in chapter.steps
        if step.phase == "1.move" and step.decisions[0].why == "plan"
    )
    remark = msgspec.structs.replace(STOPPED, step=step.number, phase=step.phase, seat=decision.seat, file="f" * 64)
    left = msgspec.structs.replace(remark, code="unplayed", wanted={"do": "pass"}, step=story.chapters[-1].steps[-1].number)
    quiet = msgspec.structs.replace(remark, code="forced")
    last = msgspec.structs.replace(story.chapters[-1], remarks=(quiet, remark, left), notes=())
    sentences = [sentence for sentence in StrictWords(story).chapter(last) if sentence.kind == "plan"]
    assert [sentence.group for sentence in sentences] == ["how plans went: round 1, move"] * 2
    assert sentences[0].text.startswith(f"Entry {entry}: before that, ") and "went on with “pass”" in sentences[1].text
    ended = msgspec.structs.replace(story, chapters=(*story.chapters[:-1], last))
    assert "How plans went: round 1, move\n" in report_text(ended, last.number, StrictWords(ended))


def test_two_princes_of_four_are_not_called_the_princes(words: Words) -> None:
    homes = {"an": "yunnan", "bo": "zhili"}
    set_down = [ming.PrinceSet(seat=seat, district=f"{province}-a", province=province) for seat, province in homes.items()]
    assert words.events(set_down) == [
        "Princes are placed, and each of these players takes a tile of that province: An in yunnan-a and Bo in zhili-a."
    ]


def test_an_order_without_a_choice_is_said_to_be_one() -> None:
    story = tale(3, 1)
    decision = Decision(seat="bo", order=ming.Pass(), why="forced")
    step = Step(number=9, phase="3.move", decisions=(decision,), events=(ming.Passed(seat="bo"),))
    [sentence] = StrictWords(story).chapter(msgspec.structs.replace(story.chapters[2], steps=(step,), remarks=(), notes=()))
    assert sentence.text == "Bo passes. (There was no choice.)"
    # Once is enough for a seat in a phase.
    steps = (step, msgspec.structs.replace(step, number=10), msgspec.structs.replace(step, number=11, phase="4.move"))
    told = StrictWords(story).chapter(msgspec.structs.replace(story.chapters[2], steps=steps, remarks=(), notes=()))
    assert [one.text.endswith("(There was no choice.)") for one in told] == [True, False, True]


def test_times_and_spans(words: Words) -> None:
    assert words.when(CLOSES, "Europe/Paris") == "Thu 3 Dec 2026, 20:00 Paris (19:00 UTC)"
    assert words.when(CLOSES) == words.when(CLOSES, "no/such-zone") == words.when(CLOSES, "../etc") == "Thu 3 Dec 2026, 19:00 UTC"
    assert words.when(CLOSES, "Asia/Tokyo") == "Fri 4 Dec 2026, 04:00 Tokyo (Thu 19:00 UTC)"
    assert words.when(CLOSES, "Europe/Paris", short=True) == "Thu 3 Dec, 20:00 Paris (19:00 UTC)"
    spans = {22 * 60 + 46: "22 h 46 min", 60: "1 h", 5: "5 min", 0: "less than a minute", 1440: "1 d", 1500: "1 d 1 h"}
    assert {minutes: words.span(timedelta(minutes=minutes)) for minutes in spans} == spans


def test_names(words: Words) -> None:
    assert words.place("yunnan-b") == "Yunnan b" and words.place("yunnan") == "Yunnan" and words.place("no-where") == "No where"
    assert words.place("beijing-b") == "Beijing b" and words.thing("beijing") == "Beijing", "a province of another board"
    assert words.order({"do": "draw", "card": "horse"}) == "take a horse"
    assert words.order({"do": "draw", "card": ["horse", "junk"]}) == "take a horse or a junk"
    assert words.thing("junk") == "junk" and words.thing("?") == "?"
    assert words.spelled(["horse", "junk", "horse"]) == "2 horses and a junk"
    assert words.listing(["a", "b", "c"]) == "a, b and c"
    assert words.phase("3.move") == "round 3, move" and words.phase("0.prince") == "set-up, princes" and words.phase("x.y") == "x.y"


def test_what_is_asked(words: Words) -> None:
    asked = (Asked(seat="an", filed="nothing"), Asked(seat="bo", filed="partial"), Asked(seat="dai", filed="complete"))
    waiting = Waiting(phase="4.place", asked=asked, closes=CLOSES, sealed=False)
    assert words.asked(waiting, "Europe/Paris") == (
        "Next: An, Bo and Dai, by Thu 3 Dec 2026, 20:00 Paris (19:00 UTC): place 5 members on the province spaces for round 4. "
        "Filed so far: Bo (in part) and Dai (to the end of the phase)."
    )
    one = (Asked(seat="an", filed="stopped"), Asked(seat="bo", filed="taken", now=False))
    assert words.asked(msgspec.structs.replace(waiting, asked=one, sealed=True)).endswith(
        "The game waits for An first. Filed so far: An (the plan has stopped) and Bo. Orders of this phase are sealed until it closes."
    )
    assert "without a closing time" in words.asked(msgspec.structs.replace(waiting, closes=None))


@given(st.text(max_size=300))
def test_display_names_are_one_safe_line(name: str) -> None:
    shown = Words(TITLE, seats={"an": name}).seat("an")
    assert shown and len(shown) <= 40 and shown.splitlines() == [shown]
    assert not re.search("[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]", shown)


def test_a_name_is_never_read_as_a_template() -> None:
    story = tale(3, 1)
    nasty = tuple(Seat(seat=seat.seat, name="%(who)s {{ 7*7 }} %d", language="en", zone="", key="") for seat in story.seats)
    text = report_text(msgspec.structs.replace(story, seats=nasty), 4, StrictWords(msgspec.structs.replace(story, seats=nasty)))
    assert "%(who)s {{ 7*7 }} %d" in " ".join(text.split()) and "49" not in text


def test_nobody_can_take_the_name_of_another_seat() -> None:
    words = Words(TITLE, seats={"an": "Bo", "bo": "Bo", "chen": " DAI", "dai": "Dai", "eve": "x" * 60})
    assert [words.seat(seat) for seat in ("an", "bo", "chen", "dai")] == ["Bo (an)", "Bo (bo)", "DAI (chen)", "Dai (dai)"]
    assert Words(TITLE, seats={"an": "Bo", "bo": "Someone"}).seat("an") == "Bo (an)"
    assert len(Words(TITLE, seats={"an": "x" * 60, "bo": "x" * 50}).seat("an")) == 40


@given(st.text(alphabet="ab 陈庙，。“”가나-", max_size=200), st.integers(20, 76))
def test_wrapping_keeps_every_character_and_the_limit(text: str, limit: int) -> None:
    lines = wrap(text, limit, first="  ")
    assert all(width(line) <= limit for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


UNCUT = ("김민수입니다", "이순신의", "大明皇朝", "王小明，", "李世民大将军", "places", "yunnan-b;")


@given(st.lists(st.sampled_from(UNCUT), min_size=1), st.integers(24, 76))
def test_names_and_korean_words_are_never_cut(written: list[str], limit: int) -> None:
    assert " ".join(wrap(" ".join(written), limit)).split() == written


def test_long_chinese_is_cut_after_marks_first_and_never_before_one() -> None:
    said = "然后明天去上海。这是一个非常长的中文句子没有任何标点符号可以断开的地方。"
    assert wrap(said, 30) == ["然后明天去上海。这是一个非常长", "的中文句子没有任何标点符号可以", "断开的地方。"]
    assert wrap("我们今天去北京，然后明天去上海。", 24) == ["我们今天去北京，", "然后明天去上海。"]


@pytest.mark.parametrize("seats", (3, 4))
def test_text_reports_are_narrow_and_begin_with_what_is_asked(seats: int) -> None:
    story = tale(seats, 5)
    words = StrictWords(story)
    for chapter in story.chapters:
        text = report_text(story, chapter.number, words, zone="Europe/Paris")
        assert all(width(line) <= 76 for line in text.splitlines())
        assert chapter.head in " ".join(text.split())
        if chapter.waiting is not None:
            assert text.index("Next: ") < text.index(words.gettext("The board now"))
            assert request_subject(story, chapter, "an", words, zone="Europe/Paris").startswith("[winter-court] An, ")
        assert "\n" not in report_subject(story, chapter, words)
    with pytest.raises(KeyError):
        report_text(story, 10_000, words)


def test_only_a_report_with_a_closing_time_says_that_it_may_move() -> None:
    story = tale(3, 1)
    said = "If the closing time is moved"
    chapter, waiting = next((chapter, chapter.waiting) for chapter in story.chapters if chapter.waiting is not None)
    assert said in report_text(story, chapter.number, Words(story))
    open_end = msgspec.structs.replace(chapter, waiting=msgspec.structs.replace(waiting, closes=None))
    timeless = msgspec.structs.replace(story, chapters=tuple(open_end if each is chapter else each for each in story.chapters))
    assert said not in report_text(timeless, chapter.number, Words(timeless))


class Plainest(Title[Any]):
    """A title that brings no templates at all."""

    slug, name = "plainest", "Plainest"


def test_a_title_without_templates_is_told_in_plain_facts(tmp_path: Any) -> None:
    title = Plainest()
    title.files = tmp_path
    words = Words(title, seats=NAMES)
    assert words.event(ming.Placed(seat="an", province="yunnan", there=2)) == "An: placed (province yunnan; there 2)."
    assert words.event(ming.Reshuffled(cards=3)) == "reshuffled (cards 3)."
    assert words.order({"do": "place", "province": "yunnan"}) == "place province yunnan"
    assert words.refusal("space-empty", "province", {"province": "yunnan"}) == "Space empty (province yunnan)."
    assert words.phase("3.move") == "3.move" and words.thing("horse") == "horse" and words.counted("horse", 2) == "2 horse"
    waiting = Waiting(phase="3.move", asked=(Asked(seat="an", filed="nothing"),), closes=None, sealed=True)
    assert "An" in words.asked(waiting) and words.ask_short(waiting) == "please decide in 3.move"


def test_facts_that_are_missing_or_wrong_never_break_a_sentence() -> None:
    words = Words(TITLE, seats=NAMES)
    for code in CODES:
        for facts in ({}, dict.fromkeys(CODES[code], None), dict.fromkeys(CODES[code], "x"), dict.fromkeys(CODES[code], 7)):
            assert words.refusal(code, "", facts)
    assert words.remark(Remark(step=1, phase="?", seat="?", code="?", wanted={"do": 7}, because={"code": 5, "facts": {}}))


@pytest.mark.parametrize("names", ([], ["a"], ["a", "b"], ["a", " b ", "c"], ["a, b", "c and d", "e", "f"]))
def test_lists_of_english_are_those_of_babel(names: list[str]) -> None:
    english, british = Words(registry.title("ming-dynasty")), Words(registry.title("ming-dynasty"), "en-GB")
    assert english.listing(names) == british.listing(names)
    assert english.alternatives(names) == british.alternatives(names)


@pytest.mark.parametrize("pattern", english.PATTERNS)
def test_dates_of_english_are_those_of_babel(pattern: str) -> None:
    for day in range(366):
        moment = datetime(2028, 1, 1, day % 24, day % 60, tzinfo=UTC) + timedelta(days=day)
        assert english.dated(moment, pattern) == format_datetime(moment, pattern, locale="en_GB")
