"""Closing times: the options that set them, putting one off, pausing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import click

from pbem.cli.options import game_argument, now_option

F = TypeVar("F", bound=Callable[..., Any])
RULE_HELP = 'When phases close: 48h or 90m after they began, "mon,thu 20:00 Europe/Berlin", "daily 21:00 Asia/Seoul least 24h", or none.'


def rule_options(function: F) -> F:
    """Options that set closing rules, for a new campaign and for one that runs."""
    options = (
        click.option("--close-phase", "own", multiple=True, metavar="PHASE=RULE", help="A rule for one kind of phase, such as move=24h."),
        click.option("--grace", default="", metavar="SPAN", help="What comes so long after closing still counts; shown nowhere."),
        click.option("--cooling", default="", metavar="SPAN", help="Nothing is played until so long after the last file came in."),
    )
    for option in reversed(options):
        function = option(function)
    return function


def own_rules(own: tuple[str, ...]) -> dict[str, str]:
    """PHASE=RULE as a table."""
    found = {}
    for text in own:
        phase, equals, rule = text.partition("=")
        if not equals or not phase or not rule.strip():
            raise click.BadParameter(f"{text!r}: write PHASE=RULE, such as move=24h", param_hint="--close-phase")
        found[phase.strip()] = rule.strip()
    return found


def typed_time(written: str, zone: str = "UTC", *, end_of_day: bool = False) -> datetime:
    """A time as a person types it, by the clocks of his zone unless he names an offset; a day alone is its beginning, or its end.

    CampaignError "bad-time".
    """
    from zoneinfo import ZoneInfo

    from pbem.campaign import clock, zones

    time = clock.parse_loose(written)
    bare = written.strip()
    if len(bare) > 10 and (bare.endswith("Z") or bare[10:].rpartition("-")[1] or "+" in bare):
        return time
    wall = time.replace(tzinfo=None)
    if len(bare) <= 10 and end_of_day:
        wall += timedelta(days=1)
    return zones.moment(ZoneInfo(zone), wall.date(), wall.time()) if zone != "UTC" else wall.replace(tzinfo=UTC)


@click.command()
@game_argument
@click.option("--until", default=None, metavar="TIME", help="The new closing time (UTC, or with an offset such as 2026-12-27T20:00+01:00).")
@click.option("--by", default=None, metavar="SPAN", help="How much longer: 12h, 2d.")
@click.option("--reason", default="", help="Why, in a sentence; public.")
@now_option
def extend(game: Path, until: str | None, by: str | None, reason: str, now_text: str | None) -> None:
    """Put off the closing time of the phase being played.

    The game file bounds by how much (pbem new --extensions); every later report says that the organiser did it.
    """
    from pbem.campaign import clock
    from pbem.cli.fixing import correct_and_tell

    if (until is None) == (by is None):
        raise click.UsageError("name --until TIME or --by SPAN")
    length = clock.span(by, none=False) if by is not None else None
    correct_and_tell(game, "extend", now_text, until=typed_time(until) if until is not None else None, by=length, text=reason)


@click.command()
@game_argument
@click.option("--until", default=None, metavar="TIME", help="When the game goes on (UTC, or with an offset).")
@click.option("--over", is_flag=True, help="Go on now: the pause is over.")
@click.option("--reason", default="", help="Why, in a sentence; public.")
@now_option
def pause(game: Path, until: str | None, over: bool, reason: str, now_text: str | None) -> None:
    """Let the game rest until a time: nothing is played, and closing times do not run.

    Orders are taken all the while. What was left of the phase comes after the pause.
    """
    from pbem.cli.fixing import correct_and_tell

    if (until is None) != over:
        raise click.UsageError("name --until TIME, or --over to go on now")
    correct_and_tell(game, "pause", now_text, until=typed_time(until) if until is not None else None, text=reason)


