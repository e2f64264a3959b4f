"""The published files, as nextset reads them; they are not in the project."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from nextset.published_choices.choice_reading import published_choices
from nextset.published_choices.published_answers import published_predictions

pytestmark = pytest.mark.reference

BBQ = {"Age": 3680, "Disability_status": 1556, "Nationality": 3080, "Religion": 1200}
"""The published numbers of items (Parrish et al. 2022, table 1)."""


@pytest.mark.slow
@pytest.mark.parametrize("category", BBQ)
def test_every_item_of_bbq_has_its_target_unknown_and_set(reference: Path, category: str) -> None:
    file = reference / "bbq" / "unifiedqa" / f"preds_{category}.jsonl"
    items = published_choices(file, "en")
    assert items.num_rows == BBQ[category]
    for column in ("target", "unknown", "set_id"):
        assert items[column].null_count == 0, column
    rows = items.select(["condition", "label", "unknown", "set_id"]).to_pylist()
    assert all((row["label"] == row["unknown"]) == (row["condition"] == "ambiguous") for row in rows)
    # two conditions and two polarities, by one or both orders of the names
    assert set(Counter(row["set_id"] for row in rows).values()) <= {4, 8}


@pytest.mark.parametrize(("category", "unmatched"), [("Age", [0, 2, 1]), ("Religion", [0, 0, 0])])
def test_predictions_mean_an_option_except_three_answers_about_age(
    reference: Path, category: str, unmatched: list[int]
) -> None:
    chosen = published_predictions(reference / "bbq" / "unifiedqa" / f"preds_{category}.jsonl")
    assert [name.rpartition("_")[2] for name in chosen] == ["race", "qonly", "arc"]
    assert [int(np.sum(places < 0)) for places in chosen.values()] == unmatched
    assert {len(places) for places in chosen.values()} == {BBQ[category]}


def test_samples_of_kobbq_have_the_biased_answer_as_target_or_as_the_other_person(reference: Path) -> None:
    items = published_choices(reference / "kobbq" / "KoBBQ_test_samples.tsv", "en")
    assert items.num_rows == 2280
    assert items["target"].null_count == 0
    assert set(items["language"].to_pylist()) == {"ko"}
    assert Counter(Counter(items["set_id"].to_pylist()).values()) == {8: 285}


@pytest.mark.parametrize(
    ("name", "language", "rows"),
    [("data_es_Religion", "es", 648), ("data_es_Nationality", "es", 504),
     ("data_es_SpanishRegion", "es", 988), ("data_ca_Religion", "ca", 648)],
)  # fmt: skip
def test_items_of_esbbq_agree_with_its_own_statement_of_the_stereotype(
    reference: Path, name: str, language: str, rows: int
) -> None:
    items = published_choices(reference / "esbbq" / f"{name}.jsonl", "en")
    assert items.num_rows == rows
    for row in items.to_pylist():
        assert row["language"] == language
        aligned = (row["label"] == row["target"]) == (row["polarity"] == "negative")
        stated = {'"pro-stereo"': True, '"anti-stereo"': False}
        for text, expected in stated.items():
            if text in row["published"]:
                assert aligned == expected
