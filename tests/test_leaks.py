"""What must stay secret is in no public file, in no output of a command and in no error."""

from __future__ import annotations

import base64
import re
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pbem import cli
from pbem.campaign import secret
from pbem.campaign.folder import CampaignError
from pbem.campaign.secret import Secret
from pbem.orders.join import invite_bytes, invite_text

from .helpers import RAW_ID, RAW_SECRET, SEATS, Campaign, Player, environment, fixed, new_campaign

Run = Callable[..., str]


def spellings(raw: bytes) -> Iterator[bytes]:
    """The ways 16 or 32 bytes could stand somewhere; base64 at each of its three places in a longer text."""
    yield raw
    yield raw.hex().encode()
    yield raw.hex().upper().encode()
    yield base64.b32encode(raw).rstrip(b"=")[:-1]
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + raw)
        yield encoded[-(-before * 4 // 3) + (before > 0) : -5]
        yield base64.urlsafe_b64encode(bytes(before) + raw)[-(-before * 4 // 3) + (before > 0) : -5]


def secrets_of(campaign: Campaign, *, ended: bool = False) -> dict[str, bytes]:
    """Everything that nobody but its owner may know, by name."""
    own = Secret(RAW_SECRET, RAW_ID)
    found = {"the secret": RAW_SECRET, "the signing key": own.signing_key.seed, "the beacon's seed": own.beacon_seed}
    if not ended:
        found["the private secret"] = own.private
        course = campaign.course()
        found |= {f"the key of {phase}": own.phase(phase, key.entry) for phase, key in course.keys.items() if phase not in course.closed}
    for player in campaign.players.values():
        found |= {f"{player.seat}'s key": player.key.seed, f"{player.seat}'s letter key": player.letter}
    return found


def assert_clean(data: bytes, where: str, kept: dict[str, bytes]) -> None:
    # Wrapped, quoted and commented lines are read as if they were one.
    joined = re.sub(rb"[\s\"',#>]+", b"", data)
    for name, raw in kept.items():
        for spelling in spellings(raw):
            assert len(spelling) >= 15
            assert spelling not in data and spelling not in joined, f"{name} stands in {where}"
    words = secret.words(RAW_SECRET)
    for at in range(len(words) - 3):
        pattern = rb"[\W_]+".join(word.encode() for word in words[at : at + 3])
        assert not re.search(pattern, data, re.IGNORECASE), f"words of the recovery sheet stand in {where}"


def public_files(campaign: Campaign) -> Iterator[Path]:
    for path in campaign.folder.root.rglob("*"):
        if path.is_file() and campaign.folder.private not in path.parents:
            yield path


def assert_folder_clean(campaign: Campaign, **more: bytes) -> None:
    kept = secrets_of(campaign, ended=campaign.course().ended) | more
    count = 0
    for path in public_files(campaign):
        assert_clean(path.read_bytes(), campaign.folder.relative(path), kept)
        count += 1
    assert count > 1


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """``pbem`` in this process: all it prints, whatever its exit status."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> str:
        with pytest.raises(SystemExit):
            cli.main(list(words))
        told = capsys.readouterr()
        assert "Traceback" not in told.err
        return told.out + told.err

    return call


# -- the search itself -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", range(4))
def test_what_is_planted_is_found(before: int) -> None:
    kept = {"a plant": fixed("plant")}
    around = b"x" * before + fixed("plant") + b"yz"
    wrapped = base64.encodebytes(around).replace(b"\n", b"\n# ")
    for data in (around, around.hex().encode(), base64.b64encode(around), wrapped, " ".join(secret.words(RAW_SECRET)).upper().encode()):
        with pytest.raises(AssertionError, match=r"a plant|recovery sheet"):
            assert_clean(b"something " + data + b" more", "a file", kept)
    assert_clean(b"nothing at all", "a file", kept)


# -- public files ------------------------------------------------------------------------------------------------------


def test_no_secret_in_a_campaign_that_goes_on(short: Campaign) -> None:
    assert_folder_clean(short)


def test_no_secret_in_a_finished_game(finished: Campaign) -> None:
    assert_folder_clean(finished)


def test_no_invite_of_a_seat_that_is_free(tmp_path: Path) -> None:
    campaign = new_campaign(tmp_path)
    campaign.receive(campaign.join_file("an"), campaign.join_file("bo"))
    campaign.process()
    free = {f"the invite of {seat}": invite_bytes(campaign.made.invites[seat]) for seat in ("chen", "dai")}
    assert_folder_clean(campaign, **free)
    for path in public_files(campaign):
        for seat in ("chen", "dai"):
            letters = campaign.made.invites[seat].replace("-", "").encode()
            assert letters not in path.read_bytes().replace(b"-", b"").lower()
    used = invite_text(invite_bytes(campaign.made.invites["an"]))
    assert used in campaign.folder.entry(1).read_text(), "a used one is published, to prove that the seat was not given away"


def _sealed(campaign: Campaign) -> dict[str, bytes]:
    """The nonces of sealed plans: 32 bytes that stand in the plain text and nowhere else."""
    found = {}
    for (seat, phase, revision), plain in campaign.plains.items():
        match = re.search(rb'nonce = "([A-Za-z0-9+/=]+)"', plain)
        assert match
        found[f"the plan of {seat} for {phase}, revision {revision}"] = base64.b64decode(match[1])
    return found


def test_no_plain_text_of_a_sealed_plan_before_its_phase_has_closed(bidding: Campaign, run: Run) -> None:
    files = bidding.bids()
    told = ""
    for seat, data in files.items():
        Path(f"{seat}.order.toml").write_bytes(data)
        told += run("receive", str(bidding.folder.root), f"{seat}.order.toml")
        told += run("receive", str(bidding.folder.root), f"{seat}.order.toml", "--json")
    game = str(bidding.folder.root)
    for words in (["status", game], ["status", game, "--json"], ["audit", game], ["show", game], ["report", game]):
        told += run(*words)
    plans = _sealed(bidding)
    assert plans
    assert_clean(told.encode(), "what the commands print", secrets_of(bidding) | plans)
    assert "If nobody else moved" not in told, "what a sealed plan would do is for its player alone"
    assert_folder_clean(bidding, **plans)


def test_after_closing_a_sealed_plan_is_there_for_everybody(bidding: Campaign) -> None:
    """Else the search above would find nothing for another reason."""
    bidding.receive(*bidding.bids().values())
    bidding.process()
    course = bidding.course()
    assert "2.return" in course.closed
    published = Secret(RAW_SECRET, RAW_ID).phase("2.return", course.keys["2.return"].entry)
    with pytest.raises(AssertionError, match="the key of the bids"):
        for path in public_files(bidding):
            assert_clean(path.read_bytes(), path.name, {"the key of the bids": published})
    item = course.desk[("an", "2.return")][0]
    assert item.plan.plans is not None


# -- what commands print -----------------------------------------------------------------------------------------------


def test_no_secret_in_what_commands_print_and_build(short: Campaign, run: Run) -> None:
    game = str(short.folder.root)
    key = Path("an.key")
    key.write_bytes(short.players["an"].key.openssh())
    Path("an.order.toml").write_bytes(short.signed("an", "3.place", []))
    Path("bad.order.toml").write_bytes(short.signed("an", "3.place", [], key=Player.of("bo").key))
    commands = [
        ["titles", "--json"], ["status", game], ["status", game, "--json"], ["show", game], ["show", game, "--seat", "an", "--json"],
        ["orders", game, "--seat", "an"], ["check", game, "an.order.toml"], ["check", game, "an.order.toml", "--json"],
        ["sign", "an.order.toml", "--key", "an.key"], ["armour", "an.order.toml"], ["receive", game, "an.order.toml", "bad.order.toml"],
        ["receive", game, "an.order.toml", "--json"], ["process", game, "--close", "9.place"], ["process", game, "--close", "3.place"],
        ["process", game, "--json"], ["audit", game], ["audit", game, "--json"], ["report", game], ["report", game, "--html", "r.html"],
        ["site", "--games", str(short.folder.root.parent), "-o", "_site", "--no-pdf"], ["join", game, "--seat", "an", "--invite", "x"],
        ["keygen", "-o", "an.key"],
    ]  # fmt: skip
    told = "\n".join(run(*words) for words in commands)
    kept = secrets_of(short)
    assert_clean(told.encode(), "what the commands print", kept)
    built = [path for path in (Path("r.html"), *Path("_site").rglob("*")) if path.is_file()]
    assert len(built) > 10
    for path in built:
        assert_clean(path.read_bytes(), str(path), kept)
    assert_folder_clean(short)


def test_new_alone_prints_the_words(run: Run) -> None:
    told = run("new", "games/spring-court", "--title", "ming-dynasty", "--seats", ",".join(SEATS))
    written = re.search(r'secret = "([0-9a-f]{64})"', Path("games/spring-court/private/secret.toml").read_text())
    assert written
    words = secret.words(bytes.fromhex(written[1]))
    assert " ".join(words) in " ".join(told.split())
    assert written[1] not in told
    assert written[1] not in run("new", "games/autumn-court", "--title", "ming-dynasty", "--seats", "an,bo,chen", "--json")


# -- errors ------------------------------------------------------------------------------------------------------------

WRONG: dict[str, str] = {
    "the words in another order": " ".join(reversed(secret.words(RAW_SECRET))),
    "one word short": " ".join(secret.words(RAW_SECRET)[:-1]),
    "one digit short": RAW_SECRET.hex()[:-1],
    "with a stray character": RAW_SECRET.hex() + "!",
    "in base64": base64.b64encode(RAW_SECRET).decode(),
}


@pytest.mark.parametrize("how", WRONG)
def test_a_mistyped_secret_is_not_repeated(campaign: Campaign, run: Run, how: str) -> None:
    game = str(campaign.folder.root)
    with environment("PBEM_SECRET", WRONG[how]):
        told = run("process", game) + run("receive", game, __file__) + run("new", "games/spring-court", "--title", "ming-dynasty",
                                                                          "--seats", "an,bo,chen")  # fmt: skip
        try:
            campaign.process()
        except CampaignError:
            told += traceback.format_exc()
    assert "secret" in told
    for part in (WRONG[how][:40], WRONG[how][-40:]):
        assert part not in told


def test_another_campaigns_secret_is_not_repeated(campaign: Campaign, run: Run) -> None:
    game = str(campaign.folder.root)
    other = fixed("another secret")
    with environment("PBEM_SECRET", other.hex()):
        told = run("process", game) + run("receive", game, __file__)
        try:
            campaign.process()
        except CampaignError:
            told += traceback.format_exc()
    assert "another campaign" in told
    assert_clean(told.encode(), "the error", {"the other secret": other, "its key": Secret(other, RAW_ID).signing_key.seed})


def test_no_secret_in_the_representation_of_anything_held(short: Campaign) -> None:
    from pbem.campaign.replay import replay_as_processor

    course = replay_as_processor(short.folder)
    shown = f"{course.secret!r} {course.archive.game!r} {course.links!r} {short.players['an'].key!r}"
    assert_clean(shown.encode(), "a representation", secrets_of(short))
