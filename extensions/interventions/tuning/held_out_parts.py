"""The parts that training never sees: a share of the templates and of the subjects of each class."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from nextset.extensions.interventions.tuning.tuning_records import HeldOutPart
from nextset.study.held_out_names import held_out_number, held_out_together, template_family

__all__ = ["ClassRows", "held_out_parts", "seen_rows", "unseen_rows"]

SUBJECTS = ("subject1", "subject2")


@dataclass(frozen=True)
class ClassRows:
    """The rows of a class in one language."""

    language: str
    """BCP 47 tag."""
    subject_class: str
    quads: pa.Table
    """Its questions."""
    twins: pa.Table
    """Its specified twins."""


def held_out_parts(classes: Sequence[ClassRows], share: float, seed: int) -> list[tuple[HeldOutPart, ...]]:
    """Return the templates and subjects of each of ``classes``.

    About ``share`` of the subjects and of the families of templates are held out. Families that only twins
    have are drawn separately. Classes can share names, and a shared name is held out in all classes or in
    none, because one reader is trained on all classes.
    """
    families = [_families(rows.quads) for rows in classes]
    others = [_families(rows.twins) - own for rows, own in zip(classes, families, strict=True)]
    subjects = [_subjects(rows) for rows in classes]
    hidden = held_out_together(
        (*families, *others), lambda n: held_out_number(n, share), f"tuning/{seed}/templates"
    )
    unseen = held_out_together(subjects, lambda n: held_out_number(n, share), f"tuning/{seed}/subjects")
    return [tuple(_parts(rows, hidden, unseen)) for rows in classes]


def _families(rows: pa.Table) -> set[str]:
    return {template_family(name) for name in _values(rows, "template_id")}


def _subjects(rows: ClassRows) -> set[str]:
    tables = (rows.quads, rows.twins)
    return {name for table in tables for column in SUBJECTS for name in _values(table, column)}


def _parts(rows: ClassRows, hidden: Collection[str], unseen: Collection[str]) -> Iterator[HeldOutPart]:
    part = functools.partial(HeldOutPart, language=rows.language, subject_class=rows.subject_class)
    for name in sorted(_values(rows.quads, "template_id") | _values(rows.twins, "template_id")):
        yield part(kind="template", name=name, held_out=template_family(name) in hidden)
    for name in sorted(_subjects(rows)):
        yield part(kind="subject", name=name, held_out=name in unseen)


def seen_rows(rows: pa.Table, parts: Iterable[HeldOutPart]) -> pa.Table:
    """Return the ``rows`` of a class whose template and subjects are all seen."""
    return _rows(rows, parts, held_out=False)


def unseen_rows(rows: pa.Table, parts: Iterable[HeldOutPart]) -> pa.Table:
    """Return the ``rows`` of a class whose template and subjects are all held out."""
    return _rows(rows, parts, held_out=True)


def _rows(rows: pa.Table, parts: Iterable[HeldOutPart], *, held_out: bool) -> pa.Table:
    names: dict[str, list[str]] = {"template": [], "subject": []}
    for part in parts:
        if part.held_out == held_out:
            names[part.kind].append(part.name)
    mask = _among(rows["template_id"], names["template"])
    for column in SUBJECTS:
        mask = pc.and_(mask, _among(rows[column], names["subject"]))
    return rows.filter(mask)


def _among(column: pa.ChunkedArray, names: list[str]) -> pa.ChunkedArray:
    return pc.is_in(pc.cast(column, pa.string()), value_set=pa.array(names, pa.string()))


def _values(rows: pa.Table, column: str) -> set[str]:
    return set(pc.unique(pc.cast(rows[column], pa.string())).to_pylist())
