"""docs/how_to/choice_templates.md: its files are a pack and a study that work."""

from __future__ import annotations

from pathlib import Path

import pytest

import nextset
from nextset.artifacts.artifact import open_artifact
from tests.complete_choice_sets import incomplete_sets
from tests.docs_pages import ROOT, blocks

PAGE = ROOT / "docs" / "how_to" / "choice_templates.md"


@pytest.fixture
def written(tmp_path: Path) -> nextset.Study:
    """The study of the page, with its pack."""
    for block in blocks(PAGE, "yaml"):
        name = block.splitlines()[0].removeprefix("# ")
        path = tmp_path / name if name == "study.yaml" else tmp_path / "pack" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block, encoding="utf-8")
    return nextset.Study.load(tmp_path)


def test_the_pack_of_the_page_has_no_findings_and_the_sets_that_it_says(written: nextset.Study) -> None:
    assert nextset.lint(written.folder / "pack").findings == ()
    assert nextset.lint(written).findings == ()
    preview = nextset.preview(written)
    # 2 people × 2 words; 12 items of each set; one pair of people of the control
    assert (preview.items["masked choices"], preview.items["choices"]) == (24, 12)
    assert preview.filled == 24 * 2
    assert preview.prompts == 2 * 2  # both questions of each of two sets
    assert {example["category"] for example in preview.section_examples["choices"]} == {"handedness"}
    assert preview.section_examples["masked_choices"][0]["question"].startswith("Who was {{MASK:only like")


@pytest.mark.slow
def test_the_study_of_the_page_runs(written: nextset.Study) -> None:
    preview = nextset.preview(written)
    (time,) = nextset.estimate_time(written, preview)
    assert (time.role, time.inputs, time.why_not) == ("fill", preview.prompts, "")
    nextset.run(written)
    assert nextset.preview(written).fills.counts["kept, choice items"] == 48
    assert open_artifact(written.out / "generate").table("choices").num_rows == 12
    filled = open_artifact(written.out / "fill").table("choices")
    assert filled.num_rows == 48
    assert incomplete_sets(filled) == []
    assert len(set(filled["set_id"].to_pylist())) == 4  # 2 sets × 2 fills
