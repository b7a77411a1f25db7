"""Campaigns to measure with, and what ``process --all`` and ``site`` cost for each when there are ten, a hundred, a thousand."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from pbem.campaign.creation import Created, create
from pbem.campaign.folder import Folder
from pbem.campaign.intake import Incoming, receive
from pbem.campaign.turn import process
from pbem.orders.join import invite_bytes, make_join
from pbem.orders.keys import PrivateKey, generate
from pbem.orders.making import sign_order
from pbem.orders.seal import phase_public

SIZES = (10, 100, 1000)
SEATS = ("an", "bo", "chen", "dai")


class Cost(NamedTuple):
    """CPU seconds of a whole command over each number of campaigns."""

    what: str
    seconds: dict[int, float]

    def each(self, fewer: int, more: int) -> float:
        """What one more campaign costs between two sizes."""
        return (self.seconds[more] - self.seconds[fewer]) / (more - fewer)


def processed(work: Path, campaign: Path, now: str, run: Callable[..., float]) -> Iterator[Cost]:
    """``process --all`` where an order file waits in every campaign, then where nothing does. ``run`` gives the CPU seconds of ``pbem``."""
    clubs = {size: work / f"club{size}" for size in SIZES}
    for size, where in clubs.items():
        for number in range(size):
            shutil.copytree(campaign, where / f"game-{number:04}")
    entries = len(list((campaign / "ledger").iterdir()))
    for what in ("a file in each", "nothing due"):
        yield Cost(what, {size: run("process", "--all", where, "--now", now) for size, where in clubs.items()})
        if any(len(list((game / "ledger").iterdir())) != entries + 1 for where in clubs.values() for game in where.iterdir()):
            raise RuntimeError("the file was not played once in each campaign")


def published(work: Path, now: datetime, run: Callable[..., float]) -> Cost:
    """``site`` when in one of the campaigns something has happened since the last time."""
    seconds = {}
    for size in SIZES[:2]:
        games, out = work / f"site{size}" / "games", work / f"site{size}" / "out"
        made = [_create(games / f"game-{number:04}", now) for number in range(size)]
        run("site", "--games", games, "-o", out, "--no-pdf")
        _join(Folder(games / "game-0000"), made[0], now)
        seconds[size] = run("site", "--games", games, "-o", out, "--no-pdf")
        if not (out / "game-0000" / "0005.html").is_file():
            raise RuntimeError("the campaign that has moved on was not published")
    return Cost("one of which has moved on", seconds)


def _create(root: Path, now: datetime) -> Created:
    return create(Folder(root), now, title="ming-dynasty", seats=list(SEATS))


def _join(folder: Folder, made: Created, now: datetime) -> dict[str, PrivateKey]:
    """All seats taken, the game set up; gives the players' keys."""
    keys = {seat: generate() for seat in SEATS}
    joins = [
        make_join(
            keys[seat], game=made.game.name, campaign_id=bytes.fromhex(made.game.id), seat=seat, invite=invite_bytes(made.invites[seat]),
            letter_public=phase_public(bytes([at + 1]) * 32), nonce=bytes([at + 1]) * 32,
        )
        for at, seat in enumerate(SEATS)
    ]  # fmt: skip
    hand_in(folder, joins, now)
    process(folder, now)
    return keys


def opened(root: Path, now: datetime, files: int) -> tuple[Folder, list[bytes]]:
    """A campaign in its first phase, and signed files for it: revisions of its players, the first of who is asked first."""
    folder = Folder(root)
    made = _create(root, now)
    keys = _join(folder, made, now)
    course = process(folder, now).course
    waiting, head = course.waiting(), course.archive.head()
    if waiting is None:
        raise RuntimeError("the game was not set up")
    first = SEATS.index(waiting.asked[0].seat)
    seats = SEATS[first:] + SEATS[:first]
    signed = []
    for at in range(files):
        seat = seats[at % len(seats)]
        text = (
            f'game = "{made.game.name}"\nplayer = "{seat}"\nphase = "0.prince"\nrevision = {at // len(SEATS) + 1}\nafter = "{head}"\n'
            'orders = [\n  { do = "prince", district = ["yunnan-a", "yunnan-b", "zhili-c", "nanjing-a"] },\n]\n'
        )
        signed.append(sign_order(text.encode(), keys[seat]).data)
    return folder, signed


def hand_in(folder: Folder, files: list[bytes], now: datetime) -> None:
    """Files answered as ``pbem receive`` does."""
    answers = receive(folder, [Incoming(f"{at}.toml", data) for at, data in enumerate(files)], now)
    if not all(answer.receipt.accepted for answer in answers):
        raise RuntimeError("a file of the bench was refused")
