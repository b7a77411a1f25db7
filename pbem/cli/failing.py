"""How a failure is told: ``error:`` in one sentence, ``hint:`` where one helps, on stderr. Never a traceback for what has a reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pbem.campaign.archive import Fault
    from pbem.campaign.folder import CampaignError
    from pbem.publish.words import Words


def say(sentence: str, hint: str = "", *, where: str = "") -> None:
    """Prints an error and its hint; ``where`` names the campaign, where a command goes over many."""
    click.echo(f"error: {where}: {sentence}" if where else f"error: {sentence}", err=True)
    if hint:
        click.echo(f"hint: {hint}", err=True)


def explain(error: Exception, *, where: str = "") -> bool:
    """Prints an error that has a reason. False when it has none: then it is our own fault and must be seen whole.

    ``where`` names the campaign, where a command goes over many.
    """
    from pbem.campaign.archive import Fault
    from pbem.campaign.folder import CampaignError
    from pbem.orders.findings import Unreadable
    from pbem.publish.complaints import complaint
    from pbem.publish.faults import FAULTS
    from pbem.publish.pdf import PdfUnavailable

    if isinstance(error, CampaignError):
        say(*_stopped(error), where=where)
        return True
    if isinstance(error, Fault):
        say(*complaint(FAULTS, error.code, {"file": error.file, **error.facts}, _gettext()), where=where)
        click.echo(f"hint: {_way_out(error)}; nothing was written", err=True)
        return True
    if isinstance(error, Unreadable):
        from pbem.publish.findings import finding_text

        for finding in error.findings:
            say(finding_text(finding, _plain_words()), where=where)
        return True
    if isinstance(error, PdfUnavailable):
        say(str(error), "pages and text are made without it", where=where)
        return True
    if isinstance(error, OSError):
        path = getattr(error, "filename", None) or "a file"
        say(*_stopped(CampaignError("cannot-write", path=path, reason=error.strerror or str(error))), where=where)
        return True
    return False


def _way_out(fault: Fault) -> str:
    """What to do about a folder that is false."""
    if fault.file != "game.toml":
        return "pbem audit tells more"
    from pbem.publish.columns import clean

    why = clean(str(fault.facts.get("why", "")), 200)
    found = f"what does not fit: {why}. " if why else ""
    return f"{found}It is written once and never changed: take it from another copy of the folder, or from an invite's mail"


def _stopped(error: CampaignError) -> tuple[str, str]:
    """The sentence and the hint of what stops a command; why a title refuses an option is said in the title's own words, and so are
    its phases (``phases_of``: the title's slug)."""
    from pbem.cli.stops import STOPS
    from pbem.publish.complaints import complaint, with_phases

    told, facts = error.facts.get("refusal"), error.facts
    if isinstance(told, tuple):
        slug, code, field, facts = told
        return _title_words(slug).refusal(code, field, facts), ""
    if phases_of := facts.get("phases_of"):
        facts = with_phases(error.code, facts, _title_words(str(phases_of)).phase_typed)
    return complaint(STOPS, error.code, facts, _gettext())


def _title_words(slug: str) -> Words:
    from pbem.engine import registry
    from pbem.publish.words import Words

    return Words(registry.title(slug))


def _gettext() -> Callable[[str], str]:
    return lambda message: message


def _plain_words() -> Words:
    """Words for findings on a machine where no campaign is at hand: any title will do, findings do not speak of it."""
    from pbem.engine import registry
    from pbem.publish.words import Words

    return Words(registry.title(registry.slugs()[0]))
