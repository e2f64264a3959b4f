"""Items from masked hypotheses and a model's words for the masks (Baldini et al. 2023, section 3)."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa

from nextset.generation.mask_fills.fill_selection import Filling, FillSelection, Fits
from nextset.generation.mask_fills.mask_demands import MaskDemands
from nextset.generation.mask_fills.mask_prompts import prompts_of, word_values
from nextset.generation.mask_words import prompt_id
from nextset.generation.sound_rules.rule_names import named_rules
from nextset.generation.templates.anchors import claim_of_all
from nextset.generation.templates.placeholders import place_words
from nextset.generation.templates.question_inflection import question_words
from nextset.records.arrow_schema import arrow_schema
from nextset.records.content_ids import content_id
from nextset.records.nli_items import Fill, NliItem
from nextset.study.generation_settings import FillSettings
from nextset.study.item_tables import with_ids

__all__ = ["KEPT", "FillResult", "claim_counts", "fill", "words_per_list", "words_per_mask"]

PER_KEPT = 16
"""The number of words to request per word to keep: most words do not fit their mask, or are dropped."""


@dataclass(frozen=True)
class FillResult:
    """Items with filled masks, and counts of kept and dropped fills."""

    items: pa.Table
    counts: dict[str, int]


KEPT = "fills kept"
"""The name of the count of kept fills."""

OPPOSITE = {"pro": "anti", "anti": "pro"}

SPARE = 12
"""The number of words of a list to request beyond top_k; only words of the sentence or groups are dropped."""


def words_per_mask(settings: FillSettings) -> int:
    """Return the number of words per mask to request from the model."""
    return settings.top_k * PER_KEPT


def words_per_list(settings: FillSettings) -> int:
    """Return the number of words to request for a mask with a list; a tagger drops some in the sentence."""
    return words_per_mask(settings) if settings.tagger else settings.top_k + SPARE


def fill(
    masked: pa.Table,
    words: pa.Table,
    settings: FillSettings,
    demands: MaskDemands,
    fits: Fits | None = None,
    distinct: Callable[[pa.Table], pa.Table] = with_ids,
    *,
    opposites: bool = True,
) -> FillResult:
    """Fill each masked hypothesis of ``masked`` with up to ``settings.top_k`` of its ``words`` (MaskWords).

    `FillSelection` decides which words are kept. The counts have every filling that was tried, as kept or by
    the reason why it was dropped. ``distinct`` merges the filled hypotheses that make the same row.
    With ``opposites``, fills against the claim of their template make rows of the opposite stance.
    """
    fillings = _fillings(words)
    counts: Counter[str] = Counter()
    selection = FillSelection(demands, settings.allow, settings.top_k, fits, opposites)
    filled: list[dict[str, Any]] = []
    prompts = prompts_of(masked, demands, joint=settings.groups == "joint", premise=settings.premise)
    for row, prompt in zip(masked.to_pylist(), prompts, strict=True):
        selected = selection.select(row, prompt, fillings.get(prompt_id(prompt), ()))
        counts.update(selected.dropped)
        if len(selected.fillings) < settings.top_k:
            short = "with fewer fills than top_k" if selected.fillings else "without a fill"
            counts[f"masked rows {short}"] += 1
        for rank, fills in enumerate(selected.fillings, 1):
            ranked = [dataclasses.replace(f, rank=rank) for f in fills]
            filled.append(_filled(row, demands, ranked, settings.groups == "joint"))
    schema = arrow_schema(NliItem)
    if any(row["fill_claim"] for row in filled):
        schema = schema.append(pa.field("fill_claim", pa.string()))
    table = pa.Table.from_pylist(filled, schema=schema)
    items = distinct(table)
    counts.update(claim_counts(table))
    counts[KEPT] = table.num_rows
    counts["rows with the same text as another row, merged"] = table.num_rows - items.num_rows
    return FillResult(items, dict(counts))


def claim_counts(items: pa.Table) -> dict[str, int]:
    """Return the number of ``items`` with, against and beside the claim; empty without anchors."""
    if "fill_claim" not in items.schema.names:
        return {}
    claims = Counter(claim for claim in items["fill_claim"].to_pylist() if claim)
    return {f"fills {claim} their template's claim": n for claim, n in sorted(claims.items())}


def _fillings(words: pa.Table) -> dict[str, list[Filling]]:
    """Return the fillings of each prompt, best first."""
    by_rank: dict[tuple[str, int], dict[int, Fill]] = {}
    for row in words.to_pylist():
        fills = by_rank.setdefault((row["prompt_id"], row["rank"]), {})
        fills[row["mask"]] = Fill(row["word"], row["rank"], row["score"])
    by_prompt: dict[str, list[Filling]] = {}
    for (prompt, _), fills in sorted(by_rank.items()):
        by_prompt.setdefault(prompt, []).append(tuple(fills[mask] for mask in sorted(fills)))
    return by_prompt


def _filled(
    row: Mapping[str, Any], demands: MaskDemands, fills: Sequence[Fill], joint: bool
) -> dict[str, Any]:
    words = [f.word for f in fills]
    asked = question_words(words, demands.constraints(row), row["question_forms"])
    assert asked is not None, "a filling that does not fit the question is not selected"
    rules, language = named_rules(row["rules"]), row["language"]
    placed = partial(place_words, capitalise=True, language=language, rules=rules)
    claims = zip(demands.claims(row), words, strict=True)
    claim = claim_of_all([claim_of(word) for claim_of, word in claims if claim_of is not None])
    return {
        **row,
        "stance_design": OPPOSITE[row["stance_design"]] if claim == "against" else row["stance_design"],
        "fill_claim": claim,
        "hypothesis": placed(row["hypothesis"], words).text,
        "question": placed(row["question"], asked).text,
        "bindings": {**row["bindings"], "fills": [dataclasses.asdict(f) for f in fills]},
        "set_id": content_id("set", row["template_id"], *word_values(row), *words) if joint else None,
        "parent_id": row["id"],
    }
