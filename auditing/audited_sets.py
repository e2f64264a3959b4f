"""The sets of rows that an audit of a study measures, read from the artifacts of its stages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nextset.artifacts.artifact import open_artifact
from nextset.auditing.audit_form import AUDIT_FORMS
from nextset.auditing.nli.judged_weights import selections_of
from nextset.auditing.row_sets import RowSet, artifact_rows, joined_rows
from nextset.forms import FormName
from nextset.study.item_tables import patterns_of_items

__all__ = ["RELEASED", "judged_rows", "study_sets"]

RELEASED = "released"
"""The name of the set that a study releases."""


def study_sets(
    out: Path, form: FormName, *, released: bool, candidates: Sequence[tuple[str, str]] = ()
) -> tuple[RowSet, ...]:
    """Return the sets of a study's ``out`` that are asked in ``form``, with the released one if there is one.

    ``candidates`` are the stages and tables whose rows the first set has together; without them, it has those
    that the form names. Raises MissingStage if a stage has not run.
    """
    sets = [s for s in AUDIT_FORMS[form].study_sets if released or s[0] != RELEASED]
    patterns = patterns_of_items(out) if AUDIT_FORMS[form].has_patterns else {}
    tables = [[(stage, table)] for _, stage, table in sets]
    if candidates:
        tables[0] = list(candidates)
    return tuple(
        joined_rows(
            [artifact_rows(name, open_artifact(out / stage), table, None, patterns) for stage, table in own]
        )
        for (name, *_), own in zip(sets, tables, strict=True)
    )


def judged_rows(out: Path) -> RowSet | None:
    """Return the items in ``out`` that annotators judged, valid or not; None if a rule checked their form."""
    validated = open_artifact(out / "validate")
    if "valid" not in validated.tables:
        return None
    selections = selections_of(
        validated.table("judgments"), validated.table("adjudications"), validated.table("posteriors")
    )
    return artifact_rows("judged", validated, "items", selections, patterns_of_items(out))
