"""Whether an answer finds a person: the published rule, and a stricter one (Mao et al. 2021)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Literal, get_args

from nextset.auditing.selectional.law_names import Words, occurs, plain_words, without_law
from nextset.errors import DependencyMissing
from nextset.word_lists.person_mentions import mention_rules

__all__ = ["RULES", "Rule", "check_tokenizer", "gives_family_name", "shares_token"]

Rule = Literal["shared_token", "family_name"]
"""The rules by which an answer finds a person."""
RULES: tuple[Rule, ...] = get_args(Rule)

_SUFFIXES = {"jr", "sr", "ii", "iii", "iv", "phd", "md"}
"""Parts behind a family name, without points and in lower case."""
_FAMILY_FIRST = {"hu", "ja", "ko", "vi", "zh"}
"""Languages that write the family name first."""
_ALSO_GIVEN = {"don", "duke", "earl", "king", "prince"}
"""Titles that are given names too."""
_BY_RULES = {"nlp": {"tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"}}}
_TOKENIZERS = {
    "ja": "sudachipy sudachidict_core",
    "th": "pythainlp",
    "vi": "pyvi",
}
"""Languages whose tokenizer in spaCy needs other packages, with what pip installs."""


def shares_token(answer: str, name: str, language: str) -> bool:
    """Return whether a token of ``answer`` is one of ``name``, in lower case: the published rule.

    Tokens are those of spaCy's blank pipeline of ``language``, marks and initials included, so an answer with
    a hyphen finds every name with one. As in the published code ``name`` is put in lower case before it is
    split, and the tokens of ``answer`` after it is. A tokenizer can split small letters elsewhere: A.B. has
    one token, a.b. has others, so the answer A.B. does not find a person whose name is only this. An empty
    answer finds nobody. Raises DependencyMissing if spaCy needs another package for ``language``.
    """
    return not _tokens(answer, language, lower=False).isdisjoint(_tokens(name, language, lower=True))


def gives_family_name(answer: str, name: str, others: Sequence[str], item: str, language: str) -> bool:
    """Return whether ``answer`` gives the family name of the person: the stricter rule.

    All words of the family name must occur in a row, regardless of capitals, accents and marks. The family
    name is the last part of ``name`` between spaces, without Jr and the like (in languages that write it
    first, the first part). Words that repeat the name of the law, the question's ``item``, do not count
    (`nextset.auditing.selectional.law_names.without_law`). If some of the ``others``, the further right
    answers, have the same family name, ``answer`` must also have a given name of the person that none of them
    has; a person without one is found by all their given names, if the answer has none that only the others
    have. Particles, titles and initials are no given names.
    """
    family, given = _parts(name, language)
    people = [_parts(one, language) for one in (name, *others)]
    words = without_law(answer, item, [(last, last + first) for last, first in people])
    if not family or not occurs(family, words):
        return False
    namesakes = [_given(first) for last, first in people[1:] if last == family]
    if not namesakes:
        return True
    own, theirs = _given(given), set().union(*namesakes)
    if own - theirs:
        return not (own - theirs).isdisjoint(words)
    return bool(own) and own.issubset(words) and (theirs - own).isdisjoint(words)


def check_tokenizer(language: str) -> None:
    """Raise DependencyMissing if spaCy needs another package to split names in ``language`` (BCP 47)."""
    _pipeline(language.partition("-")[0].lower())


@functools.lru_cache(maxsize=4096)
def _tokens(text: str, language: str, *, lower: bool) -> frozenset[str]:
    """The tokens of ``text`` in lower case; a name is lowered before it is split, as published."""
    doc = _pipeline(language.partition("-")[0].lower()).make_doc(text.lower() if lower else text)
    return frozenset(token.text.lower() for token in doc if not token.is_space)


@functools.cache
def _pipeline(language: str) -> Any:
    """The blank pipeline of ``language``; languages that spaCy does not know are split as any.

    Korean is split by spaCy's rules at spaces and marks: its usual tokenizer needs programs that pip does not
    install.
    """
    import spacy

    try:
        return spacy.blank(language, config=_BY_RULES if language == "ko" else {})
    except ImportError as e:
        if "E048" in str(e):
            return spacy.blank("xx")
        packages = _TOKENIZERS.get(language)
        raise DependencyMissing(
            f"spaCy's tokenizer for {language!r} needs packages that are not installed: it splits "
            "answers and names into tokens",
            remedy=f"pip install {packages}" if packages else " ".join(str(e).split()),
        ) from None


@functools.lru_cache(maxsize=4096)
def _parts(name: str, language: str) -> tuple[Words, Words]:
    """The words of the family name, and those of the rest of the name."""
    parts = [words for part in name.split() if (words := plain_words(part))]
    while len(parts) > 1 and "".join(parts[-1]) in _SUFFIXES:
        parts.pop()
    if not parts:
        return (), ()
    at = 0 if language.partition("-")[0].lower() in _FAMILY_FIRST else len(parts) - 1
    return parts[at], tuple(word for i, part in enumerate(parts) if i != at for word in part)


def _given(words: Words) -> set[str]:
    """The words that are given names: not initials, particles of a family name, and titles."""
    return {word for word in words if len(word) > 1 and word not in _not_given()}


@functools.cache
def _not_given() -> frozenset[str]:
    """The particles and titles of nextset's rules for English, which has those of other languages too."""
    rules = mention_rules("en")
    assert rules is not None
    texts = (*rules.particles, *rules.neutral_titles, *(rules.titles or ()), *rules.unpaired_titles)
    return frozenset(word for text in texts for word in plain_words(text)) - _ALSO_GIVEN
