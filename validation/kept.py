"""What the filter kept, and the units that people judge of it."""

from __future__ import annotations

import pyarrow as pa

from nextset.artifact import open_artifact
from nextset.study import Study
from validation.question_units import question_units
from validation.units import units

__all__ = ["kept_items", "kept_units"]


def kept_items(study: Study) -> pa.Table:
    """The items, quads or statements that the filter kept; raises MissingStage before `filter` has run."""
    return open_artifact(study.out / "filter").table("kept")


def kept_units(study: Study) -> pa.Table:
    """Their units: `validation.units.Unit`, or `validation.question_units.QuestionUnit`.

    Raises MissingStage before `filter` has run.
    """
    make = units if study.filter.form == "nli" else question_units
    return make(kept_items(study), len(study.filter.models))
