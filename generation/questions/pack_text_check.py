"""Checks of a language pack's texts: NFC, control characters, extra spaces, misplaced brackets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import WordListError
from nextset.files.yaml_reader import LocatedYaml, Location
from nextset.generation.slots import Features, SlotError, features, plain_text

__all__ = ["Forms", "Place", "has_extra_spaces"]

LONGEST = 1_000
"""The most characters of a text."""
_INVISIBLE = "\u034f\u115f\u1160\u2800\u3164\uffa0"
"""Fillers and space characters that count as letters or marks."""
_LOOSE_MARK = re.compile(r"[\s\]}\u200c\u200d][\u0300-\u036f]")
_JOINERS = "\u200c\u200d"
"""Zero-width characters that Persian and Indic spellings need."""
_NO_BREAK = str.maketrans("\u00a0\u202f", "  ")
"""No-break spaces, which French has before a question mark and inside quotation marks."""


def has_extra_spaces(text: str) -> bool:
    """Return whether ``text`` has spaces at its start or end, two in a row, or one of an unusual width."""
    plain = text.translate(_NO_BREAK)
    return plain != " ".join(plain.split())


@dataclass(frozen=True)
class Forms:
    """The forms of an entry."""

    texts: Mapping[Features, str]
    """The text by form, without braces."""
    answers: Mapping[Features, tuple[int, int]]
    """The range between the braces, by form."""


@dataclass(frozen=True)
class Place:
    """A position in a file, with checks of the texts there."""

    file: Path
    located: LocatedYaml
    """The lines of the file."""
    at: Location
    """The keys that lead to the position."""

    @property
    def line(self) -> int | None:
        """The line, from 1."""
        return self.located.line(self.at)

    def inside(self, *steps: str) -> Place:
        """Return a position below this one."""
        return Place(self.file, self.located, (*self.at, *steps))

    def error(self, message: str, remedy: str) -> WordListError:
        """Return an error at this position."""
        return WordListError(message, file=self.file, line=self.line, remedy=remedy)

    def text(self, text: str) -> str:
        """Return ``text``; raises WordListError if it is not well-formed."""
        if len(text) > LONGEST:
            raise self.error(
                f"the text has {len(text):,} characters, more than {LONGEST:,}", "shorten the text"
            )
        if not unicodedata.is_normalized("NFC", text):
            raise self.error(f"{text!r} is not in Unicode NFC", "save the text in NFC")
        if any(unicodedata.category(c) in ("Cc", "Cf") and c not in _JOINERS for c in text):
            raise self.error(f"{text!r} contains a control character or direction mark", "remove it")
        if any(unicodedata.category(c) in ("Co", "Cn", "Cs") or c in _INVISIBLE for c in text):
            raise self.error(f"{text!r} contains an invisible or private-use character", "remove it")
        if _LOOSE_MARK.search(text) or any(unicodedata.category(c)[0] == "M" for c in text[:1]):
            raise self.error(
                f"{text!r} contains an accent or vowel sign without a letter", "put it on its letter"
            )
        if has_extra_spaces(text):
            raise self.error(f"{text!r} has extra spaces", "remove them")
        return text

    def forms(self, written: Mapping[str, str], defaults: Features, *, answers: bool = False) -> Forms:
        """Return the texts by form, without the features ``defaults``.

        With ``answers``, braces may mark the answer. Raises WordListError if a form is invalid or listed
        twice.
        """
        texts: dict[Features, str] = {}
        marked: dict[Features, tuple[int, int]] = {}
        for key, form in written.items():
            here = self.inside(key)
            try:
                wanted = features(key) - defaults
            except SlotError as e:
                raise here.error(str(e), "see docs/reference/language_packs.md for forms") from None
            if wanted in texts:
                raise here.error(
                    f"the form {key!r} is listed twice (the order of features does not matter)", "remove one"
                )
            try:
                text, answer = plain_text(form)
            except SlotError as e:
                remedy = (
                    "move the slot to a template; braces mark the part that is the answer: aus der {Türkei}"
                )
                raise here.error(str(e), remedy) from None
            if answer is not None:
                if not answers:
                    raise here.error(
                        f"{form!r} contains braces, which are only for subjects", "remove the braces"
                    )
                marked[wanted] = answer
            if not any(c.isalnum() for c in (text if answer is None else text[slice(*answer)])):
                raise here.error(f"{form!r} has no letters", "write the words of this form")
            texts[wanted] = here.text(text)
        return Forms(texts, marked)
