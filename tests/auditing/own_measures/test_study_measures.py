"""Measures that a study names: trust, tables, page, snapshots and staleness."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.auditing.audit_tables import OWN_MEASURES, TABLES
from nextset.auditing.stage import audit_recipe, study_measures
from nextset.errors import InputError, StudyError

WORDS = Path(__file__).parents[2] / "generation" / "questions"
STUDY = """\
format: 1
name: pets
questions: {packs: [small_pack]}
filter:
  candidates: [questions]
  models: [builtin:qa-roformer]
  rule: {any_of: [{c_at_least: 0.001}, answer_differs]}
"""
OWN = '''\
import numpy as np
from nextset.auditing.own_measures.function_measure import FunctionMeasure


def lean(items, predictions):
    """Return the mean of C."""
    return predictions["c"].mean()


def broken(items, predictions):
    return items["nothing"]


SIZE = FunctionMeasure(name="size", title="Size of C", scale="size",
                       function=lambda items, predictions: np.abs(predictions["c"]).mean())
OF_ITEMS = FunctionMeasure(name="of_items", forms=("nli", "qa"), function=lean)
'''

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own_measures") / "pets"
    shutil.copytree(WORDS / "small_pack", folder / "small_pack")
    (folder / "own.py").write_text(OWN, encoding="utf-8")
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    study = nextset.Study.load(folder)
    for stage in (nextset.generate, nextset.score, nextset.filter_candidates, nextset.report_filter):
        stage(study)
    nextset.audit(study)
    return folder


def study_with(folder: Path, tmp_path: Path, measures: str, *, trust_code: bool = True) -> nextset.Study:
    copy = tmp_path / "pets"
    shutil.copytree(folder, copy)
    (copy / "study.yaml").write_text(f"{STUDY}audit: {{measures: {measures}}}\n", encoding="utf-8")
    return nextset.Study.load(copy, trust_code=trust_code)


def test_own_measures_are_in_tables_page_and_snapshots_and_stale_when_changed(
    folder: Path, tmp_path: Path
) -> None:
    before = open_artifact(folder / "out" / "audit")
    study = study_with(folder, tmp_path, "[own.py:lean, own.py:SIZE]")
    recipe = audit_recipe(study)
    assert recipe.key != before.key
    audited = nextset.audit(study)
    assert audited.tables == (*TABLES, OWN_MEASURES)
    assert audited.snapshot("own/own.py") == OWN.encode()
    own = {row["measure"]: row for row in audited.table(OWN_MEASURES).to_pylist()}
    assert own["lean"]["definition"] == "Return the mean of C."
    assert (own["size"]["title"], own["size"]["source"]) == ("Size of C", "own.py:SIZE")
    rows = [r for r in audited.table("measures").to_pylist() if r["selection"] == "all"]
    size, mean_c = (
        [(r["subject_class"], r["by"], r["part"], r["value"], r["low"]) for r in rows if r["measure"] == name]
        for name in ("size", "mean_c")
    )
    assert sorted(size)[0][:3] == sorted(mean_c)[0][:3]
    for one, other in zip(sorted(size, key=str), sorted(mean_c, key=str), strict=True):
        assert one[3] == pytest.approx(other[3])
    assert "size" in {row["measure"] for row in audited.table("sensitivity").to_pylist()}
    assert [r for r in audited.table("measures").to_pylist() if r["measure"] not in own] == before.table(
        "measures"
    ).to_pylist()
    page = (nextset.write_report(study).folder / "index.html").read_text(encoding="utf-8")
    assert "Size of C is not a measure of nextset. It is computed by own.py:SIZE" in page
    (study.folder / "own.py").write_text(OWN.replace("the mean", "a mean"), encoding="utf-8")
    assert audit_recipe(study).key != audited.key


def test_code_is_refused_without_trust_and_its_errors_name_it(folder: Path, tmp_path: Path) -> None:
    study = study_with(folder, tmp_path, "[own.py:broken]", trust_code=False)
    audit_recipe(study)  # the state of a study is known without its code
    with pytest.raises(StudyError, match="its code is not trusted") as e:
        nextset.audit(study)
    written = study.file.read_text(encoding="utf-8").splitlines()
    assert e.value.line
    assert "own.py:broken" in written[e.value.line - 1]
    trusted = nextset.Study.load(study.folder, trust_code=True)
    with pytest.raises(
        InputError, match=r"the measure broken \(own.py:broken\): it raised KeyError"
    ) as error:
        nextset.audit(trusted)
    assert "for builtin:qa-roformer and the part all" in str(error.value)
    assert error.value.file == study.folder / "own.py"
    assert error.value.line == OWN.splitlines().index('    return items["nothing"]') + 1


def test_unknown_and_repeated_names_are_errors(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no installed package has a measure 'nothing'"):
        nextset.audit(study_with(folder, tmp_path / "a", "[nothing]"))
    with pytest.raises(InputError, match="two measures are named 'lean'"):
        nextset.audit(study_with(folder, tmp_path / "b", "[own.py:lean, own.py:lean]"))
    with pytest.raises(InputError, match="is not a function"):
        nextset.audit(study_with(folder, tmp_path / "c", "[accuracy]"))


def test_a_measure_of_other_forms_is_an_error_before_the_first_stage(folder: Path, tmp_path: Path) -> None:
    study = study_with(folder, tmp_path, "[own.py:OF_ITEMS, own.py:lean]")
    with pytest.raises(
        StudyError, match=r"of_items \(own.py:OF_ITEMS\) is defined for nli, qa, but"
    ) as error:
        study_measures(study)
    assert "asked as question" in str(error.value)
    assert error.value.file == study.file
