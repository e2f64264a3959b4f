"""The categories and forms of English words, by the lexicon that comes with LemmInflect.

LemmInflect (MIT) contains the NIH SPECIALIST lexicon as a table. Only this table is read: the package itself
would import spaCy, and its rules for unknown words are pickles.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from nextset.errors import DependencyMissing

__all__ = ["Reading", "WordForms", "english_words", "english_words_digest", "is_english"]

_TABLE = ("resources", "infl_lu.csv.gz")
_COLUMNS = {
    "adj": ("positive", "comparative", "superlative"),
    "adv": ("positive", "comparative", "superlative"),
    "noun": ("singular", "plural"),
    "verb": ("base", "past", "participle", "ing", "third"),
}
"""The forms of a category in the order of the table; the first is the entry itself."""
_ALSO_ADJECTIVES = frozenset({
    "addicted", "alarming", "annoyed", "annoying", "bored", "caring", "charming", "comforting", "complete",
    "condescending", "confusing", "depressing", "encouraging", "exhausted", "frightened", "hardworking",
    "irritating", "nagging", "promising", "responsible", "scared", "shocking", "tempting", "threatening",
    "visible", "worried",
})  # fmt: skip
"""Adjectives that the table lists only as verbs, or not at all."""
_PLURAL_ALONE = frozenset({"cattle", "clergy", "people", "police"})
"""Plural nouns that the table lists without a separate plural."""
_EITHER_NUMBER = frozenset({"deer", "fish", "offspring", "salmon", "sheep", "swine", "trout"})
"""Nouns whose plural equals the singular; in the table, they look like the many nouns without a plural."""
_SINGULAR_ENDS = ("ss", "us", "is", "as", "os", "ics")
"""Endings of singular nouns in -s that the table lists without a separate plural."""
_SINGULAR_IN_S = frozenset({
    "diabetes", "herpes", "measles", "mumps", "news", "rabies", "rickets", "scabies", "schnapps", "shingles",
    "upstairs",
})  # fmt: skip
"""Such singular nouns with other endings."""
_NO_PAST = frozenset({"crew", "feed", "rent", "resent", "weed"})
"""Verbs that the table also lists as the past of a rare verb, such as rend."""


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

        None if it has no such form. A capital stays. If several entries share a form, the longest entry that
        the word begins with is meant: *installed* belongs to install, not to instal.
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
        alike = [r for r in readings if r.form == readings[0].form]
        meant = max(alike, key=lambda r: len(r.lemma) if word.lower().startswith(r.lemma) else 0)
        spelling = self.forms[meant.lemma, category, wanted]
        return spelling[0].upper() + spelling[1:] if word[:1].isupper() else spelling


def is_english(language: str) -> bool:
    """Return whether ``language`` (BCP 47) is English, of any region."""
    return language.partition("-")[0].lower() == "en"


@functools.cache
def english_words() -> WordForms:
    """Return the English lexicon; raises DependencyMissing."""
    return _read(_table().decode("utf-8").splitlines())


@functools.cache
def english_words_digest() -> str:
    """Return the SHA-256 of the English lexicon without parsing it; raises DependencyMissing."""
    return hashlib.sha256(_table()).hexdigest()


def _table() -> bytes:
    spec = find_spec("lemminflect")
    files = [Path(p, *_TABLE) for p in (spec.submodule_search_locations or ())] if spec else []
    file = next((f for f in files if f.is_file()), None)
    if file is None:
        raise DependencyMissing(
            "the lexicon of English words is not installed", remedy="pip install 'lemminflect>=0.2.3,<0.3'"
        )
    return gzip.decompress(file.read_bytes())


def _read(lines: Iterable[str]) -> WordForms:
    rows = [_row(line) for line in lines]
    listed = {(lemma, category) for lemma, category, _ in rows}
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
        for form, variants in spellings.items():
            for spelling in _meant(lemma, category, form, variants):
                forms.setdefault((lemma, category, form), spelling)
                readings[spelling.lower()].append(Reading(category, form, lemma))
    for word in sorted(_ALSO_ADJECTIVES):
        readings[word].append(Reading("adj", "positive", word))
    by_word = {word: tuple(of_word) for word, of_word in readings.items()}
    return WordForms(by_word, forms, frozenset(names - by_word.keys()))


def _row(line: str) -> tuple[str, str, dict[str, list[str]]]:
    """Return the entry of a line of the table, its category, and its spellings by form."""
    lemma, category, *written = line.split(",")
    spellings = [[lemma], *(s.split("/") if s else [] for s in written)]
    forms = dict(zip(_COLUMNS[category], spellings, strict=False))
    if category == "verb" and not forms["participle"]:
        forms["participle"] = forms["past"]  # the table lists the participle only if it differs
    return lemma, category, forms


def _meant(lemma: str, category: str, form: str, spellings: Sequence[str]) -> list[str]:
    """Return the spellings that a reader would take for a form."""
    if category == "noun":
        return _in_number(lemma, form, spellings)
    past = category == "verb" and form in ("past", "participle")
    return [s for s in spellings if not (past and s in _NO_PAST)]


def _in_number(noun: str, form: str, spellings: Sequence[str]) -> list[str]:
    """Return the spellings of a noun's singular or plural; the table repeats a mass noun as its plural."""
    if form == "singular":
        return [] if noun in _PLURAL_ALONE else list(spellings)
    singular = noun in _SINGULAR_IN_S or noun.endswith(_SINGULAR_ENDS)
    same = noun in _PLURAL_ALONE | _EITHER_NUMBER or (noun.endswith("s") and not singular)
    return [s for s in spellings if same or s != noun]
