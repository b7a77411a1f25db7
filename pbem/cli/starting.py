"""A new campaign repository: the files that GitHub needs, and what its players read."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import click

FILES: dict[str, str] = {
    ".github/workflows/turn.yml": "turn.yml",
    ".github/ISSUE_TEMPLATE/orders.yml": "orders.yml",
    ".github/ISSUE_TEMPLATE/join.yml": "join.yml",
    ".github/ISSUE_TEMPLATE/request.yml": "request.yml",
    ".github/ISSUE_TEMPLATE/config.yml": "forms.yml",
    ".github/dependabot.yml": "dependabot.yml",
    ".gitignore": "gitignore",
    ".gitattributes": "gitattributes",
    "README.md": "README.md",
    "ORGANISING.md": "ORGANISING.md",
    "games/pbem.toml": "pbem.toml",
    "inbox/README.md": "inbox.md",
}
"""Where each file of the repository comes from, among the templates."""

_PBEM = re.compile(r"([A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100})@([0-9a-f]{40})")
_ADDRESS = re.compile(r"(?:https://(?:[^/@]*@)?github\.com/|git@github\.com:)([A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+?)(?:\.git)?/?")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--game", default="", help="Name of the game to be played first: the README names it.")
@click.option("--pbem", "source", default="", metavar="OWNER/NAME@COMMIT", help="Which pbem its jobs run. Default: this one.")
@click.option("--branch", default="main", show_default=True, help="The branch of the repository.")
@click.option("--git/--no-git", default=True, help="Also make it a git repository with a first commit, if git is here.")
def init(folder: Path, game: str, source: str, branch: str, git: bool) -> None:
    """Make a repository for campaigns on GitHub, ready to push.

    FOLDER is made. In it, pbem new games/NAME starts campaigns whose orders are sealed. ORGANISING.md there says what to do on GitHub.
    """
    from pbem.campaign.folder import NAME, CampaignError, write
    from pbem.cli.options import writing

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CampaignError("init-there", path=str(folder))
    if game and not NAME.fullmatch(game):
        raise CampaignError("bad-name", found=game)
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,99}", branch) or ".." in branch:
        raise CampaignError("bad-branch", found=branch)
    repository, commit = _source(source)
    with writing(folder):
        for name, text in made(repository, commit, branch, game, folder.resolve().name).items():
            write(folder / name, text.encode())
    committed = git and _first_commit(folder, branch)
    ready = f"{folder} is ready, with a first commit" if committed else f"{folder} is ready"
    click.echo(f"{ready}. Its jobs run pbem {commit[:10]} of {repository}.")
    click.echo(f"Start a game:  cd {folder}; pbem new games/{game or 'NAME'} --title … --seats …")
    click.echo(f"Then go through {folder / 'ORGANISING.md'}: six steps, a quarter of an hour.")


def made(repository: str, commit: str, branch: str, game: str, name: str) -> dict[str, str]:
    """The files of a campaign repository: path → text."""
    from pbem.publish import assets

    where = "The games lie in [games](games); each is named as its folder is"
    facts = {
        "PBEM_REPOSITORY": repository, "PBEM_COMMIT": commit, "BRANCH": branch, "IF": "", "NAME": name, "GAME": game or "GAME",
        "SETUP": f"{repository}/.github/actions/setup@{commit}", "PUBLISH": f"{repository}/.github/workflows/publish.yml@{commit}",
        "GAMES": f"Played first: **{game}**. {where}." if game else f"{where}; write that for GAME below.",
    }  # fmt: skip
    return {path: _filled(assets.text("templates", f"repository/{template}"), facts) for path, template in FILES.items()}


def _filled(text: str, facts: dict[str, str]) -> str:
    return re.sub(r"@([A-Z_]+)@", lambda found: facts[found[1]], text)


def _source(written: str) -> tuple[str, str]:
    """Repository and commit of the pbem to run. CampaignError "bad-pbem"; "init-pbem" when nothing is named and nothing known."""
    from pbem.campaign.folder import CampaignError

    if written:
        match = _PBEM.fullmatch(written)
        if match is None:
            raise CampaignError("bad-pbem", found=written)
        return match[1], match[2]
    found = _installed() or _checked_out()
    if found is None:
        raise CampaignError("init-pbem")
    return found


def _installed() -> tuple[str, str] | None:
    """Where this pbem was installed from, when pip has noted a commit on GitHub."""
    try:
        told = json.loads(distribution("pbem").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return None
    address = _ADDRESS.fullmatch(str(told.get("url", "")))
    commit = str(told.get("vcs_info", {}).get("commit_id", ""))
    return (address[1], commit) if address and re.fullmatch(r"[0-9a-f]{40}", commit) else None


def _checked_out() -> tuple[str, str] | None:
    """The same for a checkout that came from GitHub."""
    import pbem

    root = Path(pbem.__file__).parent.parent
    if not (root / "pyproject.toml").is_file():
        return None
    address, commit = _git(root, "remote", "get-url", "origin"), _git(root, "rev-parse", "HEAD")
    match = _ADDRESS.fullmatch(address)
    return (match[1], commit) if match and re.fullmatch(r"[0-9a-f]{40}", commit) else None


def _first_commit(folder: Path, branch: str) -> bool:
    """Makes the folder a git repository. False where there is no git, or it does not want to: the files are there all the same."""
    if shutil.which("git") is None:
        return False
    _git(folder, "init", "--quiet")
    _git(folder, "symbolic-ref", "HEAD", f"refs/heads/{branch}")
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message", "A repository for games by mail")
    return bool(_git(folder, "rev-parse", "--verify", "--quiet", "HEAD"))


def _git(folder: Path, *args: str) -> str:
    """What git says, "" when it fails."""
    try:
        done = subprocess.run(  # noqa: S603 — a list of arguments, no shell
            ["git", "-C", str(folder), *args], capture_output=True, text=True, check=False, timeout=60  # noqa: S607
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
