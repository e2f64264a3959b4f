"""The words of a language that name protected groups of people (protected_groups.yaml)."""

from __future__ import annotations

import functools
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from nextset.errors import WordListError
from nextset.files.yaml_model import HandWritten, Prose, read_model
from nextset.records.content_ids import content_id
from nextset.word_lists import FOLDER

__all__ = ["ProtectedGroups", "protected_groups", "read_protected_groups"]

_FILE = "protected_groups.yaml"
_PARTS = re.compile(r"[-\s]+")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s?\Z")


class Ground(HandWritten):
    """A ground of discrimination, with words for its groups."""

    ground: str = Field(min_length=1)
    source: Prose = Field(min_length=1)
    terms: tuple[str, ...]
    capitalised: tuple[str, ...] = ()


class ProtectedGroupsFile(HandWritten):
    """The content of protected_groups.yaml."""

    format: Literal[1]
    language: str = Field(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$")
    grounds: tuple[Ground, ...] = Field(min_length=1)


@dataclass(frozen=True)
class ProtectedGroups:
    """Words that name protected groups."""

    terms: frozenset[str]
    """Words in lower case; case is ignored."""
    capitalised: frozenset[str]
    """Words that count only in this spelling."""

    def named_by(self, word: str) -> bool:
        """Return whether ``word``, or a part of it between hyphens, names a group, also as a possessive."""
        bare = _POSSESSIVE.sub("", word)
        return any(
            part.lower() in self.terms or part in self.capitalised for part in (bare, *_PARTS.split(bare))
        )

    @property
    def digest(self) -> str:
        """The content hash: equal words have equal digests."""
        return content_id("protected groups", *sorted(self.terms), "", *sorted(self.capitalised))


@functools.cache
def protected_groups(language: str) -> ProtectedGroups | None:
    """Return the words of ``language`` (BCP 47; regions are ignored); None if there is no list."""
    file = FOLDER / language.partition("-")[0].lower() / _FILE
    return read_protected_groups(file) if file.is_file() else None


def read_protected_groups(file: Path) -> ProtectedGroups:
    """Return the words in ``file``.

    Raises WordListError, with file and line, if a word is repeated, is not in Unicode NFC, or has spaces, or
    if a word that counts only with capitals has none.
    """
    written, located = read_model(file, ProtectedGroupsFile, WordListError)
    seen: set[str] = set()
    for i, ground in enumerate(written.grounds):
        for key, words in (("terms", ground.terms), ("capitalised", ground.capitalised)):
            for j, word in enumerate(words):
                problem = _problem(word, seen, capitalised=key == "capitalised")
                if problem:
                    raise WordListError(
                        f"{word!r} {problem}",
                        file=file,
                        line=located.line(("grounds", i, key, j)),
                        remedy="write each word once, in NFC and without spaces",
                    )
                seen.add(word.lower())
    return ProtectedGroups(
        frozenset(word.lower() for ground in written.grounds for word in ground.terms),
        frozenset(word for ground in written.grounds for word in ground.capitalised),
    )


def _problem(word: str, seen: set[str], *, capitalised: bool) -> str | None:
    if not word or word.split() != [word]:
        return "is empty or has spaces, but a mask is filled with one word"
    if not unicodedata.is_normalized("NFC", word):
        return "is not in Unicode NFC"
    if capitalised and not word[0].isupper():
        return "has no capital, but counts only with one"
    return "is repeated" if word.lower() in seen else None
