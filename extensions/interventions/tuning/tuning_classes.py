"""The rows and sentences of each class that training sees, and those that it never sees."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from nextset.artifacts.artifact import Artifact
from nextset.errors import StudyError
from nextset.extensions.interventions.intervention import Intervention, interventions_of
from nextset.extensions.interventions.settings.tuning_settings import TuningSettings
from nextset.extensions.interventions.tuning.held_out_parts import (
    ClassRows,
    held_out_parts,
    seen_rows,
    unseen_rows,
)
from nextset.extensions.interventions.tuning.tuning_records import HeldOutPart
from nextset.records.content_ids import content_id

__all__ = ["TuningClass", "tuning_classes"]


@dataclass(frozen=True)
class TuningClass:
    """A class in one language."""

    quads: pa.Table
    """The questions that training reads."""
    twins: pa.Table
    """The specified twins that training reads."""
    sentences: tuple[Intervention, ...]
    """The sentences that training reads."""
    parts: tuple[HeldOutPart, ...]
    """All templates and subjects; each says whether it is held out."""


def tuning_classes(generated: Artifact, settings: TuningSettings, study_file: Path) -> list[TuningClass]:
    """Return the rows and sentences of each class of questions in ``generated`` that training sees.

    Raises StudyError if there are no questions, or if a class has no question or sentence left for training
    or for measuring.
    """
    if "quads" not in generated.tables or not generated.rows("quads"):
        raise StudyError(
            "interventions.tuning: the study makes no questions", file=study_file,
            remedy="add questions with the form question, or remove tuning",
        )  # fmt: skip
    sentences = interventions_of(generated.table("interventions"))
    quads = generated.table("quads")
    known = "specified_questions"  # this table is missing with interventions.twins: 0
    twins = generated.table(known) if known in generated.tables else quads.slice(0, 0)
    named = pa.table({n: pc.cast(quads[n], pa.string()) for n in ("language", "subject_class")})
    keys = sorted(
        (row["language"], row["subject_class"])
        for row in named.group_by(list(named.column_names)).aggregate([]).to_pylist()
    )
    classes = [ClassRows(*key, _of_class(quads, *key), _of_class(twins, *key)) for key in keys]
    prepared = []
    for rows, parts in zip(classes, held_out_parts(classes, settings.held_out, settings.seed), strict=True):
        language, name = rows.language, rows.subject_class
        class_sentences = [i for i in sentences if i.language == language and name in i.classes]
        heard = tuple(i for i in class_sentences if not i.held_out)
        unheard = tuple(i for i in class_sentences if i.held_out)
        seen = _Side(seen_rows(rows.quads, parts), seen_rows(rows.twins, parts), heard)
        unseen = _Side(unseen_rows(rows.quads, parts), unseen_rows(rows.twins, parts), unheard)
        for side, what, which in ((seen, "train on", "seen"), (unseen, "measure on", "held out")):
            if lacking := side.lacking(settings, which):
                lacks, remedy = lacking
                raise StudyError(
                    f"interventions.tuning: no {lacks} is left to {what} for {name} ({language})",
                    file=study_file,
                    remedy=remedy,
                )
        prepared.append(
            TuningClass(_drawn(seen.quads, settings), _drawn(seen.twins, settings), seen.sentences, parts)
        )
    return prepared


@dataclass(frozen=True)
class _Side:
    """The rows and sentences of a class that training sees, or those that it does not see."""

    quads: pa.Table
    twins: pa.Table
    sentences: tuple[Intervention, ...]

    def lacking(self, settings: TuningSettings, which: str) -> tuple[str, str] | None:
        """Return the missing part and the remedy, or None if nothing is missing."""
        if not self.quads.num_rows:
            return (
                f"question whose template and subjects are all {which}",
                "raise questions.subset, change tuning.held_out, or remove the class",
            )
        weights = settings.loss_weights.model_dump()
        if weights.pop("twins") and not self.twins.num_rows:
            return (
                f"specified twin whose template and subjects are all {which}",
                "raise interventions.twins, or set tuning.loss_weights.twins to 0",
            )
        kinds = {i.kind for i in self.sentences}
        for kind in (kind for kind, weight in weights.items() if weight and kind not in kinds):
            return f"{kind} sentence", "add sentences, or raise interventions.most if it is less than 2"
        return None


def _of_class(rows: pa.Table, language: str, name: str) -> pa.Table:
    return rows.filter(pc.and_(pc.equal(rows["language"], language), pc.equal(rows["subject_class"], name)))


def _drawn(rows: pa.Table, settings: TuningSettings) -> pa.Table:
    """Return the questions of ``rows`` that training reads: at most a set number, drawn by seed and id."""
    ids = rows["id"].to_pylist()
    order = sorted(range(len(ids)), key=lambda i: content_id("tuning", str(settings.seed), ids[i]))
    return rows.take(pa.array(sorted(order[: settings.questions]), pa.int64()))
