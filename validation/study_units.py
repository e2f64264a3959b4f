"""A study's units, made from the items that the filter kept, and its gold items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from nextset.artifacts.artifact import is_finished, open_artifact
from nextset.errors import StudyError
from nextset.forms import FormName
from nextset.records.content_ids import JudgedUnit
from nextset.study.filter_settings import FilterSettings
from nextset.study.stereotype_sentences import by_name, stated_stereotypes, with_sentences
from nextset.study.validation_settings import ValidateSettings
from nextset.validation.forms.validated_form import VALIDATED_FORMS, judged_form
from nextset.validation.plan.gold import GoldItem, read_gold

__all__ = [
    "gold_items",
    "kept_items",
    "kept_unit_count",
    "kept_units",
    "need_annotators",
    "page_language",
]


def need_annotators(settings: ValidateSettings, file: Path) -> None:
    """Raise StudyError, naming the study's ``file``, if the study has a rule instead of annotators."""
    if settings.judge == "rule":
        raise StudyError(
            "a rule judges this study (validate.judge is rule): annotators' judgments would not count",
            file=file,
            remedy="set validate: {judge: people}",
        )


def kept_items(folder: Path) -> pa.Table:
    """Return the items, quads or statements that the filter kept, from its artifact's ``folder``.

    Raises MissingStage before `filter` has run.
    """
    return open_artifact(folder).table("kept")


def kept_units(out: Path, settings: FilterSettings, unit: JudgedUnit) -> pa.Table:
    """Return the units of the items that the filter kept; ``out`` is the folder of the study's artifacts,
    ``unit`` the study's setting validate.unit.

    The rows are those of `nextset.validation.hypothesis_units`, with the stereotype and its opposite as
    sentences (`SENTENCE_COLUMNS`), or of `nextset.validation.question_units`. Raises MissingStage before
    `filter` has run.
    """
    kept, form = kept_items(out / "filter"), judged_form(settings.form, unit)
    units = form.units(kept, len(settings.models), lambda: _templates(out / "generate"))
    if not form.states_stereotype:
        return units
    stated = stated_stereotypes(out) if is_finished(out / "generate") else ()
    return with_sentences(units, by_name(stated))


def kept_unit_count(folder: Path, form: FormName, unit: JudgedUnit) -> int:
    """Return the number of units of the items that the filter kept, from its artifact's ``folder``.

    Reads only the columns that distinguish units. Raises MissingStage before `filter` has run.
    """
    return judged_form(form, unit).count_units(open_artifact(folder))


def _templates(folder: Path) -> dict[str, str]:
    """Return the hypothesis with placeholders by template_id; none if all items were imported.

    Each mask is written with its constraint, as in the template file.
    """
    if not is_finished(folder):
        return {}
    rows = open_artifact(folder).table("templates").to_pylist()
    return {row["template_id"]: _with_constraints(row) for row in rows}


def _with_constraints(row: Mapping[str, Any]) -> str:
    first, *others = str(row["hypothesis"]).split("{{MASK}}")
    constraints = row.get("mask_constraints") or [""] * len(others)
    masks = (f"{{{{MASK:{c}}}}}" if c else "{{MASK}}" for c in constraints)
    return first + "".join(f"{mask}{text}" for mask, text in zip(masks, others, strict=True))


def gold_items(
    settings: ValidateSettings, form: FormName, place: Callable[[str], Path]
) -> Mapping[str, GoldItem]:
    """Return the gold items that ``settings`` name, by unit_id; ``place`` resolves paths of study.yaml.

    Raises JudgmentError if their file is wrong.
    """
    if settings.session is None or not settings.session.gold:
        return {}
    items = read_gold(
        place(settings.session.gold),
        judged_form(form, settings.unit),
        list(VALIDATED_FORMS),
        premise=settings.shows_premise,
    )
    return {item.unit_id: item for item in items}


def page_language(units: pa.Table, default: str) -> str:
    """Return the language of the annotators' pages: that of most units, or ``default`` without units."""
    languages = Counter(sorted(units["language"].to_pylist())).most_common(1)
    return languages[0][0] if languages else default
