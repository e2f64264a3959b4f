"""The categories and forms of English words, by the lexicon that comes with LemmInflect.

LemmInflect (MIT) contains the NIH SPECIALIST lexicon as a table. Only this table is read: the package itself
would import spaCy, and its rules for unknown words are pickles.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from nextset.errors import DependencyMissing, WordListError
from nextset.files.yaml_model import HandWritten, read_model
from nextset.word_lists import FOLDER

__all__ = ["Reading", "WordForms", "english_words", "english_words_digest", "is_english"]

_TABLE = ("resources", "infl_lu.csv.gz")
_COLUMNS = {
    "adj": ("positive", "comparative", "superlative"),
    "adv": ("positive", "comparative", "superlative"),
    "noun": ("singular", "plural"),
    "verb": ("base", "past", "participle", "ing", "third"),
}
"""The forms of a category in the order of the table; the first is the entry itself."""
_FILE = FOLDER / "en" / "inflections.yaml"
_SINGULAR_ENDS = ("ss", "us", "is", "as", "os", "ics")
"""Endings of singular nouns in -s that the table lists without a separate plural."""
_LETTERS = re.compile(r"[^\W_]+")

Words = tuple[str, ...]


class Inflections(HandWritten):
    """The content of inflections.yaml, which says how to read the table; the file describes its parts."""

    format: Literal[1]
    language: Literal["en"]
    forms: dict[str, dict[str, tuple[str, ...]]]
    entries: dict[str, str]
    plural_alone: Words
    singular_in_s: Words
    also_adjectives: Words
    not_past: Words


@dataclass(frozen=True, slots=True)
class Reading:
    """A reading of a word."""

    category: str
    """adj, adv, noun or verb."""
    form: str
    """The form, such as plural."""
    lemma: str
    """The word's entry."""


@dataclass(frozen=True)
class WordForms:
    """The lexicon of a language."""

    readings: Mapping[str, Sequence[Reading]]
    """The readings of each word, in small letters."""
    forms: Mapping[tuple[str, str, str], str]
    """The first spelling of each entry, category and form."""
    names: frozenset[str]
    """Words in small letters that have only an entry with a capital, such as monday."""
    entries: Mapping[str, str]
    """The entry that is meant by a word that is a form of several, such as leaf for leaves."""

    def has(self, word: str) -> bool:
        """Return whether ``word`` is in the lexicon, or all of its parts between hyphens are."""
        word = word.lower()
        parts = word.split("-")
        return (
            word in self.readings
            or word in self.names
            or (len(parts) > 1 and all(part in self.readings for part in parts))
        )

    def is_one_of(self, word: str, categories: Iterable[str]) -> bool:
        """Return whether ``word`` can be read as one of ``categories``, such as adj or noun.plural."""
        readings = self.readings.get(word.lower(), ())
        return any(c in (r.category, f"{r.category}.{r.form}") for c in categories for r in readings)

    def lemmas(self, word: str) -> set[str]:
        """Return the entries that ``word`` can be a form of; the word itself if it is unknown."""
        word = word.lower()
        return {r.lemma for r in self.readings.get(word, ())} or {word}

    def inflected(self, word: str, categories: Iterable[str], form: str) -> str | None:
        """Return ``word``, read as one of ``categories`` (empty: as any), in ``form``, such as verb.base.

        None if it has no such form. A capital stays. If several entries share a form, the one in `entries` is
        meant, then one with the hyphens and spaces of the word, then the longest that the word begins with:
        *installed* belongs to install, not to instal.
        """
        category, _, wanted = form.partition(".")
        readings = [
            r
            for r in self.readings.get(word.lower(), ())
            if r.category == category
            and (not categories or {r.category, f"{r.category}.{r.form}"} & set(categories))
            and (r.lemma, category, wanted) in self.forms
        ]
        if not readings:
            return None
        small = word.lower()
        alike = [r for r in readings if r.form == readings[0].form]
        listed = [r for r in readings if r.lemma == self.entries.get(small)]
        meant = max(
            listed or alike,
            key=lambda r: (
                _marks(r.lemma) == _marks(small),
                len(r.lemma) if small.startswith(r.lemma) else 0,
            ),
        )
        spelling = self.forms[meant.lemma, category, wanted]
        return spelling[0].upper() + spelling[1:] if word[:1].isupper() else spelling


def is_english(language: str) -> bool:
    """Return whether ``language`` (BCP 47) is English, of any region."""
    return language.partition("-")[0].lower() == "en"


@functools.cache
def english_words() -> WordForms:
    """Return the English lexicon; raises DependencyMissing."""
    return _read(_table().decode("utf-8").splitlines(), read_model(_FILE, Inflections, WordListError)[0])


@functools.cache
def english_words_digest() -> str:
    """Return the SHA-256 of the English lexicon without parsing it; raises DependencyMissing."""
    return hashlib.sha256(_table() + _FILE.read_bytes()).hexdigest()


def _table() -> bytes:
    spec = find_spec("lemminflect")
    files = [Path(p, *_TABLE) for p in (spec.submodule_search_locations or ())] if spec else []
    file = next((f for f in files if f.is_file()), None)
    if file is None:
        raise DependencyMissing(
            "the lexicon of English words is not installed", remedy="pip install 'lemminflect>=0.2.3,<0.3'"
        )
    return gzip.decompress(file.read_bytes())


def _read(lines: Iterable[str], inflections: Inflections) -> WordForms:
    rows = [_row(line) for line in lines]
    listed = {(lemma, category) for lemma, category, _ in rows}
    for category, entries in inflections.forms.items():
        first, *others = _COLUMNS[category]
        empty: dict[str, list[str]] = {form: [] for form in others}
        rows += [(e, category, {first: [e], **empty}) for e in entries if (e, category) not in listed]
    participles = {s for _, category, forms in rows if category == "verb" for s in forms.get("ing", ())}
    readings: dict[str, list[Reading]] = defaultdict(list)
    forms: dict[tuple[str, str, str], str] = {}
    names = set()
    for lemma, category, spellings in rows:
        if lemma[:1].isupper() and not lemma.isupper():
            names.add(lemma.lower())
            continue
        if category == "adj" and lemma in participles and (lemma, "noun") in listed:
            continue  # reading, feeling; not boring
        if category == "noun" and (lemma, "adj") in listed and spellings["plural"] == [lemma]:
            continue  # poor, young; not good
        for form, variants in _meant(lemma, category, spellings, inflections).items():
            for spelling in variants:
                forms.setdefault((lemma, category, form), spelling)
                readings[spelling.lower()].append(Reading(category, form, lemma))
    for word in sorted(inflections.also_adjectives):
        readings[word].append(Reading("adj", "positive", word))
    by_word = {word: tuple(of_word) for word, of_word in readings.items()}
    return WordForms(by_word, forms, frozenset(names - by_word.keys()), inflections.entries)


def _row(line: str) -> tuple[str, str, dict[str, list[str]]]:
    """Return the entry of a line of the table, its category, and its spellings by form."""
    lemma, category, *written = line.split(",")
    spellings = [[lemma], *(s.split("/") if s else [] for s in written)]
    forms = dict(zip(_COLUMNS[category], spellings, strict=False))
    if category == "verb" and not forms["participle"]:
        forms["participle"] = forms["past"]  # the table lists the participle only if it differs
    return lemma, category, forms


def _meant(
    lemma: str, category: str, spellings: Mapping[str, Sequence[str]], inflections: Inflections
) -> dict[str, list[str]]:
    """Return the spellings that a reader would take for each form of an entry, the standard one first."""
    meant = {form: _ordered(lemma, variants) for form, variants in spellings.items()}
    written = inflections.forms.get(category, {}).get(lemma, ())
    meant |= {
        form: s.split("/") if s else [] for form, s in zip(_COLUMNS[category][1:], written, strict=False)
    }
    if category == "verb":
        for form in ("past", "participle"):
            meant[form] = [s for s in meant[form] if s not in inflections.not_past]
    if category == "noun":
        _set_number(lemma, meant, inflections)
    return meant


def _ordered(lemma: str, spellings: Sequence[str]) -> list[str]:
    """Return the spellings of a form, first those with the entry's hyphens and spaces.

    The table writes *freeer* for freer and *vagueest* for vaguest.
    """
    regular = [re.sub(r"(?<=[iue])e(?=e(?:r|st)\Z)", "", s) if lemma.endswith("e") else s for s in spellings]
    return sorted(regular, key=lambda s: _marks(s) != _marks(lemma))


def _marks(word: str) -> str:
    """Return the characters of ``word`` other than letters and digits."""
    return _LETTERS.sub("", word)


def _set_number(noun: str, meant: dict[str, list[str]], inflections: Inflections) -> None:
    """Keep the numbers of a noun; the table repeats mass nouns, and nouns in the plural, as their plural."""
    if noun in inflections.forms["noun"]:
        return
    plural = noun in inflections.plural_alone
    if noun.endswith("s") and noun in meant["plural"]:
        plural |= not (noun in inflections.singular_in_s or noun.endswith(_SINGULAR_ENDS))
    if plural:
        meant["singular"] = []
    else:
        meant["plural"] = [s for s in meant["plural"] if s != noun]
