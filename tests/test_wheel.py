"""What is installed elsewhere: the wheel brings everything along, and plays from a clean environment, outside of any checkout."""

import importlib.util
import json
import os
import subprocess
import sys
import venv
import zipfile
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest

import pbem

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built without a network."""
    if importlib.util.find_spec("hatchling") is None and os.environ.get("CI") != "true":
        pytest.skip("hatchling is not installed")
    out = tmp_path_factory.mktemp("wheel")
    build = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, str(out)], cwd=ROOT, check=True, capture_output=True, timeout=120)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``pbem`` of an environment that has the wheel and its dependencies, and nothing of the checkout."""
    home = tmp_path_factory.mktemp("clean")
    venv.create(home, with_pip=False)
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / ("python.exe" if os.name == "nt" else "python")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index", "--no-deps", str(wheel)]
    subprocess.run(pip, check=True, capture_output=True, timeout=120)
    paths = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], check=True, capture_output=True, text=True, timeout=60
    )
    # Dependencies are borrowed from the environment the tests run in. A .pth in a folder named by a .pth is not followed, so the
    # checkout that is installed there stays out of reach.
    dependencies = Path(str(importlib.util.find_spec("click").origin)).parents[1]  # type: ignore[union-attr]
    (Path(paths.stdout.strip()) / "borrowed.pth").write_text(f"{dependencies}\n", encoding="utf-8")
    return scripts / ("pbem.exe" if os.name == "nt" else "pbem")


def run(command: Path, folder: Path, *args: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PBEM_", "PYTHONPATH"))}
    done = subprocess.run(
        [command, *args], cwd=folder, env=environment | {"PYTHONIOENCODING": "utf-8"}, capture_output=True, check=False, encoding="utf-8",
        timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_brings_everything_along(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    wanted = {"pbem/py.typed"}
    for folder, below in (("templates", "pbem/_shared/templates"), ("site", "pbem/_shared/site")):
        wanted |= {f"{below}/{path.relative_to(ROOT / folder).as_posix()}" for path in (ROOT / folder).rglob("*") if path.is_file()}
    for title in (ROOT / "pbem" / "titles").iterdir():
        for kind in ("boards", "templates", "docs"):
            wanted |= {path.relative_to(ROOT).as_posix() for path in (title / kind).rglob("*") if path.is_file()}
    wanted |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "pbem").rglob("*.py")}
    assert any(name.endswith("order.toml.j2") for name in wanted)
    assert any("/boards/" in name for name in wanted)
    assert any("/titles/ming_dynasty/docs/" in name for name in wanted)
    assert not sorted(wanted - inside)


def test_the_wheel_brings_nothing_private(wheel: Path) -> None:
    inside = zipfile.ZipFile(wheel).namelist()
    assert not [name for name in inside if not name.startswith(("pbem/", f"pbem-{pbem.__version__}.dist-info/"))]
    assert not [name for name in inside if name.endswith((".key", ".pyc")) or "/private/" in name]


def test_titles_are_found(command: Path, tmp_path: Path) -> None:
    told = json.loads(run(command, tmp_path, "titles", "--json"))
    assert "ming-dynasty" in [title["slug"] for title in told]
    where = run(command.with_name(Path(sys.executable).name), tmp_path, "-c", "import pbem; print(pbem.__file__)")
    assert not Path(where.strip()).is_relative_to(ROOT / "pbem")


def test_templates_and_pages_are_found(command: Path, tmp_path: Path) -> None:
    run(command, tmp_path, "new", "games/winter-court", "--title", "ming-dynasty", "--seats", "an,bo,chen")
    run(command, tmp_path, "site", "-o", "_site", "--no-pdf")
    assert "winter-court" in (tmp_path / "_site" / "index.html").read_text(encoding="utf-8")
    assert (tmp_path / "_site" / "style.css").is_file()


@pytest.mark.long
def test_the_demo_plays(command: Path, tmp_path: Path) -> None:
    told = json.loads(run(command, tmp_path, "demo", "demo", "--json"))
    assert told["entries"] > 20
    assert (tmp_path / "demo" / "_site" / "index.html").is_file()
    mail = message_from_bytes((tmp_path / "demo" / "mails" / "an.eml").read_bytes(), policy=default)
    assert isinstance(mail, EmailMessage) and "an.toml" in [part.get_filename() for part in mail.iter_attachments()]
    run(command, tmp_path, "audit", told["game"])
