"""The people of a question in its context: mentions by name, and pronouns."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from nextset.extensions.ambiguity.person_mentions import MentionRules, mention_rules, rules_file
from nextset.extensions.ambiguity.questions.folded_words import Word, first_words, folded_words
from nextset.extensions.ambiguity.questions.name_mentions import NameMention, NameSearch
from nextset.extensions.ambiguity.questions.person_names import NameParts, name_parts
from nextset.extensions.ambiguity.questions.possible_people import PossiblePeople, TextVocabulary
from nextset.extensions.ambiguity.questions.pronoun_references import PronounSearch, Reference
from nextset.extensions.ambiguity.questions.source_questions import SourcePerson
from nextset.records.content_ids import content_id
from nextset.word_lists.closed_class import closed_class_words
from nextset.word_lists.lexicon import read_lexicon
from nextset.word_lists.proper_names import english_names

__all__ = ["TextPeople", "TextRules", "people_of_text", "text_rules"]


@dataclass(frozen=True)
class TextPeople:
    """The people of a question in its context."""

    words: tuple[Word, ...]
    """The words of the context."""
    begins: tuple[int, ...]
    """The indices of the words that begin sentences."""
    names: tuple[NameParts | None, ...]
    """The parts of each person's name; None for a name without letters."""
    mentions: tuple[NameMention, ...]
    """The mentions by name, in the order of the text."""
    references: tuple[Reference, ...]
    """The pronouns of one gender."""
    rules: MentionRules
    """The language's rules for mentions of people."""

    def of(self, person: int) -> tuple[NameMention, ...]:
        """Return the mentions of ``person`` by name."""
        return tuple(m for m in self.mentions if m.person == person)


def people_of_text(context: str, item: str, people: Sequence[SourcePerson], language: str) -> TextPeople:
    """Find ``people`` in ``context``; for a language without rules, only names are found, not pronouns."""
    used = text_rules(language)
    rules = used.mentions
    words = folded_words(context)
    begins = first_words(words, rules.not_after_a_stop, rules.particles)
    names = tuple(name_parts(p.name, p.family, rules) for p in people)
    forms = tuple(
        tuple(
            parts
            for parts in (name, *(name_parts(alias, "", rules) for alias in person.aliases))
            if parts is not None
        )
        for name, person in zip(names, people, strict=True)
    )
    known = used.vocabulary
    names_in_text = NameSearch(
        words, frozenset(begins), forms, item, rules, known.first_names, known.functions
    )
    mentions = names_in_text.mentions()
    item_words = tuple(word.small for word in folded_words(item))
    others = PossiblePeople(words, begins, mentions, item_words, rules, known)
    search = PronounSearch(words, begins, mentions, rules, known.functions, others)
    return TextPeople(words, begins, names, mentions, search.references(), rules)


@dataclass(frozen=True)
class TextRules:
    """The rules for texts in a language."""

    mentions: MentionRules
    """The rules for mentions of people; empty if there are none."""
    vocabulary: TextVocabulary
    """The words of the language."""
    digest: str
    """Content hash; equal rules have equal digests."""


@functools.cache
def text_rules(language: str) -> TextRules:
    """Return the rules for texts in ``language`` (BCP 47; regions are ignored)."""
    rules, closed = mention_rules(language), closed_class_words(language)
    file = rules_file(language)
    functions = closed.functions | closed.numbers if closed is not None else frozenset()
    english = language.partition("-")[0].lower() == "en"
    known = _english(functions) if english else TextVocabulary(functions)
    lists = (known.functions, known.first_names, known.openers, known.places, known.people)
    return TextRules(
        rules or MentionRules(),
        known,
        content_id(
            "rules for people",
            file.read_text(encoding="utf-8") if rules is not None else "",
            *(word for words in lists for word in (*sorted(words), "")),
        ),
    )


def _english(functions: frozenset[str]) -> TextVocabulary:
    lexicon, names = read_lexicon(), english_names()
    nouns = lexicon.nouns
    plurals = (*nouns.things.values(), *nouns.places.values(), *nouns.issues.values())
    people = {**nouns.occupations, **nouns.people}
    openers = {*plurals, *people.values(), *lexicon.mass_nouns.activities, *lexicon.adverbs}
    return TextVocabulary(
        functions,
        names.people,
        frozenset(word.casefold() for word in openers if word.endswith(("s", "ly", "ing"))),
        names.countries,
        frozenset(map(str.casefold, people)),
    )
