"""A command that goes over many campaigns, one after the other: what goes wrong in one never stops another."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import click

from pbem.cli.options import counted

T = TypeVar("T")

GAMES = Path("games")
"""Where campaigns are looked for when nothing is named."""


def named_or_all(games: tuple[Path, ...], everything: bool, shard: tuple[int, int] | None) -> list[Path]:
    """The campaigns meant by what ``many_options`` adds to a command; each once, in the order they are to be done.

    A usage error when that is contradictory, CampaignError when there are none at all; a shard may well be empty.
    """
    if not everything:
        if shard is not None:
            raise click.UsageError("--shard divides the campaigns that --all finds: name both")
        if not games:
            raise click.UsageError("name a campaign's folder, or all of them: --all")
        return list({game.resolve(): game for game in games}.values())
    from pbem.campaign.folder import CampaignError
    from pbem.campaign.shelf import campaigns_in, part

    folders = games or (GAMES,)
    for folder in folders:
        if (folder / "game.toml").is_file():
            raise click.UsageError(f"{folder} is a campaign itself; with --all name the folder in which campaigns lie")
    found = list({game.resolve(): game for folder in folders for game in campaigns_in(folder)}.values())
    if not found:
        raise CampaignError("no-campaigns", path=", ".join(str(folder) for folder in folders))
    return found if shard is None else part(found, *shard)


_SWEPT = 100


class Round:
    """One way through many campaigns. What fails is told at once, with the campaign's path, and remembered."""

    def __init__(self, games: list[Path]) -> None:
        self.games = games
        self.failed: dict[Path, str] = {}
        """Path → a code of what went wrong."""

    def each(self, work: Callable[[Path], T]) -> Iterator[tuple[Path, T]]:
        """The campaigns in which ``work`` went well, each with what it gave."""
        from pbem.cli.failing import explain

        for number, game in enumerate(self.games, start=1):
            if number % _SWEPT == 0:
                # A command looks for garbage seldom (see main): over hundreds of campaigns it would pile up.
                gc.collect()
            try:
                done = work(game)
            except Exception as error:
                # Even a fault of our own in one campaign is no reason to leave the others of a club waiting.
                if not explain(error, where=str(game)):
                    import traceback

                    click.echo(f"error: {game}: this is a fault of pbem itself; please report it", err=True)
                    traceback.print_exc()
                self.failed[game] = str(getattr(error, "code", "") or type(error).__name__)
                continue
            yield game, done

    def failures(self) -> list[dict[str, str]]:
        """What failed, for ``--json``."""
        return [{"path": str(game), "error": code} for game, code in self.failed.items()]

    def summary(self, *told: str) -> str:
        """One line: how many campaigns, what the command says of them, how many failed."""
        failed = [f"{len(self.failed)} failed"] if self.failed else []
        return ", ".join([counted(len(self.games), "campaign"), *(one for one in told if one), *failed])

    def finish(self) -> None:
        """Ends the command with exit status 1 when one failed."""
        if self.failed:
            sys.stdout.flush()
            raise click.exceptions.Exit(1)
