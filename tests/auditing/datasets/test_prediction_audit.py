"""Audits of prediction files: the measures of the published analysis, several models, refusals."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nextset
from nextset.errors import InputError
from tests.auditing.predictions.prediction_example import predictions, published_analysis, write_predictions

SUBJECTS = ("left_Ana", "right_Bo", "left_Cy", "right_Di")


@given(seed=st.integers(0, 2**32))
@settings(max_examples=5)
def test_the_measures_are_those_of_the_published_analysis(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    entries = predictions(Random(seed), SUBJECTS)
    folder = tmp_path_factory.mktemp("audit")
    audited = nextset.audit_dataset(write_predictions(folder / "m.output.json", entries), out=folder / "out")
    expected = published_analysis(entries)
    measures = audited.to_pandas("measures")
    whole = measures[measures["by"] == "all"].set_index("measure")["value"]
    assert whole["positional_error"] == pytest.approx(expected.delta, abs=1e-9)
    assert whole["attribute_error"] == pytest.approx(expected.epsilon, abs=1e-9)
    assert whole["mu"] == pytest.approx(expected.mu, abs=1e-9)
    assert whole["eta"] == pytest.approx(expected.eta, abs=1e-9)
    rows = [
        row
        for row in audited.table("preferences").to_pylist()
        if row["by"] == "subject" and row["attribute"] != ""
    ]
    assert len(rows) == len(expected.gamma)
    for row in rows:
        place = (row["subject"].lower(), row["attribute"].lower())
        assert row["gamma"] == pytest.approx(expected.gamma[place], abs=1e-9)
        assert row["eta"] == pytest.approx(expected.eta_of[place], abs=1e-9)


def test_each_file_is_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = [
        write_predictions(tmp_path / f"{name}.output.json", predictions(Random(i), SUBJECTS))
        for i, name in enumerate(("bert", "roberta"))
    ]
    audited = nextset.audit_dataset(files)
    assert audited.folder == Path("audit-bert") / "audit"
    assert audited.to_pandas("models")["model"].tolist() == ["bert", "roberta"]
    assert set(audited.to_pandas("comparisons")["first_model"]) == {"bert"}
    assert nextset.audit_dataset(files).built == "reused"


def test_files_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    first = write_predictions(tmp_path / "a.output.json", predictions(Random(1), SUBJECTS))
    other = write_predictions(tmp_path / "b.output.json", predictions(Random(1), SUBJECTS[:3]))
    with pytest.raises(InputError, match="its quads are not those of"):
        nextset.audit_dataset([first, other], out=tmp_path / "out")
    (tmp_path / "again").mkdir()
    same = write_predictions(tmp_path / "again" / "a.output.json", predictions(Random(1), SUBJECTS))
    with pytest.raises(InputError, match="two files are named a"):
        nextset.audit_dataset([first, same], out=tmp_path / "out")
    with pytest.raises(InputError, match="models cannot be asked about predictions"):
        nextset.audit_dataset(first, ["builtin:nli-electra"], tmp_path / "out")
    (pairs := tmp_path / "pairs.csv").write_text("premise,hypothesis,label\nA.,B.,neutral\n")
    (tmp_path / "pairs.json").write_text("[]")
    for file, models in (
        (pairs, ["builtin:nli-electra"]),
        (pairs, []),
        (tmp_path / "pairs.json", ["builtin:nli-bart"]),
    ):
        with pytest.raises(InputError, match="is a file, not a dataset version") as e:
            nextset.audit_dataset(file, models, tmp_path / "out")
        assert "`nextset import STUDY FILE`" in e.value.remedy
    with pytest.raises(InputError, match="is not a file with predictions"):
        nextset.audit_dataset([first, tmp_path], out=tmp_path / "out")
    with pytest.raises(InputError, match="cannot be read"):
        nextset.audit_dataset(tmp_path / "nothing.output.json", out=tmp_path / "out")


def _statements(entries: Any) -> Any:
    return {k: e | {"context": "NA"} for k, e in entries.items()}


_ONE_QUAD = {"left_Ana", "right_Bo", "0", "was late 0"}
DIFFERENT: dict[str, tuple[Callable[[Any], Any], str]] = {
    "form": (_statements, "it has masked statements, but the first file has questions"),
    "fewer subjects": (
        lambda e: {k: v for k, v in e.items() if "_Di" not in k}, "subjects are missing: right_Di",
    ),
    "other subject": (
        lambda e: {k.replace("_Di", "_Ed"): v for k, v in e.items()},
        "subjects are missing: right_Di, and others are only in this file: right_Ed",
    ),
    "attribute": (
        lambda e: {k.replace("late 1", "calm"): v for k, v in e.items()}, "are only in this file: was calm",
    ),
    "template": (
        lambda e: {k.replace("|1|None", "|7|None"): v for k, v in e.items()}, "templates are missing: 1,",
    ),
    "attribute cluster": (
        lambda e: {k.replace("None", "job"): v for k, v in e.items()}, "has the cluster 'job' instead of ''",
    ),
    "number": (
        lambda e: {k: v for k, v in e.items() if not {*k.split("|")} >= _ONE_QUAD},
        "it has 23 quads, but the first file has 24: 'left_Ana|right_Bo|0|was late 0' is missing",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_differs_between_two_files_is_said(name: str, tmp_path: Path) -> None:
    change, why = DIFFERENT[name]
    entries = predictions(Random(1), SUBJECTS)
    first = write_predictions(tmp_path / "a.output.json", entries)
    other = write_predictions(tmp_path / "b.output.json", change(entries))
    with pytest.raises(InputError, match=re.escape(why)) as e:
        nextset.audit_dataset([first, other], out=tmp_path / "out")
    assert e.value.file == other


def test_clusters_of_attributes_that_differ_by_case_are_the_same(tmp_path: Path) -> None:
    files = []
    for name, clusters in (("a", ("Alpha", "beta")), ("b", ("alpha", "Beta"))):
        entries = {
            key.replace("None", clusters[int("|1|None" in key)]): entry
            for key, entry in predictions(Random(1), SUBJECTS).items()
        }
        files.append(write_predictions(tmp_path / f"{name}.output.json", entries))
    found = nextset.audit_dataset(files, out=tmp_path / "out")
    assert found.to_pandas("models")["model"].tolist() == ["a", "b"]


@pytest.mark.parametrize("name", [".output.json", "a\x1bb.output.json", "a\udcff.output.json"])
def test_a_file_without_the_name_of_a_model_is_refused(name: str, tmp_path: Path) -> None:
    file = write_predictions(tmp_path / name, predictions(Random(1), SUBJECTS))
    with pytest.raises(InputError, match="does not name a model") as e:
        nextset.audit_dataset(file, out=tmp_path / "out")
    assert str(e.value).encode()


def test_results_of_other_files_are_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for i in (1, 2):
        (tmp_path / f"run{i}").mkdir()
        write_predictions(tmp_path / f"run{i}" / "bert.output.json", predictions(Random(i), SUBJECTS))
    made = nextset.audit_dataset("run1/bert.output.json")
    with pytest.raises(InputError, match="audit-bert holds the results of a different audit") as e:
        nextset.audit_dataset("run2/bert.output.json")
    assert "--out" in e.value.remedy
    assert nextset.audit_dataset("run1/bert.output.json").digest == made.digest
