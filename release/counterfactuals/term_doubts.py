"""Why a text with swapped groups may be wrong although every term has a form for the other group.

A text in doubt is not made; a person looks at the item. The checks know English only.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Sequence

from nextset.release.counterfactuals.group_terms import GroupTerms, Term
from nextset.release.counterfactuals.phrase_swap import Found, SwapFlag, predicative, usable
from nextset.release.counterfactuals.term_spelling import capitals_of

__all__ = ["TermDoubts", "binding_doubts"]

_DETERMINERS = frozenset(
    [
        "the",
        "a",
        "an",
        "this",
        "that",
        "these",
        "those",
        "my",
        "your",
        "his",
        "her",
        "its",
        "our",
        "their",
        "some",
        "any",
        "every",
        "each",
        "no",
    ]
)
_SINGULAR = frozenset(["a", "an", "another", "each", "every", "no", "one", "that", "this"])
_BEFORE_VERBS = frozenset(
    [
        "i",
        "you",
        "we",
        "they",
        "who",
        "to",
        "will",
        "would",
        "can",
        "could",
        "shall",
        "should",
        "may",
        "might",
        "must",
        "'ll",
        "’ll",
        "not",
        "n't",
        "n’t",
        "did",
        "do",
        "does",
        "also",
        "always",
        "often",
        "usually",
        "sometimes",
        "never",
    ]
)
_VERBS = frozenset({"man", "father", "mother", "husband"})
_GAP = re.compile(r"\s*[-‐‑]?\s*")
_PLURALS = ("men", "people", "children", "folk")


class TermDoubts:
    """The doubts about swapping terms of a lexicon."""

    def __init__(self, terms: GroupTerms) -> None:
        self._terms = terms
        self._english = terms.of_language("en")
        self._beginnings = functools.lru_cache(maxsize=256)(self._pattern_of)
        # groups with a noun of one word: their adjectives are not nouns
        self._with_noun = {
            (t.set, t.group)
            for form, found in terms.by_form.items()
            for t in found
            if t.kind == "nouns" and t.others and form.isalpha()
        }

    def __call__(
        self, text: str, found: Sequence[Found], set_: str, groups: tuple[str, ...]
    ) -> Iterator[SwapFlag]:
        """Yield what is in doubt if the terms of ``groups`` in the set ``set_`` are swapped in ``text``.

        ``found`` are all terms in the text. In doubt are two groups side by side (Mexican Americans), a noun
        that may be a verb, an adjective in what may be a name or a noun, a longer word that begins with a
        term, and a word that names a group only before a noun and stands elsewhere.
        """
        if not self._english:
            return
        for word in self.similar_words(text, set_, groups):
            yield SwapFlag("term left unchanged", word)
        of_set = [(place, self._declared(place, set_)) for place in found]
        side = [(place, declared) for place, declared in of_set if declared]
        capital = [(place, declared) for place, declared in side if declared[0].form[0].isupper()]
        for (one, first), (two, second) in itertools.pairwise(capital):
            different = {t.group for t in first} != {t.group for t in second}
            if different and _GAP.fullmatch(text, one.end, two.start):
                yield SwapFlag("groups of one set side by side", text[one.start : two.end])
        for place, declared in side:
            mine = [t for t in declared if t.group in groups]
            written = usable(place, mine, self._terms.nouns) if mine else None
            if written is not None:
                yield from self._of_term(place, written, mine, {(set_, group) for group in groups})

    def similar_words(self, text: str, set_: str, groups: tuple[str, ...]) -> list[str]:
        """Return the words of ``text`` that begin with a capital term of ``groups`` and go on: Blacks."""
        words = [match[0] for match in self._beginnings(set_, groups).finditer(text)]
        return [word for word in words if word.lower() not in self._terms.by_form]

    def _declared(self, place: Found, set_: str) -> list[Term]:
        found = self._terms.by_form.get(place.key, ())
        return [t for t in found if t.set == set_ and t.kind != "pronouns"]

    def _of_term(
        self, place: Found, written: list[Term], declared: list[Term], swapped: set[tuple[str, str]]
    ) -> Iterator[SwapFlag]:
        if not written:
            yield SwapFlag("may not be a group", place.text)
            return
        if any(t.form in _VERBS for t in written) and _verb(place):
            yield SwapFlag("may be a verb", place.text)
        if not any(t.kind in ("adjectives", "before_nouns") for t in written):
            return
        if self._in_name(place):
            yield SwapFlag("may be a name", f"{place.text} {place.following}")
        adjective = place.next in self._terms.nouns or predicative(place)
        noun = any((t.set, t.group) in self._with_noun for t in declared)
        # where no group has a noun, what stands as a plural for one does so for the others: the British
        alike = self._with_noun.isdisjoint(swapped) and place.previous not in _SINGULAR
        if not adjective and not noun and not alike:
            yield SwapFlag("may be a noun", place.text)

    def _in_name(self, place: Found) -> bool:
        """Return whether a word with a capital follows that is neither a term nor a noun of the lexicon."""
        after = place.following
        return (
            place.text[0].isupper()
            and after[:1].isupper()
            and after.lower() == place.next
            and place.text.isupper() == after.isupper()
            and after.lower() not in self._terms.nouns
            and after.lower() not in self._terms.by_form
        )

    def _pattern_of(self, set_: str, groups: tuple[str, ...]) -> re.Pattern[str]:
        begins = {
            t.form
            for found in self._terms.by_form.values()
            for t in found
            if t.set == set_ and t.group in groups and t.form[0].isupper() and t.kind != "pronouns"
        }
        forms = "|".join(map(re.escape, sorted(begins))) or r"(?!)"
        return re.compile(rf"(?<!\w)(?:{forms})\w+")


def _verb(place: Found) -> bool:
    """Return whether a noun in the singular may be a verb: they man the desk, to father."""
    return place.previous in _BEFORE_VERBS or (
        place.next in _DETERMINERS and place.previous not in _DETERMINERS
    )


def binding_doubts(texts: Sequence[str], groups: tuple[str, str]) -> Iterator[SwapFlag]:
    """Yield what is in doubt if ``groups``, which the lexicon lacks, take each other's place in ``texts``.

    In doubt are groups of different number, and a different inflection of one of them, which would stay.
    """
    if _plural(groups[0]) != _plural(groups[1]):
        yield SwapFlag("groups of different number", ", ".join(groups))
    forms = {form for group in groups for form in _inflections(group.lower())}
    forms -= {group.lower() for group in groups}
    pattern = _words(tuple(sorted(forms)))
    for text in texts:
        for match in pattern.finditer(text):
            if not any(capitals_of(match[0], group) for group in groups):
                yield SwapFlag("term left unchanged", match[0])


@functools.lru_cache(maxsize=256)
def _words(forms: tuple[str, ...]) -> re.Pattern[str]:
    longest = "|".join(re.escape(f) for f in sorted(forms, key=len, reverse=True)) or r"(?!)"
    return re.compile(rf"(?<!\w)(?:{longest})(?!\w)", re.IGNORECASE)


def _plural(group: str) -> bool:
    low = group.lower()
    return low.endswith(_PLURALS) or (low.endswith("s") and not low.endswith(("ss", "us", "is")))


def _inflections(form: str) -> set[str]:
    """Return the singulars and plurals that ``form``, in lower case, may have."""
    bases = {form}
    for end, new in (("ies", "y"), ("es", ""), ("s", ""), ("men", "man"), ("people", "person")):
        if form.endswith(end) and not form.endswith("ss") and len(form) > len(end):
            bases.add(form.removesuffix(end) + new)
    made = set(bases)
    for base in bases:
        made |= {base + "s", base + "es"}
        for end, new in (("y", "ies"), ("man", "men"), ("person", "people"), ("child", "children")):
            if base.endswith(end):
                made.add(base.removesuffix(end) + new)
    return {f for f in made if len(f) > 2}
