"""Channels: until when each was read, and what is remembered of it."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.campaign.channels import KEPT, mark_read, readings
from pbem.campaign.folder import CampaignError, Folder

from ..helpers import HOUR, START, read_until


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    (tmp_path / "game.toml").write_text("")
    return Folder(tmp_path)


def test_what_was_never_read_is_not_known(folder: Folder) -> None:
    assert read_until(folder) == {}


def test_each_channel_has_its_own_time(folder: Folder) -> None:
    mark_read(folder, "mail", START)
    mark_read(folder, "github", START + HOUR)
    mark_read(folder, "mail", START + 2 * HOUR)
    assert read_until(folder) == {"mail": START + 2 * HOUR, "github": START + HOUR}


def test_it_works_under_the_lock_of_the_campaign_too(folder: Folder) -> None:
    with folder.locked():
        mark_read(folder, "mail", START)
    assert read_until(folder) == {"mail": START}


def test_a_clock_that_ran_ahead_is_not_believed_for_ever(folder: Folder) -> None:
    mark_read(folder, "mail", START + timedelta(days=4000))
    mark_read(folder, "mail", START)
    assert readings(folder) == {"mail": [START]}


def test_earlier_readings_are_remembered_about_one_an_hour(folder: Folder) -> None:
    for minutes in range(0, 24 * 60, 10):
        mark_read(folder, "mail", START + timedelta(minutes=minutes))
    times = readings(folder)["mail"]
    assert times[-1] == START + timedelta(minutes=24 * 60 - 10)
    assert 23 <= len(times) <= 50
    assert all(later - sooner <= HOUR + timedelta(minutes=10) for sooner, later in itertools.pairwise(times))


def test_the_file_does_not_grow_for_ever(folder: Folder) -> None:
    for hours in range(KEPT + 20):
        mark_read(folder, "mail", START + hours * 2 * HOUR)
    assert len(readings(folder)["mail"]) == KEPT


def test_two_channels_at_the_same_time_do_not_forget_each_other(folder: Folder) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda at: mark_read(folder, f"channel-{at}", START), range(12)))
    assert len(read_until(folder)) == 12


@pytest.mark.parametrize("name", ["", "an@example.org", "Mail", "mail box", "../mail", "m" * 21, "imap.example.org"])
def test_a_name_says_what_kind_it_is_and_never_whose(folder: Folder, name: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        mark_read(folder, name, START)


@pytest.mark.parametrize("text", ["mail = 3", "mail = [", 'mail = ["yesterday"]', "mail = [2026-12-01]"])
def test_a_file_that_somebody_spoilt_stops_with_a_sentence(folder: Folder, text: str) -> None:
    mark_read(folder, "mail", START)
    (folder.private / "channels.toml").write_text(text)
    with pytest.raises(CampaignError) as caught:
        read_until(folder)
    assert caught.value.code == "bad-channels"
