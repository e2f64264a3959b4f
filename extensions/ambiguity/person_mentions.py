"""Rules for mentions of people in a language (person_mentions.yaml): titles, pronouns, names within terms."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field

from nextset.errors import WordListError
from nextset.files.yaml_model import HandWritten, Prose, read_model
from nextset.files.yaml_values import written_as
from nextset.letter_case import folded
from nextset.word_lists import FOLDER
from nextset.word_lists.fill_list import problem_of_word

__all__ = [
    "FILE",
    "GENDERS",
    "Gender",
    "MentionRules",
    "PronounForm",
    "Role",
    "mention_rules",
    "read_mention_rules",
    "rules_file",
]

FILE = "person_mentions.yaml"
Gender = Literal["female", "male"]
GENDERS: tuple[Gender, ...] = get_args(Gender)
"""The genders of titles and pronouns in these rules, with the same names as groups."""
Role = Literal["subject", "object", "possessive", "independent", "reflexive"]


class _Title(HandWritten):
    female: str = Field(min_length=1)
    male: str = Field(min_length=1)
    noble: bool = False


class _Titles(HandWritten):
    neutral: tuple[str, ...] = ()
    gendered: tuple[_Title, ...] = ()


class _Pronoun(HandWritten):
    female: str = Field(min_length=1)
    male: str = Field(min_length=1)
    role: Role


class PersonMentionsFile(HandWritten):
    """The content of person_mentions.yaml."""

    format: Literal[1]
    language: str = Field(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$")
    about: Prose = ""
    question: Annotated[str, written_as(r"[^{}]*\{item\}[^{}]*", "Who discovered {item}?")]
    titles: _Titles
    unpaired_titles: tuple[str, ...] = ()
    particles: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    pronouns: tuple[_Pronoun, ...] = Field(min_length=1)
    unclear_before_noun: tuple[str, ...] = ()
    after_possessive: tuple[str, ...] = ()
    subordinators: tuple[str, ...] = ()
    gendered_nouns: tuple[str, ...] = ()
    gendered_endings: tuple[str, ...] = ()
    not_gendered: tuple[str, ...] = ()
    gendered_suffixes: tuple[str, ...] = ()
    saints: tuple[str, ...] = ()
    other_people: tuple[str, ...] = ()
    person_endings: tuple[str, ...] = ()
    not_agents: tuple[str, ...] = ()
    institutions: tuple[str, ...] = ()
    surnames_too: tuple[str, ...] = ()
    laws: tuple[str, ...] = ()
    not_people: tuple[str, ...] = ()
    before_places: tuple[str, ...] = ()
    term_nouns: tuple[str, ...] = ()
    verbs_after_names: tuple[str, ...] = ()
    before_names: tuple[str, ...] = ()
    before_birth_names: tuple[str, ...] = ()
    before_nicknames: tuple[str, ...] = ()
    before_other_names: tuple[str, ...] = ()
    indefinite_people: tuple[str, ...] = ()
    nation_endings: tuple[str, ...] = ()
    moving_verbs: tuple[str, ...] = ()
    past_tenses: tuple[str, ...] = ()
    past_tense_nouns: tuple[str, ...] = ()
    not_after_a_stop: tuple[str, ...] = ()


@dataclass(frozen=True)
class PronounForm:
    """A function of a pronoun, with its form for each gender."""

    role: Role
    """subject, object, possessive (before a noun), independent (without a noun), or reflexive."""
    forms: Mapping[Gender, str]
    """The form for each gender, in small letters."""


@dataclass(frozen=True)
class MentionRules:
    """Rules for mentions of people in a language; all empty for a language without rules.

    Lists are without accents, and case-folded if case does not matter.
    """

    question: str = ""
    """The default question about an item, with the slot {item}; empty if there is none."""
    neutral_titles: frozenset[str] = frozenset()
    """Titles for both genders."""
    titles: Mapping[str, tuple[Gender, Mapping[Gender, str]]] = field(default_factory=dict)
    """The gender of a title, and the counterpart for each gender."""
    noble_titles: frozenset[str] = frozenset()
    """Gendered titles with a different meaning before a given name."""
    unpaired_titles: frozenset[str] = frozenset()
    """Titles of one gender that have no single counterpart."""
    particles: frozenset[str] = frozenset()
    """Parts of family names, such as von."""
    suffixes: frozenset[str] = frozenset()
    """Words that can follow a family name, such as Jr."""
    pronouns: tuple[PronounForm, ...] = ()
    """The functions of pronouns."""
    unclear_before_noun: frozenset[str] = frozenset()
    """Words that may be followed by an object or a possessive, which then cannot be distinguished."""
    after_possessive: frozenset[str] = frozenset()
    """Function words that can follow a possessive pronoun."""
    subordinators: frozenset[str] = frozenset()
    """Words that begin a phrase in which a pronoun may come before its name."""
    gendered_nouns: frozenset[str] = frozenset()
    """Nouns for people of one gender."""
    gendered_endings: tuple[str, ...] = ()
    """Endings of further nouns for people of one gender, such as woman."""
    not_gendered: frozenset[str] = frozenset()
    """Words with such an ending that are not such nouns."""
    gendered_suffixes: frozenset[str] = frozenset()
    """Suffixes after a name of one gender, such as Jr."""
    saints: frozenset[str] = frozenset()
    """Words that turn the given name after them into the name of a place or a saint."""
    other_people: frozenset[str] = frozenset()
    """Nouns for people who have no name in the text."""
    person_endings: tuple[str, ...] = ()
    """Endings of further nouns for people, such as ist."""
    not_agents: frozenset[str] = frozenset()
    """Words with such an ending that are not people."""
    institutions: frozenset[str] = frozenset()
    """Capital words at the end of names of institutions."""
    surnames_too: frozenset[str] = frozenset()
    """Capital words that are places, institutions or months, and names of people."""
    laws: frozenset[str] = frozenset()
    """Nouns after a possessive name that is only part of a law's name."""
    not_people: frozenset[str] = frozenset()
    """Capital words that are places, institutions and months."""
    before_places: frozenset[str] = frozenset()
    """Words before a capital word that is a place or a thing."""
    term_nouns: frozenset[str] = frozenset()
    """Nouns that turn a family name into the name of a thing, such as law."""
    verbs_after_names: frozenset[str] = frozenset()
    """Plurals of these nouns that are verbs after a name, such as states."""
    before_names: frozenset[str] = frozenset()
    """Words that begin a sentence before a name and are not part of the name."""
    before_birth_names: frozenset[str] = frozenset()
    """Words before a name that a person had at birth, such as born."""
    before_nicknames: frozenset[str] = frozenset()
    """Words before another name of a person, such as alias."""
    before_other_names: frozenset[str] = frozenset()
    """Words before a possible other name of a person, such as called."""
    indefinite_people: frozenset[str] = frozenset()
    """Words that mean a person at the beginning of a sentence and before a verb, such as another."""
    nation_endings: tuple[str, ...] = ()
    """Endings of adjectives of nations that are also nouns for people, such as ish."""
    moving_verbs: frozenset[str] = frozenset()
    """Verbs before to and a place; not come, go and return, since people also come to people."""
    past_tenses: frozenset[str] = frozenset()
    """Irregular past tenses, such as wrote."""
    past_tense_nouns: frozenset[str] = frozenset()
    """Nouns of terms that are also a past tense, such as set."""
    not_after_a_stop: frozenset[str] = frozenset()
    """Abbreviations whose stop does not end a sentence."""

    def is_title(self, word: str) -> bool:
        """Return whether ``word`` is a title, of any gender."""
        return word in self.neutral_titles or word in self.titles or word in self.unpaired_titles

    def is_term(self, word: str, *, possessive: bool) -> bool:
        """Return whether a family name before ``word``, ``possessive`` or not, is part of a thing's name."""
        small = folded(word)
        if small in self.verbs_after_names and not possessive:
            return False
        return small in self.term_nouns or small.removesuffix("s") in self.term_nouns

    def is_gendered(self, word: str, *, begins: bool) -> bool:
        """Return whether ``word`` is a noun of one gender; ``begins`` says whether it begins a sentence."""
        small = folded(word)
        if word in self.gendered_nouns or (begins and small in self.gendered_nouns):
            return True
        if small in self.not_gendered or small.endswith(("ness", "less")) or word.isupper():
            return False
        if word[:1].isupper():  # Frenchman, but not Feynman
            plural = ("woman", "women") if not begins else ("woman", "women", "men")
            nation = ("shman", "chman", "tsman", "shmen", "chmen", "tsmen")
            return bool(self.gendered_endings) and small.endswith((*plural, *nation))
        return bool(self.gendered_endings) and small.endswith(self.gendered_endings)

    def is_other_person(self, word: str) -> bool:
        """Return whether ``word``, in small letters, is a noun for a person."""
        if word in self.other_people:
            return True
        long = len(word) > 4 and word not in self.not_agents
        return long and bool(self.person_endings) and word.endswith(self.person_endings)

    def genders_of(self, word: str) -> Collection[Gender]:
        """Return the genders of the pronoun ``word``, ignoring capitals; none if it is not a pronoun."""
        small = folded(word)
        return {g for form in self.pronouns for g, text in form.forms.items() if text == small}

    def roles_of(self, word: str) -> tuple[PronounForm, ...]:
        """Return the functions that the pronoun ``word`` can have."""
        small = folded(word)
        return tuple(form for form in self.pronouns if small in form.forms.values())


@functools.cache
def mention_rules(language: str) -> MentionRules | None:
    """Return the rules of ``language`` (BCP 47; regions are ignored); None if there are none."""
    file = rules_file(language)
    return read_mention_rules(file) if file.is_file() else None


def rules_file(language: str) -> Path:
    """Return the path of the rules of ``language``; the file need not exist."""
    return FOLDER / language.partition("-")[0].lower() / FILE


def read_mention_rules(file: Path) -> MentionRules:
    """Return the rules in ``file``; raises WordListError with the line of a word that is listed twice."""
    written, located = read_model(file, PersonMentionsFile, WordListError)
    for name, words in _lists(written):
        seen: set[str] = set()
        for i, word in enumerate(words):
            if problem := problem_of_word(word, seen):
                raise WordListError(
                    f"{word[:60]!r} {problem}",
                    file=file,
                    line=located.line((name, i)),
                    remedy="write each word once, in NFC and without extra spaces",
                )
    gendered: dict[str, tuple[Gender, Mapping[Gender, str]]] = {}
    for i, title in enumerate(written.titles.gendered):
        pair: dict[Gender, str] = {"female": title.female, "male": title.male}
        for gender, text in pair.items():
            if _plain(text) in gendered or text in written.titles.neutral:
                raise WordListError(
                    f"the title {text!r} is listed twice",
                    file=file,
                    line=located.line(("titles", "gendered", i)),
                    remedy="remove one of the two; each title needs a unique counterpart",
                )
            gendered[_plain(text)] = (gender, pair)
    return MentionRules(
        question=written.question,
        neutral_titles=frozenset(map(_plain, written.titles.neutral)),
        titles=gendered,
        noble_titles=frozenset(
            _plain(t) for x in written.titles.gendered if x.noble for t in (x.female, x.male)
        ),
        unpaired_titles=frozenset(map(_plain, written.unpaired_titles)),
        particles=_folded(written.particles),
        suffixes=frozenset(map(_plain, written.suffixes)),
        pronouns=tuple(
            PronounForm(p.role, {"female": folded(p.female), "male": folded(p.male)})
            for p in written.pronouns
        ),
        unclear_before_noun=_folded(written.unclear_before_noun),
        after_possessive=_folded(written.after_possessive),
        subordinators=_folded(written.subordinators),
        gendered_nouns=frozenset(map(_plain, written.gendered_nouns)),
        gendered_endings=tuple(folded(_plain(ending)) for ending in written.gendered_endings),
        not_gendered=_folded(written.not_gendered),
        gendered_suffixes=frozenset(written.gendered_suffixes),
        saints=frozenset(map(_plain, written.saints)),
        other_people=_folded(written.other_people),
        person_endings=tuple(folded(_plain(ending)) for ending in written.person_endings),
        not_agents=_folded(written.not_agents),
        institutions=frozenset(map(_plain, written.institutions)),
        surnames_too=frozenset(map(_plain, written.surnames_too)),
        laws=_folded(written.laws),
        not_people=frozenset(map(_plain, written.not_people)),
        before_places=_folded(written.before_places),
        term_nouns=_folded(written.term_nouns),
        before_names=_folded(written.before_names),
        verbs_after_names=_folded(written.verbs_after_names),
        before_birth_names=_folded(written.before_birth_names),
        before_nicknames=_folded(written.before_nicknames),
        before_other_names=_folded(written.before_other_names),
        indefinite_people=_folded(written.indefinite_people),
        nation_endings=tuple(folded(_plain(ending)) for ending in written.nation_endings),
        moving_verbs=_folded(written.moving_verbs),
        past_tenses=_folded(written.past_tenses),
        past_tense_nouns=_folded(written.past_tense_nouns),
        not_after_a_stop=frozenset(written.not_after_a_stop),
    )


def _lists(written: PersonMentionsFile) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name in PersonMentionsFile.model_fields:
        value = getattr(written, name)
        if isinstance(value, tuple) and name != "pronouns":
            yield name, value


def _plain(word: str) -> str:
    """Return ``word`` without accents, for comparisons."""
    return "".join(c for c in unicodedata.normalize("NFKD", word) if unicodedata.category(c) != "Mn")


def _folded(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(folded(_plain(word)) for word in words)
