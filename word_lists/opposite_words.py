"""The words and prefixes with which a language turns a word into its opposite (negation.yaml)."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Literal

from pydantic import Field

from nextset.errors import WordListError
from nextset.files.yaml_model import HandWritten, Prose, read_model
from nextset.records.content_ids import content_id
from nextset.word_lists import FOLDER

__all__ = ["negated_words", "negation_digest"]

_FILE = "negation.yaml"
_SHORTEST = 3
"""The fewest letters after a prefix: *unit* is no negation of *it*."""


class NegationFile(HandWritten):
    """The content of negation.yaml."""

    format: Literal[1]
    language: str = Field(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$")
    about: Prose = Field(min_length=1)
    words: tuple[str, ...]
    """Words before another word, such as not."""
    prefixes: tuple[str, ...]
    """Beginnings of words, such as un."""
    not_negated: tuple[str, ...]
    """Words that begin like a negation and are none, such as union."""
    listed: dict[str, tuple[str, ...]]
    """Prefixes that also begin other words, such as in, each with the words that it negates."""
    pairs: dict[str, str]
    """Other words that are the opposite of a word, such as careless, each with that word."""


def negated_words(language: str, text: str) -> frozenset[str]:
    """Return the words, in small letters, of which ``text`` is the negation: unclean or not clean, clean.

    Empty for a language (BCP 47; regions are ignored) without a negation.yaml. Raises WordListError.
    """
    return _negated(language.partition("-")[0].lower(), text.lower())


def negation_digest(language: str) -> str | None:
    """Return the content hash of the negations of ``language``; None if there are none."""
    negation = _negation(language.partition("-")[0].lower())
    return None if negation is None else content_id("negation", negation.model_dump_json(exclude={"about"}))


@functools.lru_cache(maxsize=100_000)
def _negated(language: str, text: str) -> frozenset[str]:
    negation = _negation(language)
    if negation is None or text in negation.not_negated:
        return frozenset()
    words = {text.removeprefix(f"{before} ") for before in negation.words if text.startswith(f"{before} ")}
    for prefix in negation.prefixes:
        bare = text.removeprefix(prefix).removeprefix("-")
        if text.startswith(prefix) and len(bare) >= _SHORTEST:
            words.add(bare)
    for prefix, negated in negation.listed.items():
        bare = text.removeprefix(prefix).removeprefix("-")
        if text.startswith(prefix) and bare in negated:
            words.add(bare)
    if text in negation.pairs:
        words.add(negation.pairs[text])
    return frozenset(words)


@functools.cache
def _negation(language: str) -> NegationFile | None:
    file: Path = FOLDER / language / _FILE
    return read_model(file, NegationFile, WordListError)[0] if file.is_file() else None
