"""The rows of the explorer of an audit without a study: all forms that were asked, and what is left out."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from nextset.auditing.datasets.audited_dataset import AuditedDataset
from nextset.auditing.datasets.dataset_page import explorer_rows
from nextset.cli.audit_dataset import dataset_version
from tests.auditing.datasets.version_example import example_version
from tests.auditing.report.conftest import quads_and_scores
from tests.release.version_folders import scores_table, write_version


@pytest.fixture
def items(tmp_path: Path) -> tuple[AuditedDataset, pa.Table]:
    """A version of twelve items and two controls, with the scores of a model."""
    dataset = dataset_version(example_version(tmp_path / "items"))
    ids = pa.concat_tables(dataset.tables("nli", ("id",)))["id"].to_pylist()
    return dataset, scores_table(dict.fromkeys(ids, "entailment"), "m")


def test_a_model_asked_with_yes_no_questions_only_is_shown(items: tuple[AuditedDataset, pa.Table]) -> None:
    dataset, scores = items
    found = explorer_rows(dataset, {"qa": [scores]}, None)
    assert found is not None
    assert [m["name"] for m in found["models"]] == ["m (yes/no questions)"]
    assert (len(found["ids"]), found["total"], found["note"]) == (14, 14, "")
    both = explorer_rows(dataset, {"nli": [scores], "qa": [scores]}, None)
    assert both is not None
    assert [m["name"] for m in both["models"]] == ["m", "m (yes/no questions)"]
    assert explorer_rows(dataset, {}, None) is None


def test_quads_next_to_items_are_noted(items: tuple[AuditedDataset, pa.Table]) -> None:
    dataset, scores = items
    found = explorer_rows(dataset, {"nli": [scores], "question": []}, None)
    assert found is not None
    assert found["kind"] == "items"
    assert found["note"] == "The dataset also has questions, but the explorer shows only its items."


def test_quads_have_b_and_c(tmp_path: Path) -> None:
    quads, scores = quads_and_scores()
    dataset = dataset_version(write_version(tmp_path / "v", {"questions": quads}))
    found = explorer_rows(dataset, {"question": [scores]}, None)
    assert found is not None
    assert len(found["bias"][0]) == 3 * quads.num_rows
    assert "form" not in found["columns"]
