"""The report of one ledger entry as a single HTML file that needs nothing else: no script, no picture, no network."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec

from pbem.campaign.history import Chapter, Decision, Step, Story
from pbem.campaign.standings import gave_up, standings
from pbem.publish import assets, chart
from pbem.publish.paper import FirstPage, first_page
from pbem.publish.telling import organiser_alone

if TYPE_CHECKING:
    from pbem.publish.words import Words

BOARD_TEMPLATE, FORM_TEMPLATE = "scene.html.j2", "order_form.html.j2"


class Mark(msgspec.Struct, frozen=True):
    """How a seat is drawn. Shape, letter and lightness differ, so that any one of them tells seats apart."""

    shape: str
    letter: str
    fill: str
    ink: str


_SHAPES = (
    ("circle", "#9b1c31", "#ffffff"),
    ("square", "#2f6fb0", "#ffffff"),
    ("triangle", "#ffd84a", "#1d1a16"),
    ("diamond", "#ffffff", "#1d1a16"),
    ("hexagon", "#1d1a16", "#ffffff"),
    ("shield", "#1f7a4d", "#ffffff"),
)


def marks(seats: Sequence[str]) -> dict[str, Mark]:
    """One mark per seat, in seat order; letters are the seats' initials, or numbers where initials would be the same."""
    initials = [seat[:1].upper() for seat in seats]
    letters = initials if len(set(initials)) == len(initials) else [str(number) for number in range(1, len(seats) + 1)]
    return {
        seat: Mark(*_SHAPES[number % len(_SHAPES)][:1], letter, *_SHAPES[number % len(_SHAPES)][1:])
        for number, (seat, letter) in enumerate(zip(seats, letters, strict=True))
    }


def report_name(number: int) -> str:
    """The file name of an entry's report: "0041.html"."""
    return f"{number:04d}.html"


def report_html(story: Story, number: int, words: Words, *, form: bool = False, links: bool = True) -> str:
    """The report of ledger entry ``number`` as HTML.

    ``form`` adds a form for the orders asked for next; ``links`` links to the reports before and after and to the campaign's page, as they
    lie on the site. Public: made from the public view only. KeyError when there is no such entry.
    """
    chapter, earlier = chapter_of(story, number)
    after = public(story, chapter.after)
    touched = {place for step in chapter.steps for event in step.events for place in story.title.places(event)}
    by_round = chart.points_by_round(story.title, earlier, words)
    waiting = chapter.waiting
    telling = [(heading, list(told)) for heading, told in groupby(words.chapter(chapter), key=lambda sentence: sentence.group)]
    board = board_context(story, after, words, chapter.number)
    drawn = chart.points_chart(by_round)
    context: dict[str, Any] = {
        "story": story,
        "chapter": chapter,
        "words": words,
        "headline": words.headline(chapter),
        "created": chapter.time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "phase": phase_told(chapter),
        "waiting": waiting,
        "zones": {seat.seat: seat.zone for seat in story.seats},
        "over": is_over(after) or chapter.kind == "end",
        "telling": telling,
        "page": first_page(
            words.headline(chapter), words.asked(waiting) if waiting else "", len(waiting.asked) if waiting else 0,
            [[sentence.text for sentence in told] for _, told in telling], _shape(board["scene"]), len(story.seats),
            drawn is not None,
        ) if form else FirstPage(board=0),
        "touched": touched,
        "places": frozenset() if after is None else story.title.known_places(after),
        "orders": _orders(chapter),
        "organiser_alone": organiser_alone(story, number, words),
        "form": form and waiting is not None and after is not None,
        "form_template": _own(story, FORM_TEMPLATE),
        "links": _links(story, number) if links else None,
        **board,
        "by_round": by_round,
        "chart": drawn,
        "css": assets.text("site", "style.css"),
    }
    return assets.environment("html", story.title, words).get_template("report.html.j2").render(context)


def board_context(story: Story, position: Any, words: Words, until: int | None = None) -> dict[str, Any]:
    """What the templates need to draw a public position (None before set-up), that after entry ``until``: scene, marks, standings."""
    title = story.title
    return {
        "scene": None if position is None else title.scene(position),
        "scene_template": _own(story, BOARD_TEMPLATE) or "plain_scene.html.j2",
        "shown": None if position is None else title.show_position(position),
        "marks": marks([seat.seat for seat in story.seats]),
        "standings": [] if position is None else standings(title, position, gave_up(story.chapters, until)),
        "picture_title": words.gettext("The board of %(game)s; the same facts stand in the tables below.") % {"game": story.name},
    }


def _shape(scene: Any) -> float:
    """Height by width of a title's picture; 0 where it has none."""
    height, width = (scene.get(side) if isinstance(scene, dict) else getattr(scene, side, None) for side in ("height", "width"))
    return height / width if isinstance(height, int | float) and isinstance(width, int | float) and width > 0 else 0.0


def chapter_of(story: Story, number: int) -> tuple[Chapter, list[Chapter]]:
    """An entry, and all entries up to it, itself the last. KeyError when there is no such entry."""
    for index, chapter in enumerate(story.chapters):
        if chapter.number == number:
            return chapter, list(story.chapters[: index + 1])
    raise KeyError(number)


def public(story: Story, position: Any) -> Any:
    """What everybody may see of a position; None stays None."""
    return None if position is None else story.title.view(position, None)


def is_over(position: Any) -> bool:
    """Whether a position is the end of its game."""
    from pbem.engine.title import OVER

    return position is not None and position.phase == OVER


def phase_told(chapter: Chapter) -> str:
    """The id of the phase an entry is mostly about: the last one that asked for orders; "" when none did."""
    asked = [step.phase for step in chapter.steps if step.decisions]
    return asked[-1] if asked else ""


def _own(story: Story, name: str) -> str:
    return assets.TITLE_PREFIX + name if assets.has_template(story.title, name) else ""


def _orders(chapter: Chapter) -> list[tuple[Step, Decision]]:
    return [(step, decision) for step in chapter.steps for decision in step.decisions]


def _links(story: Story, number: int) -> dict[str, str]:
    numbers = [chapter.number for chapter in story.chapters]
    here = numbers.index(number)
    return {
        "campaign": "index.html",
        "previous": report_name(numbers[here - 1]) if here else "",
        "next": report_name(numbers[here + 1]) if here + 1 < len(numbers) else "",
    }
