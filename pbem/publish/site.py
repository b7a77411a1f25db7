"""The pages of campaigns as plain files: an index, a page per campaign, a report per ledger entry, PDFs, and the files behind them.

A manifest in the output folder remembers what every file was made from. A build writes only what changed, so a new turn costs the pages of
that turn, and removes only what an earlier build made.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import msgspec

from pbem import __version__
from pbem.campaign.history import Chapter, Story
from pbem.publish import assets, chart, pages, pdf, schema

if TYPE_CHECKING:
    from pbem.publish.words import Words

MANIFEST = ".pbem-site.json"
FILES = "files"
"""Folder of a campaign's downloads, so that no name of theirs meets one of ours."""


@dataclass(frozen=True)
class SiteCampaign:
    """A campaign to publish. ``downloads``: relative name → the file or its bytes; ``pdf``: make a PDF of every report with a board."""

    story: Story
    downloads: Mapping[str, Path | bytes] = field(default_factory=dict)
    pdf: bool = False


@dataclass
class _Build:
    """One run: what earlier runs made, what this one keeps and writes. ``before`` and ``kept`` map relative names to digests of sources.

    ``headlines`` and ``headlines_before`` map reports to their headlines, so that those of old reports are not made anew.
    """

    out: Path
    before: dict[str, str]
    headlines_before: dict[str, str]
    kept: dict[str, str] = field(default_factory=dict)
    headlines: dict[str, str] = field(default_factory=dict)
    written: list[Path] = field(default_factory=list)

    def headline(self, name: str, make: Callable[[], str]) -> str:
        """The headline of a report that this run keeps."""
        same = self.before.get(name) == self.kept[name] and name in self.headlines_before
        self.headlines[name] = self.headlines_before[name] if same else make()
        return self.headlines[name]

    def page(self, name: str, source: object, make: Callable[[], str | bytes]) -> None:
        """Writes a file unless it is there already and was made from the same ``source``."""
        key = _digest(source)
        self.kept[name] = key
        path = self.out / name
        if self.before.get(name) == key and path.is_file():
            return
        made = make()
        _write(path, made.encode("utf-8") if isinstance(made, str) else made)
        self.written.append(path)


def build(stories: Sequence[SiteCampaign], out: Path, words_for: Callable[[str], Words]) -> list[Path]:
    """Brings the site in ``out`` up to date and gives the files written.

    ``words_for`` gives the words for the campaign of a name. ValueError for a campaign or download whose name cannot be part of a path;
    ``PdfUnavailable`` when PDFs are asked for and cannot be made.
    """
    names = [campaign.story.name for campaign in stories]
    if len(set(names)) != len(names):
        raise ValueError("two campaigns of one name cannot stand on one site")
    run = _Build(out, _read_manifest(out, "files"), _read_manifest(out, "headlines"))
    for name in ("style.css", "icon.svg"):
        text = assets.text("site", name)
        run.page(name, text, text.encode)
    for title in {campaign.story.title.slug: campaign.story.title for campaign in stories}.values():
        text = schema.schema_text(title)
        run.page(schema.file_name(title.slug), text, text.encode)
    for campaign in stories:
        _campaign(run, campaign, words_for(campaign.story.name))
    _index(run, stories, words_for)
    _remove_stale(run)
    _write(out / MANIFEST, json.dumps({"files": run.kept, "headlines": run.headlines}, indent=0, sort_keys=True).encode())
    return run.written


def _campaign(run: _Build, campaign: SiteCampaign, words: Words) -> None:
    story = campaign.story
    if not re.fullmatch(r"[\w][\w.-]{0,99}", story.name) or story.name == FILES:
        raise ValueError(f"a campaign of this name cannot be a folder of the site: {story.name!r}")
    title = [assets.fingerprint(story.title), _catalogue(story, words.language), story.title.rules]
    base: list[object] = [_digest([__version__, title, words.language, story.name, _plain(story.seats)])]
    numbers = [chapter.number for chapter in story.chapters]
    reports: list[dict[str, Any]] = []
    for chapter in story.chapters:
        number = chapter.number
        neighbours = [number - 1 in numbers, number + 1 in numbers]
        source = [*base, chapter.head, _content(chapter), neighbours]
        page = pages.report_name(number)
        run.page(f"{story.name}/{page}", source, lambda number=number: pages.report_html(story, number, words))  # type: ignore[misc]
        headline = run.headline(f"{story.name}/{page}", lambda chapter=chapter: words.headline(chapter))  # type: ignore[misc]
        report = {"number": number, "page": page, "headline": headline, "time": chapter.time, "pdf": ""}
        if campaign.pdf and chapter.after is not None:
            report["pdf"] = PurePosixPath(page).with_suffix(".pdf").name
            paper = f"{story.name}/{report['pdf']}"
            run.page(paper, [*source[:-1], "pdf"], lambda number=number: pdf.report_pdf(story, number, words))  # type: ignore[misc]
        reports.insert(0, report)
    downloads = list(_downloads(run, campaign))
    source = [*base, story.head, reports, downloads]
    run.page(f"{story.name}/index.html", source, lambda: _campaign_page(campaign, words, reports, downloads))


def _digest(source: object) -> str:
    return hashlib.sha256(json.dumps(source, sort_keys=True, default=str).encode()).hexdigest()


def _content(chapter: Chapter) -> str:
    """Digest of what a chapter tells. Its entry's digest is not enough: of sealed plans and hidden hands more is known later."""
    told = (chapter.facts, chapter.closed, chapter.steps, chapter.remarks, chapter.notes, chapter.waiting)
    return hashlib.sha256(msgspec.json.encode(told, order="sorted")).hexdigest()


def _catalogue(story: Story, language: str) -> str:
    """Digest of a title's own translation; those of the shared templates are part of their fingerprint."""
    try:
        return hashlib.sha256((story.title.files / "locale" / f"{language}.po").read_bytes()).hexdigest()
    except OSError:
        return ""


def _downloads(run: _Build, campaign: SiteCampaign) -> Iterator[dict[str, Any]]:
    for name, content in sorted(campaign.downloads.items()):
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or "\\" in name or any(part in ("..", "private") or part.startswith(".") for part in parts):
            raise ValueError(f"not a file to publish: {name!r}")
        data = content if isinstance(content, bytes) else content.read_bytes()
        run.page(f"{campaign.story.name}/{FILES}/{name}", hashlib.sha256(data).hexdigest(), lambda data=data: data)  # type: ignore[misc]
        yield {"name": name, "page": f"{FILES}/{name}", "size": len(data)}


def _campaign_page(campaign: SiteCampaign, words: Words, reports: list[dict[str, Any]], downloads: list[dict[str, Any]]) -> str:
    story = campaign.story
    last = _last(story)
    after = pages.public(story, last.after if last else None)
    by_round = chart.points_by_round(story.title, story.chapters, words)
    context = {
        "root": "../",
        "story": story,
        "words": words,
        "waiting": last.waiting if last else None,
        "zones": {seat.seat: seat.zone for seat in story.seats},
        "over": story.over,
        "latest": reports[0] if reports else None,
        "reports": reports,
        "downloads": downloads,
        "pdf": campaign.pdf,
        "touched": frozenset(),
        **pages.board_context(story, after, words),
        "by_round": by_round,
        "chart": chart.points_chart(by_round),
    }
    return assets.environment("html", story.title, words).get_template("site/campaign.html.j2").render(context)


def _index(run: _Build, stories: Sequence[SiteCampaign], words_for: Callable[[str], Words]) -> None:
    games = [_game(campaign.story, words_for(campaign.story.name)) for campaign in stories]
    words = words_for(stories[0].story.name) if stories else _Silent()
    source = [__version__, hashlib.sha256(assets.text("templates", "site/index.html.j2").encode()).hexdigest(), words.language, games]

    def make() -> str:
        template = assets.environment("html", None, words).get_template("site/index.html.j2")
        return template.render(root="", words=words, games=games)

    run.page("index.html", source, make)


def _game(story: Story, words: Words) -> dict[str, str]:
    last = _last(story)
    if story.over:
        state = words.gettext("The game is over.")
    elif last and last.waiting:
        state = words.asked(last.waiting)
    else:
        state = words.gettext("The game has not begun.")
    after = pages.public(story, last.after if last else None)
    standings = story.title.result(after) if after is not None else []
    return {
        "name": story.name,
        "title": story.title.name,
        "players": words.listing(words.seat(seat.seat) for seat in story.seats),
        "state": state,
        "leaders": ", ".join(f"{words.seat(line.seat)} {line.points}" for line in standings),
    }


class _Silent:
    """Stands in for words where there is no campaign whose language could be spoken."""

    language = "en"

    def gettext(self, message: str) -> str:
        return message

    def ngettext(self, one: str, many: str, count: int) -> str:
        return one if count == 1 else many


def _last(story: Story) -> Chapter | None:
    return story.chapters[-1] if story.chapters else None


def _plain(value: object) -> object:
    return msgspec.to_builtins(value, builtin_types=())


def _read_manifest(out: Path, part: str) -> dict[str, str]:
    try:
        found = json.loads((out / MANIFEST).read_text(encoding="utf-8"))[part]
    except (OSError, ValueError, KeyError, TypeError):
        # Without a readable manifest everything is made anew, and nothing is removed.
        return {}
    return {str(name): str(told) for name, told in found.items()} if isinstance(found, dict) else {}


def _remove_stale(run: _Build) -> None:
    for name in run.before.keys() - run.kept.keys():
        path = run.out / name
        if ".." in PurePosixPath(name).parts or not path.resolve().is_relative_to(run.out.resolve()):
            continue
        path.unlink(missing_ok=True)
        for folder in path.parents:
            if folder == run.out or not folder.is_dir() or any(folder.iterdir()):
                break
            folder.rmdir()


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".pbem-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
