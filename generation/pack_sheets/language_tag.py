"""The language of a new pack: a BCP 47 tag in its usual spelling, of a language that CLDR names."""

from __future__ import annotations

import operator
import re

from nextset.errors import InputError
from nextset.generation.pack_sheets.known_languages import known_language
from nextset.generation.pack_sheets.optional_language_packages import language_package

__all__ = ["checked_tag"]

_TAG = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_PRIVATE = re.compile(r"q[a-t][a-z]")
"""ISO 639 codes for languages without a code."""


def checked_tag(written: str) -> str:
    """Return the language tag ``written`` in its usual spelling: pt-BR for PT_br.

    CLDR names many more languages than it has data for. Raises InputError if ``written`` is not a tag, if it
    is a language's English name, and if CLDR does not name its code, except qaa to qtz, which ISO 639 leaves
    to users. Raises DependencyMissing without Babel.
    """
    language, *rest = written.strip().replace("_", "-").split("-")
    tag = "-".join([language.lower(), *map(_spelt, rest)])
    names: dict[str, str] = dict(language_package("babel").Locale.parse("en").languages)
    for code, name in names.items():
        if name.casefold() == written.strip().casefold():
            tag = code.replace("_", "-")
            raise InputError(f"{written!r} is a language's name, not its tag", remedy=f"write {tag}")
    if not _TAG.fullmatch(tag):
        raise InputError(
            f"{written[:40]!r} is not a language tag", remedy="write a BCP 47 tag, such as de or pt-BR"
        )
    code = language.lower()
    if code not in names and not _PRIVATE.fullmatch(code):
        near = [n for n in names if len(n) == len(code) and sum(map(operator.ne, n, code)) == 1]
        near.sort(key=lambda n: (known_language(n) is None, n))  # languages with a known grammar first
        similar = ", ".join(f"{n} ({names[n]})" for n in near[:4])
        raise InputError(
            f"CLDR has no language {code!r}",
            remedy=f"check the code{f' (similar: {similar})' if similar else ''}, "
            "or write qaa for a language without a code",
        )
    return tag


def _spelt(part: str) -> str:
    """Return ``part`` in its usual spelling: a script as Hant, a territory as BR, others in small letters."""
    if len(part) == 4 and part.isalpha():
        return part.title()
    return part.upper() if len(part) == 2 else part.lower()
