"""The templates that a search never sees: a seeded share of those of each class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from nextset.errors import StudyError
from nextset.extensions.interventions.triggers.trigger_records import Form, TemplateSplit
from nextset.records.hypothesis_patterns import PATTERN_COLUMNS, hypothesis_patterns, template_patterns
from nextset.study.held_out_names import held_out_names, template_family

__all__ = ["ClassRows", "item_families", "quad_families", "split_templates"]

Families = Mapping[str, str]
"""The family of each template by template_id; all templates of a family are on the same side."""


@dataclass(frozen=True)
class ClassRows:
    """The templates of one class in one form."""

    form: Form
    """The form of the rows."""
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
