"""studies/published_bbq and studies/published_kobbq: their items are read from the published files."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from nextset.artifacts.artifact import open_artifact
from nextset.generation.stage import generate
from nextset.pipeline.run import run
from nextset.study.study_folder import Study

pytestmark = [pytest.mark.slow, pytest.mark.reference]


@pytest.fixture
def study(request: pytest.FixtureRequest, root: Path, reference: Path, tmp_path: Path) -> Study:
    """The shipped study whose name is the parameter, in a folder of its own."""
    shutil.copytree(root / "studies" / request.param, tmp_path / request.param)
    return Study.load(tmp_path / request.param)


@pytest.mark.parametrize("study", ["published_bbq"], indirect=True)
def test_published_bbq_has_two_sets_of_each_template(study: Study) -> None:
    generate(study)
    items = open_artifact(study.out / "generate").table("choices", ["category", "template_id", "set_id"])
    sets = {(row["template_id"], row["set_id"]) for row in items.to_pylist()}
    assert set(Counter(template for template, _ in sets).values()) == {2}
    # 25 templates of each of the four categories
    assert len(sets) == 4 * 25 * 2


@pytest.mark.parametrize("study", ["published_kobbq"], indirect=True)
def test_published_kobbq_has_all_test_samples(study: Study) -> None:
    generate(study)
    items = open_artifact(study.out / "generate").table("choices")
    assert items.num_rows == 2280
    assert set(items["language"].to_pylist()) == {"ko"}


@pytest.mark.parametrize(
    ("study", "category"),
    [("published_bbq", "Religion"), ("published_kobbq", "religion")],
    indirect=["study"],
)
def test_a_category_is_scored_and_measured(study: Study, category: str) -> None:
    file = study.folder / "study.yaml"
    text = file.read_text(encoding="utf-8").replace(
        "\nchoices:\n", f"\nchoices:\n  categories: [{category}]\n"
    )
    file.write_text(text, encoding="utf-8")
    run(study.folder)
    measures = open_artifact(study.out / "audit").table("measures").to_pylist()
    whole = {row["measure"]: row for row in measures if row["by"] == "all"}
    for name in ("accuracy_ambiguous", "accuracy_disambiguated", "s_amb", "s_dis"):
        assert whole[name]["value"] is not None
        assert whole[name]["low"] <= whole[name]["value"] <= whole[name]["high"]
    assert "s_DIS" in (study.out / "report" / "index.html").read_text(encoding="utf-8")
