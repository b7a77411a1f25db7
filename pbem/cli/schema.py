"""The JSON Schema of order files, for editors."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.cli.options import installed_title


@click.command()
@click.argument("title")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=None, help="Where to write it; without, it is printed.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def schema(title: str, output: Path | None, force: bool) -> None:
    """Print the JSON Schema of a title's order files.

    An editor that knows TOML then completes keys and marks slips. Order templates name it in their first line as
    ./schema/TITLE.json: write it there, beside your order files, or take it from the published site.
    """
    from pbem.cli.options import save
    from pbem.publish.schema import schema_text

    text = schema_text(installed_title(title))
    if output is None:
        click.echo(text, nl=False)
        return
    save(output, text.encode(), overwrite=force)
    click.echo(f"{output} is written")
