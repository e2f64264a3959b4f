"""Whether an answer finds a person: the published rule, and a stricter one (Mao et al. 2021)."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Sequence
from typing import Any, Literal, get_args

from nextset.errors import DependencyMissing
from nextset.text_tokens import word_tokens

__all__ = ["RULES", "Rule", "gives_family_name", "shares_token"]

Rule = Literal["shared_token", "family_name"]
"""The rules by which an answer finds a person."""
RULES: tuple[Rule, ...] = get_args(Rule)

_SUFFIXES = {"jr", "sr", "ii", "iii", "iv", "phd", "md"}
"""Parts behind a family name, without points and in lower case."""
_FAMILY_FIRST = {"hu", "ja", "ko", "vi", "zh"}
"""Languages that write the family name first."""

Words = tuple[str, ...]


def shares_token(answer: str, name: str, language: str) -> bool:
    """Return whether a token of ``answer`` is one of ``name``, in lower case: the published rule.

    Tokens are those of spaCy's blank pipeline of ``language``, marks and initials included, so an answer with
    a hyphen finds every name with one. An empty answer finds nobody.
    """
    return not _tokens(answer, language, lower=False).isdisjoint(_tokens(name, language, lower=True))


def gives_family_name(answer: str, name: str, others: Sequence[str], item: str, language: str) -> bool:
    """Return whether ``answer`` gives the family name of the person: the stricter rule.

    All words of the family name must occur in a row, regardless of capitals, accents and marks. The family
    name is the last part of ``name`` between spaces, without Jr and the like (in languages that write it
    first, the first part). Occurrences of the question's ``item`` do not count: an answer that repeats the
    name of a law names nobody. If one of the ``others``, the further right answers, has the same family name,
    ``answer`` must also have a given name of at least two letters.
    """
    family, given = _parts(name, language)
    words = _without(_words(answer), _words(item))
    if not family or not _occurs(family, words):
        return False
    if any(_parts(other, language)[0] == family for other in others):
        return any(word in words for word in given if len(word) > 1)
    return True


@functools.lru_cache(maxsize=4096)
def _tokens(text: str, language: str, *, lower: bool) -> frozenset[str]:
    """The tokens of ``text`` in lower case; a name is lowered before it is split, as published."""
    doc = _pipeline(language.partition("-")[0].lower()).make_doc(text.lower() if lower else text)
    return frozenset(token.text.lower() for token in doc if not token.is_space)


@functools.cache
def _pipeline(language: str) -> Any:
    """The blank pipeline of ``language``; languages that spaCy does not know are split as any."""
    import spacy

    try:
        return spacy.blank(language)
    except ImportError as e:
        if "E048" in str(e):
            return spacy.blank("xx")
        raise DependencyMissing(
            f"spaCy cannot split names in {language!r} into tokens: {str(e).splitlines()[0]}",
            remedy="install the package that the message names",
        ) from None


@functools.lru_cache(maxsize=4096)
def _parts(name: str, language: str) -> tuple[Words, Words]:
    """The words of the family name, and those of the rest of the name."""
    parts = [words for part in name.split() if (words := _words(part))]
    while len(parts) > 1 and "".join(parts[-1]) in _SUFFIXES:
        parts.pop()
    if not parts:
        return (), ()
    at = 0 if language.partition("-")[0].lower() in _FAMILY_FIRST else len(parts) - 1
    return parts[at], tuple(word for i, part in enumerate(parts) if i != at for word in part)


@functools.lru_cache(maxsize=4096)
def _words(text: str) -> Words:
    """The words of ``text`` without accents, marks and capitals."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return tuple(word for word in word_tokens(plain) if any(c.isalnum() for c in word))


def _occurs(some: Words, words: Words) -> bool:
    return any(words[i : i + len(some)] == some for i in range(len(words) - len(some) + 1))


def _without(words: Words, item: Words) -> Words:
    """``words`` with a break wherever they are those of ``item``."""
    if not item:
        return words
    found: list[str] = []
    i = 0
    while i < len(words):
        if words[i : i + len(item)] == item:
            found.append("")
            i += len(item)
        else:
            found.append(words[i])
            i += 1
    return tuple(found)
