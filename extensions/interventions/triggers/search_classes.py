"""The classes of a trigger search: rows, templates, and words that triggers cannot have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from nextset.errors import StudyError
from nextset.extensions.interventions.settings.trigger_settings import TriggerSettings
from nextset.extensions.interventions.triggers.refused_words import TriggerWords, group_words, subject_words
from nextset.extensions.interventions.triggers.search_rows import SearchRows
from nextset.extensions.interventions.triggers.template_split import (
    ClassRows,
    item_families,
    quad_families,
    split_templates,
)
from nextset.extensions.interventions.triggers.trigger_records import Form, TemplateSplit
from nextset.study.scoring_settings import MaskSettings

__all__ = ["SearchClass", "item_classes", "quad_classes_of"]

_COLUMN = {"nli": "domain"}
"""The column that names the class, if it is not subject_class."""


@dataclass(frozen=True)
class SearchClass:
    """A class in one form, with the rows that a search may see."""

    form: Form
    """The form of its rows."""
    language: str
    """BCP 47 tag."""
    name: str
    """The class of the subjects; for NLI items, the domain."""
    rows: SearchRows
    """The rows of templates that are not held out."""
    words: TriggerWords
    """The rules for the words of a trigger."""
    splits: tuple[TemplateSplit, ...]
    """All templates of the class."""


def quad_classes_of(
    form: Form,
    quads: pa.Table,
    twins: pa.Table,
    settings: TriggerSettings,
    masks: MaskSettings,
    study_file: Path,
) -> list[SearchClass]:
    """Return the classes of questions or masked statements, with their specified ``twins``.

    Raises StudyError for a class with a single template.
    """
    classes = []
    for language, name in _named(quads, form):
        mine, known = (_of_class(table, form, language, name) for table in (quads, twins))
        families = [quad_families(table["template_id"].unique().to_pylist()) for table in (mine, known)]
        splits = split_templates(
            ClassRows(form, language, name, *families), settings.held_out, settings.seed, study_file
        )
        rows = SearchRows.of_quads(mine, _if_weighed(known, settings), _held_out(splits))
        words = TriggerWords(language, subject_words(mine, masks), settings.words)
        classes.append(SearchClass(form, language, name, rows, words, tuple(splits)))
    return classes


def item_classes(
    items: pa.Table, templates: pa.Table, settings: TriggerSettings, study_file: Path
) -> list[SearchClass]:
    """Return the domains of NLI ``items``, whose templates are the TemplateRows ``templates``.

    Raises StudyError for a domain whose items have a single pattern, or without items that differ only by the
    group.
    """
    classes = []
    for language, name in _named(items, "nli"):
        mine = _of_class(items, "nli", language, name)
        is_test = pc.equal(mine["stance_design"], "test")
        compared, known = mine.filter(pc.invert(is_test)), mine.filter(is_test)
        if not compared.num_rows:
            continue
        families = [item_families(table, templates) for table in (compared, known)]
        splits = split_templates(
            ClassRows("nli", language, name, *families), settings.held_out, settings.seed, study_file
        )
        seen = pa.concat_tables([compared, _if_weighed(known, settings)])
        rows = SearchRows.of_items(seen, _held_out(splits))
        if not rows.units:
            raise StudyError(
                f"interventions.triggers: no items of {name} ({language}) differ only by the group",
                file=study_file,
                remedy="write hypotheses with {{GROUP1}} or {{GROUP2}}, or remove the NLI classifiers from "
                "interventions.triggers.models",
            )
        words = TriggerWords(language, group_words(mine), settings.words)
        classes.append(SearchClass("nli", language, name, rows, words, tuple(splits)))
    return classes


def _named(rows: pa.Table, form: Form) -> list[tuple[str, str]]:
    columns = [pc.cast(rows[name], pa.string()) for name in ("language", _class_column(form))]
    distinct = pa.table(columns, names=["language", "name"]).group_by(["language", "name"]).aggregate([])
    return sorted((row["language"], row["name"]) for row in distinct.to_pylist())


def _class_column(form: Form) -> str:
    return _COLUMN.get(form, "subject_class")


def _of_class(rows: pa.Table, form: Form, language: str, name: str) -> pa.Table:
    same = pc.and_(pc.equal(rows["language"], language), pc.equal(rows[_class_column(form)], name))
    return rows.filter(same)


def _held_out(splits: Iterable[TemplateSplit]) -> set[str]:
    return {split.template_id for split in splits if split.held_out}


def _if_weighed(known: pa.Table, settings: TriggerSettings) -> pa.Table:
    """Return ``known``, or no rows if their answers do not count."""
    return known if settings.accuracy_weight else known.slice(0, 0)
