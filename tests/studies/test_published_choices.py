"""studies/published_bbq and studies/published_kobbq: their items are read from the published files."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from nextset.artifacts.artifact import open_artifact
from nextset.generation.stage import generate
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
