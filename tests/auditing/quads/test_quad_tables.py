"""Tables of quads as arrays: classes apart, scores in any order, and whatever is inconsistent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from nextset.auditing.quads.quad_columns import SCORES, QuadModel
from nextset.auditing.quads.quad_tables import quad_classes, scores_by_model, scores_of
from nextset.errors import ArtifactError, MissingStage

ROWS = [
    ("q1", "pets", "t1", "kind", "good", "Rex", "Tom", "dog", "cat"),
    ("q2", "towns", "t1", "big", "", "Ulm", "Bonn", "", ""),
    ("q3", "pets", "t2", "late", "bad", "Tom", "Rex", "cat", "dog"),
]
NAMES = ("id", "subject_class", "template_id", "attribute", "attribute_cluster", "subject1", "subject2",
         "cluster1", "cluster2")  # fmt: skip


def quads(rows: Any = ROWS) -> pa.Table:
    return pa.table({n: pa.array([r[i] for r in rows], pa.string()) for i, n in enumerate(NAMES)})


def scores(ids: str = "q1 q2 q3", model: str = "m", revision: str = "r", role: str = "audit") -> pa.Table:
    names = ids.split()
    same = {"item_id": names, "model": [model] * len(names), "revision": [revision] * len(names)}
    numbers = {s: [int(n[1:]) / 10 + k / 100 for n in names] for k, s in enumerate(SCORES)}
    return pa.table({**same, "role": [role] * len(names), **numbers})


def test_classes_are_apart_and_pieces_make_no_difference() -> None:
    found = quad_classes([quads()], "question")
    assert [t.columns.subject_class for t in found] == ["pets", "towns"]
    pets = found[0].columns
    assert (pets.subjects, pets.attributes, pets.templates) == (
        ("Rex", "Tom"),
        ("kind", "late"),
        ("t1", "t2"),
    )
    assert (pets.subject1.tolist(), pets.subject2.tolist()) == ([0, 1], [1, 0])
    assert (pets.clusters, pets.cluster1.tolist()) == (("cat", "dog"), [1, 0])
    assert pets.attribute_clusters == ("good", "bad")
    assert found[1].columns.subjects == ("Bonn", "Ulm")
    pieces = quad_classes([quads(ROWS[:1]), quads(ROWS[1:])], "question")
    for whole, part in zip(found, pieces, strict=True):
        assert whole.ids.equals(part.ids)
        assert repr(whole.columns) == repr(part.columns)
    assert quad_classes([quads([])], "question") == []


def test_scores_are_put_into_the_order_of_the_quads() -> None:
    (model,) = (by_model := scores_by_model([scores("q3 q2"), scores("q1")]))
    assert model == QuadModel("audit", "m", "r")
    pets = quad_classes([quads()], "question")[0]
    found = scores_of(pets, "m", by_model[model])
    assert found.shape == (8, 2)
    assert found[0].tolist() == [0.1, 0.3]
    assert found[7].tolist() == pytest.approx([0.17, 0.37])


def test_whatever_is_inconsistent_is_named() -> None:
    pets = quad_classes([quads()], "question")[0]
    with pytest.raises(MissingStage, match="m has no score for 1 of 2 quads, such as q3"):
        scores_of(pets, "m", scores("q1"))
    with pytest.raises(ArtifactError, match="two revisions of m are mixed: r, r2"):
        scores_by_model([scores(), scores(revision="r2")])
    for bad in (float("nan"), -0.1, 1.1, None):
        broken = scores("q1 q3")
        broken = broken.set_column(5, SCORES[1], pa.array([0.5, bad], pa.float64()))
        with pytest.raises(ArtifactError, match="the score of quad q3 by m is not a number from 0 to 1"):
            scores_of(pets, "m", broken)


def test_models_are_apart() -> None:
    both = pa.concat_tables([scores(model="b"), scores(model="a", role="filter")])
    found = scores_by_model([both])
    assert sorted(found) == [QuadModel("audit", "b", "r"), QuadModel("filter", "a", "r")]
    assert all(table.num_rows == 3 for table in found.values())


def test_clusters_that_are_null_count_as_none() -> None:
    row = ("q1", "pets", "t1", "kind", None, "Rex", "Tom", None, "cat")
    (found,) = quad_classes([quads([row])], "question")
    assert found.columns.clusters == ("", "cat")
    assert np.array(found.columns.clusters)[found.columns.cluster1].tolist() == [""]
    assert found.columns.attribute_clusters == ("",)
