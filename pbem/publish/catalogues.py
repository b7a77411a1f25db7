"""Translations: the shared catalogue and the title's own, read from their ``.po`` files, English where nothing else is known.

Catalogues lie in ``templates/locale/LANGUAGE.po`` and, for a title, in ``locale/LANGUAGE.po`` of ``Title.files``. They are read as text, so
there is no compiled file that could be older than its source. The templates (``.pot``) are made by the commands in the head of babel.cfg.
"""

from __future__ import annotations

from functools import lru_cache
from gettext import NullTranslations
from importlib.resources.abc import Traversable
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babel import Locale
    from babel.support import Translations

LANGUAGES = ("en", "zh", "ru", "fr", "ko")
# Dates and lists of English are those of the rulebook's edition: day before month, no comma before "and".
_LOCALES = {"en": "en_GB", "zh": "zh_Hans"}


def locale_of(language: str) -> Locale:
    """Babel's locale of a language code such as "fr" or "zh"; English for one it does not know."""
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(_LOCALES.get(language, language), sep="-" if "-" in language else "_")
    except (ValueError, TypeError, UnknownLocaleError):
        return Locale.parse(_LOCALES["en"])


def load(language: str, folders: tuple[Traversable, ...]) -> NullTranslations:
    """The catalogue of a language, looked up in the ``locale`` folders given, the first before the others.

    A folder without that language, or with a file that cannot be read, is passed over: what no catalogue has stays English.
    """
    merged = NullTranslations()
    for folder in reversed(folders):
        found = _read(language, folder)
        if found is not None:
            found.add_fallback(merged)
            merged = found
    return merged


@lru_cache(maxsize=64)
def _compiled(text: bytes, language: str) -> bytes:
    """The ``.mo`` form of a ``.po`` text, fuzzy entries left out."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    catalogue = read_po(BytesIO(text), locale=str(locale_of(language)))
    out = BytesIO()
    write_mo(out, catalogue)
    return out.getvalue()


def _read(language: str, folder: Traversable) -> Translations | None:
    if not language.replace("-", "").replace("_", "").isalnum():
        return None
    try:
        text = (folder / f"{language}.po").read_bytes()
    except OSError:
        return None
    # Only now: English has no catalogue, and most of what is said is English.
    from babel.messages.pofile import PoFileError
    from babel.support import Translations

    try:
        return Translations(BytesIO(_compiled(text, language)))
    except (PoFileError, ValueError, UnicodeDecodeError):
        return None
