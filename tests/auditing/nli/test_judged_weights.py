"""Which judged items count, and how much: verdicts, adjudications and posteriors by hand."""

from __future__ import annotations

import pyarrow as pa
import pytest

from nextset.auditing.nli.judged_weights import SELECTIONS, Selections, selections_of
from nextset.auditing.nli.population import population

ITEMS = pa.table(
    {
        "unit_id": ["u1", "u2", "u3", "u4", "u5", None, "u6"],
        "verdict": ["valid", "valid", "invalid", None, "valid", None, "incoherent"],
        "stance_judged": pa.array(["pro", "anti", None, None, "pro", None, None]),
        "stance_design": ["pro", "anti", "pro", "pro", "pro", "test", "anti"],
        "names_group": [True, True, True, True, False, True, True],
    }
)
"""u4 has no verdict, u5 names no group, and the sixth is a test item."""
JUDGMENTS = pa.table(
    {
        "unit_id": ["u1", "u1", "u2", "u2", "u2", "u3", "u3", "u5", "u6", "u6"],
        "verdict": ["valid"] * 2 + ["valid", "valid", "invalid"] + ["invalid", "valid", "valid"]
        + ["incoherent", "invalid"],
    }
)  # fmt: skip
NONE = JUDGMENTS.slice(0, 0)


def weights(found: Selections) -> dict[str, list[float]]:
    return {name: values.tolist() for name, values in found.weights(ITEMS, population(ITEMS)).items()}


def test_all_selections_by_hand() -> None:
    found = weights(selections_of(JUDGMENTS, NONE))
    assert list(found) == list(SELECTIONS)
    assert found == {
        # what names a group and was not found invalid or incoherent; u4 has no verdict
        "measured": [1, 1, 0, 1, 0, 0, 0],
        "majority": [1, 1, 0, 0, 0, 0, 0],
        # two of two for u1, two of three for u2
        "unanimous": [1, 0, 0, 0, 0, 0, 0],
        "judged": [1, 1, 1, 0, 0, 0, 1],
        "weighted": [1, pytest.approx(2 / 3), 1 / 2, 0, 0, 0, 0],
    }


def test_the_posterior_of_validity_is_the_sum_over_its_stances() -> None:
    posteriors = pa.table(
        {
            "unit_id": ["u1", "u1", "u1", "u2", "u3"],
            "label": ["valid pro", "valid anti", "invalid", "valid", "invalid"],
            "probability": [0.5, 0.25, 0.25, 0.9, 1.0],
        }
    )
    found = weights(selections_of(JUDGMENTS, NONE, posteriors))
    # u6 was judged and has no posterior
    assert found["weighted"] == [0.75, 0.9, 0, 0, 0, 0, 0]
    assert found["unanimous"] == [1, 0, 0, 0, 0, 0, 0]


def test_an_adjudication_settles_a_unit() -> None:
    adjudications = pa.table({"unit_id": ["u2", "u3", "u1"], "verdict": ["valid", "invalid", "invalid"]})
    found = weights(selections_of(JUDGMENTS, adjudications))
    assert found["weighted"] == [0, 1, 0, 0, 0, 0, 0]
    # everybody said valid of u1, whoever adjudicated it otherwise
    assert found["unanimous"] == [1, 0, 0, 0, 0, 0, 0]


def test_a_unit_without_votes_or_posteriors_counts_nothing() -> None:
    found = weights(selections_of(NONE, NONE))
    assert found["weighted"] == found["unanimous"] == [0] * 7
    assert found["judged"] == [1, 1, 1, 0, 0, 0, 1]


def test_without_judgments_there_is_one_selection_and_without_posteriors_four() -> None:
    assert Selections().names == ("measured",)
    assert weights(Selections()).keys() == {"measured"}
    assert Selections(judged=True).names == ("measured", "majority", "unanimous", "judged")
    assert tuple(weights(Selections(judged=True))) == Selections(judged=True).names
