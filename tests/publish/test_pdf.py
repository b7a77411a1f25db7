"""Reports as PDF: tagged, with fields to fill, the same bytes from the same entry, and deaf to every URL."""

from __future__ import annotations

import builtins
import os
import threading
import zlib
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from pbem.campaign.history import Story
from pbem.publish import pdf
from pbem.publish.words import Words
from tests.publish.played import played_story

TIME = datetime(2026, 12, 3, 19, 0, tzinfo=UTC)
needs_pdf = pytest.mark.skipif(bool(pdf.available()), reason="WeasyPrint or Pango is missing")


@cache
def story() -> Story:
    return played_story(until=lambda position: position.phase == "1.move")


@cache
def made() -> bytes:
    return pdf.report_pdf(story(), story().chapters[-1].number, Words(story()))


@cache
def unpacked() -> bytes:
    """The objects of the PDF in plain sight: most of them lie in compressed streams."""
    data = made()
    parts = [data]
    for piece in data.split(b"stream\n")[1:]:
        with suppress(zlib.error):
            parts.append(zlib.decompressobj().decompress(piece))
    return b"\n".join(parts)


@needs_pdf
def test_a_report_is_a_tagged_pdf_in_its_language() -> None:
    data = unpacked()
    assert data.startswith(b"%PDF-") and made().rstrip().endswith(b"%%EOF")
    for mark in (b"/StructTreeRoot", b"/Marked true", b"/Lang (en)", b"/DisplayDocTitle true", b"pdfuaid:part"):
        assert mark in data, mark


@needs_pdf
def test_every_picture_in_it_has_words() -> None:
    figures = unpacked().count(b"/S /Figure")
    assert figures >= 10 and unpacked().count(b"/Alt ") == figures


@needs_pdf
def test_the_order_form_can_be_filled() -> None:
    data = unpacked()
    assert b"/AcroForm" in data
    assert data.count(b"/FT /Tx") >= 6 and data.count(b"/FT /Ch") >= 10
    for name in (b"(game)", b"(orders.0.to)", b"(orders.4.deploy)", b"(turn 1: deploy)"):
        assert name in data, name


@needs_pdf
def test_it_carries_the_time_of_the_entry() -> None:
    assert story().chapters[-1].time.strftime("D:%Y%m%d%H%M%S").encode() in unpacked()


@needs_pdf
def test_the_same_entry_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    first = made()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "12345")
    assert pdf.report_pdf(story(), story().chapters[-1].number, Words(story())) == first
    assert os.environ["SOURCE_DATE_EPOCH"] == "12345"


@needs_pdf
def test_nothing_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Trap(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    secret = tmp_path / "secret.txt"
    secret.write_text("BURIED TREASURE")
    opened: list[str] = []
    really = builtins.open

    def watching(file: Any, *args: Any, **kwargs: Any) -> Any:
        opened.append(str(file))
        return really(file, *args, **kwargs)

    monkeypatch.setattr(builtins, "open", watching)
    with HTTPServer(("127.0.0.1", 0), Trap) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        html = (
            f'<html lang="en"><head><title>t</title><link rel="stylesheet" href="{url}/style"><style>@import "{url}/import";'
            f'body {{ background: url({url}/back) }}</style><link rel="attachment" href="file://{secret}"></head><body>'
            f'<img src="{url}/img" alt="a"><img src="file://{secret}" alt="b"><p>hello</p>'
            f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><title>s</title><image href="{url}/svg"/></svg></body></html>'
        )
        data = pdf.html_pdf(html, TIME)
        server.shutdown()
        thread.join()
    assert asked == [] and str(secret) not in opened
    assert b"BURIED" not in data and b"/EmbeddedFile" not in data


def test_without_weasyprint_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    _break_import(monkeypatch, ImportError("no such module"))
    with pytest.raises(pdf.PdfUnavailable, match=r"pip install 'pbem\[pdf\]'"):
        pdf.html_pdf("<p>x</p>", TIME)


def test_without_pango_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    _break_import(monkeypatch, OSError("cannot load library 'libpango-1.0-0'\nlong story"))
    with pytest.raises(pdf.PdfUnavailable, match="apt install libpango") as refused:
        pdf.html_pdf("<p>x</p>", TIME)
    assert "long story" not in str(refused.value)
    assert pdf.available() == str(refused.value)


def _break_import(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    really = builtins.__import__

    def importing(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.partition(".")[0] == "weasyprint":
            raise error
        return really(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", importing)
