"""English first names and countries from all word lists; a fill that is one of them names someone."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from nextset.errors import WordListError
from nextset.files.yaml_reader import read_yaml
from nextset.records.content_ids import content_id
from nextset.word_lists import FOLDER
from nextset.word_lists.lexicon import read_lexicon

__all__ = ["ProperNames", "english_names"]


@dataclass(frozen=True)
class ProperNames:
    """Names in small letters, as in models without capitals."""

    people: frozenset[str]
    """First names; some are also words, such as mark."""
    countries: frozenset[str]
    """Countries of one word."""

    @property
    def digest(self) -> str:
        """The content hash: equal names have equal digests."""
        return content_id("proper names", *sorted(self.people), "", *sorted(self.countries))


@functools.cache
def english_names() -> ProperNames:
    """Return the first names and countries of the English lexicon and of the English language pack."""
    lexicon = read_lexicon()
    people = {
        *lexicon.names.female,
        *lexicon.names.male,
        *_subjects("female_names"),
        *_subjects("male_names"),
    }
    countries = {*lexicon.countries, *_subjects("countries")}
    return ProperNames(_lower(people), _lower(countries))


def _subjects(name: str) -> list[str]:
    located = read_yaml(FOLDER / "en" / "subjects" / f"{name}.yaml", WordListError)
    return [str(subject) for subject in located.data["subjects"]]


def _lower(names: set[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in names)
