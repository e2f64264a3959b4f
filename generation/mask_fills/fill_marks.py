"""Marks of fills that say little about a group, or do not state the stereotype; nothing is dropped."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from nextset.generation.mask_fills.fluency import GroupOrder, group_order
from nextset.generation.mask_fills.mask_prompts import word_values
from nextset.generation.sound_rules.rule_names import named_rules
from nextset.generation.templates.placeholders import place_words
from nextset.records.nli_items import Label
from nextset.scoring.masks.masked_text import Masked
from nextset.scoring.masks.word_pattern import MASK

__all__ = [
    "FACTOR", "MARKS", "FillMeaning", "FillProbability", "Probabilities", "asked_fills", "meaning_pairs",
    "with_marks",
]  # fmt: skip

FACTOR = 1.25
"""Two probabilities are similar if neither is more than this many times the other."""
GROUP, PREMISE = "whatever the group", "whatever the premise"
ANOTHER, OPPOSITE = "another meaning", "opposite meaning"
MARKS = (GROUP, PREMISE, ANOTHER, OPPOSITE)
"""All marks, in the order of the column."""

Probabilities = Mapping[tuple[Masked, str], float | None]
"""The log probability of each word at a mask; None if the tokenizer does not read it as whole tokens."""
Meanings = Mapping[tuple[str, str], tuple[Label, Label]]
"""The labels of each (plain, filled) pair as premise and hypothesis, and the other way round."""


@dataclass(frozen=True)
class FillProbability:
    """The probability of a word in a sentence by the fill model; every other mask has its word."""

    sentence: str
    """The sentence, with one {{MASK}}."""
    premise: str
    """The text that the model saw before it; may be empty."""
    word: str
    """The word."""
    log_probability: float | None
    """Natural logarithm; null if the word is not whole tokens there."""


@dataclass(frozen=True)
class FillMeaning:
    """The labels of an NLI model for a plain and a filled hypothesis of the same stereotype and groups."""

    plain: str
    """The plain hypothesis."""
    filled: str
    """The filled hypothesis."""
    from_plain: Label
    """The label with the plain hypothesis as the premise."""
    from_filled: Label
    """The label with the filled hypothesis as the premise."""


@dataclass(frozen=True)
class AskedFill:
    """The words of a fill in their sentences: as in the item, with swapped groups, without the premise."""

    own: tuple[tuple[Masked, str], ...]
    swapped: tuple[tuple[Masked, str], ...]
    """Empty if no masked item has the groups swapped."""
    alone: tuple[tuple[Masked, str], ...]
    """Empty if the model does not see the premise."""

    @property
    def all(self) -> tuple[tuple[Masked, str], ...]:
        """Return all words and sentences that the model is asked about."""
        return (*self.own, *self.swapped, *self.alone)


def asked_fills(items: pa.Table, masked: pa.Table, *, premise: bool) -> list[AskedFill]:
    """Return the questions to the fill model about each of ``items``, which were made from ``masked``."""
    rows = {row["id"]: row for row in masked.to_pylist()}
    swapped = {(_key(row), row["premise"] if premise else ""): row for row in rows.values()}
    asked = []
    for item in items.to_pylist():
        row = rows[item["parent_id"]]
        words = [fill["word"] for fill in item["bindings"]["fills"]]
        seen = row["premise"] if premise else ""
        partner = swapped.get((_key(row, swap=True), seen))
        asked.append(
            AskedFill(
                _places(row, words, seen),
                _places(partner, words, seen) if partner is not None else (),
                _places(row, words, "") if seen else (),
            )
        )
    return asked


def meaning_pairs(items: pa.Table, plain: Mapping[GroupOrder, Sequence[str]]) -> dict[str, list[str]]:
    """Return the plain hypotheses to compare with each distinct filled hypothesis, both sorted."""
    pairs: dict[str, set[str]] = defaultdict(set)
    for row in items.to_pylist():
        pairs[row["hypothesis"]].update(plain.get(group_order(row), ()))
    return {filled: sorted(pairs[filled]) for filled in sorted(pairs)}


def with_marks(
    items: pa.Table,
    asked: Sequence[AskedFill],
    logs: Probabilities,
    pairs: Mapping[str, Sequence[str]],
    meanings: Meanings,
) -> pa.Table:
    """Return ``items`` with the column fill_marks, a list of `MARKS`, appended.

    ``asked`` is `asked_fills` of ``items``. If ``pairs`` and ``meanings`` are empty, no meaning is marked.
    """
    marks = []
    for hypothesis, one in zip(items["hypothesis"].to_pylist(), asked, strict=True):
        own = _log(one.own, logs)
        item_marks = [
            mark for mark, other in ((GROUP, one.swapped), (PREMISE, one.alone)) if _alike(own, other, logs)
        ]
        meaning = _meaning([meanings[plain, hypothesis] for plain in pairs.get(hypothesis, ())])
        marks.append([*item_marks, *([meaning] if meaning else [])])
    return items.append_column("fill_marks", pa.array(marks, pa.list_(pa.string())))


def _meaning(labels: Sequence[tuple[Label, Label]]) -> str | None:
    """Return the mark for the labels against each plain hypothesis; None for the same meaning."""
    either = {label for both in labels for label in both}
    if not either or "entailment" in either:
        return None
    return OPPOSITE if "contradiction" in either else ANOTHER


def _alike(own: float | None, other: Sequence[tuple[Masked, str]], logs: Probabilities) -> bool:
    there = _log(other, logs) if other else None
    return own is not None and there is not None and abs(own - there) <= math.log(FACTOR)


def _log(asked: Sequence[tuple[Masked, str]], logs: Probabilities) -> float | None:
    """Return the sum of the words' log probabilities; None if one has none."""
    known = [log for key in asked if (log := logs[key]) is not None]
    return sum(known) if len(known) == len(asked) else None


def _places(row: Mapping[str, Any], words: Sequence[str], premise: str) -> tuple[tuple[Masked, str], ...]:
    """Return each word with its sentence of ``row``, a MaskedItem; every other mask has its word."""
    rules, language = named_rules(row["rules"]), row["language"]
    placed = place_words(row["hypothesis"], words, capitalise=True, language=language, rules=rules)
    text = placed.text
    return tuple(
        (Masked(f"{text[:start]}{MASK}{text[end:]}", premise), text[start:end]) for start, end in placed.spans
    )


def _key(row: Mapping[str, Any], *, swap: bool = False) -> tuple[str, ...]:
    bindings = row["bindings"]
    groups = (bindings["group1"], bindings["group2"])
    return (row["template_id"], *word_values(row), *(groups[::-1] if swap else groups))
