"""The part of a preview on masks: what they take, and the fills of the last run by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from nextset.artifacts.artifact import Artifact
from nextset.artifacts.drop_counts import drops
from nextset.forms import FORMS
from nextset.generation.templates.template import Template
from nextset.study.mask_constraint import parse_constraint

__all__ = ["FillPreview", "fill_preview", "mask_counts"]


@dataclass(frozen=True)
class FillPreview:
    """The fills in out/fill."""

    counts: dict[str, int] = field(default_factory=dict)
    """The kept items by claim, then the dropped fills by reason, the most frequent first."""
    examples: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """A few kept hypotheses by claim, each of another template."""


def mask_counts(templates: Iterable[Template], default: str) -> dict[str, int]:
    """Return the numbers of masks, of those with anchors, and of those that take only listed words.

    ``default`` is the constraint of masks without one, as in fill.mask.
    """
    masked = (s for t in templates for s in t.statements if s.kind == "masked")
    constraints = [c if str(c) else parse_constraint(default) for s in masked for c in s.constraints]
    counts = {
        "masks": len(constraints),
        "masks with anchors": sum(bool(c.like) for c in constraints),
        "masks that take only listed words": sum(c.listed for c in constraints),
    }
    return counts if constraints else {}


def fill_preview(filled: Artifact, examples: int) -> FillPreview:
    """Return the fills in the artifact ``filled`` by kind, with up to ``examples`` of a kind."""
    items = filled.table("items")
    kinds = map(_kind, items["fill_claim"].to_pylist()) if "fill_claim" in items.schema.names else []
    by_kind = [*kinds] or ["kept"] * items.num_rows
    dropped = sorted(drops(filled.counts).items(), key=lambda reason: -reason[1])
    counts = {**Counter(sorted(by_kind)), **_others(filled), **dict(dropped)}
    return FillPreview(counts, _examples(items, by_kind, examples))


def _others(filled: Artifact) -> dict[str, int]:
    """Return the numbers of filled rows of other forms than NLI items."""
    names = {form.generated: f"kept, {form.noun}" for form in FORMS if form.masked and not form.counterparts}
    return {noun: filled.rows(table) for table, noun in names.items() if table in filled.tables}


def _kind(claim: Any) -> str:
    return f"kept, {claim} the claim" if claim else "kept, at masks without anchors"


def _examples(items: pa.Table, kinds: list[str], most: int) -> dict[str, tuple[str, ...]]:
    texts: dict[str, dict[str, str]] = {kind: {} for kind in sorted(set(kinds))}
    for kind, template, text in zip(
        kinds, items["template_id"].to_pylist(), items["hypothesis"].to_pylist(), strict=True
    ):
        texts[kind].setdefault(template, text)
    return {kind: tuple(dict.fromkeys(of_kind.values()))[:most] for kind, of_kind in texts.items()}
