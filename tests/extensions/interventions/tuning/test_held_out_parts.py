"""What training never sees, in classes that share subjects."""

from __future__ import annotations

import pyarrow as pa
import pytest

from nextset.extensions.interventions.tuning.held_out_parts import (
    ClassRows,
    held_out_parts,
    seen_rows,
    unseen_rows,
)

PEOPLE = ["Anna", "Mary", "Peter", "Paul", "Ruth", "Karl"]


def rows(people: list[str], templates: list[str]) -> pa.Table:
    pairs = [(a, b, t) for a in people for b in people for t in templates if a != b]
    first, second, named = zip(*pairs, strict=True)
    return pa.table({"template_id": list(named), "subject1": list(first), "subject2": list(second)})


@pytest.mark.parametrize("seed", range(8))
def test_a_subject_that_one_class_trains_on_is_held_out_in_none(seed: int) -> None:
    work = rows(PEOPLE, ["office.male", "office.female", "shop"])
    mood = rows(PEOPLE[2:], ["home", "garden"])
    none = work.slice(0, 0)
    classes = [ClassRows("en", "work", work, none), ClassRows("en", "mood", mood, none)]
    parts = held_out_parts(classes, 0.5, seed)
    trained: set[str] = set()
    for own, of in zip(parts, classes, strict=True):
        for column in ("subject1", "subject2"):
            trained.update(seen_rows(of.quads, own)[column].to_pylist())
    for own, of in zip(parts, classes, strict=True):
        measured = unseen_rows(of.quads, own)
        assert measured.num_rows
        for column in ("subject1", "subject2"):
            assert trained.isdisjoint(measured[column].to_pylist())


def test_templates_that_differ_by_gender_alone_are_on_one_side() -> None:
    work = rows(PEOPLE, ["office.male", "office.female", "shop"])
    (parts,) = held_out_parts([ClassRows("en", "work", work, work.slice(0, 0))], 0.5, 0)
    sides = {p.name: p.held_out for p in parts if p.kind == "template"}
    assert sides["office.male"] == sides["office.female"] != sides["shop"]
