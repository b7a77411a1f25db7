"""The web pages of all campaigns: built, divided among machines, looked at."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbem.cli.options import counted, language_tag, shard_option, writing

if TYPE_CHECKING:
    from pbem.campaign.folder import Folder
    from pbem.publish.site import Site

_ADDRESS = re.compile(r"https?://[!-~]{1,300}")
"""An address as it may stand in feeds and calendars: printable ASCII, so that nothing in it has to be escaped."""


def _web_address(_: click.Context, __: click.Parameter, given: str | None) -> str | None:
    if given and not _ADDRESS.fullmatch(given):
        raise click.BadParameter(f"{given!r}: write it like https://example.org/games")
    return given


def _told_address(folder: Folder) -> str:
    """What the mail settings of a campaign call its site, or where GitHub will put it in a job there; "" when neither is known."""
    from pbem.campaign.folder import CampaignError
    from pbem.post.settings import load

    try:
        told = load(folder).site
    except CampaignError:
        # Whoever sends mail hears of it; pages can be made without.
        told = ""
    return told if _ADDRESS.fullmatch(told) else pages_address(os.environ)


def pages_address(surroundings: Mapping[str, str]) -> str:
    """Where GitHub puts the pages of the repository whose job this is; "" elsewhere. From a domain of one's own it leads on to that."""
    owner, _, name = surroundings.get("GITHUB_REPOSITORY", "").partition("/")
    if surroundings.get("GITHUB_SERVER_URL") != "https://github.com" or not (owner and name):
        return ""
    host = f"{owner.lower()}.github.io"
    found = f"https://{host}" if name.lower() == host else f"https://{host}/{name}"
    return found if _ADDRESS.fullmatch(found) else ""


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("_site"), show_default=True, help="Folder to build in.")
@click.option("--games", type=click.Path(path_type=Path), default=Path("games"), show_default=True, help="Folder of the campaigns.")
@click.option("--pdf/--no-pdf", default=None, help="Build PDFs too. Default: if this machine can.")
@click.option(
    "--address", default=None, callback=_web_address, metavar="URL",
    help="Where the site will stand: feeds and calendars name it. Default: site in a campaign's private/mail.toml; on GitHub, its Pages.",
)
@click.option("--language", default="en", show_default=True, callback=language_tag, help="Language of the pages.")
@click.option("--all", "everything", is_flag=True, hidden=True, help="As without it.")
@shard_option("Build only the pages of part I of N; laid together and built once more, the parts are the whole site.")
def site(
    output: Path, games: Path, pdf: bool | None, address: str | None, language: str, everything: bool, shard: tuple[int, int] | None
) -> None:
    """Build the web pages of all campaigns.

    A campaign in which nothing has happened since the last time is not even read. One that cannot be read keeps the pages it has.
    """
    from pbem.campaign.shelf import part
    from pbem.cli.many import Round, named_or_all
    from pbem.publish.pdf import available
    from pbem.publish.site import Site

    found = named_or_all((games,), True, None)
    mine = found if shard is None else part(found, *shard)
    missing = available() if pdf is None else ""
    made = _Making(Site(output), output, not missing if pdf is None else pdf, language, address)
    through = Round(mine)
    with _Progress(len(mine)) as progress:
        built = sum(done for _, done in through.each(lambda game: made.bring_up(game, progress)))
        for game in found:
            # Pages of other parts, and of a campaign that cannot be read now, stay as they are.
            made.leave(game)
        with writing(output):
            written = made.site.finish(language)
    click.echo(f"{output}: {through.summary(f'{built} built' if len(mine) > 1 else '')}, {counted(len(written), 'file')} written anew")
    if missing:
        click.echo(f"without PDFs: {missing}", err=True)
    click.echo(f"look at it: pbem serve {output}")
    through.finish()


class _Making:
    """How the pages of a campaign are made; campaigns are known by their folders until their names are read."""

    def __init__(self, site: Site, output: Path, pdf: bool, language: str, address: str | None) -> None:
        self.site, self._output, self._pdf, self._language, self._address = site, output, pdf, language, address
        self._names: dict[str, Path] = {}

    def bring_up(self, game: Path, progress: _Progress) -> bool:
        """Brings a campaign's pages up to date; False when they were."""
        from pbem.campaign.folder import CampaignError, Folder
        from pbem.campaign.replay import replay
        from pbem.campaign.shelf import name_of, state
        from pbem.campaign.stories import story
        from pbem.cli.options import words_for
        from pbem.publish.site import SiteCampaign

        progress.tell(f"reading {game.name}")
        name, folder = name_of(game), Folder(game)
        if name in self._names:
            raise CampaignError("same-name", found=name, path=str(self._names[name]))
        self._names[name] = game
        address = _told_address(folder) if self._address is None else self._address
        key = f"{state(folder)} {self._pdf} {self._language} {address}"
        if self.site.unchanged(name, key):
            return False
        told = story(replay(folder))
        words = words_for(told, self._language)
        progress.build(game.name)
        with writing(self._output):
            self.site.add(SiteCampaign(told, downloads(folder, told), pdf=self._pdf, address=address), words, key)
        return True

    def leave(self, game: Path) -> None:
        """Keeps what pages there are of a campaign that this run has not brought up to date."""
        from pbem.campaign.archive import Fault
        from pbem.campaign.folder import CampaignError
        from pbem.campaign.shelf import name_of

        try:
            name = name_of(game)
        except (CampaignError, Fault, OSError):
            name = game.name
        self.site.keep(name)


class _Progress:
    """One line on a terminal that says what a long build is at; nothing where standard error is no terminal."""

    def __init__(self, campaigns: int) -> None:
        self._shown = sys.stderr.isatty()
        self._campaigns = campaigns
        self._begun: list[str] = []

    def tell(self, what: str) -> None:
        if self._shown:
            click.echo(f"\r\x1b[K{what} …", nl=False, err=True)

    def build(self, name: str) -> None:
        """The pages of a campaign begin when its words are asked for the first time."""
        if name not in self._begun:
            self._begun.append(name)
            self.tell(f"{len(self._begun)} of {self._campaigns}: the pages of {name}")

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            click.echo("\r\x1b[K", nl=False, err=True)


def _archive(folder: Folder, name: str) -> bytes:
    """Everything that an audit needs in one file; the same files give the same bytes."""
    import io
    import zipfile

    public = [folder.game]
    for where in (folder.ledger, folder.receipts, folder.orders, folder.letters):
        public += [path for path in sorted(where.rglob("*.toml*")) if path.is_file()]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in public:
            packed.writestr(zipfile.ZipInfo(f"{name}/{folder.relative(path)}"), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def downloads(folder: Folder, told: Any) -> dict[str, Path | bytes]:
    """Public files offered on the site: the game file, the ledger, the receipts, and the players' keys as ``allowed_signers``."""
    from pbem.campaign.folder import numbered

    found: dict[str, Path | bytes] = {"game.toml": folder.game}
    for where in (folder.ledger, folder.receipts):
        for path in numbered(where):
            found[folder.relative(path)] = path
    lines = [f'{seat.seat} namespaces="order@pbem,join@pbem,request@pbem" {seat.key}\n' for seat in told.seats if seat.key]
    lines.append(f'processor namespaces="ledger@pbem,receipt@pbem,seal@pbem" {told.processor_key}\n')
    found[f"{told.name}.zip"] = _archive(folder, told.name)
    found["allowed_signers"] = "".join(lines).encode()
    return found


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=Path("_site"))
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Port on this machine.")
def serve(folder: Path, port: int) -> None:
    """Look at the built pages on this machine."""
    from pbem.campaign.folder import CampaignError
    from pbem.publish.serve import serve as run

    if not (folder / "index.html").is_file():
        raise CampaignError("no-site", path=str(folder))
    click.echo(f"http://127.0.0.1:{port}/  (only from this machine; stop with Ctrl-C)")
    run(folder, port)


