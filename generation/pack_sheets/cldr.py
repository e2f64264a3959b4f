"""Facts from CLDR, the Unicode Common Locale Data Repository, by Babel: direction, joiner, territories."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nextset.generation.pack_sheets.optional_language_packages import language_package

__all__ = ["LanguageFacts", "country_codes", "language_facts"]

_WITHOUT_SPACES = {"Hans", "Hant", "Hani", "Jpan", "Hrkt", "Thai", "Laoo", "Khmr", "Mymr", "Tibt"}
"""Scripts without spaces between words."""

_OWN_NAMES = {
    "America": "US",
    "Britain": "GB",
    "Burma": "MM",
    "Korea": "KR",
    "Palestine": "PS",
    "Turkey": "TR",
}
"""Countries whose names in the English pack differ from CLDR's."""


@dataclass(frozen=True)
class LanguageFacts:
    """The facts about a language in CLDR."""

    known: bool
    """True if CLDR has the language."""
    name: str
    """The language's name in English; the tag if CLDR does not have the language."""
    direction: str
    """ltr or rtl."""
    join: str
    """The text between two words: a space, or empty."""
    territories: Mapping[str, str]
    """The names of countries in the language, by ISO code."""
    home: tuple[str, ...]
    """The ISO codes of countries where it is an official language."""
    likely_territory: str
    """The ISO code of the country that the tag implies; may be empty."""
    script: str
    """The code of the language's script, such as Latn; may be empty."""


def language_facts(language: str) -> LanguageFacts:
    """Return the facts about the BCP 47 tag ``language``; raises DependencyMissing without Babel."""
    babel, core, languages = map(language_package, ("babel", "babel.core", "babel.languages"))
    try:
        locale = babel.Locale.parse(language, sep="-")
    except (babel.UnknownLocaleError, ValueError):
        return LanguageFacts(False, language, "ltr", " ", {}, (), "", "")
    likely = _likely(core.get_global("likely_subtags"), locale)
    script = locale.script or likely.get("script", "")
    names = {code: _name(name) for code, name in locale.territories.items() if _is_country(code)}
    home = [t for t in sorted(names) if locale.language in languages.get_official_languages(t)]
    return LanguageFacts(
        known=True,
        name=locale.get_display_name("en") or language,
        direction="rtl" if locale.text_direction == "rtl" else "ltr",
        join="" if script in _WITHOUT_SPACES else " ",
        territories=names,
        home=tuple(home),
        likely_territory=locale.territory or likely.get("territory", ""),
        script=script,
    )


def country_codes() -> dict[str, str]:
    """Return the ISO codes of countries, by the English name that packs use as their key."""
    babel = language_package("babel")
    codes = {
        _name(name): code
        for code, name in sorted(babel.Locale.parse("en").territories.items())
        if _is_country(code)
    }
    renamed = {code: name for name, code in _OWN_NAMES.items()}
    return {renamed.get(code, name): code for name, code in codes.items()}


def _is_country(code: str) -> bool:
    """Return whether ``code`` is the code of a country; EU, UN and user-assigned codes are not."""
    return bool(re.fullmatch(r"[A-Z]{2}", code)) and code not in ("EU", "EZ", "UN", "QO", "ZZ", "XA", "XB")


def _name(name: str) -> str:
    """Return ``name`` in NFC, without parentheses and their content: Myanmar, not Myanmar (Burma)."""
    short = re.sub(r"\s*[((][^))]*[))]", "", unicodedata.normalize("NFC", name))
    return " ".join(short.split()) or name


def _likely(subtags: Any, locale: Any) -> dict[str, str]:
    """Return the script and the territory that a tag most likely means."""
    keys = ["_".join(filter(None, parts)) for parts in (
        (locale.language, locale.script, locale.territory),
        (locale.language, locale.script),
        (locale.language, locale.territory),
        (locale.language,),
    )]  # fmt: skip
    likely = next((subtags[key] for key in keys if key in subtags), "")
    parts = likely.split("_")
    return {"script": parts[1], "territory": parts[2]} if len(parts) == 3 else {}
