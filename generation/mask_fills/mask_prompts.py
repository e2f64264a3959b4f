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
    same words) are one prompt; those with the same set_id always are. If a mask takes the words of a list,
    the prompt has these words. A prompt to a model that writes also has the demands of its masks.
    """
    rows = masked.to_pylist()
    seen = [Masked(row["hypothesis"], row["premise"] if premise else "") for row in rows]
    keys = [_key(row, str(i), joint) for i, row in enumerate(rows)]
    sets: dict[tuple[str, ...], set[Masked]] = defaultdict(set)
    for key, m in zip(keys, seen, strict=True):
        sets[key].add(m)
    return [_prompt(sets[key], demands, row) for key, row in zip(keys, rows, strict=True)]


def word_values(row: Mapping[str, Any]) -> list[str]:
    """Return names and values of the words of an item, alternating."""
    return [x for word in row["bindings"]["words"] for x in (word["name"], word["value"])]


def _prompt(sentences: Iterable[Masked], demands: MaskDemands, row: Mapping[str, Any]) -> Prompt:
    return Prompt(tuple(sorted(sentences)), demands.scored_words(row), demands.for_writer(row))


def _key(row: Mapping[str, Any], place: str, joint: bool) -> tuple[str, ...]:
    """Return what a row shares with the others of its prompt; ``place`` is the row's own."""
    if row["set_id"] is not None:
        return ("set", row["set_id"])
    return ("template", row["template_id"], *word_values(row)) if joint else ("row", place)
