"""Prompts for a masked language model, from masked items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from nextset.generation.mask_fills.mask_demands import MaskDemands
from nextset.scoring.masks.masked_text import Masked, Prompt

__all__ = ["prompts_of", "word_values"]


def prompts_of(masked: pa.Table, demands: MaskDemands, *, joint: bool, premise: bool) -> list[Prompt]:
    """Return the prompt of each row of a table of MaskedItems, in the table's order.

    The model sees only the hypothesis, or with ``premise`` both texts. By default, each hypothesis is a
    separate prompt. With ``joint``, hypotheses that differ only in the order of the groups (same template,
    same words) are one prompt. If a mask takes the words of a list, the prompt has these words. A prompt to a
    model that writes also has the demands of its masks.
    """
    rows = masked.to_pylist()
    seen = [Masked(row["hypothesis"], row["premise"] if premise else "") for row in rows]
    if not joint:
        return [_prompt({m}, demands, row) for m, row in zip(seen, rows, strict=True)]
    sets: dict[tuple[str, ...], set[Masked]] = defaultdict(set)
    for row, m in zip(rows, seen, strict=True):
        sets[_key(row)].add(m)
    return [_prompt(sets[_key(row)], demands, row) for row in rows]


def word_values(row: Mapping[str, Any]) -> list[str]:
    """Return names and values of the words of an item, alternating."""
    return [x for word in row["bindings"]["words"] for x in (word["name"], word["value"])]


def _prompt(sentences: Iterable[Masked], demands: MaskDemands, row: Mapping[str, Any]) -> Prompt:
    return Prompt(tuple(sorted(sentences)), demands.scored_words(row), demands.for_writer(row))


def _key(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (row["template_id"], *word_values(row))
