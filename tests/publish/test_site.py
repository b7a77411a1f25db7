"""The site: what a build writes, keeps and removes, and how it is shown on this machine."""

from __future__ import annotations

import http.client
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec
import pytest

from pbem.campaign.history import Chapter, Story
from pbem.publish import feeds, pdf, serve, site
from pbem.publish.manifest import MANIFEST
from pbem.publish.words import Words
from tests.publish.played import played_story


@cache
def story(phase: str = "1.move", name: str = "winter-court") -> Story:
    return msgspec.structs.replace(played_story(until=lambda position: position.phase == phase), name=name)


def words_of(*stories: Story) -> Callable[[str], Words]:
    return {each.name: Words(each) for each in stories}.__getitem__


def build(out: Path, *campaigns: site.SiteCampaign) -> set[str]:
    written = site.build(campaigns, out, words_of(*(campaign.story for campaign in campaigns)))
    return {path.relative_to(out).as_posix() for path in written}


def every_file(out: Path) -> set[str]:
    return {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}


def links(html: str) -> list[str]:
    found: list[str] = []

    class Links(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.extend(value for key, value in attrs if key in ("href", "src") and value)

    Links().feed(html)
    return found


def test_a_first_build_writes_every_page(tmp_path: Path) -> None:
    written = build(tmp_path, site.SiteCampaign(story(), {"game.toml": b"x = 1\n", "ledger/0001.toml": b"y = 2\n"}))
    reports = {f"winter-court/{chapter.number:04d}.html" for chapter in story().chapters}
    files = {"winter-court/files/game.toml", "winter-court/files/ledger/0001.toml"}
    assert written == reports | files | {
        "index.html", "style.css", "icon.svg", "schema/ming-dynasty.json", "winter-court/index.html",
        "winter-court/calendar.ics", "winter-court/feed.atom",
    }  # fmt: skip
    assert every_file(tmp_path) == written | {MANIFEST, f"winter-court/{MANIFEST}"}
    assert (tmp_path / "winter-court/files/game.toml").read_bytes() == b"x = 1\n"


def test_every_link_leads_somewhere(tmp_path: Path) -> None:
    other = story("1.draw", "harbour")
    build(tmp_path, site.SiteCampaign(story(), {"a b/ä.toml": b""}), site.SiteCampaign(other))
    for page in tmp_path.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for link in links(text):
            parts = urlsplit(link)
            assert not parts.scheme and not parts.netloc, link
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            target = target / "index.html" if target.is_dir() else target
            assert target.is_file(), f"{page.name} → {link}"
            if parts.fragment:
                assert f'id="{parts.fragment}"' in target.read_text(encoding="utf-8")


def test_nothing_new_writes_nothing(tmp_path: Path) -> None:
    campaign = site.SiteCampaign(story(), {"game.toml": b"x"})
    build(tmp_path, campaign)
    stamps = {name: (tmp_path / name).stat().st_mtime_ns for name in every_file(tmp_path) if not name.endswith(MANIFEST)}
    assert build(tmp_path, campaign) == set()
    assert stamps == {name: (tmp_path / name).stat().st_mtime_ns for name in stamps}


def test_a_new_turn_costs_the_pages_of_that_turn(tmp_path: Path) -> None:
    longer = story("2.place")
    new = longer.chapters[-1].number
    shorter = msgspec.structs.replace(longer, chapters=longer.chapters[:-1], head=longer.chapters[-2].head)
    other = site.SiteCampaign(story("1.draw", "harbour"))
    build(tmp_path, site.SiteCampaign(shorter), other)
    written = build(tmp_path, site.SiteCampaign(longer), other)
    # The report before gets its link to the next one.
    assert written == {f"winter-court/{number:04d}.html" for number in (new - 1, new)} | {
        "winter-court/index.html", "winter-court/calendar.ics", "winter-court/feed.atom", "index.html",
    }  # fmt: skip


def test_a_changed_name_is_changed_everywhere(tmp_path: Path) -> None:
    build(tmp_path, site.SiteCampaign(story()))
    seats = (msgspec.structs.replace(story().seats[0], name="Anna"), *story().seats[1:])
    written = build(tmp_path, site.SiteCampaign(msgspec.structs.replace(story(), seats=seats)))
    assert len([name for name in written if name.endswith(".html")]) == len(story().chapters) + 2


def test_what_is_known_later_of_an_old_entry_changes_its_page(tmp_path: Path) -> None:
    build(tmp_path, site.SiteCampaign(story()))
    at = next(at for at, chapter in enumerate(story().chapters) if chapter.steps)
    chapters = list(story().chapters)
    chapters[at] = msgspec.structs.replace(chapters[at], steps=chapters[at].steps[:-1])
    written = build(tmp_path, site.SiteCampaign(msgspec.structs.replace(story(), chapters=tuple(chapters))))
    assert f"winter-court/{chapters[at].number:04d}.html" in written
    assert not any(name.endswith(".html") and name[-9:-5].isdecimal() and int(name[-9:-5]) != chapters[at].number for name in written)


def test_headlines_of_old_reports_are_remembered_as_long_as_their_reports_stand(tmp_path: Path) -> None:
    build(tmp_path, site.SiteCampaign(story()))
    index, manifest = tmp_path / "winter-court/index.html", tmp_path / "winter-court" / MANIFEST
    first = index.read_text(encoding="utf-8")
    told = json.loads(manifest.read_text())
    manifest.write_text(json.dumps(told | {"headlines": told["headlines"] | {"winter-court/0001.html": "as remembered"}}))
    build(tmp_path, site.SiteCampaign(story()))
    assert "as remembered" in index.read_text(encoding="utf-8")
    seats = (msgspec.structs.replace(story().seats[0], name="Anna"), *story().seats[1:])
    build(tmp_path, site.SiteCampaign(msgspec.structs.replace(story(), seats=seats)))
    assert "as remembered" not in index.read_text(encoding="utf-8")
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"headlines": []}))
    build(tmp_path, site.SiteCampaign(story()))
    assert index.read_text(encoding="utf-8") == first


def test_what_the_feed_says_of_old_reports_is_remembered_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path, site.SiteCampaign(story("1.draw")))
    asked: list[int] = []
    summary = feeds.summary

    def counting(chapter: Chapter, words: Words) -> str:
        asked.append(chapter.number)
        return summary(chapter, words)

    monkeypatch.setattr(feeds, "summary", counting)
    build(tmp_path, site.SiteCampaign(story("1.draw")))
    assert asked == []
    build(tmp_path, site.SiteCampaign(story()))
    first = len(story("1.draw").chapters)
    # The last report before has got a neighbour, and is made anew.
    assert asked == list(range(first, len(story().chapters) + 1))
    assert (tmp_path / "winter-court" / feeds.FEED).read_bytes() == feeds.feed(story(), Words(story()))


def test_a_lost_page_is_made_again(tmp_path: Path) -> None:
    build(tmp_path, site.SiteCampaign(story()))
    (tmp_path / "winter-court/0005.html").unlink()
    assert build(tmp_path, site.SiteCampaign(story())) == {"winter-court/0005.html"}


def test_only_what_a_build_made_is_removed(tmp_path: Path) -> None:
    other = story("1.draw", "harbour")
    build(tmp_path, site.SiteCampaign(story()), site.SiteCampaign(other, {"deep/er/file": b"1"}))
    (tmp_path / "CNAME").write_text("games.example")
    (tmp_path / "harbour/mine.txt").write_text("mine")
    build(tmp_path, site.SiteCampaign(story()))
    assert (tmp_path / "CNAME").is_file()
    assert every_file(tmp_path / "harbour") == {"mine.txt"}
    assert not (tmp_path / "harbour/files").exists()


def test_a_manifest_cannot_point_outside(tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(out, site.SiteCampaign(story("1.draw")))
    victim = tmp_path / "victim"
    victim.write_text("precious")
    for folder in (out, out / "winter-court"):
        manifest = json.loads((folder / MANIFEST).read_text())
        manifest["files"] |= {"../victim": "0", "winter-court/../../victim": "0", str(victim): "0"}
        (folder / MANIFEST).write_text(json.dumps(manifest))
    build(out, site.SiteCampaign(story("1.draw")))
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("broken", ["", "[]", '{"files": []}', '{"files"', "\x00"])
def test_a_broken_manifest_costs_a_full_build_only(tmp_path: Path, broken: str) -> None:
    campaign = site.SiteCampaign(story("1.draw"))
    first = build(tmp_path, campaign)
    for manifest in (tmp_path / MANIFEST, tmp_path / "winter-court" / MANIFEST):
        manifest.write_text(broken)
    assert build(tmp_path, campaign) == first


@pytest.mark.parametrize("name", ["../x", "/etc/x", "private/secret.toml", "a/private/x", ".git/config", "a\\b", "", "a/../../b"])
def test_a_download_cannot_leave_its_folder_or_show_what_is_private(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not a file to publish"):
        build(tmp_path / "out", site.SiteCampaign(story("1.draw"), {name: b"x"}))


@pytest.mark.parametrize("name", ["", "..", ".hidden", "a/b", "files", "a\nb", "-x"])
def test_a_campaign_whose_name_is_no_folder_is_refused(tmp_path: Path, name: str) -> None:
    named = msgspec.structs.replace(story("1.draw"), name=name)
    with pytest.raises(ValueError, match="cannot be a folder"):
        build(tmp_path, site.SiteCampaign(named))


def test_two_campaigns_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="one name"):
        build(tmp_path, site.SiteCampaign(story("1.draw")), site.SiteCampaign(story("1.draw")))


def test_a_site_without_campaigns_says_so(tmp_path: Path) -> None:
    site.build([], tmp_path, lambda name: pytest.fail("no words are needed"))
    assert "No game has begun yet." in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_a_campaign_whose_key_is_the_same_is_not_read(tmp_path: Path) -> None:
    first = site.Site(tmp_path)
    assert not first.unchanged("winter-court", "k1")
    first.add(site.SiteCampaign(story("1.draw")), Words(story("1.draw")), "k1")
    first.finish()
    assert not site.Site(tmp_path).unchanged("winter-court", "k2")
    assert not site.Site(tmp_path).unchanged("winter-court", "")
    again = site.Site(tmp_path)
    assert again.unchanged("winter-court", "k1")
    assert again.finish() == []
    (tmp_path / "winter-court/0002.html").unlink()
    assert not site.Site(tmp_path).unchanged("winter-court", "k1")


def test_parts_built_apart_are_laid_together(tmp_path: Path) -> None:
    other = msgspec.structs.replace(story("1.draw"), name="harbour")
    for part, told in (("a", story("1.draw")), ("b", other)):
        one = site.Site(tmp_path / part)
        one.keep("winter-court")
        one.keep("harbour")
        one.add(site.SiteCampaign(told), Words(told), "k")
        one.finish()
        shutil.copytree(tmp_path / part, tmp_path / "whole", dirs_exist_ok=True)
    whole = site.Site(tmp_path / "whole")
    assert whole.unchanged("winter-court", "k")
    assert whole.unchanged("harbour", "k")
    assert [path.name for path in whole.finish()] == ["index.html"]
    both = tmp_path / "both"
    build(both, site.SiteCampaign(story("1.draw")), site.SiteCampaign(other))
    assert (tmp_path / "whole/index.html").read_bytes() == (both / "index.html").read_bytes()


def test_downloads_may_be_files_on_disk(tmp_path: Path) -> None:
    source = tmp_path / "allowed_signers"
    source.write_bytes(b"an ssh-ed25519 AAAA\n")
    out = tmp_path / "out"
    build(out, site.SiteCampaign(story("1.draw"), {"allowed_signers": source}))
    assert (out / "winter-court/files/allowed_signers").read_bytes() == source.read_bytes()
    source.write_bytes(b"bo ssh-ed25519 BBBB\n")
    assert build(out, site.SiteCampaign(story("1.draw"), {"allowed_signers": source})) == {
        "winter-court/files/allowed_signers",
    }


@pytest.mark.skipif(bool(pdf.available()), reason="WeasyPrint or Pango is missing")
def test_pdfs_are_made_once_for_reports_with_a_board(tmp_path: Path) -> None:
    short = story("1.place")
    campaign = site.SiteCampaign(short, pdf=True)
    papers = {name for name in build(tmp_path, campaign) if name.endswith(".pdf")}
    assert papers == {f"winter-court/{chapter.number:04d}.pdf" for chapter in short.chapters if chapter.after is not None}
    assert build(tmp_path, campaign) == set()
    assert all((tmp_path / paper).read_bytes().startswith(b"%PDF") for paper in papers)
    assert f'href="{short.chapters[-1].number:04d}.pdf"' in (tmp_path / "winter-court/index.html").read_text(encoding="utf-8")


# -- serving ----------------------------------------------------------------------------------------------------------


@contextmanager
def served(folder: Path) -> Iterator[Callable[[str], tuple[int, bytes]]]:
    running = serve.server(folder, 0)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()

    def get(path: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(*running.server_address[:2], timeout=5)
        connection.putrequest("GET", path, skip_host=True)
        connection.putheader("Host", "localhost")
        connection.endheaders()
        answer = connection.getresponse()
        try:
            return answer.status, answer.read()
        finally:
            connection.close()

    try:
        yield get
    finally:
        running.shutdown()
        running.server_close()
        thread.join()


def test_a_site_is_shown_on_this_machine_only(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "site"
    (out / "empty").mkdir(parents=True)
    (out / "index.html").write_text("<p>hello")
    (out / ".hidden").write_text("hidden")
    (tmp_path / "outside.txt").write_text("outside")
    (out / "link.txt").symlink_to(tmp_path / "outside.txt")
    with served(out) as get:
        assert get("/") == (200, b"<p>hello")
        for path in ("/empty/", "/../outside.txt", "/%2e%2e/outside.txt", "/link.txt", "/.hidden", "/nothing"):
            status, body = get(path)
            assert status == 404 and b"outside" not in body.replace(b"/outside", b"") and b"hidden" not in body, path
    assert serve.server(out, 0).server_address[0] == "127.0.0.1"
    assert capfd.readouterr() == ("", "")


def test_serving_ends_quietly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("http.server.ThreadingHTTPServer.serve_forever", interrupted)
    serve.serve(tmp_path, 0)
