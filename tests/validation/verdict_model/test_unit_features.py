"""What the verdict model reads of units besides their texts."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from nextset.validation.verdict_model.calibration_scores import losses
from nextset.validation.verdict_model.classifier import held_out
from nextset.validation.verdict_model.unit_features import unit_features
from nextset.validation.verdict_model.verdict_prediction import predict_rest
from tests.validation.verdict_model.sample_verdicts import (
    CLASSES,
    sample_texts,
    sample_units,
    sample_verdicts,
)


def word_classes(language: str, word: str) -> tuple[str, ...]:
    assert language == "en"
    return (CLASSES[word],) if word in CLASSES else ()


def test_the_features_by_hand() -> None:
    units = pa.table(
        {
            "language": ["en"] * 4,
            "template": ["s: a {{MASK:adj}}", "s: a {{MASK:adj}}", "s: b {{MASK:noun}}", None],
            "relative_fluency": [-1.0, 1.0, None, None],
            "fill_rank": [1.0, 1.0, 1.0, 1.0],
            "fills": [["kind"], ["calm"], ["tea"], []],
            "fill_marks": [["polarity"], ["polarity", "joint"], [], []],
        }
    )
    found = unit_features(units, word_classes)
    known = {row.feature: (row.known, row.columns) for row in found.rows}
    assert known == {
        "relative_fluency": (2, 2),  # the value, and the mark that it is missing
        "fluency": (0, 0),
        "fill_rank": (4, 0),  # the same for all
        "missed": (0, 0),
        "disagreement": (0, 0),
        "stereotype": (0, 0),
        "template": (3, 1),  # b has one unit: nothing can be learned from it for another
        "mask_constraint": (3, 1),
        "fill_class": (3, 1),  # ADJ
        "fill_marks": (2, 1),  # polarity; joint has one unit
    }
    # the mean of -1 and 1 is 0 and their deviation 1; a value that is missing is the mean
    expected = [
        [-1, 0, 1, 1, 1, 1],
        [1, 0, 1, 1, 1, 1],
        [0, 1, 0, 0, 0, 0],
        [0, 1, 0, 0, 0, 0],
    ]
    np.testing.assert_allclose(found.values, expected)


def test_nothing_is_known_of_units_without_columns() -> None:
    found = unit_features(pa.table({"unit_id": ["a", "b"]}), word_classes)
    assert found.values.shape == (2, 0)
    assert {row.known for row in found.rows} == {0}


@pytest.mark.slow
def test_features_that_decide_are_found_although_the_texts_say_nothing() -> None:
    units = sample_units(200)
    ids = units["unit_id"].to_pylist()
    truth = sample_verdicts(units)
    known = {u: truth[u] for u in ids[:80]}
    about = unit_features(units, word_classes)
    found = predict_rest(ids, sample_texts(200), known, model="noise", about=about)
    assert found.report.better
    p = {row.unit_id: row.p_valid for row in found.predicted}
    rest = sorted(ids[80:], key=lambda u: -p[u])
    valid = sum(truth[u] == "valid" for u in rest)
    assert sum(truth[u] == "valid" for u in rest[:60]) > 1.4 * valid / 2
    # what is held out of the judged ones says the same
    assert found.report.hourly is not None
    assert found.report.hourly > 1.4 * found.report.hourly_shuffled


def test_templates_are_learned_without_the_verdict_that_is_predicted() -> None:
    """With two units a template and verdicts by chance, a template's mean with the unit itself would tell."""
    x = unit_features(sample_units(60, templates=30).select(["unit_id", "template"]), word_classes).values
    assert x.shape == (60, 30)
    classes = np.random.default_rng(5).integers(0, 2, 60)
    held = held_out(x, classes, (0, 1), 0)
    assert losses(held.model, classes).mean() > losses(held.base, classes).mean() - 0.01


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_the_order_of_units_does_not_matter(order: slice) -> None:
    units = sample_units(30)
    rows = list(range(30))[order]
    found = unit_features(units.take(rows), word_classes)
    whole = unit_features(units, word_classes)
    assert found.rows == whole.rows
    np.testing.assert_allclose(found.values, whole.values[rows])
