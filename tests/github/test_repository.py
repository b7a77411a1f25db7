"""The git side: the push decides, and nothing that is not ours is thrown away."""

from __future__ import annotations

import base64
import stat
from pathlib import Path

import pytest

from pbem.campaign.folder import CampaignError
from pbem.post.github.repository import GitFailed, Repository

from .forge import bare_of, clone, git


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    seed = tmp_path / "seed"
    (seed / "games").mkdir(parents=True)
    (seed / "games" / "first").write_text("1\n", encoding="utf-8")
    return bare_of(seed, tmp_path / "bare.git")


def change(where: Path, name: str, text: str = "x\n") -> None:
    (where / "games" / name).write_text(text, encoding="utf-8")


def test_only_changes_are_committed_and_the_slower_one_is_told(bare: Path, tmp_path: Path) -> None:
    one, two = (Repository(clone(bare, tmp_path / name), "main") for name in ("one", "two"))
    assert not one.commit("nothing", "games")
    before = two.catch_up()
    for repository in (one, two):
        change(repository.root, "new", str(repository.root))
        (repository.root / "elsewhere").write_text("not ours\n", encoding="utf-8")
        assert repository.commit("a file", "games")
    assert one.push() and not two.push()
    two.throw_away(before)
    assert not (two.root / "games" / "new").exists() and (two.root / "elsewhere").exists()
    assert two.catch_up() == one.head()
    assert "elsewhere" not in git(bare, "ls-tree", "-r", "--name-only", "main")


def test_a_push_whose_answer_was_lost_counts(bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = Repository(clone(bare, tmp_path / "one"), "main")
    change(repository.root, "new")
    assert repository.commit("a file", "games")
    true_status = Repository._status

    def lost(self: Repository, *args: str) -> int:
        return true_status(self, *args) or 1

    monkeypatch.setattr(Repository, "_status", lost)
    assert repository.push()


def test_a_push_that_is_not_allowed_is_no_race(bare: Path, tmp_path: Path) -> None:
    hook = bare / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
    repository = Repository(clone(bare, tmp_path / "one"), "main")
    change(repository.root, "new")
    assert repository.commit("a file", "games")
    with pytest.raises(GitFailed):
        repository.push()


def test_work_of_the_organisers_is_never_lost(bare: Path, tmp_path: Path) -> None:
    mine = Repository(clone(bare, tmp_path / "mine"), "main")
    change(mine.root, "first", "changed\n")
    with pytest.raises(CampaignError, match="repository-dirty"):
        mine.catch_up()
    assert mine.commit("mine", "games")
    other = Repository(clone(bare, tmp_path / "other"), "main")
    change(other.root, "second")
    assert other.commit("theirs", "games") and other.push()
    with pytest.raises(CampaignError, match="repository-diverged"):
        mine.catch_up()
    assert (mine.root / "games" / "first").read_text(encoding="utf-8") == "changed\n"


def test_links_in_the_inbox_are_no_files(bare: Path, tmp_path: Path) -> None:
    where = clone(bare, tmp_path / "one")
    (where / "inbox").mkdir()
    (where / "inbox" / "good.toml").write_text("x\n", encoding="utf-8")
    (where / "inbox" / "link.toml").symlink_to("/etc/passwd")
    git(where, "add", "--all")
    git(where, "commit", "--quiet", "-m", "inbox")
    assert list(Repository(where, "main").blobs("inbox")) == ["inbox/good.toml"]


def test_the_token_is_in_the_environment_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fakes = tmp_path / "bin"
    fakes.mkdir()
    (fakes / "git").write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/args\nenv >> {tmp_path}/env\n', encoding="utf-8")
    (fakes / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{fakes}:/usr/bin:/bin")
    monkeypatch.setenv("PBEM_SECRET", "the secret of the campaigns")
    Repository(tmp_path, "main", "ghs_token").head()
    args, env = ((tmp_path / name).read_text(encoding="utf-8") for name in ("args", "env"))
    login = base64.b64encode(b"x-access-token:ghs_token").decode()
    assert login in env and "ghs_token" not in args and login not in args
    assert "the secret" not in env, "git has no use for it"
    # Nowhere but to the forge itself.
    assert "http.https://github.com/.extraheader" in env
    assert "ghs_token" not in str(GitFailed("push", 1))


@pytest.mark.parametrize("branch", ["", "--force", "a..b", "a b", "main:other", "+main"])
def test_a_branch_is_a_name(tmp_path: Path, branch: str) -> None:
    with pytest.raises(CampaignError, match="bad-branch"):
        Repository(tmp_path, branch)
