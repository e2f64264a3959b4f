"""The classes of a trigger search: their rows, the templates that a search never sees, and refused words.

The templates are a seeded share of those of each class. Each step reads a few of the rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.compute as pc

from nextset.errors import StudyError
from nextset.extensions.interventions.intervened_rows import class_column
from nextset.extensions.interventions.settings.trigger_settings import TriggerSettings
from nextset.extensions.interventions.triggers.searched_model import BatchRows
from nextset.extensions.interventions.triggers.trigger_records import TemplateSplit
from nextset.extensions.interventions.triggers.trigger_vocabulary import (
    TriggerWords,
    group_words,
    subject_words,
)
from nextset.forms import FormName
from nextset.records.hypothesis_patterns import PATTERN_COLUMNS, hypothesis_patterns, template_patterns
from nextset.study.held_out_names import held_out_names, template_family
from nextset.study.scoring_settings import StatementSettings

__all__ = [
    "ClassRows",
    "SearchClass",
    "SearchRows",
    "item_classes",
    "item_families",
    "quad_classes_of",
    "quad_families",
    "split_templates",
]

Families = Mapping[str, str]
"""The family of each template by template_id; all templates of a family are on the same side."""


@dataclass(frozen=True)
class ClassRows:
    """The templates of one class in one form."""

    form: FormName
    language: str
    """BCP 47 tag."""
    subject_class: str
    """The class; for NLI items, the domain."""
    compared: Families
    """The templates of the rows that compare groups."""
    known: Families
    """The templates of the rows whose answers are known: specified twins, or test items."""


def quad_families(template_ids: Iterable[str]) -> Families:
    """Return the families of quad templates: their ids differ only by the gender after a full stop."""
    return {name: template_family(name) for name in sorted(set(template_ids))}


def item_families(items: pa.Table, templates: pa.Table) -> Families:
    """Return the families of templates of NLI ``items``: their stereotype and the pattern of the hypothesis.

    A hypothesis has one template per premise, and the answers to these are similar. ``templates`` are
    TemplateRows.
    """
    rows = items.select(list(PATTERN_COLUMNS))
    patterns = hypothesis_patterns(rows, template_patterns(templates)).to_pylist()
    columns = (items[name].to_pylist() for name in ("template_id", "stereotype"))
    named = zip(*columns, patterns, strict=True)
    return {str(name): f"{stereotype}\n{pattern}" for name, stereotype, pattern in named}


def split_templates(rows: ClassRows, share: float, seed: int, study_file: Path) -> list[TemplateSplit]:
    """Return the templates of a class, with about ``share`` of their families held out.

    At least one family of the compared rows is on each side. The order of the names is drawn by ``seed``,
    regardless of the form, so that a context is on the same side in questions and in statements. Families
    that only rows with known answers have are drawn separately. Raises StudyError for a class with a single
    family.
    """
    compared = sorted(set(rows.compared.values()))
    if len(compared) < 2:
        raise StudyError(
            f"interventions.triggers: {rows.subject_class} ({rows.form}, {rows.language}) has a single "
            f"template, {compared[0].splitlines()[-1]!r}, so none can be held out",
            file=study_file,
            remedy="add a template, or remove the class",
        )
    others = sorted(set(rows.known.values()) - set(compared))
    key = f"triggers/{seed}/{rows.language}/{rows.subject_class}"
    held_out = held_out_names(compared, share, key) | held_out_names(others, share, key)
    return [
        TemplateSplit(
            form=rows.form,
            language=rows.language,
            subject_class=rows.subject_class,
            template_id=name,
            held_out=family in held_out,
        )
        for name, family in sorted({**rows.known, **rows.compared}.items())
    ]


@dataclass(frozen=True)
class SearchRows:
    """The rows of one class, without those of templates that are held out."""

    compared: pa.Table
    """Quads or masked statements, or NLI items."""
    units: Sequence[Sequence[int]]
    """The rows that are read together: single quads, or sets of NLI items that differ only by the group."""
    known: pa.Table
    """Rows whose answers are known; may be empty."""

    @classmethod
    def of_quads(cls, quads: pa.Table, twins: pa.Table, held_out: Collection[str]) -> SearchRows:
        """Return the rows of quads or masked statements and of their specified twins."""
        compared = _seen(quads, held_out)
        return cls(compared, [(i,) for i in range(compared.num_rows)], _seen(twins, held_out))

    @classmethod
    def of_items(cls, items: pa.Table, held_out: Collection[str]) -> SearchRows:
        """Return the rows of NLI items: sets of two or more, and test items."""
        seen = _seen(items, held_out)
        is_test = pc.equal(seen["stance_design"], "test")
        compared = seen.filter(pc.invert(is_test))
        members: dict[str, list[int]] = {}
        for i, name in enumerate(compared["set_id"].to_pylist()):
            if name is not None:
                members.setdefault(name, []).append(i)
        return cls(
            compared, [indices for indices in members.values() if len(indices) > 1], seen.filter(is_test)
        )

    def sample(self, random: Random, n: int) -> BatchRows:
        """Return ``n`` units and ``n`` rows whose answers are known, or all if there are fewer."""
        units = random.sample(range(len(self.units)), min(n, len(self.units)))
        rows = [row for unit in sorted(units) for row in self.units[unit]]
        known = sorted(random.sample(range(self.known.num_rows), min(n, self.known.num_rows)))
        return BatchRows(
            self.compared.take(pa.array(rows, pa.int64())), self.known.take(pa.array(known, pa.int64()))
        )


def _seen(rows: pa.Table, held_out: Collection[str]) -> pa.Table:
    names = pc.cast(rows["template_id"], pa.string())
    return rows.filter(pc.invert(pc.is_in(names, value_set=pa.array(sorted(held_out), pa.string()))))


@dataclass(frozen=True)
class SearchClass:
    """A class in one form, with the rows that a search may see."""

    form: FormName
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
    form: FormName,
    quads: pa.Table,
    twins: pa.Table,
    settings: TriggerSettings,
    masks: StatementSettings,
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


def _named(rows: pa.Table, form: FormName) -> list[tuple[str, str]]:
    columns = [pc.cast(rows[name], pa.string()) for name in ("language", class_column(form))]
    distinct = pa.table(columns, names=["language", "name"]).group_by(["language", "name"]).aggregate([])
    return sorted((row["language"], row["name"]) for row in distinct.to_pylist())


def _of_class(rows: pa.Table, form: FormName, language: str, name: str) -> pa.Table:
    same = pc.and_(pc.equal(rows["language"], language), pc.equal(rows[class_column(form)], name))
    return rows.filter(same)


def _held_out(splits: Iterable[TemplateSplit]) -> set[str]:
    return {split.template_id for split in splits if split.held_out}


def _if_weighed(known: pa.Table, settings: TriggerSettings) -> pa.Table:
    """Return ``known``, or no rows if their answers do not count."""
    return known if settings.accuracy_weight else known.slice(0, 0)
