"""Reports as PDF: the same HTML, tagged for screen readers (PDF/UA-1), with a fillable form for the next orders."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pbem.campaign.history import Story
from pbem.publish import assets, pages

if TYPE_CHECKING:
    from pbem.publish.words import Words

VARIANT = "pdf/ua-1"


class PdfUnavailable(Exception):
    """PDFs cannot be made on this machine; the text says what to install."""


def report_pdf(story: Story, number: int, words: Words) -> bytes:
    """The report of ledger entry ``number`` with the order form of the phase asked next. The same entry gives the same bytes.

    PdfUnavailable when WeasyPrint or Pango is missing; KeyError when there is no such entry.
    """
    html = pages.report_html(story, number, words, form=True, links=False)
    return html_pdf(html, pages.chapter_of(story, number)[0].time)


def html_pdf(html: str, time: datetime) -> bytes:
    """A self-contained page as PDF; ``time`` stands in for the clock. Whatever URL it names is refused."""
    weasyprint = _weasyprint()
    with _clock_stopped(time):
        page = weasyprint.HTML(string=html, base_url=None, url_fetcher=_refusing())
        paper = weasyprint.CSS(string=assets.text("site", "paper.css"))
        made: bytes = page.write_pdf(stylesheets=[paper], pdf_variant=VARIANT, pdf_forms=True)
    return made


def available() -> str:
    """"" when PDFs can be made here, else what is missing and how to get it."""
    try:
        _weasyprint()
    except PdfUnavailable as missing:
        return str(missing)
    return ""


def _weasyprint() -> Any:
    try:
        # Without Pango it prints a page of its own before it fails.
        with contextlib.redirect_stdout(io.StringIO()):
            import weasyprint
    except ImportError:
        raise PdfUnavailable("PDF needs WeasyPrint, which is not installed: pip install 'pbem[pdf]'") from None
    except OSError as error:
        raise PdfUnavailable(
            "PDF needs the Pango library, which was not found. Debian and Ubuntu: apt install libpango-1.0-0 libpangoft2-1.0-0 "
            "libharfbuzz-subset0 fonts-dejavu-core; macOS: brew install pango; Windows: install Pango with MSYS2. "
            f"({str(error).splitlines()[0][:200]})"
        ) from None
    return weasyprint


def _refusing() -> Any:
    from weasyprint.urls import URLFetcher

    class Refusing(URLFetcher):  # type: ignore[misc, unused-ignore]
        """A report brings everything along; whatever it would fetch was smuggled in."""

        def fetch(self, url: str, headers: object = None) -> Any:
            raise ValueError(f"a report fetches nothing: {url[:80]}")

    return Refusing()


@contextmanager
def _clock_stopped(time: datetime) -> Iterator[None]:
    # Font subsetting stamps the time into the file unless this variable, which it reads from the environment only, says otherwise.
    before = os.environ.get("SOURCE_DATE_EPOCH")
    os.environ["SOURCE_DATE_EPOCH"] = str(int(time.timestamp()))
    try:
        yield
    finally:
        if before is None:
            del os.environ["SOURCE_DATE_EPOCH"]
        else:
            os.environ["SOURCE_DATE_EPOCH"] = before
