"""A study whose filter has kept something, without a model that was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from nextset.artifacts.artifact import Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import item_ids
from nextset.records.nli_items import Bindings, NliItem
from nextset.study.study_folder import Study
from tests.records import ITEM

__all__ = ["SESSION", "kept", "made_study"]

SESSION = """
    consent: Example University runs this study. Your answers are kept under a pseudonym.
    support: Talk to A. Example, room 1, when something troubles you.
    budget: {batch: 12, person: 100, pause: 0}
    rest_every: 6
"""

_STUDY = """
format: 1
name: made
templates: [builtin:gender/man_is_to_programmer]
filter: {{models: [builtin:nli-electra, builtin:nli-roberta]}}
release: {{name: made, version: 0.1.0}}
validate:
  session:{session}
"""

_GROUPS = (("gender", "man", "woman"), ("religion", "Catholic", "Jewish"), ("race", "Asian", "white"))


def kept(
    n: int,
    text: str = "The {group} keeps number {i}.",
    groups: Sequence[tuple[str, str, str]] = _GROUPS,
    stereotype: str = "{group} is to {i}",
) -> pa.Table:
    """``n`` items, each a unit of its own, over the domains and pairs of ``groups``."""
    items = []
    for i in range(n):
        domain, one, other = groups[i % len(groups)]
        items.append(
            replace(
                ITEM,
                domain=domain,
                stereotype=stereotype.format(group=one, i=i % 6),
                hypothesis=text.format(group=one, i=i),
                bindings=Bindings(one, other),
                stance_design="pro" if i % 2 else "anti",
            )
        )
    table = table_of(items, NliItem)
    table = table.set_column(0, table.schema.field("id"), pa.array(item_ids(table)))
    missed = [
        ["builtin:nli-electra"] if i % 2 else ["builtin:nli-electra", "builtin:nli-roberta"] for i in range(n)
    ]
    return table.append_column("missed_by", pa.array(missed, pa.list_(pa.string())))


def made_study(folder: Path, n: int = 12, session: str = SESSION, table: pa.Table | None = None) -> Study:
    """A study in ``folder`` of which the filter kept ``n`` items, or those of ``table``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.yaml").write_text(_STUDY.format(session=session), encoding="utf-8")
    study = Study.load(folder)
    rows = kept(n) if table is None else table
    build(
        study.out / "filter",
        Recipe("filter", 1, {}, {"rows": rows.num_rows}),
        lambda: [Part("kept", lambda: PartResult(rows))],
    )
    return study
