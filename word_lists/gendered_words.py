"""The words of a language that only one gender can have, by grammar or by fact (gendered_words.yaml)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nextset.errors import WordListError
from nextset.files.regular_file import has_file
from nextset.files.yaml_model import HandWritten, Prose, read_model
from nextset.word_lists import FOLDER
from nextset.word_lists.fill_list import problem_of_word

__all__ = ["GenderedWords", "gendered_words", "read_gendered_words"]

FILE = "gendered_words.yaml"


class GenderedWordsFile(HandWritten):
    """The content of gendered_words.yaml."""

    format: Literal[1]
    about: Prose = ""
    f: tuple[str, ...] = ()
    m: tuple[str, ...] = ()


@dataclass(frozen=True)
class GenderedWords:
    """Words in lower case, as in attributes; some entries are several words."""

    f: frozenset[str]
    """Words that only women and girls can have."""
    m: frozenset[str]
    """Words that only men and boys can have."""


def gendered_words(folder: Path, language: str) -> GenderedWords | None:
    """Return the words in the list of ``folder``, else in nextset's list for ``language`` (BCP 47).

    Regions are ignored. None if neither list exists. Raises WordListError if a list is not a file, or cannot
    be read.
    """
    files = (folder / FILE, FOLDER / language.partition("-")[0].lower() / FILE)
    first_file = next((file for file in files if has_file(file, WordListError)), None)
    return None if first_file is None else read_gendered_words(first_file)


def read_gendered_words(file: Path) -> GenderedWords:
    """Return the words in ``file``.

    Raises WordListError, with file and line, for a word with a problem by `problem_of_word`, or one that is
    listed for both genders.
    """
    written, located = read_model(file, GenderedWordsFile, WordListError)
    seen: set[str] = set()
    for key, words in (("f", written.f), ("m", written.m)):
        for i, word in enumerate(words):
            if problem := problem_of_word(word, seen):
                raise WordListError(
                    f"{word[:60]!r} {problem}",
                    file=file,
                    line=located.line((key, i)),
                    remedy="write each word once, for one gender, in NFC and without extra spaces",
                )
    return GenderedWords(frozenset(map(str.casefold, written.f)), frozenset(map(str.casefold, written.m)))
