"""Units made from items: a hypothesis, once for all its premises, or each premise with its hypothesis."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import JudgedUnit, unit_ids
from nextset.validation.model_disagreement import disagreement, missed_share

__all__ = ["Unit", "hypotheses_by_unit", "units"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A hypothesis within stereotype, group pair and language, and if pairs are judged, with one premise."""

    unit_id: str
    """Content hash (`nextset.records.content_ids.unit_ids`)."""
    language: str
    """BCP 47 tag."""
    domain: str
    """gender, race, religion, or a domain of the study's own."""
    stereotype: str
    """The stereotype's name."""
    group1: str
    """The first group in the order of their code points; empty if no groups are known."""
    group2: str
    """The other group; empty if no groups are known."""
    hypothesis: str
    """The text that is judged."""
    stance_design: Literal["pro", "anti", "mixed"]
    """The items' stance by design; mixed if the same text was made as pro and as anti."""
    n_items: int
    """The number of items of the unit."""
    premise: str
    """The first of its premises in the order of their code points."""
    disagreement: float | None
    """Share of the pairs of filter models of which one is right, the mean over its items; null below two
    models."""
    missed: float | None
    """Share of the filter models that are wrong, the mean over its items; null if unknown."""
    fluency: float | None
    """The mean fluency of its items; null if no fluency was computed."""
    relative_fluency: float | None
    """The same relative to their template."""
    template: str | None
    """The stereotype and the hypothesis with its placeholders; null without a template."""
    fills: tuple[str, ...]
    """The words at its masks, from left to right; empty if it has no mask."""
    fill_rank: float | None
    """The mean rank of its items' fills, from 1; null if it has no mask."""
    fill_marks: tuple[str, ...]
    """The marks on its items' fills, sorted; empty if there are none."""


def units(
    items: pa.Table,
    models: int = 0,
    templates: Mapping[str, str] | None = None,
    *,
    unit: JudgedUnit = "hypothesis",
) -> pa.Table:
    """Return the units of a table of NLI items, in the schema of `Unit`.

    ``models`` is the number of models that the filter asked, ``templates`` the hypothesis with placeholders
    by template_id. Test items are controls with a known label and make no unit. The rows are ordered by
    unit_id. The order is thus the same in every run, and since the id is a hash, similar sentences are not
    next to each other.
    """
    rows: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for unit_id, row in zip(unit_ids(items, unit), items.to_pylist(), strict=True):
        if row["stance_design"] != "test":
            rows[unit_id].append(row)
    made = (_unit(unit_id, rows[unit_id], models, templates or {}) for unit_id in sorted(rows))
    return table_of(made, Unit)


def hypotheses_by_unit(units: pa.Table) -> dict[str, str]:
    """Return a key of the hypothesis of each unit, by unit_id: the pairs of one hypothesis have the same."""
    names = ("language", "stereotype", "group1", "group2", "hypothesis")
    return {row["unit_id"]: "\n".join(row[name] for name in names) for row in units.to_pylist()}


def _unit(unit_id: str, rows: Sequence[Mapping[str, Any]], models: int, templates: Mapping[str, str]) -> Unit:
    first = min(rows, key=lambda row: row["id"])
    bindings = first["bindings"]
    fills = [row["bindings"]["fills"] for row in rows if row["bindings"] and row["bindings"]["fills"]]
    texts = {templates[row["template_id"]] for row in rows if row["template_id"] in templates}
    group1, group2 = ("", "") if bindings is None else sorted((bindings["group1"], bindings["group2"]))
    stances = {row["stance_design"] for row in rows}
    return Unit(
        unit_id=unit_id,
        language=first["language"],
        domain=first["domain"],
        stereotype=first["stereotype"],
        group1=group1,
        group2=group2,
        hypothesis=first["hypothesis"],
        stance_design=stances.pop() if len(stances) == 1 else "mixed",
        n_items=len(rows),
        premise=min(row["premise"] for row in rows),
        disagreement=_mean(
            [disagreement(row.get("missed_by"), models, row.get("unanswered_by")) for row in rows]
        ),
        missed=_mean([missed_share(row.get("missed_by"), models, row.get("unanswered_by")) for row in rows]),
        fluency=_mean([row.get("fluency") for row in rows]),
        relative_fluency=_mean([row.get("relative_fluency") for row in rows]),
        template=f"{first['stereotype']}: {min(texts)}" if texts else None,
        fills=tuple(fill["word"] for fill in bindings["fills"]) if bindings else (),
        fill_rank=_mean([float(made[0]["rank"]) for made in fills]),
        fill_marks=tuple(sorted({mark for row in rows for mark in row.get("fill_marks") or ()})),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = sorted(v for v in values if v is not None)
    return sum(known) / len(known) if known else None
