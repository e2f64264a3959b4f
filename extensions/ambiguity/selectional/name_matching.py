"""Rules for whether an answer finds a person: the published rule, and a stricter one (Mao et al. 2021)."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from nextset.errors import DependencyMissing
from nextset.extensions.ambiguity.person_mentions import mention_rules
from nextset.extensions.ambiguity.selectional.law_names import Words, occurs, plain_words, without_law
from nextset.letter_case import small_i

__all__ = ["RULES", "Rule", "check_tokenizer", "gives_family_name", "shares_token"]

Rule = Literal["shared_token", "family_name"]
"""The rules that decide when an answer finds a person."""
RULES: tuple[Rule, ...] = get_args(Rule)

_SUFFIXES = {"jr", "sr", "ii", "iii", "iv", "phd", "md"}
"""Parts after a family name, without full stops and in lower case."""
_FAMILY_FIRST = {"hu", "ja", "ko", "vi", "zh"}
"""Languages that write the family name first."""
_ALSO_GIVEN = {"don", "duke", "earl", "king", "prince"}
"""Titles that are also given names."""
_BY_RULES = {"nlp": {"tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"}}}
_TOKENIZERS = {
    "ja": "sudachipy sudachidict_core",
    "th": "pythainlp",
    "vi": "pyvi",
}
"""Languages whose tokenizer in spaCy needs other packages, with the names for pip."""


def shares_token(answer: str, name: str, language: str) -> bool:
    """Return whether a token of ``answer`` is one of ``name``, in lower case: the published rule.

    Tokens are those of spaCy's pipeline for ``language`` without components, including marks and initials, so
    an answer with a hyphen finds every name with a hyphen. As in the published code, ``name`` is lower-cased
    before it is split, and ``answer`` afterwards. A tokenizer can split lower-case text differently: A.B. is
    one token, but a.b. is several, so the answer A.B. does not find a person whose name is A.B. only. An
    empty answer finds no one. Raises DependencyMissing if spaCy needs another package for ``language``.
    """
    return not _tokens(answer, language, lower=False).isdisjoint(_tokens(name, language, lower=True))


def gives_family_name(
    answer: str,
    name: str,
    others: Sequence[str],
    item: str,
    language: str,
    families: Mapping[str, str] | None = None,
) -> bool:
    """Return whether ``answer`` gives the family name of the person: the stricter rule.

    All words of the family name must occur in a row, regardless of capitals, accents and marks. The family
    name is the one that ``families`` has for ``name``, without particles before it. Without one, it is the
    last part of ``name`` between spaces, without Jr and the like (or the first part, in languages that write
    the family name first). Words that repeat the name of the law, the question's ``item``, do not count
    (`law_names.without_law`). Nor do words of a longer name of one of the
    ``others``, the further right answers: Albert-László Barabási is not Albert, and Smith-Jones is not Smith.
    If some ``others`` have the same family name, ``answer`` must also have a given name of the person that
    none of them has. A person without such a given name is found by all their given names, if the answer has
    none that only the others have. Particles, titles and initials are not given names.
    """
    known = families or {}
    own, *further = (_parts(one, language, known.get(one, "")) for one in (name, *others))
    words = without_law(answer, item, [(p.family, p.family + p.given) for p in (own, *further)])
    if not own.family or not _gives(own.family, words, further):
        return False
    namesakes = [_given(other.given) for other in further if other.family == own.family]
    if not namesakes:
        return True
    mine, theirs = _given(own.given), set().union(*namesakes)
    if mine - theirs:
        return not (mine - theirs).isdisjoint(words)
    return bool(mine) and mine.issubset(words) and (theirs - mine).isdisjoint(words)


@dataclass(frozen=True)
class _Parts:
    family: Words
    """The words of the family name."""
    given: Words
    """The words of the rest of the name."""
    family_first: bool
    """True if the family name comes first."""


def _gives(family: Words, words: Words, others: Sequence[_Parts]) -> bool:
    """Return whether ``family`` occurs in ``words`` at a place where it is not a part of another person's
    name."""
    n = len(family)
    return any(
        words[i : i + n] == family
        and not any(other.family != family and _is_within(i, n, words, other) for other in others)
        for i in range(len(words) - n + 1)
    )


def _is_within(i: int, n: int, words: Words, other: _Parts) -> bool:
    """Return whether the ``n`` words at ``i`` belong to the family name of ``other``, or are given names next
    to it.

    Between the given names and the family name there may be other given names and initials.
    """
    last, m = other.family, len(other.family)
    if any(words[k : k + m] == last for k in range(max(0, i + n - m), i + 1)):
        return True
    if not occurs(words[i : i + n], other.given):
        return False
    at, step = (i - 1, -1) if other.family_first else (i + n, 1)
    while (
        0 <= at < len(words) and words[at] not in last and (words[at] in other.given or len(words[at]) == 1)
    ):
        at += step
    begin = at + 1 - m if other.family_first else at
    return begin >= 0 and words[begin : begin + m] == last


def check_tokenizer(language: str) -> None:
    """Raise DependencyMissing if spaCy needs another package to split names in ``language`` (BCP 47)."""
    _pipeline(language.partition("-")[0].lower())


@functools.lru_cache(maxsize=4096)
def _tokens(text: str, language: str, *, lower: bool) -> frozenset[str]:
    """Return the tokens of ``text`` in lower case; with ``lower``, as for names, it is lower-cased before it
    is split, as published."""
    text = small_i(text, language)
    doc = _pipeline(language.partition("-")[0].lower()).make_doc(text.lower() if lower else text)
    return frozenset(token.text.lower() for token in doc if not token.is_space)


@functools.cache
def _pipeline(language: str) -> Any:
    """Return spaCy's pipeline for ``language`` without components; languages that spaCy does not know get its
    language-independent one.

    Korean is split by spaCy's rules at spaces and marks, since its usual tokenizer needs programs that pip
    does not install.
    """
    import spacy

    try:
        return spacy.blank(language, config=_BY_RULES if language == "ko" else {})
    except ImportError as e:
        if "E048" in str(e):
            return spacy.blank("xx")
        packages = _TOKENIZERS.get(language)
        raise DependencyMissing(
            f"spaCy's tokenizer for {language!r}, which splits answers and names into tokens, needs "
            "packages that are not installed",
            remedy=f"pip install {packages}" if packages else " ".join(str(e).split()),
        ) from None


@functools.lru_cache(maxsize=4096)
def _parts(name: str, language: str, family: str = "") -> _Parts:
    """Return the parts of ``name``; ``family`` is its beginning or end, or empty if the family name is not
    known."""
    parts = [words for part in name.split() if (words := plain_words(part))]
    while len(parts) > 1 and "".join(parts[-1]) in _SUFFIXES:
        parts.pop()
    if not parts:
        return _Parts((), (), False)
    first = language.partition("-")[0].lower() in _FAMILY_FIRST
    words, wanted = tuple(itertools.chain.from_iterable(parts)), plain_words(family)
    if wanted and wanted in (words[: len(wanted)], words[-len(wanted) :]):
        first = words[-len(wanted) :] != wanted
        begin = 0 if first else len(words) - len(wanted)
        core = next((i for i, word in enumerate(wanted[:-1]) if word not in _particles()), len(wanted) - 1)
        at, after = begin + core, begin + len(wanted)
        return _Parts(words[at:after], words[:at] + words[after:], first)
    at = 0 if first else len(parts) - 1
    return _Parts(parts[at], tuple(word for i, part in enumerate(parts) if i != at for word in part), first)


def _given(words: Words) -> set[str]:
    """Return the words that are given names: no initials, particles of a family name, or titles."""
    return {word for word in words if len(word) > 1 and word not in _not_given()}


@functools.cache
def _particles() -> frozenset[str]:
    """Return the particles of nextset's rules for English, which include those of other languages."""
    rules = mention_rules("en")
    assert rules is not None
    return frozenset(rules.particles)


@functools.cache
def _not_given() -> frozenset[str]:
    """Return the particles and titles of nextset's rules for English, which include those of other
    languages."""
    rules = mention_rules("en")
    assert rules is not None
    texts = (*rules.particles, *rules.neutral_titles, *rules.titles, *rules.unpaired_titles)
    return frozenset(word for text in texts for word in plain_words(text)) - _ALSO_GIVEN
