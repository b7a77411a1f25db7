"""When things go wrong: each correction is an entry with its ground, and audit proves it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from pbem.campaign import secret as secrets
from pbem.campaign.audit import audit
from pbem.campaign.folder import CampaignError
from pbem.campaign.intake import Answer
from pbem.campaign.replay import processor_secret
from pbem.campaign.stories import story
from pbem.campaign.turn import correct, process, renew
from pbem.orders.encoding import b64
from pbem.orders.keys import PrivateKey
from pbem.orders.seal import phase_public
from pbem.orders.signed import sign_file, split
from pbem.orders.write import dump
from pbem.publish.answering import tell_answer
from pbem.publish.offering import phases_to_order
from pbem.publish.pages import report_html
from pbem.publish.textreport import report_text
from pbem.publish.words import Words

from ..helpers import Campaign, Player, fixed, joined_campaign


def put(campaign: Campaign, kind: str, **facts) -> str:
    """The organiser's correction; gives the new invite."""
    campaign.now += timedelta(minutes=1)
    _, invite = correct(campaign.folder, campaign.now, kind, **facts)
    assert audit(campaign.folder).fault is None
    return invite


def ask(campaign: Campaign, who: str, asked: dict, *, number: int = 1, signer: str = "") -> Answer:
    """A request of a player's."""
    table = {"game": campaign.made.game.name, "player": who, "after": campaign.course().archive.head(), "number": number, "request": asked}
    return campaign.receive(sign_file(campaign.players[signer or who].key, "request@pbem", dump(table)))[0]


def place_all(campaign: Campaign, phase: str = "1.place") -> dict[str, bytes]:
    files = {seat: campaign.signed(seat, phase, [{"do": "place", "provinces": ["yunnan"] * 5}]) for seat in campaign.seats}
    campaign.receive(*files.values())
    campaign.process()
    return files


class TestUndo:
    def test_the_game_stands_as_it_stood_and_chance_goes_on(self, campaign: Campaign):
        campaign.silent_until("1.place")
        to = len(campaign.course().chapters)
        position = campaign.course().table.public_digest()
        place_all(campaign)
        steps = campaign.course().table.step
        assert campaign.phase() == "1.draw"
        put(campaign, "rollback", to=to)
        course = campaign.course()
        assert (course.phase_id(), course.table.public_digest()) == ("1.place", position)
        assert course.table.step == steps
        place_all(campaign)
        assert campaign.course().chapters[-1].steps[0].number == steps + 1
        assert audit(campaign.folder).fault is None

    def test_files_of_reopened_phases_are_void_and_said_to_be(self, campaign: Campaign):
        campaign.silent_until("1.place")
        to = len(campaign.course().chapters)
        files = place_all(campaign)
        put(campaign, "rollback", to=to)
        answer = campaign.receive(files["an"])[0]
        assert (answer.receipt.verdict, answer.receipt.reason) == ("refused", "void")
        assert campaign.phase() == "1.place"

    def test_a_file_written_before_it_belongs_to_another_history(self, campaign: Campaign):
        campaign.silent_until("1.place")
        to = len(campaign.course().chapters)
        place_all(campaign)
        written = campaign.signed("an", "1.draw", [{"do": "draw", "card": "horse"}])
        put(campaign, "rollback", to=to)
        assert campaign.receive(written)[0].receipt.reason == "other-history"

    def test_new_keys_so_that_no_published_secret_opens_a_new_bid(self, bidding: Campaign):
        campaign = bidding
        to = len(campaign.course().chapters)
        old = campaign.course().keys["2.return"]
        campaign.receive(*campaign.bids().values())
        campaign.process()
        secret = campaign.course().published["2.return", old.entry]
        put(campaign, "rollback", to=to)
        again = campaign.course().keys["2.return"]
        assert again.public != old.public
        assert campaign.course().phase_secret("2.return") is None
        answers = campaign.receive(*campaign.bids(revision=2).values())
        assert {answer.receipt.verdict for answer in answers} == {"taken"}
        campaign.process()
        assert campaign.course().published["2.return", again.entry] != secret
        assert audit(campaign.folder).fault is None

    @pytest.mark.parametrize("to", [0, 2, 999])
    def test_only_to_where_the_game_stood(self, campaign: Campaign, to: int):
        before = campaign.course().archive.head()
        with pytest.raises(CampaignError, match="no-way-back"):
            put(campaign, "rollback", to=to)
        assert campaign.course().archive.head() == before

    def test_twice(self, campaign: Campaign):
        campaign.silent_until("1.place")
        to = len(campaign.course().chapters)
        for _ in range(2):
            place_all(campaign)
            put(campaign, "rollback", to=to)
        assert campaign.phase() == "1.place"


@pytest.fixture
def alone(campaign: Campaign) -> Campaign:
    """A campaign whose players may get other keys without other tests noticing."""
    campaign.players = dict(campaign.players)
    return campaign


class TestSeats:
    def test_a_substitute_plays_with_his_own_key(self, alone: Campaign):
        campaign, root = alone, alone.course().root()
        invite = put(campaign, "substitute", seat="bo")
        assert "bo" in campaign.course().vacant
        assert campaign.file("bo", "0.prince", [{"do": "prince", "district": "yunnan-a"}]).receipt.reason == "vacant"
        campaign.players["bo"] = Player("bo", PrivateKey.from_seed(fixed("new key")), fixed("new letter"), fixed("new nonce"))
        [answer] = campaign.receive(campaign.join_file("bo", invite=invite))
        assert answer.receipt.accepted
        assert "Welcome, bo:" in tell_answer(campaign.course(), answer)
        campaign.process()
        assert campaign.course().vacant == set()
        assert campaign.file("bo", "0.prince", [{"do": "prince", "district": "yunnan-a"}]).receipt.accepted
        campaign.process()
        assert audit(campaign.folder).fault is None
        # Chance does not hang on who joins later.
        assert campaign.course().root() == root

    def test_an_old_invite_is_void(self, campaign: Campaign):
        first = put(campaign, "substitute", seat="bo")
        put(campaign, "invite", seat="bo")
        stranger = PrivateKey.from_seed(fixed("stranger"))
        assert campaign.receive(campaign.join_file("bo", invite=first, key=stranger))[0].receipt.reason == "bad-invite"

    def test_an_invite_is_good_once_for_its_entry_publishes_it(self, alone: Campaign):
        campaign, first = alone, alone.made.invites["bo"]
        put(campaign, "vacate", seat="bo")
        stranger = PrivateKey.from_seed(fixed("stranger"))
        assert campaign.receive(campaign.join_file("bo", invite=first, key=stranger))[0].receipt.reason == "bad-invite"
        invite = put(campaign, "invite", seat="bo")
        assert campaign.receive(campaign.join_file("bo", invite=invite, key=stranger))[0].receipt.accepted

    def test_vacate_for_missed_closings_needs_them(self, campaign: Campaign):
        with pytest.raises(CampaignError, match="no-such-ground"):
            put(campaign, "vacate", seat="bo", ground="silence")
        for _ in range(campaign.made.game.missed):
            campaign.now = campaign.course().closes() + timedelta(minutes=1)
            campaign.process()
        put(campaign, "vacate", seat="bo")
        assert campaign.course().chapters[-1].facts["ground"] == "silence"

    def test_rekey_by_the_old_key(self, alone: Campaign):
        campaign = alone
        new = Player("an", PrivateKey.from_seed(fixed("next")), fixed("next letter"), fixed("nonce", "an"))
        answer = ask(campaign, "an", {"do": "rekey", "key": new.key.public.line(), "letter_key": b64(phase_public(new.letter))})
        assert answer.receipt.accepted
        campaign.process()
        old, campaign.players["an"] = campaign.players["an"], new
        orders = [{"do": "prince", "district": "zhili-a"}]
        assert campaign.receive(campaign.signed("an", "0.prince", orders, key=old.key))[0].receipt.reason == "wrong-key"
        assert campaign.file("an", "0.prince", orders).receipt.accepted
        assert audit(campaign.folder).fault is None

    def test_what_counted_under_the_old_key_keeps_its_answer(self, alone: Campaign):
        campaign = alone
        played = campaign.signed("an", "0.prince", [{"do": "prince", "district": "zhili-a"}])
        first = campaign.receive(played)[0]
        campaign.process(close="0.prince")
        new = PrivateKey.from_seed(fixed("next"))
        ask(campaign, "an", {"do": "rekey", "key": new.public.line(), "letter_key": b64(phase_public(fixed("next letter")))})
        campaign.process()
        again = campaign.receive(played)[0]
        assert (again.repeated, again.receipt) == (True, first.receipt)
        stranger = campaign.receive(sign_file(PrivateKey.from_seed(fixed("stranger")), "order@pbem", split(played).signed))[0]
        assert (stranger.repeated, stranger.receipt.reason) == (False, "wrong-key")

    def test_a_lost_key_is_replaced_by_a_new_invite(self, campaign: Campaign):
        assert put(campaign, "rekey", seat="chen")
        assert campaign.course().chapters[-1].facts["ground"] == "organiser"


class TestGrounds:
    def test_consent_of_all_others(self, campaign: Campaign):
        for seat in campaign.seats:
            if seat != "bo":
                assert ask(campaign, seat, {"do": "consent", "step": "substitute", "seat": "bo"}).receipt.accepted
        put(campaign, "substitute", seat="bo")
        assert campaign.course().chapters[-1].facts["ground"] == "consent"

    def test_consent_of_some_is_not_enough(self, campaign: Campaign):
        ask(campaign, "an", {"do": "consent", "step": "substitute", "seat": "bo"})
        with pytest.raises(CampaignError, match="no-such-ground"):
            put(campaign, "substitute", seat="bo", ground="consent")

    def test_a_request_of_another_players_is_refused(self, campaign: Campaign):
        assert ask(campaign, "an", {"do": "concede"}, signer="bo").receipt.reason == "wrong-key"

    def test_a_number_counts_once(self, campaign: Campaign):
        assert ask(campaign, "an", {"do": "profile", "name": "Anna"}, number=2).receipt.accepted
        assert ask(campaign, "an", {"do": "profile", "name": "Anya"}, number=2).receipt.reason == "older-request"


class TestCourse:
    def test_profile(self, campaign: Campaign):
        ask(campaign, "an", {"do": "profile", "name": "Анна", "zone": "Europe/Moscow"})
        campaign.process()
        member = campaign.course().members["an"]
        assert (member.name, member.zone) == ("Анна", "Europe/Moscow")
        tale = story(campaign.course())
        assert "An is called Анна from now on." in Words(tale).chapter(tale.chapters[-1])[0].text
        assert audit(campaign.folder).fault is None

    def test_amend_begins_the_phase_anew(self, campaign: Campaign):
        put(campaign, "amend", settings={"close": "72h"})
        assert campaign.course().closes() == campaign.now + timedelta(hours=72)

    def test_who_concedes_is_not_waited_for(self, campaign: Campaign):
        campaign.silent_until("1.move")
        first = campaign.asked()[0]
        ask(campaign, first, {"do": "concede"})
        campaign.process()
        assert first not in campaign.asked()
        assert audit(campaign.folder).fault is None
        # He is not said to have been silent, gets no orders to fill in, and stands behind all others.
        told = story(campaign.course())
        text = report_text(told, len(told.chapters), Words(told))
        name = Words(told).seat(first)
        assert f"{name} has conceded:" in text
        assert "sent nothing" not in text.partition("This entry")[0].partition(name)[2]
        points = [line.split() for line in text.partition("Points now")[2].splitlines()[2 : 2 + len(campaign.seats)]]
        assert points[-1][:2] == [f"{len(campaign.seats)}.", name]
        assert first not in [one.seat for one in told.chapters[-1].waiting.asked]
        with pytest.raises(CampaignError, match="nothing-asked"):
            phases_to_order(campaign.course(), first, None, ahead=False)

    def test_a_seat_that_nobody_holds_is_told_as_long_as_it_is_so(self, campaign: Campaign):
        put(campaign, "vacate", seat="bo")
        put(campaign, "amend", settings={"close": "72h"})
        told = story(campaign.course())
        words = Words(told)
        assert "Nobody holds the seat of Bo now: it has to be joined" in " ".join(report_text(told, len(told.chapters), words).split())
        assert words.headline(told.chapters[-2]).startswith("The seat bo is empty from now on: please ")
        assert "nobody holds this seat now" in report_html(told, len(told.chapters), words)
        with pytest.raises(CampaignError, match="seat-unheld"):
            phases_to_order(campaign.course(), "bo", None, ahead=False)

    def test_the_last_who_stays_wins(self, campaign: Campaign):
        campaign.silent_until("1.place")
        for seat in campaign.seats[1:]:
            ask(campaign, seat, {"do": "concede"})
        campaign.process()
        course = campaign.course()
        assert course.ended
        assert course.chapters[-1].facts["winners"] == [campaign.seats[0]]
        told = story(course)
        text = report_text(told, len(told.chapters), Words(told))
        places = [line.split()[:2] for line in text.partition("The result")[2].splitlines()[2:5]]
        assert places[0] == ["1.", Words(told).seat(campaign.seats[0])]
        assert places[1][0] == places[2][0] == "2."
        report = audit(campaign.folder)
        assert report.fault is None
        assert report.finished

    def test_end_by_the_organiser(self, campaign: Campaign):
        campaign.silent_until("1.place")
        put(campaign, "end", text="we move house")
        course = campaign.course()
        assert course.ended
        with pytest.raises(CampaignError, match="ended"):
            campaign.file("an", "1.place", [{"do": "place", "province": "yunnan"}])
        assert campaign.process().entries == []


class TestNewSecret:
    def test_with_the_deputy(self, tmp_path: Path):
        deputy = PrivateKey.from_seed(fixed("deputy"))
        campaign = joined_campaign(tmp_path, deputy=deputy.public.line())
        campaign.silent_until("1.place")
        root = campaign.course().root()
        with pytest.raises(CampaignError, match="renew-alone"):
            renew(campaign.folder, campaign.now)
        with pytest.raises(CampaignError, match="renew-alone-deputy"):
            renew(campaign.folder, campaign.now, deputy=PrivateKey.from_seed(fixed("somebody")))
        ask(campaign, "an", {"do": "consent", "step": "rekey"})
        with pytest.raises(CampaignError) as caught:
            renew(campaign.folder, campaign.now)
        assert (caught.value.code, caught.value.facts["seats"]) == ("renew-alone-some", [seat for seat in campaign.seats if seat != "an"])
        _, words = renew(campaign.folder, campaign.now, deputy=deputy)
        assert secrets.parse(" ".join(words)) == processor_secret(campaign.folder.root).raw
        course = campaign.course()
        assert course.root() != root
        assert len(course.archive.keys) == 2
        assert audit(campaign.folder).fault is None
        # The game goes on: new chance, new receipts, new keys, and everything still follows from the public files.
        self.goes_on(campaign)

    def test_with_the_consent_of_all_seats_and_sealed_bids(self, bidding: Campaign):
        campaign = bidding
        bids = campaign.bids()
        first = next(iter(bids))
        campaign.receive(bids[first])
        old = campaign.course().keys["2.return"]
        for seat in campaign.seats:
            assert ask(campaign, seat, {"do": "consent", "step": "rekey"}).receipt.accepted
        renew(campaign.folder, campaign.now)
        course = campaign.course()
        assert course.chapters[-1].facts["ground"] == "consent"
        assert course.keys["2.return"].public != old.public
        assert campaign.receive(bids[first])[0].receipt.reason == "void"
        self.goes_on(campaign)

    def goes_on(self, campaign: Campaign) -> None:
        for _ in range(4):
            campaign.now += timedelta(hours=49)
            process(campaign.folder, campaign.now)
            assert audit(campaign.folder).fault is None

    def test_killed_before_it_was_in_its_place(self, tmp_path: Path):
        deputy = PrivateKey.from_seed(fixed("deputy"))
        campaign = joined_campaign(tmp_path, deputy=deputy.public.line())
        old = campaign.folder.secret.read_bytes()
        renew(campaign.folder, campaign.now, deputy=deputy)
        campaign.folder.secret.rename(campaign.folder.next_secret)
        campaign.folder.secret.write_bytes(old)
        self.goes_on(campaign)

    def test_a_new_key_that_nobody_agreed_to_is_found(self, campaign: Campaign):
        from .forging import append_entry

        key = PrivateKey.from_seed(fixed("thief"))
        side = {"key": key.public.line(), "beacon": "1" * 64, "private": "2" * 64}
        name = append_entry(campaign, kind="rekey", processor=side, ground="organiser", closed={}, opened={})
        fault = audit(campaign.folder).fault
        assert fault is not None
        assert fault.file == name


class TestTypedWrong:
    """Nothing is written, and it is said what would be right."""

    @pytest.mark.parametrize(
        ("kind", "facts", "code"),
        [
            ("vacate", {"seat": "Bo"}, "unknown-seat-here"),
            ("substitute", {"seat": "../bo"}, "unknown-seat-here"),
            ("rekey", {"seat": ""}, "seat-not-joined"),
            ("rollback", {"to": 4, "text": "x" * 281}, "text-long"),
            ("rollback", {"to": 4, "text": "\udcff"}, "text-unreadable"),
            ("rollback", {"to": 99}, "no-way-back"),
        ],
    )
    def test_before_anything_is_written(self, campaign: Campaign, kind: str, facts: dict, code: str):
        campaign.silent_until("1.place")
        before = sorted(path.name for path in campaign.folder.ledger.iterdir())
        with pytest.raises(CampaignError) as caught:
            correct(campaign.folder, campaign.now, kind, **facts)
        assert caught.value.code == code
        assert sorted(path.name for path in campaign.folder.ledger.iterdir()) == before

    def test_a_free_seat_is_not_freed_again_and_one_given_up_is_not_given_away(self, campaign: Campaign):
        put(campaign, "vacate", seat="bo")
        with pytest.raises(CampaignError, match="seat-is-free"):
            put(campaign, "vacate", seat="bo")
        ask(campaign, "an", {"do": "concede"})
        campaign.process()
        with pytest.raises(CampaignError, match="seat-conceded"):
            put(campaign, "substitute", seat="an")

    def test_to_which_entries_the_game_can_go_back_is_said(self, campaign: Campaign):
        campaign.silent_until("1.place")
        to = len(campaign.course().chapters)
        place_all(campaign)
        put(campaign, "rollback", to=to)
        with pytest.raises(CampaignError) as caught:
            put(campaign, "rollback", to=to + 1)
        assert caught.value.code == "no-way-back-there"
        first = next(chapter.number for chapter in campaign.course().chapters if chapter.after is not None)
        assert caught.value.facts["ways"] == f"{first} to {to}"
