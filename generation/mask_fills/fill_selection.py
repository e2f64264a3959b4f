"""The selection of fills for a masked hypothesis: the first ones that fit their masks and are not dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nextset.generation.mask_fills.fill_drops import REASONS, SentenceDrops
from nextset.generation.mask_fills.mask_demands import MaskDemands, categories_at
from nextset.generation.templates.question_inflection import question_words
from nextset.generation.word_forms import english_words
from nextset.letter_case import folded
from nextset.records.nli_items import Fill
from nextset.scoring.masks.masked_text import Prompt
from nextset.study.mask_constraint import MaskConstraint

__all__ = [
    "AGAINST",
    "BESIDE",
    "EXCLUDED",
    "OTHER_CATEGORY",
    "UNINFLECTED",
    "UNLISTED",
    "FillSelection",
    "Filling",
    "Fits",
    "Selected",
]

EXCLUDED = "fills in a list that their mask excludes, dropped"
UNLISTED = "fills that are not in the list of their mask, dropped"
OTHER_CATEGORY = "fills of another part of speech, dropped"
BESIDE = "fills beside the claim of their template, dropped"
AGAINST = "fills that state the opposite and would turn the question, dropped"
UNINFLECTED = "fills without the form that the question needs, dropped"

Filling = tuple[Fill, ...]
"""One fill per mask."""
Rules = tuple[str, ...]
Fits = Callable[[Sequence[Sequence[str]], Prompt, Sequence[Sequence[str]], Rules], list[bool]]
"""A function that returns whether each filling has the categories of its masks, by a tagger.

Its arguments are the categories of each mask, a prompt, fillings, and the names of the sound rules at their
borders.
"""


@dataclass(frozen=True)
class Selected:
    """The fillings that are kept for a masked hypothesis."""

    fillings: tuple[Filling, ...]
    """The fillings, best first."""
    dropped: Mapping[str, int]
    """The numbers of tried fillings that were dropped, by reason; the others that were tried are kept."""


@dataclass
class FillSelection:
    """A selector of fillings, which remembers earlier results."""

    demands: MaskDemands
    """The demands of the masks."""
    allowed: Sequence[str]
    """The reasons to drop that are ignored, by their names in fill.allow."""
    most: int
    """The most fillings that are kept for a hypothesis."""
    fits: Fits | None
    """A tagger that replaces the lexicon for categories; None for the lexicon."""
    opposites: bool = True
    """True if fills against the claim of their template are kept, for rows of the opposite stance."""
    _done: dict[tuple[object, ...], Selected] = field(default_factory=dict)
    _tagged: dict[tuple[object, ...], bool] = field(default_factory=dict)

    def select(self, row: Mapping[str, Any], prompt: Prompt, fillings: Sequence[Filling]) -> Selected:
        """Return the first of the ``fillings`` of ``prompt`` that are kept for ``row``, a MaskedItem."""
        constraints = self.demands.constraints(row)
        groups = (row["bindings"]["group1"], row["bindings"]["group2"])
        texts = (row["language"], row["stereotype"], row["hypothesis"], row["question"])
        key = (prompt, *texts, *groups, constraints, *row["question_forms"], *row["rules"])
        if key not in self._done:
            self._done[key] = self._selected(row, constraints, prompt, fillings)
        return self._done[key]

    def _selected(
        self,
        row: Mapping[str, Any],
        constraints: Sequence[MaskConstraint],
        prompt: Prompt,
        fillings: Sequence[Filling],
    ) -> Selected:
        reason = self._reasons(row, constraints)
        categories = categories_at(row["hypothesis"], constraints)
        rules = tuple(row["rules"])
        kept: list[Filling] = []
        dropped: Counter[str] = Counter()
        for at in range(0, len(fillings), self.most):
            batch = fillings[at : at + self.most]
            reasons = [reason([fill.word for fill in filling]) for filling in batch]
            undropped = [f for f, why in zip(batch, reasons, strict=True) if why is None]
            self._tag(categories, prompt, undropped, rules)
            for filling, why in zip(batch, reasons, strict=True):
                if why is None and not self._tagged.get(_tag_key(categories, prompt, filling, rules), True):
                    why = OTHER_CATEGORY
                if why is None:
                    kept.append(filling)
                else:
                    dropped[why] += 1
                if len(kept) == self.most:
                    return Selected(tuple(kept), dict(dropped))
        return Selected(tuple(kept), dict(dropped))

    def _reasons(
        self, row: Mapping[str, Any], constraints: Sequence[MaskConstraint]
    ) -> Callable[[Sequence[str]], str | None]:
        """Return a function from words, one per mask of ``row``, to the reason to drop them.

        The function returns None if there is no reason, apart from those that only a tagger can find.
        """
        drops, language = SentenceDrops.of(row, self.allowed), row["language"]
        categories = categories_at(row["hypothesis"], constraints)
        anchors = self.demands.anchors(row)
        excluded = [self._folded(row, c.without) for c in constraints]
        within = [
            {folded(w, language) for w in (*a.like, *a.unlike)}
            if c.only and a
            else self._folded(row, c.within)
            for c, a in zip(constraints, anchors, strict=True)
        ]
        claims = self.demands.claims(row)

        def reason(words: Sequence[str]) -> str | None:
            reasons = [
                drops.reason(mask, word, takes_verbs=c.takes("verb"), listed=c.listed)
                for mask, (word, c) in enumerate(zip(words, constraints, strict=True))
            ]
            if any(reasons):
                return next(REASONS[name] for name in REASONS if name in reasons)
            if any(folded(word, language) in out for word, out in zip(words, excluded, strict=True)):
                return EXCLUDED
            if any(
                listed and folded(word, language) not in listed
                for word, listed in zip(words, within, strict=True)
            ):
                return UNLISTED  # a model that writes proposes any word
            if self.fits is None and not all(
                not wanted or english_words().is_one_of(word, wanted)
                for word, wanted in zip(words, categories, strict=True)
            ):
                return OTHER_CATEGORY
            made = {of(word) for of, word in zip(claims, words, strict=True) if of is not None}
            if "beside" in made and "beside" not in self.allowed:
                return BESIDE
            if "against" in made and not self.opposites:
                return AGAINST
            return UNINFLECTED if question_words(words, constraints, row["question_forms"]) is None else None

        return reason

    def _folded(self, row: Mapping[str, Any], name: str) -> set[str]:
        """Return the words of the list ``name``, folded; empty without a name."""
        return {folded(word, row["language"]) for word in self.demands.words(row, name)} if name else set()

    def _tag(
        self, categories: Sequence[Sequence[str]], prompt: Prompt, fillings: Sequence[Filling], rules: Rules
    ) -> None:
        """Ask the tagger about the fillings that it has not seen in this place."""
        if self.fits is None or not any(categories):
            return
        new = [f for f in fillings if _tag_key(categories, prompt, f, rules) not in self._tagged]
        verdicts = self.fits(categories, prompt, [[fill.word for fill in f] for f in new], rules)
        for filling, ok in zip(new, verdicts, strict=True):
            self._tagged[_tag_key(categories, prompt, filling, rules)] = ok


def _tag_key(
    categories: Sequence[Sequence[str]], prompt: Prompt, filling: Filling, rules: Rules
) -> tuple[object, ...]:
    return (tuple(map(tuple, categories)), prompt, tuple(fill.word for fill in filling), rules)
