"""The writing direction of a language, for the texts on a page."""

from __future__ import annotations

from typing import Literal

__all__ = ["Direction", "text_direction"]

Direction = Literal["ltr", "rtl", "auto"]
"""Values of the attribute dir."""

_LANGUAGES = frozenset(
    ("apc", "ar", "arc", "ary", "bal", "bgn", "bqi", "brh", "ckb", "dv", "fa", "he", "ks", "lrc", "mzn",
     "nqo", "ps", "rhg", "sd", "sdh", "skr", "syr", "trw", "ug", "ur", "yi")
)  # fmt: skip
"""Languages that are written from right to left unless their tag names another script (CLDR)."""
_SCRIPTS = frozenset(("adlm", "arab", "hebr", "nkoo", "rohg", "syrc", "thaa"))


def text_direction(language: str) -> Direction:
    """Return the direction of ``language``, a BCP 47 tag; auto if it is empty.

    With auto, a browser decides by the first letter, but an Arabic sentence may begin with {{MASK}}.
    """
    if not language:
        return "auto"
    first, *more = language.lower().split("-")
    script = next((part for part in more if len(part) == 4 and part.isalpha()), "")
    return "rtl" if script in _SCRIPTS or (not script and first in _LANGUAGES) else "ltr"
