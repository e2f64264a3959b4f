"""The counterparts of an imported item: the choice of groups to swap, and doubts for a person to check.

`nextset.release.counterfactuals.phrase_swap` finds and replaces the terms. The lexicon is in
`nextset.release.counterfactuals.group_terms`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nextset.generation.templates.item_rendering import CounterfactualTexts
from nextset.release.counterfactuals.group_terms import GroupTerms, Term
from nextset.release.counterfactuals.phrase_swap import (
    MOST_TEXTS,
    Found,
    PhraseFinder,
    SwapFlag,
    Target,
    Targets,
    swapped,
    usable,
)
from nextset.release.counterfactuals.term_doubts import TermDoubts, binding_doubts
from nextset.release.counterfactuals.term_spelling import capitals_of
from nextset.word_lists.protected_groups import group_words

__all__ = ["GroupTexts", "Rendering", "TextCounterparts"]


@dataclass(frozen=True)
class GroupTexts:
    """The texts of an item's counterpart with one other group."""

    group: str
    """The other group; empty if the item's template determines it."""
    texts: tuple[CounterfactualTexts, ...]
    """The texts; several if a term is ambiguous, none if they cannot be made."""
    doubted: tuple[CounterfactualTexts, ...] = ()
    """Texts that a person must check, so that they count only if they were imported."""
    flags: tuple[SwapFlag, ...] = ()
    """The reasons why there is not exactly one text."""


@dataclass(frozen=True)
class Rendering:
    """The counterparts of an item whose hypothesis names a group, or may name one."""

    groups: tuple[GroupTexts, ...]
    """One per other group; more than one for a full set."""
    flags: tuple[SwapFlag, ...] = ()
    """Reasons why a person should check the item, although there are texts."""
    names_group: bool = True
    """True if the hypothesis names a group."""
    target: str = ""
    """The group that the stereotype is about; empty if it is the first of two, or unknown."""


@dataclass(frozen=True)
class _Pair:
    """Two groups that are swapped."""

    set: str
    """Their set in the lexicon; empty if the lexicon lacks them."""
    group: str
    """The first group."""
    other: str
    """The second group."""
    exact: Mapping[str, tuple[str, str]]
    """The bindings' groups in lower case, each with its form and the other group's form."""


class TextCounterparts:
    """A function from an imported item (a row of NLI items) to its counterparts, made from its text."""

    def __init__(self, terms: GroupTerms) -> None:
        self._terms = terms
        self._finders: dict[str, PhraseFinder] = {}
        self._term_doubts = TermDoubts(terms)
        self._forms: dict[tuple[str, str], list[str]] = {}
        for term in itertools.chain.from_iterable(terms.by_form.values()):
            self._forms.setdefault((term.set, term.group), []).append(term.form)

    def __call__(self, item: Mapping[str, Any]) -> Rendering | None:
        """Return the counterparts of ``item``, or None if its hypothesis names no group."""
        bindings = item["bindings"]
        if bindings is not None and bindings["group1"] and bindings["group2"]:
            if bindings["group1"].lower() == bindings["group2"].lower():
                return None
            return self._bound(item, bindings["group1"], bindings["group2"])
        return self._unbound(item)

    def full_set(self, item: Mapping[str, Any]) -> tuple[str, ...]:
        """Return all groups of the set if the hypothesis of ``item`` names exactly one of its groups.

        The result is empty if the hypothesis names a different number of groups, or if the set has only two.
        """
        terms = self._lexicon(item["language"])
        if terms is None:
            return ()
        named = self._named(item, self._finder(item["language"]).find(item["hypothesis"]))
        if len(named) != 1:
            return ()
        ((name, groups),) = named.items()
        return terms.sets[name].groups if len(groups) == 1 and len(terms.sets[name].groups) > 2 else ()

    def named(self, item: Mapping[str, Any]) -> set[str]:
        """Return the groups of the lexicon that the hypothesis of ``item`` names."""
        if self._lexicon(item["language"]) is None:
            return set()
        places = self._finder(item["language"]).find(item["hypothesis"])
        return {group for groups in self._named(item, places).values() for group in groups}

    def _lexicon(self, language: str) -> GroupTerms | None:
        return self._terms if self._terms.of_language(language) else None

    def _finder(self, language: str) -> PhraseFinder:
        if language not in self._finders:
            terms = self._lexicon(language)
            self._finders[language] = PhraseFinder(language, terms.by_form if terms else ())
        return self._finders[language]

    def _usable(self, terms: GroupTerms, found: Found) -> list[Term]:
        return usable(found, terms.by_form.get(found.key, ()), terms.nouns) or []

    def _bound(self, item: Mapping[str, Any], group1: str, group2: str) -> Rendering | None:
        """Return the counterpart with the two groups of the bindings swapped."""
        terms, finder = self._lexicon(item["language"]), self._finder(item["language"])
        exact = {group1.lower(): (group1, group2), group2.lower(): (group2, group1)}
        located = terms.pair_of(group1, group2, item["domain"]) if terms else None
        if located and terms and _rows_agree(terms, located[0], group1, group2):
            exact = {}  # the lexicon also has the other forms, and knows ambiguous forms
        pair = _Pair(*(located or ("", group1, group2)), exact)
        # Bindings that the lexicon lacks win over overlapping terms of the lexicon.
        forms = (group1, group2)
        first = () if terms and all(g.lower() in terms.by_form for g in forms) else forms
        hypothesis = finder.find(item["hypothesis"], first)
        question = finder.find(item["question"], first)
        flags = self._doubts(terms, pair, [*hypothesis, *question]) if terms else []
        made = self._texts(item, pair, group2, hypothesis, question)
        if made is None:
            missing = SwapFlag("groups not in the hypothesis", f"{group1}, {group2}")
            named = item["names_group"] or (
                terms is not None and self._may_name(terms, pair, item, hypothesis)
            )
            return Rendering((), (missing,), False) if named else None
        blocking = [flag for flag in flags if flag.reason != "third group in the text"]
        if exact and item["language"].partition("-")[0].lower() == "en":
            blocking += binding_doubts((item["hypothesis"], item["question"]), (group1, group2))
        kept = tuple(dict.fromkeys(flag for flag in flags if flag not in blocking))
        return Rendering((_without_texts(made, blocking),), kept)

    def _doubts(self, terms: GroupTerms, pair: _Pair, found: Sequence[Found]) -> list[SwapFlag]:
        """Return flags for terms that stay unchanged although they may belong to the swapped groups."""
        flags = []
        stay = set() if pair.set else self._inside(terms, pair.group) ^ self._inside(terms, pair.other)
        for place in found:
            groups = [(t.set, t.group) for t in self._usable(terms, place) if place.key not in pair.exact]
            third = {g for s, g in groups if s == pair.set}
            if third and third.isdisjoint((pair.group, pair.other)):
                flags.append(SwapFlag("third group in the text", place.text))
            if not stay.isdisjoint(groups):
                flags.append(SwapFlag("term left unchanged", place.text))
        return flags

    def _inside(self, terms: GroupTerms, group: str) -> set[tuple[str, str]]:
        """Return the lexicon's groups that the words of a binding name."""
        places = self._finder(terms.language).find(group)
        return {(t.set, t.group) for place in places for t in self._usable(terms, place)}

    def _unbound(self, item: Mapping[str, Any]) -> Rendering | None:
        """Return the counterparts by the lexicon: one if two groups are named, a full set if one is named."""
        terms = self._lexicon(item["language"])
        if terms is None:
            return None
        finder = self._finder(item["language"])
        hypothesis = finder.find(item["hypothesis"])
        named = self._named(item, hypothesis)
        unusual = self._unusual(item, hypothesis)
        if not named:
            doubts = unusual or self._unnamed(item, terms)
            return Rendering((), doubts, False) if doubts else None
        if len(named) > 1:
            return Rendering((), (SwapFlag("terms of several sets", ", ".join(named)), *unusual))
        ((name, groups),) = named.items()
        if len(groups) > 2:
            return Rendering((), (SwapFlag("third group in the text", ", ".join(groups)), *unusual))
        others = groups[1:] or [g for g in terms.sets[name].groups if g != groups[0]]
        question = finder.find(item["question"])
        asked = self._named(item, question)
        if extra := [g for n, gs in asked.items() for g in gs if n != name or g not in groups]:
            return Rendering((), (SwapFlag("third group in the text", ", ".join(extra)), *unusual))
        pairs = [_Pair(name, groups[0], other, {}) for other in others]
        made = [self._texts(item, pair, pair.other, hypothesis, question) for pair in pairs]
        return Rendering(tuple(texts for texts in made if texts is not None))

    def _unnamed(self, item: Mapping[str, Any], terms: GroupTerms) -> tuple[SwapFlag, ...]:
        """Return flags for an item whose hypothesis has no usable term although it may name a group."""
        sets, text = self._sets(item), item["hypothesis"]
        words = self._term_doubts.similar_words
        similar = [w for s in sets for w in words(text, s, terms.sets[s].groups)]
        other = [
            place.text
            for place in self._finder(item["language"]).find(text)
            if any(t.set in sets for t in terms.by_form.get(place.key, ()))
        ]
        if similar or other or item["names_group"]:
            return (SwapFlag("no term of the lexicon found", ", ".join(dict.fromkeys((*similar, *other)))),)
        return ()

    def _may_name(
        self, terms: GroupTerms, pair: _Pair, item: Mapping[str, Any], found: Sequence[Found]
    ) -> bool:
        """Return whether the hypothesis has a term of the groups of ``pair``, or a word similar to one."""
        named = {(pair.set, pair.group), (pair.set, pair.other)}
        named |= self._inside(terms, pair.group) | self._inside(terms, pair.other)
        terms_of = (t for place in found for t in terms.by_form.get(place.key, ()))
        words = self._term_doubts.similar_words
        return any((t.set, t.group) in named for t in terms_of) or any(
            words(item["hypothesis"], set_, (group,)) for set_, group in named
        )

    def _sets(self, item: Mapping[str, Any]) -> list[str]:
        """Return the sets that may be swapped in ``item``: the sets of its domain, or else all sets."""
        sets = self._terms.sets
        return [name for name in sets if item["domain"] in sets[name].domains] or list(sets)

    def _named(self, item: Mapping[str, Any], found: Sequence[Found]) -> dict[str, list[str]]:
        """Return the groups that terms name, by set, in the order of the text."""
        sets = self._sets(item)
        named: dict[str, list[str]] = {}
        for place in found:
            for term in self._usable(self._terms, place):
                groups = named.setdefault(term.set, []) if term.set in sets else [term.group]
                if term.group not in groups:
                    groups.append(term.group)
        return named

    def _unusual(self, item: Mapping[str, Any], found: Sequence[Found]) -> tuple[SwapFlag, ...]:
        sets = self._sets(item)
        flags: dict[SwapFlag, None] = {}
        for place in found:
            terms = [t for t in self._terms.by_form.get(place.key, ()) if t.set in sets]
            if terms and usable(place, terms, self._terms.nouns) is None:
                flags[SwapFlag("unusual capitals", place.text)] = None
        return tuple(flags)

    def _texts(
        self,
        item: Mapping[str, Any],
        pair: _Pair,
        other: str,
        hypothesis: Sequence[Found],
        question: Sequence[Found],
    ) -> GroupTexts | None:
        """Return hypothesis and question with ``pair`` swapped, or None if the hypothesis names no group."""
        targets = self._targets(item["language"], pair)
        one = swapped(item["hypothesis"], hypothesis, targets)
        two = swapped(item["question"], question, targets)
        if not one.changed:
            return None
        flags = tuple(dict.fromkeys((*one.flags, *two.flags)))
        texts = [CounterfactualTexts(*both) for both in itertools.product(one.texts, two.texts)]
        made = GroupTexts(other, tuple(texts) if len(texts) <= MOST_TEXTS else (), flags=flags)
        terms, doubts = self._lexicon(item["language"]), list[SwapFlag]()
        for text, places in ((item["hypothesis"], hypothesis), (item["question"], question)):
            exchanged = [(f.start, f.end) for f in places if targets(f) is not None]
            doubts += self._carried(item["language"], text, pair, exchanged)
            if terms is not None and pair.set:
                inexact = [f for f in places if f.key not in pair.exact]
                doubts += self._term_doubts(text, inexact, pair.set, (pair.group, pair.other))
        return _without_texts(made, list(dict.fromkeys(doubts)))

    def _carried(
        self, language: str, text: str, pair: _Pair, exchanged: Sequence[tuple[int, int]]
    ) -> Iterator[SwapFlag]:
        """Yield flags for words beside the exchanged terms that carry a group of ``pair``, such as Mrs."""
        grounds, groups = group_words(language).values(), (pair.group, pair.other)
        if not any(words.named(pair.group) for words in grounds):
            one, two = (", ".join(self._forms.get((pair.set, group), (group,))) for group in groups)
            groups = (one, two)
        for words in grounds:
            for word in words.carried(text, groups, exchanged):
                yield SwapFlag("term left unchanged", word)
            for phrase in words.longer(text, groups, exchanged):
                yield SwapFlag("may not be a group", phrase)

    def _targets(self, language: str, pair: _Pair) -> Targets:
        """Return the function from a term to the forms that replace it."""
        terms = self._lexicon(language)

        def targets(found: Found) -> list[Target] | SwapFlag | None:
            declared = terms.by_form.get(found.key, ()) if terms else ()
            old, new = pair.exact.get(found.key, ("", ""))
            if old and capitals_of(found.text, old, found.language):
                numbers = {t.plural for t in declared if t.kind == "nouns"}
                return [Target(old, new, numbers.pop() if len(numbers) == 1 else None)]
            if terms is None:
                return SwapFlag("unusual capitals", found.text)
            other = {pair.group: pair.other, pair.other: pair.group}
            declared = tuple(t for t in declared if t.set == pair.set and t.group in other)
            written = usable(found, declared, terms.nouns) if declared else []
            if written is None or (old and not declared):
                return SwapFlag("unusual capitals", found.text)
            made = [
                Target(t.form, t.others[other[t.group]], t.plural)
                for t in written
                if other[t.group] in t.others
            ]
            if written and not made:
                return SwapFlag("no form for the other group", found.text)
            noun = {t.kind == "nouns" for t in written if other[t.group] in t.others}
            if made and noun == {False} and any(t.kind == "nouns" for t in written):
                return SwapFlag("no form for the other group", found.text)  # the term may be the noun
            return made or None

        return targets


def _rows_agree(terms: GroupTerms, set_: str, group1: str, group2: str) -> bool:
    """Return whether the set's rows swap ``group1`` and ``group2`` as written, or do not pair them.

    The rows do not swap white and Black as written: they have white and black, and White and Black.
    """
    declared = [[t for t in terms.by_form.get(g.lower(), ()) if t.set == set_] for g in (group1, group2)]
    if not all(declared):
        return False
    rows = [t for t in declared[0] if group2.lower() in (form.lower() for form in t.others.values())]
    return not rows or any(t.form == group1 and group2 in t.others.values() for t in rows)


def _without_texts(made: GroupTexts, doubts: Sequence[SwapFlag]) -> GroupTexts:
    """Return ``made`` with ``doubts``. If there are doubts, its texts become doubted texts."""
    if not doubts:
        return made
    flags = tuple(dict.fromkeys((*made.flags, *doubts)))
    return GroupTexts(made.group, (), (*made.texts, *made.doubted), flags)
