"""Group terms found in a text by spaCy's PhraseMatcher, and the text with two groups swapped.

Only the tokenizer of a blank spaCy pipeline is used; no model is loaded. The module `imported_counterparts`
decides which groups of an item are swapped.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from nextset.errors import DependencyMissing
from nextset.letter_case import begins_sentence, small_i
from nextset.release.counterfactuals.group_terms import Term
from nextset.release.counterfactuals.term_spelling import (
    article_before,
    capitals_of,
    possessive_after,
    with_capitals,
)

__all__ = [
    "MOST_TEXTS",
    "FlagReason",
    "Found",
    "PhraseFinder",
    "SwapFlag",
    "SwappedText",
    "Target",
    "Targets",
    "predicative",
    "swapped",
    "usable",
]

FlagReason = Literal[
    "ambiguous term",
    "no form for the other group",
    "unusual capitals",
    "unclear possessive",
    "third group in the text",
    "term left unchanged",
    "terms of several sets",
    "groups not in the hypothesis",
    "stereotyped group unknown",
    "groups of one set side by side",
    "may be a verb",
    "may be a name",
    "may be a noun",
    "may not be a group",
    "groups of different number",
    "no term of the lexicon found",
]
"""The reason why a person should check an item."""

_JOINT = re.compile(r"\s*(?:,|/|-?,?\s+(?:and|or|nor|and/or|&)\s|,\s*(?:and|or)\s)\s*", re.IGNORECASE)
_SPACES = re.compile(r"\s+")
_BE = frozenset({"is", "are", "was", "were", "be", "been", "being", "am", "not", "'s", "'re", "’s", "’re"})

MOST_TEXTS = 16
"""The most texts that ambiguous terms may give; if they give more, no text is made."""


@dataclass(frozen=True)
class SwapFlag:
    """A reason why a person should check an item, with the term."""

    reason: FlagReason
    term: str
    """The term in the text, or the groups."""


@dataclass(frozen=True)
class Found:
    """A term in a text."""

    start: int
    """Its first character, from 0."""
    end: int
    """The character after its last."""
    text: str
    """The term as written in the text."""
    key: str
    """The searched form, in lower case."""
    previous: str
    """The word or punctuation mark before the term, in lower case; empty at the start."""
    next: str
    """The next word in lower case if only a space is between; else empty.

    If "and", "or" or a comma joins the term to another term, this is the other term's next word."""
    following: str
    """The word or punctuation mark after the term, as written in the text; empty at the end."""
    article: tuple[int, str] | None
    """The place and text of "a" or "an" directly before the term, or before a quote that it begins."""
    possessive: str
    """The apostrophe, or apostrophe and s, directly after the term; may be empty."""
    language: str = ""
    """The language of the text (BCP 47)."""


@dataclass(frozen=True)
class Target:
    """A form that replaces a term."""

    old: str
    """The term's form, with the capitals that it always has."""
    new: str
    """The form that replaces it."""
    plural: bool | None
    """True if both forms are plurals; None if the number is unknown."""


@dataclass(frozen=True)
class SwappedText:
    """The possible texts of a swap."""

    texts: tuple[str, ...]
    """The text; several if a term is ambiguous; none if there is no such text."""
    changed: bool
    """True if a term was found, even if it could not be swapped."""
    flags: tuple[SwapFlag, ...]
    """The reasons why there is not exactly one text."""


@functools.cache
def _pipeline(language: str) -> Any:
    """Return spaCy's blank pipeline of ``language``, or the multi-language one for an unknown language."""
    import spacy

    try:
        return spacy.blank(language)
    except ImportError as e:
        if "E048" in str(e):
            return spacy.blank("xx")
        raise DependencyMissing(
            f"spaCy cannot split texts in {language!r} into words: {str(e).splitlines()[0]}",
            remedy="install the package that the message names, or set release.counterfactuals to false",
        ) from None


class PhraseFinder:
    """Finds phrases in texts of one language, as whole words, ignoring capitals, the longest first."""

    def __init__(self, language: str, phrases: Iterable[str]) -> None:
        self._language = language
        self._nlp = _pipeline(language.partition("-")[0].lower())
        self._english = language.partition("-")[0].lower() == "en"
        self._matcher = self._matcher_of(tuple(phrases))
        self._small = functools.lru_cache(maxsize=1024)(self._matcher_of)

    def _matcher_of(self, phrases: tuple[str, ...]) -> Any:
        from spacy.matcher import PhraseMatcher

        matcher = PhraseMatcher(self._nlp.vocab, attr="LOWER")
        for phrase in sorted(set(phrases)):
            matcher.add(phrase.lower(), [self._nlp.make_doc(small_i(phrase, self._language))])
        return matcher

    def find(self, text: str, first: tuple[str, ...] = ()) -> list[Found]:
        """Return the phrases in ``text`` from left to right, without overlaps.

        The phrases ``first`` are found too, and win over other phrases if they overlap.
        """
        doc = self._nlp.make_doc(small_i(text, self._language))
        matchers = [self._small(first)] if first else []
        if len(self._matcher):
            matchers.append(self._matcher)
        taken: set[int] = set()
        phrases = []
        for matcher in matchers:
            for key, start, end in sorted(matcher(doc), key=lambda m: (m[1] - m[2], m[1])):
                if taken.isdisjoint(range(start, end)):
                    taken.update(range(start, end))
                    phrases.append(self._found(text, doc, self._nlp.vocab.strings[key], start, end))
        return _joined(text, sorted(phrases, key=lambda f: f.start))

    def _found(self, written: str, doc: Any, key: str, start: int, end: int) -> Found:
        first, last = doc[start], doc[end - 1]
        after = doc[end] if end < len(doc) else None
        article, possessive, following = None, "", ""
        lead = start - 1
        while lead > 0 and doc[lead].is_punct and not doc[lead].whitespace_:
            lead -= 1
        if self._english and lead >= 0 and doc[lead].lower_ in ("a", "an") and doc[lead].whitespace_:
            article = (doc[lead].idx, doc[lead].text)
        if after is not None and last.whitespace_:
            following = after.lower_
        elif after is not None and after.lower_ in ("'", "’", "'s", "’s") and self._english:
            possessive = after.text
        text = written[first.idx : last.idx + len(last)]
        return Found(
            start=first.idx,
            end=first.idx + len(text),
            text=text,
            key=key,
            previous=doc[start - 1].lower_ if start else "",
            next=following,
            following=written[after.idx : after.idx + len(after)] if after is not None else "",
            article=article,
            possessive=possessive,
            language=self._language,
        )


def _joined(text: str, found: Sequence[Found]) -> list[Found]:
    """Return ``found`` with the next word of terms that are joined to the term after them."""
    kept: list[Found] = []
    for term in reversed(found):
        after = kept[-1] if kept else None
        if after and after.next and not after.article and _joins(text[term.end : after.start]):
            # In "An Asian and white people", the first term is a noun.
            following = "" if term.article and "," not in text[term.end : after.start] else after.next
            term = replace(term, next=following)
        kept.append(term)
    return kept[::-1]


def _joins(between: str) -> bool:
    """Return whether the text ``between`` two terms joins them: *, and*, *or*, */*."""
    return _JOINT.fullmatch(_SPACES.sub(" ", between)) is not None


def usable(found: Found, terms: Sequence[Term], nouns: frozenset[str]) -> list[Term] | None:
    """Return the ``terms`` that ``found`` can be, or None if only its capitals are unusual.

    A form with the same capitals wins over a form with other capitals. Directly before a noun, and after a
    form of "be" at the end of a clause, an adjective wins over a noun.
    """
    written = [term for term in terms if capitals_of(found.text, term.form, found.language)]
    if not written:
        return None
    exact = [term for term in written if term.form == found.text] or written
    before = found.next in nouns
    kept = [term for term in exact if before or term.kind != "before_nouns"]
    adjectives = [term for term in kept if term.kind in ("adjectives", "before_nouns")]
    return adjectives if (before or predicative(found)) and adjectives else kept


def predicative(found: Found) -> bool:
    """Return whether ``found`` is between a form of "be" and the end of a clause."""
    after = found.following
    ends = not after or after in ("and", "or", "but") or not any(c.isalnum() for c in after)
    return found.previous in _BE and ends and not found.possessive and after != "-"


Targets = Callable[[Found], "Sequence[Target] | SwapFlag | None"]
"""A function from a term to the forms that may replace it, a flag if there are none, or None if it stays."""


def swapped(text: str, found: Sequence[Found], targets: Targets) -> SwappedText:
    """Return ``text`` with the terms ``found`` replaced by their ``targets``.

    Capitals, the possessive, and "a" or "an" are adapted. An ambiguous term gives several texts.
    """
    pieces: list[tuple[str, ...]] = []
    flags: dict[SwapFlag, None] = {}
    at, changed, number = 0, False, 1
    for term in found:
        options = targets(term)
        if options is None:
            continue
        changed = True
        written = options if isinstance(options, SwapFlag) else _written(text, term, options)
        if isinstance(written, SwapFlag):
            flags[written] = None
            number = 0
            continue
        if len(written) > 1:
            flags[SwapFlag("ambiguous term", term.text)] = None
        begin = term.article[0] if term.article else term.start
        pieces += [(text[at:begin],), written]
        at = term.end + len(term.possessive)
        number *= len(written)
    if number > MOST_TEXTS:
        number = 0
    pieces.append((text[at:],))
    texts = tuple("".join(p) for p in itertools.product(*pieces)) if number else ()
    return SwappedText(texts, changed, tuple(flags))


def _written(text: str, term: Found, targets: Sequence[Target]) -> tuple[str, ...] | SwapFlag:
    """Return the possible texts in place of ``term``, with the article before it and the possessive after it.

    If there are none, return a flag.
    """
    written: dict[str, str] = {}
    begins = term.text[0].isupper() and begins_sentence(text, term.start, term.language)
    for target in targets:
        capitals = capitals_of(term.text, target.old, term.language)
        if capitals is None:
            return SwapFlag("unusual capitals", term.text)
        new = with_capitals(target.new, capitals, term.language, begins=begins)
        before = text[max(0, term.start - 500) : term.start]
        mark = possessive_after(term.possessive, term.text, new, plural=target.plural, before=before)
        if mark is None:
            return SwapFlag("unclear possessive", term.text + term.possessive)
        lead = ""
        if term.article:
            place, article = term.article
            fitting = article_before(article, target.old, target.new, capitals=capitals == "all")
            lead = fitting + text[place + len(article) : term.start]
        # Forms that differ only by capitals count once; the first row's form is used.
        written.setdefault(target.new.lower(), lead + new + mark)
    return tuple(dict.fromkeys(written.values()))
