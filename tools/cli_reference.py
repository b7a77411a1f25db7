"""Writes the command line reference from the commands' own help: ``python tools/cli_reference.py docs/cli.md``; without a file, prints it.

The width is fixed, so that the same commands give the same bytes on every terminal.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pbem import cli

WIDTH = 100
HEAD = """# The command line

This page is written by `make reference` from what `pbem COMMAND --help` says; a test keeps the two the same.

Exit status: 0 done; 1 refused or failed, with `error:` and, where one helps, `hint:` on standard error; 2 wrong usage; 3 (`pbem status`
only) something is due. `pbem receive` answers every file and then exits with 1 if one was refused.

Times (`--now`) are written `2026-12-03T19:00` (UTC) or with a zone, `2026-12-03T20:00+01:00`. The processor's secret is read from
`private/secret.toml` in the campaign's folder, or from the environment variable `PBEM_SECRET`; a key's passphrase is asked for, or taken
from `PBEM_PASSPHRASE`.
"""


def reference() -> str:
    """The whole page as Markdown."""
    parts = [HEAD]
    root = click.Context(cli.pbem, info_name="pbem", help_option_names=["-h", "--help"])
    for heading, names in cli.GROUPS:
        parts.append(f"## {heading}\n")
        for name in names:
            command = cli.pbem.get_command(root, name)
            if command is None:
                raise LookupError(name)
            parts += _pages(command, click.Context(command, info_name=name, parent=root, terminal_width=WIDTH, max_content_width=WIDTH))
    return "\n".join(parts)


def _pages(command: click.Command, context: click.Context) -> list[str]:
    """A command's help, and that of the commands below it."""
    pages = [f"### {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None:
                pages += _pages(below, click.Context(below, info_name=name, parent=context))
    return pages


def main() -> None:
    """Writes or prints the page."""
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(reference(), encoding="utf-8", newline="\n")
    else:
        sys.stdout.write(reference())


if __name__ == "__main__":
    main()
