"""The demands of a study's masks: the constraints of their rows, and the words of the lists in these."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from nextset.errors import WordListError
from nextset.generation.templates.anchors import Anchors, Claim, anchors_of
from nextset.generation.templates.placeholders import MASK
from nextset.generation.templates.question_inflection import question_words
from nextset.generation.word_forms import english_words
from nextset.generation.writers.mask_phrases import MaskPhrases
from nextset.study.generation_settings import FillSettings
from nextset.study.mask_constraint import LIST_NAME, MaskConstraint, parse_constraint
from nextset.word_lists.fill_list import fill_list

__all__ = ["MaskDemands", "MaskPlace", "categories_at", "list_words"]

MaskPlace = tuple[str, str, str]
"""The language, the stereotype and the constraint, as written, of a mask: what decides its anchors."""

_parsed = functools.lru_cache(maxsize=10_000)(parse_constraint)

_DEGREE = re.compile(r"\b(?:too|very|so|as|more|most|less|least|quite|rather)\s+\Z", re.IGNORECASE)
"""Words that are followed only by the positive form of an adjective or adverb."""


@dataclass(frozen=True)
class MaskDemands:
    """The demands of masks."""

    default: str
    """The constraint of masks without one, as in study.yaml; may be empty."""
    lists: Mapping[tuple[str, str, str], tuple[str, ...]]
    """The words of each list, by language, stereotype and name."""
    tagged: bool = False
    """True if a tagger decides categories in a sentence, instead of the lexicon."""
    phrases: MaskPhrases | None = None
    """The phrases that tell a writer the demands; None if none is told."""
    placed: Mapping[MaskPlace, Mapping[str, Claim]] = field(default_factory=dict)
    """The claims of words that no anchor decides; words that are not here are beside."""
    _anchors: dict[MaskPlace, Anchors | None] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: FillSettings, lists: pa.Table, phrases: MaskPhrases | None = None) -> MaskDemands:
        """Return the demands of a study with ``settings`` and its table of MaskListRows."""
        rows = lists.to_pylist()
        own = {(r["language"], r["stereotype"], r["name"]): tuple(r["words"]) for r in rows}
        return cls(settings.mask, own, bool(settings.tagger), phrases=phrases)

    def constraints(self, row: Mapping[str, Any]) -> tuple[MaskConstraint, ...]:
        """Return the constraint of each mask of ``row``, a MaskedItem."""
        return tuple(_parsed(written or self.default) for written in row["mask_constraints"])

    def words(self, row: Mapping[str, Any], name: str) -> tuple[str, ...]:
        """Return the words of the list ``name`` for ``row``; raises WordListError if there is none."""
        words = self._listed(row, name)
        if words is None:
            raise WordListError(
                f"there is no list {name} for {row['stereotype']!r} ({row['language']})",
                remedy="define it under lists in the template file, or name a different list in fill.mask",
            )
        return words

    def anchors(self, row: Mapping[str, Any]) -> tuple[Anchors | None, ...]:
        """Return the anchors of each mask of ``row``; None for a mask without."""
        for place in self.places(row):
            if place not in self._anchors:
                named = functools.partial(self._listed, row)
                self._anchors[place] = anchors_of(_parsed(place[2]), row["language"], named)
        return tuple(self._anchors[place] for place in self.places(row))

    def places(self, row: Mapping[str, Any]) -> tuple[MaskPlace, ...]:
        """Return what decides the anchors of each mask of ``row``."""
        written = (text or self.default for text in row["mask_constraints"])
        return tuple((row["language"], row["stereotype"], text) for text in written)

    def claims(self, row: Mapping[str, Any]) -> tuple[Callable[[str], Claim] | None, ...]:
        """Return, for each mask of ``row``, the function from a word to its claim; None without anchors."""

        def claim(anchors: Anchors, place: MaskPlace, word: str) -> Claim:
            return anchors.claim(word) or self.placed.get(place, {}).get(word, "beside")

        pairs = zip(self.anchors(row), self.places(row), strict=True)
        return tuple(functools.partial(claim, a, place) if a is not None else None for a, place in pairs)

    def _listed(self, row: Mapping[str, Any], name: str) -> tuple[str, ...] | None:
        """Return the words of the list ``name`` for ``row``; None if there is no such list."""
        own = self.lists.get((row["language"], row["stereotype"], name))
        if own is not None:
            return own
        shipped = fill_list(row["language"], name) if LIST_NAME.fullmatch(name) else None
        return None if shipped is None else shipped.words

    def scored_words(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the only words to score at the mask of ``row``; empty if it takes any words."""
        return self._list_words(row)[0] if len(row["question_forms"]) == 1 else ()

    def for_writer(self, row: Mapping[str, Any]) -> str:
        """Return what a writer is told about the words that the masks of ``row`` take; may be empty."""
        if self.phrases is None:
            return ""
        constraints, anchors = self.constraints(row), self.anchors(row)
        categories = categories_at(row["hypothesis"], constraints)
        masks = []
        for c, of_mask, a, within in zip(
            constraints, categories, anchors, self._list_words(row), strict=True
        ):
            sides = (a.like, a.unlike) if a and not c.only else ((), ())
            out = () if within else self._listed(row, c.without) or ()
            masks.append(self.phrases.of_mask(() if within else of_mask, within, out, *sides))
        return self.phrases.of_sentence(masks)

    def _list_words(self, row: Mapping[str, Any]) -> list[tuple[str, ...]]:
        """Return the only words that each mask of ``row`` takes; empty for a mask without a list."""
        constraints, named = self.constraints(row), functools.partial(self._listed, row)
        categories = categories_at(row["hypothesis"], constraints)
        return [
            list_words(c, () if self.tagged else of_mask, form, row["language"], named) if c.listed else ()
            for c, of_mask, form in zip(constraints, categories, row["question_forms"], strict=True)
        ]


def categories_at(text: str, constraints: Sequence[MaskConstraint]) -> list[tuple[str, ...]]:
    """Return the categories that each mask of ``text`` takes; after words such as *too*, adj is positive."""
    before = text.split(f"{{{{{MASK}}}}}")
    return [
        tuple("adj.positive" if c == "adj" and _DEGREE.search(left) else c for c in constraint.categories)
        for left, constraint in zip(before, constraints, strict=False)
    ]


def list_words(
    constraint: MaskConstraint,
    categories: Sequence[str],
    form: str,
    language: str,
    named: Callable[[str], Sequence[str] | None],
) -> tuple[str, ...]:
    """Return the listed words of ``constraint`` that fit its mask; ``named`` returns the words of a list.

    A word needs one of ``categories`` (empty: any) by the lexicon, and must have the ``form`` for its
    question. Other words are not scored: they would take the places of words that fit.
    """
    out = {word.casefold() for word in named(constraint.without) or ()}
    anchors = anchors_of(constraint, language, named) if constraint.only else None
    words = (*anchors.like, *anchors.unlike) if anchors else named(constraint.within) or ()
    return tuple(
        word
        for word in words
        if word.casefold() not in out
        and (not categories or english_words().is_one_of(word, categories))
        and question_words([word], [constraint], [form]) is not None
    )
