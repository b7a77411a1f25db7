"""The pages of campaigns as plain files: an index, a page per campaign, a report per ledger entry, PDFs, and the files behind them.

Manifests in the output folder remember what every file was made from. A build writes only what changed, so a new turn costs the pages of
that turn, and removes only what an earlier build made.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import msgspec

from pbem import __version__
from pbem.campaign.history import Chapter, Story
from pbem.campaign.standings import gave_up, standings
from pbem.engine import registry
from pbem.publish import assets, catalogues, chart, feeds, pages, pdf, schema
from pbem.publish.manifest import MANIFEST, Manifest, read_manifest, write, write_manifest

if TYPE_CHECKING:
    from pbem.engine.title import Title
    from pbem.publish.words import Words

FILES = "files"
"""Folder of a campaign's downloads, so that no name of theirs meets one of ours."""
_FOLDER = re.compile(r"[\w][\w.-]{0,99}")
"""What a campaign's folder may be called."""


@dataclass(frozen=True)
class SiteCampaign:
    """A campaign to publish. ``downloads``: relative name → the file or its bytes; ``pdf``: make a PDF of every report with a board;
    ``address``: where the site will stand, such as "https://example.org/games", "" when that is not known."""

    story: Story
    downloads: Mapping[str, Path | bytes] = field(default_factory=dict)
    pdf: bool = False
    address: str = ""

    @property
    def base(self) -> str:
        """The address below which the campaign's pages will stand; "" when that is not known."""
        return f"{self.address.rstrip('/')}/{self.story.name}/" if self.address else ""


@dataclass
class _Build:
    """A part of the site, a campaign or what all share: what earlier builds made of it, what this one keeps and writes.

    ``before`` and ``kept`` map relative names to digests of sources; ``headlines`` and ``headlines_before`` map reports to their headlines,
    so that those of old reports are not made anew.
    """

    out: Path
    before: dict[str, str]
    headlines_before: dict[str, str] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)
    headlines: dict[str, str] = field(default_factory=dict)
    written: list[Path] = field(default_factory=list)

    def headline(self, name: str, make: Callable[[], str], part: str = "") -> str:
        """The headline of a report that this run keeps, or another ``part`` of what is said of it elsewhere."""
        key = name + part
        same = self.before.get(name) == self.kept[name] and key in self.headlines_before
        self.headlines[key] = self.headlines_before[key] if same else make()
        return self.headlines[key]

    def page(self, name: str, source: object, make: Callable[[], str | bytes]) -> None:
        """Writes a file unless it is there already and was made from the same ``source``."""
        key = _digest(source)
        self.kept[name] = key
        if self.before.get(name) == key and os.path.isfile(f"{self.out}/{name}"):  # noqa: PTH113  # asked of every page there is
            return
        path, made = self.out / name, make()
        write(path, made.encode("utf-8") if isinstance(made, str) else made)
        self.written.append(path)

    def remove_stale(self) -> None:
        """Removes what an earlier build made and this one does not keep."""
        for name in self.before.keys() - self.kept.keys():
            _remove(self.out, name)


class Site:
    """A site being brought up to date: campaigns one by one, then ``finish``. Each campaign's folder has a manifest of its own, so that
    parts built on several machines can be laid together, and a campaign in which nothing has happened is not even read."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.written: list[Path] = []
        self._rows: dict[str, dict[str, str]] = {}
        """Campaign → what the index says of it."""
        self._prints: dict[str, str] = {}
        """Slug → fingerprint of the program and of what a title brings for its pages, computed once."""

    def _print(self, title: Title[Any]) -> str:
        if title.slug not in self._prints:
            self._prints[title.slug] = _digest([__version__, assets.fingerprint(title), title.rules])
        return self._prints[title.slug]

    def _key(self, key: str, slug: str) -> str:
        title = _installed(slug) if key else None
        return "" if title is None else f"{key} {self._print(title)}"

    def unchanged(self, name: str, key: str) -> bool:
        """Whether the pages of a campaign are there and were made with this ``key``; then they stay."""
        known = read_manifest(self.out / name) if _FOLDER.fullmatch(name) else None
        if known is None or not known.key or known.key != self._key(key, known.row.get("slug", "")):
            return False
        if not all((self.out / page).is_file() for page in known.files):
            return False
        self._rows[name] = known.row
        return True

    def keep(self, name: str) -> None:
        """Leaves the pages of a campaign as they are, if there are any: it is another part's, or could not be read now."""
        known = read_manifest(self.out / name) if _FOLDER.fullmatch(name) else None
        if known is not None:
            self._rows.setdefault(name, known.row)

    def add(self, campaign: SiteCampaign, words: Words, key: str = "") -> None:
        """Brings the pages of a campaign up to date. ``key``: whatever changes with anything they are made from, for ``unchanged``.

        ValueError for a campaign or download whose name cannot be part of a path, or a name that was added already; ``PdfUnavailable`` when
        PDFs are asked for and cannot be made.
        """
        name = campaign.story.name
        if not _FOLDER.fullmatch(name) or name == FILES:
            raise ValueError(f"a campaign of this name cannot be a folder of the site: {name!r}")
        if name in self._rows:
            raise ValueError("two campaigns of one name cannot stand on one site")
        known = read_manifest(self.out / name) or Manifest()
        run = _Build(self.out, {page: told for page, told in known.files.items() if page.startswith(f"{name}/")}, known.headlines)
        _campaign(run, campaign, words, self._print(campaign.story.title))
        run.remove_stale()
        row = self._rows[name] = _game(campaign.story, words)
        write_manifest(self.out / name, Manifest(key=self._key(key, row["slug"]), files=run.kept, headlines=run.headlines, row=row))
        self.written += run.written

    def finish(self, language: str = "en") -> list[Path]:
        """Writes what campaigns share and the index, removes campaigns that were neither added nor kept; gives all files written."""
        known = read_manifest(self.out) or Manifest()
        run = _Build(self.out, known.files)
        for name in ("style.css", "icon.svg"):
            text = assets.text("site", name)
            run.page(name, text, text.encode)
        for slug in sorted({row["slug"] for row in self._rows.values()}):
            if (title := _installed(slug)) is not None:
                text = schema.schema_text(title)
                run.page(schema.file_name(slug), text, text.encode)
        _index(run, [row for _, row in sorted(self._rows.items())], _Plain(language))
        run.remove_stale()
        for name in known.campaigns:
            if name not in self._rows:
                self._remove_campaign(name)
        write_manifest(self.out, Manifest(files=run.kept, campaigns=sorted(self._rows)))
        return [*run.written, *self.written]

    def _remove_campaign(self, name: str) -> None:
        known = read_manifest(self.out / name) if _FOLDER.fullmatch(name) else None
        for page in (*(known.files if known else ()), f"{name}/{MANIFEST}"):
            if page.startswith(f"{name}/"):
                _remove(self.out, page)


def build(stories: Sequence[SiteCampaign], out: Path, words_for: Callable[[str], Words]) -> list[Path]:
    """Brings the site in ``out`` up to date and gives the files written. ``words_for`` gives the words for the campaign of a name.

    Raises as ``Site.add``.
    """
    site = Site(out)
    for campaign in stories:
        site.add(campaign, words_for(campaign.story.name))
    return site.finish(words_for(stories[0].story.name).language if stories else "en")


def _campaign(run: _Build, campaign: SiteCampaign, words: Words, made_with: str) -> None:
    """The pages of a campaign; ``made_with`` changes with the program, its templates and its translations."""
    story = campaign.story
    base: list[object] = [_digest([made_with, words.language, story.name, _plain(story.seats)])]
    numbers = {chapter.number for chapter in story.chapters}
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
        reports.append(report)
    reports.reverse()

    told = {}
    for chapter in story.chapters[-feeds.MOST_REPORTS :]:
        page = f"{story.name}/{pages.report_name(chapter.number)}"
        said = run.headline(page, lambda chapter=chapter: feeds.summary(chapter, words), "#summary")  # type: ignore[misc]
        told[chapter.number] = run.headlines[page], said
    where = campaign.base
    run.page(f"{story.name}/{feeds.CALENDAR}", [*base, story.head, "calendar", where], lambda: feeds.calendar(story, words, where))
    feed = f"{story.name}/{feeds.FEED}"
    run.page(feed, [*base, story.head, "feed", where], lambda: feeds.feed(story, words, lambda chapter: told[chapter.number], where))
    downloads = list(_downloads(run, campaign))
    source = [*base, story.head, reports, downloads]
    run.page(f"{story.name}/index.html", source, lambda: _campaign_page(campaign, words, reports, downloads))


def _installed(slug: str) -> Title[Any] | None:
    try:
        return registry.title(slug)
    except KeyError:
        return None


def _digest(source: object) -> str:
    return hashlib.sha256(msgspec.json.encode(source, order="sorted", enc_hook=str)).hexdigest()


def _content(chapter: Chapter) -> str:
    """Digest of what a chapter tells. Its entry's digest is not enough: of sealed plans and hidden hands more is known later."""
    told = (chapter.facts, chapter.closed, chapter.steps, chapter.remarks, chapter.notes, chapter.waiting)
    return hashlib.sha256(msgspec.json.encode(told, order="deterministic")).hexdigest()


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


def _index(run: _Build, games: list[dict[str, str]], words: _Plain) -> None:
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
    lines = standings(story.title, after, gave_up(story.chapters)) if after is not None else []
    return {
        "name": story.name,
        "slug": story.title.slug,
        "title": story.title.name,
        "players": words.listing(words.seat(seat.seat) for seat in story.seats),
        "state": state,
        "leaders": ", ".join(f"{words.seat(line.seat)} {line.points}" for line in lines),
    }


class _Plain:
    """The words of the index, which speaks of no title."""

    def __init__(self, language: str) -> None:
        self.language = language
        catalogue = catalogues.load(language, (assets.shared("templates") / "locale",))
        self.gettext, self.ngettext = catalogue.gettext, catalogue.ngettext


def _last(story: Story) -> Chapter | None:
    return story.chapters[-1] if story.chapters else None


def _plain(value: object) -> object:
    return msgspec.to_builtins(value, builtin_types=())


def _remove(out: Path, name: str) -> None:
    path = out / name
    if ".." in PurePosixPath(name).parts or not path.resolve().is_relative_to(out.resolve()):
        return
    path.unlink(missing_ok=True)
    for folder in path.parents:
        if folder == out or not folder.is_dir() or any(folder.iterdir()):
            break
        folder.rmdir()
