"""What the filter kept, the units that people judge of it, and the gold items among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pyarrow as pa

from nextset.artifacts.artifact import open_artifact
from nextset.errors import StudyError
from nextset.records.content_ids import unit_ids
from nextset.study.study_folder import Study
from nextset.validation.annotator_pages.choices import StudyKind
from nextset.validation.plan.gold import GoldItem, read_gold
from nextset.validation.question_units import question_units
from nextset.validation.units import units

__all__ = ["gold_of", "kept_items", "kept_units", "kind_of", "need_people", "page_language", "units_of_rows"]


def kind_of(study: Study) -> StudyKind:
    """What people judge: hypotheses, or questions (masked statements are among them)."""
    return "nli" if study.filter.form == "nli" else "question"


def need_people(study: Study) -> None:
    """Raise StudyError where a rule judges: what people say would count for nothing."""
    if study.settings.validate_.judge == "rule":
        raise StudyError(
            "a rule judges this study: what people say would not count",
            file=study.file,
            remedy="set validate: {judge: people}",
        )


def kept_items(study: Study) -> pa.Table:
    """The items, quads or statements that the filter kept; raises MissingStage before `filter` has run."""
    return open_artifact(study.out / "filter").table("kept")


def kept_units(study: Study) -> pa.Table:
    """Their units: `nextset.validation.units.Unit`, or `nextset.validation.question_units.QuestionUnit`.

    Raises MissingStage before `filter` has run.
    """
    make = units if kind_of(study) == "nli" else question_units
    return make(kept_items(study), len(study.filter.models))


def units_of_rows(study: Study, rows: pa.Table) -> Sequence[str | None]:
    """The unit of each row that the filter kept; None for test items, which are not judged."""
    if kind_of(study) == "question":
        return list(rows["id"].to_pylist())
    stances = rows["stance_design"].to_pylist()
    return [None if s == "test" else u for u, s in zip(unit_ids(rows), stances, strict=True)]


def gold_of(study: Study) -> Mapping[str, GoldItem]:
    """The gold items that the study names, by unit_id; raises JudgmentError where its file is wrong."""
    session = study.settings.validate_.session
    if session is None or not session.gold:
        return {}
    items = read_gold(study.path(session.gold), study.filter.form, premise=session.premise)
    return {item.unit_id: item for item in items}


def page_language(study: Study, units: pa.Table) -> str:
    """The language of most units, in which the page is; the study's where there are none."""
    found = Counter(sorted(units["language"].to_pylist())).most_common(1)
    return found[0][0] if found else study.settings.language
