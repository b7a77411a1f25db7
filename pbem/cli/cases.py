"""Rule cases from files."""

from __future__ import annotations

from pathlib import Path

import click
import tomli_w

from pbem.campaign.creation import how_many
from pbem.campaign.folder import CampaignError, read
from pbem.cli.options import installed_title, must_be_file
from pbem.engine import cases, steps
from pbem.engine.chance import SeededChance
from pbem.orders.toml import read as read_toml


def run_files(paths: list[Path]) -> int:
    """Runs case files; folders are searched. Prints each failure. Gives the number of failures."""
    files = [file for path in paths for file in (sorted(path.rglob("*.toml")) if path.is_dir() else [path])]
    if not files:
        raise CampaignError("no-cases", path=", ".join(map(str, paths)))
    failed = 0
    for file in files:
        must_be_file(file, "case file")
        table = read_toml(read(file))
        try:
            if "title" not in table:
                raise cases.CaseFailed('the case has no title; pbem titles lists what a line title = "…" may say')
            cases.run(table, installed_title(str(table.get("title", ""))))
        except cases.CaseFailed as failure:
            failed += 1
            click.echo(f"FAILED  {file}  {table.get('rule', '')}\n  {failure}")
    click.echo(f"{len(files) - failed} of {len(files)} cases hold")
    return failed


def starting_position(slug: str, seats: list[str]) -> str:
    """A position after set-up in the vocabulary of case files."""
    title = installed_title(slug)
    if len(seats) not in title.seats:
        raise CampaignError("wrong-seats", found=len(seats), allowed=how_many(title.seats))
    position, _ = steps.first_step(title, title.options(), seats, SeededChance(0))
    # What is derived belongs under "then": a case whose position names it cannot be read.
    shown = {key: value for key, value in title.show_position(position).items() if key not in title.derived}
    return f'title = "{slug}"\n\n' + tomli_w.dumps({"position": shown})
