"""studies/choice: from templates of choices to hard items, a dataset version and a report."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.release.loaded_version import load_version
from tests.complete_choice_sets import incomplete_sets

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(root: Path, tmp_path: Path) -> Path:
    """The shipped study in a folder for the test."""
    copied: Path = shutil.copytree(
        root / "studies" / "choice", tmp_path / "choice", ignore=shutil.ignore_patterns("out")
    )
    return copied


def test_the_shipped_study_has_three_categories_and_no_findings(folder: Path) -> None:
    study = nextset.Study.load(folder)
    assert nextset.lint(study).findings == ()
    nextset.generate(study)
    generated = open_artifact(study.out / "generate")
    tables = [generated.table(name) for name in ("choices", "masked_choices")]
    categories = {category for table in tables for category in table["category"].to_pylist()}
    assert categories == {"age", "religion", "socioeconomic_status"}
    assert not any(map(incomplete_sets, tables))


def test_one_category_of_it_runs_to_the_report(folder: Path) -> None:
    file = folder / "study.yaml"
    text = file.read_text(encoding="utf-8").replace("age, religion, socioeconomic_status", "age")
    file.write_text(text.replace("subset: 2 ", "subset: 1 "), encoding="utf-8")
    study = nextset.Study.load(folder)
    nextset.run(study)
    (version,) = (study.out / "dataset").iterdir()
    released = load_version(version)["choices"].to_arrow()
    kept = open_artifact(study.out / "filter").table("kept")
    assert sorted(released["id"].to_pylist()) == sorted(kept["id"].to_pylist())
    # a kept item is one that most of the three models get wrong
    assert min(map(len, kept["missed_by"].to_pylist())) == 2
    page = (study.out / "report" / "index.html").read_text(encoding="utf-8")
    assert "s_AMB" in page
    assert "builtin:nli-albert (held out)" in page
