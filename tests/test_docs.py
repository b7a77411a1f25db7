"""The documents say what is true: their commands run as typed, their links lead somewhere, the reference is up to date.

In a document, ``<!-- run -->`` before a block of ``sh`` has it run here, line by line, in one folder per document and in order. CODE stands
for the seat's invite, as ``pbem new`` printed it. ``<!-- edit: FILE: WORDS -->`` does what the text asks the reader to do: it takes the #
off the line of FILE that holds WORDS. ``<!-- run: 3 -->`` expects exit status 3.
"""

import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple, get_args

import click
import msgspec
import pytest

from pbem import cli
from pbem.campaign import records
from pbem.engine import cases, registry
from pbem.engine.chance import SeededChance
from pbem.engine.steps import first_step
from pbem.engine.title import Phase, Title
from pbem.orders import file as order_file
from pbem.orders.join import JoinFile
from pbem.orders.plans import OTHERWISE, PLAN_WORDS, THEN
from pbem.orders.seal import Sealed
from pbem.publish import pdf
from pbem.publish.complaints import REFUSALS
from pbem.titles.ming_dynasty.refusal_codes import CODES

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md"), *ROOT.glob("pbem/titles/*/docs/*.md")])
STEP = re.compile(
    r"<!-- edit: (?P<file>\S+): (?P<words>[^\n]+?) -->"
    r"|<!-- run(?:: (?P<status>\d))? -->\n(?P<block>```sh\n(?P<lines>.*?)```)?",
    re.DOTALL,
)
TOLD = [page for page in PAGES if "<!-- run" in page.read_text(encoding="utf-8")]


def page_id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


class Done(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


def run(folder: Path, words: list[str]) -> Done:
    """A command as a process of its own, in a folder."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PBEM_")} | {
        "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", "HOME": str(folder / "home"),
    }  # fmt: skip
    command = [sys.executable, "-m", *words] if words[0] == "pbem" else words
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, check=False, encoding="utf-8", stdin=subprocess.DEVNULL, timeout=180
    )
    return Done(done.returncode, done.stdout, done.stderr)


def run_here(words: list[str], capsys: pytest.CaptureFixture[str]) -> Done:
    """The same within this process: five times as fast."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        cli.main(words[1:])
    return Done(int(stopped.value.code or 0), *capsys.readouterr())


def uncomment(path: Path, words: str) -> None:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    found = [number for number, line in enumerate(lines) if words in line and line.startswith("# ")]
    assert found, f"no line of {path.name} behind a # holds {words}"
    lines[found[0]] = lines[found[0]][2:]
    path.write_text("".join(lines), encoding="utf-8")


@pytest.mark.parametrize("page", TOLD, ids=page_id)
def test_the_commands_run_as_typed(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("PBEM_SECRET", "PBEM_PASSPHRASE"):
        monkeypatch.delenv(name, raising=False)
    # The README is what a newcomer types: there every command is a process of its own, when it is typed for the first time.
    real = page.name == "README.md"
    typed: set[str] = set()
    invites: dict[str, str] = {}
    ran = 0
    for step in STEP.finditer(page.read_text(encoding="utf-8")):
        if step["file"]:
            uncomment(tmp_path / step["file"], step["words"])
            continue
        assert step["block"], "a run mark stands right before a block of sh"
        for line in step["lines"].splitlines():
            words = shlex.split(line, comments=True)
            if not words:
                continue
            if words[0] == "ssh-keygen" and shutil.which("ssh-keygen") is None and os.environ.get("CI") != "true":
                pytest.skip("ssh-keygen is not installed")
            if "--pdf" in words and pdf.available() and os.environ.get("CI") != "true":
                del words[words.index("--pdf") : words.index("--pdf") + 2]
            if "CODE" in words:
                words[words.index("CODE")] = invites[words[words.index("--seat") + 1]]
            kind = " ".join(words[: 3 if words[1] == "mail" else 2])
            done = run(tmp_path, words) if (real and kind not in typed) or words[0] != "pbem" else run_here(words, capsys)
            typed.add(kind)
            assert done.returncode == int(step["status"] or 0), f"{line}\n{done.stdout}\n{done.stderr}"
            assert "Traceback" not in done.stderr
            invites |= dict(re.findall(r"--seat (\S+) --invite (\S+)", done.stdout))
            ran += 1
    assert ran


def test_the_reference_is_what_the_commands_say() -> None:
    written = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    made = runpy.run_path(str(ROOT / "tools" / "cli_reference.py"))["reference"]()
    # Versions of click differ in blanks and in where they break a line; the words must be the same.
    assert written.split() == made.split(), "make reference writes it anew"


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if re.match(r"https?://", target):
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), f"{target} is not there"
        if anchor and found.suffix == ".md":
            assert anchor in anchors(found), f"{target}: there is no such heading"


def anchors(page: Path) -> set[str]:
    text = page.read_text(encoding="utf-8")
    made = {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
    return made | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_commands_that_are_named_are_there(page: Path) -> None:
    """Every ``pbem …`` in code names a command, and options that it has; what is not built yet stands in the README's list only."""
    text = page.read_text(encoding="utf-8").partition("## What is not there yet")[0]
    code = re.findall(r"^```(?:sh|text)?\n(.*?)^```", text, re.DOTALL | re.MULTILINE) + re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text)
    for line in "\n".join(code).splitlines():
        named = re.search(r"(?:^|\s)pbem ([a-z]+.*)$", line)
        if named is None or page.name == "cli.md":
            continue
        words = named[1].partition("#")[0].partition(";")[0].split()
        command: click.Command = cli.pbem
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            below = command.get_command(click.Context(command), words[0])
            assert below is not None, f"{line}: there is no command {words[0]}"
            command = below
            words = words[1:]
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)} | {"--help", "-h"}
        for option in words:
            if re.fullmatch(r"--?[a-z][a-z-]*", option):
                assert option in known, f"{line}: pbem {command.name} has no {option}"


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_examples_in_toml_can_be_read(page: Path) -> None:
    """Whole files are read as they stand; a single order is read as one line of a list."""
    if page.name.endswith("-vectors.md"):
        pytest.skip("vectors are read by the tests of what they are vectors of")
    for block in re.findall(r"^```toml\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        single = block.strip().startswith(("{", "["))
        text = f"orders = [\n{block}\n]" if single and not re.match(r"\[\w", block.strip()) else block
        tomllib.loads(text)


def named_in(page: str) -> set[str]:
    """Everything that stands in code quotes on a page, taken apart into words too."""
    quoted = re.findall(r"`([^`\n]+)`", (ROOT / "docs" / page).read_text(encoding="utf-8"))
    return {*quoted, *(word for text in quoted for word in re.findall(r"[\w-]+", text))}


@pytest.mark.parametrize(
    "kind",
    [records.Game, records.SeatEntry, records.Processor, records.Receipt, records.Entry, records.PlayedStep, records.PlayedOrder, JoinFile],
)
def test_every_key_of_a_file_is_described(kind: type[msgspec.Struct]) -> None:
    assert set(kind.__struct_fields__) <= named_in("formats.md")


def test_every_key_of_an_order_file_and_every_refusal_is_described() -> None:
    named = named_in("formats.md")
    assert {*order_file.KEYS, "seal_to", *PLAN_WORDS, *OTHERWISE, *THEN, *Sealed.__struct_fields__} <= named
    assert set(REFUSALS) <= named


def test_every_key_of_a_case_is_described() -> None:
    assert named_in("case-files.md") >= set(cases.KEYS) | set(cases.REFUSED_KEYS)


@pytest.mark.parametrize("slug", ["ming-dynasty"])
def test_every_word_of_a_title_is_described(slug: str) -> None:
    title = registry.title(slug)
    named = named_in("case-files.md")
    position, _ = first_step(title, title.options(), [f"s{number}" for number in range(title.seats.start)], SeededChance(0))
    parts = [title.position, *title.events]
    for field in msgspec.structs.fields(title.position):
        parts += [kind for kind in get_args(field.type) if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]
    assert len(parts) > 3 + len(title.events) - 1
    wanted = {name for kind in parts for name in kind.__struct_encode_fields__}
    assert wanted | set(title.show_position(position)) | set(title.derived) <= named
    assert {str(kind.__struct_config__.tag) for kind in title.events} <= named
    orders = named_in(f"{slug}.md")
    assert {str(kind.__struct_config__.tag) for kind in title.orders} <= orders
    assert {name for kind in title.orders for name in kind.__struct_encode_fields__} <= orders
    assert set(title.options.__struct_fields__) <= orders


def test_every_refusal_of_ming_dynasty_is_described() -> None:
    named = named_in("case-files.md")
    assert set(CODES) <= named
    assert {fact for facts in CODES.values() for fact in facts} <= named


@pytest.mark.parametrize("contract", [Title, Phase])
def test_every_part_of_the_contract_is_described(contract: type) -> None:
    public = {name for name in {*vars(contract), *contract.__annotations__} if not name.startswith("_")}
    assert public <= named_in("adding-a-title.md")


def test_every_title_is_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("## What is not there yet")[0]
    assert not [title.name for title in map(registry.title, registry.slugs()) if title.name not in text]


def test_the_cases_in_the_documents_hold() -> None:
    text = (ROOT / "docs" / "case-files.md").read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"^```toml\n(.*?)^```", text, re.DOTALL | re.MULTILINE) if block.startswith("rule = ")]
    assert len(blocks) >= 2
    for block in blocks:
        case = tomllib.loads(block)
        cases.run(case, registry.title(case["title"]))


def test_rulings_are_where_the_documents_say() -> None:
    for slug in registry.slugs():
        title = registry.title(slug)
        rulings = (title.files / "docs" / "rulings.md").read_text(encoding="utf-8")
        assert set(title.rulings) <= set(re.findall(r"^### (\S+)$", rulings, re.MULTILINE))
