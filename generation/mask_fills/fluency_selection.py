"""The selection of fluent fills: by a least fluency, and by the rank among the fills of a prompt."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import pyarrow as pa

from nextset.generation.mask_fills.filled_items import FillResult
from nextset.generation.mask_fills.mask_demands import MaskDemands
from nextset.generation.mask_fills.mask_prompts import prompts_of
from nextset.generation.mask_words import prompt_id
from nextset.study.generation_settings import FillSettings

__all__ = ["select_fluent"]

DECIMALS = 6
"""Fluencies that agree to this many decimals are a tie: later decimals depend on the model batch."""

Words = tuple[str, ...]


@dataclass(frozen=True)
class _Fillings:
    """The items with the same words for the same prompt; they are kept or dropped together."""

    rows: list[int]
    rank: int
    fluency: float | None
    """The mean over the prompt's sentences."""
    relative: float | None


def select_fluent(
    items: pa.Table, masked: pa.Table, settings: FillSettings, demands: MaskDemands
) -> FillResult:
    """Return the items whose fills are fluent enough by ``settings``, and counts of dropped fills by reason.

    ``items`` has the columns of `with_fluency`, and ``masked`` the rows that the items were made from. First,
    fluency.at_least drops fills; then, keep takes the most fluent ones of each prompt. Ties go to the better
    rank. The sentences of a prompt count with their mean, so items that differ only by group stay together.
    """
    chosen = settings.fluency_settings
    counts: Counter[str] = Counter()
    dropped: set[int] = set()

    def drop(reason: str, fillings: Sequence[_Fillings]) -> None:
        for filling in fillings:
            counts[reason] += len(filling.rows)
            dropped.update(filling.rows)

    for fillings in _by_prompt(items, masked, settings, demands).values():
        left = fillings
        if chosen is not None and chosen.at_least is not None:
            least = chosen.at_least
            less = [f for f in left if f.relative is None or f.relative < least]
            drop(f"fills less fluent than {least:g}, dropped", less)
            left = [f for f in left if f not in less]
        if most := settings.most_fluent:
            ranked = sorted(left, key=lambda f: (-round(f.fluency or 0.0, DECIMALS), f.rank))
            ranked.sort(key=lambda f: f.fluency is None)
            drop(f"fills not among the {most.best} most fluent of {most.of}, dropped", ranked[most.best :])
    keep = pa.array([i not in dropped for i in range(items.num_rows)], pa.bool_())
    return FillResult(items.filter(keep), dict(counts))


def _by_prompt(
    items: pa.Table, masked: pa.Table, settings: FillSettings, demands: MaskDemands
) -> dict[str, list[_Fillings]]:
    prompts = prompts_of(masked, demands, joint=settings.groups == "joint", premise=settings.premise)
    prompt_of = {
        row: prompt_id(prompt) for row, prompt in zip(masked["id"].to_pylist(), prompts, strict=True)
    }
    rows = items.to_pylist()
    together: dict[str, dict[Words, list[int]]] = defaultdict(lambda: defaultdict(list))
    for i, row in enumerate(rows):
        words = tuple(fill["word"] for fill in row["bindings"]["fills"])
        together[prompt_of[row["parent_id"]]][words].append(i)
    return {
        prompt: [_fillings([rows[i] for i in places], places) for places in by_words.values()]
        for prompt, by_words in together.items()
    }


def _fillings(rows: Sequence[Mapping[str, Any]], places: list[int]) -> _Fillings:
    sentences = {row["hypothesis"]: row for row in rows}.values()
    rank = min(row["bindings"]["fills"][0]["rank"] for row in rows)
    return _Fillings(places, rank, *(_mean(sentences, name) for name in ("fluency", "relative_fluency")))


def _mean(rows: Any, column: str) -> float | None:
    known = sorted(row[column] for row in rows if row[column] is not None)
    return fmean(known) if known else None
