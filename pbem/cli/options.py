"""Options that several commands share, and what they mean."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from pbem.campaign.keyring import Keyring
    from pbem.orders.keys import PrivateKey
    from pbem.publish.words import Words

F = TypeVar("F", bound=Callable[..., Any])

game_argument = click.argument("game", type=click.Path(path_type=Path))
json_option = click.option("--json", "as_json", is_flag=True, help="Tell it as JSON, for programs.")
now_option = click.option("--now", "now_text", metavar="TIME", default=None, help="The present time, for tests and late runs.")
key_option = click.option(
    "--key", type=click.Path(path_type=Path), default=None, help="Your SSH key (ed25519). Default: ~/.ssh/id_ed25519."
)
letters_option = click.option(
    "--key", type=click.Path(path_type=Path), default=None, help="Open your letters with this key's .pbem file (games with hidden facts)."
)
seat_option = click.option("--seat", required=True, help="Your seat, such as an.")
of_seat_option = click.option("--seat", required=True, help="Which seat, such as bo.")


class _Shard(click.ParamType[tuple[int, int]]):
    """``2/8``: the second of eight parts."""

    name = "shard"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        found = re.fullmatch(r"([0-9]{1,5})/([0-9]{1,5})", value)
        number, of = (int(found[1]), int(found[2])) if found else (0, 0)
        if not 1 <= number <= of:
            self.fail(f"{value!r}: write it like 2/8, the second of eight parts", param, ctx)
        return number, of


def shard_option(told: str) -> Callable[[F], F]:
    """``--shard I/N`` as ``shard``: None, or the number of a part (from 1) and how many there are."""
    return click.option("--shard", type=_Shard(), metavar="I/N", default=None, help=told)


def many_options(command: F) -> F:
    """For a command that goes over many campaigns: gives it ``games``, ``everything`` and ``shard``.

    ``GAMES…`` are campaigns; with ``--all`` they are folders in which campaigns lie, games/ when none is named. In the command::

        round = many.Round(many.named_or_all(games, everything, shard))
        for game, done in round.each(work):     # work(path) may raise anything: that is told, and the next one goes on
            …
        click.echo(round.summary("3 letters sent"))
        round.finish()                          # exit status 1 when one failed

    A campaign that is over is best left alone: ``campaign.shelf.finished`` knows it at almost no cost.
    """
    for add in (
        shard_option("With --all: only the campaigns of part I of N."),
        click.option("--all", "everything", is_flag=True, help="All campaigns of the folders GAMES, else of games/."),
        click.argument("games", nargs=-1, type=click.Path(path_type=Path)),
    ):
        command = add(command)
    return command


install_option = click.option(
    "--install", default="", metavar="TEXT", help="For that mail: where and how to get pbem. Default: install in private/mail.toml."
)


def moment(now_text: str | None) -> datetime:
    """The time a command works with: ``--now`` or the clock."""
    from pbem.campaign import clock

    return clock.now() if now_text is None else clock.parse_loose(now_text)


def key_path(key: Path | None) -> Path:
    """The key file meant: the one named, else ~/.ssh/id_ed25519."""
    from pbem.campaign.folder import CampaignError

    path = key if key is not None else Path.home() / ".ssh" / "id_ed25519"
    if not path.is_file():
        raise CampaignError("no-key" if key is not None else "no-default-key", path=str(path))
    return path


def load_key(path: Path) -> PrivateKey:
    """The private key in a file, asking for its passphrase when it has one."""
    from pbem.orders.keys import load_private

    def ask() -> str:
        given = os.environ.get("PBEM_PASSPHRASE")
        return given if given is not None else str(click.prompt(f"passphrase of {path}", hide_input=True, err=True))

    return load_private(path, ask)


def keyring_of(path: Path) -> Keyring:
    """What this player's machine remembers beside that key."""
    from pbem.campaign.keyring import Keyring

    return Keyring.beside(path)


def language_tag(_: click.Context, __: click.Parameter, given: str) -> str:
    """For ``--language``: a tag as order and join files have it."""
    from pbem.orders.head import LANGUAGE

    if not LANGUAGE.fullmatch(given):
        raise click.BadParameter(f"{given!r}: write it like fr, ko or zh-Hans")
    return given


def words_for(source: Any, language: str = "en") -> Words:
    """The words of a story or title in a language."""
    from pbem.publish.words import Words

    return Words(source, language)


def installed_title(slug: str) -> Any:
    """The title of that slug. CampaignError "unknown-title" when it is not installed."""
    from pbem.campaign.folder import CampaignError
    from pbem.engine import registry
    from pbem.orders.findings import nearest

    try:
        return registry.title(slug)
    except KeyError:
        raise CampaignError("unknown-title", found=slug, known=registry.slugs(), nearest=nearest(slug, registry.slugs())) from None


def print_json(value: Any) -> None:
    """Prints plain data as readable JSON."""
    import json

    import msgspec

    click.echo(json.dumps(msgspec.to_builtins(value), ensure_ascii=False, indent=2, sort_keys=True))


def counted(count: int, one: str, many: str = "") -> str:
    """A number with its word: "1 step", "2 steps"; ``many`` where it is not ``one`` and an s."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def save(path: Path, data: bytes, *, overwrite: bool = False) -> None:
    """Writes a file the user named, whole or not at all. CampaignError "there-already" when it is there; "cannot-write"."""
    from pbem.campaign.folder import CampaignError, write

    if path.exists() and not overwrite:
        raise CampaignError("there-already", path=str(path))
    with writing(path):
        write(path, data)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """What cannot be written is named as the user named it, not as the temporary file or the folder that was in the way."""
    from pbem.campaign.folder import CampaignError

    try:
        yield
    except OSError as error:
        raise CampaignError("cannot-write", path=str(path), reason=error.strerror or str(error)) from None


def must_be_file(path: Path, what: str) -> None:
    """CampaignError "no-file", "is-folder" or "odd-file" unless a file of that name is there; ``what`` it is for: "order file"."""
    from pbem.campaign.folder import CampaignError

    if path.is_dir():
        raise CampaignError("is-folder", what=what, path=str(path))
    if not path.exists():
        raise CampaignError("no-file", what=what, path=str(path))
    if not path.is_file():
        raise CampaignError("odd-file", what=what, path=str(path))
