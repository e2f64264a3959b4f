"""docs/how_to/published_choice_templates.md: its example gives the sets and items that the page says."""

from __future__ import annotations

from pathlib import Path

from nextset.artifacts.artifact import open_artifact
from nextset.cli.lint import lint
from nextset.generation.stage import generate
from nextset.study.study_folder import Study
from tests.docs_pages import ROOT, blocks

PAGE = ROOT / "docs" / "how_to" / "published_choice_templates.md"


def test_the_example_gives_24_items(tmp_path: Path) -> None:
    [study], [templates] = blocks(PAGE, "yaml"), blocks(PAGE, "csv")
    (tmp_path / "study.yaml").write_text(study, encoding="utf-8")
    (tmp_path / "Handedness.csv").write_text(templates, encoding="utf-8")
    assert lint(tmp_path).findings == ()
    generate(Study.load(tmp_path))
    items = open_artifact(tmp_path / "out" / "generate").table("choices")
    assert items.num_rows == 24
    assert len(set(items["set_id"].to_pylist())) == 3
    assert set(items["template_id"].to_pylist()) == {"Handedness-1"}


def test_the_page_is_short() -> None:
    assert len(PAGE.read_text(encoding="utf-8").split()) < 1_500
