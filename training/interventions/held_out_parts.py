"""What training never sees: a share of the templates and of the subjects of each class."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from nextset.study.held_out_names import held_out_names, template_family
from nextset.training.interventions.tuning_records import HeldOutPart

__all__ = ["held_out_parts", "seen_rows", "unseen_rows"]

SUBJECTS = ("subject1", "subject2")


def held_out_parts(
    quads: pa.Table, twins: pa.Table, language: str, subject_class: str, share: float, seed: int
) -> list[HeldOutPart]:
    """Return the templates and subjects of ``quads`` and their specified ``twins``, all of one class.

    About ``share`` of the subjects are held out, and of the families of templates; families that only twins
    have are drawn by themselves.
    """
    key = f"tuning/{seed}/{language}/{subject_class}"
    names = {name: template_family(name) for rows in (quads, twins) for name in _values(rows, "template_id")}
    compared = {names[name] for name in _values(quads, "template_id")}
    hidden = held_out_names(compared, share, key) | held_out_names(set(names.values()) - compared, share, key)
    subjects = {name for rows in (quads, twins) for column in SUBJECTS for name in _values(rows, column)}
    unseen = held_out_names(subjects, share, f"{key}/subjects")

    def part(kind: Literal["template", "subject"], name: str, held_out: bool) -> HeldOutPart:
        return HeldOutPart(
            language=language, subject_class=subject_class, kind=kind, name=name, held_out=held_out
        )

    return [
        *(part("template", name, family in hidden) for name, family in sorted(names.items())),
        *(part("subject", name, name in unseen) for name in sorted(subjects)),
    ]


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
    found = _among(rows["template_id"], names["template"])
    for column in SUBJECTS:
        found = pc.and_(found, _among(rows[column], names["subject"]))
    return rows.filter(found)


def _among(column: pa.ChunkedArray, names: list[str]) -> pa.ChunkedArray:
    return pc.is_in(pc.cast(column, pa.string()), value_set=pa.array(names, pa.string()))


def _values(rows: pa.Table, column: str) -> set[str]:
    return set(pc.unique(pc.cast(rows[column], pa.string())).to_pylist())
