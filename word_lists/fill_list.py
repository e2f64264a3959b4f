"""The shipped lists of words that masks name, such as ``{{MASK:in occupations}}`` (fill_lists/NAME.yaml)."""

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

__all__ = ["FillList", "FillListFile", "fill_list", "fill_list_names", "problem_of_word", "read_fill_list"]

_FOLDER = "fill_lists"
_LONGEST = 100
"""The most characters of a word with all its parts."""
_INSIDE = frozenset("'’-&/.,·・׳״\u200c\u200d")
"""The characters of words other than letters, marks and digits."""
_SENTENCES = re.compile(r"[.,](?:\s|\Z)")


class FillListFile(HandWritten):
    """The content of fill_lists/NAME.yaml."""

    format: Literal[1]
    language: str = Field(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$")
    about: Prose = Field(min_length=1)
    words: tuple[str, ...] = Field(min_length=1)


@dataclass(frozen=True)
class FillList:
    """A list of words for masks."""

    words: tuple[str, ...]
    """The words, in the order of the file; a word may have several parts, with single spaces between them."""

    @property
    def digest(self) -> str:
        """The content hash: equal words have equal digests."""
        return content_id("fill list", *self.words)


def fill_list_names(language: str) -> list[str]:
    """Return the names of the shipped lists of ``language`` (BCP 47; regions are ignored), sorted."""
    return sorted(file.stem for file in _folder(language).glob("*.yaml"))


@functools.cache
def fill_list(language: str, name: str) -> FillList | None:
    """Return the shipped list ``name`` of ``language``; None if there is none. Raises WordListError."""
    file = _folder(language) / f"{name}.yaml"
    return read_fill_list(file) if file.is_file() else None


def _folder(language: str) -> Path:
    return FOLDER / language.partition("-")[0].lower() / _FOLDER


def read_fill_list(file: Path) -> FillList:
    """Return the list in ``file``.

    Raises WordListError, with file and line, for a word with a problem by `problem_of_word`.
    """
    written, located = read_model(file, FillListFile, WordListError)
    seen: set[str] = set()
    for i, word in enumerate(written.words):
        if problem := problem_of_word(word, seen):
            raise WordListError(
                f"{word[:60]!r} {problem}",
                file=file,
                line=located.line(("words", i)),
                remedy="write each word once, in letters, in NFC and without extra spaces",
            )
    return FillList(written.words)


def problem_of_word(word: str, seen: set[str]) -> str | None:
    """Return the problem with a word of a list; None if it is right, and then add it to ``seen``."""
    if not word or word != " ".join(word.split()):
        return "is empty or has extra spaces"
    if not unicodedata.is_normalized("NFC", word):
        return "is not in Unicode NFC"
    if len(word) > _LONGEST:
        return f"has more than {_LONGEST} characters"
    if wrong := next((c for c in word if not _can_be_in_word(c)), None):
        return f"contains {wrong!r}, which is not allowed in words"
    if _SENTENCES.search(word) or not all(any(map(str.isalnum, part)) for part in word.split()):
        return "is not a word"
    if word.casefold() in seen:
        return "is repeated"
    seen.add(word.casefold())
    return None


def _can_be_in_word(character: str) -> bool:
    return character == " " or character in _INSIDE or unicodedata.category(character)[0] in "LMN"
