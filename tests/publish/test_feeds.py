"""The calendar and the feed of a game, read with the parsers that programs use."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import feedparser
import icalendar
import msgspec
import pytest

from pbem.campaign.history import Chapter, Story
from pbem.publish.feeds import MOST_REPORTS, calendar, feed
from pbem.publish.site import SiteCampaign, build
from pbem.publish.words import Words
from tests.publish.played import played_story

EVIL = "An\r\nEND:VEVENT; x,y\\ <b>&\x07"


@cache
def story() -> Story:
    return played_story(until=lambda position: position.phase == "2.place")


def events(told: Story) -> dict[str, Any]:
    """Phase → its event, as a calendar program reads it."""
    read = icalendar.Calendar.from_ical(calendar(told, Words(told)))
    assert not read.errors
    found = {str(event["UID"]).partition("@")[0]: event for event in read.walk("VEVENT")}
    assert all(not event.errors for event in found.values())
    return found


def also(told: Story, *chapters: dict[str, Any]) -> Story:
    """The story with more entries, each the last one changed in something."""
    made: list[Chapter] = list(told.chapters)
    for changes in chapters:
        number = made[-1].number + 1
        fresh = {"number": number, "time": made[-1].time + timedelta(hours=1), "steps": (), "remarks": (), "notes": ()}
        made.append(msgspec.structs.replace(made[-1], **(fresh | changes)))
    return msgspec.structs.replace(told, chapters=tuple(made))


def test_every_phase_is_an_event_at_its_closing_time_in_utc() -> None:
    found, last = events(story()), story().chapters[-1].waiting
    assert last is not None
    assert set(found) == {chapter.waiting.phase for chapter in story().chapters if chapter.waiting is not None}
    event = found[last.phase]
    assert event["DTSTART"].dt == last.closes and event["DTSTART"].dt.utcoffset() == timedelta(0)
    assert str(event["SUMMARY"]).startswith("winter-court: round 2, place closes, waits for ")
    assert str(event["SUMMARY"]).endswith("waits for Chen")
    assert Words(story()).asked(last) == str(event["DESCRIPTION"])


def test_a_phase_that_is_over_is_not_left_in_the_calendar() -> None:
    found, now = events(story()), story().chapters[-1].waiting
    assert now is not None
    for phase, event in found.items():
        # In this story every phase is over before its closing time.
        assert str(event["STATUS"]) == ("CONFIRMED" if phase == now.phase else "CANCELLED")
        assert ("is over" in event["SUMMARY"]) == (phase != now.phase)


def test_a_phase_that_loses_its_closing_time_is_not_called_over() -> None:
    last = story().chapters[-1]
    assert last.waiting is not None
    untimed = also(story(), {"kind": "amend", "waiting": msgspec.structs.replace(last.waiting, closes=None)})
    event, before = events(untimed)[last.waiting.phase], events(story())[last.waiting.phase]
    assert str(event["STATUS"]) == "CANCELLED" and event["UID"] == before["UID"] and event["SEQUENCE"] > before["SEQUENCE"]
    assert "round 2, place has no closing time now, waits for Chen" in str(event["SUMMARY"])
    assert "without a closing time" in str(event["DESCRIPTION"])
    again = events(also(untimed, {"kind": "amend", "waiting": last.waiting}))[last.waiting.phase]
    assert str(again["STATUS"]) == "CONFIRMED" and " closes, waits for " in str(again["SUMMARY"])
    over = events(also(untimed, {"kind": "end", "waiting": None}))[last.waiting.phase]
    assert str(over["STATUS"]) == "CANCELLED" and str(over["SUMMARY"]).endswith("is over")


def test_one_that_ran_to_its_closing_time_stays_and_says_so() -> None:
    now = story().chapters[-1].waiting
    assert now is not None and now.closes is not None
    after = msgspec.structs.replace(now, phase="2.draw", closes=now.closes + timedelta(days=2))
    event = events(also(story(), {"time": now.closes, "waiting": after}))["2.place"]
    assert (str(event["STATUS"]), str(event["SUMMARY"])) == ("CONFIRMED", "winter-court: round 2, place is over")


def test_a_moved_closing_time_is_the_same_event_with_a_higher_sequence() -> None:
    now = story().chapters[-1].waiting
    assert now is not None and now.closes is not None
    later = msgspec.structs.replace(now, closes=now.closes + timedelta(days=3))
    before, moved = events(story())[now.phase], events(also(story(), {"waiting": later}))[now.phase]
    assert before["UID"] == moved["UID"]
    assert moved["SEQUENCE"] > before["SEQUENCE"]
    assert moved["DTSTART"].dt == later.closes
    assert moved["DTSTAMP"].dt > before["DTSTAMP"].dt
    never = msgspec.structs.replace(now, closes=None)
    gone = events(also(story(), {"waiting": later}, {"waiting": never}))[now.phase]
    assert (str(gone["STATUS"]), gone["UID"]) == ("CANCELLED", before["UID"])
    again = events(also(story(), {"waiting": later}, {"waiting": never}, {"waiting": now}))[now.phase]
    assert (str(again["STATUS"]), again["DTSTART"].dt) == ("CONFIRMED", now.closes)
    assert again["SEQUENCE"] > gone["SEQUENCE"] > moved["SEQUENCE"]


def test_an_entry_that_changes_nothing_leaves_the_calendar_alone() -> None:
    same = also(story(), {})
    assert calendar(same, Words(same)) == calendar(story(), Words(story()))


def test_lines_are_as_the_standard_wants_them() -> None:
    seats = tuple(msgspec.structs.replace(seat, name="明朝" * 15) for seat in story().seats)
    told = msgspec.structs.replace(story(), seats=seats)
    for line in calendar(told, Words(told)).split(b"\r\n"):
        assert len(line) <= 75
        line.decode("utf-8")


@pytest.mark.parametrize("make", [events, lambda told: feedparser.parse(feed(told, Words(told)))])
def test_a_players_name_breaks_nothing(make: Any) -> None:
    told = msgspec.structs.replace(story(), seats=(msgspec.structs.replace(story().seats[0], name=EVIL), *story().seats[1:]))
    assert len(make(told)) == len(make(story()))


def test_the_feed_is_read_by_a_reader() -> None:
    read = feedparser.parse(feed(story(), Words(story())))
    assert not read.bozo
    assert (read.version, read.feed.title) == ("atom10", "winter-court · Ming Dynasty")
    assert [entry.link for entry in read.entries] == [f"{chapter.number:04}.html" for chapter in reversed(story().chapters)][:MOST_REPORTS]
    newest, chapter = read.entries[0], story().chapters[-1]
    assert newest.title == Words(story()).headline(chapter)
    assert datetime(*newest.updated_parsed[:6], tzinfo=UTC) == chapter.time
    assert newest.summary.startswith(Words(story()).chapter(chapter)[0].text)
    assert len({entry.id for entry in read.entries}) == len(read.entries)


def test_an_entry_keeps_its_name_when_another_comes() -> None:
    more = also(story(), {"head": "99-" + "ab" * 16})
    one, two = (feedparser.parse(feed(told, Words(told))) for told in (story(), more))
    assert [entry.id for entry in two.entries[1:]] == [entry.id for entry in one.entries][: len(two.entries) - 1]
    assert one.feed.id == two.feed.id


def test_the_page_of_a_game_leads_to_both(tmp_path: Path) -> None:
    build([SiteCampaign(story())], tmp_path, lambda name: Words(story()))
    for page in ("index.html",):
        found = feedparser.parse((tmp_path / "winter-court" / page).read_text(encoding="utf-8")).feed.links
        assert {(link.rel, link.type, link.href) for link in found} >= {
            ("alternate", "application/atom+xml", "feed.atom"), ("alternate", "text/calendar", "calendar.ics"),
        }  # fmt: skip
    assert (tmp_path / "winter-court/feed.atom").read_bytes() == feed(story(), Words(story()))
    assert (tmp_path / "winter-court/calendar.ics").read_bytes() == calendar(story(), Words(story()))


def test_a_game_without_entries_has_them_too() -> None:
    empty = msgspec.structs.replace(story(), chapters=())
    assert not feedparser.parse(feed(empty, Words(empty))).bozo
    assert icalendar.Calendar.from_ical(calendar(empty, Words(empty))).walk("VEVENT") == []


ATOM = "{http://www.w3.org/2005/Atom}"
BASE = "https://example.org/games/winter-court/"


@pytest.mark.parametrize("base", ["", BASE])
def test_the_feed_holds_what_rfc_4287_asks_for(base: str) -> None:
    root = ElementTree.fromstring(feed(story(), Words(story()), None, base))  # noqa: S314 - our own
    entries = root.findall(f"{ATOM}entry")
    assert root.tag == f"{ATOM}feed" and entries
    for element in (root, *entries):
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"{ATOM}{name}")) == 1
        assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", element.findtext(f"{ATOM}id") or "")
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", element.findtext(f"{ATOM}updated") or "")
        # One link of each kind; an entry without content has to have an alternate one.
        links = [(link.get("rel"), link.get("type"), link.get("href")) for link in element.findall(f"{ATOM}link")]
        assert len({link[:2] for link in links}) == len(links) and "alternate" in {rel for rel, _, _ in links}
        assert all((href or "").startswith(base or tuple("0123456789if")) for _, _, href in links)
    assert root.findtext(f"{ATOM}author/{ATOM}name")
    assert [link.get("href") for link in root.findall(f"{ATOM}link[@rel='self']")] == [f"{base}feed.atom"]
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == len(entries)
    assert max(entry.findtext(f"{ATOM}updated") or "" for entry in entries) == root.findtext(f"{ATOM}updated")


def test_where_the_site_stands_is_known_to_feed_and_calendar() -> None:
    words = Words(story())
    read = feedparser.parse(feed(story(), words, None, BASE))
    assert read.feed.link == BASE
    assert read.entries[0].link == f"{BASE}{story().chapters[-1].number:04}.html"
    assert [entry.id for entry in read.entries] == [entry.id for entry in feedparser.parse(feed(story(), words)).entries]
    found = icalendar.Calendar.from_ical(calendar(story(), words, BASE))
    assert not found.errors
    assert all(str(event["URL"]).startswith(BASE) for event in found.walk("VEVENT"))
    assert b"URL" not in calendar(story(), words)


def test_pages_whose_address_changes_get_new_feeds_and_nothing_else(tmp_path: Path) -> None:
    for address in ("", "https://example.org/games/", "https://example.org/games"):
        written = build([SiteCampaign(story(), address=address)], tmp_path, lambda name: Words(story()))
    assert written == []
    assert BASE.encode() in (tmp_path / "winter-court/feed.atom").read_bytes()
    written = build([SiteCampaign(story(), address="https://example.net")], tmp_path, lambda name: Words(story()))
    assert {path.name for path in written} == {"feed.atom", "calendar.ics"}
