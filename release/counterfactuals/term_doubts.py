"""Reasons why a text with swapped groups may be wrong although every term has a form for the other group.

A text in doubt is not made, and a person should check the item. The checks work only for English.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Sequence

from nextset.letter_case import begins_sentence
from nextset.release.counterfactuals.group_terms import GroupTerms, Term
from nextset.release.counterfactuals.phrase_swap import Found, SwapFlag, predicative, usable
from nextset.release.counterfactuals.term_spelling import capitals_of

__all__ = ["TermDoubts", "binding_doubts"]

_DETERMINERS = frozenset(
    [
        *("the", "a", "an", "this", "that", "these", "those", "my", "your", "his", "her", "its", "our"),
        *("their", "some", "any", "every", "each", "no"),
    ]
)
_BEFORE_VERBS = frozenset(
    [
        *("i", "you", "we", "they", "who", "to", "will", "would", "can", "could", "shall", "should", "may"),
        *("might", "must", "'ll", "’ll", "not", "n't", "n’t", "did", "do", "does", "also", "always"),
        *("often", "usually", "sometimes", "never"),
    ]
)
_VERBS = frozenset({"man", "father", "mother", "husband"})
_CALLS = frozenset({"man", "boy", "girl", "brother"})
_QUALIFIERS = frozenset(
    [
        *("north", "south", "east", "west", "central", "southeast", "northern", "southern", "eastern"),
        *("western", "latin", "native", "pacific", "middle", "half", "non", "sunni", "shia", "shiite"),
        *("orthodox", "reform", "evangelical", "ultra"),
    ]
)
_S_BUT_NO_PLURAL = frozenset(
    ["this", "his", "is", "was", "has", "as", "does", "us", "its", "ours", "theirs", "'s", "’s", "perhaps"]
)
_BEFORE = re.compile(r"(\w[\w.]*)([ ‐‑/-])\Z")
_AFTER = re.compile(r"([‐‑/-])(\w+)")
_NEAR = 40
"""The number of characters before a term that are searched for the word before it."""
_GAPS = ("", "-", "‐", "‑")
_PLURALS = ("men", "people", "children", "folk")


class TermDoubts:
    """The doubts about swapping terms of a lexicon."""

    def __init__(self, terms: GroupTerms) -> None:
        self._terms = terms
        self._english = terms.of_language("en")
        self._beginnings = functools.lru_cache(maxsize=256)(self._pattern_of)
        # Groups with a noun of one word, whose adjectives are not nouns.
        self._with_noun = {
            (t.set, t.group)
            for form, form_terms in terms.by_form.items()
            for t in form_terms
            if t.kind == "nouns" and t.others and form.isalpha()
        }

    def __call__(
        self, text: str, found: Sequence[Found], set_: str, groups: tuple[str, ...]
    ) -> Iterator[SwapFlag]:
        """Yield the doubts about swapping the terms of ``groups`` in the set ``set_`` in ``text``.

        ``found`` are all terms in the text. In doubt are two groups side by side (Mexican Americans), a noun
        that may be a verb or a call, a term that may be part of a name, an adjective that may be a noun, a
        term next to part of a word or a qualifier (S/he, half-Asian, South Asian), a longer word that begins
        with a term, and a word that names a group only before a noun but is not before a noun.
        """
        if not self._english:
            return
        for word in self.similar_words(text, set_, groups):
            yield SwapFlag("term left unchanged", word)
        for place in found:
            swapped = [
                t for t in self._terms.by_form.get(place.key, ()) if t.set == set_ and t.group in groups
            ]
            if swapped:
                yield from self._beside(text, place, name=swapped[0].form[0].isupper())
        of_set = [(place, self._declared(place, set_)) for place in found]
        side = [(place, declared) for place, declared in of_set if declared]
        capital = [(place, declared) for place, declared in side if declared[0].form[0].isupper()]
        for (one, first), (two, second) in itertools.pairwise(capital):
            different = {t.group for t in first} != {t.group for t in second}
            if different and text[one.end : two.start].strip() in _GAPS:
                yield SwapFlag("groups of one set side by side", text[one.start : two.end])
        for place, declared in side:
            mine = [t for t in declared if t.group in groups]
            written = usable(place, mine, self._terms.nouns) if mine else None
            if written is not None:
                yield from self._of_term(place, written, mine)

    def similar_words(self, text: str, set_: str, groups: tuple[str, ...]) -> list[str]:
        """Return the words that begin with a capital term of ``groups`` and are longer: Blacks, blacks."""
        words = [match[0] for match in self._beginnings(set_, groups).finditer(text)]
        return [word for word in words if word.lower() not in self._terms.by_form]

    def _beside(self, text: str, place: Found, *, name: bool) -> Iterator[SwapFlag]:
        """Yield flags for text directly before or after ``place`` that makes it a different word or group.

        If ``name`` is true, a word before the term may also make it a name.
        """
        after, before = _AFTER.match(text, place.end), _BEFORE.search(text[: place.start][-_NEAR:])
        part = after is not None and (after[1] == "/" or place.key == "man")  # S/he, man-made; not women-led
        if after and part and after[2].lower() not in self._terms.by_form:
            yield SwapFlag("may not be a group", place.text + after[0])
        if before is None or before[1].lower() in self._terms.by_form:
            return
        word, mark = before[1], before[2]
        if mark != " " or word.lower().rstrip(".") in _QUALIFIERS:
            yield SwapFlag("may not be a group", before[0] + place.text)
        elif (
            name
            and word[0].isupper()
            and not word.isupper()
            and not place.text.isupper()
            and not begins_sentence(text, place.start - len(before[0]), place.language)
        ):
            yield SwapFlag("may be a name", before[0] + place.text)

    def _declared(self, place: Found, set_: str) -> list[Term]:
        terms = self._terms.by_form.get(place.key, ())
        return [t for t in terms if t.set == set_ and t.kind != "pronouns"]

    def _of_term(self, place: Found, written: list[Term], declared: list[Term]) -> Iterator[SwapFlag]:
        if not written:
            yield SwapFlag("may not be a group", place.text)
            return
        if any(t.form in _VERBS for t in written) and _verb(place):
            yield SwapFlag("may be a verb", place.text)
        if any(t.form in _CALLS for t in written) and not place.previous and place.following == ",":
            yield SwapFlag("may not be a group", place.text + ",")
        if any(t.kind == "nouns" for t in written) and not place.text.isupper() and self._in_name(place):
            yield SwapFlag("may be a name", f"{place.text} {place.following}")
        if not any(t.kind in ("adjectives", "before_nouns") for t in written):
            return
        if self._in_name(place):
            yield SwapFlag("may be a name", f"{place.text} {place.following}")
        adjective = place.next in self._terms.nouns or predicative(place)
        if not adjective and not any((t.set, t.group) in self._with_noun for t in declared):
            yield SwapFlag("may be a noun", place.text)

    def _in_name(self, place: Found) -> bool:
        """Return whether the next word has a capital and is neither a term nor a noun of the lexicon."""
        after = place.following
        return (
            place.text[0].isupper()
            and after[:1].isupper()
            and after.lower() == place.next
            and after != "I"
            and place.text.isupper() == after.isupper()
            and after.lower() not in self._terms.nouns
            and after.lower() not in self._terms.by_form
        )

    def _pattern_of(self, set_: str, groups: tuple[str, ...]) -> re.Pattern[str]:
        begins = {
            t.form
            for terms in self._terms.by_form.values()
            for t in terms
            if t.set == set_ and t.group in groups and t.form[0].isupper() and t.kind != "pronouns"
        }
        forms = "|".join(map(re.escape, sorted(begins))) or r"(?!)"
        small = "|".join(re.escape(f.lower()) for f in sorted(begins) if f.isalpha()) or r"(?!)"
        return re.compile(rf"(?<!\w)(?:(?:{forms})\w+|(?:{small})s(?!\w))")


def _verb(place: Found) -> bool:
    """Return whether a noun in the singular may be a verb, as in "they man the station" and "to father"."""
    plural = place.previous.endswith("s") and place.previous not in _S_BUT_NO_PLURAL
    return (
        place.previous in _BEFORE_VERBS
        or (plural and bool(place.next))
        or (place.next in (*_DETERMINERS, "up") and place.previous not in _DETERMINERS)
    )


def binding_doubts(texts: Sequence[str], groups: tuple[str, str]) -> Iterator[SwapFlag]:
    """Yield the doubts about swapping ``groups``, which the lexicon lacks, in ``texts``.

    In doubt are a singular and a plural group, and a different inflection of a group, which would not change.
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
