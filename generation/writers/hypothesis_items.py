"""Proposed hypotheses become templates, which expand into items."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from nextset.generation.template_expansion import expand
from nextset.generation.templates.template import Statement, Template
from nextset.generation.writers.proposed_hypotheses import ProposalStance
from nextset.records.nli_items import Writer

__all__ = ["hypothesis_items", "hypothesis_templates"]


def hypothesis_templates(
    templates: Sequence[Template], proposed: Sequence[Mapping[str, Any]], stance: ProposalStance, folder: Path
) -> list[Template]:
    """Return the templates, with the hypotheses proposed for ``stance`` as their only statements.

    ``proposed`` are rows of ProposedHypotheses, from the artifact in ``folder``. Templates without a proposed
    hypothesis are omitted.
    """
    proposed_templates = []
    for template in templates:
        key = (template.language, template.stereotype, stance)
        statements = tuple(
            Statement(
                kind="hypothesis",
                text=row["hypothesis"],
                question=row["question"],
                label="neutral",
                file=folder,
                line=None,
            )
            for row in proposed
            if (row["language"], row["stereotype"], row["stance"]) == key
        )
        if statements:
            proposed_templates.append(dataclasses.replace(template, statements=statements))
    return proposed_templates


def hypothesis_items(
    templates: Sequence[Template], stance: ProposalStance, writer: Writer, *, both: bool, max_rows: int
) -> pa.Table:
    """Expand ``templates`` into items with ``writer`` in their bindings: items of ``stance``, or of ``both``.

    Raises TemplateError if there would be more than ``max_rows`` rows.
    """
    items = expand(templates, tests=False, max_rows=max_rows).items
    if not both:
        items = items.filter(pc.equal(items["stance_design"], stance))
    at = items.schema.get_field_index("bindings")
    field = items.schema.field(at)
    named = [{**row, "writer": dataclasses.asdict(writer)} for row in items["bindings"].to_pylist()]
    return items.set_column(at, field, pa.array(named, field.type))
