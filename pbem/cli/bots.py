"""Stand-in players at work: an order file for a seat, and how strong they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbem.cli.options import game_argument, installed_title, json_option, letters_option, print_json, save, seat_option

if TYPE_CHECKING:
    from pbem.engine.standin import StandIn


_LONGEST_THOUGHT = 3600.0


def _thought(_: click.Context, __: click.Parameter, given: float) -> float:
    # Asked this way round, because what is no number at all is neither more nor less.
    if not 0 <= given <= _LONGEST_THOUGHT:
        raise click.BadParameter(f"{given} is not between 0 and {_LONGEST_THOUGHT:g}")
    return given


def _whim(_: click.Context, __: click.Parameter, given: str) -> str:
    try:
        given.encode()
    except UnicodeEncodeError:
        raise click.BadParameter("write it in letters and digits") from None
    return given


@click.command()
@game_argument
@seat_option
@click.option("-o", "--output", type=click.Path(path_type=Path), default=None, help="Where to write it; without, it is printed.")
@click.option("--seconds", default=0.5, show_default=True, callback=_thought, help="Thinking time per decision, on an ordinary machine.")
@click.option("--seed", default="1", show_default=True, callback=_whim, help="Its whims: the same seed gives the same orders.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@letters_option
def bot(game: Path, seat: str, output: Path | None, seconds: float, seed: str, force: bool, key: Path | None) -> None:
    """Let a stand-in player write an order file for a seat.

    It sees only what the seat sees. The file is like one of your own: look at it, change it, then pbem sign.
    """
    from pbem.campaign.folder import CampaignError
    from pbem.cli.letters import facts_for
    from pbem.cli.play import course_words, open_course
    from pbem.publish.offering import foreseen, phases_to_order

    course = open_course(game)
    facts = facts_for(course, seat, key)
    phase = phases_to_order(course, seat, None, False, facts)[0]
    view = foreseen(course, seat, phase, facts)
    if view is None:
        why = f"in {course_words(course).phase_typed(phase)} the game does not ask this seat any more"
        raise CampaignError("nothing-asked", seat=seat, why=why)
    text = order_text(course, seat, phase, view, seconds=seconds, seed=seed)
    if output is None:
        click.echo(text.decode(), nl=False)
        return
    save(output, text, overwrite=force)
    named = course_words(course).phase(phase)
    click.echo(f"{output} is ready for {seat}, {named}. Look at it, then: pbem sign {output} --key {key or f'{seat}.key'}")


def order_lines(mind: StandIn, view: Any, careful: bool) -> list[dict[str, Any]]:
    """The lines of a stand-in's plan for the present phase; ``careful``: with alternatives."""
    from pbem.engine.position import to_table

    lines = []
    for ranked in mind.plan(view):
        line = to_table(ranked[0])
        if careful and len(ranked) > 1:
            line["or"] = [to_table(order) for order in ranked[1:]]
        lines.append(line)
    return lines


def order_text(course: Any, seat: str, phase: str, view: Any, *, seconds: float, seed: str, careful: bool = True) -> bytes:
    """A readable order file by a stand-in; ``careful``: its lines have alternatives."""
    from pbem.engine.standin import StandIn
    from pbem.orders.write import dump

    lines = order_lines(StandIn(course.title, seat, f"{seed}/{course.archive.head()}", seconds=seconds), view, careful)
    on_desk = course.current(seat, phase)
    table: dict[str, Any] = {
        "game": course.archive.game.name, "player": seat, "phase": phase, "revision": on_desk.receipt.revision + 1 if on_desk else 1,
        "after": course.archive.head(), "then": "ask", "orders": lines,
    }  # fmt: skip
    if course.must_seal(phase):
        table["seal_to"] = course.keys[phase].seal_to
    return dump(table)


@click.group()
def bench() -> None:
    """Measure: how strong the stand-in players are."""


@bench.command()
@click.option("--title", "slugs", multiple=True, help="Which titles. Default: all.")
@click.option("--games", default=200, show_default=True, type=click.IntRange(1, 1_000_000), help="Games per title and number of seats.")
@click.option("--seconds", default=0.05, show_default=True, callback=_thought, help="Thinking time per decision, on an ordinary machine.")
@click.option("--seed", default="1", show_default=True, callback=_whim, help="The same seed gives the same games.")
@json_option
def players(slugs: tuple[str, ...], games: int, seconds: float, seed: str, as_json: bool) -> None:
    """Stand-ins against random play, the seats rotated, with 95 % intervals."""
    from pbem.engine import registry
    from pbem.engine.contest import contest

    found = []
    for slug in slugs or registry.slugs():
        title = installed_title(slug)
        for count in title.seats:
            seats = ["an", "bo", "chen", "dai", "eun"][:count]
            result = contest(title, title.options(), seats, games=games, seed=seed, seconds=seconds)
            found.append(result)
            if not as_json:
                share = f"{result.won / games:6.1%}  (95 %: {result.low:.1%} to {result.high:.1%})"
                click.echo(f"{slug:20} {count} seats  {games} games  won {share}, chance alone {result.chance:.0%}")
    if as_json:
        print_json(found)

