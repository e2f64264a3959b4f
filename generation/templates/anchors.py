"""Anchors: the words with which a masked sentence makes its template's claim, or the opposite claim."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from nextset.generation.word_forms import english_words, is_english
from nextset.letter_case import folded
from nextset.study.mask_constraint import MaskConstraint
from nextset.word_lists.opposite_words import negated_words

__all__ = ["Anchors", "Claim", "anchors_of", "claim_of_all"]

Claim = Literal["with", "against", "beside"]
"""with: the fill makes the template's claim. against: the opposite one. beside: neither."""


@dataclass(frozen=True)
class Anchors:
    """The anchors of a mask."""

    language: str
    """BCP 47 tag."""
    like: tuple[str, ...]
    """The words that carry the claim."""
    unlike: tuple[str, ...]
    """The words that carry its opposite."""

    def claim(self, word: str) -> Claim | None:
        """Return what ``word`` makes of the sentence; None for a word that the anchors do not decide.

        A word is decided if it is one of the anchors, also in another form, or if one of the two negates the
        other (unclean, clean; not clean, clean). Without ``unlike``, a word with the opposite claim is
        beside: the author of the mask knows none that makes sense there.
        """
        claim = self._claim(word)
        return "beside" if claim == "against" and not self.unlike else claim

    def _claim(self, word: str) -> Claim | None:
        whole, forms = self._sides
        text, of_word, bare = _readings(self.language, word)
        if text in whole:
            return whole[text]
        if not forms.keys().isdisjoint(of_word):
            sides = {forms[form] for form in of_word if form in forms}
            if len(sides) == 1:
                return sides.pop()
        against = {side for word in bare if (side := self._claim(word)) is not None}
        if not self._negated.keys().isdisjoint(of_word):
            against |= {side for form in of_word for side in self._negated.get(form, ())}
        if len(against) == 1:
            return "against" if against.pop() == "with" else "with"
        return None

    @property
    def on_both_sides(self) -> list[str]:
        """The words that carry the claim and its opposite, sorted."""
        like, unlike = ({folded(word, self.language) for word in words} for words in (self.like, self.unlike))
        return sorted(like & unlike)

    @functools.cached_property
    def _sides(self) -> tuple[dict[str, Claim], dict[str, Claim]]:
        """The side of each anchor, and of each lexicon entry that has forms on one side only."""
        whole: dict[str, Claim] = {folded(word, self.language): "against" for word in self.unlike}
        whole |= {folded(word, self.language): "with" for word in self.like}
        sides: dict[str, set[Claim]] = {}
        for word, side in whole.items():
            for form in _forms(self.language, word):
                sides.setdefault(form, set()).add(side)
        return whole, {form: next(iter(both)) for form, both in sides.items() if len(both) == 1}

    @functools.cached_property
    def _negated(self) -> dict[str, set[Claim]]:
        """The sides of the anchors that negate a word, by this word."""
        sides: dict[str, set[Claim]] = {}
        for anchor, side in self._sides[0].items():
            for word in negated_words(self.language, anchor):
                sides.setdefault(word, set()).add(side)
        return sides


def anchors_of(
    constraint: MaskConstraint, language: str, named: Callable[[str], Sequence[str] | None]
) -> Anchors | None:
    """Return the anchors of ``constraint``; None if it has none. ``named`` returns the words of a list."""
    if not constraint.like:
        return None

    def words(entries: Iterable[str]) -> tuple[str, ...]:
        lists = ((entry, named(entry)) for entry in entries)
        return tuple(dict.fromkeys(w for entry, listed in lists for w in (listed or (entry,))))

    return Anchors(language, words(constraint.like), words(constraint.unlike))


def claim_of_all(claims: Sequence[Claim | None]) -> Claim | None:
    """Return what the fills of all masks make of a sentence, from the claim of each; None without anchors.

    One beside decides; each against turns the claim around.
    """
    known = [claim for claim in claims if claim is not None]
    if not known or "beside" in known:
        return "beside" if known else None
    return "against" if known.count("against") % 2 else "with"


@functools.lru_cache(maxsize=100_000)
def _readings(language: str, word: str) -> tuple[str, frozenset[str], frozenset[str]]:
    """Return ``word`` folded, with its lexicon entries, and the words that it negates."""
    text = folded(word, language)
    forms = _forms(language, text) | {text}
    return text, forms, frozenset(bare for form in forms for bare in negated_words(language, form))


@functools.lru_cache(maxsize=100_000)
def _forms(language: str, word: str) -> frozenset[str]:
    return frozenset(english_words().lemmas(word)) if is_english(language) else frozenset({word})
