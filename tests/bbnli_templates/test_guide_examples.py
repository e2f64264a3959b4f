"""The examples in docs/how_to/templates.md and overlays.md are files that work."""

from __future__ import annotations

import re
from pathlib import Path

from nextset.generation.lint.template_lint import lint_template
from nextset.generation.templates.overlay import apply_overlay
from nextset.generation.templates.yaml_format import read_yaml_template

GUIDE = Path(__file__).parents[2] / "docs" / "how_to" / "templates.md"


def test_the_template_and_the_overlay_of_the_guide_load_without_findings(tmp_path: Path) -> None:
    text = GUIDE.read_text("utf-8") + GUIDE.with_name("overlays.md").read_text("utf-8")
    template, overlay = re.findall(r"```yaml\n(format: 1\b.*?)```", text, re.DOTALL)
    folder = tmp_path / "handedness"
    folder.mkdir()
    file = folder / "left_handed_is_to_clumsy.yaml"
    file.write_text(template, "utf-8")
    extra = tmp_path / "school.yaml"
    extra.write_text(overlay, "utf-8")

    (extended,) = apply_overlay(extra, [read_yaml_template(file)])

    assert lint_template(extended) == []
    assert [s.kind for s in extended.statements] == ["hypothesis", "masked", "test", "test", "masked"]
