"""Runs the jobs of a workflow as the forge's runner would: their scripts with bash in a clean environment, their actions as stand-ins.

Only the expressions that our workflows use are known; anything else is an error of the test, so that nothing passes unseen.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from .forge import TOKEN, clone

ROOT = Path(__file__).parents[2]
OURS_WORKFLOWS = ROOT / ".github" / "workflows"
EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")


def load(path: Path) -> dict[str, Any]:
    """A workflow or action; ``on`` stays a word."""
    text = re.sub(r"^on:", '"on":', path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found: dict[str, Any] = yaml.safe_load(text)
    return found


@dataclass
class Ran:
    """What a job left: ``log`` all it printed, ``failed`` the step that ended it."""

    log: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    failed: str = ""
    skipped: list[str] = field(default_factory=list)


@dataclass
class Runner:
    """One run of a workflow. ``artifacts`` holds what its jobs hand on; ``planted`` is done to each checkout before anything runs."""

    root: Path
    bare: Path
    api: str
    event_name: str
    event: dict[str, Any]
    secret: str
    artifacts: dict[str, Path] = field(default_factory=dict)
    planted: Callable[[Path], None] = lambda _where: None
    extra: dict[str, str] = field(default_factory=dict)
    attempt: int = 1

    def job(self, job: dict[str, Any], facts: dict[str, str], name: str) -> Ran:
        """Runs the steps of a job. ``facts``: what its expressions may name besides what every job has."""
        ran, work = Ran(), self.root / f"job-{name}-{self.attempt}"
        temp = work / "temp"
        temp.mkdir(parents=True)
        workspace = work / "workspace"
        known = {"github.token": TOKEN, "runner.temp": str(temp), "github.ref": "refs/heads/main", **facts}
        known["github.run_attempt"] = str(self.attempt)
        if "environment" in job and job["environment"] == "pbem":
            known["secrets.PBEM_SECRET"] = self.secret
        for number, step in enumerate(job["steps"]):
            if ran.failed and "cancelled()" not in str(step.get("if", "")):
                continue
            if "if" in step and not self._holds(str(step["if"]), known):
                ran.skipped.append(str(step.get("uses", step.get("name"))))
                continue
            output = temp / f"output-{number}"
            output.touch()
            if "uses" in step:
                self._use(str(step["uses"]), {key: _filled(str(value), known) for key, value in step.get("with", {}).items()}, workspace)
            else:
                workspace.mkdir(exist_ok=True)
                done = self._script(step, known, workspace, temp, output)
                ran.log += done.stdout + done.stderr
                if done.returncode:
                    ran.failed = ran.failed or str(step.get("name"))
            for line in output.read_text(encoding="utf-8").splitlines():
                key, _, value = line.partition("=")
                known[f"steps.{step.get('id')}.outputs.{key}"] = value
        for key, value in job.get("outputs", {}).items():
            ran.outputs[key] = _filled(str(value), known)
        return ran

    def _script(self, step: dict[str, Any], known: dict[str, str], workspace: Path, temp: Path, output: Path) -> Any:
        assert not EXPRESSION.search(step["run"]), "nothing is ever put into a script"
        event = temp / "event.json"
        event.write_text(json.dumps(self.event), encoding="utf-8")
        home = temp / "home"
        home.mkdir(exist_ok=True)
        env = {
            "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "RUNNER_TEMP": str(temp),
            "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "club/games", "GITHUB_API_URL": self.api,
            "GITHUB_GRAPHQL_URL": f"{self.api}/graphql",
            "GITHUB_EVENT_NAME": self.event_name, "GITHUB_EVENT_PATH": str(event), "GITHUB_OUTPUT": str(output), "GITHUB_REF_NAME": "main",
            "GITHUB_REF": "refs/heads/main", "GITHUB_REF_TYPE": "branch", "GITHUB_SERVER_URL": "https://github.com",
            **self.extra, **{key: _filled(str(value), known) for key, value in step.get("env", {}).items()},
        }  # fmt: skip
        script = temp / "script.sh"
        script.write_text(step["run"], encoding="utf-8")
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail"] if step.get("shell") == "bash" else ["bash", "-e"]
        return subprocess.run([*shell, str(script)], cwd=workspace, env=env, capture_output=True, text=True, check=False, timeout=120)

    def _use(self, uses: str, given: dict[str, str], workspace: Path) -> None:
        if uses.startswith("actions/checkout@"):
            assert given["persist-credentials"] == "False"
            clone(self.bare, workspace)
            self.planted(workspace)
        elif uses.startswith("actions/upload-artifact@"):
            assert Path(given["path"]).is_dir()
            self._keep(given["name"], Path(given["path"]), given.get("overwrite") == "True")
        elif uses.startswith("actions/download-artifact@"):
            shutil.copytree(self.artifacts[given["name"]], workspace / given["path"])
        elif uses.startswith("actions/upload-pages-artifact@"):
            assert (workspace / given["path"] / "index.html").is_file()
            self._keep(given["name"], workspace / given["path"], replace=False)   # it has no such input
        elif uses.startswith("actions/deploy-pages@"):
            assert given["artifact_name"] in self.artifacts
        else:
            assert ".github/actions/setup" in uses, uses

    def _keep(self, name: str, path: Path, replace: bool) -> None:
        """An artifact outlives the attempt that made it, and its name is taken."""
        assert replace or name not in self.artifacts, f"{name} is there from an earlier attempt"
        self.artifacts[name] = path

    def _holds(self, condition: str, known: dict[str, str]) -> bool:
        return holds(condition, known)


def holds(condition: str, known: dict[str, str]) -> bool:
    """Whether a condition of ours holds: parts joined by ``&&`` and ``||``, each a name, a comparison with a text, or not cancelled."""
    text = condition.strip().removeprefix("${{").removesuffix("}}").strip()
    parts = re.split(r"\s*&&\s*(?![^(]*\))", text)
    if len(parts) > 1:
        return all(holds(part, known) for part in parts)
    text = text.removeprefix("(").removesuffix(")") if text.startswith("(") else text
    if "||" in text:
        return any(holds(part, known) for part in text.split("||"))
    if text == "!cancelled()":
        return True
    name, equals, wanted = (part.strip() for part in text.partition("=="))
    assert re.fullmatch(r"[a-z]+(?:\.[A-Za-z_-]+)*", name), condition
    value = known.get(name, "")
    return value == wanted.strip("'") if equals else value == "true"


def _filled(text: str, known: dict[str, str]) -> str:
    def one(found: re.Match[str]) -> str:
        said = found[1].strip()
        name, equals, _ = (part.strip() for part in said.partition("=="))
        if equals:
            return "true" if holds(said, known) else "false"
        assert name.startswith("steps.") or name in known, f"{name} is not what this job may see"
        return known.get(name, "")

    return EXPRESSION.sub(one, text)


def again(runner: Runner, caller: dict[str, Any], called: dict[str, Any]) -> dict[str, Ran]:
    """All jobs of a run once more, as its button does it."""
    runner.attempt += 1
    return run_workflow(runner, caller, called)


def run_workflow(runner: Runner, caller: dict[str, Any], called: dict[str, Any]) -> dict[str, Ran]:
    """turn.yml and the publish.yml it calls, job by job in the order they need each other."""
    ran = {"turn": runner.job(caller["jobs"]["turn"], {}, "turn")}
    told = {f"needs.turn.outputs.{key}": value for key, value in ran["turn"].outputs.items()}
    publish = caller["jobs"]["publish"]
    if not holds(publish["if"], told):
        return ran
    inputs = {f"inputs.{key}": _filled(str(value), told) for key, value in publish["with"].items()}
    done: dict[str, str] = {}
    for name in ("answer", "pages", "deploy"):
        job = called["jobs"][name]
        if ("if" in job and not holds(job["if"], inputs)) or any(need not in ran for need in job.get("needs", [])):
            continue
        ran[name] = runner.job(job, inputs | done, name)
        done |= {f"needs.{name}.outputs.{key}": value for key, value in ran[name].outputs.items()}
    return ran


