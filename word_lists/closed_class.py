"""The function words and the number words of a language (closed_class.yaml)."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from nextset.errors import WordListError
from nextset.files.yaml_model import HandWritten, read_model
from nextset.records.content_ids import content_id
from nextset.word_lists import FOLDER
from nextset.word_lists.fill_list import problem_of_word

__all__ = ["ClosedClassWords", "closed_class_words", "read_closed_class"]

_FILE = "closed_class.yaml"


class ClosedClassFile(HandWritten):
    """The content of closed_class.yaml."""

    format: Literal[1]
    language: str = Field(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$")
    classes: dict[str, tuple[str, ...]] = Field(min_length=1)
    numbers: tuple[str, ...]
    verbs_too: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClosedClassWords:
    """Function words and number words, in small letters."""

    functions: frozenset[str]
    numbers: frozenset[str]
    """The number words, including ordinals."""
    verbs_too: frozenset[str]
    """The function words that are also verbs."""

    @property
    def digest(self) -> str:
        """The content hash: equal words have equal digests."""
        parts = (self.functions, self.numbers, self.verbs_too)
        return content_id("closed class", *(x for part in parts for x in (*sorted(part), "")))


@functools.cache
def closed_class_words(language: str) -> ClosedClassWords | None:
    """Return the words of ``language`` (BCP 47; regions are ignored); None if there is no list."""
    file = FOLDER / language.partition("-")[0].lower() / _FILE
    return read_closed_class(file) if file.is_file() else None


def read_closed_class(file: Path) -> ClosedClassWords:
    """Return the words in ``file``.

    Raises WordListError, with file and line, for a word that has a capital or a space, or has a problem by
    `problem_of_word`.
    """
    written, located = read_model(file, ClosedClassFile, WordListError)
    lists = [(("classes", name), words) for name, words in written.classes.items()]
    seen: set[str] = set()
    for at, words in (*lists, (("numbers",), written.numbers)):
        for i, word in enumerate(words):
            problem = "has a capital or a space" if word != "".join(word.lower().split()) else None
            if problem := problem or problem_of_word(word, seen):
                raise WordListError(
                    f"{word[:60]!r} {problem}",
                    file=file,
                    line=located.line((*at, i)),
                    remedy="write each word once, in small letters and without spaces",
                )
    functions = frozenset(word for _, words in lists for word in words)
    if unknown := sorted(set(written.verbs_too) - functions):
        raise WordListError(
            f"{unknown[0]!r} is under verbs_too, but not in a class",
            file=file,
            line=located.line(("verbs_too",)),
            remedy="add the word to a class, or remove it from verbs_too",
        )
    return ClosedClassWords(functions, frozenset(written.numbers), frozenset(written.verbs_too))
