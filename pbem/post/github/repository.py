"""The git side: one commit of what a run wrote, pushed only if nobody else has pushed meanwhile.

Arguments go to git as a list, never through a shell. The token goes to it in its environment: it stands on no disk and in no list of
processes.
"""

from __future__ import annotations

import base64
import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pbem.campaign.folder import CampaignError

_TIMEOUT = 300
_BRANCH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,199}")
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "NO_PROXY")
_AUTHOR = ("-c", "user.name=pbem", "-c", "user.email=41898282+github-actions[bot]@users.noreply.github.com", "-c", "commit.gpgsign=false")


class GitFailed(CampaignError):
    """git said no; what it said is not repeated, since it may hold an address with a token."""

    def __init__(self, what: str, status: int) -> None:
        super().__init__("git-failed", what=what, status=status)


@dataclass(frozen=True)
class Repository:
    """A working copy and the branch it is for. ``token`` "": git has its own way to log in, or needs none."""

    root: Path
    branch: str
    token: str = ""
    server: str = "https://github.com"

    def __post_init__(self) -> None:
        if not _BRANCH.fullmatch(self.branch) or ".." in self.branch:
            raise CampaignError("bad-branch", found=self.branch)

    def catch_up(self) -> str:
        """Brings the copy to where the branch is now; gives that commit.

        CampaignError "no-repository", "repository-dirty", "repository-diverged" where there is none, or something would be lost.
        """
        if self._status("rev-parse", "--git-dir"):
            raise CampaignError("no-repository", path=str(self.root))
        if self._git("status", "--porcelain", "--untracked-files=no"):
            raise CampaignError("repository-dirty", path=str(self.root))
        self._git("fetch", "--quiet", "--no-tags", "origin", f"refs/heads/{self.branch}")
        if self._status("merge", "--quiet", "--ff-only", "FETCH_HEAD"):
            raise CampaignError("repository-diverged", path=str(self.root), branch=self.branch)
        return self.head()

    def head(self) -> str:
        return self._git("rev-parse", "HEAD").strip()

    def blobs(self, folder: str) -> dict[str, str]:
        """Path → digest of the regular files below a folder, as they are committed; links are not among them."""
        found = {}
        for line in self._git("ls-tree", "-r", "-z", "HEAD", "--", f"{folder}/").split("\0"):
            facts, _, path = line.partition("\t")
            if facts.startswith("100") and len(parts := facts.split(" ")) == 3:
                found[path] = parts[2]
        return found

    def commit(self, message: str, folder: str, gone: Sequence[str] = ()) -> bool:
        """Commits what lies in ``folder``, without the files ``gone``. False when nothing has changed."""
        if gone:
            self._git("rm", "--quiet", "--ignore-unmatch", "--", *(f":(literal){path}" for path in gone))
        if (self.root / folder).exists():
            self._git("add", "--all", "--", folder)
        staged = [path for path in self._git("diff", "--cached", "--name-only", "-z").split("\0") if path]
        for path in staged:
            if "private" in PurePosixPath(path).parts:
                # Every private folder ignores itself; where somebody took that away, the run stops before anything is out.
                raise CampaignError("private-staged", path=path)
        if staged:
            self._git(*_AUTHOR, "commit", "--quiet", "--no-verify", "--message", message)
        return bool(staged)

    def push(self) -> bool:
        """Pushes. False when the branch has moved on meanwhile; GitFailed when it has not, and yet it did not work."""
        if not self._status("push", "--quiet", "origin", f"HEAD:refs/heads/{self.branch}"):
            return True
        mine, before = self.head(), self._git("rev-parse", "HEAD~1").strip()
        self._git("fetch", "--quiet", "--no-tags", "origin", f"refs/heads/{self.branch}")
        theirs = self._git("rev-parse", "FETCH_HEAD").strip()
        if theirs == mine:
            # It went through; only the answer was lost.
            return True
        if theirs == before:
            raise GitFailed("push", 1)
        return False

    def throw_away(self, to: str) -> None:
        """Forgets our own commit: nobody has seen it."""
        self._git("reset", "--quiet", "--hard", to)

    def _git(self, *args: str) -> str:
        done = self._run(args)
        if done.returncode:
            raise GitFailed(next((arg for arg in args if arg.isalpha()), "git"), done.returncode)
        return done.stdout.decode("utf-8", "surrogateescape")

    def _status(self, *args: str) -> int:
        return self._run(args).returncode

    def _run(self, args: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(  # noqa: S603 — a list of arguments, no shell
                ["git", "-C", str(self.root), *args], capture_output=True, check=False, timeout=_TIMEOUT, env=self._environment()  # noqa: S607
            )
        except (OSError, subprocess.TimeoutExpired):
            raise GitFailed(args[0], -1) from None

    def _environment(self) -> dict[str, str]:
        """Only what git needs: the campaign's secret is not among it."""
        kept = {name: value for name in _KEPT if (value := os.environ.get(name))}
        kept |= {"GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_COUNT": "0"}
        if self.token and self.server.startswith("https://"):
            login = base64.b64encode(f"x-access-token:{self.token}".encode()).decode()
            kept |= {
                "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": f"http.{self.server}/.extraheader",
                "GIT_CONFIG_VALUE_0": f"AUTHORIZATION: basic {login}",
            }  # fmt: skip
        return kept
